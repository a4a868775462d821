// SPDX-License-Identifier: Apache-2.0
// Directions in which a solution can be left to first order: (δu, δλ) with M δu = Jᵀ δλ and, per
// block, the equations of the piece of its law that the solution lies in. A contact that slides in
// space along d turns its force with it: δλ_t = −μ (δλ_n d + λ_n (I − d dᵀ) δw_t/|w_t|). Where a
// block lies on the border of pieces, as a contact that is closed and unloaded does, each of them
// is tried. Directions with δu = 0 are other loads of the same motion; where there are no others,
// the velocities are locally unique.
#pragma once

#include <vector>

#include "vinci/complementarity/accuracy.h"
#include "vinci/complementarity/problem.h"
#include "vinci/complementarity/residual.h"

namespace vinci {

struct OpenDirections {
  int loads = 0;                 // dimension of those that leave the velocities alone
  int motions = 0;               // of the others; inequalities are not looked at
  bool decided = false;          // every piece was tried
  std::vector<Solution> moving;  // (δu, δλ) that change velocities, in no unit

  bool is_locally_unique() const { return decided && motions == 0; }
};

class LocalUniqueness {
 public:
  static constexpr int largest = 160;  // rows and unknowns: the equations are dense

  // M may be singular.
  OpenDirections operator()(const ComplementarityProblem& problem, const Solution& solution,
                            const Accuracy& accuracy = {});

 private:
  // Σ factor · (δλ or δw of a row) = 0.
  struct Term {
    int row;
    bool of_w;
    double factor;
  };
  using Equation = std::vector<Term>;
  using Piece = std::vector<Equation>;

  bool find_pieces(const ComplementarityProblem& problem, const Solution& solution);
  bool find_scalar(const Block& block, const Solution& solution);
  bool find_contact(const Block& block, const Solution& solution);
  bool find_ball(const Block& block, const Solution& solution);
  bool is_zero_force(int row, double lambda) const;
  bool is_zero_speed(int row) const;
  void solve(const ComplementarityProblem& problem, const std::vector<int>& choice,
             OpenDirections& found);

  double zero_ = 0.0, level_ = 0.0;
  Judge judge_;
  std::vector<std::vector<Piece>> pieces_;  // per block
  VectorX motion_unit_, force_unit_;
};

}  // namespace vinci
