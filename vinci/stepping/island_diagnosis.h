// SPDX-License-Identifier: Apache-2.0
// Whether the motions of the islands of a solved problem are the only ones (solvers/diagnosis.h).
// Motions are as far apart as the body that differs most: √(|Δv|² + (r |Δω|)²) in m/s, v of the
// centre of mass and r the radius of the body about it.
#pragma once

#include <memory>
#include <vector>

#include "vinci/complementarity/islands.h"
#include "vinci/solvers/diagnosis.h"
#include "vinci/stepping/solution_witness.h"

namespace vinci {

// The radius of a body, or its radius of gyration where it has no bound, m.
double motion_radius(const Body& body);

class IslandDiagnosis {
 public:
  explicit IslandDiagnosis(const Diagnoser::Settings& settings) : diagnoser_(settings) {}

  // Whether a problem that moves a single body has one motion plainly; false: ask for its islands.
  bool is_plain(const SolvedProblem& solved, const Solution& solution, double residual);
  // Of a problem that has an answer; how many islands there are.
  int find(const SolvedProblem& solved);
  // Null where the island has one motion plainly; the rest holds of the last one that is not.
  // `residual`: of the whole answer, relative, where the judge has measured it.
  const Diagnosis* ask(const SolvedProblem& solved, const Solution& solution, int island,
                       double residual = -1.0);
  const Islands& islands() const { return islands_; }
  const ComplementarityProblem& problem() const { return *asked_; }
  const MotionMeasure& measure() const { return measure_; }      // groups: bodies
  const std::vector<int>& unknowns() const { return numbers_; }  // of the whole, ascending

 private:
  void measure_model(const SolvedProblem& solved);
  void measure_hanging(const Model& model, const Tree& tree, int body);
  void add_measure(int body, double weight, int unknown);
  void take_measure(const MotionMeasure& whole, const std::vector<int>& unknowns);
  const Diagnosis* ask_whole(const SolvedProblem& solved, const Solution& solution,
                             double residual);
  const Diagnosis* ask_part(const SolvedProblem& solved, const Solution& solution, int island);

  Diagnoser diagnoser_;
  Islands islands_;
  ComplementarityProblem weighted_, part_, part_weight_;
  Solution part_solution_;
  VectorX all_, chosen_;  // per unknown of the whole; of the island
  MotionMeasure whole_, measure_;
  std::vector<BodyColumn> columns_;
  bool measured_ = false;
  std::vector<int> numbers_;
  const ComplementarityProblem* asked_ = nullptr;  // the island's, or all
};

}  // namespace vinci
