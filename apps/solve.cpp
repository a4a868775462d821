// SPDX-License-Identifier: Apache-2.0
// `vinci solve`: stored problems and recorded steps, solved by one solver or by all of them side by
// side. Every answer is judged here again, whatever its solver said of it.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/recorded_run.h"
#include "apps/solve_answer.h"
#include "apps/solve_table.h"
#include "apps/text.h"
#include "vinci/complementarity/problem_file.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

struct SolveFlags {
  std::vector<std::string> files, libraries;
  std::string solver;  // "": auto, or all for a recorded step
  SolveWishes wishes;
  std::int64_t step = 0;  // of recordings; 0: the files are problems
  std::string folder;     // for answers
  bool verbose = false, all_solutions = false;
};

bool is_recording(const std::string& file) {
  try {
    const Recording recording(file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

ComplementarityProblem load(const std::string& file, const SolveFlags& flags,
                            const std::shared_ptr<const Plugins>& plugins) {
  if (flags.step > 0) {
    try {
      return recorded_problem(Recording(file), flags.step, plugins);
    } catch (const Error& error) {
      try {
        load_problem(file);
      } catch (const Error&) {
        throw error;
      }
      throw Error("is a problem, not a recording; leave out --step", file);
    }
  }
  try {
    return load_problem(file);
  } catch (const Error& error) {
    if (!is_recording(file)) throw;
    const Recording recording(file);
    throw Error(fmt::format("is the recording of a run; name one of its steps with --step, 1 to {}",
                            recording.info(recording.frames() - 1).step),
                file);
  }
}

class SolveCommand {
 public:
  SolveCommand(const SolveFlags& flags, const Command& command)
      : flags_(flags), command_(command), plugins_(plugins_of(flags.libraries)) {}

  int run() {
    choose_solvers();
    std::vector<std::string> names;
    for (const std::string& file : flags_.files) names.push_back(answer_name(file));
    if (!flags_.folder.empty()) folder_.emplace(flags_.folder, flags_.files, names);
    SolveTable table(flags_.files, flags_.verbose);
    if (!command_.json) table.print_header();
    for (std::size_t i = 0; i < flags_.files.size(); ++i) solve_file(i, table);
    if (!command_.json) table.print_total();
    return code_;
  }

 private:
  void choose_solvers() {
    if (flags_.all_solutions) {
      if (!flags_.solver.empty())
        throw Error("searches without a solver; leave out --solver", "--all-solutions");
      return;
    }
    const std::string name = !flags_.solver.empty() ? flags_.solver
                             : flags_.step > 0      ? "all"
                                                    : "auto";
    if (name != "all") return solvers_.push_back(&plugins_->solvers.at(name));
    for (const auto& entry : plugins_->solvers.entries()) solvers_.push_back(&entry);
  }

  std::string answer_name(const std::string& file) const {
    const std::string stem = fs::path(file).stem().string();
    return flags_.step > 0 ? fmt::format("{}-step-{:06}", stem, flags_.step) : stem;
  }

  // A mistake in one file is reported, and the others go on.
  void report(const std::string& file, const Error& error, int code) {
    code_ = std::max(code_, code);
    if (!command_.json) {
      std::fflush(stdout);
      return say(stderr, "{}\n", error.what());
    }
    Json json = empty_answer(file);
    json["note"] = error.what();
    print_line(json);
  }

  static void print_line(const Json& json) {
    say(stdout, "{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
    std::fflush(stdout);
  }

  void solve_file(std::size_t index, SolveTable& table) {
    const std::string& file = flags_.files[index];
    ComplementarityProblem problem;
    try {
      problem = load(file, flags_, plugins_);
    } catch (const Error& error) {
      return report(file, error, exit_bad_input);
    }
    bool solved = false;
    for (const SolverRegistry::Entry* entry : solvers_) {
      const Answer answer = solve_by(*entry, file, problem, flags_.wishes);
      solved = solved || answer.status == SolveStatus::solved;
      show(answer, table);
      store(index, solvers_.size() > 1 ? "." + entry->name : "", problem, answer);
    }
    if (flags_.all_solutions) {
      const Answer answer = enumerate(file, problem, flags_.wishes);
      solved = answer.status == SolveStatus::solved;
      show(answer, table);
      store(index, "", problem, answer);
    }
    if (!solved) code_ = std::max(code_, exit_failed);
  }

  void show(const Answer& answer, SolveTable& table) const {
    if (command_.json)
      print_line(answer.json);
    else
      table.print(answer.json);
  }

  // Several answers to one question are numbered from 1.
  void store(std::size_t index, const std::string& suffix, const ComplementarityProblem& problem,
             const Answer& answer) {
    if (!folder_) return;
    try {
      for (std::size_t i = 0; i < answer.files.size(); ++i)
        folder_->write(index, flags_.all_solutions ? fmt::format(".{}", i + 1) : suffix, problem,
                       answer.files[i]);
    } catch (const Error& error) {
      report(flags_.files[index], error, exit_bad_input);
    }
  }

  const SolveFlags& flags_;
  const Command& command_;
  std::shared_ptr<const Plugins> plugins_;
  std::vector<const SolverRegistry::Entry*> solvers_;
  std::optional<AnswerFolder> folder_;
  int code_ = exit_good;
};

}  // namespace

void add_solve(CLI::App& app, Command& command) {
  auto flags = std::make_shared<SolveFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "solve", "Solve stored problems, or steps of recorded runs, and judge the answers.");
  subcommand
      ->add_option("file", flags->files,
                   "Problem files: FCLib, LCP, MLCP or our own layout (HDF5); recordings with "
                   "--step.")
      ->type_name("")
      ->required();
  subcommand
      ->add_option("--solver", flags->solver, "A solver's name, or 'all'. [auto; all with --step]")
      ->type_name("NAME");
  subcommand->add_option("--tol", flags->wishes.tolerance, "Relative residual asked for. [1e-8]")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.0, 1.0).description(""));
  subcommand
      ->add_option("--time-limit", flags->wishes.time_limit,
                   "Wall-clock time that a solve may take, in s. [none]")
      ->type_name("NUMBER")
      ->check(CLI::PositiveNumber.description(""));
  subcommand
      ->add_option("--step", flags->step,
                   "Solve the problem of this step of recorded runs, as the run posed it.")
      ->type_name("INTEGER")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53).description(""));
  subcommand
      ->add_option("--solution", flags->folder,
                   "Folder for the answers, one HDF5 file each: <name>.h5, with 'all' "
                   "<name>.<solver>.h5.")
      ->type_name("FOLDER");
  subcommand
      ->add_option("--repeat", flags->wishes.repeat, "Repetitions; the median time counts. [1]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 1000000).description(""));
  subcommand->add_flag("--all-solutions", flags->all_solutions,
                       "Find every solution of small problems (24 rows at most).");
  subcommand->add_flag("-v,--verbose", flags->verbose, "Show all that was tried, and every note.");
  add_plugin_flag(*subcommand, flags->libraries);
  add_json_flag(*subcommand, command, "Answer in JSON, one object per line.");
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return SolveCommand(*flags, command).run(); };
  });
}

}  // namespace vinci
