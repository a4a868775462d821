// SPDX-License-Identifier: Apache-2.0
// Random frictional contact problems in the forms that the pivoting solver takes.
#pragma once

#include <cmath>
#include <random>

#include "vinci/complementarity/problem.h"

namespace vinci {

struct RandomContacts {
  int bodies = 2, contacts = 4;
  int directions = 4;  // of the pyramid; 0: planar coulomb blocks (bodies have 3 freedoms)
  double friction = 0.5;
  double mass_ratio = 1.0;   // masses spread over this factor
  double largest_gap = 0.0;  // b of the normal rows is uniform in [0, this]
  double speed = 1.0;        // of the bodies before the step; 0: at rest under gravity
  int copies = 1;            // every contact so many times
};

struct ContactRows {
  MatrixX normal, tangent;  // contacts × n; tangents: one or two rows a contact
};

// Contacts of bodies against the ground and each other with random arms; freedom 3 or 6 a body.
inline ContactRows random_rows(const RandomContacts& what, int freedom, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int axes = freedom == 3 ? 1 : 2, n = what.bodies * freedom;
  ContactRows rows{MatrixX::Zero(what.contacts, n), MatrixX::Zero(what.contacts * axes, n)};
  std::uniform_int_distribution<int> body(0, what.bodies - 1), other(-1, what.bodies - 1);
  for (int c = 0; c < what.contacts; ++c) {
    const int a = body(random), b = other(random);
    Vector3 normal(unit(random), unit(random) + 1.5, freedom == 3 ? 0.0 : unit(random));
    normal.normalize();
    const Vector3 side = freedom == 3 ? Vector3::UnitZ() : normal.unitOrthogonal();
    const Vector3 tangents[2] = {side.cross(normal), side};
    const auto fill = [&](auto row, const Vector3& direction, int which, double sign) {
      const Vector3 arm(unit(random), unit(random), freedom == 3 ? 0.0 : unit(random));
      const Vector3 moment = arm.cross(direction);
      if (freedom == 3) {
        row.segment(which * 3, 3) += sign * Vector3(direction.x(), direction.y(), moment.z());
      } else {
        row.segment(which * 6, 3) += sign * direction.transpose();
        row.segment(which * 6 + 3, 3) += sign * moment.transpose();
      }
    };
    const auto saved = random;
    const auto along = [&](auto row, const Vector3& direction) {
      random = saved;  // the same arms for the normal and the tangents
      fill(row, direction, a, 1.0);
      if (b >= 0 && b != a) fill(row, direction, b, -1.0);
    };
    along(rows.normal.row(c), normal);
    for (int k = 0; k < axes; ++k) along(rows.tangent.row(c * axes + k), tangents[k]);
  }
  return rows;
}

// Stewart and Trinkle's step: pyramid rows (λ_n; λ_f; σ a contact), or planar coulomb blocks.
inline ComplementarityProblem random_contacts(const RandomContacts& what, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0), half(0.0, 1.0);
  const bool planar = what.directions == 0 || what.directions == 2;
  const int freedom = planar ? 3 : 6, n = what.bodies * freedom;
  const ContactRows rows = random_rows(what, freedom, random);
  const int contacts = what.contacts * what.copies, d = what.directions;
  const int size = d == 0 ? 2 : d + 2, m = contacts * size;
  MatrixX M = MatrixX::Zero(n, n), J = MatrixX::Zero(m, n), C = MatrixX::Zero(m, m);
  ComplementarityProblem problem;
  problem.p.resize(n);
  problem.b.setZero(m);
  for (int k = 0; k < what.bodies; ++k) {
    const double mass = std::pow(what.mass_ratio, half(random));
    for (int i = 0; i < freedom; ++i)
      M(k * freedom + i, k * freedom + i) = mass * (0.5 + half(random));
  }
  VectorX velocity(n);
  for (int i = 0; i < n; ++i) velocity[i] = what.speed * unit(random);
  for (int k = 0; k < what.bodies; ++k) velocity[k * freedom + 1] -= 9.81e-3;
  problem.p = M * velocity;
  for (int c = 0; c < contacts; ++c) {
    const int from = c / what.copies, row = c * size;
    J.row(row) = rows.normal.row(from);
    problem.b[row] = what.largest_gap * half(random);
    if (d == 0) {
      J.row(row + 1) = rows.tangent.row(from);
      problem.blocks.push_back({Law::coulomb, row, 2, what.friction});
      continue;
    }
    for (int k = 0; k < d; ++k) {
      const double angle = 2.0 * M_PI * k / d;
      if (planar) {
        J.row(row + 1 + k) = (k == 0 ? 1.0 : -1.0) * rows.tangent.row(from);
      } else {
        J.row(row + 1 + k) = std::cos(angle) * rows.tangent.row(2 * from) +
                             std::sin(angle) * rows.tangent.row(2 * from + 1);
      }
      C(row + 1 + k, row + d + 1) = 1.0;
      C(row + d + 1, row + 1 + k) = -1.0;
    }
    C(row + d + 1, row) = what.friction;
    for (int k = 0; k < size; ++k) problem.blocks.push_back({Law::nonnegative, row + k, 1});
  }
  problem.M = SparseRows::from_dense(M);
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(C);
  return problem;
}

// The LCP w = M z + q as a problem without u.
inline ComplementarityProblem lcp(const MatrixX& M, const VectorX& q) {
  ComplementarityProblem problem;
  problem.C = SparseRows::from_dense(M);
  problem.b = q;
  problem.p.resize(0);
  problem.M.reset(0);
  problem.J.reset(0);
  for (int i = 0; i < static_cast<int>(q.size()); ++i) {
    problem.J.end_row();
    problem.blocks.push_back({Law::nonnegative, i, 1});
  }
  return problem;
}

}  // namespace vinci
