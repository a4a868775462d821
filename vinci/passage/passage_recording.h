// SPDX-License-Identifier: Apache-2.0
// Paths of the geometric model as recordings, for the viewer.
#pragma once

#include <filesystem>
#include <vector>

#include "vinci/passage/robot_passage.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

// The body follows the path at constant speed for four seconds, the others stand still. The
// recording says that no stepper but the geometric model moved it ("controller geometric-model").
// Throws Error if the file exists, unless told to overwrite, or cannot be written.
void record_path(const std::filesystem::path& file, const Scene& scene,
                 const std::map<std::string, double>& parameters,
                 const std::shared_ptr<const Plugins>& plugins, int body,
                 const std::vector<Pose>& path, bool overwrite = false);

// Joints and bodies follow the trajectory of a result, 60 frames a second.
void record_motion(const std::filesystem::path& file, const Scene& scene,
                   const std::map<std::string, double>& parameters,
                   const std::shared_ptr<const Plugins>& plugins, const RobotPassageQuery& query,
                   const RobotPassageResult& result, bool overwrite = false);

}  // namespace vinci
