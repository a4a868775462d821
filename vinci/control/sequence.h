// SPDX-License-Identifier: Apache-2.0
// Trajectories one after the other.
#pragma once

#include "vinci/control/trajectory.h"

namespace vinci {

// From a time on; each piece begins where the last one ended, at rest, so that position, velocity
// and (but for cubic splines) acceleration are continuous. Before and after it stands.
class Sequence : public Trajectory {
 public:
  // Stands at `begin` until `start` s.
  Sequence(double start, VectorX begin);
  // Throws Error for a piece of another size, or that begins elsewhere.
  void add(std::shared_ptr<const Trajectory> piece);
  void wait(double seconds) { end_ += seconds; }
  const VectorX& last() const { return last_; }  // where it ends

  int size() const override { return static_cast<int>(begin_.size()); }
  double duration() const override { return end_; }
  void at(double time, TrajectoryPoint& point) const override;

 private:
  struct Piece {
    double start = 0.0;
    std::shared_ptr<const Trajectory> trajectory;
  };
  VectorX begin_, last_;
  double end_ = 0.0;
  std::vector<Piece> pieces_;
};

}  // namespace vinci
