// SPDX-License-Identifier: Apache-2.0
// Entities and constraints.
#include "vinci/events/mode_memory.h"

#include <algorithm>
#include <map>

namespace vinci {
namespace {

constexpr std::int64_t sinking_mark = 8;

using Source = ConstraintSource::Row;

int tangent_of(const ConstraintSource& source) {
  return source.row == Source::tangent_1 ? 1 : source.row == Source::tangent_2 ? 2 : 0;
}

// How far features of two shapes may be open (m) that act since others of the same shapes did, and
// are left: as far as those were; 0 where none did.
double handed_over(const ModelSystem& system, const ConstraintSource& source) {
  // Where features change they are this near to each other, as a share of their size; a rim that
  // comes to lie flat gives way to points of it at a tilt of 1e-5.
  constexpr double same_place = 1e-9, flat_tilt = 1e-5;
  if (source.pair < 0) return 0.0;
  const ContactPair& pair = system.pairs()[static_cast<std::size_t>(source.pair)];
  const State& state = system.parts().state;
  const double size = std::min(pair.a.size, pair.b.size);
  double most = 0.0;
  for (const ModeMemory& mode : state.memory.modes) {
    if (mode.key.kind != EntityKind::contact || mode.key == source.key ||
        mode.key.shape_a() != source.key.shape_a() || mode.key.shape_b() != source.key.shape_b() ||
        mode.state == static_cast<std::int64_t>(ContactState::free))
      continue;
    Contact other = pair.contact;
    other.key = mode.key;
    const bool placed = place_contact(system.model(), state.poses, other);
    most = std::max(most, placed ? other.gap + same_place * size : flat_tilt * size);
  }
  return most;
}

}  // namespace

HybridState hybrid_state(const ModelSystem& system, double touching) {
  const auto& constraints = system.constraints();
  const std::size_t m = constraints.size();
  HybridState hybrid =
      HybridState::at(system.parts().state.time, system.positions(), system.velocities(),
                      std::vector<ContactState>(m, ContactState::free));
  hybrid.extras = system.extras();
  hybrid.machines = system.machines();
  const auto& modes = system.parts().state.memory.modes;
  for (const ModeMemory& mode : modes)
    if (mode.key.kind == EntityKind::machine && mode.key.ids[0] < hybrid.machines.size())
      hybrid.machines[mode.key.ids[0]] = static_cast<int>(mode.state);
  SystemFrame<double> frame = make_frame<double>(system);
  frame.time = hybrid.time;
  frame.positions = hybrid.positions;
  frame.velocities = hybrid.velocities;
  frame.extras = hybrid.extras;
  system.evaluate(frame);
  for (std::size_t i = 0; i < m; ++i) {
    const ConstraintSource& source = system.sources()[i];
    const auto at = static_cast<Eigen::Index>(i);
    const auto found = std::find_if(modes.begin(), modes.end(), [&](const ModeMemory& mode) {
      return mode.key == source.key && mode.point == source.point;
    });
    const Constraint& constraint = constraints[i];
    const double gap = frame.gaps[at].value;
    if (found == modes.end()) {
      const bool on = constraint.machine < 0 ||
                      constraint.on[static_cast<std::size_t>(
                          hybrid.machines[static_cast<std::size_t>(constraint.machine)])];
      if (!on || constraint.kind == ConstraintKind::friction) continue;
      const bool acts = constraint.kind == ConstraintKind::contact
                            ? gap <= touching + handed_over(system, source)
                            : constraint.with < 0;
      if (acts) hybrid.mode.states[i] = ContactState::contact;
      if (constraint.anchored) hybrid.mode.anchors[at] = gap;
      continue;
    }
    const int k = tangent_of(source);
    const bool of_contact = k > 0 && source.key.kind == EntityKind::contact;
    hybrid.mode.states[i] =
        static_cast<ContactState>(of_contact ? found->sliding : found->state % sinking_mark);
    hybrid.sinking[i] = !of_contact && found->state >= sinking_mark;
    hybrid.mode.preferred[at] = found->force[k];
    hybrid.mode.directions[at] = found->direction[k];
    switch (constraint.kind) {
      case ConstraintKind::friction:
        hybrid.slips[at] = found->held[k];
        break;
      case ConstraintKind::contact:
        hybrid.works[at] = found->held[k];
        break;
      case ConstraintKind::link:
        hybrid.mode.anchors[at] = found->held[k];
        break;
    }
  }
  return hybrid;
}

std::vector<ModeMemory> mode_memory(const ModelSystem& system, const HybridState& hybrid) {
  std::map<std::pair<EntityKey, std::int64_t>, ModeMemory> all;
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    const ConstraintSource& source = system.sources()[i];
    const auto at = static_cast<Eigen::Index>(i);
    ModeMemory& memory = all[{source.key, source.point}];
    memory.key = source.key;
    memory.point = source.point;
    const int k = tangent_of(source);
    const auto state = static_cast<std::int64_t>(hybrid.mode.states[i]);
    if (k > 0 && source.key.kind == EntityKind::contact)
      memory.sliding = state;
    else if (k < 2)
      memory.state = state + (hybrid.sinking[i] ? sinking_mark : 0);
    memory.force[k] = hybrid.mode.preferred[at];
    memory.direction[k] = hybrid.mode.directions[at];
    switch (system.constraints()[i].kind) {
      case ConstraintKind::friction:
        memory.held[k] = hybrid.slips[at];
        break;
      case ConstraintKind::contact:
        memory.held[k] = hybrid.works[at];
        break;
      case ConstraintKind::link:
        memory.held[k] = hybrid.mode.anchors[at];
        break;
    }
  }
  for (std::size_t i = 0; i < hybrid.machines.size(); ++i) {
    const EntityKey key = machine_key(static_cast<int>(i));
    ModeMemory& memory = all[{key, 0}];
    memory.key = key;
    memory.state = hybrid.machines[i];
  }
  for (const ModeMemory& angle : system.angles(hybrid)) all[{angle.key, 0}] = angle;
  std::vector<ModeMemory> list;
  for (const auto& [place, memory] : all) list.push_back(memory);
  return list;
}

ModeReader::ModeReader(const ModelSystem& system)
    : system_(system), first_tangent_(system.constraints().size(), -1) {
  for (std::size_t i = 0; i < first_tangent_.size(); ++i) {
    const Constraint& constraint = system.constraints()[i];
    if (constraint.kind == ConstraintKind::friction && constraint.with >= 0 && !constraint.second)
      first_tangent_[static_cast<std::size_t>(constraint.with)] = static_cast<int>(i);
  }
}

ConstraintState ModeReader::state_of(const std::vector<ContactState>& states, int i) const {
  const auto at = static_cast<std::size_t>(i);
  switch (states[at]) {
    case ContactState::free:
      return ConstraintState::free;
    case ContactState::ballistic:
      return ConstraintState::ballistic;
    case ContactState::sticking:
      return ConstraintState::sticking;
    case ContactState::sliding:
      return ConstraintState::sliding;
    case ContactState::contact:
      break;
  }
  if (const int friction = first_tangent_[at]; friction >= 0) {
    const ContactState slip = states[static_cast<std::size_t>(friction)];
    if (slip == ContactState::sticking) return ConstraintState::sticking;
    if (slip == ContactState::sliding) return ConstraintState::sliding;
  }
  return ConstraintState::frictionless;
}

// The constraint that stands for the entity: the normal of a tangent.
int ModeReader::head_of(int i) const {
  const Constraint& constraint = system_.constraints()[static_cast<std::size_t>(i)];
  if (constraint.second) return head_of(i - 1);
  return constraint.kind == ConstraintKind::friction && constraint.with >= 0 ? constraint.with : i;
}

void ModeReader::read(const HybridState& hybrid, const VectorX& multipliers,
                      const Eigen::Matrix<Series<double>, Eigen::Dynamic, 1>& gaps,
                      std::vector<ConstraintMode>& modes) const {
  for (int i = 0; i < static_cast<int>(first_tangent_.size()); ++i) {
    if (head_of(i) != i) continue;
    const ConstraintSource& source = system_.sources()[static_cast<std::size_t>(i)];
    ConstraintMode mode;
    mode.key = source.key;
    mode.point = source.point;
    mode.state = static_cast<int>(state_of(hybrid.mode.states, i));
    mode.gap = gaps[i].value;
    mode.gap_rate = gaps[i].first;
    const int axis = tangent_of(source);
    mode.force[axis] = multipliers[i];
    for (int k = i + 1; k < static_cast<int>(first_tangent_.size()) && head_of(k) == i; ++k)
      mode.force[tangent_of(system_.sources()[static_cast<std::size_t>(k)])] = multipliers[k];
    modes.push_back(mode);
  }
  for (std::size_t i = 0; i < hybrid.machines.size(); ++i) {
    ConstraintMode mode;
    mode.key = machine_key(static_cast<int>(i));
    mode.state = hybrid.machines[i];
    modes.push_back(mode);
  }
  std::sort(modes.begin(), modes.end(), [](const ConstraintMode& a, const ConstraintMode& b) {
    return std::pair(a.key, a.point) < std::pair(b.key, b.point);
  });
}

// What happens to one entity at one time is one event.
void ModeReader::read(const std::vector<HybridEvent>& events, const HybridState& before,
                      std::vector<StepEvent>& list) const {
  std::vector<ContactState> states = before.mode.states;
  const std::size_t first = list.size();
  for (const HybridEvent& event : events) {
    StepEvent next;
    next.time = event.time;
    if (event.constraint < 0) {
      next.from = event.state_before;
      next.after.key = machine_key(event.machine);
      next.after.state = event.state_after;
      list.push_back(next);
      continue;
    }
    const int head = head_of(event.constraint);
    const ConstraintSource& source = system_.sources()[static_cast<std::size_t>(head)];
    next.from = static_cast<int>(state_of(states, head));
    states[static_cast<std::size_t>(event.constraint)] = event.to;
    next.after.key = source.key;
    next.after.point = source.point;
    next.after.state = static_cast<int>(state_of(states, head));
    if (head == event.constraint) {
      next.after.gap = event.gap;
      next.after.gap_rate = event.gap_rate;
    }
    const int count = static_cast<int>(first_tangent_.size());
    double turned = 0.0;  // friction that now acts, along the one before
    for (int k = head; k < count && head_of(k) == head; ++k) {
      next.after.force[tangent_of(system_.sources()[static_cast<std::size_t>(k)])] =
          event.multipliers[k];
      if (k > head) turned -= before.mode.directions[k] * event.multipliers[k];
    }
    const auto same = std::find_if(
        list.begin() + static_cast<std::ptrdiff_t>(first), list.end(), [&](const StepEvent& other) {
          return other.time == next.time && other.after.key == next.after.key &&
                 other.after.point == next.after.point;
        });
    if (same == list.end()) {
      list.push_back(next);
      continue;
    }
    if (head != event.constraint) {
      next.after.gap = same->after.gap;
      next.after.gap_rate = same->after.gap_rate;
    }
    same->after = next.after;
    // What slides the other way now has come to rest in between.
    const bool slides_back =
        same->from == static_cast<int>(ConstraintState::sliding) && turned < 0.0;
    if (same->from == same->after.state && !slides_back) list.erase(same);
  }
}

}  // namespace vinci
