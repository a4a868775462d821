// SPDX-License-Identifier: Apache-2.0
// `robots:` of a scene: model files become bodies, joints, couplings, exclusions and materials of
// the same scene, before it is checked.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vinci/robots/description.h"
#include "vinci/scene/yaml_tree.h"

namespace vinci {

struct RobotFolders {
  bool is_text = false;                        // a scene given as text reads no models
  std::vector<std::filesystem::path> folders;  // of the scene's files; the first is the scene
  std::vector<std::filesystem::path> allowed;
};

// What is told while robots are read.
struct RobotReport {
  std::function<void(const Node&, std::string)> mistake;  // at a node of the scene
  std::vector<std::string> notes;                         // warnings and what is left out
};

// Replaces the key `robots` of the tree by what it stands for; without it nothing happens. New
// nodes have the place of the robot.
void expand_robots(Node& root, const RobotFolders& folders, RobotReport& report);

// A whole scene of one robot, with the keys that `robots` would become. Throws Error.
std::string robot_scene(const RobotDescription& robot);

}  // namespace vinci
