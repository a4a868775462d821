// SPDX-License-Identifier: Apache-2.0
// Rows of J of one contact: velocities and angular velocities of b minus those of a along an axis,
// over the unknowns that move one of the two and not both alike.
#pragma once

#include <span>

#include "vinci/collision/contact.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/pair_columns.h"

namespace vinci {

class ContactAxes {
 public:
  // The impulse acts at the ends of these arms, or at the midpoint of the witness points. `tree` is
  // that of the poses, of models in which bodies hang on joints.
  ContactAxes(const Model& model, std::span<const Pose> poses, const Contact& contact,
              const ContactArms* arms = nullptr, const Tree* tree = nullptr)
      : model_(model) {
    const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
    add_side(contact.body_a, -1.0, poses, point);
    add_side(contact.body_b, 1.0, poses, point);
    if (arms) {
      sides_[0].arm = arms->a;
      sides_[1].arm = arms->b;
    }
    if (hangs(tree, contact.body_a) || hangs(tree, contact.body_b)) {
      paths_.find(*tree, {contact.body_a, sides_[0].arm}, {contact.body_b, sides_[1].arm});
      return;
    }
    // Columns ascend.
    const bool swapped =
        model.bodies[contact.body_a].velocity_offset > model.bodies[contact.body_b].velocity_offset;
    for (const int side : {swapped ? 1 : 0, swapped ? 0 : 1}) add_entries(side);
  }

  // The entries of the row of the velocity at the contact along an axis: column and value.
  template <class Take>
  void visit(const Vector3& axis, Take take) const {
    Vector3 moments[2];
    for (int side = 0; side < 2; ++side)
      if (sides_[side].acts) moments[side] = sides_[side].arm.cross(axis);
    visit_entries(axis, moments, take);
    for (const auto& column : paths_.columns()) take(column.unknown, axis.dot(column.linear));
  }
  // Of that and the angular velocity about another axis.
  template <class Take>
  void visit(const Vector3& axis, const Vector3& turning, Take take) const {
    const Vector3 moments[2] = {sides_[0].arm.cross(axis) + turning,
                                sides_[1].arm.cross(axis) + turning};
    visit_entries(axis, moments, take);
    for (const auto& column : paths_.columns())
      take(column.unknown, axis.dot(column.linear) + turning.dot(column.angular));
  }

 private:
  struct Side {
    int body = -1;
    Vector3 arm = Vector3::Zero();
    double sign = 0.0;
    bool acts = false;  // some of its entries are free
  };
  struct Entry {  // a free velocity
    int column, coordinate, side;
  };
  void add_side(int body, double sign, std::span<const Pose> poses, const Vector3& point) {
    const Vector3& center = model_.bodies[body].mass.center;
    const Pose& pose = poses[body];
    Side& side = sides_[sign < 0.0 ? 0 : 1];
    side.body = body;
    side.arm = point - (center.isZero(0.0) ? pose.position : pose * center);
    side.sign = sign;
  }
  void add_entries(int side) {
    const Body& body = model_.bodies[sides_[side].body];
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, column = model_.free_index[entry];
      if (column < 0) continue;
      entries_[count_++] = {column, model_.coordinate[entry], side};
      sides_[side].acts = true;
    }
  }
  template <class Take>
  void visit_entries(const Vector3& axis, const Vector3* moments, Take take) const {
    for (int k = 0; k < count_; ++k) {
      const Entry& entry = entries_[k];
      const double value =
          entry.coordinate < 3 ? axis[entry.coordinate] : moments[entry.side][entry.coordinate - 3];
      take(entry.column, sides_[entry.side].sign * value);
    }
  }
  const Model& model_;
  Side sides_[2];
  Entry entries_[12];
  int count_ = 0;
  PairColumns paths_;  // of bodies that hang on joints
};

}  // namespace vinci
