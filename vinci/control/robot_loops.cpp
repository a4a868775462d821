// SPDX-License-Identifier: Apache-2.0
// Loops and couplings of a mechanism, closed numerically. With rows G over all joint rates u,
// G u = 0; a basis S of what they leave; M u' + c the inertial forces of the open tree:
//
//   u' = u'₀ + S y',  G u'₀ = −G' u,  Sᵀ (M u' + c) = Sᵀ B τ
//
// with B the columns of the driven rates and of those that something else holds. G' u is a
// difference of fourth order along the motion.
#include <algorithm>

#include <Eigen/QR>

#include "vinci/control/robot.h"
#include "vinci/kinematics/joint_rows.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

// What is smaller than the largest pivot by this is none: rows of loops may be redundant.
constexpr double rank_share = 1e-9;

using Decomposition = Eigen::CompleteOrthogonalDecomposition<MatrixX>;

Decomposition decomposed(const MatrixX& matrix) {
  Decomposition result;
  result.setThreshold(rank_share);
  result.compute(matrix);
  return result;
}

}  // namespace

void Robot::count_closures() {
  closures_ = static_cast<int>(model_.couplings.size());
  for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j) {
    if (!is_loop_joint(model_, j)) continue;
    const JointKind kind = model_.joints[static_cast<std::size_t>(j)].kind;
    loops_.push_back(j);
    closures_ += joint_row_count(kind, model_.world) + rate_count(kind);
  }
}

// What the joint forbids, then what its own rates are.
void Robot::add_loop_rows(const std::vector<Pose>& poses, const Tree& tree,
                          const VectorX& positions, int joint, int& row, VectorX* errors,
                          MatrixX* rows) {
  const Joint& own = model_.joints[static_cast<std::size_t>(joint)];
  const auto pose = [&](int body) {
    return body < 0 ? Pose() : poses[static_cast<std::size_t>(body)];
  };
  const Pose a = pose(own.body_a), b = pose(own.body_b);
  const Vector3 point = b * own.frame_b.position;
  MatrixX relative;  // velocity of b against a at the point, per unknown
  if (rows) {
    relative.setZero(6, model_.free_count);
    for (const auto& [body, sign] : {std::pair{own.body_b, 1.0}, {own.body_a, -1.0}}) {
      if (body < 0) continue;
      const Body& moved = model_.bodies[static_cast<std::size_t>(body)];
      tree.jacobian(body, point - pose(body) * moved.mass.center, dense_);
      relative += sign * dense_;
    }
  }
  const auto write = [&](const Vector3& linear, const Vector3& angular) {
    if (!rows) return;
    for (int i = 0; i < this->rates(); ++i)
      if (const int unknown = model_.rate_index[i]; unknown >= 0)
        (*rows)(row, i) = linear.dot(relative.col(unknown).head<3>()) +
                          angular.dot(relative.col(unknown).tail<3>());
  };
  std::array<double, 4> q{};
  std::copy_n(positions.data() + own.first_coordinate, position_count(own.kind), q.begin());
  JointRows forbidden;
  joint_rows(own, model_.world, a, b, q[0], forbidden);
  for (int i = 0; i < forbidden.count; ++i, ++row) {
    const JointRow& one = forbidden.rows[static_cast<std::size_t>(i)];
    write(one.linear, one.angular);
    if (errors) (*errors)[row] = one.error;
  }
  std::array<double, 4> read = q;
  read_coordinates(own, a, b, read.data());
  for (int k = 0; k < rate_count(own.kind); ++k, ++row) {
    const Twist one = rate_row(own, a, b, k);
    write(one.linear, one.angular);
    if (rows) (*rows)(row, own.first_rate + k) = -1.0;
    // Coordinates of balls are read, not searched for.
    if (errors)
      (*errors)[row] = own.kind == JointKind::ball
                           ? 0.0
                           : read[static_cast<std::size_t>(k)] - q[static_cast<std::size_t>(k)];
  }
}

void Robot::rows_at(const std::vector<Pose>& poses, const Tree& tree, const VectorX& positions,
                    VectorX* errors, MatrixX* rows) {
  if (errors) errors->setZero(closures_);
  if (rows) rows->setZero(closures_, rates());
  int row = 0;
  for (const int joint : loops_) add_loop_rows(poses, tree, positions, joint, row, errors, rows);
  for (const Coupling& coupling : model_.couplings) {
    const Joint& a = model_.joints[static_cast<std::size_t>(coupling.joint_a)];
    const Joint& b = model_.joints[static_cast<std::size_t>(coupling.joint_b)];
    if (rows) {
      (*rows)(row, b.first_rate + coupling.freedom_b) = 1.0;
      (*rows)(row, a.first_rate + coupling.freedom_a) = -coupling.ratio;
    }
    if (errors)
      (*errors)[row] = positions[b.first_coordinate + coupling.freedom_b] -
                       coupling.ratio * positions[a.first_coordinate + coupling.freedom_a] -
                       coupling.offset;
    ++row;
  }
}

void Robot::openings(const VectorX& positions, VectorX& errors) {
  place(positions);
  rows_at(poses_, tree_, positions_, &errors, nullptr);
}

void Robot::closure_rows(MatrixX& rows) {
  rows_at(poses_, tree_, positions_, nullptr, &rows);
}

double Robot::close(VectorX& positions, const std::vector<int>& held) {
  if (closures_ == 0) {
    place(positions);
    return 0.0;
  }
  constexpr int most_rounds = 60;
  constexpr double closed = 1e-14;
  std::vector<int> open;
  for (int i = 0; i < rates(); ++i)
    if (std::find(held.begin(), held.end(), i) == held.end()) open.push_back(i);
  VectorX errors, step(rates());
  MatrixX rows, slopes(closures_, static_cast<Eigen::Index>(open.size()));
  openings(positions, errors);
  for (int round = 0; round < most_rounds; ++round) {
    const double before = errors.cwiseAbs().maxCoeff();
    if (!(before > closed) || open.empty()) break;
    closure_rows(rows);
    for (std::size_t i = 0; i < open.size(); ++i)
      slopes.col(static_cast<Eigen::Index>(i)) = rows.col(open[i]);
    VectorX change = decomposed(slopes).solve(-errors);
    // Angles far off are not to go round several times.
    if (const double most = change.cwiseAbs().maxCoeff(); most > 0.5) change *= 0.5 / most;
    step.setZero();
    for (std::size_t i = 0; i < open.size(); ++i)
      step[open[i]] = change[static_cast<Eigen::Index>(i)];
    VectorX next = positions, left;
    advance(next, step);
    openings(next, left);
    // Near the end roundings decide.
    if (before < 1e-10 && !(left.cwiseAbs().maxCoeff() < before)) break;
    positions = next;
    errors = left;
  }
  openings(positions, errors);
  for (const int joint : loops_) {
    const Joint& own = model_.joints[static_cast<std::size_t>(joint)];
    const auto pose = [&](int body) {
      return body < 0 ? Pose() : poses_[static_cast<std::size_t>(body)];
    };
    if (own.kind == JointKind::ball)
      read_coordinates(own, pose(own.body_a), pose(own.body_b),
                       positions.data() + own.first_coordinate);
  }
  place(positions);
  return errors.cwiseAbs().maxCoeff();
}

// S, where it is.
void Robot::find_free_motions() {
  if (closures_ == 0) {
    free_ = MatrixX::Identity(rates(), rates());
    return;
  }
  closure_rows(closure_);
  Eigen::ColPivHouseholderQR<MatrixX> factors;
  factors.setThreshold(rank_share);
  factors.compute(closure_.transpose());
  const Eigen::Index left = rates() - factors.rank();
  const MatrixX basis = factors.householderQ() * MatrixX::Identity(rates(), rates());
  free_ = basis.rightCols(left);
}

void Robot::complete_rates(VectorX& rates) {
  find_free_motions();
  std::vector<int> driven;
  for (int i = 0; i < this->rates(); ++i)
    if (is_driven(i)) driven.push_back(i);
  MatrixX part(static_cast<Eigen::Index>(driven.size()), free_.cols());
  VectorX wanted(part.rows());
  for (std::size_t i = 0; i < driven.size(); ++i) {
    part.row(static_cast<Eigen::Index>(i)) = free_.row(driven[i]);
    wanted[static_cast<Eigen::Index>(i)] = rates[driven[i]];
  }
  rates = free_ * decomposed(part).solve(wanted);
}

// c of all rates, with what springs and dampers of joints take.
void Robot::find_bias(bool with_springs, VectorX& bias) {
  dynamics_.bias(tree_, {velocities_, rates_, weights_}, answer_);
  to_rates(answer_, bias);
  for (int i = 0; with_springs && i < rates(); ++i) {
    const JointFreedom& own = freedom(i);
    bias[i] += own.damping * rates_[i];
    if (coordinate_of(i) >= 0) bias[i] += own.stiffness * (positions_[coordinate_of(i)] - own.rest);
  }
}

// Accelerations that keep the loops closed while nothing else changes the rates. The basis is
// there.
VectorX Robot::particular_accelerations() {
  const double fastest = rates_.size() > 0 ? rates_.cwiseAbs().maxCoeff() : 0.0;
  if (closures_ == 0 || !(fastest > 0.0)) return VectorX::Zero(rates());
  const double aside = 1e-3 / fastest;  // s
  const VectorX positions = positions_, u = rates_;
  const auto product = [&](double seconds) -> VectorX {
    VectorX moved = positions;
    advance(moved, seconds * u);
    place(moved, u);
    MatrixX rows;
    closure_rows(rows);
    return rows * u;
  };
  const VectorX change =
      (8.0 * (product(aside) - product(-aside)) - (product(2.0 * aside) - product(-2.0 * aside))) /
      (12.0 * aside);
  place(positions, u);
  return decomposed(closure_).solve(-change);
}

void Robot::solve_driven(const VectorX& accelerations, const VectorX& bias, VectorX& efforts) {
  find_free_motions();
  const VectorX along = particular_accelerations();
  MatrixX mass;
  mass_matrix(mass);
  std::vector<int> acted;
  for (int i = 0; i < rates(); ++i)
    if (driven_[static_cast<std::size_t>(i)] || held_[static_cast<std::size_t>(i)])
      acted.push_back(i);
  const auto count = static_cast<Eigen::Index>(acted.size());
  MatrixX part(count, free_.cols());  // Bᵀ S
  VectorX wanted(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const int rate = acted[static_cast<std::size_t>(i)];
    part.row(i) = free_.row(rate);
    wanted[i] = (is_driven(rate) ? accelerations[rate] : 0.0) - along[rate];
  }
  const MatrixX own = free_.transpose() * mass * free_;
  const VectorX load = free_.transpose() * (mass * along + bias);
  const Decomposition factors = decomposed(part);
  VectorX found;
  if (factors.rank() == count) {
    // The rest moves as it will.
    const Eigen::Index size = free_.cols() + count;
    MatrixX matrix = MatrixX::Zero(size, size);
    matrix.topLeftCorner(free_.cols(), free_.cols()) = own;
    matrix.topRightCorner(free_.cols(), count) = -part.transpose();
    matrix.bottomLeftCorner(count, free_.cols()) = part;
    VectorX right(size);
    right << -load, wanted;
    Decomposition whole;
    whole.setThreshold(1e-14);
    whole.compute(matrix);
    found = whole.solve(right).tail(count);
  } else {
    // More drives than freedoms: the least efforts.
    const VectorX y = factors.solve(wanted);
    found = decomposed(part.transpose()).solve(own * y + load);
  }
  efforts.setZero(rates());
  for (Eigen::Index i = 0; i < count; ++i) efforts[acted[static_cast<std::size_t>(i)]] = found[i];
}

void Robot::gravity_efforts(VectorX& efforts) {
  resting_.setZero(rates());
  to_unknowns(resting_, unknowns_);
  dynamics_.inverse(tree_, {still_, resting_, weights_}, unknowns_, answer_);
  to_rates(answer_, efforts);
  if (closures_ > 0) {
    find_free_motions();
    const VectorX load = free_.transpose() * efforts;
    std::vector<int> driven;
    for (int i = 0; i < rates(); ++i)
      if (is_driven(i)) driven.push_back(i);
    MatrixX part(free_.cols(), static_cast<Eigen::Index>(driven.size()));
    for (std::size_t i = 0; i < driven.size(); ++i)
      part.col(static_cast<Eigen::Index>(i)) = free_.row(driven[i]).transpose();
    const VectorX found = decomposed(part).solve(load);
    efforts.setZero();
    for (std::size_t i = 0; i < driven.size(); ++i)
      efforts[driven[i]] = found[static_cast<Eigen::Index>(i)];
  }
  for (int i = 0; i < rates(); ++i)
    if (!is_driven(i)) efforts[i] = 0.0;
}

// With S of what moves, S y' its accelerations: those of the driven rates are P y', of the tip
// J S y', and y' = (Sᵀ M S)⁻¹ Pᵀ τ.
void Robot::tip_efforts(const Tip& tip, const std::vector<int>& axes, const VectorX& accelerations,
                        VectorX& efforts) {
  find_free_motions();
  std::vector<int> driven, held;
  for (int i = 0; i < rates(); ++i)
    if (is_driven(i))
      driven.push_back(i);
    else if (held_[static_cast<std::size_t>(i)])
      held.push_back(i);
  const auto rows = [](const MatrixX& matrix, const std::vector<int>& chosen) {
    MatrixX result(static_cast<Eigen::Index>(chosen.size()), matrix.cols());
    for (Eigen::Index i = 0; i < result.rows(); ++i)
      result.row(i) = matrix.row(chosen[static_cast<std::size_t>(i)]);
    return result;
  };
  MatrixX motions = free_;
  if (!held.empty()) {
    Eigen::ColPivHouseholderQR<MatrixX> factors;
    factors.setThreshold(rank_share);
    factors.compute(rows(free_, held).transpose());
    const MatrixX basis = factors.householderQ() * MatrixX::Identity(free_.cols(), free_.cols());
    motions = free_ * basis.rightCols(free_.cols() - factors.rank());
  }
  MatrixX mass, whole;
  mass_matrix(mass);
  jacobian(tip, whole);
  const MatrixX drives = rows(motions, driven), along = rows(whole, axes) * motions;
  const MatrixX answer = decomposed(motions.transpose() * mass * motions).solve(drives.transpose());
  const MatrixX inverse = drives * answer, tips = along * answer;
  // τ = A⁻¹ Gᵀ (G A⁻¹ Gᵀ)⁻¹ a, A τ the accelerations of the drives and G τ those of the tip.
  const MatrixX weighted = decomposed(inverse).solve(tips.transpose());
  const VectorX found = weighted * decomposed(tips * weighted).solve(accelerations);
  efforts.setZero(rates());
  for (std::size_t i = 0; i < driven.size(); ++i)
    efforts[driven[i]] = found[static_cast<Eigen::Index>(i)];
}

// Of forces along the rates that are left over.
bool Robot::forward_in_loops(const VectorX& forces, VectorX& accelerations) {
  find_free_motions();
  const VectorX along = particular_accelerations();
  MatrixX mass;
  mass_matrix(mass);
  const MatrixX own = free_.transpose() * mass * free_;
  Decomposition factors;
  factors.setThreshold(1e-14);
  factors.compute(own);
  accelerations = along + free_ * factors.solve(free_.transpose() * (forces - mass * along));
  return accelerations.allFinite() && factors.rank() == free_.cols();
}

}  // namespace vinci
