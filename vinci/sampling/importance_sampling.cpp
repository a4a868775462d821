// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/rare.h"

namespace vinci {

ImportanceSampling::ImportanceSampling(const ImportanceOptions& options)
    : options_(options), random_(options.seed, "importance-sampling") {
  if (options.dimensions < 1)
    throw Error(fmt::format("{} dimensions; dimensions: 1 or more", options.dimensions));
  if (options.components < 1)
    throw Error(fmt::format("{} components; components: 1 or more", options.components));
  if (options.count < 10 || options.final_count < 2)
    throw Error(fmt::format("{} points per round and {} at last; points: 10 or more, 2 or more",
                            options.count, options.final_count));
  if (!(options.share > 0.0 && options.share < 1.0))
    throw Error(fmt::format("a share of {} that leads; share: between 0 and 1", options.share));
  if (!(options.safety > 0.0 && options.safety < 1.0))
    throw Error(fmt::format("a share of {} for safety; share: between 0 and 1", options.safety));
  if (options.most_rounds < 1)
    throw Error(fmt::format("{} rounds; rounds: 1 or more", options.most_rounds));
  draw(options.count);
}

void ImportanceSampling::draw(std::uint64_t count) {
  points_.resize(options_.dimensions, static_cast<Eigen::Index>(count));
  const auto choice = static_cast<std::uint64_t>(options_.dimensions);
  for (Eigen::Index j = 0; j < points_.cols(); ++j, ++drawn_) {
    for (Eigen::Index i = 0; i < points_.rows(); ++i)
      points_(i, j) = random_.normal(drawn_, static_cast<std::uint64_t>(i));
    double u = random_.uniform(drawn_, choice);
    if (components_.empty() || u < options_.safety) continue;
    u = (u - options_.safety) / (1.0 - options_.safety);
    std::size_t k = 0;
    for (; k + 1 < components_.size() && u >= components_[k].share; ++k) u -= components_[k].share;
    const Component& component = components_[k];
    points_.col(j) = component.centre +
                     component.directions * component.widths.cwiseProduct(points_.col(j)).eval();
  }
}

double ImportanceSampling::Component::log_density(const VectorX& point) const {
  const VectorX z = (directions.transpose() * (point - centre)).cwiseQuotient(widths);
  return -0.5 * z.squaredNorm() - widths.array().log().sum();
}

double ImportanceSampling::weight(const VectorX& point) const {
  if (components_.empty()) return 1.0;
  double sum = 0.0;
  for (const Component& component : components_)
    sum += component.share * std::exp(component.log_density(point) + 0.5 * point.squaredNorm());
  return 1.0 / (options_.safety + (1.0 - options_.safety) * sum);
}

void ImportanceSampling::proceed() {
  if (is_final_) {
    for (Eigen::Index j = 0; j < points_.cols(); ++j) {
      const double w = weight(points_.col(j));
      known_.add(margins_[j] < 0.0 ? w : 0.0);
      if (margins_[j] < 0.0 && w > 1.0) heavy_ += w;
      possible_.add(margins_[j] < 0.0 || is_unknown_[static_cast<std::size_t>(j)] ? w : 0.0);
    }
    points_.resize(options_.dimensions, 0);
    return;
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(points_.cols()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return margins_[a] != margins_[b] ? margins_[a] < margins_[b] : a < b;
  });
  // Those that lead: the share with the least margins, or all of the event where these are more.
  const auto least = static_cast<std::size_t>(
      std::max(2.0, std::floor(options_.share * static_cast<double>(order.size()))));
  const bool was_reached = reached_;
  reached_ = margins_[order[least - 1]] < 0.0;
  std::size_t leading = least;
  while (leading < order.size() && margins_[order[leading]] < 0.0) ++leading;
  while (leading > 0 && margins_[order[leading - 1]] == infinity) --leading;
  order.resize(leading);
  if (round_ == 0) {
    first_leaders_ = points_(Eigen::all, order);
    for (std::size_t j = 0; j < is_unknown_.size(); ++j)
      first_possible_ += is_unknown_[j] || margins_[static_cast<Eigen::Index>(j)] < 0.0;
  }
  if (!order.empty()) move_centres(order);
  // The first leaders of the event itself are few; a round of its own has many.
  is_final_ = (reached_ && was_reached) || ++round_ >= options_.most_rounds;
  draw(is_final_ ? options_.final_count : options_.count);
}

// Directions in which the weighted points are wider than normal ones, beyond what so few of them
// can tell: eigenvalues above the edge of [Marchenko 1967].
void ImportanceSampling::Component::widen(const MatrixX& points, const VectorX& weights) {
  const MatrixX apart = points.colwise() - centre;
  const MatrixX covariance = apart * weights.asDiagonal() * apart.transpose() / weights.sum();
  const double effective = std::pow(weights.sum(), 2) / weights.squaredNorm();
  const double edge = std::pow(1.0 + std::sqrt(static_cast<double>(points.rows()) / effective), 2);
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(covariance);
  directions = eigen.eigenvectors();
  widths = eigen.eigenvalues().unaryExpr(
      [&](double value) { return value > edge ? std::sqrt(value) : 1.0; });
}

// The cross-entropy update is the likeliest mixture for the weighted leaders: the EM algorithm.
void ImportanceSampling::move_centres(const std::vector<Eigen::Index>& leaders) {
  const auto count = static_cast<Eigen::Index>(leaders.size());
  const Eigen::Index dimensions = options_.dimensions;
  MatrixX x(dimensions, count);
  VectorX w(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    x.col(j) = points_.col(leaders[static_cast<std::size_t>(j)]);
    w[j] = weight(x.col(j));
  }
  if (components_.empty()) {
    // The nearest leader, then in turn the one that is farthest from those chosen.
    VectorX distance = VectorX::Constant(count, infinity);
    Eigen::Index next = 0;
    x.colwise().squaredNorm().minCoeff(&next);
    for (int k = 0; k < options_.components; ++k) {
      components_.push_back({x.col(next), VectorX::Ones(dimensions),
                             MatrixX::Identity(dimensions, dimensions), 1.0 / options_.components});
      distance = distance.cwiseMin((x.colwise() - x.col(next)).colwise().squaredNorm().transpose());
      distance.maxCoeff(&next);
    }
  }
  const auto components = static_cast<Eigen::Index>(components_.size());
  const int rounds = components > 1 ? 20 : 1;
  for (int round = 0; round < rounds; ++round) {
    MatrixX belongs(count, components);
    for (Eigen::Index k = 0; k < components; ++k) {
      const Component& component = components_[static_cast<std::size_t>(k)];
      for (Eigen::Index j = 0; j < count; ++j)
        belongs(j, k) = component.log_density(x.col(j)) + std::log(component.share + 1e-300);
    }
    for (Eigen::Index j = 0; j < count; ++j) {
      belongs.row(j).array() -= belongs.row(j).maxCoeff();
      belongs.row(j) = belongs.row(j).array().exp().matrix();
      belongs.row(j) *= w[j] / belongs.row(j).sum();
    }
    const VectorX masses = belongs.colwise().sum();
    for (Eigen::Index k = 0; k < components; ++k) {
      Component& component = components_[static_cast<std::size_t>(k)];
      component.share = masses[k] / masses.sum();
      if (!(component.share > 1e-9)) continue;  // belongs to nothing: stays where it is
      component.centre = x * belongs.col(k) / masses[k];
      component.widen(x, belongs.col(k));
    }
  }
}

// Of the points that led away from the origin at first, those that lie behind it as seen from every
// component: an event of few pieces, each of which is looked at, has hardly any.
double ImportanceSampling::led_elsewhere() const {
  if (first_leaders_.cols() == 0 || components_.empty()) return 0.0;
  Eigen::Index behind = 0;
  for (const auto& leader : first_leaders_.colwise())
    behind += std::none_of(components_.begin(), components_.end(), [&](const Component& it) {
      return it.share > 1e-3 && it.centre.dot(leader) > 0.0;
    });
  return static_cast<double>(behind) / static_cast<double>(first_leaders_.cols());
}

RareEstimate ImportanceSampling::estimate(double level) const {
  RareEstimate estimate = seen();
  const double width = normal_width(level);
  estimate.interval = {0.0, 1.0};
  if (!done() || !(possible_.mean() > 0.0)) return estimate;
  const auto variation = [](const RunningMean& mean) {
    return std::sqrt(mean.variance() / static_cast<double>(mean.count())) / mean.mean();
  };
  const auto spread = [&](const RunningMean& mean) {
    return std::sqrt(std::log1p(std::pow(variation(mean), 2)));
  };
  estimate.complete = reached_;
  estimate.probability = known_.mean();
  if (known_.mean() > 0.0) {
    estimate.variation = variation(known_);
    // Without having reached the event, a part of it may have been missed.
    if (reached_) estimate.interval.low = known_.mean() * std::exp(-width * spread(known_));
  }
  if (reached_)
    estimate.interval.high = std::min(1.0, possible_.mean() * std::exp(width * spread(possible_)));
  estimate.led_elsewhere = led_elsewhere();
  if (known_.mean() > 0.0)
    estimate.found_elsewhere = heavy_ / static_cast<double>(known_.count()) / known_.mean();
  if (reached_ && estimate.is_partial()) {
    // The estimate is of a part. Of the whole the undisturbed points alone tell.
    estimate.complete = false;
    estimate.interval.high = std::max(estimate.interval.high,
                                      clopper_pearson(first_possible_, options_.count, level).high);
  }
  return estimate;
}

}  // namespace vinci
