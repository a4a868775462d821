// SPDX-License-Identifier: Apache-2.0
// One of several motions that a step allows, as recordings keep it.
#pragma once

#include <vector>

#include "vinci/base/math.h"
#include "vinci/model/entity.h"

namespace vinci {

// What a contact or support does in it. The numbers are those of recordings.
enum class FoundState : std::uint8_t { open, sticks, slides };
const char* to_string(FoundState state);

struct FoundMotion {
  struct Moved {
    int body = 0;
    Twist twist;  // of the centre of mass, world axes
  };
  struct Touched {
    EntityKey key;
    std::int64_t point = 0;  // of a contact that several points stand for
    FoundState state = FoundState::open;
    double normal =
        0.0;  // λ of the normal row: N s, N where forces make the motion; 0: no such row
  };
  int part = 0;                   // of the step, in the order of time
  int island = 0;                 // of the part's problem: bodies that act on each other
  int number = 0;                 // 0 is the one that the run goes on with
  std::vector<Moved> bodies;      // of the island
  std::vector<Touched> contacts;  // of the island, supports among them
};

}  // namespace vinci
