// SPDX-License-Identifier: Apache-2.0
// Linear systems of modes against the reference cases 12 and 24 and against central differences.
#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"
#include "vinci/systems/modes.h"

namespace vinci {
namespace {

MatrixX matrix_of(const nlohmann::json& rows) {
  MatrixX matrix(static_cast<int>(rows.size()), static_cast<int>(rows[0].size()));
  for (int i = 0; i < matrix.rows(); ++i)
    for (int j = 0; j < matrix.cols(); ++j) matrix(i, j) = rows[i][j];
  return matrix;
}

VectorX vector_of(const nlohmann::json& numbers) {
  VectorX vector(static_cast<int>(numbers.size()));
  for (int i = 0; i < vector.size(); ++i) vector[i] = numbers[i];
  return vector;
}

TEST(Linearise, the_maze_is_that_of_the_reference) {
  const auto expected = reference("case12_ball_maze")["expected"];
  int seen = 0;
  for (const auto& [name, set] : expected.items()) {
    if (!set.is_object() || !set.contains("rolling_constraint")) continue;
    const bool kinematic =
        set["rolling_constraint"].get<std::string>().find("r_m+r_b") != std::string::npos;
    const Maze maze(set["parameters"], {10.0, {25.0}}, kinematic);
    VectorX guess(4);
    guess << 0.0, 0.0, 1.1 * (maze.ring + maze.ball), 0.0;
    HybridState state = HybridState::at(0.0, guess, VectorX::Zero(4), {in_contact, in_contact});
    const Equilibrium rest = equilibrium(maze, state, VectorX::Zero(1));
    ASSERT_TRUE(rest.found) << name;
    EXPECT_NEAR(rest.multipliers[0], set["lambda_equilibrium"][0].get<double>(), 1e-10);
    state.positions = rest.positions;
    const LinearSystem linear = linearise(maze, state, VectorX::Zero(1));
    const MatrixX a = matrix_of(set["A"]);
    EXPECT_LE((linear.a - a).norm(), 1e-10 * a.norm()) << name;
    EXPECT_LE((linear.b - vector_of(set["B"])).norm(), 1e-10 * linear.b.norm()) << name;
    // The poles of the ball on the ring: those of s² + 10 s + 25 are double, so less exact.
    double nearest = infinity;
    for (const Complex pole : poles(linear))
      nearest = std::min(nearest, std::abs(pole - set["pole_p"].get<double>()));
    EXPECT_LE(nearest, 1e-8) << name;
    ++seen;
  }
  EXPECT_GE(seen, 4);
}

TEST(Linearise, masses_at_a_wall_are_those_of_the_reference) {
  const auto file = reference("case24_event_linear");
  const auto &p = file["parameters"]["one_mass"], &q = file["parameters"]["two_mass"];
  WallMass one({p["a1"], {p["a0"]}});
  one.mass = p["m"], one.stiffness = p["k"], one.damping = p["c"];
  TwoMasses two({q["a1"], {q["a0"]}});
  two.m1 = q["m1"], two.m2 = q["m2"], two.stiffness = q["k"], two.damping = q["c"];
  const auto compare = [&](const ConstrainedSystem& system, const nlohmann::json& set,
                           ContactState state) {
    const int n = system.coordinate_count();
    const VectorX zeros = VectorX::Zero(n);
    const LinearSystem linear =
        linearise(system, HybridState::at(0.0, zeros, zeros, {state}), VectorX::Zero(1));
    EXPECT_LE((linear.a - matrix_of(set["A"])).norm(), 1e-10 * linear.a.norm());
    // In contact nothing of an input may be left: beside what it does without.
    const MatrixX without =
        linearise(system, HybridState::at(0.0, zeros, zeros, {ContactState::free}),
                  VectorX::Zero(1))
            .b;
    EXPECT_LE((linear.b - vector_of(set["B"])).norm(), 1e-10 * without.norm());
    if (state == in_contact) {
      const VectorX c = vector_of(set["C_lambda"]);
      EXPECT_LE((linear.c.row(2 * n).transpose() - c).norm(), 1e-10 * c.norm());
      EXPECT_NEAR(linear.d(2 * n, 0), set["D_lambda"].get<double>(), 1e-12);
    }
  };
  const auto& expected = file["expected"];
  compare(one, expected["one_mass"]["free"], ContactState::free);
  compare(one, expected["one_mass"]["contact"], in_contact);
  compare(two, expected["two_mass"]["free"], ContactState::free);
  compare(two, expected["two_mass"]["contact"], in_contact);
}

TEST(Linearise, derivatives_in_motion_are_those_of_central_differences) {
  const auto set = reference("case12_ball_maze")["expected"]["P1_kinematic"];
  const Maze maze(set["parameters"], {10.0, {25.0}}, true);
  const std::vector<ContactState> states(2, in_contact);
  VectorX x(8), u(1);
  x << 0.3, 0.7, 2.2, -0.4, 0.5, -0.8, 0.6, 1.1;
  u << 0.9;
  const LinearSystem linear =
      linearise(maze, HybridState::at(0.0, x.head(4), x.tail(4), states), u);
  const auto forces = [&](const VectorX& at, const VectorX& input) {
    ModeEquations equations(maze);
    const HybridState state = HybridState::at(0.0, at.head(4), at.tail(4), states);
    equations.set(state, input);
    EXPECT_TRUE(equations.solve(state.mode));
    VectorX both(6);
    both << equations.frame().accelerations, equations.frame().multipliers;
    return both;
  };
  const double step = 1e-5;
  for (int j = 0; j < 8; ++j) {
    VectorX up = x, down = x;
    up[j] += step, down[j] -= step;
    const VectorX slope = (forces(up, u) - forces(down, u)) / (2.0 * step);
    EXPECT_LE((linear.a.col(j).tail(4) - slope.head(4)).norm(), 1e-7 * (1.0 + slope.norm()));
    EXPECT_LE((linear.c.col(j).segment(8, 2) - slope.tail(2)).norm(), 1e-7 * (1.0 + slope.norm()));
  }
}

// One floor, said twice.
class Twice : public ConstrainedSystemOf<Twice> {
 public:
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    frame.balance[0] = frame.accelerations[0] - frame.multipliers[0] - frame.multipliers[1];
    frame.gaps[0] =
        frame.gaps[1] = {frame.positions[0], frame.velocities[0], frame.accelerations[0]};
  }

 private:
  std::vector<Constraint> constraints_{{"left", ConstraintKind::contact, {20.0, {100.0}}},
                                       {"right", ConstraintKind::contact, {20.0, {100.0}}}};
};

TEST(Linearise, what_repeats_itself_is_linear_like_what_is_said_once) {
  const Twice twice;
  const VectorX zero = VectorX::Zero(1);
  const LinearSystem linear =
      linearise(twice, HybridState::at(0.0, zero, zero, {in_contact, in_contact}), VectorX());
  EXPECT_NEAR(linear.a(1, 0), -100.0, 1e-10);
  EXPECT_NEAR(linear.a(1, 1), -20.0, 1e-10);
  for (const int row : {2, 3}) EXPECT_NEAR(linear.c(row, 0), -50.0, 1e-10);
}

// A coordinate that nothing weighs down.
class Massless : public ConstrainedSystemOf<Massless> {
 public:
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    frame.balance[0] = T(1.0);
  }

 private:
  std::vector<Constraint> constraints_;
};

TEST(Linearise, modes_that_determine_nothing_are_refused) {
  const Massless massless;
  const VectorX zero = VectorX::Zero(1);
  EXPECT_THROW(linearise(massless, HybridState::at(0.0, zero, zero, {}), VectorX()), Error);
  try {
    HybridMotion(massless, {}, zero, zero);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no mass"), std::string::npos);
  }
}

}  // namespace
}  // namespace vinci
