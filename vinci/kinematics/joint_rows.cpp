// SPDX-License-Identifier: Apache-2.0
// Rows of the kinds of joints.
#include "vinci/kinematics/joint_rows.h"

#include "vinci/kinematics/joint_motion.h"

namespace vinci {
namespace {

class RowWriter {
 public:
  RowWriter(const Joint& joint, const Pose& body_a, const Pose& body_b, JointRows& rows)
      : a_(body_a.rotation * joint.frame_a.rotation),
        b_(body_b.rotation * joint.frame_b.rotation),
        offset_(body_b * joint.frame_b.position - body_a * joint.frame_a.position),
        rows_(rows) {
    rows_.count = 0;
  }

  Vector3 a(const Vector3& axis) const { return a_ * axis; }

  // P stays where it is along an axis of the world that is fixed in A.
  JointRow& place(const Vector3& axis) { return add(axis, Vector3::Zero(), axis.dot(offset_)); }

  // e_A · f_B changes at (ω_b − ω_a) · (f × e).
  void across(const Vector3& in_a, const Vector3& in_b) {
    add(Vector3::Zero(), in_b.cross(in_a), in_a.dot(in_b));
  }
  void parallel() {
    const Vector3 z = b_ * Vector3::UnitZ();
    across(a_ * Vector3::UnitX(), z);
    across(a_ * Vector3::UnitY(), z);
  }
  void universal() { across(a_ * Vector3::UnitZ(), b_ * Vector3::UnitX()); }

  // 2 v · e changes at (w e − e × v) · ω, e and ω along A's axes.
  void rotation(const Vector3& world_axis) {
    Quaternion r = a_.conjugate() * b_;
    if (r.w() < 0.0) r.coeffs() = -r.coeffs();
    const Vector3 axis = a_.conjugate() * world_axis;
    add(Vector3::Zero(), a_ * (r.w() * axis - axis.cross(r.vec())), 2.0 * axis.dot(r.vec()));
  }
  void rotations() {
    for (int k = 0; k < 3; ++k) rotation(a_ * Vector3::Unit(k));
  }

 private:
  JointRow& add(const Vector3& linear, const Vector3& angular, double error) {
    JointRow& row = rows_.rows[static_cast<std::size_t>(rows_.count++)];
    row = {linear, angular, error};
    return row;
  }

  Quaternion a_, b_;  // the frames in the world
  Vector3 offset_;    // P − P_A
  JointRows& rows_;
};

// Along the plane: axes of body a, so that the frames may stand as they like.
void planar_rows(const Joint& joint, const Pose& body_a, RowWriter& write) {
  const Vector3 up = Vector3::UnitZ();
  switch (joint.kind) {
    case JointKind::fixed:
    case JointKind::revolute:
      write.place(body_a.rotation * Vector3::UnitX());
      write.place(body_a.rotation * Vector3::UnitY());
      if (joint.kind == JointKind::fixed) write.rotation(up);
      return;
    case JointKind::prismatic:
      write.place(up.cross(write.a(Vector3::UnitZ())));
      write.rotation(up);
      return;
    default:
      return;
  }
}

}  // namespace

int joint_row_count(JointKind kind, World world) {
  if (world == World::spatial) return 6 - rate_count(kind);
  const bool in_plane =
      kind == JointKind::fixed || kind == JointKind::revolute || kind == JointKind::prismatic;
  return in_plane ? 3 - rate_count(kind) : 0;
}

void joint_rows(const Joint& joint, World world, const Pose& body_a, const Pose& body_b,
                double angle, JointRows& rows) {
  RowWriter write(joint, body_a, body_b, rows);
  if (world == World::planar) {
    planar_rows(joint, body_a, write);
    return;
  }
  const Vector3 x = write.a(Vector3::UnitX()), y = write.a(Vector3::UnitY()),
                z = write.a(Vector3::UnitZ());
  if (joint.kind != JointKind::planar) {
    write.place(x);
    write.place(y);
  }
  switch (joint.kind) {
    case JointKind::fixed:
      write.place(z);
      write.rotations();
      return;
    case JointKind::prismatic:
      write.rotations();
      return;
    case JointKind::revolute:
    case JointKind::planar:
      write.place(z);
      write.parallel();
      return;
    case JointKind::screw: {
      write.parallel();
      JointRow& row = write.place(z);
      double turned = angle;
      read_coordinates(joint, body_a, body_b, &turned);
      row.error -= joint.pitch * turned;
      row.angular = -joint.pitch * rate_row(joint, body_a, body_b, 0).angular;
      return;
    }
    case JointKind::cylindrical:
      write.parallel();
      return;
    case JointKind::universal:
      write.place(z);
      write.universal();
      return;
    case JointKind::ball:
      write.place(z);
      return;
  }
}

}  // namespace vinci
