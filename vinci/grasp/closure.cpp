// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/closure.h"

#include <algorithm>

#include <Eigen/SVD>

#include "vinci/grasp/cone_program.h"
#include "vinci/grasp/cone_rows.h"

namespace vinci {
namespace {

constexpr double rank_tolerance = 1e-10;  // of singular values, relative to the largest
constexpr double boundary = 1e-9;         // margins below it are not told from 0

// Loads that balance with the largest margin, and the multipliers of the balance. `rows`: the
// balance in coordinates in which it has full rank.
struct MarginAnswer {
  double margin;
  VectorX unknowns, multipliers;
};

// With `pressing` normal forces are not negative, which margins above 0 say by themselves; without,
// there is always an answer.
MarginAnswer largest_margin(const GraspMap& map, const MatrixX& rows, bool pressing) {
  const int columns = static_cast<int>(map.matrix.cols());
  double unit = 0.0;
  for (const ContactCone& contact : map.contacts) {
    if (contact.groups.empty()) unit = std::max(unit, 1.0);
    for (const auto& group : contact.groups) unit = std::max(unit, group.margin);
  }
  ConeProgram program(columns + 1);  // the last is t in units of `unit`
  program.cost[columns] = -1.0;
  VectorX row = VectorX::Zero(columns + 1);
  for (int i = 0; i < rows.rows(); ++i) {
    row.head(columns) = rows.row(i);
    program.add_equality(row, 0.0);
  }
  row.setZero();
  for (const int first : map.first) row[first] = 1.0;
  program.add_equality(row, 1.0);
  for (std::size_t i = 0; i < map.contacts.size(); ++i) {
    int column = map.first[i];
    const int normal = column++;
    if (map.contacts[i].groups.empty()) {
      row.setZero();
      row[normal] = 1.0;
      row[columns] = -unit;
      program.add_at_least(row, 0.0);
    }
    if (pressing) program.add_at_least(VectorX::Unit(columns + 1, normal), 0.0);
    for (const auto& group : map.contacts[i].groups) {
      const int size = static_cast<int>(group.coefficients.size());
      MatrixX factor = MatrixX::Zero(size + 1, columns + 1);
      factor(0, normal) = 1.0;
      factor(0, columns) = -unit / group.margin;
      factor.block(1, column, size, size).setIdentity();
      program.add_cone(factor, VectorX::Zero(size + 1));
      column += size;
    }
  }
  const ConeSolution solution = solve(program);
  const bool solved = measure(program, solution).worst() < boundary;
  return {solved || !pressing ? unit * solution.x[columns] : -infinity, solution.x.head(columns),
          solution.y.head(rows.rows())};
}

// Turns the proof into the one of an open grasp, with the direction y (scaled, any length).
void open_along(const Grasp& grasp, const GraspMap& map, const VectorX& y, ClosureProof& proof) {
  proof.closed = false;
  if (!(y.norm() > 0.0)) return;
  proof.direction = map.unscaled(y.normalized());
  proof.push = push_along(grasp, proof.direction);
  proof.proved = proof.push <= boundary;
}

}  // namespace

// As the motion y would move the contact's point: a force f gives f·(a + b × p/ℓ) along y = (a, b).
double push_along(const Grasp& grasp, const Vector6& direction) {
  const double length = length_of(grasp);
  const bool planar = grasp.world == World::planar;
  Vector3 a = direction.head<3>(), b = direction.tail<3>() / length;
  if (planar) a.z() = b.x() = b.y() = 0.0;
  double most = -infinity;
  for (const GraspContact& contact : grasp.contacts) {
    const ContactAxesOfGrasp axes = axes_of(grasp.world, contact);
    Vector3 arm = contact.position - grasp.center;
    if (planar) arm.z() = 0.0;
    const Vector3 v = a + b.cross(arm) / length, turn = b / length;
    const double mu_1 = contact.friction, mu_2 = planar ? 0.0 : contact.friction_2.value_or(mu_1);
    const double spin = planar ? 0.0 : turn.dot(axes.normal);
    const double twist = std::sqrt(mu_1 * mu_2) * contact.moments.radius * spin;
    const double roll =
        std::hypot(planar ? 0.0 : turn.dot(axes.tangent_1), turn.dot(axes.tangent_2));
    const double push =
        axes.normal.dot(v) +
        std::hypot(mu_1 * axes.tangent_1.dot(v), mu_2 * axes.tangent_2.dot(v), twist) +
        contact.moments.rolling * roll + contact.moments.torsion * std::abs(spin);
    most = std::max(most, push);
  }
  return most;
}

BalanceCheck check_balance(const Grasp& grasp, std::span<const ContactLoad> loads) {
  BalanceCheck check;
  if (loads.empty() || loads.size() != grasp.contacts.size()) return check;
  const GraspMap map = grasp_map(grasp);
  check.imbalance = map.scaled(wrench_of(grasp, loads)).norm();
  check.least_margin = infinity;
  double largest = 1.0;  // of the coefficients
  for (std::size_t i = 0; i < loads.size(); ++i) {
    check.least_margin =
        std::min(check.least_margin, margin_of(grasp, static_cast<int>(i), loads[i]));
    for (const auto& group : map.contacts[i].groups)
      largest = std::max(largest, group.coefficients.cwiseAbs().maxCoeff());
  }
  // Loads that remove the imbalance r are at most |r|/σ away: they leave the cones alone if the
  // margins are larger than what (1 + μ) of it can take.
  Eigen::JacobiSVD<MatrixX> svd(map.matrix);
  const auto& values = svd.singularValues();
  const bool spans =
      values.size() >= map.dimension && values[map.dimension - 1] > rank_tolerance * values[0];
  check.proves = spans && check.least_margin > 2.0 * largest * (check.imbalance + machine_epsilon) /
                                                   values[map.dimension - 1];
  return check;
}

ClosureProof prove_closure(const Grasp& grasp) {
  const GraspMap map = grasp_map(grasp);
  ClosureProof proof;
  proof.margin = -infinity;
  if (map.contacts.empty()) {
    open_along(grasp, map, VectorX::Unit(map.dimension, 0), proof);
    proof.push = 0.0;
    proof.proved = true;
    return proof;
  }
  Eigen::JacobiSVD<MatrixX> svd(map.matrix, Eigen::ComputeFullU | Eigen::ComputeThinV);
  const VectorX values = svd.singularValues();
  while (proof.rank < values.size() && values[proof.rank] > rank_tolerance * values[0])
    ++proof.rank;
  proof.weakest_column = values.size() < map.dimension ? 0.0 : values[map.dimension - 1];
  const MatrixX basis = svd.matrixU().leftCols(proof.rank);
  const MatrixX rows = basis.transpose() * map.matrix;
  // Directions y along which every normal pushes back and no tangent counts: Gᵀ y = −(1, 0, ...).
  VectorX normals = VectorX::Zero(map.matrix.cols());
  for (const int first : map.first) normals[first] = 1.0;
  const VectorX back = rows.transpose().colPivHouseholderQr().solve(-normals);
  if ((rows.transpose() * back + normals).norm() <= rank_tolerance * normals.norm()) {
    open_along(grasp, map, basis * back, proof);
    return proof;
  }
  const MarginAnswer answer = largest_margin(map, rows, false);
  proof.margin = answer.margin > 0.0 ? answer.margin : largest_margin(map, rows, true).margin;
  if (proof.rank < map.dimension) {
    open_along(grasp, map, svd.matrixU().col(proof.rank), proof);
    return proof;
  }
  if (answer.margin > boundary) {
    proof.loads = map.loads(answer.unknowns);
    const BalanceCheck check = check_balance(grasp, proof.loads);
    proof.imbalance = check.imbalance;
    proof.least_margin = check.least_margin;
    proof.closed = proof.proved = check.proves;
    if (check.proves) return proof;
    proof.loads.clear();
  }
  // Of y and −y the one along which less is to be had: the sign of multipliers is a convention.
  const VectorX y = basis * answer.multipliers;
  open_along(grasp, map, map.support(y) < map.support(-y) ? y : VectorX(-y), proof);
  // Where a half space of directions serves, the one farthest from all that contacts give.
  if (const Separation best = separate(grasp); best.value < proof.push - boundary)
    open_along(grasp, map, map.scaled(best.direction), proof);
  return proof;
}

Separation separate(const Grasp& grasp) {
  const GraspMap map = grasp_map(grasp);
  Separation result;
  if (map.contacts.empty()) {
    result.value = -infinity;
    return result;
  }
  const ConeRows layout(map, SharedHeight::yes);
  ConeProgram program = layout.program();
  program.cost[layout.height(0)] = 1.0;
  MatrixX ball = MatrixX::Zero(map.dimension + 1, program.variables());
  ball.block(1, 0, map.dimension, map.dimension).setIdentity();
  program.add_cone(ball, VectorX::Unit(map.dimension + 1, 0));
  const ConeSolution solution = solve(program);
  const ConeResidual residual = measure(program, solution);
  result.residual = residual.worst();
  result.value = residual.value;
  const VectorX y = solution.x.head(map.dimension);
  if (y.norm() > 1e-6) result.direction = map.unscaled(y.normalized());
  return result;
}

}  // namespace vinci
