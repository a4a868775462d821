// SPDX-License-Identifier: Apache-2.0
// What loops of joints leave to move, and which of their rows say nothing new: those that follow
// from others wherever the mechanism stands (redundant, as three of a planar linkage in space), and
// those that do so only where it stands now (singular, as where a four-bar lies flat: there it may
// go on in more than one way).
#pragma once

#include <vector>

#include "vinci/model/state.h"

namespace vinci {

struct LoopFacts {
  int joint = -1, coupling = -1;  // that closes the loop, or that couples coordinates
  std::vector<int> bodies;        // along the loop
  int rows = 0;                   // that close it
  int redundant = 0;              // of these: follow from those of loops before, or each other
  int singular = 0;               // further ones that do so where the mechanism stands
};

struct LoopAnalysis {
  std::vector<LoopFacts> loops;  // in the order of joints, then couplings
  int freedoms = 0;              // that joints and loops leave, of all bodies
};

// Of a model of any coordinates. Mechanisms of more rows than `most_analysed_rows` are not looked
// at: no loops are told.
inline constexpr int most_analysed_rows = 400;
LoopAnalysis analyse_loops(const Model& model, const State& state);

}  // namespace vinci
