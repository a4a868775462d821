// SPDX-License-Identifier: Apache-2.0
// Words in and out: numbers in sentences, with a few digits and the unit that suits, and text
// without its blanks.
#pragma once

#include <string>

namespace vinci {

std::string length_words(double metres);    // "1.2 mm"
std::string seconds_words(double seconds);  // "31 ms"
std::string time_words(double seconds);     // of an event: "t = 0.31 s"

std::string trimmed(const std::string& text);  // no blanks at its ends

}  // namespace vinci
