// SPDX-License-Identifier: Apache-2.0
#include "vinci/search/search_random.h"

#include <cmath>

#include "vinci/base/hash.h"

namespace vinci {

SearchRandom::SearchRandom(std::uint64_t seed, std::uint64_t stream) {
  Hash hash;
  hash.add(seed);
  hash.add(stream);
  state_ = hash.value();
}

double SearchRandom::uniform() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return (static_cast<double>(x >> 12) + 0.5) * 0x1p-52;
}

// Box and Muller's method.
double SearchRandom::normal() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * M_PI * uniform();
  kept_ = radius * std::sin(angle);
  has_kept_ = true;
  return radius * std::cos(angle);
}

}  // namespace vinci
