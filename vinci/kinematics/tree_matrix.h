// SPDX-License-Identifier: Apache-2.0
// Symmetric matrices over the unknowns of a tree, such as its mass matrix: an entry (i, j) is not
// zero only where one of the two unknowns moves what the other one moves. Factored from the leaves
// to the roots as LᵀL there is no fill [Featherstone 2008, section 6.5].
#pragma once

#include <vector>

#include "vinci/model/model.h"

namespace vinci {

class TreeMatrix {
 public:
  // Zeros, with the pattern of a model's tree.
  void reset(const Model& model);

  std::size_t entries() const { return values_.size(); }
  int size() const { return static_cast<int>(parent_.size()); }
  // The unknown before it on the way to the root, or −1.
  int parent(int unknown) const { return parent_[static_cast<std::size_t>(unknown)]; }
  // Entry (i, j) = (j, i); j is i or before it on the way to the root.
  double& entry(int i, int j) { return values_[place(i, j)]; }
  double entry(int i, int j) const { return values_[place(i, j)]; }

  void to_dense(MatrixX& matrix) const;
  // y = A x.
  void multiply(const VectorX& x, VectorX& y) const;

  // In place of the matrix its factor; false if it is not positive definite to working precision.
  bool factor();
  void solve(VectorX& x) const;  // in place, of the factored matrix

 private:
  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(start_[static_cast<std::size_t>(i)] +
                                    depth_[static_cast<std::size_t>(j)]);
  }

  std::vector<int> parent_, depth_, start_;  // per unknown; its row begins with that of the root
  std::vector<double> values_;
};

}  // namespace vinci
