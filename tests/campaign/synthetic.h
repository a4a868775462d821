// SPDX-License-Identifier: Apache-2.0
// Studies that simulate nothing: cases whose results follow from their numbers, some of them bad,
// in rounds that follow from results.
#pragma once

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/campaign/campaign.h"
#include "vinci/campaign/worker.h"

namespace vinci::synthetic {

inline constexpr const char* hash = "0123456789abcdef";

// Well-mixed bits of a number.
inline std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

inline StudyCase case_of(std::uint64_t number) {
  return {.number = number,
          .design = static_cast<std::uint32_t>(number % 3),
          .sample = number / 3,
          .values = {static_cast<double>(mixed(number) >> 11) * 0x1p-53,
                     1.0 / (1.0 + static_cast<double>(number))}};
}

// One of 200 crashes, hangs or eats memory.
inline bool is_bad(std::uint64_t number) {
  return number % 200 == 77;
}

[[noreturn]] inline void be_bad(std::uint64_t number) {
  const std::uint64_t kind = number / 200 % 4;
  if (kind == 0) std::abort();
  if (kind == 1) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  }
  if (kind == 2) {
    while (true) {
      // As fast as memory comes; what is touched is taken.
      char* block = new char[1 << 24];
      std::memset(block, 1, 1 << 24);
    }
  }
  while (true) pause();
}

// One that is always killed, as the system does with who takes all of its memory.
inline constexpr std::uint64_t doomed = 25;
inline volatile int spins = 0;

enum class Kind { good, bad, killed, stopped, spinning };

inline CaseAnswer run_case(const StudyCase& what, Kind cases, double seconds) {
  if (cases == Kind::bad && is_bad(what.number)) be_bad(what.number);
  if (cases == Kind::killed && what.number == doomed) kill(getpid(), SIGKILL);
  if (cases == Kind::stopped && what.number == doomed) kill(getpid(), SIGSTOP);
  while (cases == Kind::spinning && what.number == doomed) spins = spins + 1;
  if (seconds > 0) usleep(static_cast<useconds_t>(1e6 * seconds));
  CaseAnswer answer;
  CaseResult& result = answer.result;
  result.number = what.number;
  const double x = what.values.at(0), y = what.values.at(1);
  result.measures = {std::sqrt(x) + y,
                     what.number % 10 == 3 ? std::numeric_limits<double>::quiet_NaN() : x * y};
  if (what.number % 97 == 5) throw Error("this case fails");
  result.verdict = x < 0.25 ? Verdict::failure : Verdict::success;
  result.levels = {{0, CaseStatus::good, Verdict::unknown, 10},
                   {1, CaseStatus::good, result.verdict, what.number % 7}};
  result.level = 1;
  answer.cpu_seconds = {1e-6, 2e-6};
  return answer;
}

// `total` cases, in rounds of about a tenth of them: how many exactly follows from results.
class Rounds : public Strategy {
 public:
  explicit Rounds(std::uint64_t total) : total_(total) {}
  std::optional<Round> next(const ResultSource& results) override {
    if (given_ >= total_) return std::nullopt;
    std::uint64_t failures = 0;
    results.read(given_ > 100 ? given_ - 100 : 0, 100,
                 [&](const CaseResult& result) { failures += result.verdict == Verdict::failure; });
    const std::uint64_t wanted = total_ / 10 + failures + 1;
    const Round round{given_, std::min(wanted, total_ - given_), case_of};
    given_ += round.size;
    return round;
  }
  std::optional<std::uint64_t> expected() const override { return total_; }

 private:
  std::uint64_t total_, given_ = 0;
};

inline Ledger ledger_in(const std::filesystem::path& folder) {
  return Ledger::to_write(folder / "study.sqlite", {synthetic::hash, "synthetic"});
}

// All that is in a ledger about results, as text.
inline std::string table_of(const Ledger& ledger) {
  std::string text;
  std::uint64_t expected = 0;
  ledger.read({0, ledger.done().end()}, [&](const CaseResult& result) {
    if (result.number != expected++) text += "HERE IS ONE MISSING OR TWICE\n";
    text += fmt::format("{},{},{},{}", result.number, static_cast<int>(result.status),
                        static_cast<int>(result.verdict), result.level);
    for (const double measure : result.measures) text += fmt::format(",{}", measure);
    for (const LevelResult& level : result.levels)
      text += fmt::format(",{}:{}", level.level, level.steps);
    text += "," + result.message + "\n";
  });
  return text;
}

}  // namespace vinci::synthetic
