// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace vinci {

std::string short_number(double value);  // a few digits: "3.1e-16", "0.25", "0"
std::string plural(std::int64_t count, const std::string& noun);  // "1 step", "3 steps"

}  // namespace vinci
