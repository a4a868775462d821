// SPDX-License-Identifier: Apache-2.0
// Impulses along the unknowns, and what comes of them.
#include "vinci/stepping/body_response.h"

namespace vinci {

void BodyResponse::begin(const Tree& tree, const ComplementarityProblem& problem,
                         const JointBlocks& joints) {
  tree_ = &tree;
  regular_ = motion_.prepare(problem, joints);
  impulses_.setZero(problem.unknowns());
}

void BodyResponse::push(int body, const Vector3& arm, const Vector3& impulse,
                        const Vector3& moment) {
  const Vector3 turning = arm.cross(impulse) + moment;
  tree_->columns(body, columns_);
  for (const BodyColumn& column : columns_)
    impulses_[column.unknown] +=
        column.twist.linear.dot(impulse) + column.twist.angular.dot(turning);
}

const VectorX& BodyResponse::answer() {
  const Model& model = tree_->model();
  velocities_.setZero(model.velocity_count);
  rates_.setZero(model.joint_rate_count);
  if (regular_) {
    motion_.respond(impulses_, unknowns_);
    tree_->spread_unknowns(unknowns_, velocities_, rates_);
  }
  impulses_.setZero();
  return velocities_;
}

}  // namespace vinci
