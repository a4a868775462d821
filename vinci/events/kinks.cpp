// SPDX-License-Identifier: Apache-2.0
#include "vinci/events/kinks.h"

#include <cmath>

#include <fmt/format.h>

namespace vinci {
namespace {

// Steps beside the point, as shares of its scale.
constexpr double far_step = 1e-5, near_step = 1e-7;
// Kinks down to this share of the largest slope of a row are seen.
constexpr double least_share = 1e-5;

struct Sides {
  double step = 0.0;
  VectorX below, above;

  // Per length: how much the slopes of both sides differ, or how high a jump is.
  double turn(const VectorX& here, Eigen::Index row) const {
    return std::abs(above[row] + below[row] - 2.0 * here[row]) / step;
  }
  double rise(Eigen::Index row) const { return std::abs(above[row] - below[row]); }
};

Sides sides_of(const KinkQuestion& question, Eigen::Index column, double share) {
  Sides sides;
  VectorX point = question.point;
  const double there = point[column];
  point[column] = there + share * question.scales[column];
  sides.step = point[column] - there;
  sides.above = question.values(point);
  point[column] = there - sides.step;
  sides.below = question.values(point);
  return sides;
}

}  // namespace

std::vector<std::string> kinks(const KinkQuestion& question) {
  const VectorX here = question.values(question.point);
  const Eigen::Index count = question.point.size();
  std::vector<Sides> near, far;
  VectorX slopes = VectorX::Zero(here.size());
  for (Eigen::Index j = 0; j < count; ++j) {
    near.push_back(sides_of(question, j, near_step));
    far.push_back(sides_of(question, j, far_step));
    const Sides& at = far.back();
    for (Eigen::Index i = 0; i < here.size(); ++i)
      if (const double slope = at.rise(i) / at.step; std::isfinite(slope))
        slopes[i] = std::max(slopes[i], slope);
  }
  std::vector<std::string> found;
  for (Eigen::Index j = 0; j < count; ++j) {
    const Sides &close = near[static_cast<std::size_t>(j)],
                &away = far[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < here.size(); ++i) {
      const double noise = question.noise / close.step + least_share * slopes[i];
      const double turn = close.turn(here, i), rise = close.rise(i);
      const bool ends = std::isnan(turn);  // a side where there is nothing
      const bool turns = turn > noise && turn > 0.3 * away.turn(here, i);
      const bool jumps = rise > noise * close.step && rise > 0.3 * away.rise(i);
      if (!ends && !turns && !jumps) continue;
      found.push_back(
          fmt::format(fmt::runtime(ends    ? "{} has no value on one side of this {}"
                                   : jumps ? "{} jumps at this {}"
                                           : "{} changes otherwise below than above this {}"),
                      question.rows[static_cast<std::size_t>(i)],
                      question.columns[static_cast<std::size_t>(j)]));
      break;
    }
  }
  return found;
}

}  // namespace vinci
