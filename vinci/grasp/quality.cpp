// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/quality.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/point_hull.h"
#include "vinci/grasp/closure.h"
#include "vinci/grasp/cone_rows.h"
#include "vinci/grasp/growing_hull.h"

namespace vinci {
namespace {

constexpr int most_directions = 4096;

// The set of wrenches, by its support function.
class WrenchSet {
 public:
  WrenchSet(const GraspMap& map, ForceLimit limit, int directions) : map_(map), limit_(limit) {
    if (directions > 0)
      for (const ContactCone& contact : map.contacts)
        corners_.push_back(contact.corners(directions));
  }
  bool exact() const { return corners_.empty(); }

  double support(const VectorX& y, VectorX& point) const {
    double value = limit_ == ForceLimit::sum ? -infinity : 0.0;
    point = VectorX::Zero(map_.dimension);
    for (std::size_t i = 0; i < map_.contacts.size(); ++i) {
      const VectorX own = point_of(i, y);
      const double height = own.dot(y);
      if (limit_ == ForceLimit::each && height > 0.0) {
        point += own;
        value += height;
      } else if (limit_ == ForceLimit::sum && height > value) {
        point = own;
        value = height;
      }
    }
    return value;
  }

  // Downhill from y: the least of the support function, which is convex, over the plane that
  // touches the unit sphere at y. It lies on or outside of the sphere, so that scaled back to it
  // the value falls; repeated until it does not.
  VectorX descend(VectorX y) const {
    const ConeRows layout(map_, limit_ == ForceLimit::sum ? SharedHeight::yes : SharedHeight::no);
    const int heights = limit_ == ForceLimit::sum ? 1 : static_cast<int>(map_.contacts.size());
    ConeProgram rows = layout.program();
    for (int i = 0; i < heights; ++i) rows.cost[layout.height(i)] = 1.0;
    if (limit_ == ForceLimit::each)
      for (int i = 0; i < heights; ++i)
        rows.add_at_least(VectorX::Unit(rows.variables(), layout.height(i)), 0.0);
    VectorX point;
    double value = support(y, point);
    for (int round = 0; round < 300; ++round) {
      ConeProgram program = rows;
      VectorX row = VectorX::Zero(rows.variables());
      row.head(map_.dimension) = y;
      program.add_equality(row, 1.0);
      const VectorX next = solve(program).x.head(map_.dimension).normalized();
      if (!next.allFinite()) break;
      const double lower = support(next, point);
      if (!(lower < value)) break;
      const double gain = value - lower;
      y = next;
      value = lower;
      if (gain < 1e-13 * value) break;
    }
    return y;
  }

 private:
  VectorX point_of(std::size_t contact, const VectorX& y) const {
    if (exact()) return map_.contacts[contact].support_point(y);
    const VectorX* best = nullptr;
    double most = -infinity;
    for (const VectorX& corner : corners_[contact])
      if (const double height = corner.dot(y); height > most) {
        most = height;
        best = &corner;
      }
    return *best;
  }

  const GraspMap& map_;
  ForceLimit limit_;
  std::vector<std::vector<VectorX>> corners_;
};

// A ball about the origin in the hull of the wrenches: loads with all margins m that balance can
// change by m, and the map takes a ball of that to one of σ m.
double inner_radius(const GraspMap& map, const ClosureProof& proof) {
  double coefficient = 1.0;
  for (const ContactCone& contact : map.contacts)
    for (const auto& group : contact.groups) coefficient = std::max(coefficient, group.margin);
  const double slack = proof.least_margin / (1.0 + coefficient);
  return 0.5 * proof.weakest_column * slack /
         (1.0 + std::sqrt(static_cast<double>(map.contacts.size())) * slack);
}

void check_directions(int directions) {
  if (directions < 3 || directions > most_directions)
    throw Error(fmt::format("{} directions; accepted: 3 to {}", directions, most_directions),
                "directions");
}

}  // namespace

Quality grasp_quality(const Grasp& grasp, ForceLimit limit, const QualityOptions& options) {
  if (!(options.tolerance > 0.0 && options.tolerance < 1.0))
    throw Error("accepted: between 0 and 1", "tolerance");
  if (options.directions != 0) check_directions(options.directions);
  const GraspMap map = grasp_map(grasp);
  Quality result;
  double radius = 0.0;
  if (options.directions > 0) {
    const WrenchHull hull = wrench_hull(grasp, options.directions);
    if (limit == ForceLimit::sum) {
      result.lower = result.upper = hull.radius;
      if (hull.has_origin) result.weakest = hull.weakest;
      return result;
    }
    radius = 0.99 * hull.radius;  // the sum's set lies within that of each
  } else if (const ClosureProof proof = prove_closure(grasp); proof.closed) {
    radius = inner_radius(map, proof);
  }
  if (!(radius > 0.0)) return result;
  const WrenchSet set(map, limit, options.directions);
  GrowingHull hull(map.dimension, radius);
  VectorX best;
  result.upper = infinity;
  result.settled = false;
  for (;;) {
    const int facet = hull.nearest();
    const VectorX z = hull.plane(facet);
    result.lower = 1.0 / z.norm();
    const VectorX y = z.normalized();
    VectorX point;
    const double value = set.support(y, point);
    if (value < result.upper) {
      best = set.exact() ? set.descend(y) : y;
      result.upper = std::min(value, set.support(best, point));
      set.support(y, point);
    }
    result.settled = result.lower >= (1.0 - options.tolerance) * result.upper;
    if (result.settled || hull.facets() > options.most_facets || !hull.add(point, facet)) break;
  }
  result.lower = std::min(result.lower, result.upper);
  result.weakest = map.unscaled(best);
  result.points = hull.points();
  result.facets = hull.facets();
  return result;
}

std::size_t hull_corners(const Grasp& grasp, int directions) {
  check_directions(directions);
  std::size_t count = 0;
  for (const ContactCone& contact : grasp_map(grasp).contacts) {
    std::size_t own = 1;
    for (const auto& group : contact.groups)
      own *= ball_corners(static_cast<int>(group.coefficients.size()), directions);
    count += own;
  }
  return count;
}

WrenchHull wrench_hull(const Grasp& grasp, int directions, bool outside) {
  check_directions(directions);
  const GraspMap map = grasp_map(grasp);
  if (const std::size_t count = hull_corners(grasp, directions); count > most_hull_corners)
    throw Error(fmt::format("the pyramids have {} corners in all; accepted: up to {}, with fewer "
                            "directions or contacts",
                            count, most_hull_corners),
                "directions");
  std::vector<VectorX> corners;
  for (const ContactCone& contact : map.contacts) {
    const std::vector<VectorX> own = contact.corners(directions, outside);
    corners.insert(corners.end(), own.begin(), own.end());
  }
  WrenchHull result;
  MatrixX points(map.dimension, static_cast<int>(corners.size()));
  for (int i = 0; i < points.cols(); ++i) points.col(i) = corners[static_cast<std::size_t>(i)];
  const PointHull hull = point_hull(points);
  result.flat = hull.offsets.empty();
  if (result.flat) return result;
  result.volume = hull.volume;
  int nearest = 0;
  for (int i = 1; i < static_cast<int>(hull.offsets.size()); ++i)
    if (hull.offsets[static_cast<std::size_t>(i)] < hull.offsets[static_cast<std::size_t>(nearest)])
      nearest = i;
  result.radius = std::max(0.0, hull.offsets[static_cast<std::size_t>(nearest)]);
  result.has_origin = result.radius > 0.0;
  result.weakest = map.unscaled(hull.normals.col(nearest));
  return result;
}

}  // namespace vinci
