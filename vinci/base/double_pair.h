// SPDX-License-Identifier: Apache-2.0
// Numbers of twice the precision, as unevaluated sums of two doubles [Dekker 1971]; private to
// base/. Only sums, products, quotients and roots of doubles are used, which IEEE 754 defines to
// the bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace vinci {

struct DoublePair {
  double high = 0.0, low = 0.0;  // |low| is at most half an ulp of high, unless said otherwise
  constexpr double rounded() const { return high + low; }
};

constexpr DoublePair exact_sum(double a, double b) {
  const double sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

// Of |a| >= |b|, or a = 0, or where the sum is a double.
constexpr DoublePair ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// The first 26 bits.
constexpr double high_part(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xfffffffff8000000);
}

// Right to 2⁻¹⁰⁶ of itself, where that is a normal number.
constexpr DoublePair wide_product(double a, double b) {
  const double a_high = high_part(a), b_high = high_part(b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

constexpr DoublePair operator-(DoublePair a) {
  return {-a.high, -a.low};
}
constexpr DoublePair operator+(DoublePair a, DoublePair b) {
  const DoublePair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const DoublePair sum = ordered_sum(high.high, high.low + low.high);
  return ordered_sum(sum.high, sum.low + low.low);
}
constexpr DoublePair operator+(DoublePair a, double b) {
  const DoublePair sum = exact_sum(a.high, b);
  return ordered_sum(sum.high, sum.low + a.low);
}
constexpr DoublePair operator-(DoublePair a, DoublePair b) {
  return a + -b;
}
constexpr DoublePair operator*(DoublePair a, DoublePair b) {
  const DoublePair product = wide_product(a.high, b.high);
  return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
constexpr DoublePair operator*(DoublePair a, double b) {
  const DoublePair product = wide_product(a.high, b);
  return ordered_sum(product.high, product.low + a.low * b);
}
constexpr DoublePair operator/(DoublePair a, DoublePair b) {
  const double first = a.high / b.high;
  const DoublePair product = wide_product(b.high, first);
  const double rest = ((a.high - product.high) - product.low) + (a.low - b.low * first);
  return ordered_sum(first, rest / b.high);
}
inline DoublePair square_root(DoublePair a) {
  if (a.high <= 0.0) return {};
  const double first = std::sqrt(a.high);
  const DoublePair square = wide_product(first, first);
  return ordered_sum(first, (((a.high - square.high) - square.low) + a.low) / (2.0 * first));
}

}  // namespace vinci
