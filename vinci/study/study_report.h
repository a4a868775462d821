// SPDX-License-Identifier: Apache-2.0
// What a study says once cases were run: counts, probabilities with intervals, quantiles, costs.
// Cases whose verdict is unknown are counted apart: every probability comes with bounds that hold
// whatever they would have been.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/study/case.h"
#include "vinci/study/strategy.h"
#include "vinci/study/study.h"

namespace vinci {

inline constexpr int case_status_count = 7;

struct VerdictCounts {
  std::uint64_t successes = 0, failures = 0, unknown = 0;
  std::uint64_t cases() const { return successes + failures + unknown; }
  void add(Verdict verdict);
};

// The probability of success among the cases whose verdict is known, with its interval; and the
// interval of all cases, whatever the unknown ones would have been. Not a number without cases.
struct Probability {
  double value = 0.0, lower = 0.0, upper = 1.0;
  double least = 0.0, most = 1.0;
};

// Of a design of the study, as surely as it says although it may end at looks at its cases: exact,
// with the level divided among the looks; or that of inverse sampling, where so many successes
// alone end a design, or failures alone.
Probability probability_of(const Study& study, const VerdictCounts& counts);
// Wilson's interval, or the exact one, of a number of cases that nothing depends on.
Probability probability_of(const VerdictCounts& counts, double confidence, bool exact);

// While a study runs: what it costs is nothing beside a case. It knows verdicts and statuses, not
// which level gave them.
class StudyProgress {
 public:
  explicit StudyProgress(const Study& study);
  void add(const CaseResult& result);
  // All cases at once, in place of those before.
  void set(const VerdictCounts& verdicts,
           const std::array<std::uint64_t, case_status_count>& statuses);
  std::uint64_t cases() const { return verdicts_.cases(); }
  const VerdictCounts& verdicts() const { return verdicts_; }
  const std::array<std::uint64_t, case_status_count>& statuses() const { return statuses_; }
  // Of success; nothing where the cases are not draws of one design, or may have one answer.
  std::optional<Probability> probability() const;
  // "1200 cases, success 0.93 (0.91 to 0.95), 3 unknown", or "1200 cases, 1116 succeed"
  std::string words() const;

 private:
  Study study_;
  bool drawn_ = false;            // the cases are draws of one design
  bool rejects_designs_ = false;  // a level that sees the design alone may have rejected it
  VerdictCounts verdicts_;
  std::array<std::uint64_t, case_status_count> statuses_{};
};

struct MeasureQuantile {
  double share = 0.5, value = 0.0, lower = 0.0, upper = 0.0;
};

// Over the cases that are good or ended, have the measure of this level, and in which it is a
// number.
struct MeasureSummary {
  std::string name, level;
  std::uint64_t count = 0;
  double least = 0.0, greatest = 0.0;
  // The rest only of independent draws of one design.
  bool drawn = false;
  double mean = 0.0, mean_lower = 0.0, mean_upper = 0.0, deviation = 0.0;
  std::vector<MeasureQuantile> quantiles;
  std::uint64_t quantiles_of = 0;  // so many numbers: a random part, where there are very many
};

struct DesignMeasure {
  std::string name, level;
  std::uint64_t count = 0;
  double mean = 0.0;
  bool drawn = false;  // the mean has an interval
  double mean_lower = 0.0, mean_upper = 0.0;
};

struct DesignSummary {
  std::uint32_t design = 0;
  std::vector<double> values;  // of the design parameters
  VerdictCounts verdicts;
  std::optional<Probability> probability;  // where its cases are draws
  std::vector<DesignMeasure> measures;     // that have numbers
};

// Of a level that sees the design alone, one answer a design; else one a case.
struct LevelSummary {
  std::string name;
  VerdictCounts verdicts;
  std::array<std::uint64_t, case_status_count> statuses{};
  std::uint64_t steps = 0;
  double cpu_seconds = 0.0;  // of all; 0 where no times were given
  std::uint64_t timed = 0;   // how many of them have a time
};

// Two simulations of the ladder that answered the same cases, not always alike.
struct LevelsApart {
  std::uint32_t first = 0, second = 0;
  std::uint64_t cases = 0, first_only = 0, second_only = 0;  // answered; succeed by one alone
};

struct EstimateSoFar {
  std::uint64_t cases = 0;
  Probability probability;
};

// Designs of a map, the first of `over` running fastest.
struct MapSummary {
  std::vector<std::string> over;
  std::vector<std::vector<double>> values;  // of the cells, per parameter of `over`
  double threshold = 0.0;                   // 0: none
  std::uint64_t runs = 0, full_runs = 0;    // made, and of a map that is not adaptive
};

struct SensitivityIndex {
  std::string measure, parameter;
  // Sobol: first-order and total index. Morris: mean of absolute effects and their deviation.
  double first = 0.0, first_lower = 0.0, first_upper = 0.0;
  double total = 0.0, total_lower = 0.0, total_upper = 0.0;
  std::uint64_t rows = 0, dropped = 0;  // that count, and that have a case without a number
  std::string reason;                   // why there are no numbers; empty: there are
};

struct RareSummary {
  double probability = 0.0, lower = 0.0, upper = 0.0, variation = 0.0;
  std::uint64_t rounds = 0;
  bool converged = false;
  std::uint64_t unknown = 0;  // cases without a number: the interval holds whatever they were
  // Signs of failures where importance sampling did not look: the estimate is of a part of them.
  bool is_partial = false;
  double elsewhere = 0.0;  // the share of points, or of the estimate, that tells of them
};

struct FoundDesign {
  std::uint32_t design = 0;
  std::vector<double> values;
  double objective = 0.0;  // what the search maximises or minimises; not a number where unknown
  // Not numbers where no interval holds; those of all confirmed designs hold together.
  double objective_lower = 0.0, objective_upper = 0.0;
  std::uint64_t numbers = 0;  // of cases in which the measure is a number
  bool confirmed = false;     // by draws that the search did not see
  VerdictCounts verdicts;
  Probability probability;
};

// A case that did not go well, with the command that repeats it.
struct TroubledCase {
  std::uint64_t number = 0;
  CaseStatus status = CaseStatus::failed;
  std::string message, command;
};

struct StudyReport {
  std::string title, hash, file;
  StudyKind kind = StudyKind::sample;
  bool complete = false;    // no round is missing
  std::uint64_t looks = 1;  // at which a design could end by what its cases were
  std::uint64_t cases = 0;
  std::uint64_t waiting = 0;  // are done besides, of a round that is not complete
  bool has_verdicts = false;  // by `success`, or by levels that need none
  double confidence = 0.95;
  VerdictCounts verdicts;
  // Of success over all cases, where they are draws of one design; else the reason why not.
  std::optional<Probability> probability;
  std::string withheld;
  std::array<std::uint64_t, case_status_count> statuses{};
  std::vector<std::string> design_parameters;
  std::vector<MeasureSummary> measures;
  std::vector<LevelSummary> levels;
  std::vector<LevelsApart> levels_apart;
  std::vector<EstimateSoFar> convergence;  // where there is one design
  // In the order of their numbers; not of searches, which have `found`. Of very many, the best.
  std::vector<DesignSummary> designs;
  std::uint64_t design_count = 0;   // of all
  std::vector<std::uint32_t> best;  // of all designs of a sample, best first
  std::optional<MapSummary> map;
  std::vector<SensitivityIndex> sensitivity;
  bool morris = false;
  std::optional<RareSummary> rare;
  std::vector<FoundDesign> found;      // the best designs, best first
  std::uint64_t without_value = 0;     // designs that the search could not judge
  std::vector<TroubledCase> troubled;  // the first of them
};

// Seconds of the processor per level that was asked, of one case; empty where nobody knows.
using CaseTimes = std::function<std::vector<double>(std::uint64_t number)>;
// What simulates a case again, in words that can be pasted into a shell.
using RepeatCommand = std::function<std::string(std::uint64_t number)>;

// One pass over the results, besides what the strategy reads; memory grows with designs and
// measures, not beyond some 10^6 numbers per measure and level with cases.
StudyReport make_report(const Study& study, const ResultSource& results,
                        const CaseTimes& times = {}, const RepeatCommand& repeat = {});
std::string report_json(const StudyReport& report);
std::string report_words(const StudyReport& report);  // lines for people

// The table: number, design, sample, parameters, status, verdict, level, measures, message. Numbers
// are the shortest that read back equal; what is no number is empty. The same bytes for the same
// results.
std::string table_header(const Study& study);
std::string table_row(const Study& study, const StudyCase& item, const CaseResult& result);
void write_table(const Study& study, const ResultSource& results,
                 const std::function<void(std::string_view)>& write);

}  // namespace vinci
