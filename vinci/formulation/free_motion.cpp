// SPDX-License-Identifier: Apache-2.0
// Inertia, free momentum and pose advance.
#include "vinci/formulation/free_motion.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace vinci {

Matrix3 world_inertia(const Body& body, const Quaternion& rotation) {
  const Matrix3 r = rotation.toRotationMatrix();
  const Matrix3 inertia = r * body.mass.inertia * r.transpose();
  return 0.5 * (inertia + inertia.transpose());
}

namespace {

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// Newton on F(x) = I (x − ω) + h m × I m with m = (ω + x)/2, for h |ω| <= 1/2.
Vector3 midpoint_update(const Matrix3& inertia, const Vector3& omega, double h) {
  Vector3 x = omega;
  for (int iteration = 0; iteration < 8; ++iteration) {
    const Vector3 m = 0.5 * (omega + x);
    const Vector3 momentum = inertia * m;
    const Vector3 f = inertia * (x - omega) + h * m.cross(momentum);
    const Matrix3 jacobian =
        inertia + 0.5 * h * (cross_matrix(m) * inertia - cross_matrix(momentum));
    const Vector3 step = jacobian.inverse() * f;
    x -= step;
    if (step.norm() <= 4e-16 * x.norm()) break;
  }
  return x;
}

}  // namespace

Vector3 gyroscopic_update(const Matrix3& inertia, const Vector3& omega, double h) {
  // Parts short enough for Newton to converge; |ω| changes along the way, so half of its radius.
  const double turn = h * omega.norm();
  if (!(turn < 1e3)) return omega;  // more than 150 turns a step, or not finite: nothing to resolve
  const int parts = std::max(1, static_cast<int>(std::ceil(4.0 * turn)));
  Vector3 x = omega;
  for (int part = 0; part < parts; ++part) x = midpoint_update(inertia, x, h / parts);
  return x;
}

bool viscous_matrix(const Body& body, const Pose& pose, Matrix6& c) {
  c.setZero();
  bool any = false;
  for (const Support& support : body.supports) {
    if (support.viscosity == 0.0) continue;
    any = true;
    const Vector3 arm = pose.rotation * (support.point - body.mass.center);
    Eigen::Matrix<double, 2, 3> rows;
    rows << 1.0, 0.0, -arm.y(), 0.0, 1.0, arm.x();
    c.topLeftCorner<3, 3>() += support.viscosity * rows.transpose() * rows;
  }
  return any;
}

bool add_drag_of(const LinearForces& forces, const Body& body, Matrix6& c) {
  if (forces.drag.size() == 0) return false;
  const auto own = forces.drag.segment(body.velocity_offset, body.velocity_size);
  c.diagonal().head(body.velocity_size) += own;
  return !own.isZero(0.0);
}

namespace {

// Free entries of one body: which of its packed entries are unknowns.
struct FreeEntries {
  int entries[6];
  int count = 0;
};

FreeEntries free_entries(const Model& model, const Body& body) {
  FreeEntries free;
  for (int i = 0; i < body.velocity_size; ++i)
    if (model.free_index[body.velocity_offset + i] >= 0) free.entries[free.count++] = i;
  return free;
}

// Inertia matrix over the body's packed entries.
Matrix6 packed_inertia(const Body& body, const Matrix3& inertia) {
  Matrix6 m = Matrix6::Zero();
  if (body.freedom == Freedom::planar) {
    m(0, 0) = m(1, 1) = body.mass.mass;
    m(2, 2) = inertia(2, 2);
  } else {
    m(0, 0) = m(1, 1) = m(2, 2) = body.mass.mass;
    m.block<3, 3>(3, 3) = inertia;
  }
  return m;
}

// Of packed velocities, those of the body that are prescribed; of a body's own, those that are
// free.
Vector6 prescribed_part(const Model& model, const Body& body, const VectorX& velocities) {
  Vector6 part = Vector6::Zero();
  for (int i = 0; i < body.velocity_size; ++i)
    if (model.free_index[body.velocity_offset + i] < 0)
      part[i] = velocities[body.velocity_offset + i];
  return part;
}
Vector6 free_part(const Model& model, const Body& body, Vector6 velocity) {
  for (int i = 0; i < body.velocity_size; ++i)
    if (model.free_index[body.velocity_offset + i] < 0) velocity[i] = 0.0;
  return velocity;
}

using FreeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using FreeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

// Of Cholesky's factors of three rows, in the order in which those of a larger matrix are computed.
void solve_turns(const FreeMatrix& block, int first, double* x) {
  const auto a = [&](int i, int j) { return block(first + i, first + j); };
  const double l00 = std::sqrt(a(0, 0)), l10 = a(1, 0) / l00, l20 = a(2, 0) / l00;
  const double l11 = std::sqrt(a(1, 1) - l10 * l10), l21 = (a(2, 1) - l20 * l10) / l11;
  const double l22 = std::sqrt(a(2, 2) - (l20 * l20 + l21 * l21));
  const double y0 = x[0] / l00, y1 = (x[1] - y0 * l10) / l11;
  const double y2 = (x[2] - y0 * l20 - y1 * l21) / l22;
  x[2] = y2 / l22;
  x[1] = (y1 - l21 * x[2]) / l11;
  x[0] = (y0 - (l10 * x[1] + l20 * x[2])) / l00;
}

// x ← block⁻¹ x. Without drag only turns are coupled; the numbers are those of the whole factors.
void solve_inertia(const FreeEntries& free, bool coupled, const FreeMatrix& block, FreeVector& x) {
  if (coupled) {
    x = block.llt().solve(x).eval();
    return;
  }
  const bool turns = free.count > 0 && free.entries[free.count - 1] == 5;
  const int alone = turns ? free.count - 3 : free.count;
  for (int i = 0; i < alone; ++i) {
    const double root = std::sqrt(block(i, i));
    x[i] = x[i] / root / root;
  }
  if (turns) solve_turns(block, alone, x.data() + alone);
}

struct Assembly {
  const Model& model;
  const std::vector<Pose>& poses;
  const VectorX* start;  // packed velocities; null: no momentum
  const LinearForces& forces;
  double time;  // s that the forces act, or 1 where p is a force
  bool weighs = true;
};

// Velocity of the body at the start, with the velocity product over the step.
Vector6 start_velocity(const Assembly& from, int b) {
  const Body& body = from.model.bodies[b];
  Vector6 velocity = Vector6::Zero();
  if (!from.start) return velocity;
  velocity.head(body.velocity_size) = from.start->segment(body.velocity_offset, body.velocity_size);
  const bool turns_freely =
      body.freedom == Freedom::spatial && from.model.free_index[body.velocity_offset + 3] >= 0;
  if (!turns_freely) return velocity;
  const Quaternion& r = from.poses[b].rotation;
  const Vector3 omega = r.conjugate() * velocity.tail<3>();
  velocity.tail<3>() += r * (gyroscopic_update(body.mass.inertia, omega, from.time) - omega);
  return velocity;
}

// M and p of the free entries; `velocities` has those of the prescribed entries, and receives those
// of the free ones that M and p lead to where bodies weigh.
void assemble(const Assembly& from, SparseRows& inertia, VectorX& momentum, VectorX& velocities) {
  const Model& model = from.model;
  inertia.reset(model.free_count);
  momentum.resize(model.free_count);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const FreeEntries free = free_entries(model, body);
    if (free.count == 0) continue;
    const Matrix3 body_inertia = body.freedom == Freedom::spatial
                                     ? world_inertia(body, from.poses[b].rotation)
                                     : body.mass.inertia;
    Matrix6 m = Matrix6::Zero(), drag;
    if (from.weighs) m = packed_inertia(body, body_inertia);
    const Vector6 velocity = start_velocity(from, b);
    Vector6 force = Vector6::Zero();
    force.head(body.velocity_size) =
        from.forces.at_rest.segment(body.velocity_offset, body.velocity_size);
    bool viscous = viscous_matrix(body, from.poses[b], drag);
    viscous = add_drag_of(from.forces, body, drag) || viscous;
    if (viscous) force -= drag * prescribed_part(model, body, velocities);
    const Vector6 p = m * velocity + from.time * force;
    if (viscous) m += from.time * drag;
    Vector6 gain = from.time * force;  // impulse over the velocity at the start
    if (viscous) gain = p - m * free_part(model, body, velocity);
    FreeMatrix block(free.count, free.count);
    FreeVector push(free.count);
    const int first = model.free_index[body.velocity_offset + free.entries[0]];
    for (int i = 0; i < free.count; ++i) {
      momentum[first + i] = p[free.entries[i]];
      push[i] = gain[free.entries[i]];
      for (int j = 0; j < free.count; ++j) {
        block(i, j) = m(free.entries[i], free.entries[j]);
        // The pattern does not depend on the numbers: it stays the same from step to step.
        const bool rotations = free.entries[i] >= 3 && free.entries[j] >= 3;
        if (viscous || (from.weighs && (rotations || i == j))) inertia.push(first + j, block(i, j));
      }
      inertia.end_row();
    }
    if (!from.weighs) continue;
    solve_inertia(free, viscous, block, push);
    for (int i = 0; i < free.count; ++i)
      velocities[body.velocity_offset + free.entries[i]] = velocity[free.entries[i]] + push[i];
  }
}

}  // namespace

void free_motion(const Model& model, const State& state, const LinearForces& forces, double h,
                 SparseRows& inertia, VectorX& momentum, VectorX& velocities) {
  assemble({model, state.poses, &state.velocities, forces, h}, inertia, momentum, velocities);
}

void damped_motion(const Model& model, const std::vector<Pose>& poses, const LinearForces& forces,
                   SparseRows& inertia, VectorX& forces_out, VectorX& velocities) {
  assemble({model, poses, nullptr, forces, 1.0}, inertia, forces_out, velocities);
}

void weightless_motion(const Model& model, const std::vector<Pose>& poses,
                       const LinearForces& forces, VectorX& velocities, SparseRows& viscosity,
                       VectorX& forces_out) {
  assemble({model, poses, nullptr, forces, 1.0, false}, viscosity, forces_out, velocities);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) velocities[i] = 0.0;
}

void inertia_matrix(const Model& model, const std::vector<Pose>& poses, SparseRows& inertia) {
  inertia.reset(model.free_count);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const FreeEntries free = free_entries(model, body);
    const Matrix6 m = packed_inertia(body, world_inertia(body, poses[b].rotation));
    for (int i = 0; i < free.count; ++i) {
      for (int j = 0; j < free.count; ++j)
        if (i == j || (free.entries[i] >= 3 && free.entries[j] >= 3))
          inertia.push(model.free_index[body.velocity_offset + free.entries[j]],
                       m(free.entries[i], free.entries[j]));
      inertia.end_row();
    }
  }
}

Pose advanced(const Body& body, const Pose& pose, const Twist& twist, double h) {
  const Vector3& center = body.mass.center;
  Pose next;
  next.rotation = (exponential(h * twist.angular) * pose.rotation).normalized();
  if (center.isZero(0.0)) {
    next.position = pose.position + h * twist.linear;
  } else {
    // The difference of the rotated arms, so that a body at rest stays where it is to the last bit.
    next.position =
        pose.position + h * twist.linear + (pose.rotation * center - next.rotation * center);
  }
  return next;
}

}  // namespace vinci
