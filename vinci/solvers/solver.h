// SPDX-License-Identifier: Apache-2.0
// The solver interface: sees a problem, never a body.
#pragma once

#include <memory>
#include <string>

#include "vinci/base/registry.h"
#include "vinci/complementarity/problem.h"
#include "vinci/complementarity/residual.h"

namespace vinci {

enum class SolveStatus : std::uint8_t {
  solved,       // the judge measured at most the tolerance
  inaccurate,   // the solver is done but the judge measured more
  no_solution,  // proved: a ray or an infeasibility
  limit,        // iterations or time ran out
  refused,      // not a problem for this solver; why_not says the reason
};
std::string to_string(SolveStatus status);

struct SolveReport {
  SolveStatus status = SolveStatus::refused;
  Residual residual;  // by the judge, always
  int iterations = 0;
  const char* solver = "";  // who gave the answer (auto names its choice); static storage
  const char* note = "";    // static storage: "secondary ray", ...
};

class Solver {
 public:
  virtual ~Solver() = default;
  // "" if this solver takes problems of this kind, otherwise the reason in words.
  virtual std::string why_not(const ComplementarityProblem& problem) const = 0;
  // `solution` holds a guess of the right size on entry and the answer on return. Never throws on a
  // valid problem, never prints; does not allocate once settled on a shape.
  virtual SolveReport solve(const ComplementarityProblem& problem, Solution& solution) = 0;
};

using SolverRegistry = Registry<Solver>;
void add_builtin_solvers(SolverRegistry& registry);

}  // namespace vinci
