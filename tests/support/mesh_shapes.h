// SPDX-License-Identifier: Apache-2.0
// Triangles of well-known surfaces, and rough ones, for tests of meshes.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "vinci/geometry/triangle_mesh.h"

namespace vinci::meshes {

// Rows of a closed surface of revolution kind: point(u, v), u and v in [0, 1); both wrap around.
template <class Point>
TriangleSoup wrapped(int rows, int columns, Point point) {
  TriangleSoup soup;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      soup.points.push_back(point(static_cast<double>(i) / rows, static_cast<double>(j) / columns));
  const auto at = [&](int i, int j) { return (i % rows) * columns + j % columns; };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      soup.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      soup.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return soup;
}

// About the z axis; the tube has the lesser radius.
inline TriangleSoup torus(double radius, double tube, int around, int across) {
  return wrapped(around, across, [=](double u, double v) {
    const double a = 2.0 * M_PI * u, b = 2.0 * M_PI * v;
    const double r = radius + tube * std::cos(b);
    return Vector3(r * std::cos(a), r * std::sin(a), tube * std::sin(b));
  });
}

// Vertices on the sphere; poles on z.
inline TriangleSoup ball(double radius, int rows, int columns) {
  TriangleSoup soup;
  soup.points = {Vector3(0.0, 0.0, radius), Vector3(0.0, 0.0, -radius)};
  for (int i = 1; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double a = M_PI * i / rows, b = 2.0 * M_PI * j / columns;
      soup.points.push_back(
          radius * Vector3(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)));
    }
  const auto at = [&](int i, int j) { return 2 + (i - 1) * columns + j % columns; };
  for (int j = 0; j < columns; ++j) {
    soup.triangles.push_back({0, at(1, j), at(1, j + 1)});
    for (int i = 1; i + 1 < rows; ++i) {
      soup.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      soup.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
    soup.triangles.push_back({1, at(rows - 1, j + 1), at(rows - 1, j)});
  }
  return soup;
}

// A ball whose vertices are moved in and out at random: star-shaped, seldom convex.
inline TriangleSoup rough_ball(std::mt19937_64& random, int rows, int columns) {
  TriangleSoup soup = ball(1.0, rows, columns);
  std::uniform_real_distribution<double> factor(0.4, 1.0);
  for (Vector3& point : soup.points) point *= factor(random);
  return soup;
}

// Each side of a box in n by n squares.
inline TriangleSoup box(const Vector3& half, int n) {
  TriangleSoup soup;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      const int first = static_cast<int>(soup.points.size());
      for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
          Vector3 point;
          point[axis] = side * half[axis];
          point[u] = half[u] * (2.0 * i / n - 1.0);
          point[v] = half[v] * (2.0 * j / n - 1.0);
          soup.points.push_back(point);
        }
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const int a = first + i * (n + 1) + j, b = a + n + 1, c = b + 1, d = a + 1;
          if (side > 0.0) {
            soup.triangles.push_back({a, b, c});
            soup.triangles.push_back({a, c, d});
          } else {
            soup.triangles.push_back({a, c, b});
            soup.triangles.push_back({a, d, c});
          }
        }
    }
  return soup;
}

// The square of this half length at height 0, cut by moving the inner points of a grid about and by
// choosing either diagonal; by less than a quarter of a cell, so that no square folds.
inline TriangleSoup floor(std::mt19937_64& random, double half, int n) {
  TriangleSoup soup;
  std::uniform_real_distribution<double> part(-0.2, 0.2);
  const double cell = 2.0 * half / n;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const bool inner = i > 0 && i < n && j > 0 && j < n;
      soup.points.emplace_back(-half + cell * (i + (inner ? part(random) : 0.0)),
                               -half + cell * (j + (inner ? part(random) : 0.0)), 0.0);
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1, c = b + 1, d = a + 1;
      if (random() % 2 == 0) {
        soup.triangles.push_back({a, b, c});
        soup.triangles.push_back({a, c, d});
      } else {
        soup.triangles.push_back({a, b, d});
        soup.triangles.push_back({b, c, d});
      }
    }
  std::shuffle(soup.triangles.begin(), soup.triangles.end(), random);
  return soup;
}

}  // namespace vinci::meshes
