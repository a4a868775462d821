// SPDX-License-Identifier: Apache-2.0
// Friction that draws a contact in, or turns with it.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"

namespace vinci {
namespace {

// A uniform rod of mass 1 and half length 1 that leans to the right over its lower left end, which
// touches y = 0: with tan θ = 2 S = [[1.6, −1.2], [−1.2, 3.4]] of gap and slip there.
class Rod : public ConstrainedSystemOf<Rod> {
 public:
  explicit Rod(double friction)
      : constraints_{{"end", ConstraintKind::contact, settling_in(2e-3)},
                     {"end friction", ConstraintKind::friction, settling_in(2e-3), 0, friction}} {}
  int coordinate_count() const override { return 3; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    Series<T> q[3];
    for (int i = 0; i < 3; ++i)
      q[i] = {frame.positions[i], frame.velocities[i], frame.accelerations[i]};
    frame.gaps[0] = q[1] - sin(q[2]);
    frame.gaps[1] = q[0] - cos(q[2]);
    using std::cos;
    using std::sin;
    const T c = cos(frame.positions[2]), s = sin(frame.positions[2]);
    const T &push = frame.multipliers[0], &rub = frame.multipliers[1];
    const auto& a = frame.accelerations;
    frame.balance[0] = a[0] - rub;
    frame.balance[1] = a[1] + g - push;
    frame.balance[2] = a[2] / 3.0 + c * push - s * rub;
  }

 private:
  std::vector<Constraint> constraints_;
};

// S_nn + μ S_nt = 1.6 − 1.2 μ is negative beyond μ = 4/3: sliding to the left the end is drawn in,
// flying it falls through. P_t = u / (3.4 − 1.2²/1.6) = 0.4 u and P_n = 0.3 u bring its slip u to
// rest and leave its gap's rate.
TEST(Jamming, a_rod_in_painleves_paradox_is_stopped_by_an_impulse) {
  const Rod rod(2.0);
  const double angle = std::atan(2.0), slip = 0.5, fall = 0.2;
  VectorX place(3), speed(3);
  place << 0.0, std::sin(angle) + 1e-3, angle;
  speed << -slip, -fall, 0.0;
  HybridMotion motion(rod, {1e-9}, place, speed);
  motion.advance(0.02);
  const double touch = (std::sqrt(fall * fall + 2.0 * g * 1e-3) - fall) / g;
  const HybridEvent* stopped = nullptr;
  for (const HybridEvent& event : motion.events())
    if (event.constraint == 1 && event.to == sticks && !stopped) stopped = &event;
  ASSERT_NE(stopped, nullptr);
  EXPECT_NEAR(stopped->time, touch, 1e-8);
  EXPECT_NEAR(stopped->velocities[0], -slip + 0.4 * slip, 1e-8);
  EXPECT_NEAR(stopped->velocities[1], -fall - g * touch + 0.3 * slip, 1e-8);
  EXPECT_NEAR(stopped->velocities[2], 3.0 * (std::sin(angle) * 0.4 - std::cos(angle) * 0.3) * slip,
              1e-8);
  EXPECT_GE(motion.impulses()[0], 0.3 * slip);
  const auto energy = [](const VectorX& v) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 3.0;
  };
  VectorX before = speed;
  before[1] -= g * touch;
  EXPECT_LT(energy(stopped->velocities), energy(before));
}

TEST(Jamming, a_rod_with_less_friction_slides_on) {
  const Rod rod(1.0);
  const double angle = std::atan(2.0);
  VectorX place(3), speed(3);
  place << 0.0, std::sin(angle) + 1e-3, angle;
  speed << -0.5, -0.2, 0.0;
  HybridMotion motion(rod, {1e-9}, place, speed);
  motion.advance(0.0046);  // it touches after 4.5 ms
  for (const HybridEvent& event : motion.events()) EXPECT_NE(event.to, sticks);
}

// A unit mass on a line under a unit weight: h = x, and friction with a bound of its own along it.
class Plunger : public ConstrainedSystemOf<Plunger> {
 public:
  Plunger(const Stabilisation& law, double bound)
      : constraints_{{"seat", ConstraintKind::contact, law},
                     {"rub", ConstraintKind::friction, settling_in(5e-3), -1, 0.0, bound}} {}
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = a + 1.0 - frame.multipliers[0] - frame.multipliers[1];
    frame.gaps[0] = {x, v, a};
    frame.gaps[1] = {x, v, a};
  }

 private:
  std::vector<Constraint> constraints_;
};

// x of the law without other forces: damping ratio D, natural frequency ω, from x = 0 at −v.
double impact_way(double D, double omega, double v, double t) {
  const double damped = omega * std::sqrt(1.0 - D * D);
  return -v / damped * std::exp(-D * omega * t) * std::sin(damped * t);
}

// At the deepest place the slip is at rest with the contact: friction turns, and does not hold,
// what the contact pushes back.
TEST(Jamming, friction_that_comes_to_rest_with_its_impact_turns_and_the_contact_goes_on) {
  constexpr double D = 0.3, omega = 100.0, v = 0.5;
  const Plunger plunger({2.0 * D * omega, {omega * omega}}, 2.0);
  HybridMotion motion(plunger, {1e-9}, VectorX::Zero(1), VectorX::Constant(1, -v));
  const double turn = std::acos(D) / (omega * std::sqrt(1.0 - D * D));
  for (const double share : {0.5, 1.1, 1.2}) {
    motion.advance(share * turn);
    EXPECT_NEAR(motion.positions()[0], impact_way(D, omega, v, share * turn), 1e-8) << share;
    EXPECT_EQ(motion.states()[0], in_contact);
  }
  EXPECT_LE(motion.events().size(), 4u);
}

}  // namespace
}  // namespace vinci
