// SPDX-License-Identifier: Apache-2.0
// Friction of planar bodies on the plane of motion (2.5D) [Berard 2007, eqs. 13–14, s = Û p_n −
// Eᵀp_f
// + p̂]: the load N of every support is known, so its dry friction is a ball of known radius,
//
//   |λ_T| <= μ N h,  λ_T = −μ N h v/|v| where the support slides,
//
// (without h where λ is a force), or for the pyramid cone the hull of directions,
//   0 <= β_j ⟂ d_j·v + σ >= 0,   0 <= σ ⟂ μ N h − Σ β_j >= 0.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/formulation/row_space.h"
#include "vinci/model/state.h"

namespace vinci {

// A support that takes part in a step.
struct SupportPoint {
  int body = 0, index = 0;               // index into Body::supports
  Vector3 point = Vector3::Zero();       // world, m
  Vector2 prescribed = Vector2::Zero();  // m/s, mean over the step of what is prescribed, x and y
  double limit = 0.0;                    // of the friction force or impulse
};

// The supports that friction can act on: of bodies with something free there. `time` is what a
// force is multiplied by in the problem, h or 1.
void find_supports(const RowSpace& space, const std::vector<Pose>& placed, double h, double time,
                   std::vector<SupportPoint>& supports);

int support_row_count(const ConeForm& form);
// Appends the rows; b and the columns of C have their final size.
void write_supports(const RowSpace& space, std::span<const SupportPoint> supports,
                    ComplementarityProblem& problem);
// 0, then the friction along x and y, from the λ of the support's rows.
Vector3 support_impulse(const ConeForm& form, Eigen::Ref<const VectorX> lambda);

}  // namespace vinci
