// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/holding.h"

#include <algorithm>

#include <Eigen/SVD>

#include "vinci/base/error.h"
#include "vinci/grasp/closure.h"
#include "vinci/grasp/cone_program.h"
#include "vinci/grasp/cone_rows.h"

namespace vinci {
namespace {

constexpr double rank_tolerance = 1e-10;
constexpr double decided = 1e-9;  // largest relative residual of an answer that is one

// The unit y with no push that is most against w.
VectorX most_against(const GraspMap& map, const VectorX& w) {
  const ConeRows layout(map, SharedHeight::yes);
  ConeProgram program = layout.program();
  program.cost.head(map.dimension) = w;
  VectorX row = VectorX::Zero(program.variables());
  row[layout.height(0)] = -1.0;
  program.add_at_least(row, 0.0);
  MatrixX ball = MatrixX::Zero(map.dimension + 1, program.variables());
  ball.block(1, 0, map.dimension, map.dimension).setIdentity();
  program.add_cone(ball, VectorX::Unit(map.dimension + 1, 0));
  return solve(program).x.head(map.dimension);
}

// `balance`: rows of full rank; its value is the balanced wrench in the same coordinates.
ConeProgram forces_program(const GraspMap& map, const MatrixX& balance, const VectorX& value,
                           LeastForces least) {
  const int columns = static_cast<int>(map.matrix.cols());
  const bool largest = least == LeastForces::largest_normal;
  ConeProgram program(columns + (largest ? 1 : 0));
  VectorX row = VectorX::Zero(program.variables());
  for (int i = 0; i < balance.rows(); ++i) {
    row.head(columns) = balance.row(i);
    program.add_equality(row, value[i]);
  }
  if (largest) program.cost[columns] = 1.0;
  for (std::size_t i = 0; i < map.contacts.size(); ++i) {
    int column = map.first[i];
    const int normal = column++;
    if (least == LeastForces::squares) program.curvature[normal] = 1.0;
    if (least == LeastForces::sum_of_normals) program.cost[normal] = 1.0;
    row.setZero();
    if (largest) {
      row[columns] = 1.0;
      row[normal] = -1.0;
      program.add_at_least(row, 0.0);
      row[columns] = 0.0;
    }
    row[normal] = 1.0;
    if (map.contacts[i].groups.empty()) program.add_at_least(row, 0.0);
    for (const auto& group : map.contacts[i].groups) {
      const int size = static_cast<int>(group.coefficients.size());
      MatrixX factor = MatrixX::Zero(size + 1, program.variables());
      factor(0, normal) = 1.0;
      factor.block(1, column, size, size).setIdentity();
      program.add_cone(factor, VectorX::Zero(size + 1));
      for (int k = 0; k < size && least == LeastForces::squares; ++k) {
        const bool force = group.entry[static_cast<std::size_t>(k)] < 3;
        const double unit = group.coefficients[k] / (force ? 1.0 : map.length);
        program.curvature[column + k] = unit * unit;
      }
      column += size;
    }
  }
  return program;
}

void refuse(const Grasp& grasp, const GraspMap& map, const VectorX& w, const VectorX& y,
            HeldWrench& result) {
  const double length = y.norm();
  if (!(length > 1e-6)) return;
  result.direction = map.unscaled(y / length);
  result.push = grasp.contacts.empty() ? 0.0 : push_along(grasp, result.direction);
  result.against = -w.dot(y) / length;
  // What little the contacts may push along y, to rounding, takes forces far beyond w.
  if (result.push <= 1e-10 && result.against > 1e-7 * w.norm())
    result.status = HeldWrench::Status::impossible;
}

}  // namespace

HeldWrench hold(const Grasp& grasp, const Vector6& wrench, LeastForces least) {
  const GraspMap map = grasp_map(grasp);
  if (!wrench.allFinite()) throw Error("accepted: finite numbers", "wrench");
  HeldWrench result;
  const VectorX w = map.scaled(wrench);
  const double size = w.stableNorm();
  if (!std::isfinite(size)) throw Error("is too large; accepted: up to 1e150", "wrench");
  if (size == 0.0) {
    result.status = HeldWrench::Status::held;
    result.loads.resize(grasp.contacts.size());
    return result;
  }
  if (map.contacts.empty()) {
    refuse(grasp, map, w, -w, result);
    return result;
  }
  Eigen::JacobiSVD<MatrixX> svd(map.matrix, Eigen::ComputeFullU | Eigen::ComputeThinV);
  const VectorX values = svd.singularValues();
  int rank = 0;
  while (rank < values.size() && values[rank] > rank_tolerance * values[0]) ++rank;
  const MatrixX basis = svd.matrixU().leftCols(rank);
  const VectorX outside = w - basis * (basis.transpose() * w);
  if (outside.norm() > 1e-9 * size) {
    refuse(grasp, map, w, -outside, result);
    return result;
  }
  const ConeProgram program =
      forces_program(map, basis.transpose() * map.matrix, -(basis.transpose() * w) / size, least);
  const ConeSolution solution = solve(program);
  const ConeResidual residual = measure(program, solution);
  if (residual.worst() <= decided * (1.0 + solution.x.norm())) {
    result.status = HeldWrench::Status::held;
    result.loads = map.loads(size * solution.x.head(map.matrix.cols()));
    result.value = residual.value * (least == LeastForces::squares ? size * size : size);
    result.gap = std::abs(residual.gap) / std::max(std::abs(residual.value), 1e-300);
    result.imbalance = map.scaled(wrench + wrench_of(grasp, result.loads)).norm() / size;
    result.least_margin = infinity;
    for (std::size_t i = 0; i < grasp.contacts.size(); ++i)
      result.least_margin =
          std::min(result.least_margin, margin_of(grasp, static_cast<int>(i), result.loads[i]));
    return result;
  }
  refuse(grasp, map, w, most_against(map, w / size), result);
  return result;
}

}  // namespace vinci
