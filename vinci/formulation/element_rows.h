// SPDX-License-Identifier: Apache-2.0
// Rows of elements: implicit springs and dampers. With w = J u + (prescribed share) the velocity of
// b against a along the axis, s the stretch at the start and τ = h (λ an impulse) or 1 (a force),
//
//   λ = −τ (k (s + h w) + c w)   <=>   0 = w + λ/(τ (h k + c)) + k s/(h k + c):
//
// an equality row with C = 1/(τ (h k + c)). Along a line that keeps its direction it takes energy
// out at every step size; what a line gains by turning within the step is told by element_gain().
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/formulation/row_space.h"
#include "vinci/model/element.h"

namespace vinci {

// An element's row in a step.
struct ElementTerms {
  EntityKey key;
  std::int64_t point = 0;  // which of the element's rows
  ElementRow row = {};
  double bias = 0.0;        // b, m/s
  double rest = 0.0;        // k s/(h k + c), the share of b that is no driver's, m/s
  double compliance = 0.0;  // C
};

// What a step knows of its elements.
struct ElementStep {
  const Model& model;
  const State& state;
  const std::vector<Pose>& placed;  // with the prescribed coordinates at the end of the step
  double h = 0.0;
  double time = 0.0;      // τ
  bool momentum = false;  // without it ElementRow::sideways counts
  std::vector<ElementRow>& scratch;
  const Tree* tree = nullptr;  // as in RowSpace
};

// The rows of every element that a free coordinate can stretch.
void find_elements(const ElementStep& step, std::vector<ElementTerms>& elements);

// By how much the potential of the elements rises beyond the work that was done on them, J: lines
// turn within the step. `impulses` are λ of the rows; 0 where it is rounding.
struct ElementWork {
  std::span<const ElementTerms> elements;
  std::span<const double> impulses;
  std::span<const Pose> start, end;
};
struct ElementGain {
  double energy = 0.0, stored = 0.0;  // J; the potential at the start
};
ElementGain element_gain(const Model& model, const ElementWork& work);

// Appends the rows; b and the columns of C have their final size.
void write_elements(const RowSpace& space, std::span<const ElementTerms> elements,
                    ComplementarityProblem& problem);

// Eliminates the rows instead: M gets Jᵀ C⁻¹ J and p gets −Jᵀ C⁻¹ b, for problems that have only
// contacts as rows.
void condense_elements(const RowSpace& space, std::span<const ElementTerms> elements,
                       ComplementarityProblem& problem);

}  // namespace vinci
