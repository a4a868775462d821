// SPDX-License-Identifier: Apache-2.0
// A path of the geometric model as a recording, for the viewer.
#pragma once

#include <filesystem>
#include <vector>

#include "vinci/simulation/simulation.h"

namespace vinci {

// The body follows the path at constant speed for four seconds, the others stand still. The
// recording says that no stepper but the geometric model moved it ("controller geometric-model").
// Throws Error if the file exists, unless told to overwrite, or cannot be written.
void record_path(const std::filesystem::path& file, const Scene& scene,
                 const std::map<std::string, double>& parameters,
                 const std::shared_ptr<const Plugins>& plugins, int body,
                 const std::vector<Pose>& path, bool overwrite = false);

}  // namespace vinci
