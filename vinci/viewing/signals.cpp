// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/signals.h"

#include <algorithm>
#include <limits>

namespace vinci {

Signals::Signals(const Recording& recording)
    : recording_(recording), columns_(recording.control_columns()) {
  controls_ = columns_.size();
  if (!recording.is_event_driven()) return;
  const EventNames names(recording.model_json(0));
  constraints_ = names.constraints();
  for (std::size_t i = 0; i < constraints_; ++i) {
    const std::string name = names.subject(constraint_key(static_cast<int>(i)));
    columns_.push_back(name + ".gap");
    columns_.push_back(name + ".force");
  }
}

std::vector<double> Signals::read(const FrameRange& range) const {
  const std::size_t width = columns_.size();
  const auto frames = static_cast<std::size_t>(range.count);
  std::vector<double> numbers(frames * width, std::numeric_limits<double>::quiet_NaN());
  if (controls_ > 0) {
    const std::vector<double> controls = recording_.controls(range);
    for (std::size_t i = 0; i < frames; ++i)
      std::copy_n(controls.begin() + static_cast<std::ptrdiff_t>(i * controls_), controls_,
                  numbers.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  if (constraints_ == 0) return numbers;
  const ModeRows modes = recording_.modes(range);
  for (std::size_t i = 0; i < frames; ++i)
    for (std::int64_t row = modes.starts[i]; row < modes.starts[i + 1]; ++row) {
      const ConstraintMode& mode = modes.rows[static_cast<std::size_t>(row)];
      if (mode.key.kind != EntityKind::constraint || mode.key.ids[0] >= constraints_) continue;
      double* const own = &numbers[i * width + controls_ + 2 * mode.key.ids[0]];
      own[0] = mode.gap;
      own[1] = mode.force[0];
    }
  return numbers;
}

}  // namespace vinci
