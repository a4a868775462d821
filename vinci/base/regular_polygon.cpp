// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/regular_polygon.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vinci {

namespace {

constexpr int most_kept = 64;  // sides: 33 kB of corners
// Fine polygons, which stand for circles: those of 128, 256, 512 and 1024 sides, 31 kB.
constexpr int finest_kept = 1024;

Vector2 computed_corner(int sides, int j) {
  const int quarter = 4 * j;
  if (quarter % sides == 0) {
    constexpr double cosines[4] = {1.0, 0.0, -1.0, 0.0};
    const int turn = quarter / sides % 4;
    return {cosines[turn], cosines[(turn + 3) % 4]};
  }
  const double angle = 2.0 * M_PI * j / sides;
  return {std::cos(angle), std::sin(angle)};
}

int place_of(int sides, int j) {
  return sides * (sides - 1) / 2 + j;
}

// The corners of all polygons of up to so many sides: a step asks for them again and again.
std::vector<Vector2> kept_corners() {
  std::vector<Vector2> corners;
  corners.reserve(static_cast<std::size_t>(place_of(most_kept + 1, 0)));
  for (int sides = 1; sides <= most_kept; ++sides)
    for (int j = 0; j < sides; ++j) corners.push_back(computed_corner(sides, j));
  return corners;
}

std::vector<Vector2> kept_fine_corners() {
  std::vector<Vector2> corners;
  corners.reserve(2 * finest_kept - 2 * most_kept);
  for (int sides = 2 * most_kept; sides <= finest_kept; sides *= 2)
    for (int j = 0; j < sides; ++j) corners.push_back(computed_corner(sides, j));
  return corners;
}

}  // namespace

Vector2 polygon_corner(int sides, int j) {
  static const std::vector<Vector2> corners = kept_corners(), fine = kept_fine_corners();
  if (j >= sides) return computed_corner(sides, j);
  if (sides <= most_kept) return corners[static_cast<std::size_t>(place_of(sides, j))];
  if (sides <= finest_kept && (sides & (sides - 1)) == 0)
    return fine[static_cast<std::size_t>(sides - 2 * most_kept + j)];
  return computed_corner(sides, j);
}

void split_over_corners(const Vector2& v, std::span<double> shares) {
  std::fill(shares.begin(), shares.end(), 0.0);
  const auto sides = static_cast<int>(shares.size());
  if (sides == 2) {
    shares[0] = std::max(v.x(), 0.0);
    shares[1] = std::max(-v.x(), 0.0);
    return;
  }
  double angle = std::atan2(v.y(), v.x());
  if (angle < 0.0) angle += 2.0 * M_PI;
  const int j = std::min(static_cast<int>(angle / (2.0 * M_PI / sides)), sides - 1);
  const int next = (j + 1) % sides;
  const Vector2 a = polygon_corner(sides, j), b = polygon_corner(sides, next);
  const double area = a.x() * b.y() - a.y() * b.x();
  shares[j] = std::max((v.x() * b.y() - v.y() * b.x()) / area, 0.0);
  shares[next] = std::max((a.x() * v.y() - a.y() * v.x()) / area, 0.0);
}

}  // namespace vinci
