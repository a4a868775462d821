// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/rare.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {

void RareSampler::tell(std::span<const double> margins) {
  const auto count = static_cast<std::size_t>(points_.cols());
  if (count == 0 || margins.size() != count)
    throw Error(fmt::format("{} margins; margins: {}, one per point that was asked for",
                            margins.size(), count));
  margins_.resize(points_.cols());
  is_unknown_.assign(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    is_unknown_[i] = std::isnan(margins[i]);
    margins_[column] = is_unknown_[i] ? infinity : margins[i];
    ++evaluations_;
    unknown_ += is_unknown_[i];
    const auto point = points_.col(column);
    if (margins_[column] < 0.0 &&
        (nearest_.size() == 0 || point.squaredNorm() < nearest_.squaredNorm()))
      nearest_ = point;
  }
  proceed();
}

RareEstimate RareSampler::seen() const {
  RareEstimate estimate;
  estimate.evaluations = evaluations_;
  estimate.unknown = unknown_;
  estimate.nearest = nearest_;
  return estimate;
}

MatrixX to_unit_cube(const MatrixX& normals) {
  return normals.unaryExpr(
      [](double z) { return std::clamp(normal_cdf(z), 1e-300, 1.0 - 0x1p-53); });
}

}  // namespace vinci
