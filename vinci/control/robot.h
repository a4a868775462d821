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

// Joints that close loops and couplings are closed numerically: their rows G hold G u = 0 of all
// rates u, and what can move are combinations of the others. Efforts act along the driven rates
// (set_driven); those that something else drives keep their rates; all others go along as loops,
// couplings and their own inertia have it.
class Robot {
 public:
  // The bodies that nothing hangs on stay where they are: fixed, driven or free ones. The model is
  // copied.
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

  // The rates that efforts drive (none: all that do not follow by a coupling), and those that
  // something else does, besides those of joints with motors.
  void set_driven(const std::vector<int>& rates, const std::vector<int>& others = {});
  bool is_driven(int rate) const;

  // Bodies without a joint are there, as in a state of a simulation.
  void set_bases(const std::vector<Pose>& poses);
  // Everything below is at this configuration, which closes the loops (close()). Quaternions of
  // balls are normalised.
  void place(const VectorX& positions);
  void place(const VectorX& positions, const VectorX& rates);
  // Coordinates moved by steps along the rates.
  void advance(VectorX& positions, const VectorX& steps) const;

  // Rows of loops and couplings; of a mechanism without any 0.
  int closures() const { return closures_; }
  // At these coordinates, where it is left: openings in m, rad or units of coordinates, and G.
  void openings(const VectorX& positions, VectorX& errors);
  void closure_rows(MatrixX& rows);  // where it is
  // Forward kinematics: the coordinates that close loops and couplings while those of the held
  // rates stay, by Newton's method from the given ones. Returns the largest opening left; the robot
  // is left there.
  double close(VectorX& positions, const std::vector<int>& held);
  // Rates of all joints that follow from those of the driven ones; the least where these leave
  // some open.
  void complete_rates(VectorX& rates);

  Pose pose(const Tip& tip) const;
  Twist velocity(const Tip& tip) const;  // of the tip's origin
  // Of the tip's origin: rows of its velocity, then of the angular one; a column per joint rate,
  // as if each moved alone (loops open: that of a joint that closes one is zero).
  void jacobian(const Tip& tip, MatrixX& jacobian);

  // Efforts along the driven rates (N, N m; others 0) for accelerations of these, against gravity;
  // limits, friction, springs and dampers of joints are left out.
  void inverse_dynamics(const VectorX& accelerations, VectorX& efforts);
  // The same of a list over some rates, in place, with what springs and dampers of joints take.
  void drive_efforts(const std::vector<int>& driven, VectorX& numbers);
  // Efforts along the driven rates that hold it against gravity.
  void gravity_efforts(VectorX& efforts);
  // Efforts along the driven rates that accelerate the tip's origin from rest along axes of the
  // world (0..2), without gravity: Jᵀ (J M⁻¹ Jᵀ)⁻¹ a of what can move. Where fewer axes are asked
  // for than there are drives, those whose motion takes the least energy.
  void tip_efforts(const Tip& tip, const std::vector<int>& axes, const VectorX& accelerations,
                   VectorX& efforts);
  // Accelerations of the joint rates under efforts; false if something weighs nothing.
  bool forward_dynamics(const VectorX& efforts, VectorX& accelerations);
  void mass_matrix(MatrixX& mass);  // of the joint rates, loops open

 private:
  void to_unknowns(const VectorX& along_rates, VectorX& unknowns) const;
  void to_rates(const VectorX& unknowns, VectorX& along_rates) const;
  bool is_plain() const;  // no closures, and all rates are driven by something
  void count_closures();
  void rows_at(const std::vector<Pose>& poses, const Tree& tree, const VectorX& positions,
               VectorX* errors, MatrixX* rows);
  void add_loop_rows(const std::vector<Pose>& poses, const Tree& tree, const VectorX& positions,
                     int joint, int& row, VectorX* errors, MatrixX* rows);
  void find_free_motions();
  void find_bias(bool with_springs, VectorX& bias);
  VectorX particular_accelerations();
  void solve_driven(const VectorX& accelerations, const VectorX& bias, VectorX& efforts);
  bool forward_in_loops(const VectorX& forces, VectorX& accelerations);

  Model model_;
  std::vector<int> joint_, coordinate_;  // per rate
  std::vector<char> driven_, held_;      // per rate: by the efforts, by something else
  std::vector<int> loops_;               // joints that close loops
  int closures_ = 0;
  std::vector<Pose> poses_;
  VectorX positions_, rates_, velocities_, weights_, still_, resting_, unknowns_, answer_, all_;
  Tree tree_;
  TreeDynamics dynamics_;
  TreeMatrix mass_;
  MatrixX dense_, closure_, free_;  // G, and a basis of what it leaves
};

}  // namespace vinci
