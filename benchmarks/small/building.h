// SPDX-License-Identifier: Apache-2.0
// What a run costs before its first step, where the scene has been read before.
#pragma once

#include <string>
#include <vector>

namespace vinci {

struct BuildingRow {
  std::string scene, what;
  double microseconds;  // CPU time, the best of several rounds
};

// Of a scene file and one of its parameters.
std::vector<BuildingRow> measure_building(const std::string& file, const std::string& parameter,
                                          int rounds);

}  // namespace vinci
