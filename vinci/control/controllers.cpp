// SPDX-License-Identifier: Apache-2.0
// Sampling, holding, limits and the integral.
#include "vinci/control/controllers.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_efforts.h"

namespace vinci {

JointController::JointController(const Model& model, const JointLaw& law, JointGains gains,
                                 JointReference reference, std::vector<int> rates)
    : robot_(mechanism_of(model)),
      law_(law),
      gains_(std::move(gains)),
      reference_(std::move(reference)),
      rates_(std::move(rates)) {
  if (rates_.empty())
    for (int i = 0; i < robot_.rates(); ++i) rates_.push_back(i);
  for (const int rate : rates_)
    if (rate < 0 || rate >= robot_.rates())
      throw Error(
          fmt::format("there is no joint rate {}; accepted: 0 to {}", rate, robot_.rates() - 1),
          "rates");
  const auto fill = [&](VectorX& list, double value, const char* name) {
    if (list.size() == 0) list = VectorX::Constant(count(), value);
    if (list.size() != count())
      throw Error(fmt::format("{} numbers; accepted: one per joint rate, {}", list.size(), count()),
                  name);
    for (const double number : list)
      if (!(number >= 0.0))
        throw Error(fmt::format("{}; accepted: numbers that are not negative", number), name);
  };
  fill(gains_.proportional, 0.0, "proportional");
  fill(gains_.derivative, 0.0, "derivative");
  fill(gains_.integral, 0.0, "integral");
  if (gains_.limits.size() == 0) {
    gains_.limits.resize(count());
    for (int i = 0; i < count(); ++i)
      gains_.limits[i] = robot_.freedom(rates_[static_cast<std::size_t>(i)]).largest_effort;
  }
  fill(gains_.limits, infinity, "limits");
  if (!(gains_.sample >= 0.0) || !std::isfinite(gains_.sample))
    throw Error(fmt::format("{} s; accepted: 0, every step, or a time", gains_.sample), "sample");
  check_reference();
  point_.position.setZero(count());
  const JointState start = robot_.start();
  for (int i = 0; i < count(); ++i)
    if (const int at = robot_.coordinate_of(rates_[static_cast<std::size_t>(i)]); at >= 0)
      point_.position[i] = start.positions[at];
  point_.velocity.setZero(count());
  point_.acceleration.setZero(count());
  error_.setZero(count());
  rate_error_.setZero(count());
  efforts_.setZero(count());
  all_.setZero(robot_.rates());
  std::vector<int> others;
  for (int i = 0; i < robot_.rates(); ++i) others.push_back(i);
  set_others(others);
}

void JointController::check_reference() {
  if (!reference_.trajectory) return;
  const int size = reference_.trajectory->size();
  std::vector<int>& chosen = reference_.chosen;
  if (chosen.empty())
    for (int i = 0; i < size; ++i) chosen.push_back(i);
  if (static_cast<int>(chosen.size()) != count())
    throw Error(
        fmt::format("{} coordinates; accepted: one per joint rate, {}", chosen.size(), count()),
        "reference");
  for (const int i : chosen)
    if (i >= size)
      throw Error(fmt::format("there is no coordinate {}; accepted: below {}", i, size),
                  "reference");
}

int JointController::memory_size() const {
  return 1 + count() * (law_.has_integral ? 4 : 3);
}

std::vector<std::string> JointController::memory_columns() const {
  std::vector<std::string> columns{"next_sample [s]"};
  const auto add = [&](const char* what, const char* shifting, const char* turning) {
    for (const int rate : rates_) {
      const Joint& joint = robot_.joint_of(rate);
      const int freedom = rate - joint.first_rate;
      columns.push_back(
          fmt::format("{}_{}{} [{}]", what, joint.name,
                      joint.freedoms.size() > 1 ? "_" + std::to_string(freedom) : std::string(),
                      is_turning(joint.kind, freedom) ? turning : shifting));
    }
  };
  add("effort", "N", "N m");
  add("reference", "m", "rad");
  add("error", "m", "rad");
  if (law_.has_integral) add("integral", "m s", "rad s");
  return columns;
}

void JointController::keep(Eigen::Ref<VectorX> memory) const {
  memory.segment(1, count()) = efforts_;
  memory.segment(1 + count(), count()) = point_.position;
  memory.segment(1 + 2 * count(), count()) = error_;
}

void JointController::begin(const Model& model, const State& state, Eigen::Ref<VectorX> memory) {
  const Model& own = robot_.model();
  if (!std::equal(
          own.joints.begin(), own.joints.end(), model.joints.begin(), model.joints.end(),
          [](const Joint& a, const Joint& b) { return a.name == b.name && a.kind == b.kind; }))
    throw Error(
        "a controller of other joints than those of the model; accepted: one that was made "
        "for this model",
        "controller");
  memory.setZero();
  find_errors(state);
  efforts_.setZero();
  keep(memory);
}

void JointController::act(const Model& model, const State& state, double h,
                          Eigen::Ref<VectorX> forces, Eigen::Ref<VectorX> memory) {
  const double period = std::max(gains_.sample, h);  // nothing is shorter than a step
  // A rounding of the time does not put a sample off by a step.
  if (gains_.sample == 0.0 || state.time >= memory[0] - 1e-9 * period) {
    sample(state, period, memory.tail(law_.has_integral ? count() : 0));
    keep(memory);
    memory[0] = period * (std::floor(state.time / period + 1e-9) + 1.0);
  }
  efforts_ = memory.segment(1, count());
  all_.setZero();
  for (int i = 0; i < count(); ++i) all_[rates_[static_cast<std::size_t>(i)]] = efforts_[i];
  add_joint_efforts(model, state.poses, all_, forces);
}

void JointController::find_errors(const State& state) {
  if (reference_.trajectory) reference_.trajectory->at(state.time, whole_);
  for (int i = 0; reference_.trajectory && i < count(); ++i) {
    const int from = reference_.chosen[static_cast<std::size_t>(i)];
    if (from < 0) continue;
    point_.position[i] = whole_.position[from];
    point_.velocity[i] = whole_.velocity[from];
    point_.acceleration[i] = whole_.acceleration[from];
  }
  for (int i = 0; i < count(); ++i) {
    const int rate = rates_[static_cast<std::size_t>(i)], at = robot_.coordinate_of(rate);
    error_[i] = at < 0 ? 0.0 : point_.position[i] - state.joint_positions[at];
    rate_error_[i] = point_.velocity[i] - state.joint_rates[rate];
  }
}

void JointController::sample(const State& state, double period, Eigen::Ref<VectorX> integral) {
  find_errors(state);
  if (law_.uses_robot) {
    robot_.set_bases(state.poses);
    robot_.place(state.joint_positions, state.joint_rates);
  }
  JointSample all{robot_, rates_, gains_, error_, rate_error_, point_.acceleration, all_};
  law_.efforts(all, efforts_);
  for (int i = 0; i < count(); ++i) {
    const double limit = gains_.limits[i];
    double wanted = efforts_[i];
    if (law_.has_integral) {
      const double more = period * error_[i];
      const double total = wanted + gains_.integral[i] * (integral[i] + more);
      if (std::abs(total) <= limit || total * more < 0.0) integral[i] += more;
      wanted += gains_.integral[i] * integral[i];
    }
    efforts_[i] = std::clamp(wanted, -limit, limit);
  }
}

}  // namespace vinci
