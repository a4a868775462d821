// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/rare.h"

namespace vinci {

SubsetSimulation::SubsetSimulation(const SubsetOptions& options)
    : options_(options),
      random_(options.seed, "subset-simulation"),
      seeds_(options.seed, "subset-seeds") {
  if (options.dimensions < 1)
    throw Error(fmt::format("{} dimensions; dimensions: 1 or more", options.dimensions));
  if (options.parts < 2 || options.count < 2 * options.parts || options.count % options.parts != 0)
    throw Error(
        fmt::format("{} points per level, of which one in {} is kept; count: a multiple of "
                    "the parts, which are 2 or more",
                    options.count, options.parts));
  if (options.most_levels < 1)
    throw Error(fmt::format("{} levels; levels: 1 or more", options.most_levels));
  if (!(options.spread > 0.0 && options.spread < infinity))
    throw Error(fmt::format("a spread of {}; spread: greater than 0", options.spread));
  const auto count = static_cast<Eigen::Index>(options.count);
  samples_.resize(options.dimensions, count);
  values_.resize(count);
  points_.resize(options.dimensions, count);
  for (Eigen::Index j = 0; j < count; ++j, ++drawn_)
    for (Eigen::Index i = 0; i < points_.rows(); ++i)
      points_(i, j) = random_.normal(drawn_, static_cast<std::uint64_t>(i));
}

void SubsetSimulation::proceed() {
  if (level_ == 0)
    first_unknown_ =
        static_cast<std::uint64_t>(std::count(is_unknown_.begin(), is_unknown_.end(), true));
  const Eigen::Index before = filled_ - points_.cols();
  for (Eigen::Index j = 0; j < points_.cols(); ++j, ++filled_) {
    // A chain stays where it was if its candidate is outside of the level.
    const bool stays = level_ > 0 && !(margins_[j] <= limit_);
    samples_.col(filled_) = stays ? samples_.col(before + j).eval() : points_.col(j).eval();
    values_[filled_] = stays ? values_[before + j] : margins_[j];
  }
  if (filled_ == samples_.cols())
    finish_level();
  else
    ask_for_candidates();
}

// One step of every chain: each coordinate moves as if it were alone [Au 2001, modified
// Metropolis].
void SubsetSimulation::ask_for_candidates() {
  const auto count = static_cast<Eigen::Index>(chains());
  points_.resize(options_.dimensions, count);
  for (Eigen::Index j = 0; j < count; ++j, ++drawn_) {
    const auto from = samples_.col(filled_ - count + j);
    for (Eigen::Index i = 0; i < points_.rows(); ++i) {
      const auto index = 2 * static_cast<std::uint64_t>(i);
      const double step = 2.0 * random_.uniform(drawn_, index) - 1.0;
      const double to = from[i] + options_.spread * step;
      const double ratio = std::exp(0.5 * (from[i] * from[i] - to * to));
      points_(i, j) = random_.uniform(drawn_, index + 1) < ratio ? to : from[i];
    }
  }
}

void SubsetSimulation::finish_level() {
  const auto count = static_cast<double>(options_.count);
  std::vector<Eigen::Index> order(options_.count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return values_[a] != values_[b] ? values_[a] < values_[b] : a < b;
  });
  const double limit = values_[order[chains() - 1]];
  if (limit < 0.0) {
    add_level(static_cast<double>((values_.array() < 0.0).count()) / count, values_.array() < 0.0);
    complete_ = true;
    points_.resize(options_.dimensions, 0);
    return;
  }
  const double share = static_cast<double>((values_.array() <= limit).count()) / count;
  // No way leads on where all margins are equal.
  if (level_ + 1 >= options_.most_levels || share == 1.0 || !(limit < limit_)) {
    points_.resize(options_.dimensions, 0);
    return;
  }
  add_level(share, values_.array() <= limit);
  ++level_;
  limit_ = limit;
  choose_seeds(order);
  MatrixX seeds(options_.dimensions, static_cast<Eigen::Index>(chains()));
  VectorX seed_values(seeds.cols());
  for (Eigen::Index j = 0; j < seeds.cols(); ++j) {
    seeds.col(j) = samples_.col(order[static_cast<std::size_t>(j)]);
    seed_values[j] = values_[order[static_cast<std::size_t>(j)]];
  }
  filled_ = seeds.cols();
  samples_.leftCols(filled_) = seeds;
  values_.head(filled_) = seed_values;
  ask_for_candidates();
}

// Of all points within the level, any: where margins are equal, as counts are, those with the least
// ones are not like the level.
void SubsetSimulation::choose_seeds(std::vector<Eigen::Index>& order) const {
  std::erase_if(order, [&](Eigen::Index i) { return values_[i] > limit_; });
  const auto key = [&](Eigen::Index i) {
    return seeds_.bits(static_cast<std::uint64_t>(level_), static_cast<std::uint64_t>(i));
  };
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return key(a) < key(b); });
}

// The variation of the share of a level, with what the steps of a chain have in common [Au 2001,
// eqs. 25 to 29]. Those of the levels are added as if they were one another's cause [eq. 30]: their
// squares alone are too few, since the chains of a level begin where those before ended.
void SubsetSimulation::add_level(double share,
                                 const Eigen::Array<bool, Eigen::Dynamic, 1>& inside) {
  const auto count = static_cast<double>(options_.count);
  double factor = 1.0;
  if (level_ > 0 && share < 1.0) {
    const auto chain_count = static_cast<Eigen::Index>(chains());
    const auto length = static_cast<Eigen::Index>(options_.parts);
    const VectorX ones = inside.cast<double>().matrix();
    for (Eigen::Index lag = 1; lag < length; ++lag) {
      const Eigen::Index pairs = (length - lag) * chain_count;
      const double together = ones.head(pairs).dot(ones.tail(pairs)) / static_cast<double>(pairs);
      const double correlation = (together - share * share) / (share * (1.0 - share));
      factor += 2.0 * (1.0 - static_cast<double>(lag) / static_cast<double>(length)) * correlation;
    }
  }
  probability_ *= share;
  variation_ += std::sqrt((1.0 - share) / (share * count) * std::max(factor, 1.0));
}

RareEstimate SubsetSimulation::estimate(double level) const {
  RareEstimate estimate = seen();
  // Points without an answer are outside of every level: the event is what is known of it. All of
  // theirs may belong to it, too, and how likely they are is counted among the undisturbed ones;
  // the two ends share what may be missed.
  const bool gaps = estimate.unknown > 0;
  const double width = normal_width(gaps ? 0.5 * (1.0 + level) : level);
  const double unknown =
      gaps ? clopper_pearson(first_unknown_, options_.count, 0.5 * (1.0 + level)).high : 0.0;
  estimate.complete = complete_;
  estimate.variation = variation_;
  // The logarithm of a product of shares is about normal.
  const double spread = std::sqrt(std::log1p(variation_ * variation_));
  const double high = std::min(1.0, probability_ * std::exp(width * spread) + unknown);
  if (!complete_) {
    // The event is rarer than what was reached.
    const auto found = static_cast<double>((values_.head(filled_).array() < 0.0).count());
    estimate.probability = filled_ > 0 ? probability_ * found / static_cast<double>(filled_) : 0.0;
    estimate.interval = {0.0, high};
    return estimate;
  }
  estimate.probability = probability_;
  estimate.interval = {probability_ * std::exp(-width * spread), high};
  return estimate;
}

}  // namespace vinci
