// SPDX-License-Identifier: Apache-2.0
// Memory: the time of the next sample, the efforts that are held, and the integral of a PID.
#include "vinci/control/controllers.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_efforts.h"

namespace vinci {

JointController::JointController(const Model& model, JointLaw law, JointGains gains,
                                 std::shared_ptr<const Trajectory> reference)
    : robot_(model), law_(law), gains_(std::move(gains)), reference_(std::move(reference)) {
  const int count = robot_.rates();
  const auto fill = [&](VectorX& list, double value, const char* name) {
    if (list.size() == 0) list = VectorX::Constant(count, value);
    if (list.size() != count)
      throw Error(fmt::format("{} numbers; accepted: one per joint rate, {}", list.size(), count),
                  name);
    for (const double number : list)
      if (!(number >= 0.0))
        throw Error(fmt::format("{}; accepted: numbers that are not negative", number), name);
  };
  fill(gains_.proportional, 0.0, "proportional");
  fill(gains_.derivative, 0.0, "derivative");
  fill(gains_.integral, 0.0, "integral");
  fill(gains_.limits, infinity, "limits");
  if (!(gains_.sample >= 0.0) || !std::isfinite(gains_.sample))
    throw Error(fmt::format("{} s; accepted: 0, every step, or a time", gains_.sample), "sample");
  if (reference_ && reference_->size() != count)
    throw Error(
        fmt::format("{} coordinates; accepted: one per joint rate, {}", reference_->size(), count),
        "reference");
  point_.position.setZero(count);
  const JointState start = robot_.start();
  for (int i = 0; i < count; ++i)
    if (robot_.coordinate_of(i) >= 0) point_.position[i] = start.positions[robot_.coordinate_of(i)];
  point_.velocity.setZero(count);
  point_.acceleration.setZero(count);
  error_.setZero(count);
  efforts_.setZero(count);
}

int JointController::memory_size() const {
  return 1 + robot_.rates() * (law_ == JointLaw::pid ? 2 : 1);
}

void JointController::act(const Model& model, const State& state, double h,
                          Eigen::Ref<VectorX> forces, Eigen::Ref<VectorX> memory) {
  const int count = robot_.rates();
  auto held = memory.segment(1, count);
  const double period = gains_.sample > 0.0 ? gains_.sample : h;
  // A rounding of the time does not put a sample off by a step.
  if (gains_.sample == 0.0 || state.time >= memory[0] - 1e-9 * period) {
    sample(state, period, memory.tail(law_ == JointLaw::pid ? count : 0));
    held = efforts_;
    memory[0] = period * (std::floor(state.time / period + 1e-9) + 1.0);
  }
  efforts_ = held;
  add_joint_efforts(model, state.poses, efforts_, forces);
}

void JointController::sample(const State& state, double period, Eigen::Ref<VectorX> integral) {
  const int count = robot_.rates();
  if (reference_) reference_->at(state.time, point_);
  for (int i = 0; i < count; ++i) {
    const int at = robot_.coordinate_of(i);
    error_[i] = at < 0 ? 0.0 : point_.position[i] - state.joint_positions[at];
  }
  rate_error_ = point_.velocity - state.joint_rates;
  wanted_ = gains_.proportional.cwiseProduct(error_) + gains_.derivative.cwiseProduct(rate_error_);
  if (law_ == JointLaw::gravity_compensation || law_ == JointLaw::computed_torque) {
    robot_.set_bases(state.poses);
    robot_.place(state.joint_positions, state.joint_rates);
  }
  if (law_ == JointLaw::gravity_compensation) {
    robot_.gravity_efforts(efforts_);
    wanted_ += efforts_;
  } else if (law_ == JointLaw::computed_torque) {
    wanted_ += point_.acceleration;
    robot_.inverse_dynamics(wanted_, efforts_);
    wanted_ = efforts_;
  }
  for (int i = 0; i < count; ++i) {
    const double limit = gains_.limits[i];
    if (law_ == JointLaw::pid) {
      const double more = period * error_[i], before = wanted_[i];
      const double total = before + gains_.integral[i] * (integral[i] + more);
      if (std::abs(total) <= limit || total * more < 0.0) integral[i] += more;
      wanted_[i] = before + gains_.integral[i] * integral[i];
    }
    efforts_[i] = std::clamp(wanted_[i], -limit, limit);
  }
}

}  // namespace vinci
