// SPDX-License-Identifier: Apache-2.0
// The implicit compliance of a contact patch [Song 2004]. A patch of n points has for each side a
// massless layer with
//   λ = K δ + D dδ/dt,   K = S ⊗ k,  D = S ⊗ d,   S = (I + (ℓ/Δ)² L) / n,
// k and d the 2 × 2 matrices of the material (normal, tangent), L the graph Laplacian of points in
// a row, Δ their spacing, ℓ the length over which neighbours carry each other. A patch pressed
// evenly has stiffness k whatever n and ℓ are; ℓ² k is the tension of a membrane over the springs.
// The implicit Euler step with the impulse p = h λ is
//   δˡ⁺¹ = (S⁻¹ ⊗ (h k + d)⁻¹) p + (I ⊗ (h k + d)⁻¹ d) δˡ.
#pragma once

#include "vinci/base/math.h"
#include "vinci/model/model.h"

namespace vinci {

// How the region about a contact is discretised.
struct PatchForm {
  int points = 1;
  double width = 0.0;     // m, along the tangent; > 0 for several points
  double coupling = 0.0;  // ℓ, m
};
inline constexpr int max_patch_points = 64;

// Where the points of a patch lie, and how they share what the layer bears.
class PatchPoints {
 public:
  explicit PatchPoints(const PatchForm& form);
  int count() const { return static_cast<int>(inverse_.rows()); }
  bool coupled() const { return coupled_; }
  double offset(int i) const { return (i + 0.5 - 0.5 * count()) * spacing_; }  // m, from the middle
  double share(int i, int j) const { return inverse_(i, j); }                  // S⁻¹
  const MatrixX& stiffness_share() const { return share_; }                    // S

 private:
  MatrixX share_, inverse_;
  double spacing_ = 0.0;
  bool coupled_ = false;
};

// One layer in a step of h seconds: δˡ⁺¹ = yield p + relax δˡ at a patch of one point.
struct LayerStep {
  Matrix2 yield = Matrix2::Zero();    // (h k + d)⁻¹, m/(N s)
  Matrix2 relax = Matrix2::Zero();    // (h k + d)⁻¹ d
  Matrix2 recover = Matrix2::Zero();  // (h k + d)⁻¹ k = (1 − relax)/h, 1/s
  double tilt = 0.0;                  // 1/(h k + d) across the surface alone, m/(N s)
};
LayerStep layer_step(const std::optional<Layer>& layer, double h);  // zero of a rigid one

// Stiffness of two layers in series, N/m, of which at least one is there.
struct SeriesStiffness {
  double normal = 0.0, tangential = 0.0;
  double share_a = 0.0;  // of a normal deformation at rest in layer a
};
SeriesStiffness in_series(const std::optional<Layer>& a, const std::optional<Layer>& b);

}  // namespace vinci
