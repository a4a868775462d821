// SPDX-License-Identifier: Apache-2.0
// Transfer functions of chains and of badly scaled systems, against closed forms and against the
// response.
#include "vinci/systems/channel_form.h"

#include <gtest/gtest.h>

#include "tests/systems/random_systems.h"
#include "vinci/base/error.h"
#include "vinci/systems/response_check.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

double mass_of(int i) {
  return 1.0 + 0.1 * i;
}
double stiffness_of(int i) {
  return 100.0 + i;
}
constexpr double damper = 0.5;

// Masses in a row, each held to the one before by a spring and a damper; pushed at the first, seen
// at the last.
LinearSystem chain(int n) {
  LinearSystem system = {MatrixX::Zero(2 * n, 2 * n), MatrixX::Zero(2 * n, 1),
                         MatrixX::Zero(1, 2 * n), MatrixX::Zero(1, 1)};
  system.a.topRightCorner(n, n).setIdentity();
  for (int i = 0; i < n; ++i) {
    // Of the link between i − 1 and i.
    system.a(n + i, i) -= stiffness_of(i) / mass_of(i);
    system.a(n + i, n + i) -= damper / mass_of(i);
    if (i == 0) continue;
    system.a(n + i, i - 1) += stiffness_of(i) / mass_of(i);
    system.a(n + i, n + i - 1) += damper / mass_of(i);
    system.a(n + i - 1, i - 1) -= stiffness_of(i) / mass_of(i - 1);
    system.a(n + i - 1, n + i - 1) -= damper / mass_of(i - 1);
    system.a(n + i - 1, i) += stiffness_of(i) / mass_of(i - 1);
    system.a(n + i - 1, n + i) += damper / mass_of(i - 1);
  }
  system.b(n, 0) = 1.0 / mass_of(0);
  system.c(0, n - 1) = 1.0;
  return system;
}

// What the last one does, by the impedances of the chain from its end: no matrix.
Complex chain_value(int n, Complex s) {
  Complex load = mass_of(n - 1) * s * s, through = 1.0;
  for (int i = n - 1; i > 0; --i) {
    const Complex link = damper * s + stiffness_of(i);
    through *= link / (link + load);
    load = link * load / (link + load) + mass_of(i - 1) * s * s;
  }
  return through / (load + damper * s + stiffness_of(0));
}

TEST(ChannelForm, a_chain_has_a_zero_per_link_and_the_gain_of_its_dampers) {
  for (const int n : {2, 5, 8, 10, 14, 30}) {
    const TransferFunction function = transfer_function(chain(n), 0, 0);
    EXPECT_EQ(function.poles.size(), 2 * n);
    EXPECT_EQ(function.zeros.size(), n - 1) << n;
    double gain = 1.0 / mass_of(0);
    for (int i = 1; i < n; ++i) gain *= damper / mass_of(i);
    EXPECT_NEAR(function.gain / gain, 1.0, 1e-9) << n;
    EXPECT_TRUE(function.is_trusted()) << n;
    // Zeros are −k/c of the links, together: they stand too near for each to be sharp.
    Complex product = 1.0;
    double wanted = 1.0;
    for (int i = 1; i < n; ++i) {
      product *= -function.zeros[i - 1] * (damper / 100.0);
      wanted *= stiffness_of(i) / 100.0;
    }
    EXPECT_LT(std::abs(product / wanted - 1.0), 1e-6) << n;
    for (const Complex s : {Complex(0.0, 0.0), Complex(0.1, 0.4), Complex(0.0, 3.1)})
      EXPECT_LT(std::abs(function.at(s) / chain_value(n, s) - 1.0), 1e-7) << n;
  }
}

// In coordinates that are mixed, rounding of A decides what comes through at high frequencies.
// Below, the response is kept, and the border is told.
TEST(ChannelForm, a_chain_in_mixed_coordinates_keeps_its_response_and_tells_how_far) {
  std::mt19937_64 random(41);
  for (const int n : {10, 30}) {
    LinearSystem system = chain(n);
    const MatrixX turn = random_rotation(random, 2 * n);
    system.a = turn.transpose() * system.a * turn;
    system.b = turn.transpose() * system.b;
    system.c = system.c * turn;
    const TransferFunction function = transfer_function(system, 0, 0);
    EXPECT_TRUE(std::isfinite(function.known_up_to)) << n;
    for (const Complex s : {Complex(0.0, 0.0), Complex(0.1, 0.4), Complex(0.0, 1.1)})
      EXPECT_LT(std::abs(function.at(s) / chain_value(n, s) - 1.0), 1e-6) << n;
  }
}

TEST(ChannelForm, what_is_hardly_reached_and_shows_much_is_kept) {
  // 1/(s + 1) + 1/(s + 2), at all shares of the second part between input and output.
  for (const double share : {1.0, 1e-5, 1e-10, 1e-13}) {
    const LinearSystem system = {Vector2(-1.0, -2.0).asDiagonal(), Vector2(1.0, share),
                                 Eigen::RowVector2d(1.0, 1.0 / share), MatrixX::Zero(1, 1)};
    const TransferFunction function = transfer_function(system, 0, 0);
    ASSERT_EQ(function.zeros.size(), 1) << share;
    EXPECT_NEAR(function.zeros[0].real(), -1.5, 1e-9);
    EXPECT_NEAR(function.gain, 2.0, 1e-12);
    EXPECT_EQ(minimal_part(system).system.state_count(), 2);
  }
}

// Bodies of very different mass whose sum is seen.
TEST(ChannelForm, units_of_parts_change_nothing) {
  for (const double heavy : {1.0, 1e4, 1e10}) {
    MatrixX a = MatrixX::Zero(4, 4), b = MatrixX::Zero(4, 1), c = MatrixX::Zero(1, 4);
    a(0, 2) = a(1, 3) = 1.0;
    a(2, 2) = -1.0;
    a(3, 3) = -3.0;
    b << 0.0, 0.0, 1.0 / heavy, 1.0;
    c << heavy, 1.0, 0.0, 0.0;
    const TransferFunction function = transfer_function({a, b, c, MatrixX::Zero(1, 1)}, 0, 0);
    for (const Complex s : {Complex(2.0, 0.0), Complex(0.3, 1.0)}) {
      const Complex wanted = 1.0 / (s * (s + 1.0)) + 1.0 / (s * (s + 3.0));
      EXPECT_LT(std::abs(function.at(s) / wanted - 1.0), 1e-9) << heavy;
    }
  }
}

TEST(ChannelForm, minimal_parts_answer_as_the_whole) {
  std::mt19937_64 random(43);
  std::uniform_real_distribution<double> power(-6.0, 6.0);
  for (int trial = 0; trial < 30; ++trial) {
    LinearSystem system = random_system(random, 6, 2, 2);
    for (int i = 0; i < 6; ++i) {
      const double unit = std::pow(10.0, power(random));
      system.a.row(i) /= unit;
      system.b.row(i) /= unit;
      system.a.col(i) *= unit;
      system.c.col(i) *= unit;
    }
    const LinearSystem part = minimal_part(system).system;
    const Complex point(0.7, 2.3);
    const ComplexMatrix whole = value_at(system, point);
    EXPECT_LT((value_at(part, point) - whole).cwiseAbs().maxCoeff(), 1e-7 * whole.norm()) << trial;
  }
}

// At few points forms are compared before they are taken. They answer to six digits wherever the
// response is known, on the axis and off it; a form that has one zero more or less does not.
TEST(ChannelForm, what_is_taken_answers_between_the_points_too) {
  std::mt19937_64 random(45);
  std::uniform_real_distribution<double> power(-3.0, 3.0);
  int taken = 0, compared = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const int n = 2 + trial % 11;
    LinearSystem system = trial % 3 == 0 ? chain(1 + n / 2) : random_system(random, n, 1, 1);
    if (trial % 2 == 0) system.d.setZero();
    for (int i = 0; i < system.state_count(); ++i) {
      const double unit = std::pow(10.0, power(random));
      system.a.row(i) /= unit;
      system.b.row(i) /= unit;
      system.a.col(i) *= unit;
      system.c.col(i) *= unit;
    }
    const TransferFunction function = transfer_function(system, 0, 0);
    if (!function.is_trusted()) continue;
    ++taken;
    for (const double turn : {M_PI_2, 1.2, 0.0})
      for (int k = -40; k <= 40; ++k) {
        const Complex s = std::polar(std::pow(10.0, 0.1 * k), turn);
        const KnownValue known = known_value(evenly_balanced(system), s);
        const double size = std::abs(known.value(0, 0));
        if (!(known.rounding(0, 0) < 1e-3 * size)) continue;
        ++compared;
        EXPECT_LE(std::abs(function.at(s) - known.value(0, 0)),
                  known.rounding(0, 0) + accepted_miss * size)
            << trial << " " << s;
      }
  }
  EXPECT_GT(taken, 110);
  EXPECT_GT(compared, 20000);
}

TEST(ChannelForm, a_zero_more_or_less_is_far_off) {
  std::mt19937_64 random(46);
  for (int trial = 0; trial < 60; ++trial) {
    LinearSystem system = random_system(random, 3 + trial % 8, 1, 1);
    system.d.setZero();
    const ResponseCheck check(evenly_balanced(system));
    const ChannelForm form = channel_form(system, system, rank_tolerance);
    const ComplexVector all = poles(system);
    const auto miss_of = [&](double gain, const ComplexVector& zeros) {
      return check.miss([&](Complex at) {
        return ComplexMatrix::Constant(1, 1, product_form(gain, zeros, all, at));
      });
    };
    EXPECT_LE(miss_of(form.gain, form.zeros), 1e-3 * accepted_miss) << trial;
    // One of a thousand times the largest pole more.
    ComplexVector more(form.zeros.size() + 1);
    const double far = 1e3 * all.cwiseAbs().maxCoeff();
    more << form.zeros, far;
    EXPECT_GE(miss_of(-form.gain / far, more), 1e3 * accepted_miss) << trial;
    for (Eigen::Index i = 0; i < form.zeros.size(); ++i) {
      ComplexVector moved = form.zeros;
      moved[i] *= 1.0 + 1e-3;
      EXPECT_GE(miss_of(form.gain, moved), 10.0 * accepted_miss) << trial;
    }
  }
}

TEST(ChannelForm, rounding_of_values_is_bounded) {
  std::mt19937_64 random(47);
  std::uniform_real_distribution<double> shift(-1.0, 1.0);
  for (int trial = 0; trial < 30; ++trial) {
    const LinearSystem system = random_system(random, 5, 1, 1);
    const Complex point(0.4, 1.9);
    const KnownValue known = known_value(system, point);
    LinearSystem other = system;
    for (MatrixX* matrix : {&other.a, &other.b, &other.c, &other.d})
      *matrix = matrix->unaryExpr([&](double x) { return x * (1.0 + 1e-9 * shift(random)); });
    EXPECT_LT(std::abs(value_at(other, point)(0, 0) - known.value(0, 0)),
              known.rounding(0, 0) * 1e-9 / machine_epsilon);
  }
}

TEST(ChannelForm, tolerances_and_coefficients_that_make_no_sense_are_told) {
  const LinearSystem one = constant_system(MatrixX::Ones(1, 1));
  for (const double tolerance : {-1.0, 1.0, 2.0, double(NAN)}) {
    EXPECT_THROW(minimal_part(one, tolerance), Error);
    EXPECT_THROW(invariant_zeros(one, tolerance), Error);
    EXPECT_THROW(transfer_function(one, 0, 0, tolerance), Error);
  }
  EXPECT_THROW(system_of(VectorX(0), VectorX::Ones(2)), Error);
}

}  // namespace
}  // namespace vinci
