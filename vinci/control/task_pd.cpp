// SPDX-License-Identifier: Apache-2.0
// The model of the robot is asked at every sample.
#include "vinci/control/task_pd.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

TaskPdBlock::TaskPdBlock(const Model& model, TaskPdSetup setup)
    : setup_(std::move(setup)),
      pd_(static_cast<int>(setup_.axes.size()), setup_.filter, setup_.sample_time),
      robot_(mechanism_of(model)) {
  const char* where = "task PD";
  for (const int axis : setup_.axes)
    if (axis < 0 || axis > 2)
      throw Error(fmt::format("axis {}; accepted: 0, 1 and 2", axis), where);
  for (const int rate : setup_.rates)
    if (rate < 0 || rate >= robot_.rates() || robot_.coordinate_of(rate) < 0)
      throw Error(fmt::format("joint rate {} has no coordinate; accepted: others", rate), where);
  if (drives() < axes())
    throw Error(fmt::format("{} joints lead the tip along {} axes; accepted: at least as many "
                            "joints",
                            drives(), axes()),
                where);
  if (setup_.limits.size() == 0) setup_.limits = VectorX::Constant(drives(), infinity);
  if (setup_.limits.size() != drives())
    throw Error(
        fmt::format("{} limits for {} joints; accepted: one each", setup_.limits.size(), drives()),
        where);
  robot_.set_driven(setup_.rates, setup_.others);
}

int TaskPdBlock::memory_size() const {
  return pd_.memory_size() + robot_.coordinates();
}

std::optional<GainInputs> TaskPdBlock::gains() const {
  return GainInputs{proportional * axes(), derivative_gain * axes(), axes()};
}

// Leaves the robot at coordinates that close its loops.
VectorX TaskPdBlock::close(const Signals& coordinates, const Signals& input) const {
  VectorX positions = coordinates;
  for (int i = 0; i < drives(); ++i)
    positions[robot_.coordinate_of(setup_.rates[static_cast<std::size_t>(i)])] =
        input[lists * axes() + i];
  robot_.close(positions, setup_.rates);
  return positions;
}

VectorX TaskPdBlock::measured() const {
  const Pose pose = robot_.pose(setup_.tip);
  VectorX y(axes());
  for (int i = 0; i < axes(); ++i) y[i] = pose.position[setup_.axes[static_cast<std::size_t>(i)]];
  return y;
}

VectorX TaskPdBlock::pd_input(const Signals& input, const VectorX& measured) const {
  VectorX all(pd_.inputs());
  all << input.head(4 * axes()), measured, input.segment(proportional * axes(), 2 * axes());
  return all;
}

void TaskPdBlock::begin(Eigen::Ref<VectorX> memory) const {
  const std::lock_guard lock(guard_);
  memory.tail(robot_.coordinates()) = robot_.start().positions;
  memory.head(axes()).setZero();
}

void TaskPdBlock::begin_at(const Signals& input, Eigen::Ref<VectorX> memory) const {
  const std::lock_guard lock(guard_);
  memory.tail(robot_.coordinates()) = close(robot_.start().positions, input);
  memory.head(axes()) = measured();
}

void TaskPdBlock::output(const Signals& memory, const Signals& input,
                         Eigen::Ref<VectorX> output) const {
  const std::lock_guard lock(guard_);
  close(memory.tail(robot_.coordinates()), input);
  const VectorX y = measured();
  VectorX u(axes()), holding, moving;
  pd_.output(memory.head(axes()), pd_input(input, y), u);
  robot_.gravity_efforts(holding);
  robot_.tip_efforts(setup_.tip, setup_.axes, u, moving);
  for (int i = 0; i < drives(); ++i) {
    const int rate = setup_.rates[static_cast<std::size_t>(i)];
    output[i] = std::clamp(holding[rate] + moving[rate], -setup_.limits[i], setup_.limits[i]);
  }
  output.segment(drives(), axes()) = y;
  output.tail(axes()) = u;
}

void TaskPdBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  const std::lock_guard lock(guard_);
  memory.tail(robot_.coordinates()) = close(memory.tail(robot_.coordinates()), input);
  pd_.sample(pd_input(input, measured()), memory.head(axes()));
}

}  // namespace vinci
