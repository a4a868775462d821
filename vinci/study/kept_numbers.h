// SPDX-License-Identifier: Apache-2.0
// Numbers of which there may be too many to keep: then a random part of them stays, each as likely
// as any other. Which ones depends on the seed and on their places alone, so it is the same whoever
// ran the cases, and it has nothing to do with the order in which cases were placed.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/sampling/random.h"

namespace vinci {

class KeptNumbers {
 public:
  // Of more than `most` numbers, between a half of `most` and `most` stay, nearly always.
  explicit KeptNumbers(std::uint64_t seed, std::size_t most = std::size_t{1} << 20);

  void add(std::uint64_t place, double value);  // each place once
  std::vector<double> values() const;

 private:
  struct Kept {
    std::uint64_t key;
    double value;
  };

  CounterRandom random_;
  std::size_t most_;
  std::uint64_t limit_ = ~std::uint64_t{0};  // keys above it are gone
  std::vector<Kept> kept_;
};

}  // namespace vinci
