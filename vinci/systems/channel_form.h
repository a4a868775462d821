// SPDX-License-Identifier: Apache-2.0
// Zeros and gain of one input to one output: k ∏(s − zᵢ) / ∏(s − pᵢ) with the poles of A.
//
// Several ways are tried, and the first that answers as the system does is taken; without one that
// does, the nearest.
#pragma once

#include "vinci/systems/modes.h"

namespace vinci {

struct ChannelForm {
  double gain = 0.0;  // 0: nothing comes through
  ComplexVector zeros;
  // Largest relative distance from the response of the system at points where that is known.
  double miss = 0.0;
  // Rounding of A, B and C leaves open what comes through beyond this |s|: zeros out there, and how
  // many more poles than zeros there are, are not determined. Infinite where they are.
  double known_up_to = infinity;
};
// Compared with the channel itself, or with the whole that it is a reduced part of: reducing splits
// poles at 0, and the part has them where the whole has none.
ChannelForm channel_form(const LinearSystem& channel, const LinearSystem& whole, double tolerance);

// k ∏(s − zᵢ) / ∏(s − pᵢ), without overflow on the way.
Complex product_form(double gain, const ComplexVector& zeros, const ComplexVector& poles,
                     Complex point);

}  // namespace vinci
