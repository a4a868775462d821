// SPDX-License-Identifier: Apache-2.0
#include "apps/study_slurm.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/stop_signal.h"
#include "apps/study_line.h"
#include "apps/text.h"
#include "vinci/base/shell.h"
#include "vinci/campaign/part_file.h"
#include "vinci/campaign/slurm.h"
#include "vinci/study/strategies.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

constexpr auto pause = std::chrono::milliseconds(1000);  // between questions to Slurm

// The line of the shell that runs a task: this very program, by its name in the shared folder.
std::string task_command(const StudyFlags& flags, const Study& study, const fs::path& plan,
                         int workers) {
  std::vector<std::string> words = command_of(flags, study, "task");
  words.front() = fs::read_symlink("/proc/self/exe").string();
  words.insert(words.end(), {"--plan", plan.string(), "--workers", std::to_string(workers)});
  std::string line;
  for (const std::string& word : words) line += shell_word(word) + " ";
  return line + "--task \"$SLURM_ARRAY_TASK_ID\"";
}

class SlurmRun {
 public:
  SlurmRun(const StudySlurmFlags& flags, const StudyFlags& study_flags, const Study& study,
           const StudyFolder& folder, Ledger& ledger, Strategy& strategy, bool silent)
      : flags_(flags),
        study_flags_(study_flags),
        study_(study),
        folder_(folder),
        ledger_(ledger),
        strategy_(strategy),
        silent_(silent) {}

  SlurmState run() {
    merge();
    while (!stop_wanted()) {
      const auto jobs = jobs_under_way(folder_.parts());
      if (!jobs.empty()) {
        if (!flags_.wait) {
          note("jobs {} still run; their answers are merged by: {}", fmt::join(jobs, ", "),
               advice_of(study_flags_, folder_, "merge"));
          return state(jobs);
        }
        std::this_thread::sleep_for(pause);
        merge();
        continue;
      }
      // Answers that came after the last look, before the job ended.
      merge();
      if (!round_ || missing_of_round() == 0) begin_round();
      if (!round_) return state({});
      submit_missing();
      if (!flags_.wait) return state({jobs_});
    }
    return state({});
  }

 private:
  template <class... Values>
  void note(fmt::format_string<Values...> form, Values&&... values) const {
    if (!silent_) say(stderr, "{}\n", fmt::format(form, std::forward<Values>(values)...));
  }

  void merge() {
    const Merged merged = merge_parts(folder_.parts(), ledger_);
    merged_.cases += merged.cases;
    merged_.files += merged.files;
    for (const std::string& file : merged.damaged) {
      note("{} is damaged and put aside; its cases are run again", file);
      merged_.damaged.push_back(file);
    }
  }

  std::uint64_t missing_of_round() const {
    std::uint64_t count = 0;
    for (const NumberRange& gap : ledger_.done().missing({round_->first, round_->size}))
      count += gap.size;
    return count;
  }

  void begin_round() {
    round_ = next_round(strategy_, ledger_, rounds_);
    last_missing_.reset();
  }

  void submit_missing() {
    const std::uint64_t missing = missing_of_round();
    if (missing == last_missing_)
      throw Failure(fmt::format("the tasks of job {} gave no answer; what they said is in {}",
                                plan_.job, plan_.folder.string()));
    last_missing_ = missing;
    SlurmSettings settings;
    settings.tasks = flags_.tasks;
    settings.workers = flags_.workers;
    settings.options = flags_.options;
    if (!flags_.partition.empty()) settings.options.push_back("--partition=" + flags_.partition);
    settings.command = [&](const fs::path& plan) {
      return task_command(study_flags_, study_, plan, flags_.workers);
    };
    plan_ = submit(folder_.parts(), study_.hash(), *round_,
                   ledger_.done().missing({round_->first, round_->size}), settings);
    jobs_ = plan_.job;
    submitted_ += plan_.cases;
    note("job {}: {} in {}", plan_.job, plural(static_cast<std::int64_t>(plan_.cases), "case"),
         plural(plan_.tasks, "task"));
  }

  SlurmState state(const std::vector<std::string>& jobs) const {
    return {.complete = ledger_.head().complete,
            .json = {{"jobs", jobs},
                     {"merged", merged_.cases},
                     {"damaged", merged_.damaged},
                     {"submitted", submitted_},
                     {"missing", missing_cases(ledger_)}}};
  }

  const StudySlurmFlags& flags_;
  const StudyFlags& study_flags_;
  const Study& study_;
  const StudyFolder& folder_;
  Ledger& ledger_;
  Strategy& strategy_;
  bool silent_;
  std::uint64_t rounds_ = 0, submitted_ = 0;
  std::optional<std::uint64_t> last_missing_;  // of this round, before the last job
  std::optional<Round> round_;
  SlurmPlan plan_;
  std::string jobs_;
  Merged merged_;
};

struct MergeFlags {
  StudyFlags study;
};

int merge_study(const MergeFlags& flags, const Command& command) {
  const Study study = load_study(flags.study);
  const StudyFolder folder = folder_of(flags.study);
  ledger_to_read(flags.study, study);
  Ledger ledger = Ledger::to_write(folder.ledger(), head_of(study));
  const Merged merged = merge_parts(folder.parts(), ledger);
  std::uint64_t rounds = 0;
  const auto strategy = make_strategy(study);
  const bool complete = !next_round(*strategy, ledger, rounds);
  if (complete) write_results(flags.study, study, ledger, folder);
  const std::uint64_t missing = missing_cases(ledger);
  if (command.json) {
    Json json = {{"ok", true}, {"exit_code", exit_good}};
    json.update(state_json(study, ledger, folder));
    json["merged"] = merged.cases;
    json["damaged"] = merged.damaged;
    json["missing"] = missing;
    json["table"] = complete ? Json(folder.table().string()) : Json();
    print(json);
    return exit_good;
  }
  for (const std::string& file : merged.damaged)
    say(stderr, "{} is damaged and put aside; its cases are run again\n", file);
  say(stdout, "merged {} of {}\n", plural(static_cast<std::int64_t>(merged.cases), "case"),
      plural(static_cast<std::int64_t>(merged.files), "part"));
  if (complete)
    say(stdout, "complete: table {}\n", folder.table().string());
  else
    say(stdout, "{} of the round are missing\n",
        plural(static_cast<std::int64_t>(missing), "case"));
  return exit_good;
}

}  // namespace

void add_slurm_flags(CLI::App& subcommand, StudySlurmFlags& flags) {
  const std::string group = "On a cluster";
  subcommand
      .add_flag("--slurm", flags.wanted,
                "Submit what is missing as an array job of Slurm; all machines see the folder.")
      ->group(group);
  subcommand.add_option("--tasks", flags.tasks, "Tasks of the array, at most. [20]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 9999).description(""))
      ->group(group);
  subcommand
      .add_option("--task-workers", flags.workers,
                  "Workers of a task; so many processors are asked for. [1]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 4096).description(""))
      ->group(group);
  subcommand.add_option("--partition", flags.partition, "Partition of the cluster.")
      ->type_name("NAME")
      ->group(group);
  subcommand
      .add_option("--sbatch", flags.options, "A further option of sbatch, e.g. --sbatch=--time=60.")
      ->type_name("OPTION")
      ->allow_extra_args(false)
      ->take_all()
      ->group(group);
  subcommand.add_flag("--wait", flags.wait, "Merge and submit until the study is complete.")
      ->group(group);
}

SlurmState run_on_slurm(const StudySlurmFlags& flags, const StudyFlags& study_flags,
                        const Study& study, const StudyFolder& folder, Ledger& ledger,
                        Strategy& strategy, const Command& command) {
  return SlurmRun(flags, study_flags, study, folder, ledger, strategy, command.json).run();
}

std::uint64_t missing_cases(const Ledger& ledger) {
  std::uint64_t count = 0;
  for (const NumberRange& round : ledger.rounds())
    for (const NumberRange& gap : ledger.done().missing(round)) count += gap.size;
  return count;
}

void add_study_merge(CLI::App& study, Command& command) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* subcommand =
      add_subcommand(study, "merge", "Take what the tasks of a cluster have done into the ledger.");
  add_study_flags(*subcommand, flags->study);
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return merge_study(*flags, command); };
  });
}

}  // namespace vinci
