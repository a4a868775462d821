// SPDX-License-Identifier: Apache-2.0
// Evaluation of expressions. With x = x₀ + x₁τ + x₂τ²/2 every operation g maps
//   g₀ = g(x₀),  g₁ = g'(x₀) x₁,  g₂ = g''(x₀) x₁² + g'(x₀) x₂,
// products and quotients by Leibniz' rule [Griewank 2008, table 13.1].
#include "vinci/base/expression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/expression_program.h"

namespace vinci {

namespace {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A Taylor series and whether it is known to be constant about this instant: then its derivatives
// are zero whatever the functions applied to it, sqrt(max(0, 1-t)) after t = 1 for example.
struct TimeSeries {
  Jet jet;
  bool constant = false;
};

// NaN as a condition, or in a comparison, stays NaN.
double select_value(double condition, double a, double b) {
  return std::isnan(condition) ? not_a_number : condition != 0.0 ? a : b;
}

double compare(bool holds, double a, double b) {
  return std::isnan(a) || std::isnan(b) ? not_a_number : holds ? 1.0 : 0.0;
}

}  // namespace

double unary_value(Expression::Op op, double x) {
  switch (op) {
    case Op::negate:
      return -x;
    case Op::sin:
      return std::sin(x);
    case Op::cos:
      return std::cos(x);
    case Op::tan:
      return std::tan(x);
    case Op::asin:
      return std::asin(x);
    case Op::acos:
      return std::acos(x);
    case Op::atan:
      return std::atan(x);
    case Op::sinh:
      return std::sinh(x);
    case Op::cosh:
      return std::cosh(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::sqrt:
      return std::sqrt(x);
    case Op::exp:
      return std::exp(x);
    case Op::log:
      return std::log(x);
    case Op::abs:
      return std::abs(x);
    case Op::sign:
      return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    case Op::floor:
      return std::floor(x);
    case Op::step:
      return x < 0.0 ? 0.0 : x >= 0.0 ? 1.0 : x;
    default:
      return not_a_number;
  }
}

bool takes_first(Expression::Op op, double a, double b) {
  return std::isnan(a) || (op == Op::minimum ? a <= b : a >= b);
}

double binary_value(Expression::Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      // The library's pow(NaN, 0) and pow(1, NaN) are 1.
      return std::isnan(a) || std::isnan(b) ? not_a_number : std::pow(a, b);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::minimum:
    case Op::maximum:
      return takes_first(op, a, b) ? a : b;
    case Op::less:
      return compare(a < b, a, b);
    case Op::less_equal:
      return compare(a <= b, a, b);
    case Op::greater:
      return compare(a > b, a, b);
    case Op::greater_equal:
      return compare(a >= b, a, b);
    default:
      return not_a_number;
  }
}

namespace {

struct Derivatives {
  double first, second;
};

// g'(x) and g''(x), given g(x).
Derivatives unary_derivatives(Op op, double x, double g) {
  switch (op) {
    case Op::negate:
      return {-1.0, 0.0};
    case Op::sin:
      return {std::cos(x), -g};
    case Op::cos:
      return {-std::sin(x), -g};
    case Op::tan:
      return {1.0 + g * g, 2.0 * g * (1.0 + g * g)};
    case Op::asin:
    case Op::acos: {
      const double square = (1.0 - x) * (1.0 + x);
      const double first = (op == Op::asin ? 1.0 : -1.0) / std::sqrt(square);
      return {first, x * first / square};
    }
    case Op::atan: {
      const double first = 1.0 / (1.0 + x * x);
      return {first, -2.0 * x * first * first};
    }
    case Op::sinh:
      return {std::cosh(x), g};
    case Op::cosh:
      return {std::sinh(x), g};
    case Op::tanh: {
      const double secant = 1.0 / std::cosh(x);  // 1 − g² would cancel
      return {secant * secant, -2.0 * g * secant * secant};
    }
    case Op::sqrt:
      return {0.5 / g, -0.25 / (g * x)};
    case Op::exp:
      return {g, g};
    case Op::log:
      return {1.0 / x, -1.0 / x / x};
    case Op::abs:
      return {x < 0.0 ? -1.0 : 1.0, 0.0};
    default:
      return {0.0, 0.0};  // sign, floor, step
  }
}

TimeSeries chain(double g, const Derivatives& d, const Jet& x) {
  return {{g, d.first * x.first, d.second * x.first * x.first + d.first * x.second}};
}

TimeSeries unary_series(Op op, const TimeSeries& x) {
  const double g = unary_value(op, x.jet.value);
  if (x.constant || op == Op::sign || op == Op::floor || op == Op::step)
    return {{g, 0.0, 0.0}, true};
  return chain(g, unary_derivatives(op, x.jet.value, g), x.jet);
}

TimeSeries power_series(double g, const TimeSeries& base, const TimeSeries& exponent) {
  const double x = base.jet.value, n = exponent.jet.value;
  if (exponent.constant) {  // power rule; right for negative x and integer n too
    const double second = n * (n - 1.0);
    return chain(g,
                 {n == 0.0 ? 0.0 : n * std::pow(x, n - 1.0),
                  second == 0.0 ? 0.0 : second * std::pow(x, n - 2.0)},
                 base.jet);
  }
  // xⁿ = exp(l), l = n log x; a constant base gives l no part from its own rate.
  const Jet& b = exponent.jet;
  const double logarithm = std::log(x);
  const Jet log_base = base.constant ? Jet{logarithm, 0.0, 0.0}
                                     : chain(logarithm, {1.0 / x, -1.0 / x / x}, base.jet).jet;
  const double first = b.first * logarithm + n * log_base.first;
  const double second = b.second * logarithm + 2.0 * b.first * log_base.first + n * log_base.second;
  return {{g, g * first, g * (second + first * first)}};
}

// θ = atan2(y, x): r²θ₁ = x y₁ − y x₁, and its time derivative; scaled by r against overflow.
TimeSeries angle_series(double angle, const Jet& y, const Jet& x) {
  const double r = std::hypot(x.value, y.value);
  const double c = x.value / r, s = y.value / r;
  const double first = (c * y.first - s * x.first) / r;
  const double stretch = c * x.first + s * y.first;
  return {{angle, first, (c * y.second - s * x.second - 2.0 * first * stretch) / r}};
}

TimeSeries binary_series(Op op, const TimeSeries& left, const TimeSeries& right) {
  const Jet &a = left.jet, &b = right.jet;
  if (op == Op::minimum || op == Op::maximum)
    return takes_first(op, a.value, b.value) ? left : right;
  const double g = binary_value(op, a.value, b.value);
  if ((left.constant && right.constant) || op >= Op::less) return {{g, 0.0, 0.0}, true};
  switch (op) {
    case Op::add:
      return {{g, a.first + b.first, a.second + b.second}};
    case Op::subtract:
      return {{g, a.first - b.first, a.second - b.second}};
    case Op::multiply:
      return {{g, a.first * b.value + a.value * b.first,
               a.second * b.value + 2.0 * a.first * b.first + a.value * b.second}};
    case Op::divide: {
      const double first = (a.first - g * b.first) / b.value;
      return {{g, first, (a.second - 2.0 * first * b.first - g * b.second) / b.value}};
    }
    case Op::power:
      return power_series(g, left, right);
    default:
      return angle_series(g, a, b);
  }
}

TimeSeries select_series(const TimeSeries& condition, const TimeSeries& a, const TimeSeries& b) {
  if (std::isnan(condition.jet.value)) return {{not_a_number, not_a_number, not_a_number}};
  return condition.jet.value != 0.0 ? a : b;
}

// The two number types a program runs on.
struct ValueRules {
  using Number = double;
  static double constant(double value) { return value; }
  static double variable(std::span<const double> variables, unsigned index) {
    return index < variables.size() ? variables[index] : not_a_number;
  }
  static double unary(Op op, double x) { return unary_value(op, x); }
  static double binary(Op op, double a, double b) { return binary_value(op, a, b); }
  static double select(double condition, double a, double b) {
    return select_value(condition, a, b);
  }
};

struct SeriesRules {
  using Number = TimeSeries;
  static TimeSeries constant(double value) { return {{value, 0.0, 0.0}, true}; }
  static TimeSeries variable(std::span<const Jet> variables, unsigned index) {
    if (index >= variables.size()) return {{not_a_number, not_a_number, not_a_number}};
    const Jet& jet = variables[index];
    return {jet, jet.first == 0.0 && jet.second == 0.0};
  }
  static TimeSeries unary(Op op, const TimeSeries& x) { return unary_series(op, x); }
  static TimeSeries binary(Op op, const TimeSeries& a, const TimeSeries& b) {
    return binary_series(op, a, b);
  }
  static TimeSeries select(const TimeSeries& condition, const TimeSeries& a, const TimeSeries& b) {
    return select_series(condition, a, b);
  }
};

}  // namespace

int operand_count(Op op) {
  return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::select ? 2 : 3;
}

void append_folded(std::vector<Instruction>& program, const Instruction& instruction) {
  const auto count = static_cast<std::size_t>(operand_count(instruction.op));
  program.push_back(instruction);
  if (count == 0 || program.size() <= count) return;
  const std::span<const Instruction> tail(program.end() - static_cast<long>(count) - 1,
                                          program.end());
  // Constants at the end of a postfix program are whole operands.
  for (const Instruction& operand : tail.first(count))
    if (operand.op != Op::constant) return;
  const double value = run_program<ValueRules>(tail, std::span<const double>());
  program.resize(program.size() - count);
  program.back() = {Op::constant, 0, value};
}

Expression::Expression(double constant)
    : program_{{Op::constant, 0, constant}}, text_(fmt::format("{}", constant)) {}

double Expression::value(std::span<const double> variables) const {
  return run_program<ValueRules>(program_, variables);
}

Jet Expression::jet(std::span<const Jet> variables) const {
  return run_program<SeriesRules>(program_, variables).jet;
}

Expression Expression::bind(std::span<const double> bound) const {
  Expression result;
  result.text_ = text_;
  result.program_.reserve(program_.size());
  for (const Instruction& instruction : program_) {
    const bool replace = instruction.op == Op::variable && instruction.index < bound.size() &&
                         !std::isnan(bound[instruction.index]);
    append_folded(result.program_,
                  replace ? Instruction{Op::constant, 0, bound[instruction.index]} : instruction);
  }
  return result;
}

bool Expression::uses(std::size_t variable) const {
  return std::any_of(program_.begin(), program_.end(), [variable](const Instruction& instruction) {
    return instruction.op == Op::variable && instruction.index == variable;
  });
}

bool Expression::is_constant() const {
  return std::none_of(program_.begin(), program_.end(), [](const Instruction& instruction) {
    return instruction.op == Op::variable;
  });
}

}  // namespace vinci
