// SPDX-License-Identifier: Apache-2.0
// What `vinci study run` starts, hidden from people: `work`, a process that runs cases, and `task`,
// a part of a study on a machine of a cluster.
#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/stop_signal.h"
#include "apps/study.h"
#include "vinci/campaign/part_file.h"
#include "vinci/campaign/slurm.h"
#include "vinci/campaign/worker.h"
#include "vinci/study/runner.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

int work(const StudyFlags& flags) {
  serve_cases([&] {
    auto runner = std::make_shared<CaseRunner>(load_study(flags));
    return CaseRun{runner->study().hash(),
                   [runner](const StudyCase& item) { return runner->run(item); }};
  });
  return exit_good;
}

struct TaskFlags {
  StudyFlags study;
  WorkerFlags workers;
  std::string plan;
  int task = 0;
};

// Ranges of numbers, in the order of the cases.
std::vector<NumberRange> ranges_of(const std::vector<StudyCase>& cases) {
  std::vector<NumberRange> ranges;
  for (const StudyCase& item : cases) {
    if (!ranges.empty() && ranges.back().end() == item.number)
      ++ranges.back().size;
    else
      ranges.push_back({item.number, 1});
  }
  return ranges;
}

// A name that no other task has, wherever it runs.
std::string part_name(const TaskFlags& flags) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return fmt::format("{}-task-{:04}-{}-{}", fs::path(flags.plan).filename().string(), flags.task,
                     host, getpid());
}

int run_task(const TaskFlags& flags) {
  const Study study = load_study(flags.study);
  const fs::path plan = flags.plan;
  const TaskFile task = read_task(task_file(plan, flags.task));
  if (task.hash != study.hash())
    throw Failure("the study, or a scene that it reads, has changed since the job was submitted",
                  study.file().string());
  listen_for_stop();
  PartWriter writer(plan.parent_path(), part_name(flags), study.hash());
  Crew crew(crew_of(flags.study, study, workers_of(flags.workers)));
  const auto at = [&](std::uint64_t number) {
    return *std::lower_bound(
        task.cases.begin(), task.cases.end(), number,
        [](const StudyCase& item, std::uint64_t wanted) { return item.number < wanted; });
  };
  const bool complete =
      crew.run({ranges_of(task.cases), at}, writer, [] { return !stop_wanted(); });
  writer.flush();
  return complete ? exit_good : exit_stopped();
}

}  // namespace

void add_study_work(CLI::App& study, Command& command) {
  auto flags = std::make_shared<StudyFlags>();
  CLI::App* subcommand = add_subcommand(study, "work", "Run cases for 'vinci study run'.");
  subcommand->group("");
  add_study_flags(*subcommand, *flags);
  subcommand->callback([flags, &command] { command.action = [flags] { return work(*flags); }; });
}

void add_study_task(CLI::App& study, Command& command) {
  auto flags = std::make_shared<TaskFlags>();
  CLI::App* subcommand = add_subcommand(study, "task", "Run a task of a plan for Slurm.");
  subcommand->group("");
  add_study_flags(*subcommand, flags->study);
  add_worker_flags(*subcommand, flags->workers);
  subcommand->add_option("--plan", flags->plan, "Folder of the plan.")->required();
  subcommand->add_option("--task", flags->task, "Number of the task.")->required();
  subcommand->callback(
      [flags, &command] { command.action = [flags] { return run_task(*flags); }; });
}

}  // namespace vinci
