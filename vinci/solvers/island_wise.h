// SPDX-License-Identifier: Apache-2.0
// The problems of the steps of a run, island by island.
//
// Islands do not act on each other, so each is solved by itself to the tolerance of the run: its
// answer depends on nothing else. Where nothing moves at the beginning of a step and the loads of
// the last one are an answer of this one, to the tolerance, they stay. An island that repeats bit
// for bit, with its guess, is not solved again: its answer and its certificate stand. The others
// are solved side by side on as many threads as the run has, with the same bits on any number of
// them; the whole is judged at the end.
//
// This is for `auto`, which splits problems anyhow; any other solver is handed the whole.
#pragma once

#include <memory>
#include <vector>

#include "vinci/base/parallel.h"
#include "vinci/complementarity/islands.h"
#include "vinci/selection/load_selection.h"

namespace vinci {

class AutoSolver;

class IslandWise {
 public:
  // What a step asks with (load_selection.h).
  struct Terms {
    Solver& solver;
    Accuracy accuracy;
    const VectorX* velocities = nullptr;   // at the beginning of the step
    double resolution = 0.0;               // of b in normal rows
    Interruption* interruption = nullptr;  // may be null
    int threads = 1;
  };

  IslandWise();
  ~IslandWise();
  // As LoadSelection::solve(). The report names the solver of the largest island, and counts the
  // iterations of all.
  SolveReport solve(ComplementarityProblem& problem, const Terms& terms, Solution& solution);
  void take_boxes(bool boxes) { boxes_ = boxes; }
  const SelectionReport& report() const { return report_; }  // of the last solve

 private:
  // What works on an island; one per thread.
  struct Worker {
    LoadSelection selection;
    std::unique_ptr<AutoSolver> solver;
    Judge judge;
  };
  // An island of a step, with its answer.
  struct Island {
    int first = -1;                  // of its unknowns
    bool solved = false;             // the answer is one, and may stand again
    ComplementarityProblem problem;  // as it was asked
    Solution guess, answer;          // the guess: u as it was at the beginning of the step
    VectorX b;                       // that the answer holds for
    SolveReport solve;
    SelectionReport selection;
  };
  SolveReport solve_whole(ComplementarityProblem& problem, const Terms& terms, Solution& solution);
  SolveReport solve_one(ComplementarityProblem& problem, const Terms& terms, Solution& solution);
  void find_repeated(const ComplementarityProblem& problem, const Terms& terms,
                     const Solution& solution);
  static void work(Island& island, Worker& worker, const Terms& terms);
  void prepare_workers(const AutoSolver& like, const Terms& terms);
  SolveReport collect(ComplementarityProblem& problem, const Terms& terms, Solution& solution);

  bool boxes_ = false;
  Islands islands_;
  Judge judge_;
  Parallel parallel_;
  std::vector<std::unique_ptr<Worker>> workers_;  // at least one
  std::vector<Island> now_, before_;              // of this step and the last one
  std::vector<int> before_at_;  // per unknown: the island of the last step that has it first
  std::vector<int> open_;       // islands that are to be solved
  Solution rested_;
  SelectionReport report_;
};

}  // namespace vinci
