// SPDX-License-Identifier: Apache-2.0
// Numbers and texts as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vinci {

std::string short_number(double value);  // a few digits: "3.1e-16", "0.25", "0"
std::string plural(std::int64_t count, const std::string& noun);  // "1 step", "3 steps"

// What text of others may do to a terminal or a table, taken from it: control characters, marks
// that turn the direction of writing and bytes that are no UTF-8 become "\u001b" or "\xff". One
// line is left; with `lines`, newlines and tabs stay.
std::string escaped(std::string_view text, bool lines = false);

}  // namespace vinci
