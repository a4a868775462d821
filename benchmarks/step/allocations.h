// SPDX-License-Identifier: Apache-2.0
// Counts what the process takes from the heap. Taking the place of malloc, not of operator new,
// because Eigen calls malloc itself.
#pragma once

#include <cstdint>

namespace vinci {

// Calls of malloc, calloc, realloc and their aligned kin since the program began.
std::int64_t allocation_count();

}  // namespace vinci
