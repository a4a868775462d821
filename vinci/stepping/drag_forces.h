// SPDX-License-Identifier: Apache-2.0
// The forces of a step, or of a part of one, as lines in the velocities at its end.
//
// Forces that depend on velocity are taken at the end of the step: f(v) is replaced by f₀ − c v,
// c >= 0, and the line is moved until it meets f at the velocity that comes out. Then the work of a
// drag, h f(v)·v with v at the end, is never positive, at any step size. The lines are tangents
// (Newton's method). Where these do not settle, they are drawn within brackets per entry: a line
// through f(p) that leads to v > p says that the answer lies above p, whatever its slope, so what
// leads out of the bracket is tried within it. Where that does not settle either, as at a jump of
// f, secants from v = 0 (Kačanov's method) are passive all the same. A force that drives, which is
// larger than at rest along its velocity where the step begins, is no drag: it keeps its value
// there.
//
// A flight (flight.h) takes the forces of the scene in its middle, at q + h v/2: moved by the mean
// of its velocities, a body then keeps the energy of a spring, as an ordinary step does with the
// forces at its start [Hairer 2003, position Verlet].
#pragma once

#include <span>
#include <vector>

#include "vinci/formulation/free_motion.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

class DragForces {
 public:
  // Of the scene and the controllers, for the step of h seconds that begins at the state.
  void begin(StepContext& context, const State& state, double h);
  // Of the scene, and `held` ones of the controllers, for a part of a step.
  void begin_part(const Model& model, const State& state, const LinearForces& held);
  void begin_flight(const Model& model, const State& state, double h, const LinearForces& held);
  // In a flight: these bodies do not fly, and have the forces at its start. Whether that changes
  // anything.
  bool ground(const Model& model, std::span<const char> bodies);

  const LinearForces& line() const { return line_; }
  // Whether a force depends on velocity.
  bool has_drags() const { return model_->drags || others_->drag.size() > 0; }
  struct Solve {
    const VectorX& foreseen;       // velocities without contact
    std::span<const char> joined;  // per body: rows act on it
  };
  // Whether f is on its line at the velocities of a solve, or these are, as far as they are known,
  // those where the line was drawn.
  bool meets(const VectorX& velocities, const Solve& solve, const Accuracy& accuracy);
  // Drags of bodies that rows act on that are at rest, as far as the last meets() could tell, are.
  void still(std::span<const char> joined, VectorX& velocities) const;
  // Lines that meet f at these velocities; false if there have been too many.
  bool follow(const VectorX& velocities);
  double error() const { return error_; }  // of the last meets(), relative

 private:
  void reset(const Model& model, const State& state, const LinearForces& others);
  void look_at_middle(double ahead);
  void begin_lines();
  void find_slopes(const State& at, const VectorX& velocities);
  void evaluate(const VectorX& velocities, VectorX& forces);
  bool rests(double velocity, Eigen::Index i) const;
  void find_resolution(const Solve& solve, double tolerance);
  void draw_lines(const VectorX& velocities, bool tangents);
  void narrow(const VectorX& velocities);
  const VectorX& within(const VectorX& velocities);

  const Model* model_ = nullptr;
  const State* start_ = nullptr;
  const LinearForces* others_ = nullptr;  // of the controllers
  LinearForces line_;
  bool differs_ = false;  // in the middle of a flight from its start
  int rounds_ = 0;
  double error_ = 0.0;
  State middle_;                // time and poses alone
  std::vector<char> grounded_;  // per packed entry
  std::vector<char> implicit_;  // per packed entry: a drag
  VectorX forces_, scratch_, slopes_;
  VectorX still_, at_rest_;  // zeros, and the forces with them
  VectorX edge_, at_edge_;   // drags at rest as fast as can be, and the forces with them
  VectorX resolved_;         // what velocities are known to
  VectorX most_;             // the speed of each in the step
  VectorX drawn_;            // velocities at which the lines meet f
  VectorX low_, high_;       // between which each entry of the answer lies
  VectorX step_, ratio_;     // from drawn_ to what came out; over the last such step
  std::vector<char> met_;    // per packed entry, by the last meets()
};

}  // namespace vinci
