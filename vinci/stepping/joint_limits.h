// SPDX-License-Identifier: Apache-2.0
// Limits of joints as gaps: how far coordinates are from them.
#pragma once

#include <vector>

#include "vinci/model/state.h"

namespace vinci {

struct JointLimit {
  EntityKey key;
  int joint = 0, rate = 0;   // rate: into the rates of all joints
  double sign = 1.0;         // +1 of a lower limit, −1 of an upper one
  double gap = 0.0;          // m or rad, below 0 beyond the limit
  double restitution = 0.0;  // e

  double speed(const VectorX& rates) const { return sign * rates[rate]; }  // below 0: it closes
};

// All limits at these coordinates, by ascending keys, but for those that hold a coordinate in one
// place.
void find_limits(const Model& model, const VectorX& positions, std::vector<JointLimit>& limits);

}  // namespace vinci
