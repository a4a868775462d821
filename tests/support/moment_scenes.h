// SPDX-License-Identifier: Apache-2.0
// Problems with moments of every shape, made in memory: random piles and stacks of balls.
#pragma once

#include <random>
#include <vector>

#include "tests/support/contact_scenes.h"
#include "vinci/complementarity/problem.h"

namespace vinci::moments {

// Rows of friction, of rolling and of torsion. The third of friction is the spin, times a length:
// a limit surface.
struct Shape {
  int tangents, rolls, spins;
  int size() const { return 1 + tangents + rolls + spins; }
};

inline std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (int t = 1; t <= 3; ++t)
    for (int r = 0; r <= 2; ++r)
      for (int s = 0; s <= 1; ++s)
        if (1 + t + r + s <= largest_contact) shapes.push_back({t, r, s});
  return shapes;
}

inline Block block_of(const Shape& shape, double friction, double rolling, double torsion,
                      int offset = 0) {
  Block block{.law = Law::moments, .offset = offset, .size = shape.size()};
  block.friction = friction;
  block.rolling = rolling;
  block.torsion = torsion;
  block.tangents = static_cast<std::uint8_t>(shape.tangents);
  block.spins = static_cast<std::uint8_t>(shape.spins);
  return block;
}

struct Limits {
  double rolling, torsion, radius;  // m
};

// The coulomb blocks of 3 of a problem with moments; `points` are those it was made of.
inline ComplementarityProblem with_moments(const ComplementarityProblem& coulomb,
                                           const std::vector<scenes::Point>& points,
                                           const std::vector<Shape>& shapes,
                                           const std::vector<Limits>& limits) {
  ComplementarityProblem problem;
  problem.M = coulomb.M;
  problem.p = coulomb.p;
  problem.J.reset(coulomb.unknowns());
  int rows = 0;
  for (std::size_t c = 0; c < points.size(); ++c) {
    const scenes::Point& point = points[c];
    const Shape& shape = shapes[c];
    const Vector3 t1 = point.normal.unitOrthogonal(), t2 = point.normal.cross(t1);
    const auto turning = [&](const Vector3& axis) {
      for (const int body : {std::min(point.a, point.b), std::max(point.a, point.b)})
        for (int k = 0; k < 3 && body >= 0; ++k)
          problem.J.push(6 * body + 3 + k, (body == point.b ? 1.0 : -1.0) * axis[k]);
      problem.J.end_row();
    };
    for (int i = 0; i < 1 + std::min(shape.tangents, 2); ++i) {
      const int row = 3 * static_cast<int>(c) + i;
      for (int k = coulomb.J.starts[row]; k < coulomb.J.starts[row + 1]; ++k)
        problem.J.push(coulomb.J.indices[k], coulomb.J.values[k]);
      problem.J.end_row();
    }
    if (shape.tangents == 3) turning(limits[c].radius * point.normal);
    if (shape.rolls > 0) turning(t1);
    if (shape.rolls > 1) turning(t2);
    if (shape.spins > 0) turning(point.normal);
    problem.blocks.push_back(
        block_of(shape, point.friction, limits[c].rolling, limits[c].torsion, rows));
    rows += shape.size();
  }
  problem.C.reset(rows);
  for (int row = 0; row < rows; ++row) problem.C.end_row();
  problem.b.setZero(rows);
  return problem;
}

// Bodies with contacts between random pairs and with the ground, of random shapes.
inline ComplementarityProblem random_pile(std::mt19937_64& random, int body_count, int contacts) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vector3(unit(random), unit(random), unit(random)); };
  std::vector<scenes::Body> bodies;
  for (int i = 0; i < body_count; ++i)
    bodies.push_back({2.0 * vector(), std::pow(10.0, unit(random)),
                      (Vector3::Constant(1.5) + vector()) * 0.3, vector()});
  const std::vector<Shape> all = all_shapes();
  std::vector<scenes::Point> points;
  std::vector<Shape> shapes;
  std::vector<Limits> limits;
  std::uniform_int_distribution<int> pick(-1, body_count - 1);
  while (static_cast<int>(points.size()) < contacts) {
    scenes::Point point{pick(random), pick(random), {}, {}, 0.5 + 0.5 * unit(random)};
    if (point.a >= point.b) continue;
    const scenes::Body& body = bodies[static_cast<std::size_t>(point.b)];
    point.normal = (vector() + 1.5 * Vector3::UnitZ()).normalized();
    point.position = body.position - 0.5 * point.normal + 0.2 * vector();
    points.push_back(point);
    shapes.push_back(all[random() % all.size()]);
    limits.push_back(
        {0.05 * (1.0 + unit(random)), 0.05 * (1.0 + unit(random)), 0.1 * (1.1 + unit(random))});
  }
  return with_moments(scenes::spatial_problem(bodies, points), points, shapes, limits);
}

// Balls of radius 0.1 m on each other, pushed and twisted, one step of 1 ms of gravity.
inline ComplementarityProblem stack_of_balls(int count, const Shape& shape, double push) {
  constexpr double radius = 0.1, mass = 2.0, h = 1e-3, gravity = 9.81;
  std::vector<scenes::Body> bodies;
  std::vector<scenes::Point> points;
  for (int i = 0; i < count; ++i) {
    scenes::Body ball;
    ball.position = {0.0, 0.0, (2 * i + 1) * radius};
    ball.mass = mass;
    ball.inertia = Vector3::Constant(0.4 * mass * radius * radius);
    bodies.push_back(ball);
    points.push_back({i - 1, i, {0.0, 0.0, 2.0 * i * radius}, Vector3::UnitZ(), 0.5});
  }
  ComplementarityProblem problem = with_moments(
      scenes::spatial_problem(bodies, points), points, std::vector<Shape>(points.size(), shape),
      std::vector<Limits>(points.size(), Limits{0.004, 0.003, 0.01}));
  problem.p.setZero();
  for (int i = 0; i < count; ++i) {
    problem.p[6 * i] = push * h * mass * gravity * (i % 3 - 1);
    problem.p[6 * i + 2] = -h * mass * gravity;
    problem.p[6 * i + 5] = push * h * mass * gravity * radius * 0.1 * (i % 2);
  }
  return problem;
}

}  // namespace vinci::moments
