// SPDX-License-Identifier: Apache-2.0
// One way to solve one problem: what the race (race.h) times and judges.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  // The same method on other storages of the matrix: where one of them fails, or is far behind, the
  // others are not tried.
  virtual std::string family() const { return name(); }
  // It was handed w = W λ + q in the place of a problem with velocities.
  virtual bool condensed() const { return false; }
  // Tolerances to ask for, loosest first; the first whose answer the judge accepts counts.
  virtual std::vector<double> ladder(double asked) const = 0;
  // Everything that is not timed: new objects, a start from zero. Called before every solve.
  virtual void prepare(double tolerance) = 0;
  virtual void solve() = 0;
  virtual const Solution& solution() const = 0;
  virtual std::string status() const = 0;  // the contender's own word on the last solve
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

// Each solver of ours that takes the problem; `auto` first.
Contenders vinci_contenders(const ComplementarityProblem& problem);
// Each solver of Siconos numerics for this class of problem; none for classes that it lacks, or
// where it was not found when this was built.
Contenders siconos_contenders(const ComplementarityProblem& problem);

}  // namespace vinci
