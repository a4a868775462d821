// SPDX-License-Identifier: Apache-2.0
// Trees of joints in steps in which nothing but smooth forces acts: weight, forces of the scene,
// torques and forces of motors. There M(q) u' = τ − c(q, u) has a smooth solution, and the rule of
// order 8 by Dormand and Prince follows it [Hairer 1993, section II.5], each of its 12 stages by
// articulated bodies, in time that grows with the number of links. Everything that rows or implicit
// terms are for is left to the step of joints.md: contacts, limits that are reached, friction,
// springs, dampers and servos, loops, couplings; and with them bodies that hang on nothing, driven
// bases, ball joints and drags.
#pragma once

#include "vinci/base/options.h"
#include "vinci/formulation/joint_blocks.h"
#include "vinci/kinematics/tree_dynamics.h"
#include "vinci/model/state.h"

namespace vinci {

// Of a stepper's own: how trees move where nothing touches.
OptionSpec smooth_option();

struct SmoothStep {
  const Model& model;
  const State& state;       // at its start
  const VectorX& forces;    // packed, there; what is no function of the scene is held
  const JointLoads& loads;  // likewise
  double h = 0.0;
};

class SmoothMotion {
 public:
  explicit SmoothMotion(const OptionValues& options);
  bool is_asked() const { return asked_; }
  // Whether the joints of a model may move so.
  static bool takes(const Model& model, const JointLoads& loads);
  // False: the step is not of this kind, or a limit would be passed.
  bool advance(const SmoothStep& step);
  // Whether the last advance() holds, and what it came to.
  bool is_taken() const { return taken_; }
  void leave() { taken_ = false; }
  const VectorX& positions() const { return positions_; }
  const VectorX& rates() const { return rates_; }
  const std::vector<Pose>& poses() const { return at_.poses; }

 private:
  void begin(const SmoothStep& step);
  void accelerate(const SmoothStep& step, int stage, double time);
  void place(const Model& model);

  bool asked_ = false, taken_ = false;
  State at_;  // of a stage: time, poses, velocities
  Tree tree_;
  TreeDynamics dynamics_;
  VectorX held_, held_efforts_;  // beside what the scene's functions give
  VectorX forces_, efforts_, accelerations_;
  VectorX positions_, rates_;
  std::vector<VectorX> speeds_, changes_;  // per stage: q', u'
};

}  // namespace vinci
