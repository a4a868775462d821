// SPDX-License-Identifier: Apache-2.0
// Rows whose entries stand in columns that follow each other, as those of one body do: three in the
// plane, six in space. Sums are in the order of the entries, to the last bit as a loop has them.
#pragma once

#include <Eigen/Core>

namespace vinci {

// y += factor · values
inline void add_entries(int count, const double* values, double factor, double* y) {
  if (count == 6) {
    using Six = Eigen::Matrix<double, 6, 1>;
    Eigen::Map<Six>{y} += Eigen::Map<const Six>{values} * factor;
  } else if (count == 3) {
    y[0] += values[0] * factor;
    y[1] += values[1] * factor;
    y[2] += values[2] * factor;
  } else {
    for (int k = 0; k < count; ++k) y[k] += values[k] * factor;
  }
}

// y = factor · values
inline void scale_entries(int count, const double* values, double factor, double* y) {
  if (count == 6) {
    using Six = Eigen::Matrix<double, 6, 1>;
    Eigen::Map<Six>{y} = Eigen::Map<const Six>{values} * factor;
  } else {
    for (int k = 0; k < count; ++k) y[k] = values[k] * factor;
  }
}

// sum + values · x
inline double sum_entries(int count, const double* values, const double* x, double sum) {
  if (count == 6) {
    sum += values[0] * x[0];
    sum += values[1] * x[1];
    sum += values[2] * x[2];
    sum += values[3] * x[3];
    sum += values[4] * x[4];
    return sum + values[5] * x[5];
  }
  if (count == 3) {
    sum += values[0] * x[0];
    sum += values[1] * x[1];
    return sum + values[2] * x[2];
  }
  for (int k = 0; k < count; ++k) sum += values[k] * x[k];
  return sum;
}

// Whether ascending columns follow each other one by one.
inline bool is_run(int count, const int* columns) {
  return count > 0 && columns[count - 1] - columns[0] == count - 1;
}

}  // namespace vinci
