// SPDX-License-Identifier: Apache-2.0
// Frames that move: places and rotations as value, first and second derivative by time, over any
// number (base/dual.h). Products of frames give motion down a tree; nothing about joints is derived
// by hand.
#pragma once

#include <algorithm>
#include <array>

#include "vinci/kinematics/body_motion.h"

namespace vinci {

template <class T>
using SeriesMatrix = std::array<std::array<Series<T>, 3>, 3>;

template <class T>
struct SeriesFrame {
  SeriesMatrix<T> rotation = {};  // to be filled
  Series3<T> position = Series3<T>::Constant(Series<T>(0.0));
};

template <class T>
SeriesFrame<T> resting_frame(const Pose& pose) {
  SeriesFrame<T> frame;
  const Matrix3 rotation = pose.rotation.toRotationMatrix();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) frame.rotation[i][j] = Series<T>(rotation(i, j));
    frame.position[i] = Series<T>(pose.position[i]);
  }
  return frame;
}

template <class T>
Series<T> dot(const Series3<T>& a, const Series3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Series3<T> cross(const Series3<T>& a, const Series3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class T>
Series<T> scaled(const Series<T>& series, double factor) {
  return {factor * series.value, factor * series.first, factor * series.second};
}

template <class T>
Series3<T> turned(const SeriesMatrix<T>& rotation, const Vector3& local) {
  Series3<T> result;
  for (int i = 0; i < 3; ++i)
    result[i] = scaled(rotation[i][0], local[0]) + scaled(rotation[i][1], local[1]) +
                scaled(rotation[i][2], local[2]);
  return result;
}
template <class T>
Series3<T> turned(const SeriesMatrix<T>& rotation, const Series3<T>& local) {
  Series3<T> result;
  for (int i = 0; i < 3; ++i)
    result[i] = rotation[i][0] * local[0] + rotation[i][1] * local[1] + rotation[i][2] * local[2];
  return result;
}

template <class T>
SeriesMatrix<T> product(const SeriesMatrix<T>& a, const SeriesMatrix<T>& b) {
  SeriesMatrix<T> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      result[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  return result;
}
template <class T>
SeriesMatrix<T> product(const SeriesMatrix<T>& a, const Matrix3& b) {
  SeriesMatrix<T> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      result[i][j] = scaled(a[i][0], b(0, j)) + scaled(a[i][1], b(1, j)) + scaled(a[i][2], b(2, j));
  return result;
}
template <class T>
SeriesMatrix<T> transposed(const SeriesMatrix<T>& a) {
  SeriesMatrix<T> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result[i][j] = a[j][i];
  return result;
}

template <class T>
SeriesFrame<T> operator*(const SeriesFrame<T>& a, const SeriesFrame<T>& b) {
  return {product(a.rotation, b.rotation),
          Series3<T>(a.position + turned<T>(a.rotation, b.position))};
}
template <class T>
SeriesFrame<T> operator*(const SeriesFrame<T>& a, const Pose& b) {
  return {product(a.rotation, Matrix3(b.rotation.toRotationMatrix())),
          Series3<T>(a.position + turned<T>(a.rotation, b.position))};
}
template <class T>
SeriesFrame<T> inverse(const SeriesFrame<T>& a) {
  SeriesFrame<T> result;
  result.rotation = transposed(a.rotation);
  const Series3<T> back = turned<T>(result.rotation, a.position);
  for (int i = 0; i < 3; ++i) result.position[i] = -back[i];
  return result;
}

template <class T>
SeriesMatrix<T> rotation_about_z(const Series<T>& angle) {
  const Series<T> c = cos(angle), s = sin(angle), zero(0.0), one(1.0);
  return {{{c, -s, zero}, {s, c, zero}, {zero, zero, one}}};
}
template <class T>
SeriesMatrix<T> rotation_about_x(const Series<T>& angle) {
  const Series<T> c = cos(angle), s = sin(angle), zero(0.0), one(1.0);
  return {{{one, zero, zero}, {zero, c, -s}, {zero, s, c}}};
}
template <class T>
SeriesMatrix<T> rotation_about_y(const Series<T>& angle) {
  const Series<T> c = cos(angle), s = sin(angle), zero(0.0), one(1.0);
  return {{{c, zero, s}, {zero, one, zero}, {-s, zero, c}}};
}

// Rodrigues parameters: the axis times tan(angle/2). R = ((1 − s·s) I + 2 s sᵀ + 2 [s])/(1 + s·s),
// smooth at 0, without end at half a turn; ω = 2 (s' + s × s')/(1 + s·s).
template <class T>
SeriesMatrix<T> rotation_of_rodrigues(const Series3<T>& s) {
  const Series<T> square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  const Series<T> down = Series<T>(1.0) / (1.0 + square);
  const Series<T> two = scaled(down, 2.0);
  SeriesMatrix<T> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result[i][j] = two * (s[i] * s[j]);
  for (int i = 0; i < 3; ++i) result[i][i] += (1.0 - square) * down;
  const auto turn = [&](int i, int j, const Series<T>& value) {
    result[i][j] -= two * value;
    result[j][i] += two * value;
  };
  turn(0, 1, s[2]);
  turn(1, 2, s[0]);
  turn(2, 0, s[1]);
  return result;
}
// Column k: the angular velocity per s_k'.
template <class T>
Matrix3Of<T> rodrigues_axes(const Vector3Of<T>& s) {
  const T two = T(2.0) / (T(1.0) + s.dot(s));
  Matrix3Of<T> result;
  result << two, -two * s[2], two * s[1], two * s[2], two, -two * s[0], -two * s[1], two * s[0],
      two;
  return result;
}

template <class T>
BodyMotion<T> motion_of(const SeriesFrame<T>& frame) {
  BodyMotion<T> motion;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) motion.rotation(i, j) = frame.rotation[i][j].value;
    motion.position[i] = frame.position[i].value;
    motion.velocity[i] = frame.position[i].first;
    motion.acceleration[i] = frame.position[i].second;
  }
  // [ω] = R' Rᵀ, [ω'] = R'' Rᵀ + R' R'ᵀ: an entry each.
  const auto entry = [&](int i, int j, T& first, T& second) {
    first = second = T(0.0);
    for (int k = 0; k < 3; ++k) {
      const Series<T>&a = frame.rotation[i][k], &b = frame.rotation[j][k];
      first += a.first * b.value;
      second += a.second * b.value + a.first * b.first;
    }
  };
  entry(2, 1, motion.turning[0], motion.turning_acceleration[0]);
  entry(0, 2, motion.turning[1], motion.turning_acceleration[1]);
  entry(1, 0, motion.turning[2], motion.turning_acceleration[2]);
  return motion;
}

}  // namespace vinci
