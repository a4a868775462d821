// SPDX-License-Identifier: Apache-2.0
// Slurm, by its own commands: an array job whose tasks each run some cases of a study, in a folder
// that all machines see.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vinci/campaign/number_ranges.h"
#include "vinci/study/strategy.h"

namespace vinci {

struct SlurmSettings {
  int tasks = 20;                    // of an array job, at most
  int workers = 1;                   // of a task; so many processors are asked for
  std::vector<std::string> options;  // further ones of sbatch
  // The command of task `SLURM_ARRAY_TASK_ID` of a plan, as a line of the shell.
  std::function<std::string(const std::filesystem::path& plan)> command;
};

// A plan is a folder: what the tasks are to run, the script of the job, its number, what the tasks
// print.
struct SlurmPlan {
  std::filesystem::path folder;
  std::string job;  // its number; empty where it was not submitted
  std::uint64_t cases = 0;
  int tasks = 0;
};

// Writes the cases of a round into a new plan below `parts`, in as many tasks as there may be, and
// submits it. Throws Failure with what sbatch says.
SlurmPlan submit(const std::filesystem::path& parts, const std::string& hash, const Round& round,
                 const std::vector<NumberRange>& cases, const SlurmSettings& settings);

// Numbers of the jobs of plans below `parts` that wait or run. Throws Failure with what squeue
// says.
std::vector<std::string> jobs_under_way(const std::filesystem::path& parts);

std::filesystem::path task_file(const std::filesystem::path& plan, int task);

}  // namespace vinci
