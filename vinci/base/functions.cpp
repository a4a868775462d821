// SPDX-License-Identifier: Apache-2.0
// An argument is reduced to a short interval about 0 with what rounding leaves over; there a Taylor
// series is added to a first term that is exact, or nearly so, and much larger than the rest of it.
// So rounding counts little but for the last sum. 2/π to 1280 bits, π and ln 2 were computed with
// whole numbers; the tables are computed in twice the precision when this file is compiled.
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

// c[i] + x (c[i + step] + x (c[i + 2 step] + ...)).
template <std::size_t i, std::size_t step, std::size_t count>
double horner(double x, const std::array<double, count>& c) {
  if constexpr (i + step < count)
    return c[i] + x * horner<i + step, step>(x, c);
  else
    return c[i];
}

// c[0] + c[1] x + c[2] x² + ...: even and odd powers side by side, for they do not wait for each
// other.
template <std::size_t count>
double polynomial(double x, const std::array<double, count>& c) {
  return horner<0, 2>(x * x, c) + x * horner<1, 2>(x * x, c);
}

// Of |x| < 2⁵¹. A function of the C library would be a call.
double nearest_whole(double x) {
  return (x + 0x1.8p52) - 0x1.8p52;
}

// ------------------------------------------------------------------------- sine, cosine, tangent

// x = quadrant π/2 + rest, |rest| <= π/4.
struct Turned {
  unsigned quadrant = 0;  // modulo 4
  DoublePair rest;        // |low| <= 2⁻⁵³
};

// By whole numbers: m 2^e · 2/π, of which two bits before the point and 128 behind it are kept.
[[gnu::noinline]] Turned turn_large(double x) {
  if (!std::isfinite(x)) return {0, {nan, 0.0}};
  constexpr std::array<std::uint64_t, 20> two_over_pi{
      0xf0cfbc209af4361d, 0x56033046fc7b6bab, 0x6bfb5fb11f8d5d08, 0x3d0739f78a5292ea,
      0x7527bac7ebe5f17b, 0x4f463f669e5fea2d, 0x6d367ecf27cb09b7, 0xef2f118b5a0a6d1f,
      0x1ff897ffde05980f, 0x9c845f8bbdf9283b, 0x3991d639835339f4, 0xe99c7026b45f7e41,
      0xe88235f52ebb4484, 0xfe1deb1cb129a73e, 0x06492eea09d1921c, 0xb7246e3a424dd2e0,
      0xfe5163abdebbc561, 0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529};
  __extension__ using Wide = unsigned __int128;
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(x));
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
  return x > 0.0 ? turned : Turned{(4 - turned.quadrant) & 3, -turned.rest};
}

Turned turn(double x) {
  const double size = std::abs(x);
  if (size <= half_pi.high / 2.0) return {0, {x, 0.0}};
  if (!(size <= 0x1p20)) return turn_large(x);
  // π/2 in two parts whose multiples are doubles, and what is left of it.
  constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34;
  constexpr DoublePair last{0x1.3198a2e037073p-69, 0x1.129024e088a68p-123};
  const double quarters = nearest_whole(x * (1.0 / half_pi.high));
  const double a = x - quarters * first, b = quarters * second;
  DoublePair rest = ordered_sum(a, -b);
  if (size > 1024.0 || std::abs(rest.high) < 0x1p-20) [[unlikely]]
    rest = rest - last * quarters;
  else
    rest.low -= quarters * last.high;
  return {static_cast<unsigned>(static_cast<std::int64_t>(quarters) & 3), rest};
}

// Of a rest, |low| up to 2⁻⁸ of high: r − r³/6, and the series that follows it. The cube of the
// first 17 bits of r is a double; the other bits change it by (r − f)(r² + r f + f²).
DoublePair sine(DoublePair r) {
  constexpr double sixth = 1.0 / 6.0, sixth_low = 0x1.5555555555555p-57;
  constexpr std::array<double, 7> tail{
      1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,         -1.0 / 39916800.0,
      1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
  const double f = std::bit_cast<double>(std::bit_cast<std::uint64_t>(r.high) & 0xfffffff000000000);
  const double square = r.high * r.high, cube = f * f * f;
  const DoublePair first = ordered_sum(r.high, -sixth * cube);
  const double others = sixth * ((r.high - f) + r.low) * (square + f * (r.high + f));
  const double series = r.high * (square * square) * polynomial(square, tail);
  return {first.high, series + (first.low + (r.low - (others + sixth_low * cube)))};
}

// 1 − r²/2, and the series that follows it. The square of the first 24 bits of r is a double; the
// other bits change it by (r − f)(r + f).
DoublePair cosine(DoublePair r) {
  constexpr std::array<double, 7> tail{
      1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,         -1.0 / 3628800.0,
      1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
  const double f = static_cast<double>(static_cast<float>(r.high));
  const double square = r.high * r.high;
  const DoublePair first = ordered_sum(1.0, -0.5 * f * f);
  const double others = 0.5 * ((r.high - f) + r.low) * (r.high + f);
  return {first.high, square * square * polynomial(square, tail) + (first.low - others)};
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
  // In two factors: 2^exponent itself need not be a double.
  double rounded() const {
    const int half = exponent / 2;
    return value.rounded() * power_of_two(half) * power_of_two(exponent - half);
  }
  static double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
};

// 2^(i/32).
constexpr auto powers_of_two = [] {
  std::array<DoublePair, 32> powers;
  for (int i = 0; i < 32; ++i) {
    const DoublePair x = (ln2_last + ln2_first) * (i / 32.0);
    DoublePair sum{1.0, 0.0};
    for (int k = 30; k > 0; --k) sum = sum * x / DoublePair{static_cast<double>(k), 0.0} + 1.0;
    powers[static_cast<std::size_t>(i)] = sum;
  }
  return powers;
}();

// |x| < 800.
Scaled exponential(DoublePair x) {
  constexpr std::array<double, 6> tail{1.0 / 2.0,   1.0 / 6.0,   1.0 / 24.0,
                                       1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0};
  const double parts = nearest_whole(x.high * 0x1.71547652b82fep+5);  // 32/ln 2
  const double r = (x.high - parts * (ln2_first / 32.0)) + (x.low - parts * (ln2_last.high / 32.0));
  const auto count = static_cast<int>(parts);
  const DoublePair power = powers_of_two[static_cast<std::size_t>(count & 31)];
  const double grown = r + r * r * polynomial(r, tail);
  return {ordered_sum(power.high, power.low + power.high * grown), count >> 5};
}

// The numbers from 11/16 to 11/8 in 64 parts, 32 of them below 1 and half as wide as the others. A
// number m of part i is near 1/inverse; −ln(inverse) in a part whose sums with multiples of ln 2
// are doubles, and the rest.
struct LogarithmPart {
  double inverse = 1.0, first = 0.0, rest = 0.0;
};
constexpr std::uint64_t bits_of_11_16 = 0x3fe6000000000000;

constexpr auto logarithm_parts = [] {
  std::array<LogarithmPart, 64> parts;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto border = [](std::size_t k) {
      return std::bit_cast<double>(bits_of_11_16 + (k << 46));
    };
    if (border(i) == 1.0 || border(i + 1) == 1.0) continue;  // there ln m is that of 1 + r, r small
    const double near = 512.0 / (border(i) + border(i + 1));
    const double inverse = static_cast<double>(static_cast<int>(near + 0.5)) / 256.0;
    // −ln(inverse) = 2 artanh s, s = (1 − inverse)/(1 + inverse), |s| < 1/5
    const DoublePair s = DoublePair{1.0 - inverse, 0.0} / DoublePair{1.0 + inverse, 0.0};
    DoublePair sum;
    for (int k = 51; k > 0; k -= 2)
      sum = s * s * sum + DoublePair{1.0, 0.0} / DoublePair{k + 0.0, 0.0};
    sum = s * sum * 2.0;
    const double first = (sum.high + 0x1.8p11) - 0x1.8p11;  // multiples of 2⁻⁴¹
    parts[i] = {inverse, first, (sum + -first).rounded()};
  }
  return parts;
}();

// Of a positive finite number. Right to 2⁻⁶⁵ of itself, as powers need it.
DoublePair logarithm(double x) {
  constexpr std::array<double, 9> tail{1.0 / 3.0,  -1.0 / 4.0, 1.0 / 5.0,   -1.0 / 6.0, 1.0 / 7.0,
                                       -1.0 / 8.0, 1.0 / 9.0,  -1.0 / 10.0, 1.0 / 11.0};
  const bool small = x < std::numeric_limits<double>::min();
  const auto bits = std::bit_cast<std::uint64_t>(small ? x * 0x1p54 : x);
  const std::uint64_t above = bits - bits_of_11_16;
  const double m = std::bit_cast<double>(bits - (above & 0xfff0000000000000));
  const auto twos =
      static_cast<double>((static_cast<std::int64_t>(above) >> 52) - (small ? 54 : 0));
  const LogarithmPart& part = logarithm_parts[above >> 46 & 63];
  // m · inverse = 1 + r
  const double m_high = high_part(m);
  const DoublePair r = ordered_sum(m_high * part.inverse - 1.0, (m - m_high) * part.inverse);
  const double cube = r.high * r.high * r.high * polynomial(r.high, tail);
  const double f = high_part(r.high);  // r² = f² + (r − f)(r + f), f² a double
  const DoublePair sum = ordered_sum(twos * ln2_first + part.first, r.high);
  const DoublePair less = ordered_sum(sum.high, -0.5 * f * f);
  const double low = (twos * ln2_last.high + part.rest) + (r.low - r.high * r.low) +
                     (sum.low + less.low - 0.5 * (r.high - f) * (r.high + f)) + cube;
  return ordered_sum(less.high, low);
}

bool is_whole(double x) {
  return std::abs(x) >= 0x1p52 || static_cast<double>(static_cast<std::int64_t>(x)) == x;
}
bool is_odd(double whole) {
  return std::abs(whole) < 0x1p53 && static_cast<std::int64_t>(whole) % 2 != 0;
}

// The power of a base > 0 that is neither 1 nor infinite, y finite and not 0.
double positive_power(double x, double y) {
  const DoublePair base = logarithm(x);
  const double size = base.high * y;
  if (size > 710.0) return infinity;
  if (size < -746.0) return 0.0;
  return exponential(base * y).rounded();
}

// Of |x| < 1/2.
DoublePair small_sinh(double x) {
  constexpr DoublePair sixth{0x1.5555555555555p-3, 0x1.5555555555555p-57};
  constexpr std::array<double, 6> tail{1.0 / 120.0,      1.0 / 5040.0,       1.0 / 362880.0,
                                       1.0 / 39916800.0, 1.0 / 6227020800.0, 1.0 / 1307674368000.0};
  const DoublePair square = wide_product(x, x);
  return square * (sixth + square.high * polynomial(square.high, tail)) * x + x;
}

// (eˣ + sign e⁻ˣ)/2 of 1/2 <= x <= 711 or, for a sum, from 0 on.
double mean_of_exponentials(double x, double sign) {
  Scaled grown = exponential({x, 0.0});
  --grown.exponent;
  if (x < 40.0) {
    const double scale = sign * Scaled::power_of_two(-2 * grown.exponent - 2);
    grown.value = grown.value + DoublePair{scale, 0.0} / grown.value;
  }
  return grown.rounded();
}

// ------------------------------------------------------------------------------------ arctangent

// Of i/16.
constexpr auto arctangents = [] {
  std::array<DoublePair, 17> angles;
  for (int i = 0; i < 17; ++i) {
    // Twice arctan(q / (1 + √(1 + q²))) would need roots; Euler's series needs none:
    // arctan q = Σ 2²ᵏ (k!)²/(2k + 1)! q²ᵏ⁺¹/(1 + q²)ᵏ⁺¹.
    const double q = i / 16.0;
    const DoublePair one_more = DoublePair{1.0, 0.0} + q * q;
    const DoublePair ratio = DoublePair{q * q, 0.0} / one_more;
    DoublePair sum{1.0, 0.0};
    for (int k = 110; k > 0; --k)
      sum = sum * ratio * (2.0 * k) / DoublePair{2.0 * k + 1.0, 0.0} + 1.0;
    angles[static_cast<std::size_t>(i)] = sum * q / one_more;
  }
  return angles;
}();

// Of b/a, 0 <= b <= a, a of a size between 2⁻¹⁰⁰ and 2¹⁰⁰: c = i/16 is near b/a, and
// arctan b/a = arctan c + arctan t, t = (b − c a)/(a + c b).
DoublePair arctangent(DoublePair b, DoublePair a) {
  constexpr std::array<double, 4> tail{1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0};
  // To a sixteenth, single precision is enough, and quicker.
  const double i = nearest_whole(
      static_cast<double>(16.0F * static_cast<float>(b.high) / static_cast<float>(a.high)));
  const double c = i / 16.0;
  const double a_high = high_part(a.high), b_high = high_part(b.high);
  const DoublePair above = exact_sum(b.high - c * a_high, b.low - c * ((a.high - a_high) + a.low));
  const DoublePair sum = ordered_sum(a.high, c * b_high);
  const DoublePair below = ordered_sum(sum.high, sum.low + a.low + c * ((b.high - b_high) + b.low));
  const DoublePair t = above / below;
  const double square = t.high * t.high;
  const double series = t.high * square * (square * polynomial(square, tail) - 1.0 / 3.0);
  const DoublePair angle = arctangents[static_cast<std::size_t>(i)];
  const DoublePair first = ordered_sum(angle.high, t.high);
  return {first.high, first.low + (angle.low + (t.low + series))};
}

// The angle of the point (x, y) or (−x, y), x and y >= 0.
double angle_of(DoublePair y, DoublePair x, bool left) {
  const bool steep = y.high > x.high;
  const DoublePair within = steep ? arctangent(x, y) : arctangent(y, x);
  if (!steep && !left) return within.rounded();
  const double sign = steep == left ? 1.0 : -1.0;
  const DoublePair& base = steep ? half_pi : pi;
  const DoublePair sum = ordered_sum(base.high, sign * within.high);
  return sum.high + (sum.low + (base.low + sign * within.low));
}

// √(1 − x²)
DoublePair leg(double x) {
  const DoublePair square = wide_product(x, x), rest = ordered_sum(1.0, -square.high);
  return square_root(ordered_sum(rest.high, rest.low - square.low));
}

}  // namespace

double sin(double x) {
  return is_tiny(x) ? x : sine_of(turn(x)).rounded();
}

double cos(double x) {
  return cosine_of(turn(x)).rounded();
}

void sincos(double x, double* sine, double* cosine) {
  const Turned turned = turn(x);
  *sine = is_tiny(x) ? x : sine_of(turned).rounded();
  *cosine = cosine_of(turned).rounded();
}

double tan(double x) {
  if (is_tiny(x)) return x;
  const Turned turned = turn(x);
  const DoublePair sine = sine_of(turned), cosine = cosine_of(turned);
  return (ordered_sum(sine.high, sine.low) / ordered_sum(cosine.high, cosine.low)).rounded();
}

double asin(double x) {
  if (!(std::abs(x) <= 1.0)) return nan;
  if (is_tiny(x)) return x;
  return std::copysign(angle_of({std::abs(x), 0.0}, leg(x), false), x);
}

double acos(double x) {
  if (!(std::abs(x) <= 1.0)) return nan;
  return angle_of(leg(x), {std::abs(x), 0.0}, x < 0.0);
}

double atan(double x) {
  return atan2(x, 1.0);
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  double b = std::abs(y), a = std::abs(x);
  const bool left = std::signbit(x);
  if (b == 0.0) return std::copysign(left ? pi.high : 0.0, y);
  // Only the quotient counts.
  if (b == infinity) {
    b = 1.0;
    a = a == infinity ? 1.0 : 0.0;
  } else if (a == infinity) {
    a = 1.0;
    b = 0.0;
  }
  const double larger = std::max(a, b);
  if (!(larger > 0x1p-100 && larger < 0x1p100)) [[unlikely]] {
    int scale = 0;
    std::frexp(larger, &scale);
    if (!left && b < 0x1p-30 * a) return y / x;  // which may be below the normal numbers
    a = std::ldexp(a, -scale);
    b = std::ldexp(b, -scale);
  }
  if (!left && b < 0x1p-30 * a) return std::copysign(b / a, y);
  if (std::min(a, b) < 0x1p-100 * std::max(a, b)) (a < b ? a : b) = 0.0;
  return std::copysign(angle_of({b, 0.0}, {a, 0.0}, left), y);
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
  if (std::isinf(y)) return size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? infinity : 0.0;
  const double sign = std::signbit(x) && is_whole(y) && is_odd(y) ? -1.0 : 1.0;
  if (size == 0.0 || std::isinf(size)) return sign * ((size == 0.0) == (y > 0.0) ? 0.0 : infinity);
  if (x < 0.0 && !is_whole(y)) return nan;
  return sign * (size == 1.0 ? 1.0 : positive_power(size, y));
}

double sinh(double x) {
  if (!std::isfinite(x) || is_tiny(x)) return x;
  const double size = std::abs(x);
  if (size < 0.5) return small_sinh(x).rounded();
  return std::copysign(size > 711.0 ? infinity : mean_of_exponentials(size, -1.0), x);
}

double cosh(double x) {
  if (std::isnan(x)) return nan;
  const double size = std::abs(x);
  return size > 711.0 ? infinity : mean_of_exponentials(size, 1.0);
}

double tanh(double x) {
  if (std::isnan(x) || is_tiny(x)) return x;
  const double size = std::abs(x);
  if (size < 0.5) {
    const DoublePair sinh = small_sinh(x);
    return (sinh / square_root(sinh * sinh + 1.0)).rounded();
  }
  if (size > 20.0) return std::copysign(1.0, x);
  // 1 − 2/(e²ˣ + 1)
  const Scaled grown = exponential({2.0 * size, 0.0});
  const DoublePair below = grown.value * Scaled::power_of_two(grown.exponent) + 1.0;
  return std::copysign((DoublePair{-2.0, 0.0} / below + 1.0).rounded(), x);
}

double expm1(double x) {
  if (std::abs(x) < 0x1p-54) return x;
  const double size = std::abs(x);
  if (!(size < 40.0)) return exp(x) - 1.0;
  if (size < 0.5) {  // 2 sinh(x/2) e^(x/2)
    const Scaled grown = exponential({0.5 * x, 0.0});
    return (small_sinh(0.5 * x) * grown.value * Scaled::power_of_two(grown.exponent + 1)).rounded();
  }
  const Scaled grown = exponential({x, 0.0});
  return (grown.value * Scaled::power_of_two(grown.exponent) + -1.0).rounded();
}

double log1p(double x) {
  if (std::abs(x) < 0x1p-54) return x;
  if (!(x > -1.0 && x < infinity)) return log(1.0 + x);
  const DoublePair sum = exact_sum(1.0, x);
  return (logarithm(sum.high) + sum.low / sum.high).rounded();
}

double log10(double x) {
  if (!(x > 0.0 && x < infinity)) return log(x);
  constexpr DoublePair per_ln10{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  return (logarithm(x) * per_ln10).rounded();
}

double gamma(double x) {
  // Stirling's series from 16 on, reached by Γ(x) = Γ(x + 1)/x.
  constexpr std::array<double, 6> tail{1.0 / 12.0,    -1.0 / 360.0, 1.0 / 1260.0,
                                       -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360360.0};
  constexpr DoublePair half_ln_2pi{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
  DoublePair product{1.0, 0.0}, z{x, 0.0};
  for (; z.high < 16.0; z = z + 1.0) product = product * z;
  const double per_z = 1.0 / z.high;
  const DoublePair ln = logarithm(z.high) + z.low * per_z;
  const DoublePair sum =
      (z + -0.5) * ln - z + half_ln_2pi + per_z * polynomial(per_z * per_z, tail);
  Scaled grown = exponential(sum);
  grown.value = grown.value / product;
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
double __wrap_exp(double x) {
  return vinci::portable::exp(x);
}
double __wrap_log(double x) {
  return vinci::portable::log(x);
}
double __wrap_sinh(double x) {
  return vinci::portable::sinh(x);
}
double __wrap_cosh(double x) {
  return vinci::portable::cosh(x);
}
double __wrap_tanh(double x) {
  return vinci::portable::tanh(x);
}
double __wrap_expm1(double x) {
  return vinci::portable::expm1(x);
}
double __wrap_log1p(double x) {
  return vinci::portable::log1p(x);
}
double __wrap_log10(double x) {
  return vinci::portable::log10(x);
}
double __wrap_atan2(double y, double x) {
  return vinci::portable::atan2(y, x);
}
double __wrap_pow(double x, double y) {
  return vinci::portable::pow(x, y);
}
void __wrap_sincos(double x, double* sine, double* cosine) {
  vinci::portable::sincos(x, sine, cosine);
}
}
