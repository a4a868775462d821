// SPDX-License-Identifier: Apache-2.0
// The columns of a recorded frame: those of its own, and those of its step's report.
#pragma once

#include <string>
#include <vector>

#include "vinci/recording/recording.h"

namespace vinci {

struct FrameField {
  const char* name;     // in Python
  const char* column;   // in recordings
  std::string heading;  // in steps.csv, without its unit
  const char* text;
  const char* unit;
  bool wide = false;                              // 64 bits
  ReportValue (*own)(const FrameInfo&) = nullptr;  // of the frame itself
  const StepField* step = nullptr;                // of its report

  ReportValue value(const FrameInfo& info) const {
    return own != nullptr ? own(info) : step->value(info.report);
  }
};

// In the order of steps.csv.
const std::vector<FrameField>& frame_fields();

}  // namespace vinci
