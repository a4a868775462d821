// SPDX-License-Identifier: Apache-2.0
// Force closure with the exact cones, proved either way. The largest t with
//
//   Σ wrenches = 0,   Σ f_n = 1,   f_n >= 0,   |f_t| <= μ f_n − t  at every contact
//
// (f_n >= t of a contact without friction) is the grasp's margin. Above 0, and with wrenches of
// full rank, the loads that have it prove that every wrench is balanced; otherwise the multipliers
// of the balance are a direction along which no contact can push. Both proofs are checked from
// positions, axes and coefficients alone.
#pragma once

#include "vinci/grasp/grasp_map.h"

namespace vinci {

struct ClosureProof {
  bool closed = false;
  bool proved = false;  // by what is below; else the grasp is too near to the boundary to tell
  double margin = 0.0;  // t; −infinity where no loads balance, however large their friction
  int rank = 0;         // of the wrenches: 3 or 6 where they span all
  double weakest_column = 0.0;  // least singular value of the map, wrenches scaled

  // Closed: loads that balance, all strictly within their cones, normal forces of 1 N in all.
  std::vector<ContactLoad> loads;
  double imbalance = 0.0;     // N, of these
  double least_margin = 0.0;  // of these, N, by margin_of()
  // Open: along this wrench (N, N m about the centre; its scaled form has length 1) no contact
  // pushes; the opposite wrench from outside is not balanced.
  Vector6 direction = Vector6::Zero();
  double push = 0.0;  // the most that a unit of normal force gives along it: 0 or less, to rounding
};

ClosureProof prove_closure(const Grasp& grasp);

// The checks: whether loads prove closure, and the most that any contact pushes along a direction
// per unit of normal force, N.
struct BalanceCheck {
  bool proves = false;
  double imbalance = 0.0, least_margin = 0.0;
};
BalanceCheck check_balance(const Grasp& grasp, std::span<const ContactLoad> loads);
double push_along(const Grasp& grasp, const Vector6& direction);

// Smallest over unit wrenches y of the most that a contact pushes along y, for open grasps: below
// 0, how far the contacts' wrenches are from y's half space; with the y that has it.
struct Separation {
  double value = 0.0;
  Vector6 direction = Vector6::Zero();
  double residual = 0.0;
};
Separation separate(const Grasp& grasp);

}  // namespace vinci
