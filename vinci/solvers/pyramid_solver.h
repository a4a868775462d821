// SPDX-License-Identifier: Apache-2.0
// Pyramids of friction by their structure. The directions of a contact, its normal row and its slip
// row become one unit of three components whose friction lies in a regular polygon
// (selection/contact_units.h): open, sticking, sliding at a corner or along an edge. Newton's
// method on these states takes systems whose size does not depend on the directions; only reading,
// writing and judging the problem does, linearly.
//
// It begins with the guess, or with the answer of the exact cone, beside which that of a pyramid
// lies: of circles in the place of the polygons, and where there are many contacts of Coulomb's
// problem by the methods for those. There is no guarantee: what the judge does not call solved is
// left to other methods. Of several answers it has that of equally compliant contacts. A method of
// `auto`, not one to be named.
#pragma once

#include <memory>

#include "vinci/complementarity/solve_frame.h"
#include "vinci/selection/compliant_limit.h"
#include "vinci/selection/contact_units.h"
#include "vinci/selection/pyramid_form.h"

namespace vinci {

class Cascade;  // cascade.h

class PyramidSolver final : public SolveFrame {
 public:
  PyramidSolver();
  ~PyramidSolver() override;
  // Whether the problem has pyramids; they need not be of the form that it takes.
  static bool takes(const ComplementarityProblem& problem) { return PyramidForm::occurs(problem); }

 private:
  std::string refusal(const ComplementarityProblem& problem) const override;
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  bool reach(const ComplementarityProblem& problem, bool begun);
  void solve_cones();  // lambda_ from start_

  PyramidForm form_;
  ContactUnits units_;
  CompliantLimit limit_;
  VectorX scales_, start_, lambda_;
  Solution trial_;
  bool many_ = false;
  // Of many contacts: Coulomb's problem in the place of the pyramids, and what solves it.
  ComplementarityProblem cones_;
  Solution cone_solution_;
  std::unique_ptr<Cascade> methods_;
};

}  // namespace vinci
