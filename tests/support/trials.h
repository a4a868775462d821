// SPDX-License-Identifier: Apache-2.0
// Trials of a sweep, by their numbers. Where a method falls short on some of them, the test names
// them and why: another one is a fault, and so is one that does not belong there any more.
#pragma once

#include <vector>

namespace vinci::test {

using Trials = std::vector<int>;

}  // namespace vinci::test
