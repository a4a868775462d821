// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/search_strategy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vinci/sampling/interval.h"
#include "vinci/study/draws.h"
#include "vinci/study/study_data.h"

namespace vinci {
namespace {

// Streams of draws of a study, besides the first one.
constexpr std::uint64_t of_confirmation = 1, of_searcher = 2;

// The value of a design, as its cases come.
class DesignValue {
 public:
  explicit DesignValue(const Study& study)
      : study_(study), search_(study.data().search), one_answer_(study.data().uncertain.empty()) {}

  void add(const CaseResult& result) {
    verdicts.add(result.verdict);
    one_answer_ = one_answer_ || has_answer_of_design(study_, result);
    const double number = is_whole(result.status) && search_.goal != SearchSpec::Goal::probability
                              ? result.measures[search_.measure]
                              : no_number;
    if (!std::isfinite(number)) return;
    mean_.add(number);
    least_ = std::min(least_, number);
    greatest_ = std::max(greatest_, number);
  }

  double value() const {
    const auto cases = static_cast<double>(verdicts.cases());
    switch (search_.goal) {
      case SearchSpec::Goal::probability:
        // What is not known is no success.
        return verdicts.unknown == verdicts.cases()
                   ? no_number
                   : static_cast<double>(verdicts.successes) / cases;
      case SearchSpec::Goal::worst:
        return sign() * (search_.minimise ? greatest_ : least_) + missing();
      case SearchSpec::Goal::mean:
        break;
    }
    return sign() * mean_.mean() + missing();
  }

  const RunningMean& mean() const { return mean_; }
  // Its cases are no draws: nothing is uncertain, or a level that sees the design alone has
  // decided.
  bool has_one_answer() const { return one_answer_; }

  VerdictCounts verdicts;

 private:
  double sign() const { return search_.minimise ? -1.0 : 1.0; }
  // A measure is known of a design where every case has a number: those that have none may be the
  // ones that matter.
  double missing() const { return mean_.count() < verdicts.cases() ? no_number : 0.0; }

  const Study& study_;
  const SearchSpec& search_;
  bool one_answer_ = false;
  RunningMean mean_;
  double least_ = infinity, greatest_ = -infinity;
};

}  // namespace

SearchStrategy::SearchStrategy(Study study) : study_(std::move(study)) {
  const StudyData& data = study_.data();
  sampler_ = std::make_shared<const CaseSampler>(data, data.search.samples);
  if (data.search.confirm > 0)
    confirming_ = std::make_shared<const CaseSampler>(data, data.search.confirm, of_confirmation);
  SearchOptions options;
  options.seed = stream_seed(data.seed, of_searcher);
  options.dimensions = static_cast<int>(data.design.size());
  options.evaluations = data.search.evaluations;
  searcher_ = make_searcher(data.search.method, options);
}

std::vector<SearchStrategy::Tried> SearchStrategy::judged(const ResultSource& results) const {
  const Plan& plan = *plan_;
  std::vector<DesignValue> values(plan.designs.size(), DesignValue(study_));
  results.read(plan.first, plan.size * plan.designs.size(), [&](const CaseResult& result) {
    values[(result.number - plan.first) / plan.size].add(result);
  });
  std::vector<Tried> tried;
  for (std::size_t i = 0; i < values.size(); ++i)
    tried.push_back({plan.designs[i], values[i].verdicts, values[i].value(), values[i].mean(),
                     values[i].has_one_answer()});
  return tried;
}

std::vector<std::size_t> SearchStrategy::best_first(const std::vector<Tried>& tried) const {
  std::vector<std::size_t> order(tried.size());
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](std::size_t i) { return std::isnan(tried[i].value); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tried[a].value > tried[b].value; });
  return order;
}

// Where the searcher takes the optimum to be, then the best that were tried.
std::vector<std::vector<double>> SearchStrategy::to_confirm() const {
  const StudyData& data = study_.data();
  std::vector<std::vector<double>> designs;
  if (const VectorX guess = searcher_->guess(); guess.size() > 0)
    designs.push_back(
        CaseSampler::design_at(data, {guess.data(), static_cast<std::size_t>(guess.size())}));
  for (const std::size_t i : best_first(tried_)) {
    if (designs.size() >= data.search.best) break;
    if (std::find(designs.begin(), designs.end(), tried_[i].values) == designs.end())
      designs.push_back(tried_[i].values);
  }
  return designs;
}

Round SearchStrategy::round_of(std::vector<std::vector<double>> designs, bool confirms) {
  const StudyData& data = study_.data();
  auto plan = std::make_shared<Plan>();
  if (plan_) plan->first = plan_->first + plan_->size * plan_->designs.size();
  plan->size = confirms ? data.search.confirm : data.search.samples;
  plan->design = static_cast<std::uint32_t>(tried_.size());
  plan->confirms = confirms;
  plan->designs = std::move(designs);
  plan_ = plan;
  const std::uint64_t before = confirms ? data.search.samples : 0;
  return {plan->first, plan->size * plan->designs.size(),
          [plan, before, sampler = confirms ? confirming_ : sampler_,
           study = study_](std::uint64_t number) {
            const std::uint64_t place = number - plan->first, design = place / plan->size;
            StudyCase item = sampler->at(number, plan->design + static_cast<std::uint32_t>(design),
                                         place % plan->size, plan->designs[design]);
            item.sample += before;
            return item;
          }};
}

std::optional<Round> SearchStrategy::next(const ResultSource& results) {
  if (done_) return std::nullopt;
  const StudyData& data = study_.data();
  if (plan_) {
    std::vector<Tried> last = judged(results);
    if (plan_->confirms) {
      confirmed_ = std::move(last);
      done_ = true;
      return std::nullopt;
    }
    std::vector<double> values;
    for (Tried& it : last) {
      values.push_back(it.value);
      tried_.push_back(std::move(it));
    }
    searcher_->tell(values);
  }
  std::vector<std::vector<double>> designs;
  const MatrixX& points = searcher_->points();
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const VectorX point = points.col(i);
    designs.push_back(
        CaseSampler::design_at(data, {point.data(), static_cast<std::size_t>(point.size())}));
  }
  if (!designs.empty()) return round_of(std::move(designs), false);
  if (confirming_) designs = to_confirm();
  done_ = designs.empty();
  if (done_) return std::nullopt;
  return round_of(std::move(designs), true);
}

std::optional<std::uint64_t> SearchStrategy::expected() const {
  const SearchSpec& search = study_.data().search;
  return search.evaluations * search.samples + search.best * search.confirm;
}

void SearchStrategy::conclude(const ResultSource&, StudyReport& report) const {
  constexpr std::size_t most = 5;
  const StudyData& data = study_.data();
  const bool confirmed = !confirmed_.empty();
  const std::vector<Tried>& tried = confirmed ? confirmed_ : tried_;
  std::vector<std::size_t> order = best_first(tried);
  // A design that was confirmed and came to no value is told, too.
  for (std::size_t i = 0; confirmed && i < tried.size(); ++i)
    if (std::isnan(tried[i].value)) order.push_back(i);
  report.without_value = static_cast<std::uint64_t>(std::count_if(
      tried_.begin(), tried_.end(), [](const Tried& it) { return std::isnan(it.value); }));
  // The best of several is chosen by the cases that are told: intervals of all hold together.
  const double level = level_at_each(data.confidence, tried.size());
  const bool by_mean = data.search.goal == SearchSpec::Goal::mean;
  for (const std::size_t i : order) {
    if (!confirmed && report.found.size() >= most) break;
    FoundDesign& found = report.found.emplace_back();
    found.design = static_cast<std::uint32_t>((confirmed ? tried_.size() : 0) + i);
    found.values = tried[i].values;
    found.objective = data.search.minimise ? -tried[i].value : tried[i].value;
    found.verdicts = tried[i].verdicts;
    found.numbers = tried[i].mean.count();
    found.confirmed = confirmed;
    found.probability =
        probability_of(found.verdicts, level, data.exact_intervals || tried.size() > 1);
    if (found.verdicts.unknown > 0 && may_leave_open(study_)) {
      found.probability.lower = found.probability.least;
      found.probability.upper = found.probability.most;
    }
    found.objective_lower = found.objective_upper = no_number;
    if (!confirmed || tried[i].one_answer) {
      // Of the best of many by the same draws no interval would hold, and one answer has none.
      Probability& it = found.probability;
      it.lower = it.upper = it.least = it.most = no_number;
    } else if (data.search.goal == SearchSpec::Goal::probability) {
      found.objective_lower = found.probability.least;
      found.objective_upper = found.probability.most;
    } else if (by_mean && !std::isnan(found.objective)) {
      const Interval interval = tried[i].mean.interval(level);
      found.objective_lower = interval.low;
      found.objective_upper = interval.high;
    }
  }
}

}  // namespace vinci
