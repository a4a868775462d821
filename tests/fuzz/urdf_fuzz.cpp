// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the reader of URDF.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/robot_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vinci::try_robot({reinterpret_cast<const char*>(data), size});
  return 0;
}
