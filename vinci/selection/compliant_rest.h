// SPDX-License-Identifier: Apache-2.0
// Loads under which contacts stand still, at one vanishing compliance ε. Rest asks only that the
// loads lie in the friction cones, which is convex:
//
//   min  ½uᵀM u − pᵀu + Σ max { −wᵀλ − ½ε|λ|² : λ in its set },   w = J u + b
//
// in the velocities u. Where any loads hold everything still, all minimisers of ε → 0 do, and these
// are the least of them. Elsewhere the answer is that of friction which lifts what slides: no
// answer of Coulomb's law.
#pragma once

#include <span>

#include "vinci/linear/dense_lu.h"
#include "vinci/linear/mass_factor.h"
#include "vinci/selection/contact_units.h"

namespace vinci {

class CompliantRest {
 public:
  // The problem, the factors of its M and the units are referred to.
  void load(const ComplementarityProblem& problem, const MassFactor& mass,
            std::span<const ContactUnit> units, const VectorX& scales);
  // The loads of the last step, the w that they would make of this one, the speed of the contacts
  // without loads, and the velocities at the beginning of the step, where they are known.
  struct Foretelling {
    const VectorX& lambda;
    const VectorX& w;
    double speed = 0.0;
    const VectorX* velocities = nullptr;
  };
  // Whether contacts slide or part under the loads λ, with the speeds w, that stood still.
  bool foretold(const Foretelling& begun, const VectorX& lambda, const VectorX& w);
  bool stood_still(const Foretelling& begun);
  bool find(VectorX& lambda);  // false where nothing holds them
  const VectorX& w() const { return w_; }

 private:
  bool may_move(const VectorX& start, const VectorX& lambda) const;
  void measure_at(const VectorX& lambda, VectorX& w);  // u_ and w that follow from the loads
  void measure();                                      // w_ of u_
  double evaluate();                                   // λ_, slopes_ and the value at u_
  double respond(const ContactUnit& unit, std::size_t number);
  bool minimise();

  const ComplementarityProblem* problem_ = nullptr;
  const MassFactor* mass_ = nullptr;
  std::span<const ContactUnit> units_;
  double typical_ = 1.0, compliance_ = 1.0;
  VectorX u_, w_, lambda_, centre_, gradient_, trial_, free_;
  std::vector<Matrix3> slopes_;  // ∂λ/∂z per unit, z = −w/ε + centre
  std::vector<double> step_, noise_;
  DenseLu lu_;
};

}  // namespace vinci
