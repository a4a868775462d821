// SPDX-License-Identifier: Apache-2.0
// The slowest impact that leaves.
#include "vinci/events/impact_energy.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/expression_number.h"
#include "vinci/hybrid/single_impact.h"
#include "vinci/model/state.h"

namespace vinci {
namespace {

// Nothing where no impact gives energy.
ImpactGain worst_gain(const Stabilisation& stabilisation, double pressing) {
  ImpactGain worst;
  if (!(pressing > 0.0)) return worst;
  // From critical damping on h never gets above 0, and what presses gives nothing.
  const std::vector<double>& springs = stabilisation.springs;
  const bool linear =
      std::all_of(springs.begin() + 1, springs.end(), [](double c) { return c == 0.0; });
  if (linear && stabilisation.damping * stabilisation.damping >= 4.0 * springs[0]) return worst;
  // The rate at which h moves where the springs balance what presses, as a measure of speeds.
  double depth = 1.0;
  for (int i = 0; i < 200 && stabilisation.pull(depth) < pressing; ++i) depth *= 2.0;
  for (int i = 0; i < 200 && stabilisation.pull(depth) > pressing; ++i) depth *= 0.5;
  const double unit = std::sqrt(pressing * depth);
  // Slow impacts do not leave, and of those that do the slowest loses least to damping.
  double stays = 0.0, leaves = unit;
  for (int i = 0; i < 7 && !impact(stabilisation, leaves, pressing).leaves; ++i) {
    stays = leaves;
    leaves *= 2.0;
  }
  for (int i = 0; i < 8; ++i) {
    const double middle = 0.5 * (stays + leaves);
    (impact(stabilisation, middle, pressing).leaves ? leaves : stays) = middle;
  }
  const Impact slowest = impact(stabilisation, leaves, pressing);
  // What is less is rounding of the simulation.
  if (slowest.leaves && slowest.energy_gain > 1e-6 * unit * unit) {
    worst.gain = slowest.energy_gain;
    worst.speed = leaves;
  }
  return worst;
}

// h'' of bodies that fall from where the run begins, downwards > 0.
double weight_along(const Model& model, const CoordinateFunction& function) {
  const State start = initial_state(model);
  std::vector<Dual<double>> at;
  for (const CoordinateRead& read : function.reads) {
    Dual<double> number(read_coordinate(model, start, read));
    if (read.kind == CoordinateRead::Kind::body && read.coordinate < 3)
      number.slope = model.gravity[read.coordinate];
    at.push_back(number);
  }
  at.emplace_back(0.0);  // t
  return -evaluate<Dual<double>>(function.expression, at).slope;
}

// Whether two bodies that do not both stand still have these materials.
bool may_touch(const Model& model, std::size_t material_a, std::size_t material_b) {
  const auto has = [&](const PlacedShape& shape, std::size_t material) {
    return shape.material == static_cast<int>(material);
  };
  const auto stands = [&](int body) {
    return model.bodies[static_cast<std::size_t>(body)].freedom == Freedom::fixed;
  };
  for (const PlacedShape& a : model.shapes)
    if (has(a, material_a))
      for (const PlacedShape& b : model.shapes)
        if (has(b, material_b) && a.body != b.body && !(stands(a.body) && stands(b.body)))
          return true;
  return false;
}

}  // namespace

std::vector<ImpactGain> impact_gains(const Model& model, double time_scale) {
  std::vector<ImpactGain> gains;
  const auto add = [&](const std::string& what, const Stabilisation& stabilisation,
                       double pressing) {
    ImpactGain gain = worst_gain(stabilisation, pressing);
    gain.what = what;
    if (gain.gain > 0.0) gains.push_back(std::move(gain));
  };
  for (const UserConstraint& constraint : model.constraints)
    if (constraint.kind == UserConstraint::Kind::contact && constraint.stabilisation)
      add(fmt::format("constraint '{}'", constraint.name), *constraint.stabilisation,
          weight_along(model, constraint.function));
  for (std::size_t a = 0; a < model.materials.size(); ++a)
    for (std::size_t b = a; b < model.materials.size(); ++b) {
      const Surface& surface = model.surface(static_cast<int>(a), static_cast<int>(b));
      const bool rebounds = surface.impact || surface.restitution > 0.0;
      if (rebounds && may_touch(model, a, b))
        add(fmt::format("materials '{}' and '{}'", model.materials[a].name,
                        model.materials[b].name),
            surface.impact ? *surface.impact : restituting(surface.restitution, time_scale),
            model.gravity.norm());
    }
  return gains;
}

std::string text_of(const ImpactGain& gain) {
  return fmt::format(
      "{}: an impact at {:.3g} of h per s under gravity gains {:.3g} J per kg of "
      "inertia along h, since it is damped so little; more `damping` takes energy",
      gain.what, gain.speed, gain.gain);
}

}  // namespace vinci
