// SPDX-License-Identifier: Apache-2.0
// Dependence between uncertain numbers whose own distributions stay as they are: a Gaussian copula.
#pragma once

#include <span>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

enum class CorrelationKind {
  of_normals,  // of the normal numbers behind the numbers
  spearman     // of ranks: the same whatever the distributions
};

struct Correlation {
  int first = 0, second = 0;  // which two numbers
  double value = 0.0;
};

class GaussianCopula {
 public:
  // A symmetric matrix with ones on its diagonal, positive definite; throws Error otherwise.
  explicit GaussianCopula(const MatrixX& correlations,
                          CorrelationKind kind = CorrelationKind::of_normals);
  // Of `dimensions` numbers, of which the pairs that are not named are independent.
  GaussianCopula(int dimensions, const std::vector<Correlation>& correlations,
                 CorrelationKind kind = CorrelationKind::of_normals);

  int dimensions() const { return static_cast<int>(factor_.rows()); }
  // Of the normal numbers.
  const MatrixX& correlations() const { return correlations_; }
  // Turns independent coordinates of a point of the unit cube into correlated ones, in (0, 1). A
  // number that is correlated with none before it keeps its bits.
  void apply(std::span<double> point) const;

 private:
  MatrixX correlations_, factor_;
};

}  // namespace vinci
