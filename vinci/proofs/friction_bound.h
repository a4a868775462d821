// SPDX-License-Identifier: Apache-2.0
// Friction too small for a second motion. With E = Δλᵀ W Δλ >= |Δu|² in the metric of M, two
// solutions of a problem have
//
//   E + Σ_i μ_i Δλ_ni Δ|w_ti| <= 0,
//
// the sum over contacts with Coulomb friction alone: all other laws are monotone. Contacts that are
// open with w_n >= μ |w_t| in the solution at hand, or stick there while its motion needs no
// friction force of theirs, cannot make their term negative, whatever the other solution does. For
// the set B of the others, E = λ_Bᵀ S λ_B + w_Rᵀ W_RR⁺ w_R with S the Schur complement of their
// normal rows over all other rows R, so that there is no second motion where
//
//   a b < 4,  a = λ_max(√(μα) S⁻¹ √(μα)),  b = λ_max(√(μ/α) W_tt √(μ/α)),  any α_i > 0.
//
// Pyramids have max_j (−d_j·w_t) in the place of |w_t|. Proof: docs/theory/uniqueness.md.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/accuracy.h"
#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/problem.h"

namespace vinci {

class FrictionBound {
 public:
  static constexpr int largest = 96;  // rows of a problem with contacts in B: W is dense

  // Whether every solution has the velocities of this one. False proves nothing.
  bool proves(const ComplementarityProblem& problem, const Solution& solution,
              const Accuracy& accuracy = {});
  // Of the last problem that came to it: √(a b)/2, which has to be below 1; ∞ where the loads of B
  // do not follow from the motion.
  double ratio() const { return ratio_; }

 private:
  struct Contact {
    int normal = 0, first = 0, count = 0, sigma = -1;  // rows; σ of a pyramid
    double friction = 0.0;
  };
  bool find_contacts(const ComplementarityProblem& problem);
  bool add_pyramid(const ComplementarityProblem& problem, int sigma);
  bool is_definite(const SparseRows& M);
  bool is_compliant(const ComplementarityProblem& problem);
  void find_doubtful(const ComplementarityProblem& problem, const Solution& solution, double zero);
  bool is_idle(const ComplementarityProblem& problem, const VectorX& lambda, double still);
  double mobility(const ComplementarityProblem& problem, int row) const;
  bool is_small(const ComplementarityProblem& problem);
  bool eliminate_rest(const ComplementarityProblem& problem);
  double direction_share(const ComplementarityProblem& problem, const Contact& contact) const;

  std::vector<Contact> contacts_, doubtful_, sticking_;
  std::vector<char> role_;  // per row: 0 of R, 1 a normal of B, 2 a σ, which is no row of W
  VectorX w_, sum_, lever_;
  Condensation condensation_;
  MatrixX matrix_, block_;
  std::vector<double> dense_;
  double ratio_ = 0.0;
};

}  // namespace vinci
