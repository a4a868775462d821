// SPDX-License-Identifier: Apache-2.0
// A mechanism whose base is held: its kinematics and dynamics as functions of the coordinates and
// rates of all its joints, in the order of State::joint_positions and joint_rates.
#pragma once

#include <string>

#include "vinci/kinematics/tree_dynamics.h"
#include "vinci/model/state.h"

namespace vinci {

// A frame fixed to a body, such as that of a tool.
struct Tip {
  int body = 0;
  Pose frame = {};  // in the body's frame
};

// Where it is and how it moves.
struct JointState {
  VectorX positions, rates;
};

// What a Robot needs of a model: all but shapes and what acts besides joints and gravity.
Model mechanism_of(const Model& model);

class Robot {
 public:
  // The bodies that nothing hangs on stay where they are: fixed, driven or free ones. Throws Error
  // where the joints close a loop, which has no coordinates of its own. The model is copied.
  explicit Robot(const Model& model);
  Robot(const Robot&) = delete;  // its tree refers to its model
  Robot& operator=(const Robot&) = delete;

  const Model& model() const { return model_; }
  int coordinates() const { return model_.joint_coordinate_count; }
  int rates() const { return model_.joint_rate_count; }
  // Coordinates at the start of the scene; rates at rest.
  JointState start() const;
  // The frame of a body by its name; Error where there is none.
  Tip tip(const std::string& body, const Pose& frame = {}) const;
  // Of free coordinates: what they are within, infinite where nothing bounds them.
  double lower(int rate) const { return freedom(rate).lower; }
  double upper(int rate) const { return freedom(rate).upper; }
  const JointFreedom& freedom(int rate) const;
  const Joint& joint_of(int rate) const;
  // Coordinate of a rate, or −1 of a ball.
  int coordinate_of(int rate) const { return coordinate_[static_cast<std::size_t>(rate)]; }

  // The rates that efforts drive; all before it is called.
  void set_driven(const std::vector<int>& rates);
  // Bodies without a joint are there, as in a state of a simulation.
  void set_bases(const std::vector<Pose>& poses);
  // Everything below is at this configuration. Quaternions of balls are normalised.
  void place(const VectorX& positions);
  void place(const VectorX& positions, const VectorX& rates);
  // Coordinates that follow from those of the held rates, by couplings; in place.
  void close(VectorX& positions, const std::vector<int>& held) const;
  // Coordinates moved by steps along the rates.
  void advance(VectorX& positions, const VectorX& steps) const;

  Pose pose(const Tip& tip) const;
  Twist velocity(const Tip& tip) const;  // of the tip's origin
  // Of the tip's origin: rows of its velocity, then of the angular one; a column per joint rate.
  void jacobian(const Tip& tip, MatrixX& jacobian);

  // Efforts along the joint rates (N, N m) for these accelerations, against gravity; limits,
  // friction, springs and dampers of joints are left out.
  void inverse_dynamics(const VectorX& accelerations, VectorX& efforts);
  // Efforts along the driven rates for accelerations of these, in place, with what springs and
  // dampers of joints take; the other joints keep their rates.
  void drive_efforts(const std::vector<int>& driven, VectorX& numbers);
  // Efforts that hold it against gravity.
  void gravity_efforts(VectorX& efforts);
  // Accelerations of the joint rates under efforts; false if something weighs nothing.
  bool forward_dynamics(const VectorX& efforts, VectorX& accelerations);
  void mass_matrix(MatrixX& mass);

 private:
  void to_unknowns(const VectorX& along_rates, VectorX& unknowns) const;
  void to_rates(const VectorX& unknowns, VectorX& along_rates) const;

  Model model_;
  std::vector<int> joint_, coordinate_;  // per rate
  std::vector<int> driven_;
  std::vector<Pose> poses_;
  VectorX positions_, rates_, velocities_, weights_, still_, resting_, unknowns_, answer_, all_;
  Tree tree_;
  TreeDynamics dynamics_;
  TreeMatrix mass_;
  MatrixX dense_;
};

}  // namespace vinci
