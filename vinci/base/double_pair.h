// SPDX-License-Identifier: Apache-2.0
// Numbers of twice the precision, as unevaluated sums of two doubles [Dekker 1971]; private to
// base/. Only sums, products, quotients and roots of doubles are used, which IEEE 754 defines to
// the bit.
#pragma once

#include <cmath>

namespace vinci {

struct DoublePair {
  double high = 0.0, low = 0.0;  // |low| is at most half an ulp of high
  double rounded() const { return high + low; }
};

inline DoublePair exact_sum(double a, double b) {
  const double sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

// Of |a| >= |b|, or a = 0.
inline DoublePair ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Of factors below 2⁹⁹⁶ whose product is above 2⁻⁹⁶⁰.
inline DoublePair exact_product(double a, double b) {
  constexpr double splitter = 134217729.0;  // 2²⁷ + 1
  const double p = splitter * a, q = splitter * b;
  const double a_high = p - (p - a), b_high = q - (q - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

inline DoublePair operator-(DoublePair a) {
  return {-a.high, -a.low};
}
inline DoublePair operator+(DoublePair a, DoublePair b) {
  const DoublePair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const DoublePair sum = ordered_sum(high.high, high.low + low.high);
  return ordered_sum(sum.high, sum.low + low.low);
}
inline DoublePair operator+(DoublePair a, double b) {
  const DoublePair sum = exact_sum(a.high, b);
  return ordered_sum(sum.high, sum.low + a.low);
}
inline DoublePair operator-(DoublePair a, DoublePair b) {
  return a + -b;
}
inline DoublePair operator*(DoublePair a, DoublePair b) {
  const DoublePair product = exact_product(a.high, b.high);
  return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
inline DoublePair operator*(DoublePair a, double b) {
  const DoublePair product = exact_product(a.high, b);
  return ordered_sum(product.high, product.low + a.low * b);
}
inline DoublePair operator/(DoublePair a, DoublePair b) {
  const double first = a.high / b.high;
  const DoublePair rest = a - b * first;
  return ordered_sum(first, rest.high / b.high);
}
inline DoublePair square_root(DoublePair a) {
  if (a.high <= 0.0) return {};
  const double first = std::sqrt(a.high);
  return ordered_sum(first, (a - exact_product(first, first)).high / (2.0 * first));
}

}  // namespace vinci
