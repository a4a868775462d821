// SPDX-License-Identifier: Apache-2.0
// Where the third-party problems lie: in the folder that VINCI_PROBLEMS names, or beside the
// repository. They are not part of it; tests that use them skip where there are none.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace vinci::test {

// Empty if there are none.
inline std::filesystem::path open_problems() {
  const char* const given = std::getenv("VINCI_PROBLEMS");
  const std::filesystem::path root =
      given ? given : std::string(VINCI_SOURCE_DIR) + "/../shared/problems";
  return std::filesystem::is_directory(root) ? root : std::filesystem::path();
}

inline constexpr const char* no_open_problems =
    "no third-party problems found; set VINCI_PROBLEMS to their folder";

}  // namespace vinci::test
