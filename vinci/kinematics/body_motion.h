// SPDX-License-Identifier: Apache-2.0
// How bodies move and what acts on them, in world axes, over any number (base/dual.h): with plain
// numbers for motion, with numbers that carry derivatives for linear systems.
#pragma once

#include "vinci/base/dual.h"
#include "vinci/base/math.h"

namespace vinci {

template <class T>
using Series3 = Eigen::Matrix<Series<T>, 3, 1>;

// Of the world: at rest at its origin.
template <class T>
struct BodyMotion {
  Matrix3Of<T> rotation = identity();          // of the body frame
  Vector3Of<T> position = zero();              // of its origin, m
  Vector3Of<T> velocity = zero();              // of its origin, m/s
  Vector3Of<T> acceleration = zero();          // of its origin, m/s²
  Vector3Of<T> turning = zero();               // ω, rad/s
  Vector3Of<T> turning_acceleration = zero();  // ω', rad/s²

 private:
  static Vector3Of<T> zero() { return Vector3Of<T>::Constant(T(0.0)); }
  static Matrix3Of<T> identity() {
    Matrix3Of<T> matrix = Matrix3Of<T>::Constant(T(0.0));
    for (int i = 0; i < 3; ++i) matrix(i, i) = T(1.0);
    return matrix;
  }
};

// Force, and moment about the origin of the body frame.
template <class T>
struct BodyLoad {
  Vector3Of<T> force = Vector3Of<T>::Constant(T(0.0));   // N
  Vector3Of<T> moment = Vector3Of<T>::Constant(T(0.0));  // N m
};

template <class T>
Vector3Of<T> with_numbers_of(const Vector3& vector) {
  return {T(vector[0]), T(vector[1]), T(vector[2])};
}

// Value, first and second time derivative of an arm that is carried along.
template <class T>
Series3<T> carried_arm(const BodyMotion<T>& motion, const Vector3Of<T>& arm) {
  const Vector3Of<T> first = motion.turning.cross(arm);
  const Vector3Of<T> second = motion.turning_acceleration.cross(arm) + motion.turning.cross(first);
  Series3<T> series;
  for (int i = 0; i < 3; ++i) series[i] = {arm[i], first[i], second[i]};
  return series;
}

// Of a direction that is fixed to the body, given along its axes.
template <class T>
Series3<T> carried_direction(const BodyMotion<T>& motion, const Vector3& local) {
  return carried_arm<T>(motion, motion.rotation * with_numbers_of<T>(local));
}

// Of a point that is fixed to the body, given in its frame.
template <class T>
Series3<T> carried_point(const BodyMotion<T>& motion, const Vector3& local) {
  Series3<T> series = carried_direction<T>(motion, local);
  for (int i = 0; i < 3; ++i)
    series[i] += Series<T>(motion.position[i], motion.velocity[i], motion.acceleration[i]);
  return series;
}

// A force that acts at a point of the world.
template <class T>
void push(BodyLoad<T>& load, const BodyMotion<T>& motion, const Vector3Of<T>& force,
          const Vector3Of<T>& at) {
  const Vector3Of<T> arm = at - motion.position;
  load.force += force;
  load.moment += arm.cross(force);
}

}  // namespace vinci
