// SPDX-License-Identifier: Apache-2.0
// Numbers of the scene tree as vectors, rotations and shapes; private to scene/.
#pragma once

#include <map>
#include <string>

#include "vinci/scene/scene_data.h"

namespace vinci {

// The numbers fit the grammar, but nothing can be made of them.
struct Impossible {
  const Node* where;
  std::string message;
};

// Reads parts of a body; the tree is checked, so every key has its kind. Throws Impossible.
class ShapeReader {
 public:
  ShapeReader(const SceneData& scene, const Numbers& numbers) : scene_(scene), numbers_(numbers) {}

  double number(const Node& parent, const char* key, double fallback) const;
  Vector3 vector(const Node& list) const;                     // of two (z = 0) or three numbers
  Vector3 vector(const Node& parent, const char* key) const;  // zero if not given
  Quaternion rotation(const Node& parent) const;              // its `angle` or `rotation`
  Pose placement(const Node& parent) const;                   // `position` and rotation

  struct Result {
    Shape shape;
    Pose offset;  // in the body frame
  };
  Result shape(const Node& node);

 private:
  Quaternion spatial_rotation(const Node& node) const;
  Result capsule(const Node& node) const;
  Result half(const Node& node) const;
  Result polygon(const Node& node) const;
  Result polyhedron(const Node& node);
  Result mesh(const Node& node);
  Result height_field(const Node& node) const;
  Result superellipse(const Node& node) const;
  Result superquadric(const Node& node) const;
  Result implicit(const Node& node);
  Result make(const Node& node);

  const SceneData& scene_;
  const Numbers& numbers_;
  // Hulls made so far: bodies often share a mesh.
  std::map<std::pair<std::string, double>, Polyhedron> hulls_;
  // Likewise meshes that are scaled.
  std::map<std::pair<std::string, double>, Mesh> meshes_;
  // Likewise curves, by their functions and the points given inside.
  std::map<std::pair<std::string, std::vector<double>>, ImplicitCurve> curves_;
};

}  // namespace vinci
