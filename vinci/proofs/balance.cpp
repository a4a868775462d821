// SPDX-License-Identifier: Apache-2.0
// The forces of the sets nearest to those that balance, and what is missing.
#include "vinci/proofs/balance.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// A generator enters whose angle with what is missing is this far below a right one: a thousand
// roundings of a product of some hundred terms.
constexpr double right_angle = 1e-13;
// A row of which less than this is outside of those before it is one of them: as in the tests of
// uniqueness.
constexpr double dependent_row = 1e-9;
// The weight of a known limit among the equations: what is missing is to be missing as a force. The
// square of its inverse is the share by which the direction found is off.
constexpr double limit_weight = 8.0;
// The proof of no balance allows for contact forces of so many times the applied ones, against
// which the rounding of d counts.
constexpr double largest_forces = 10.0;

// The forces of a set, within it; returns how large they may be.
double cut_back(const FrictionSet& set, VectorX& lambda) {
  if (set.normal >= 0) lambda[set.normal] = std::max(0.0, lambda[set.normal]);
  const double bound = set.bound(lambda);
  auto friction = lambda.segment(set.first, set.count);
  if (set.directions) friction = friction.cwiseMax(0.0);
  const double size = set.directions ? friction.sum() : friction.norm();
  if (set.holds()) return size;
  if (size > bound) friction *= bound / size;
  return bound + (set.normal >= 0 ? lambda[set.normal] : 0.0);
}

}  // namespace

bool BalanceTest::confirms(const ComplementarityProblem& problem,
                           const std::vector<FrictionSet>& sets, const Solution& solution) {
  const SparseRows &J = problem.J, &D = problem.M;
  lambda_ = solution.lambda;
  rest_ = problem.p;
  magnitude_ = problem.p.cwiseAbs();
  for (const FrictionSet& set : sets) {
    const double size = cut_back(set, lambda_);
    const auto add = [&](int row) {
      for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
        magnitude_[J.indices[k]] += std::abs(J.values[k]) * size;
    };
    if (set.normal >= 0) add(set.normal);
    for (int row = set.first; row < set.first + set.count; ++row) add(row);
  }
  J.multiply_transposed_add(lambda_.data(), rest_.data());
  for (int i = 0; i < problem.unknowns(); ++i)
    for (int k = D.starts[i]; k < D.starts[i + 1]; ++k) {
      const double force = D.values[k] * solution.u[D.indices[k]];
      rest_[i] -= force;
      magnitude_[i] += std::abs(force);
    }
  return (rest_.cwiseAbs().array() <= rounding * magnitude_.array()).all();
}

// Equations of the unknowns in units in which equal numbers are equal energies, then of the limits.
void BalanceTest::load(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
                       const SparseRows& inertia) {
  problem_ = &problem;
  sets_ = &sets;
  size_ = unknowns_ = problem.unknowns();
  unit_.resize(unknowns_);
  for (int i = 0; i < unknowns_; ++i) unit_[i] = 1.0 / std::sqrt(inertia.diagonal(i));
  load_row_.assign(sets.size(), -1);
  load_.setZero(static_cast<Eigen::Index>(sets.size()));
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const FrictionSet& set = sets[k];
    if (set.normal >= 0 || set.holds()) continue;
    double most = 0.0;
    for (int row = set.first; row < set.first + set.count; ++row) {
      double sum = 0.0;
      for (int e = problem.J.starts[row]; e < problem.J.starts[row + 1]; ++e)
        sum += std::pow(unit_[problem.J.indices[e]] * problem.J.values[e], 2);
      most = std::max(most, sum);
    }
    load_[static_cast<Eigen::Index>(k)] = limit_weight * set.limit * std::sqrt(most);
    if (load_[static_cast<Eigen::Index>(k)] > 0.0) load_row_[k] = size_++;
  }
  target_.resize(size_);
  target_.head(unknowns_) = -unit_.cwiseProduct(problem.p);
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (load_row_[k] >= 0) target_[load_row_[k]] = load_[static_cast<Eigen::Index>(k)];
  scale_ = target_.norm();
  chosen_.clear();
  basis_.reset(size_);
  add_free(problem);
}

// What D can take, of either sign, and what holds whatever acts.
void BalanceTest::add_free(const ComplementarityProblem& problem) {
  for (int i = 0; i < unknowns_; ++i) {
    if (problem.M.starts[i] == problem.M.starts[i + 1]) continue;
    column_.setZero(size_);
    for (int k = problem.M.starts[i]; k < problem.M.starts[i + 1]; ++k)
      column_[problem.M.indices[k]] = unit_[problem.M.indices[k]] * problem.M.values[k];
    basis_.append(column_, right_angle);
  }
  holding_.clear();
  const SparseRows& J = problem.J;
  for (const FrictionSet& set : *sets_) {
    if (!set.holds()) continue;
    column_.setZero(size_);
    for (int k = J.starts[set.first]; k < J.starts[set.first + 1]; ++k)
      column_[J.indices[k]] = unit_[J.indices[k]] * J.values[k];
    if (basis_.append(column_, dependent_row)) holding_.push_back(set.first);
  }
  free_ = basis_.columns();
}

// d, and the velocities of the rows along it.
void BalanceTest::find_motion() {
  rest_ = target_;
  basis_.remove_span(rest_);
  motion_ = -unit_.cwiseProduct(rest_.head(unknowns_));
  v_.setZero(problem_->rows());
  problem_->J.multiply_add(motion_.data(), v_.data());
}

int BalanceTest::parts(int set) const {
  int count = 1;
  while (set + count < static_cast<int>(sets_->size()) &&
         (*sets_)[static_cast<std::size_t>(set + count)].follows)
    ++count;
  return std::min(count, most_parts);
}

// The friction of a set that does most against d.
BalanceTest::Part BalanceTest::steepest_part(const FrictionSet& set) const {
  Part best;
  if (set.limit == 0.0) return best;
  if (set.directions) {
    double most = 0.0;
    for (int j = 0; j < set.count; ++j)
      if (const double against = -v_[set.first + j]; against > most) {
        most = against;
        best.direction = j;
      }
  } else if (set.count > 0) {
    best.along.head(set.count) = -v_.segment(set.first, set.count);
    if (const double norm = best.along.norm(); norm > 0.0) best.along /= norm;
  }
  return best;
}

BalanceTest::Generator BalanceTest::steepest(int which) const {
  Generator best{.set = which};
  for (int k = 0; k < parts(which); ++k)
    best.part[static_cast<std::size_t>(k)] =
        steepest_part((*sets_)[static_cast<std::size_t>(which + k)]);
  return best;
}

// Into column_, scaled to a norm of 1.
void BalanceTest::write_column(Generator& generator) {
  const FrictionSet& set = (*sets_)[static_cast<std::size_t>(generator.set)];
  const SparseRows& J = problem_->J;
  column_.setZero(size_);
  const auto add = [&](int row, double factor) {
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      column_[J.indices[k]] += factor * unit_[J.indices[k]] * J.values[k];
  };
  if (set.normal >= 0) add(set.normal, 1.0);
  if (const int row = load_row_[static_cast<std::size_t>(generator.set)]; row >= 0)
    column_[row] = load_[generator.set];
  for (int part = 0; part < parts(generator.set); ++part) {
    const FrictionSet& own = (*sets_)[static_cast<std::size_t>(generator.set + part)];
    const Part& friction = generator.part[static_cast<std::size_t>(part)];
    if (friction.direction >= 0) add(own.first + friction.direction, own.limit);
    for (int i = 0; i < own.count && !own.directions; ++i)
      if (friction.along[i] != 0.0) add(own.first + i, own.limit * friction.along[i]);
  }
  generator.norm = column_.norm();
  if (generator.norm > 0.0) column_ /= generator.norm;
}

void BalanceTest::leave(int place) {
  basis_.remove(free_ + place);
  chosen_.erase(chosen_.begin() + place);
}

// The shares of least misfit, none of them negative; false if the newest had to leave at once.
bool BalanceTest::fit() {
  const std::size_t newest = chosen_.size();
  bool first = true;
  for (;; first = false) {
    basis_.solve(target_, z_);
    const auto wanted = z_.tail(static_cast<Eigen::Index>(chosen_.size()));
    double step = 1.0;
    int blocks = -1;
    for (int j = 0; j < static_cast<int>(chosen_.size()); ++j) {
      if (wanted[j] > 0.0) continue;
      const double share = chosen_[static_cast<std::size_t>(j)].share;
      const double reach = share > 0.0 ? share / (share - wanted[j]) : 0.0;
      if (blocks < 0 || reach < step) {
        step = reach;
        blocks = j;
      }
    }
    if (first && blocks >= 0 && blocks + 1 == static_cast<int>(newest)) {
      leave(blocks);
      return false;
    }
    for (int j = 0; j < static_cast<int>(chosen_.size()); ++j) {
      double& share = chosen_[static_cast<std::size_t>(j)].share;
      share = blocks < 0 ? wanted[j] : std::max(0.0, share + step * (wanted[j] - share));
    }
    if (blocks < 0) return true;
    leave(blocks);
  }
}

// The first of them that makes less be missing.
bool BalanceTest::enter(const std::vector<Generator>& candidates) {
  for (Generator generator : candidates) {
    write_column(generator);
    generator.share = 0.0;
    if (!basis_.append(column_, right_angle)) continue;
    chosen_.push_back(generator);
    if (fit()) return true;
  }
  return false;
}

// d measured anew, in more digits than it was found with.
BalanceTest::Measure BalanceTest::measure() const {
  const SparseRows& J = problem_->J;
  const auto velocity = [&](int row) {
    long double sum = 0;
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      sum += static_cast<long double>(J.values[k]) * motion_[J.indices[k]];
    return sum;
  };
  long double gained = 0, violated = 0;
  for (int i = 0; i < unknowns_; ++i)
    gained += static_cast<long double>(problem_->p[i]) * motion_[i];
  for (int which = 0; which < static_cast<int>(sets_->size()); ++which) {
    const FrictionSet& set = (*sets_)[static_cast<std::size_t>(which)];
    if (set.follows) continue;
    const auto lever = [&](int row) {
      double sum = 0.0;
      for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
        sum = std::hypot(sum, unit_[J.indices[k]] * J.values[k]);
      return sum;
    };
    if (set.holds()) {
      if (const double own = lever(set.first); own > 0.0)
        violated = std::max(violated, std::abs(velocity(set.first)) / own);
      continue;
    }
    long double taken = 0;  // by friction, per unit of the normal force
    for (int part = which; part < which + parts(which); ++part) {
      const FrictionSet& own = (*sets_)[static_cast<std::size_t>(part)];
      long double most = 0;
      for (int row = own.first; row < own.first + own.count; ++row) {
        const long double v = velocity(row);
        most = own.directions ? std::max(most, -v) : std::hypot(most, v);
      }
      taken += own.limit * most;
    }
    if (set.normal < 0) {
      gained -= taken;
      continue;
    }
    const long double lacking = taken - velocity(set.normal);
    if (const double own = lever(set.normal); own > 0.0)
      violated = std::max(violated, lacking / own);
  }
  return {static_cast<double>(gained), static_cast<double>(violated)};
}

BalanceTest::Verdict BalanceTest::conclude() {
  lambda_.setZero(problem_->rows());
  for (const Generator& generator : chosen_) {
    const FrictionSet& set = (*sets_)[static_cast<std::size_t>(generator.set)];
    const double share = generator.share / generator.norm;
    if (set.normal >= 0) lambda_[set.normal] += share;
    for (int part = 0; part < parts(generator.set); ++part) {
      const FrictionSet& own = (*sets_)[static_cast<std::size_t>(generator.set + part)];
      const Part& friction = generator.part[static_cast<std::size_t>(part)];
      if (friction.direction >= 0) lambda_[own.first + friction.direction] += own.limit * share;
      for (int i = 0; i < own.count && !own.directions; ++i)
        lambda_[own.first + i] += own.limit * share * friction.along[i];
    }
  }
  if (!holding_.empty()) {
    basis_.solve(target_, z_);
    const auto before =
        static_cast<Eigen::Index>(free_) - static_cast<Eigen::Index>(holding_.size());
    for (std::size_t i = 0; i < holding_.size(); ++i)
      lambda_[holding_[i]] = z_[before + static_cast<Eigen::Index>(i)];
  }
  missing_norm_ = 0.0;
  missing_.setZero(unknowns_);
  if (rest_.norm() <= rounding * scale_) return Verdict::exists;
  // Of the force along d as much as takes the gain away.
  const auto [gained, violated] = measure();
  const VectorX along = rest_.head(unknowns_);
  missing_norm_ = std::max(0.0, gained) / along.norm();
  missing_ = (missing_norm_ / along.norm()) * along.cwiseQuotient(unit_);
  return gained > std::max(0.0, largest_forces * scale_ * violated) ? Verdict::none
                                                                    : Verdict::undecided;
}

BalanceTest::Verdict BalanceTest::operator()(const ComplementarityProblem& problem,
                                             const std::vector<FrictionSet>& sets,
                                             const SparseRows& inertia) {
  load(problem, sets, inertia);
  const int most = 200 + 20 * (size_ + static_cast<int>(sets.size()));
  std::vector<std::pair<double, Generator>> ranked;
  std::vector<Generator> candidates;
  for (int round = 0; round < most; ++round) {
    find_motion();
    const double left = rest_.norm();
    if (left <= rounding * scale_) break;
    ranked.clear();
    for (int k = 0; k < static_cast<int>(sets.size()); ++k) {
      const FrictionSet& set = sets[static_cast<std::size_t>(k)];
      if (set.follows || set.holds()) continue;
      Generator generator = steepest(k);
      write_column(generator);
      if (const double gained = column_.dot(rest_); gained > right_angle * left)
        ranked.emplace_back(gained, generator);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    candidates.clear();
    for (const auto& [gained, generator] : ranked) candidates.push_back(generator);
    if (!enter(candidates)) break;
  }
  find_motion();
  return conclude();
}

}  // namespace vinci
