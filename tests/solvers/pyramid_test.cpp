// SPDX-License-Identifier: Apache-2.0
// Friction pyramids by their structure, from zero, beside Lemke's method and enumeration: any
// number of directions, contacts, bodies, frictions and layers.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/enumeration.h"
#include "tests/support/trials.h"
#include "tests/support/zero.h"
#include "vinci/base/regular_polygon.h"
#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/residual.h"
#include "vinci/pivoting/lemke.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/pyramid_solver.h"

namespace vinci {
namespace {

struct Making {
  int directions = 8, contacts = 3, bodies = 1;
  double friction = 0.5;
  bool layers = false;    // C beside J M⁻¹Jᵀ
  bool supports = false;  // a pyramid of known limit beside the contacts
};

// Contacts at random places of random bodies with the ground or with each other.
class PyramidScene {
 public:
  explicit PyramidScene(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(random_() >> 11);
  }
  Vector3 vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }

  // The normals are (0, 0, 1) and as much beside it as `tilt`.
  ComplementarityProblem make(const Making& making, const Vector3& tilt = Vector3::Constant(0.3)) {
    tilt_ = tilt;
    ComplementarityProblem problem;
    const int n = 6 * making.bodies;
    problem.M.reset(n);
    for (int k = 0; k < n; ++k) {
      problem.M.push(k, k % 6 < 3 ? 2.0 : uniform(0.02, 0.1));
      problem.M.end_row();
    }
    const int each = making.directions + 2;
    const int rows = making.contacts * each + (making.supports ? making.directions + 1 : 0);
    problem.J.reset(n);
    problem.C.reset(rows);
    problem.b.setZero(rows);
    for (int i = 0; i < making.contacts; ++i) add_contact(making, i, problem);
    if (making.supports) add_pyramid(making, 0, -1, vector(0.2), 0.3, problem);
    problem.p.resize(n);
    for (int k = 0; k < n; ++k) problem.p[k] = k % 6 < 3 ? uniform(-2.0, 2.0) : uniform(-0.1, 0.1);
    for (int body = 0; body < making.bodies; ++body) problem.p[6 * body + 2] -= 2.0;
    for (int row = 0; row < rows; ++row)
      problem.blocks.push_back({.law = Law::nonnegative, .offset = row, .size = 1});
    return problem;
  }

 private:
  void push(const Vector3& point, const Vector3& axis, int body, int other,
            ComplementarityProblem& problem) {
    const Vector3 moment = point.cross(axis);
    for (const int side : {std::min(body, other), std::max(body, other)}) {
      if (side < 0) continue;
      const double sign = side == body ? 1.0 : -1.0;
      for (int k = 0; k < 3; ++k) problem.J.push(6 * side + k, sign * axis[k]);
      for (int k = 0; k < 3; ++k) problem.J.push(6 * side + 3 + k, sign * moment[k]);
    }
    problem.J.end_row();
  }

  void add_contact(const Making& making, int i, ComplementarityProblem& problem) {
    const int body = i % making.bodies;
    const int other = making.bodies > 1 && i % 3 == 2 ? (body + 1) % making.bodies : -1;
    const Vector3 point = vector(0.2);
    const Vector3 normal = (Vector3::UnitZ() + vector(1.0).cwiseProduct(tilt_)).normalized();
    const int first = problem.J.rows;
    push(point, normal, body, other, problem);
    problem.b[first] = uniform(0.0, 0.2);  // a gap
    if (making.layers) problem.C.push(first, 0.05);
    problem.C.end_row();
    add_pyramid(making, body, other, point, making.friction, problem, normal, first);
  }

  // Without `normal_row` the friction is the limit.
  void add_pyramid(const Making& making, int body, int other, const Vector3& point, double friction,
                   ComplementarityProblem& problem, const Vector3& normal = Vector3::UnitZ(),
                   int normal_row = -1) {
    const Vector3 along = normal.unitOrthogonal(), across = normal.cross(along);
    const int first = problem.J.rows, sigma = first + making.directions;
    const double speed[2] = {uniform(-0.1, 0.1), uniform(-0.1, 0.1)};  // of what moves under it
    for (int j = 0; j < making.directions; ++j) {
      const Vector2 d = polygon_corner(making.directions, j);
      push(point, d.x() * along + d.y() * across, body, other, problem);
      problem.b[first + j] = d.x() * speed[0] + d.y() * speed[1];
      for (int k = 0; making.layers && k < making.directions; ++k)
        problem.C.push(first + k, 0.05 * d.dot(polygon_corner(making.directions, k)));
      problem.C.push(sigma, 1.0);
      problem.C.end_row();
    }
    problem.J.end_row();
    if (normal_row >= 0)
      problem.C.push(normal_row, friction);
    else
      problem.b[sigma] = friction;
    for (int j = 0; j < making.directions; ++j) problem.C.push(first + j, -1.0);
    problem.C.end_row();
  }

  std::mt19937_64 random_;
  Vector3 tilt_ = Vector3::Zero();
};

Making random_making(unsigned seed) {
  constexpr int directions[] = {2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 31, 64};
  constexpr double frictions[] = {0.0, 0.1, 0.3, 0.5, 0.8};
  Making making;
  making.directions = directions[seed % std::size(directions)];
  making.contacts = 1 + static_cast<int>(seed / 12 % 6);
  making.bodies = 1 + static_cast<int>(seed / 7 % 3);
  making.friction = frictions[seed / 5 % std::size(frictions)];
  making.layers = seed % 4 == 3;
  making.supports = seed % 3 == 1;
  return making;
}

ComplementarityProblem condensed(const ComplementarityProblem& problem) {
  Condensation condensation;
  condensation.condense(problem);
  ComplementarityProblem local;
  local.C = SparseRows::from_dense(condensation.W());
  local.b = condensation.q();
  local.blocks = problem.blocks;
  local.M.reset(0), local.J.reset(0);
  for (int i = 0; i < problem.rows(); ++i) local.J.end_row();
  local.p.resize(0);
  return local;
}

// Directions of one contact, d → (2 d_x, d_y), by the rows 0 and 1 of them.
void stretch(int directions, int first, ComplementarityProblem& problem) {
  const Vector2 next = polygon_corner(directions, 1);
  const int begin = problem.J.starts[first], width = problem.J.starts[first + 1] - begin;
  std::vector<double> along(problem.J.values.begin() + begin,
                            problem.J.values.begin() + begin + width);
  std::vector<double> across(along.size());
  const double* const second = problem.J.values.data() + problem.J.starts[first + 1];
  for (int k = 0; k < width; ++k) across[k] = (second[k] - next.x() * along[k]) / next.y();
  const double b_along = problem.b[first],
               b_across = (problem.b[first + 1] - next.x() * b_along) / next.y();
  for (int j = 0; j < directions; ++j) {
    const Vector2 d = polygon_corner(directions, j);
    double* const row = problem.J.values.data() + problem.J.starts[first + j];
    for (int k = 0; k < width; ++k) row[k] = 2.0 * d.x() * along[k] + d.y() * across[k];
    problem.b[first + j] = 2.0 * d.x() * b_along + d.y() * b_across;
  }
}

struct Trial {
  ComplementarityProblem problem;
  Solution ours, theirs;
  SolveReport report;
};

// From zero, by structure and by Lemke's method.
Trial solve_both(const ComplementarityProblem& problem) {
  PyramidSolver pyramids;
  LemkeSolver lemke;
  Trial trial{problem, zero(problem), zero(problem), {}};
  trial.report = pyramids.solve(problem, trial.ours);
  EXPECT_EQ(lemke.solve(problem, trial.theirs).status, SolveStatus::solved);
  return trial;
}

TEST(Pyramids, random_ones_have_the_motion_of_lemke_s_method) {
  test::Trials unsolved, other;
  int tried = 0;
  for (unsigned seed = 0; seed < 720; ++seed) {
    const Trial trial = solve_both(PyramidScene(seed).make(random_making(seed)));
    ++tried;
    if (trial.report.status != SolveStatus::solved) {
      unsolved.push_back(static_cast<int>(seed));
      continue;
    }
    // Not by its own word.
    ASSERT_LE(residual(trial.problem, trial.ours).relative, 1e-11) << seed;
    if ((trial.ours.u - trial.theirs.u).norm() > 1e-7 * trial.theirs.u.norm())
      other.push_back(static_cast<int>(seed));
  }
  EXPECT_EQ(tried, 720);
  EXPECT_EQ(unsolved, test::Trials{});
  EXPECT_EQ(other, test::Trials{});
}

// Several motions may exist there: any is one that enumeration finds.
TEST(Pyramids, answers_are_among_all_that_enumeration_finds) {
  test::Trials unsolved;
  int tried = 0, stuck = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    PyramidScene scene(1000 + seed);
    Making making;
    making.directions = 3 + static_cast<int>(seed % 4);
    making.contacts = seed % 4 == 0 && seed % 3 == 0 ? 2 : 1;
    making.friction = seed % 5 == 4 ? 3.0 : 0.4;
    const ComplementarityProblem problem = scene.make(making);
    const ComplementarityProblem local = condensed(problem);
    PyramidSolver pyramids;
    Solution ours = zero(problem);
    if (pyramids.solve(problem, ours).status != SolveStatus::solved) {
      unsolved.push_back(static_cast<int>(seed));
      continue;
    }
    const std::vector<VectorX> all = all_solutions(local.blocks, MatrixX(local.C.view()), local.b);
    // Of a contact that sticks, several sets of directions may carry the same force.
    double nearest = std::numeric_limits<double>::infinity();
    for (const VectorX& lambda : all) {
      Judge judge;
      judge(problem, {VectorX::Zero(problem.unknowns()), lambda});
      nearest = std::min(nearest, (judge.u() - ours.u).norm());
    }
    EXPECT_LT(nearest, 1e-7) << seed << " of " << all.size();
    ++tried;
    stuck += ours.lambda[0] > 0.0 && ours.lambda[making.directions + 1] == 0.0;
  }
  EXPECT_EQ(unsolved, test::Trials{});
  EXPECT_GE(tried, 50);
  EXPECT_GT(stuck, 5);
}

TEST(Pyramids, the_same_problem_without_velocities_has_the_same_answer) {
  for (unsigned seed = 0; seed < 96; ++seed) {
    const ComplementarityProblem problem = PyramidScene(seed).make(random_making(seed));
    const ComplementarityProblem local = condensed(problem);
    PyramidSolver pyramids;
    Solution whole = zero(problem), condensed_one = zero(local);
    ASSERT_EQ(pyramids.solve(problem, whole).status, SolveStatus::solved) << seed;
    ASSERT_EQ(pyramids.solve(local, condensed_one).status, SolveStatus::solved) << seed;
    Judge judge;
    judge(problem, {VectorX::Zero(problem.unknowns()), condensed_one.lambda});
    EXPECT_LE((judge.u() - whole.u).norm(), 1e-7 * whole.u.norm()) << seed;
  }
}

// Linear systems of 40 problems, sorted.
std::vector<int> systems_of(int directions) {
  std::vector<int> counts;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Making making;
    making.directions = directions;
    making.contacts = 1 + static_cast<int>(seed % 6);
    making.bodies = 1 + static_cast<int>(seed % 2);
    const ComplementarityProblem problem = PyramidScene(seed).make(making);
    PyramidSolver pyramids;
    Solution solution = zero(problem);
    const SolveReport report = pyramids.solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << seed;
    counts.push_back(report.iterations);
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

// Their size is that of the contacts. Where Newton's method settles there are as many for any
// number of directions, but for one more where the circle's answer lies between two corners; where
// it does not, a path goes from corner to corner: in proportion to them at most.
TEST(Pyramids, linear_systems_grow_no_faster_than_the_directions) {
  const std::vector<int> few = systems_of(8);
  double before = 0.0;
  for (const int count : few) before += count;
  for (int directions = 16; directions <= 256; directions *= 2) {
    const std::vector<int> counts = systems_of(directions);
    EXPECT_LE(counts[20], few[20] + 1) << directions;
    double sum = 0.0;
    for (const int count : counts) sum += count;
    EXPECT_LE(sum, 2.0 * before) << directions;
    before = sum;
  }
}

// Parts of a problem keep no zeros: rows of one contact then have entries in other columns.
TEST(Pyramids, rows_without_their_zeros_are_the_same_pyramid) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Making making;
    making.directions = 4 + static_cast<int>(seed % 5);
    ComplementarityProblem problem = PyramidScene(seed).make(making, Vector3::Zero());
    const ComplementarityProblem full = problem;
    problem.J = SparseRows::from_dense(MatrixX(problem.J.view()));
    ASSERT_LT(problem.J.values.size(), full.J.values.size());
    PyramidSolver pyramids;
    Solution sparse = zero(problem), whole = zero(full);
    EXPECT_EQ(pyramids.solve(problem, sparse).status, SolveStatus::solved) << seed;
    EXPECT_EQ(pyramids.solve(full, whole).status, SolveStatus::solved) << seed;
    EXPECT_LE((sparse.u - whole.u).norm(), 1e-12 * whole.u.norm()) << seed;
  }
}

// No regular polygon, nor a linear map of one: the rows say so, and `auto` goes another way.
TEST(Pyramids, directions_of_any_other_shape_are_refused_and_still_solved) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Making making;
    making.directions = 5;
    ComplementarityProblem problem = PyramidScene(seed).make(making);
    // Direction 3 of the first contact is turned into the sum of its neighbours.
    for (int k = 0; k < 6; ++k)
      problem.J.values[problem.J.starts[4] + k] =
          problem.J.values[problem.J.starts[3] + k] + problem.J.values[problem.J.starts[5] + k];
    problem.b[4] = problem.b[3] + problem.b[5];
    PyramidSolver pyramids;
    EXPECT_NE(pyramids.why_not(problem), "");
    Solution solution = zero(problem);
    EXPECT_EQ(pyramids.solve(problem, solution).status, SolveStatus::refused);
    AutoSolver all;
    EXPECT_EQ(all.solve(problem, solution).status, SolveStatus::solved) << seed;
    EXPECT_LE(residual(problem, solution).relative, 1e-10);
  }
}

// The friction of an ellipse, twice as large along one axis.
TEST(Pyramids, a_stretched_polygon_is_taken_as_a_regular_one) {
  int tried = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Making making;
    making.directions = 3 + static_cast<int>(seed % 10);
    ComplementarityProblem problem = PyramidScene(seed).make(making);
    for (int i = 0; i < making.contacts; ++i)
      stretch(making.directions, i * (making.directions + 2) + 1, problem);
    const Trial trial = solve_both(problem);
    ASSERT_EQ(trial.report.status, SolveStatus::solved) << seed;
    EXPECT_LE((trial.ours.u - trial.theirs.u).norm(), 1e-7 * trial.theirs.u.norm()) << seed;
    ++tried;
  }
  EXPECT_EQ(tried, 60);
}

// LCPs in which a row without a diagonal is something else.
TEST(Pyramids, rows_that_only_look_like_slip_are_refused) {
  const auto lcp = [](const MatrixX& C, const VectorX& b) {
    ComplementarityProblem problem;
    problem.M.reset(0), problem.J.reset(0);
    for (int i = 0; i < b.size(); ++i) {
      problem.J.end_row();
      problem.blocks.push_back({.law = Law::nonnegative, .offset = i, .size = 1});
    }
    problem.C = SparseRows::from_dense(C);
    problem.b = b;
    problem.p.resize(0);
    return problem;
  };
  MatrixX first(2, 2), second(3, 3), third(3, 3);
  first << 0, 1, -1, 0;                   // one direction
  second << 1, 0, 2, 0, 1, 1, -1, -1, 0;  // not 1 in the column
  third << 0, -1, -1, 1, 1, 0, 1, 0, 1;   // σ before its directions
  for (const MatrixX& C : {first, second, third}) {
    const ComplementarityProblem problem = lcp(C, VectorX::Constant(C.rows(), -0.5).array() + 1.0);
    EXPECT_NE(PyramidSolver().why_not(problem), "") << C;
    Solution solution = zero(problem);
    EXPECT_EQ(AutoSolver().solve(problem, solution).status, SolveStatus::solved) << C;
  }
}

// Columns of boxes on each other and on the ground: more velocities than dense equations take.
TEST(Pyramids, many_bodies_have_the_motion_of_lemke_s_method) {
  for (const int directions : {4, 9}) {
    Making making;
    making.directions = directions;
    making.bodies = 30;
    making.contacts = 90;
    making.friction = 0.3;
    const Trial trial = solve_both(PyramidScene(7).make(making));
    ASSERT_EQ(trial.report.status, SolveStatus::solved) << directions;
    EXPECT_LE((trial.ours.u - trial.theirs.u).norm(), 1e-7 * trial.theirs.u.norm()) << directions;
  }
}

}  // namespace
}  // namespace vinci
