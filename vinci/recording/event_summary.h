// SPDX-License-Identifier: Apache-2.0
// What the summary of a run tells of its event-driven steps.
#pragma once

#include <vector>

#include "vinci/recording/summary.h"

namespace vinci {

std::vector<SummaryField> event_summary_fields();

}  // namespace vinci
