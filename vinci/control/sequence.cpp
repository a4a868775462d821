// SPDX-License-Identifier: Apache-2.0
// Pieces in time.
#include "vinci/control/sequence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

Sequence::Sequence(double start, VectorX begin)
    : begin_(std::move(begin)), last_(begin_), end_(start) {
  if (!(start >= 0.0) || !std::isfinite(start))
    throw Error(fmt::format("begins at {} s; accepted: a time, 0 or later", start));
}

void Sequence::add(std::shared_ptr<const Trajectory> piece) {
  if (piece->size() != size())
    throw Error(fmt::format("a piece of {} coordinates; accepted: {}", piece->size(), size()));
  TrajectoryPoint point;
  piece->at(0.0, point);
  for (int i = 0; i < size(); ++i)
    if (!(std::abs(point.position[i] - last_[i]) <= 1e-9 * (1.0 + std::abs(last_[i]))))
      throw Error(
          fmt::format("a piece begins with coordinate {} at {:.9g}, the one before ends at "
                      "{:.9g}; accepted: pieces that follow on each other",
                      i, point.position[i], last_[i]));
  piece->at(piece->duration(), point);
  last_ = point.position;
  pieces_.push_back({end_, std::move(piece)});
  end_ += pieces_.back().trajectory->duration();
}

void Sequence::at(double time, TrajectoryPoint& point) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                      [](double t, const Piece& piece) { return t < piece.start; });
  if (after != pieces_.begin()) {
    const Piece& piece = *std::prev(after);
    return piece.trajectory->at(time - piece.start, point);
  }
  point.position = begin_;
  point.velocity.setZero(size());
  point.acceleration.setZero(size());
}

}  // namespace vinci
