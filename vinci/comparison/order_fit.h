// SPDX-License-Identifier: Apache-2.0
// The order p of a method from differences of values that it gives with two steps. With the error
// C hᵖ of a value, two values differ by
//   e = C (hᵖ − gᵖ),    g the smaller step, 0 for the exact value,
// and p and C minimise the squares of ln e − ln C − ln(hᵖ − gᵖ). For g = 0 that is the usual line
// through logarithms; with the finest value in the place of the exact one p is not biased as there.
#pragma once

#include <optional>
#include <vector>

namespace vinci {

struct StepDifference {
  double step = 0.0, finer = 0.0;  // h, g: s
  double difference = 0.0;         // e > 0
};

struct OrderFit {
  double order = 0.0, constant = 0.0;  // p, C
  std::optional<double>
      order_deviation;  // half the width of the 95 % interval; none for two points
  double misfit = 0.0;  // root mean square of the residuals of ln e
  std::size_t points = 0;
};

// None for fewer than two usable differences (finite, positive).
std::optional<OrderFit> fit_order(std::vector<StepDifference> differences);

}  // namespace vinci
