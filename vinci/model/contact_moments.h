// SPDX-License-Identifier: Apache-2.0
// Moments that a contact resists with, beside its friction force f of a normal force N: about the
// normal (torsion), |τ| <= μ_τ N; about the tangents (rolling), |m| <= μ_r N; or torsion and
// friction together, as a patch of given pressure does: (f/μN)² + (τ/(μ N r_t))² <= 1, the
// ellipsoid that stands for its limit surface [Howe 1996], exact where it only slides
// and where it only spins. Each is at the force that dissipates most where it yields.
#pragma once

#include <span>

namespace vinci {

struct ContactMoments {
  double rolling = 0.0;  // m, μ_r
  double torsion = 0.0;  // m, μ_τ
  double radius = 0.0;   // m, r_t of a patch; with it there is no μ_τ

  bool any() const { return rolling > 0.0 || torsion > 0.0 || radius > 0.0; }
  bool operator==(const ContactMoments&) const = default;
};

// r_t of a round patch of radius 1 without friction but for its pressure p(r), straight between
// `pressures`, which stand at equal distances from the centre to the rim, none below 0 and one or
// more above: ∫ p r² dr / ∫ p r dr, the mean distance from the centre that the load has.
double friction_radius(std::span<const double> pressures);
// Of p = 1, of p = √(1 − r²) (Hertz) and of all load at the rim.
inline constexpr double uniform_friction_radius = 2.0 / 3.0;
inline constexpr double hertz_friction_radius = 0.58904862254808623;  // 3π/16
inline constexpr double ring_friction_radius = 1.0;

}  // namespace vinci
