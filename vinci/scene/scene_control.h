// SPDX-License-Identifier: Apache-2.0
// Controllers and trajectories of a scene: their keys, and what they are in the model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vinci/control/robot.h"
#include "vinci/control/sequence.h"
#include "vinci/scene/scene_data.h"
#include "vinci/scene/scene_shapes.h"

namespace vinci {

inline constexpr std::size_t max_controllers = 1000;    // and trajectories
inline constexpr std::size_t max_path_pieces = 1000;    // of a trajectory
inline constexpr std::size_t max_tip_paths = 200;       // lines and circles of a scene
inline constexpr std::size_t max_joints_of_a_tip = 64;  // that lead it along

// The sections `controllers`, `trajectories` and `signals`.
std::vector<SceneKey> control_sections(World world);

// The joints that a controller or a trajectory is about.
struct JointChoice {
  std::string robot;       // "": none was named
  std::vector<int> rates;  // of the model
};

// Reads `robot`, `joints`, and what is given per joint. Throws Impossible.
class JointChooser {
 public:
  JointChooser(const Numbers& numbers, const Model& model);

  // Without `joints` all of the robot, or of the scene, that have coordinates and do not follow
  // others by a coupling.
  JointChoice choice(const Node& node) const;
  // A number for all, a list of one per rate, or by joint: others have those of `otherwise`.
  VectorX values(const Node& node, const JointChoice& choice, const VectorX& otherwise) const;
  const Joint& joint_of(int rate) const;
  const JointFreedom& freedom(int rate) const;
  int rate_of(int joint) const { return model_.joints[static_cast<std::size_t>(joint)].first_rate; }
  // "arm.elbow"; of several freedoms "wrist, freedom 1".
  std::string name(int rate) const;
  // At the start of the scene; of rates of balls 0.
  double start(int rate) const { return freedom(rate).position; }
  void check_limits(const Node& where, const JointChoice& choice, const VectorX& positions,
                    const std::string& when) const;

 private:
  int find(const std::string& name, const JointChoice& choice) const;

  const Numbers& numbers_;
  const Model& model_;
  std::vector<int> joint_;         // per rate
  std::vector<char> closes_loop_;  // per joint
};

struct SceneTrajectory {
  JointChoice choice;
  std::shared_ptr<const Sequence> sequence;
};

// The key `tip` of what leads one, and the frame that it means.
SceneKey tip_key(World world);
Tip read_tip(const Node& node, const Model& model, const ShapeReader& read);

// One trajectory after the other.
class TrajectoryReader {
 public:
  TrajectoryReader(const Numbers& numbers, const Model& model, const ShapeReader& read);
  SceneTrajectory trajectory(const Node& node);  // throws Impossible

 private:
  struct Limits {
    VectorX velocity, acceleration, jerk;  // per rate; infinite: none
  };
  Limits limits(const Node& node, const Limits& outer, const JointChoice& choice) const;
  std::vector<MotionLimits> joint_limits(const Node& piece, const Limits& limits,
                                         const JointChoice& choice) const;
  PoseLimits pose_limits(const Node& piece) const;
  void add_piece(const Node& piece, const Limits& outer, const JointChoice& choice,
                 Sequence& sequence);
  std::shared_ptr<const Trajectory> spline(const Node& node, const Node& piece,
                                           const Limits& limits, const JointChoice& choice,
                                           const VectorX& start) const;
  std::shared_ptr<const Trajectory> tip_path(const Node& node, const Limits& limits,
                                             const JointChoice& choice, const VectorX& start);

  const Numbers& numbers_;
  const Model& model_;
  const ShapeReader& read_;
  JointChooser joints_;
  std::optional<Robot> robot_;  // made when a tip is led
  std::size_t tip_paths_ = 0;
};

// Adds the controllers to the model, then the network of signals (scene_signals.h). Sections whose
// numbers are right, or null. False after a mistake.
struct ControlSections {
  const Node *trajectories = nullptr, *controllers = nullptr, *signals = nullptr;
};
bool read_controls(const ControlSections& sections, const SceneData& scene, const Numbers& numbers,
                   Mistakes& mistakes, Model& model);

}  // namespace vinci
