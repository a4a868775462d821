// SPDX-License-Identifier: Apache-2.0
// What joints bear that bodies hang on, from the motion of the bodies and all that acts on them, by
// recursion. Forces over a step, or impulses at an instant.
#pragma once

#include <span>
#include <vector>

#include "vinci/formulation/contact_motion.h"
#include "vinci/kinematics/tree_dynamics.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

class TreeLoads {
 public:
  // Packed forces on bodies, to which others are added.
  void begin(const VectorX& forces) { borne_ = forces; }
  // At the end of an arm from the centre of mass; body −1 is the world.
  void push(const Model& model, int body, const Vector3& arm, const Vector3& force,
            const Vector3& moment);
  // Impulses of contacts and supports, and of joints that close loops, over `time`.
  void add_contact(const Model& model, const std::vector<Pose>& poses, const SolvedContact& solved,
                   const ContactArms* arms, double time);
  void add_loop_joints(const Model& model, const std::vector<Pose>& poses,
                       std::span<const SolvedJoint> joints, double time);

  struct Motion {
    const VectorX& velocities;  // packed
    const VectorX& rates;       // of joints
    const VectorX& prescribed;  // packed accelerations
    const VectorX& change;      // accelerations of the unknowns
  };
  // Sets impulse and moment of the joints that something hangs on, `time` times what they bear.
  void collect(const Tree& tree, const Motion& motion, double time,
               std::vector<SolvedJoint>& joints);

 private:
  TreeDynamics dynamics_;
  VectorX borne_, efforts_;
};

}  // namespace vinci
