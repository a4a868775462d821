// SPDX-License-Identifier: Apache-2.0
// The parts of a step.
#include "vinci/events/event_driven.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/control/signal_controller.h"
#include "vinci/model/actuation.h"
#include "vinci/model/element.h"
#include "vinci/model/run_options.h"

namespace vinci {
namespace {

constexpr int most_parts = 10000;  // of a step
constexpr int most_halvings = 48;
// A part that ends where it began: so often in a row.
constexpr int most_idle_parts = 20;
// How far bodies are moved on to see which features meet next, m.
constexpr double way_ahead = 1e-6;
// Up to it a gap is closed, as rounding of places of 1 m; overlaps up to the other are no contacts
// that were passed unseen, m.
constexpr double no_gap = 1e-12;
constexpr double least_overlap = 1e-6;
// A limit of features that is nearer counts as reached, as a share of their size.
constexpr double at_limit = 1e-9;

OptionSpec accuracy_option() {
  return {"accuracy",
          "How exact the motion is: the largest error of positions and velocities that the run "
          "is to have, relative and absolute.",
          1e-8,
          "",
          1e-10,
          1e-2};
}
OptionSpec time_scale_option() {
  return {"time-scale",
          "Of contacts, limits and constraints for which the scene says nothing else: both poles "
          "of the law that drives them to zero are at -1/time-scale; where a restitution is asked "
          "for, its natural frequency. Shorter ones would make rounding of positions a force that "
          "no integrator follows.",
          5e-3,
          "s",
          1e-6,
          1e3};
}
OptionSpec most_events_option() {
  return {"most-events", "Events of one step; more end the run.", 100000L, "", 1.0, 1e9};
}

void advance_poses(const Model& model, const State& state, double h, std::vector<Pose>& poses) {
  poses = state.poses;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    if (model.bodies[b].velocity_size == 0) continue;
    const Twist twist = body_twist(model, state.velocities, static_cast<int>(b));
    const Vector3& own = model.bodies[b].mass.center;
    const Vector3 center = poses[b] * own + h * twist.linear;
    poses[b].rotation = (exponential(h * twist.angular) * poses[b].rotation).normalized();
    poses[b].position = center - poses[b].rotation * own;
  }
}

bool can_touch(const Model& model, int a, int b) {
  const auto moves = [&](int body) {
    return model.bodies[static_cast<std::size_t>(body)].freedom != Freedom::fixed;
  };
  return a != b && (moves(a) || moves(b)) &&
         !std::binary_search(model.excluded_pairs.begin(), model.excluded_pairs.end(),
                             std::pair<int, int>(std::minmax(a, b)));
}

}  // namespace

// What a part found; it counts only if nothing was missed.
struct EventDriven::Part {
  std::unique_ptr<ModelSystem> system;
  std::unique_ptr<HybridMotion> motion;
  HybridState before;
  State end;
  bool at_border = false;
};

EventDriven::EventDriven(const OptionValues& options)
    : options_{options.real("accuracy"), static_cast<int>(options.integer("most-events"))},
      standard_(settling_in(options.real("time-scale"))),
      time_scale_(options.real("time-scale")),
      is_dynamic_(options.text("motion") == "dynamic") {}

StepperRegistry::Entry EventDriven::entry() {
  return {"event-driven",
          "Motion through touching, sliding and parting event by event: contacts are stabilised "
          "constraints that states of a machine switch on and off, and smooth parts are "
          "integrated to an accuracy that is asked for.",
          "Bortoff, Modeling Contact and Collisions for Robotic Assembly Control, Modelica "
          "Conference 2020",
          {accuracy_option(), time_scale_option(), most_events_option(),
           *run_option_table().find("motion")},
          [](const OptionValues& values) { return std::make_unique<EventDriven>(values); }};
}

std::string EventDriven::why_not(const Model& model) const {
  if (!is_dynamic_) return "moves with momentum alone; accepted: 'motion: dynamic'";
  for (const PlacedShape& placed : model.shapes) {
    if (const std::string kind = why_no_contacts(placed.shape); !kind.empty())
      return fmt::format(
          "does not know contacts of the shape '{}' (of '{}'); accepted: circle, polygon, box, "
          "capsule, half-plane, sphere, polyhedron, cylinder, half-space",
          kind, model.bodies[placed.body].name);
    if (!placed.surface_velocity.empty())
      return fmt::format("does not know surfaces that run (of '{}')",
                         model.bodies[placed.body].name);
  }
  for (const Surface& surface : model.surfaces) {
    if (surface.law) return "knows friction of one coefficient alone";
    if (surface.moments.any()) return "does not know rolling and torsional friction";
  }
  for (const auto& element : model.elements)
    if (std::string(element->kind()) != "spring")
      return fmt::format("does not know elements of the kind '{}'", element->kind());
  for (const Joint& joint : model.joints) {
    if (joint.kind != JointKind::ball) continue;
    for (const JointFreedom& freedom : joint.freedoms)
      if (freedom.friction > 0.0 || freedom.stiffness > 0.0 || freedom.armature > 0.0 ||
          freedom.motor.kind != MotorKind::none)
        return fmt::format("knows dampers alone along the freedoms of the ball joint '{}'",
                           joint.name);
  }
  return {};
}

// The first two shapes that may touch and whose contacts are not known.
std::string EventDriven::caution(const Model& model) const {
  for (std::size_t j = 0; j < model.shapes.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const PlacedShape &a = model.shapes[i], &b = model.shapes[j];
      if (may_meet(a.shape, b.shape) || !can_touch(model, a.body, b.body)) continue;
      const std::string &one = model.bodies[static_cast<std::size_t>(a.body)].name,
                        &two = model.bodies[static_cast<std::size_t>(b.body)].name;
      return fmt::format(
          "the run ends if a {} (of '{}') and a {} (of '{}') touch: motion through events knows "
          "cylinders that meet planes alone; `exclude: [[{}, {}]]` says that the two never meet",
          kind_of(a.shape), one, kind_of(b.shape), two, one, two);
    }
  return {};
}

// Nothing that a complementarity solver would have to take.
ComplementarityProblem EventDriven::probe(const Model&) const {
  return {};
}

// Sampled controllers give forces that are held; networks of signals flow with the motion.
void EventDriven::act(StepContext& context, const State& state, double h) {
  const Model& model = *context.in.model;
  networks_.clear();
  network_places_.clear();
  context.out.controls = state.controls;
  held_forces_.setZero(model.velocity_count);
  VectorX forces, before;
  applied_forces(model, state, forces);
  Eigen::Index first = 0;
  bool held = false;
  for (const NamedController& item : context.in.controllers) {
    const Eigen::Index size = item.controller->memory_size();
    auto memory = context.out.controls.segment(first, size);
    if (const auto* signals = dynamic_cast<const SignalController*>(item.controller.get())) {
      const SignalNetwork& network = signals->network();
      networks_.push_back({&network, memory.head(network.memory_size())});
      network_places_.push_back(first);
    } else {
      before = forces;
      item.controller->act(model, state, h, forces, memory);
      if (!forces.allFinite() || !memory.allFinite())
        throw Error(
            fmt::format("the controller gave numbers that are not finite at {:.9g} s", state.time),
            item.name);
      held_forces_ += forces - before;
      held = true;
    }
    first += size;
  }
  if (!held) held_forces_.resize(0);
  context.out.controllers_acted = true;
}

// Its signals at the start of the step, behind its memory.
void EventDriven::note_signals(StepContext& context, double time, std::size_t i,
                               const VectorX& reads) const {
  const auto& [network, memory] = networks_[i];
  const auto count = static_cast<Eigen::Index>(network->signal_names().size());
  network->signals(time, reads, memory,
                   context.out.controls.segment(network_places_[i] + memory.size(), count));
}

StepReport EventDriven::step(StepContext& context, State& state, double h) {
  const double begin = state.time, end = begin + h;
  begins_ = state.step == 0 && state.memory.modes.empty();
  at_border_ = false;
  context.out.events.clear();
  context.out.modes.clear();
  std::vector<SolvedContact> contacts_before = std::move(context.out.contacts);
  context.out.contacts.clear();
  State work = state;
  work.memory.impulses.clear();
  StepReport report;
  report.substeps = 0;
  report.passes = 0;
  try {
    act(context, state, h);
    int parts = 0, idle = 0;
    while (work.time < end) {
      if (context.in.next_change <= work.time) change(context, work);
      const double before = work.time;
      double target = std::min(end, std::max(context.in.next_change, work.time));
      for (std::size_t i = 0; i < networks_.size(); ++i) {
        auto& [network, memory] = networks_[i];
        VectorX reads;
        read_coordinates(*context.in.model, work, *network, reads);
        network->sample(work.time, reads, memory);
        if (work.time == begin) note_signals(context, begin, i, reads);
        target = std::min(target, std::max(network->next_sample(memory), work.time));
      }
      if (end - target < 1e-12 * h) target = end;
      run_part(context, work, target, report);
      idle = work.time > before ? 0 : idle + 1;
      if (++parts > most_parts || idle > most_idle_parts)
        throw Failure(
            fmt::format("the motion does not get past {:.9g} s: features of shapes "
                        "change there without end",
                        work.time));
    }
  } catch (...) {
    context.out.contacts = std::move(contacts_before);
    throw;
  }
  for (std::size_t i = 0; i < networks_.size(); ++i)
    context.out.controls.segment(network_places_[i], networks_[i].second.size()) =
        networks_[i].second;
  work.time = state.time;  // the caller sets it
  state = std::move(work);
  state.controls = context.out.controls;
  report.solve.status = SolveStatus::solved;
  report.solve.solver = "ida";
  for (const SolvedContact& contact : context.out.contacts) {
    report.overlap = std::max(report.overlap, -contact.contact.gap);
    if (contact.impulse.x() > 0.0) ++report.active_count;
  }
  report.contact_count = static_cast<int>(context.out.contacts.size());
  report.events = static_cast<int>(context.out.events.size());
  return report;
}

// Another model from here on: networks of signals are its own, with the memory of those before.
void EventDriven::change(StepContext& context, State& state) {
  context.in.change(state);
  std::size_t i = 0;
  for (const NamedController& item : context.in.controllers)
    if (const auto* signals = dynamic_cast<const SignalController*>(item.controller.get()))
      networks_[i++].first = &signals->network();
}

void EventDriven::run_part(StepContext& context, State& state, double target, StepReport& report) {
  double goal = target;
  for (int halvings = 0;; ++halvings) {
    Part part;
    const bool complete = try_part(context, state, goal, part);
    ++report.passes;
    if (complete || halvings >= most_halvings) return commit(context, state, part, report);
    goal = state.time + 0.5 * (part.motion->time() - state.time);
    if (!(goal > state.time)) return commit(context, state, part, report);
  }
}

// Contacts that act, or are on their way out of an impact, count however far they are open.
void EventDriven::add_known_contacts(const Model& model, const State& state) {
  for (const ModeMemory& mode : state.memory.modes) {
    if (mode.key.kind != EntityKind::contact ||
        mode.state == static_cast<std::int64_t>(ContactState::free) ||
        std::any_of(contacts_.begin(), contacts_.end(),
                    [&](const Contact& contact) { return contact.key == mode.key; }))
      continue;
    Contact contact;
    contact.key = mode.key;
    contact.body_a = model.shapes[mode.key.shape_a()].body;
    contact.body_b = model.shapes[mode.key.shape_b()].body;
    if (place_contact(model, state.poses, contact)) contacts_.push_back(contact);
  }
  std::sort(contacts_.begin(), contacts_.end(),
            [](const Contact& a, const Contact& b) { return a.key < b.key; });
}

void EventDriven::find_contacts(StepContext& context, const State& state, double h, double ahead) {
  const Model& model = *context.in.model;
  VectorX foreseen = state.velocities;
  for (const Body& body : model.bodies)
    for (int k = 0; k < body.velocity_size; ++k)
      if (const int c = model.coordinate[body.velocity_offset + k]; c < 3)
        foreseen[body.velocity_offset + k] += h * model.gravity[c];
  std::vector<Pose> placed = state.poses;
  for (std::size_t b = 0; b < placed.size(); ++b)
    if (model.bodies[b].is_prescribed())
      place_prescribed(model.bodies[b], state.time + h, placed[b]);
  reach_.foresee(model, {state, placed, foreseen}, h);
  std::vector<Pose> poses;
  advance_poses(model, state, ahead, poses);
  contacts_.clear();
  context.in.detector->detect(model, poses, reach_.distances(), contacts_);
  add_known_contacts(model, state);
  pairs_.clear();
  std::vector<Pose> later;
  advance_poses(model, state, 1e-7, later);
  for (const Contact& contact : contacts_) {
    std::string why;
    const auto pair = contact_pair(model, state.poses, contact, why);
    if (!why.empty())
      throw Failure(fmt::format(
          "at {:.9g} s contact between {} is not known to event-driven motion", state.time, why));
    if (!pair) continue;
    const auto limit_at = [&](const std::vector<Pose>& where) {
      return least_limit(*pair, where[static_cast<std::size_t>(contact.body_a)],
                         where[static_cast<std::size_t>(contact.body_b)]);
    };
    const double now = limit_at(state.poses);
    if (now < -at_limit || (now <= at_limit && limit_at(later) < now - 1e-15)) continue;
    pairs_.push_back(*pair);
  }
}

// Whether bodies are in each other where the system knows of no contact.
bool EventDriven::missed_contact(StepContext& context, const ModelSystem& system, const State& end,
                                 const HybridMotion& motion) {
  const Model& model = *context.in.model;
  no_reach_.assign(model.bodies.size(), 0.0);
  touching_.clear();
  context.in.detector->detect(model, end.poses, no_reach_, touching_);
  for (const Contact& contact : touching_) {
    if (-contact.gap <= std::min(100.0 * options_.accuracy, least_overlap)) continue;
    double deepest = 0.0;  // of this pair of shapes, that the system knows
    bool known = false;
    for (std::size_t i = 0; i < system.sources().size(); ++i) {
      const ConstraintSource& source = system.sources()[i];
      if (source.row != ConstraintSource::Row::normal ||
          source.key.shape_a() != contact.key.shape_a() ||
          source.key.shape_b() != contact.key.shape_b())
        continue;
      if (motion.states()[i] == ContactState::free) continue;
      known = known || source.key == contact.key;
      deepest = std::max(deepest, -motion.gap(static_cast<int>(i)));
    }
    if (known || -contact.gap <= 1.5 * deepest) continue;
    std::string why;
    const auto pair = contact_pair(model, end.poses, contact, why);
    if (pair && least_limit(*pair, end.poses[static_cast<std::size_t>(contact.body_a)],
                            end.poses[static_cast<std::size_t>(contact.body_b)]) >= 0.0)
      return true;
  }
  return reach_.outrun(model, end.velocities, motion.time() - system.parts().state.time);
}

bool EventDriven::try_part(StepContext& context, const State& state, double target, Part& part) {
  const double fastest =
      state.velocities.size() > 0 ? state.velocities.lpNorm<Eigen::Infinity>() : 0.0;
  find_contacts(context, state, target - state.time,
                at_border_ ? std::min(1e-3, way_ahead / std::max(fastest, 1e-9)) : 0.0);
  ModelSystem::Parts parts;
  parts.model = context.in.model;
  parts.state = state;
  parts.contacts = pairs_;
  parts.held_forces = held_forces_;
  parts.networks = networks_;
  parts.standard = standard_;
  parts.time_scale = time_scale_;
  part.system = std::make_unique<ModelSystem>(std::move(parts));
  const VectorX places = part.system->positions();
  const double farthest = places.size() > 0 ? places.lpNorm<Eigen::Infinity>() : 0.0;
  part.before = hybrid_state(*part.system, no_gap * (1.0 + farthest));
  HybridOptions options = options_;
  options.interruption = context.in.interruption;
  part.motion = std::make_unique<HybridMotion>(*part.system, options, part.before);
  part.motion->settle();
  if (begins_) {
    part.before = part.motion->state();
    part.motion->forget_events();
  }
  part.at_border = target > state.time && !part.motion->advance(target);
  part.end = state;
  part.end.time = part.motion->time();
  part.system->store(part.motion->state(), part.end);
  return !missed_contact(context, *part.system, part.end, *part.motion);
}

// The part counts: its events, impulses and modes, and the state that it leads to.
void EventDriven::commit(StepContext& context, State& state, Part& part, StepReport& report) {
  const ModelSystem& system = *part.system;
  const HybridMotion& motion = *part.motion;
  state = std::move(part.end);
  state.memory.modes = mode_memory(system, motion.state());
  begins_ = false;
  // Where other features meet next, they are looked for a little way on.
  at_border_ = part.at_border;
  Eigen::Index first = 0;
  for (auto& [network, memory] : networks_) {
    const Eigen::Index count = network->state_count();
    memory.head(count) = motion.state().extras.segment(first, count);
    first += count;
  }
  const ModeReader reader(system);
  reader.read(motion.events(), part.before, context.out.events);
  context.out.modes.clear();
  reader.read(motion.state(), motion.multipliers(), motion.gaps(), context.out.modes);
  ++report.substeps;
  report.integrator_steps += static_cast<int>(motion.integrator_steps());
  report.evaluations += static_cast<int>(motion.evaluations());
  report.impact_energy += motion.given_energy();
  for (const HybridMotion::Accumulation& accumulation : motion.accumulations()) {
    ++report.accumulations;
    report.piled = accumulation.machine >= 0
                       ? machine_key(accumulation.machine)
                       : system.sources()[static_cast<std::size_t>(accumulation.constraint)].key;
  }
  // An impact that leads to the middle of a thin body may lead out on its other side.
  const Model& model = system.model();
  for (std::size_t i = 0; i < system.sources().size(); ++i) {
    const ConstraintSource& source = system.sources()[i];
    if (source.key.kind != EntityKind::contact ||
        system.constraints()[i].kind != ConstraintKind::contact)
      continue;
    const double depth = motion.depths()[static_cast<Eigen::Index>(i)];
    report.sinking = std::max(report.sinking, depth);
    const double thickness = std::min(model.shapes[source.key.shape_a()].half_thickness,
                                      model.shapes[source.key.shape_b()].half_thickness);
    if (depth > 0.5 * thickness) report.passed = 1;
  }
  auto& contacts = context.out.contacts;
  for (std::size_t i = 0; i < system.sources().size(); ++i) {
    const ConstraintSource& source = system.sources()[i];
    if (source.pair < 0) continue;
    const ContactPair& pair = system.pairs()[static_cast<std::size_t>(source.pair)];
    auto found = std::find_if(contacts.begin(), contacts.end(), [&](const SolvedContact& solved) {
      return solved.contact.key == source.key;
    });
    if (found == contacts.end()) {
      found = contacts.insert(contacts.end(),
                              SolvedContact{pair.contact, Vector3::Zero(), Vector3::Zero()});
    }
    const std::array<Vector3, 3> axes = system.contact_axes(source.pair);
    found->tangent_1 = axes[1];
    found->tangent_2 = axes[2];
    const int row = static_cast<int>(source.row);
    const auto at = static_cast<int>(i);
    found->impulse[row] += motion.impulses()[at];
    found->velocity[row] = motion.gaps()[at].first;
    if (row > 0) found->friction = found->friction_2 = system.constraints()[i].coefficient;
  }
  std::sort(contacts.begin(), contacts.end(), [](const SolvedContact& a, const SolvedContact& b) {
    return a.contact.key < b.contact.key;
  });
}

void add_event_steppers(StepperRegistry& registry) {
  registry.add(EventDriven::entry());
}

}  // namespace vinci
