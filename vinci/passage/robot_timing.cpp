// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/robot_timing.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace vinci {
namespace {

constexpr int shortcut_tries = 60, most_parts = 8;
constexpr double limit_rounding = 1e-9;  // beyond limits of coordinates

double weighted_length(const Mechanism& mechanism, const VectorX& a, const VectorX& b) {
  double sum = 0.0;
  for (int k = 0; k < a.size(); ++k) {
    const double way = mechanism.coordinates()[static_cast<std::size_t>(k)].weight * (b[k] - a[k]);
    sum += way * way;
  }
  return std::sqrt(sum);
}

std::vector<VectorX> without_detours(Mechanism& mechanism, const std::vector<VectorX>& path,
                                     const MotionRules& rules) {
  std::vector<VectorX> shorter = {path.front()};
  for (std::size_t i = 0; i + 1 < path.size();) {
    std::size_t next = path.size() - 1;
    while (next > i + 1 &&
           !mechanism.is_kept(path[i], path[next], rules.clearance, rules.resolution))
      --next;
    shorter.push_back(path[next]);
    i = next;
  }
  return shorter;
}

// Per joint rate.
std::vector<MotionLimits> rate_limits(const Mechanism& mechanism) {
  std::vector<MotionLimits> limits(static_cast<std::size_t>(mechanism.model().joint_rate_count));
  for (std::size_t r = 0; r < limits.size(); ++r) {
    const int k = mechanism.coordinate_of(static_cast<int>(r));
    if (k < 0) continue;
    const double by = std::abs(mechanism.ratio_of(static_cast<int>(r)));
    const MotionLimits& own = mechanism.coordinates()[static_cast<std::size_t>(k)].limits;
    limits[r] = {by * own.velocity, by * own.acceleration, by * own.jerk};
  }
  return limits;
}

MatrixX rows_of_rates(const Mechanism& mechanism, const std::vector<VectorX>& path) {
  MatrixX rows(static_cast<Eigen::Index>(path.size()), mechanism.model().joint_rate_count);
  for (std::size_t i = 0; i < path.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = mechanism.along_rates(path[i]).transpose();
  return rows;
}

// Times that the velocities allow from point to point.
std::vector<double> quickest_times(const Mechanism& mechanism, const std::vector<VectorX>& path) {
  std::vector<double> times = {0.0};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    double longest = 0.0;
    for (int k = 0; k < mechanism.size(); ++k)
      longest = std::max(longest,
                         std::abs(path[i + 1][k] - path[i][k]) /
                             mechanism.coordinates()[static_cast<std::size_t>(k)].limits.velocity);
    times.push_back(times.back() + longest);
  }
  return times;
}

std::vector<VectorX> divided(const std::vector<VectorX>& path, int parts) {
  std::vector<VectorX> finer = {path.front()};
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    for (int part = 1; part <= parts; ++part)
      finer.push_back(part == parts ? path[i + 1]
                                    : VectorX(path[i] + (path[i + 1] - path[i]) * part / parts));
  return finer;
}

bool stays_within(const Mechanism& mechanism, const Spline& spline) {
  for (const MovingCoordinate& coordinate : mechanism.coordinates()) {
    const auto [least, most] = spline.extent(coordinate.rate);
    if (least < coordinate.lower - limit_rounding || most > coordinate.upper + limit_rounding)
      return false;
  }
  return true;
}

void set_knots(RobotPassageResult& result, const MatrixX& rows) {
  result.knots.clear();
  for (Eigen::Index i = 0; i < rows.rows(); ++i) result.knots.push_back(rows.row(i).transpose());
}

}  // namespace

std::vector<VectorX> shortened(Mechanism& mechanism, const std::vector<VectorX>& path,
                               const MotionRules& rules) {
  std::vector<VectorX> best = without_detours(mechanism, path, rules);
  std::mt19937_64 random(rules.seed + 4);
  const auto number = [&] { return std::ldexp(static_cast<double>(random() >> 11), -53); };
  for (int tried = 0; tried < shortcut_tries && best.size() > 2; ++tried) {
    double ends[] = {number() * static_cast<double>(best.size() - 1),
                     number() * static_cast<double>(best.size() - 1)};
    if (ends[0] > ends[1]) std::swap(ends[0], ends[1]);
    const auto first = static_cast<std::size_t>(ends[0]), last = static_cast<std::size_t>(ends[1]);
    if (first == last) continue;
    const auto at = [&](double place) {
      const auto i = static_cast<std::size_t>(place);
      return VectorX(best[i] + (best[i + 1] - best[i]) * (place - static_cast<double>(i)));
    };
    const VectorX from = at(ends[0]), to = at(ends[1]);
    double before = weighted_length(mechanism, from, best[first + 1]);
    for (std::size_t i = first + 1; i < last; ++i)
      before += weighted_length(mechanism, best[i], best[i + 1]);
    before += weighted_length(mechanism, best[last], to);
    if (weighted_length(mechanism, from, to) > 0.98 * before) continue;
    if (!mechanism.is_kept(from, to, rules.clearance, rules.resolution)) continue;
    std::vector<VectorX> cut(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    cut.push_back(from);
    cut.push_back(to);
    cut.insert(cut.end(), best.begin() + static_cast<std::ptrdiff_t>(last) + 1, best.end());
    best = std::move(cut);
  }
  return without_detours(mechanism, best, rules);
}

void LeadingCoordinates::at(double time, TrajectoryPoint& point) const {
  TrajectoryPoint all;
  whole_.at(time, all);
  point.position.resize(size());
  point.velocity.resize(size());
  point.acceleration.resize(size());
  for (int k = 0; k < size(); ++k) {
    const int rate = mechanism_.coordinates()[static_cast<std::size_t>(k)].rate;
    point.position[k] = all.position[rate];
    point.velocity[k] = all.velocity[rate];
    point.acceleration[k] = all.acceleration[rate];
  }
}

VectorX acceleration_peaks(const Mechanism& mechanism, const Spline& spline) {
  VectorX peaks(mechanism.size());
  for (int k = 0; k < peaks.size(); ++k)
    peaks[k] = spline.peaks(mechanism.coordinates()[static_cast<std::size_t>(k)].rate).acceleration;
  return peaks;
}

void time_path(Mechanism& mechanism, const std::vector<VectorX>& path, const MotionRules& rules,
               RobotPassageResult& result) {
  const std::vector<MotionLimits> limits = rate_limits(mechanism);
  MatrixX rows = rows_of_rates(mechanism, path);
  const auto resting = std::make_shared<StraightMoves>(rows, limits);
  result.trajectory = resting;
  result.times = resting->times();
  result.smooth = path.size() <= 2;
  set_knots(result, rows);
  for (int parts = 1; path.size() > 2 && parts <= most_parts; parts *= 2) {
    const std::vector<VectorX> finer = divided(path, parts);
    rows = rows_of_rates(mechanism, finer);
    const auto spline =
        std::make_shared<Spline>(SplineKind::quintic, quickest_times(mechanism, finer), rows);
    spline->fit(limits);
    if (!(spline->duration() < result.trajectory->duration())) continue;
    if (!stays_within(mechanism, *spline)) continue;
    const LeadingCoordinates leading(mechanism, *spline);
    if (!mechanism.is_kept(leading, acceleration_peaks(mechanism, *spline), rules.clearance,
                           rules.resolution))
      continue;
    result.trajectory = spline;
    result.times = spline->times();
    result.smooth = true;
    set_knots(result, rows);
  }
}

}  // namespace vinci
