// SPDX-License-Identifier: Apache-2.0
// What holds of every model text: it gives a robot or a RobotError; a robot has a root first and
// every link after its parent, finite poses, and a scene.
#pragma once

#include <cstdlib>
#include <set>
#include <string_view>

#include "vinci/robots/robot_file.h"
#include "vinci/scene/scene_robots.h"

namespace vinci {

inline void try_robot(std::string_view text) {
  try {
    const RobotDescription robot = parse_robot(text);
    if (robot.links.empty() || robot.joints.size() + 1 != robot.links.size()) std::abort();
    std::set<std::string> seen;
    bool has_meshes = false;
    for (const RobotLink& link : robot.links) {
      const RobotJoint* joint = robot.joint_above(link.name);
      if ((joint == nullptr) != seen.empty()) std::abort();
      if (joint && seen.count(joint->parent) == 0) std::abort();
      if (!seen.insert(link.name).second) std::abort();
      for (const RobotGeometry& shape : link.collisions)
        has_meshes |= shape.kind == RobotShapeKind::mesh;
    }
    for (const Pose& pose : poses_at_zero(robot))
      if (!pose.position.allFinite() || !pose.rotation.coeffs().allFinite()) std::abort();
    if (!has_meshes && robot_scene(robot).empty()) std::abort();
  } catch (const RobotError& error) {
    if (error.mistakes().empty()) std::abort();
  }
}

}  // namespace vinci
