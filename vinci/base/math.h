// SPDX-License-Identifier: Apache-2.0
// Vectors, poses and twists. Poses are always spatial, SI units, right-handed; a planar body moves
// in the x-y plane and turns about z. A twist holds the velocity of a named point and the angular
// velocity, both in world axes.
#pragma once

#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace vinci {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
// From one to the next larger number, 2⁻⁵².
inline constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using VectorX = Eigen::VectorXd;
using Matrix2 = Eigen::Matrix2d;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using MatrixX = Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Quaternion = Eigen::Quaterniond;

// Twice the area of the triangle 0, u, v; positive where v lies to the left of u.
inline double cross(const Vector2& u, const Vector2& v) {
  return u.x() * v.y() - u.y() * v.x();
}

// A quarter turn counter-clockwise.
inline Vector2 left_of(const Vector2& v) {
  return {-v.y(), v.x()};
}

// Rigid placement x_world = position + rotation · x_local; the rotation is a unit quaternion.
struct Pose {
  Vector3 position = Vector3::Zero();  // m
  Quaternion rotation = Quaternion::Identity();

  Vector3 operator*(const Vector3& local) const { return position + rotation * local; }
  Pose operator*(const Pose& local) const {
    return {position + rotation * local.position, rotation * local.rotation};
  }
  Pose inverse() const {
    const Quaternion r = rotation.conjugate();
    return {-(r * position), r};
  }
  Vector3 to_local(const Vector3& world) const { return rotation.conjugate() * (world - position); }
};

inline Quaternion rotation_about_z(double angle) {
  return {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)};
}

inline Pose planar_pose(double x, double y, double angle) {
  return {Vector3(x, y, 0.0), rotation_about_z(angle)};
}

// Angle of the rotation about z in [−π, π]; meaningful for planar poses.
inline double planar_angle(const Quaternion& rotation) {
  const double angle = 2.0 * std::atan2(rotation.z(), rotation.w());
  return std::remainder(angle, 2.0 * M_PI);
}

// Unit quaternion of the rotation vector φ (axis times angle, rad): the exponential map.
Quaternion exponential(const Vector3& rotation_vector);

// Its inverse: axis times angle, at most π long.
Vector3 rotation_vector(const Quaternion& rotation);

struct Twist {
  Vector3 linear = Vector3::Zero();   // m/s, of the point the owner names
  Vector3 angular = Vector3::Zero();  // rad/s

  // Velocity of the point that lies `arm` away from the twist's own point.
  Vector3 at(const Vector3& arm) const { return linear + angular.cross(arm); }
};

}  // namespace vinci
