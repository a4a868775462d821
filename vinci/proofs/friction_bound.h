// SPDX-License-Identifier: Apache-2.0
// Friction too small for a second motion. With E = Δλᵀ W Δλ >= |Δu|² in the metric of M, two
// solutions of a problem have
//
//   E <= Σ_i r_i |Δλ_ni| |Δw_ti|,
//
// the sum over contacts with Coulomb friction alone: all other laws are monotone. r is μ where the
// solution at hand slides, and |λ_t|/λ_n, the friction that it needs, where it sticks; contacts
// that are open there with w_n >= μ |w_t| have no term. For the set B of contacts with terms,
// E = λ_Bᵀ S λ_B + w_Rᵀ W_RR⁺ w_R with S the Schur complement of their normal rows over all other
// rows R, so that there is no second motion where
//
//   a b < 4,  a = λ_max(√(rα) S⁻¹ √(rα)),  b = λ_max(√(r/α) W_tt √(r/α)),  any α_i > 0.
//
// Where S is singular because loads can be passed on between contacts of B without a change of the
// motion, this is asked of every choice of contacts that carry all without being open themselves.
// Pyramids have max_j (−d_j·w_t) in the place of |w_t|. Proof: docs/theory/uniqueness.md.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/accuracy.h"
#include "vinci/complementarity/problem.h"
#include "vinci/proofs/scaled_rows.h"

namespace vinci {

class FrictionBound {
 public:
  static constexpr int largest = 96;  // rows of a problem with contacts in B: W is dense

  // Whether every solution has the velocities of this one. False proves nothing.
  bool proves(const ComplementarityProblem& problem, const Solution& solution,
              const Accuracy& accuracy = {});
  // Of the last problem that came to it: a bound of √(a b)/2, which has to be below 1, as sharp as
  // it had to be; ∞ where the loads of B do not follow from the motion.
  double ratio() const { return ratio_; }

 private:
  struct Contact {
    int normal = 0, first = 0, count = 0, sigma = -1;  // rows; σ of a pyramid
    double friction = 0.0;
    double needed = 0.0;    // r
    bool fixed = false;     // its load is not passed on
    double mobility = 0.0;  // W of its normal
    double slip = 0.0;      // a bound of the largest eigenvalue of W of its tangents
  };
  bool find_contacts(const ComplementarityProblem& problem);
  bool add_pyramid(const ComplementarityProblem& problem, int sigma);
  bool is_compliant(const ComplementarityProblem& problem);
  void find_doubtful(const ComplementarityProblem& problem, const Solution& solution, double zero);
  void find_need(const VectorX& lambda, Contact& contact, bool slides);
  bool is_idle(const ComplementarityProblem& problem, const VectorX& lambda, double still);
  double measure_rows(const ComplementarityProblem& problem, const Solution& solution);
  double direction_share(const ComplementarityProblem& problem, const Contact& contact) const;
  bool is_small(const ComplementarityProblem& problem, const Solution& solution);
  bool find_matrix(const ComplementarityProblem& problem);
  // friction_bases.cpp
  bool fill(const ComplementarityProblem& problem);
  double slip_of(const ComplementarityProblem& problem, const Contact& contact) const;
  bool eliminate_rest();
  int rank();  // of S; −1: not known
  bool has_known_contacts() const;
  bool is_same(const ComplementarityProblem& problem) const;
  bool has_known_matrix() const;
  void keep(const ComplementarityProblem& problem);
  bool find_open();
  bool passes_on(const ComplementarityProblem& problem);
  bool spread_friction(const ComplementarityProblem& problem, const VectorX& lambda);
  enum class Basis : char { none, small, large };
  Basis test(std::span<const int> basis);
  bool test_exactly(std::span<const int> basis);
  bool test_all();
  bool is_below();

  std::vector<Contact> contacts_, doubtful_, sticking_;
  std::vector<char> role_;  // per row: 0 of R, 1 a normal of B, 2 a σ, which is no row of W
  VectorX w_, mobility_, sum_, lever_;
  VectorX inverse_;   // of the diagonal of M
  VectorX per_load_;  // per tangent row of B: its force over the load of the contact
  bool diagonal_ = true;
  ScaledRows rows_;
  std::size_t width_ = 0;               // of W
  std::vector<double> whole_, matrix_;  // W, and what elimination leaves of it
  std::vector<double> schur_, lower_;   // S and Cholesky's factor, scaled to W of the normals
  std::vector<int> rest_, order_, basis_;
  int rank_ = 0;
  MatrixX compliance_, taken_;  // taken_: loads of those that carry, per one that S does not see
  std::vector<double> stiffness_;
  std::vector<int> pivots_;
  std::vector<char> role_of_unknown_;

  // The last W that was eliminated, and a ratio that was proved of it. Steps in which nothing but
  // the forces changes end here: the ratio grows at most as the friction that they need.
  struct Known {
    SparseRows M, J;
    std::vector<double> W;
    double largest = 0.0;  // of W
    std::vector<Contact> contacts;
    std::vector<double> needed;  // by contact, of the ratio
    double ratio = 0.0;          // 0: nothing was proved
    bool usable = false, without_C = false;
  } known_;
  double ratio_ = 0.0;
};

}  // namespace vinci
