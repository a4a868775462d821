// SPDX-License-Identifier: Apache-2.0
// The program `vinci`: reads the command line, runs one subcommand, turns failures into exit codes:
// 0 good, 1 the run failed, 2 bad input, 128 + n stopped by signal n (130: Ctrl-C).
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>

#include "apps/command.h"
#include "apps/text.h"

namespace {

constexpr const char* no_memory = "there is not enough memory";

int guarded(const vinci::Command& command) {
  auto report = [&](const std::exception& error, int code) {
    vinci::print_error(error, command, code);
    vinci::finish_saying();
    return code;
  };
  try {
    const int code = command.action();
    vinci::finish_saying();
    return code;
  } catch (const vinci::Failure& error) {
    return report(error, vinci::exit_failed);
  } catch (const vinci::Error& error) {
    return report(error, vinci::exit_bad_input);
  } catch (const std::bad_alloc&) {
    return report(vinci::Failure(no_memory), vinci::exit_failed);
  } catch (const std::exception& error) {
    return report(error, vinci::exit_failed);
  }
}

// An allocation may also fail where nothing can be thrown, or in a thread.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr current = std::current_exception())
      std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    std::fputs(no_memory, stderr);
    std::fputs("\n", stderr);
    std::_Exit(vinci::exit_failed);
  } catch (...) {
  }
  std::abort();
}

int parsed_and_run(int argc, char** argv) {
  CLI::App app{"Simulates mechanical systems whose bodies touch.", "vinci"};
  app.set_version_flag("--version", "vinci " VINCI_VERSION);
  app.require_subcommand(0, 1);
  app.formatter(vinci::help_formatter());
  vinci::Command command;
  vinci::add_check(app, command);
  vinci::add_run(app, command);
  vinci::add_info(app, command);
  vinci::add_view(app, command);
  vinci::add_render(app, command);
  vinci::add_export(app, command);
  vinci::add_plan(app, command);
  vinci::add_grasp(app, command);
  vinci::add_solve(app, command);
  vinci::add_certify(app, command);
  vinci::add_compare(app, command);
  vinci::add_converge(app, command);
  vinci::add_study(app, command);
  vinci::add_linearize(app, command);
  vinci::add_list(app, command);
  vinci::add_robot(app, command);
  vinci::add_schema(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream answer, complaint;
    const int code = app.exit(error, answer, complaint);
    vinci::say(stderr, complaint.str());
    vinci::say(stdout, answer.str());
    vinci::finish_saying();
    return code == 0 ? vinci::exit_good : vinci::exit_bad_input;
  }
  if (!command.action) {
    vinci::say(stderr, app.help());
    return vinci::exit_bad_input;
  }
  return guarded(command);
}

}  // namespace

int main(int argc, char** argv) {
  // A limit on file sizes must be an error of ours, not a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_without_memory);
  int code = vinci::exit_failed;
  try {
    code = parsed_and_run(argc, argv);
  } catch (const std::exception& error) {
    // What could not be told in the command's way: there is no memory, or standard output is full.
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    std::fputs(memory ? no_memory : error.what(), stderr);
    std::fputs("\n", stderr);
  }
  if (code == vinci::exit_good) return code;
  // HDF5's exit handler complains of what a damaged file left half open; all of ours is closed.
  std::fflush(nullptr);
  std::_Exit(code);
}
