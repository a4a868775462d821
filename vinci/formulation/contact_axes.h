// SPDX-License-Identifier: Apache-2.0
// Rows of J of one contact: velocities and angular velocities of b minus those of a along an axis,
// gathered over the free entries.
#pragma once

#include <span>
#include <utility>

#include "vinci/collision/contact.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/model/model.h"

namespace vinci {

class ContactAxes {
 public:
  // The impulse acts at the ends of these arms, or at the midpoint of the witness points.
  ContactAxes(const Model& model, std::span<const Pose> poses, const Contact& contact,
              const ContactArms* arms = nullptr)
      : model_(model) {
    const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
    sides_[0] = side(contact.body_a, -1.0, poses, point);
    sides_[1] = side(contact.body_b, 1.0, poses, point);
    if (arms) {
      sides_[0].arm = arms->a;
      sides_[1].arm = arms->b;
    }
    // Columns ascend.
    if (sides_[0].body->velocity_offset > sides_[1].body->velocity_offset)
      std::swap(sides_[0], sides_[1]);
  }

  // The entries of the row of the velocity at the contact along an axis: column and value.
  template <class Take>
  void visit(const Vector3& axis, Take take) const {
    visit_entries(
        axis, [&](const Side& s) -> Vector3 { return s.arm.cross(axis); }, take);
  }
  // Of that and the angular velocity about another axis.
  template <class Take>
  void visit(const Vector3& axis, const Vector3& turning, Take take) const {
    visit_entries(
        axis, [&](const Side& s) -> Vector3 { return s.arm.cross(axis) + turning; }, take);
  }

 private:
  struct Side {
    const Body* body = nullptr;
    Vector3 arm = Vector3::Zero();
    double sign = 0.0;
  };
  Side side(int body, double sign, std::span<const Pose> poses, const Vector3& point) const {
    const Body& b = model_.bodies[body];
    return {&b, point - poses[body] * b.mass.center, sign};
  }
  template <class Moment, class Take>
  void visit_entries(const Vector3& axis, Moment moment_of, Take take) const {
    for (const Side& s : sides_) {
      const Vector3 moment = moment_of(s);
      for (int i = 0; i < s.body->velocity_size; ++i) {
        const int entry = s.body->velocity_offset + i;
        const int column = model_.free_index[entry];
        if (column < 0) continue;
        const int coordinate = model_.coordinate[entry];
        take(column, s.sign * (coordinate < 3 ? axis[coordinate] : moment[coordinate - 3]));
      }
    }
  }
  const Model& model_;
  Side sides_[2];
};

}  // namespace vinci
