// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/ledger_times.h"

namespace vinci {
namespace {

constexpr std::uint64_t block_size = 4096;

}  // namespace

std::vector<double> LedgerTimes::operator()(std::uint64_t number) {
  if (number < first_ || number >= first_ + block_.size()) {
    first_ = number;
    block_.assign(block_size, {});
    ledger_.read_seconds({first_, block_size},
                         [this](std::uint64_t at, const std::vector<double>& seconds) {
                           block_[at - first_] = seconds;
                         });
  }
  return block_[number - first_];
}

}  // namespace vinci
