// SPDX-License-Identifier: Apache-2.0
// Poles, zeros and minimal parts of systems that were put together from known ones.
#include "vinci/systems/modes.h"

#include <gtest/gtest.h>

#include "tests/systems/random_systems.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

ComplexVector conjugate_roots(std::mt19937_64& random, int count) {
  std::uniform_real_distribution<double> place(0.5, 5.0);
  ComplexVector roots(count);
  for (int i = 0; i + 1 < count; i += 2) {
    roots[i] = Complex(-place(random), place(random));
    roots[i + 1] = std::conj(roots[i]);
  }
  if (count % 2 == 1) roots[count - 1] = -place(random);
  return roots;
}

TEST(Poles, have_the_frequency_and_damping_of_an_oscillator_sampled_or_not) {
  // s² + 2 D w s + w²
  for (const double damping : {-0.2, 0.05, 0.7}) {
    const double w = 3.0;
    LinearSystem system = {MatrixX::Zero(2, 2), MatrixX::Ones(2, 1), MatrixX::Ones(1, 2),
                           MatrixX::Zero(1, 1)};
    system.a << 0.0, 1.0, -w * w, -2.0 * damping * w;
    for (const LinearSystem& one : {system, sampled_with_hold(system, 0.1)})
      for (const Complex pole : poles(one)) {
        EXPECT_NEAR(natural_frequency(pole, one.sample), w, 1e-9);
        EXPECT_NEAR(damping_ratio(pole, one.sample), damping, 1e-9);
      }
  }
  EXPECT_EQ(damping_ratio(0.0), 1.0);
  EXPECT_EQ(damping_ratio(-4.0), 1.0);
  EXPECT_EQ(damping_ratio(0.0, 0.1), 1.0);
  EXPECT_EQ(natural_frequency(0.0, 0.1), infinity);
}

TEST(Modes, zeros_and_poles_of_a_transfer_function_come_back) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 2 + trial % 5, m = trial % (n + 1);
    const ComplexVector p = conjugate_roots(random, n), z = conjugate_roots(random, m);
    LinearSystem system = balanced(system_of(-2.5 * polynomial_of(z), polynomial_of(p)));
    // Turned into coordinates that show nothing.
    const MatrixX turn = random_rotation(random, n);
    system.a = turn.transpose() * system.a * turn;
    system.b = turn.transpose() * system.b;
    system.c = system.c * turn;
    EXPECT_LT(set_distance(poles(system), p), 1e-8) << trial;
    EXPECT_LT(set_distance(invariant_zeros(system).values, z), 1e-6) << trial;
    const TransferFunction function = transfer_function(system, 0, 0);
    EXPECT_NEAR(function.gain, -2.5, 1e-7) << trial;
    const Complex point(0.4, 1.1);
    EXPECT_LT(std::abs(function.at(point) - value_at(system, point)(0, 0)),
              1e-7 * std::abs(function.at(point)))
        << trial;
  }
}

// Square systems with D = 0 and C B regular have n − m zeros: those of the closed loop with
// infinite gain. Where D is regular they are the eigenvalues of A − B D⁻¹ C.
TEST(Modes, zeros_of_several_channels_are_the_poles_of_the_inverse) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const LinearSystem system = random_system(random, 6, 3, 3);
    LinearSystem inverse = system;
    inverse.a = system.a - system.b * system.d.partialPivLu().solve(system.c);
    const Zeros zeros = invariant_zeros(system);
    EXPECT_EQ(zeros.normal_rank, 3);
    EXPECT_LT(set_distance(zeros.values, poles(inverse)), 1e-7 * (1.0 + inverse.a.norm()));
  }
}

TEST(Modes, at_a_zero_the_matrix_of_the_system_loses_rank) {
  std::mt19937_64 random(17);
  int counted = 0;
  for (int trial = 0; trial < 50; ++trial) {
    LinearSystem system = random_system(random, 7, 2, 2);
    system.d.setZero();
    if (trial % 2 == 0) system.c.row(1) = system.c.row(0) * system.a;  // C B of rank one or so
    for (const Complex& zero : invariant_zeros(system).values) {
      ComplexMatrix matrix(9, 9);
      matrix << system.a.cast<Complex>() - zero * ComplexMatrix::Identity(7, 7),
          system.b.cast<Complex>(), system.c.cast<Complex>(), system.d.cast<Complex>();
      const VectorX values = Eigen::JacobiSVD<ComplexMatrix>(matrix).singularValues();
      EXPECT_LT(values[8], 1e-8 * values[0]) << trial;
      ++counted;
    }
  }
  EXPECT_GT(counted, 150);
}

TEST(Modes, a_degenerate_system_has_the_rank_it_has) {
  std::mt19937_64 random(19);
  LinearSystem system = random_system(random, 5, 2, 3);
  system.b.col(1) = 2.0 * system.b.col(0);
  system.d.col(1) = 2.0 * system.d.col(0);
  EXPECT_EQ(invariant_zeros(system).normal_rank, 1);
}

// Parts that no input reaches, and parts that no output shows, hidden by a random turn.
TEST(Modes, hidden_parts_are_found_with_their_poles) {
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 50; ++trial) {
    const int seen = 1 + trial % 4, unreached = 1 + trial % 3, unseen = 1 + (trial / 3) % 3;
    const int n = seen + unreached + unseen;
    LinearSystem system = random_system(random, n, 2, 2);
    // Order: both, reached but not seen, not reached.
    system.a.bottomLeftCorner(unreached, seen + unseen).setZero();
    system.b.bottomRows(unreached).setZero();
    system.a.block(0, seen, seen, unseen).setZero();
    system.c.middleCols(seen, unseen).setZero();
    LinearSystem both = {system.a.topLeftCorner(seen, seen), system.b.topRows(seen),
                         system.c.leftCols(seen), system.d};
    LinearSystem rest = both, blind = both;
    rest = {system.a.bottomRightCorner(unreached, unreached), MatrixX(unreached, 0),
            MatrixX(0, unreached), MatrixX(0, 0)};
    blind = {MatrixX(), MatrixX(unseen, 0), MatrixX(0, unseen), MatrixX(0, 0)};
    blind.a = system.a.block(seen, seen, unseen, unseen);
    const MatrixX turn = random_rotation(random, n);
    LinearSystem turned = {turn.transpose() * system.a * turn, turn.transpose() * system.b,
                           system.c * turn, system.d};
    const MinimalPart part = minimal_part(turned);
    ASSERT_EQ(part.system.state_count(), seen) << trial;
    EXPECT_LT(set_distance(poles(part.system), poles(both)), 1e-7) << trial;
    EXPECT_LT(set_distance(part.unreached, poles(rest)), 1e-7) << trial;
    EXPECT_LT(set_distance(part.unseen, poles(blind)), 1e-7) << trial;
    const Complex point(0.2, 2.0);
    EXPECT_LT((value_at(part.system, point) - value_at(turned, point)).norm(), 1e-9) << trial;
    const ModeDistances distances = mode_distances(turned);
    int far = 0;
    for (int i = 0; i < n; ++i) far += distances.reached[i] > 1e-9 && distances.seen[i] > 1e-9;
    EXPECT_EQ(far, seen) << trial;
  }
}

TEST(Modes, units_of_states_change_nothing) {
  std::mt19937_64 random(29);
  const LinearSystem system = random_system(random, 5, 1, 1);
  VectorX units(5);
  units << 1e-6, 1.0, 1e4, 1e-3, 1e6;
  LinearSystem other = system;
  other.a = units.cwiseInverse().asDiagonal() * system.a * units.asDiagonal();
  other.b = units.cwiseInverse().asDiagonal() * system.b;
  other.c = system.c * units.asDiagonal();
  EXPECT_LT(set_distance(poles(other), poles(system)), 1e-12 * (1.0 + system.a.norm()));
  EXPECT_LT(set_distance(invariant_zeros(other).values, invariant_zeros(system).values), 1e-9);
  EXPECT_EQ(minimal_part(other).system.state_count(), 5);
}

}  // namespace
}  // namespace vinci
