// SPDX-License-Identifier: Apache-2.0
// What the viewer's page knows of a run before it asks for frames, as JSON (docs/viewer.md).
#pragma once

#include <string>

#include "vinci/recording/recording.h"

namespace vinci {

// Numbers that are not finite are null. A `stride` above 1 says that a page holds only every so
// many of the recorded frames, from `first` on, and `frames` how many those are.
std::string run_description(const Recording& recording, std::int64_t stride = 1,
                            std::int64_t first = 0);
// In place of a description: why there is none. `waiting`: it may come yet.
std::string run_error(const std::string& name, const std::string& error, bool waiting = false);

// The model as recorded; throws Error if that is not JSON.
std::string checked_model(const Recording& recording, int version);

}  // namespace vinci
