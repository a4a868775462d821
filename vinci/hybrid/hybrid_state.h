// SPDX-License-Identifier: Apache-2.0
// Where a motion through events is: all that is needed to continue it.
#pragma once

#include <vector>

#include "vinci/base/math.h"

namespace vinci {

// Of a contact: free, contact, ballistic. Of a link: free (switched off) or contact. Of friction:
// free, sticking or sliding.
enum class ContactState { free, contact, ballistic, sticking, sliding };
const char* to_string(ContactState state);
inline bool acts(ContactState state) {
  return state != ContactState::free && state != ContactState::ballistic;
}

// What acts and how, an entry per constraint.
struct HybridMode {
  std::vector<ContactState> states;
  // Of friction that slides: the unit vector along which it begins, a component per constraint; in
  // one direction ±1.
  VectorX directions;
  VectorX anchors;  // of links that hold it: h from which they count
  // Forces near which those are chosen that the equations leave open.
  VectorX preferred;

  static HybridMode of(std::vector<ContactState> states);  // nothing slides, zeros else
};

struct HybridState {
  double time = 0.0;  // s
  VectorX positions, velocities, extras;
  VectorX slips;  // per constraint: of friction, how far it slipped since it began to stick
  HybridMode mode;
  std::vector<bool> sinking;  // per constraint: ballistic since it was sinking in
  std::vector<int> machines;  // their states
  VectorX works;  // J, per constraint: of a contact, what it has given since it was touched, ∫ λ dh

  // In the mode that is named, at rest in all that is not given.
  static HybridState at(double time, const VectorX& positions, const VectorX& velocities,
                        std::vector<ContactState> states);
};

}  // namespace vinci
