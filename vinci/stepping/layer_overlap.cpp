// SPDX-License-Identifier: Apache-2.0
// Which overlaps layers do not explain, and who is to part.
#include "vinci/stepping/layer_overlap.h"

#include <algorithm>

#include "vinci/formulation/contact_rows.h"

namespace vinci {
namespace {

// Overlaps up to it are rounding of coordinates, m.
constexpr double unexplained_rounding = 1e-12;
// A step is made again where there is more than at its start, by this factor.
constexpr double growth = 1.5;

}  // namespace

LayerOverlap::LayerOverlap(const OverlapRule& rule) : rule_(rule) {
  // A body that is turned may change who shares the stiffness of a patch, and so what it explains.
  most_rounds_ = 12;
  patience_ = 5;
}

bool LayerOverlap::look(StepContext& context, const State& state, TimeStepper& method, Look& at) {
  const Model& model = *context.in.model;
  const ContactSet* const contacts = method.view(context, state, at.reach);
  at.contacts.clear();
  at.rooms.clear();
  if (!contacts) return false;
  at.contacts = *contacts;
  method.rooms(model, state, at.contacts, at.rooms);
  const Tree* const tree = placed(model, state);
  for (std::size_t i = 0; i < at.contacts.size(); ++i)
    if (!method.yields(model, at.contacts[i]) ||
        !can_respond(model, state.poses, at.contacts[i], tree))
      at.rooms[i] = std::max(0.0, at.rooms[i]);
  return true;
}

bool LayerOverlap::look(StepContext& context, const State& state, TimeStepper& method) {
  return look(context, state, method, end_);
}

bool LayerOverlap::is_beyond(const Model& model, const Contact& contact, double room,
                             double share) {
  const double thinner = std::min(model.shapes[contact.key.shape_a()].half_thickness,
                                  model.shapes[contact.key.shape_b()].half_thickness);
  return -room > unexplained_rounding + share * thinner;
}

double LayerOverlap::deepest() const {
  double depth = 0.0;
  for (const double room : end_.rooms) depth = std::max(depth, -room);
  return depth;
}

double LayerOverlap::beyond(const Model& model, double share) const {
  double depth = 0.0;
  for (std::size_t i = 0; i < end_.rooms.size(); ++i)
    if (is_beyond(model, end_.contacts[i], end_.rooms[i], share))
      depth = std::max(depth, -end_.rooms[i]);
  return depth;
}

double LayerOverlap::excess(StepContext& context, const State& start, TimeStepper& method) {
  const Model& model = *context.in.model;
  if (beyond(model, rule_.deepest) == 0.0) return 0.0;
  look(context, start, method, start_);
  const auto before = [&](const Contact& contact) {
    double depth = 0.0;
    for (std::size_t i = 0; i < start_.contacts.size(); ++i)
      if (start_.contacts[i].body_a == contact.body_a &&
          start_.contacts[i].body_b == contact.body_b)
        depth = std::max(depth, -start_.rooms[i]);
    return depth;
  };
  double depth = 0.0;
  for (std::size_t i = 0; i < end_.contacts.size(); ++i)
    if (is_beyond(model, end_.contacts[i], end_.rooms[i], rule_.deepest) &&
        -end_.rooms[i] > growth * before(end_.contacts[i]))
      depth = std::max(depth, -end_.rooms[i]);
  return depth;
}

RemovedOverlap LayerOverlap::remove(StepContext& context, State& state, TimeStepper& method) {
  const Model& model = *context.in.model;
  method_ = &method;
  pairs_.clear();
  for (std::size_t i = 0; i < end_.contacts.size(); ++i)
    if (const Contact& contact = end_.contacts[i];
        is_beyond(model, contact, end_.rooms[i], rule_.unexplained))
      pairs_.emplace_back(contact.body_a, contact.body_b);
  before_ = state;
  largest_payment_ = 0.0;  // the layers pay first
  RemovedOverlap removed =
      OverlapRemoval::remove(context, state, method, 0.0, 1.0, end_.reach, end_.contacts);
  if (removed.depth > 0.0) {
    method.follow(context, state);
    const Energy from = energy(model, before_), to = energy(model, state);
    largest_payment_ = 1.0;
    removed.energy =
        pay(model, state, (to.potential - from.potential) + (to.kinetic - from.kinetic));
    if (removed.energy > 0.0 && !is_driven(model, state)) {
      state = before_;
      removed = {.left = removed.depth + removed.left};
    }
  }
  look(context, state, method);
  return removed;
}

void LayerOverlap::select(const Model& model, const State& state, const TimeStepper&, double,
                          const ContactSet& contacts) {
  method_->rooms(model, state, contacts, end_.rooms);
  const Tree* const tree = placed(model, state);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    if (!can_respond(model, state.poses, contact, tree)) continue;
    const bool parts = std::find(pairs_.begin(), pairs_.end(),
                                 std::pair(contact.body_a, contact.body_b)) != pairs_.end();
    const double room = end_.rooms[i];
    add(contact, room, parts && room < -unexplained_rounding && method_->yields(model, contact));
  }
}

}  // namespace vinci
