// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/words.h"

#include <cmath>

#include <fmt/format.h>

namespace vinci {
namespace {

std::string scaled(double value, const char* unit) {
  if (value == 0.0) return fmt::format("0 {}", unit);
  const double size = std::abs(value);
  if (size >= 0.9995) return fmt::format("{:.3g} {}", value, unit);
  if (size >= 0.9995e-3) return fmt::format("{:.3g} m{}", 1e3 * value, unit);
  if (size >= 0.9995e-6) return fmt::format("{:.3g} µ{}", 1e6 * value, unit);
  return fmt::format("{:.1e} {}", value, unit);
}

}  // namespace

std::string length_words(double metres) {
  return scaled(metres, "m");
}

std::string seconds_words(double seconds) {
  return scaled(seconds, "s");
}

std::string time_words(double seconds) {
  return fmt::format("t = {:.4g} s", seconds);
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace vinci
