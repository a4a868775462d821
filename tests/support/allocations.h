// SPDX-License-Identifier: Apache-2.0
// Counts the allocations of this test program, to show that a settled call makes none.
#pragma once

#include <cstddef>

namespace vinci {

// Since the program started; calls of malloc and its kin, so that operator new and Eigen are among
// them.
std::size_t allocations();
// False in sanitizer builds, which have an allocator of their own.
bool allocations_are_counted();

}  // namespace vinci
