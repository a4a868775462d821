// SPDX-License-Identifier: Apache-2.0
// The machine of the constraints around smooth parts of a motion.
#include "vinci/hybrid/hybrid_motion.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/mode_integrator.h"

namespace vinci {
namespace {

// So many changes of one constraint or machine within so short a time, s, pile up.
constexpr int piled_changes = 64;
constexpr double piled_time = 1e-5;
// So many after a hold, within so many times its length, hold it again, at most so long, s. What is
// pushed on for a hold and back then swings three times as long: four of it take twelve lengths.
constexpr int repeated_changes = 4;
constexpr double repeated_time = 20.0;
constexpr double longest_hold = 1e-3;
// Changes of a machine that close in on a time, s, which is nearer; half of them at first. A
// multiple of two, three and four, so that both halves have the same ones.
constexpr int closing_changes = 24;
constexpr double closing_time = 1e-2;
// So many passes that change nothing within piled_time lead nowhere.
constexpr int most_silent = 10000;
// Beside which nothing is.
constexpr double least_number = 1e-300;

void check_start(const ConstrainedSystem& system, const HybridOptions& options,
                 const HybridState& state) {
  if (!(options.accuracy >= 1e-10) || !(options.accuracy <= 1e-2))
    throw Error(fmt::format("an accuracy of {}; accepted: 1e-10 to 1e-2", options.accuracy));
  const int n = system.coordinate_count();
  if (state.positions.size() != n || state.velocities.size() != n)
    throw Error(fmt::format("{} positions and {} velocities; accepted: {} of each",
                            state.positions.size(), state.velocities.size(), n));
  if (!state.positions.allFinite() || !state.velocities.allFinite())
    throw Error("a start that is not finite");
  for (const Constraint& constraint : system.constraints()) {
    try {
      check(constraint.stabilisation);
    } catch (const Error& error) {
      throw Error(error.message(), constraint.name);
    }
  }
}

}  // namespace

const char* to_string(ContactState state) {
  switch (state) {
    case ContactState::free:
      return "free";
    case ContactState::contact:
      return "contact";
    case ContactState::ballistic:
      return "ballistic";
    case ContactState::sticking:
      return "sticking";
    case ContactState::sliding:
      return "sliding";
  }
  return "";
}

HybridMotion::HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
                           const VectorX& positions, const VectorX& velocities, double time)
    : system_(system),
      passages_(system.passages()),
      options_(options),
      inputs_(VectorX::Zero(system.input_count())),
      equations_(system) {
  const auto m = static_cast<Eigen::Index>(system.constraints().size());
  state_ = {
      time,
      positions,
      velocities,
      VectorX::Zero(system.extra_count()),
      VectorX::Zero(m),
      HybridMode::of(std::vector<ContactState>(static_cast<std::size_t>(m), ContactState::free)),
      std::vector<bool>(static_cast<std::size_t>(m), false),
      system.machines(),
      VectorX::Zero(m)};
  impulses_ = depths_ = VectorX::Zero(m);
  piles_.resize(static_cast<std::size_t>(m) + state_.machines.size());
  check_start(system, options, state_);
  begin_states();
  settle();
  events_.clear();
}

HybridMotion::HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
                           HybridState state)
    : system_(system),
      passages_(system.passages()),
      options_(options),
      state_(std::move(state)),
      inputs_(VectorX::Zero(system.input_count())),
      equations_(system) {
  const std::size_t m = system.constraints().size();
  check_start(system, options, state_);
  if (state_.mode.states.size() != m || state_.sinking.size() != m)
    throw Error(fmt::format("{} states of {} constraints; accepted: one of each",
                            state_.mode.states.size(), m));
  impulses_ = depths_ = VectorX::Zero(static_cast<Eigen::Index>(m));
  piles_.resize(m + state_.machines.size());
  if (!try_forces()) give_up(why_nothing_fits(0));
}

HybridMotion::~HybridMotion() = default;

bool HybridMotion::is_on(int i) const {
  const Constraint& constraint = system_.constraints()[i];
  return constraint.machine < 0 || constraint.on[state_.machines[constraint.machine]];
}

// States as a start has them, before anything is settled.
void HybridMotion::begin_states() {
  equations_.set(state_, inputs_);
  system_.evaluate(equations_.frame());
  gaps_ = equations_.frame().gaps;
  for (std::size_t i = 0; i < state_.mode.states.size(); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const auto at = static_cast<Eigen::Index>(i);
    if (constraint.kind == ConstraintKind::friction || !is_on(static_cast<int>(i))) continue;
    const bool is_link = constraint.kind == ConstraintKind::link;
    if (is_link ? constraint.with < 0 : gaps_[at].value <= 0.0)
      state_.mode.states[i] = ContactState::contact;
    if (is_link && constraint.anchored) state_.mode.anchors[at] = gaps_[at].value;
  }
}

void HybridMotion::set_inputs(const VectorX& inputs) {
  if (inputs.size() != system_.input_count() || !inputs.allFinite())
    throw Error(fmt::format("{} inputs; accepted: {} finite numbers", inputs.size(),
                            system_.input_count()));
  inputs_ = inputs;
  settle();
}

void HybridMotion::set_extras(const VectorX& extras) {
  if (extras.size() != system_.extra_count() || !extras.allFinite())
    throw Error(fmt::format("{} further states; accepted: {} finite numbers", extras.size(),
                            system_.extra_count()));
  state_.extras = extras;
  settle();
}

HybridEvent HybridMotion::event_now() const {
  HybridEvent event;
  event.time = state_.time;
  event.positions = state_.positions;
  event.velocities = state_.velocities;
  return event;
}

void HybridMotion::tell(HybridEvent event, int which) {
  event.multipliers = multipliers_;
  events_.push_back(std::move(event));
  if (static_cast<int>(events_.size()) > options_.most_events)
    give_up(fmt::format("more than {} events, the last of {}", options_.most_events, name(which)));
  // Does it pile up? After a hold a few more are enough to hold it twice as long.
  Pile& pile = piles_[which];
  const bool again = pile.length > 0.0 && state_.time - pile.until <= repeated_time * pile.length;
  const double since = again ? pile.until : state_.time - piled_time;
  int count = 0;
  for (std::size_t i = events_.size(); i > call_begin_ && events_[i - 1].time >= since; --i)
    count += is_of(events_[i - 1], which) ? 1 : 0;
  if (count < (again ? repeated_changes : piled_changes) && !closes_in(which)) return;
  pile.length = again ? std::min(2.0 * pile.length, longest_hold) : piled_time;
  pile.until = state_.time + pile.length;
  if (again) return;
  const auto m = static_cast<int>(state_.mode.states.size());
  accumulations_.push_back({state_.time, which < m ? which : -1, which < m ? -1 : which - m});
}

// Whether changes of a machine come ever faster, so that a geometric series of them would end soon,
// and what moves to and fro between them is below the accuracy. True switching is either as fast
// for long, or moves something. Contacts need it not: the law of an impact takes its time.
bool HybridMotion::closes_in(int which) const {
  if (which < static_cast<int>(state_.mode.states.size())) return false;
  std::vector<const HybridEvent*> last;
  for (std::size_t i = events_.size(); i > call_begin_ && last.size() <= closing_changes; --i)
    if (is_of(events_[i - 1], which)) last.push_back(&events_[i - 1]);
  if (last.size() <= closing_changes) return false;
  for (int i = 0; i < closing_changes; ++i) {
    const HybridEvent &now = *last[i], &before = *last[i + 1];
    const double swing =
        (now.velocities - before.velocities).lpNorm<Eigen::Infinity>() * (now.time - before.time);
    if (swing > options_.accuracy * (1.0 + now.positions.lpNorm<Eigen::Infinity>())) return false;
  }
  const double middle = last[closing_changes / 2]->time;
  const double late = last.front()->time - middle, early = middle - last.back()->time;
  return late * late <= closing_time * (early - late);
}

bool HybridMotion::is_of(const HybridEvent& event, int which) const {
  const auto m = static_cast<int>(state_.mode.states.size());
  return which < m ? event.constraint == which : event.machine == which - m;
}

std::string HybridMotion::name(int which) const {
  const auto m = static_cast<int>(state_.mode.states.size());
  return which < m ? system_.constraints()[which].name : fmt::format("machine {}", which - m);
}

bool HybridMotion::is_held(int which) const {
  return state_.time < piles_[which].until;
}

void HybridMotion::set_state(int i, ContactState to) {
  const Constraint& constraint = system_.constraints()[i];
  state_.mode.states[i] = to;
  state_.slips[i] = 0.0;
  if (constraint.anchored) state_.mode.anchors[i] = gaps_[i].value;
  state_.sinking[i] = constraint.kind == ConstraintKind::contact && to == ContactState::ballistic &&
                      gaps_[i].value <= 0.0 && gaps_[i].first < 0.0;
  state_.mode.preferred[i] = 0.0;
}

void HybridMotion::change(int i, ContactState to) {
  HybridEvent event = event_now();
  event.constraint = i;
  event.from = state_.mode.states[i];
  event.to = to;
  event.gap = gaps_[i].value;
  event.gap_rate = gaps_[i].first;
  set_state(i, to);
  try_forces();
  tell(std::move(event), i);
}

void HybridMotion::direct(int i, const Vector2& direction) {
  const bool two = directions(i) == 2;
  state_.mode.directions[i] = two ? direction[0] : (direction[0] < 0.0 ? -1.0 : 1.0);
  if (two) state_.mode.directions[i + 1] = direction[1];
}

void HybridMotion::slide(int i, const Vector2& direction) {
  direct(i, direction);
  if (directions(i) == 2) set_state(i + 1, ContactState::sliding);
  change(i, ContactState::sliding);
}

void HybridMotion::stick(int i) {
  if (directions(i) == 2) set_state(i + 1, ContactState::sticking);
  change(i, ContactState::sticking);
}

void HybridMotion::pass(const Passage& passage) {
  HybridEvent event = event_now();
  event.machine = passage.machine;
  event.state_before = passage.from;
  event.state_after = passage.to;
  state_.machines[passage.machine] = passage.to;
  tell(std::move(event), static_cast<int>(state_.mode.states.size()) + passage.machine);
}

// What follows others: constraints that machines switch, links and friction of contacts; true where
// something changed.
bool HybridMotion::follow() {
  bool changed = false;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const ContactState now = state_.mode.states[i];
    bool on = is_on(i);
    if (constraint.with >= 0) on = on && acts(state_.mode.states[constraint.with]);
    if (constraint.second) continue;
    if (!on) {
      if (now == ContactState::free) continue;
      if (directions(i) == 2) set_state(i + 1, ContactState::free);
      change(i, ContactState::free);
      changed = true;
    } else if (constraint.kind == ConstraintKind::link && now == ContactState::free) {
      change(i, ContactState::contact);
      changed = true;
    } else if (constraint.kind == ConstraintKind::contact && now == ContactState::free &&
               gaps_[i].value < 0.0 && !is_held(i)) {
      touch(i);  // switched on, or closed by a change that no event tells
      changed = true;
    } else if (constraint.kind == ConstraintKind::friction && now == ContactState::free) {
      Vector2 slip(gaps_[i].first, directions(i) == 2 ? gaps_[i + 1].first : 0.0);
      const double still = still_speed(options_.accuracy);
      if (slip.norm() <= still || constraint.never_slides)
        stick(i);
      else
        slide(i, slip.normalized());
      changed = true;
    }
  }
  return changed;
}

void HybridMotion::touch(int i) {
  change(i, ContactState::contact);
  for (const Passage& passage : passages_)
    if (passage.touched == i && state_.machines[passage.machine] == passage.from) {
      pass(passage);
      break;
    }
}

// After a hold: what would have happened while nobody looked.
void HybridMotion::catch_up(int which) {
  const auto m = static_cast<int>(state_.mode.states.size());
  if (which >= m) {
    for (const Passage& passage : passages_)
      if (passage.guard >= 0 && passage.machine == which - m &&
          state_.machines[passage.machine] == passage.from &&
          passage.direction * equations_.frame().guards[passage.guard] > 0.0)
        return pass(passage);
    return;
  }
  const ContactState now = state_.mode.states[which];
  const bool sinks = gaps_[which].value < 0.0 && gaps_[which].first < 0.0;
  if (system_.constraints()[which].kind == ConstraintKind::contact && is_on(which) &&
      ((now == ContactState::free && gaps_[which].value < 0.0) ||
       (now == ContactState::ballistic && sinks)))
    touch(which);
  if (now == ContactState::sliding && directions(which) == 1 &&
      gaps_[which].first * state_.mode.directions[which] < 0.0)
    stick(which);
}

// Whether forces that are not determined can be chosen so that one whose force, or grip, has run
// out goes on as it is. No event tells of it: where it comes again and again in short time, it
// changes.
bool HybridMotion::chooses_otherwise(int i) {
  if (!equations_.is_redundant() || is_worn_out(i) || !choose_forces()) return false;
  const bool sticks = state_.mode.states[i] == ContactState::sticking;
  const double left = sticks ? grip(i, multipliers_) : multipliers_[i];
  return left > force_rounding * force_scale();
}

// Friction has no grip left because its contact has no force left: that lets go, and nothing
// slides.
bool HybridMotion::lets_go_with(int i) {
  const int contact = system_.constraints()[i].with;
  if (contact < 0 || state_.mode.states[contact] != ContactState::contact) return false;
  const double force = multipliers_[contact];
  VectorX later;
  // As little as is_wanted() lets pass.
  if (force > 4.0 * force_rounding * force_scale() || !foresee(later) || later[contact] >= force)
    return false;
  change(contact, ContactState::ballistic);
  return true;
}

// Counts passes of advance() that changed nothing; true where they pile up.
bool HybridMotion::is_worn_out(int which) {
  std::vector<double>& times = piles_[static_cast<std::size_t>(which)].silent;
  times.push_back(state_.time);
  if (times.size() > piled_changes) times.erase(times.begin());
  return times.size() == piled_changes && state_.time - times.front() <= longest_hold;
}

void HybridMotion::happen(const Watch& watch) {
  const int i = watch.constraint;
  if (watch.what == Watch::What::guard) {
    const Passage& passage = passages_[watch.passage];
    if (state_.machines[passage.machine] == passage.from) pass(passage);
    return;
  }
  if (watch.what == Watch::What::jam) {
    jams_ = true;
    return;
  }
  if (watch.what == Watch::What::misfit) return;  // settle() has to look at it
  if (watch.what == Watch::What::urge && gaps_[i].first >= 0.0) return;  // it leaves
  switch (state_.mode.states[i]) {
    case ContactState::free:
      // A gap that opens can be negative by rounding alone.
      if (gaps_[i].first >= 0.0)
        change(i, ContactState::ballistic);
      else
        touch(i);
      break;
    case ContactState::contact:
      if (chooses_otherwise(i)) break;
      change(i, ContactState::ballistic);
      break;
    case ContactState::ballistic:
      if (watch.what == Watch::What::gap && watch.direction > 0)
        change(i, ContactState::free);
      else if (watch.what != Watch::What::gap || gaps_[i].first < 0.0)
        touch(i);
      break;
    case ContactState::sticking:
      if (watch.what == Watch::What::escape) {
        slide(i, slip_rate(i).normalized());
        break;
      }
      if (lets_go_with(i) || chooses_otherwise(i)) break;
      slide(i,
            -Vector2(multipliers_[i], directions(i) == 2 ? multipliers_[i + 1] : 0.0).normalized());
      break;
    case ContactState::sliding:
      if (watch.direction > 0) break;  // it slides visibly now
      stick_with(i);                   // settle() lets it slide on where that takes too much
      break;
  }
}

// What slides no faster comes to rest at the same time, as all points of a body do that turns and
// slides: one by one the others would be too slow to be seen to stop.
void HybridMotion::stick_with(int first) {
  const double still = 1.01 * still_speed(options_.accuracy);
  std::vector<int> slow;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (i == first || constraint.second || state_.mode.states[i] != ContactState::sliding) continue;
    const double across = directions(i) == 2 ? gaps_[i + 1].first : 0.0;
    if (std::hypot(gaps_[i].first, across) <= still) slow.push_back(i);
  }
  stick(first);
  for (const int i : slow) stick(i);
}

// Whether a slip in two directions is too slow already for its size to be seen to fall; its part
// along the present direction is watched then.
bool HybridMotion::is_slow(int i) {
  if (directions(i) == 1) return false;
  const Vector2 slip = slip_rate(i);
  const double speed = slip.norm();
  if (speed > 1.01 * still_speed(options_.accuracy)) return false;
  if (speed > 0.25 * blended_speed) state_.mode.directions.segment<2>(i) = slip / speed;
  return true;
}

// What begins to slide may do so more slowly than the integrator errs: until it slides visibly it
// has to turn back visibly to have come to rest. In two directions friction follows the slip, which
// then cannot turn back: it comes to rest at zero. Where it begins there to rounding, it is at rest
// again where it is half a unit of blending behind: a whole unit behind it has no direction.
void HybridMotion::watch_slip(int i, std::vector<Watch>& list) {
  using What = Watch::What;
  const double still = still_speed(options_.accuracy);
  const bool begins = directions(i) == 1 && slip_rate(i)[0] * state_.mode.directions[i] <= still;
  if (is_slow(i)) {
    const double along = slip_rate(i).dot(state_.mode.directions.segment<2>(i));
    const double behind = 0.5 * blended_speed;
    list.push_back({What::slip_along, i, -1, -1, -1, along < behind ? behind : 0.0});
    return;
  }
  list.push_back({What::slip, i, -1, -1, -1, begins ? 0.1 * still : 0.0});
  if (begins) list.push_back({What::slip, i, 1, -1, -1, -1.1 * still});
}

// From which on a gap is open whatever rounding does to it.
double HybridMotion::open_gap() const {
  return 1e-13 *
         (1.0 + (state_.positions.size() > 0 ? state_.positions.lpNorm<Eigen::Infinity>() : 0.0));
}

double HybridMotion::rate_rounding() const {
  return 1e-13 * (state_.velocities.size() > 0 ? state_.velocities.lpNorm<Eigen::Infinity>() : 0.0);
}

// How near to forces without bound, as a share of what there is at the start of a part, counts.
double HybridMotion::nearest_jam() const {
  return std::min(options_.accuracy, 1e-4);
}

std::vector<HybridMotion::Watch> HybridMotion::watches() {
  using What = Watch::What;
  std::vector<Watch> list;
  const double rounding = force_rounding * force_scale();
  const auto beyond = [](double value, double least) {
    return std::abs(value) <= least ? 2.0 * least + least_number : 0.0;
  };
  const auto margin = [&](double force) { return beyond(force, rounding); };
  const auto add = [&](What what, int i, int direction, double value) {
    list.push_back({what, i, direction, -1, -1, value == 0.0 ? -direction * least_number : 0.0});
  };
  bool rubs = false;  // with a force of its contact
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    rubs = rubs || (state_.mode.states[i] == ContactState::sliding && constraint.with >= 0);
    if (constraint.kind == ConstraintKind::link || constraint.second || constraint.never_slides ||
        !is_on(i) || (is_held(i) && state_.mode.states[i] != ContactState::contact))
      continue;
    switch (state_.mode.states[i]) {
      case ContactState::free:
        if (constraint.kind == ConstraintKind::contact) add(What::gap, i, -1, gaps_[i].value);
        break;
      case ContactState::contact:
        list.push_back({What::force, i, -1, -1, -1, margin(multipliers_[i])});
        break;
      case ContactState::ballistic:
        list.push_back({What::gap, i, 1, -1, -1, -open_gap()});
        // What is zero to rounding at the start has to fall below that.
        list.push_back({What::gap, i, -1, -1, -1, beyond(gaps_[i].value, open_gap())});
        if (gaps_[i].value <= 0.0)
          list.push_back({What::gap_rate, i, -1, -1, -1, beyond(gaps_[i].first, rate_rounding())});
        if (state_.sinking[i]) {
          const double small = urge_rounding(i);
          list.push_back(
              {What::urge, i, -1, -1, -1, beyond(constraint.stabilisation.error(gaps_[i]), small)});
        }
        break;
      case ContactState::sticking:
        list.push_back({What::grip, i, -1, -1, -1, margin(grip(i, multipliers_))});
        // What cannot move is not held: others carry it along.
        if (equations_.is_still(i)) list.push_back({What::escape, i, -1});
        break;
      case ContactState::sliding:
        watch_slip(i, list);
        break;
    }
  }
  for (int i = 0; i < static_cast<int>(passages_.size()); ++i)
    if (passages_[i].guard >= 0 && state_.machines[passages_[i].machine] == passages_[i].from &&
        !is_held(static_cast<int>(state_.mode.states.size()) + passages_[i].machine))
      list.push_back({What::guard, -1, passages_[i].direction, i, passages_[i].guard,
                      equations_.frame().guards[passages_[i].guard] == 0.0
                          ? -passages_[i].direction * least_number
                          : 0.0});
  for (int i = 0; i < system_.border_count(); ++i) list.push_back({What::border, -1, -1, i});
  if (const double left = equations_.regularity(); left != 0.0 && rubs) {
    const int sign = left > 0.0 ? 1 : -1;
    list.push_back({What::jam, -1, -1, -1, sign, -nearest_jam() * std::abs(left)});
  }
  if (equations_.is_redundant()) list.push_back({What::misfit, -1, 1});
  return list;
}

// A contact that is let go above its zero, or has come out of it, has given what it has given.
// Errors of velocities are no energy.
void HybridMotion::end_impacts() {
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const ContactState now = state_.mode.states[i];
    if (acts(now) || (now == ContactState::ballistic && gaps_[i].value <= 0.0)) continue;
    if (state_.works[i] > 10.0 * options_.accuracy * impulses_[i]) given_energy_ += state_.works[i];
    state_.works[i] = 0.0;
  }
}

bool HybridMotion::advance(double end) {
  if (!(end >= state_.time) || !std::isfinite(end))
    throw Error(fmt::format("a motion at {:.9g} s that is to go to {}; accepted: a later time",
                            state_.time, end));
  // Holds end with the call, so that a state is all that there is to remember.
  call_begin_ = events_.size();
  std::fill(piles_.begin(), piles_.end(), Pile{});
  double lately = state_.time;
  int silent = 0;
  while (state_.time < end) {
    if (options_.interruption != nullptr) options_.interruption->ask();
    double stop = end;
    for (const Pile& pile : piles_)
      if (pile.until > state_.time) stop = std::min(stop, pile.until);
    Integrator mode(system_, state_, inputs_, watches(), options_.accuracy);
    VectorX y = mode.pack(state_), slopes(y.size());
    mode.slopes_at(state_.time, y, slopes);
    mode.reached(state_.time, y);
    const ImplicitPart part =
        integrate(mode, options_.accuracy, state_.time, stop, y, slopes, options_.interruption);
    const double before = state_.time;
    const std::size_t told = events_.size();
    state_.time = part.time;
    mode.unpack(y, state_);
    impulses_ += mode.impulses(y);
    depths_ = depths_.cwiseMax(mode.depths());
    state_.works += mode.works(y);
    integrator_steps_ += part.steps;
    evaluations_ += part.evaluations;
    if (!part.why.empty()) integrator_gave_up(part.why, part.worst);
    try_forces();
    // Of one constraint at one time only the first change counts.
    int last = -1;
    bool at_border = false;
    for (const int i : part.watches) {
      const Watch& watch = mode.watch(i);
      if (watch.what == Watch::What::border) {
        at_border = true;
        continue;
      }
      if (watch.constraint >= 0 && watch.constraint == last) continue;
      last = watch.constraint;
      happen(watch);
    }
    // As near to it as the motion is exact.
    if (jams_) jolt(HybridState(state_), events_.size(), 10.0 * nearest_jam());
    jams_ = false;
    const bool ends = at_border || !(state_.time < end);
    for (int i = 0; i < static_cast<int>(piles_.size()); ++i) {
      if (ends) piles_[i].until = std::min(piles_[i].until, state_.time);
      if (piles_[i].until > before && !is_held(i)) catch_up(i);
    }
    settle();
    // What acts after an event is known once all of its time have been settled.
    for (auto event = events_.rbegin(); event != events_.rend() && event->time == state_.time;
         ++event)
      event->multipliers = multipliers_;
    end_impacts();
    if (at_border) return false;
    if (events_.size() > told || state_.time > lately + piled_time)
      lately = state_.time, silent = 0;
    else if (++silent > most_silent)
      give_up(fmt::format("the motion does not go on: {} changes without end",
                          last >= 0 ? name(last) : "what constraints share"));
  }
  return true;
}

}  // namespace vinci
