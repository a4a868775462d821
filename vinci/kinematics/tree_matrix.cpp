// SPDX-License-Identifier: Apache-2.0
// Pattern, factors and products of a tree's matrix.
#include "vinci/kinematics/tree_matrix.h"

#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

// The last unknown that moves a body, or −1.
int last_unknown(const Model& model, int body) {
  while (body >= 0 && !model.tree_joint.empty() && model.tree_joint[body] >= 0) {
    const Joint& joint = model.joints[model.tree_joint[body]];
    const int count = rate_count(joint.kind);
    if (count > 0) return model.rate_index[joint.first_rate] + count - 1;
    body = parent_body(model, body);
  }
  if (body < 0) return -1;
  const Body& root = model.bodies[body];
  for (int i = root.velocity_size - 1; i >= 0; --i)
    if (model.free_index[root.velocity_offset + i] >= 0)
      return model.free_index[root.velocity_offset + i];
  return -1;
}

}  // namespace

void TreeMatrix::reset(const Model& model) {
  parent_.assign(static_cast<std::size_t>(model.free_count), -1);
  for (const Body& body : model.bodies) {
    int before = -1;
    for (int i = 0; i < body.velocity_size; ++i) {
      const int unknown = model.free_index[body.velocity_offset + i];
      if (unknown < 0) continue;
      parent_[static_cast<std::size_t>(unknown)] = before;
      before = unknown;
    }
  }
  for (const int body : model.tree_order) {
    const Joint& joint = model.joints[model.tree_joint[body]];
    int before = last_unknown(model, parent_body(model, body));
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const int unknown = model.rate_index[joint.first_rate + k];
      parent_[static_cast<std::size_t>(unknown)] = before;
      before = unknown;
    }
  }
  depth_.resize(parent_.size());
  start_.resize(parent_.size());
  int total = 0;
  for (std::size_t i = 0; i < parent_.size(); ++i) {
    depth_[i] = parent_[i] < 0 ? 0 : depth_[static_cast<std::size_t>(parent_[i])] + 1;
    start_[i] = total;
    total += depth_[i] + 1;
  }
  values_.assign(static_cast<std::size_t>(total), 0.0);
}

void TreeMatrix::to_dense(MatrixX& matrix) const {
  matrix.setZero(size(), size());
  for (int i = 0; i < size(); ++i)
    for (int j = i; j >= 0; j = parent(j)) matrix(i, j) = matrix(j, i) = entry(i, j);
}

void TreeMatrix::multiply(const VectorX& x, VectorX& y) const {
  y.setZero(size());
  for (int i = 0; i < size(); ++i) {
    y[i] += entry(i, i) * x[i];
    for (int j = parent(i); j >= 0; j = parent(j)) {
      y[i] += entry(i, j) * x[j];
      y[j] += entry(i, j) * x[i];
    }
  }
}

bool TreeMatrix::factor() {
  bool definite = true;
  for (int k = size() - 1; k >= 0; --k) {
    double* row = &entry(k, k) - depth_[static_cast<std::size_t>(k)];
    const int depth = depth_[static_cast<std::size_t>(k)];
    definite = definite && row[depth] > 0.0;
    row[depth] = std::sqrt(row[depth]);
    for (int d = 0; d < depth; ++d) row[d] /= row[depth];
    for (int i = parent(k); i >= 0; i = parent(i)) {
      const int last = depth_[static_cast<std::size_t>(i)];
      double* other = &entry(i, i) - last;
      for (int d = 0; d <= last; ++d) other[d] -= row[last] * row[d];
    }
  }
  return definite;
}

void TreeMatrix::solve(VectorX& x) const {
  // LᵀL x = b: Lᵀ y = b from the leaves, L x = y from the roots.
  for (int i = size() - 1; i >= 0; --i) {
    x[i] /= entry(i, i);
    for (int j = parent(i); j >= 0; j = parent(j)) x[j] -= entry(i, j) * x[i];
  }
  for (int i = 0; i < size(); ++i) {
    for (int j = parent(i); j >= 0; j = parent(j)) x[i] -= entry(i, j) * x[j];
    x[i] /= entry(i, i);
  }
}

}  // namespace vinci
