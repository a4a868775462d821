// SPDX-License-Identifier: Apache-2.0
// The events of a recording, for people and for programs.
#pragma once

#include "apps/command.h"

namespace vinci {

void print_events(const Recording& recording);
Json events_json(const Recording& recording);

}  // namespace vinci
