// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/lemke.h"

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_examples.h"
#include "tests/support/enumeration.h"
#include "tests/support/random_matrices.h"
#include "tests/support/reference.h"
#include "vinci/complementarity/certificate.h"

namespace vinci {
namespace {

struct Answer {
  SolveReport report;
  Solution solution;
};

Answer solve(const ComplementarityProblem& problem) {
  EXPECT_EQ(problem.why_invalid(), "");
  LemkeSolver solver;
  Answer answer;
  answer.solution = {VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  answer.report = solver.solve(problem, answer.solution);
  return answer;
}

// --- textbook problems ---

TEST(Lemke, symmetric_example_with_both_rows_active) {
  // Both rows active: 2 z₁ + z₂ = 5, z₁ + 2 z₂ = 6.
  const MatrixX M = (MatrixX(2, 2) << 2, 1, 1, 2).finished();
  const Answer answer = solve(lcp(M, Vector2(-5, -6)));
  EXPECT_EQ(answer.report.status, SolveStatus::solved);
  EXPECT_NEAR(answer.solution.lambda[0], 4.0 / 3.0, 1e-15);
  EXPECT_NEAR(answer.solution.lambda[1], 7.0 / 3.0, 1e-15);
}

TEST(Lemke, murtys_triangular_problem_is_solved_at_every_size) {
  // Lower triangular, 1 on and 2 below the diagonal, q = −1: z = (1, 0, ..., 0).
  for (int n = 1; n <= 40; ++n) {
    MatrixX M = MatrixX::Identity(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) M(i, j) = 2.0;
    const Answer answer = solve(lcp(M, -VectorX::Ones(n)));
    ASSERT_EQ(answer.report.status, SolveStatus::solved) << n;
    EXPECT_NEAR(answer.solution.lambda[0], 1.0, 1e-14);
    EXPECT_EQ(answer.solution.lambda.tail(n - 1).cwiseAbs().sum(), 0.0);
  }
}

TEST(Lemke, nonnegative_vector_needs_no_pivot) {
  const Answer answer = solve(lcp(-MatrixX::Identity(3, 3), Vector3(0, 1, 2)));
  EXPECT_EQ(answer.report.status, SolveStatus::solved);
  EXPECT_EQ(answer.report.iterations, 0);
  EXPECT_EQ(answer.solution.lambda, Vector3::Zero());
}

TEST(Lemke, empty_problem_is_solved) {
  const Answer answer = solve(lcp(MatrixX(0, 0), VectorX(0)));
  EXPECT_EQ(answer.report.status, SolveStatus::solved);
}

TEST(Lemke, cyclic_degenerate_problem_ends) {
  // The cyclic P-matrix on which block pivoting and Newton's method on min(z, w) return to where
  // they were; equal entries of q tie every ratio test.
  const MatrixX M = (MatrixX(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  for (const Vector3& q : {Vector3(-1, -1, -1), Vector3(-1, -1, 0), Vector3(0, -1, -1)}) {
    const Answer answer = solve(lcp(M, q));
    ASSERT_EQ(answer.report.status, SolveStatus::solved);
    const auto exact = all_solutions(lcp(M, q).blocks, M, q);
    EXPECT_LT(distance(answer.solution.lambda, exact), 1e-14);
  }
}

// --- no solution ---

TEST(Lemke, infeasible_problem_is_proved_to_have_no_solution) {
  // Copositive-plus: the ray is the certificate y = (1, 1), Mᵀy = 0, qᵀy = −1.
  const MatrixX skew = (MatrixX(2, 2) << 1, -1, -1, 1).finished();
  EXPECT_EQ(solve(lcp(skew, Vector2(-1, 0))).report.status, SolveStatus::no_solution);
  // Any matrix: the second row reads −z₁ − z₂ − 1 >= 0.
  const MatrixX general = (MatrixX(2, 2) << 0, 1, -1, -1).finished();
  EXPECT_EQ(solve(lcp(general, Vector2(-1, -1))).report.status, SolveStatus::no_solution);
}

TEST(Lemke, feasible_problem_without_solution_gets_no_proof) {
  // z₂ >= 1 makes both rows nonnegative, but then w₂ >= 1/2 while z₂ > 0.
  const MatrixX M = (MatrixX(2, 2) << 0, 1, 0, 1).finished();
  const Vector2 q(-1, -0.5);
  ASSERT_TRUE(all_solutions(lcp(M, q).blocks, M, q).empty());
  const Answer answer = solve(lcp(M, q));
  EXPECT_EQ(answer.report.status, SolveStatus::inaccurate);
  EXPECT_STREQ(answer.report.note, "secondary ray: no conclusion");
}

TEST(Lemke, verdicts_agree_with_enumeration_on_arbitrary_matrices) {
  std::mt19937_64 random(21);
  int solved = 0, without = 0, proved = 0;
  for (int round = 0; round < 3000; ++round) {
    const int n = 1 + round % 5;
    const MatrixX M = random_matrix(n, n, random);
    const VectorX q = random_matrix(n, 1, random);
    const ComplementarityProblem problem = lcp(M, q);
    const auto exact = all_solutions(problem.blocks, M, q);
    const Answer answer = solve(problem);
    if (answer.report.status == SolveStatus::solved) {
      ++solved;
      ASSERT_LT(distance(answer.solution.lambda, exact),
                1e-9 * (1.0 + answer.solution.lambda.norm()));
    }
    if (answer.report.status == SolveStatus::no_solution) {
      ++proved;
      ASSERT_TRUE(exact.empty()) << "a proof of something false";
    }
    without += exact.empty();
  }
  EXPECT_GT(solved, 1500);
  EXPECT_GT(proved, 50);
  EXPECT_LE(proved, without);
}

TEST(Lemke, certificate_speaks_of_the_rows_of_the_problem) {
  std::mt19937_64 random(41);
  LemkeSolver solver;
  int proved = 0;
  for (int round = 0; round < 2000; ++round) {
    const int n = 2 + round % 4;
    ComplementarityProblem problem = lcp(random_matrix(n, n, random), random_matrix(n, 1, random));
    // An equality, a box with one or both bounds, or planar friction among the rows.
    if (round % 3 == 0) problem.blocks[0].law = Law::equality;
    if (round % 5 == 0)
      problem.blocks[1] = {Law::box, 1, 1, 0.0, -1.0, round % 2 == 0 ? 0.5 : infinity};
    if (round % 7 == 0 && n > 3) {
      problem.blocks[2] = {Law::coulomb, 2, 2, 0.3};
      problem.blocks.erase(problem.blocks.begin() + 3);
    }
    Solution solution{VectorX(0), VectorX::Zero(n)};
    const SolveReport report = solver.solve(problem, solution);
    ASSERT_EQ(solver.certificate() != nullptr, report.status == SolveStatus::no_solution);
    if (report.status != SolveStatus::no_solution) continue;
    ++proved;
    EXPECT_TRUE(infeasibility(problem, *solver.certificate()).proves_no_solution);
  }
  EXPECT_GT(proved, 100);
}

TEST(Lemke, contact_that_cannot_open_is_proved_infeasible_through_the_velocities) {
  // Two stops press one body from both sides: u >= 1 and −u >= 1, whatever the impulses.
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(MatrixX::Constant(1, 1, 2e8));
  problem.J = SparseRows::from_dense((MatrixX(2, 1) << 1, -1).finished());
  problem.C = SparseRows::from_dense(MatrixX::Zero(2, 2));
  problem.p = VectorX::Constant(1, 3.0);
  problem.b = Vector2(-1, -1);
  problem.blocks = {{Law::nonnegative, 0, 1}, {Law::nonnegative, 1, 1}};
  LemkeSolver solver;
  Solution solution{VectorX::Zero(1), VectorX::Zero(2)};
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::no_solution);
  ASSERT_NE(solver.certificate(), nullptr);
  EXPECT_TRUE(infeasibility(problem, *solver.certificate()).proves_no_solution);
  problem.b = Vector2(-1, 1);
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
  EXPECT_EQ(solver.certificate(), nullptr);
}

// --- unique solutions ---

TEST(Lemke, p_matrices_agree_with_enumeration) {
  std::mt19937_64 random(22);
  for (int round = 0; round < 160; ++round) {
    const int n = 1 + round % 8;
    const MatrixX M = random_p_matrix(n, random);
    const VectorX q = random_matrix(n, 1, random);
    const Answer answer = solve(lcp(M, q));
    ASSERT_EQ(answer.report.status, SolveStatus::solved);
    const auto exact = all_solutions(lcp(M, q).blocks, M, q);
    EXPECT_LT(distance(answer.solution.lambda, exact), 1e-11 * (1.0 + exact.at(0).norm()));
  }
}

TEST(Lemke, p_matrices_of_sixty_rows_are_solved_to_rounding) {
  std::mt19937_64 random(23);
  for (int n = 1; n <= 60; ++n) {
    const Answer answer = solve(lcp(random_p_matrix(n, random), random_matrix(n, 1, random)));
    ASSERT_EQ(answer.report.status, SolveStatus::solved) << n;
    EXPECT_LT(answer.report.residual.relative, 1e-12);
  }
}

TEST(Lemke, scales_of_units_over_twelve_decades_do_not_matter) {
  std::mt19937_64 random(24);
  std::uniform_real_distribution<double> exponent(-6.0, 6.0);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + round % 20;
    const MatrixX M = random_p_matrix(n, random);
    const VectorX q = random_matrix(n, 1, random);
    VectorX rows(n), columns(n);
    for (int i = 0; i < n; ++i) {
      rows[i] = std::pow(10.0, exponent(random));
      columns[i] = std::pow(10.0, exponent(random));
    }
    const Answer plain = solve(lcp(M, q));
    const Answer scaled =
        solve(lcp(rows.asDiagonal() * M * columns.asDiagonal(), rows.cwiseProduct(q)));
    ASSERT_EQ(scaled.report.status, SolveStatus::solved);
    const VectorX back = columns.cwiseProduct(scaled.solution.lambda);
    EXPECT_LT((back - plain.solution.lambda).norm(), 1e-9 * (1.0 + plain.solution.lambda.norm()));
  }
}

// --- equalities, boxes, planar friction ---

TEST(Lemke, mixed_problems_agree_with_enumeration) {
  std::mt19937_64 random(25);
  const std::pair<double, double> bounds[] = {
      {-1.0, 2.0}, {0.5, 0.5}, {-infinity, 0.3}, {-0.2, infinity}, {-infinity, infinity}};
  for (int round = 0; round < 600; ++round) {
    std::vector<Block> blocks;
    int m = 0;
    const auto add = [&](Block block) {
      block.offset = m;
      m += block.size;
      blocks.push_back(block);
    };
    for (int k = 0; k < round % 3; ++k) add({Law::equality, 0, 1 + k});
    for (int k = 0; k < 1 + round % 2; ++k) add({Law::nonnegative, 0, 1});
    const auto& [lower, upper] = bounds[round % 5];
    add({Law::box, 0, 1, 0.0, lower, upper});
    if (round % 4 == 0) add({Law::box, 0, 1, 0.0, -1.0, 1.0});
    const MatrixX W = random_p_matrix(m, random);
    const VectorX q = 3.0 * random_matrix(m, 1, random);
    ComplementarityProblem problem = lcp(W, q);
    problem.blocks = blocks;
    const Answer answer = solve(problem);
    ASSERT_EQ(answer.report.status, SolveStatus::solved) << round;
    std::vector<Block> finite = blocks;  // an infinite bound has no piece of its own
    for (Block& block : finite) {
      if (block.law != Law::box) continue;
      if (std::isinf(block.lower)) block.lower = -1e6;
      if (std::isinf(block.upper)) block.upper = 1e6;
    }
    EXPECT_LT(distance(answer.solution.lambda, all_solutions(finite, W, q)), 1e-9) << round;
  }
}

TEST(Lemke, redundant_equalities_are_solved_and_contradictions_reported) {
  const MatrixX J = (MatrixX(3, 2) << 1, 0, 1, 0, 0, 1).finished();
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(MatrixX::Identity(2, 2));
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(3, 3));
  problem.p = Vector2(1, -1);
  problem.b = Vector3(0.5, 0.5, 0);
  problem.blocks = {{Law::equality, 0, 2}, {Law::nonnegative, 2, 1}};
  const Answer answer = solve(problem);
  EXPECT_EQ(answer.report.status, SolveStatus::solved);
  EXPECT_NEAR(answer.solution.u[0], -0.5, 1e-15);
  EXPECT_NEAR(answer.solution.u[1], 0.0, 1e-15);
  problem.b = Vector3(0.5, -0.5, 0);
  const Answer contradicting = solve(problem);
  EXPECT_EQ(contradicting.report.status, SolveStatus::no_solution);
  LemkeSolver solver;
  Solution solution{VectorX::Zero(2), VectorX::Zero(3)};
  solver.solve(problem, solution);
  ASSERT_NE(solver.certificate(), nullptr);
  EXPECT_TRUE(infeasibility(problem, *solver.certificate()).proves_no_solution);
  EXPECT_STREQ(contradicting.report.note, "equality rows contradict each other");
}

TEST(Lemke, planar_friction_agrees_with_the_enumeration_of_contact_modes) {
  std::mt19937_64 random(26);
  Condensation condensation;
  for (int round = 0; round < 400; ++round) {
    const double friction = std::pow(10.0, round % 5 - 3);
    const ComplementarityProblem problem =
        random_contacts({1 + round % 2, 1 + round % 3, 0, friction}, random);
    const Answer answer = solve(problem);
    ASSERT_EQ(answer.report.status, SolveStatus::solved) << round;
    condensation.condense(problem);
    const auto exact = all_solutions(problem.blocks, condensation.W(), condensation.q());
    // Forces may not be unique, velocities then are: compare what λ does.
    double nearest = std::numeric_limits<double>::infinity();
    for (const VectorX& lambda : exact)
      nearest = std::min(
          nearest, (condensation.W() * (lambda - answer.solution.lambda)).cwiseAbs().maxCoeff());
    EXPECT_LT(nearest, 1e-8) << round;
  }
}

TEST(Lemke, planar_second_order_and_interval_laws_satisfy_the_judge) {
  std::mt19937_64 random(27);
  for (int round = 0; round < 200; ++round) {
    ComplementarityProblem problem =
        random_contacts({2, 1 + round % 4, 0, round % 3 * 0.4}, random);
    for (std::size_t k = 0; k < problem.blocks.size(); ++k)
      if ((k + static_cast<std::size_t>(round)) % 2 == 0) problem.blocks[k].law = Law::second_order;
    EXPECT_EQ(solve(problem).report.status, SolveStatus::solved) << round;
    ComplementarityProblem interval = lcp(random_p_matrix(3, random), random_matrix(3, 1, random));
    for (Block& block : interval.blocks) block = {Law::ball, block.offset, 1, 0.0, 0.0, 0.1};
    EXPECT_EQ(solve(interval).report.status, SolveStatus::solved) << round;
  }
}

TEST(Lemke, painleves_rod_takes_its_tangential_impact_in_one_step) {
  const auto data = test::reference("case04_painleve_rod");
  const double m = data["parameters"]["m"], l = data["parameters"]["half_length"];
  const double inertia = data["parameters"]["J"], g = data["parameters"]["g"], h = 1e-4;
  for (const auto& example : data["expected"]["cases"]) {
    const double angle = example["theta_deg"].get<double>() * M_PI / 180.0;
    const double spin = example["thetadot"], slip = example["tip_slip_velocity"];
    // Tip − centre = −l (cos, sin); v_tip = v + ω × (tip − centre).
    const Vector3 normal(0, 1, -l * std::cos(angle)), tangent(1, 0, l * std::sin(angle));
    Vector3 velocity(0, 0, spin);
    velocity.x() = slip - tangent.z() * spin;
    velocity.y() = -normal.z() * spin;
    const Vector3 mass(m, m, inertia);
    ComplementarityProblem problem;
    problem.M = SparseRows::from_dense(MatrixX(mass.asDiagonal()));
    MatrixX J(2, 3);
    J << normal.transpose(), tangent.transpose();
    problem.J = SparseRows::from_dense(J);
    problem.C = SparseRows::from_dense(MatrixX::Zero(2, 2));
    problem.p = mass.cwiseProduct(velocity) - Vector3(0, m * g * h, 0);
    problem.b = VectorX::Zero(2);
    problem.blocks = {{Law::coulomb, 0, 2, example["mu"].get<double>()}};
    const Answer answer = solve(problem);
    ASSERT_EQ(answer.report.status, SolveStatus::solved) << example.dump();
    double nearest = 1.0;
    for (const auto& expected : example["ST_step_h1e_4"])
      nearest = std::min(
          nearest, std::max(std::abs(answer.solution.lambda[0] - expected["p_n"].get<double>()),
                            std::abs(answer.solution.lambda[1] - expected["p_t"].get<double>())));
    EXPECT_LT(nearest, 1e-12) << example.dump();  // the reference prints 15 digits
  }
}

// --- what it refuses, options, memory ---

TEST(Lemke, refuses_round_cones_and_singular_mass_in_words) {
  LemkeSolver solver;
  std::mt19937_64 random(28);
  ComplementarityProblem spatial = lcp(MatrixX::Identity(3, 3), Vector3(-1, 0, 0));
  spatial.blocks = {{Law::coulomb, 0, 3, 0.5}};
  EXPECT_NE(solver.why_not(spatial).find("use 'cone: pyramid'"), std::string::npos);
  EXPECT_EQ(solve(spatial).report.status, SolveStatus::refused);
  spatial.blocks[0].friction = 0.0;
  EXPECT_EQ(solver.why_not(spatial), "");
  EXPECT_EQ(solve(spatial).report.status, SolveStatus::solved);

  ComplementarityProblem massless = random_contacts({1, 1, 4, 0.5}, random);
  EXPECT_EQ(solver.why_not(massless), "");
  massless.M = SparseRows::from_dense(MatrixX::Zero(6, 6));
  EXPECT_NE(solver.why_not(massless).find("M is singular"), std::string::npos);
  EXPECT_EQ(solve(massless).report.status, SolveStatus::refused);
}

TEST(Lemke, numbers_that_are_not_finite_are_refused) {
  LemkeSolver solver;
  ComplementarityProblem problem = lcp(MatrixX::Identity(2, 2), Vector2(-1, std::nan("")));
  EXPECT_NE(solver.why_not(problem), "");
  Solution solution{VectorX(0), VectorX::Zero(2)};
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::refused);
}

TEST(Lemke, limit_of_pivots_is_honoured) {
  std::mt19937_64 random(29);
  const ComplementarityProblem problem = lcp(random_p_matrix(30, random), -VectorX::Ones(30));
  const SolverRegistry::Entry entry = lemke_entry();
  OptionValues values(entry.options);
  values.set("max-iterations", 3L);
  Solution solution{VectorX(0), VectorX::Zero(30)};
  const SolveReport report = entry.make(values)->solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_LE(report.iterations, 3);
}

TEST(Lemke, settled_sequence_of_one_shape_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  std::mt19937_64 random(30);
  std::vector<ComplementarityProblem> sequence;
  for (int k = 0; k < 20; ++k) sequence.push_back(random_contacts({3, 5, 8, 0.5}, random));
  LemkeSolver solver;
  Solution solution{VectorX::Zero(18), VectorX::Zero(50)};
  for (const auto& problem : sequence) solver.solve(problem, solution);
  const std::size_t before = allocations();
  for (const auto& problem : sequence)
    ASSERT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace vinci
