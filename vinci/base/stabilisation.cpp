// SPDX-License-Identifier: Apache-2.0
// The map from damping to restitution, and its inverse by bisection.
#include "vinci/base/stabilisation.h"

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

void check_positive(double number, const char* what) {
  if (!(number > 0.0) || !std::isfinite(number))
    throw Error(fmt::format("{} of {}; accepted: a finite number above 0", what, number));
}

}  // namespace

void check(const Stabilisation& stabilisation) {
  if (!(stabilisation.damping >= 0.0) || !std::isfinite(stabilisation.damping))
    throw Error(
        fmt::format("a stabilisation with the damping {}; accepted: a finite number, not "
                    "negative",
                    stabilisation.damping));
  bool pulls = false;
  for (const double coefficient : stabilisation.springs) {
    if (!(coefficient >= 0.0) || !std::isfinite(coefficient))
      throw Error(
          fmt::format("a stabilisation with the spring {}; accepted: finite numbers, none "
                      "negative",
                      coefficient));
    pulls |= coefficient > 0.0;
  }
  if (!pulls)
    throw Error(
        "a stabilisation without a spring never comes back to zero; accepted: at least one "
        "spring above 0");
}

Stabilisation settling_in(double time_scale) {
  check_positive(time_scale, "a time scale");
  return {2.0 / time_scale, {1.0 / (time_scale * time_scale)}};
}

double restitution(double damping_ratio) {
  const double d = damping_ratio;
  const double rest = (1.0 - d) * (1.0 + d);
  // acos(2 D² − 1)/√(1 − D²) = 2 acos(D)/√(1 − D²) is smooth through D = 1, where it is 2.
  if (std::abs(rest) < 1e-8) return std::exp(-d * (2.0 + (1.0 - d) * 2.0 / 3.0));
  if (rest > 0.0) return std::exp(-2.0 * d * std::acos(d) / std::sqrt(rest));
  const double root = std::sqrt(-rest);
  return std::exp(-2.0 * d * std::log(d + root) / root);
}

Stabilisation restituting(double asked, double time_scale) {
  check_positive(time_scale, "a time scale");
  if (!(asked > 0.0) || !(asked <= 1.0))
    throw Error(
        fmt::format("a restitution of {}; accepted: above 0 and at most 1. What does not "
                    "bounce has a time scale alone",
                    asked));
  // e falls with D, slowly for large ones.
  double low = 0.0, high = 1.0;
  while (restitution(high) > asked) {
    high *= 2.0;
    if (high > 1e12)
      throw Error(
          fmt::format("a restitution of {} needs more damping than numbers can hold; "
                      "accepted: 1e-24 or more",
                      asked));
  }
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (restitution(middle) > asked ? low : high) = middle;
  }
  return {2.0 * low / time_scale, {1.0 / (time_scale * time_scale)}};
}

}  // namespace vinci
