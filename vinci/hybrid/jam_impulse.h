// SPDX-License-Identifier: Apache-2.0
// Impulses that friction which jams gives in no time, as numbers: with S the rates that impulses
// change, P ≠ 0 of contacts that are closed,
//
//   Pₙ >= 0, Δh' = Sₙ P >= 0, Pₙ Δh' = 0        s⁺ = s + Sₜ P, |Pₜ| <= μ Pₙ, Pₜ = −μ Pₙ s⁺/|s⁺|
//
// the limit of short steps of Stewart and Trinkle. P = 0 fits always; another one does for a
// contact in the plane alone exactly where friction draws it in. With v the velocities before,
// energy changes by −Δvᵀ M Δv/2 + Σ (Pₙ h' − μ Pₙ |s⁺|): no contact that sinks or rests makes it
// rise.
#pragma once

#include <optional>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct JamProblem {
  // What rubs or rolls at a contact, along one direction or two.
  struct Slip {
    int contact = 0;  // among normals
    int first = 0, count = 1;
    double friction = 0.0;
    bool never_slides = false;
  };
  MatrixX mobility;  // S: how much impulses, by row, change rates
  VectorX rates;     // s of the rows of slips; those of normals do not count
  std::vector<int> normals;
  std::vector<Slip> slips;
  double negligible = 1e-9;  // share of impulses, or of rates, that is none
};

// P of every row; nothing if none is found but P = 0.
std::optional<VectorX> jam_impulse(const JamProblem& problem);

}  // namespace vinci
