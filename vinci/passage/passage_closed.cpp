// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/passage_closed.h"

#include <algorithm>
#include <cmath>

#include "vinci/passage/clearance.h"

namespace vinci {
namespace {

constexpr int most_cells = 1'000'000;
constexpr std::size_t most_edges = 32;  // of a convex piece whose largest disk is looked for

struct Disk {
  Vector2 center = Vector2::Zero();
  double radius = 0.0;
};

// Distance to the nearest edge line; negative outside.
double depth(const std::vector<Vector2>& convex, const Vector2& point) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < convex.size(); ++i) {
    const Vector2 a = convex[i], edge = convex[(i + 1) % convex.size()] - a;
    const Vector2 inward = Vector2(-edge.y(), edge.x()).normalized();
    least = std::min(least, inward.dot(point - a));
  }
  return least;
}

// The largest disk in a convex polygon touches three edges: all triples are tried.
Disk largest_disk(const std::vector<Vector2>& convex) {
  const std::size_t n = convex.size();
  Matrix3 rows;
  Vector3 right;
  Disk best;
  auto set_row = [&](int row, std::size_t edge) {
    const Vector2 a = convex[edge], along = convex[(edge + 1) % n] - a;
    const Vector2 inward = Vector2(-along.y(), along.x()).normalized();
    rows.row(row) << inward.x(), inward.y(), -1.0;  // inward · (c − a) = r
    right[row] = inward.dot(a);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k) {
        set_row(0, i), set_row(1, j), set_row(2, k);
        if (std::abs(rows.determinant()) < 1e-12) continue;
        const Vector2 center = (rows.inverse() * right).head<2>();
        const double radius = depth(convex, center);
        if (radius > best.radius) best = {center, radius};
      }
  return best;
}

Disk disk_in(const Shape& shape) {
  if (const auto* circle = std::get_if<Circle>(&shape)) return {Vector2::Zero(), circle->radius};
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return {Vector2::Zero(), capsule->radius};
  if (const auto* curve = std::get_if<Superellipse>(&shape))  // the least is that of the rhombus
    return {Vector2::Zero(), curve->axes.prod() / curve->axes.norm()};
  Disk best;
  if (const auto* polygon = std::get_if<Polygon>(&shape))
    for (const std::vector<int>& piece : polygon->pieces) {
      if (piece.size() > most_edges) continue;
      std::vector<Vector2> corners;
      for (const int vertex : piece) corners.push_back(polygon->vertices[vertex]);
      const Disk disk = largest_disk(corners);
      if (disk.radius > best.radius) best = disk;
    }
  return best;
}

// The largest disk in one shape of the body, body frame.
Disk disk_in_body(const Model& model, const Body& body) {
  Disk best;
  for (int i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
    const PlacedShape& placed = model.shapes[i];
    const Disk disk = disk_in(placed.shape);
    if (disk.radius <= best.radius) continue;
    const Vector3 center = placed.offset * Vector3(disk.center.x(), disk.center.y(), 0.0);
    best = {center.head<2>(), disk.radius};
  }
  return best;
}

// The same scene with the disk in place of the body.
Model with_disk(const Model& model, int body, const Disk& disk) {
  Model reduced = model;
  reduced.shapes.clear();
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    Body& owner = reduced.bodies[i];
    const int first = owner.first_shape;
    owner.first_shape = static_cast<int>(reduced.shapes.size());
    if (i == body) {
      PlacedShape placed = model.shapes[first];
      placed.shape = Circle{disk.radius};
      placed.offset = Pose{};
      reduced.shapes.push_back(placed);
      owner.shape_count = 1;
      owner.bounding_radius = disk.radius;
    } else {
      for (int k = first; k < first + owner.shape_count; ++k)
        reduced.shapes.push_back(model.shapes[k]);
    }
  }
  return reduced;
}

class Cells {
 public:
  Cells(Vector2 lower, Vector2 upper) : lower_(lower) {
    const Vector2 size = upper - lower;
    side_ = std::sqrt(size.prod() / most_cells);
    for (int i = 0; i < 2; ++i) count_[i] = 1 + static_cast<int>(size[i] / side_);
  }
  int count() const { return count_[0] * count_[1]; }
  double half_diagonal() const { return side_ * M_SQRT1_2; }
  Vector2 middle(int cell) const {
    return lower_ + side_ * Vector2(cell % count_[0] + 0.5, cell / count_[0] + 0.5);
  }
  int at(const Vector2& point) const {
    const Vector2 place = (point - lower_) / side_;
    const int i = std::clamp(static_cast<int>(place.x()), 0, count_[0] - 1);
    const int j = std::clamp(static_cast<int>(place.y()), 0, count_[1] - 1);
    return j * count_[0] + i;
  }
  // Cells whose middles lie within `distance` of this one's in both directions.
  template <class Visit>
  void visit_around(int cell, double distance, const Visit& visit) const {
    const int i = cell % count_[0], j = cell / count_[0];
    const int k = static_cast<int>(std::min(distance / side_, 1e4));
    for (int y = std::max(j - k, 0); y <= std::min(j + k, count_[1] - 1); ++y)
      for (int x = std::max(i - k, 0); x <= std::min(i + k, count_[0] - 1); ++x)
        visit(y * count_[0] + x);
  }
  double side() const { return side_; }

 private:
  Vector2 lower_;
  double side_ = 1.0;
  std::array<int, 2> count_ = {1, 1};
};

}  // namespace

ClosedAnswer is_closed(const Model& model, CollisionDetector& detector, const ClosedQuery& query) {
  ClosedAnswer answer;
  if (model.world != World::planar) return answer;
  const Disk disk = disk_in_body(model, model.bodies[query.body]);
  const double arm = disk.center.norm();
  Vector2 lower, upper;
  for (int i = 0; i < 2; ++i) {
    lower[i] = query.bounds[i].lower - arm;
    upper[i] = query.bounds[i].upper + arm;
  }
  const Cells cells(lower, upper);
  const double half_diagonal = cells.half_diagonal();
  // A middle inside another body lies at most ρ outside of it elsewhere in the cell.
  if (!(half_diagonal < disk.radius + query.clearance)) return answer;
  answer.radius = disk.radius;

  const Model reduced = with_disk(model, query.body, disk);
  Clearance clearance(reduced, detector, query.body, query.poses);
  auto is_goal = [&](const Vector2& point) {
    for (int i = 0; i < 2; ++i)
      if (point[i] < query.goal[i].lower - arm - half_diagonal ||
          point[i] > query.goal[i].upper + arm + half_diagonal)
        return false;
    return true;
  };
  enum : char { unknown, open, shut };
  std::vector<char> kind(cells.count(), unknown), seen(cells.count(), 0);
  const double look = query.clearance + 30.0 * cells.side();
  // One query tells of all cells within √2 of what it leaves: the square inside that circle.
  auto find_out = [&](int cell) {
    const Vector2 middle = cells.middle(cell);
    const Pose pose{Vector3(middle.x(), middle.y(), query.start.position.z()),
                    Quaternion::Identity()};
    const double room = clearance.gap(pose, look) - query.clearance;
    const char found = room < -half_diagonal ? shut : open;
    // Inside of a body the depth is no distance; there the middle's own distance, 0, counts.
    const double sure =
        found == open ? room : std::min(-room, disk.radius + query.clearance) - half_diagonal;
    kind[cell] = found;
    cells.visit_around(cell, std::max(sure, 0.0) * M_SQRT1_2, [&](int other) {
      if (kind[other] == unknown) kind[other] = found;
    });
  };
  std::vector<int> reached = {
      cells.at((query.start * Vector3(disk.center.x(), disk.center.y(), 0.0)).head<2>())};
  seen[reached.front()] = 1;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    if (is_goal(cells.middle(reached[next]))) {
      answer.queries = clearance.queries();
      return answer;
    }
    cells.visit_around(reached[next], cells.side(), [&](int cell) {
      if (seen[cell]) return;
      seen[cell] = 1;
      if (kind[cell] == unknown) find_out(cell);
      if (kind[cell] == open) reached.push_back(cell);
    });
  }
  answer.closed = true;
  answer.queries = clearance.queries();
  return answer;
}

}  // namespace vinci
