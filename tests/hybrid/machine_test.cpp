// SPDX-License-Identifier: Apache-2.0
// Machines, what acts with contacts, further states, borders, and what piles up.
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

// A mass that falls; a link that a machine switches on below x = −1 and off when it is time.
class Catcher : public ConstrainedSystemOf<Catcher> {
 public:
  double release = 2.0;
  explicit Catcher(bool anchored) : constraints_{{"hand", ConstraintKind::link, {20.0, {100.0}}}} {
    constraints_[0].anchored = anchored;
    constraints_[0].machine = 0;
    constraints_[0].on = {false, true, false};
  }
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override { return {0}; }
  int guard_count() const override { return 2; }
  std::vector<Passage> passages() const override { return {{0, 0, 1, 0, -1}, {0, 1, 2, 1, 1}}; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = 2.0 * a + 2.0 * g - frame.multipliers[0];
    frame.gaps[0] = {x + 0.8, v, a};
    frame.guards[0] = x + 1.0;
    frame.guards[1] = T(frame.time - release);
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Machines, a_link_that_is_switched_on_catches_and_lets_go) {
  for (const bool anchored : {true, false}) {
    const Catcher catcher(anchored);
    HybridMotion motion(catcher, {1e-10}, VectorX::Zero(1), VectorX::Zero(1));
    const double caught = std::sqrt(2.0 / g), speed = -std::sqrt(2.0 * g);
    const double held = anchored ? -1.0 : -0.8;
    // Critically damped with the rate 10 from x − held = d and the speed at which it was caught.
    const auto place = [&](double t) {
      const double d = -1.0 - held, s = t - caught;
      return held + (d + (speed + 10.0 * d) * s) * std::exp(-10.0 * s);
    };
    motion.advance(0.6);
    EXPECT_NEAR(motion.positions()[0], place(0.6), 1e-8);
    EXPECT_EQ(motion.state().machines[0], 1);
    EXPECT_EQ(motion.states()[0], in_contact);
    motion.advance(2.0 - 1e-9);
    EXPECT_NEAR(motion.positions()[0], place(2.0), 1e-8);
    EXPECT_NEAR(motion.multipliers()[0], 2.0 * g, 1e-3);
    motion.advance(2.5);
    EXPECT_EQ(motion.states()[0], free_state);
    EXPECT_NEAR(motion.positions()[0], place(2.0) - 0.5 * g * 0.25, 1e-5);
    ASSERT_EQ(motion.events().size(), 4u);  // machine, link, machine, link
    EXPECT_EQ(motion.events()[0].machine, 0);
    EXPECT_EQ(motion.events()[0].constraint, -1);
    EXPECT_EQ(motion.events()[0].state_after, 1);
    EXPECT_NEAR(motion.events()[0].time, caught, 1e-9);
    EXPECT_EQ(motion.events()[1].to, in_contact);
    EXPECT_NEAR(motion.events()[2].time, 2.0, 1e-9);
  }
}

// x = cos t; a second coordinate that drifts is held while the machine is in its state 1, which it
// takes above 0.5 and leaves below −0.5.
class Hysteresis : public ConstrainedSystemOf<Hysteresis> {
 public:
  Hysteresis() : constraints_{{"brake", ConstraintKind::link, {200.0, {1e4}}}} {
    constraints_[0].anchored = true;
    constraints_[0].machine = 0;
    constraints_[0].on = {false, true};
  }
  int coordinate_count() const override { return 2; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override { return {1}; }
  int guard_count() const override { return 2; }
  std::vector<Passage> passages() const override { return {{0, 0, 1, 0, 1}, {0, 1, 0, 1, -1}}; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    frame.balance[0] = frame.accelerations[0] + frame.positions[0];
    frame.balance[1] = frame.accelerations[1] - 1.0 - frame.multipliers[0];
    frame.gaps[0] = {frame.positions[1], frame.velocities[1], frame.accelerations[1]};
    frame.guards[0] = frame.positions[0] - 0.5;
    frame.guards[1] = frame.positions[0] + 0.5;
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Machines, a_hysteresis_switches_at_both_its_ends) {
  const Hysteresis system;
  HybridMotion motion(system, {1e-10}, two(1.0, 0.0), VectorX::Zero(2));
  EXPECT_EQ(motion.states()[0], in_contact);
  motion.advance(12.0);
  // cos t falls through −0.5 at 2π/3 and rises through 0.5 at 5π/3, and so on.
  const double turn = 2.0 * std::numbers::pi;
  const double expected[] = {turn / 3.0, turn * 5.0 / 6.0, turn * 4.0 / 3.0, turn * 11.0 / 6.0};
  std::vector<double> times;
  for (const HybridEvent& event : motion.events())
    if (event.machine == 0) times.push_back(event.time);
  ASSERT_EQ(times.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(times[i], expected[i], 1e-9);
  // Two drifts of half a turn, each held where it had got to.
  EXPECT_NEAR(motion.positions()[1], 0.25 * turn * turn, 1e-8);
  EXPECT_NEAR(motion.velocities()[1], 0.0, 1e-8);
}

// A wheel that falls: while it stands on the floor a link lets it roll, and its first touch leads a
// machine on.
class Wheel : public ConstrainedSystemOf<Wheel> {
 public:
  Wheel()
      : constraints_{{"floor", ConstraintKind::contact, {10.0, {400.0}}},
                     {"rolling", ConstraintKind::link, {40.0, {400.0}}}} {
    constraints_[1].with = 0;
    constraints_[1].anchored = true;
  }
  int coordinate_count() const override { return 3; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override { return {0}; }
  std::vector<Passage> passages() const override {
    return {{0, 0, 1, -1, 1, 0}, {0, 1, 2, -1, 1, 0}};
  }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto &q = frame.positions, &v = frame.velocities, &a = frame.accelerations;
    frame.balance[0] = a[0] - frame.multipliers[1];
    frame.balance[1] = a[1] + g - frame.multipliers[0];
    frame.balance[2] = 0.005 * a[2] + 0.1 * frame.multipliers[1];
    frame.gaps[0] = {q[1], v[1], a[1]};
    frame.gaps[1] = {q[0] - 0.1 * q[2], v[0] - 0.1 * v[2], a[0] - 0.1 * a[2]};
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Machines, a_link_acts_with_its_contact_and_touches_are_counted) {
  const Wheel wheel;
  VectorX q = VectorX::Zero(3), v = VectorX::Zero(3);
  q[1] = 0.5, v[2] = 30.0;
  HybridMotion motion(wheel, {}, q, v);
  EXPECT_EQ(motion.states()[1], free_state);
  std::vector<double> touches;
  for (int i = 1; i <= 400; ++i) {
    motion.advance(0.01 * i);
    EXPECT_EQ(motion.states()[1] == in_contact, motion.states()[0] == in_contact);
  }
  int passed = 0;
  for (const HybridEvent& event : motion.events()) {
    if (event.constraint == 0 && event.to == in_contact) touches.push_back(event.time);
    if (event.machine == 0) {
      EXPECT_EQ(event.time, touches.back());
      EXPECT_EQ(event.state_after, ++passed);
    }
  }
  EXPECT_GE(touches.size(), 2u);
  EXPECT_EQ(passed, 2);
  EXPECT_EQ(motion.state().machines[0], 2);
  // Momentum about the line of contact stays: x' + 0.005 · turn rate / 0.1 = 0.005 · 30 / 0.1.
  EXPECT_NEAR(motion.velocities()[0], 1.0, 1e-6);
  EXPECT_NEAR(motion.velocities()[2], 10.0, 1e-5);
}

// m x'' = −kp x − kd v − ki z + u, z' = x: a controller with an integrator against exp(A t).
class Controlled : public ConstrainedSystemOf<Controlled> {
 public:
  int coordinate_count() const override { return 1; }
  int input_count() const override { return 1; }
  int extra_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T& x = frame.positions[0];
    frame.balance[0] = 2.0 * frame.accelerations[0] + 50.0 * x + 8.0 * frame.velocities[0] +
                       60.0 * frame.extras[0] - frame.inputs[0];
    frame.extra_rates[0] = x;
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(FurtherStates, a_controller_with_an_integrator_moves_as_its_exponential) {
  const Controlled system;
  HybridMotion motion(system, {1e-10}, VectorX::Ones(1), VectorX::Zero(1));
  motion.set_extras(VectorX::Constant(1, 0.2));
  motion.set_inputs(VectorX::Constant(1, 3.0));
  Eigen::Matrix3d a;  // of (x, v, z − 3/60)
  a << 0.0, 1.0, 0.0, -25.0, -4.0, -30.0, 1.0, 0.0, 0.0;
  const Eigen::EigenSolver<Eigen::Matrix3d> modes(a);
  const Eigen::Vector3cd part =
      modes.eigenvectors().partialPivLu().solve(Eigen::Vector3cd(1.0, 0.0, 0.2 - 0.05));
  for (int i = 1; i <= 10; ++i) {
    const double t = 0.3 * i;
    motion.advance(t);
    Eigen::Vector3cd sum = Eigen::Vector3cd::Zero();
    for (int k = 0; k < 3; ++k)
      sum += modes.eigenvectors().col(k) * (std::exp(modes.eigenvalues()[k] * t) * part[k]);
    EXPECT_NEAR(motion.positions()[0], sum[0].real(), 1e-8) << t;
    EXPECT_NEAR(motion.velocities()[0], sum[1].real(), 1e-8) << t;
    EXPECT_NEAR(motion.extras()[0], sum[2].real() + 0.05, 1e-8) << t;
  }
  const LinearSystem linear = linearise(system, motion.state(), VectorX::Constant(1, 3.0));
  EXPECT_LE((linear.a - a).norm(), 1e-12);
}

// A mass that a switch drives to x = 0 from either side: the switch has no hysteresis.
class Chatter : public ConstrainedSystemOf<Chatter> {
 public:
  Chatter()
      : constraints_{{"left", ConstraintKind::link, {10.0, {25.0}}},
                     {"right", ConstraintKind::link, {10.0, {25.0}}}} {
    for (const int i : {0, 1}) constraints_[i].machine = 0;
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
    frame.gaps[0] = {x + 1.0, v, a};
    frame.gaps[1] = {x - 1.0, v, a};
    frame.guards[0] = x + 0.5 * v;
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Accumulation, a_switch_that_chatters_is_named_and_passed) {
  const Chatter chatter;
  HybridMotion motion(chatter, {1e-8}, VectorX::Ones(1), VectorX::Zero(1));
  motion.advance(2.0);
  EXPECT_EQ(motion.time(), 2.0);
  ASSERT_FALSE(motion.accumulations().empty());
  // The machine, and with it the links that it switches.
  bool named = false;
  for (const auto& pile : motion.accumulations()) named = named || pile.machine == 0;
  EXPECT_TRUE(named);
  // On the switching line x' = −2 x, as Filippov has it.
  EXPECT_LE(std::abs(motion.positions()[0] + 0.5 * motion.velocities()[0]), 0.05);
  EXPECT_LE(std::abs(motion.positions()[0]), 0.05);
}

// A mass that 2 N push, and a brake that a switch without hysteresis has on above 0.5 m/s.
class Governor : public ConstrainedSystemOf<Governor> {
 public:
  Governor() : constraints_{{"brake", ConstraintKind::link, {10.0, {1.0}}}} {
    constraints_[0].machine = 0;
    constraints_[0].on = {false, true};
  }
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override { return {0}; }
  int guard_count() const override { return 1; }
  std::vector<Passage> passages() const override { return {{0, 0, 1, 0, 1}, {0, 1, 0, 0, -1}}; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = a - 2.0 - frame.multipliers[0];
    frame.gaps[0] = {x, v, a};
    frame.guards[0] = v - 0.5;
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Accumulation, what_is_held_at_the_end_of_a_call_goes_on_in_the_next) {
  // What a hold of 1 ms lets 2 N and the brake (5.2 N at most) do to the speed.
  for (const double call : {0.5, 1e-2, 2.5e-3}) {
    const Governor governor;
    HybridMotion motion(governor, {1e-8}, VectorX::Zero(1), VectorX::Zero(1));
    for (int i = 1; i * call <= 0.5 + 1e-9; ++i) motion.advance(i * call);
    EXPECT_NEAR(motion.velocities()[0], 0.5, 1e-3 * 5.2) << call;
    EXPECT_FALSE(motion.accumulations().empty()) << call;
    for (const ContactState state : motion.states())
      EXPECT_TRUE(state == free_state || state == in_contact) << call;
  }
}

TEST(Accumulation, a_ball_whose_bounces_get_lower_comes_to_rest) {
  WallMass mass(restituting(0.3, 1e-4));
  mass.steady = -g;
  HybridMotion motion(mass, {1e-8}, VectorX::Constant(1, 0.2), VectorX::Zero(1));
  motion.advance(5.0);
  EXPECT_EQ(motion.states()[0], in_contact);
  EXPECT_NEAR(motion.positions()[0], 0.0, 1e-8);
  EXPECT_GE(motion.events().size(), 10u);
}

// A path that is known between −1 and 1 only.
class Bordered : public ConstrainedSystemOf<Bordered> {
 public:
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  int border_count() const override { return 2; }
  void borders(double, const VectorX& positions, VectorX& values) const override {
    values[0] = 1.0 - positions[0];
    values[1] = 1.0 + positions[0];
  }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    frame.balance[0] = frame.accelerations[0] - 2.0;
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Borders, a_motion_stops_where_its_equations_end) {
  const Bordered bordered;
  HybridMotion motion(bordered, {1e-10}, VectorX::Zero(1), VectorX::Zero(1));
  EXPECT_TRUE(motion.advance(0.9));
  EXPECT_FALSE(motion.advance(3.0));
  EXPECT_NEAR(motion.time(), 1.0, 1e-9);
  EXPECT_NEAR(motion.positions()[0], 1.0, 1e-9);
  EXPECT_TRUE(motion.events().empty());
}

}  // namespace
}  // namespace vinci
