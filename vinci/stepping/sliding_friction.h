// SPDX-License-Identifier: Apache-2.0
// Coefficients of friction that follow from the motion: what a law (friction_law.h) says at the
// sliding speed at the end of the step. A step is solved with coefficients μ(s), which leads to
// sliding speeds S; it is settled where μ(S) = μ(s) at every contact that bears load.
//
// The search begins at the speeds at the end of the step before: a contact that stuck holds with
// μ(0) as long as it can, one that slid slides on with its μ where that does not stop it. Where μ
// falls with speed and one contact alone slides, S falls with μ too, so that the speeds of a search
// go one way and arrive [Tarski 1955]; otherwise secants within brackets lead on. A law may have
// no answer (it rises in a jump), or none that the search finds: then the step says so.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/accuracy.h"
#include "vinci/formulation/contact_friction.h"
#include "vinci/formulation/problem_builder.h"
#include "vinci/model/state.h"

namespace vinci {

class SlidingFriction {
 public:
  // What a search is made in: contacts with a law, at the state, in a step of h seconds.
  struct Scene {
    const Model& model;
    const State& state;
    double h = 0.0;
    const VectorX& foreseen;  // packed velocities at its end without contact
    const ContactSet& contacts;
    const std::vector<Pose>& poses;  // at which they are taken
  };
  // What a step was solved to.
  struct Outcome {
    std::span<const ContactTerms> terms;  // parallel to the contacts
    const ProblemBuilder& builder;
    const VectorX& lambda;
    const VectorX& next;  // packed velocities
  };

  void begin(const Scene& scene);
  void clear() { items_.clear(); }
  // Into the terms of contact i, if it has a law.
  void set(std::span<const Pose> poses, std::size_t i, const Contact& contact,
           ContactTerms& terms) const;

  // The speeds at which contacts slide now.
  void look(const Scene& scene, const Outcome& outcome);
  // How far coefficients are from those of the speeds, relative; infinity where one is no number
  // from 0 on.
  double error() const { return error_; }
  bool is_defined() const { return defined_; }
  // Coefficients for the next solve.
  void follow();
  // Of contact i: as its memory has it (ImpulseMemory::sliding); 0 if its law asks for none.
  double remembered(std::size_t i) const;
  // Whether a contact that bears load has a law that depends on speed.
  bool searched() const { return searched_; }

 private:
  struct Item {
    const FrictionLaw* law = nullptr;  // null: a contact with one number
    FrictionPlace place;
    double speed = 0.0, outcome = 0.0;  // m/s: s, S
    double last_speed = -1.0, last_outcome = -1.0;
    double lower = -1.0, upper = infinity;  // speeds below and above that an answer lies between
    FrictionCoefficients used;
    bool loaded = false, searches = false;
  };
  double slipping(const Scene& scene, const Outcome& outcome, std::size_t i) const;
  double noise(const Scene& scene, const Contact& contact) const;
  double start_speed(const Scene& scene, const Contact& contact, const ImpulseMemory* known) const;
  bool holds(const Scene& scene, const Outcome& outcome, std::size_t i,
             const FrictionCoefficients& coefficients) const;
  double error_of(const Scene& scene, const Outcome& outcome, std::size_t i) const;
  static void follow(Item& item);

  std::vector<Item> items_;  // parallel to the contacts
  double error_ = 0.0;
  bool defined_ = true, searched_ = false;
  VectorX free_;  // packed velocities, without the prescribed ones
};

}  // namespace vinci
