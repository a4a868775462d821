// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/words.h"

#include <cmath>

#include <fmt/format.h>

namespace vinci {

std::string short_number(double value) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e5) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2g}", value);
}

std::string plural(std::int64_t count, const std::string& noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  const bool ies = noun.ends_with('y');
  return fmt::format("{} {}", count, ies ? noun.substr(0, noun.size() - 1) + "ies" : noun + "s");
}

}  // namespace vinci
