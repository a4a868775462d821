// SPDX-License-Identifier: Apache-2.0
// An argument is reduced to a short interval in twice the precision; there the first terms of the
// Taylor series are added in twice the precision, the rest of them, which is below 2⁻⁵ of the sum,
// in one. 2/π to 1280 bits, π, ln 2 and the arctangents were computed with whole numbers.
#include "vinci/base/functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "vinci/base/double_pair.h"

namespace vinci::portable {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr DoublePair pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr DoublePair half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr DoublePair third{0x1.5555555555555p-2, 0x1.5555555555555p-56};
constexpr DoublePair fifth{0x1.999999999999ap-3, -0x1.999999999999ap-57};
constexpr DoublePair sixth{0x1.5555555555555p-3, 0x1.5555555555555p-57};

// c[0] + x (c[1] + x (c[2] + ...)).
template <std::size_t count>
double horner(double x, const std::array<double, count>& c) {
  double sum = c[count - 1];
  for (std::size_t i = count - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// ------------------------------------------------------------------------- sine, cosine, tangent

// x = quadrant π/2 + rest, |rest| <= π/4.
struct Turned {
  unsigned quadrant = 0;  // modulo 4
  DoublePair rest;
};

// By whole numbers: m 2^e · 2/π, of which two bits before the point and 128 behind it are kept.
Turned turn_large(double x) {
  constexpr std::array<std::uint64_t, 20> two_over_pi{
      0xf0cfbc209af4361d, 0x56033046fc7b6bab, 0x6bfb5fb11f8d5d08, 0x3d0739f78a5292ea,
      0x7527bac7ebe5f17b, 0x4f463f669e5fea2d, 0x6d367ecf27cb09b7, 0xef2f118b5a0a6d1f,
      0x1ff897ffde05980f, 0x9c845f8bbdf9283b, 0x3991d639835339f4, 0xe99c7026b45f7e41,
      0xe88235f52ebb4484, 0xfe1deb1cb129a73e, 0x06492eea09d1921c, 0xb7246e3a424dd2e0,
      0xfe5163abdebbc561, 0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529};
  __extension__ using Wide = unsigned __int128;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
  const std::uint64_t mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  std::array<std::uint64_t, 22> product{};
  Wide carry = 0;
  for (std::size_t i = 0; i < two_over_pi.size(); ++i) {
    carry += Wide{mantissa} * two_over_pi[i];
    product[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  product[20] = static_cast<std::uint64_t>(carry);
  const auto word_at = [&](int bit) {  // 64 bits from this one on
    const auto word = static_cast<std::size_t>(bit / 64);
    const int shift = bit % 64;
    return shift == 0 ? product[word] : product[word] >> shift | product[word + 1] << (64 - shift);
  };
  const int point = 1280 - exponent;
  Turned turned{static_cast<unsigned>(word_at(point) & 3), {}};
  Wide fraction = Wide{word_at(point - 64)} << 64 | word_at(point - 128);
  const bool upper = (fraction >> 127) != 0;
  if (upper) {
    fraction = -fraction;
    turned.quadrant = (turned.quadrant + 1) & 3;
  }
  // Three parts that are doubles.
  const auto part = [&](int shift, double scale) {
    return static_cast<double>(static_cast<std::uint64_t>(fraction >> shift) & 0x7ffffffffff) *
           scale;
  };
  const DoublePair turns = exact_sum(part(86, 0x1p-42), part(43, 0x1p-85)) + part(0, 0x1p-128);
  turned.rest = half_pi * turns;
  if (upper) turned.rest = -turned.rest;
  return turned;
}

Turned turn(double x) {
  if (std::abs(x) <= half_pi.high / 2.0) return {0, {x, 0.0}};
  if (std::abs(x) > 0x1p20) {
    const Turned turned = turn_large(std::abs(x));
    return x > 0.0 ? turned : Turned{(4 - turned.quadrant) & 3, -turned.rest};
  }
  // π/2 in two parts whose multiples are doubles, and what is left of it.
  constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34;
  constexpr DoublePair last{0x1.3198a2e037073p-69, 0x1.129024e088a68p-123};
  const double quarters = std::nearbyint(x * (1.0 / half_pi.high));
  const DoublePair rest = exact_sum(x - quarters * first, -quarters * second) - last * quarters;
  return {static_cast<unsigned>(static_cast<long>(quarters) & 3), rest};
}

// |r| <= π/4 and a little more.
DoublePair sine(DoublePair r) {
  constexpr std::array<double, 8> tail{1.0 / 120.0,
                                       -1.0 / 5040.0,
                                       1.0 / 362880.0,
                                       -1.0 / 39916800.0,
                                       1.0 / 6227020800.0,
                                       -1.0 / 1307674368000.0,
                                       1.0 / 355687428096000.0,
                                       -1.0 / 121645100408832000.0};
  const DoublePair square = r * r;
  return r + r * (square * (-sixth + square.high * horner(square.high, tail)));
}

DoublePair cosine(DoublePair r) {
  constexpr std::array<double, 8> tail{
      1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
      1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
  const DoublePair square = r * r;
  return square * exact_sum(-0.5, square.high * horner(square.high, tail)) + 1.0;
}

DoublePair sine_of(const Turned& turned) {
  const DoublePair value = turned.quadrant % 2 == 0 ? sine(turned.rest) : cosine(turned.rest);
  return turned.quadrant < 2 ? value : -value;
}

DoublePair cosine_of(const Turned& turned) {
  return sine_of({(turned.quadrant + 1) & 3, turned.rest});
}

// Where x and its sine, tangent, ... round alike, and products would leave the normal numbers.
bool is_tiny(double x) {
  return std::abs(x) < 0x1p-28;
}

// ------------------------------------------------------------------- exponential and logarithm

// ln 2: a part whose multiples are doubles, and the rest.
constexpr double ln2_first = 0x1.62e42feep-1;
constexpr DoublePair ln2_last{0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87};

// value · 2^exponent.
struct Scaled {
  DoublePair value;
  int exponent = 0;
  double rounded() const { return std::ldexp(value.rounded(), exponent); }
};

// |x| < 800.
Scaled exponential(DoublePair x) {
  constexpr std::array<double, 13> tail{1.0 / 6.0,
                                        1.0 / 24.0,
                                        1.0 / 120.0,
                                        1.0 / 720.0,
                                        1.0 / 5040.0,
                                        1.0 / 40320.0,
                                        1.0 / 362880.0,
                                        1.0 / 3628800.0,
                                        1.0 / 39916800.0,
                                        1.0 / 479001600.0,
                                        1.0 / 6227020800.0,
                                        1.0 / 87178291200.0,
                                        1.0 / 1307674368000.0};
  const double twos = std::nearbyint(x.high * 0x1.71547652b82fep+0);  // 1/ln 2
  const DoublePair r = exact_sum(x.high - twos * ln2_first, x.low) - ln2_last * twos;
  const DoublePair half_square = r * r * 0.5;
  const double rest = r.high * r.high * r.high * horner(r.high, tail);
  return {(half_square + rest) + r + 1.0, static_cast<int>(twos)};
}

// Of a positive finite number.
DoublePair logarithm(double x) {
  constexpr std::array<double, 10> tail{1.0 / 7.0,  1.0 / 9.0,  1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0,
                                        1.0 / 17.0, 1.0 / 19.0, 1.0 / 21.0, 1.0 / 23.0, 1.0 / 25.0};
  int twos = 0;
  double m = std::frexp(x, &twos);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2.0, --twos;  // √½ <= m < √2
  // ln m = 2 artanh s, s = (m − 1)/(m + 1)
  const DoublePair s = DoublePair{m - 1.0, 0.0} / exact_sum(m, 1.0), square = s * s;
  const DoublePair series =
      square * (third + square * (fifth + square.high * horner(square.high, tail)));
  const DoublePair twice = s * 2.0;
  const DoublePair small = twice + twice * series;
  const auto count = static_cast<double>(twos);
  return DoublePair{count * ln2_first, 0.0} + (ln2_last * count + small);
}

bool is_odd(double whole) {
  return std::abs(whole) < 0x1p53 && std::fmod(whole, 2.0) != 0.0;
}

// The power of a base > 0 that is neither 1 nor infinite, y finite and not 0.
double positive_power(double x, double y) {
  const DoublePair base = logarithm(x);
  const double size = base.high * y;
  if (size > 710.0) return infinity;
  if (size < -746.0) return 0.0;
  return exponential(base * y).rounded();
}

// ------------------------------------------------------------------------------------ arctangent

// Of 0 <= q <= 1.
DoublePair arctangent(DoublePair q) {
  constexpr std::array<DoublePair, 17> of_sixteenths{
      {{0.0, 0.0},
       {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
       {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
       {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
       {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
       {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
       {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
       {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
       {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
       {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
       {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
       {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
       {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
       {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
       {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
       {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
       {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};
  constexpr std::array<double, 7> tail{1.0 / 5.0,  -1.0 / 7.0,  1.0 / 9.0, -1.0 / 11.0,
                                       1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0};
  const double near = std::nearbyint(16.0 * q.high) / 16.0;
  const DoublePair t = near == 0.0 ? q : (q + -near) / (q * near + 1.0);
  const DoublePair square = t * t;
  const DoublePair series = square * (-third + square.high * horner(square.high, tail));
  return of_sixteenths[static_cast<std::size_t>(16.0 * near)] + (t + t * series);
}

// The angle of the point (x, y), both >= 0 and of sizes between 2⁻³⁰⁰ and 2³⁰⁰ or one of them 0.
DoublePair angle(DoublePair y, DoublePair x) {
  return y.high <= x.high ? arctangent(y / x) : half_pi - arctangent(x / y);
}

// √(1 − x²)
DoublePair leg(double x) {
  return square_root(exact_sum(1.0, -x) * exact_sum(1.0, x));
}

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return nan;
  return is_tiny(x) ? x : sine_of(turn(x)).rounded();
}

double cos(double x) {
  if (!std::isfinite(x)) return nan;
  return is_tiny(x) ? 1.0 : cosine_of(turn(x)).rounded();
}

double tan(double x) {
  if (!std::isfinite(x)) return nan;
  if (is_tiny(x)) return x;
  const Turned turned = turn(x);
  return (sine_of(turned) / cosine_of(turned)).rounded();
}

double asin(double x) {
  if (!(std::abs(x) <= 1.0)) return nan;
  if (is_tiny(x)) return x;
  return std::copysign(angle({std::abs(x), 0.0}, leg(x)).rounded(), x);
}

double acos(double x) {
  if (!(std::abs(x) <= 1.0)) return nan;
  if (x == 1.0) return 0.0;
  if (std::abs(x) < 0x1p-60) return half_pi.rounded();
  const DoublePair within = angle(leg(x), {std::abs(x), 0.0});
  return (x > 0.0 ? within : pi - within).rounded();
}

double atan(double x) {
  return atan2(x, 1.0);
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  double b = std::abs(y), a = std::abs(x);
  const bool left = std::signbit(x);
  if (b == 0.0) return std::copysign(left ? pi.high : 0.0, y);
  if (a == 0.0 || (b == infinity && a != infinity)) return std::copysign(half_pi.high, y);
  if (a == infinity && b == infinity)
    a = b = 1.0;
  else if (a == infinity)
    return std::copysign(left ? pi.high : 0.0, y);
  // Only the quotient counts.
  int scale = 0;
  std::frexp(std::max(a, b), &scale);
  if (!left && b < 0x1p-30 * a) return y / x;
  a = std::ldexp(a, -scale), b = std::ldexp(b, -scale);
  DoublePair value;
  if (b < 0x1p-100 * a)
    value = {};
  else if (a < 0x1p-100 * b)
    value = half_pi;
  else
    value = angle({b, 0.0}, {a, 0.0});
  return std::copysign((left ? pi - value : value).rounded(), y);
}

double exp(double x) {
  if (std::isnan(x)) return nan;
  if (x > 710.0) return infinity;
  if (x < -746.0) return 0.0;
  return exponential({x, 0.0}).rounded();
}

double log(double x) {
  if (std::isnan(x) || x < 0.0) return nan;
  if (x == 0.0) return -infinity;
  return x == infinity ? x : logarithm(x).rounded();
}

double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (std::isnan(x) || std::isnan(y)) return nan;
  const double size = std::abs(x);
  const bool whole = std::isinf(y) || std::nearbyint(y) == y;
  const double sign = std::signbit(x) && whole && is_odd(y) ? -1.0 : 1.0;
  if (std::isinf(y)) return size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? infinity : 0.0;
  if (size == 0.0 || std::isinf(size)) return sign * ((size == 0.0) == (y > 0.0) ? 0.0 : infinity);
  if (x < 0.0 && !whole) return nan;
  return sign * (size == 1.0 ? 1.0 : positive_power(size, y));
}

double sinh(double x) {
  if (!std::isfinite(x) || is_tiny(x)) return x;
  constexpr std::array<double, 7> tail{
      1.0 / 120.0,        1.0 / 5040.0,          1.0 / 362880.0,         1.0 / 39916800.0,
      1.0 / 6227020800.0, 1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
  const double size = std::abs(x);
  if (size < 0.5) {
    const DoublePair square = exact_product(x, x);
    return (square * (sixth + square.high * horner(square.high, tail)) * x + x).rounded();
  }
  if (size > 711.0) return std::copysign(infinity, x);
  Scaled grown = exponential({size, 0.0});
  --grown.exponent;
  if (size < 40.0) {
    const double scale = std::ldexp(1.0, -2 * grown.exponent - 2);
    const DoublePair fallen = DoublePair{scale, 0.0} / grown.value;
    grown.value = grown.value - fallen;
  }
  return std::copysign(grown.rounded(), x);
}

double cosh(double x) {
  if (std::isnan(x)) return nan;
  const double size = std::abs(x);
  if (size > 711.0) return infinity;
  Scaled grown = exponential({size, 0.0});
  --grown.exponent;
  if (size < 40.0) {
    const double scale = std::ldexp(1.0, -2 * grown.exponent - 2);
    grown.value = grown.value + DoublePair{scale, 0.0} / grown.value;
  }
  return grown.rounded();
}

}  // namespace vinci::portable

// What the linker puts in the place of the C library's (--wrap).
extern "C" {
double __wrap_sin(double x) {
  return vinci::portable::sin(x);
}
double __wrap_cos(double x) {
  return vinci::portable::cos(x);
}
void __wrap_sincos(double x, double* sine, double* cosine) {
  *sine = vinci::portable::sin(x);
  *cosine = vinci::portable::cos(x);
}
double __wrap_tan(double x) {
  return vinci::portable::tan(x);
}
double __wrap_asin(double x) {
  return vinci::portable::asin(x);
}
double __wrap_acos(double x) {
  return vinci::portable::acos(x);
}
double __wrap_atan(double x) {
  return vinci::portable::atan(x);
}
double __wrap_atan2(double y, double x) {
  return vinci::portable::atan2(y, x);
}
double __wrap_exp(double x) {
  return vinci::portable::exp(x);
}
double __wrap_log(double x) {
  return vinci::portable::log(x);
}
double __wrap_pow(double x, double y) {
  return vinci::portable::pow(x, y);
}
double __wrap_sinh(double x) {
  return vinci::portable::sinh(x);
}
double __wrap_cosh(double x) {
  return vinci::portable::cosh(x);
}
}
