// SPDX-License-Identifier: Apache-2.0
// Controllers of joints. With e = q* − q, ė = v* − v of a reference that moves, M and c of the
// mechanism (vinci/control/robot.h), τ the efforts:
//   PD                    τ = K_p e + K_d ė
//   PID                   τ = K_p e + K_d ė + K_i ∫ e dt
//   gravity compensation  τ = g(q) + K_p e + K_d ė
//   computed torque       τ = M (a* + K_p e + K_d ė) + c(q, v)
// each cut off at its limits, sampled and held (zero order). The integral does not grow where it
// would drive a cut-off effort farther (anti-windup). Coordinates of balls have no e.
#pragma once

#include <memory>

#include "vinci/control/robot.h"
#include "vinci/control/trajectory.h"
#include "vinci/model/controller.h"

namespace vinci {

enum class JointLaw { pd, pid, gravity_compensation, computed_torque };

// One number per joint rate of the model, or none: zero (limits: infinite).
struct JointGains {
  VectorX proportional;  // K_p: N/m, N m/rad; of computed torque 1/s²
  VectorX derivative;    // K_d: N s/m, N m s/rad; of computed torque 1/s
  VectorX integral;      // K_i: per second of K_p
  VectorX limits;        // N, N m
  double sample = 0.0;   // s; 0: every step
};

class JointController : public Controller {
 public:
  // The reference gives q*, v*, a* per joint rate; none: the coordinates at the start of the scene.
  // Throws Error where a list has another length than the joint rates, or a number makes no sense.
  JointController(const Model& model, JointLaw law, JointGains gains,
                  std::shared_ptr<const Trajectory> reference = nullptr);

  int memory_size() const override;
  void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX> memory) override;
  // Of the last act(), per joint rate.
  const VectorX& efforts() const { return efforts_; }

 private:
  void sample(const State& state, double period, Eigen::Ref<VectorX> integral);

  Robot robot_;
  JointLaw law_;
  JointGains gains_;
  std::shared_ptr<const Trajectory> reference_;
  TrajectoryPoint point_;
  VectorX error_, rate_error_, wanted_, efforts_;
};

}  // namespace vinci
