// SPDX-License-Identifier: Apache-2.0
// The fastest way over a distance from rest to rest within limits of velocity, acceleration and
// jerk: seven pieces of constant jerk +j 0 −j 0 −j 0 +j, of which some may be empty.
#pragma once

#include <array>
#include <string>

#include "vinci/base/expression.h"

namespace vinci {

// Of one coordinate; jerk is the derivative of acceleration. All > 0 and finite.
struct MotionLimits {
  double velocity = 1.0, acceleration = 1.0, jerk = 1.0;
};

class MotionProfile {
 public:
  MotionProfile() = default;
  // From `start` to `end`. Throws Error for limits that are not positive and finite.
  MotionProfile(double start, double end, const MotionLimits& limits);

  double duration() const { return scale_ * natural_; }  // s
  // Value, velocity and acceleration; before the start and after the end at rest there, with the
  // very numbers that were given.
  Jet at(double time) const;
  double jerk(double time) const;
  // The same way in a longer time, by which velocities fall in proportion, accelerations with its
  // square and jerks with its cube. A shorter one is an Error.
  void stretch(double duration);

 private:
  // From rest at 0; of the first half, the second is its mirror image.
  Jet rising(double time) const;

  double start_ = 0.0, end_ = 0.0;
  double jerk_ = 0.0, natural_ = 0.0, scale_ = 1.0;
  double ramp_ = 0.0, hold_ = 0.0, cruise_ = 0.0;  // s: of a piece of jerk, acceleration, velocity
};

}  // namespace vinci
