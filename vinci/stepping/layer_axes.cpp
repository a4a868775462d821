// SPDX-License-Identifier: Apache-2.0
// Least rotations of tangents, and hulls with their exterior angles.
#include "vinci/stepping/layer_axes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace vinci {

Matrix2 carried(const ContactFrame& from, const ContactFrame& to) {
  const Vector3 axis = from.normal.cross(to.normal);
  const double cosine = from.normal.dot(to.normal);
  // v + a × v + a × (a × v)/(1 + cos), a = from × to. Of opposite normals no rotation is the least.
  const double factor = 1.0 / std::max(1.0 + cosine, 1e-12);
  Matrix2 result;
  for (int j = 0; j < 2; ++j) {
    const Vector3& tangent = j == 0 ? from.tangent_1 : from.tangent_2;
    const Vector3 turned = cosine > -1.0 + 1e-9 ? tangent + axis.cross(tangent) +
                                                      factor * axis.cross(axis.cross(tangent))
                                                : (j == 0 ? tangent : Vector3(-tangent));
    result.col(j) << to.tangent_1.dot(turned), to.tangent_2.dot(turned);
  }
  return result;
}

void PatchEnds::share_out(std::span<const Vector2> places, std::span<const double> nearness,
                          std::span<double> shares) {
  const int count = static_cast<int>(places.size());
  std::fill(shares.begin(), shares.end(), 0.0);
  order_.resize(places.size());
  for (int i = 0; i < count; ++i) order_[i] = i;
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    return std::make_tuple(-nearness[i], i) < std::make_tuple(-nearness[j], j);
  });
  for (int i = 0; i < count; ++i) {
    const double next = i + 1 < count ? nearness[order_[i + 1]] : 0.0;
    if (nearness[order_[i]] > next) add_hull(places, i + 1, nearness[order_[i]] - next, shares);
  }
}

// The hull of the first ones in order_.
void PatchEnds::add_hull(std::span<const Vector2> places, int count, double weight,
                         std::span<double> shares) {
  constexpr double same = 1e-9;  // of the size of the hull: closer ones are one corner
  Vector2 low = places[order_[0]], high = low;
  for (int i = 1; i < count; ++i) {
    low = low.cwiseMin(places[order_[i]]);
    high = high.cwiseMax(places[order_[i]]);
  }
  const double small = same * (high - low).norm();
  sorted_.assign(order_.begin(), order_.begin() + count);
  std::sort(sorted_.begin(), sorted_.end(), [&](int i, int j) {
    return std::make_tuple(places[i].x(), places[i].y(), i) <
           std::make_tuple(places[j].x(), places[j].y(), j);
  });
  const auto cross = [](const Vector2& u, const Vector2& v) {
    return u.x() * v.y() - u.y() * v.x();
  };
  // The lower chain from left to right, then the upper one back.
  corners_.clear();
  const auto add = [&](std::size_t first, int i) {
    if (!corners_.empty() && (places[i] - places[corners_.back()]).norm() <= small) return;
    while (corners_.size() > first + 1) {
      const Vector2 &a = places[corners_[corners_.size() - 2]], &b = places[corners_.back()];
      if (cross(b - a, places[i] - b) > 0.0) break;
      corners_.pop_back();
    }
    corners_.push_back(i);
  };
  for (const int i : sorted_) add(0, i);
  const std::size_t turn = corners_.size() - 1;
  for (auto i = sorted_.rbegin(); i != sorted_.rend(); ++i) add(turn, *i);
  while (corners_.size() > 1 &&
         (places[corners_.back()] - places[corners_.front()]).norm() <= small)
    corners_.pop_back();
  const std::size_t n = corners_.size();
  if (n == 1) {
    shares[corners_[0]] += weight;
    return;
  }
  double sum = 0.0;
  const auto angle = [&](std::size_t k) {
    const Vector2 &a = places[corners_[(k + n - 1) % n]], &b = places[corners_[k]],
                  &c = places[corners_[(k + 1) % n]];
    const double area = std::max(0.0, cross(b - a, c - b));  // below it is rounding
    return std::atan2(area, (b - a).dot(c - b));
  };
  if (n == 2) {
    for (const int corner : corners_) shares[corner] += 0.5 * weight;
    return;
  }
  for (std::size_t k = 0; k < n; ++k) sum += angle(k);
  for (std::size_t k = 0; k < n; ++k) shares[corners_[k]] += weight * angle(k) / sum;
}

}  // namespace vinci
