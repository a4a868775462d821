// SPDX-License-Identifier: Apache-2.0
// The events of a recording as the viewer's page reads them; docs/viewer.md has the layout.
#pragma once

#include <cstdint>
#include <string>

#include "vinci/recording/recording.h"

namespace vinci {

inline constexpr std::int64_t most_events_at_once = 20'000;

// From number `first` on, as many as may be sent at once, with the names of what they are about and
// with what acts at the first frame. Throws Error if there is no such number.
std::string run_events(const Recording& recording, std::int64_t first = 0);

}  // namespace vinci
