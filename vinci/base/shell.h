// SPDX-License-Identifier: Apache-2.0
// Commands that people paste into a shell, and that a shell is given.
#pragma once

#include <string>
#include <string_view>

namespace vinci {

// A word of the shell that stands for the text: as it is where the shell has no meaning for it.
std::string shell_word(std::string_view text);

}  // namespace vinci
