// SPDX-License-Identifier: Apache-2.0
// Contact problems made in memory: stacks, brick walls and random piles, as a stepper would fill
// them (M inertia, p = M v + h f, one coulomb block a contact point).
#pragma once

#include <random>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci::scenes {

struct Body {
  Vector3 position = Vector3::Zero();
  double mass = 1.0;                   // kg
  Vector3 inertia{1.0, 1.0, 1.0};      // kg m², principal
  Vector3 velocity = Vector3::Zero();  // m/s
};

struct Point {
  int a = -1, b = 0;  // bodies; −1: the ground. The normal points from a to b.
  Vector3 position, normal;
  double friction = 0.5;
};

// Step h = 1 ms under gravity; `law` is coulomb or second_order, gaps are zero.
inline ComplementarityProblem spatial_problem(const std::vector<Body>& bodies,
                                              const std::vector<Point>& points,
                                              Law law = Law::coulomb) {
  constexpr double h = 1e-3, gravity = 9.81;
  ComplementarityProblem problem;
  const int n = 6 * static_cast<int>(bodies.size()), m = 3 * static_cast<int>(points.size());
  problem.M.reset(n);
  problem.p.setZero(n);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (int k = 0; k < 6; ++k) {
      const int row = 6 * static_cast<int>(i) + k;
      problem.M.push(row, k < 3 ? bodies[i].mass : bodies[i].inertia[k - 3]);
      problem.M.end_row();
      if (k < 3) problem.p[row] = bodies[i].mass * bodies[i].velocity[k];
      if (k == 2) problem.p[row] -= h * bodies[i].mass * gravity;
    }
  problem.J.reset(n);
  problem.C.reset(m);
  problem.b.setZero(m);
  for (std::size_t c = 0; c < points.size(); ++c) {
    const Point& point = points[c];
    const Vector3 t1 = point.normal.unitOrthogonal(), t2 = point.normal.cross(t1);
    for (const Vector3& axis : {point.normal, t1, t2}) {
      for (const int body : {std::min(point.a, point.b), std::max(point.a, point.b)}) {
        if (body < 0) continue;
        const double sign = body == point.b ? 1.0 : -1.0;
        const Vector3 moment =
            (point.position - bodies[static_cast<std::size_t>(body)].position).cross(axis);
        for (int k = 0; k < 3; ++k) problem.J.push(6 * body + k, sign * axis[k]);
        for (int k = 0; k < 3; ++k) problem.J.push(6 * body + 3 + k, sign * moment[k]);
      }
      problem.J.end_row();
      problem.C.end_row();
    }
    Block block{.law = law, .offset = 3 * static_cast<int>(c), .size = 3};
    block.friction = point.friction;
    problem.blocks.push_back(block);
  }
  return problem;
}

inline Body unit_box(const Vector3& position, double mass = 1.0) {
  return {position, mass, Vector3::Constant(mass / 6.0), Vector3::Zero()};
}

// The four corners of the square of side `side` about `center`, facing up.
inline void add_patch(std::vector<Point>& points, int below, int above, const Vector3& center,
                      double side_x, double side_y, double friction) {
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      points.push_back({below, above, center + Vector3(x * side_x, y * side_y, 0.0),
                        Vector3::UnitZ(), friction});
}

inline ComplementarityProblem box_stack(int count, double friction = 0.5) {
  std::vector<Body> bodies;
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) {
    bodies.push_back(unit_box({0.0, 0.0, i + 0.5}));
    add_patch(points, i - 1, i, {0.0, 0.0, 1.0 * i}, 1.0, 1.0, friction);
  }
  return spatial_problem(bodies, points);
}

// A wall of unit bricks, `width` in a course, each course shifted by half a brick.
inline ComplementarityProblem brick_wall(int width, int courses, double friction = 0.5) {
  std::vector<Body> bodies;
  std::vector<Point> points;
  for (int course = 0; course < courses; ++course)
    for (int i = 0; i < width; ++i) {
      const int number = course * width + i;
      const double x = i + 0.5 * (course % 2);
      bodies.push_back(unit_box({x, 0.0, course + 0.5}));
      if (course == 0) {
        add_patch(points, -1, number, {x, 0.0, 0.0}, 1.0, 1.0, friction);
        continue;
      }
      const int first = course % 2 == 0 ? i - 1 : i;
      for (int k = first; k <= first + 1; ++k)
        if (k >= 0 && k < width)
          add_patch(points, number - i - width + k, number,
                    {x + 0.5 * (k == first ? -0.5 : 0.5), 0.0, 1.0 * course}, 0.5, 1.0, friction);
    }
  return spatial_problem(bodies, points);
}

// Bodies at random places and speeds, contacts between random pairs and with the ground, some
// written `repeats` times. The body on top of a contact has the larger number and normals point up,
// so all can part at once: a solution exists.
inline ComplementarityProblem random_pile(std::mt19937_64& random, int body_count, int contacts,
                                          int repeats, Law law = Law::coulomb) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vector3(unit(random), unit(random), unit(random)); };
  std::vector<Body> bodies;
  for (int i = 0; i < body_count; ++i)
    bodies.push_back({2.0 * vector(), std::pow(10.0, unit(random)),
                      (Vector3::Constant(1.5) + vector()) * 0.3, vector()});
  std::vector<Point> points;
  std::uniform_int_distribution<int> pick(-1, body_count - 1);
  while (static_cast<int>(points.size()) < contacts) {
    Point point{pick(random), pick(random), {}, {}, 0.5 + 0.5 * unit(random)};
    if (point.a >= point.b) continue;
    const Body& body = bodies[static_cast<std::size_t>(point.b)];
    point.normal = (vector() + 1.5 * Vector3::UnitZ()).normalized();
    point.position = body.position - 0.5 * point.normal + 0.2 * vector();
    const int copies = points.size() % 3 == 0 ? repeats : 1;
    for (int k = 0; k < copies; ++k) points.push_back(point);
  }
  return spatial_problem(bodies, points, law);
}

// A mass held by a joint row, a support with prescribed friction and a bounded motor, beside C.
inline ComplementarityProblem motor_and_support() {
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(MatrixX::Identity(3, 3) * 2.0);
  MatrixX J(4, 3);
  J << 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(1e-3 * MatrixX::Identity(4, 4));
  problem.p = Eigen::Vector3d(2.0, 0.4, 6.0);
  problem.b = VectorX::Zero(4);
  problem.blocks = {{.law = Law::equality, .offset = 0, .size = 1},
                    {.law = Law::ball, .offset = 1, .size = 2},
                    {.law = Law::box, .offset = 3, .size = 1}};
  problem.blocks[1].upper = 0.3;
  problem.blocks[2].lower = -1.0;
  problem.blocks[2].upper = 1.0;
  return problem;
}

}  // namespace vinci::scenes
