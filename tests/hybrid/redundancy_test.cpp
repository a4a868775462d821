// SPDX-License-Identifier: Apache-2.0
// Constraints that repeat or contradict each other.
#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

// A square table, q = (height, tilt about y, tilt about x) of its middle, on a leg per corner at
// (±1, ±1) m; its weight acts at (x, y).
class Table : public ConstrainedSystemOf<Table> {
 public:
  double weight = 10.0, x = 0.0, y = 0.0;
  Table() {
    for (const char* name : {"leg 1", "leg 2", "leg 3", "leg 4"})
      constraints_.push_back({name, ConstraintKind::contact, {20.0, {100.0}}});
  }
  int coordinate_count() const override { return 3; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto &q = frame.positions, &v = frame.velocities, &a = frame.accelerations;
    frame.balance[0] = a[0] + weight;
    frame.balance[1] = 0.5 * a[1] + weight * x;
    frame.balance[2] = 0.5 * a[2] + weight * y;
    for (int i = 0; i < 4; ++i) {
      const double cx = i % 2 == 0 ? -1.0 : 1.0, cy = i < 2 ? -1.0 : 1.0;
      frame.gaps[i] = {q[0] + cx * q[1] + cy * q[2], v[0] + cx * v[1] + cy * v[2],
                       a[0] + cx * a[1] + cy * a[2]};
      frame.balance[0] -= frame.multipliers[i];
      frame.balance[1] -= cx * frame.multipliers[i];
      frame.balance[2] -= cy * frame.multipliers[i];
    }
  }

 private:
  std::vector<Constraint> constraints_;
};

// A mass between walls that approach each other at `drift`: gaps x and −x.
class TwoWalls : public ConstrainedSystemOf<TwoWalls> {
 public:
  double drift = 0.0;
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = a - frame.multipliers[0] + frame.multipliers[1];
    frame.gaps[0] = {x, v, a};
    frame.gaps[1] = {-x, -v - drift, -a};
  }

 private:
  std::vector<Constraint> constraints_{{"left", ConstraintKind::contact, settling_in(1e-2)},
                                       {"right", ConstraintKind::contact, settling_in(1e-2)}};
};

void expect_to_stand(const Table& table, const HybridMotion& motion) {
  const VectorX& force = motion.multipliers();
  EXPECT_LE(motion.accelerations().norm(), 1e-9);
  EXPECT_LE(motion.positions().norm(), 1e-8);
  EXPECT_GE(force.minCoeff(), 0.0);
  EXPECT_NEAR(force.sum(), table.weight, 1e-8);
  EXPECT_NEAR(force[1] + force[3] - force[0] - force[2], table.weight * table.x, 1e-8);
  EXPECT_NEAR(force[2] + force[3] - force[0] - force[1], table.weight * table.y, 1e-8);
}

TEST(Redundancy, four_legs_bear_the_least_forces) {
  Table table;
  table.x = 0.3, table.y = -0.4;
  HybridMotion motion(table, {}, VectorX::Zero(3), VectorX::Zero(3));
  motion.advance(1.0);
  EXPECT_TRUE(motion.events().empty());
  expect_to_stand(table, motion);
  for (int i = 0; i < 4; ++i) {
    const double cx = i % 2 == 0 ? -1.0 : 1.0, cy = i < 2 ? -1.0 : 1.0;
    EXPECT_NEAR(motion.multipliers()[i], 0.25 * table.weight * (1.0 + cx * table.x + cy * table.y),
                1e-9);
  }
}

// The least forces would let leg 1 pull: there are others where none does.
TEST(Redundancy, no_leg_pulls_where_it_need_not) {
  Table table;
  table.x = 0.7, table.y = 0.8;
  HybridMotion motion(table, {}, VectorX::Zero(3), VectorX::Zero(3));
  motion.advance(1.0);
  EXPECT_TRUE(motion.events().empty());
  expect_to_stand(table, motion);
}

TEST(Redundancy, a_table_that_falls_on_three_and_four_legs_stands) {
  Table table;
  table.x = 0.2, table.y = -0.1;
  VectorX q(3);
  q << 0.3, 0.05, 0.02;
  HybridMotion motion(table, {}, q, VectorX::Zero(3));
  motion.advance(20.0);
  expect_to_stand(table, motion);
}

TEST(Redundancy, a_table_with_its_weight_outside_tips_over_two_legs) {
  Table table;
  table.x = 1.2;
  HybridMotion motion(table, {}, VectorX::Zero(3), VectorX::Zero(3));
  // About the edge at x = 1: turning inertia 0.5 + 1² and the moment 0.2 of the weight.
  EXPECT_NEAR(motion.accelerations()[1], -table.weight * 0.2 / 1.5, 1e-9);
  EXPECT_EQ(motion.multipliers()[0], 0.0);
  EXPECT_EQ(motion.multipliers()[2], 0.0);
  EXPECT_NEAR(motion.multipliers()[1], motion.multipliers()[3], 1e-9);
}

// A mass on a line between floors and rods as a test wants them; h = sign (x − place).
class Line : public ConstrainedSystemOf<Line> {
 public:
  struct Stop {
    std::string name;
    ConstraintKind kind;
    double sign = 1.0, place = 0.0;
    Stabilisation stabilisation = {20.0, {100.0}};
  };
  explicit Line(std::vector<Stop> stops) : stops_(std::move(stops)) {
    for (const Stop& stop : stops_)
      constraints_.push_back({stop.name, stop.kind, stop.stabilisation});
  }
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T& a = frame.accelerations[0];
    frame.balance[0] = 2.0 * a + 2.0 * g;
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double sign = stops_[i].sign;
      frame.gaps[at] = {sign * (frame.positions[0] - stops_[i].place), sign * frame.velocities[0],
                        sign * a};
      frame.balance[0] -= sign * frame.multipliers[at];
    }
  }

 private:
  std::vector<Stop> stops_;
  std::vector<Constraint> constraints_;
};

constexpr ConstraintKind contact_kind = ConstraintKind::contact, link_kind = ConstraintKind::link;

TEST(Redundancy, a_floor_that_is_said_twice_is_as_one) {
  const Line once({{"floor", contact_kind}});
  const Line twice({{"left", contact_kind}, {"right", contact_kind}});
  HybridMotion one(once, {1e-10}, VectorX::Ones(1), VectorX::Zero(1));
  HybridMotion both(twice, {1e-10}, VectorX::Ones(1), VectorX::Zero(1));
  for (int i = 1; i <= 40; ++i) {
    one.advance(0.1 * i);
    both.advance(0.1 * i);
    EXPECT_NEAR(both.positions()[0], one.positions()[0], 1e-8) << i;
    EXPECT_NEAR(both.multipliers().sum(), one.multipliers()[0], 1e-6) << i;
    EXPECT_NEAR(both.multipliers()[0], both.multipliers()[1], 1e-6) << i;
  }
  EXPECT_EQ(both.events().size(), 2 * one.events().size());
}

// Said with other coefficients the two cannot both have what they ask for while an impact lasts.
TEST(Redundancy, a_floor_that_is_said_in_two_ways_still_bears) {
  for (const double rate : {5.0, 30.0}) {
    const Line line({{"left", contact_kind},
                     {"right", contact_kind, 1.0, 0.0, {2.0 * rate, {rate * rate, 1e4}}}});
    HybridMotion motion(line, {}, VectorX::Ones(1), VectorX::Zero(1));
    for (int i = 1; i <= 100; ++i) {
      motion.advance(0.1 * i);
      EXPECT_GE(motion.multipliers().minCoeff(), -1e-9);
    }
    EXPECT_NEAR(motion.positions()[0], 0.0, 1e-6) << rate;
    EXPECT_NEAR(motion.multipliers().sum(), 2.0 * g, 1e-3) << rate;
  }
}

TEST(Redundancy, constraints_that_contradict_each_other_are_named) {
  const auto message = [](const Line& line) -> std::string {
    try {
      HybridMotion motion(line, {}, VectorX::Constant(1, 0.5), VectorX::Zero(1));
      motion.advance(10.0);
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "";
  };
  for (const Line& line :
       {Line({{"low", link_kind, 1.0, 0.0}, {"high", link_kind, 1.0, 1.0}}),
        Line({{"low", contact_kind, 1.0, 0.0}, {"high", link_kind, 1.0, -1.0}}),
        Line({{"low", contact_kind, 1.0, 0.0}, {"high", contact_kind, -1.0, -0.2}})}) {
    const std::string said = message(line);
    EXPECT_NE(said.find("low"), std::string::npos) << said;
    EXPECT_NE(said.find("high"), std::string::npos) << said;
    EXPECT_NE(said.find("contradict"), std::string::npos) << said;
  }
  // A floor below a link that holds the mass above it has nothing to say.
  EXPECT_EQ(message(Line({{"low", contact_kind, 1.0, 0.0}, {"high", link_kind, 1.0, 1.0}})), "");
}

TEST(Redundancy, what_nothing_can_move_is_named) {
  const Line line({{"nowhere", link_kind, 0.0, 0.0}});
  // 0 (x − 0) = 0 says nothing: it is idle, and obeyed.
  HybridMotion motion(line, {}, VectorX::Ones(1), VectorX::Zero(1));
  motion.advance(0.5);
  EXPECT_NEAR(motion.positions()[0], 1.0 - 0.5 * g * 0.25, 1e-9);
}

// Whether both walls contradict each other.
bool contradict(const TwoWalls& walls, double gap, double rate, double negligible) {
  HybridState state = HybridState::at(0.0, VectorX::Constant(1, gap), VectorX::Constant(1, rate),
                                      {in_contact, in_contact});
  ModeEquations equations(walls);
  equations.set(state, VectorX(0));
  EXPECT_TRUE(equations.solve(state.mode));
  EXPECT_TRUE(equations.is_redundant());
  return equations.contradicts(state, negligible);
}

// Heights x and −x: with h' = v and −v they agree; an offset of one is what they cannot agree on,
// and counts from where it is more than what is negligible in each.
TEST(Redundancy, rates_of_rounding_size_are_no_contradiction) {
  TwoWalls walls;
  EXPECT_FALSE(contradict(walls, 0.0, 0.3, 1e-6));
  walls.drift = 3e-6;  // beyond what is negligible in one, but not in both
  EXPECT_TRUE(contradict(walls, 0.0, 0.0, 1e-6));
  walls.drift = 1.5e-6;
  EXPECT_FALSE(contradict(walls, 0.0, 0.0, 1e-6));
  EXPECT_TRUE(contradict(walls, 0.0, 0.0, 1e-7));
}

}  // namespace
}  // namespace vinci
