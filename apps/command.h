// SPDX-License-Identifier: Apache-2.0
// What the subcommands of `vinci` share: how they are entered, how they fail, and the flags that
// set a run's choices.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <typeinfo>
#include <vector>

#include "vinci/recording/recording.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

using Json = nlohmann::ordered_json;

// Exit codes of the program: a Failure is exit_failed, any other Error exit_bad_input; a run that a
// signal stopped ends with exit_stopped() (apps/stop_signal.h).
inline constexpr int exit_good = 0, exit_failed = 1, exit_bad_input = 2;

// The chosen subcommand, run after the whole command line has been read.
struct Command {
  std::function<int()> action;
  bool json = false;  // answers and errors as one JSON object on standard output
};

void add_check(CLI::App& app, Command& command);
void add_certify(CLI::App& app, Command& command);
void add_run(CLI::App& app, Command& command);
void add_info(CLI::App& app, Command& command);
void add_view(CLI::App& app, Command& command);
void add_render(CLI::App& app, Command& command);
void add_export(CLI::App& app, Command& command);
void add_plan(CLI::App& app, Command& command);
void add_grasp(CLI::App& app, Command& command);
void add_solve(CLI::App& app, Command& command);
void add_compare(CLI::App& app, Command& command);
void add_converge(CLI::App& app, Command& command);
void add_linearize(CLI::App& app, Command& command);
void add_list(CLI::App& app, Command& command);
void add_robot(CLI::App& app, Command& command);
void add_schema(CLI::App& app, Command& command);
void add_study(CLI::App& app, Command& command);

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& text);
void add_json_flag(CLI::App& subcommand, Command& command,
                   const std::string& text = "Answer with one JSON object.");

// The flags by which a command line sets a run's choices over the scene's.
struct ChoiceFlags {
  std::vector<std::string> parameters;         // name=value
  std::vector<std::string> plugin_options;     // kind.option=value
  std::vector<std::string> libraries;          // plugins
  std::vector<std::string> allowed;            // folders that scenes may read besides their own
  std::map<std::string, std::string> options;  // of the run table
};
void add_choice_flags(CLI::App& subcommand, ChoiceFlags& flags);
void add_plugin_flag(CLI::App& subcommand, std::vector<std::string>& libraries);
// Throws Error naming the flag.
RunOverrides overrides_of(const ChoiceFlags& flags);
// A finite number, as scenes may write it. Throws Error naming the flag.
double number_of(const std::string& text, const std::string& flag);
std::shared_ptr<const Plugins> plugins_of(const std::vector<std::string>& libraries);

// The scene of a file, its run's choices checked against the plugins.
Scene load_scene(const std::string& file, const Plugins& plugins, const ChoiceFlags& flags);
// A simulation whose mistakes in options name the flag they were given by.
Simulation make_simulation(const Scene& scene, const RunOverrides& overrides,
                           const std::shared_ptr<const Plugins>& plugins);

// Performs what throws Errors whose places are named as the flags of the command line are.
template <class Function>
auto with_flags(const CLI::App& subcommand, const Function& function) {
  try {
    return function();
  } catch (const SceneError&) {
    throw;
  } catch (const Error& error) {
    const std::string word = error.where().substr(0, error.where().find_first_of(" ,"));
    if (word.empty() || typeid(error) != typeid(Error) ||
        subcommand.get_option_no_throw("--" + word) == nullptr)
      throw;
    throw Error(error.message(), "--" + error.where());
  }
}

void print(const Json& json);  // on standard output, with a newline; NaN and infinities are null
Json to_json(const RunSummary& summary);

Json errors_json(const std::exception& error);  // an array: file, line, key, message
// Prints what went wrong, in the command's way.
void print_error(const std::exception& error, const Command& command, int exit_code);

}  // namespace vinci
