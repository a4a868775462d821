// SPDX-License-Identifier: Apache-2.0
// Splines. The unknowns are the velocities (and, of a quintic, accelerations) at the points; the
// next derivatives are continuous there.
#include <algorithm>

#include <Eigen/SparseLU>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/control/trajectory.h"

namespace vinci {
namespace {

// Σ c_i s^i over [0, length], with its derivatives.
struct Polynomial {
  std::array<double, 6> c{};

  double value(double s) const {
    double sum = 0.0;
    for (std::size_t i = c.size(); i-- > 0;) sum = sum * s + c[i];
    return sum;
  }
  Polynomial derivative() const {
    Polynomial result;
    for (std::size_t i = 1; i < c.size(); ++i) result.c[i - 1] = static_cast<double>(i) * c[i];
    return result;
  }
  int degree() const {
    int last = static_cast<int>(c.size()) - 1;
    while (last > 0 && c[static_cast<std::size_t>(last)] == 0.0) --last;
    return last;
  }
};

// Where it changes its sign, by the extrema between which it is monotonous.
std::vector<double> roots(const Polynomial& p, double length) {
  std::vector<double> places;
  if (p.degree() == 0) return places;
  std::vector<double> ends = roots(p.derivative(), length);
  ends.insert(ends.begin(), 0.0);
  ends.push_back(length);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    double low = ends[i], high = ends[i + 1];
    const bool rises = p.value(low) < 0.0;
    if (rises == (p.value(high) < 0.0)) continue;
    for (int halving = 0; halving < 100 && low < high; ++halving) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      ((p.value(middle) < 0.0) == rises ? low : high) = middle;
    }
    places.push_back(0.5 * (low + high));
  }
  return places;
}

double peak(const Polynomial& p, double length) {
  double most = std::max(std::abs(p.value(0.0)), std::abs(p.value(length)));
  for (const double s : roots(p.derivative(), length)) most = std::max(most, std::abs(p.value(s)));
  return most;
}

void check(const std::vector<double>& times, const MatrixX& points) {
  if (times.size() < 2 || points.rows() != static_cast<Eigen::Index>(times.size()))
    throw Error(fmt::format("{} times and {} points; accepted: as many of either, at least two",
                            times.size(), points.rows()));
  if (!points.allFinite()) throw Error("a point is not finite");
  if (times[0] != 0.0) throw Error(fmt::format("the first time is {}; accepted: 0", times[0]));
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]) || !std::isfinite(times[i]))
      throw Error(
          fmt::format("time {} follows {}; accepted: times that grow", times[i], times[i - 1]));
}

}  // namespace

Spline::Spline(SplineKind kind, const std::vector<double>& times, const MatrixX& points)
    : coordinates_(static_cast<int>(points.cols())), times_(times) {
  check(times, points);
  end_ = points.row(points.rows() - 1).transpose();
  const int count = static_cast<int>(times.size()), per = kind == SplineKind::cubic ? 1 : 2;
  // Unknowns per point: velocity v, of a quintic also acceleration a. Coefficients of a piece with
  // the step d = end − start and length T:
  //   cubic    c₂ = 3d/T² − (2v₀ + v₁)/T,  c₃ = −2d/T³ + (v₀ + v₁)/T²
  //   quintic  c₃ = 10d/T³ − (6v₀ + 4v₁)/T² − (3a₀ − a₁)/(2T)
  //            c₄ = −15d/T⁴ + (8v₀ + 7v₁)/T³ + (3a₀ − 2a₁)/(2T²)
  //            c₅ = 6d/T⁵ − 3(v₀ + v₁)/T⁴ − (a₀ − a₁)/(2T³)
  using Sparse = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> entries;
  const auto set = [&](int row, int column, double value) {
    entries.emplace_back(row, column, value);
  };
  MatrixX right = MatrixX::Zero(per * count, coordinates_);
  for (int k = 0; k < per; ++k) {
    set(k, k, 1.0);
    set(per * (count - 1) + k, per * (count - 1) + k, 1.0);
  }
  for (int i = 1; i + 1 < count; ++i) {
    const int row = per * i, before = row - per, after = row + per;
    const double t = times[i] - times[i - 1], u = times[i + 1] - times[i];
    const auto d = points.row(i) - points.row(i - 1), e = points.row(i + 1) - points.row(i);
    if (kind == SplineKind::cubic) {
      // 2c₂ + 6c₃T of the piece before is 2c₂ of the one after.
      set(row, before, 1.0 / t);
      set(row, row, 2.0 / t + 2.0 / u);
      set(row, after, 1.0 / u);
      right.row(row) = 3.0 * d / (t * t) + 3.0 * e / (u * u);
      continue;
    }
    // Third derivatives, then fourth.
    set(row, before, -24.0 / (t * t));
    set(row, before + 1, -3.0 / t);
    set(row, row, -36.0 / (t * t) + 36.0 / (u * u));
    set(row, row + 1, 9.0 / t + 9.0 / u);
    set(row, after, 24.0 / (u * u));
    set(row, after + 1, -3.0 / u);
    right.row(row) = 60.0 * e / (u * u * u) - 60.0 * d / (t * t * t);
    const double t2 = t * t, u2 = u * u;
    set(row + 1, before, -168.0 / (t2 * t));
    set(row + 1, before + 1, -24.0 / t2);
    set(row + 1, row, -192.0 / (t2 * t) - 192.0 / (u2 * u));
    set(row + 1, row + 1, 36.0 / t2 - 36.0 / u2);
    set(row + 1, after, -168.0 / (u2 * u));
    set(row + 1, after + 1, 24.0 / u2);
    right.row(row + 1) = -360.0 * d / (t2 * t2) - 360.0 * e / (u2 * u2);
  }
  Sparse matrix(per * count, per * count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Sparse> factors(matrix);
  const MatrixX slopes = factors.solve(right);
  coefficients_.assign(static_cast<std::size_t>((count - 1) * coordinates_ * terms), 0.0);
  for (int i = 0; i + 1 < count; ++i)
    for (int k = 0; k < coordinates_; ++k) {
      double* c = coefficients_.data() + static_cast<std::size_t>((i * coordinates_ + k) * terms);
      const double t = times[i + 1] - times[i], d = points(i + 1, k) - points(i, k);
      const double v = slopes(per * i, k), w = slopes(per * (i + 1), k);
      c[0] = points(i, k);
      c[1] = v;
      if (kind == SplineKind::cubic) {
        c[2] = (3.0 * d / t - 2.0 * v - w) / t;
        c[3] = (-2.0 * d / t + v + w) / (t * t);
        continue;
      }
      const double a = slopes(per * i + 1, k), b = slopes(per * (i + 1) + 1, k);
      c[2] = 0.5 * a;
      c[3] = (10.0 * d / t - 6.0 * v - 4.0 * w - 0.5 * t * (3.0 * a - b)) / (t * t);
      c[4] = (-15.0 * d / t + 8.0 * v + 7.0 * w + 0.5 * t * (3.0 * a - 2.0 * b)) / (t * t * t);
      c[5] = (6.0 * d / t - 3.0 * (v + w) - 0.5 * t * (a - b)) / (t * t * t * t);
    }
}

void Spline::at(double time, TrajectoryPoint& point) const {
  point.position.resize(coordinates_);
  point.velocity.setZero(coordinates_);
  point.acceleration.setZero(coordinates_);
  const double t = std::clamp(time / scale_, 0.0, times_.back());
  int i = static_cast<int>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin()) - 1;
  i = std::min(i, static_cast<int>(times_.size()) - 2);
  const double s = t - times_[static_cast<std::size_t>(i)];
  for (int k = 0; k < coordinates_; ++k) {
    Polynomial p;
    std::copy_n(piece(i, k), terms, p.c.begin());
    point.position[k] = time >= duration() ? end_[k] : p.value(s);
    // A cubic begins and ends with an acceleration; beyond its ends it stands.
    if (time < 0.0 || time > duration()) continue;
    const Polynomial v = p.derivative();
    point.velocity[k] = v.value(s) / scale_;
    point.acceleration[k] = v.derivative().value(s) / (scale_ * scale_);
  }
}

MotionLimits Spline::peaks(int coordinate) const {
  MotionLimits most{0.0, 0.0, 0.0};
  for (int i = 0; i + 1 < static_cast<int>(times_.size()); ++i) {
    const double length = times_[i + 1] - times_[i];
    Polynomial p;
    std::copy_n(piece(i, coordinate), terms, p.c.begin());
    const Polynomial v = p.derivative(), a = v.derivative(), j = a.derivative();
    most.velocity = std::max(most.velocity, peak(v, length) / scale_);
    most.acceleration = std::max(most.acceleration, peak(a, length) / (scale_ * scale_));
    most.jerk = std::max(most.jerk, peak(j, length) / (scale_ * scale_ * scale_));
  }
  return most;
}

std::pair<double, double> Spline::extent(int coordinate) const {
  double least = end_[coordinate], most = end_[coordinate];
  for (int i = 0; i + 1 < static_cast<int>(times_.size()); ++i) {
    const double length = times_[i + 1] - times_[i];
    Polynomial p;
    std::copy_n(piece(i, coordinate), terms, p.c.begin());
    std::vector<double> places = roots(p.derivative(), length);
    places.push_back(0.0);
    for (const double s : places) {
      least = std::min(least, p.value(s));
      most = std::max(most, p.value(s));
    }
  }
  return {least, most};
}

std::vector<double> Spline::times() const {
  std::vector<double> scaled = times_;
  for (double& time : scaled) time *= scale_;
  return scaled;
}

void Spline::fit(const std::vector<MotionLimits>& limits) {
  if (static_cast<int>(limits.size()) != coordinates_)
    throw Error(
        fmt::format("{} limits; accepted: one per coordinate, {}", limits.size(), coordinates_));
  double factor = 0.0;
  for (int k = 0; k < coordinates_; ++k) {
    const MotionLimits& limit = limits[static_cast<std::size_t>(k)];
    if (!(limit.velocity > 0.0 && limit.acceleration > 0.0 && limit.jerk > 0.0))
      throw Error("a limit is not positive; accepted: positive numbers");
    const MotionLimits most = peaks(k);
    factor = std::max({factor, most.velocity / limit.velocity,
                       std::sqrt(most.acceleration / limit.acceleration),
                       std::pow(most.jerk / limit.jerk, 1.0 / 3.0)});
  }
  if (factor > 0.0) scale_ *= factor;
}

}  // namespace vinci
