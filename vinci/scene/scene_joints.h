// SPDX-License-Identifier: Apache-2.0
// Joints and couplings of a scene: their keys, the model's joints, and where bodies that hang on
// joints begin.
#pragma once

#include "vinci/scene/scene_data.h"
#include "vinci/scene/scene_shapes.h"

namespace vinci {

inline constexpr std::size_t max_joints = 10000;

// The sections `joints` and `couplings`.
std::vector<SceneKey> joint_sections(World world);

class JointReader {
 public:
  JointReader(const SceneData& scene, const Numbers& numbers, Mistakes& mistakes, Model& model)
      : scene_(scene),
        numbers_(numbers),
        mistakes_(mistakes),
        model_(model),
        read_(scene, numbers) {}

  // `joints` and `couplings` are sections whose numbers are right, or null. The bodies have their
  // shapes and masses. False after a mistake.
  bool read(const Node* joints, const Node* couplings);
  // Velocities at the start, once velocities are numbered.
  void set_velocities();

 private:
  bool add(const Node& node);
  void read_frames(const Node& node, Joint& joint) const;
  void read_freedoms(const Node& node, Joint& joint) const;
  void read_limits(const Node& node, Joint& joint) const;
  void read_start(const Node& node, Joint& joint) const;
  Motor motor(const Node& node, const Joint& joint, std::size_t freedom) const;
  Pose& pose_of(int body);
  void find_order();
  int placed_by(std::size_t joint) const;
  void place_bodies();
  VectorX openings();
  void assemble();
  bool check_closed(const Node& joints);
  bool add_coupling(const Node& node);
  // Entry k of a key that has a number per freedom.
  const Node* entry(const Node& node, const char* key, const Joint& joint, std::size_t k) const;

  const SceneData& scene_;
  const Numbers& numbers_;
  Mistakes& mistakes_;
  Model& model_;
  ShapeReader read_;
  Pose world_;
  std::vector<char> given_;  // per joint: the scene says where it begins
  enum class Places : char { none, first, second };
  std::vector<Places> places_;  // per joint: which of its bodies it places
  std::vector<int> order_;      // of the joints that place bodies
};

}  // namespace vinci
