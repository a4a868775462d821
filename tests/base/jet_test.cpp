// SPDX-License-Identifier: Apache-2.0
// Time derivatives of expressions against closed forms, nested dual numbers (a second route: only
// first-derivative rules, applied twice) and finite differences.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "vinci/base/expression.h"

namespace vinci {
namespace {

const std::vector<std::string> jet_names{"t"};

Jet jet_at(const std::string& text, double t) {
  return Expression::parse(text, jet_names).jet(std::array<Jet, 1>{Jet{t, 1.0, 0.0}});
}

// Relative to the size of the number, at least 1e-300.
void expect_close(double actual, double expected, double relative, const std::string& what) {
  EXPECT_NEAR(actual, expected, relative * std::abs(expected) + 1e-300) << what;
}

struct Case {
  const char* text;
  std::function<double(double)> value, first, second;
};

const std::vector<Case>& closed_forms() {
  using std::cos, std::exp, std::log, std::pow, std::sin, std::sqrt, std::tan;
  static const std::vector<Case> cases{
      {"0.5 + 0.4*sin(3*t)", [](double t) { return 0.5 + 0.4 * sin(3 * t); },
       [](double t) { return 1.2 * cos(3 * t); }, [](double t) { return -3.6 * sin(3 * t); }},
      {"cos(t^2)", [](double t) { return cos(t * t); },
       [](double t) { return -2 * t * sin(t * t); },
       [](double t) { return -2 * sin(t * t) - 4 * t * t * cos(t * t); }},
      {"tan(t/2)", [](double t) { return tan(t / 2); },
       [](double t) { return 0.5 / pow(cos(t / 2), 2); },
       [](double t) { return 0.5 * tan(t / 2) / pow(cos(t / 2), 2); }},
      {"asin(t/4)", [](double t) { return std::asin(t / 4); },
       [](double t) { return 1 / sqrt(16 - t * t); },
       [](double t) { return t / pow(16 - t * t, 1.5); }},
      {"acos(t/4)", [](double t) { return std::acos(t / 4); },
       [](double t) { return -1 / sqrt(16 - t * t); },
       [](double t) { return -t / pow(16 - t * t, 1.5); }},
      {"atan(2*t)", [](double t) { return std::atan(2 * t); },
       [](double t) { return 2 / (1 + 4 * t * t); },
       [](double t) { return -16 * t / pow(1 + 4 * t * t, 2); }},
      {"atan2(3*sin(t), 3*cos(t))", [](double t) { return t; }, [](double) { return 1.0; },
       nullptr},
      {"atan2(t^2, 1 + t)", [](double t) { return std::atan2(t * t, 1 + t); },
       [](double t) { return (t * t + 2 * t) / (t * t * t * t + (1 + t) * (1 + t)); },
       [](double t) {
         const double n = t * t + 2 * t, d = t * t * t * t + (1 + t) * (1 + t);
         return ((2 * t + 2) * d - n * (4 * t * t * t + 2 * (1 + t))) / (d * d);
       }},
      {"sinh(2*t)", [](double t) { return std::sinh(2 * t); },
       [](double t) { return 2 * std::cosh(2 * t); },
       [](double t) { return 4 * std::sinh(2 * t); }},
      {"cosh(2*t)", [](double t) { return std::cosh(2 * t); },
       [](double t) { return 2 * std::sinh(2 * t); },
       [](double t) { return 4 * std::cosh(2 * t); }},
      {"tanh(9*t)", [](double t) { return std::tanh(9 * t); },
       [](double t) { return 9 / pow(std::cosh(9 * t), 2); },
       [](double t) { return -162 * std::sinh(9 * t) / pow(std::cosh(9 * t), 3); }},
      {"sqrt(1 + t)", [](double t) { return sqrt(1 + t); },
       [](double t) { return 0.5 / sqrt(1 + t); },
       [](double t) { return -0.25 * pow(1 + t, -1.5); }},
      {"exp(-t^2)", [](double t) { return exp(-t * t); },
       [](double t) { return -2 * t * exp(-t * t); },
       [](double t) { return (4 * t * t - 2) * exp(-t * t); }},
      {"log(1 + t^2)", [](double t) { return log(1 + t * t); },
       [](double t) { return 2 * t / (1 + t * t); },
       [](double t) { return (2 - 2 * t * t) / pow(1 + t * t, 2); }},
      {"t^5", [](double t) { return pow(t, 5); }, [](double t) { return 5 * pow(t, 4); },
       [](double t) { return 20 * t * t * t; }},
      {"(t - 9)^-3", [](double t) { return pow(t - 9, -3); },
       [](double t) { return -3 * pow(t - 9, -4); }, [](double t) { return 12 * pow(t - 9, -5); }},
      {"t^2.5", [](double t) { return pow(t, 2.5); }, [](double t) { return 2.5 * pow(t, 1.5); },
       [](double t) { return 3.75 * sqrt(t); }},
      {"2^(3*t)", [](double t) { return pow(2, 3 * t); },
       [](double t) { return 3 * log(2) * pow(2, 3 * t); },
       [](double t) { return 9 * log(2) * log(2) * pow(2, 3 * t); }},
      {"t^t", [](double t) { return pow(t, t); }, [](double t) { return pow(t, t) * (log(t) + 1); },
       [](double t) { return pow(t, t) * (pow(log(t) + 1, 2) + 1 / t); }},
      {"(1 + t)/(2 + t^2)", [](double t) { return (1 + t) / (2 + t * t); },
       [](double t) { return (2 - 2 * t - t * t) / pow(2 + t * t, 2); },
       [](double t) { return 2 * (t * t * t + 3 * t * t - 6 * t - 2) / pow(2 + t * t, 3); }},
      {"t*exp(t) - -t", [](double t) { return t * exp(t) + t; },
       [](double t) { return (1 + t) * exp(t) + 1; }, [](double t) { return (2 + t) * exp(t); }},
  };
  return cases;
}

TEST(Jet, derivatives_of_every_smooth_function_equal_their_closed_forms) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> time(0.05, 2.0);
  for (const Case& each : closed_forms()) {
    for (int i = 0; i < 50; ++i) {
      const double t = time(random);
      const Jet jet = jet_at(each.text, t);
      // The closed forms themselves cancel near zeros of theirs: 1e-12 of their own size, plus the
      // rounding of terms of size 10.
      auto expect = [&](double actual, double expected) {
        EXPECT_NEAR(actual, expected, 1e-12 * std::abs(expected) + 1e-14) << each.text << " " << t;
      };
      expect(jet.value, each.value(t));
      expect(jet.first, each.first(t));
      expect(jet.second, each.second ? each.second(t) : 0.0);
    }
  }
}

TEST(Jet, integer_powers_are_exact_for_negative_and_zero_bases) {
  const Jet square = jet_at("t^2", -3.0);
  EXPECT_EQ(square.value, 9.0);
  EXPECT_EQ(square.first, -6.0);
  EXPECT_EQ(square.second, 2.0);
  const Jet cube = jet_at("t^3", -2.0);
  EXPECT_EQ(cube.value, -8.0);
  EXPECT_EQ(cube.first, 12.0);
  EXPECT_EQ(cube.second, -12.0);
  const Jet inverse = jet_at("t^-1", -2.0);
  EXPECT_EQ(inverse.first, -0.25);
  EXPECT_EQ(inverse.second, -0.25);
  for (const auto& [text, first, second] :
       {std::tuple{"t^0", 0.0, 0.0}, {"t^1", 1.0, 0.0}, {"t^2", 0.0, 2.0}, {"t^3", 0.0, 0.0}}) {
    EXPECT_EQ(jet_at(text, 0.0).first, first) << text;
    EXPECT_EQ(jet_at(text, 0.0).second, second) << text;
  }
}

TEST(Jet, small_derivatives_keep_their_relative_accuracy) {
  // 1 − tanh² and 1 − x² would lose every digit here.
  expect_close(jet_at("tanh(t)", 40.0).first, 4 * std::exp(-80.0), 1e-13, "tanh");
  expect_close(jet_at("tanh(t)", 40.0).second, -8 * std::exp(-80.0), 1e-13, "tanh");
  const double x = 1.0 - std::ldexp(1.0, -40);
  expect_close(jet_at("asin(t)", x).first, 1 / std::sqrt(std::ldexp(1.0, -40) * (1 + x)), 1e-14,
               "asin");
  expect_close(jet_at("atan2(t*1e200, 1e200)", 1.0).first, 0.5, 1e-15, "atan2");
}

TEST(Jet, branches_hand_on_their_own_derivative) {
  auto expect = [](const char* text, double t, double value, double first, double second) {
    const Jet jet = jet_at(text, t);
    EXPECT_EQ(jet.value, value) << text;
    EXPECT_EQ(jet.first, first) << text;
    EXPECT_EQ(jet.second, second) << text;
  };
  expect("abs(t^2 - 4)", 1.0, 3.0, -2.0, -2.0);
  expect("abs(t^2 - 4)", 3.0, 5.0, 6.0, 2.0);
  expect("abs(t)", 0.0, 0.0, 1.0, 0.0);
  expect("min(t^2, 3*t)", 2.0, 4.0, 4.0, 2.0);
  expect("max(t^2, 3*t)", 2.0, 6.0, 3.0, 0.0);
  expect("max(t, 0)", 0.0, 0.0, 1.0, 0.0);
  expect("max(0, t)", 0.0, 0.0, 0.0, 0.0);
  expect("sign(t)*t^2", -3.0, -9.0, 6.0, -2.0);
  expect("floor(t)", 1.5, 1.0, 0.0, 0.0);
  expect("step(t - 1)*t^2", 3.0, 9.0, 6.0, 2.0);
  expect("if(t < 1, t^3, t^2)", 2.0, 4.0, 4.0, 2.0);
  expect("if(t < 1, log(-t), t^2)", 2.0, 4.0, 4.0, 2.0);
}

TEST(Jet, constant_branches_have_no_derivative_whatever_is_applied_to_them) {
  const Jet rest = jet_at("sqrt(max(0, 1 - t))", 2.0);
  EXPECT_EQ(rest.value, 0.0);
  EXPECT_EQ(rest.first, 0.0);
  EXPECT_EQ(rest.second, 0.0);
  EXPECT_EQ(jet_at("floor(t)^0.5", 0.5).first, 0.0);
  EXPECT_EQ(jet_at("2 + sqrt(0)", 2.0).first, 0.0);
  // A variable at rest is held constant; one that only passes through is not.
  const std::array<Jet, 1> still{Jet{0.0, 0.0, 0.0}};
  EXPECT_EQ(Expression::parse("sqrt(t)", jet_names).jet(still).first, 0.0);
}

TEST(Jet, missing_derivatives_are_not_finite) {
  EXPECT_FALSE(std::isfinite(jet_at("sqrt(t)", 0.0).first));
  EXPECT_FALSE(std::isfinite(jet_at("sqrt(t^3)", 0.0).second));
  EXPECT_FALSE(std::isfinite(jet_at("asin(t)", 1.0).first));
  EXPECT_FALSE(std::isfinite(jet_at("1/t", 0.0).first));
  EXPECT_FALSE(std::isfinite(jet_at("log(t)", -1.0).value));
}

using std::cos, std::exp, std::log, std::sin, std::sqrt;

// a + b ε with ε² = 0, over any number type.
template <class T>
struct EpsilonNumber {
  T a, b;
  friend EpsilonNumber operator+(const EpsilonNumber& x, const EpsilonNumber& y) {
    return {x.a + y.a, x.b + y.b};
  }
  friend EpsilonNumber operator-(const EpsilonNumber& x, const EpsilonNumber& y) {
    return {x.a - y.a, x.b - y.b};
  }
  friend EpsilonNumber operator*(const EpsilonNumber& x, const EpsilonNumber& y) {
    return {x.a * y.a, x.a * y.b + x.b * y.a};
  }
  friend EpsilonNumber operator/(const EpsilonNumber& x, const EpsilonNumber& y) {
    return {x.a / y.a, (x.b * y.a - x.a * y.b) / (y.a * y.a)};
  }
  friend EpsilonNumber sin(const EpsilonNumber& x) { return {sin(x.a), cos(x.a) * x.b}; }
  friend EpsilonNumber cos(const EpsilonNumber& x) {
    return {cos(x.a), (x.a - x.a - sin(x.a)) * x.b};
  }
  friend EpsilonNumber exp(const EpsilonNumber& x) { return {exp(x.a), exp(x.a) * x.b}; }
  friend EpsilonNumber log(const EpsilonNumber& x) { return {log(x.a), x.b / x.a}; }
  friend EpsilonNumber sqrt(const EpsilonNumber& x) {
    return {sqrt(x.a), x.b / (sqrt(x.a) + sqrt(x.a))};
  }
};
using Nested = EpsilonNumber<EpsilonNumber<double>>;

Nested number(double value) {
  return {{value, 0.0}, {0.0, 0.0}};
}

// A random expression as text and as its nested-dual value at t; arguments are kept in range.
struct Sample {
  std::string text;
  Nested value;
};

Sample random_sample(std::mt19937_64& random, double t, int depth) {
  if (depth == 0 || random() % 8 == 0) {
    if (random() % 2 == 0) return {"t", {{t, 1.0}, {1.0, 0.0}}};
    const int tenths = static_cast<int>(random() % 40) + 1;
    return {std::to_string(tenths) + "/8", number(tenths / 8.0)};
  }
  const Sample x = random_sample(random, t, depth - 1);
  const Nested one = number(1.0), two = number(2.0);
  switch (random() % 12) {
    case 0:
      return {"sin(" + x.text + ")", sin(x.value)};
    case 1:
      return {"cos(" + x.text + ")", cos(x.value)};
    case 2:
      return {"exp(sin(" + x.text + "))", exp(sin(x.value))};
    case 3:
      return {"log(2 + cos(" + x.text + "))", log(two + cos(x.value))};
    case 4:
      return {"sqrt(1 + (" + x.text + ")^2)", sqrt(one + x.value * x.value)};
    case 5:
      return {"tan(sin(" + x.text + "))", sin(sin(x.value)) / cos(sin(x.value))};
    case 6: {
      const Nested e = exp(sin(x.value)), f = one / e;
      return {"tanh(sin(" + x.text + "))", (e - f) / (e + f)};
    }
    case 7:
      return {"(2 + sin(" + x.text + "))^-3",
              one / ((two + sin(x.value)) * (two + sin(x.value)) * (two + sin(x.value)))};
    default:
      break;
  }
  const Sample y = random_sample(random, t, depth - 1);
  switch (random() % 5) {
    case 0:
      return {"(" + x.text + " + " + y.text + ")", x.value + y.value};
    case 1:
      return {"(" + x.text + " - " + y.text + ")", x.value - y.value};
    case 2:
      return {"(" + x.text + ")*sin(" + y.text + ")", x.value * sin(y.value)};
    case 3:
      return {"(" + x.text + ")/(2 + sin(" + y.text + "))", x.value / (two + sin(y.value))};
    default:
      return {"(2 + sin(" + x.text + "))^sin(" + y.text + ")",
              exp(sin(y.value) * log(two + sin(x.value)))};
  }
}

TEST(Jet, random_expressions_agree_with_nested_dual_numbers) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 4000; ++i) {
    const double t = 0.1 + static_cast<double>(random() % 1000) * 1e-3;
    const Sample sample = random_sample(random, t, 4);
    const Jet jet = jet_at(sample.text, t);
    const double size =
        1.0 + std::abs(sample.value.a.a) + std::abs(sample.value.a.b) + std::abs(sample.value.b.b);
    // Both routes round in every operation; up to 4 levels deep the errors stay below 1e-11 of the
    // largest derivative.
    EXPECT_NEAR(jet.value, sample.value.a.a, 1e-11 * size) << sample.text;
    EXPECT_NEAR(jet.first, sample.value.a.b, 1e-11 * size) << sample.text;
    EXPECT_NEAR(jet.second, sample.value.b.b, 1e-11 * size) << sample.text;
  }
}

TEST(Jet, random_expressions_agree_with_finite_differences) {
  std::mt19937_64 random(12);
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.3 + static_cast<double>(random() % 1000) * 1e-3, h = 1e-3;
    const Expression f = Expression::parse(random_sample(random, t, 2).text, jet_names);
    auto at = [&](double k) { return f.value(std::array<double, 1>{t + k * h}); };
    // Sixth-order central differences.
    const double first =
        (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h);
    const double second =
        (270 * (at(1) + at(-1)) - 27 * (at(2) + at(-2)) + 2 * (at(3) + at(-3)) - 490 * at(0)) /
        (180 * h * h);
    const Jet jet = f.jet(std::array<Jet, 1>{Jet{t, 1.0, 0.0}});
    const double size = 1.0 + std::abs(jet.value) + std::abs(jet.first) + std::abs(jet.second);
    if (size > 100.0) continue;  // too curved for this h
    // Rounding 1e-16/h and 1e-16/h²; truncation h⁶ times a seventh derivative of up to 1e7.
    EXPECT_NEAR(jet.first, first, 1e-9 * size) << f.text();
    EXPECT_NEAR(jet.second, second, 1e-7 * size) << f.text();
    ++compared;
  }
  EXPECT_GT(compared, 900);
}

TEST(Jet, value_has_the_bits_of_the_plain_evaluation) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 2000; ++i) {
    const double t = static_cast<double>(random() % 2000) * 1e-3;
    const Expression f = Expression::parse(random_sample(random, t, 4).text, jet_names);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(f.value(std::array<double, 1>{t})),
              std::bit_cast<std::uint64_t>(f.jet(std::array<Jet, 1>{Jet{t, 1.0, 0.0}}).value))
        << f.text();
  }
}

}  // namespace
}  // namespace vinci
