// SPDX-License-Identifier: Apache-2.0
// `vinci run --branches`: every run that a scene allows.
#pragma once

#include "apps/command.h"

namespace vinci {

struct BranchFlags {
  int most = 0;  // 0: the run alone
  std::vector<std::string> quantities;
  std::string tolerance, html;
  double max_size = 50.0;  // MB, of recordings in the viewer's page
};
void add_branch_flags(CLI::App& subcommand, BranchFlags& flags);

struct BranchJob {
  std::string scene, output;  // the latter: folder of recordings, "" for none
  bool overwrite = false, quiet = false;
};
int run_branches(const BranchFlags& flags, const BranchJob& job, const ChoiceFlags& choices,
                 const Command& command);

}  // namespace vinci
