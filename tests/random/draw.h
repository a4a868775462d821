// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: only the engine of the standard library is
// specified, its distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "vinci/base/math.h"

namespace vinci::test {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double a, double b) { return a + (b - a) * uniform(); }
  double log_uniform(double a, double b) { return a * std::pow(b / a, uniform()); }
  int integer(int a, int b) {  // both included
    return a + static_cast<int>(engine_() % static_cast<std::uint64_t>(b - a + 1));
  }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(2.0 * M_PI * uniform());
  }
  VectorX normals(int size) {
    VectorX x(size);
    for (double& value : x) value = normal();
    return x;
  }
  MatrixX normals(int rows, int cols) {
    MatrixX x(rows, cols);
    for (double& value : x.reshaped()) value = normal();
    return x;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vinci::test
