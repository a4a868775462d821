// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/scene_motors.h"

#include "vinci/base/error.h"
#include "vinci/scene/robot_nodes.h"
#include "vinci/scene/yaml_tree.h"

namespace vinci {

Scene with_servos(const Scene& scene, const std::map<std::string, VelocityServo>& servos) {
  // The source of a scene stands for itself, with robots as joints: it reads back without mistakes.
  std::vector<Diagnostic> mistakes;
  Node root = read_yaml(scene.source(), 0, mistakes);
  if (!mistakes.empty()) throw SceneError(std::move(mistakes));
  Node* joints = root.find("joints");
  for (const auto& [name, servo] : servos) {
    Node* joint = joints ? joints->find(name) : nullptr;
    if (!joint) throw Error("there is no joint '" + name + "'", "joints");
    std::erase_if(joint->children, [](const Node& child) { return child.key == "motor"; });
    joint->children.push_back(map_node(
        "motor", {number_node("velocity", servo.velocity), number_node("damping", servo.damping),
                  number_node("limit", servo.limit)}));
  }
  return Scene::parse(write_yaml(root), scene.title().empty() ? "scene" : scene.title());
}

}  // namespace vinci
