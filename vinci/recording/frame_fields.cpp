// SPDX-License-Identifier: Apache-2.0
// The frame's own columns among those of the report, where steps.csv has them.
#include "vinci/recording/frame_fields.h"

#include <algorithm>
#include <string_view>

namespace vinci {

const std::vector<FrameField>& frame_fields() {
  static const std::vector<FrameField> all = [] {
    std::vector<FrameField> fields = {{"step", "step", "step", "Steps done.", "", true,
                                       [](const FrameInfo& f) -> ReportValue { return f.step; }},
                                      {"time", "time", "time", "Simulated time.", "s", false,
                                       [](const FrameInfo& f) -> ReportValue { return f.time; }}};
    const FrameField energies[] = {
        {"kinetic", "kinetic", "kinetic energy", "Kinetic energy.", "J", false,
         [](const FrameInfo& f) -> ReportValue { return f.kinetic; }},
        {"potential", "potential", "potential energy", "Potential energy, zero at the origin.", "J",
         false, [](const FrameInfo& f) -> ReportValue { return f.potential; }}};
    const FrameField model = {
        "model",
        "model",
        "model",
        "Number of the compiled model.",
        "",
        false,
        [](const FrameInfo& f) -> ReportValue { return std::int64_t{f.model}; }};
    for (const StepField& field : step_fields()) {
      if (field.column == nullptr) continue;
      const bool times = std::string_view(field.name) == "seconds";
      if (times) fields.insert(fields.end(), std::begin(energies), std::end(energies));
      std::string heading = field.column;
      std::replace(heading.begin(), heading.end(), '_', ' ');
      fields.push_back(
          {field.name, field.column, heading, field.text, field.unit, field.wide, nullptr, &field});
      if (times) fields.push_back(model);
    }
    return fields;
  }();
  return all;
}

}  // namespace vinci
