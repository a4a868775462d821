// SPDX-License-Identifier: Apache-2.0
// Friction of materials and of pairs of them.
#include "vinci/scene/scene_friction.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace vinci {
namespace {

// Shapes with a material, body by body, each body once.
std::vector<int> bodies_with(const Model& model, int material) {
  std::vector<int> bodies;
  for (const PlacedShape& shape : model.shapes)
    if (shape.material == material && (bodies.empty() || bodies.back() != shape.body))
      bodies.push_back(shape.body);
  return bodies;
}

bool may_touch(const Model& model, int a, int b) {
  const auto& excluded = model.excluded_pairs;
  return a != b &&
         (model.bodies[a].freedom != Freedom::fixed || model.bodies[b].freedom != Freedom::fixed) &&
         !std::binary_search(excluded.begin(), excluded.end(),
                             std::pair<int, int>(std::minmax(a, b)));
}

bool is_plain(const FrictionTerm& term) {
  return !term.switches() && term.along.is_constant() && term.across.is_constant();
}

}  // namespace

std::optional<std::pair<int, int>> bodies_that_may_touch(const Model& model, std::size_t material_a,
                                                         std::size_t material_b) {
  for (const int one : bodies_with(model, static_cast<int>(material_a)))
    for (const int two : bodies_with(model, static_cast<int>(material_b)))
      if (may_touch(model, one, two)) return std::pair(one, two);
  return {};
}

void FrictionReader::read_directions(const Node& node, Expression& along, Expression& across) {
  if (node.is_map()) {
    along = numbers_.function(*node.find("along"));
    across = numbers_.function(*node.find("across"));
  } else {
    along = across = numbers_.function(node);
  }
}

FrictionReader::Material FrictionReader::read(const Node& node, FrictionFrame frame) {
  Material material{&node, {}, read_.number(node, "threshold-speed", 0.0), {}};
  material.term.frame = frame;
  FrictionTerm& term = material.term;
  const Node* friction = node.find("friction");
  if (friction) read_directions(*friction, term.along, term.across);
  if (friction && friction->is_map()) {
    const Vector3 axis = read_.vector(*friction->find("axis"));
    if (!(axis.norm() > 0.0))
      mistakes_.add(*friction->find("axis"), "is zero; accepted: an axis of any other length");
    else
      material.axis = FrictionAxis{axis.normalized(), frame};
  }
  term.kinetic_along = term.along;
  term.kinetic_across = term.across;
  const Node* kinetic = node.find("kinetic-friction");
  if (kinetic) read_directions(*kinetic, term.kinetic_along, term.kinetic_across);
  check(node, material);
  return material;
}

void FrictionReader::check(const Node& node, const Material& material) {
  const FrictionTerm& term = material.term;
  const Node* kinetic = node.find("kinetic-friction");
  const Node* threshold = node.find("threshold-speed");
  if (threshold && !kinetic)
    mistakes_.add(*threshold,
                  "what holds above this speed is missing; give `kinetic-friction` as well");
  if (kinetic && !node.has("friction"))
    mistakes_.add(*kinetic, "what holds at rest is missing; give `friction` as well");
  if (kinetic && kinetic->is_map() && !material.axis)
    mistakes_.add(*kinetic,
                  "`friction` beside it has no axis; accepted: a number, or `friction` as {along: "
                  "..., across: ..., axis: ...} too");
  // What can be told before the run.
  const auto value = [](const Expression& expression) {
    const double at_rest[friction_variable_count] = {};
    return expression.value(at_rest);
  };
  const auto known = [](const Expression& expression) {
    for (const auto place : {FrictionVariable::x, FrictionVariable::y, FrictionVariable::z})
      if (expression.uses(static_cast<std::size_t>(place))) return false;
    return true;
  };
  for (const auto& [key, expression] :
       {std::pair{"friction", &term.along}, std::pair{"friction", &term.across},
        std::pair{"kinetic-friction", &term.kinetic_along},
        std::pair{"kinetic-friction", &term.kinetic_across}}) {
    const Node* given = node.find(key);
    if (!given || !known(*expression)) continue;
    const double number = value(*expression);
    if (number >= 0.0 && std::isfinite(number)) continue;
    mistakes_.add(*given,
                  fmt::format("{} at rest and t = 0; accepted: 0 or more at all speeds", number));
    break;
  }
  const auto more = [&](const Expression& sliding, const Expression& resting) {
    return sliding.is_constant() && resting.is_constant() && value(sliding) > value(resting);
  };
  if (kinetic && node.has("friction") &&
      (more(term.kinetic_along, term.along) || more(term.kinetic_across, term.across)))
    mistakes_.add(*kinetic,
                  "is more than `friction`, which holds at rest; accepted: at most as much");
}

void FrictionReader::add_material(const Node* node) {
  materials_.push_back(node ? read(*node, FrictionFrame::world) : Material{});
}

Surface FrictionReader::surface(FrictionLaw law) const {
  if (law.axis && std::all_of(law.terms.begin(), law.terms.end(), [](const FrictionTerm& term) {
        return is_plain(term) && term.along.value({}) == term.across.value({});
      }))
    law.axis.reset();
  const bool plain = std::all_of(law.terms.begin(), law.terms.end(), is_plain) && !law.axis;
  Surface surface;
  surface.friction = law.at(0.0, {}).along;
  if (!std::isfinite(surface.friction)) surface.friction = 0.0;
  if (!plain) surface.law = std::make_shared<const FrictionLaw>(std::move(law));
  return surface;
}

Surface FrictionReader::combined(std::size_t a, std::size_t b) const {
  const Material& first = materials_[a];
  const Material& second = materials_[b];
  // One and the same number is its mean, to the last bit.
  if (is_plain(first.term) && is_plain(second.term) && !first.axis && !second.axis) {
    const double x = first.term.along.value({}), y = second.term.along.value({});
    Surface surface;
    surface.friction = x == y ? x : std::sqrt(x) * std::sqrt(y);
    return surface;
  }
  FrictionLaw law{{first.term, second.term}, std::max(first.threshold, second.threshold), {}};
  law.terms[0].frame = FrictionFrame::first;
  law.terms[1].frame = FrictionFrame::second;
  if (first.axis) law.axis = FrictionAxis{first.axis->direction, FrictionFrame::first};
  if (second.axis) law.axis = FrictionAxis{second.axis->direction, FrictionFrame::second};
  return surface(std::move(law));
}

void FrictionReader::read_pair(const Node& node, const Pair& pair, Surface& one, Surface& other) {
  const auto& [a, b] = pair;
  const Node* of = node.find("of");
  if (!node.has("friction")) {
    for (const char* key : {"kinetic-friction", "threshold-speed", "of"})
      if (const Node* alone = node.find(key))
        mistakes_.add(*alone, "stands without `friction`; give that of the pair as well");
    return;
  }
  FrictionFrame frame = FrictionFrame::world;
  if (of) {
    const Node& between = *node.find("between");
    const bool first = between.children[0].text == of->text;
    const bool second = between.children[1].text == of->text;
    if (first == second)
      mistakes_.add(*of, first
                             ? fmt::format("both materials are '{}'; give one of the bodies a "
                                           "material of its own, or leave `of` out for axes of "
                                           "the world",
                                           of->text)
                             : fmt::format("'{}' is none of the pair; accepted: {} or {}", of->text,
                                           between.children[0].text, between.children[1].text));
    frame = first ? FrictionFrame::first : FrictionFrame::second;
  }
  const Material material = read(node, frame);
  FrictionLaw law{{material.term}, material.threshold, material.axis};
  const double restitution = one.restitution;
  other = surface(law.turned());
  one = surface(std::move(law));
  one.restitution = other.restitution = restitution;
  said_.insert(std::minmax(a, b));
}

void FrictionReader::check_pairs(Model& model) {
  for (const Surface& surface : model.surfaces)
    model.friction_laws = model.friction_laws || surface.law != nullptr;
  for (std::size_t a = 0; a < materials_.size(); ++a)
    for (std::size_t b = a; b < materials_.size(); ++b) {
      if (!materials_[a].axis || !materials_[b].axis || said_.count({a, b}) > 0) continue;
      const auto found = bodies_that_may_touch(model, a, b);
      if (!found) continue;
      mistakes_.add(*materials_[b].node->find("friction"),
                    fmt::format("bodies '{}' and '{}' may touch, and both of their materials "
                                "have an axis; say in `surfaces` what friction '{}' and '{}' "
                                "have, as in {{between: [{}, {}], friction: ...}}",
                                model.bodies[static_cast<std::size_t>(found->first)].name,
                                model.bodies[static_cast<std::size_t>(found->second)].name,
                                materials_[a].node->key, materials_[b].node->key,
                                materials_[a].node->key, materials_[b].node->key));
      return;
    }
}

}  // namespace vinci
