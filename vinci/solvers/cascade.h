// SPDX-License-Identifier: Apache-2.0
// The methods on one connected problem, from the cheap to the sure; the first answer that the judge
// calls solved ends it, otherwise the best one by the judge is returned.
//
// Where pivoting is cheap (pyramids; scalar laws or a little planar friction without u):
//   principal-pivoting, or two sweeps to see · lemke · the Newton methods
// Many bodies with friction: cone-path · the methods below.
// Everywhere else:
//   gauss-seidel on a leash, in which settled steps end at once · interior-point ·
//   augmented-lagrangian · semismooth-newton · lemke where the laws are linear
// and at last a search for a proof that there is no solution, quadratic-cone (the only one for a
// singular M), and gauss-seidel to the end of its sweeps.
#pragma once

#include "vinci/complementarity/solve_frame.h"
#include "vinci/newton/augmented_lagrangian.h"
#include "vinci/newton/cone_path_solver.h"
#include "vinci/newton/interior_point.h"
#include "vinci/newton/quadratic_cone.h"
#include "vinci/newton/semismooth_newton.h"
#include "vinci/pivoting/lemke.h"
#include "vinci/pivoting/principal_pivoting.h"
#include "vinci/proofs/infeasibility_search.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {

// What was tried, in order; one entry per method, added up where it had several turns.
class AttemptLog {
 public:
  AttemptLog() { entries_.reserve(16); }
  void clear() { entries_.clear(); }
  void add(const Attempt& attempt);
  std::size_t place(const char* solver) const;  // of its entry; the number of entries: none
  std::span<const Attempt> entries() const { return entries_; }

 private:
  std::vector<Attempt> entries_;
};

class Cascade {
 public:
  struct Settings {
    double tolerance = Accuracy::usual;  // asked of the judge
    int max_iterations = 5000;           // sweeps of Gauss–Seidel; the others limit themselves
    int largest_newton = 20000;          // rows and unknowns
    int largest_lemke = 10000;           // rows
  };
  explicit Cascade(const Settings& settings);

  // "" if one of the methods takes the problem, otherwise each one's reason.
  std::string why_not(const ComplementarityProblem& problem) const;
  // What holds for one solve.
  struct Terms {
    const Accuracy& whole;     // asked of the problem that this one is a part of
    const Accuracy& accuracy;  // its own: a share of that
    const Deadline& until;
    AttemptLog& log;  // the attempts are added to it
  };
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution, const Terms& terms);
  // The proof behind the last status no_solution.
  const VectorX* certificate() const { return certificate_; }

 private:
  struct Turn {
    const ComplementarityProblem& problem;
    Solution& solution;
    const Terms& terms;
  };
  bool attempt(SolveFrame& method, Turn& turn);

  struct Traits {
    bool pyramids = false;     // rows without a diagonal of their own
    bool linear = false;       // piecewise linear laws, few enough rows for Lemke
    bool scalar = false;       // equalities, nonnegatives and boxes only
    bool newton = false;       // few enough rows and unknowns for a factorisation
    bool pivot_first = false;  // pivoting is the cheapest
    bool path_first = false;   // many bodies that touch: the central path is
  };
  Traits traits_of(const ComplementarityProblem& problem) const;
  bool pivot_first(Turn& turn, const Traits& traits);
  bool sweep_first(Turn& turn, const Traits& traits);
  bool without_path(Turn& turn, Traits traits);
  bool attempt_cheaply(Turn& turn, const Traits& traits);
  bool newton_methods(Turn& turn);
  bool start_anew(Turn& turn);
  void last_resort(Turn& turn, const Traits& traits);
  bool prove_none(Turn& turn);
  bool sweep(Turn& turn, int sweeps);
  SolveReport finish(const Turn& turn);

  Settings settings_;
  GaussSeidelSolver sweeping_;
  ConePathSolver path_;
  InteriorPointSolver interior_;
  AugmentedLagrangianSolver newton_;
  SemismoothNewtonSolver semismooth_;
  PrincipalPivotingSolver principal_;
  LemkeSolver pivoting_;
  QuadraticConeSolver quadratic_;
  InfeasibilitySearch search_;
  const VectorX* certificate_ = nullptr;
  SolveStatus last_ = SolveStatus::refused;  // of the last attempt
  SolveReport best_;
  Solution kept_;  // the answer of best_
  // Where the path came first and did not end: the guess, and the best answer from there.
  Solution guess_, first_;
};

}  // namespace vinci
