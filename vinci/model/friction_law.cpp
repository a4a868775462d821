// SPDX-License-Identifier: Apache-2.0
// Coefficients of friction from their expressions.
#include "vinci/model/friction_law.h"

#include <array>
#include <cmath>
#include <limits>

namespace vinci {
namespace {

double checked(double coefficient) {
  return coefficient >= 0.0 && std::isfinite(coefficient)
             ? coefficient
             : std::numeric_limits<double>::quiet_NaN();
}

FrictionFrame turned_frame(FrictionFrame frame) {
  if (frame == FrictionFrame::world) return frame;
  return frame == FrictionFrame::first ? FrictionFrame::second : FrictionFrame::first;
}

const Vector3& place_in(const FrictionPlace& place, FrictionFrame frame) {
  if (frame == FrictionFrame::world) return place.world;
  return frame == FrictionFrame::first ? place.first : place.second;
}

}  // namespace

bool is_valid(const FrictionCoefficients& coefficients) {
  return coefficients.along >= 0.0 && coefficients.across >= 0.0;
}

bool FrictionTerm::uses(FrictionVariable variable) const {
  const auto index = static_cast<std::size_t>(variable);
  return along.uses(index) || across.uses(index) || kinetic_along.uses(index) ||
         kinetic_across.uses(index);
}

bool FrictionTerm::switches() const {
  const auto differs = [](const Expression& a, const Expression& b) {
    return !a.is_constant() || !b.is_constant() || a.value({}) != b.value({});
  };
  return differs(along, kinetic_along) || differs(across, kinetic_across);
}

bool FrictionLaw::depends_on_speed() const {
  for (const FrictionTerm& term : terms)
    if (term.switches() || term.uses(FrictionVariable::speed)) return true;
  return false;
}

FrictionCoefficients FrictionLaw::at(double speed, const FrictionPlace& place) const {
  const bool slides = speed > threshold;
  FrictionCoefficients found{1.0, 1.0};
  for (const FrictionTerm& term : terms) {
    const Vector3& point = place_in(place, term.frame);
    const std::array<double, friction_variable_count> values{place.time, point.x(), point.y(),
                                                             point.z(), speed};
    const double along = checked((slides ? term.kinetic_along : term.along).value(values));
    const double across = checked((slides ? term.kinetic_across : term.across).value(values));
    const bool alone = terms.size() == 1;
    found.along *= alone ? along : std::sqrt(along);
    found.across *= alone ? across : std::sqrt(across);
  }
  return found;
}

FrictionLaw FrictionLaw::turned() const {
  FrictionLaw law = *this;
  for (FrictionTerm& term : law.terms) term.frame = turned_frame(term.frame);
  if (law.axis) law.axis->frame = turned_frame(law.axis->frame);
  return law;
}

}  // namespace vinci
