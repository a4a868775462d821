// SPDX-License-Identifier: Apache-2.0
// Whether the motion of a problem is the only one that it allows, in the order in which parts make
// the verdict of the whole: the last one wins.
#pragma once

#include <cstdint>

namespace vinci {

enum class Uniqueness : std::uint8_t {
  unasked,
  unique,   // proved: every solution has these velocities
  unknown,  // nothing proved, and no other velocities were found
  several,  // proved: the judge confirms solutions of other velocities
};

inline const char* to_string(Uniqueness verdict) {
  switch (verdict) {
    case Uniqueness::unique:
      return "unique";
    case Uniqueness::unknown:
      return "unknown";
    case Uniqueness::several:
      return "several";
    case Uniqueness::unasked:
      break;
  }
  return "";
}

}  // namespace vinci
