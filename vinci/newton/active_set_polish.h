// SPDX-License-Identifier: Apache-2.0
// The last digits: Newton's method on the equations that hold once it is known which block is open,
// sticks or slides. A sliding block is λ = α (1, μ d(θ)) with w_n = 0 and t·w_t = 0, t ⟂ d; with
// y = α μ δθ its linearised t-row is t·δw_t + (|w_t|/α μ) y. All equations together read
//
//   (Gᵀ W E + R) z = −Gᵀ w,  δλ = E z,  R = ρ s + slip
//
// where the proximal term ρ s makes more contact rows than freedoms (the normal case) solvable; its
// error dies geometrically over the steps. Solved for z, or, where u is kept and C is empty, for
// δu in (M + JᵀE R⁻¹GᵀJ) δu = −JᵀE R⁻¹Gᵀw, which is smaller [compare Carpentier et al. 2024], or
// for both at once where C couples the rows. What counts is the judge's residual.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "vinci/base/clock.h"
#include "vinci/complementarity/accuracy.h"
#include "vinci/complementarity/delassus_operator.h"
#include "vinci/linear/dense_lu.h"

namespace vinci {

class ActiveSetPolish {
 public:
  ActiveSetPolish();
  ~ActiveSetPolish();

  // How a block is: `natural` leaves it to the natural map. A box is open at its lower bound,
  // sticks inside and slides at its upper bound. A block with moments sticks with all of them, or
  // is left to the natural map but for being closed.
  enum class Contact : char { natural, open, stick, slide };
  struct Limits {
    Accuracy accuracy;  // stop where it is met
    int steps = 10;
    // Per block, the set to start with, held while it gains; null: natural.
    const std::vector<Contact>* contacts = nullptr;
    // No step is begun that would not end before it, by the time that the slowest one took.
    const Deadline* until = nullptr;
  };
  // Improves solution.lambda, whose residual `current` the judge measured last; returns the
  // residual reached. The operator is prepared for the problem.
  Residual improve(const ComplementarityProblem& problem, const DelassusOperator& op, Judge& judge,
                   const Limits& limits, Solution& solution, const Residual& current);
  int steps() const { return steps_; }  // factorisations so far

 private:
  // Up to three coefficients of a row of λ (or of w) in reduced unknowns (or equations).
  struct Combination {
    int count = 0;
    std::array<int, 3> index{};
    std::array<double, 3> factor{};
    void add(int i, double f) {
      index[count] = i;
      factor[count++] = f;
    }
  };
  void classify(const ComplementarityProblem& problem, const Judge& judge,
                const std::vector<Contact>* contacts, VectorX& lambda);
  void classify_scalar(const Block& block, double scale, double weight, Contact contact,
                       const VectorX& w, VectorX& lambda);
  void classify_cone(const Block& block, double scale, Contact contact, const VectorX& w,
                     VectorX& lambda);
  void classify_ball(const Block& block, double scale, Contact contact, const VectorX& w,
                     VectorX& lambda);
  int add_unknown(double scale);
  void fix(int row, int unknown);  // a row of its own: λ_i free, w_i = 0
  void slide(const Block& block, double scale, const double* direction, double slip);
  // Which parts are at their limits, as in `sliding_`.
  char classify_moments(const Block& block, const double* scales, Contact contact, const VectorX& w,
                        VectorX& lambda);
  struct Limited;  // λ_t below μ λ_n, λ_r below μ_r λ_n, or λ_s below μ_τ λ_n
  void yield(const Limited& part, int normal, const VectorX& w, VectorX& lambda);

  bool in_time(const ComplementarityProblem& problem, const Deadline* until);
  bool step(const ComplementarityProblem& problem, const DelassusOperator& op, double proximity,
            const VectorX& w);
  void assemble_condensed(const DelassusOperator& op);
  void assemble_velocity(const ComplementarityProblem& problem, const DelassusOperator& op,
                         double* right);
  void assemble_coupled(const ComplementarityProblem& problem, const DelassusOperator& op);
  void add_mass(const ComplementarityProblem& problem, const DelassusOperator& op);
  void add_block(const DelassusOperator& op, const Block& block, int number, double* right);
  void recover_velocity(const ComplementarityProblem& problem, const DelassusOperator& op,
                        const double* motion);
  void number_components(const ComplementarityProblem& problem, const DelassusOperator& op);
  void add_entry(int row, int column, double value);
  bool solve_system(double* x);
  void advance(const ComplementarityProblem& problem, const VectorX& from, VectorX& to) const;

  struct Sparse;
  std::vector<Combination> force_, equation_;  // E and Gᵀ, per row of the problem
  std::vector<char> sliding_;                  // per block: 1 λ_t, 2 and 4 moments at their limits
  std::vector<double> scale_, slip_;           // per reduced unknown
  std::vector<double> resistance_;             // R
  std::vector<double> right_, z_, x_;
  std::vector<int> unknown_of_component_;  // first column of a component, −1: at rest
  std::vector<double> forces_of_block_, equations_of_block_;
  VectorX snapped_, w_;
  Solution candidate_;
  DenseLu dense_;
  std::vector<double> equilibration_;
  std::unique_ptr<Sparse> sparse_;
  int size_ = 0;  // of the linear system
  bool use_dense_ = true;
  int steps_ = 0;
  double slowest_ = 0.0;  // seconds of a step on problems of `timed_rows_` rows
  int timed_rows_ = 0;
};

}  // namespace vinci
