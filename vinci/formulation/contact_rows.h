// SPDX-License-Identifier: Apache-2.0
// Rows of contacts: Jacobians J, velocity-independent parts b, compliance C and laws, for the exact
// quadratic cone or an inscribed pyramid.
//
// Relative velocity of b against a at a contact point, along an axis d with arms r from the centres
// of mass:
//   d · (v_b + ω_b × r_b) − d · (v_a + ω_a × r_a) = J u + (share of the prescribed entries).
// Both bodies take the midpoint of the two witness points, so that an impulse and its reaction act
// on one line and angular momentum is kept exactly.
//
// Pyramid of a contact, k unit directions d_j [Stewart 1996, eq. 9]:
//   0 <= λ_n ⟂ w_n,   0 <= β_j ⟂ d_j·v + σ >= 0,   0 <= σ ⟂ μ λ_n − Σ β_j >= 0.
//
// Friction that differs along the tangents, (f₁/μ₁)² + (f₂/μ₂)² <= λ_n²: with s_k = μ_k/μ and μ the
// larger of the two, f_k = s_k λ_k and rows s_k t_k make it the isotropic law of λ and μ, maximal
// dissipation included, since f·v = λ·(s v). Pyramids are inscribed in the ellipse likewise. A
// tangent without friction has no row.
#pragma once

#include <span>
#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/complementarity/problem.h"
#include "vinci/formulation/contact_frame.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/friction_cone.h"
#include "vinci/formulation/moment_rows.h"
#include "vinci/formulation/row_map.h"
#include "vinci/formulation/row_space.h"

namespace vinci {

// How contact `contact` yields to the one that holds this: its block of C, m/s for each N s along
// (normal, tangent 1, tangent 2).
struct Compliance {
  int contact = 0;
  Matrix3 block = Matrix3::Zero();
};

// What the rows of one contact need to know beyond its geometry.
struct ContactTerms {
  ContactFrame frame;
  double friction = 0.0;                        // μ, along the tangent where it is largest
  Vector2 scale = Vector2::Ones();              // of friction along the tangents, s₁ > 0
  double normal_bias = 0.0;                     // b of the normal row, m/s
  double rebound = 0.0;                         // m/s, closing speed to remember if it is hit now
  bool rebounds = false;                        // the normal row asks for restitution
  Vector2 prescribed = Vector2::Zero();         // m/s, prescribed share along tangent 1 and 2
  std::span<const Compliance> compliance = {};  // by ascending contact; none of a rigid contact
  ContactMoments moments;                       // none of a contact that yields
  Vector3 turning = Vector3::Zero();  // rad/s, prescribed share about normal, tangent 1 and 2
  const ContactArms* arms = nullptr;  // where the impulse acts, if not at the midpoint
};

// Whether a free coordinate can open or close the contact: its normal row is not zero.
// `tree` as in RowSpace; without it what hangs on joints counts as if it could.
bool can_respond(const Model& model, std::span<const Pose> poses, const Contact& contact,
                 const Tree* tree = nullptr);

// 1/kg: velocity along the axis for a unit impulse along it, by the free coordinates.
double mobility(const Model& model, std::span<const Pose> poses, const Contact& contact,
                const Vector3& axis);

// 1/(kg m²): the sum over both bodies of the spin about a unit axis for a unit angular impulse
// about it, by the free coordinates.
double turning_mobility(const Model& model, std::span<const Pose> poses, const Contact& contact,
                        const Vector3& axis);

// How many rows a contact has: 1 without friction.
int contact_row_count(World world, const ConeForm& form, double friction,
                      const Vector2& scale = Vector2::Ones());

// Appends the rows of every contact, in order; `terms` and `rows` run parallel to `contacts`. b and
// the columns of C have their final size.
void write_contacts(const RowSpace& space, const ContactSet& contacts,
                    std::span<const ContactTerms> terms, std::span<const EntityRows> rows,
                    ComplementarityProblem& problem);

// Impulse in the contact frame (normal, tangent 1, tangent 2) from the λ of the contact's rows.
Vector3 contact_impulse(World world, const ConeForm& form, Eigen::Ref<const VectorX> lambda,
                        const Vector2& scale = Vector2::Ones());

}  // namespace vinci
