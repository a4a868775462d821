// SPDX-License-Identifier: Apache-2.0
// One simulation of a study: what goes into it and what comes out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vinci {

// What is simulated. Case k of a study is the same wherever and whenever it runs.
struct StudyCase {
  std::uint64_t number = 0;
  std::uint32_t design = 0;    // which design, from 0; 0 where there is one
  std::uint64_t sample = 0;    // which draw of the uncertain parameters
  std::vector<double> values;  // of all parameters: designs first, then uncertain ones
};

enum class CaseStatus : std::uint8_t {
  good,
  ended,      // before its time, for a reason that the scene gives
  inexact,    // steps whose problem was not solved to its tolerance
  diverged,   // numbers that stopped being finite
  failed,     // an error: its message says which
  timed_out,  // more time than the limit of the study
  crashed     // ended its worker, or asked for more memory than the limit
};

enum class Verdict : std::uint8_t { unknown, success, failure };

// What one level of the ladder of models said.
struct LevelResult {
  std::uint32_t level = 0;
  CaseStatus status = CaseStatus::good;
  Verdict verdict = Verdict::unknown;
  std::uint64_t steps = 0;
  bool operator==(const LevelResult&) const = default;
};

// What a case leaves in the table: the same bytes wherever it ran.
struct CaseResult {
  std::uint64_t number = 0;
  CaseStatus status = CaseStatus::good;
  Verdict verdict = Verdict::unknown;
  std::uint32_t level = 0;       // the last one that was asked
  std::vector<double> measures;  // not a number where there is none
  std::vector<LevelResult> levels;
  std::string message;
};

// With what depends on the machine and stays out of the table.
struct CaseAnswer {
  CaseResult result;
  std::vector<double> cpu_seconds;  // one per level that was asked
};

const char* to_string(CaseStatus status);
const char* to_string(Verdict verdict);

}  // namespace vinci
