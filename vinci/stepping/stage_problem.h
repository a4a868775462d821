// SPDX-License-Identifier: Apache-2.0
// One stage of a step of second order (second_order.h) as a problem of the one form:
//
//   0 = M u − Jᵀλ − (M v̂ + β f),   w = J u + b
//
// over β seconds that end where and as the stage is foreseen. M, J and f are those of that place,
// normal rows are velocities (no gap stands in them), b is the velocity that is prescribed at that
// instant. Forces that depend on velocity are their tangents at the foreseen velocities where these
// fall with velocity; springs, dampers and servos are those at the end of the stage.
#pragma once

#include "vinci/formulation/joint_blocks.h"
#include "vinci/formulation/problem_builder.h"
#include "vinci/formulation/tree_motion.h"

namespace vinci {

struct StageInput {
  const Model& model;
  const State& at;             // foreseen: time, poses, velocities, coordinates and rates of joints
  double length = 0.0;         // β, s
  const VectorX& before;       // v̂, unknowns
  const LinearForces& held;    // of controllers
  const ContactSet& contacts;  // that are closed, there
  std::span<const EntityKey> limits;        // of joints, that are closed, ascending
  const std::vector<char>* only = nullptr;  // per body: rows of these alone
};

class StageProblem {
 public:
  void formulate(const StageInput& stage, const ConeForm& form, ComplementarityProblem& problem);

  const ProblemBuilder& builder() const { return builder_; }
  const JointBlocks& joints() const { return joints_; }
  const JointLoads& loads() const { return loads_; }
  const std::vector<ContactTerms>& terms() const { return terms_; }
  const std::vector<SupportPoint>& supports() const { return supports_; }
  const std::vector<ElementTerms>& elements() const { return elements_; }
  const Tree& tree() const { return tree_; }
  const VectorX& carried() const { return carried_; }
  const LinearForces& forces() const { return forces_; }
  const VectorX& prescribed_accelerations() const { return accelerations_; }

 private:
  bool counts(const StageInput& stage, int body) const {
    return !stage.only || (body >= 0 && (*stage.only)[static_cast<std::size_t>(body)] != 0);
  }
  void set_carried(const StageInput& stage);
  void set_forces(const StageInput& stage);
  void add_contacts(const StageInput& stage);
  void add_supports(const StageInput& stage, const RowSpace& space);
  void add_elements(const StageInput& stage, const RowSpace& space);
  void add_joints(const StageInput& stage);

  Tree tree_;
  VectorX carried_;        // packed velocities by prescribed coordinates alone
  VectorX accelerations_;  // packed, of prescribed entries
  VectorX zero_rates_, later_, slopes_;
  LinearForces forces_;
  std::vector<ContactTerms> terms_;
  std::vector<SupportPoint> supports_;
  std::vector<ElementTerms> elements_;
  std::vector<ElementRow> element_rows_;
  State before_;  // of the joints, as JointStage asks for it
  JointLoads loads_;
  JointBlocks joints_;
  JointedMotion motion_;
  ProblemBuilder builder_;
};

}  // namespace vinci
