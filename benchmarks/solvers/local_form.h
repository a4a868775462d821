// SPDX-License-Identifier: Apache-2.0
// A problem as the classes of Siconos have it: w = W λ + q with one kind of law.
#pragma once

#include <optional>

#include <Eigen/SparseCore>

#include "vinci/complementarity/problem.h"

namespace vinci {

struct LocalForm {
  std::string kind;               // lcp, mlcp, relay, fc2d, fc3d
  Eigen::SparseMatrix<double> W;  // by columns
  VectorX q;
  VectorX friction;      // a contact: fc2d, fc3d
  VectorX lower, upper;  // a row: relay
  int equalities = 0;    // the first rows: mlcp
};

// Nothing where the laws are none of these, or M is singular.
std::optional<LocalForm> local_form(const ComplementarityProblem& problem);

}  // namespace vinci
