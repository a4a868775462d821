// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/sliding_search.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace vinci {

namespace {

constexpr int most_steps = 50;  // far more than a search that converges takes
// Of the equations, in the units of the caller (order one); rounding may stop the last digits.
constexpr double converged = 1e-12, nearly_converged = 1e3 * converged;
// A direction, and a slip that is not negative, to what Newton's method leaves.
constexpr double sliding_rank_tolerance = nearly_converged, least_slip = -nearly_converged;
constexpr double shortest = 1e-4, sufficient = 1e-4;  // step, and Armijo's part of the descent

}  // namespace

// y = (x, θ₁, s₁, θ₂, s₂, …).
void SlidingSearch::evaluate(const VectorX& y, VectorX& value, MatrixX* jacobian) const {
  const Eigen::Index n = rows.L.cols(), m = equations.rows();
  Eigen::Index size = m;
  for (const SlidingBlock& one : sliding) size += one.block.size + 2;
  const auto x = y.head(n);
  value.resize(size);
  value.head(m) = equations * x - values;
  if (jacobian) {
    jacobian->setZero(size, y.size());
    jacobian->topLeftCorner(m, n) = equations;
  }
  Eigen::Index e = m, at = n;
  for (const SlidingBlock& one : sliding) {
    const Block& block = one.block;
    const bool is_ball = block.law == Law::ball;
    const int normal = block.offset, t = is_ball ? normal : normal + 1;
    const double theta = y[at], slip = y[at + 1];
    const Vector2 d(std::cos(theta), std::sin(theta)), turned(-d.y(), d.x());
    const double load = is_ball ? block.upper : block.friction * rows.L.row(normal).dot(x);
    for (int i = 0; i < 2; ++i) {
      value[e + i] = rows.L.row(t + i).dot(x) + load * d[i];
      value[e + 2 + i] = rows.W.row(t + i).dot(x) + rows.q[t + i] - slip * d[i];
      if (!jacobian) continue;
      jacobian->row(e + i).head(n) = rows.L.row(t + i);
      if (!is_ball) jacobian->row(e + i).head(n) += block.friction * d[i] * rows.L.row(normal);
      (*jacobian)(e + i, at) = load * turned[i];
      jacobian->row(e + 2 + i).head(n) = rows.W.row(t + i);
      (*jacobian)(e + 2 + i, at) = -slip * turned[i];
      (*jacobian)(e + 2 + i, at + 1) = -d[i];
    }
    e += 4;
    if (!is_ball) {
      const double lift = block.law == Law::second_order ? block.friction : 0.0;
      value[e] = rows.W.row(normal).dot(x) + rows.q[normal] - lift * slip;
      if (jacobian) {
        jacobian->row(e).head(n) = rows.W.row(normal);
        (*jacobian)(e, at + 1) = -lift;
      }
      ++e;
    }
    at += 2;
  }
}

bool SlidingSearch::run(VectorX& x, int& dimension) const {
  const Eigen::Index n = x.size();
  VectorX y(n + 2 * static_cast<Eigen::Index>(sliding.size())), value, trial, moved;
  y.head(n) = x;
  for (std::size_t k = 0; k < sliding.size(); ++k) {
    const Block& block = sliding[k].block;
    const int t = block.law == Law::ball ? block.offset : block.offset + 1;
    const Vector2 w(rows.W.row(t).dot(x) + rows.q[t], rows.W.row(t + 1).dot(x) + rows.q[t + 1]);
    y[n + 2 * static_cast<Eigen::Index>(k)] = sliding[k].angle;
    y[n + 2 * static_cast<Eigen::Index>(k) + 1] = w.norm();
  }
  MatrixX jacobian;
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(sliding_rank_tolerance);
  evaluate(y, value, &jacobian);
  for (int step = 0; step < most_steps && value.cwiseAbs().maxCoeff() > converged; ++step) {
    factors.compute(jacobian);
    const VectorX change = factors.solve(value);
    double length = 1.0;
    const double before = value.norm();
    for (; length > shortest; length *= 0.5) {
      moved = y - length * change;
      evaluate(moved, trial, nullptr);
      if (trial.norm() < (1.0 - sufficient * length) * before) break;
    }
    if (length <= shortest) break;
    y = moved;
    evaluate(y, value, &jacobian);
  }
  if (!(value.cwiseAbs().maxCoeff() <= nearly_converged)) return false;
  for (std::size_t k = 0; k < sliding.size(); ++k)
    if (y[n + 2 * static_cast<Eigen::Index>(k) + 1] < least_slip) return false;
  factors.compute(jacobian);
  dimension = static_cast<int>(y.size() - factors.rank());
  x = y.head(n);
  return true;
}

}  // namespace vinci
