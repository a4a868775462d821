// SPDX-License-Identifier: Apache-2.0
// The least contact forces that balance a wrench from outside, over the exact cones:
//
//   Σ wrenches + w = 0,   least ½ Σ |f|², least Σ f_n, or least largest f_n.
//
// Moments count divided by ℓ in the squares. Where no forces serve there is a direction y along
// which no contact pushes and against which w does, w·y < 0.
#pragma once

#include "vinci/grasp/grasp_map.h"

namespace vinci {

enum class LeastForces : char { squares, sum_of_normals, largest_normal };

struct HeldWrench {
  enum class Status : char {
    held,        // the loads balance, and none are smaller, to `gap`
    impossible,  // proved by `direction`
    undecided,   // w lies on the edge of what can be balanced
  };
  Status status = Status::undecided;
  std::vector<ContactLoad> loads;
  double value = 0.0;         // of the objective: N², or N
  double gap = 0.0;           // between it and a proved bound from below, relative
  double imbalance = 0.0;     // N, relative to |w|
  double least_margin = 0.0;  // of the loads, by margin_of(): not below 0 but for rounding, N
  Vector6 direction = Vector6::Zero();  // as ClosureProof has it
  double push = 0.0;                    // along it, as there
  double against = 0.0;                 // −w·y > 0, scaled, N
};

// `wrench`: N, N m about the centre. Throws Error.
HeldWrench hold(const Grasp& grasp, const Vector6& wrench, LeastForces least);

}  // namespace vinci
