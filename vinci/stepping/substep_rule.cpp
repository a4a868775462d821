// SPDX-License-Identifier: Apache-2.0
// The three bounds on a substep.
#include "vinci/stepping/substep_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/contact_rows.h"

namespace vinci {
namespace {

// A contact that comes nearer: this share of the time to it is taken at once, so that a turning
// or curved body does not overshoot ...
constexpr double approach_share = 0.9;
// ... until it is so near, in substeps of the contact itself, that the rest is taken whole ...
constexpr double landing_range = 2.0;
// ... or nothing of it matters any more.
constexpr double landed = 0.01;
// A point slides where its friction is this near to its limit.
constexpr double sliding_share = 1.0 - 1e-6;

// The first t > 0 at which gap + rate t + acceleration t² = 0, that is what moving by h v(h) makes
// of the gap; 0 if it is closed, infinity if it stays open.
double time_to_contact(double gap, double rate, double acceleration) {
  if (gap <= 0.0) return 0.0;
  const double discriminant = rate * rate - 4.0 * acceleration * gap;
  if (discriminant < 0.0) return infinity;
  const double root = std::sqrt(discriminant);
  // The form that does not cancel, for a closing rate and for an opening one that turns.
  if (rate <= 0.0) return root - rate > 0.0 ? 2.0 * gap / (root - rate) : infinity;
  return acceleration < 0.0 ? (rate + root) / (-2.0 * acceleration) : infinity;
}

}  // namespace

LayerPair layers_of(const Model& model, const EntityKey& key) {
  return {&model.materials[model.shapes[key.shape_a()].material].layer,
          &model.materials[model.shapes[key.shape_b()].material].layer};
}

double SubstepRule::size(const Model& model, const State& state, const VectorX& foreseen,
                         const ContactSet& contacts, double remaining) {
  acceleration_ = (foreseen - state.velocities) / remaining;
  loaded_.clear();
  for (const Contact& contact : contacts) {
    const bool soft = !layers_of(model, contact.key).rigid();
    loaded_.push_back(soft ? loaded(model, state, contact) : Loaded{});
    if (loaded_.back().is) push(model, state, contact, loaded_.back());
  }
  double size = remaining;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    if (layers_of(model, contact.key).rigid()) continue;
    const Frequencies frequency = frequencies(model, state, contact);
    const double resolved = settings_.resolution / std::max(frequency.normal, frequency.tangential);
    if (!std::isfinite(resolved)) continue;  // nothing can move along it
    double longest = remaining;
    bool in_contact = loaded_[i].is;
    if (in_contact) {
      if (rests(model, state, contact, loaded_[i], frequency)) continue;
    } else {
      const double time = approach(model, state, foreseen, contact, remaining);
      if (!(time < remaining)) continue;
      in_contact = time <= landed * resolved;
      longest = time > landing_range * resolved ? approach_share * time : time;
    }
    // Equal parts of what remains, so that no sliver is left over.
    if (in_contact) longest = remaining / std::ceil(std::max(1.0, remaining / resolved - 1e-9));
    size = std::min(size, longest);
  }
  return size;
}

SubstepRule::Frequencies SubstepRule::frequencies(const Model& model, const State& state,
                                                  const Contact& contact) const {
  const LayerPair layers = layers_of(model, contact.key);
  const SeriesStiffness stiffness = in_series(*layers.a, *layers.b);
  const ContactFrame frame = contact_frame(model.world, contact.normal);
  return {std::sqrt(stiffness.normal * mobility(model, state.poses, contact, frame.normal)),
          std::sqrt(stiffness.tangential * mobility(model, state.poses, contact, frame.tangent_1))};
}

// The time until the gap to the deformed surface closes, s.
double SubstepRule::approach(const Model& model, const State& state, const VectorX& foreseen,
                             const Contact& contact, double remaining) const {
  const LayerPair layers = layers_of(model, contact.key);
  double deformation = 0.0, recovery = 0.0;  // normal, in the middle of the patch
  for (const LayerMemory& memory : records_of(state.memory.layers, contact.key)) {
    if (memory.point != points_.count() / 2) continue;
    const double pressed[2] = {memory.deformation_a[0], memory.deformation_b[0]};
    deformation = pressed[0] + pressed[1];
    for (int side = 0; side < 2; ++side)
      if (const std::optional<Layer>& layer = side == 0 ? *layers.a : *layers.b;
          layer && layer->damping > 0.0)
        recovery += layer->stiffness / layer->damping * pressed[side];
  }
  const double velocity =
      contact.normal.dot(relative_velocity(model, state.poses, state.velocities, contact));
  const double change =
      contact.normal.dot(relative_velocity(model, state.poses, foreseen, contact)) - velocity;
  // The tip of a body that turns comes down on an arc, −ω² r; a round one does not. The earlier of
  // the two times does not overshoot.
  double bend = 0.0;  // m/s²
  for (const auto& [b, sign] : {std::pair(contact.body_a, -1.0), std::pair(contact.body_b, 1.0)}) {
    const double spin = body_twist(model, state.velocities, b).angular.z();
    const Vector3 arm =
        0.5 * (contact.point_a + contact.point_b) - state.poses[b] * model.bodies[b].mass.center;
    bend -= sign * spin * spin * contact.normal.dot(arm);
  }
  return time_to_contact(contact.gap + deformation, velocity - recovery,
                         change / remaining + 0.5 * std::min(0.0, bend));
}

SubstepRule::Loaded SubstepRule::loaded(const Model& model, const State& state,
                                        const Contact& contact) const {
  Loaded result;
  const LayerPair layers = layers_of(model, contact.key);
  const bool on_a = layers.a->has_value();
  const Layer& layer = on_a ? **layers.a : **layers.b;
  const double friction =
      model.surface_between(contact.key.shape_a(), contact.key.shape_b()).friction;
  for (const ImpulseMemory& from : records_of(state.memory.impulses, contact.key)) {
    if (from.point < 0 || from.point >= points_.count() || !(from.impulse[0] > 0.0)) continue;
    result.is = true;
    result.sliding &= std::abs(from.impulse[1]) >= sliding_share * friction * from.impulse[0];
  }
  for (const LayerMemory& from : records_of(state.memory.layers, contact.key)) {
    if (from.point < 0 || from.point >= points_.count()) continue;
    result.deformation =
        std::max(result.deformation, from.deformation_a[0] + from.deformation_b[0]);
    // In equilibrium both layers bear the same; one of them tells.
    const Vector3& pressed = on_a ? from.deformation_a : from.deformation_b;
    const Vector2 spring(layer.stiffness * pressed[0] + layer.coupling * pressed[1],
                         layer.coupling * pressed[0] + layer.tangential_stiffness * pressed[1]);
    for (int i = 0; i < points_.count(); ++i) {
      const double share = points_.stiffness_share()(i, static_cast<int>(from.point));
      result.force += share * spring;
      result.moment += share * spring[0] * points_.offset(i);
    }
  }
  return result;
}

// What the springs of a contact add to the accelerations of its bodies.
void SubstepRule::push(const Model& model, const State& state, const Contact& contact,
                       const Loaded& layer) {
  const ContactFrame frame = contact_frame(model.world, contact.normal);
  const Vector3 force = layer.force[0] * frame.normal + layer.force[1] * frame.tangent_1;
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  for (const auto& [b, sign] : {std::pair(contact.body_a, -1.0), std::pair(contact.body_b, 1.0)}) {
    const Body& body = model.bodies[b];
    const Vector3 arm = point - center_of_mass(model, state.poses, b);
    // A normal force beside the contact, at s t: s t × n = −s.
    const double moment = arm.cross(force).z() - layer.moment;
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, coordinate = model.coordinate[entry];
      if (model.free_index[entry] < 0) continue;
      acceleration_[entry] += sign * (coordinate < 3 ? force[coordinate] / body.mass.mass
                                                     : moment / body.mass.inertia(2, 2));
    }
  }
}

// Whether what is left of an oscillation does not matter: across the surface, and along it where
// the contact sticks.
bool SubstepRule::rests(const Model& model, const State& state, const Contact& contact,
                        const Loaded& layer, const Frequencies& frequency) const {
  const ContactFrame frame = contact_frame(model.world, contact.normal);
  const Vector3 velocity = relative_velocity(model, state.poses, state.velocities, contact);
  const Vector3 acceleration = relative_velocity(model, state.poses, acceleration_, contact);
  const auto amplitude = [&](const Vector3& axis, double omega) {
    if (!(omega > 0.0)) return 0.0;
    return (std::abs(axis.dot(velocity)) + std::abs(axis.dot(acceleration)) / omega) / omega;
  };
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * contact.point_a.norm();
  const double small = std::max(settings_.rest * layer.deformation, rounding);
  if (amplitude(frame.normal, frequency.normal) > small) return false;
  return layer.sliding || amplitude(frame.tangent_1, frequency.tangential) <= small;
}

}  // namespace vinci
