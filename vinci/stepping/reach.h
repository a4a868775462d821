// SPDX-License-Identifier: Apache-2.0
// How far every body can get within a step: what the collision detector is told, so that every
// contact that may touch is in the set.
#pragma once

#include <vector>

#include "vinci/model/state.h"

namespace vinci {

// The poses and velocities between which a body may be found in the step.
struct StepEnds {
  const State& now;
  const std::vector<Pose>& placed;  // with the prescribed coordinates at the end of the step
  const VectorX& foreseen;          // packed velocities at the end of the step without contact
};

class Reach {
 public:
  // 1.5 times the way of each body in h seconds with the larger of its velocities now and foreseen.
  void foresee(const Model& model, const StepEnds& ends, double h);
  // The same for every body that moves, m.
  void set(const Model& model, double distance);
  // Whether a body gets farther with these velocities than was said; then says more.
  bool outrun(const Model& model, const VectorX& velocities, double h);
  const std::vector<double>& distances() const { return reach_; }  // m, per body

 private:
  double travel(const Model& model, const VectorX& velocities, int body, double h) const;

  std::vector<double> reach_;
  std::vector<double> radius_;  // m, per body: of its surface about its centre of mass
};

}  // namespace vinci
