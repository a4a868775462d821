// SPDX-License-Identifier: Apache-2.0
// The digital PD with feed-forward in coordinates of a tip [Bortoff 2020, section 4]: forward
// kinematics of what the drives' coordinates say, loops closed numerically, then eq. (11), then the
// efforts that give the tip this acceleration, and hold the mechanism against gravity.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "vinci/control/blocks.h"
#include "vinci/control/robot.h"

namespace vinci {

struct TaskPdSetup {
  Tip tip;
  std::vector<int> axes;    // of the world, 0..2
  std::vector<int> rates;   // joint rates that it drives
  std::vector<int> others;  // that something else drives
  VectorX limits;           // N, N m per rate; infinite: none
  double filter = 0.0;      // s
  double sample_time = 0.0;
};

// Inputs: r, r', r'', f, kp, kd of the axes, then the coordinates of the driven joints. Outputs:
// efforts of the drives, y along the axes (m), u along them (m/s²): with J of the tip and M of the
// mechanism, τ = Jᵀ (J M⁻¹ Jᵀ)⁻¹ u + g, cut off. What velocities take besides is left out. Memory:
// that of the PD, then coordinates of all joints, near which the loops are closed next.
class TaskPdBlock : public SignalBlock {
 public:
  enum List { reference, rate, acceleration, force, proportional, derivative_gain, lists };

  TaskPdBlock(const Model& model, TaskPdSetup setup);

  int inputs() const override { return lists * axes() + drives(); }
  int outputs() const override { return drives() + 2 * axes(); }
  int memory_size() const override;
  double sample_time() const override { return setup_.sample_time; }
  std::optional<GainInputs> gains() const override;
  void begin(Eigen::Ref<VectorX> memory) const override;
  void begin_at(const Signals& input, Eigen::Ref<VectorX> memory) const override;
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;

 private:
  int axes() const { return static_cast<int>(setup_.axes.size()); }
  int drives() const { return static_cast<int>(setup_.rates.size()); }
  VectorX close(const Signals& coordinates, const Signals& input) const;
  VectorX measured() const;  // y, where the robot is
  VectorX pd_input(const Signals& input, const VectorX& measured) const;

  TaskPdSetup setup_;
  DigitalPdBlock pd_;
  mutable std::mutex guard_;  // of the robot, which is moved to be asked
  mutable Robot robot_;
};

}  // namespace vinci
