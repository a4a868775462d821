// SPDX-License-Identifier: Apache-2.0
// Takes overlaps out of positions: the least displacement δ, weighed by the inertia M, that opens
// overlaps by a share γ and closes no gap,
//
//   M δ = J_nᵀ λ,   0 <= λ ⟂ J_n δ + (ψ, or γ ψ where ψ < 0) >= 0.
//
// Velocities stay, so nothing is thrown. Where all of an overlap is removed, bodies pay what they
// gain in energy from their motion, as far as that is little beside it and nothing prescribed
// moves, which may do work: the total does not rise. The rest is told. A method that removes a
// share meets surfaces late by design, as far as bodies move in a step: what lifts them back was
// lost in the impact, and paying for it would slow what slides and rolls.
#pragma once

#include "vinci/formulation/problem_builder.h"
#include "vinci/formulation/tree_motion.h"
#include "vinci/selection/load_selection.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

struct RemovedOverlap {
  double depth = 0.0;   // m, of the deepest that was taken out
  double left = 0.0;    // m, of the deepest that was not
  double energy = 0.0;  // J, that bodies gained
};

class OverlapRemoval {
 public:
  virtual ~OverlapRemoval() = default;
  // What is beyond `least`, m, of a contact at the end of a step of h seconds: not where `method`
  // lets bodies yield, nor within the way of a driver, which the next step pushes along.
  static bool is_due(const Model& model, const State& state, const TimeStepper& method,
                     const Contact& contact, double h, double least);
  // `contacts` are all at the state within `reach`; they follow the bodies.
  RemovedOverlap remove(StepContext& context, State& state, const TimeStepper& method, double h,
                        double share, std::span<const double> reach, ContactSet& contacts);

 protected:
  // Calls add() for every contact that may open or must not close.
  virtual void select(const Model& model, const State& state, const TimeStepper& method, double h,
                      const ContactSet& contacts);
  // `room`: how far the bodies may come nearer, m; below 0 and due they are to part by as much.
  void add(const Contact& contact, double room, bool due);
  // Takes what bodies gained, J, from the motion of those that are not where the last removal found
  // them; returns what they could not pay.
  double pay(const Model& model, State& state, double gained);
  // The tree of the state, where bodies hang on joints.
  const Tree* placed(const Model& model, const State& state);
  // Whether something prescribed moves, which may do work.
  static bool is_driven(const Model& model, const State& state);

  // Rows are linear in the displacement: each round leaves the square of what there was, in units
  // of the size of the bodies.
  int most_rounds_ = 6;
  // Rounds in a row that may leave more than the best one before.
  int patience_ = 0;
  // What is left of an overlap that counts as taken out.
  double almost_none_ = 1e-3;
  // Of the kinetic energy: what motion made in a step is far less, and what else overlaps, as at
  // the start, is not to stop a body.
  double largest_payment_ = 0.1;

 private:
  double deepest() const;
  bool displace(StepContext& context, State& state, double share);
  void add_joints(StepContext& context, const State& state);
  void displace_joints(const Model& model, State& state, double rounding);
  void carry(const Model& model, State& state);
  double gained(const Model& model, State& state);

  ComplementarityProblem problem_;
  Solution solution_;
  LoadSelection selection_;
  VectorX displacement_;     // packed
  std::vector<Pose> start_;  // at the last removal
  std::vector<ContactTerms> terms_;
  ContactSet selected_;
  std::vector<double> rooms_;  // parallel to them, m
  std::vector<char> due_;      // of these, those whose overlap is to be taken out
  std::vector<Pose> last_;     // of the best round, with its contacts
  ContactSet last_contacts_;
  ProblemBuilder builder_;
  Tree tree_;
  JointedMotion motion_;
  JointBlocks joints_;
  VectorX displaced_rates_, last_positions_;
};

}  // namespace vinci
