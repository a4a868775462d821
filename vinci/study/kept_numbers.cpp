// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/kept_numbers.h"

namespace vinci {

KeptNumbers::KeptNumbers(std::uint64_t seed, std::size_t most)
    : random_(seed, "kept numbers"), most_(most) {}

void KeptNumbers::add(std::uint64_t place, double value) {
  const std::uint64_t key = random_.bits(place, 0);
  if (key > limit_) return;
  kept_.push_back({key, value});
  while (kept_.size() > most_) {
    limit_ /= 2;
    std::erase_if(kept_, [this](const Kept& it) { return it.key > limit_; });
  }
}

std::vector<double> KeptNumbers::values() const {
  std::vector<double> values;
  values.reserve(kept_.size());
  for (const Kept& it : kept_) values.push_back(it.value);
  return values;
}

}  // namespace vinci
