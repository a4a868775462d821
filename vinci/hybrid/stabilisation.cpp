// SPDX-License-Identifier: Apache-2.0
// The map from damping to restitution, its inverse by bisection, and single impacts.
#include "vinci/hybrid/stabilisation.h"

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/hybrid_motion.h"

namespace vinci {
namespace {

// A unit mass on a line: x'' = λ − pressing, h = x.
class OneMass : public ConstrainedSystemOf<OneMass> {
 public:
  OneMass(const Stabilisation& stabilisation, double pressing)
      : constraints_{{"impact", ConstraintKind::contact, stabilisation}}, pressing_(pressing) {}
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    frame.balance[0] = frame.accelerations[0] + pressing_ - frame.multipliers[0];
    frame.gaps[0] = {frame.positions[0], frame.velocities[0], frame.accelerations[0]};
  }

 private:
  std::vector<Constraint> constraints_;
  double pressing_;
};

void check_positive(double number, const char* what) {
  if (!(number > 0.0) || !std::isfinite(number))
    throw Error(fmt::format("{} of {}; accepted: a finite number above 0", what, number));
}

}  // namespace

void check(const Stabilisation& stabilisation) {
  if (!(stabilisation.damping >= 0.0) || !std::isfinite(stabilisation.damping))
    throw Error(
        fmt::format("a stabilisation with the damping {}; accepted: a finite number, not "
                    "negative",
                    stabilisation.damping));
  bool pulls = false;
  for (const double coefficient : stabilisation.springs) {
    if (!(coefficient >= 0.0) || !std::isfinite(coefficient))
      throw Error(
          fmt::format("a stabilisation with the spring {}; accepted: finite numbers, none "
                      "negative",
                      coefficient));
    pulls |= coefficient > 0.0;
  }
  if (!pulls)
    throw Error(
        "a stabilisation without a spring never comes back to zero; accepted: at least one "
        "spring above 0");
}

Stabilisation settling_in(double time_scale) {
  check_positive(time_scale, "a time scale");
  return {2.0 / time_scale, {1.0 / (time_scale * time_scale)}};
}

double restitution(double damping_ratio) {
  const double d = damping_ratio;
  const double rest = (1.0 - d) * (1.0 + d);
  // acos(2 D² − 1)/√(1 − D²) = 2 acos(D)/√(1 − D²) is smooth through D = 1, where it is 2.
  if (std::abs(rest) < 1e-8) return std::exp(-d * (2.0 + (1.0 - d) * 2.0 / 3.0));
  if (rest > 0.0) return std::exp(-2.0 * d * std::acos(d) / std::sqrt(rest));
  const double root = std::sqrt(-rest);
  return std::exp(-2.0 * d * std::log(d + root) / root);
}

Stabilisation restituting(double asked, double time_scale) {
  check_positive(time_scale, "a time scale");
  if (!(asked > 0.0) || !(asked <= 1.0))
    throw Error(
        fmt::format("a restitution of {}; accepted: above 0 and at most 1. What does not "
                    "bounce has a time scale alone",
                    asked));
  // e falls with D, slowly for large ones.
  double low = 0.0, high = 1.0;
  while (restitution(high) > asked) {
    high *= 2.0;
    if (high > 1e12)
      throw Error(
          fmt::format("a restitution of {} needs more damping than numbers can hold; "
                      "accepted: 1e-24 or more",
                      asked));
  }
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (restitution(middle) > asked ? low : high) = middle;
  }
  return {2.0 * low / time_scale, {1.0 / (time_scale * time_scale)}};
}

Impact impact(const Stabilisation& stabilisation, double speed, double pressing) {
  check(stabilisation);
  check_positive(speed, "a speed");
  const OneMass mass(stabilisation, pressing);
  HybridMotion motion(mass, {}, VectorX::Zero(1), VectorX::Constant(1, -speed));
  // The slowest that the linear part, or a stronger power at the depth of the impact, does.
  double rate = 0.0;
  double power = 1.0;
  for (const double coefficient : stabilisation.springs) {
    rate = std::max(rate, std::pow(coefficient * power, 1.0 / (power > 1.0 ? 4.0 : 2.0)));
    power *= speed * speed;
  }
  const double patience = 20.0 / rate + 20.0 * stabilisation.damping / (rate * rate);
  Impact result;
  for (int part = 1; part <= 40 && motion.states()[0] == ContactState::contact; ++part)
    motion.advance(patience * part / 40.0);
  if (motion.states()[0] == ContactState::contact) return result;
  const HybridEvent& end = motion.events().front();
  result.leaves = true;
  result.speed = end.velocities[0];
  result.height = end.positions[0];
  result.duration = end.time;
  result.energy_gain =
      0.5 * (result.speed * result.speed - speed * speed) + pressing * result.height;
  return result;
}

}  // namespace vinci
