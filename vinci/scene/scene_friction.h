// SPDX-License-Identifier: Apache-2.0
// What materials and pairs of them say of friction, as surfaces of the Model; private to scene/.
//
// A pair of materials has the geometric mean of their coefficients, along and across the axis of
// the one that has an axis, at rest and sliding, and the larger threshold speed. Two that both have
// an axis have no such mean: `surfaces` has to say what holds between them.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "vinci/model/friction_law.h"
#include "vinci/scene/scene_shapes.h"

namespace vinci {

// Two bodies with these materials that may touch, if there are any.
std::optional<std::pair<int, int>> bodies_that_may_touch(const Model& model, std::size_t material_a,
                                                         std::size_t material_b);

class FrictionReader {
 public:
  FrictionReader(const SceneData& scene, const Numbers& numbers, Mistakes& mistakes)
      : numbers_(numbers), mistakes_(mistakes), read_(scene, numbers) {}

  // In the order of the model's; null: without friction.
  void add_material(const Node* node);
  // Friction of the pair by its materials.
  Surface combined(std::size_t a, std::size_t b) const;
  // What an entry of `surfaces` says over that; `other` is the pair the other way round.
  using Pair = std::pair<std::size_t, std::size_t>;
  void read_pair(const Node& node, const Pair& pair, Surface& one, Surface& other);
  // Once all bodies are there: no two may touch whose friction nothing says.
  void check_pairs(Model& model);

 private:
  struct Material {
    const Node* node = nullptr;
    FrictionTerm term;
    double threshold = 0.0;
    std::optional<FrictionAxis> axis;
  };
  Material read(const Node& node, FrictionFrame frame);
  void read_directions(const Node& node, Expression& along, Expression& across);
  void check(const Node& node, const Material& material);
  Surface surface(FrictionLaw law) const;

  const Numbers& numbers_;
  Mistakes& mistakes_;
  ShapeReader read_;
  std::vector<Material> materials_;
  std::set<Pair> said_;  // by `surfaces`, the smaller one first
};

}  // namespace vinci
