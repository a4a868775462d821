// SPDX-License-Identifier: Apache-2.0
// Machines that switch ever faster: towards a point, where it would have no end, and truly.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"

namespace vinci {
namespace {

// A mass that is led to the left while it is on the right, and to the right while it is on the
// left, at 1 m/s: links that hold x + t and x − t, with their poles at −rate.
class LedToZero : public ConstrainedSystemOf<LedToZero> {
 public:
  explicit LedToZero(double rate)
      : constraints_{{"to the left", ConstraintKind::link, {2.0 * rate, {rate * rate}}},
                     {"to the right", ConstraintKind::link, {2.0 * rate, {rate * rate}}}} {
    for (Constraint& constraint : constraints_) {
      constraint.machine = 0;
      constraint.anchored = true;
    }
    constraints_[0].on = {true, false};
    constraints_[1].on = {false, true};
  }
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override { return {0}; }
  int guard_count() const override { return 1; }
  std::vector<Passage> passages() const override { return {{0, 0, 1, 0, -1}, {0, 1, 0, 0, 1}}; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = a - frame.multipliers[0] - frame.multipliers[1];
    frame.gaps[0] = {x + frame.time, v + 1.0, a};
    frame.gaps[1] = {x - frame.time, v - 1.0, a};
    frame.guards[0] = x;
  }

 private:
  std::vector<Constraint> constraints_;
};

// From a crossing at the speed u the law h = (1 + u) s exp(−rate s) leads back to x = 0 after
// s = ln(1 + u) / rate, at the speed ln(1 + u): n crossings take a time that grows as ln n, and
// never end.
TEST(Accumulation, a_machine_that_closes_in_on_a_point_is_held_once_nothing_moves) {
  constexpr double rate = 800.0;
  for (const double call : {2e-4, 8e-3, 0.04}) {
    SCOPED_TRACE(call);
    const LedToZero system(rate);
    HybridMotion motion(system, {1e-8}, VectorX::Constant(1, 4e-3), VectorX::Constant(1, -1.0));
    for (int i = 1; i * call <= 0.04 + 1e-9; ++i) motion.advance(i * call);
    EXPECT_LE(motion.events().size(), 30000u);
    EXPECT_FALSE(motion.accumulations().empty());
    // A hold of 1 ms moves 1 m/s by so much.
    EXPECT_LE(std::abs(motion.positions()[0]), 1e-3);
    // True ones before are what they are.
    double time = 4e-3, speed = 1.0;
    int told = 0;
    for (const HybridEvent& event : motion.events()) {
      if (event.machine < 0) continue;
      EXPECT_NEAR(event.time, time, 1e-7);
      EXPECT_NEAR(std::abs(event.velocities[0]), speed, 1e-4);
      speed = std::log1p(speed);
      time += speed / rate;
      if (++told == 60) break;
    }
    EXPECT_EQ(told, 60);
  }
}

// Pulses at sin(π k t²) = 0 of a mass that the same sine shakes by less than the accuracy: they
// come ever faster, and all are told.
class Pulses : public ConstrainedSystemOf<Pulses> {
 public:
  static constexpr double k = 4000.0;
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override { return {0}; }
  int guard_count() const override { return 1; }
  std::vector<Passage> passages() const override { return {{0, 0, 1, 0, -1}, {0, 1, 0, 0, 1}}; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const double sine = std::sin(std::numbers::pi * k * frame.time * frame.time);
    frame.balance[0] = frame.accelerations[0] - 0.01 * sine;
    frame.guards[0] = T(sine);
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Accumulation, pulses_that_truly_come_faster_are_all_told) {
  const Pulses pulses;
  HybridMotion motion(pulses, {1e-8}, VectorX::Zero(1), VectorX::Zero(1));
  const double end = std::sqrt(900.5 / Pulses::k);
  motion.advance(end);
  EXPECT_TRUE(motion.accumulations().empty());
  // The sine rises through 0 at the start, which is no change: it is on its first side there.
  ASSERT_EQ(motion.events().size(), 900u);
  for (std::size_t i = 0; i < 900; ++i)
    EXPECT_NEAR(motion.events()[i].time, std::sqrt((static_cast<double>(i) + 1.0) / Pulses::k),
                1e-8);
}

}  // namespace
}  // namespace vinci
