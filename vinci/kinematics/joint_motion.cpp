// SPDX-License-Identifier: Apache-2.0
// Poses, axes and coordinates of the kinds of joints.
#include "vinci/kinematics/joint_motion.h"

namespace vinci {
namespace {

Quaternion rotation_about_x(double angle) {
  return {std::cos(0.5 * angle), std::sin(0.5 * angle), 0.0, 0.0};
}

// The part of a rotation about z: exp(z q) of R = (swing about an axis across z) exp(z q).
double angle_about_z(const Quaternion& r) {
  return 2.0 * std::atan2(r.z(), r.w());
}

// Its derivative per angular velocity along the axes that r leads to:
// r' = ½ (0, ω) r, and θ' = 2 (w z' − z w')/(w² + z²).
Vector3 slope_about_z(const Quaternion& r) {
  const double square = r.w() * r.w() + r.z() * r.z();
  if (square == 0.0) return Vector3::UnitZ();
  return {(r.w() * r.y() + r.z() * r.x()) / square, (r.z() * r.y() - r.w() * r.x()) / square, 1.0};
}

// B against A: the place of P and the rotation.
struct Placement {
  Quaternion a;         // frame A in the world
  Vector3 offset;       // P in A
  Quaternion rotation;  // B against A

  Placement(const Joint& joint, const Pose& body_a, const Pose& body_b)
      : a(body_a.rotation * joint.frame_a.rotation),
        offset(a.conjugate() * (body_b * joint.frame_b.position - body_a * joint.frame_a.position)),
        rotation(a.conjugate() * (body_b.rotation * joint.frame_b.rotation)) {}
};

// Angles of Rz(q₀) Rx(q₁): from x of B seen along A, and from z of A seen along B.
double first_angle(const Quaternion& rotation) {
  const Vector3 x = rotation * Vector3::UnitX();
  return std::atan2(x.y(), x.x());
}
double second_angle(const Quaternion& rotation) {
  const Vector3 z = rotation.conjugate() * Vector3::UnitZ();
  return std::atan2(z.y(), z.z());
}

// Their derivatives per angular velocity, the first along A's axes: x' = ω × x; the second along
// B's: z' = z × ω.
Vector3 first_slope(const Quaternion& rotation) {
  const Vector3 x = rotation * Vector3::UnitX();
  const double square = x.x() * x.x() + x.y() * x.y();
  if (square == 0.0) return Vector3::UnitZ();
  return {-x.x() * x.z() / square, -x.y() * x.z() / square, 1.0};
}
Vector3 second_slope(const Quaternion& rotation) {
  const Vector3 z = rotation.conjugate() * Vector3::UnitZ();
  const double square = z.y() * z.y() + z.z() * z.z();
  if (square == 0.0) return Vector3::UnitX();
  return {1.0, -z.x() * z.y() / square, -z.x() * z.z() / square};
}

}  // namespace

Pose joint_pose(const Joint& joint, const double* q) {
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {Vector3::Zero(), rotation_about_z(q[0])};
    case JointKind::prismatic:
      return {Vector3(0.0, 0.0, q[0]), Quaternion::Identity()};
    case JointKind::screw:
      return {Vector3(0.0, 0.0, joint.pitch * q[0]), rotation_about_z(q[0])};
    case JointKind::cylindrical:
      return {Vector3(0.0, 0.0, q[1]), rotation_about_z(q[0])};
    case JointKind::universal:
      return {Vector3::Zero(), rotation_about_z(q[0]) * rotation_about_x(q[1])};
    case JointKind::ball:
      return {Vector3::Zero(), Quaternion(q[0], q[1], q[2], q[3])};
    case JointKind::planar:
      return {Vector3(q[0], q[1], 0.0), rotation_about_z(q[2])};
  }
  return {};
}

int joint_axes(const Joint& joint, const Pose& body_a, const Pose& body_b, JointAxes& axes) {
  const Quaternion a = body_a.rotation * joint.frame_a.rotation;
  const Vector3 zero = Vector3::Zero();
  const auto z = [&] { return Vector3(a * Vector3::UnitZ()); };
  switch (joint.kind) {
    case JointKind::fixed:
      return 0;
    case JointKind::revolute:
      axes[0] = {zero, z()};
      return 1;
    case JointKind::prismatic:
      axes[0] = {z(), zero};
      return 1;
    case JointKind::screw:
      axes[0] = {joint.pitch * z(), z()};
      return 1;
    case JointKind::cylindrical:
      axes[0] = {zero, z()};
      axes[1] = {axes[0].angular, zero};
      return 2;
    case JointKind::universal:
      axes[0] = {zero, z()};
      axes[1] = {zero, body_b.rotation * (joint.frame_b.rotation * Vector3::UnitX())};
      return 2;
    case JointKind::ball: {
      const Matrix3 b = (body_b.rotation * joint.frame_b.rotation).toRotationMatrix();
      for (int k = 0; k < 3; ++k) axes[static_cast<std::size_t>(k)] = {zero, b.col(k)};
      return 3;
    }
    case JointKind::planar: {
      const Matrix3 r = a.toRotationMatrix();
      axes[0] = {r.col(0), zero};
      axes[1] = {r.col(1), zero};
      axes[2] = {zero, r.col(2)};
      return 3;
    }
  }
  return 0;
}

bool is_carried_by_b(JointKind kind, int freedom) {
  return kind == JointKind::ball || (kind == JointKind::universal && freedom == 1) ||
         (kind == JointKind::planar && freedom == 2);
}

void read_coordinates(const Joint& joint, const Pose& body_a, const Pose& body_b, double* q) {
  const Placement at(joint, body_a, body_b);
  switch (joint.kind) {
    case JointKind::fixed:
      return;
    case JointKind::revolute:
    case JointKind::screw:
      q[0] = unwrapped(angle_about_z(at.rotation), q[0]);
      return;
    case JointKind::prismatic:
      q[0] = at.offset.z();
      return;
    case JointKind::cylindrical:
      q[0] = unwrapped(angle_about_z(at.rotation), q[0]);
      q[1] = at.offset.z();
      return;
    case JointKind::universal:
      q[0] = unwrapped(first_angle(at.rotation), q[0]);
      q[1] = unwrapped(second_angle(at.rotation), q[1]);
      return;
    case JointKind::ball: {
      Quaternion r = at.rotation.normalized();
      const double along = q[0] * r.w() + q[1] * r.x() + q[2] * r.y() + q[3] * r.z();
      if (along < 0.0) r.coeffs() = -r.coeffs();
      q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
      return;
    }
    case JointKind::planar:
      q[0] = at.offset.x();
      q[1] = at.offset.y();
      q[2] = unwrapped(angle_about_z(at.rotation), q[2]);
      return;
  }
}

void advance(const Joint& joint, const double* u, double h, double* q) {
  if (joint.kind != JointKind::ball) {
    for (int k = 0; k < rate_count(joint.kind); ++k) q[k] += h * u[k];
    return;
  }
  const Quaternion turn = exponential(h * Vector3(u[0], u[1], u[2]));
  const Quaternion r = (Quaternion(q[0], q[1], q[2], q[3]) * turn).normalized();
  q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
}

Twist rate_row(const Joint& joint, const Pose& body_a, const Pose& body_b, int freedom) {
  const Placement at(joint, body_a, body_b);
  const Vector3 zero = Vector3::Zero();
  const auto turn = [&]() -> Twist { return {zero, at.a * slope_about_z(at.rotation)}; };
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
    case JointKind::screw:
      return turn();
    case JointKind::prismatic:
      return {at.a * Vector3::UnitZ(), zero};
    case JointKind::cylindrical:
      if (freedom == 0) return turn();
      return {at.a * Vector3::UnitZ(), zero};
    case JointKind::universal:
      if (freedom == 0) return {zero, at.a * first_slope(at.rotation)};
      return {zero, at.a * (at.rotation * second_slope(at.rotation))};
    case JointKind::ball:
      return {zero, at.a * (at.rotation * Vector3::Unit(freedom))};
    case JointKind::planar:
      if (freedom == 2) return turn();
      return {at.a * Vector3::Unit(freedom), zero};
  }
  return {};
}

double unwrapped(double angle, double before) {
  return before + std::remainder(angle - before, 2.0 * M_PI);
}

}  // namespace vinci
