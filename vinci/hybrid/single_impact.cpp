// SPDX-License-Identifier: Apache-2.0
// An impact as a motion of its own.
#include "vinci/hybrid/single_impact.h"

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

}  // namespace

Impact impact(const Stabilisation& stabilisation, double speed, double pressing) {
  check(stabilisation);
  if (!(speed > 0.0) || !std::isfinite(speed))
    throw Error(fmt::format("a speed of {}; accepted: a finite number above 0", speed));
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
