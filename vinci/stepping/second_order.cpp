// SPDX-License-Identifier: Apache-2.0
// A step of second order: islands, their parts, and the ordinary step behind them.
#include "vinci/stepping/second_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "vinci/kinematics/joint_tree.h"
#include "vinci/model/run_options.h"
#include "vinci/stepping/step_forces.h"
#include "vinci/stepping/stewart_trinkle.h"

namespace vinci {
namespace {

// What is left of a step, of its size, that rounding made: not worth another part.
constexpr double least_left = 1e-12;
// Parts of no length in a row, as a share of the step, before the ordinary step takes what is left.
constexpr int most_idle = 4;
constexpr double idle_share = 1e-9;
// Parts that the accuracy asks for are not made shorter than this share of the last one that met
// it, nor than that of the step.
constexpr double least_of_regular = 1e-3;
constexpr double least_share = 1e-6;
// After parts shorter than this share their accelerations are rounding.
constexpr double rounding_share = 1e-5;

bool hung(const Model& model, int body) {
  return !model.tree_joint.empty() && model.tree_joint[static_cast<std::size_t>(body)] >= 0;
}

OptionValues ordinary_options(const OptionValues& own) {
  OptionValues values(StewartTrinkle::entry().options);
  for (const char* name : {"motion", "cone", "directions"}) values.set(name, own.value(name));
  return values;
}

}  // namespace

SecondOrder::SecondOrder(const OptionValues& options)
    : ordinary_(std::make_unique<StewartTrinkle>(ordinary_options(options))),
      form_(ordinary_->form()),
      most_cuts_(options.integer("cuts")),
      accuracy_(options.real("accuracy")) {
  selection_.take_boxes(form_.cone == Cone::box);
}

StepperRegistry::Entry SecondOrder::entry() {
  const OptionTable& run = run_option_table();
  return {"second-order",
          "Two implicit stages a step, each one problem of contact, with the times of transitions: "
          "impacts, lift-off, and what begins or ends to slide are found, so that errors fall with "
          "the square of the step. With `accuracy` it chooses its own steps within those of the "
          "run.",
          "Bank et al., IEEE Trans. Computer-Aided Design 4 (1985) 436-451 (TR-BDF2)",
          {*run.find("motion"),
           *run.find("cone"),
           *run.find("directions"),
           {"accuracy",
            "Error that the run may make per second, in m, and of velocities in m/s: steps are as "
            "long as their own estimate allows, and `step` is the time between records and the "
            "turns of controllers. 0: every step is one of the run's.",
            0.0, "", 0.0, 1.0},
           {"cuts",
            "Transitions of an island in a step before the ordinary step takes what is left of it.",
            40L, "", 0, 1e6}},
          [](const OptionValues& values) { return std::make_unique<SecondOrder>(values); }};
}

std::string SecondOrder::why_not(const Model& model) const {
  if (ordinary_->motion() != MotionModel::dynamic)
    return "second-order moves with momentum alone; accepted: 'motion: dynamic', or "
           "stewart-trinkle";
  if (std::string reason = ordinary_->why_not(model); !reason.empty()) return reason;
  for (const PlacedShape& a : model.shapes)
    for (const PlacedShape& b : model.shapes) {
      const Surface& surface = model.surface(a.material, b.material);
      const auto pair = [&] {
        return fmt::format("materials '{}' and '{}'",
                           model.materials[static_cast<std::size_t>(a.material)].name,
                           model.materials[static_cast<std::size_t>(b.material)].name);
      };
      if (surface.law)
        return fmt::format(
            "second-order knows friction of one coefficient alone, and that of {} depends on "
            "speed, "
            "place, time or direction; accepted: `friction` as a number, or stewart-trinkle",
            pair());
      if (surface.moments.any())
        return fmt::format(
            "second-order does not know rolling and torsional friction, which {} have; accepted: "
            "0 for both, or stewart-trinkle",
            pair());
    }
  return {};
}

// Bodies that something may bind to each other within the step.
void SecondOrder::find_islands(StepContext& context, const State& state, double h) {
  const Model& model = *context.in.model;
  const std::size_t count = model.bodies.size();
  std::vector<int> root(count);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int b) {
    while (root[static_cast<std::size_t>(b)] != b) b = root[static_cast<std::size_t>(b)];
    return b;
  };
  std::vector<char> free(count, 0);
  for (std::size_t b = 0; b < count; ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0) free[b] = 1;
    if (hung(model, static_cast<int>(b))) free[b] = 1;
  }
  const auto bind = [&](int a, int b) {
    if (a < 0 || b < 0 || !free[static_cast<std::size_t>(a)] || !free[static_cast<std::size_t>(b)])
      return;
    const int first = find(a), second = find(b);
    root[static_cast<std::size_t>(std::max(first, second))] = std::min(first, second);
  };
  std::vector<Pose> placed = state.poses;
  for (std::size_t b = 0; b < count; ++b)
    place_prescribed(model.bodies[b], state.time + h, placed[b]);
  VectorX forces;
  applied_forces(model, state, forces);
  if (held_.at_rest.size() > 0) forces += held_.at_rest;
  VectorX later = state.velocities;
  for (const Body& body : model.bodies)
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0 && body.mass.mass > 0.0 && i < body.velocity_offset + 2)
        later[i] += h * forces[i] / body.mass.mass;
  prescribe_velocities(model, state.time + h, placed, later);
  reach_.foresee(model, {state, placed, later}, h);
  near_.clear();
  context.in.detector->detect(model, state.poses, reach_.distances(), near_);
  for (const Contact& contact : near_) bind(contact.body_a, contact.body_b);
  for (const Joint& joint : model.joints) bind(joint.body_a, joint.body_b);
  for (const Coupling& coupling : model.couplings)
    bind(model.joints[static_cast<std::size_t>(coupling.joint_a)].body_b,
         model.joints[static_cast<std::size_t>(coupling.joint_b)].body_b);
  for (const auto& element : model.elements) bind(element->a().body, element->b().body);
  islands_.clear();
  for (int b = 0; b < static_cast<int>(count); ++b) {
    if (!free[static_cast<std::size_t>(b)] || (merged_ ? !islands_.empty() : find(b) != b))
      continue;
    std::vector<char> in(count, 0);
    for (int other = b; other < static_cast<int>(count); ++other)
      in[static_cast<std::size_t>(other)] =
          free[static_cast<std::size_t>(other)] && (merged_ || find(other) == b) ? 1 : 0;
    islands_.push_back(std::move(in));
  }
}

// What is prescribed, and what hangs on it, at a time.
void SecondOrder::place(const Model& model, double time, State& state) {
  state.time = time;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    place_prescribed(model.bodies[b], time, state.poses[b]);
  if (!model.tree_order.empty()) place_tree(model, state.joint_positions, state.poses);
  prescribe_velocities(model, time, state.poses, state.velocities);
  if (model.tree_order.empty()) return;
  end_tree_.place(model, state.poses, state.joint_positions);
  end_tree_.spread_velocities(state.joint_rates, state.velocities);
}

void SecondOrder::take_island(const Model& model, std::size_t island) {
  in_ = islands_[island];
  own_unknowns_.assign(static_cast<std::size_t>(model.free_count), 0);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (moves(b) && model.free_index[i] >= 0)
        own_unknowns_[static_cast<std::size_t>(model.free_index[i])] = 1;
  }
  for (const Joint& joint : model.joints)
    for (int k = joint.first_rate; k < joint.first_rate + rate_count(joint.kind); ++k)
      if (moves(joint) && model.rate_index[k] >= 0)
        own_unknowns_[static_cast<std::size_t>(model.rate_index[k])] = 1;
}

void SecondOrder::set_tolerances() {
  const double h = grid_, cube = 1e-3 * h * h * h;
  tolerances_.gap = std::clamp(cube, 1e-11, 1e-9);
  tolerances_.velocity = std::clamp(cube, 1e-12, 1e-9);
  tolerances_.acceleration = std::clamp(10.0 * h * h, 1e-8, 1e-3);
  if (accuracy_ > 0.0) {
    tolerances_.gap = std::clamp(1e-2 * accuracy_, 1e-11, 1e-9);
    tolerances_.velocity = std::clamp(1e-2 * accuracy_, 1e-12, 1e-9);
    tolerances_.acceleration = std::clamp(1e-2 * std::sqrt(accuracy_), 1e-8, 1e-3);
  }
  closing_ = std::max(1e-9, 10.0 * tolerances_.velocity);
}

StepReport SecondOrder::step(StepContext& context, State& state, double h) {
  before_ = context.out.contacts;
  start_ = state;
  grid_ = h;
  merged_ = false;
  set_tolerances();
  StepReport report;
  try {
    hold_forces(context, state, h, held_);
    while (!make(context, h, report)) merged_ = true;
  } catch (...) {
    context.out.contacts = before_;
    throw;
  }
  now_.memory.clear();
  now_.memory.impulses = known_;
  for (ImpulseMemory& record : now_.memory.impulses) {
    record.impulse *= h;
    record.moment *= h;
  }
  now_.controls = context.out.controls;
  now_.step = state.step;
  std::swap(state, now_);
  context.work.foreseen = state.velocities;
  return report;
}

// False if bodies of several islands got farther than was foreseen: they may have met.
bool SecondOrder::make(StepContext& context, double h, StepReport& report) {
  const Model& model = *context.in.model;
  SubstepSum sum(collected_);
  now_ = start_;
  known_.clear();
  outran_ = false;
  cuts_ = ordinary_parts_ = rejected_ = least_steps_ = 0;
  error_ = 0.0;
  find_islands(context, start_, h);
  for (std::size_t island = 0; island < islands_.size() && !sum.ended(); ++island) {
    place(model, start_.time, now_);
    take_island(model, island);
    advance_island(context, h, sum);
    if (outran_ && islands_.size() > 1) return false;
    known_.insert(known_.end(), forces_.begin(), forces_.end());
  }
  std::sort(known_.begin(), known_.end(), [](const ImpulseMemory& a, const ImpulseMemory& b) {
    return std::pair(a.key, a.point) < std::pair(b.key, b.point);
  });
  if (!sum.ended()) place(model, start_.time + h, now_);
  sum.finish_joints(context.out.joints);
  if (context.out.joints.size() != model.joints.size())
    context.out.joints.assign(model.joints.size(), {});
  report = sum.finish(context.out.contacts);
  report.cuts = cuts_;
  report.ordinary = ordinary_parts_;
  report.rejected = rejected_;
  report.least_steps = least_steps_;
  report.error_estimate = error_;
  return true;
}

// From the start of the step to its end, part by part.
void SecondOrder::advance_island(StepContext& context, double h, SubstepSum& sum) {
  const Model& model = *context.in.model;
  double left = h;
  int idle = 0, cuts = 0, refused = 0;
  knows_first_ = false;
  length_ = h;
  regular_ = 0.0;
  lifted_.clear();
  modes_.forget();
  forces_.clear();
  for (const ImpulseMemory& known : start_.memory.impulses)
    forces_.push_back({.key = known.key,
                       .point = known.point,
                       .impulse = known.impulse / h,
                       .moment = known.moment / h});
  while (left > least_left * h && !sum.ended()) {
    if (cuts >= most_cuts_ || idle >= most_idle || (!knows_first_ && !begin_part(context, sum)))
      return take_ordinary(context, left, sum);
    double length = std::min(left, length_);
    if (left - length < idle_share * h) length = left;
    try_part(context, length);
    if (!trial_.solved) return take_ordinary(context, left, sum);
    const bool cut = is_passed();
    if (cut) search(context);
    if (!trial_.solved) return take_ordinary(context, left, sum);
    const double allowed = accuracy_ * trial_.length;
    if (accuracy_ > 0.0 && trial_.error > allowed && trial_.length > least_length()) {
      const double share = std::clamp(0.9 * std::sqrt(allowed / trial_.error), 0.02, 0.7);
      length_ = std::max(share * trial_.length, least_length());
      ++rejected_;
      sum.add_work(trial_.report);
      if (++refused > 1) knows_first_ = false;
      continue;
    }
    if (accuracy_ > 0.0) choose_length(refused > 0 || cut);
    refused = 0;
    if (cut) ++cuts, ++cuts_;
    idle = trial_.length < idle_share * h ? idle + 1 : 0;
    left -= trial_.length;
    accept(context, cut, sum);
  }
  if (reach_.outrun(model, now_.velocities, h)) outran_ = true;
}

double SecondOrder::least_length() const {
  return std::max(least_of_regular * regular_, least_share * grid_);
}

bool SecondOrder::is_passed() const {
  return std::any_of(trial_.signals.begin(), trial_.signals.end(),
                     [](const TransitionSignal& signal) { return signal.is_passed(); });
}

// The next step by the accuracy; none grows where one was just refused or cut. A part that was too
// short to be made shorter does not say how long the next one may be.
void SecondOrder::choose_length(bool kept) {
  const double allowed = accuracy_ * trial_.length;
  if (trial_.error > allowed) {
    ++least_steps_;
    length_ = std::clamp(regular_, 100.0 * trial_.length, grid_);
    return;
  }
  const double share = 0.9 * std::sqrt(allowed / std::max(trial_.error, 1e-300));
  const double base = std::max(trial_.length, kept ? 0.0 : length_);
  length_ = std::min(base * std::min(share, kept ? 1.0 : 1.5), grid_);
  regular_ = std::max(length_, least_share * grid_);
}

void SecondOrder::accept(StepContext& context, bool cut, SubstepSum& sum) {
  const Model& model = *context.in.model;
  const AnsweredProblem answer = answered(last_share() * trial_.length);
  lifted_.clear();
  if (cut) {
    modes_.leave(trial_.signals, answer);
    modes_.lifted(trial_.signals, lifted_);
  } else {
    modes_.forget();
    modes_.follow(answer);
    good_ = trial_.signals;
  }
  add_results(context, sum);
  error_ += trial_.error;
  settle(context);
  if (reach_.outrun(model, trial_.end.velocities, trial_.length)) outran_ = true;
  first_ = trial_.last.acceleration;
  velocity_ = trial_.last.u;
  forces_ = trial_.last.forces;
  match_contacts(trial_.seen);
  closed_ = stage_contacts_;
  trial_.end.memory = now_.memory;
  trial_.end.controls = now_.controls;
  trial_.end.step = now_.step;
  std::swap(now_, trial_.end);
  knows_first_ = !cut && trial_.length > rounding_share * grid_;
}

// The ordinary step over what is left, of the bodies of the island.
void SecondOrder::take_ordinary(StepContext& context, double left, SubstepSum& sum) {
  const Model& model = *context.in.model;
  const FlightRules rules{.watches = false,
                          .strikes = false,
                          .touch = 2.0 * tolerances_.gap,
                          .speed = closing_,
                          .step = grid_};
  ++ordinary_parts_;
  trial_.end = now_;
  trial_.end.memory.clear();
  trial_.end.memory.impulses = forces_;
  for (ImpulseMemory& record : trial_.end.memory.impulses) {
    record.impulse *= left;
    record.moment *= left;
  }
  const StepReport report =
      ordinary_->advance(context, trial_.end, left, {.flight = &rules, .held_forces = &held_});
  forces_ = trial_.end.memory.impulses;
  std::erase_if(forces_, [&](const ImpulseMemory& record) { return !counts(model, record.key); });
  for (ImpulseMemory& record : forces_) {
    record.impulse /= left;
    record.moment /= left;
  }
  solved_ = context.out.contacts;
  std::erase_if(solved_, [&](const SolvedContact& solved) { return !counts(solved.contact); });
  solved_joints_ = context.out.joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (!moves(model.joints[j])) solved_joints_[j] = {};
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (!moves(b)) continue;
    now_.poses[b] = trial_.end.poses[b];
    now_.velocities.segment(body.velocity_offset, body.velocity_size) =
        trial_.end.velocities.segment(body.velocity_offset, body.velocity_size);
  }
  for (const Joint& joint : model.joints) {
    if (!moves(joint)) continue;
    for (int k = 0; k < position_count(joint.kind); ++k)
      now_.joint_positions[joint.first_coordinate + k] =
          trial_.end.joint_positions[joint.first_coordinate + k];
    for (int k = 0; k < rate_count(joint.kind); ++k)
      now_.joint_rates[joint.first_rate + k] = trial_.end.joint_rates[joint.first_rate + k];
  }
  now_.coupling_offsets = trial_.end.coupling_offsets;
  now_.time = trial_.end.time;
  sum.add(report, solved_);
  sum.add_joints(solved_joints_);
}

}  // namespace vinci
