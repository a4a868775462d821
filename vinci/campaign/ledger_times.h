// SPDX-License-Identifier: Apache-2.0
// How long cases took, by number: for reports, which ask in the order of the table.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/campaign/ledger.h"

namespace vinci {

class LedgerTimes {
 public:
  explicit LedgerTimes(const Ledger& ledger) : ledger_(ledger) {}
  // Seconds of each level that was asked; empty where nobody knows.
  std::vector<double> operator()(std::uint64_t number);

 private:
  const Ledger& ledger_;
  std::uint64_t first_ = 0;
  std::vector<std::vector<double>> block_;  // of the cases from `first_` on
};

}  // namespace vinci
