// SPDX-License-Identifier: Apache-2.0
// The search for coefficients of friction that fit the motion.
#include "vinci/stepping/sliding_friction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/formulation/contact_motion.h"

namespace vinci {
namespace {

// A contact sticks where it slides by no more than this share of the velocities about it, which is
// what solvers leave.
constexpr double sticking_share = 1e-9;
// Secants are followed where μ and speed do not drive each other on.
constexpr double steepest_secant = 0.9;
// How a memory says that a contact stuck.
constexpr double stuck = std::numeric_limits<double>::min();

double relative_difference(double a, double b) {
  const double larger = std::max(a, b);
  return larger > 0.0 ? std::abs(a - b) / larger : 0.0;
}

}  // namespace

double SlidingFriction::noise(const Scene& scene, const Contact& contact) const {
  const auto size = [&](const VectorX& velocities) {
    return relative_velocity(scene.model, scene.poses, velocities, contact).norm();
  };
  return sticking_share * (size(scene.foreseen) + size(scene.state.velocities));
}

double SlidingFriction::start_speed(const Scene& scene, const Contact& contact,
                                    const ImpulseMemory* known) const {
  if (known && known->sliding > 0.0) return known->sliding > stuck ? known->sliding : 0.0;
  const auto& [model, state, h, foreseen, contacts, poses] = scene;
  Vector3 velocity = relative_velocity(model, poses, state.velocities, contact) +
                     surface_velocity(model, poses, contact, state.time, 0.0);
  velocity -= contact.normal.dot(velocity) * contact.normal;
  return velocity.norm() > noise(scene, contact) ? velocity.norm() : 0.0;
}

void SlidingFriction::begin(const Scene& scene) {
  const auto& [model, state, h, foreseen, contacts, poses] = scene;
  items_.clear();
  MemoryCursor memory(state.memory.impulses);
  for (const Contact& contact : contacts) {
    Item& item = items_.emplace_back();
    item.law = model.surface_between(contact.key.shape_a(), contact.key.shape_b()).law.get();
    if (!item.law) continue;
    const ImpulseMemory* known = memory.find(contact.key, contact.patch_point);
    item.place = friction_place(poses, contact, state.time + h);
    item.searches = item.law->depends_on_speed();
    if (item.searches) item.speed = start_speed(scene, contact, known);
    item.used = item.law->at(item.speed, item.place);
  }
}

void SlidingFriction::set(std::span<const Pose> poses, std::size_t i, const Contact& contact,
                          ContactTerms& terms) const {
  const Item& item = items_[i];
  if (!item.law) return;
  set_friction(poses, contact, *item.law, is_valid(item.used) ? item.used : FrictionCoefficients{},
               terms);
}

// What friction opposes: the free and the prescribed motion, and how layers yield.
double SlidingFriction::slipping(const Scene& scene, const Outcome& outcome, std::size_t i) const {
  const Contact& contact = scene.contacts[i];
  const ContactTerms& terms = outcome.terms[i];
  const Vector3 velocity = terms.arms ? relative_velocity(scene.model, free_, contact, *terms.arms)
                                      : relative_velocity(scene.model, scene.poses, free_, contact);
  Vector2 slip = terms.prescribed +
                 Vector2(terms.frame.tangent_1.dot(velocity), terms.frame.tangent_2.dot(velocity));
  for (const Compliance& item : terms.compliance) {
    const auto other = static_cast<std::size_t>(item.contact);
    slip +=
        (item.block * outcome.builder.impulse(outcome.builder.contacts()[other], outcome.lambda))
            .tail<2>();
  }
  const double speed = slip.norm();
  return speed > noise(scene, contact) ? speed : 0.0;
}

// Whether a contact that sticks does so by forces that these coefficients allow.
bool SlidingFriction::holds(const Scene& scene, const Outcome& outcome, std::size_t i,
                            const FrictionCoefficients& coefficients) const {
  const Vector3 impulse = outcome.builder.impulse(outcome.builder.contacts()[i], outcome.lambda);
  const ContactFrame& frame = outcome.terms[i].frame;
  const Vector3 force = impulse[1] * frame.tangent_1 + impulse[2] * frame.tangent_2;
  ContactTerms terms = outcome.terms[i];
  set_friction(scene.poses, scene.contacts[i], *items_[i].law, coefficients, terms);
  const auto share = [&](double component, double scale) {
    if (component == 0.0) return 0.0;
    return scale > 0.0 ? component / (terms.friction * scale) : infinity;
  };
  return std::hypot(share(terms.frame.tangent_1.dot(force), terms.scale[0]),
                    share(terms.frame.tangent_2.dot(force), terms.scale[1])) <= impulse[0];
}

double SlidingFriction::error_of(const Scene& scene, const Outcome& outcome, std::size_t i) const {
  const Item& item = items_[i];
  const FrictionCoefficients asked = item.law->at(item.outcome, item.place);
  if (!is_valid(asked)) return infinity;
  const double error = std::max(relative_difference(asked.along, item.used.along),
                                relative_difference(asked.across, item.used.across));
  // What sticks is right with any coefficients in whose cone its force lies.
  const bool sticks = error > 0.0 && item.outcome == 0.0;
  return sticks && holds(scene, outcome, i, asked) ? 0.0 : error;
}

void SlidingFriction::look(const Scene& scene, const Outcome& outcome) {
  const Model& model = scene.model;
  error_ = 0.0;
  defined_ = true;
  searched_ = false;
  free_ = outcome.next;
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] < 0) free_[i] = 0.0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (!item.law) continue;
    item.loaded = outcome.lambda[outcome.builder.contacts()[i].first] > 0.0;
    if (!item.loaded) continue;
    double error = is_valid(item.used) ? 0.0 : infinity;
    if (item.searches) {
      searched_ = true;
      item.outcome = slipping(scene, outcome, i);
      if (error == 0.0) error = error_of(scene, outcome, i);
    }
    defined_ = defined_ && std::isfinite(error);
    error_ = std::max(error_, error);
  }
}

void SlidingFriction::follow() {
  for (Item& item : items_)
    if (item.law && item.loaded && item.searches) follow(item);
}

void SlidingFriction::follow(Item& item) {
  const double gap = item.outcome - item.speed;
  if (gap > 0.0) item.lower = std::max(item.lower, item.speed);
  if (gap < 0.0) item.upper = std::min(item.upper, item.speed);
  // Contacts act on each other: what held before need not hold now.
  if (item.lower >= item.upper) {
    item.lower = gap > 0.0 ? item.speed : -1.0;
    item.upper = gap < 0.0 ? item.speed : infinity;
  }
  double next = item.outcome;
  if (item.last_speed >= 0.0 && item.speed != item.last_speed) {
    const double slope = (item.outcome - item.last_outcome) / (item.speed - item.last_speed);
    if (slope < steepest_secant) next = item.speed + gap / (1.0 - slope);
  }
  if (!(next > item.lower && next < item.upper) && item.lower >= 0.0 && item.upper < infinity)
    next = 0.5 * (item.lower + item.upper);
  item.last_speed = item.speed;
  item.last_outcome = item.outcome;
  item.speed = std::max(0.0, next);
  item.used = item.law->at(item.speed, item.place);
}

double SlidingFriction::remembered(std::size_t i) const {
  if (i >= items_.size() || !items_[i].searches) return 0.0;
  return std::max(items_[i].outcome, stuck);
}

}  // namespace vinci
