// SPDX-License-Identifier: Apache-2.0
// M and p of trees.
#include "vinci/formulation/tree_motion.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/free_motion.h"

namespace vinci {
namespace {

// Rounds of the midpoint rule: each brings h times the spin more digits.
constexpr int most_rounds = 12;
constexpr double settled = 1e-15;

void gather(const Model& model, const VectorX& velocities, const VectorX& rates, VectorX& u) {
  u.resize(model.free_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) u[model.free_index[i]] = velocities[i];
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (model.rate_index[i] >= 0) u[model.rate_index[i]] = rates[i];
}

}  // namespace

// Adds A and Sᵀ c S to the matrix, and to drag_push_ what prescribed roots make of drags.
void JointedMotion::add_resistance(const TreeStep& step, double time, const VectorX& velocities) {
  const Model& model = step.model;
  drag_push_.setZero(model.free_count);
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (const int unknown = model.rate_index[i]; unknown >= 0) {
      matrix_.entry(unknown, unknown) += step.loads.resistance[i];
      drag_push_[unknown] += step.loads.push[i];
    }
  carried_ = velocities;
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) carried_[i] = 0.0;
  mean_rates_.setZero(model.joint_rate_count);
  step.tree.spread_velocities(mean_rates_, carried_);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    Matrix6 drag;
    bool any = viscous_matrix(body, step.state.poses[b], drag);
    any = add_drag_of(step.forces, body, drag) || any;
    if (any) add_drag(step, b, drag, time, carried_);
  }
}

void JointedMotion::add_drag(const TreeStep& step, int b, const Matrix6& drag, double time,
                             const VectorX& carried) {
  const Body& body = step.model.bodies[b];
  step.tree.columns(b, columns_);
  const auto packed = [&](const Twist& twist) {
    Vector6 v = Vector6::Zero();
    if (body.velocity_size == 3)
      v.head<3>() = Vector3(twist.linear.x(), twist.linear.y(), twist.angular.z());
    else
      v << twist.linear, twist.angular;
    return v;
  };
  Vector6 own = Vector6::Zero();
  own.head(body.velocity_size) = carried.segment(body.velocity_offset, body.velocity_size);
  const Vector6 pulled = drag * own;
  for (const BodyColumn& i : columns_) {
    const Vector6 v = packed(i.twist), force = drag * v;
    drag_push_[i.unknown] -= time * v.dot(pulled);
    for (const BodyColumn& j : columns_)
      if (j.unknown <= i.unknown)
        matrix_.entry(i.unknown, j.unknown) += time * force.dot(packed(j.twist));
  }
}

// Bodies on which nothing hangs keep the rule of free_motion.h, which resolves any spin.
void JointedMotion::keep_lone_bodies(const TreeStep& step, VectorX& efforts) const {
  const Model& model = step.model;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size != 6 || step.tree.link_of(b) >= 0) continue;
    const int first = body.velocity_offset + 3, unknown = model.free_index[first];
    const bool bears = std::any_of(step.tree.links().begin(), step.tree.links().end(),
                                   [&](const Tree::Link& link) { return link.parent == b; });
    if (unknown < 0 || bears) continue;
    const Quaternion& r = step.state.poses[b].rotation;
    const Vector3 omega = r.conjugate() * step.state.velocities.segment<3>(first);
    const Vector3 change = gyroscopic_update(body.mass.inertia, omega, step.h) - omega;
    efforts.segment<3>(unknown) =
        -step.forces.at_rest.segment<3>(first) - r * (body.mass.inertia * change) / step.h;
  }
}

// Prescribed entries have their mean, the unknowns that of the start and of `end`.
void JointedMotion::set_mean(const TreeStep& step, const VectorX& velocities, const VectorX& end) {
  const Model& model = step.model;
  mean_ = 0.5 * (step.state.velocities + velocities);
  mean_rates_ = step.state.joint_rates;
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0)
      mean_[i] = 0.5 * (start_[unknown] + end[unknown]);
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (const int unknown = model.rate_index[i]; unknown >= 0)
      mean_rates_[i] = 0.5 * (start_[unknown] + end[unknown]);
  step.tree.spread_velocities(mean_rates_, mean_);
}

// What efforts have to overcome, at that mean.
void JointedMotion::find_bias(const TreeStep& step, const VectorX& velocities, const VectorX& end) {
  set_mean(step, velocities, end);
  dynamics_.bias(step.tree, {mean_, mean_rates_, step.forces.at_rest, &change_}, efforts_);
  keep_lone_bodies(step, efforts_);
}

void JointedMotion::change_product(const TreeStep& step, const VectorX& velocities,
                                   const VectorX& from, const VectorX& to, VectorX& momentum) {
  change_ = (velocities - step.state.velocities) / step.h;  // of prescribed entries
  find_bias(step, velocities, from);
  momentum += step.h * efforts_;
  find_bias(step, velocities, to);
  momentum -= step.h * efforts_;
}

// Takes the unknowns of a round; whether the rounds have settled. They move less and less by about
// the same factor: what is left is what the next one would move.
bool JointedMotion::settles(VectorX& next, double& before) {
  const double moved = (next - unknowns_).lpNorm<Eigen::Infinity>();
  unknowns_.swap(next);
  const double size = unknowns_.lpNorm<Eigen::Infinity>();
  const double left = moved < 0.5 * before && before < infinity ? moved / before * moved : moved;
  error_ = size > 0.0 ? left / size : 0.0;
  before = moved;
  return !(error_ > settled);
}

bool JointedMotion::takes(const TreeStep& step) {
  const Model& model = step.model;
  return step.forces.drag.size() == 0 &&
         std::none_of(model.free_index.begin(), model.free_index.end(),
                      [](int unknown) { return unknown >= 0; }) &&
         std::none_of(model.bodies.begin(), model.bodies.end(),
                      [](const Body& body) { return body.is_prescribed(); });
}

bool JointedMotion::is_deep(const Model& model) {
  constexpr int most_entries = 24;  // per unknown
  if (model.free_count <= most_entries) return false;
  matrix_.reset(model);
  return matrix_.entries() > static_cast<std::size_t>(most_entries * matrix_.size());
}

// (M + A) a = (B − A u)/h + Sᵀf − c(q, ū), u' = u + h a.
void JointedMotion::foresee(const TreeStep& step, bool rough, VectorX& velocities, VectorX& rates) {
  const Model& model = step.model;
  gather(model, step.state.velocities, step.state.joint_rates, start_);
  resistance_.setZero(model.free_count);
  efforts_.setZero(model.free_count);
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (const int unknown = model.rate_index[i]; unknown >= 0) {
      resistance_[unknown] = step.loads.resistance[i];
      efforts_[unknown] =
          (step.loads.push[i] - step.loads.resistance[i] * start_[unknown]) / step.h;
    }
  unknowns_ = start_;
  error_ = 0.0;
  double before = infinity;
  for (int round = 0; round < most_rounds; ++round) {
    set_mean(step, velocities, unknowns_);
    dynamics_.forward(step.tree, {mean_, mean_rates_, step.forces.at_rest, nullptr, &resistance_},
                      efforts_, change_);
    carried_ = start_ + step.h * change_;
    if (settles(carried_, before) || rough) break;
    if (round == 0) before = infinity;  // what forces moved says nothing of the rounds
  }
  if (rough) error_ = 0.0;
  step.tree.spread_unknowns(unknowns_, velocities, rates);
}

void JointedMotion::dynamic(const TreeStep& step, SparseRows& inertia, VectorX& momentum,
                            VectorX& velocities, VectorX& rates) {
  const Model& model = step.model;
  dynamics_.mass(step.tree, matrix_);
  gather(model, step.state.velocities, step.state.joint_rates, start_);
  matrix_.multiply(start_, momentum);
  add_resistance(step, step.h, velocities);
  momentum += drag_push_;
  factor_ = matrix_;
  const bool regular = factor_.factor();
  change_ = (velocities - step.state.velocities) / step.h;  // of prescribed entries
  unknowns_ = start_;
  guess_ = momentum;
  error_ = 0.0;
  double before = infinity;  // by how much the round before moved
  for (int round = 0; round < most_rounds; ++round) {
    find_bias(step, velocities, unknowns_);
    guess_ = momentum - step.h * efforts_;
    if (!regular) break;
    carried_ = guess_;
    factor_.solve(carried_);
    if (settles(carried_, before)) break;
    if (round == 0) before = infinity;  // what forces moved says nothing of the rounds
  }
  momentum.swap(guess_);
  write(inertia);
  step.tree.spread_unknowns(unknowns_, velocities, rates);
}

double JointedMotion::follow(const TreeStep& step, const VectorX& velocities, const VectorX& rates,
                             VectorX& momentum) {
  mean_ = 0.5 * (step.state.velocities + velocities);
  mean_rates_ = 0.5 * (step.state.joint_rates + rates);
  step.tree.spread_velocities(mean_rates_, mean_);
  dynamics_.bias(step.tree, {mean_, mean_rates_, step.forces.at_rest, &change_}, carried_);
  keep_lone_bodies(step, carried_);
  guess_ = step.h * (efforts_ - carried_);
  momentum += guess_;
  efforts_.swap(carried_);
  if (guess_.isZero(0.0)) return 0.0;
  factor_.solve(guess_);
  const double size = unknowns_.lpNorm<Eigen::Infinity>();
  return size > 0.0 ? guess_.lpNorm<Eigen::Infinity>() / size : 0.0;
}

void JointedMotion::damped(const TreeStep& step, SparseRows& inertia, VectorX& forces,
                           VectorX& velocities, VectorX& rates) {
  error_ = 0.0;
  dynamics_.mass(step.tree, matrix_);
  add_resistance(step, 1.0, velocities);
  mean_.setZero(step.model.velocity_count);
  mean_rates_.setZero(step.model.joint_rate_count);
  // What prescribed roots move resists by its inertia, which is read as damping.
  dynamics_.bias(step.tree, {mean_, mean_rates_, step.forces.at_rest, &velocities}, efforts_);
  forces = drag_push_ - efforts_;
  factor_ = matrix_;
  unknowns_ = forces;
  if (factor_.factor()) factor_.solve(unknowns_);
  write(inertia);
  step.tree.spread_unknowns(unknowns_, velocities, rates);
}

void JointedMotion::weightless(const TreeStep& step, SparseRows& viscosity, VectorX& forces,
                               VectorX& velocities, VectorX& rates) {
  error_ = 0.0;
  matrix_.reset(step.model);
  add_resistance(step, 1.0, velocities);
  mean_.setZero(step.model.velocity_count);
  mean_rates_.setZero(step.model.joint_rate_count);
  dynamics_.bias(step.tree, {mean_, mean_rates_, step.forces.at_rest}, efforts_);
  forces = drag_push_ - efforts_;
  write(viscosity);
  unknowns_.setZero(step.model.free_count);
  step.tree.spread_unknowns(unknowns_, velocities, rates);
}

void JointedMotion::stage(const TreeStep& step, const VectorX& before, const VectorX& prescribed,
                          SparseRows& inertia, VectorX& momentum) {
  dynamics_.mass(step.tree, matrix_);
  matrix_.multiply(before, momentum);
  add_resistance(step, step.h, step.state.velocities);
  dynamics_.bias(step.tree,
                 {step.state.velocities, step.state.joint_rates, step.forces.at_rest, &prescribed},
                 efforts_);
  momentum += drag_push_ - step.h * efforts_;
  write(inertia);
}

void JointedMotion::inertia(const Tree& tree, SparseRows& rows) {
  dynamics_.mass(tree, matrix_);
  write(rows);
}

// Both halves of the symmetric matrix, by rows. The pattern does not depend on the numbers.
void JointedMotion::write(SparseRows& rows) {
  const int n = matrix_.size();
  counts_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (int i = 0; i < n; ++i)
    for (int j = i; j >= 0; j = matrix_.parent(j)) {
      ++counts_[static_cast<std::size_t>(i)];
      if (j != i) ++counts_[static_cast<std::size_t>(j)];
    }
  rows.reset(n);
  rows.rows = n;
  rows.starts.assign(1, 0);
  for (int i = 0; i < n; ++i)
    rows.starts.push_back(rows.starts.back() + counts_[static_cast<std::size_t>(i)]);
  rows.indices.resize(static_cast<std::size_t>(rows.starts.back()));
  rows.values.resize(rows.indices.size());
  starts_.assign(rows.starts.begin(), rows.starts.end());
  // Ancestors have smaller numbers: row i gets them from the last to the first, then itself; rows
  // of ancestors get i behind all that came before.
  for (int i = 0; i < n; ++i) {
    int& next = starts_[static_cast<std::size_t>(i)];
    int depth = 0;
    for (int j = matrix_.parent(i); j >= 0; j = matrix_.parent(j)) ++depth;
    int at = next + depth;
    next = at + 1;
    for (int j = i; j >= 0; j = matrix_.parent(j), --at) {
      const double value = matrix_.entry(i, j);
      rows.indices[static_cast<std::size_t>(at)] = j;
      rows.values[static_cast<std::size_t>(at)] = value;
      if (j == i) continue;
      const auto place = static_cast<std::size_t>(starts_[static_cast<std::size_t>(j)]++);
      rows.indices[place] = i;
      rows.values[place] = value;
    }
  }
}

}  // namespace vinci
