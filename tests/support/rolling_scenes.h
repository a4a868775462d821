// SPDX-License-Identifier: Apache-2.0
// Problems with rolling resistance made in memory: balls and cylinders on an incline, and random
// piles. Rows of a contact: normal, tangents, and the relative angular velocity about the tangents.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/contact_scenes.h"
#include "vinci/complementarity/problem.h"

namespace vinci::rolling {

// Adds to each coulomb block of 3 the two rows of rolling about its tangents; `points` are those
// the problem was made of.
inline ComplementarityProblem with_moments(const ComplementarityProblem& coulomb,
                                           const std::vector<scenes::Point>& points,
                                           const std::vector<double>& rolling) {
  ComplementarityProblem problem;
  problem.M = coulomb.M;
  problem.p = coulomb.p;
  const int m = 5 * static_cast<int>(points.size());
  problem.J.reset(coulomb.unknowns());
  problem.C.reset(m);
  problem.b.setZero(m);
  for (std::size_t c = 0; c < points.size(); ++c) {
    for (int row = 3 * static_cast<int>(c); row < 3 * static_cast<int>(c) + 3; ++row) {
      for (int k = coulomb.J.starts[row]; k < coulomb.J.starts[row + 1]; ++k)
        problem.J.push(coulomb.J.indices[k], coulomb.J.values[k]);
      problem.J.end_row();
    }
    const scenes::Point& point = points[c];
    const Vector3 t1 = point.normal.unitOrthogonal(), t2 = point.normal.cross(t1);
    for (const Vector3& axis : {t1, t2}) {
      for (const int body : {std::min(point.a, point.b), std::max(point.a, point.b)})
        for (int k = 0; k < 3 && body >= 0; ++k)
          problem.J.push(6 * body + 3 + k, (body == point.b ? 1.0 : -1.0) * axis[k]);
      problem.J.end_row();
    }
    for (int k = 0; k < 5; ++k) problem.C.end_row();
    Block block{.law = Law::moments, .offset = 5 * static_cast<int>(c), .size = 5};
    block.friction = point.friction;
    block.rolling = rolling[c];
    problem.blocks.push_back(block);
  }
  return problem;
}

// The same contacts under coulomb alone.
inline ComplementarityProblem without_moments(const ComplementarityProblem& rolling) {
  ComplementarityProblem problem;
  problem.M = rolling.M;
  problem.p = rolling.p;
  problem.J.reset(rolling.unknowns());
  int rows = 0;
  for (const Block& block : rolling.blocks) {
    const int kept = 1 + (block.size - 1) / 2;
    for (int row = block.offset; row < block.offset + kept; ++row) {
      for (int k = rolling.J.starts[row]; k < rolling.J.starts[row + 1]; ++k)
        problem.J.push(rolling.J.indices[k], rolling.J.values[k]);
      problem.J.end_row();
    }
    problem.blocks.push_back(
        {.law = Law::coulomb, .offset = rows, .size = kept, .friction = block.friction});
    rows += kept;
  }
  problem.C.reset(rows);
  for (int row = 0; row < rows; ++row) problem.C.end_row();
  problem.b.setZero(rows);
  return problem;
}

// A solid ball at rest on an incline; x points down it, z away from it. One step of 1 ms.
inline ComplementarityProblem ball_on_incline(double radius, double mass, double slope, double mu,
                                              double mu_r) {
  scenes::Body ball;
  ball.position = {0.0, 0.0, radius};
  ball.mass = mass;
  ball.inertia = Vector3::Constant(0.4 * mass * radius * radius);
  const std::vector<scenes::Point> points{{-1, 0, Vector3::Zero(), Vector3::UnitZ(), mu}};
  ComplementarityProblem problem =
      with_moments(scenes::spatial_problem({ball}, points), points, {mu_r});
  constexpr double h = 1e-3, gravity = 9.81;
  problem.p.setZero();
  problem.p[0] = h * mass * gravity * std::sin(slope);
  problem.p[2] = -h * mass * gravity * std::cos(slope);
  return problem;
}

// A planar contact of a disk (x, y, angle): normal along y, contact point below the centre. The
// angle grows clockwise, as it does rolling towards +x.
inline ComplementarityProblem cylinder_on_incline(double radius, double mass, double slope,
                                                  double mu, double mu_r) {
  constexpr double h = 1e-3, gravity = 9.81;
  ComplementarityProblem problem;
  const double inertia = 0.5 * mass * radius * radius;
  problem.M = SparseRows::from_dense(Vector3(mass, mass, inertia).asDiagonal().toDenseMatrix());
  problem.J = SparseRows::from_dense(
      (MatrixX(3, 3) << 0.0, 1.0, 0.0, 1.0, 0.0, -radius, 0.0, 0.0, 1.0).finished());
  problem.C = SparseRows::from_dense(MatrixX::Zero(3, 3));
  problem.b.setZero(3);
  problem.p = h * mass * gravity * Vector3(std::sin(slope), -std::cos(slope), 0.0);
  Block block{.law = Law::moments, .size = 3};
  block.friction = mu;
  block.rolling = mu_r;
  problem.blocks = {block};
  return problem;
}

// As scenes::random_pile, with rolling resistances up to a tenth of the size of the bodies.
inline ComplementarityProblem random_pile(std::mt19937_64& random, int body_count, int contacts,
                                          int repeats) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vector3(unit(random), unit(random), unit(random)); };
  std::vector<scenes::Body> bodies;
  for (int i = 0; i < body_count; ++i)
    bodies.push_back({2.0 * vector(), std::pow(10.0, unit(random)),
                      (Vector3::Constant(1.5) + vector()) * 0.3, vector()});
  std::vector<scenes::Point> points;
  std::vector<double> rolling;
  std::uniform_int_distribution<int> pick(-1, body_count - 1);
  while (static_cast<int>(points.size()) < contacts) {
    scenes::Point point{pick(random), pick(random), {}, {}, 0.5 + 0.5 * unit(random)};
    if (point.a >= point.b) continue;
    const scenes::Body& body = bodies[static_cast<std::size_t>(point.b)];
    point.normal = (vector() + 1.5 * Vector3::UnitZ()).normalized();
    point.position = body.position - 0.5 * point.normal + 0.2 * vector();
    const double resistance = 0.05 * (1.0 + unit(random));
    const int copies = points.size() % 3 == 0 ? repeats : 1;
    for (int k = 0; k < copies; ++k) {
      points.push_back(point);
      rolling.push_back(resistance);
    }
  }
  return with_moments(scenes::spatial_problem(bodies, points), points, rolling);
}

// Disks (x, y, angle) with contacts between random pairs and with the ground; the upper body has
// the larger number and normals point up, so all can part at once: a solution exists.
inline ComplementarityProblem random_planar_pile(std::mt19937_64& random, int body_count,
                                                 int contacts) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::uniform_int_distribution<int> pick(-1, body_count - 1);
  ComplementarityProblem problem;
  const int n = 3 * body_count, m = 3 * contacts;
  MatrixX M = MatrixX::Zero(n, n), J = MatrixX::Zero(m, n);
  problem.p.setZero(n);
  for (int i = 0; i < body_count; ++i) {
    const double mass = std::pow(10.0, unit(random));
    M.block<3, 3>(3 * i, 3 * i) = Vector3(mass, mass, 0.02 * mass).asDiagonal();
    problem.p.segment<3>(3 * i) =
        mass * Vector3(unit(random), unit(random) - 0.5, 0.2 * unit(random));
  }
  for (int c = 0; c < contacts; ++c) {
    int a = pick(random), b = pick(random);
    while (a == b) b = pick(random);
    if (a > b) std::swap(a, b);
    const double tilt = 0.8 * unit(random);
    const Eigen::Vector2d normal(std::sin(tilt), std::cos(tilt)), tangent(normal.y(), -normal.x());
    for (const int body : {a, b}) {
      if (body < 0) continue;
      const double sign = body == b ? 1.0 : -1.0;
      const Eigen::Vector2d arm = -sign * (0.2 + 0.05 * unit(random)) * normal;
      const auto moment = [&](const Eigen::Vector2d& d) {
        return arm.x() * d.y() - arm.y() * d.x();
      };
      J.row(3 * c).segment<3>(3 * body) += sign * Vector3(normal.x(), normal.y(), moment(normal));
      J.row(3 * c + 1).segment<3>(3 * body) +=
          sign * Vector3(tangent.x(), tangent.y(), moment(tangent));
      J(3 * c + 2, 3 * body + 2) += sign;
    }
    Block block{.law = Law::moments, .offset = 3 * c, .size = 3};
    block.friction = 0.5 + 0.5 * unit(random);
    block.rolling = 0.02 * (1.0 + unit(random));
    problem.blocks.push_back(block);
  }
  problem.M = SparseRows::from_dense(M);
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(m, m));
  problem.b.setZero(m);
  return problem;
}

}  // namespace vinci::rolling
