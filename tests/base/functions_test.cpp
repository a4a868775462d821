// SPDX-License-Identifier: Apache-2.0
// The functions beside those of libquadmath, which have 113 bits, over their whole ranges; their
// special values beside the C library's.
#include "vinci/base/functions.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quadmath.h>

namespace vinci {
namespace {

using Quad = __float128;
constexpr int trials = 40000;
// ulp. Half of one is rounding. What is added to the first, exact terms is below 2⁻⁵ of the result,
// and a few roundings of it are left.
constexpr double most_error = 0.7;

// In units of the last place of the true value.
double error_of(double got, Quad wanted) {
  const auto nearest = static_cast<double>(wanted);
  if (!std::isfinite(nearest) || !std::isfinite(got))
    return got == nearest || (std::isnan(got) && std::isnan(nearest)) ? 0.0 : 1e300;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 53, -1074));
  return std::abs(static_cast<double>((static_cast<Quad>(got) - wanted) / unit));
}

class Numbers {
 public:
  double between(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(generator_);
  }
  // Of either sign; sizes from 2^from to 2^to, each power of two as often.
  double of_any_size(double from, double to) {
    const double size =
        std::ldexp(between(1.0, 2.0), static_cast<int>(std::floor(between(from, to))));
    return generator_() % 2 == 0 ? size : -size;
  }

 private:
  std::mt19937_64 generator_{20240611};
};

struct FunctionCase {
  std::string name;
  double (*ours)(double);
  Quad (*wanted)(Quad);
  std::function<double(Numbers&)> draw;
};

void PrintTo(const FunctionCase& c, std::ostream* out) {
  *out << c.name;
}

class Function : public testing::TestWithParam<FunctionCase> {};

TEST_P(Function, is_right_to_0_7_ulp) {
  Numbers numbers;
  for (int i = 0; i < trials; ++i) {
    const double x = GetParam().draw(numbers);
    ASSERT_LE(error_of(GetParam().ours(x), GetParam().wanted(x)), most_error)
        << GetParam().name << " of " << x;
  }
}

double any_angle(Numbers& numbers) {
  return numbers.of_any_size(-40, 1024);
}
double usual_angle(Numbers& numbers) {
  return numbers.of_any_size(-5, 21);
}
// As near as doubles get to multiples of π/2, up to rounding.
double near_quarter(Numbers& numbers) {
  return std::nearbyint(numbers.of_any_size(0, 40)) * 1.5707963267948966;
}
double share(Numbers& numbers) {
  return std::min(std::max(numbers.of_any_size(-60, 0), -1.0), 1.0);
}
double near_one(Numbers& numbers) {
  return std::copysign(1.0 - std::abs(numbers.of_any_size(-54, -1)), numbers.between(-1.0, 1.0));
}
double any_size(Numbers& numbers) {
  return numbers.of_any_size(-60, 60);
}
// Where results are normal numbers.
double power(Numbers& numbers) {
  return numbers.between(-708.0, 709.7);
}
double small(Numbers& numbers) {
  return numbers.of_any_size(-60, 3);
}
double positive(Numbers& numbers) {
  return std::abs(numbers.of_any_size(-1074, 1024));
}
double around_one(Numbers& numbers) {
  return numbers.between(0.5, 2.0);
}

double less_than_a_turn(Numbers& numbers) {
  return numbers.between(-10.0, 10.0);
}
double from_one_on(Numbers& numbers) {
  return numbers.between(1.0, 20.0);
}

INSTANTIATE_TEST_SUITE_P(Portable, Function,
                         testing::ValuesIn(std::vector<FunctionCase>{
                             {"sin", portable::sin, sinq, any_angle},
                             {"sin", portable::sin, sinq, usual_angle},
                             {"sin", portable::sin, sinq, near_quarter},
                             {"cos", portable::cos, cosq, any_angle},
                             {"cos", portable::cos, cosq, usual_angle},
                             {"cos", portable::cos, cosq, near_quarter},
                             {"tan", portable::tan, tanq, any_angle},
                             {"tan", portable::tan, tanq, usual_angle},
                             {"tan", portable::tan, tanq, near_quarter},
                             {"asin", portable::asin, asinq, share},
                             {"asin", portable::asin, asinq, near_one},
                             {"acos", portable::acos, acosq, share},
                             {"acos", portable::acos, acosq, near_one},
                             {"atan", portable::atan, atanq, any_size},
                             {"exp", portable::exp, expq, power},
                             {"exp", portable::exp, expq, small},
                             {"log", portable::log, logq, positive},
                             {"log", portable::log, logq, around_one},
                             {"sinh", portable::sinh, sinhq, power},
                             {"sinh", portable::sinh, sinhq, small},
                             {"cosh", portable::cosh, coshq, power},
                             {"cosh", portable::cosh, coshq, small},
                             {"tanh", portable::tanh, tanhq, small},
                             {"expm1", portable::expm1, expm1q, small},
                             {"expm1", portable::expm1, expm1q, power},
                             {"log1p", portable::log1p, log1pq, positive},
                             {"log1p", portable::log1p, log1pq, share},
                             {"log10", portable::log10, log10q, positive},
                             {"log10", portable::log10, log10q, around_one},
                             {"gamma", portable::gamma, tgammaq, from_one_on},
                             {"sin", portable::sin, sinq, less_than_a_turn},
                             {"cos", portable::cos, cosq, less_than_a_turn},
                             {"tan", portable::tan, tanq, less_than_a_turn}}));

TEST(Portable, sincos_has_the_bits_of_sin_and_cos) {
  Numbers numbers;
  for (int i = 0; i < trials; ++i) {
    const double x = i % 2 == 0 ? any_angle(numbers) : less_than_a_turn(numbers);
    double sine = 0.0, cosine = 0.0;
    portable::sincos(x, &sine, &cosine);
    ASSERT_EQ(sine, portable::sin(x)) << x;
    ASSERT_EQ(cosine, portable::cos(x)) << x;
  }
}

// What sources call is what the linker put there. Read at run time, lest the compiler computes
// them.
TEST(Portable, calls_of_the_c_library_come_to_ours) {
  const auto of = [](double x) {
    return std::vector<double>{std::sin(x),   std::cos(x),   std::tan(x),    std::asin(x),
                               std::acos(x),  std::atan(x),  std::exp(x),    std::log(x),
                               std::sinh(x),  std::cosh(x),  std::tanh(x),   std::expm1(x),
                               std::log1p(x), std::log10(x), std::pow(x, x), std::atan2(x, 0.3)};
  };
  Numbers numbers;
  for (int i = 0; i < trials; ++i) {
    const double x = numbers.between(0.0, 1.0);
    const std::vector<double> ours{
        portable::sin(x),   portable::cos(x),   portable::tan(x),    portable::asin(x),
        portable::acos(x),  portable::atan(x),  portable::exp(x),    portable::log(x),
        portable::sinh(x),  portable::cosh(x),  portable::tanh(x),   portable::expm1(x),
        portable::log1p(x), portable::log10(x), portable::pow(x, x), portable::atan2(x, 0.3)};
    ASSERT_EQ(of(x), ours) << x;
  }
}

TEST(Portable, atan2_and_pow_are_right_to_0_7_ulp) {
  Numbers numbers;
  for (int i = 0; i < trials; ++i) {
    const bool far = i % 2 == 0;
    const double y = numbers.of_any_size(far ? -500 : -10, far ? 500 : 10);
    const double x = numbers.of_any_size(far ? -500 : -10, far ? 500 : 10);
    ASSERT_LE(error_of(portable::atan2(y, x), atan2q(y, x)), most_error) << y << " " << x;
    const double base = far ? std::abs(numbers.of_any_size(-60, 60)) : numbers.between(0.5, 2.0);
    const double exponent = far ? numbers.of_any_size(-3, 4) : numbers.of_any_size(-3, 10);
    const Quad wanted = powq(base, exponent);
    const bool is_normal = wanted > std::numeric_limits<double>::min();
    ASSERT_LE(error_of(portable::pow(base, exponent), wanted), is_normal ? most_error : 1.0)
        << base << " " << exponent;
  }
}

TEST(Portable, results_below_the_normal_numbers_are_right_to_1_ulp) {
  Numbers numbers;
  for (int i = 0; i < trials; ++i) {
    const double x = numbers.between(-746.0, -708.0);
    ASSERT_LE(error_of(portable::exp(x), expq(x)), 1.0) << x;
  }
}

TEST(Portable, powers_that_are_doubles_are_exact) {
  for (int base = 2; base < 100; ++base) {
    double product = 1.0;
    for (int exponent = 1; (product *= base) < 0x1p53; ++exponent) {
      EXPECT_EQ(portable::pow(base, exponent), product);
      EXPECT_EQ(portable::pow(-base, exponent), exponent % 2 == 0 ? product : -product);
    }
  }
}

// The C library's special values; on ordinary numbers only the last bits may differ.
TEST(Portable, special_values_are_those_of_the_c_library) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers{0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    2.0,
                                    -2.0,
                                    0.5,
                                    -0.5,
                                    3.0,
                                    -3.0,
                                    1e308,
                                    infinity,
                                    -infinity,
                                    -1e308,
                                    4.9e-324,
                                    -4.9e-324,
                                    1e-310,
                                    745.0,
                                    -745.0,
                                    710.0,
                                    -750.0,
                                    9007199254740993.0,
                                    4503599627370497.0,
                                    std::nan("")};
  const auto same = [](double a, Quad b) {
    const auto wanted = static_cast<double>(b);
    if (std::isnan(wanted)) return std::isnan(a);
    return error_of(a, b) <= 1.0 && std::signbit(a) == std::signbit(wanted);
  };
  for (const double x : numbers) {
    EXPECT_TRUE(same(portable::sin(x), sinq(x)) && same(portable::cos(x), cosq(x)) &&
                same(portable::tan(x), tanq(x)) && same(portable::asin(x), asinq(x)) &&
                same(portable::acos(x), acosq(x)) && same(portable::atan(x), atanq(x)) &&
                same(portable::exp(x), expq(x)) && same(portable::log(x), logq(x)) &&
                same(portable::sinh(x), sinhq(x)) && same(portable::cosh(x), coshq(x)) &&
                same(portable::tanh(x), tanhq(x)) && same(portable::expm1(x), expm1q(x)) &&
                same(portable::log1p(x), log1pq(x)) && same(portable::log10(x), log10q(x)))
        << x;
    for (const double y : numbers) {
      EXPECT_TRUE(same(portable::pow(x, y), powq(x, y))) << x << " ^ " << y;
      EXPECT_TRUE(same(portable::atan2(x, y), atan2q(x, y))) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace vinci
