// SPDX-License-Identifier: Apache-2.0
// `vinci view` of a study that was run, or runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vinci/viewing/study_server.h"

namespace vinci {

// The folder of a study that is run, or its ledger.
bool is_study_run(const std::string& file);

struct StudyToView {
  StudyWatch watch;
  ReplayCommand replay;
};
// `libraries`: plugins; `allowed`: folders that the scene may read besides its own. Throws Error.
StudyToView study_to_view(const std::string& file, const std::vector<std::string>& libraries,
                          const std::vector<std::string>& allowed);

}  // namespace vinci
