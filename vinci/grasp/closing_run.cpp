// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/closing_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr double lag = 0.02;  // of the speed, at the limit
constexpr double still_speed = 1e-3, still_shift = 1e-3, still_turn = 1e-2;  // share, m/s, rad/s
constexpr double still_time = 0.05;                                          // s

double limit_of(const Joint& joint, const ClosingRun& run) {
  return run.limit > 0.0 ? run.limit : joint.freedoms[0].motor.limit;
}

const Joint& joint_of(const Model& model, int joint) {
  return model.joints[static_cast<std::size_t>(joint)];
}

}  // namespace

std::map<std::string, VelocityServo> closing_servos(const Model& model, const ClosingRun& run) {
  std::map<std::string, VelocityServo> servos;
  for (const ClosingJoint& closing : run.joints) {
    const Joint& joint = joint_of(model, closing.joint);
    const double limit = limit_of(joint, run);
    const bool has_motor = joint.freedoms[0].motor.kind != MotorKind::none || run.limit > 0.0;
    if (!has_motor || !std::isfinite(limit) || !(limit > 0.0))
      throw Error(fmt::format("'{}' has no limit of its motor, and would push without end; "
                              "accepted: `limit` of its motor in the scene, or --effort",
                              joint.name),
                  "joints");
    servos[joint.name] = {closing.direction * run.speed, limit / (lag * run.speed), limit};
  }
  return servos;
}

RestWatcher::RestWatcher(const ClosingRun& run, double step) : run_(run) {
  needed_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(still_time / step)));
}

void RestWatcher::after_step(const Simulation& simulation) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  bool still = std::all_of(run_.joints.begin(), run_.joints.end(), [&](const ClosingJoint& joint) {
    return std::abs(state.joint_rates[joint_of(model, joint.joint).first_rate]) <=
           still_speed * run_.speed;
  });
  if (run_.object >= 0) {
    const Twist twist = body_twist(model, state.velocities, run_.object);
    still = still && twist.linear.norm() <= still_shift && twist.angular.norm() <= still_turn;
  }
  still_ = still ? still_ + 1 : 0;
}

std::vector<ClosedJoint> closed_joints(const Simulation& simulation, const ClosingRun& run,
                                       const State& start) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  std::vector<ClosedJoint> result;
  const auto add = [&](int number, bool driven) {
    const Joint& joint = joint_of(model, number);
    ClosedJoint closed;
    closed.joint = number;
    closed.driven = driven;
    closed.start = start.joint_positions[joint.first_coordinate];
    closed.position = state.joint_positions[joint.first_coordinate];
    closed.time = state.time;
    const JointFreedom& freedom = joint.freedoms[0];
    // Limits are foreseen like gaps: a joint that stands at one is there to rounding.
    const auto stands_at = [&](double limit) {
      return std::isfinite(limit) &&
             std::abs(closed.position - limit) <= 1e-9 * (1.0 + std::abs(limit));
    };
    const double rate = std::abs(state.joint_rates[joint.first_rate]);
    const SolvedJoint& solved = simulation.joints()[static_cast<std::size_t>(number)];
    const double effort = std::abs(solved.motor[0]) / simulation.step_size();
    if (stands_at(freedom.lower) || stands_at(freedom.upper))
      closed.reason = StopReason::limit;
    else if (rate > still_speed * run.speed)
      closed.reason = StopReason::none;
    else if (driven && effort >= 0.99 * limit_of(joint, run))
      closed.reason = StopReason::effort;
    else
      closed.reason = StopReason::rest;
    result.push_back(closed);
  };
  const auto is_listed = [&](int number) {
    return std::any_of(result.begin(), result.end(),
                       [&](const ClosedJoint& closed) { return closed.joint == number; });
  };
  for (const ClosingJoint& closing : run.joints) add(closing.joint, true);
  for (bool grown = true; grown;) {
    grown = false;
    for (const Coupling& coupling : model.couplings)
      if (is_listed(coupling.joint_a) != is_listed(coupling.joint_b)) {
        add(is_listed(coupling.joint_a) ? coupling.joint_b : coupling.joint_a, false);
        grown = true;
      }
  }
  return result;
}

}  // namespace vinci
