// SPDX-License-Identifier: Apache-2.0
// What the viewer plots besides bodies, contacts and joints: signals of controllers, and gaps and
// forces of the scene's constraints.
#pragma once

#include <string>
#include <vector>

#include "vinci/recording/event_names.h"
#include "vinci/recording/recording.h"

namespace vinci {

class Signals {
 public:
  explicit Signals(const Recording& recording);
  // "pd.effort_elbow [N m]", "gate.gap", "gate.force".
  const std::vector<std::string>& columns() const { return columns_; }
  // frames × columns(); NaN where a constraint was not looked at.
  std::vector<double> read(const FrameRange& range) const;

 private:
  const Recording& recording_;
  std::vector<std::string> columns_;
  std::size_t controls_ = 0, constraints_ = 0;
};

}  // namespace vinci
