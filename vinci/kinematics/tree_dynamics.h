// SPDX-License-Identifier: Apache-2.0
// Dynamics of trees, M(q) u' + c(q, u) = τ over the unknowns of a model, by recursions over its
// bodies [Featherstone 2008, chapters 5 to 7]:
//   inverse    τ from u' (Newton–Euler), n bodies in O(n)
//   mass       M (composite rigid bodies), O(n d) with the depth d
//   forward    u' from τ (articulated bodies), O(n)
// Roots may be fixed, free or move as prescribed. Bodies that nothing joins are roots as well, so
// that the unknowns are all those of the model. Joints that close loops are left out: they act
// through rows (joint_rows.h).
#pragma once

#include <vector>

#include "vinci/kinematics/recursive.h"
#include "vinci/kinematics/tree_matrix.h"

namespace vinci {

// How the bodies of a placed tree move and what acts on them.
struct TreeMotion {
  const VectorX& velocities;  // packed, of all bodies (Tree::spread_velocities)
  const VectorX& joint_rates;
  // Packed: forces at the centres of mass and moments about them, weight among them (add_weights).
  const VectorX& forces;
  // Packed accelerations of the centres of mass of roots and their angular ones; only those of
  // prescribed entries are read. Null: zero.
  const VectorX* prescribed = nullptr;
  // For forward(): what resists the change of an unknown of a joint beside its armature. Null:
  // none.
  const VectorX* resistance = nullptr;
};

// Keeps the memory of the recursions from call to call.
class TreeDynamics {
 public:
  // τ along the unknowns (N along those that shift, N m along those that turn, as Model::free_index
  // and rate_index number them) that makes them change at u'. On a free root it is what has to push
  // it beside `forces`.
  void inverse(const Tree& tree, const TreeMotion& motion, const VectorX& accelerations,
               VectorX& efforts);
  // The same with u' = 0: c, which is what efforts have to overcome.
  void bias(const Tree& tree, const TreeMotion& motion, VectorX& efforts);

  // M with the armatures of the joints that something hangs on.
  void mass(const Tree& tree, TreeMatrix& mass);

  // u' of τ. False if a body or a branch weighs nothing along a freedom: then u' is not finite.
  bool forward(const Tree& tree, const TreeMotion& motion, const VectorX& efforts,
               VectorX& accelerations);
  // The same by M and its factors; a second way, and for several τ the cheaper one.
  bool forward_by_mass(const Tree& tree, const TreeMotion& motion, const VectorX& efforts,
                       VectorX& accelerations);

  // After inverse(), bias() or forward(): packed accelerations (of the centres of mass, angular).
  const VectorX& accelerations() const { return packed_; }
  // After inverse() or bias(): force and moment about P that a link gets through its joint, on the
  // body from its parent; armatures act beside it.
  const Twist& joint_wrench(int link) const { return wrenches_[static_cast<std::size_t>(link)]; }

 private:
  void begin(const Tree& tree, const TreeMotion& motion);
  void products(const Tree& tree, const TreeMotion& motion);
  Twist root_acceleration(const Tree& tree, const TreeMotion& motion, int body,
                          const VectorX* accelerations) const;
  void pack_acceleration(const Tree& tree, int body);
  void articulate(const Tree& tree, const VectorX* resistance, const VectorX& efforts);
  bool solve_root(const Tree& tree, const TreeMotion& motion, const VectorX& efforts, int body,
                  VectorX& accelerations);

  // Momentum of a motion of all that hangs on a body, about that body's centre of mass.
  struct Composite {
    double mass = 0.0;
    Vector3 moment = Vector3::Zero();  // Σ m r
    Matrix3 inertia = Matrix3::Zero();
    Twist momentum(const Twist& motion) const;
  };
  // What a link's joint gives way to: columns per freedom, at the body's centre of mass.
  struct Articulation {
    Eigen::Matrix<double, 6, most_freedoms> axes, pushed;  // S, I S
    Matrix3 inverse = Matrix3::Zero();                     // (Sᵀ I S + armature)⁻¹
    Vector3 rest = Vector3::Zero();                        // τ − Sᵀ p
  };

  std::vector<Twist> twists_;    // per body, at its centre of mass
  std::vector<Twist> spatial_;   // per body: the derivative of its field of velocities there
  std::vector<Twist> products_;  // per link: Σ u S' at the centre of mass
  std::vector<Twist> loads_;     // per body: force and moment about the centre of mass
  std::vector<Twist> wrenches_;  // per link
  std::vector<Composite> composites_;
  std::vector<Matrix6> articulated_;
  std::vector<Vector6> pushes_;  // p of articulated bodies
  std::vector<Articulation> articulations_;
  VectorX packed_, zeros_;
  TreeMatrix matrix_;
};

}  // namespace vinci
