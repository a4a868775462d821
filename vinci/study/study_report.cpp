// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/study_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/shell.h"
#include "vinci/base/words.h"
#include "vinci/sampling/interval.h"
#include "vinci/study/draws.h"
#include "vinci/study/measure_counts.h"
#include "vinci/study/report_make.h"
#include "vinci/study/sampler.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_data.h"

namespace vinci {
namespace {

constexpr std::size_t most_designs_listed = 20'000;
constexpr std::size_t most_troubled = 20;
constexpr std::size_t most_best = 10;

OutcomeCounts outcomes_of(const VerdictCounts& counts) {
  return {counts.successes, counts.failures, counts.unknown};
}

// What became of a design, in few bytes: there may be a million.
struct DesignCount {
  VerdictCounts verdicts;
  bool one_answer = false;  // of all its cases
};

class ReportMaker {
 public:
  ReportMaker(const Study& study, const ResultSource& results, const CaseTimes& times,
              const RepeatCommand& repeat)
      : study_(study),
        data_(study.data()),
        results_(results),
        times_(times),
        repeat_(repeat),
        cases_(study, results),
        draws_(draws_of(study)),
        measures_(study) {}

  StudyReport make() {
    describe();
    results_.read(0, std::min(results_.size(), cases_.size()),
                  [&](const CaseResult& result) { add(result); });
    finish();
    return std::move(report_);
  }

 private:
  void describe() {
    report_.title = study_.title();
    report_.hash = study_.hash();
    report_.file = study_.file().string();
    report_.kind = study_.kind();
    report_.has_verdicts = study_.has_success();
    report_.confidence = data_.confidence;
    report_.looks = study_.looks();
    report_.morris = data_.sensitivity.morris;
    report_.waiting = results_.waiting();
    for (const DesignParameter& it : data_.design) report_.design_parameters.push_back(it.name);
    for (const StudyLevel& level : study_.levels()) report_.levels.emplace_back().name = level.name;
    answered_.resize(study_.levels().size());
    with_designs_ = report_.kind == StudyKind::map ||
                    (report_.kind == StudyKind::sample && !data_.design.empty());
    any_per_design_ = std::any_of(study_.levels().begin(), study_.levels().end(),
                                  [](const StudyLevel& level) { return level.per_design; });
    for (std::uint32_t i = 0; i < study_.levels().size(); ++i)
      for (std::uint32_t k = i + 1; k < study_.levels().size(); ++k)
        if (!study_.levels()[i].geometric && !study_.levels()[k].geometric)
          report_.levels_apart.push_back({i, k});
  }

  void add(const CaseResult& result) {
    ++report_.cases;
    report_.verdicts.add(result.verdict);
    ++report_.statuses[static_cast<std::size_t>(result.status)];
    trace_.add(result.verdict == Verdict::success   ? Outcome::success
               : result.verdict == Verdict::failure ? Outcome::failure
                                                    : Outcome::unknown);
    const std::uint32_t design =
        with_designs_ || any_per_design_ ? cases_.at(result.number).design : 0;
    one_answer_ = one_answer_ || has_answer_of_design(study_, result);
    const bool whole = is_whole(result.status);
    const std::size_t measured = measures_.level_of(result);
    if (whole && !is_known(measured, design)) {
      measures_.add(result);
      if (with_designs_) measures_.add_to_design(result, design);
    }
    add_levels(result, design);
    if (with_designs_) add_design(result, design);
    if (!whole && report_.troubled.size() < most_troubled)
      report_.troubled.push_back({result.number, result.status, result.message,
                                  repeat_ ? repeat_(result.number)
                                          : fmt::format("vinci study repeat {} {}",
                                                        shell_word(report_.file), result.number)});
  }

  // The level sees the design alone and has answered another case of it: that was the same answer.
  bool is_known(std::size_t level, std::uint32_t design) const {
    return study_.levels()[level].per_design && design < answered_[level].size() &&
           answered_[level][design];
  }

  void add_levels(const CaseResult& result, std::uint32_t design) {
    for (const LevelResult& level : result.levels) {
      if (is_known(level.level, design)) continue;
      if (study_.levels()[level.level].per_design) {
        std::vector<bool>& answered = answered_[level.level];
        answered.resize(std::max<std::size_t>(answered.size(), std::size_t{design} + 1));
        answered[design] = true;
      }
      LevelSummary& summary = report_.levels[level.level];
      summary.verdicts.add(level.verdict);
      ++summary.statuses[static_cast<std::size_t>(level.status)];
      summary.steps += level.steps;
    }
    compare_levels(result);
    if (!times_) return;
    const std::vector<double> times = times_(result.number);
    for (std::size_t i = 0; i < std::min(times.size(), result.levels.size()); ++i) {
      report_.levels[result.levels[i].level].cpu_seconds += times[i];
      ++report_.levels[result.levels[i].level].timed;
    }
  }

  void compare_levels(const CaseResult& result) {
    for (LevelsApart& pair : report_.levels_apart) {
      Verdict first = Verdict::unknown, second = Verdict::unknown;
      for (const LevelResult& level : result.levels) {
        if (level.level == pair.first) first = level.verdict;
        if (level.level == pair.second) second = level.verdict;
      }
      if (first == Verdict::unknown || second == Verdict::unknown) continue;
      ++pair.cases;
      if (first != second) ++(first == Verdict::success ? pair.first_only : pair.second_only);
    }
  }

  void add_design(const CaseResult& result, std::uint32_t design) {
    if (designs_.size() <= design) designs_.resize(std::size_t{design} + 1);
    DesignCount& count = designs_[design];
    count.verdicts.add(result.verdict);
    count.one_answer = count.one_answer || has_answer_of_design(study_, result);
  }

  Probability probability(const VerdictCounts& counts) const {
    return probability_of(study_, counts);
  }

  void finish() {
    report_.complete = cases_.complete() && results_.size() >= cases_.size();
    report_.withheld = draws_.reason;
    if (report_.withheld.empty() && one_answer_)
      report_.withheld = "a level that sees the design alone has decided: that is one answer";
    const bool drawn = draws_.overall && !one_answer_;
    if (drawn && report_.has_verdicts) report_.probability = probability(report_.verdicts);
    report_.measures = measures_.summaries();
    std::erase_if(report_.levels_apart,
                  [](const LevelsApart& it) { return it.first_only == 0 && it.second_only == 0; });
    finish_designs();
    if (drawn && report_.has_verdicts && report_.kind == StudyKind::sample)
      for (const OutcomeCounts& at : trace_.points())
        report_.convergence.push_back(
            {at.all(), probability({at.successes, at.failures, at.unknown})});
    if (report_.kind == StudyKind::map) finish_map();
    conclude();
  }

  std::optional<Probability> probability_of_design(const DesignCount& count) const {
    if (!draws_.per_design || count.one_answer || !report_.has_verdicts) return std::nullopt;
    return probability(count.verdicts);
  }

  // What a design surely reaches; of one that has a single answer, that answer.
  double rank(const DesignCount& count) const {
    if (const auto it = probability_of_design(count)) return it->lower;
    const VerdictCounts& verdicts = count.verdicts;
    const std::uint64_t known = verdicts.successes + verdicts.failures;
    return known == 0 ? -1.0 : static_cast<double>(verdicts.successes) / static_cast<double>(known);
  }

  // All designs are compared; of very many the best are listed.
  void finish_designs() {
    report_.design_count = designs_.size();
    if (designs_.empty()) return;
    std::vector<double> ranks;
    std::vector<std::uint32_t> order;
    for (const DesignCount& count : designs_) {
      order.push_back(static_cast<std::uint32_t>(ranks.size()));
      ranks.push_back(rank(count));
    }
    const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
      return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : a < b;
    };
    const std::size_t listed = std::min(order.size(), most_designs_listed);
    std::partial_sort(order.begin(), order.begin() + static_cast<long>(listed), order.end(),
                      is_better);
    order.resize(listed);
    if (report_.kind == StudyKind::sample)
      report_.best.assign(order.begin(),
                          order.begin() + static_cast<long>(std::min(listed, most_best)));
    std::sort(order.begin(), order.end());
    const CaseSampler sampler(data_, 1);
    for (const std::uint32_t design : order)
      report_.designs.push_back({design, sampler.design(design), designs_[design].verdicts,
                                 probability_of_design(designs_[design]),
                                 measures_.of_design(design)});
  }

  void finish_map() {
    MapSummary map;
    for (std::size_t k = 0; k < data_.map.over.size(); ++k) {
      map.over.push_back(data_.design[data_.map.over[k]].name);
      map.values.push_back(data_.map.values[k]);
    }
    map.threshold = data_.map.threshold;
    map.runs = report_.cases;
    map.full_runs = data_.designs.size() * data_.map.most;
    report_.map = std::move(map);
  }

  void conclude() {
    const std::unique_ptr<Strategy> strategy = make_strategy(study_);
    const auto* concluding = dynamic_cast<ConcludingStrategy*>(strategy.get());
    if (!concluding) return;
    std::uint64_t size = 0;
    while (size <= results_.size()) {
      const std::optional<Round> round = strategy->next(results_);
      if (!round) break;
      size = round->first + round->size;
    }
    concluding->conclude(results_, report_);
  }

  const Study& study_;
  const StudyData& data_;
  const ResultSource& results_;
  const CaseTimes& times_;
  const RepeatCommand& repeat_;
  StudyCases cases_;
  Draws draws_;
  MeasureCounts measures_;
  std::vector<DesignCount> designs_;
  std::vector<std::vector<bool>> answered_;  // per level that sees the design alone: by design
  bool any_per_design_ = false, one_answer_ = false;
  ConvergenceTrace trace_;
  bool with_designs_ = false;
  StudyReport report_;
};

}  // namespace

void VerdictCounts::add(Verdict verdict) {
  ++(verdict == Verdict::success ? successes : verdict == Verdict::failure ? failures : unknown);
}

Probability probability_of(const VerdictCounts& counts, double confidence, bool exact) {
  const ProbabilityEstimate estimate =
      estimate_probability(outcomes_of(counts), confidence,
                           exact ? ProbabilityMethod::clopper_pearson : ProbabilityMethod::wilson);
  return {estimate.value, estimate.if_alike.low, estimate.if_alike.high, estimate.whatever.low,
          estimate.whatever.high};
}

Probability probability_of(const Study& study, const VerdictCounts& counts) {
  const StudyData& data = study.data();
  Probability it =
      probability_of(counts, level_at_each(data.confidence, data.looks), data.exact_intervals);
  if (counts.unknown > 0 && may_leave_open(study)) {
    it.lower = it.least;
    it.upper = it.most;
    return it;
  }
  const StopSpec& stop = data.stop;
  const bool by_successes = stop.successes > 0;
  if (!stop.is_given() || stop.width > 0.0 || by_successes == (stop.failures > 0) ||
      counts.unknown > 0 || counts.cases() == 0)
    return it;
  InverseTrials trials;
  trials.trials = counts.cases();
  trials.before = (counts.cases() - 1) / stop.every * stop.every;
  trials.successes = by_successes ? counts.successes : counts.failures;
  trials.wanted = by_successes ? stop.successes : stop.failures;
  // On the way there the number of cases is not an end: intervals are those of all looks.
  const std::uint64_t most = data.kind == StudyKind::map ? data.map.most : data.sample.count;
  const bool reached = trials.successes >= trials.wanted && trials.trials % stop.every == 0;
  if (!reached && trials.trials != most) return it;
  const Interval interval = inverse_binomial(trials, data.confidence);
  it.least = it.lower = by_successes ? interval.low : 1.0 - interval.high;
  it.most = it.upper = by_successes ? interval.high : 1.0 - interval.low;
  return it;
}

StudyReport make_report(const Study& study, const ResultSource& results, const CaseTimes& times,
                        const RepeatCommand& repeat) {
  return ReportMaker(study, results, times, repeat).make();
}

}  // namespace vinci
