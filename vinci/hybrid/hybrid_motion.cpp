// SPDX-License-Identifier: Apache-2.0
// The machine of the contacts around smooth parts of a motion.
#include "vinci/hybrid/hybrid_motion.h"

#include <algorithm>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/equations.h"
#include "vinci/hybrid/ida.h"

namespace vinci {

const char* to_string(ContactState state) {
  switch (state) {
    case ContactState::free:
      return "free";
    case ContactState::contact:
      return "contact";
    case ContactState::ballistic:
      return "ballistic";
  }
  return "";
}

// A function of time whose change of sign ends a smooth part.
struct HybridMotion::Watch {
  enum class What { gap, gap_rate, force, urge } what = What::gap;
  int constraint = 0;
  int direction = 0;  // −1 falling, 1 rising, 0 both
};

// One mode as IDA sees it: y = (q, v, λ).
class HybridMotion::Integrator : public ImplicitSystem {
 public:
  Integrator(const HybridMotion& motion, std::vector<Watch> watches)
      : equations_(motion.system_),
        system_(motion.system_),
        states_(motion.states_),
        inputs_(motion.inputs_),
        watches_(std::move(watches)),
        n_(equations_.coordinates()),
        m_(equations_.constraints()) {}

  int size() const override { return 2 * n_ + m_; }
  bool is_differential(int i) const override { return i < 2 * n_; }
  int watch_count() const override { return static_cast<int>(watches_.size()); }
  int watch_direction(int i) const override { return watches_[i].direction; }
  const Watch& watch(int i) const { return watches_[i]; }

  void residual(double time, const VectorX& y, const VectorX& slopes, VectorX& rows) override {
    fill(time, y, slopes);
    rows.head(n_) = slopes.head(n_) - y.segment(n_, n_);
    equations_.residual(states_, rows.tail(n_ + m_));
  }

  void jacobian(double time, double factor, const VectorX& y, const VectorX& slopes,
                MatrixX& matrix) override {
    fill(time, y, slopes);
    matrix.setZero(size(), size());
    matrix.topLeftCorner(n_, n_).diagonal().setConstant(factor);
    matrix.block(0, n_, n_, n_).diagonal().setConstant(-1.0);
    ModeEquations::Direction direction = equations_.zero_direction();
    for (int j = 0; j < size(); ++j) {
      VectorX& argument = j < n_       ? direction.positions
                          : j < 2 * n_ ? direction.velocities
                                       : direction.multipliers;
      const int place = j < n_ ? j : j < 2 * n_ ? j - n_ : j - 2 * n_;
      argument[place] = 1.0;
      if (j >= n_ && j < 2 * n_) direction.accelerations[place] = factor;
      equations_.slope(states_, direction, matrix.col(j).tail(n_ + m_));
      argument[place] = 0.0;
      if (j >= n_ && j < 2 * n_) direction.accelerations[place] = 0.0;
    }
  }

  void watches(double time, const VectorX& y, VectorX& values) override {
    // λ and v' of the state, not those that the integrator carries along: exact at its accuracy.
    SystemFrame<double>& frame = equations_.frame();
    consistent_forces(system_, time, y.head(n_), y.segment(n_, n_), inputs_, states_,
                      frame.accelerations, frame.multipliers);
    frame.time = time;
    frame.positions = y.head(n_);
    frame.velocities = y.segment(n_, n_);
    frame.inputs = inputs_;
    system_.evaluate(frame);
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const int constraint = watches_[i].constraint;
      const Series<double>& gap = frame.gaps[constraint];
      switch (watches_[i].what) {
        case Watch::What::gap:
          values[i] = gap.value;
          break;
        case Watch::What::gap_rate:
          values[i] = gap.first;
          break;
        case Watch::What::force:
          values[i] = frame.multipliers[constraint];
          break;
        case Watch::What::urge:  // to be pushed: < 0 where the constraint asks for λ > 0
          values[i] = system_.constraints()[constraint].stabilisation.error(gap);
          break;
      }
    }
  }

 private:
  void fill(double time, const VectorX& y, const VectorX& slopes) {
    SystemFrame<double>& frame = equations_.frame();
    frame.time = time;
    frame.positions = y.head(n_);
    frame.velocities = y.segment(n_, n_);
    frame.accelerations = slopes.segment(n_, n_);
    frame.multipliers = y.tail(m_);
    frame.inputs = inputs_;
  }

  ModeEquations equations_;
  const ConstrainedSystem& system_;
  std::vector<ContactState> states_;
  VectorX inputs_;
  std::vector<Watch> watches_;
  int n_, m_;
};

bool consistent_forces(const ConstrainedSystem& system, double time, const VectorX& positions,
                       const VectorX& velocities, const VectorX& inputs,
                       const std::vector<ContactState>& states, VectorX& accelerations,
                       VectorX& multipliers) {
  ModeEquations equations(system);
  SystemFrame<double>& frame = equations.frame();
  frame.time = time;
  frame.positions = positions;
  frame.velocities = velocities;
  frame.inputs = inputs;
  VectorX rows(equations.rows());
  equations.residual(states, rows);
  MatrixX matrix;
  equations.force_matrix(states, matrix);
  const Eigen::FullPivLU<MatrixX> factors(matrix);
  const VectorX answer = factors.solve(-rows);
  accelerations = answer.head(equations.coordinates());
  multipliers = answer.tail(equations.constraints());
  for (int i = 0; i < equations.constraints(); ++i)
    if (states[i] != ContactState::contact) multipliers[i] = 0.0;  // not a rounding of it
  return factors.isInvertible() && answer.allFinite();
}

namespace {

void check_start(const ConstrainedSystem& system, const HybridOptions& options,
                 const VectorX& positions, const VectorX& velocities) {
  if (!(options.accuracy >= 1e-10) || !(options.accuracy <= 1e-2))
    throw Error(fmt::format("an accuracy of {}; accepted: 1e-10 to 1e-2", options.accuracy));
  const int n = system.coordinate_count();
  if (positions.size() != n || velocities.size() != n)
    throw Error(fmt::format("{} positions and {} velocities; accepted: {} of each",
                            positions.size(), velocities.size(), n));
  if (!positions.allFinite() || !velocities.allFinite()) throw Error("a start that is not finite");
  for (const Constraint& constraint : system.constraints()) {
    try {
      check(constraint.stabilisation);
    } catch (const Error& error) {
      throw Error(error.message(), constraint.name);
    }
  }
}

}  // namespace

HybridMotion::HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
                           const VectorX& positions, const VectorX& velocities, double time)
    : system_(system),
      options_(options),
      time_(time),
      positions_(positions),
      velocities_(velocities),
      inputs_(VectorX::Zero(system.input_count())) {
  check_start(system, options, positions, velocities);
  SystemFrame<double> frame = make_frame<double>(system);
  frame.time = time;
  frame.positions = positions;
  frame.velocities = velocities;
  system.evaluate(frame);
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    const bool acts = system.constraints()[i].kind == ConstraintKind::link ||
                      frame.gaps[static_cast<Eigen::Index>(i)].value <= 0.0;
    states_.push_back(acts ? ContactState::contact : ContactState::free);
    sinking_.push_back(false);
  }
  settle_states();
  events_.clear();
}

HybridMotion::HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
                           const VectorX& positions, const VectorX& velocities,
                           const std::vector<ContactState>& states,
                           const std::vector<bool>& sinking, double time)
    : system_(system),
      options_(options),
      time_(time),
      positions_(positions),
      velocities_(velocities),
      inputs_(VectorX::Zero(system.input_count())),
      states_(states),
      sinking_(sinking) {
  check_start(system, options, positions, velocities);
  if (states.size() != system.constraints().size() || sinking.size() != states.size())
    throw Error(fmt::format("{} states of {} constraints; accepted: one of each", states.size(),
                            system.constraints().size()));
  find_forces();
}

HybridMotion::~HybridMotion() = default;

void HybridMotion::set_inputs(const VectorX& inputs) {
  if (inputs.size() != system_.input_count() || !inputs.allFinite())
    throw Error(fmt::format("{} inputs; accepted: {} finite numbers", inputs.size(),
                            system_.input_count()));
  inputs_ = inputs;
  while (settle_states()) {
  }
}

void HybridMotion::find_forces() {
  if (consistent_forces(system_, time_, positions_, velocities_, inputs_, states_, accelerations_,
                        multipliers_))
    return;
  std::string names;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i] == ContactState::contact)
      names += (names.empty() ? "" : ", ") + system_.constraints()[i].name;
  throw Failure(
      fmt::format("at {:.9g} s the constraints that act do not determine the forces, or "
                  "contradict each other: {}",
                  time_, names.empty() ? "none act, a coordinate has no mass" : names));
}

void HybridMotion::change(int constraint, ContactState to) {
  HybridEvent event;
  event.time = time_;
  event.constraint = constraint;
  event.from = states_[constraint];
  event.to = to;
  event.positions = positions_;
  event.velocities = velocities_;
  const Series<double> gap = gaps()[constraint];
  event.gap = gap.value;
  event.gap_rate = gap.first;
  states_[constraint] = to;
  sinking_[constraint] = to == ContactState::ballistic && event.gap <= 0.0 && event.gap_rate < 0.0;
  find_forces();
  event.multipliers = multipliers_;
  events_.push_back(std::move(event));
  if (static_cast<int>(events_.size()) > options_.most_events)
    throw Failure(fmt::format("more than {} events until {:.9g} s, the last of {}",
                              options_.most_events, time_, system_.constraints()[constraint].name));
}

// Whether λ of a contact that acts is negative, or zero to rounding and about to become so: the
// sign of its change is that over a moment of free extrapolation.
bool HybridMotion::pulls(int constraint) const {
  SystemFrame<double> frame = make_frame<double>(system_);
  frame.time = time_;
  frame.positions = positions_;
  frame.velocities = velocities_;
  frame.inputs = inputs_;
  system_.evaluate(frame);
  const double scale =
      std::max(frame.balance.lpNorm<Eigen::Infinity>(), multipliers_.lpNorm<Eigen::Infinity>());
  const double force = multipliers_[constraint];
  if (std::abs(force) > 1e-10 * scale) return force < 0.0;
  const double moment = 1e-6;  // s
  VectorX accelerations, ahead;
  const VectorX moved = positions_ + moment * (velocities_ + 0.5 * moment * accelerations_);
  if (!consistent_forces(system_, time_ + moment, moved, velocities_ + moment * accelerations_,
                         inputs_, states_, accelerations, ahead))
    return force < 0.0;
  return ahead[constraint] < force;
}

// Contacts that would pull let go, and those that sink in without force though the constraint asks
// for one take it up, one after the other; true where one did.
bool HybridMotion::settle_states() {
  find_forces();
  bool changed = false;
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (constraint.kind == ConstraintKind::link) continue;
    if (states_[i] == ContactState::contact && pulls(i)) {
      change(i, ContactState::ballistic);
      changed = true;
    } else if (sinking_[i]) {
      const Series<double> gap = gaps()[i];
      const double parts = std::abs(gap.second) +
                           constraint.stabilisation.damping * std::abs(gap.first) +
                           constraint.stabilisation.pull(std::abs(gap.value));
      if (gap.first >= 0.0) {
        sinking_[i] = false;
      } else if (constraint.stabilisation.error(gap) < -1e-9 * parts) {
        change(i, ContactState::contact);
        changed = true;
      }
    }
  }
  return changed;
}

Eigen::Matrix<Series<double>, Eigen::Dynamic, 1> HybridMotion::gaps() const {
  SystemFrame<double> frame = make_frame<double>(system_);
  frame.time = time_;
  frame.positions = positions_;
  frame.velocities = velocities_;
  frame.accelerations = accelerations_;
  frame.multipliers = multipliers_;
  frame.inputs = inputs_;
  system_.evaluate(frame);
  return frame.gaps;
}

void HybridMotion::happen(const Watch& watch) {
  const int i = watch.constraint;
  if (watch.what == Watch::What::urge && gaps()[i].first >= 0.0) return;  // it leaves
  switch (states_[i]) {
    case ContactState::free:
      change(i, ContactState::contact);
      break;
    case ContactState::contact:
      change(i, ContactState::ballistic);
      break;
    case ContactState::ballistic:
      if (watch.what == Watch::What::gap && watch.direction > 0)
        change(i, ContactState::free);
      else
        change(i, ContactState::contact);
      break;
  }
}

void HybridMotion::advance(double end) {
  if (!(end >= time_) || !std::isfinite(end))
    throw Error(fmt::format("a motion at {:.9g} s that is to go to {}; accepted: a later time",
                            time_, end));
  const int n = system_.coordinate_count();
  const auto m = static_cast<int>(states_.size());
  while (time_ < end) {
    const auto now = gaps();
    using What = Watch::What;
    std::vector<Watch> watches;
    for (int i = 0; i < m; ++i) {
      if (system_.constraints()[i].kind == ConstraintKind::link) continue;
      switch (states_[i]) {
        case ContactState::free:
          watches.push_back({What::gap, i, -1});
          break;
        case ContactState::contact:
          watches.push_back({What::force, i, -1});
          break;
        case ContactState::ballistic:
          watches.push_back({What::gap, i, 1});
          watches.push_back({What::gap, i, -1});
          if (now[i].value <= 0.0) watches.push_back({What::gap_rate, i, -1});
          if (sinking_[i]) watches.push_back({What::urge, i, -1});
          break;
      }
    }
    Integrator mode(*this, watches);
    VectorX y(2 * n + m), slopes(2 * n + m);
    y << positions_, velocities_, multipliers_;
    slopes << velocities_, accelerations_, VectorX::Zero(m);
    ImplicitPart part = integrate(mode, options_.accuracy, time_, end, y, slopes);
    time_ = part.time;
    positions_ = y.head(n);
    velocities_ = y.segment(n, n);
    integrator_steps_ += part.steps;
    evaluations_ += part.evaluations;
    if (!part.why.empty())
      throw Failure(fmt::format("the integrator gave up at {:.9g} s: {}", time_, part.why));
    find_forces();
    // Of one constraint at one time only the first change counts.
    int last = -1;
    for (const int i : part.watches) {
      const Watch& watch = mode.watch(i);
      if (watch.constraint == last) continue;
      last = watch.constraint;
      happen(watch);
    }
    // Each round changes a state; most_events ends what never settles.
    while (settle_states()) {
    }
  }
}

}  // namespace vinci
