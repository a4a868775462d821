// SPDX-License-Identifier: Apache-2.0
// The three bounds on a substep.
#include "vinci/stepping/substep_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/contact_rows.h"
#include "vinci/formulation/free_motion.h"

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

double SubstepRule::size(const Model& model, const State& state, const VectorX& foreseen,
                         const ContactSet& contacts, const LayerPatches& patches,
                         double remaining) {
  acceleration_ = (foreseen - state.velocities) / remaining;
  loaded_.clear();
  for (const LayerPatch& patch : patches.patches()) {
    loaded_.push_back(loaded(model, state, patches, patch));
    if (loaded_.back().is) push(model, state, patch, loaded_.back());
  }
  double size = remaining;
  const auto consider = [&](const Contact& contact, const PatchSite& site) {
    const Loaded& layer = loaded_[static_cast<std::size_t>(site.patch)];
    const double resolved = settings_.resolution / std::max(layer.frequency[0], layer.frequency[1]);
    if (!std::isfinite(resolved)) return;  // nothing can move along it
    double longest = remaining;
    bool in_contact = layer.is && (site.impulse[0] > 0.0 || contact.gap <= 0.0);
    if (in_contact) {
      if (rests(model, state, contact, layer)) return;
    } else {
      const double time = approach(model, state, foreseen, patches, site, remaining);
      if (!(time < remaining)) return;
      in_contact = time <= landed * resolved;
      longest = time > landing_range * resolved ? approach_share * time : time;
    }
    // Equal parts of what remains, so that no sliver is left over.
    if (in_contact) longest = remaining / std::ceil(std::max(1.0, remaining / resolved - 1e-9));
    size = std::min(size, longest);
  };
  // The middle one of several points tells for its contact.
  auto site = patches.sites().begin();
  for (const Contact& contact : contacts) {
    if (!is_soft(model, contact.key)) continue;
    const auto first = site;
    while (site != patches.sites().end() && site->contact.key == contact.key) ++site;
    if (first != site) consider(contact, first[(site - first) / 2]);
  }
  return size;
}

SubstepRule::Loaded SubstepRule::loaded(const Model& model, const State& state,
                                        const LayerPatches& patches,
                                        const LayerPatch& patch) const {
  Loaded result;
  set_frequencies(model, state, patch, result);
  // In equilibrium both layers bear the same; one of them tells.
  result.springs = patches.spring_force(patch, patch.a ? 0 : 1);
  const double limit =
      sliding_share * (model.world == World::spatial ? settings_.least_friction : 1.0);
  for (const int m : patches.members(patch)) {
    const PatchSite& site = patches.sites()[static_cast<std::size_t>(m)];
    result.deformation = std::max(result.deformation, patches.pressed(site));
    if (!(site.impulse[0] > 0.0)) continue;
    const Surface& surface =
        model.surface_between(site.contact.key.shape_a(), site.contact.key.shape_b());
    result.is = true;
    // Where a law has the limit, it is not known here: as if it stuck, which resolves more.
    result.sliding &= !surface.law && std::hypot(site.impulse[1], site.impulse[2]) >=
                                          limit * surface.friction * site.impulse[0];
  }
  return result;
}

// What joints leave of a mobility by rounding, of that of the bodies by themselves.
constexpr double immobile = 1e-9;

// Of b against a along the axis, for a unit impulse along it, or about it, m/s or rad/s; none where
// joints forbid it.
double SubstepRule::joined_mobility(const Model& model, const State& state, const Contact& middle,
                                    const Vector3& axis, bool turning) const {
  double alone = 0.0;
  for (const auto& [b, sign] : {std::pair(middle.body_a, -1.0), std::pair(middle.body_b, 1.0)}) {
    const Vector3 arm = middle.point_a - center_of_mass(model, state.poses, b);
    const Vector3 push = sign * axis, none = Vector3::Zero();
    joined_->push(b, arm, turning ? none : push, turning ? push : none);
    if (model.is_moved(b))
      alone += 1.0 / (turning ? model.bodies[b].mass.inertia(2, 2) : model.bodies[b].mass.mass);
  }
  const VectorX& answer = joined_->answer();
  const double moved = axis.dot(turning ? relative_turning(model, answer, middle)
                                        : relative_velocity(model, state.poses, answer, middle));
  return moved > immobile * alone ? moved : 0.0;
}

// Bounds: of a patch that is pressed in and tilts, and of one that is drawn along and twists.
void SubstepRule::set_frequencies(const Model& model, const State& state, const LayerPatch& patch,
                                  Loaded& layer) const {
  const SeriesStiffness stiffness = in_series(patch.a, patch.b);
  Contact middle;
  middle.body_a = patch.body_a;
  middle.body_b = patch.body_b;
  middle.point_a = middle.point_b = patch.middle;
  const auto& [normal, axis_1, axis_2] = patch.frame;
  const auto along = [&](const Vector3& axis) {
    return joined_ ? joined_mobility(model, state, middle, axis, false)
                   : mobility(model, state.poses, middle, axis);
  };
  const auto about = [&](const Vector3& axis) {
    return joined_ ? joined_mobility(model, state, middle, axis, true)
                   : turning_mobility(model, state.poses, middle, axis);
  };
  double across = along(normal) + patch.spread[0] * about(axis_2);
  double tangential = along(axis_1);
  if (model.world == World::spatial) {
    across += patch.spread[1] * about(axis_1);
    // The larger eigenvalue of the mobility along the surface.
    const double other = along(axis_2);
    const double mixed = along(M_SQRT1_2 * (axis_1 + axis_2)) - 0.5 * (tangential + other);
    tangential = 0.5 * (tangential + other) + std::hypot(0.5 * (tangential - other), mixed) +
                 patch.polar * about(normal);
  }
  layer.frequency[0] = std::sqrt(stiffness.normal * across);
  layer.frequency[1] = std::sqrt(stiffness.tangential * tangential);
}

// The time until the gap to the deformed surface closes, s.
double SubstepRule::approach(const Model& model, const State& state, const VectorX& foreseen,
                             const LayerPatches& patches, const PatchSite& site,
                             double remaining) const {
  const Contact& contact = site.contact;
  const LayerPatch& patch = patches.patches()[static_cast<std::size_t>(site.patch)];
  double recovery = 0.0;  // m/s
  for (int side = 0; side < 2; ++side)
    if (const std::optional<Layer>& layer = patch.layer(side); layer && layer->damping > 0.0)
      recovery += layer->stiffness / layer->damping * patches.at(site, side)[0];
  const double velocity =
      contact.normal.dot(relative_velocity(model, state.poses, state.velocities, contact));
  const double change =
      contact.normal.dot(relative_velocity(model, state.poses, foreseen, contact)) - velocity;
  // The tip of a body that turns comes down on an arc, −ω² r; a round one does not. The earlier of
  // the two times does not overshoot.
  double bend = 0.0;  // m/s²
  for (const auto& [b, sign] : {std::pair(contact.body_a, -1.0), std::pair(contact.body_b, 1.0)}) {
    const Vector3 spin = body_twist(model, state.velocities, b).angular;
    const Vector3 arm =
        0.5 * (contact.point_a + contact.point_b) - state.poses[b] * model.bodies[b].mass.center;
    bend -= sign * (spin.squaredNorm() * contact.normal.dot(arm) -
                    spin.dot(contact.normal) * spin.dot(arm));
  }
  return time_to_contact(contact.gap + patches.pressed(site), velocity - recovery,
                         change / remaining + 0.5 * std::min(0.0, bend));
}

// What the springs of a patch add to the accelerations of its bodies.
void SubstepRule::push(const Model& model, const State& state, const LayerPatch& patch,
                       const Loaded& layer) {
  if (joined_) return push_joined(model, state, patch, layer);
  const auto& [normal, axis_1, axis_2] = patch.frame;
  const auto& [along, about] = layer.springs;
  const Vector3 force = along[0] * normal + along[1] * axis_1 + along[2] * axis_2;
  for (const auto& [b, sign] : {std::pair(patch.body_a, -1.0), std::pair(patch.body_b, 1.0)}) {
    const Body& body = model.bodies[b];
    const Vector3 arm = patch.middle - center_of_mass(model, state.poses, b);
    // Of normal forces beside the middle: axis 1 × n = −axis 2, axis 2 × n = axis 1.
    Vector3 turn = arm.cross(force);
    if (body.freedom == Freedom::spatial) {
      turn += about[0] * normal - about[1] * axis_2 + about[2] * axis_1;
      turn = world_inertia(body, state.poses[b].rotation).llt().solve(turn).eval();
    } else {
      turn.z() = (turn.z() - about[1]) / body.mass.inertia(2, 2);
    }
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, coordinate = model.coordinate[entry];
      if (model.free_index[entry] < 0) continue;
      acceleration_[entry] +=
          sign * (coordinate < 3 ? force[coordinate] / body.mass.mass : turn[coordinate - 3]);
    }
  }
}

void SubstepRule::push_joined(const Model& model, const State& state, const LayerPatch& patch,
                              const Loaded& layer) {
  const auto& [normal, axis_1, axis_2] = patch.frame;
  const auto& [along, about] = layer.springs;
  const Vector3 force = along[0] * normal + along[1] * axis_1 + along[2] * axis_2;
  const Vector3 moment = model.world == World::spatial
                             ? Vector3(about[0] * normal - about[1] * axis_2 + about[2] * axis_1)
                             : Vector3(0.0, 0.0, -about[1]);
  for (const auto& [b, sign] : {std::pair(patch.body_a, -1.0), std::pair(patch.body_b, 1.0)})
    joined_->push(b, patch.middle - center_of_mass(model, state.poses, b), sign * force,
                  sign * moment);
  acceleration_ += joined_->answer();
}

// Whether what is left of an oscillation does not matter: across the surface, and along it where
// the contact sticks.
bool SubstepRule::rests(const Model& model, const State& state, const Contact& contact,
                        const Loaded& layer) const {
  const ContactFrame frame = contact_frame(model.world, contact.normal);
  // A surface that runs rests against what rides on it.
  const Vector3 velocity = relative_velocity(model, state.poses, state.velocities, contact) +
                           surface_velocity(model, state.poses, contact, state.time, 0.0);
  const Vector3 acceleration = relative_velocity(model, state.poses, acceleration_, contact);
  const auto amplitude = [](double speed, double change, double omega) {
    return omega > 0.0 ? (speed + change / omega) / omega : 0.0;
  };
  const auto across = [&](const Vector3& v) { return std::abs(frame.normal.dot(v)); };
  const auto along = [&](const Vector3& v) {
    return std::hypot(frame.tangent_1.dot(v), frame.tangent_2.dot(v));
  };
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * contact.point_a.norm();
  const double small = std::max(settings_.rest * layer.deformation, rounding);
  if (amplitude(across(velocity), across(acceleration), layer.frequency[0]) > small) return false;
  return layer.sliding ||
         amplitude(along(velocity), along(acceleration), layer.frequency[1]) <= small;
}

}  // namespace vinci
