// SPDX-License-Identifier: Apache-2.0
// Which overlaps are sudden, pair by pair.
#include "vinci/stepping/sudden_overlap.h"

#include <algorithm>

#include "vinci/formulation/contact_rows.h"

namespace vinci {
namespace {

// Overlaps up to it are sudden_rounding of coordinates, m.
constexpr double sudden_rounding = 1e-12;
// Of what there was: what is left is not pressed out later, so all of it is to go.
constexpr double nothing = 1e-9;

}  // namespace

SuddenOverlap::SuddenOverlap() {
  most_rounds_ = 20;
  almost_none_ = nothing;
}

bool SuddenOverlap::is_gone(const RemovedOverlap& removed) {
  return removed.left <= sudden_rounding + 1e3 * nothing * (removed.depth + removed.left);
}

RemovedOverlap SuddenOverlap::remove(StepContext& context, State& state, TimeStepper& method,
                                     std::span<const double> reach, ContactSet& contacts) {
  const Model& model = *context.in.model;
  method_ = &method;
  pairs_.clear();
  if (!method.rooms(model, state, contacts, rooms_of_)) return {};
  for (std::size_t i = 0; state.step == 0 && i < contacts.size(); ++i)
    if (method.yields(model, contacts[i]) && -rooms_of_[i] > method.give(model, contacts[i]))
      pair_of(contacts[i]).due = true;
  changed_ = context.in.before != nullptr;
  if (changed_) {
    const Model& old = *context.in.before;
    before_.clear();
    context.in.detector->detect(old, state.poses, reach, before_);
    method.rooms(old, state, before_, rooms_of_);
    for (std::size_t i = 0; i < before_.size(); ++i)
      if (rooms_of_[i] < 0.0 && method.yields(old, before_[i])) {
        double& depth = pair_of(before_[i]).depth;
        depth = std::max(depth, -rooms_of_[i]);
      }
  }
  if (!changed_ && pairs_.empty()) return {};
  return OverlapRemoval::remove(context, state, method, 0.0, 1.0, reach, contacts);
}

SuddenOverlap::PairDepth* SuddenOverlap::find(const Contact& contact) {
  for (PairDepth& pair : pairs_)
    if (pair.body_a == contact.body_a && pair.body_b == contact.body_b) return &pair;
  return nullptr;
}

SuddenOverlap::PairDepth& SuddenOverlap::pair_of(const Contact& contact) {
  if (PairDepth* const found = find(contact)) return *found;
  return pairs_.emplace_back(PairDepth{contact.body_a, contact.body_b, 0.0, false});
}

void SuddenOverlap::select(const Model& model, const State& state, const TimeStepper&, double,
                           const ContactSet& contacts) {
  method_->rooms(model, state, contacts, rooms_of_);
  const Tree* const tree = placed(model, state);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    if (!can_respond(model, state.poses, contact, tree)) continue;
    const PairDepth* const pair = find(contact);
    const double room = rooms_of_[i] + (pair ? pair->depth : 0.0);
    add(contact, room,
        (changed_ || (pair && pair->due)) && room < -sudden_rounding &&
            method_->yields(model, contact));
  }
}

}  // namespace vinci
