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

  ComplementarityProblem make(const Making& making) {
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
    const Vector3 normal = (Vector3::UnitZ() + vector(0.3)).normalized();
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

TEST(Pyramids, random_ones_have_the_motion_of_lemke_s_method) {
  PyramidSolver pyramids;
  LemkeSolver lemke;
  test::Trials unsolved, other;
  int tried = 0;
  for (unsigned seed = 0; seed < 720; ++seed) {
    const ComplementarityProblem problem = PyramidScene(seed).make(random_making(seed));
    Solution ours = zero(problem), theirs = zero(problem);
    const SolveReport report = pyramids.solve(problem, ours);
    ASSERT_EQ(lemke.solve(problem, theirs).status, SolveStatus::solved) << seed;
    ++tried;
    if (report.status != SolveStatus::solved) {
      unsolved.push_back(static_cast<int>(seed));
      continue;
    }
    // Not by its own word.
    ASSERT_LE(residual(problem, ours).relative, 1e-11) << seed;
    if ((ours.u - theirs.u).norm() > 1e-7 * theirs.u.norm())
      other.push_back(static_cast<int>(seed));
  }
  EXPECT_EQ(tried, 720);
  EXPECT_EQ(unsolved, test::Trials{});
  EXPECT_EQ(other, test::Trials{});
}

}  // namespace
}  // namespace vinci
