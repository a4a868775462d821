// SPDX-License-Identifier: Apache-2.0
// The solutions among which a step chooses. An island of a problem (complementarity/islands.h)
// whose solutions differ in their velocities is a point of choice: alternative 0 is the answer of
// the run's own solver, the others are those that its diagnosis (stepping/island_diagnosis.h) finds
// besides. Solutions that differ in loads alone are one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vinci/stepping/solution_witness.h"

namespace vinci {

struct ChoicePoint {
  int problem = 0;          // of those that the step solves, from 0
  std::vector<int> bodies;  // that the island moves
  int alternatives = 2;
  int taken = 0;
  double distance = 0.0;   // m/s, of the alternatives that differ most; motion_distance()
  bool continuum = false;  // the alternatives stand for infinitely many
};

// How far two motions are apart, as far as the body that differs most: √(|Δv|² + (r |Δω|)²) in m/s,
// v of the centre of mass and r the radius of the body about it. Packed velocities.
double motion_distance(const Model& model, const VectorX& a, const VectorX& b);

// Finds the points of choice of steps, and takes the alternatives that it is told to.
class StepChooser final : public SolutionWitness {
 public:
  StepChooser();
  ~StepChooser() override;

  // Before a step: what is taken at its first points of choice; at later ones alternative 0.
  void begin(std::vector<int> taken);
  void look(const SolvedProblem& solved, Solution& solution, StepReport& report) override;

  // Of the step since begin(), in the order in which it came to them.
  const std::vector<ChoicePoint>& points() const { return points_; }
  // Islands that may have solutions beside those found: too large to be enumerated or with a law
  // that is not, or enumerated without a proof.
  int unseen_islands() const { return unseen_; }
  int unproved_islands() const { return unproved_; }
  // Quasi-static: some motion costs no force, of which there are infinitely many.
  bool has_free_motion() const { return free_; }

 private:
  struct Work;
  void visit(const SolvedProblem& solved, int island, Solution& solution);

  std::vector<int> taken_;
  std::vector<ChoicePoint> points_;
  int problems_ = 0, unseen_ = 0, unproved_ = 0;
  bool free_ = false;
  std::unique_ptr<Work> work_;
};

}  // namespace vinci
