// SPDX-License-Identifier: Apache-2.0
// Whether a simpler form of a linear system answers as the system itself: values of both at points
// of the plane, beside what rounding leaves open of them.
#pragma once

#include <functional>
#include <vector>

#include "vinci/systems/stability.h"

namespace vinci {

// C (s I − A)⁻¹ B + D, and per entry how far it may move when every entry of A, B, C and D is
// rounded, to first order.
struct KnownValue {
  ComplexMatrix value;
  MatrixX rounding;
};
KnownValue known_value(const LinearSystem& system, Complex point);

// Points near the poles, at their sizes off and on the imaginary axis, and beyond all of them:
// nowhere at a pole. Poles that rounding keeps from 0 say no size.
std::vector<Complex> check_points(const PoleBounds& poles);

// Forms that miss the response by no more answer as the system does, or by ten times the tolerance
// where that is more. It is the last of the six digits that are printed, so what is shown is right,
// and no form below it is better than another one. Nothing finer can be asked for: what is dropped
// against the tolerance of ranks, 1e-10, moves the response by the condition of the system as much.
inline constexpr double accepted_miss = 1e-6;

// What other forms are measured against.
class ResponseCheck {
 public:
  // The system should be balanced.
  explicit ResponseCheck(const LinearSystem& system);

  // Largest distance of a form from the system, over the size of the entry, beyond rounding: at
  // points where rounding leaves three digits of the entry.
  double miss(const std::function<ComplexMatrix(Complex)>& form) const;
  // Whether nothing comes through that is more than rounding.
  bool is_silent() const;
  // Up to which |s| the entries are known to three digits; infinite where they are at all points.
  double known_up_to() const;

 private:
  std::vector<Complex> points_;
  std::vector<KnownValue> values_;
};

}  // namespace vinci
