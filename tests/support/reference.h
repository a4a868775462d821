// SPDX-License-Identifier: Apache-2.0
// Reference solutions and convergence orders, for the tests.
#pragma once

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vinci::test {

inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::string(VINCI_SOURCE_DIR) + "/tests/data/reference/" + name + ".json");
  return nlohmann::json::parse(file);
}

// Slope of log(error) over log(h) by least squares.
inline double fitted_order(const std::vector<double>& h, const std::vector<double>& error) {
  double mean_x = 0.0, mean_y = 0.0;
  const double count = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    mean_x += std::log(h[i]) / count;
    mean_y += std::log(error[i]) / count;
  }
  double xy = 0.0, xx = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]) - mean_x;
    xy += x * (std::log(error[i]) - mean_y);
    xx += x * x;
  }
  return xy / xx;
}

}  // namespace vinci::test
