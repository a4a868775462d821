// SPDX-License-Identifier: Apache-2.0
// Coulomb friction with located transitions, against closed forms.
#include <functional>

#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

// A block on a floor z = 0 that may be tilted towards x: q = (x, z). A force acts along x.
class Block : public ConstrainedSystemOf<Block> {
 public:
  double mass = 2.0, tilt = 0.0;
  std::function<double(double)> force = [](double) { return 0.0; };
  explicit Block(double friction)
      : constraints_{{"floor", ConstraintKind::contact, {20.0, {100.0}}},
                     {"grip", ConstraintKind::friction, {20.0, {100.0}}}} {
    constraints_[1].with = 0;
    constraints_[1].coefficient = friction;
  }
  Constraint& grip() { return constraints_[1]; }
  int coordinate_count() const override { return 2; }
  int input_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto& a = frame.accelerations;
    frame.balance[0] = mass * a[0] - mass * g * std::sin(tilt) - frame.inputs[0] -
                       frame.multipliers[1] - force(frame.time);
    frame.balance[1] = mass * a[1] + mass * g * std::cos(tilt) - frame.multipliers[0];
    frame.gaps[0] = {frame.positions[1], frame.velocities[1], a[1]};
    frame.gaps[1] = {T(0.0), frame.velocities[0], a[0]};
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Friction, a_block_on_an_incline_sticks_below_the_angle_of_friction) {
  Block block(0.5);
  block.tilt = std::atan(0.49);
  HybridMotion motion(block, {}, VectorX::Zero(2), VectorX::Zero(2));
  EXPECT_EQ(motion.states()[1], sticks);
  motion.advance(5.0);
  EXPECT_EQ(motion.states()[1], sticks);
  EXPECT_TRUE(motion.events().empty());
  EXPECT_NEAR(motion.positions()[0], 0.0, 1e-12);
  EXPECT_NEAR(motion.multipliers()[1], -block.mass * g * std::sin(block.tilt), 1e-9);
}

TEST(Friction, a_block_on_an_incline_slides_above_the_angle_of_friction) {
  Block block(0.5);
  for (const double sign : {1.0, -1.0}) {
    block.tilt = sign * std::atan(0.51);
    HybridMotion motion(block, {}, VectorX::Zero(2), VectorX::Zero(2));
    EXPECT_EQ(motion.states()[1], slides);
    motion.advance(3.0);
    const double pull = g * (std::sin(std::abs(block.tilt)) - 0.5 * std::cos(block.tilt));
    EXPECT_TRUE(motion.events().empty());
    EXPECT_NEAR(motion.positions()[0], sign * 0.5 * pull * 9.0, 1e-8);
    EXPECT_NEAR(motion.velocities()[0], sign * pull * 3.0, 1e-8);
  }
}

TEST(Friction, a_sliding_block_stops_after_v_over_mu_g_and_then_sticks) {
  const Block block(0.3);
  for (const double v : {1.7, -1.7}) {
    HybridMotion motion(block, {1e-10}, VectorX::Zero(2), two(v, 0.0));
    motion.advance(2.0);
    ASSERT_EQ(motion.events().size(), 1u);
    const HybridEvent& stop = motion.events()[0];
    EXPECT_EQ(stop.constraint, 1);
    EXPECT_EQ(stop.from, slides);
    EXPECT_EQ(stop.to, sticks);
    EXPECT_NEAR(stop.time, std::abs(v) / (0.3 * g), 1e-9);
    EXPECT_NEAR(motion.positions()[0], v * std::abs(v) / (2.0 * 0.3 * g), 1e-9);
    EXPECT_NEAR(motion.velocities()[0], 0.0, 1e-12);
    EXPECT_NEAR(motion.multipliers()[1], 0.0, 1e-9);
  }
}

// Uphill, to rest, and down again where friction cannot hold it: one direction, then the other.
TEST(Friction, a_block_that_was_shoved_uphill_comes_back) {
  Block block(0.3);
  block.tilt = 0.5;
  HybridMotion motion(block, {1e-10}, VectorX::Zero(2), two(-2.0, 0.0));
  motion.advance(3.0);
  const double up = g * (std::sin(0.5) + 0.3 * std::cos(0.5));
  const double down = g * (std::sin(0.5) - 0.3 * std::cos(0.5));
  const double turn = 2.0 / up, top = -2.0 / up;
  ASSERT_GE(motion.events().size(), 1u);
  for (const HybridEvent& event : motion.events()) EXPECT_NEAR(event.time, turn, 1e-9);
  EXPECT_EQ(motion.events().back().to, slides);
  EXPECT_NEAR(motion.positions()[0], top + 0.5 * down * (3.0 - turn) * (3.0 - turn), 1e-8);
}

double zero_of(const std::function<double(double)>& f, double low, double high) {
  const bool rises = f(high) > 0.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) > 0.0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

TEST(Friction, under_a_force_that_swings_a_block_sticks_and_slips_when_it_must) {
  Block block(0.4);
  const double bound = 0.4 * block.mass * g, most = 1.2 * bound, omega = 3.0;
  block.force = [=](double t) { return most * std::sin(omega * t); };
  HybridMotion motion(block, {1e-10}, VectorX::Zero(2), VectorX::Zero(2));
  motion.advance(4.0);
  // Per half period: slips once the force exceeds the bound, and until the speed is 0 again.
  std::vector<std::pair<double, ContactState>> expected;
  const double begin = std::asin(bound / most) / omega;
  const double end = zero_of(
      [&](double t) {
        return most / omega * (std::cos(omega * begin) - std::cos(omega * t)) - bound * (t - begin);
      },
      std::numbers::pi / omega - begin, 2.0 * std::numbers::pi / omega);
  ASSERT_LT(end, std::numbers::pi / omega + begin);  // it sticks before it must slip back
  for (int half = 0; half < 8; ++half)
    for (const auto& [time, state] : {std::pair(begin, slides), std::pair(end, sticks)})
      if (const double at = time + half * std::numbers::pi / omega; at < 4.0)
        expected.emplace_back(at, state);
  ASSERT_EQ(motion.events().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(motion.events()[i].to, expected[i].second);
    EXPECT_NEAR(motion.events()[i].time, expected[i].first, 2e-9) << i;
  }
}

TEST(Friction, what_never_slides_is_held_beyond_its_bound) {
  Block block(0.1);
  block.grip().never_slides = true;
  block.force = [](double t) { return 100.0 * t; };
  HybridMotion motion(block, {}, VectorX::Zero(2), VectorX::Zero(2));
  motion.advance(2.0);
  EXPECT_TRUE(motion.events().empty());
  EXPECT_NEAR(motion.positions()[0], 0.0, 1e-12);
  EXPECT_NEAR(motion.multipliers()[1], -200.0, 1e-8);
}

TEST(Friction, a_bound_of_its_own_holds_without_a_contact) {
  Block block(0.0);
  block.grip().with = -1;
  block.grip().bound = 5.0;
  block.force = [](double t) { return 10.0 * t; };
  HybridMotion motion(block, {1e-10}, VectorX::Zero(2), VectorX::Zero(2));
  motion.advance(1.5);
  ASSERT_EQ(motion.events().size(), 1u);
  EXPECT_NEAR(motion.events()[0].time, 0.5, 1e-9);
  EXPECT_NEAR(motion.velocities()[0], 0.5 * 10.0 * 1.0 / block.mass, 1e-8);
}

TEST(Friction, without_normal_force_nothing_chatters) {
  Block block(0.5);  // falls beside its floor, which pushes on nothing: λ = 0 in the air
  HybridMotion motion(block, {}, two(0.0, 1.0), two(1.0, 0.0));
  motion.advance(0.4);
  EXPECT_EQ(motion.states()[1], free_state);
  EXPECT_TRUE(motion.events().empty());
  // In contact without a coefficient: it slides for ever.
  const Block smooth(0.0);
  HybridMotion slip(smooth, {}, VectorX::Zero(2), two(1.0, 0.0));
  slip.advance(2.0);
  EXPECT_TRUE(slip.events().empty());
  EXPECT_NEAR(slip.positions()[0], 2.0, 1e-9);
  // At rest nothing asks for a force: it sticks; under a force it slides.
  Block pushed(0.0);
  pushed.force = [](double t) { return std::sin(t); };
  HybridMotion other(pushed, {}, VectorX::Zero(2), VectorX::Zero(2));
  other.advance(20.0);
  EXPECT_LE(other.events().size(), 8u);
  EXPECT_NEAR(other.velocities()[0], (1.0 - std::cos(20.0)) / pushed.mass, 1e-7);
}

// A puck on a plane that may be tilted towards x: q = (x, y, z).
class Puck : public ConstrainedSystemOf<Puck> {
 public:
  double mass = 0.5, tilt = 0.0;
  explicit Puck(double friction)
      : constraints_{{"floor", ConstraintKind::contact, {20.0, {100.0}}},
                     {"grip", ConstraintKind::friction, {20.0, {100.0}}},
                     {"grip, second", ConstraintKind::friction, {20.0, {100.0}}}} {
    for (const int i : {1, 2}) {
      constraints_[i].with = 0;
      constraints_[i].coefficient = friction;
    }
    constraints_[2].second = true;
  }
  int coordinate_count() const override { return 3; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto& a = frame.accelerations;
    const double weight = mass * g;
    frame.balance[0] = mass * a[0] - weight * std::sin(tilt) - frame.multipliers[1];
    frame.balance[1] = mass * a[1] - frame.multipliers[2];
    frame.balance[2] = mass * a[2] + weight * std::cos(tilt) - frame.multipliers[0];
    frame.gaps[0] = {frame.positions[2], frame.velocities[2], a[2]};
    for (const int i : {0, 1}) frame.gaps[1 + i] = {T(0.0), frame.velocities[i], a[i]};
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Friction, a_puck_slides_straight_to_rest) {
  const Puck puck(0.25);
  VectorX v(3);
  v << 1.2, -0.9, 0.0;
  HybridMotion motion(puck, {1e-10}, VectorX::Zero(3), v);
  motion.advance(0.3);
  const double left = 1.5 - 0.25 * g * 0.3;
  EXPECT_NEAR(motion.velocities()[0], 0.8 * left, 1e-9);
  EXPECT_NEAR(motion.velocities()[1], -0.6 * left, 1e-9);
  EXPECT_NEAR(motion.multipliers().tail(2).norm(), 0.25 * puck.mass * g, 1e-9);
  motion.advance(2.0);
  ASSERT_EQ(motion.events().size(), 1u);
  EXPECT_EQ(motion.states()[1], sticks);
  EXPECT_EQ(motion.states()[2], sticks);
  EXPECT_NEAR(motion.events()[0].time, 1.5 / (0.25 * g), 1e-9);
  const double distance = 1.5 * 1.5 / (2.0 * 0.25 * g);
  EXPECT_NEAR(motion.positions()[0], 0.8 * distance, 1e-9);
  EXPECT_NEAR(motion.positions()[1], -0.6 * distance, 1e-9);
}

// With s the speed, φ the angle from the fall line and k = μ / tan(tilt) the closed form of a block
// on an incline is s sin φ = C tan(φ / 2)^k.
TEST(Friction, a_puck_on_a_tilted_plane_slides_on_the_curve_of_the_closed_form) {
  for (const double friction : {0.2, 0.3}) {
    Puck puck(friction);
    puck.tilt = 0.25;
    const double k = friction / std::tan(puck.tilt);
    VectorX v = VectorX::Zero(3);
    v[1] = 1.0;
    HybridMotion motion(puck, {1e-10}, VectorX::Zero(3), v);
    for (int i = 1; i <= 10; ++i) {
      motion.advance(0.03 * i);
      ASSERT_EQ(motion.states()[1], slides);
      const double speed = motion.velocities().head(2).norm();
      const double phi = std::atan2(motion.velocities()[1], motion.velocities()[0]);
      EXPECT_NEAR(speed * std::sin(phi), std::pow(std::tan(0.5 * phi), k), 1e-8) << i;
    }
    // Beyond the angle of friction it comes to rest, after a time that is finite.
    motion.advance(4.0);
    EXPECT_EQ(motion.states()[1], k > 1.0 ? sticks : slides);
  }
}

TEST(Friction, a_puck_that_is_tilted_too_far_starts_down_the_slope) {
  Puck puck(0.2);
  puck.tilt = 0.4;
  HybridMotion motion(puck, {1e-10}, VectorX::Zero(3), VectorX::Zero(3));
  EXPECT_EQ(motion.states()[1], slides);
  motion.advance(1.0);
  const double pull = g * (std::sin(0.4) - 0.2 * std::cos(0.4));
  EXPECT_NEAR(motion.velocities()[0], pull, 1e-8);
  EXPECT_NEAR(motion.velocities()[1], 0.0, 1e-12);
}

// A ball of radius r on a floor: q = (x, z, angle); its lowest point slips with x' − r angle'.
class Ball : public ConstrainedSystemOf<Ball> {
 public:
  double mass = 1.5, radius = 0.1;
  explicit Ball(double friction, double damping = 20.0)
      : constraints_{{"floor", ConstraintKind::contact, {damping, {100.0}}},
                     {"grip", ConstraintKind::friction, {20.0, {100.0}}}} {
    constraints_[1].with = 0;
    constraints_[1].coefficient = friction;
  }
  int coordinate_count() const override { return 3; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto &a = frame.accelerations, &v = frame.velocities;
    frame.balance[0] = mass * a[0] - frame.multipliers[1];
    frame.balance[1] = mass * a[1] + mass * g - frame.multipliers[0];
    frame.balance[2] = 0.4 * mass * radius * radius * a[2] + radius * frame.multipliers[1];
    frame.gaps[0] = {frame.positions[1], v[1], a[1]};
    frame.gaps[1] = {T(0.0), v[0] - radius * v[2], a[0] - radius * a[2]};
  }
  double energy(const HybridMotion& motion) const {
    const VectorX &q = motion.positions(), &v = motion.velocities();
    return 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + 0.4 * radius * radius * v[2] * v[2]) +
           mass * g * q[1];
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Friction, a_ball_slips_and_then_rolls_with_five_sevenths_of_its_speed) {
  const Ball ball(0.2);
  VectorX v = VectorX::Zero(3);
  v[0] = 3.0;
  HybridMotion motion(ball, {1e-10}, VectorX::Zero(3), v);
  motion.advance(2.0);
  ASSERT_EQ(motion.events().size(), 1u);
  EXPECT_EQ(motion.events()[0].to, sticks);
  EXPECT_NEAR(motion.events()[0].time, 2.0 * 3.0 / (7.0 * 0.2 * g), 1e-9);
  EXPECT_NEAR(motion.velocities()[0], 15.0 / 7.0, 1e-9);
  EXPECT_NEAR(motion.velocities()[2], 150.0 / 7.0, 1e-8);
}

// The impulse of friction is μ times that of the floor while the ball slips through an impact.
TEST(Friction, an_impact_rubs_with_the_force_of_the_impact) {
  const Ball ball(0.1);
  VectorX q = VectorX::Zero(3), v = VectorX::Zero(3);
  q[1] = 0.05, v[0] = 5.0;
  HybridMotion motion(ball, {1e-10}, q, v);
  motion.advance(0.6);
  ASSERT_EQ(motion.states()[1], slides);
  EXPECT_GT(motion.impulses()[0], ball.mass * std::sqrt(2.0 * g * 0.05));
  EXPECT_NEAR(motion.impulses()[1], -0.1 * motion.impulses()[0], 1e-8);
  EXPECT_NEAR(motion.velocities()[0], 5.0 - 0.1 * motion.impulses()[0] / ball.mass, 1e-8);
}

// Friction only takes energy, and so does a whole impact where α₁² >= 4 α₀ (see
// docs/theory/event_driven.md); while it lasts the floor lifts the ball to h = 0 again.
TEST(Friction, spinning_balls_that_bounce_gain_no_energy) {
  for (const double damping : {20.0, 40.0})
    for (const double spin : {-40.0, 0.0, 25.0}) {
      const Ball ball(0.3, damping);
      VectorX q = VectorX::Zero(3), v = VectorX::Zero(3);
      q[1] = 0.4, v[0] = 1.0, v[2] = spin;
      HybridMotion motion(ball, {1e-9}, q, v);
      double before = ball.energy(motion);
      const double first = before;
      for (int i = 1; i <= 300; ++i) {
        motion.advance(0.01 * i);
        const double now = ball.energy(motion);
        if (motion.states()[0] != in_contact || std::abs(motion.positions()[1]) < 1e-8) {
          EXPECT_LE(now, before + 1e-6 * first) << damping << ' ' << spin << ' ' << i;
          before = now;
        }
        EXPECT_GE(motion.multipliers()[0], 0.0);
        EXPECT_LE(std::abs(motion.multipliers()[1]),
                  0.3 * motion.multipliers()[0] * (1.0 + 1e-9) + 1e-12);
      }
      EXPECT_EQ(motion.states()[1], sticks);
      EXPECT_NEAR(motion.velocities()[0], 0.1 * motion.velocities()[2], 1e-9);
    }
}

}  // namespace
}  // namespace vinci
