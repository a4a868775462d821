// SPDX-License-Identifier: Apache-2.0
#include "vinci/search/cma_es.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

VectorX folded(const VectorX& x) {
  return x.unaryExpr([](double t) { return std::abs(t - 2.0 * std::round(0.5 * t)); });
}

CmaEs::CmaEs(const SearchOptions& options) : Searcher(options), random_(options.seed, 0) {
  if (options.population != 0 && options.population < 4)
    throw Error(fmt::format("a population of {}; population: 4 or more, or 0 for the usual one",
                            options.population));
  population_ = options.population != 0
                    ? options.population
                    : 4 + static_cast<Eigen::Index>(3.0 * std::log(options.dimensions));
  begin();
  ask();
}

// The rates of [Hansen 2016, table 1], with weights for the better half alone.
void CmaEs::begin() {
  const Eigen::Index dimensions = options_.dimensions;
  const auto n = static_cast<double>(dimensions), lambda = static_cast<double>(population_);
  parents_ = population_ / 2;
  weights_.resize(parents_);
  for (Eigen::Index i = 0; i < parents_; ++i)
    weights_[i] = std::log(0.5 * (lambda + 1.0)) - std::log(static_cast<double>(i + 1));
  weights_ /= weights_.sum();
  mu_effective_ = 1.0 / weights_.squaredNorm();
  c_sigma_ = (mu_effective_ + 2.0) / (n + mu_effective_ + 5.0);
  d_sigma_ =
      1.0 + 2.0 * std::max(0.0, std::sqrt((mu_effective_ - 1.0) / (n + 1.0)) - 1.0) + c_sigma_;
  c_c_ = (4.0 + mu_effective_ / n) / (n + 4.0 + 2.0 * mu_effective_ / n);
  c_1_ = 2.0 / ((n + 1.3) * (n + 1.3) + mu_effective_);
  c_mu_ = std::min(1.0 - c_1_, 2.0 * (0.25 + mu_effective_ + 1.0 / mu_effective_ - 2.0) /
                                   ((n + 2.0) * (n + 2.0) + mu_effective_));
  expected_length_ = std::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
  mean_ = start_of(searches_ - 1);
  sigma_ = options_.step;
  path_sigma_ = path_c_ = VectorX::Zero(dimensions);
  lengths_ = VectorX::Ones(dimensions);
  covariance_ = directions_ = MatrixX::Identity(dimensions, dimensions);
  generation_ = 0;
  bests_.clear();
}

void CmaEs::ask() {
  const auto count = static_cast<Eigen::Index>(std::min<std::uint64_t>(left(), population_));
  steps_.resize(options_.dimensions, count);
  points_.resize(options_.dimensions, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    VectorX z(options_.dimensions);
    for (double& x : z) x = random_.normal();
    steps_.col(j) = directions_ * lengths_.cwiseProduct(z);
    points_.col(j) = folded(mean_ + sigma_ * steps_.col(j));
  }
}

void CmaEs::proceed() {
  // What is left for less than a generation moves nothing.
  if (points_.cols() == population_) {
    adapt();
    if (has_settled()) {
      ++searches_;
      population_ *= 2;
      begin();
    }
  }
  ask();
}

void CmaEs::adapt() {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(population_));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](Eigen::Index j) {
    return std::isnan(values_[j]) ? -infinity : values_[j];
  };
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return value(a) != value(b) ? value(a) > value(b) : a < b;
  });
  bests_.push_back(value(order[0]));
  if (bests_.back() == -infinity) return;  // no answer leads anywhere

  const auto n = static_cast<double>(options_.dimensions);
  VectorX step = VectorX::Zero(options_.dimensions);
  MatrixX spread = MatrixX::Zero(options_.dimensions, options_.dimensions);
  for (Eigen::Index i = 0; i < parents_; ++i) {
    const auto y = steps_.col(order[static_cast<std::size_t>(i)]);
    step += weights_[i] * y;
    spread += weights_[i] * y * y.transpose();
  }
  mean_ += sigma_ * step;
  ++generation_;
  const VectorX white = directions_ * (directions_.transpose() * step).cwiseQuotient(lengths_);
  path_sigma_ = (1.0 - c_sigma_) * path_sigma_ +
                std::sqrt(c_sigma_ * (2.0 - c_sigma_) * mu_effective_) * white;
  const double fade =
      std::sqrt(1.0 - std::pow(1.0 - c_sigma_, 2.0 * static_cast<double>(generation_)));
  const double length = path_sigma_.norm();
  const bool moves = length / fade < (1.4 + 2.0 / (n + 1.0)) * expected_length_;
  path_c_ = (1.0 - c_c_) * path_c_;
  if (moves) path_c_ += std::sqrt(c_c_ * (2.0 - c_c_) * mu_effective_) * step;
  const double lost = moves ? 0.0 : c_c_ * (2.0 - c_c_);
  covariance_ = (1.0 - c_1_ - c_mu_ + c_1_ * lost) * covariance_ +
                c_1_ * path_c_ * path_c_.transpose() + c_mu_ * spread;
  // The cube has the size 1: no step need be longer.
  sigma_ =
      std::min(sigma_ * std::exp(c_sigma_ / d_sigma_ * (length / expected_length_ - 1.0)), 1.0);
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(covariance_);
  directions_ = eigen.eigenvectors();
  lengths_ = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
}

// [Auger 2005, section II], and values that have not risen for long.
bool CmaEs::has_settled() {
  if (!(lengths_.minCoeff() > 1e-7 * lengths_.maxCoeff())) return true;
  if (sigma_ * lengths_.maxCoeff() < 1e-3 * options_.tolerance) return true;
  const double per_population =
      30.0 * static_cast<double>(options_.dimensions) / static_cast<double>(population_);
  const auto few = static_cast<std::size_t>(10.0 + per_population);
  if (bests_.size() >= few) {
    const auto [low, high] =
        std::minmax_element(bests_.end() - static_cast<long>(few), bests_.end());
    double worst = *low;
    for (const double v : values_)
      if (!std::isnan(v)) worst = std::min(worst, v);
    // The values of a whole generation too: a plateau of the best ones alone may be luck.
    if (!(*high - worst > 1e-13 * std::max(std::abs(*high), 1e-300))) return true;
  }
  const auto many = static_cast<std::size_t>(120.0 + per_population);
  if (bests_.size() < 2 * many) return false;
  const auto median = [](std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  const auto middle = bests_.end() - static_cast<long>(many);
  return !(median({middle, bests_.end()}) > median({middle - static_cast<long>(many), middle}));
}

VectorX CmaEs::guess() const {
  return folded(mean_);
}

}  // namespace vinci
