// SPDX-License-Identifier: Apache-2.0
// What the contacts of two bodies do, as a sequence of modes. A pair is open if none of its points
// presses; it sticks or slides if all that press do; otherwise it is mixed (some stick and some
// slide, or they slide in opposite directions, as under a body that spins). In the plane a body b
// slides left of a if it moves along ez × n, n being the normal from a to b: on a floor, towards
// −x.
#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

#include "vinci/stepping/stepper.h"

namespace vinci {

enum class ContactMode : std::uint8_t { open, stick, slide, slide_left, slide_right, mixed };
const char* to_string(ContactMode mode);  // "open", "stick", "slide", "slide left", ...

struct ModeInterval {
  ContactMode mode = ContactMode::open;
  double begin = 0.0;                   // s; it ends where the next one begins
  Vector3 direction = Vector3::Zero();  // slide: of b relative to a when it began, world, unit
};
using ModeSequence = std::vector<ModeInterval>;

// Two bodies that touched; equal ones: a body and the table that it lies on.
struct BodyPair {
  int a = 0, b = 0;
  auto operator<=>(const BodyPair&) const = default;
};

// How one point is judged. A pyramid's force lies inside of the round cone also when it slides.
struct ModeRule {
  double slowest = 1e-7;  // m/s: below, it does not slide
  bool exact_cone = true;
};

// The mode of the contacts of one pair in one step, and for `slide` where to.
struct PairMode {
  ContactMode mode = ContactMode::open;
  Vector3 direction = Vector3::Zero();
};
class PairModes {
 public:
  // Adds a contact of the pair; its normal impulse counts if it is above `least`, N s.
  void add(const SolvedContact& contact, bool planar, double least, const ModeRule& rule);
  PairMode result() const;

 private:
  bool sticks_ = false;
  bool slides_[3] = {false, false, false};  // anywhere, left, right
  double fastest_ = 0.0;
  Vector3 direction_ = Vector3::Zero();
};

// The sequence without separations shorter than `brief` between two equal modes: a contact that one
// step does not see is not a separation.
ModeSequence settled(const ModeSequence& sequence, double brief, double end);

struct ModeDifference {
  bool same = true;      // the same modes in the same order
  double seconds = 0.0;  // for which the modes differ
  double shift = 0.0;    // s, largest difference of times of the same change, where `same`
  // Where the orders part: the number of the mode from 0, and what each does from when on.
  std::size_t index = 0;
  ContactMode mode = ContactMode::open, reference = ContactMode::open;
  double begin = 0.0, reference_begin = 0.0;
  bool ended = false, reference_ended = false;  // one of the sequences is shorter
};
// Both up to the time `end`.
ModeDifference compare_modes(const ModeSequence& sequence, const ModeSequence& reference,
                             double end);

}  // namespace vinci
