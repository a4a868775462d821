// SPDX-License-Identifier: Apache-2.0
// Friction beyond one number: coefficients that differ along and across an axis, that fall where a
// contact slides, or that are functions of sliding speed, place and time.
//
// Anisotropic: the friction force lies in an ellipse, (f₁/μ₁)² + (f₂/μ₂)² <= λ_n², with μ₁ along
// the axis and μ₂ across it, and where it slides it is the force of the ellipse that dissipates
// most. Static and kinetic: μ_s up to the threshold speed, μ_k above it [Berard 2007, eq. 13].
#pragma once

#include <optional>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/base/math.h"

namespace vinci {

// The variables of its expressions, in their order.
enum class FrictionVariable { time, x, y, z, speed };
inline constexpr std::size_t friction_variable_count = 5;

// Whose frame an axis or a place belongs to: the body with the first or the second material of a
// pair.
enum class FrictionFrame { world, first, second };

// Coefficients along an axis and across it; equal where there is none.
struct FrictionCoefficients {
  double along = 0.0, across = 0.0;

  double largest() const { return along < across ? across : along; }
  bool operator==(const FrictionCoefficients&) const = default;
};

// How two surfaces rub that are of one kind along an axis and of another across it.
struct FrictionAxis {
  Vector3 direction = Vector3::UnitX();  // of length 1, in its frame
  FrictionFrame frame = FrictionFrame::world;
};

// What one of the two materials says, or both together.
struct FrictionTerm {
  Expression along, across;                    // up to the threshold speed
  Expression kinetic_along, kinetic_across;    // above it
  FrictionFrame frame = FrictionFrame::world;  // of x, y and z

  bool uses(FrictionVariable variable) const;
  bool switches() const;  // whether it has coefficients of its own above the threshold
};

// Where and when, for its expressions: the contact's point in the three frames.
struct FrictionPlace {
  Vector3 world = Vector3::Zero(), first = Vector3::Zero(), second = Vector3::Zero();  // m
  double time = 0.0;                                                                   // s
};

struct FrictionLaw {
  // One of a pair, or two of its materials: then coefficients are their geometric means.
  std::vector<FrictionTerm> terms;
  double threshold = 0.0;  // m/s
  std::optional<FrictionAxis> axis = {};

  // Whether the sliding speed at the end of a step decides, which a step has to find out.
  bool depends_on_speed() const;
  // Coefficients at a sliding speed, m/s. A number that is none, or below 0, is NaN.
  FrictionCoefficients at(double speed, const FrictionPlace& place) const;
  // The same law with the two materials of the pair the other way round.
  FrictionLaw turned() const;
};

// Whether both are numbers from 0 on.
bool is_valid(const FrictionCoefficients& coefficients);

}  // namespace vinci
