// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/growing_hull.h"

#include <algorithm>

#include <Eigen/LU>

namespace vinci {

GrowingHull::GrowingHull(int dimension, double radius) : d_(dimension) {
  // Corners of the regular simplex, row by row: as many equal entries as it takes to centre the one
  // that stands out.
  MatrixX corners = MatrixX::Zero(d_, d_ + 1);
  for (int k = 0; k < d_; ++k) {
    const double a = 1.0 / std::sqrt((k + 1.0) * (k + 2.0));
    corners.row(k).head(k + 1).setConstant(a);
    corners(k, k + 1) = -(k + 1.0) * a;
  }
  for (int i = 0; i <= d_; ++i) points_.push_back(radius * corners.col(i).normalized());
  for (int left = 0; left <= d_; ++left) {
    Corners own{};
    for (int i = 0, k = 0; i <= d_; ++i)
      if (i != left) own[static_cast<std::size_t>(k++)] = i;
    Facet facet;
    make(own, facet);
    // Across the ridge without corner c lies the facet without c.
    for (int k = 0; k < d_; ++k)
      facet.neighbours[static_cast<std::size_t>(k)] = own[static_cast<std::size_t>(k)];
    all_.push_back(facet);
    lengths_.push_back(0.0);
    push(left);
  }
}

bool GrowingHull::make(Corners corners, Facet& facet) const {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_dimensions, most_dimensions> rows(
      d_, d_);
  for (int i = 0; i < d_; ++i)
    rows.row(i) = points_[static_cast<std::size_t>(corners[static_cast<std::size_t>(i)])];
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_dimensions, 1> ones(d_);
  ones.setOnes();
  const auto lu = rows.partialPivLu();
  facet.corners = corners;
  facet.plane.setZero();
  auto z = facet.plane.head(d_);
  z = lu.solve(ones);
  z += lu.solve(ones - rows * z);
  return z.allFinite();
}

void GrowingHull::push(int facet) {
  const double length = all_[static_cast<std::size_t>(facet)].plane.norm();
  lengths_[static_cast<std::size_t>(facet)] = length;
  heap_.emplace_back(length, facet);
  std::push_heap(heap_.begin(), heap_.end());
  ++alive_;
}

int GrowingHull::nearest() {
  for (;;) {
    const auto [length, facet] = heap_.front();
    const auto i = static_cast<std::size_t>(facet);
    if (all_[i].alive && lengths_[i] == length) return facet;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
}

VectorX GrowingHull::plane(int facet) const {
  return all_[static_cast<std::size_t>(facet)].plane.head(d_);
}

bool GrowingHull::sees(const Facet& facet, const VectorX& point) const {
  return facet.plane.head(d_).dot(point) > 1.0 + 1e-12;
}

bool GrowingHull::add(const VectorX& given, int start) {
  random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
  const double share = static_cast<double>(random_ >> 11) * 0x1p-53;
  const VectorX point = (1.0 - shrinking * share) * given;
  if (!point.allFinite() || !sees(all_[static_cast<std::size_t>(start)], point)) return false;

  ++mark_;
  std::vector<int> seen = {start};
  std::vector<Ridge> rim;  // with the facet beyond, which stays
  all_[static_cast<std::size_t>(start)].mark = mark_;
  for (std::size_t next = 0; next < seen.size(); ++next) {
    const Facet own = all_[static_cast<std::size_t>(seen[next])];
    for (int k = 0; k < d_; ++k) {
      const int beyond = own.neighbours[static_cast<std::size_t>(k)];
      Facet& other = all_[static_cast<std::size_t>(beyond)];
      if (other.mark == mark_) continue;
      if (sees(other, point)) {
        other.mark = mark_;
        seen.push_back(beyond);
        continue;
      }
      Ridge ridge{{}, beyond, 0};
      for (int i = 0, n = 0; i < d_; ++i)
        if (i != k)
          ridge.corners[static_cast<std::size_t>(n++)] = own.corners[static_cast<std::size_t>(i)];
      ridge.place = static_cast<int>(
          std::find(other.neighbours.begin(), other.neighbours.begin() + d_, seen[next]) -
          other.neighbours.begin());
      rim.push_back(ridge);
    }
  }
  // New facets: the ridges of the rim with the point, which comes last as its number is largest.
  const int number = static_cast<int>(points_.size());
  points_.push_back(point);
  std::vector<Facet> made(rim.size());
  bool good = seen.size() < static_cast<std::size_t>(alive_);
  for (std::size_t r = 0; r < rim.size() && good; ++r) {
    Corners corners = rim[r].corners;
    corners[static_cast<std::size_t>(d_ - 1)] = number;
    good = make(corners, made[r]);
  }
  // Two new facets meet where they share all but one corner of their ridges.
  std::vector<Ridge> ridges;
  for (std::size_t r = 0; r < made.size() && good; ++r)
    for (int k = 0; k + 1 < d_; ++k) {
      Ridge ridge{{}, static_cast<int>(r), k};
      for (int i = 0, n = 0; i + 1 < d_; ++i)
        if (i != k)
          ridge.corners[static_cast<std::size_t>(n++)] =
              rim[r].corners[static_cast<std::size_t>(i)];
      ridges.push_back(ridge);
    }
  std::sort(ridges.begin(), ridges.end(),
            [](const Ridge& a, const Ridge& b) { return a.corners < b.corners; });
  good = good && ridges.size() % 2 == 0;
  for (std::size_t i = 0; i + 1 < ridges.size() && good; i += 2)
    good = ridges[i].corners == ridges[i + 1].corners &&
           (i + 2 == ridges.size() || ridges[i + 2].corners != ridges[i].corners);
  if (!good) {
    points_.pop_back();
    return false;
  }
  std::vector<int> places(made.size());
  for (const int gone : seen) {
    all_[static_cast<std::size_t>(gone)].alive = false;
    free_.push_back(gone);
    --alive_;
  }
  for (std::size_t r = 0; r < made.size(); ++r) {
    if (free_.empty()) {
      free_.push_back(static_cast<int>(all_.size()));
      all_.emplace_back();
      lengths_.push_back(0.0);
    }
    places[r] = free_.back();
    free_.pop_back();
  }
  for (std::size_t i = 0; i + 1 < ridges.size(); i += 2) {
    const Ridge &a = ridges[i], &b = ridges[i + 1];
    made[static_cast<std::size_t>(a.facet)].neighbours[static_cast<std::size_t>(a.place)] =
        places[static_cast<std::size_t>(b.facet)];
    made[static_cast<std::size_t>(b.facet)].neighbours[static_cast<std::size_t>(b.place)] =
        places[static_cast<std::size_t>(a.facet)];
  }
  for (std::size_t r = 0; r < made.size(); ++r) {
    made[r].neighbours[static_cast<std::size_t>(d_ - 1)] = rim[r].facet;
    all_[static_cast<std::size_t>(rim[r].facet)]
        .neighbours[static_cast<std::size_t>(rim[r].place)] = places[r];
    all_[static_cast<std::size_t>(places[r])] = made[r];
    push(places[r]);
  }
  return true;
}

}  // namespace vinci
