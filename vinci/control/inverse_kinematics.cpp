// SPDX-License-Identifier: Apache-2.0
// Minimises ½|e|², e = (x* − x, L log(R* Rᵀ)), over the rates of the joints that move the tip.
#include "vinci/control/inverse_kinematics.h"

#include <algorithm>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

class Search {
 public:
  Search(Robot& robot, const Tip& tip, const Pose& target, const InverseKinematicsOptions& options)
      : robot_(robot), tip_(tip), target_(target), options_(options) {
    for (int body = tip.body; body >= 0 && robot.model().tree_joint[body] >= 0;
         body = parent_body(robot.model(), body)) {
      const Joint& joint = robot.model().joints[robot.model().tree_joint[body]];
      for (int k = rate_count(joint.kind) - 1; k >= 0; --k)
        if (const int rate = joint.first_rate + k; is_allowed(rate)) rates_.push_back(rate);
    }
    std::reverse(rates_.begin(), rates_.end());
    rows_ = options.position_only ? 3 : 6;
    // In loops all joints go along; those that nobody may lead with stay where they do not have to.
    if (robot.closures() == 0) return;
    rates_.clear();
    for (int rate = 0; rate < robot.rates(); ++rate)
      if (is_allowed(rate) || follows(rate)) rates_.push_back(rate);
  }

  InverseKinematicsResult run(const VectorX& start) {
    length_ = options_.length > 0.0 ? options_.length : reach(start);
    InverseKinematicsResult best;
    best.positions = start;
    double least = infinity;
    int used = 0;
    const int starts = count() > 0 ? std::max(1, options_.starts) : 0;
    for (int number = 0; number < starts; ++number) {
      VectorX q = start;
      if (number > 0) scatter(number, q);
      clamp(q);
      descend(q, used);
      const double size = error(q).norm();
      if (size < least) {
        least = size;
        best.positions = q;
      }
      best.starts = number + 1;
      if (reached(q)) {
        best.positions = q;
        break;
      }
    }
    if (options_.posture && reached(best.positions)) settle(start, best.positions, used);
    best.iterations = used;
    finish(best);
    return best;
  }

 private:
  int count() const { return static_cast<int>(rates_.size()); }
  bool is_allowed(int rate) const {
    const std::vector<int>& all = options_.rates;
    return all.empty() || std::find(all.begin(), all.end(), rate) != all.end();
  }

  // Neither led with nor kept: a joint of a loop, or one that a coupling leads.
  bool follows(int rate) {
    if (closure_.size() == 0) {
      robot_.place(robot_.start().positions);
      robot_.closure_rows(closure_);
    }
    return robot_.freedom(rate).motor.kind == MotorKind::none &&
           closure_.col(rate).cwiseAbs().maxCoeff() > 0.0;
  }

  // From the base of the tip's chain to the tip.
  double reach(const VectorX& q) {
    robot_.place(q);
    MatrixX all;
    robot_.jacobian(tip_, all);
    double most = 0.0;
    for (const int rate : rates_)
      if (all.col(rate).tail<3>().norm() > 0.5)
        most = std::max(most, all.col(rate).head<3>().norm());
    return most > 1e-9 ? most : 1.0;
  }

  // Of the tip, then what loops and couplings are open by.
  VectorX error(const VectorX& q) {
    VectorX e(rows_ + robot_.closures());
    if (robot_.closures() > 0) {
      robot_.openings(q, open_);
      e.tail(robot_.closures()) = -open_;
    } else {
      robot_.place(q);
    }
    const Pose now = robot_.pose(tip_);
    e.head<3>() = target_.position - now.position;
    if (rows_ == 6)
      e.segment<3>(3) =
          length_ * rotation_vector((target_.rotation * now.rotation.conjugate()).normalized());
    return e;
  }

  bool reached(const VectorX& q) {
    const VectorX e = error(q);
    return e.head<3>().norm() <= options_.position_tolerance &&
           (rows_ == 3 || e.segment<3>(3).norm() <= length_ * options_.rotation_tolerance) &&
           e.tail(robot_.closures()).lpNorm<Eigen::Infinity>() <= options_.position_tolerance;
  }

  void find_jacobian() {
    robot_.jacobian(tip_, all_);
    jacobian_.setZero(rows_ + robot_.closures(), count());
    for (int i = 0; i < count(); ++i)
      jacobian_.col(i).head(rows_) = all_.col(rates_[i]).head(rows_);
    if (rows_ == 6) jacobian_.middleRows<3>(3) *= length_;
    if (robot_.closures() == 0) return;
    robot_.closure_rows(closure_);
    for (int i = 0; i < count(); ++i)
      jacobian_.col(i).tail(robot_.closures()) = closure_.col(rates_[i]);
  }

  // Coordinates spread evenly: the additive recurrence of irrational steps [Roberts 2018].
  void scatter(int number, VectorX& q) const {
    double root = 2.0;
    for (int i = 0; i < 60; ++i) root = std::pow(1.0 + root, 1.0 / (count() + 1.0));
    double step = 1.0;
    VectorX steps = VectorX::Zero(robot_.rates());
    for (const int rate : rates_) {
      step /= root;
      const double share = 0.5 + number * step - std::floor(0.5 + number * step);
      const int at = robot_.coordinate_of(rate);
      if (at < 0) {
        steps[rate] = M_PI * (2.0 * share - 1.0);
        continue;
      }
      const double low = robot_.lower(rate), high = robot_.upper(rate);
      const double span = turns(rate) ? M_PI : length_;
      if (low > -infinity && high < infinity)
        q[at] = low + share * (high - low);
      else
        q[at] = q[at] + span * (2.0 * share - 1.0);
    }
    robot_.advance(q, steps);
  }

  bool turns(int rate) const {
    for (const Joint& joint : robot_.model().joints)
      if (rate >= joint.first_rate && rate < joint.first_rate + rate_count(joint.kind))
        return is_turning(joint.kind, rate - joint.first_rate);
    return true;
  }

  void clamp(VectorX& q) const {
    for (const int rate : rates_)
      if (const int at = robot_.coordinate_of(rate); at >= 0)
        q[at] = std::min(std::max(q[at], robot_.lower(rate)), robot_.upper(rate));
  }

  // Whether a freedom is at a limit that a step in this sense would break.
  bool blocked(const VectorX& q, int i, double sense) const {
    const int rate = rates_[static_cast<std::size_t>(i)], at = robot_.coordinate_of(rate);
    if (at < 0) return false;
    return (sense > 0.0 && q[at] >= robot_.upper(rate)) ||
           (sense < 0.0 && q[at] <= robot_.lower(rate));
  }

  // The step of damped least squares over the freedoms that limits leave: those whose step leads
  // over a limit stay, until none does.
  VectorX bounded_step(const VectorX& q, const VectorX& gradient, double damping) const {
    std::vector<bool> held(static_cast<std::size_t>(count()));
    for (int i = 0; i < count(); ++i)
      held[static_cast<std::size_t>(i)] = blocked(q, i, gradient[i]);
    VectorX step = VectorX::Zero(count());
    for (int round = 0; round <= count(); ++round) {
      MatrixX matrix = jacobian_.transpose() * jacobian_;
      VectorX right = gradient;
      matrix.diagonal().array() += damping;
      for (int i = 0; i < count(); ++i) {
        if (!held[static_cast<std::size_t>(i)]) continue;
        matrix.row(i).setZero();
        matrix.col(i).setZero();
        matrix(i, i) = 1.0;
        right[i] = 0.0;
      }
      step = matrix.ldlt().solve(right);
      bool changed = false;
      for (int i = 0; i < count(); ++i)
        if (!held[static_cast<std::size_t>(i)] && blocked(q, i, step[i]))
          held[static_cast<std::size_t>(i)] = changed = true;
      if (!changed) break;
    }
    return step;
  }

  void move(VectorX& q, const VectorX& step) const {
    VectorX steps = VectorX::Zero(robot_.rates());
    for (int i = 0; i < count(); ++i) steps[rates_[static_cast<std::size_t>(i)]] = step[i];
    robot_.advance(q, steps);
    clamp(q);
  }

  void descend(VectorX& q, int& used) {
    VectorX e = error(q);
    double damping = 1e-3 * length_ * length_;
    int stalled = 0;
    for (int i = 0; i < options_.iterations; ++i, ++used) {
      const double before = e.squaredNorm();
      if (reached(q)) {
        // One step more: Newton's last digits are cheap.
        find_jacobian();
        VectorX next = q;
        move(next, bounded_step(q, jacobian_.transpose() * e, 1e-14 * length_ * length_));
        if (error(next).squaredNorm() < before) q = next;
        return;
      }
      find_jacobian();
      const VectorX gradient = jacobian_.transpose() * e;
      VectorX next;
      double after = infinity;
      for (int trial = 0; trial < 30; ++trial) {
        next = q;
        VectorX step = bounded_step(q, gradient, damping);
        if (const double most = step.size() > 0 ? step.cwiseAbs().maxCoeff() : 0.0; most > 0.5)
          step *= 0.5 / most;
        move(next, step);
        after = error(next).squaredNorm();
        if (after < before) break;
        damping = std::max(4.0 * damping, 1e-12 * length_ * length_);
      }
      if (!(after < before)) return;
      damping *= 0.2;
      stalled = after > 0.999 * before ? stalled + 1 : 0;
      q = next;
      e = error(q);
      if (stalled > 8) return;
    }
  }

  // Along what the tip does not feel, towards the preferred coordinates; then back to the target.
  void settle(const VectorX& start, VectorX& q, int& used) {
    const auto wish = [&](const VectorX& at_q) {
      VectorX way = VectorX::Zero(count());
      for (int i = 0; i < count(); ++i) {
        const int rate = rates_[static_cast<std::size_t>(i)], at = robot_.coordinate_of(rate);
        if (at < 0) continue;
        double goal = start[at];
        if (options_.preferred.size() > 0) {
          goal = options_.preferred[at];
        } else if (robot_.lower(rate) > -infinity && robot_.upper(rate) < infinity) {
          goal = 0.5 * (robot_.lower(rate) + robot_.upper(rate));
        }
        way[i] = goal - at_q[at];
      }
      return way;
    };
    for (int i = 0; i < options_.iterations; ++i, ++used) {
      robot_.place(q);
      find_jacobian();
      VectorX way = wish(q);
      const double cost = way.squaredNorm();
      // Freedoms at a limit that the way leads over are left out, again until none is.
      MatrixX open = jacobian_;
      VectorX step = way;
      for (int round = 0; round <= count(); ++round) {
        const Eigen::JacobiSVD<MatrixX> svd(open, Eigen::ComputeThinU | Eigen::ComputeThinV);
        step = way;
        for (int k = 0; k < svd.singularValues().size(); ++k)
          if (svd.singularValues()[k] > 1e-8 * svd.singularValues()[0])
            step -= svd.matrixV().col(k) * svd.matrixV().col(k).dot(way);
        bool changed = false;
        for (int k = 0; k < count(); ++k)
          if (blocked(q, k, step[k]) && std::abs(step[k]) > 1e-14) {
            way[k] = 0.0;
            open.col(k).setZero();
            changed = true;
          }
        if (!changed) break;
      }
      if (step.norm() < 1e-9) return;
      double share = std::min(1.0, 0.3 / step.cwiseAbs().maxCoeff());
      bool better = false;
      for (int trial = 0; trial < 20 && !better; ++trial, share *= 0.5) {
        VectorX next = q;
        move(next, share * step);
        descend(next, used);
        better = reached(next) && wish(next).squaredNorm() < cost;
        if (better) q = next;
      }
      if (!better) return;
    }
  }

  // Of the tip alone, per combination of rates that loops and couplings leave.
  MatrixX tip_motions() const {
    const MatrixX own = jacobian_.topRows(rows_);
    if (robot_.closures() == 0) return own;
    Eigen::ColPivHouseholderQR<MatrixX> factors;
    factors.setThreshold(1e-9);
    factors.compute(jacobian_.bottomRows(robot_.closures()).transpose());
    const MatrixX basis = factors.householderQ() * MatrixX::Identity(count(), count());
    return own * basis.rightCols(count() - factors.rank());
  }

  void finish(InverseKinematicsResult& result) {
    const VectorX e = error(result.positions);
    result.position_error = e.head<3>().norm();
    result.rotation_error = rows_ == 6 ? e.segment<3>(3).norm() / length_ : 0.0;
    result.reached = reached(result.positions);
    find_jacobian();
    if (count() == 0) return;
    const VectorX values = Eigen::JacobiSVD<MatrixX>(tip_motions()).singularValues();
    // Fewer joints than rows: what they can do at all.
    result.smallest_singular_value = values[values.size() - 1];
    result.singular = !(values[values.size() - 1] > 1e-6 * values[0]);
  }

  Robot& robot_;
  const Tip& tip_;
  const Pose& target_;
  const InverseKinematicsOptions& options_;
  std::vector<int> rates_;  // that move the tip, from the base on
  int rows_ = 6;
  double length_ = 1.0;
  MatrixX all_, jacobian_, closure_;
  VectorX open_;
};

}  // namespace

InverseKinematicsResult inverse_kinematics(Robot& robot, const Tip& tip, const Pose& target,
                                           const VectorX& start,
                                           const InverseKinematicsOptions& options) {
  const auto check = [&](const VectorX& list, const char* name) {
    if (list.size() != robot.coordinates() || !list.allFinite())
      throw Error(fmt::format("{} numbers; accepted: one finite number per joint coordinate, {}",
                              list.size(), robot.coordinates()),
                  name);
  };
  check(start, "start");
  if (options.preferred.size() > 0) check(options.preferred, "preferred");
  if (!target.position.allFinite() || !target.rotation.coeffs().allFinite())
    throw Error("is not finite", "target");
  return Search(robot, tip, target, options).run(start);
}

}  // namespace vinci
