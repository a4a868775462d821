// SPDX-License-Identifier: Apache-2.0
// Keys and values of stabilisation, and what pairs of materials have of it.
#include "vinci/scene/scene_stabilisation.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/scene/scene_friction.h"
#include "vinci/scene/scene_values.h"

namespace vinci {

void add_stabilisation_keys(SceneValue& value) {
  using namespace scene_values;
  const SceneValue spring = within("a number in 1/s², 0 or more", 0.0, infinity);
  SceneValue restitution = positive("");
  restitution.text = "a number above 0 and at most 1";
  restitution.upper = 1.0;
  value.keys.push_back({"damping", "α1 in 1/s of h'' + α1 h' + α0 h + α2 h³ + ... = 0.",
                        within("a number in 1/s, 0 or more", 0.0, infinity)});
  value.keys.push_back(
      {"stiffness", "α0 in 1/s², or the list [α0, α2, ...] of the factors of h, h³, h⁵, ...",
       either("a number in 1/s², 0 or more, or a list [α0, α2, ...] of the factors of h, h³, ...",
              {spring, list("a list of 1 to 8 numbers, 0 or more", spring, 1, 8)})});
  value.keys.push_back({"time-scale",
                        "T in s: h settles in a few of it, critically damped; with `restitution` "
                        "1/T is the natural frequency.",
                        within("a number in s, from 1e-6 to 1e3", 1e-6, 1e3)});
  value.keys.push_back({"restitution",
                        "Of the speed of touching, how much is left after the impact where no "
                        "other force acts; with `time-scale`.",
                        std::move(restitution)});
  value.together.push_back({"damping", "stiffness"});
  value.clashes.push_back({"stiffness", "time-scale"});
  value.clashes.push_back({"stiffness", "restitution"});
  value.clashes.push_back({"damping", "time-scale"});
  value.clashes.push_back({"damping", "restitution"});
}

std::optional<Stabilisation> read_stabilisation(const Node& map, const Numbers& numbers,
                                                Mistakes& mistakes) {
  const Node *stiffness = map.find("stiffness"), *scale = map.find("time-scale"),
             *restitution = map.find("restitution");
  if (restitution && !scale) {
    mistakes.add(*restitution, "`time-scale`, in which the impact happens, is missing beside it");
    return {};
  }
  try {
    if (restitution) return restituting(numbers(*restitution), numbers(*scale));
    if (scale) return settling_in(numbers(*scale));
    if (!stiffness) return {};
    Stabilisation result{numbers(*map.find("damping")), {}};
    if (stiffness->is_list())
      for (const Node& spring : stiffness->children) result.springs.push_back(numbers(spring));
    else
      result.springs.push_back(numbers(*stiffness));
    check(result);
    return result;
  } catch (const Error& error) {
    mistakes.add(stiffness ? *stiffness : restitution ? *restitution : *scale, error.message());
    return {};
  }
}

std::vector<SceneKey> impact_keys() {
  using namespace scene_values;
  SceneValue impact =
      map("{damping: a1, stiffness: a0}, {time-scale: T} or {restitution: e, time-scale: T}", {});
  add_stabilisation_keys(impact);
  return {{"impact",
           "How a contact that closes is driven to zero, for the stepper event-driven; that "
           "stepper's `time-scale` if not given.",
           std::move(impact)},
          {"rolls",
           "Whether bodies that touch never slide, whatever that takes, for the stepper "
           "event-driven.",
           choice({"true", "false"})}};
}

std::optional<Stabilisation> ImpactReader::read(const Node& impact) const {
  if (impact.children.empty())
    mistakes_.add(impact, "says nothing; accepted: " + impact_keys()[0].value.text);
  return read_stabilisation(impact, numbers_, mistakes_);
}

void ImpactReader::add_material(const Node* node) {
  Material material;
  if (node) {
    material.impact = node->find("impact");
    if (material.impact) material.stabilisation = read(*material.impact);
    const Node* rolls = node->find("rolls");
    material.rolls = rolls && rolls->text == "true";
  }
  materials_.push_back(std::move(material));
}

void ImpactReader::combine(std::size_t a, std::size_t b, Surface& surface) const {
  const Material &x = materials_[a], &y = materials_[b];
  surface.impact = x.stabilisation ? x.stabilisation : y.stabilisation;
  surface.never_slides = x.rolls || y.rolls;
}

void ImpactReader::read_pair(const Node& node, std::size_t a, std::size_t b, Surface& surface) {
  combine(a, b, surface);
  if (const Node* impact = node.find("impact")) {
    surface.impact = read(*impact);
    given_.push_back(std::minmax(a, b));
  }
  if (const Node* rolls = node.find("rolls")) surface.never_slides = rolls->text == "true";
}

void ImpactReader::check_pairs(const Model& model) {
  const auto differ = [](const Stabilisation& x, const Stabilisation& y) {
    return x.damping != y.damping || x.springs != y.springs;
  };
  for (std::size_t a = 0; a < materials_.size(); ++a)
    for (std::size_t b = a + 1; b < materials_.size(); ++b) {
      const Material &x = materials_[a], &y = materials_[b];
      if (!x.stabilisation || !y.stabilisation || !differ(*x.stabilisation, *y.stabilisation) ||
          std::find(given_.begin(), given_.end(), std::pair(a, b)) != given_.end())
        continue;
      const auto found = bodies_that_may_touch(model, a, b);
      if (!found) continue;
      const std::string &first = model.materials[a].name, &second = model.materials[b].name;
      mistakes_.add(*y.impact,
                    fmt::format("bodies '{}' and '{}' may touch, and their materials have impacts "
                                "of their own that differ; say in `surfaces` which '{}' and '{}' "
                                "have, as in {{between: [{}, {}], impact: ...}}",
                                model.bodies[static_cast<std::size_t>(found->first)].name,
                                model.bodies[static_cast<std::size_t>(found->second)].name, first,
                                second, first, second));
      return;
    }
}

}  // namespace vinci
