// SPDX-License-Identifier: Apache-2.0
// Detection as a list of stages; all vectors are members and keep their memory.
#include "vinci/collision/exact_detector.h"

#include <algorithm>

namespace vinci {

namespace {

bool is_finite(const Box3& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

bool is_excluded(const Model& model, int body_a, int body_b) {
  return std::binary_search(model.excluded_pairs.begin(), model.excluded_pairs.end(),
                            std::pair(std::min(body_a, body_b), std::max(body_a, body_b)));
}

// Whether the box reaches below the boundary line or plane of an unbounded shape.
bool reaches(const Box3& box, const Shape& unbounded, const Pose& pose, double reach) {
  const Vector3 normal =
      pose.rotation * (std::holds_alternative<HalfPlane>(unbounded) ? Vector3::UnitY().eval()
                                                                    : Vector3::UnitZ().eval());
  const Vector3 center = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
  return normal.dot(center - pose.position) - normal.cwiseAbs().dot(half) <= reach;
}

}  // namespace

void ExactDetector::detect(const Model& model, std::span<const Pose> poses,
                           std::span<const double> reach, ContactSet& contacts) {
  contacts.clear();
  place_shapes(model, poses, reach);
  broad_phase_.find_pairs(items_, pairs_);
  pair_unbounded(model, reach);
  // Pairs ascend, and so do the points of a pair: the set comes out sorted by key.
  for (const auto& [a, b] : pairs_) {
    const int body_a = model.shapes[a].body, body_b = model.shapes[b].body;
    if (is_excluded(model, body_a, body_b)) continue;
    collide(model, a, b, reach[body_a] + reach[body_b]);
    for (const ContactPoint& point : points_)
      contacts.push_back({contact_key(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b),
                                      point.feature_a, point.feature_b),
                          body_a, body_b, point.point_a, point.point_b, point.normal, point.gap});
  }
}

// Half-planes and half-spaces are few: each is held against the box of every other shape.
void ExactDetector::pair_unbounded(const Model& model, std::span<const double> reach) {
  if (unbounded_.empty()) return;
  for (const BroadPhase::Item& item : items_)
    for (const int plane : unbounded_) {
      const int body = model.shapes[plane].body;
      if (body != item.group && (movable_[body] || item.movable) &&
          reaches(item.box, model.shapes[plane].shape, shape_poses_[plane], reach[body]))
        pairs_.emplace_back(std::min(item.id, plane), std::max(item.id, plane));
    }
  std::sort(pairs_.begin(), pairs_.end());
}

// Boxes of the shapes, grown by how far their bodies may travel. A shape whose pose or reach is no
// longer finite meets nothing; the stepper reports its body as diverged.
void ExactDetector::place_shapes(const Model& model, std::span<const Pose> poses,
                                 std::span<const double> reach) {
  movable_.clear();
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    movable_.push_back(model.is_moved(static_cast<int>(b)));
  items_.clear(), unbounded_.clear(), shape_poses_.clear();
  for (int i = 0; i < static_cast<int>(model.shapes.size()); ++i) {
    const PlacedShape& placed = model.shapes[i];
    shape_poses_.push_back(poses[placed.body] * placed.offset);
    if (is_unbounded(placed.shape)) {
      unbounded_.push_back(i);
      continue;
    }
    Box3 box = bounding_box(placed.shape, shape_poses_[i]);
    box.lower.array() -= reach[placed.body];
    box.upper.array() += reach[placed.body];
    // Chains of joints leave planar poses a rounding out of the plane.
    if (model.world == World::planar) box.lower.z() = box.upper.z() = 0.0;
    if (is_finite(box)) items_.push_back({box, i, placed.body, movable_[placed.body] != 0});
  }
  if (outlines_.size() < model.shapes.size()) outlines_.resize(model.shapes.size());
  outlined_.assign(model.shapes.size(), 0);
}

void ExactDetector::collide(const Model& model, int shape_a, int shape_b, double margin) {
  points_.clear();
  if (model.world == World::planar &&
      (is_curve(model.shapes[shape_a].shape) || is_curve(model.shapes[shape_b].shape)))
    curves_.collide(outline(model, shape_a), outline(model, shape_b), margin, points_);
  else if (model.world == World::planar)
    planar_.collide(outline(model, shape_a), outline(model, shape_b), margin, points_);
  else
    collide_spatial({&model.shapes[shape_a].shape, shape_poses_[shape_a],
                     &model.shapes[shape_b].shape, shape_poses_[shape_b]},
                    margin, spatial_, points_);
  std::sort(points_.begin(), points_.end(), [](const ContactPoint& p, const ContactPoint& q) {
    return std::pair(p.feature_a, p.feature_b) < std::pair(q.feature_a, q.feature_b);
  });
}

const PlanarOutline& ExactDetector::outline(const Model& model, int shape) {
  if (!outlined_[shape]) {
    outlines_[shape].place(model.shapes[shape].shape, shape_poses_[shape]);
    outlined_[shape] = 1;
  }
  return outlines_[shape];
}

void add_builtin_detectors(DetectorRegistry& registry) {
  registry.add(
      {"exact",
       "Every contact point of circles, capsules, polygons, superellipses, implicit curves "
       "and half-planes in the plane, of spheres, boxes, capsules, cylinders, convex polyhedra, "
       "superquadrics, triangle meshes, height fields and half-spaces in space",
       "",
       {},
       [](const OptionValues&) { return std::make_unique<ExactDetector>(); }});
}

}  // namespace vinci
