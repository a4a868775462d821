// SPDX-License-Identifier: Apache-2.0
// The motion apart from contact where bodies hang on joints (reduced coordinates): inertia M over
// the unknowns by composite bodies, and momentum
//
//   p = M uˡ + h (Sᵀf − c(q, ū)) + B,   (M + A) u' = p,   ū = (uˡ + u')/2
//
// with S from unknowns to velocities of bodies, c the velocity product by recursive Newton–Euler,
// and A, B what acts along freedoms (joint_blocks.h). With positions moved by h u' this is the
// leapfrog rule with the velocity product of the middle: reversible, so that energy does not drift;
// for a single body it is the midpoint rule of free_motion.h. Where rows hold or stop the motion,
// u' is theirs: the product is found again from it (follow), so that what stands still has none.
#pragma once

#include "vinci/formulation/joint_blocks.h"
#include "vinci/kinematics/tree_dynamics.h"
#include "vinci/model/actuation.h"

namespace vinci {

// What is known of a step. `velocities` and `rates` hold prescribed entries at its end.
struct TreeStep {
  const Model& model;
  const State& state;
  const Tree& tree;  // at the start
  const LinearForces& forces;
  const JointLoads& loads;
  double h = 0.0;
};

class JointedMotion {
 public:
  // M and p as free_motion.h has them, and the velocities they lead to: dynamic, first-order (M
  // read as damping, p a force) and quasi-static (viscosity alone).
  void dynamic(const TreeStep& step, SparseRows& inertia, VectorX& momentum, VectorX& velocities,
               VectorX& rates);
  // The velocities of dynamic() alone, by articulated bodies, in time that grows with the number of
  // links. `rough`: with the velocity product of the start. Only where takes() says so.
  void foresee(const TreeStep& step, bool rough, VectorX& velocities, VectorX& rates);
  // Nothing resists but along freedoms, and no base is driven.
  static bool takes(const TreeStep& step);
  // Whether the matrix has so many entries per unknown that articulated bodies cost less.
  bool is_deep(const Model& model);
  void damped(const TreeStep& step, SparseRows& inertia, VectorX& forces, VectorX& velocities,
              VectorX& rates);
  void weightless(const TreeStep& step, SparseRows& viscosity, VectorX& forces, VectorX& velocities,
                  VectorX& rates);
  // The same p with the velocity product of the motion that rows have made of it, after dynamic().
  // Returns how far that changes the motion, relative to the motion without rows.
  double follow(const TreeStep& step, const VectorX& velocities, const VectorX& rates,
                VectorX& momentum);
  // Takes the velocity product of the last dynamic() at another mean: of the start and of the
  // unknowns `to`, where it was that of `from`. `velocities` hold prescribed entries at the end.
  void change_product(const TreeStep& step, const VectorX& velocities, const VectorX& from,
                      const VectorX& to, VectorX& momentum);
  // How far the velocity product of the last dynamic() is from settled, relative to the rates.
  double error() const { return error_; }
  // M and p of a stage of a step of second order (stepping/second_order.h) of h seconds that the
  // unknowns `before` lead into, all else taken where and as the state has it:
  //   M(q) + A + h Sᵀ d S,   p = M(q) before + h (Sᵀf − c(q, u)) + B.
  void stage(const TreeStep& step, const VectorX& before, const VectorX& prescribed,
             SparseRows& inertia, VectorX& momentum);
  // The inertia alone.
  void inertia(const Tree& tree, SparseRows& inertia);

 private:
  void add_resistance(const TreeStep& step, double time, const VectorX& velocities);
  void add_drag(const TreeStep& step, int body, const Matrix6& drag, double time,
                const VectorX& carried);
  void set_mean(const TreeStep& step, const VectorX& velocities, const VectorX& end);
  bool settles(VectorX& next, double& before);
  void find_bias(const TreeStep& step, const VectorX& velocities, const VectorX& end);
  void keep_lone_bodies(const TreeStep& step, VectorX& efforts) const;
  void write(SparseRows& rows);

  double error_ = 0.0;
  TreeDynamics dynamics_;
  TreeMatrix matrix_, factor_;
  VectorX resistance_;  // per unknown
  VectorX efforts_, unknowns_, start_, mean_, mean_rates_, change_, drag_push_, carried_, guess_;
  std::vector<BodyColumn> columns_;
  std::vector<int> counts_, starts_;
};

}  // namespace vinci
