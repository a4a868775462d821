// SPDX-License-Identifier: Apache-2.0
// The program `vinci`: reads the command line, runs one subcommand, turns failures into exit codes:
// 0 good, 1 the run failed, 2 bad input, 130 stopped by the user.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"

namespace {

int guarded(const vinci::Command& command) {
  auto report = [&](const std::exception& error, int code) {
    vinci::print_error(error, command, code);
    return code;
  };
  try {
    return command.action();
  } catch (const vinci::Failure& error) {
    return report(error, vinci::exit_failed);
  } catch (const vinci::Error& error) {
    return report(error, vinci::exit_bad_input);
  } catch (const std::bad_alloc&) {
    return report(vinci::Failure("there is not enough memory"), vinci::exit_failed);
  } catch (const std::exception& error) {
    return report(error, vinci::exit_failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A limit on file sizes, or a reader that went away, must be an error of ours, not a signal.
  std::signal(SIGXFSZ, SIG_IGN);
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
  vinci::add_solve(app, command);
  vinci::add_compare(app, command);
  vinci::add_converge(app, command);
  vinci::add_list(app, command);
  vinci::add_schema(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? vinci::exit_good : vinci::exit_bad_input;
  }
  if (!command.action) {
    fmt::print(stderr, "{}", app.help());
    return vinci::exit_bad_input;
  }
  const int code = guarded(command);
  if (code == vinci::exit_good) return code;
  // HDF5's exit handler complains of what a damaged file left half open; all of ours is closed.
  std::fflush(nullptr);
  std::_Exit(code);
}
