// SPDX-License-Identifier: Apache-2.0
// The solver interface: sees a problem, never a body.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "vinci/base/clock.h"
#include "vinci/base/registry.h"
#include "vinci/complementarity/accuracy.h"
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

// The turn of one method in a solve that tries several.
struct Attempt {
  const char* solver = "";  // static storage
  SolveStatus status = SolveStatus::refused;
  double residual = 0.0;  // relative, of this attempt's own answer
  int iterations = 0;
  double seconds = 0.0;
};

// The note of an answer that settled above its tolerance.
inline constexpr const char* at_resolution = "at the resolution of double precision";
// The verdict of the judge on a report that holds its residual, and in status and note how the
// method ended: limit, or inaccurate. Refusals and proofs stay as they are.
void conclude(SolveReport& report, const Accuracy& accuracy, const Deadline& until = {});

class Solver {
 public:
  virtual ~Solver() = default;
  // "" if this solver takes problems of this kind, otherwise the reason in words.
  virtual std::string why_not(const ComplementarityProblem& problem) const = 0;
  // `solution` holds a guess of the right size on entry and the answer on return. Never throws on a
  // valid problem, never prints; does not allocate once settled on a shape.
  virtual SolveReport solve(const ComplementarityProblem& problem, Solution& solution) = 0;

  // Whether the choice of a method is left to Vinci: a step then asks this solver only where its
  // rule of selection finds no answer by itself (selection/load_selection.h).
  virtual bool leaves_choice() const { return false; }
  // Of the last solve: the methods tried, in order; none for a method that tries no others.
  virtual std::span<const Attempt> attempts() const { return {}; }
  // Of the last solve where its status is no_solution and a vector proves it: y, one entry per row,
  // to be checked by infeasibility() of certificate.h; null otherwise.
  virtual const VectorX* certificate() const { return nullptr; }
  // Seconds of wall-clock time that a solve may take, looked at once per iteration.
  void limit_time(double seconds) { time_limit_ = seconds; }
  // Asked every 20 ms at most, once per iteration; true ends a solve as its time limit does, with
  // the status `limit` and the note "interrupted". An exception of the function leaves solve().
  void stop_when(std::function<bool()> wanted) {
    interruption_ = wanted ? std::make_shared<Interruption>(std::move(wanted)) : nullptr;
  }
  // The limits of a solve that this one is a part of, as they are now; for solvers made of others,
  // before every solve.
  void limit_by(const Deadline& until) {
    time_limit_ = until.remaining();
    outer_ = until.interruption();
  }

 protected:
  // To be made once per solve.
  Deadline deadline() const {
    if (interruption_) interruption_->begin();
    return Deadline(time_limit_, interruption_ ? interruption_.get() : outer_);
  }

 private:
  double time_limit_ = std::numeric_limits<double>::infinity();
  std::shared_ptr<Interruption> interruption_;
  Interruption* outer_ = nullptr;
};

using SolverRegistry = Registry<Solver>;

}  // namespace vinci
