// SPDX-License-Identifier: Apache-2.0
// Whether a linear system is stable, as far as rounding lets it be told.
#pragma once

#include "vinci/systems/linear_system.h"

namespace vinci {

// marginal: no pole is surely outside, but one is so near to the border that rounding decides.
enum class Stability { stable, marginal, unstable };
Stability stability(const LinearSystem& system);
const char* to_string(Stability stability);

// Poles with how far rounding of A may move each: to first order by its condition
// |y|ᵀ|A||x|/|yᵀx|, x and y its eigenvectors [Golub 2013]; poles that stand together move by a
// root of that, of the size of their number.
struct PoleBounds {
  ComplexVector poles;  // in the order of poles()
  VectorX bounds;
};
PoleBounds pole_bounds(const LinearSystem& system);

}  // namespace vinci
