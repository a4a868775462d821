// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/study_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/shell.h"
#include "vinci/base/words.h"
#include "vinci/sampling/interval.h"
#include "vinci/study/report_make.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_data.h"

namespace vinci {
namespace {

constexpr std::size_t most_kept = std::size_t{1} << 20;  // numbers per measure, for quantiles
constexpr std::size_t most_designs_listed = 20'000;
constexpr std::size_t most_troubled = 20;
constexpr double quantile_shares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

OutcomeCounts outcomes_of(const VerdictCounts& counts) {
  return {counts.successes, counts.failures, counts.unknown};
}

// The numbers of a measure, every so many-th of them where there are many.
class KeptNumbers {
 public:
  void add(double value) {
    if (seen_++ % every_ != 0) return;
    values_.push_back(value);
    if (values_.size() < most_kept) return;
    for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
    values_.resize(values_.size() / 2);
    every_ *= 2;
  }
  std::vector<double>& values() { return values_; }
  std::uint64_t every() const { return every_; }

 private:
  std::vector<double> values_;
  std::uint64_t seen_ = 0, every_ = 1;
};

struct MeasureCount {
  RunningMean mean;
  double least = infinity, greatest = -infinity;
  KeptNumbers kept;
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
        counts_(study.measures().size()) {}

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
    report_.has_success = study_.has_success();
    report_.confidence = data_.confidence;
    report_.looks = study_.looks();
    report_.morris = data_.sensitivity.morris;
    for (const DesignParameter& it : data_.design) report_.design_parameters.push_back(it.name);
    for (const StudyLevel& level : study_.levels()) report_.levels.emplace_back().name = level.name;
    with_designs_ = report_.kind == StudyKind::map ||
                    (report_.kind == StudyKind::sample && !data_.design.empty());
  }

  void add(const CaseResult& result) {
    ++report_.cases;
    report_.verdicts.add(result.verdict);
    ++report_.statuses[static_cast<std::size_t>(result.status)];
    trace_.add(result.verdict == Verdict::success   ? Outcome::success
               : result.verdict == Verdict::failure ? Outcome::failure
                                                    : Outcome::unknown);
    const bool whole = is_whole(result.status);
    for (std::size_t i = 0; whole && i < counts_.size(); ++i)
      add_number(counts_[i], result.measures[i]);
    add_levels(result);
    if (with_designs_) add_design(cases_.at(result.number), result);
    if (!whole && report_.troubled.size() < most_troubled)
      report_.troubled.push_back({result.number, result.status, result.message,
                                  repeat_ ? repeat_(result.number)
                                          : fmt::format("vinci study repeat {} {}",
                                                        shell_word(report_.file), result.number)});
  }

  static void add_number(MeasureCount& count, double value) {
    if (!std::isfinite(value)) return;
    count.mean.add(value);
    count.least = std::min(count.least, value);
    count.greatest = std::max(count.greatest, value);
    count.kept.add(value);
  }

  void add_levels(const CaseResult& result) {
    for (const LevelResult& level : result.levels) {
      LevelSummary& summary = report_.levels[level.level];
      summary.verdicts.add(level.verdict);
      ++summary.statuses[static_cast<std::size_t>(level.status)];
      summary.steps += level.steps;
    }
    if (!times_) return;
    const std::vector<double> times = times_(result.number);
    for (std::size_t i = 0; i < std::min(times.size(), result.levels.size()); ++i) {
      report_.levels[result.levels[i].level].cpu_seconds += times[i];
      ++report_.levels[result.levels[i].level].timed;
    }
  }

  void add_design(const StudyCase& item, const CaseResult& result) {
    if (item.design >= most_designs_listed) return;
    for (auto d = static_cast<std::uint32_t>(report_.designs.size()); d <= item.design; ++d) {
      DesignSummary& fresh = report_.designs.emplace_back();
      fresh.design = d;
      fresh.means.assign(counts_.size(), 0.0);
      numbers_.resize(report_.designs.size() * counts_.size(), 0);
    }
    DesignSummary& summary = report_.designs[item.design];
    if (summary.values.empty())
      summary.values.assign(item.values.begin(),
                            item.values.begin() + static_cast<long>(data_.design.size()));
    summary.verdicts.add(result.verdict);
    for (std::size_t i = 0; is_whole(result.status) && i < counts_.size(); ++i) {
      if (!std::isfinite(result.measures[i])) continue;
      const auto n = ++numbers_[item.design * counts_.size() + i];
      summary.means[i] += (result.measures[i] - summary.means[i]) / static_cast<double>(n);
    }
  }

  Probability probability(const VerdictCounts& counts) const {
    return probability_of(study_, counts);
  }

  void finish() {
    report_.complete = cases_.complete() && results_.size() >= cases_.size();
    report_.probability = probability(report_.verdicts);
    for (DesignSummary& design : report_.designs) {
      design.probability = probability(design.verdicts);
      for (std::size_t i = 0; i < counts_.size(); ++i)
        if (numbers_[design.design * counts_.size() + i] == 0) design.means[i] = no_number;
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) finish_measure(i);
    // With several designs their order would show, not how the estimate settles.
    if (report_.has_success && report_.kind == StudyKind::sample && report_.designs.size() <= 1)
      for (const OutcomeCounts& at : trace_.points())
        report_.convergence.push_back(
            {at.all(), probability({at.successes, at.failures, at.unknown})});
    if (report_.kind == StudyKind::map) finish_map();
    conclude();
  }

  void finish_measure(std::size_t index) {
    MeasureCount& count = counts_[index];
    MeasureSummary summary;
    summary.name = study_.measures()[index].name;
    summary.count = count.mean.count();
    if (summary.count > 0) {
      summary.mean = count.mean.mean();
      summary.deviation = std::sqrt(count.mean.variance());
      const Interval interval = count.mean.interval(data_.confidence);
      summary.mean_lower = interval.low;
      summary.mean_upper = interval.high;
      summary.least = count.least;
      summary.greatest = count.greatest;
      summary.every = count.kept.every();
      std::vector<double>& values = count.kept.values();
      std::sort(values.begin(), values.end());
      for (const double share : quantile_shares) {
        const QuantileEstimate it = estimate_quantile(values, share, data_.confidence);
        summary.quantiles.push_back({share, it.value, it.interval.low, it.interval.high});
      }
    }
    report_.measures.push_back(std::move(summary));
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
  std::vector<MeasureCount> counts_;
  std::vector<std::uint32_t> numbers_;  // per design and measure: how many make its mean
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
  const Interval interval = inverse_binomial(trials, data.confidence);
  it.least = it.lower = by_successes ? interval.low : 1.0 - interval.high;
  it.most = it.upper = by_successes ? interval.high : 1.0 - interval.low;
  return it;
}

StudyProgress::StudyProgress(const Study& study) : study_(study) {}

void StudyProgress::add(const CaseResult& result) {
  verdicts_.add(result.verdict);
  ++statuses_[static_cast<std::size_t>(result.status)];
}

Probability StudyProgress::probability() const {
  return probability_of(study_, verdicts_);
}

std::string StudyProgress::words() const {
  std::string text = plural(static_cast<std::int64_t>(cases()), "case");
  if (!study_.has_success()) return text;
  const Probability it = probability();
  if (verdicts_.cases() > verdicts_.unknown)
    text += fmt::format(", success {:.4g} ({:.4g} to {:.4g})", it.value, it.lower, it.upper);
  if (verdicts_.unknown > 0) text += fmt::format(", {} unknown", verdicts_.unknown);
  return text;
}

StudyReport make_report(const Study& study, const ResultSource& results, const CaseTimes& times,
                        const RepeatCommand& repeat) {
  return ReportMaker(study, results, times, repeat).make();
}

}  // namespace vinci
