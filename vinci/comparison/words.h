// SPDX-License-Identifier: Apache-2.0
// Numbers in sentences: a few digits, with the unit that suits.
#pragma once

#include <string>

namespace vinci {

std::string length_words(double metres);    // "1.2 mm"
std::string seconds_words(double seconds);  // "31 ms"
std::string time_words(double seconds);     // of an event: "t = 0.31 s"

}  // namespace vinci
