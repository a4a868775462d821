// SPDX-License-Identifier: Apache-2.0
// Verdicts on steps whose answers are known: reference case 20, and problems written by hand.
#include "vinci/proofs/problem_certificate.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/statics.h"
#include "vinci/complementarity/certificate.h"

namespace vinci {
namespace {

using namespace test;

Vector3 vector3(const nlohmann::json& json) {
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

struct ListedCase {
  ComplementarityProblem problem;
  Solution solution;
  SparseRows inertia;
};

// The rows of a case's contacts on a particle or a rigid body, and forces that balance: normal
// forces as listed, friction the least that does.
ListedCase listed(const nlohmann::json& json) {
  const bool rigid = json["body"] == "rigid body";
  const int n = rigid ? 6 : 3;
  const Vector3 center = rigid ? vector3(json["reference_point"]) : Vector3(0, 0, 0);
  std::vector<Eigen::RowVectorXd> rows;
  std::vector<double> known;  // normal forces; NaN for friction
  std::vector<Block> blocks;
  const auto add = [&](const Vector3& axis, const Vector3& point, double force) {
    Eigen::RowVectorXd row(n);
    row.head<3>() = axis.transpose();
    if (rigid) row.tail<3>() = (point - center).cross(axis).transpose();
    rows.push_back(row);
    known.push_back(force);
  };
  for (const auto& contact : json["contacts"]) {
    const Vector3 normal = vector3(contact["normal"]), point = vector3(contact["point"]);
    const int first = static_cast<int>(rows.size());
    add(normal, point, contact["lambda"]);
    if (contact["mu"] == 0.0) {
      blocks.push_back(touching(first));
      continue;
    }
    const Vector3 side = normal.unitOrthogonal();
    add(side, point, std::nan(""));
    add(normal.cross(side), point, std::nan(""));
    blocks.push_back(rubbing(first, 3, contact["mu"]));
  }
  const int m = static_cast<int>(rows.size());
  MatrixX J(m, n);
  for (int i = 0; i < m; ++i) J.row(i) = rows[static_cast<std::size_t>(i)];
  VectorX f(n);
  for (int i = 0; i < n; ++i) f[i] = json["f"][i];
  ListedCase made;
  made.problem = statics(J, f, VectorX::Zero(m), blocks);
  made.inertia = SparseRows::from_dense(MatrixX(MatrixX::Identity(n, n)));
  made.solution = {VectorX::Zero(n), VectorX::Zero(m)};
  VectorX rest = -f;
  MatrixX tangents(n, 0);
  for (int i = 0; i < m; ++i) {
    if (!std::isnan(known[static_cast<std::size_t>(i)])) {
      made.solution.lambda[i] = known[static_cast<std::size_t>(i)];
      rest -= made.solution.lambda[i] * J.row(i).transpose();
    } else {
      tangents.conservativeResize(n, tangents.cols() + 1);
      tangents.col(tangents.cols() - 1) = J.row(i).transpose();
    }
  }
  if (tangents.cols() == 0) return made;
  const VectorX friction = tangents.completeOrthogonalDecomposition().solve(rest);
  for (int i = 0, k = 0; i < m; ++i)
    if (std::isnan(known[static_cast<std::size_t>(i)])) made.solution.lambda[i] = friction[k++];
  return made;
}

ProblemCertificate certified(const ListedCase& one) {
  return certify({.problem = one.problem,
                  .inertia = one.inertia,
                  .has_inertia = false,
                  .solution = one.solution});
}

Eigen::Index rank(const MatrixX& matrix) {
  if (matrix.cols() == 0) return 0;
  Eigen::FullPivLU<MatrixX> factor;
  factor.setThreshold(1e-9);
  factor.compute(matrix);
  return factor.rank();
}

TEST(ProblemCertificate, decides_proposition_1_and_its_free_motions_as_reference_case_20) {
  const auto cases = reference("case20_quasistatic3d")["expected"]["uniqueness"];
  int decided = 0;
  for (const auto& json : cases) {
    const std::string name = json["name"];
    SCOPED_TRACE(name);
    const ListedCase one = listed(json);
    const ProblemCertificate answer = certified(one);
    ASSERT_EQ(answer.exists, Existence::proved);
    ASSERT_TRUE(answer.proposition_1.has_value());
    EXPECT_EQ(*answer.proposition_1, json["unique_by_proposition_1"].get<bool>());
    const bool at_limit = json["friction_utilisation"].get<double>() == 1.0;
    // At the sliding limit the proposition holds, and yet every speed is a solution.
    EXPECT_EQ(at_limit && answer.free.one_way.cols() == 1, at_limit);
    EXPECT_EQ(answer.motion == Only::several, !*answer.proposition_1 || at_limit);
    if (!at_limit) {
      const auto& basis = json["free_direction_basis"];
      const Eigen::Index n = one.problem.unknowns();
      MatrixX listed_basis(n, static_cast<Eigen::Index>(basis.size())), found(n, 0);
      for (std::size_t c = 0; c < basis.size(); ++c)
        for (Eigen::Index i = 0; i < n; ++i)
          listed_basis(i, static_cast<Eigen::Index>(c)) = basis[c][static_cast<std::size_t>(i)];
      found.resize(n, answer.free.count());
      found << answer.free.both_ways, answer.free.one_way;
      EXPECT_EQ(rank(found), found.cols());
      EXPECT_EQ(found.cols(), listed_basis.cols());
      MatrixX both(n, found.cols() + listed_basis.cols());
      both << found, listed_basis;
      EXPECT_EQ(rank(both), found.cols());
    }
    // The proof of several is another solution, by the judge's measure.
    EXPECT_EQ(answer.others.empty(), answer.motion != Only::several);
    for (const Solution& other : answer.others) {
      EXPECT_LE(residual(one.problem, other).relative, 1e-10);
      EXPECT_GT((other.u - one.solution.u).norm(), 1e-6);
    }
    ++decided;
  }
  EXPECT_EQ(decided, 13);
}

// Away from the wall, not into it; along it both ways.
TEST(ProblemCertificate, a_wall_without_force_leaves_one_way_free) {
  const auto cases = reference("case20_quasistatic3d")["expected"]["uniqueness"];
  for (const auto& json : cases) {
    if (json["name"] != "block on three smooth supports beside a wall with zero force") continue;
    const ProblemCertificate answer = certified(listed(json));
    EXPECT_EQ(answer.free.both_ways.cols(), 2);
    ASSERT_EQ(answer.free.one_way.cols(), 1);
    const VectorX away = answer.free.one_way.col(0);
    const Vector3 arm(-0.08, 0, 0);  // of the wall's contact from the reference point
    EXPECT_GT((away.head<3>() + Vector3(away.tail<3>()).cross(arm)).x(), 0.0);
    return;
  }
  FAIL();
}

TEST(ProblemCertificate, four_feet_leave_their_loads_open_and_three_do_not) {
  const auto cases = reference("case20_quasistatic3d")["expected"]["uniqueness"];
  int seen = 0;
  for (const auto& json : cases) {
    const ProblemCertificate answer = certified(listed(json));
    if (json["name"] == "block on four rough supports") {
      EXPECT_EQ(answer.loads, Only::several);
      ASSERT_FALSE(answer.families.empty());
      ++seen;
    }
    if (json["name"] == "particle on a rough floor") {
      EXPECT_EQ(answer.motion, Only::unique);
      EXPECT_EQ(answer.loads, Only::unique);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST(ProblemCertificate, forces_that_cannot_balance_are_named_with_what_is_missing) {
  // A particle on a floor with μ N = 1.5 N, pushed by 2 N.
  const MatrixX J = (MatrixX(2, 2) << 0, 1, 1, 0).finished();
  const ListedCase one{statics(J, numbers({2.0, -3}), numbers({0, 0}), {rubbing(0, 2, 0.5)}),
                       {VectorX::Zero(2), VectorX::Zero(2)},
                       SparseRows::from_dense(MatrixX(MatrixX::Identity(2, 2)))};
  const ProblemCertificate answer = certified(one);
  EXPECT_EQ(answer.exists, Existence::none);
  ASSERT_EQ(answer.missing.size(), 2);
  // The least force: onto the edge of the cone through (−2, 3), at tan α = ½.
  const Vector2 edge = Vector2(-0.5, 1.0).normalized(), needed(-2.0, 3.0);
  const Vector2 least = edge.dot(needed) * edge - needed;
  EXPECT_NEAR(std::abs(answer.missing[0]), std::abs(least.x()), 1e-12);
  EXPECT_NEAR(std::abs(answer.missing[1]), std::abs(least.y()), 1e-12);
}

TEST(ProblemCertificate, closing_walls_contradict_each_other_and_the_vector_proves_it) {
  // Walls on both sides close at 1 m/s; gravity presses on a floor.
  const MatrixX J = (MatrixX(3, 2) << 0, 1, 1, 0, -1, 0).finished();
  const ListedCase one{
      statics(J, numbers({0, -3}), numbers({0, -1, -1}), {touching(0), touching(1), touching(2)}),
      {VectorX::Zero(2), VectorX::Zero(3)},
      SparseRows::from_dense(MatrixX(MatrixX::Identity(2, 2)))};
  const ProblemCertificate answer = certified(one);
  EXPECT_EQ(answer.exists, Existence::none);
  ASSERT_EQ(answer.proof.size(), 3);
  EXPECT_NEAR(answer.proof[1], answer.proof[2], 1e-12 * answer.proof[1]);
  EXPECT_EQ(answer.proof[0], 0.0);
  ComplementarityProblem regular = one.problem;
  regular.M = one.inertia;
  EXPECT_TRUE(infeasibility(regular, answer.proof).proves_no_solution);
}

// w = 2 λ − 1 has λ = ½ alone; w = −λ + 1 has λ = 0 and λ = 1; with friction, by its pieces.
TEST(ProblemCertificate, counts_the_solutions_of_small_problems_with_inertia) {
  // A particle of mass 1 above a floor, sinking at 1 m/s, with friction: sticks, alone.
  const MatrixX J = (MatrixX(2, 2) << 0, 1, 1, 0).finished();
  auto problem = statics(J, numbers({0.1, -1}), numbers({0, 0}), {rubbing(0, 2, 0.5)});
  problem.M = SparseRows::from_dense(MatrixX(MatrixX::Identity(2, 2)));
  const Solution sticks{numbers({0, 0}), numbers({1, -0.1})};
  const SparseRows& inertia = problem.M;
  const ProblemCertificate answer =
      certify({.problem = problem, .inertia = inertia, .solution = sticks});
  EXPECT_EQ(answer.exists, Existence::proved);
  EXPECT_EQ(answer.motion, Only::unique);
  EXPECT_EQ(answer.loads, Only::unique);
  EXPECT_FALSE(answer.proposition_1.has_value());

  // Painlevé's coupling: pushing on the tangent presses the normal; slide, stick or lift off.
  auto wedge = statics((MatrixX(2, 2) << 1, 0, 0, 1).finished(), numbers({0, 0}), numbers({0, 0}),
                       {rubbing(0, 2, 2.0)});
  const MatrixX W = (MatrixX(2, 2) << 1, 0.8, 0.8, 1).finished();
  wedge.M = SparseRows::from_dense(MatrixX(W.inverse()));
  wedge.p = W.inverse() * numbers({0.1, 1.0});
  const Solution lifts{numbers({0.1, 1.0}), numbers({0, 0})};
  ASSERT_LE(residual(wedge, lifts).relative, 1e-12);
  const SparseRows mass = wedge.M;
  const ProblemCertificate several =
      certify({.problem = wedge, .inertia = mass, .solution = lifts});
  EXPECT_EQ(several.motion, Only::several);
  for (const Solution& other : several.others) EXPECT_LE(residual(wedge, other).relative, 1e-9);
  EXPECT_FALSE(several.others.empty());
}

}  // namespace
}  // namespace vinci
