// SPDX-License-Identifier: Apache-2.0
#include "events/ball.h"

#include <cmath>

namespace vinci {
namespace {

constexpr double g = ball_gravity;

struct Point {
  double h, v;
};

// Of a contact that begins with the speed v, after the time t.
Point pressed(const Stabilisation& law, double v, double t) {
  const double half = 0.5 * law.damping, w = std::sqrt(law.springs[0] - half * half);
  const double decay = std::exp(-half * t), s = std::sin(w * t), c = std::cos(w * t);
  return {decay * v / w * s, decay * v * (c - half / w * s)};
}

}  // namespace

double rigid_height() {
  double v = std::sqrt(2.0 * g * ball_height), t = v / g;
  while (true) {
    v *= ball_restitution;
    if (t + 2.0 * v / g > ball_until) break;
    t += 2.0 * v / g;
  }
  const double rest = ball_until - t;
  return v * rest - 0.5 * g * rest * rest;
}

double stabilised_height(const Stabilisation& law) {
  double v = -std::sqrt(2.0 * g * ball_height), t = -v / g;
  const double half = 0.5 * law.damping, w = std::sqrt(law.springs[0] - half * half);
  while (true) {
    // λ = g + h'' falls through zero within the first swing: it is the only change of sign there.
    const auto force = [&](double at) {
      const Point p = pressed(law, v, at);
      return g - law.damping * p.v - law.springs[0] * p.h;
    };
    double early = 0.0, late = M_PI / w;
    while (force(late) > 0.0) late *= 1.1;
    for (int i = 0; i < 200 && late - early > 1e-18; ++i) {
      const double middle = 0.5 * (early + late);
      (force(middle) > 0.0 ? early : late) = middle;
    }
    const Point p = pressed(law, v, early);
    t += early;
    const double flight = (p.v + std::sqrt(p.v * p.v + 2.0 * g * p.h)) / g;
    if (t + flight > ball_until) {
      const double rest = ball_until - t;
      return p.h + p.v * rest - 0.5 * g * rest * rest;
    }
    t += flight;
    v = p.v - g * flight;
  }
}

}  // namespace vinci
