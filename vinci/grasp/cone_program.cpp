// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/cone_program.h"

#include <algorithm>

#include <Eigen/LU>

namespace vinci {
namespace {

constexpr int most_iterations = 80;
constexpr double enough = 1e-14;  // worst residual at which there is nothing left to gain

// Smallest of s₀ − |s₁| over the cones: how far within all of them s is.
template <class Vector>
double depth(const std::vector<int>& cones, const Vector& s) {
  double least = infinity;
  int first = 0;
  for (const int size : cones) {
    least = std::min(least, s[first] - s.segment(first + 1, size - 1).norm());
    first += size;
  }
  return least;
}

// The point W of Nesterov and Todd between s and z: W z = W⁻¹ s = λ, W = β (2 v vᵀ − J) per cone.
class Scaling {
 public:
  Scaling(const std::vector<int>& cones, const VectorX& s, const VectorX& z)
      : cones_(cones), axis_(s.size()), size_(cones.size()) {
    int first = 0;
    for (std::size_t k = 0; k < cones.size(); ++k) {
      const int n = cones[k];
      const double ds = root_determinant(s, first, n), dz = root_determinant(z, first, n);
      const auto sk = s.segment(first, n), zk = z.segment(first, n);
      const double gamma = std::sqrt(0.5 * (1.0 + sk.dot(zk) / (ds * dz)));
      auto w = axis_.segment(first, n);
      w = sk / ds - zk / dz;  // s̄ + J z̄ but for its first entry
      w[0] = sk[0] / ds + zk[0] / dz;
      w /= 2.0 * gamma;
      const double head = std::sqrt(2.0 * (w[0] + 1.0));
      w[0] += 1.0;
      w /= head;
      size_[k] = std::sqrt(ds / dz);
      first += n;
    }
  }
  VectorX times(const VectorX& u) const { return apply(u, false); }
  VectorX divided(const VectorX& u) const { return apply(u, true); }
  // W², which is symmetric, into the lower right corner of the Newton matrix.
  void subtract_square(MatrixX& matrix, int corner) const {
    int first = 0;
    for (std::size_t k = 0; k < cones_.size(); ++k) {
      const int n = cones_[k];
      MatrixX w = 2.0 * axis_.segment(first, n) * axis_.segment(first, n).transpose();
      w(0, 0) -= 1.0;
      for (int i = 1; i < n; ++i) w(i, i) += 1.0;
      w *= size_[k];
      matrix.block(corner + first, corner + first, n, n) -= w * w;
      first += n;
    }
  }

 private:
  static double root_determinant(const VectorX& s, int first, int n) {
    const double tail = s.segment(first + 1, n - 1).norm();
    return std::sqrt(std::max((s[first] - tail) * (s[first] + tail), 1e-300));
  }
  VectorX apply(const VectorX& u, bool inverse) const {
    VectorX result(u.size());
    int first = 0;
    for (std::size_t k = 0; k < cones_.size(); ++k) {
      const int n = cones_[k];
      VectorX v = axis_.segment(first, n);
      if (inverse) v.tail(n - 1) *= -1.0;  // W⁻¹ = J (2 v vᵀ − J) J / β
      const auto uk = u.segment(first, n);
      auto out = result.segment(first, n);
      out = 2.0 * v.dot(uk) * v + uk;
      out[0] -= 2.0 * uk[0];
      out *= inverse ? 1.0 / size_[k] : size_[k];
      first += n;
    }
    return result;
  }

  const std::vector<int>& cones_;
  VectorX axis_;
  std::vector<double> size_;
};

// u ∘ v = (u·v, u₀ v₁ + v₀ u₁) per cone.
VectorX product(const std::vector<int>& cones, const VectorX& u, const VectorX& v) {
  VectorX result(u.size());
  int first = 0;
  for (const int n : cones) {
    result[first] = u.segment(first, n).dot(v.segment(first, n));
    result.segment(first + 1, n - 1) =
        u[first] * v.segment(first + 1, n - 1) + v[first] * u.segment(first + 1, n - 1);
    first += n;
  }
  return result;
}

// The x with λ ∘ x = r.
VectorX quotient(const std::vector<int>& cones, const VectorX& lambda, const VectorX& r) {
  VectorX result(r.size());
  int first = 0;
  for (const int n : cones) {
    const auto l = lambda.segment(first + 1, n - 1), tail = r.segment(first + 1, n - 1);
    const double l0 = lambda[first], length = l.norm();
    const double head = (l0 * r[first] - l.dot(tail)) / ((l0 - length) * (l0 + length));
    result[first] = head;
    result.segment(first + 1, n - 1) = (tail - head * l) / l0;
    first += n;
  }
  return result;
}

// The longest step, up to 1/0.99, that stays within the cones.
double longest_step(const std::vector<int>& cones, const VectorX& from, const VectorX& step) {
  double shrink = 0.99;
  int first = 0;
  for (const int n : cones) {
    // In the frame in which `from` is the cone's axis, a point leaves it where |ρ₁| − ρ₀ = 1/α.
    const double length = from.segment(first + 1, n - 1).norm();
    const double root = std::sqrt((from[first] - length) * (from[first] + length));
    const double head = from[first] / root;
    const VectorX tail = from.segment(first + 1, n - 1) / root, d = step.segment(first + 1, n - 1);
    const double along = head * step[first] - tail.dot(d);
    const VectorX across = d - ((along + step[first]) / (head + 1.0)) * tail;
    shrink = std::max(shrink, (across.norm() - along) / root);
    first += n;
  }
  return 1.0 / shrink;
}

class InteriorPoint {
 public:
  explicit InteriorPoint(const ConeProgram& program)
      : program_(program), n_(program.variables()), p_(program.equalities()), q_(program.rows()) {
    matrix_ = MatrixX::Zero(n_ + p_ + q_, n_ + p_ + q_);
    for (int i = 0; i < p_; ++i) matrix_.row(n_ + i).head(n_) = program.equality(i);
    // With G = −F: s = F x + g is G x + s = g.
    for (int i = 0; i < q_; ++i) matrix_.row(n_ + p_ + i).head(n_) = -program.factor(i);
    matrix_.topRightCorner(n_, p_ + q_) = matrix_.bottomLeftCorner(p_ + q_, n_).transpose();
    matrix_.diagonal().head(n_) = program.curvature;
    b_.resize(p_);
    g_.resize(q_);
    for (int i = 0; i < p_; ++i) b_[i] = program.value(i);
    for (int i = 0; i < q_; ++i) g_[i] = program.constant(i);
  }

  ConeSolution run() {
    start();
    ConeSolution best = now_;
    double least = infinity;
    for (int i = 0; i < most_iterations; ++i) {
      now_.iterations = i;
      const double worst = measure(program_, now_).worst();
      if (worst < least) least = worst, best = now_;
      const bool rounds = least < 1e-9 && i >= best.iterations + 3;  // no digit is gained any more
      if (rounds || !(worst < 1e3 * least) || worst <= enough || !step()) break;
    }
    return polished(best, least);
  }

 private:
  // Newton's method on stationarity, balance and s ∘ z = 0 themselves, without a path: where the
  // solution is regular it takes the last digits that ill-conditioned scalings leave.
  ConeSolution polished(ConeSolution best, double least) const {
    const std::vector<int>& cones = program_.cones();
    for (int round = 0; round < 4 && least > 1e-16; ++round) {
      VectorX point(n_ + p_ + q_);
      point << best.x, best.y, best.z;
      const VectorX s = g_ - matrix_.bottomLeftCorner(q_, n_) * best.x;
      VectorX right = -(matrix_ * point);
      right.head(n_) -= program_.cost;
      right.segment(n_, p_) += b_;
      right.tail(q_) = product(cones, s, best.z);
      // Rows: L(z) G dx − L(s) dz = s ∘ z, with L(u) v = u ∘ v and ds = −G dx.
      MatrixX matrix = matrix_;
      int first = n_ + p_, row = 0;
      for (const int n : cones) {
        const MatrixX g = matrix_.block(first, 0, n, n_);
        matrix.block(first, 0, n, n_) = arrow(best.z, row, n) * g;
        matrix.block(first, first, n, n) = -arrow(s, row, n);
        first += n;
        row += n;
      }
      const VectorX direction = Eigen::PartialPivLU<MatrixX>(matrix).solve(right);
      if (!direction.allFinite()) break;
      ConeSolution next = best;
      next.x += direction.head(n_);
      next.y += direction.segment(n_, p_);
      next.z += direction.tail(q_);
      const double worst = measure(program_, next).worst();
      if (!(worst < least)) break;
      least = worst;
      best = next;
    }
    return best;
  }
  static MatrixX arrow(const VectorX& u, int first, int n) {
    MatrixX matrix = u[first] * MatrixX::Identity(n, n);
    matrix.row(0) = u.segment(first, n);
    matrix.col(0) = u.segment(first, n);
    return matrix;
  }

  void factorise(const MatrixX& matrix) {
    system_ = matrix;
    lu_.compute(system_);
  }
  // One round of refinement: late scalings are ill-conditioned.
  VectorX solved(const VectorX& right) const {
    VectorX x = lu_.solve(right);
    x += lu_.solve(right - system_ * x);
    return x;
  }

  void start() {
    MatrixX matrix = matrix_;
    matrix.diagonal().tail(q_).array() -= 1.0;
    factorise(matrix);
    VectorX right(n_ + p_ + q_);
    right << -program_.cost, b_, g_;
    const VectorX first = solved(right);
    now_.x = first.head(n_);
    now_.y = first.segment(n_, p_);
    now_.z = first.tail(q_);
    s_ = -now_.z;
    for (VectorX* vector : {&s_, &now_.z}) {
      const double inside = depth(program_.cones(), *vector);
      if (inside > 1e-8 * std::max(1.0, vector->norm())) continue;
      int row = 0;
      for (const int size : program_.cones()) {
        (*vector)[row] += 1.0 - inside;
        row += size;
      }
    }
  }

  bool step() {
    const std::vector<int>& cones = program_.cones();
    const Scaling scaling(cones, s_, now_.z);
    const VectorX lambda = scaling.times(now_.z);
    MatrixX matrix = matrix_;
    scaling.subtract_square(matrix, n_ + p_);
    factorise(matrix);
    VectorX residual(n_ + p_ + q_);  // of the three linear equations
    VectorX point(n_ + p_ + q_);
    point << now_.x, now_.y, now_.z;
    residual = matrix_ * point;
    residual.head(n_) += program_.cost;
    residual.segment(n_, p_) -= b_;
    residual.tail(q_) += s_ - g_;
    VectorX centre = VectorX::Zero(q_);
    int row = 0;
    for (const int size : cones) {
      centre[row] = 1.0;
      row += size;
    }
    const double mean = s_.dot(now_.z) / static_cast<double>(cones.size());
    VectorX goal = -product(cones, lambda, lambda), direction, scaled_s, scaled_z;
    double length = 0.0;
    for (const bool corrects : {false, true}) {
      const VectorX wanted = quotient(cones, lambda, goal);
      VectorX right = -residual;
      right.tail(q_) -= scaling.times(wanted);
      direction = solved(right);
      if (!direction.allFinite()) return false;
      scaled_z = scaling.times(direction.tail(q_));
      scaled_s = wanted - scaled_z;
      length =
          std::min(longest_step(cones, lambda, scaled_s), longest_step(cones, lambda, scaled_z));
      if (corrects) break;
      const double centring = std::pow(1.0 - std::min(length, 1.0), 3);
      goal += centring * mean * centre - product(cones, scaled_s, scaled_z);
    }
    length = std::min(1.0, 0.99 * length);
    now_.x += length * direction.head(n_);
    now_.y += length * direction.segment(n_, p_);
    now_.z += length * direction.tail(q_);
    s_ += length * scaling.times(scaled_s);
    return length > 1e-10 && depth(cones, s_) > 0.0 && depth(cones, now_.z) > 0.0;
  }

  const ConeProgram& program_;
  int n_, p_, q_;
  MatrixX matrix_, system_;
  VectorX b_, g_, s_;
  ConeSolution now_;
  Eigen::PartialPivLU<MatrixX> lu_;
};

}  // namespace

ConeProgram::ConeProgram(int variables)
    : curvature(VectorX::Zero(variables)),
      cost(VectorX::Zero(variables)),
      equality_rows_(0, variables),
      factor_rows_(0, variables) {}

void ConeProgram::add_equality(const VectorX& row, double value) {
  if (equalities() == equality_rows_.rows())
    equality_rows_.conservativeResize(8 + 2 * equalities(), Eigen::NoChange);
  equality_rows_.row(equalities()) = row;
  values_.push_back(value);
}

void ConeProgram::add_cone(const MatrixX& factor, const VectorX& constant) {
  const int size = static_cast<int>(constant.size());
  if (rows() + size > factor_rows_.rows())
    factor_rows_.conservativeResize(16 + 2 * (rows() + size), Eigen::NoChange);
  factor_rows_.middleRows(rows(), size) = factor;
  constants_.insert(constants_.end(), constant.begin(), constant.end());
  cones_.push_back(size);
}

void ConeProgram::add_at_least(const VectorX& row, double value) {
  add_cone(row.transpose(), VectorX::Constant(1, -value));
}

double ConeResidual::worst() const {
  return std::max({primal, dual, std::abs(gap) / (1.0 + std::abs(value))});
}

ConeSolution solve(const ConeProgram& program) {
  return InteriorPoint(program).run();
}

ConeResidual measure(const ConeProgram& program, const ConeSolution& solution) {
  ConeResidual result;
  const VectorX& x = solution.x;
  const VectorX curved = program.curvature.cwiseProduct(x);
  VectorX stationarity = curved + program.cost, s(program.rows());
  result.value = 0.5 * x.dot(curved) + program.cost.dot(x);
  result.bound = -0.5 * x.dot(curved);
  for (int i = 0; i < program.equalities(); ++i) {
    result.primal =
        std::max(result.primal, std::abs(program.equality(i).dot(x) - program.value(i)));
    stationarity += solution.y[i] * program.equality(i).transpose();
    result.bound -= program.value(i) * solution.y[i];
  }
  for (int i = 0; i < program.rows(); ++i) {
    s[i] = program.factor(i).dot(x) + program.constant(i);
    stationarity -= solution.z[i] * program.factor(i).transpose();
    result.bound -= program.constant(i) * solution.z[i];
  }
  if (program.rows() > 0) {
    result.primal = std::max(result.primal, -depth(program.cones(), s));
    result.dual = std::max(0.0, -depth(program.cones(), solution.z));
  }
  result.dual = std::max(result.dual, stationarity.cwiseAbs().maxCoeff());
  result.gap = result.value - result.bound;
  return result;
}

}  // namespace vinci
