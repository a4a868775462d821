// SPDX-License-Identifier: Apache-2.0
// A robot's description as nodes of a scene: bodies, joints, couplings, exclusions and materials,
// with names that begin with the robot's. Private to scene/.
//
// A link without mass that is fixed to another one is part of its body; so is a link with mass that
// is fixed to one without. `RobotBodies::placed` says where each link went.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vinci/geometry/mass.h"
#include "vinci/robots/description.h"
#include "vinci/scene/yaml_tree.h"

namespace vinci {

// Nodes by hand.
Node scalar_node(std::string key, std::string text);
Node number_node(std::string key, double value);
Node list_node(std::string key, std::vector<Node> children = {});
Node map_node(std::string key, std::vector<Node> children = {});
Node vector_node(std::string key, const Vector3& vector);
// {rpy: [...]} where it is a turn.
void add_rotation(Node& node, const Quaternion& rotation);
Node names_node(std::string key, const std::vector<std::string>& names);

// A name as scenes accept it: other characters than letters, digits, _, - and . become _.
std::string scene_name(const std::string& name);

struct LinkPlace {
  std::string body;  // its name in the scene
  Pose pose;         // of the link's frame in the body's
};

// What the writer of a scene chooses.
struct RobotChoices {
  std::string name;      // of the robot
  std::string material;  // of all shapes; "": as the model says
  bool exact_meshes = false;
  bool base_is_free = false;
  // Body that takes the root link if that has no mass; "": the root is a body of its own.
  LinkPlace carrier;
};

struct RobotNodes {
  std::vector<Node> bodies, joints, couplings, frames, materials, exclude;
  std::vector<Node> carried_shapes;                // of links that became part of the carrier,
  std::string carrier;                             // which is this body
  std::map<std::string, LinkPlace> placed;         // by link
  std::map<std::string, std::string> joint_names;  // of the scene, by joint; those that move
};

// Throws Error (a mesh that cannot be read).
RobotNodes robot_nodes(const RobotDescription& robot, const RobotChoices& choices);

// `position` and `rotation` of a body.
void add_pose(Node& body, const Pose& pose);
// The same for the bodies on floating joints, which have no joint in the scene; `base`: the pose of
// the root.
void place_floating_links(const RobotDescription& robot, const Pose& base, RobotNodes& nodes);

}  // namespace vinci
