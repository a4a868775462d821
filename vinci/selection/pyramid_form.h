// SPDX-License-Identifier: Apache-2.0
// Whether a problem, of whatever origin, has the pyramids that steppers make, so that its
// directions may be taken together (contact_units.h).
#pragma once

#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

class PyramidForm {
 public:
  // Whether there are pyramids at all, seen from the first slip row σ.
  static bool occurs(const ComplementarityProblem& problem);
  // Whether every σ belongs to a pyramid: one normal row, or none, then the directions, then σ,
  // coupled by μ, −1 and 1 as in contact_rows.h. The directions are a linear map of those of a
  // regular polygon, as far as J, C and b can tell: rows 0 and 1 give all others.
  bool fits(const ComplementarityProblem& problem);

 private:
  bool fits_pyramid(const ComplementarityProblem& problem, int sigma);
  bool is_regular(const ComplementarityProblem& problem, int first, int count, int sigma);

  std::vector<char> nonnegative_;   // per row
  std::vector<int> column_counts_;  // entries of C per column
};

}  // namespace vinci
