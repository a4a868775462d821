// SPDX-License-Identifier: Apache-2.0
#include "vinci/search/nlopt_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlopt.hpp>

#include "vinci/base/error.h"

namespace vinci {

namespace {

nlopt::algorithm algorithm_of(NloptMethod method) {
  switch (method) {
    case NloptMethod::bobyqa:
      return nlopt::LN_BOBYQA;
    case NloptMethod::cobyla:
      return nlopt::LN_COBYLA;
    case NloptMethod::sbplx:
      return nlopt::LN_SBPLX;
    case NloptMethod::direct_l:
      return nlopt::GN_DIRECT_L;
  }
  return nlopt::LN_COBYLA;
}

// What NLopt's calls are answered from, and the point that it asked for beyond that.
struct Memory {
  const std::vector<std::vector<double>>* points;
  const std::vector<double>* values;
  std::size_t next = 0;
  std::vector<double> asked;
  bool has_strayed = false;  // from the points of before
};

double answer(const std::vector<double>& x, std::vector<double>& /*gradient*/, void* data) {
  auto& memory = *static_cast<Memory*>(data);
  if (memory.next < memory.values->size() && memory.asked.empty()) {
    memory.has_strayed |= x != (*memory.points)[memory.next];
    return (*memory.values)[memory.next++];
  }
  if (memory.asked.empty()) memory.asked = x;
  throw nlopt::forced_stop();
}

}  // namespace

NloptSearch::NloptSearch(NloptMethod method, const SearchOptions& options)
    : Searcher(options), method_(method) {
  if (method == NloptMethod::bobyqa && options.dimensions < 2)
    throw Error("bobyqa in 1 dimension; dimensions: 2 or more (cobyla and sbplx take 1)");
  run();
}

void NloptSearch::proceed() {
  known_points_.emplace_back(points_.col(0).begin(), points_.col(0).end());
  // No answer is a little worse than the worst so far.
  double value = values_[0];
  if (!std::isfinite(value)) {
    const auto [low, high] = std::minmax_element(known_values_.begin(), known_values_.end());
    value = known_values_.empty() ? 0.0 : *low - 0.1 * (*high - *low);
  }
  known_values_.push_back(value);
  points_.resize(options_.dimensions, 0);
  if (left() == 0 || run() || method_ == NloptMethod::direct_l) return;
  // It has settled: from elsewhere.
  ++searches_;
  known_points_.clear();
  known_values_.clear();
  run();
}

bool NloptSearch::run() {
  Memory memory = {&known_points_, &known_values_, 0, {}, false};
  nlopt::opt search(algorithm_of(method_), static_cast<unsigned>(options_.dimensions));
  search.set_max_objective(answer, &memory);
  search.set_lower_bounds(0.0);
  search.set_upper_bounds(1.0);
  search.set_initial_step(options_.step);
  search.set_xtol_abs(options_.tolerance);
  // For the memory that DIRECT lays out; it ends by being stopped.
  search.set_maxeval(static_cast<int>(std::min<std::uint64_t>(
      options_.evaluations + 1, static_cast<std::uint64_t>(std::numeric_limits<int>::max()))));
  const VectorX start = start_of(searches_ - 1);
  std::vector<double> x(start.begin(), start.end());
  double value = 0.0;
  try {
    search.optimize(x, value);
  } catch (const nlopt::forced_stop&) {
    // At the point that it asked for.
  } catch (const nlopt::roundoff_limited&) {
    // As far as rounding lets it.
  } catch (const std::runtime_error&) {
    // It gave up: settled.
  }
  if (memory.has_strayed) throw Failure("a search of NLopt did not repeat its points");
  if (memory.asked.empty()) return false;
  points_ = Eigen::Map<const VectorX>(memory.asked.data(), options_.dimensions);
  return true;
}

}  // namespace vinci
