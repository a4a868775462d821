// SPDX-License-Identifier: Apache-2.0
// Expressions over numbers that carry derivatives, against jets and differences.
#include "vinci/base/expression_number.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace vinci {
namespace {

using Slope = Dual<double>;
using Time = Series<double>;
using Both = Series<Slope>;

const std::vector<std::string> two_names{"x", "y"};

Expression parsed(const std::string& text) {
  return Expression::parse(text, two_names);
}

// Smooth for 0.2 < x, y < 0.9, every function among them.
const std::vector<std::string>& smooth_texts() {
  static const std::vector<std::string> texts{
      "3",
      "x",
      "-x + y*2 - 1",
      "sin(3*x)*y",
      "cos(x - 2*y)",
      "tan(x*y)",
      "asin(x)*y",
      "acos(x*y)",
      "atan(3*x) - y",
      "atan2(x, y)",
      "atan2(-x^2, y - 2)",
      "sinh(x + y)",
      "cosh(x)/y",
      "tanh(9*x)*y",
      "sqrt(x*y + x)",
      "exp(x*y)",
      "log(x/y)",
      "abs(x - 3)*y",
      "min(x*y, 5) + max(x, y - 4)",
      "step(x)*y^2",
      "sign(y)*x",
      "floor(x + 3)*x*y",
      "if(x < 2, x*y, x - y)",
      "x^3*y^-2",
      "(x - 4)^3*y",
      "(x - 4)^-2",
      "x^2.5",
      "2^(x*y)",
      "x^y",
      "(x + y)^(x - y)",
      "x^2 + y^2 - (2 + 0.25)^2",
      "0.25*x + 2*y + 2.25*(atan2(x, y) - atan2(0.1, 0.9))"};
  return texts;
}

struct Point {
  double x, y, dx, dy, vx, vy, ax, ay, wx, wy, bx, by;  // values, slopes, rates, and their slopes
};

Point random_point(std::mt19937_64& random) {
  std::uniform_real_distribution<double> place(0.25, 0.85), any(-1.0, 1.0);
  return {place(random), place(random), any(random), any(random), any(random), any(random),
          any(random),   any(random),   any(random), any(random), any(random), any(random)};
}

Both both(const Expression& f, const Point& p) {
  const std::array<Both, 2> at{Both(Slope(p.x, p.dx), Slope(p.vx, p.wx), Slope(p.ax, p.bx)),
                               Both(Slope(p.y, p.dy), Slope(p.vy, p.wy), Slope(p.ay, p.by))};
  return evaluate<Both>(f, at);
}

Jet jet(const Expression& f, const Point& p, double along = 0.0) {
  return f.jet(
      std::array<Jet, 2>{Jet{p.x + along * p.dx, p.vx + along * p.wx, p.ax + along * p.bx},
                         Jet{p.y + along * p.dy, p.vy + along * p.wy, p.ay + along * p.by}});
}

double size_of(const Both& number) {
  double size = 1.0;
  for (const Slope& part : {number.value, number.first, number.second})
    size = std::max({size, std::abs(part.value), std::abs(part.slope)});
  return size;
}

TEST(ExpressionNumber, time_series_are_those_of_jets) {
  std::mt19937_64 random(1);
  for (const std::string& text : smooth_texts()) {
    const Expression f = parsed(text);
    for (int i = 0; i < 20; ++i) {
      const Point p = random_point(random);
      const std::array<Time, 2> at{Time(p.x, p.vx, p.ax), Time(p.y, p.vy, p.ay)};
      const Time number = evaluate<Time>(f, at);
      const Jet expected = jet(f, p);
      const double size = 1.0 + std::abs(expected.first) + std::abs(expected.second);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(number.value),
                std::bit_cast<std::uint64_t>(expected.value))
          << text;
      // Some formulas round in another order.
      EXPECT_NEAR(number.first, expected.first, 1e-14 * size) << text;
      EXPECT_NEAR(number.second, expected.second, 1e-13 * size) << text;
      EXPECT_EQ(evaluate<double>(f, std::array<double, 2>{p.x, p.y}), expected.value) << text;
    }
  }
}

TEST(ExpressionNumber, slopes_are_those_of_differences) {
  std::mt19937_64 random(2);
  for (const std::string& text : smooth_texts()) {
    const Expression f = parsed(text);
    for (int i = 0; i < 20; ++i) {
      const Point p = random_point(random);
      const Both number = both(f, p);
      const double h = 1e-3;
      // Sixth-order central differences of what the jet says.
      const auto slope = [&](auto part) {
        const auto at = [&](double k) { return part(jet(f, p, k * h)); };
        return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h);
      };
      // Truncation h⁶ times seventh derivatives of up to 1e9 here; rounding 1e-16/h times 1e3.
      const double close = 2e-9 * size_of(number);
      EXPECT_NEAR(number.value.slope, slope([](const Jet& j) { return j.value; }), close) << text;
      EXPECT_NEAR(number.first.slope, slope([](const Jet& j) { return j.first; }), close) << text;
      EXPECT_NEAR(number.second.slope, slope([](const Jet& j) { return j.second; }), close) << text;
      const std::array<Slope, 2> still{Slope(p.x, p.dx), Slope(p.y, p.dy)};
      EXPECT_NEAR(evaluate<Slope>(f, still).slope, number.value.slope, 1e-14 * size_of(number))
          << text;
    }
  }
}

TEST(ExpressionNumber, parts_of_nested_numbers_agree_with_plain_ones) {
  std::mt19937_64 random(3);
  for (const std::string& text : smooth_texts()) {
    const Expression f = parsed(text);
    const Point p = random_point(random);
    const Both number = both(f, p);
    const Jet expected = jet(f, p);
    const double size = size_of(number);
    EXPECT_EQ(number.value.value, expected.value) << text;
    EXPECT_NEAR(number.first.value, expected.first, 1e-14 * size) << text;
    EXPECT_NEAR(number.second.value, expected.second, 1e-13 * size) << text;
  }
}

TEST(ExpressionNumber, powers_keep_their_derivatives_at_zero_and_below) {
  // d/dε of ẍ-terms: x³ has the third derivative 6 at 0, x² none.
  Point p{};
  p.dx = 1.0, p.vx = 1.0;
  EXPECT_EQ(both(parsed("x^3"), p).second.slope, 6.0);
  EXPECT_EQ(both(parsed("x^2"), p).second.value, 2.0);
  EXPECT_EQ(both(parsed("x^2"), p).second.slope, 0.0);
  EXPECT_EQ(both(parsed("x^1"), p).first.value, 1.0);
  EXPECT_EQ(both(parsed("x^0"), p).first.value, 0.0);
  p.x = -2.0;
  EXPECT_EQ(both(parsed("x^3"), p).value.slope, 12.0);
  EXPECT_EQ(both(parsed("x^-1"), p).second.value, 2.0 / -8.0);
  EXPECT_TRUE(std::isnan(both(parsed("x^2.5"), p).value.value));
}

TEST(ExpressionNumber, angles_have_derivatives_on_the_axes_and_far_out) {
  // About the origin at 1 rad/s.
  for (const auto& [x, y] :
       {std::pair{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}, {3e200, 4e200}}) {
    const std::array<Time, 2> at{Time(x, -y, -x), Time(y, x, -y)};
    const Time angle = evaluate<Time>(parsed("atan2(y, x)"), at);
    EXPECT_EQ(angle.value, std::atan2(y, x));
    EXPECT_NEAR(angle.first, 1.0, 1e-15);
    EXPECT_NEAR(angle.second, 0.0, 1e-15);
  }
}

TEST(ExpressionNumber, kinks_have_the_derivative_of_their_active_branch) {
  const auto slope = [](const std::string& text, double x, double y) {
    return evaluate<Slope>(parsed(text), std::array<Slope, 2>{Slope(x, 1.0), Slope(y, 10.0)}).slope;
  };
  EXPECT_EQ(slope("abs(x)", -2.0, 0.0), -1.0);
  EXPECT_EQ(slope("abs(x)", 0.0, 0.0), 1.0);
  EXPECT_EQ(slope("min(x, y)", 1.0, 1.0), 1.0);  // a tie: that of the first
  EXPECT_EQ(slope("max(y, x)", 1.0, 1.0), 10.0);
  EXPECT_EQ(slope("min(x, y)", 1.0, 0.5), 10.0);
  EXPECT_EQ(slope("if(x < y, 3*x, y)", 0.0, 1.0), 3.0);
  EXPECT_EQ(slope("if(x >= y, 3*x, y)", 0.0, 1.0), 10.0);
  EXPECT_EQ(slope("step(x) + sign(x) + floor(x)", 0.5, 0.0), 0.0);
}

TEST(ExpressionNumber, what_has_no_derivative_is_not_a_number) {
  const auto at = [](const std::string& text, const Slope& x) {
    return evaluate<Slope>(parsed(text), std::array<Slope, 2>{x, Slope(0.0)});
  };
  EXPECT_FALSE(std::isfinite(at("sqrt(x)", Slope(0.0, 1.0)).slope));
  // |x|, though x² has the slope 0 there.
  EXPECT_FALSE(std::isfinite(at("sqrt(x^2)", Slope(0.0, 1.0)).slope));
  EXPECT_FALSE(std::isfinite(at("log(x)", Slope(0.0, 1.0)).slope));
  EXPECT_TRUE(std::isnan(at("asin(x)", Slope(2.0, 1.0)).value));
  // What is held, and branches that are constant, rest.
  EXPECT_EQ(at("sqrt(x)", Slope(0.0)).slope, 0.0);
  EXPECT_EQ(at("sqrt(max(0, 1 - x))", Slope(2.0, 1.0)).slope, 0.0);
  EXPECT_TRUE(std::isnan(at("if(asin(x) < 1, 1, 1)", Slope(2.0, 1.0)).slope));
}

TEST(ExpressionNumber, a_variable_that_is_missing_is_not_a_number) {
  const std::array<Slope, 1> one{Slope(1.0, 1.0)};
  EXPECT_TRUE(std::isnan(evaluate<Slope>(parsed("x + y"), one).slope));
  EXPECT_EQ(evaluate<Slope>(parsed("2*x"), one).slope, 2.0);
  EXPECT_EQ(evaluate<Slope>(Expression(), one).value, 0.0);
}

}  // namespace
}  // namespace vinci
