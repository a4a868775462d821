// SPDX-License-Identifier: Apache-2.0
// Closes joints in positions: bodies and coordinates are displaced by the least motion after which
// the joints that hold bodies together by rows (in maximal coordinates all, in reduced ones those
// that close loops) are together, by Newton's method. Velocities stay, so nothing is thrown.
//
// Rows that others imply are no trouble: what no displacement can reach is left open, and told.
// Limits are not overrun but for those that were before, and what friction holds stands still.
#pragma once

#include "vinci/formulation/joint_blocks.h"
#include "vinci/formulation/least_motion.h"
#include "vinci/formulation/tree_motion.h"

namespace vinci {

struct JointOpening {
  double before = 0.0, left = 0.0;  // m or rad, of the row that is open most
};

// A limit of a joint.
struct LimitPlace {
  int joint = 0, freedom = 0;
  bool upper = false;
};

class JointClosure {
 public:
  // `still`: freedoms that do not move; `slips`: couplings that hold nothing; `bearing`: limits
  // that are kept reached. Of the state poses and the coordinates of joints change.
  JointOpening close(const Model& model, State& state, std::span<const FreedomPlace> still = {},
                     std::span<const int> slips = {}, std::span<const LimitPlace> bearing = {});
  // Moves bodies and coordinates by a displacement of the unknowns.
  void displace(const Model& model, State& state, const VectorX& displacement);

 private:
  double measure(const Model& model, const State& state, bool first);

  Tree tree_;
  JointBlocks blocks_;
  JointedMotion motion_;
  LeastMotion least_;
  SparseRows inertia_, rows_;
  VectorX errors_, load_, displacement_, packed_, rates_;
  enum class Mark : char { far, reached, bearing, passed };
  Mark& mark_of(const LimitPlace& limit, const Model& model);
  std::vector<Mark> marks_;  // of lower and upper limit per joint rate
  std::vector<Pose> best_poses_;
  VectorX best_positions_;
};

// The coordinates of joints that nothing hangs on, from the poses of bodies.
void read_loop_coordinates(const Model& model, std::span<const Pose> poses, VectorX& positions);

}  // namespace vinci
