// SPDX-License-Identifier: Apache-2.0
// Scenes and robots that nobody has run, to be looked at: recordings of how they start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vinci/viewing/temporary_folder.h"

namespace vinci {

class Stills {
 public:
  // Files in the order given: recordings as they are, of scenes (.yaml, .yml) and models of robots
  // (.urdf, .sdf, .mjcf, .xml) a recording of the start, which goes with this object. `allowed`:
  // folders besides their own that scenes and models may read. Throws Error.
  Stills(const std::vector<std::string>& files, const std::vector<std::string>& allowed);

  const std::vector<std::filesystem::path>& recordings() const { return recordings_; }

 private:
  TemporaryFolder folder_;
  std::vector<std::filesystem::path> recordings_;
};

}  // namespace vinci
