// SPDX-License-Identifier: Apache-2.0
// How constraints and contacts of event-driven motion are driven to zero, as scenes write it.
#pragma once

#include <optional>

#include "vinci/base/stabilisation.h"
#include "vinci/scene/scene_data.h"

namespace vinci {

// A map of the keys `damping` and `stiffness`, `time-scale`, and `restitution` with it; others may
// stand beside them.
void add_stabilisation_keys(SceneValue& map);
// None of them given: nothing. Nothing also after a mistake.
std::optional<Stabilisation> read_stabilisation(const Node& map, const Numbers& numbers,
                                                Mistakes& mistakes);

// `impact` and `rolls` of materials and of pairs of them.
std::vector<SceneKey> impact_keys();

// What pairs of materials have of both.
class ImpactReader {
 public:
  ImpactReader(const Numbers& numbers, Mistakes& mistakes)
      : numbers_(numbers), mistakes_(mistakes) {}

  void add_material(const Node* node);  // null: one that gives nothing
  void combine(std::size_t a, std::size_t b, Surface& surface) const;
  void read_pair(const Node& node, std::size_t a, std::size_t b, Surface& surface);
  // Materials that touch and give different values need one of their own.
  void check_pairs(const Model& model);

 private:
  struct Material {
    const Node* impact = nullptr;
    std::optional<Stabilisation> stabilisation;
    bool rolls = false;
  };
  std::optional<Stabilisation> read(const Node& impact) const;

  const Numbers& numbers_;
  Mistakes& mistakes_;
  std::vector<Material> materials_;
  std::vector<std::pair<std::size_t, std::size_t>> given_;  // pairs with an `impact` of their own
};

}  // namespace vinci
