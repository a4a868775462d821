// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/special_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "vinci/base/functions.h"
#include "vinci/base/math.h"

namespace vinci {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double root_of_two_pi = 2.50662827463100050241576528481;

// Coefficients begin with the highest power.
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = 0.0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

// exp(−x²/2) without the rounding of x²: x is split into sixteenths and a rest.
double exponential_of_half_square(double x) {
  const double coarse = std::trunc(x * 16.0) / 16.0;
  const double rest = (x - coarse) * (x + coarse);
  return std::exp(-0.5 * coarse * coarse) * std::exp(-0.5 * rest);
}

// P(X > x) of the normal distribution for x >= 0: its ratio to the density, times 1 + 2 x, is a sum
// of Chebyshev polynomials in (x − 5.5)/(x + 5.5) [Shepherd 1981]; coefficients, from the last one,
// computed with 50 digits.
double upper_normal_tail(double x) {
  if (x > 38.6) return 0.0;
  constexpr std::array coefficients = {
      2.2934614759150827072e-17,  4.6347323219957978745e-16,  -6.7592498849893055772e-16,
      -1.2136675269208629319e-14, 2.6751365451838018197e-14,  3.1890729592959110773e-13,
      -1.1946613146203635812e-12, -7.6991785295931958838e-12, 5.3465881505506275178e-11,
      1.163194954183422377e-10,   -2.1802139401574162162e-9,  3.9034126259046185402e-9,
      6.4448146147628936954e-8,   -4.9522488088887022143e-7,  4.2843215974077599916e-7,
      0.000018964682243548827647, -0.00019537795155636430215, 0.0012038371982180469586,
      -0.0055284577468944460596,  0.020156893846591208036,    -0.059329129384477713436,
      0.138726041959146601,       -0.23908134871759718269,    0.21323768486859119905,
      1.9307908917058865663};
  const double t = (x - 5.5) / (x + 5.5);
  double next = 0.0, value = 0.0;
  for (const double c : coefficients) {  // Clenshaw's recursion, one term too far
    const double before = next;
    next = value;
    value = 2.0 * t * next - before + c;
  }
  const double sum = value - t * next;
  return exponential_of_half_square(x) / root_of_two_pi * sum / (1.0 + 2.0 * x);
}

// log Γ(z) − (z − ½) log z + z − ½ log 2π: what Stirling's formula leaves.
double stirling_rest(double z) {
  if (z < 16.0) {
    // Γ(z) = Γ(z + n) / (z (z + 1) … (z + n − 1)), since gamma() takes arguments from 1 on.
    double shifted = z, product = 1.0;
    while (shifted < 1.0) product *= shifted++;
    return std::log(portable::gamma(shifted) / product * std::exp(z) / root_of_two_pi) -
           (z - 0.5) * std::log(z);
  }
  constexpr std::array bernoulli = {-691.0 / 360360.0, 1.0 / 1188.0, -1.0 / 1680.0,
                                    1.0 / 1260.0,      -1.0 / 360.0, 1.0 / 12.0};
  return polynomial(bernoulli, 1.0 / (z * z)) / z;
}

// a log(a/m) + m − a, which is zero at a = m, without cancellation there [Loader 2000].
double deviance(double a, double m) {
  const double v = (a - m) / (a + m);
  if (!(std::abs(v) < 0.1)) return a * std::log(a / m) + m - a;
  double sum = (a - m) * v, power = 2.0 * a * v;
  for (int j = 1; j < 1000; ++j) {
    power *= v * v;
    const double next = sum + power / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

// xᵃ (1 − x)ᵇ / B(a, b) with x + y = 1, by its saddle point [Loader 2000].
double beta_power(double x, double y, double a, double b) {
  const double n = a + b;
  const double exponent = -deviance(a, n * x) - deviance(b, n * y) + stirling_rest(n) -
                          stirling_rest(a) - stirling_rest(b);
  return std::sqrt(a) * std::sqrt(b / n) / root_of_two_pi * std::exp(exponent);
}

// I_x(a, b) / beta_power for x below (a + 1)/(a + b + 2) or so: the continued fraction of [DiDonato
// 1992, eq. 9], in which nothing cancels where x is near 1, by Lentz's method.
double beta_fraction(double x, double y, double a, double b) {
  constexpr double tiny = 1e-300;
  const double lambda = a * y - b * x;
  const auto term = [&](double n) {
    return n + (n > 0.0 ? n * (b - n) * x / (a + 2.0 * n - 1.0) : 0.0) +
           (a + n) / (a + 2.0 * n + 1.0) * (lambda + 1.0 + n * (1.0 + y));
  };
  double value = std::max(term(0.0), tiny), c = value, d = 0.0;
  for (double n = 1.0; n < 1e6; ++n) {
    const double root = x / (a + 2.0 * n - 1.0);
    const double alpha = (a + n - 1.0) * root * (a + b + n - 1.0) * root * n * (b - n);
    const double beta = term(n);
    d = beta + alpha * d;
    c = beta + alpha / c;
    if (std::abs(d) < tiny) d = tiny;
    if (std::abs(c) < tiny) c = tiny;
    d = 1.0 / d;
    value *= c * d;
    if (std::abs(c * d - 1.0) < 3e-16) break;
  }
  return 1.0 / value;
}

// x + y = 1, both with all their digits.
struct Parts {
  double x, y;
};

Tails tails_at(const Parts& at, double a, double b) {
  const double power = beta_power(at.x, at.y, a, b);
  if (at.x < (a + 1.0) / (a + b + 2.0)) {
    const double below = power * beta_fraction(at.x, at.y, a, b);
    return {below, 1.0 - below};
  }
  const double above = power * beta_fraction(at.y, at.x, b, a);
  return {1.0 - above, above};
}

// x with I_x(a, b) = goal, 0 < goal < 1. Newton's method for log I as a function of v = log(x/y),
// which rises and is concave for all a and b, since the density of v is log-concave: after one step
// it comes from below. Where the tail is no number any more, the middle of the bracket.
Parts beta_parts(double goal, double a, double b) {
  double low = -745.0, high = 745.0, v = std::log(a / b);
  const auto parts = [&] { return Parts{1.0 / (1.0 + std::exp(-v)), 1.0 / (1.0 + std::exp(v))}; };
  for (int i = 0; i < 200; ++i) {
    const double below = tails_at(parts(), a, b).below;
    (below < goal ? low : high) = v;
    const double missing = std::log(goal / below);
    double next = v + missing * below / beta_power(parts().x, parts().y, a, b);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const bool settled = std::abs(missing) < 1e-8 || next == v;  // its square is left
    v = next;
    if (settled) break;
  }
  return parts();
}

}  // namespace

double normal_density(double x) {
  return std::abs(x) < 39.0 ? exponential_of_half_square(x) / root_of_two_pi : 0.0;
}

double normal_cdf(double x) {
  constexpr double middle = 0.66291;
  if (std::isnan(x)) return x;
  if (x > middle) return 1.0 - upper_normal_tail(x);
  if (x < -middle) return upper_normal_tail(-x);
  constexpr std::array top = {6.5682337918207449113e-2, 2.2352520354606839287,
                              1.6102823106855587881e2, 1.0676894854603709582e3,
                              1.8154981253343561249e4};
  constexpr std::array bottom = {1.0, 4.7202581904688241870e1, 9.7609855173777669322e2,
                                 1.0260932208618978205e4, 4.5507789335026729956e4};
  return 0.5 + x * polynomial(top, x * x) / polynomial(bottom, x * x);
}

// [Wichura 1988], algorithm AS 241, PPND16.
double normal_quantile(double probability) {
  const double centred = probability - 0.5;
  if (std::abs(centred) <= 0.425) {
    constexpr std::array top = {2.5090809287301226727e3, 3.3430575583588128105e4,
                                6.7265770927008700853e4, 4.5921953931549871457e4,
                                1.3731693765509461125e4, 1.9715909503065514427e3,
                                1.3314166789178437745e2, 3.3871328727963666080};
    constexpr std::array bottom = {5.2264952788528545610e3, 2.8729085735721942674e4,
                                   3.9307895800092710610e4, 2.1213794301586595867e4,
                                   5.3941960214247511077e3, 6.8718700749205790830e2,
                                   4.2313330701600911252e1, 1.0};
    const double r = 0.180625 - centred * centred;
    return centred * polynomial(top, r) / polynomial(bottom, r);
  }
  const double tail = centred < 0.0 ? probability : 1.0 - probability;
  if (!(tail >= 0.0)) return not_a_number;
  if (tail == 0.0) return centred < 0.0 ? -infinity : infinity;
  double r = std::sqrt(-std::log(tail)), value = 0.0;
  if (r <= 5.0) {
    constexpr std::array top = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                2.41780725177450611770e-1, 1.27045825245236838258,
                                3.64784832476320460504,    5.76949722146069140550,
                                4.63033784615654529590,    1.42343711074968357734};
    constexpr std::array bottom = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                   1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                   6.89767334985100004550e-1, 1.67638483018380384940,
                                   2.05319162663775882187,    1.0};
    r -= 1.6;
    value = polynomial(top, r) / polynomial(bottom, r);
  } else {
    constexpr std::array top = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                2.96560571828504891230e-1, 1.78482653991729133580,
                                5.46378491116411436990,    6.65790464350110377720};
    constexpr std::array bottom = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                   1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                   1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                   5.99832206555887937690e-1,  1.0};
    r -= 5.0;
    value = polynomial(top, r) / polynomial(bottom, r);
  }
  return centred < 0.0 ? -value : value;
}

Tails beta_tails(double x, double a, double b) {
  if (!(x > 0.0)) return {0.0, 1.0};
  if (!(x < 1.0)) return {1.0, 0.0};
  return tails_at({x, 1.0 - x}, a, b);
}

double beta_quantile(double probability, double a, double b) {
  if (!(probability > 0.0)) return 0.0;
  if (!(probability < 1.0)) return 1.0;
  return probability <= 0.5 ? beta_parts(probability, a, b).x
                            : beta_parts(1.0 - probability, b, a).y;
}

double beta_upper_quantile(double probability, double a, double b) {
  if (!(probability > 0.0)) return 1.0;
  if (!(probability < 1.0)) return 0.0;
  return probability <= 0.5 ? beta_parts(probability, b, a).y
                            : beta_parts(1.0 - probability, a, b).x;
}

// T²/(ν + T²) has the beta distribution with ½ and ν/2.
double student_quantile(double probability, double freedom) {
  const double tail = std::min(probability, 1.0 - probability);
  if (!(tail >= 0.0)) return not_a_number;
  double size = infinity;
  if (tail == 0.5) {
    size = 0.0;
  } else if (tail > 0.25) {
    const Parts parts = beta_parts(1.0 - 2.0 * tail, 0.5, 0.5 * freedom);
    size = std::sqrt(freedom * parts.x / parts.y);
  } else if (tail > 0.0) {
    const Parts parts = beta_parts(2.0 * tail, 0.5 * freedom, 0.5);
    size = std::sqrt(freedom * parts.y / parts.x);
  }
  return probability < 0.5 ? -size : size;
}

double binomial_density(double k, double n, double probability) {
  const double x = probability, y = 1.0 - probability;
  if (!(x > 0.0)) return k == 0.0 ? 1.0 : 0.0;
  if (!(y > 0.0)) return k == n ? 1.0 : 0.0;
  return beta_power(x, y, k + 1.0, n - k + 1.0) / ((n + 1.0) * x * y);
}

double binomial_cdf(double k, double n, double probability) {
  if (k < 0.0) return 0.0;
  if (k >= n) return 1.0;
  return beta_tails(probability, std::floor(k) + 1.0, n - std::floor(k)).above;
}

}  // namespace vinci
