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
  const SeriesStiffness stiffness = in_series(patch.a, patch.b);
  Contact middle;
  middle.body_a = patch.body_a;
  middle.body_b = patch.body_b;
  middle.point_a = middle.point_b = patch.middle;
  const ContactFrame frame = contact_frame(model.world, patch.normal);
  double turning = 0.0;  // 1/(kg m²)
  for (const int b : {patch.body_a, patch.body_b}) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0 && model.coordinate[i] > 2)
        turning += 1.0 / body.mass.inertia(2, 2);
  }
  result.frequency[0] =
      std::sqrt(stiffness.normal *
                (mobility(model, state.poses, middle, frame.normal) + patch.spread * turning));
  result.frequency[1] =
      std::sqrt(stiffness.tangential * mobility(model, state.poses, middle, frame.tangent_1));
  // In equilibrium both layers bear the same; one of them tells.
  const int side = patch.a ? 0 : 1;
  const PatchForce force = patches.spring_force(patch, side);
  result.force = force.force;
  result.moment = force.moment;
  for (const int m : patches.members(patch)) {
    const PatchSite& site = patches.sites()[static_cast<std::size_t>(m)];
    result.deformation = std::max(result.deformation, patches.pressed(site));
    if (!(site.impulse[0] > 0.0)) continue;
    const double friction =
        model.surface_between(site.contact.key.shape_a(), site.contact.key.shape_b()).friction;
    result.is = true;
    result.sliding &= std::abs(site.impulse[1]) >= sliding_share * friction * site.impulse[0];
  }
  return result;
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
    const double spin = body_twist(model, state.velocities, b).angular.z();
    const Vector3 arm =
        0.5 * (contact.point_a + contact.point_b) - state.poses[b] * model.bodies[b].mass.center;
    bend -= sign * spin * spin * contact.normal.dot(arm);
  }
  return time_to_contact(contact.gap + patches.pressed(site), velocity - recovery,
                         change / remaining + 0.5 * std::min(0.0, bend));
}

// What the springs of a patch add to the accelerations of its bodies.
void SubstepRule::push(const Model& model, const State& state, const LayerPatch& patch,
                       const Loaded& layer) {
  const ContactFrame frame = contact_frame(model.world, patch.normal);
  const Vector3 force = layer.force[0] * frame.normal + layer.force[1] * frame.tangent_1;
  for (const auto& [b, sign] : {std::pair(patch.body_a, -1.0), std::pair(patch.body_b, 1.0)}) {
    const Body& body = model.bodies[b];
    const Vector3 arm = patch.middle - center_of_mass(model, state.poses, b);
    // A normal force beside the middle, at s t: s t × n = −s.
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
                        const Loaded& layer) const {
  const ContactFrame frame = contact_frame(model.world, contact.normal);
  // A surface that runs rests against what rides on it.
  const Vector3 velocity = relative_velocity(model, state.poses, state.velocities, contact) +
                           surface_velocity(model, state.poses, contact, state.time, 0.0);
  const Vector3 acceleration = relative_velocity(model, state.poses, acceleration_, contact);
  const auto amplitude = [&](const Vector3& axis, double omega) {
    if (!(omega > 0.0)) return 0.0;
    return (std::abs(axis.dot(velocity)) + std::abs(axis.dot(acceleration)) / omega) / omega;
  };
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * contact.point_a.norm();
  const double small = std::max(settings_.rest * layer.deformation, rounding);
  if (amplitude(frame.normal, layer.frequency[0]) > small) return false;
  return layer.sliding || amplitude(frame.tangent_1, layer.frequency[1]) <= small;
}

}  // namespace vinci
