// SPDX-License-Identifier: Apache-2.0
// Laws as equations Φ(x, w) = 0, x = s λ in the unit of w, with an element of their generalised
// Jacobian. z = x − w, z₊ = max(z, 0), P the projection onto a set, B(r) the ball of radius r:
//
//   alart_curnier       Φ_n = x_n − z_n₊,  Φ_t = x_t − P_B(μ z_n₊)(z_t)       [Alart, Curnier 1991]
//   jean_moreau         Φ_n = x_n − z_n₊,  Φ_t = x_t − P_B(μ x_n₊)(z_t)       [Jean, Moreau 1987]
//   natural             Φ = x − P_K(x − ŵ),  ŵ = w + (μ|w_t|, 0, 0)        [De Saxcé, Feng 1998]
//   fischer_burmeister  Φ = x̂ + ŷ − (x̂² + ŷ²)^½ in the Jordan algebra of the Lorentz cone,
//                       x̂ = (√μ x_n, x_t/√μ), ŷ = (ŵ_n/√μ, √μ w_t)   [Fukushima, Luo, Tseng 2002]
//
// Moments follow the first two maps with the radius (μ_r/ℓ) z_n₊ or (μ_r/ℓ) x_n₊.
// Scalar laws: the median mid(x − s upper, w, x − s lower), or Fischer's φ(a, b) = a + b −
// √(a²+b²).
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

enum class LawMap : char { alart_curnier, jean_moreau, natural, fischer_burmeister };

// Largest block but for equalities, which need no map.
constexpr int largest_mapped_block = largest_contact;

// Why the map says nothing about this law, or nullptr.
const char* why_unmapped(LawMap map, const Block& block);

// Φ and, row-major, ∂Φ/∂x and ∂Φ/∂w (not computed where null). `frozen` is taken for μ|w_t| where
// it is not negative: the law is then a cone's, and monotone.
struct MapPoint {
  double scale;  // s, in which the bounds are measured
  double frozen = -1.0;
  double length = 1.0;  // ℓ: moments are measured as λ_r/ℓ, their speeds as ℓ w_r
};
void evaluate_map(LawMap map, const Block& block, const MapPoint& point, const double* x,
                  const double* w, double* phi, double* by_x, double* by_w);

}  // namespace vinci
