// SPDX-License-Identifier: Apache-2.0
// What contacts can do to a body, as numbers of order 1: contact i gives f_n (n_i + Σ_g U_ig v_ig)
// with f_n >= 0 and |v_ig| <= 1 in each of its groups: friction, rolling, torsion, or friction and
// torsion of a patch together. Columns of U have the coefficient in them. So the contact's wrenches
// per unit of normal force have the support function
//
//   h_i(y) = n_i·y + Σ_g |U_igᵀ y|,
//
// and no force along y is to be had of the contact where h_i(y) <= 0.
#pragma once

#include <array>

#include "vinci/grasp/grasp.h"

namespace vinci {

// What one contact bears, along its normal (into the body), tangent and the third axis: N; and
// about them: N m.
struct ContactLoad {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
};

struct ContactAxesOfGrasp {
  Vector3 normal, tangent_1, tangent_2;
};

// Unit axes of a contact; in the plane tangent 1 is left of the normal and tangent 2 is z.
ContactAxesOfGrasp axes_of(World world, const GraspContact& contact);

struct ContactCone {
  struct Group {
    MatrixX columns;           // U
    VectorX coefficients;      // the load along a column is f_n times this times v; N, or N m
    std::array<int, 3> entry;  // which of a load's six numbers a column is
    double margin = 1.0;       // coefficient that its margin is measured with
  };
  VectorX normal;
  std::vector<Group> groups;

  double support(const VectorX& y) const;  // h_i(y)
  VectorX support_point(const VectorX& y) const;
  // Wrenches per unit of normal force of a pyramid with corners at `directions` angles from the
  // tangent on: inscribed, or with `outside` circumscribed.
  std::vector<VectorX> corners(int directions, bool outside = false) const;
};

// How many corners a group of this many columns has in a pyramid.
std::size_t ball_corners(int columns, int directions);

struct GraspMap {
  World world = World::spatial;
  int dimension = 6;
  double length = 1.0;  // m, ℓ
  Vector3 center = Vector3::Zero();
  std::vector<ContactCone> contacts;
  // All columns, per contact the normal's and then those of its groups: wrench = matrix · (f_n, f_n
  // v_1, ...).
  MatrixX matrix;
  std::vector<int> first;  // column of each contact's normal

  double support(const VectorX& y) const;  // largest of the contacts: of the hull of their wrenches
  VectorX scaled(const Vector6& wrench) const;  // N, N m about the centre -> entries of order N
  Vector6 unscaled(const VectorX& scaled) const;
  std::vector<ContactLoad> loads(const VectorX& unknowns) const;
  VectorX unknowns(std::span<const ContactLoad> loads) const;
};

// Throws Error as grasp.h says.
GraspMap grasp_map(const Grasp& grasp);
// The length in use.
double length_of(const Grasp& grasp);

// The wrench that loads give, N and N m about the centre; computed from positions and axes alone.
Vector6 wrench_of(const Grasp& grasp, std::span<const ContactLoad> loads);
// By how much a load stays within the cone of its contact: the least of μ f_n − |f_t| and its kind
// (moments divided by ℓ); of a contact with its normal alone, f_n less what else it is given.
double margin_of(const Grasp& grasp, int contact, const ContactLoad& load);

}  // namespace vinci
