// SPDX-License-Identifier: Apache-2.0
// One rule among the solutions of a step, whatever solver finds one: that which goes on from the
// loads of the last step at contacts of one vanishing compliance, or else that to which contacts
// lead that grow stiff together, or that jam (compliant_limit.h). Per island.
#pragma once

#include <utility>
#include <vector>

#include "vinci/complementarity/islands.h"
#include "vinci/complementarity/solver.h"
#include "vinci/selection/compliant_centre.h"
#include "vinci/selection/compliant_limit.h"
#include "vinci/selection/compliant_rest.h"
#include "vinci/selection/soft_path.h"

namespace vinci {

struct SelectionReport {
  int chosen = 0;  // islands whose loads rigid bodies leave open: the rule decided them
  int missed = 0;  // islands whose answer is the solver's: too large, or the rule found none
};

class LoadSelection {
 public:
  // Of an island: rows or velocities, whichever are fewer. The equations are dense; a larger one
  // costs more by them than by the solver behind.
  static constexpr int largest = 72;

  // `solution` holds the loads of the last step as the guess, and in the end the answer. A solver
  // that leaves the choice is asked where the rule has no answer, any other one first. The
  // velocities are those at the beginning of the step: what slides does not stand still.
  SolveReport solve(const ComplementarityProblem& problem, Solver& solver, const Accuracy& accuracy,
                    Solution& solution, const VectorX* velocities = nullptr);
  // The same where normal rows are known to `resolution` only, in the unit of w: contacts that are
  // closed together are, if their b disagree by less. The problem then gets the b that agree.
  SolveReport solve(ComplementarityProblem& problem, Solver& solver, const Accuracy& accuracy,
                    Solution& solution, const VectorX* velocities, double resolution);
  // Whether four directions of friction are the corners of a square around the circle.
  void take_boxes(bool boxes) { units_.take_boxes(boxes); }
  const SelectionReport& report() const { return report_; }  // of the last solve

 private:
  SolveReport solve_parts(const ComplementarityProblem& problem, Solver& solver,
                          const Accuracy& accuracy, Solution& solution, const VectorX* velocities);
  bool select_part(const ComplementarityProblem& problem, int island, const Accuracy& accuracy,
                   bool solved, Solution& solution);
  bool is_within(const ComplementarityProblem& problem, int island) const;
  Accuracy share_of(const ComplementarityProblem& part, const Judge& judge,
                    const Accuracy& accuracy) const;
  Residual measure(const ComplementarityProblem& problem, Solution& solution);
  // True: the answer of the rule in best_, from the loads and velocities of the last step. False:
  // the best that is at hand, from the answer of a solver. The rule is not tried twice.
  bool select(const ComplementarityProblem& problem, const VectorX& start,
              const VectorX* velocities, const Accuracy& accuracy, const Solution* solved);
  bool goes_by_path(const ComplementarityProblem& problem, const VectorX& start,
                    const Accuracy& accuracy, bool within);
  bool found_by_path(const ComplementarityProblem& problem, const VectorX& start,
                     const Accuracy& accuracy);
  bool read(const ComplementarityProblem& problem);
  bool apply_rule(const ComplementarityProblem& problem, const VectorX& start,
                  const VectorX* velocities, const Accuracy& accuracy);
  bool leads(const ComplementarityProblem& problem, const Accuracy& accuracy, bool begun);
  bool begin_centred();
  bool is_centre_enough(const ComplementarityProblem& problem, const VectorX& start,
                        const Accuracy& accuracy);
  bool is_answer(const ComplementarityProblem& problem, const Accuracy& accuracy, const VectorX& w);
  bool close_together(const VectorX& w);
  void take_back(std::size_t kept);

  SelectionReport report_;
  VectorX start_;
  const VectorX* velocities_ = nullptr;
  bool whole_ = true;
  bool corrected_ = false;   // b of a part
  bool tried_ = false;       // the rule had no answer, before that of a solver
  std::vector<char> found_;  // per part: the rule's answer, before any of a solver
  Islands islands_;
  ComplementarityProblem part_;
  VectorX answers_, part_start_, part_velocities_, begun_, lambda_, scales_;
  Solution part_solution_, trial_, best_;
  ContactUnits units_;
  CompliantLimit limit_;
  CompliantCentre centre_;
  CompliantRest rest_;
  SoftPath soft_;
  Judge judge_, whole_judge_;
  std::size_t block_count_ = 0;  // of all parts
  int steps_ = 0;                // linear systems of a part
  Residual best_residual_;
  double resolution_ = 0.0;
  VectorX* biases_ = nullptr;                    // b of the problem at hand, if it may change
  std::vector<std::pair<int, double>> shifted_;  // rows of it, and what they were
  bool open_ = false;  // the compliance decided loads that rigid bodies leave open
};

}  // namespace vinci
