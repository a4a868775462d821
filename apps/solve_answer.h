// SPDX-License-Identifier: Apache-2.0
// What `vinci solve` does with one problem: solves it, takes the time, and judges the answer again.
#pragma once

#include <limits>
#include <vector>

#include "apps/answer_file.h"
#include "apps/command.h"

namespace vinci {

struct SolveWishes {
  double tolerance = 1e-8;
  double time_limit = std::numeric_limits<double>::infinity();  // s
  int repeat = 1;
};

struct Answer {
  Json json;  // a line of --json
  SolveStatus status = SolveStatus::refused;
  std::vector<AnswerFile> files = {};  // to be stored: one, or one per solution; none if refused
};

// The keys of a line of --json, of a file that nothing is known of.
Json empty_answer(const std::string& file);

// One solver, from zero; the median time of the repetitions, each with a new solver. Solved and
// no_solution are what was checked here, not what the solver says.
Answer solve_by(const SolverRegistry::Entry& entry, const std::string& file,
                const ComplementarityProblem& problem, const SolveWishes& wishes);

// All solutions of a small problem, in "solutions"; "complete" says whether these are all.
Answer enumerate(const std::string& file, const ComplementarityProblem& problem,
                 const SolveWishes& wishes);

}  // namespace vinci
