// SPDX-License-Identifier: Apache-2.0
// What materials and pairs of them say of moments at contacts, as part of the surfaces of the
// Model; private to scene/.
//
// A pair of materials has the larger rolling friction of the two, the larger torsional friction and
// the patch with the larger arm: the softer one of the two makes them. One with a patch and one
// with torsional friction contradict each other: `surfaces` has to say what holds between them.
#pragma once

#include <utility>

#include "vinci/scene/scene_shapes.h"

namespace vinci {

class MomentReader {
 public:
  MomentReader(const SceneData& scene, const Numbers& numbers, Mistakes& mistakes)
      : numbers_(numbers), mistakes_(mistakes), read_(scene, numbers) {}

  // In the order of the model's; null: without moments.
  void add_material(const Node* node);
  ContactMoments combined(std::size_t a, std::size_t b) const;
  // What an entry of `surfaces` says over that, key by key.
  void read_pair(const Node& node, ContactMoments& moments);
  // Once all pairs are read: none may have a patch and torsional friction.
  void check_pairs(const Model& model);

 private:
  struct Material {
    const Node* node = nullptr;
    ContactMoments moments;
  };
  double patch(const Node& node);  // r_t, m
  const Numbers& numbers_;
  Mistakes& mistakes_;
  ShapeReader read_;
  std::vector<Material> materials_;
};

}  // namespace vinci
