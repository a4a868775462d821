// SPDX-License-Identifier: Apache-2.0
// A study on a cluster: array jobs of Slurm, whose answers are merged from files.
#pragma once

#include "apps/study.h"
#include "vinci/study/strategy.h"

namespace vinci {

struct StudySlurmFlags {
  bool wanted = false, wait = false;
  int tasks = 20, workers = 1;
  std::string partition;
  std::vector<std::string> options;  // of sbatch
};
void add_slurm_flags(CLI::App& subcommand, StudySlurmFlags& flags);

struct SlurmState {
  bool complete = false;
  Json json;  // `jobs`, `merged`, `damaged`, `submitted`, `missing`
};

// Merges what is there, and submits what is missing of the round. With `wait` it goes on until the
// study is complete or a signal wants it to stop; the jobs then go on.
SlurmState run_on_slurm(const StudySlurmFlags& flags, const StudyFlags& study_flags,
                        const Study& study, const StudyFolder& folder, Ledger& ledger,
                        Strategy& strategy, const Command& command);

// Cases of the rounds so far that the ledger does not have.
std::uint64_t missing_cases(const Ledger& ledger);

}  // namespace vinci
