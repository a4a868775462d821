// SPDX-License-Identifier: Apache-2.0
// `vinci view` beside a run: a process of its own, which ends with this one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vinci/viewing/child_process.h"

namespace vinci {

class ViewerChild {
 public:
  // `wait`: what the recordings hold now is not shown. Throws Error if no viewer comes up.
  ViewerChild(const std::vector<std::filesystem::path>& recordings, bool wait);

  const std::string& address() const { return address_; }
  void wait_for_stop();  // until Ctrl-C, or until the viewer has ended

 private:
  ChildProcess process_;
  std::string address_;
};

}  // namespace vinci
