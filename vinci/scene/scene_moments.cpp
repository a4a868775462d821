// SPDX-License-Identifier: Apache-2.0
// Moments of materials and of pairs of them.
#include "vinci/scene/scene_moments.h"

#include <algorithm>

#include <fmt/format.h>

namespace vinci {

// The arm of a round patch: its radius times that of its pressure.
double MomentReader::patch(const Node& node) {
  const double radius = read_.number(node, "radius", 0.0);
  const Node* pressure = node.find("pressure");
  if (!pressure) return uniform_friction_radius * radius;
  if (!pressure->is_list())
    return radius * (pressure->text == "ring"    ? ring_friction_radius
                     : pressure->text == "hertz" ? hertz_friction_radius
                                                 : uniform_friction_radius);
  std::vector<double> numbers;
  double sum = 0.0;
  for (const Node& number : pressure->children) sum += numbers.emplace_back(numbers_(number));
  if (!(sum > 0.0)) {
    mistakes_.add(*pressure, "no pressure is above 0; accepted: one or more above 0");
    return 0.0;
  }
  return radius * friction_radius(numbers);
}

void MomentReader::read_pair(const Node& node, ContactMoments& moments) {
  const Node* torsion = node.find("torsional-friction");
  const Node* round = node.find("patch");
  moments.rolling = read_.number(node, "rolling-friction", moments.rolling);
  if (torsion && round)
    mistakes_.add(*torsion,
                  "`patch` beside it says what moment there is about the normal, too; accepted: "
                  "one of the two");
  if (torsion) {
    moments.torsion = read_.number(node, "torsional-friction", 0.0);
    moments.radius = 0.0;
  }
  if (round) {
    moments.radius = patch(*round);
    moments.torsion = 0.0;
  }
}

void MomentReader::add_material(const Node* node) {
  materials_.push_back({node, {}});
  if (node) read_pair(*node, materials_.back().moments);
}

ContactMoments MomentReader::combined(std::size_t a, std::size_t b) const {
  const ContactMoments &x = materials_[a].moments, &y = materials_[b].moments;
  return {std::max(x.rolling, y.rolling), std::max(x.torsion, y.torsion),
          std::max(x.radius, y.radius)};
}

void MomentReader::check_pairs(const Model& model) {
  for (std::size_t a = 0; a < materials_.size(); ++a)
    for (std::size_t b = a + 1; b < materials_.size(); ++b) {
      const ContactMoments& moments =
          model.surface(static_cast<int>(a), static_cast<int>(b)).moments;
      if (!(moments.torsion > 0.0 && moments.radius > 0.0)) continue;
      const Material& other = materials_[materials_[a].moments.radius > 0.0 ? a : b];
      mistakes_.add(
          *other.node->find("patch"),
          fmt::format("'{}' has a patch and '{}' torsional friction; say in `surfaces` "
                      "which of the two they have together, as in {{between: [{}, {}], "
                      "patch: ...}}",
                      other.node->key, materials_[&other == &materials_[a] ? b : a].node->key,
                      materials_[a].node->key, materials_[b].node->key));
    }
}

}  // namespace vinci
