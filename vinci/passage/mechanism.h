// SPDX-License-Identifier: Apache-2.0
// Joints that move among bodies that stand still: their coordinates x, and how much room the bodies
// have around a configuration and all through a motion.
//
// Around a configuration lies a tube: every coordinate within ± tube of it. A freedom k moves a
// point of a body by at most tube_k times its lever: for a turn the distance of the point from the
// axis, which the freedoms after k can enlarge by no more than what they move the point themselves.
// So no point of body i moves farther against body j than
//   S = Σ_k tube_k lever_k,   lever_k <= distance now + Σ_{m after k} tube_m lever_m,
// over the freedoms between the two. Their gap is a distance: where it exceeds the gap to keep by S
// now, it is kept in the whole tube [Schwarzer, Saha, Latombe 2005].
#pragma once

#include <string>
#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/control/trajectory.h"
#include "vinci/kinematics/recursive.h"

namespace vinci {

struct MechanismChoice {
  std::vector<int> joints;  // that may move; others stand still unless a coupling moves them
  std::vector<std::pair<int, int>> carried = {};  // bodies, and what each of them moves along with
};

// One coordinate of x: a freedom of a joint that follows no other.
struct MovingCoordinate {
  std::string name;          // of the joint; of its freedom k where it has several: "wrist.0"
  int rate = 0;              // of State::joint_rates
  bool turns = true;         // rad, or m
  bool is_ball = false;      // one of three: the rotation vector from the start
  double lower = -infinity;  // limits of the joint and of those that follow it
  double upper = infinity;
  double weight = 1.0;      // m per unit: how far it moves a body
  MotionLimits limits;      // of joints that follow as well
  bool has_limits = false;  // a velocity was given
  bool wraps = false;       // turns without limits: goals count modulo full turns
};

// How much room there is around a configuration.
struct Room {
  double share = infinity;  // of the tube that certainly keeps the gaps; >= 1: all of it
  double free = infinity;  // m: the least of what gaps exceed those to keep by, less than asked for
  double gap = infinity;   // m, of the two bodies with the least
  int body_a = -1, body_b = -1;
};

class Mechanism {
 public:
  // Other joints and bodies stand where the scene begins. Throws Error where nothing moves, a loop
  // would have to move, or a body that moves has a shape without end.
  Mechanism(const Model& model, CollisionDetector& detector, const MechanismChoice& choice);
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;

  // With its tree: bodies that move hang on joints, all others are held.
  const Model& model() const { return model_; }
  int size() const { return static_cast<int>(coordinates_.size()); }
  const std::vector<MovingCoordinate>& coordinates() const { return coordinates_; }
  MovingCoordinate& coordinate(int k) { return coordinates_[static_cast<std::size_t>(k)]; }
  const VectorX& start() const { return start_; }
  bool has_balls() const { return has_balls_; }
  // The coordinate that moves a joint rate, or −1; and how many of it.
  int coordinate_of(int rate) const { return moved_[static_cast<std::size_t>(rate)].coordinate; }
  double ratio_of(int rate) const { return moved_[static_cast<std::size_t>(rate)].ratio; }

  // State::joint_positions and joint_rates, from x and its derivative.
  VectorX joint_positions(const VectorX& x) const;
  VectorX joint_rates(const VectorX& x, const VectorX& change) const;
  // Per joint rate: its coordinate, of a ball the rotation vector from the start.
  VectorX along_rates(const VectorX& x) const;
  void place(const VectorX& x);
  const std::vector<Pose>& poses() const { return poses_; }
  // Packed velocities of all bodies at the placed configuration.
  VectorX velocities(const VectorX& joint_rates) const;

  // Two bodies that both move keep this gap to each other where it is less than that asked for.
  void set_own_gap(double gap) { own_gap_ = gap; }
  // Two bodies that do not move against each other are not looked at. Whether all others keep gaps
  // of `least` m, and `margin` more: `free` is negative where not.
  Room room(const VectorX& x, double least, double margin);
  // The same in a whole tube.
  Room room(const VectorX& x, const VectorX& tube, double least);
  // The least gap to a body that stands still, or `reach` if that is less, m.
  double gap(const VectorX& x, double reach);
  // Every configuration between a and b keeps gaps of at least `least`. False also where the
  // certificate would need room below `resolution`.
  bool is_kept(const VectorX& a, const VectorX& b, double least, double resolution);
  // The same for a trajectory over x. `peaks` are bounds of its accelerations.
  bool is_kept(const Trajectory& way, const VectorX& peaks, double least, double resolution);
  // Moves a configuration that lacks room out, by the least change that all contacts ask for, again
  // and again. False if that does not succeed.
  bool push_out(VectorX& x, double least, double margin);
  // No point of a body travels farther from a to b, m.
  double travel(const VectorX& a, const VectorX& b);
  // The largest weight, m.
  double radius() const { return radius_; }
  long queries() const { return queries_; }

 private:
  struct Moved {  // per joint rate
    int coordinate = -1;
    double ratio = 0.0, offset = 0.0;
  };
  struct Step {  // a freedom that moves a body; of a ball all three
    int joint = 0, rate = 0;
    bool is_ball = false;
    bool operator==(const Step&) const = default;
  };
  struct Sphere {
    Vector3 center;  // body frame
    double radius = 0.0;
  };
  struct Link {
    int body = 0;
    std::vector<Step> chain;  // the last freedom first
    std::vector<Sphere> spheres;
    VectorX travels;  // of the first freedoms of the chain, summed
  };

  void find_moved(const MechanismChoice& choice, const State& state);
  void find_links();
  void refuse_loops() const;
  void hold_others();
  void find_spheres(Link& link) const;
  void weigh();
  std::vector<Step> chain_of(int body) const;
  Pose pose_of(int body) const;
  double tube_of(const Step& step, const VectorX& tube) const;
  double lever(const Link& link, const Step& step, double moved) const;
  void find_travels(const VectorX& tube);
  double travel_between(int body_a, int body_b) const;
  double gap_to_keep(const Contact& contact, double least) const;
  void detect(double reach);
  Vector3 point_rate(const Step& step, int freedom, const Vector3& point) const;
  template <class At>
  bool is_covered(double end, double least, double resolution, const At& at);

  Model model_;
  CollisionDetector& detector_;
  std::vector<MovingCoordinate> coordinates_;
  std::vector<Moved> moved_;
  bool has_balls_ = false;
  VectorX start_, start_positions_, positions_, no_tube_;
  std::vector<Pose> poses_;
  std::vector<Link> links_;
  std::vector<int> link_of_;               // per body, or −1
  std::vector<std::vector<int>> between_;  // per pair of links: steps of the first chain alone
  std::vector<JointAxes> axes_;            // per joint, at the placed configuration
  std::vector<Vector3> points_;
  std::vector<double> reach_;
  ContactSet contacts_;
  std::vector<std::pair<double, double>> uncovered_;
  double radius_ = 0.0, own_gap_ = infinity;
  long queries_ = 0;
};

}  // namespace vinci
