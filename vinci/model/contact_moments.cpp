// SPDX-License-Identifier: Apache-2.0
// The lever arm of friction in a round patch.
#include "vinci/model/contact_moments.h"

#include <cstddef>

namespace vinci {

double friction_radius(std::span<const double> pressures) {
  const std::size_t pieces = pressures.size() - 1;
  double arm = 0.0, load = 0.0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const double h = 1.0 / static_cast<double>(pieces), a = static_cast<double>(i) * h, b = a + h;
    // Simpson's rule is exact for the cubics p r² and p r.
    const double p = pressures[i], q = pressures[i + 1];
    const double middle = 0.5 * (p + q), r = 0.5 * (a + b);
    arm += h / 6.0 * (p * a * a + 4.0 * middle * r * r + q * b * b);
    load += h / 6.0 * (p * a + 4.0 * middle * r + q * b);
  }
  return arm / load;
}

}  // namespace vinci
