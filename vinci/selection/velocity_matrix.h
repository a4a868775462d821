// SPDX-License-Identifier: Apache-2.0
// The matrix of CompliantSystem in the velocities of many bodies: blocks of the bodies and of the
// pairs that contacts join, factored by fronts. Scaled to a diagonal of M of one.
#pragma once

#include <span>
#include <vector>

#include "vinci/linear/frontal_lu.h"

namespace vinci {

class VelocityMatrix {
 public:
  // Bodies with so many velocities each, one after the other; then the pairs that act on each
  // other.
  void begin(const std::vector<int>& sizes);
  void join(int a, int b);
  void analyse(std::span<const double> diagonal);  // of M

  void clear();
  void add(int row, int column, double value);  // of joined bodies
  bool factor();
  void solve(double* x);  // in place

 private:
  std::vector<int> starts_;                   // first velocity per body, and the end
  std::vector<int> body_of_;                  // per velocity
  std::vector<std::vector<int>> neighbours_;  // per body, itself among them
  std::vector<std::vector<int>> places_;      // of their rows within a column of the body
  FrontalLu::Matrix matrix_;
  std::vector<double> scale_;
  FrontalLu lu_;
  VectorX right_;
};

}  // namespace vinci
