// SPDX-License-Identifier: Apache-2.0
// From what nothing moves outwards, contact by contact.
#include "vinci/stepping/resting_bodies.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

namespace vinci {
namespace {

// Of the squares of rows of length one: below it a motion is left.
constexpr double least_pivot = 1e-6;

}  // namespace

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
  spread();
  if (hold_together()) spread();
  return resting_;
}

// From bodies that rest to those that they hold.
void RestingBodies::spread() {
  while (!queue_.empty()) {
    const int b = queue_.back();
    queue_.pop_back();
    for (int k = starts_[b]; k < starts_[b + 1]; ++k) {
      const Hold& by = holds_[static_cast<std::size_t>(holds_of_[k])];
      const int other = by.contact->body_a == b ? by.contact->body_b : by.contact->body_a;
      if (resting_[other] || !takes(*model_, other)) continue;
      add_rows(other, by, held_[other]);
      if (!is_held(held_[other])) continue;
      resting_[other] = 1;
      queue_.push_back(other);
    }
  }
}

// Bodies that hold each other, as the stones of an arch do. Who would not be held if all others
// rested is none of them.
bool RestingBodies::hold_together() {
  place_.assign(resting_.size(), -1);
  group_.clear();
  together_ = held_;
  for (const Hold& by : holds_) {
    const int a = by.contact->body_a, b = by.contact->body_b;
    if (resting_[a] || resting_[b] || !takes(*model_, a) || !takes(*model_, b)) continue;
    for (const int body : {a, b}) {
      add_rows(body, by, together_[body]);
      if (place_[body] < 0) {
        place_[body] = 0;
        group_.push_back(body);
      }
    }
  }
  std::size_t count = 0;
  while (count != group_.size()) {
    count = group_.size();
    for (const int body : group_)
      if (!is_held(together_[body])) leave(body);
    std::erase_if(group_, [&](int body) { return place_[body] < 0; });
  }
  std::sort(group_.begin(), group_.end());
  bool found = false;
  for (const int first : group_)
    if (place_[first] == 0 && gather(first) && holds_itself()) {
      found = true;
      for (const int body : members_) resting_[body] = 1;
      queue_.insert(queue_.end(), members_.begin(), members_.end());
    }
  return found;
}

// A body that is not held: what it holds is held by others alone.
void RestingBodies::leave(int b) {
  place_[b] = -1;
  for (int k = starts_[b]; k < starts_[b + 1]; ++k) {
    const Hold& by = holds_[static_cast<std::size_t>(holds_of_[k])];
    const int other = by.contact->body_a == b ? by.contact->body_b : by.contact->body_a;
    if (resting_[other] || place_[other] < 0) continue;
    together_[other] = held_[other];
    for (int i = starts_[other]; i < starts_[other + 1]; ++i) {
      const Hold& left = holds_[static_cast<std::size_t>(holds_of_[i])];
      const int third = left.contact->body_a == other ? left.contact->body_b : left.contact->body_a;
      if (!resting_[third] && place_[third] >= 0) add_rows(other, left, together_[other]);
    }
  }
}

// The bodies that hold a body and each other, into members_ with their places from 1 on.
bool RestingBodies::gather(int first) {
  members_.assign(1, first);
  place_[first] = 1;
  for (std::size_t next = 0; next < members_.size(); ++next) {
    const int b = members_[next];
    for (int k = starts_[b]; k < starts_[b + 1]; ++k) {
      const Hold& by = holds_[static_cast<std::size_t>(holds_of_[k])];
      const int other = by.contact->body_a == b ? by.contact->body_b : by.contact->body_a;
      if (resting_[other] || place_[other] != 0) continue;
      members_.push_back(other);
      place_[other] = static_cast<int>(members_.size());
    }
  }
  return members_.size() > 1;
}

// Whether the members have no motion together.
bool RestingBodies::holds_itself() {
  entries_.clear();
  const auto add = [&](int a, int b, const Matrix6& block) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (block(i, j) != 0.0)
          entries_.emplace_back(6 * (place_[a] - 1) + i, 6 * (place_[b] - 1) + j, block(i, j));
  };
  for (const int a : members_) {
    add(a, a, together_[a]);
    for (int k = starts_[a]; k < starts_[a + 1]; ++k) {
      const Hold& by = holds_[static_cast<std::size_t>(holds_of_[k])];
      const int b = by.contact->body_a == a ? by.contact->body_b : by.contact->body_a;
      if (resting_[b] || place_[b] <= 0) continue;
      Matrix6 block = Matrix6::Zero();
      visit_rows(by, [&](const Vector3& axis) {
        block -= row_of(a, by, axis) * row_of(b, by, axis).transpose();
      });
      add(a, b, block);
    }
  }
  const Eigen::Index size = 6 * static_cast<Eigen::Index>(members_.size());
  Eigen::SparseMatrix<double> squares(size, size);
  squares.setFromTriplets(entries_.begin(), entries_.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(squares);
  return factor.info() == Eigen::Success && factor.vectorD().minCoeff() > least_pivot;
}

Vector6 RestingBodies::row_of(int b, const Hold& by, const Vector3& axis) const {
  const Body& body = model_->bodies[b];
  // Lengths are those of the body.
  const Vector3 arm =
      (0.5 * (by.contact->point_a + by.contact->point_b) - (*poses_)[b] * body.mass.center) /
      body.bounding_radius;
  Vector6 row;
  row << axis, arm.cross(axis);
  if (body.freedom == Freedom::planar) row.segment<3>(2).setZero();
  return row;
}

// In the plane nothing moves along the other tangent.
template <class Visitor>
void RestingBodies::visit_rows(const Hold& by, Visitor&& visit) const {
  visit(by.frame.normal);
  if (!by.sticks) return;
  visit(by.frame.tangent_1);
  if (model_->world == World::spatial) visit(by.frame.tangent_2);
}

void RestingBodies::add_rows(int b, const Hold& by, Matrix6& squares) const {
  visit_rows(by, [&](const Vector3& axis) {
    const Vector6 row = row_of(b, by, axis);
    squares += row * row.transpose();
  });
}

bool RestingBodies::is_held(const Matrix6& squares) {
  return Eigen::LDLT<Matrix6>(squares).vectorD().minCoeff() > least_pivot;
}

}  // namespace vinci
