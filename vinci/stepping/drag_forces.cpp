// SPDX-License-Identifier: Apache-2.0
// Lines in the velocities, and their search.
#include "vinci/stepping/drag_forces.h"

#include <algorithm>
#include <cmath>

#include "vinci/model/actuation.h"
#include "vinci/stepping/step_forces.h"

namespace vinci {
namespace {

// Newton's method doubles digits near the end; a smooth drag has settled long before.
constexpr int tangent_rounds = 12;
// A bracket loses most of its length in a round, down to where tangents settle.
constexpr int bracket_rounds = 80;
// Secants are drawn for their passivity; one round would do for that.
constexpr int secant_rounds = 20;

// Of the terms of a line: what they leave of a force that is smaller is rounding, four digits above
// which it is met.
constexpr double small_part = 1e-4;
// Of the largest velocity that an entry has in a step, and its body: turns mix them.
constexpr double velocity_rounding = 1e-13, mixed_rounding = 1e-16;
// Slower than any motion, m/s and rad/s: squares of it are not numbers any more.
constexpr double slowest = 1e-150;

// In a bracket of velocities. Strong drags leave a millionth of a velocity and less, so powers are
// halved rather than numbers. Infinite: it has none.
double middle_of(double low, double high) {
  constexpr double part = 1.0 / 64.0;
  if (!std::isfinite(low) || !std::isfinite(high)) return infinity;
  if (low < 0.0 && high > 0.0) return 0.0;
  const double inner = low < 0.0 ? -high : low, outer = low < 0.0 ? -low : high;
  const double size = inner == 0.0          ? part * outer
                      : outer > 4.0 * inner ? std::sqrt(inner) * std::sqrt(outer)
                                            : inner + 0.5 * (outer - inner);
  return low < 0.0 ? -size : size;
}

}  // namespace

void DragForces::begin(StepContext& context, const State& state, double h) {
  step_forces(context, state, h, line_.at_rest);
  reset(*context.in.model, state,
        context.in.held_forces ? *context.in.held_forces : context.work.controlled);
  if (has_drags()) begin_lines();
}

void DragForces::begin_part(const Model& model, const State& state, const LinearForces& held) {
  reset(model, state, held);
  applied_forces(model, state, line_.at_rest);
  line_.at_rest += held.at_rest;
  if (has_drags()) begin_lines();
}

void DragForces::begin_flight(const Model& model, const State& state, double h,
                              const LinearForces& held) {
  reset(model, state, held);
  applied_forces(model, state, line_.at_rest);
  look_at_middle(0.5 * h);
  line_.at_rest += held.at_rest;
  if (has_drags()) begin_lines();
}

void DragForces::reset(const Model& model, const State& state, const LinearForces& others) {
  model_ = &model;
  start_ = &state;
  others_ = &others;
  rounds_ = 0;
  error_ = 0.0;
  differs_ = false;
  line_.drag.resize(0);
}

// Forces in the middle of a flight, where they are others than at its start.
void DragForces::look_at_middle(double ahead) {
  middle_.time = start_->time + ahead;
  middle_.poses = start_->poses;
  for (int b = 0; b < static_cast<int>(model_->bodies.size()); ++b) {
    const Body& body = model_->bodies[b];
    if (body.velocity_size == 0) continue;
    middle_.poses[b] =
        advanced(body, start_->poses[b], body_twist(*model_, start_->velocities, b), ahead);
    place_prescribed(body, middle_.time, middle_.poses[b]);
  }
  applied_forces(*model_, middle_, start_->velocities, scratch_);
  differs_ = scratch_ != line_.at_rest;
  if (!differs_) return;
  line_.at_rest = scratch_;
  grounded_.assign(static_cast<std::size_t>(model_->velocity_count), 0);
}

// Which entries are drags, and their first lines.
void DragForces::begin_lines() {
  const VectorX& v = start_->velocities;
  find_slopes(*start_, v);
  evaluate(v, forces_);
  still_.setZero(v.size());
  evaluate(still_, at_rest_);
  implicit_.resize(static_cast<std::size_t>(v.size()));
  for (Eigen::Index i = 0; i < v.size(); ++i)
    implicit_[static_cast<std::size_t>(i)] =
        model_->free_index[i] >= 0 &&
        (slopes_[i] <= 0.0 || (forces_[i] - at_rest_[i]) * v[i] < 0.0);
  low_.setConstant(v.size(), -infinity);
  high_.setConstant(v.size(), infinity);
  step_.setConstant(v.size(), infinity);
  ratio_.setZero(v.size());
  met_.assign(implicit_.size(), 0);
  resolved_.setZero(v.size());
  draw_lines(v, true);
}

bool DragForces::ground(const Model& model, std::span<const char> bodies) {
  if (!differs_) return false;
  bool changes = false;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i) {
      changes = changes || (bodies[b] != 0) != (grounded_[static_cast<std::size_t>(i)] != 0);
      grounded_[static_cast<std::size_t>(i)] = bodies[b];
    }
  }
  if (!changes) return false;
  evaluate(start_->velocities, line_.at_rest);
  if (has_drags()) draw_lines(start_->velocities, true);
  return true;
}

// f of scene and controllers with these velocities.
void DragForces::evaluate(const VectorX& velocities, VectorX& forces) {
  applied_forces(*model_, differs_ ? middle_ : *start_, velocities, forces);
  if (differs_) {
    applied_forces(*model_, *start_, velocities, scratch_);
    for (std::size_t i = 0; i < grounded_.size(); ++i)
      if (grounded_[i])
        forces[static_cast<Eigen::Index>(i)] = scratch_[static_cast<Eigen::Index>(i)];
  }
  others_->add_to(forces, velocities);
}

// ∂f/∂v of scene and controllers.
void DragForces::find_slopes(const State& at, const VectorX& velocities) {
  force_slopes(*model_, at, velocities, slopes_);
  if (others_->drag.size() > 0) slopes_ -= others_->drag;
}

// Velocities of bodies that rows act on are known to what the judge asks of all of these, any other
// to its rounding.
void DragForces::find_resolution(const Solve& solve, double tolerance) {
  most_ = start_->velocities.cwiseAbs().cwiseMax(solve.foreseen.cwiseAbs());
  resolved_ = velocity_rounding * most_;
  const auto radius = [](const Body& body) {
    const double size = body.bounding_radius;
    return std::isfinite(size) && size > 0.0 ? size : 1.0;
  };
  const auto joined = [&](const Body& body) {
    return solve.joined[static_cast<std::size_t>(&body - model_->bodies.data())] != 0;
  };
  double speed = 0.0;  // of all that rows act on
  for (const Body& body : model_->bodies) {
    double moves = 0.0, turns = 0.0;
    const int end = body.velocity_offset + body.velocity_size;
    for (int i = body.velocity_offset; i < end; ++i) {
      double& most = model_->coordinate[i] < 3 ? moves : turns;
      most = std::max(most, most_[i]);
    }
    for (int i = body.velocity_offset; i < end; ++i)
      resolved_[i] =
          std::max(resolved_[i], mixed_rounding * (model_->coordinate[i] < 3 ? moves : turns));
    if (joined(body)) speed = std::max({speed, moves, radius(body) * turns});
  }
  for (const Body& body : model_->bodies)
    for (int i = body.velocity_offset;
         joined(body) && i < body.velocity_offset + body.velocity_size; ++i)
      resolved_[i] = tolerance * speed / (model_->coordinate[i] < 3 ? 1.0 : radius(body));
}

bool DragForces::rests(double velocity, Eigen::Index i) const {
  return implicit_[static_cast<std::size_t>(i)] && resolved_[i] > slowest &&
         std::abs(velocity) <= resolved_[i];
}

void DragForces::still(std::span<const char> joined, VectorX& velocities) const {
  for (std::size_t b = 0; b < joined.size(); ++b) {
    const Body& body = model_->bodies[b];
    for (int i = body.velocity_offset; joined[b] && i < body.velocity_offset + body.velocity_size;
         ++i)
      if (rests(velocities[i], i)) velocities[i] = 0.0;
  }
}

bool DragForces::meets(const VectorX& velocities, const Solve& solve, const Accuracy& accuracy) {
  find_resolution(solve, accuracy.tolerance);
  evaluate(velocities, forces_);
  error_ = 0.0;
  for (Eigen::Index i = 0; i < forces_.size(); ++i) {
    if (!implicit_[static_cast<std::size_t>(i)]) continue;
    const double drag = line_.drag[i] * velocities[i];
    const double line = line_.at_rest[i] - drag;
    const double terms = std::max(std::abs(line_.at_rest[i]), std::abs(drag));
    const double size = std::max({std::abs(line), std::abs(forces_[i]), small_part * terms});
    const double miss = std::abs(forces_[i] - line);
    // A steep drag has no more digits than its velocity.
    const double known = resolved_[i] + slowest;
    const bool both_rest = std::max(std::abs(velocities[i]), std::abs(drawn_[i])) <= known;
    const bool same = std::abs(velocities[i] - drawn_[i]) <= known;
    const double error = miss > 0.0 && !both_rest && !same ? miss / size : 0.0;
    met_[static_cast<std::size_t>(i)] = error <= accuracy.tolerance;
    error_ = std::max(error_, error);
  }
  return error_ <= accuracy.tolerance || !std::isfinite(error_);
}

bool DragForces::follow(const VectorX& velocities) {
  if (++rounds_ > tangent_rounds + bracket_rounds + secant_rounds) return false;
  narrow(velocities);
  if (rounds_ <= tangent_rounds)
    draw_lines(velocities, true);
  else if (rounds_ <= tangent_rounds + bracket_rounds)
    draw_lines(within(velocities), true);
  else
    draw_lines(velocities, false);
  return true;
}

// What the last lines say of the answer. Entries depend on each other through contacts, so an end
// may have to be given up.
void DragForces::narrow(const VectorX& velocities) {
  for (Eigen::Index i = 0; i < velocities.size(); ++i) {
    const double p = drawn_[i], step = velocities[i] - p;
    if (step > 0.0) {
      low_[i] = p;
      if (high_[i] <= p) high_[i] = infinity;
    } else if (step < 0.0) {
      high_[i] = p;
      if (low_[i] >= p) low_[i] = -infinity;
    }
    ratio_[i] = step / step_[i];
    step_[i] = step;
  }
}

// The velocities; of entries that leave their bracket, or come nearer too slowly, its middle, or
// where the steps lead to if each is the same share of the last (Aitken).
const VectorX& DragForces::within(const VectorX& velocities) {
  constexpr double longest = 50.0;  // in steps
  drawn_ = velocities;
  for (Eigen::Index i = 0; i < drawn_.size(); ++i) {
    const auto entry = static_cast<std::size_t>(i);
    double &low = low_[i], &high = high_[i];
    const double v = velocities[i], ratio = ratio_[i];
    const bool inside = low < v && v < high;
    if (!implicit_[entry] || met_[entry] || step_[i] == 0.0) continue;
    if (inside && !(std::abs(ratio) > 0.5)) continue;
    const double steps = ratio < 1.0 ? std::min(longest, ratio / (1.0 - ratio)) : longest;
    const double far = v + steps * step_[i], middle = middle_of(low, high);
    if (inside && ratio > 0.0 && low < far && far < high) {
      drawn_[i] = far;
    } else if (low < middle && middle < high) {
      drawn_[i] = middle;
    } else if (!inside) {  // it was one for other velocities of the other entries
      low = -infinity;
      high = infinity;
    }
  }
  return drawn_;
}

// Through f at these velocities; entries that are no drag keep their force. A tangent that rises is
// none of a drag: the secant from v = 0 takes its place.
void DragForces::draw_lines(const VectorX& velocities, bool tangents) {
  drawn_ = velocities;
  line_.drag.setZero(velocities.size());
  evaluate(velocities, forces_);
  evaluate(still_, at_rest_);
  if (tangents) find_slopes(differs_ ? middle_ : *start_, velocities);
  bool rest = false;
  edge_ = velocities;
  for (Eigen::Index i = 0; i < velocities.size(); ++i)
    if (rests(velocities[i], i)) {
      edge_[i] = std::copysign(resolved_[i], velocities[i]);
      rest = true;
    }
  if (rest) evaluate(edge_, at_edge_);
  for (Eigen::Index i = 0; i < velocities.size(); ++i) {
    if (!implicit_[static_cast<std::size_t>(i)]) continue;
    const double v = velocities[i];
    if (rests(v, i)) {  // as steep as can be told
      line_.drag[i] = std::max(0.0, (at_rest_[i] - at_edge_[i]) / edge_[i]);
      line_.at_rest[i] = at_rest_[i];
      continue;
    }
    double drag = tangents ? -slopes_[i] : 0.0;
    if (!(drag > 0.0) && v != 0.0) drag = (at_rest_[i] - forces_[i]) / v;
    line_.drag[i] = std::isfinite(drag) ? std::max(0.0, drag) : 0.0;
    line_.at_rest[i] = forces_[i] + line_.drag[i] * v;
  }
}

}  // namespace vinci
