// SPDX-License-Identifier: Apache-2.0
// What the tests of random numbers measure by. Seeds are fixed: a test passes always or never.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace vinci {

// The probability of a greater distance between the samples and their cdf (Kolmogorov, Smirnov;
// asymptotic with Stephens' correction).
template <class Cdf>
double distance_probability(std::vector<double> samples, const Cdf& cdf) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double p = cdf(samples[i]), place = static_cast<double>(i);
    distance = std::max({distance, p - place / n, (place + 1.0) / n - p});
  }
  const double x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (x < 0.3) return 1.0;
  double sum = 0.0;
  for (int j = 1; j < 100; ++j) sum += (j % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * j * j * x * x);
  return sum;
}

// Pearson's χ² of counts that are expected to be equal, in deviations from its mean.
inline double chi_square_deviations(const std::vector<double>& counts) {
  double all = 0.0, sum = 0.0;
  for (const double count : counts) all += count;
  const double expected = all / static_cast<double>(counts.size());
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1.0;
  return (sum - freedom) / std::sqrt(2.0 * freedom);
}

}  // namespace vinci
