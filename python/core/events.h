// SPDX-License-Identifier: Apache-2.0
// Events and modes for Python: rows of numbers, and beside them what they are called.
#pragma once

#include "python/core/core.h"
#include "vinci/recording/event_names.h"
#include "vinci/recording/recording.h"

namespace vinci::python {

// (rows, subjects, kinds, states before, states after); python/vinci/events.py makes one array.
py::tuple event_table(std::vector<RecordedEvent> events, const EventNames& names);
// (rows, subjects, states).
py::tuple mode_table(std::vector<ConstraintMode> modes, const EventNames& names);

}  // namespace vinci::python
