// SPDX-License-Identifier: Apache-2.0
// One body of the scene tree as a Body of the Model; private to scene/.
#pragma once

#include "vinci/scene/scene_shapes.h"

namespace vinci {

class BodyReader {
 public:
  BodyReader(const SceneData& scene, const Numbers& numbers, Mistakes& mistakes, Model& model)
      : scene_(scene),
        numbers_(numbers),
        mistakes_(mistakes),
        model_(model),
        read_(scene, numbers) {}

  // Appends the body and its shapes; false if it has a mistake.
  bool add(const Node& node);
  // Stands bodies on others as their `pose` says, once all of them are there; false on a mistake.
  bool stand(const Node& bodies) const;

 private:
  // Parts of add(); each throws Impossible.
  void read_motion(const Node& node, Body& body) const;
  void read_force(const Node& node, Body& body) const;
  bool read_shapes(const Node& node, Body& body);
  void refuse_ground(const Node& node, const Body& body) const;
  void read_mass(const Node& node, Body& body) const;
  void read_placement(const Node& node, Body& body) const;
  void check_planar(const Node& node, const Body& body) const;

  MassProperties shapes_mass(const Node& node, const Body& body) const;
  Matrix3 given_inertia(const Node& node, bool is_physical) const;
  void stand(const Node& node, Body& body, const Node& support_node, const Body& support) const;
  void place_core(PlacedShape& placed) const;
  double lowest_point(const Body& body, const Quaternion& rotation) const;

  const SceneData& scene_;
  const Numbers& numbers_;
  Mistakes& mistakes_;
  Model& model_;
  ShapeReader read_;
};

}  // namespace vinci
