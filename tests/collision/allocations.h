// SPDX-License-Identifier: Apache-2.0
// Counts every allocation by operator new in this program.
#pragma once

#include <cstddef>

namespace vinci {

std::size_t allocations();

}  // namespace vinci
