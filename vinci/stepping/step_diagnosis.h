// SPDX-License-Identifier: Apache-2.0
// Whether the motion of a step is the only one that its model allows: asked of every island of
// every problem whose answer stays (island_diagnosis.h), and written into the step's report.
#pragma once

#include <memory>
#include <span>

#include "vinci/formulation/row_map.h"
#include "vinci/stepping/solution_witness.h"

namespace vinci {

class StepDiagnosis {
 public:
  // `keeps`: the motions go into the report as well. `seed`: of the points to start again from.
  StepDiagnosis(bool keeps, std::int64_t seed);
  ~StepDiagnosis();

  // What the rows of a problem belong to.
  struct Owners {
    std::span<const EntityRows> entities;  // by their rows, in order
    const VectorX& velocities;             // packed: of prescribed entries
  };
  // An answer that stays. Adds to what the report says of uniqueness, as a further part.
  void look(const SolvedProblem& solved, const Owners& owners, const Solution& solution,
            StepReport& report);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vinci
