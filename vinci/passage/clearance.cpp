// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/clearance.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "vinci/passage/passage.h"

namespace vinci {
namespace {

// Of a gap, what a certificate counts on: the rest covers the detector's rounding, which is at most
// 1e-6 of the gap.
constexpr double trusted = 0.999;

double rotation_angle(const Pose& a, const Pose& b) {
  return rotation_vector(a.rotation.conjugate() * b.rotation).norm();
}

}  // namespace

double radius_about_origin(const Model& model, int body) {
  const Body& owner = model.bodies[body];
  double radius = 0.0;
  for (int i = owner.first_shape; i < owner.first_shape + owner.shape_count; ++i) {
    const PlacedShape& placed = model.shapes[i];
    if (const auto* polygon = std::get_if<Polygon>(&placed.shape)) {
      for (const Vector2& v : polygon->vertices)
        radius = std::max(radius, (placed.offset * Vector3(v.x(), v.y(), 0.0)).norm());
    } else {
      radius = std::max(radius, placed.offset.position.norm() + bounding_radius(placed.shape));
    }
  }
  return radius;
}

Pose between(const Pose& a, const Pose& b, double fraction) {
  Pose pose;
  pose.position = a.position + fraction * (b.position - a.position);
  const Vector3 turn = rotation_vector(a.rotation.conjugate() * b.rotation);
  pose.rotation = (a.rotation * exponential(fraction * turn)).normalized();
  return pose;
}

Clearance::Clearance(const Model& model, CollisionDetector& detector, int body,
                     std::vector<Pose> poses)
    : model_(model),
      detector_(detector),
      body_(body),
      radius_(radius_about_origin(model, body)),
      poses_(std::move(poses)),
      reach_(model.bodies.size(), 0.0) {}

double Clearance::gap(const Pose& pose, double reach) {
  poses_[body_] = pose;
  reach_[body_] = std::max(reach, 0.0);
  detector_.detect(model_, poses_, reach_, contacts_);
  ++queries_;
  double least = reach;
  for (const Contact& contact : contacts_)
    if (contact.body_a == body_ || contact.body_b == body_) least = std::min(least, contact.gap);
  return least;
}

bool Clearance::push_out(Pose& pose, double least) {
  constexpr int most_rounds = 12;
  const bool planar = model_.bodies[body_].freedom == Freedom::planar;
  for (int round = 0; round < most_rounds; ++round) {
    if (gap(pose, least) >= least) return true;
    // Change of the gap with displacement and turn (as the way of a point at the radius).
    rows_.resize(static_cast<Eigen::Index>(contacts_.size()), 6);
    lacking_.resize(rows_.rows());
    Eigen::Index count = 0;
    for (const Contact& contact : contacts_) {
      const bool first = contact.body_a == body_;
      if ((!first && contact.body_b != body_) || contact.gap >= least) continue;
      const Vector3 normal = first ? Vector3(-contact.normal) : contact.normal;
      const Vector3 arm = (first ? contact.point_a : contact.point_b) - pose.position;
      rows_.row(count) << normal.transpose(), arm.cross(normal).transpose() / radius_;
      if (planar) rows_.row(count).segment<3>(2).setZero();
      lacking_[count++] = least - contact.gap;
    }
    const auto rows = rows_.topRows(count);
    MatrixX square = rows * rows.transpose();
    square.diagonal().array() += 1e-6;  // parallel faces ask for the same
    // A little more than asked for, so that the end is reached.
    const VectorX change = 1.05 * rows.transpose() * square.ldlt().solve(lacking_.head(count));
    if (!change.allFinite() || change.norm() > 2.0 * radius_) return false;
    pose.position += change.head<3>();
    pose.rotation = (exponential(change.tail<3>() / radius_) * pose.rotation).normalized();
  }
  return false;
}

double Clearance::travel(const Pose& a, const Pose& b) const {
  return (b.position - a.position).norm() + radius_ * rotation_angle(a, b);
}

bool Clearance::is_kept(const Pose& a, const Pose& b, double least, double resolution) {
  const double length = travel(a, b);
  uncovered_.assign(1, {0.0, 1.0});
  // The oldest first: the middle of the longest, so that what is in the way is found soon.
  for (std::size_t next = 0; next < uncovered_.size(); ++next) {
    const auto [begin, end] = uncovered_[next];
    const double middle = 0.5 * (begin + end);
    const double need = 0.5 * (end - begin) * length / trusted;
    const double free = gap(between(a, b, middle), least + need) - least;
    if (free >= need) continue;
    if (!(free > resolution)) return false;
    const double covered = trusted * free / length;
    uncovered_.emplace_back(begin, middle - covered);
    uncovered_.emplace_back(middle + covered, end);
  }
  return true;
}

}  // namespace vinci
