// SPDX-License-Identifier: Apache-2.0
// The residual by its definition.
#include "tests/random/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

namespace vinci::test {

namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr Real unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr Real infinity = std::numeric_limits<Real>::infinity();

template <class Function>
void for_entries(const SparseRows& matrix, const Function& function) {
  for (int i = 0; i < matrix.rows; ++i)
    for (int k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
      function(i, matrix.indices[k], static_cast<Real>(matrix.values[k]));
}

Real median(Real a, Real b, Real c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

Vector cone_point(Vector x, Real mu) {
  const Real t = x.tail(x.size() - 1).norm();
  if (mu * t <= -x[0]) return Vector::Zero(x.size());
  if (t <= mu * x[0]) return x;
  const Real n = (x[0] + mu * t) / (1 + mu * mu);
  x.tail(x.size() - 1) *= mu * n / t;
  x[0] = n;
  return x;
}

bool is_cone(Law law) {
  return law == Law::coulomb || law == Law::second_order || law == Law::moments;
}

// Onto {|x_T| <= μ x_N, |x_R| <= μ_r x_N}: the slope of the distance over x_N, halved until nothing
// is left.
Vector rolling_point(Vector x, Real mu, Real mu_r) {
  const long half = (x.size() - 1) / 2;
  const Real t = x.segment(1, half).norm(), r = x.tail(half).norm();
  const auto slope = [&](Real n) {
    return n - x[0] - mu * std::max<Real>(0, t - mu * n) - mu_r * std::max<Real>(0, r - mu_r * n);
  };
  Real low = 0, high = std::max<Real>(0, x[0]) + mu * t + mu_r * r;
  if (slope(low) >= 0) high = 0;
  for (int i = 0; i < 200 && low < high; ++i) {
    const Real middle = (low + high) / 2;
    (slope(middle) < 0 ? low : high) = middle;
  }
  if (t > mu * high) x.segment(1, half) *= mu * high / t;
  if (r > mu_r * high) x.tail(half) *= mu_r * high / r;
  x[0] = high;
  return x;
}

// s λ − P(s λ − ŵ) with x = s λ; the rows of w have their weights.
Vector block_map(const Block& block, const Vector& s, const Vector& lambda, Vector w) {
  const Vector x = s.cwiseProduct(lambda);
  switch (block.law) {
    case Law::equality:
      return w;
    case Law::nonnegative:
      return x.cwiseMin(w);
    case Law::box:
      return Vector::Constant(1,
                              median(x[0] - s[0] * block.upper, w[0], x[0] - s[0] * block.lower));
    case Law::ball: {
      Vector inside = x - w;
      const Real length = inside.norm(), radius = s[0] * block.upper;
      if (length > radius) inside *= radius / length;
      return x - inside;
    }
    case Law::coulomb:
      w[0] += block.friction * w.tail(w.size() - 1).norm();
      [[fallthrough]];
    case Law::second_order:
      return x - cone_point(x - w, block.friction);
    case Law::moments: {
      const long half = (w.size() - 1) / 2;
      const Real mu = block.friction, mu_r = block.rolling * s[w.size() - 1] / s[0];
      w[0] += mu * w.segment(1, half).norm() + mu_r * w.tail(half).norm();
      return x - rolling_point(x - w, mu, mu_r);
    }
  }
  return w;
}

Real or_one(Real norm) {
  return norm < 2.2e-16L ? 1 : norm;
}

}  // namespace

Oracle::Oracle(const ComplementarityProblem& problem) : problem_(problem) {
  scalar_ = problem.unknowns() == 0 &&
            std::all_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
              return !is_cone(block.law) && block.law != Law::ball;
            });
  invert_mass();
  free_ = problem.b.cast<Real>();
  if (regular_) {
    const Vector u = solve_mass(problem.p.cast<Real>());
    for_entries(problem.J, [&](int i, int j, Real x) { free_[i] += x * u[j]; });
  }
  find_scales();
}

// M is block diagonal along its order: a block ends where no entry reaches beyond.
void Oracle::invert_mass() {
  const int n = problem_.unknowns();
  std::vector<int> reach(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) reach[i] = i;
  for_entries(problem_.M, [&](int i, int j, Real) {
    reach[std::min(i, j)] = std::max(reach[std::min(i, j)], std::max(i, j));
  });
  starts_ = {0};
  for (int i = 0, end = 0; i < n; ++i) {
    end = std::max(end, reach[i]);
    if (end == i) starts_.push_back(i + 1);
  }
  for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
    const int begin = starts_[b], size = starts_[b + 1] - begin;
    Matrix block = Matrix::Zero(size, size);
    for (int i = begin; i < begin + size; ++i)
      for (int k = problem_.M.starts[i]; k < problem_.M.starts[i + 1]; ++k)
        block(i - begin, problem_.M.indices[k] - begin) = problem_.M.values[k];
    const Eigen::FullPivLU<Matrix> lu(block);
    regular_ = regular_ && lu.isInvertible();
    inverses_.push_back(regular_ ? Matrix(lu.inverse()) : block);
  }
}

Oracle::Vector Oracle::solve_mass(const Vector& x, bool transposed) const {
  Vector y(x.size());
  for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
    const int begin = starts_[b], size = starts_[b + 1] - begin;
    if (transposed)
      y.segment(begin, size) = inverses_[b].transpose() * x.segment(begin, size);
    else
      y.segment(begin, size) = inverses_[b] * x.segment(begin, size);
  }
  return y;
}

Vector Oracle::delassus_diagonal() const {
  Vector diagonal = Vector::Zero(problem_.rows());
  std::size_t b = 0;
  for (int i = 0; i < problem_.rows(); ++i) {
    const int begin = problem_.J.starts[i], end = problem_.J.starts[i + 1];
    for (int k = begin; k < end; ++k) {
      const int column = problem_.J.indices[k];
      b = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), column) -
                                   starts_.begin()) -
          1;
      for (int l = begin; l < end; ++l) {
        const int other = problem_.J.indices[l];
        if (other < starts_[b] || other >= starts_[b + 1]) continue;
        diagonal[i] += Real(problem_.J.values[k]) *
                       inverses_[b](column - starts_[b], other - starts_[b]) *
                       Real(problem_.J.values[l]);
      }
    }
  }
  for_entries(problem_.C, [&](int i, int j, Real x) { diagonal[i] += i == j ? x : 0; });
  return diagonal;
}

// s of every row: the mean diagonal of its block of W; and the weight of w where there is none.
void Oracle::find_scales() {
  const int m = problem_.rows();
  weight_ = scale_ = Vector::Ones(m);
  if (scalar_) return;
  if (!regular_) {
    scale_ *= or_one(problem_.b.cast<Real>().norm()) / or_one(problem_.p.cast<Real>().norm());
    return;
  }
  const Vector diagonal = delassus_diagonal();
  Vector neighbour = Vector::Zero(m);
  for_entries(problem_.C, [&](int i, int j, Real) {
    neighbour[i] = std::max(neighbour[i], std::abs(diagonal[j]));
    neighbour[j] = std::max(neighbour[j], std::abs(diagonal[i]));
  });
  for (const Block& block : problem_.blocks) {
    if (block.law == Law::moments) {
      scale_rolling(block, diagonal);
      continue;
    }
    const Real mean = std::abs(diagonal.segment(block.offset, block.size).mean());
    const Real coupled = neighbour.segment(block.offset, block.size).maxCoeff();
    if (mean > 0)
      scale_.segment(block.offset, block.size).setConstant(mean);
    else if (coupled > 0 && block.law != Law::equality)
      weight_.segment(block.offset, block.size).setConstant(coupled);
  }
}

// Moments count as λ_r/l, angular velocities as l w_r: l is where both meet the same inertia.
void Oracle::scale_rolling(const Block& block, const Vector& diagonal) {
  const int half = (block.size - 1) / 2;
  const Real s = std::abs(diagonal.segment(block.offset, 1 + half).mean());
  const Real turning = diagonal.segment(block.offset + 1 + half, half).mean();
  const Real length =
      turning > 0 ? std::sqrt(s / turning) : (block.rolling > 0 ? block.rolling : 1);
  scale_.segment(block.offset, 1 + half).setConstant(s);
  scale_.segment(block.offset + 1 + half, half).setConstant(s / length);
  weight_.segment(block.offset + 1 + half, half).setConstant(block.rolling > 0 ? length : 0);
}

Vector Oracle::local_velocity(const Vector& u, const Vector& lambda) const {
  Vector w = problem_.b.cast<Real>();
  for_entries(problem_.J, [&](int i, int j, Real x) { w[i] += x * u[j]; });
  for_entries(problem_.C, [&](int i, int j, Real x) { w[i] += x * lambda[j]; });
  return w;
}

// Where M is singular u is given, and its own terms round.
Vector Oracle::rounding(const Vector& lambda, const Vector& given_u) const {
  Vector force = problem_.p.cast<Real>().cwiseAbs();
  for_entries(problem_.J, [&](int i, int j, Real x) { force[j] += std::abs(x * lambda[i]); });
  Vector u = given_u.cwiseAbs();
  if (regular_)
    for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
      const int begin = starts_[b], size = starts_[b + 1] - begin;
      u.segment(begin, size) = inverses_[b].cwiseAbs() * force.segment(begin, size);
    }
  Vector w = problem_.b.cast<Real>().cwiseAbs();
  for_entries(problem_.J, [&](int i, int j, Real x) { w[i] += std::abs(x * u[j]); });
  for_entries(problem_.C, [&](int i, int j, Real x) { w[i] += std::abs(x * lambda[j]); });
  for (const Block& block : problem_.blocks)
    if (is_cone(block.law)) w.segment(block.offset + 1, block.size - 1) *= 1 + block.friction;
  return unit_roundoff * w.cwiseProduct(weight_);
}

Measured Oracle::measure(const Solution& solution) const {
  const Vector lambda = solution.lambda.cast<Real>();
  Vector u, force = problem_.p.cast<Real>();
  for_entries(problem_.J, [&](int i, int j, Real x) { force[j] += x * lambda[i]; });
  Real sum = 0, largest = 0, equation_noise = 0;
  if (regular_) {
    u = solve_mass(force);
  } else {
    u = solution.u.cast<Real>();
    Vector terms = problem_.p.cast<Real>().cwiseAbs();
    for_entries(problem_.J, [&](int i, int j, Real x) { terms[j] += std::abs(x * lambda[i]); });
    for_entries(problem_.M, [&](int i, int j, Real x) {
      force[i] -= x * u[j];
      terms[i] += std::abs(x * u[j]);
    });
    equation_noise = scale_.size() ? unit_roundoff * terms.norm() * scale_[0] : 0;
    sum = scale_.size() ? force.squaredNorm() * scale_[0] * scale_[0] : 0;
  }
  const Vector w = local_velocity(u, lambda).cwiseProduct(weight_);
  for (const Block& block : problem_.blocks) {
    const Vector map =
        block_map(block, scale_.segment(block.offset, block.size),
                  lambda.segment(block.offset, block.size), w.segment(block.offset, block.size));
    sum += map.squaredNorm();
    largest = std::max(largest, map.cwiseAbs().maxCoeff());
  }
  const Vector q = free_.cwiseProduct(weight_), noise = rounding(lambda, u);
  Measured result;
  if (scalar_) {
    const Real norm = or_one(q.size() ? q.cwiseAbs().maxCoeff() : 0);
    result.relative = static_cast<double>(largest / norm);
    result.rounding = static_cast<double>((noise.size() ? noise.maxCoeff() : 0) / norm);
  } else {
    result.relative = static_cast<double>(std::sqrt(sum) / or_one(q.norm()));
    result.rounding = static_cast<double>((noise.norm() + equation_noise) / or_one(q.norm()));
  }
  return result;
}

namespace {

// Whether yᵀw >= 0 follows from the law of w alone.
bool allows(const Block& block, const VectorX& y) {
  const auto part = y.segment(block.offset, block.size);
  switch (block.law) {
    case Law::equality:
      return true;
    case Law::nonnegative:
      return part[0] >= 0.0;
    case Law::box:  // w has a sign only where λ has one bound at most
      return (part[0] <= 0.0 || std::isinf(block.upper)) &&
             (part[0] >= 0.0 || std::isinf(block.lower));
    case Law::ball:
      return std::isinf(block.upper) || part.isZero(0.0);
    case Law::coulomb:
    case Law::moments:
      return part[0] >= 0.0 && part.tail(block.size - 1).isZero(0.0);
    case Law::second_order:
      return part.tail(block.size - 1).norm() <= block.friction * part[0] * (1.0 + 1e-12);
  }
  return false;
}

// gᵀλ over the allowed λ: the part of g along which it has no bound, and its bound without that
// part.
struct Support {
  Real unbounded = 0, bound = 0;
};

Support support(const Block& block, const Vector& g) {
  const Real tangential = block.size > 1 ? g.tail(block.size - 1).norm() : 0;
  switch (block.law) {
    case Law::equality:
      return {g.cwiseAbs().maxCoeff(), 0};
    case Law::nonnegative:
      return {std::max<Real>(0, g[0]), 0};
    case Law::box: {
      const Real end = g[0] > 0 ? block.upper : block.lower;
      if (g[0] == 0 || !std::isinf(end)) return {0, g[0] == 0 ? 0 : g[0] * end};
      return {std::abs(g[0]), 0};
    }
    case Law::ball:
      if (std::isinf(block.upper)) return {g.norm(), 0};
      return {0, block.upper * g.norm()};
    case Law::coulomb:
    case Law::second_order:
      return {std::max<Real>(0, g[0] + block.friction * tangential), 0};
    case Law::moments: {
      const int half = (block.size - 1) / 2;
      return {std::max<Real>(0, g[0] + block.friction * g.segment(1, half).norm() +
                                    block.rolling * g.tail(half).norm()),
              0};
    }
  }
  return {infinity, infinity};
}

// The terms of what support() calls unbounded, from those of g.
Real terms(const Block& block, const Vector& g_size) {
  if (!is_cone(block.law)) return g_size.maxCoeff();
  const int half = block.law == Law::moments ? (block.size - 1) / 2 : block.size - 1;
  Real size = g_size[0] + block.friction * g_size.segment(1, half).maxCoeff();
  if (block.law == Law::moments) size += block.rolling * g_size.tail(half).maxCoeff();
  return size;
}

}  // namespace

double Oracle::certificate_defect(const VectorX& y) const {
  constexpr double refuted = std::numeric_limits<double>::infinity();
  if (!regular_ || y.size() != problem_.rows() || !y.allFinite()) return refuted;
  for (const Block& block : problem_.blocks)
    if (!allows(block, y)) return refuted;
  const int n = problem_.unknowns();
  Vector force = Vector::Zero(n), force_size = Vector::Zero(n), u_size = Vector::Zero(n);
  for_entries(problem_.J, [&](int i, int j, Real x) {
    force[j] += x * y[i];
    force_size[j] += std::abs(x * y[i]);
  });
  const Vector u = solve_mass(force, true);
  for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
    const int begin = starts_[b], size = starts_[b + 1] - begin;
    u_size.segment(begin, size) =
        inverses_[b].cwiseAbs().transpose() * force_size.segment(begin, size);
  }
  Vector g = Vector::Zero(problem_.rows()), g_size = g;
  for_entries(problem_.J, [&](int i, int j, Real x) {
    g[i] += x * u[j];
    g_size[i] += std::abs(x) * u_size[j];
  });
  for_entries(problem_.C, [&](int i, int j, Real x) {
    g[j] += x * y[i];
    g_size[j] += std::abs(x * y[i]);
  });
  Real value = 0, value_size = 0, defect = 0;
  for (int i = 0; i < y.size(); ++i) {
    value += free_[i] * y[i];
    value_size += std::abs(free_[i] * y[i]);
  }
  for (const Block& block : problem_.blocks) {
    const Support s = support(block, g.segment(block.offset, block.size));
    const Real size = terms(block, g_size.segment(block.offset, block.size));
    value += s.bound;
    value_size += std::abs(s.bound);
    if (s.unbounded > 0) defect = std::max(defect, s.unbounded / size);
  }
  return value < 0 ? static_cast<double>(defect * value_size / -value) : refuted;
}

}  // namespace vinci::test
