// SPDX-License-Identifier: Apache-2.0
// Friction whose slip cannot move, in one of its directions or in both: it has no force there, asks
// for nothing, and leaves no force open. What slips there since others carry it slides.
#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"

namespace vinci {
namespace {

// A block on a rail z = 0, q = (x, z), pushed along x. Its slip is turned by `angle` in the plane
// of the floor, so that neither direction of friction is along the rail, and the floor runs across
// the rail with the speed `drive` t.
class OnRail : public ConstrainedSystemOf<OnRail> {
 public:
  double mass = 2.0, angle = 0.7, drive = 0.0, run = 0.0, share = 1.0;
  explicit OnRail(double friction)
      : constraints_{{"floor", ConstraintKind::contact, {20.0, {100.0}}},
                     {"grip 1", ConstraintKind::friction, {20.0, {100.0}}},
                     {"grip 2", ConstraintKind::friction, {20.0, {100.0}}}} {
    for (int i : {1, 2}) {
      constraints_[static_cast<std::size_t>(i)].with = 0;
      constraints_[static_cast<std::size_t>(i)].coefficient = friction;
    }
    constraints_[2].second = true;
  }
  int coordinate_count() const override { return 2; }
  int input_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto &v = frame.velocities, &a = frame.accelerations, &force = frame.multipliers;
    const double c = std::cos(angle), s = std::sin(angle);
    frame.balance[0] = mass * a[0] - frame.inputs[0] - share * (c * force[1] + s * force[2]);
    frame.balance[1] = mass * a[1] + mass * g - force[0];
    frame.gaps[0] = {frame.positions[1], v[1], a[1]};
    const double across = run + drive * frame.time;
    frame.gaps[1] = {T(0.0), share * c * v[0] + s * across, share * c * a[0] + s * drive};
    frame.gaps[2] = {T(0.0), share * s * v[0] - c * across, share * s * a[0] - c * drive};
  }

 private:
  std::vector<Constraint> constraints_;
};

double size(const HybridMotion& motion) {
  return std::hypot(motion.multipliers()[1], motion.multipliers()[2]);
}

TEST(ImmovableSlip, friction_holds_along_the_rail_alone_and_as_far_as_its_bound) {
  const OnRail block(0.3);
  const double bound = 0.3 * block.mass * g;
  for (const double push : {0.99 * bound, 1.01 * bound}) {
    HybridMotion motion(block, {}, VectorX::Zero(2), VectorX::Zero(2));
    motion.set_inputs(VectorX::Constant(1, push));
    EXPECT_EQ(motion.states()[1], push < bound ? sticks : slides);
    EXPECT_NEAR(size(motion), std::min(push, bound), 1e-9);
    EXPECT_NEAR(motion.multipliers()[1] * std::sin(block.angle),
                motion.multipliers()[2] * std::cos(block.angle), 1e-9);
    motion.advance(1.0);
    EXPECT_NEAR(motion.positions()[0], push < bound ? 0.0 : 0.5 * (push - bound) / block.mass,
                1e-8);
  }
}

TEST(ImmovableSlip, a_block_on_a_rail_stops_after_v_over_mu_g) {
  const OnRail block(0.3);
  HybridMotion motion(block, {1e-10}, VectorX::Zero(2), two(1.7, 0.0));
  motion.advance(2.0);
  ASSERT_EQ(motion.events().size(), 1u);
  EXPECT_NEAR(motion.events()[0].time, 1.7 / (0.3 * g), 2e-9);
  EXPECT_NEAR(motion.positions()[0], 1.7 * 1.7 / (2.0 * 0.3 * g), 1e-9);
  EXPECT_EQ(motion.states()[1], sticks);
}

TEST(ImmovableSlip, where_nothing_can_move_there_is_no_force) {
  // Beside what the normal force moves: a tenth of a millionth of it is nothing.
  for (const double share : {0.0, 1e-7}) {
    OnRail block(0.3);
    block.share = share;
    HybridMotion motion(block, {}, VectorX::Zero(2), VectorX::Zero(2));
    motion.set_inputs(VectorX::Constant(1, 5.0));
    EXPECT_EQ(motion.states()[1], sticks);
    EXPECT_EQ(size(motion), 0.0);
    motion.advance(1.0);
    EXPECT_NEAR(motion.positions()[0], 0.5 * 5.0 / block.mass, 0.3 * g * share + 1e-8);
  }
}

// Friction points against the whole slip: with w across and v along the rail
// v' = −μ g v/√(v² + w²), so F(v) = √(v² + w²) − w asinh(w/v) falls by μ g t.
TEST(ImmovableSlip, a_floor_that_runs_across_the_rail_takes_its_share_of_the_friction) {
  OnRail block(0.3);
  block.run = 0.8;
  HybridMotion motion(block, {1e-9}, VectorX::Zero(2), two(1.7, 0.0));
  motion.advance(1.0);
  const auto f = [&](double v) {
    return std::hypot(v, block.run) - block.run * std::asinh(block.run / v);
  };
  EXPECT_NEAR(f(1.7) - f(motion.velocities()[0]), 0.3 * g, 1e-8);
  EXPECT_TRUE(motion.events().empty());
}

TEST(ImmovableSlip, what_a_floor_that_starts_to_run_carries_across_begins_to_slide) {
  OnRail block(0.3);
  block.drive = 0.5;
  HybridMotion motion(block, {1e-9}, VectorX::Zero(2), VectorX::Zero(2));
  motion.set_inputs(VectorX::Constant(1, 0.2 * block.mass * g));
  motion.advance(1.0);
  ASSERT_EQ(motion.events().size(), 1u);
  EXPECT_EQ(motion.states()[1], slides);
  // Friction ceases to hold along the rail where it points across it: the block creeps.
  EXPECT_GT(motion.velocities()[0], 0.1);
  EXPECT_NEAR(size(motion), 0.3 * block.mass * g, 1e-9);
}

}  // namespace
}  // namespace vinci
