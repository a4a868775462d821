// SPDX-License-Identifier: Apache-2.0
// Modes by name, equilibria with contact forces, and the linear system there. What acts at an
// equilibrium is searched for as the state has it: contacts that would pull let go, bodies that
// would overlap touch, until nothing changes.
#include "vinci/events/linear_scene.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/collision/exact_detector.h"
#include "vinci/events/mode_memory.h"
#include "vinci/hybrid/equations.h"

namespace vinci {
namespace {

// Gaps up to this share of the size of what meets are closed.
constexpr double closed_share = 1e-7;
// Forces down to this share of the largest one do not pull.
constexpr double force_share = 1e-9;
constexpr double still_slip = 1e-7;  // m/s, below which friction sticks
constexpr int most_modes = 40;       // that a search for an equilibrium tries

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

// A wish of a mode, and the constraints that it is about.
struct NamedState {
  std::string text;
  ContactState state = ContactState::free;
  std::vector<int> constraints;
};

// The model about a state, with the constraints that can act there.
class Linearised {
 public:
  Linearised(const LinearPoint& point, const LinearWishes& wishes, const State& state)
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

  ModelSystem& system() { return *system_; }
  HybridState& hybrid() { return hybrid_; }
  const VectorX& values() const { return values_; }
  const std::vector<LinearInput>& inputs() const { return inputs_; }
  const std::vector<LinearOutput>& outputs() const { return outputs_; }
  bool is_named(int constraint) const { return named_[static_cast<std::size_t>(constraint)]; }
  // By the machine that switches it.
  bool is_on(int constraint) const {
    const Constraint& one = system_->constraints()[static_cast<std::size_t>(constraint)];
    return one.machine < 0 || one.on[static_cast<std::size_t>(
                                  hybrid_.machines[static_cast<std::size_t>(one.machine)])];
  }
  const SystemFrame<double>& frame() const { return frame_; }

  void evaluate() {
    frame_.time = hybrid_.time;
    frame_.positions = hybrid_.positions;
    frame_.velocities = hybrid_.velocities;
    frame_.extras = hybrid_.extras;
    frame_.inputs = values_;
    system_->evaluate(frame_);
  }
  // The largest gap that counts as closed.
  double tolerance(int constraint) const {
    const int pair = system_->sources()[static_cast<std::size_t>(constraint)].pair;
    if (pair < 0) return closed_share;
    const ContactPair& at = system_->pairs()[static_cast<std::size_t>(pair)];
    return closed_share * std::min(at.a.size, at.b.size);
  }
  void set(int constraint, ContactState state);

 private:
  void place(const State& state, double reach);
  void names();
  bool name_machine(const std::string& name, const std::string& state);
  void choose();
  ContactState own_state(int constraint) const;
  bool is_remembered(int constraint) const;

  const LinearPoint& point_;
  const LinearWishes& wishes_;
  std::unique_ptr<ModelSystem> system_;
  HybridState hybrid_;
  SystemFrame<double> frame_;
  VectorX values_;
  std::vector<LinearInput> inputs_;
  std::vector<LinearOutput> outputs_;
  std::vector<NamedState> mode_;
  std::vector<bool> named_;
  bool machines_are_remembered_ = true;  // none is named in another state
};

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
    for (const int i : wish.constraints) {
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

// The constraint that has to change for the mode to be one: a contact that pulls, or bodies that
// overlap; −1: none.
struct Change {
  int constraint = -1;
  ContactState to = ContactState::free;
  double amount = 0.0;
};

Change worst_change(Linearised& at, const VectorX& forces) {
  const auto& constraints = at.system().constraints();
  const double largest = forces.size() > 0 ? forces.lpNorm<Eigen::Infinity>() : 0.0;
  Change worst;
  for (int i = 0; i < static_cast<int>(constraints.size()); ++i) {
    if (constraints[static_cast<std::size_t>(i)].kind != ConstraintKind::contact) continue;
    if (!at.is_on(i) && !at.is_named(i)) continue;
    const bool on = acts(at.hybrid().mode.states[static_cast<std::size_t>(i)]);
    if (on && forces[i] < -force_share * largest) {
      // Forces count before gaps: what pulls made the gaps.
      if (worst.constraint < 0 || worst.to == ContactState::contact || forces[i] < worst.amount)
        worst = {i, ContactState::free, forces[i]};
    } else if (!on && at.frame().gaps[i].value < -at.tolerance(i)) {
      if (worst.constraint < 0 ||
          (worst.to == ContactState::contact && at.frame().gaps[i].value < worst.amount))
        worst = {i, ContactState::contact, at.frame().gaps[i].value};
    }
  }
  return worst;
}

void check_named(Linearised& at, const Change& change) {
  if (change.constraint < 0 || !at.is_named(change.constraint)) return;
  const std::string& name =
      at.system().constraints()[static_cast<std::size_t>(change.constraint)].name;
  if (change.to == ContactState::free)
    throw Error(fmt::format("'{}' is named as acting, but it would have to pull with {} N: no "
                            "contact does",
                            name, short_number(-change.amount)),
                "mode");
  throw Error(fmt::format("'{}' is named as free, but its gap is {} there", name,
                          short_number(change.amount)),
              "mode");
}

// Friction that holds more than it can.
void check_friction(Linearised& at, const VectorX& forces) {
  const auto& constraints = at.system().constraints();
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& constraint = constraints[i];
    if (constraint.kind != ConstraintKind::friction || constraint.never_slides ||
        constraint.second || at.hybrid().mode.states[i] != ContactState::sticking)
      continue;
    const auto k = static_cast<Eigen::Index>(i);
    const bool paired = i + 1 < constraints.size() && constraints[i + 1].second;
    const double force = paired ? std::hypot(forces[k], forces[k + 1]) : std::abs(forces[k]);
    const double bound =
        constraint.bound +
        (constraint.with >= 0 ? constraint.coefficient * forces[constraint.with] : 0.0);
    if (force > bound * (1.0 + 1e-9) + 1e-12)
      throw Error(fmt::format("'{}' would have to hold {} N to stick, and holds {} N at most",
                              constraint.name, short_number(force), short_number(bound)),
                  at.is_named(static_cast<int>(i)) ? "mode" : "equilibrium");
  }
}

std::string row_name(const ModelSystem& system, Eigen::Index row) {
  const int n = system.coordinate_count(), m = static_cast<int>(system.constraints().size());
  if (row < n) return "the balance of " + system.coordinate_names()[static_cast<std::size_t>(row)];
  if (row < n + m) return "'" + system.constraints()[static_cast<std::size_t>(row - n)].name + "'";
  return "the rate of " + system.extra_names()[static_cast<std::size_t>(row - n - m)];
}

[[noreturn]] void no_equilibrium(Linearised& at, const Equilibrium& found) {
  ModeEquations equations(at.system());
  HybridState there = at.hybrid();
  there.positions = found.positions;
  there.extras = found.extras;
  there.slips.setZero();
  equations.set(there, at.values());
  equations.frame().velocities.setZero();
  equations.frame().accelerations.setZero();
  equations.frame().multipliers = found.multipliers;
  VectorX rows(equations.rows());
  equations.residual(there.mode, rows);
  Eigen::Index worst = 0;
  const double left = rows.size() > 0 ? rows.cwiseAbs().maxCoeff(&worst) : found.imbalance;
  throw Failure(
      fmt::format("no equilibrium near the state at {} s: after {} of Newton's method {} lacks {}; "
                  "give another time with --at, the forces that hold it with --inputs NAME=VALUE, "
                  "or contacts with --mode",
                  short_number(at.hybrid().time), plural(found.iterations, "step"),
                  row_name(at.system(), worst), short_number(left)),
      "equilibrium");
}

// At rest, in balance, with a mode that is one.
std::unique_ptr<Linearised> at_equilibrium(const LinearPoint& point, const LinearWishes& wishes,
                                           LinearScene& result) {
  State state = point.state;
  // What was found to be otherwise than the state has it, by key.
  std::map<std::pair<EntityKey, int>, ContactState> changed;
  for (int round = 0; round < most_modes; ++round) {
    auto at = std::make_unique<Linearised>(point, wishes, state);
    const auto& sources = at->system().sources();
    const auto& constraints = at->system().constraints();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (constraints[i].kind != ConstraintKind::contact) continue;
      const auto known = changed.find({sources[i].key, sources[i].point});
      if (known != changed.end()) at->set(static_cast<int>(i), known->second);
    }
    for (std::size_t i = 0; i < constraints.size(); ++i)
      if (at->hybrid().mode.states[i] == ContactState::sliding) {
        if (at->is_named(static_cast<int>(i)))
          throw Error("'" + constraints[i].name + "' is named as sliding: that is no equilibrium",
                      "mode");
        at->hybrid().mode.states[i] = ContactState::sticking;
      }
    const VectorX before = at->hybrid().positions;
    const Equilibrium found = equilibrium(at->system(), at->hybrid(), at->values());
    result.iterations += found.iterations;
    if (!found.positions.allFinite() || !found.found) no_equilibrium(*at, found);
    HybridState& hybrid = at->hybrid();
    hybrid.positions = found.positions;
    hybrid.velocities.setZero();
    hybrid.extras = found.extras;
    hybrid.mode.preferred = found.multipliers;
    at->evaluate();
    const Change change = worst_change(*at, found.multipliers);
    check_named(*at, change);
    if (change.constraint >= 0) {
      const ConstraintSource& source = sources[static_cast<std::size_t>(change.constraint)];
      changed[{source.key, source.point}] = change.to;
      if (change.to == ContactState::free) continue;
    }
    State next = state;
    at->system().store(hybrid, next);
    const bool moved = (found.positions - before).lpNorm<Eigen::Infinity>() >
                       1e-13 * (1.0 + before.lpNorm<Eigen::Infinity>());
    if (change.constraint < 0 && !moved) {
      check_friction(*at, found.multipliers);
      result.is_equilibrium = true;
      result.imbalance = found.imbalance;
      return at;
    }
    state = std::move(next);
  }
  throw Failure(fmt::format("no equilibrium: contacts keep changing after {} modes; name what acts "
                            "with --mode",
                            most_modes),
                "equilibrium");
}

// At the state as it is, with what pulls let go.
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
  for (int round = 0; round < most_modes; ++round) {
    ModeEquations equations(at->system());
    equations.set(at->hybrid(), at->values());
    if (!equations.solve(at->hybrid().mode)) break;  // linearise() says it
    const VectorX& forces = equations.frame().multipliers;
    Change change = worst_change(*at, forces);
    if (change.to == ContactState::contact) change.constraint = -1;
    check_named(*at, change);
    if (change.constraint < 0) {
      const double moving = std::max(at->hybrid().velocities.size() > 0
                                         ? at->hybrid().velocities.lpNorm<Eigen::Infinity>()
                                         : 0.0,
                                     equations.frame().accelerations.size() > 0
                                         ? equations.frame().accelerations.lpNorm<Eigen::Infinity>()
                                         : 0.0);
      result.is_equilibrium = moving <= 1e-9;
      result.imbalance = moving;
      break;
    }
    at->set(change.constraint, ContactState::free);
  }
  return at;
}

std::vector<NamedNumber> numbers(const std::vector<std::string>& names, const VectorX& values) {
  std::vector<NamedNumber> list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list.push_back({names[i], values[static_cast<Eigen::Index>(i)]});
  return list;
}

// Some of the old states in place of combinations of them: x = basis z with z among x.
void name_coordinates(EliminatedSystem& eliminated, const std::vector<std::string>& all,
                      std::vector<std::string>& names) {
  const Eigen::Index size = eliminated.basis.cols();
  // The states that tell the others best, those before others among equals.
  const Eigen::ColPivHouseholderQR<MatrixX> qr(eliminated.basis.transpose());
  std::vector<int> chosen;
  for (Eigen::Index i = 0; i < size; ++i) chosen.push_back(qr.colsPermutation().indices()[i]);
  std::sort(chosen.begin(), chosen.end());
  MatrixX rows(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    rows.row(i) = eliminated.basis.row(chosen[static_cast<std::size_t>(i)]);
    names.push_back(all[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])]);
  }
  const MatrixX back = rows.inverse();
  LinearSystem& system = eliminated.system;
  system.a = clean_product(clean_product(rows, system.a), back);
  system.b = clean_product(rows, system.b);
  system.c = clean_product(system.c, back);
  eliminated.basis = clean_product(eliminated.basis, back);
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
    name_coordinates(taken, states, names);
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
