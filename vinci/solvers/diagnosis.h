// SPDX-License-Identifier: Apache-2.0
// Whether the velocities of a solved problem are the only ones it allows, by what decides first:
//
//   1. a proof that there are no others: monotone laws, or friction below a bound
//      (proofs/friction_bound.h);
//   2. all solutions, up to 24 rows (proofs/all_solutions.h), as far as a count of choices goes;
//   3. the directions in which the answer can be left (proofs/local_uniqueness.h), and solves from
//      points along them and from others.
//
// Where M is singular (quasi-static motion) 1 has its own form: without friction that depends on
// loads the solutions are a convex set, and what is unique nearby is unique. `several` rests on
// answers that the judge confirms; that nothing was found proves nothing. No clocks: what is looked
// into depends on the problem and the seed alone.
#pragma once

#include <memory>
#include <vector>

#include "vinci/complementarity/accuracy.h"
#include "vinci/complementarity/problem.h"
#include "vinci/proofs/uniqueness_verdict.h"

namespace vinci {

// What differences of motion are measured by: √Σ (row·δu)² over the rows of a group, of the group
// that differs most.
struct MotionMeasure {
  SparseRows rows;         // over the unknowns
  std::vector<int> group;  // per row, ascending
  double size(const VectorX& motion) const;
};

struct DiagnosedProblem {
  const ComplementarityProblem& problem;  // one island
  const SparseRows* inertia = nullptr;    // regular, where M may be singular
  const Solution& solution;               // its answer, u with λ
  const MotionMeasure& measure;
  Accuracy accuracy = {};
  double residual = -1.0;  // relative, where the judge has measured the answer; below 0: it has not
  bool has_doubt = false;  // is_plain() has said so of it
};

struct Diagnosis {
  Uniqueness verdict = Uniqueness::unknown;
  std::vector<Solution> solutions;  // of different velocities, the answer first
  double distance = 0.0;            // of those that differ most
  int open_loads = 0;  // dimension of the forces with the same velocities, where it was looked at
  bool continuum = false;       // solutions lie arbitrarily near each other
  bool complete = false;        // proved: there are no other velocities; follows from `unique`
  bool searched = false;        // as a whole, by enumeration: not where it has too many rows
  bool locally_unique = false;  // proved; follows from `unique`
};

class Diagnoser {
 public:
  struct Settings {
    int enumerated_rows = 24;
    long choices = 4000;         // of the enumeration
    long curved_choices = 400;   // where sliding in space keeps the list from being complete
    int restarts = 4;            // from other points
    int largest_restart = 1500;  // rows
    std::uint64_t seed = 0;
  };
  Diagnoser() : Diagnoser(Settings{}) {}
  explicit Diagnoser(const Settings& settings);
  ~Diagnoser();
  Diagnoser(Diagnoser&&) noexcept;

  // Whether 1 proves that there are no others. Most steps end here, at little cost: nothing is
  // measured and nothing is kept.
  bool is_plain(const ComplementarityProblem& problem, const Solution& solution,
                const Accuracy& accuracy, double residual = -1.0);

  // Stays until the next question.
  const Diagnosis& operator()(const DiagnosedProblem& asked);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vinci
