// SPDX-License-Identifier: Apache-2.0
// Rows of a contact with moments (model/contact_moments.h), behind its normal row: friction,
// rolling about the tangents, torsion about the normal. The exact form is one moments block of
//
//   s₁ t₁·v, s₂ t₂·v (and r_t n·ω of a patch),   t₁·ω, t₂·ω (in the plane e_z·ω),   n·ω
//
// with ω the angular velocity of b against a: friction and spin of a patch are one ball of three
// rows, λ in N s. Pyramids have β_j >= 0 along directions and a σ of its own for each of the three:
//   0 <= β_j ⟂ d_j·w + σ >= 0,   0 <= σ ⟂ limit λ_n − Σ β_j >= 0;
// two directions for torsion, those of friction for rolling, and for a patch the corners of a
// polyhedron inscribed in the ball.
#pragma once

#include "vinci/formulation/friction_cone.h"
#include "vinci/model/contact_moments.h"

namespace vinci {

// Rows behind the normal one, in their order; in pyramids directions, without their σ.
struct MomentLayout {
  int friction = 0, rolling = 0, torsion = 0;
  bool one_tangent = false;
  double radius = 0.0;  // m, r_t of a patch whose spin is among the rows of friction

  bool any() const { return rolling > 0 || torsion > 0 || radius > 0.0; }
  int count(const ConeForm& form) const {
    const int sigmas = has_directions(form) ? (friction > 0) + (rolling > 0) + (torsion > 0) : 0;
    return 1 + friction + rolling + torsion + sigmas;
  }
};

// `scale` as in ContactTerms. Without moments that act in this world: nothing.
MomentLayout moment_layout(World world, const ConeForm& form, double friction, const Vector2& scale,
                           const ContactMoments& moments);

// What one row means: a velocity along the tangents, and an angular velocity about the normal and
// the tangents. Its λ acts along the same.
struct MomentAxis {
  Vector2 tangential = Vector2::Zero();
  Vector3 turning = Vector3::Zero();
};
enum class MomentPart { friction, rolling, torsion };
// Row j of a part.
MomentAxis moment_axis(World world, const ConeForm& form, const MomentLayout& layout,
                       const Vector2& scale, MomentPart part, int j);

// Along (normal, tangent 1, tangent 2), on body b.
struct ContactWrench {
  Vector3 impulse = Vector3::Zero();  // N s
  Vector3 moment = Vector3::Zero();   // N m s
};
// From the λ of the contact's rows, and as a guess back into them.
ContactWrench moment_wrench(World world, const ConeForm& form, const MomentLayout& layout,
                            const Vector2& scale, Eigen::Ref<const VectorX> lambda);
void guess_moments(World world, const ConeForm& form, const MomentLayout& layout,
                   const Vector2& scale, const ContactWrench& wrench, Eigen::Ref<VectorX> lambda);

}  // namespace vinci
