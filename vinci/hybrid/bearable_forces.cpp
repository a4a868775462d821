// SPDX-License-Identifier: Apache-2.0
// A convex problem: of all λ = λ⁰ + N z, N what the balance does not feel, those with the largest
// margin t to the cones |λ_t| <= μ λ_n + b and to λ_n >= 0, by a barrier method
// [Boyd 2004, chapter 11]. First for contacts alone, so that it is known which of both is lacking.
#include "vinci/hybrid/bearable_forces.h"

#include <optional>

#include <Eigen/Dense>

#include "vinci/hybrid/equations.h"

namespace vinci {
namespace {

// Shares of the largest force: what rounding leaves, and what the barrier method does.
constexpr double rounding = 1e-9;
constexpr double reached = 1e-8;
constexpr double first_weight = 1.0, last_weight = 1e10;
constexpr double same_columns = 1e-9;

// (s, p) = at + rows y with s > |p|.
struct Cone {
  VectorX at;
  MatrixX rows;
};

struct Friction {
  int first = 0, count = 1;  // directions
};

class Choice {
 public:
  Choice(const ConstrainedSystem& system, const HybridState& state, const VectorX& inputs,
         const VectorX& multipliers);

  BearableForces find();

 private:
  bool fits() const;
  VectorX forces() const { return start_ + open_ * y_.head(open_.cols()); }
  std::vector<Cone> cones(bool of_friction) const;
  double largest_margin(const std::vector<Cone>& cones);
  std::optional<double> cost(const std::vector<Cone>& cones, const VectorX& y, double weight) const;
  BearableForces answer(BearableForces::Verdict verdict) const;

  const ConstrainedSystem& system_;
  VectorX multipliers_;
  double scale_ = 1.0;  // N
  std::vector<int> contacts_;
  std::vector<Friction> frictions_;
  VectorX start_;  // λ⁰ in units of scale_
  MatrixX open_;   // N, orthonormal
  VectorX y_;      // z, t
};

Choice::Choice(const ConstrainedSystem& system, const HybridState& state, const VectorX& inputs,
               const VectorX& multipliers)
    : system_(system), multipliers_(multipliers) {
  const auto& constraints = system.constraints();
  const int m = static_cast<int>(constraints.size());
  if (m > 0) scale_ = std::max(multipliers.lpNorm<Eigen::Infinity>(), 1e-300);
  start_ = multipliers / scale_;
  ModeEquations equations(system);
  equations.set(state, inputs);
  equations.frame().accelerations.setZero();
  equations.frame().multipliers = multipliers;
  std::vector<int> active;
  for (int i = 0; i < m; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!acts(state.mode.states[at])) continue;
    active.push_back(i);
    const Constraint& constraint = constraints[at];
    if (constraint.kind == ConstraintKind::contact) contacts_.push_back(i);
    if (constraint.kind != ConstraintKind::friction || constraint.second || constraint.never_slides)
      continue;
    frictions_.push_back({i, i + 1 < m && constraints[at + 1].second ? 2 : 1});
  }
  const auto count = static_cast<Eigen::Index>(active.size());
  const int n = equations.coordinates();
  MatrixX columns(n, count);
  VectorX rows(equations.rows());
  for (Eigen::Index j = 0; j < count; ++j) {
    equations.slope(state.mode, ModeEquations::Argument::multipliers,
                    active[static_cast<std::size_t>(j)], rows);
    columns.col(j) = rows.head(n);
  }
  Eigen::ColPivHouseholderQR<MatrixX> factors(columns.transpose());
  factors.setThreshold(same_columns);
  const Eigen::Index rank = count > 0 ? factors.rank() : 0;
  open_ = MatrixX::Zero(m, count - rank);
  if (count > rank) {
    const MatrixX all = factors.householderQ() * MatrixX::Identity(count, count);
    for (Eigen::Index j = 0; j < count; ++j)
      open_.row(active[static_cast<std::size_t>(j)]) = all.row(j).tail(count - rank);
  }
  y_ = VectorX::Zero(count - rank + 1);
}

bool Choice::fits() const {
  for (const int i : contacts_)
    if (start_[i] < -rounding) return false;
  for (const Friction& friction : frictions_) {
    const Constraint& constraint = system_.constraints()[static_cast<std::size_t>(friction.first)];
    const double most =
        constraint.bound / scale_ +
        (constraint.with >= 0 ? constraint.coefficient * start_[constraint.with] : 0.0);
    if (start_.segment(friction.first, friction.count).norm() > most + rounding) return false;
  }
  return true;
}

std::vector<Cone> Choice::cones(bool of_friction) const {
  std::vector<Cone> list;
  const Eigen::Index size = y_.size();
  const auto add = [&](Eigen::Index height) -> Cone& {
    list.push_back({VectorX::Zero(height), MatrixX::Zero(height, size)});
    return list.back();
  };
  // More room than there are forces is none.
  Cone& most = add(1);
  most.at[0] = 1.0;
  most.rows(0, size - 1) = -1.0;
  for (const int i : contacts_) {
    Cone& cone = add(1);
    cone.at[0] = start_[i] + (of_friction ? 2.0 * reached : 0.0);
    cone.rows.row(0).head(size - 1) = open_.row(i);
    if (!of_friction) cone.rows(0, size - 1) = -1.0;
  }
  if (!of_friction) return list;
  for (const Friction& friction : frictions_) {
    const Constraint& constraint = system_.constraints()[static_cast<std::size_t>(friction.first)];
    Cone& cone = add(1 + friction.count);
    cone.at[0] = constraint.bound / scale_;
    if (constraint.with >= 0) {
      cone.at[0] += constraint.coefficient * start_[constraint.with];
      cone.rows.row(0).head(size - 1) = constraint.coefficient * open_.row(constraint.with);
    }
    cone.rows(0, size - 1) = -1.0;
    cone.at.tail(friction.count) = start_.segment(friction.first, friction.count);
    cone.rows.bottomLeftCorner(friction.count, size - 1) =
        open_.middleRows(friction.first, friction.count);
  }
  return list;
}

// What is to become least; nothing outside of the cones. Forces are kept small, since those of a
// wedge could grow for ever.
std::optional<double> Choice::cost(const std::vector<Cone>& cones, const VectorX& y,
                                   double weight) const {
  const Eigen::Index open = open_.cols();
  double sum = -weight * y[open] + 0.5 * (start_ + open_ * y.head(open)).squaredNorm();
  for (const Cone& cone : cones) {
    const VectorX point = cone.at + cone.rows * y;
    const double across = point.tail(point.size() - 1).norm();
    if (!(point[0] > across)) return {};
    sum -= std::log(point[0] - across) + std::log(point[0] + across);
  }
  return sum;
}

double Choice::largest_margin(const std::vector<Cone>& cones) {
  const Eigen::Index size = y_.size(), last = size - 1;
  // Behind all cones that have a margin.
  y_[last] = 0.0;
  double least = 0.0;
  for (const Cone& cone : cones) {
    if (cone.rows(0, last) == 0.0) continue;
    const VectorX point = cone.at + cone.rows * y_;
    least = std::min(least, point[0] - point.tail(point.size() - 1).norm());
  }
  y_[last] = least - 1.0;
  for (double weight = first_weight; weight <= last_weight; weight *= 10.0) {
    for (int round = 0; round < 100; ++round) {
      VectorX slope = VectorX::Zero(size);
      MatrixX bend = MatrixX::Zero(size, size);
      slope.head(last) = open_.transpose() * forces();
      slope[last] = -weight;
      bend.topLeftCorner(last, last).setIdentity();
      for (const Cone& cone : cones) {
        const VectorX point = cone.at + cone.rows * y_;
        VectorX turned = point;
        turned.tail(point.size() - 1) *= -1.0;
        const double room = point.dot(turned);
        MatrixX own = 4.0 / (room * room) * turned * turned.transpose();
        own.diagonal().array() += 2.0 / room;
        own(0, 0) -= 4.0 / room;
        slope -= 2.0 / room * cone.rows.transpose() * turned;
        bend += cone.rows.transpose() * own * cone.rows;
      }
      const VectorX change = -bend.ldlt().solve(slope);
      const double fall = -slope.dot(change);
      if (!(fall > 1e-12)) break;
      const double here = cost(cones, y_, weight).value_or(infinity);
      double share = 1.0;
      for (; share > 1e-10; share *= 0.5) {
        const auto there = cost(cones, y_ + share * change, weight);
        if (there && *there <= here - 0.01 * share * fall) break;
      }
      if (share <= 1e-10) break;
      y_ += share * change;
    }
    // The largest margin is at most this much larger.
    if (y_[last] > 4.0 * static_cast<double>(cones.size()) / weight) break;
  }
  return y_[last];
}

BearableForces Choice::answer(BearableForces::Verdict verdict) const {
  VectorX chosen = forces();
  for (const int i : contacts_)
    if (chosen[i] < 0.0 && chosen[i] > -4.0 * reached) chosen[i] = 0.0;
  return {verdict, scale_ * chosen};
}

BearableForces Choice::find() {
  using Verdict = BearableForces::Verdict;
  if (fits()) return {Verdict::fit, multipliers_};
  if (!contacts_.empty() && largest_margin(cones(false)) < -reached)
    return {Verdict::pull, multipliers_};
  const double margin = largest_margin(cones(true));
  return answer(margin < -reached ? Verdict::slide : Verdict::fit);
}

}  // namespace

BearableForces bearable_forces(const ConstrainedSystem& system, const HybridState& state,
                               const VectorX& inputs, const VectorX& multipliers) {
  return Choice(system, state, inputs, multipliers).find();
}

}  // namespace vinci
