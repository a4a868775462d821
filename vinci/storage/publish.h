// SPDX-License-Identifier: Apache-2.0
// A file that appears complete, or not at all.
#pragma once

#include <filesystem>
#include <span>

namespace vinci {

// A complete file appears at once under its name; without `replace`, only if there is none: else it
// throws an Error. Throws a Failure if the system cannot write it.
void publish(std::span<const char> bytes, const std::filesystem::path& path, bool replace);

}  // namespace vinci
