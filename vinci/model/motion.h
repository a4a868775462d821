// SPDX-License-Identifier: Apache-2.0
// A prescribed coordinate given by code in the place of the scene's expression.
#pragma once

#include "vinci/base/expression.h"

namespace vinci {

class Motion {
 public:
  virtual ~Motion() = default;
  // Position (m or rad), velocity and acceleration at a time (s). A function of time alone: it is
  // asked several times per step, and for times before the present. What it throws leaves
  // Simulation::step(), and the state stays; so does an Error where a number is not finite.
  virtual Jet at(double time) const = 0;
};

}  // namespace vinci
