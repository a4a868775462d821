// SPDX-License-Identifier: Apache-2.0
// Random numbers of a search in their order: SplitMix64 [Steele 2014], begun by seed and stream.
#pragma once

#include <cstdint>

namespace vinci {

class SearchRandom {
 public:
  SearchRandom(std::uint64_t seed, std::uint64_t stream);
  double uniform();  // in (0, 1)
  double normal();   // mean 0, deviation 1

 private:
  std::uint64_t state_;
  double kept_ = 0.0;  // normal numbers come in pairs
  bool has_kept_ = false;
};

}  // namespace vinci
