// SPDX-License-Identifier: Apache-2.0
// Loads of contacts of one small compliance by the central path [Mehrotra 1992; for friction
// compare Acary, Armand, Nguyen 2023]. All contacts begin in the middle between closed and open,
// sticking and sliding, and are told apart little by little, so that it does not go round in
// circles where Newton's method on states does: many contacts that arrive together, some of which
// slide and some of which hardly do. It asks for no guess; Newton's method on the states ends it.
#pragma once

#include <span>

#include "vinci/newton/interior_point.h"
#include "vinci/selection/contact_units.h"

namespace vinci {

class CompliantCentre {
 public:
  CompliantCentre();
  struct Terms {
    double compliance;  // ε over the typical diagonal of W
    double tolerance;   // of the equations, relative
  };
  // `scales` has the mean diagonal of W of every unit. Friction within polygons is taken for that
  // within circles.
  void find(const ComplementarityProblem& problem, std::span<const ContactUnit> units,
            const VectorX& scales, VectorX& lambda, const Terms& terms);

 private:
  void soften(const ComplementarityProblem& problem, double compliance);

  InteriorPointSolver solver_;
  ComplementarityProblem soft_;
  Solution solution_;
};

}  // namespace vinci
