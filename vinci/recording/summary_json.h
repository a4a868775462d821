// SPDX-License-Identifier: Apache-2.0
// The summary of a run as JSON: one object, for programs, pages and whoever else prints it.
#pragma once

#include <string>

#include "vinci/recording/recording.h"

namespace vinci {

// Numbers that are not finite are null.
std::string summary_json(const RunSummary& summary);

}  // namespace vinci
