// SPDX-License-Identifier: Apache-2.0
// Controllers of joints: a law (joint_law.h) whose efforts are cut off at limits, sampled and held
// (zero order). The integral of a law that has one does not grow where it would drive a cut-off
// effort farther (anti-windup).
//
// Memory, one number per controlled rate each but for the first: the time of the next sample, the
// efforts that are held, reference and error at the sample, the integral. So whatever a recording
// shows of it is part of the state.
#pragma once

#include <memory>

#include "vinci/control/joint_law.h"
#include "vinci/control/trajectory.h"
#include "vinci/model/controller.h"

namespace vinci {

class JointController : public Controller {
 public:
  // Drives these joint rates; none: all. The reference gives q*, v*, a* of them. Throws Error where
  // a list has another length than the rates, or a number makes no sense.
  JointController(const Model& model, const JointLaw& law, JointGains gains,
                  JointReference reference = {}, std::vector<int> rates = {});

  // Joint rates that other controllers drive: laws that know the mechanism take them as kept, and
  // those that nothing drives as free to move.
  void set_others(const std::vector<int>& rates) { robot_.set_driven(rates_, rates); }

  int memory_size() const override;
  std::vector<std::string> memory_columns() const override;
  void begin(const Model& model, const State& state, Eigen::Ref<VectorX> memory) override;
  void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX> memory) override;
  // Of the last act(), per controlled rate.
  const VectorX& efforts() const { return efforts_; }

 private:
  int count() const { return static_cast<int>(rates_.size()); }
  void check_reference();
  void find_errors(const State& state);
  void sample(const State& state, double period, Eigen::Ref<VectorX> integral);
  void keep(Eigen::Ref<VectorX> memory) const;

  Robot robot_;
  const JointLaw& law_;
  JointGains gains_;
  JointReference reference_;
  std::vector<int> rates_;
  TrajectoryPoint point_, whole_;  // of the rates, and of the trajectory
  VectorX error_, rate_error_, efforts_, all_;
};

}  // namespace vinci
