// SPDX-License-Identifier: Apache-2.0
// Auto-grasp with dynamics: velocity servos close the fingers in the simulation until all rest.
#pragma once

#include "vinci/grasp/closing.h"
#include "vinci/recording/run_loop.h"
#include "vinci/scene/scene_motors.h"

namespace vinci {

struct ClosingRun {
  std::vector<ClosingJoint> joints;
  double speed = 1.0;  // rad/s, m/s
  double limit = 0.0;  // N m or N of the servos; 0: that of the joint's motor
  int object = -1;     // has to rest as well; −1: nobody
};

// The servos: at their limits they lag by a fiftieth of the speed. Throws Error if a joint has no
// limit.
std::map<std::string, VelocityServo> closing_servos(const Model& model, const ClosingRun& run);

// Watches a run until the joints are slower than a thousandth of the closing speed, and the object
// slower than 1 mm/s and 0.01 rad/s, for 50 ms.
class RestWatcher : public StepWatcher {
 public:
  RestWatcher(const ClosingRun& run, double step);
  void after_step(const Simulation& simulation) override;
  bool at_rest() const { return still_ >= needed_; }

 private:
  ClosingRun run_;
  std::int64_t still_ = 0, needed_ = 1;  // steps
};

// How the joints stand after the last step of a run.
std::vector<ClosedJoint> closed_joints(const Simulation& simulation, const ClosingRun& run,
                                       const State& start);

}  // namespace vinci
