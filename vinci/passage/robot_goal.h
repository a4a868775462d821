// SPDX-License-Identifier: Apache-2.0
// Configurations of a goal: within ranges of joint coordinates, or with a tip within ranges of its
// pose, by inverse kinematics. Private to passage/.
#pragma once

#include <functional>
#include <optional>

#include "vinci/passage/mechanism.h"
#include "vinci/passage/robot_passage.h"

namespace vinci {

// What has too little room at a configuration, in words.
std::string why_blocked(Mechanism& mechanism, const VectorX& x, double clearance);

class RobotGoal {
 public:
  RobotGoal(Mechanism& mechanism, const RobotPassageQuery& query);

  bool holds(const VectorX& x);
  // Looks for configurations of the goal and hands them to `is_free`; one or more that are must be
  // there before draw(). Otherwise says what is wrong: unreachable or goal blocked.
  struct Finding {
    PassageStatus status = PassageStatus::found;  // found: there are free ones
    std::string note;
  };
  Finding find(const VectorX& start, const std::function<bool(const VectorX&)>& is_free);
  VectorX draw(const std::function<double()>& number) const;

 private:
  Finding find_joints(const VectorX& start, const std::function<bool(const VectorX&)>& is_free);
  Finding find_tips(const VectorX& start, const std::function<bool(const VectorX&)>& is_free);
  std::optional<std::string> proof_of_distance();
  Pose nearest_pose(const Pose& pose) const;
  VectorX configuration_of(const VectorX& joint_positions) const;

  Mechanism& mechanism_;
  const RobotPassageQuery& query_;
  bool has_tip_ = false, has_turns_ = false, has_shifts_ = false;
  Tip tip_;
  Body frame_;  // with the coordinates that the tip's pose has
  std::array<CoordinateRange, coordinate_count> pose_;  // of the tip
  std::array<bool, coordinate_count> asked_{};          // coordinates of the tip
  std::vector<std::vector<CoordinateRange>> joints_;    // per coordinate: one range, or several
  std::vector<VectorX> configurations_;                 // free ones, of tips
};

}  // namespace vinci
