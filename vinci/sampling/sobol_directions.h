// SPDX-License-Identifier: Apache-2.0
// Direction numbers of the Sobol sequence.
#pragma once

#include <array>
#include <cstdint>

namespace vinci {

// The 32 direction numbers of a dimension < 256, as binary fractions; bit 31 is a half.
std::array<std::uint32_t, 32> sobol_directions(int dimension);

}  // namespace vinci
