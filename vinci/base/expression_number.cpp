// SPDX-License-Identifier: Apache-2.0
// Every operation g maps a number that carries derivatives of numbers U by g, g' and g'' over U, so
// that nested numbers end at the plain ones [Griewank 2008, chapters 3 and 13].
#include "vinci/base/expression_number.h"

#include <cmath>
#include <limits>

#include "vinci/base/expression_program.h"

namespace vinci {
namespace {

using Op = Expression::Op;

bool has_no_derivative(double) {
  return true;
}
template <class U>
bool is_zero(const U& x);
template <class U>
bool has_no_derivative(const Dual<U>& x) {
  return has_no_derivative(x.value) && is_zero(x.slope);
}
template <class U>
bool has_no_derivative(const Series<U>& x) {
  return has_no_derivative(x.value) && is_zero(x.first) && is_zero(x.second);
}
template <class U>
bool is_zero(const U& x) {
  return plain(x) == 0.0 && has_no_derivative(x);
}

template <class U>
void spoil(Dual<U>& x) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  x = {U(nan), U(nan)};
}
template <class U>
void spoil(Series<U>& x) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  x = {U(nan), U(nan), U(nan)};
}

double unary(Op op, double x) {
  return unary_value(op, x);
}

template <template <class> class N, class U>
N<U> unary(Op op, const N<U>& number) {
  const U& x = number.value;
  const U g = unary(op, x), one(1.0);
  switch (op) {
    case Op::negate:
      return chain(number, g, U(-1.0), U(0.0));
    case Op::sin:
      return chain(number, g, unary(Op::cos, x), U(-g));
    case Op::cos:
      return chain(number, g, U(-unary(Op::sin, x)), U(-g));
    case Op::tan: {
      const U first = one + g * g;
      return chain(number, g, first, U(2.0 * (g * first)));
    }
    case Op::asin:
    case Op::acos: {
      const U square = (one - x) * (one + x);
      const U first = U(op == Op::asin ? 1.0 : -1.0) / unary(Op::sqrt, square);
      return chain(number, g, first, U(x * first / square));
    }
    case Op::atan: {
      const U first = one / (one + x * x);
      return chain(number, g, first, U(-2.0 * (x * first * first)));
    }
    case Op::sinh:
      return chain(number, g, unary(Op::cosh, x), g);
    case Op::cosh:
      return chain(number, g, unary(Op::sinh, x), g);
    case Op::tanh: {
      const U secant = one / unary(Op::cosh, x);  // 1 − g² would cancel
      return chain(number, g, U(secant * secant), U(-2.0 * (g * secant * secant)));
    }
    case Op::sqrt:
      return chain(number, g, U(0.5 / g), U(-0.25 / (g * x)));
    case Op::exp:
      return chain(number, g, g, g);
    case Op::log: {
      const U first = one / x;
      return chain(number, g, first, U(-first / x));
    }
    default:  // abs
      return chain(number, g, U(plain(x) < 0.0 ? -1.0 : 1.0), U(0.0));
  }
}

// xⁿ with n held constant: right for negative x and integer n too.
double power(double x, double n) {
  return binary_value(Op::power, x, n);
}
template <template <class> class N, class U>
N<U> power(const N<U>& x, double n) {
  const double second = n * (n - 1.0);
  return chain(x, power(x.value, n), n == 0.0 ? U(0.0) : U(n * power(x.value, n - 1.0)),
               second == 0.0 ? U(0.0) : U(second * power(x.value, n - 2.0)));
}

// xⁿ = exp(n log x); a constant base gives the logarithm no part of its own.
double power(double x, double n, bool) {
  return binary_value(Op::power, x, n);
}
template <template <class> class N, class U>
N<U> power(const N<U>& x, const N<U>& n, bool constant_base) {
  const N<U> logarithm = constant_base ? N<U>(unary_value(Op::log, plain(x))) : unary(Op::log, x);
  const U g = power(x.value, n.value, constant_base);
  return chain(N<U>(n * logarithm), g, g, g);
}

// θ = atan2(y, x) through what turns it: with r² = x² + y², (x y − y x)/r², scaled by r against
// overflow.
double angle(double y, double x) {
  return binary_value(Op::atan2, y, x);
}
Dual<double> angle(const Dual<double>& y, const Dual<double>& x) {
  const double r = std::hypot(x.value, y.value), c = x.value / r, s = y.value / r;
  return {angle(y.value, x.value), (c * y.slope - s * x.slope) / r};
}
template <class U>
Series<U> angle(const Series<U>& y, const Series<U>& x) {
  const double scale = std::hypot(plain(x), plain(y));
  const U a = x.value / U(scale), b = y.value / U(scale);
  const U r = U(scale) * unary(Op::sqrt, U(a * a + b * b));
  const U c = x.value / r, s = y.value / r;
  const U first = (c * y.first - s * x.first) / r;
  const U stretch = c * x.first + s * y.first;
  return {angle(y.value, x.value), first,
          (c * y.second - s * x.second - 2.0 * (first * stretch)) / r};
}

// Beside a number whether it is known to be constant: then its derivatives are zero whatever the
// functions applied to it.
template <class T>
struct Tracked {
  T number;
  bool constant = false;
};

template <class T>
struct NumberRules {
  using Number = Tracked<T>;

  static Number constant(double value) { return {T(value), true}; }
  static Number nothing() {
    Number result;
    spoil(result.number);
    return result;
  }
  static Number variable(std::span<const T> variables, unsigned index) {
    if (index >= variables.size()) return nothing();
    return {variables[index], has_no_derivative(variables[index])};
  }
  static Number unary(Op op, const Number& x) {
    if (x.constant || op == Op::sign || op == Op::floor || op == Op::step)
      return constant(unary_value(op, plain(x.number)));
    return {vinci::unary(op, x.number)};
  }
  static Number binary(Op op, const Number& left, const Number& right) {
    const T &a = left.number, &b = right.number;
    if (op == Op::minimum || op == Op::maximum)
      return takes_first(op, plain(a), plain(b)) ? left : right;
    if ((left.constant && right.constant) || op >= Op::less)
      return constant(binary_value(op, plain(a), plain(b)));
    switch (op) {
      case Op::add:
        return {a + b};
      case Op::subtract:
        return {a - b};
      case Op::multiply:
        return {a * b};
      case Op::divide:
        return {a / b};
      case Op::power:
        return {right.constant ? power(a, plain(b)) : power(a, b, left.constant)};
      default:
        return {angle(a, b)};
    }
  }
  static Number select(const Number& condition, const Number& a, const Number& b) {
    const double holds = plain(condition.number);
    return std::isnan(holds) ? nothing() : holds != 0.0 ? a : b;
  }
};

}  // namespace

template <class T>
T evaluate(const Expression& expression, std::span<const T> variables) {
  return run_program<NumberRules<T>>(expression.program(), variables).number;
}

template <>
double evaluate(const Expression& expression, std::span<const double> variables) {
  return expression.value(variables);
}
template Dual<double> evaluate(const Expression&, std::span<const Dual<double>>);
template Series<double> evaluate(const Expression&, std::span<const Series<double>>);
template Series<Dual<double>> evaluate(const Expression&, std::span<const Series<Dual<double>>>);

}  // namespace vinci
