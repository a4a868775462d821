// SPDX-License-Identifier: Apache-2.0
// Anchors, and the numbers of all elements.
#include "vinci/model/element.h"

namespace vinci {

Vector3 anchor_point(const Anchor& anchor, std::span<const Pose> poses) {
  return anchor.body < 0 ? anchor.point
                         : poses[static_cast<std::size_t>(anchor.body)] * anchor.point;
}

Vector3 anchor_velocity(const Model& model, const Anchor& anchor, const State& state) {
  if (anchor.body < 0) return Vector3::Zero();
  const Vector3 arm =
      anchor_point(anchor, state.poses) - center_of_mass(model, state.poses, anchor.body);
  return body_twist(model, state.velocities, anchor.body).at(arm);
}

int element_width(const Model& model) {
  std::size_t width = 0;
  for (const auto& element : model.elements) width += element->columns().size();
  return static_cast<int>(width);
}

std::vector<std::string> element_columns(const Model& model) {
  std::vector<std::string> names;
  for (const auto& element : model.elements)
    for (const ElementColumn& column : element->columns())
      names.push_back(element->name() + "." + column.name + " [" + column.unit + "]");
  return names;
}

void read_elements(const Model& model, const State& state, VectorX& out) {
  out.resize(element_width(model));
  double* at = out.data();
  for (const auto& element : model.elements) {
    element->read(model, state, at);
    at += element->columns().size();
  }
}

}  // namespace vinci
