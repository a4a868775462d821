// SPDX-License-Identifier: Apache-2.0
// The orientation test with an exact sign: a floating-point filter first, an exact sum of products
// where the filter cannot tell [Shewchuk 1997, Adaptive precision floating-point arithmetic].
#pragma once

#include "vinci/base/math.h"

namespace vinci {

// +1 if a, b, c turn left, −1 if right, 0 if exactly collinear. Exact for coordinates whose
// products neither overflow nor underflow (magnitudes from 1e-140 to 1e140, and zero).
int orientation(const Vector2& a, const Vector2& b, const Vector2& c);

// Whether two closed segments share a point; exact.
bool segments_touch(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d);

}  // namespace vinci
