// SPDX-License-Identifier: Apache-2.0
// Files that a user names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace vinci {

// Why a file cannot be read, or "".
std::string input_problem(const std::filesystem::path& file, std::uintmax_t most_bytes);

// All of it. Throws Error.
std::string read_input(const std::filesystem::path& file, std::uintmax_t most_bytes);

}  // namespace vinci
