// SPDX-License-Identifier: Apache-2.0
// With T_j, T_a, T_v the times of jerk, acceleration and velocity, and v the peak of velocity:
//   v = j T_j (T_j + T_a),  distance = v (2 T_j + T_a + T_v),
// where each of v, a = j T_j is at its limit or not reached.
#include "vinci/control/motion_profile.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

MotionProfile::MotionProfile(double start, double end, const MotionLimits& limits)
    : start_(start), end_(end) {
  for (const auto& [value, name] :
       {std::pair(limits.velocity, "velocity"), std::pair(limits.acceleration, "acceleration"),
        std::pair(limits.jerk, "jerk")})
    if (!(value > 0.0) || !std::isfinite(value))
      throw Error(
          fmt::format("the limit of {} is {}; accepted: positive finite numbers", name, value));
  if (!std::isfinite(start) || !std::isfinite(end))
    throw Error(fmt::format("from {} to {}; accepted: finite numbers", start, end));
  const double distance = std::abs(end - start);
  if (distance == 0.0) return;
  const double a = limits.acceleration, j = limits.jerk;
  double v = limits.velocity;
  const auto rise = [&] {
    ramp_ = v * j < a * a ? std::sqrt(v / j) : a / j;
    hold_ = v * j < a * a ? 0.0 : std::max(0.0, v / a - ramp_);
  };
  rise();
  cruise_ = distance / v - (2.0 * ramp_ + hold_);
  if (cruise_ < 0.0) {
    cruise_ = 0.0;
    v = 0.5 * a * (std::sqrt(a * a / (j * j) + 4.0 * distance / a) - a / j);
    if (v * j < a * a) {
      ramp_ = std::pow(0.5 * distance / j, 1.0 / 3.0);
      hold_ = 0.0;
    } else {
      rise();
    }
  }
  natural_ = 4.0 * ramp_ + 2.0 * hold_ + cruise_;
  // The jerk that gives the distance to the last digit.
  jerk_ = distance / (ramp_ * (ramp_ + hold_) * (2.0 * ramp_ + hold_ + cruise_));
}

Jet MotionProfile::rising(double t) const {
  Jet now{0.0, 0.0, 0.0};
  double left = t;
  for (const auto& [length, jerk] : {std::pair(ramp_, jerk_), std::pair(hold_, 0.0),
                                     std::pair(ramp_, -jerk_), std::pair(cruise_, 0.0)}) {
    const double s = std::min(left, length);
    now.value += s * (now.first + s * (0.5 * now.second + s * jerk / 6.0));
    now.first += s * (now.second + 0.5 * s * jerk);
    now.second += s * jerk;
    left -= s;
    if (left <= 0.0) break;
  }
  return now;
}

Jet MotionProfile::at(double time) const {
  const double t = time / scale_;
  if (!(t > 0.0) || natural_ == 0.0) return {natural_ == 0.0 && t > 0.0 ? end_ : start_, 0.0, 0.0};
  if (t >= natural_) return {end_, 0.0, 0.0};
  const bool second = t > 0.5 * natural_;
  const Jet way = rising(second ? natural_ - t : t);
  const double sign = end_ > start_ ? 1.0 : -1.0;
  return {second ? end_ - sign * way.value : start_ + sign * way.value, sign * way.first / scale_,
          (second ? -sign : sign) * way.second / (scale_ * scale_)};
}

double MotionProfile::jerk(double time) const {
  double t = time / scale_;
  if (!(t > 0.0) || t >= natural_) return 0.0;
  if (t > 0.5 * natural_) t = natural_ - t;
  const double sign = (end_ > start_ ? 1.0 : -1.0) / (scale_ * scale_ * scale_);
  if (t < ramp_) return sign * jerk_;
  if (t < ramp_ + hold_) return 0.0;
  return t < 2.0 * ramp_ + hold_ ? -sign * jerk_ : 0.0;
}

void MotionProfile::stretch(double duration) {
  if (natural_ == 0.0) return;
  if (!(duration >= natural_ * (1.0 - 1e-14)) || !std::isfinite(duration))
    throw Error(fmt::format("a way that takes {} s cannot take {} s; accepted: at least as long",
                            natural_, duration));
  scale_ = std::max(1.0, duration / natural_);
}

}  // namespace vinci
