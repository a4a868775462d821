// SPDX-License-Identifier: Apache-2.0
// Layers and the points that share them.
#include "vinci/stepping/compliance.h"

#include <Eigen/Cholesky>

namespace vinci {

PatchPoints::PatchPoints(const PatchForm& form) {
  const int n = form.points;
  spacing_ = form.width / n;
  const double ratio = n > 1 ? form.coupling / spacing_ : 0.0;
  coupled_ = ratio > 0.0;
  share_ = MatrixX::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) {
    share_(i, i) += ratio * ratio;
    share_(i + 1, i + 1) += ratio * ratio;
    share_(i, i + 1) -= ratio * ratio;
    share_(i + 1, i) -= ratio * ratio;
  }
  share_ /= n;
  inverse_ = MatrixX::Identity(n, n) * n;
  if (!coupled_) return;
  inverse_ = share_.llt().solve(MatrixX::Identity(n, n));
  inverse_ = (0.5 * (inverse_ + inverse_.transpose())).eval();
}

LayerStep layer_step(const std::optional<Layer>& layer, double h) {
  if (!layer) return {};
  Matrix2 sum;
  sum << h * layer->stiffness + layer->damping, h * layer->coupling,  //
      h * layer->coupling, h * layer->tangential_stiffness + layer->tangential_damping;
  LayerStep step;
  const double determinant = sum(0, 0) * sum(1, 1) - sum(0, 1) * sum(0, 1);
  step.yield << sum(1, 1) / determinant, -sum(0, 1) / determinant,  //
      -sum(0, 1) / determinant, sum(0, 0) / determinant;
  step.relax = step.yield * Vector2(layer->damping, layer->tangential_damping).asDiagonal();
  Matrix2 stiffness;
  stiffness << layer->stiffness, layer->coupling, layer->coupling, layer->tangential_stiffness;
  step.recover = step.yield * stiffness;
  step.tilt = 1.0 / sum(0, 0);
  return step;
}

SeriesStiffness in_series(const std::optional<Layer>& a, const std::optional<Layer>& b) {
  const auto softness = [](double stiffness) { return 1.0 / stiffness; };
  const double normal_a = a ? softness(a->stiffness) : 0.0;
  const double normal_b = b ? softness(b->stiffness) : 0.0;
  const double tangential =
      (a ? softness(a->tangential_stiffness) : 0.0) + (b ? softness(b->tangential_stiffness) : 0.0);
  return {1.0 / (normal_a + normal_b), 1.0 / tangential, normal_a / (normal_a + normal_b)};
}

}  // namespace vinci
