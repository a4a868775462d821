// SPDX-License-Identifier: Apache-2.0
// Against numbers of 40 digits (mpmath) and against each other.
#include "vinci/sampling/special_functions.h"

#include <cmath>

#include <gtest/gtest.h>

#include "vinci/base/math.h"

namespace vinci {
namespace {

void expect_relative(double value, double expected, double tolerance) {
  EXPECT_LE(std::abs(value - expected), tolerance * std::abs(expected))
      << value << " for " << expected;
}

TEST(SpecialFunctions, binomial_densities_are_differences_of_their_sums) {
  for (const double p : {0.02, 0.5, 0.9})
    for (double k = 0.0; k <= 40.0; k += 1.0)
      EXPECT_NEAR(binomial_density(k, 40.0, p),
                  binomial_cdf(k, 40.0, p) - binomial_cdf(k - 1.0, 40.0, p), 1e-14);
  EXPECT_NEAR(binomial_density(100.0, 100.0, 1e-3) * 1e300, 1.0, 1e-12);
  EXPECT_EQ(binomial_density(0.0, 5.0, 0.0), 1.0);
  EXPECT_EQ(binomial_density(4.0, 5.0, 1.0), 0.0);
}

TEST(SpecialFunctions, normal_cdf_has_all_digits_down_to_1e_300) {
  expect_relative(normal_cdf(-37.0), 5.7255712225245768227e-300, 2e-15);
  expect_relative(normal_cdf(-20.0), 2.7536241186062336951e-89, 2e-15);
  expect_relative(normal_cdf(-8.2), 1.2019351542735858152e-16, 2e-15);
  expect_relative(normal_cdf(-5.7), 5.9903714010635281878e-9, 2e-15);
  expect_relative(normal_cdf(-5.6), 1.071759025831092932e-8, 2e-15);
  expect_relative(normal_cdf(-2.0), 0.0227501319481792072, 1e-15);
  expect_relative(normal_cdf(-0.7), 0.24196365222307302862, 1e-15);
  expect_relative(normal_cdf(-0.6), 0.27425311775007358769, 1e-15);
  expect_relative(normal_cdf(0.3), 0.61791142218895263307, 1e-15);
  expect_relative(normal_cdf(0.65), 0.74215388919413528208, 1e-15);
  expect_relative(normal_cdf(1.5), 0.933192798731141934, 1e-15);
  EXPECT_EQ(normal_cdf(-infinity), 0.0);
  EXPECT_EQ(normal_cdf(infinity), 1.0);
  EXPECT_TRUE(std::isnan(normal_cdf(NAN)));
}

TEST(SpecialFunctions, normal_quantile_has_all_digits_down_to_1e_300) {
  expect_relative(normal_quantile(1e-300), -37.047096299361199237, 2e-15);
  expect_relative(normal_quantile(1e-100), -21.273453560965324295, 2e-15);
  expect_relative(normal_quantile(1e-30), -11.464024688443615727, 2e-15);
  expect_relative(normal_quantile(1e-12), -7.0344838253011319298, 2e-15);
  expect_relative(normal_quantile(1e-11), -6.7060231554951362873, 2e-15);
  expect_relative(normal_quantile(1e-5), -4.2648907939228246285, 2e-15);
  expect_relative(normal_quantile(0.01), -2.3263478740408411009, 2e-15);
  expect_relative(normal_quantile(0.074), -1.4466320671589784837, 2e-15);
  expect_relative(normal_quantile(0.3), -0.52440051270804078404, 2e-15);
  expect_relative(normal_quantile(0.4), -0.2533471031357997988, 2e-15);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_EQ(normal_quantile(0.0), -infinity);
  EXPECT_EQ(normal_quantile(1.0), infinity);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(NAN)));
}

TEST(SpecialFunctions, normal_quantile_inverts_the_cdf) {
  for (double x = -37.0; x < 5.0; x += 0.0371)
    EXPECT_NEAR(normal_quantile(normal_cdf(x)), x, 2e-15 * std::abs(x) + (x > 0.0 ? 1e-9 : 4e-16))
        << x;
}

TEST(SpecialFunctions, normal_density_is_the_slope_of_the_cdf) {
  for (double x = -30.0; x < 2.0; x += 0.173) {
    const double step = 1e-4 / std::max(1.0, std::abs(x));
    const double slope = (normal_cdf(x + step) - normal_cdf(x - step)) / (2.0 * step);
    expect_relative(slope, normal_density(x), 1e-7);
  }
}

TEST(SpecialFunctions, beta_tails_have_their_digits_on_both_sides) {
  const auto check = [](double x, double a, double b, double below, double above) {
    const Tails tails = beta_tails(x, a, b);
    expect_relative(tails.below, below, 2e-14);
    expect_relative(tails.above, above, 2e-14);
  };
  check(0.1, 0.5, 0.5, 0.20483276469913345754, 0.79516723530086654246);
  check(0.25, 3.0, 7.0, 0.399322509765625, 0.600677490234375);
  check(0.9, 3.0, 7.0, 0.999997002, 2.9979999999999954676e-6);
  check(1e-3, 2.0, 1000.0, 0.26460915045807191842, 0.73539084954192808158);
  check(0.5, 1000.0, 1100.0, 0.98548301825652960689, 0.014516981743470393106);
  check(1e-6, 0.5, 5.0, 0.0024609342187529530679, 0.99753906578124704693);
}

// I_x(1, b) = 1 − (1 − x)ᵇ and I_x(a, 1) = xᵃ.
TEST(SpecialFunctions, beta_tails_match_their_closed_forms) {
  for (const double n : {1.0, 3.5, 40.0, 2000.0, 3e6})
    for (const double x : {1e-12, 1e-7, 1e-3, 0.2, 0.7, 0.999}) {
      expect_relative(beta_tails(x, 1.0, n).below, -std::expm1(n * std::log1p(-x)), 3e-13);
      const double power = std::exp(n * std::log(x));
      if (power > 1e-300) expect_relative(beta_tails(x, n, 1.0).below, power, 3e-12);
    }
}

TEST(SpecialFunctions, beta_quantile_inverts_the_tails) {
  for (const double a : {0.5, 1.0, 2.0, 17.0, 1000.0, 1e6})
    for (const double b : {0.5, 1.0, 3.0, 250.0, 1e6})
      for (const double p : {1e-200, 1e-12, 0.025, 0.3, 0.5, 0.7, 0.975, 1.0 - 1e-12}) {
        const double x = beta_quantile(p, a, b);
        if (x < 1e-300) continue;
        EXPECT_NEAR(beta_upper_quantile(p, b, a), 1.0 - x, 1e-14 * (1.0 - x) + 2.5e-16);
        const Tails tails = beta_tails(x, a, b);
        // x has so many digits, 1 − x fewer where x is near 1.
        const double slack = 1e-14 * std::max(a, b) + 3e-16 * std::max(a, b) / (1.0 - x) + 1e-12;
        expect_relative(p < 0.5 ? tails.below : tails.above, p < 0.5 ? p : 1.0 - p, slack);
      }
  expect_relative(beta_quantile(0.025, 1.0, 10.0), 0.0025285785444617848, 1e-14);
  expect_relative(beta_quantile(0.975, 3.0, 98.0), 0.07038393247107011, 1e-13);
  expect_relative(beta_quantile(1e-12, 2.0, 5.0), 2.5819897863610075e-07, 1e-13);
  expect_relative(beta_quantile(0.3, 0.5, 0.5), 0.2061073738537634, 1e-13);
}

TEST(SpecialFunctions, student_quantile_matches_tables) {
  expect_relative(student_quantile(0.975, 1.0), std::tan(M_PI * 0.475), 1e-14);
  expect_relative(student_quantile(0.975, 9.0), 2.2621571627982049992, 1e-13);
  expect_relative(student_quantile(0.975, 999.0), 1.9623414611334487, 1e-13);
  expect_relative(student_quantile(0.6, 3.0), 0.27667066233268984701, 1e-13);
  expect_relative(student_quantile(0.9995, 5.5), 6.3508175000837789795, 1e-12);
  expect_relative(student_quantile(1e-12, 4.0), -1316.0727465592565424, 1e-12);
  expect_relative(student_quantile(0.51, 20.0), 0.025384308073732795644, 1e-12);
  EXPECT_EQ(student_quantile(0.5, 3.0), 0.0);
  EXPECT_EQ(student_quantile(1.0, 3.0), infinity);
}

TEST(SpecialFunctions, binomial_cdf_is_the_sum_of_its_terms) {
  double term = std::pow(0.7, 20), sum = 0.0;
  for (int k = 0; k < 20; ++k) {
    sum += term;
    EXPECT_NEAR(binomial_cdf(k, 20, 0.3), sum, 1e-14) << k;
    term *= (20.0 - k) / (k + 1.0) * 0.3 / 0.7;
  }
  EXPECT_EQ(binomial_cdf(20, 20, 0.3), 1.0);
  EXPECT_EQ(binomial_cdf(-1, 20, 0.3), 0.0);
}

}  // namespace
}  // namespace vinci
