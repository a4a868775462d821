// SPDX-License-Identifier: Apache-2.0
// From what nothing moves outwards, contact by contact.
#include "vinci/stepping/resting_bodies.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace vinci {

bool RestingBodies::takes(const Model& model, int b) {
  const Body& body = model.bodies[b];
  if (body.velocity_size == 0 || !std::isfinite(body.bounding_radius)) return false;
  for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
    if (model.free_index[i] < 0) return false;
  return true;
}

void RestingBodies::begin(const Model& model, const std::vector<Pose>& poses) {
  model_ = &model;
  poses_ = &poses;
  holds_.clear();
}

void RestingBodies::add(const Contact& contact, const ContactFrame& frame, bool sticks) {
  holds_.push_back({&contact, frame, sticks});
}

// The holds of every body, one body after the other.
void RestingBodies::sort_holds(std::size_t count) {
  starts_.assign(count + 1, 0);
  for (const Hold& hold : holds_) ++starts_[hold.contact->body_a], ++starts_[hold.contact->body_b];
  for (std::size_t b = 0; b < count; ++b) starts_[b + 1] += starts_[b];
  holds_of_.resize(2 * holds_.size());
  for (int i = static_cast<int>(holds_.size()) - 1; i >= 0; --i)
    for (const int b : {holds_[i].contact->body_a, holds_[i].contact->body_b})
      holds_of_[--starts_[b]] = i;
}

const std::vector<char>& RestingBodies::find() {
  const std::size_t count = model_->bodies.size();
  resting_.assign(count, 0);
  held_.resize(count);
  queue_.clear();
  sort_holds(count);
  for (int b = 0; b < static_cast<int>(count); ++b) {
    if (takes(*model_, b)) {
      held_[b].setZero();
      if (model_->bodies[b].freedom == Freedom::planar)
        for (const int missing : {2, 3, 4}) held_[b](missing, missing) = 1.0;
    } else if (!model_->is_moved(b)) {
      resting_[b] = 1;
      queue_.push_back(b);
    }
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const int b = queue_[next];
    for (int k = starts_[b]; k < starts_[b + 1]; ++k) {
      const Hold& by = holds_[static_cast<std::size_t>(holds_of_[k])];
      const int other = by.contact->body_a == b ? by.contact->body_b : by.contact->body_a;
      if (resting_[other] || !takes(*model_, other)) continue;
      hold(other, by);
      if (!is_held(other)) continue;
      resting_[other] = 1;
      queue_.push_back(other);
    }
  }
  return resting_;
}

// Lengths are those of the body.
void RestingBodies::hold(int b, const Hold& by) {
  const Body& body = model_->bodies[b];
  const Vector3 arm =
      (0.5 * (by.contact->point_a + by.contact->point_b) - (*poses_)[b] * body.mass.center) /
      body.bounding_radius;
  const auto add = [&](const Vector3& axis) {
    Vector6 row;
    row << axis, arm.cross(axis);
    if (body.freedom == Freedom::planar) row.segment<3>(2).setZero();
    held_[b] += row * row.transpose();
  };
  add(by.frame.normal);
  if (!by.sticks) return;
  add(by.frame.tangent_1);
  if (body.freedom != Freedom::planar) add(by.frame.tangent_2);
}

// Whether no motion is left.
bool RestingBodies::is_held(int b) const {
  constexpr double least = 1e-6;  // of the squares of rows of length one
  const Eigen::LDLT<Matrix6> factor(held_[b]);
  return factor.vectorD().minCoeff() > least;
}

}  // namespace vinci
