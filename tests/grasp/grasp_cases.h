// SPDX-License-Identifier: Apache-2.0
// Reference case 16 for the tests of grasps.
#pragma once

#include <vector>

#include "tests/support/reference.h"
#include "vinci/base/math.h"

namespace vinci::test {

inline constexpr double degree = M_PI / 180.0;

// How far two angles are apart where a period makes no difference.
inline double turn(double a, double b, double period) {
  return std::abs(std::remainder(a - b, period));
}

inline nlohmann::json expected_grasps() {
  return reference("case16_grasp")["expected"];
}

inline std::vector<Vector2> vertices_of(const nlohmann::json& part) {
  std::vector<Vector2> vertices;
  for (const auto& vertex : part["vertices"])
    vertices.emplace_back(vertex[0].get<double>(), vertex[1].get<double>());
  return vertices;
}

}  // namespace vinci::test
