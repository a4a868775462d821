// SPDX-License-Identifier: Apache-2.0
// Modes by name, and the linear system there.
#include "vinci/events/linear_scene.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/collision/exact_detector.h"
#include "vinci/events/linear_limits.h"
#include "vinci/events/linear_mode.h"
#include "vinci/events/mode_memory.h"
#include "vinci/hybrid/equations.h"
#include "vinci/hybrid/hybrid_motion.h"

namespace vinci {
namespace {

// Gaps up to this share of the size of what meets are closed.
constexpr double closed_share = 1e-7;
constexpr double still_slip = 1e-7;  // m/s, below which friction sticks
constexpr int most_modes = 40;       // in which contacts that pull let go
// Gaps whose rows differ by less change together.
constexpr double same_gap_rows = 1e-6;

const char* const accepted_states = "free, contact, sticking, sliding";

std::optional<ContactState> state_named(const std::string& name) {
  for (const ContactState state :
       {ContactState::free, ContactState::contact, ContactState::sticking, ContactState::sliding})
    if (name == to_string(state)) return state;
  return {};
}

double size_of(const Model& model) {
  double size = 1e-3;  // m
  for (const Body& body : model.bodies) {
    size = std::max(size, body.initial_pose.position.norm());
    if (std::isfinite(body.bounding_radius)) size = std::max(size, body.bounding_radius);
  }
  return size;
}

}  // namespace

Linearised::Linearised(const LinearPoint& point, const LinearWishes& wishes, const State& state)
    : point_(point),
      wishes_(wishes),
      inputs_(find_inputs(*point.model, point.networks, wishes.inputs)) {
  const double size = size_of(*point.model);
  place(state, 1e-3 * size);
  try {
    names();
  } catch (const Error&) {
    // What is named may be farther away.
    double far = 10.0 * size;
    for (const Pose& pose : state.poses) far += pose.position.norm();
    place(state, far);
    names();
  }
  choose();
}

double Linearised::tolerance(int constraint) const {
  const int pair = system_->sources()[static_cast<std::size_t>(constraint)].pair;
  if (pair < 0) return closed_share;
  const ContactPair& at = system_->pairs()[static_cast<std::size_t>(pair)];
  return closed_share * std::min(at.a.size, at.b.size);
}

void Linearised::place(const State& state, double reach) {
  ModelSystem::Parts parts;
  parts.model = point_.model;
  parts.state = state;
  parts.contacts = pairs_within(*point_.model, state, reach);
  parts.held_forces = point_.held_forces;
  parts.networks = point_.networks;
  parts.standard = point_.standard;
  parts.time_scale = point_.time_scale;
  values_.resize(static_cast<Eigen::Index>(inputs_.size()));
  const std::vector<int> places = system_inputs(inputs_);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    values_[places[i]] = inputs_[i].value;
    if (inputs_[i].force)
      parts.inputs.push_back(*inputs_[i].force);
    else
      parts.signals.push_back(inputs_[i].signal);
  }
  system_ = std::make_unique<ModelSystem>(std::move(parts));
  hybrid_ = hybrid_state(*system_, 0.0);
  frame_ = make_frame<double>(*system_);
}

// Whether a machine is called so; it is then in the state of this name.
bool Linearised::name_machine(const std::string& name, const std::string& state) {
  for (std::size_t m = 0; m < point_.model->machines.size(); ++m) {
    const Machine& machine = point_.model->machines[m];
    if (machine.name != name) continue;
    const auto found = std::find(machine.states.begin(), machine.states.end(), state);
    if (found == machine.states.end()) {
      std::string all;
      for (const std::string& one : machine.states) all += (all.empty() ? "" : ", ") + one;
      throw Error(fmt::format("the machine '{}' has no state '{}'; accepted: {}", name, state, all),
                  "mode");
    }
    hybrid_.machines[m] = static_cast<int>(found - machine.states.begin());
    machines_are_remembered_ = false;
    return true;
  }
  return false;
}

// Constraints, outputs and wishes that fit them.
void Linearised::names() {
  outputs_ = find_outputs(*system_, wishes_.outputs);
  mode_.clear();
  std::vector<std::string> known;
  const int count = static_cast<int>(system_->constraints().size());
  for (int i = 0; i < count; ++i)
    for (const std::string& alias : constraint_aliases(*system_, i)) known.push_back(alias);
  machines_are_remembered_ = true;
  for (const std::string& text : wishes_.mode) {
    const auto equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    if (equals != std::string::npos && name_machine(name, text.substr(equals + 1))) continue;
    const auto state =
        equals == std::string::npos ? std::nullopt : state_named(text.substr(equals + 1));
    if (!state)
      throw Error(fmt::format("'{}' says no state of a constraint; accepted: NAME=STATE with a "
                              "state of {}",
                              text, accepted_states),
                  "mode");
    NamedState wish{text, *state, {}};
    for (int i = 0; i < count; ++i) {
      const auto aliases = constraint_aliases(*system_, i);
      if (std::find(aliases.begin(), aliases.end(), name) != aliases.end())
        wish.constraints.push_back(i);
    }
    if (wish.constraints.empty()) {
      const std::string guess = nearest(name, known);
      std::string all;
      for (const Constraint& constraint : system_->constraints())
        all += (all.empty() ? "" : ", ") + constraint.name;
      throw Error(fmt::format("no constraint is called '{}'{}; accepted: {}", name,
                              guess.empty() ? "" : " (did you mean '" + guess + "'?)",
                              all.empty() ? "nothing, since nothing can touch" : all),
                  "mode");
    }
    const bool friction = std::all_of(wish.constraints.begin(), wish.constraints.end(), [&](int i) {
      return system_->constraints()[static_cast<std::size_t>(i)].kind == ConstraintKind::friction;
    });
    if (friction && wish.state == ContactState::contact)
      throw Error("'" + text + "': this is friction; accepted: free, sticking, sliding", "mode");
    for (const NamedState& other : mode_)
      for (const int i : other.constraints)
        if (other.state != wish.state && std::find(wish.constraints.begin(), wish.constraints.end(),
                                                   i) != wish.constraints.end())
          throw Error(fmt::format("'{}' and '{}' are about the same constraint; accepted: one "
                                  "state of each",
                                  text, other.text),
                      "mode");
    mode_.push_back(std::move(wish));
  }
}

// A contact with its friction.
void Linearised::set(int constraint, ContactState state) {
  const auto& constraints = system_->constraints();
  auto& states = hybrid_.mode.states;
  const auto at = static_cast<std::size_t>(constraint);
  if (constraints[at].kind == ConstraintKind::friction) {
    states[at] = state == ContactState::contact ? own_state(constraint) : state;
    return;
  }
  states[at] = acts(state) ? ContactState::contact : ContactState::free;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].with != constraint) continue;
    if (constraints[i].kind == ConstraintKind::link)
      states[i] = states[at];
    else if (!acts(state))
      states[i] = ContactState::free;
    else
      states[i] = state == ContactState::contact ? own_state(static_cast<int>(i)) : state;
  }
}

// What friction does by the speed of its slip, where its contact acts.
ContactState Linearised::own_state(int constraint) const {
  const auto& constraints = system_->constraints();
  const auto at = static_cast<std::size_t>(constraint);
  if (constraints[at].never_slides) return ContactState::sticking;
  const auto first = static_cast<Eigen::Index>(constraints[at].second ? at - 1 : at);
  const bool paired =
      constraints[at].second || (at + 1 < constraints.size() && constraints[at + 1].second);
  double speed = std::abs(frame_.gaps[first].first);
  if (paired) speed = std::hypot(speed, frame_.gaps[first + 1].first);
  return speed <= still_slip ? ContactState::sticking : ContactState::sliding;
}

// Whether an event-driven motion left word of a constraint.
bool Linearised::is_remembered(int constraint) const {
  const ConstraintSource& source = system_->sources()[static_cast<std::size_t>(constraint)];
  const auto& modes = system_->parts().state.memory.modes;
  return std::any_of(modes.begin(), modes.end(), [&](const ModeMemory& memory) {
    return memory.key == source.key && memory.point == source.point;
  });
}

// Of contacts that are named together, such as all corners of a box, those that an equilibrium can
// close at once: what is closed, then the nearest ones whose gaps do not follow from gaps before.
std::vector<int> Linearised::that_can_touch(const NamedState& wish) {
  if (!wishes_.equilibrium || !acts(wish.state)) return wish.constraints;
  const auto& constraints = system_->constraints();
  const auto contact_of = [&](int i) {
    const Constraint& one = constraints[static_cast<std::size_t>(i)];
    return one.kind == ConstraintKind::contact ? i : one.with;
  };
  std::vector<int> touching, open;
  for (const int i : wish.constraints)
    if (const int contact = contact_of(i); contact >= 0)
      (frame_.gaps[contact].value > tolerance(contact) ? open : touching).push_back(contact);
  std::stable_sort(open.begin(), open.end(),
                   [&](int a, int b) { return frame_.gaps[a].value < frame_.gaps[b].value; });
  open.erase(std::unique(open.begin(), open.end()), open.end());
  ModeEquations equations(*system_);
  equations.set(hybrid_, values_);
  const int n = system_->coordinate_count();
  MatrixX slopes(static_cast<Eigen::Index>(constraints.size()), n);
  VectorX rows(equations.rows());
  for (int j = 0; j < n; ++j) {
    equations.slope(hybrid_.mode, ModeEquations::Argument::positions, j, rows);
    for (Eigen::Index i = 0; i < slopes.rows(); ++i)
      slopes(i, j) = equations.gap_slope(static_cast<int>(i));
  }
  // Of what is closed by rows at right angles to each other.
  std::vector<VectorX> closed;
  const auto is_new = [&](int i) {
    VectorX row = slopes.row(i);
    const double size = row.norm();
    for (const VectorX& other : closed) row -= row.dot(other) * other;
    if (row.norm() <= same_gap_rows * size) return false;
    closed.push_back(row.normalized());
    return true;
  };
  for (const int i : touching) is_new(i);
  for (const int i : open)
    if (is_new(i)) touching.push_back(i);
  std::vector<int> result;
  for (const int i : wish.constraints)
    if (contact_of(i) < 0 ||
        std::find(touching.begin(), touching.end(), contact_of(i)) != touching.end())
      result.push_back(i);
  return result;
}

// What acts: as the state has it, then as it is named.
void Linearised::choose() {
  evaluate();
  const auto& constraints = system_->constraints();
  const int count = static_cast<int>(constraints.size());
  named_.assign(constraints.size(), false);
  for (int i = 0; i < count; ++i) {
    const Constraint& constraint = constraints[static_cast<std::size_t>(i)];
    const bool on = is_on(i);
    if (is_remembered(i) && machines_are_remembered_) continue;
    bool acts_now = false;
    if (constraint.kind == ConstraintKind::contact)
      acts_now = frame_.gaps[i].value <= tolerance(i);
    else if (constraint.with < 0)
      acts_now = true;
    else
      continue;  // follows what it acts with
    set(i, on && acts_now ? ContactState::contact : ContactState::free);
  }
  for (const NamedState& wish : mode_)
    for (const int i : that_can_touch(wish)) {
      const Constraint& constraint = constraints[static_cast<std::size_t>(i)];
      const bool friction = constraint.kind == ConstraintKind::friction;
      if (constraint.never_slides && wish.state == ContactState::sliding)
        throw Error("'" + wish.text + "': this contact never slides, by its material", "mode");
      if (constraint.kind == ConstraintKind::link && wish.state != ContactState::free &&
          wish.state != ContactState::contact)
        throw Error("'" + wish.text + "': no contact; accepted: free, contact", "mode");
      if (friction && constraint.with >= 0 && wish.state != ContactState::free)
        hybrid_.mode.states[static_cast<std::size_t>(constraint.with)] = ContactState::contact;
      set(i, wish.state);
      named_[static_cast<std::size_t>(i)] = true;
      for (std::size_t other = 0; other < constraints.size(); ++other)
        if (constraints[other].with == i && wish.state != ContactState::contact)
          named_[other] = true;
    }
  for (int i = 0; i < count; ++i) {
    if (hybrid_.mode.states[static_cast<std::size_t>(i)] != ContactState::sliding) continue;
    // The direction of a slip in the plane; in space it is in the equations.
    const double slip = frame_.gaps[i].first;
    if (own_state(i) == ContactState::sticking)
      throw Error(fmt::format("'{}' is to slide, but it is at rest: there is no direction; "
                              "accepted: sliding where the state slides",
                              constraints[static_cast<std::size_t>(i)].name),
                  "mode");
    hybrid_.mode.directions[i] = slip < 0.0 ? -1.0 : slip > 0.0 ? 1.0 : 0.0;
  }
}

namespace {

// What a motion that begins here does: friction that cannot hold slides, contacts that pull part.
// What is named is as it is named, unless friction cannot hold it.
void settle(Linearised& at) {
  HybridMotion motion(at.system(), {}, at.hybrid());
  motion.set_inputs(at.values());
  const auto& constraints = at.system().constraints();
  const HybridMode& found = motion.state().mode;
  bool as_named = true;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const ContactState now = at.hybrid().mode.states[i];
    if (!at.is_named(static_cast<int>(i))) continue;
    if (now == ContactState::sticking && found.states[i] == ContactState::sliding) {
      ModeEquations equations(at.system());
      equations.set(at.hybrid(), at.values());
      equations.solve(at.hybrid().mode);
      tell_what_slides(at, equations.frame().multipliers);
    }
    as_named = as_named && acts(found.states[i]) == acts(now);
  }
  if (as_named) at.hybrid().mode = found;
}

// At the state as it is, with what pulls let go and what cannot hold sliding.
std::unique_ptr<Linearised> at_state(const LinearPoint& point, const LinearWishes& wishes,
                                     LinearScene& result) {
  auto at = std::make_unique<Linearised>(point, wishes, point.state);
  const auto& constraints = at->system().constraints();
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!at->is_named(static_cast<int>(i)) || constraints[i].kind != ConstraintKind::contact ||
        !acts(at->hybrid().mode.states[i]))
      continue;
    const double gap = at->frame().gaps[static_cast<Eigen::Index>(i)].value;
    if (gap > at->tolerance(static_cast<int>(i)))
      throw Error(fmt::format("'{}' is named as acting, but it is {} m open at this state; "
                              "accepted with --equilibrium, which closes it",
                              constraints[i].name, short_number(gap)),
                  "mode");
  }
  ModeEquations equations(at->system());
  const auto solve = [&] {
    equations.set(at->hybrid(), at->values());
    return equations.solve(at->hybrid().mode);
  };
  for (int round = 0; round < most_modes; ++round) {
    if (!solve()) return at;  // linearise() says it
    Change change = worst_change(*at, equations.frame().multipliers);
    if (change.to == ContactState::contact) change.constraint = -1;
    check_named(*at, change);
    if (change.constraint < 0) break;
    at->set(change.constraint, ContactState::free);
  }
  settle(*at);
  if (!solve()) return at;
  const auto largest = [](const VectorX& values) {
    return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0;
  };
  result.imbalance =
      std::max(largest(at->hybrid().velocities), largest(equations.frame().accelerations));
  result.is_equilibrium = result.imbalance <= 1e-9;
  return at;
}

std::vector<NamedNumber> numbers(const std::vector<std::string>& names, const VectorX& values) {
  std::vector<NamedNumber> list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list.push_back({names[i], values[static_cast<Eigen::Index>(i)]});
  return list;
}

void take_system(Linearised& at, bool eliminate, LinearScene& result) {
  ModelSystem& system = at.system();
  const int n = system.coordinate_count(), k = system.extra_count();
  const int m = static_cast<int>(system.constraints().size());
  std::vector<std::string> states = system.coordinate_names();
  for (const auto& list : {system.rate_names(), system.extra_names()})
    states.insert(states.end(), list.begin(), list.end());
  for (int i = 0; i < m; ++i)
    if (at.hybrid().mode.states[static_cast<std::size_t>(i)] == ContactState::sticking)
      states.push_back("slip of " + system.constraints()[static_cast<std::size_t>(i)].name +
                       " [m]");
  const LinearSystem full = linearise(system, at.hybrid(), at.values());
  EliminatedSystem taken;
  std::vector<std::string> names = states;
  if (eliminate) {
    taken = linearise_eliminated(system, at.hybrid(), at.values());
    names.clear();
    for (const int state : taken.states) names.push_back(states[static_cast<std::size_t>(state)]);
  } else {
    taken.system = full;
    taken.basis = MatrixX::Identity(full.state_count(), full.state_count());
  }
  // Outputs, in the whole state.
  const auto count = static_cast<Eigen::Index>(at.outputs().size());
  const OutputRows rows = output_rows(system, at.hybrid(), at.values(), at.outputs());
  MatrixX c = MatrixX::Zero(count, full.state_count());
  MatrixX d = rows.slopes.rightCols(system.input_count());
  c.leftCols(2 * n + k) = rows.slopes.leftCols(2 * n + k);
  VectorX values = rows.values;
  for (Eigen::Index i = 0; i < count; ++i) {
    const LinearOutput& output = at.outputs()[static_cast<std::size_t>(i)];
    if (output.kind != LinearOutput::Kind::force) continue;
    c.row(i) = full.c.row(2 * n + k + output.index);
    d.row(i) = full.d.row(2 * n + k + output.index);
    values[i] = result.constraints[static_cast<std::size_t>(output.index)].force;
  }
  result.system.a = taken.system.a;
  // In the order in which inputs were asked for.
  const std::vector<int> places = system_inputs(at.inputs());
  VectorX inputs(system.input_count());
  result.system.b.resize(taken.system.b.rows(), system.input_count());
  result.system.d.resize(count, system.input_count());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    result.system.b.col(column) = taken.system.b.col(places[i]);
    result.system.d.col(column) = d.col(places[i]);
    inputs[column] = at.values()[places[i]];
  }
  result.system.c = clean_product(c, taken.basis);
  result.system.states = names;
  if (eliminate) result.basis = taken.basis;
  for (const LinearInput& input : at.inputs()) result.system.inputs.push_back(input.name);
  for (const LinearOutput& output : at.outputs()) result.system.outputs.push_back(output.name);
  result.inputs = numbers(result.system.inputs, inputs);
  result.outputs = numbers(result.system.outputs, values);
}

}  // namespace

std::vector<ContactPair> pairs_within(const Model& model, const State& state, double reach) {
  ExactDetector detector;
  ContactSet contacts;
  const std::vector<double> reaches(model.bodies.size(), 0.5 * reach);
  detector.detect(model, state.poses, reaches, contacts);
  std::vector<ContactPair> pairs;
  for (const Contact& contact : contacts) {
    std::string why;
    auto pair = contact_pair(model, state.poses, contact, why);
    if (pair)
      pairs.push_back(std::move(*pair));
    else if (contact.gap <= closed_share * size_of(model))
      throw Error(fmt::format("the contact of '{}' and '{}' has no linear system: {}",
                              model.bodies[static_cast<std::size_t>(contact.body_a)].name,
                              model.bodies[static_cast<std::size_t>(contact.body_b)].name, why));
  }
  return pairs;
}

LinearScene linear_scene(const LinearPoint& point, const LinearWishes& wishes) {
  LinearScene result;
  const std::unique_ptr<Linearised> at =
      wishes.equilibrium ? at_equilibrium(point, wishes, result) : at_state(point, wishes, result);
  ModelSystem& system = at->system();
  HybridState& hybrid = at->hybrid();
  ModeEquations equations(system);
  equations.set(hybrid, at->values());
  if (!equations.solve(hybrid.mode))
    throw Error("no linear system: the constraints that act do not determine the accelerations");
  result.forces_are_open = equations.is_redundant();
  const auto& constraints = system.constraints();
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const Series<double>& gap = equations.frame().gaps[k];
    result.constraints.push_back(
        {constraints[i].name, constraints[i].kind, hybrid.mode.states[i],
         at->is_named(static_cast<int>(i)),
         constraints[i].kind == ConstraintKind::friction ? gap.first : gap.value,
         equations.frame().multipliers[k]});
  }
  VectorX tolerances(static_cast<Eigen::Index>(constraints.size()));
  for (int i = 0; i < tolerances.size(); ++i) tolerances[i] = at->tolerance(i);
  result.limits = mode_limits(system, hybrid, at->values(), tolerances);
  result.kinks = law_kinks(system, hybrid, at->values());
  result.coordinates = numbers(system.coordinate_names(), hybrid.positions);
  result.rates = numbers(system.rate_names(), hybrid.velocities);
  result.accelerations = numbers(system.coordinate_names(), equations.frame().accelerations);
  result.extras = numbers(system.extra_names(), hybrid.extras);
  take_system(*at, wishes.eliminate, result);
  result.state = point.state;
  system.store(hybrid, result.state);
  return result;
}

}  // namespace vinci
