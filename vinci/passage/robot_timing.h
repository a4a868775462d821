// SPDX-License-Identifier: Apache-2.0
// Paths of joints made shorter, and run through in time; both stay certified. Private to passage/.
#pragma once

#include "vinci/passage/mechanism.h"
#include "vinci/passage/robot_passage.h"

namespace vinci {

struct MotionRules {
  double clearance = 0.0, resolution = 0.0;
  unsigned long seed = 0;
};

// Leaves points out, and cuts corners, wherever the straight way is free.
std::vector<VectorX> shortened(Mechanism& mechanism, const std::vector<VectorX>& path,
                               const MotionRules& rules);

// Sets trajectory, times, knots and `smooth`: the quickest of a motion that rests at every point
// and splines through them, which are taken only if they are certified.
void time_path(Mechanism& mechanism, const std::vector<VectorX>& path, const MotionRules& rules,
               RobotPassageResult& result);

// The coordinates x of a trajectory over all joint rates.
class LeadingCoordinates : public Trajectory {
 public:
  LeadingCoordinates(const Mechanism& mechanism, const Trajectory& whole)
      : mechanism_(mechanism), whole_(whole) {}
  int size() const override { return mechanism_.size(); }
  double duration() const override { return whole_.duration(); }
  void at(double time, TrajectoryPoint& point) const override;

 private:
  const Mechanism& mechanism_;
  const Trajectory& whole_;
};

// Bounds of the accelerations of x.
VectorX acceleration_peaks(const Mechanism& mechanism, const Spline& spline);

}  // namespace vinci
