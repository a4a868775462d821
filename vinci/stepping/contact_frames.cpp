// SPDX-License-Identifier: Apache-2.0
// Frames of contacts at other poses than those of the start of a step.
#include "vinci/stepping/contact_frames.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

FrameRule frame_rule_of(const OptionValues& options) {
  const OptionSpec* const known = options.table().find("contact-frames");
  if (!known || options.text("contact-frames") == "start") return FrameRule::start;
  if (options.text("contact-frames") == "driven") return FrameRule::driven;
  return options.text("contact-frames") == "gap" ? FrameRule::gap : FrameRule::end;
}

}  // namespace

OptionSpec frame_tolerance_option() {
  // Above what solvers leave of a step, below what a gap may be in the next one.
  return {"frame-tolerance",
          "With `contact-frames: gap` and `end`: how far the poses at which contacts are taken may "
          "be from those at the end of the step.",
          1e-10,
          "m",
          1e-14,
          1e3};
}

OptionSpec frame_limit_option() {
  return {"frame-limit",
          "Iterations in a step for it; a step that needs more is not certified.",
          30L,
          "",
          1,
          1e4};
}

ContactFrames::ContactFrames(const OptionValues& options)
    : rule_(frame_rule_of(options)), tolerance_(0.0), limit_(0) {
  // A stepper that refuses the rule has no options of it.
  if (!iterates() || !options.table().find("frame-tolerance")) return;
  tolerance_ = options.real("frame-tolerance");
  limit_ = static_cast<int>(options.integer("frame-limit"));
}

void ContactFrames::begin(const ContactSet& contacts) {
  framed_ = false;
  if (rule_ != FrameRule::start) start_ = contacts;
}

void ContactFrames::leave(ContactSet& contacts) {
  framed_ = false;
  contacts = start_;
}

void ContactFrames::take_all(const FrameSource& from, const FrameGuess& guess,
                             const ContactSet& contacts) {
  framed_ = true;
  poses_ = guess.poses;
  list_.clear();
  for (const Contact& contact : contacts)
    place(from, guess.poses, guess.velocities, contact, gap_at_start(contact));
}

void ContactFrames::take_known(const FrameSource& from, const FrameGuess& guess,
                               const ContactSet& found, ContactSet& contacts) {
  framed_ = true;
  poses_ = guess.poses;
  list_.clear();
  contacts = start_;
  auto at = found.begin();
  for (Contact& contact : contacts) {
    while (at != found.end() && at->key < contact.key) ++at;
    if (at != found.end() && at->key == contact.key) {
      const double gap = contact.gap;
      contact = *at;
      place(from, guess.poses, guess.velocities, contact, gap);
    } else {  // its features do not face each other there
      place(from, from.state.poses, guess.velocities, contact, contact.gap);
    }
  }
}

void ContactFrames::take_gaps(const FrameSource& from, const FrameGuess& guess,
                              const ContactSet& found, ContactSet& contacts) {
  framed_ = true;
  poses_ = from.state.poses;
  list_.clear();
  contacts.clear();
  auto at = found.begin();
  const auto meet = [&] {
    place(from, guess.poses, guess.velocities, *at, gap_at_start(*at));
    contacts.push_back(*at++);
  };
  for (const Contact& contact : start_) {
    while (at != found.end() && at->key < contact.key) meet();
    place(from, from.state.poses, guess.velocities, contact, contact.gap);
    contacts.push_back(contact);
    list_.back().known = at != found.end() && at->key == contact.key;
    if (list_.back().known) contacts.back().gap = at++->gap;
  }
  while (at != found.end()) meet();
}

// Of the same features; of others of the same shapes, the least; otherwise they were far apart.
double ContactFrames::gap_at_start(const Contact& contact) const {
  const auto after =
      std::lower_bound(start_.begin(), start_.end(), contact.key,
                       [](const Contact& other, const EntityKey& key) { return other.key < key; });
  if (after != start_.end() && after->key == contact.key) return after->gap;
  double least = infinity;
  for (const Contact& other : start_)
    if (other.key.shape_a() == contact.key.shape_a() &&
        other.key.shape_b() == contact.key.shape_b())
      least = std::min(least, other.gap);
  return least;
}

// An impulse and its reaction change the angular momentum of two free bodies by λ times the
// distance of the points cˡ + arm, since c × m v moves with cˡ. One point for both keeps it; the
// arms at the guess then differ by how far the bodies move against each other, which is split by
// their masses. A body that is held somewhere hands its part to what holds it.
void ContactFrames::place(const FrameSource& from, const std::vector<Pose>& poses,
                          const VectorX& velocities, const Contact& contact, double start_gap) {
  const Model& model = from.model;
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const Vector3 center_a = center_of_mass(model, poses, contact.body_a);
  const Vector3 center_b = center_of_mass(model, poses, contact.body_b);
  FramedContact framed;
  framed.arms = {point - center_a, point - center_b};
  if (from.keeps_spin && moves_freely(model, contact.body_a) &&
      moves_freely(model, contact.body_b)) {
    const Vector3 apart = (center_b - center_of_mass(model, from.state.poses, contact.body_b)) -
                          (center_a - center_of_mass(model, from.state.poses, contact.body_a));
    const double mass_a = model.bodies[contact.body_a].mass.mass;
    const double mass_b = model.bodies[contact.body_b].mass.mass;
    framed.arms.a -= mass_a / (mass_a + mass_b) * apart;
    framed.arms.b += mass_b / (mass_a + mass_b) * apart;
  }
  framed.start_gap = start_gap;
  framed.guessed = contact.normal.dot(relative_velocity(model, velocities, contact, framed.arms));
  list_.push_back(framed);
}

double frame_distance(const Model& model, const std::vector<Pose>& a, const std::vector<Pose>& b) {
  double largest = 0.0;
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocity_size == 0) continue;
    const Quaternion turn = a[i].rotation * b[i].rotation.conjugate();
    const double angle = 2.0 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
    const double radius = std::isfinite(body.bounding_radius) ? body.bounding_radius : 1.0;
    largest = std::max(largest, (center_of_mass(model, a, i) - center_of_mass(model, b, i)).norm() +
                                    radius * angle);
  }
  return largest;
}

// With |F(q) − F(q*)| <= ρ |q − q*| the limit q* is at most |F(q) − q|/(1 − ρ) from q. ρ is read
// off two guesses; what does not shrink has no bound but the way of the step, unless it is far
// within the tolerance, where ρ is that of rounding.
void FrameSettling::add(double distance) {
  constexpr double slow = 0.9;
  const double ratio = last_ > 0.0 ? distance / last_ : 0.0;
  error_ = distance / (1.0 - std::min(ratio, slow));
  if (ratio > slow && error_ > tolerance_) error_ = std::max(error_, way_);
  // Guesses that jump to and fro are met half way.
  if (ratio > 0.5) share_ = std::max(0.5 * share_, 1.0 / 16.0);
  last_ = distance;
}

}  // namespace vinci
