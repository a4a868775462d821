// SPDX-License-Identifier: Apache-2.0
// Lemke's complementary pivoting with lexicographic ratio test [Lemke 1965; Cottle, Pang, Stone
// 1992], dense for small problems and revised with sparse factors for large ones: for problems
// whose laws are piecewise linear (pyramids, planar friction, joints, limits, boxes). It ends after
// finitely many pivots, and on the copositive problems of time-stepping with friction pyramids at a
// solution [Stewart 1996; Anitescu 1997]. A guess is used as a guess of the basis.
#pragma once

#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/solve_frame.h"
#include "vinci/pivoting/linear_form.h"
#include "vinci/pivoting/mixed_lcp.h"
#include "vinci/pivoting/sparse_mixed_lcp.h"

namespace vinci {

class LemkeSolver final : public SolveFrame {
 public:
  struct Settings {
    double tolerance = 1e-12;        // asked of the judge
    double pivot_tolerance = 1e-12;  // of the largest entry of the entering column
    int max_iterations = 0;          // pivots; 0: 50 for each row of the LCP
    int largest_dense = 150;         // rows of the LCP up to which the dense method is used
  };
  LemkeSolver() : LemkeSolver(Settings{}) {}
  explicit LemkeSolver(const Settings& settings);

  const VectorX* certificate() const override { return proved_ ? &certificate_ : nullptr; }

 private:
  std::string refusal(const ComplementarityProblem& problem) const override;
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  bool solve_guessed_basis(const ComplementarityProblem& problem, const Solution& solution);
  void complete_guess(const ComplementarityProblem& problem, const Solution& solution);
  bool assemble(const ComplementarityProblem& problem, bool sparse);
  bool pivot_sparse(const ComplementarityProblem& problem);
  bool pivot_dense(const ComplementarityProblem& problem);
  bool settles(const ComplementarityProblem& problem, bool refined);
  bool is_certificate(const ComplementarityProblem& problem);
  template <class Method>
  bool proves_infeasible(const ComplementarityProblem& problem, Method& method, bool search);
  Ending ending() const;
  bool may_go_on(int share);

  Settings settings_;
  Condensation condensation_;
  LinearForm form_;
  MixedLcpSolver lcp_;
  SparseMixedLcpSolver sparse_;
  Solution trial_;
  VectorX z_, certificate_, mixed_certificate_;
  std::vector<char> guess_;
  std::vector<int> rows_;
  DenseLu lu_;
  std::vector<double> basic_z_;
  // Of the solve at hand.
  PivotRules rules_;
  bool guessed_ = false, proved_ = false;
  const char* proof_ = "";  // what the certificate is
  int limit_ = 0, tried_ = 0, rays_ = 0, limits_ = 0;
};

SolverRegistry::Entry lemke_entry();

}  // namespace vinci
