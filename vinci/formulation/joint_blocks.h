// SPDX-License-Identifier: Apache-2.0
// Rows of joints and couplings. With q̇ the rate of a freedom, δ what drivers contribute to it, q
// its coordinate where drivers have moved, h the step and τ = h (λ an impulse) or 1 (a force):
//
//   constraint  0 = J (u − uˡ) + (g(uˡ) − g)/h, g(uˡ) the error where the velocities of the start
//               lead: the bodies are together at the end, but for the change of the velocities
//   limits      0 <= λ ⟂ q̇ − δ + (q − q_low)/h >= 0, likewise above; restitution as at contacts
//   friction    |λ| <= τ c, and λ opposes q̇ where it is at a bound: a freedom may stick
//   yielding    λ = −J (q̇ − q̇ˡ) − τ d q̇ − τ k (q − rest): armature, damping, spring
//   servo       λ = −τ k (q − q*) − τ d (q̇ − v*), cut off at ± τ limit
//   coupling    likewise of q_b − ratio q_a, cut off at ± τ breakaway, where it slips
//
// What a joint is open by at the start of a step moves nothing: joints are closed in positions at
// the end (joint_closure.h). A limit is reached and not overrun. Springs, dampers and servos are
// implicit: symmetric in time where the step resolves them, so that they add no damping of their
// own, and of the end of the step where it does not, so that gains may be of any size. What is
// never cut off is linear: along freedoms that are unknowns themselves (reduced coordinates) it
// stands beside M and p, elsewhere it is an equality row with compliance. What may be cut off is a
// box with compliance.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/formulation/velocity_row.h"
#include "vinci/model/state.h"

namespace vinci {

// A step that flies up to an impact (stepping/impact_time.h). What flies moves by the mean of its
// velocities before and after, u and u', and its rows are those of the middle of the flight, so
// that
//
//   equality    0 = J (u + u') + 2 g/h,  g the error at the start
//
// which is of second order; J u' = 0 is made up for at the end. Other rows are those of a step.
struct JointFlight {
  const State& start;
  const std::vector<Pose>& placed;    // of the start, with the prescribed coordinates at its end
  const VectorX& before;              // u
  const std::vector<char>& flying;    // per body
  std::span<const EntityKey> limits;  // that take part, ascending
  bool coasts = false;                // too short to solve for anything but what flies

  bool flies(const Joint& joint) const {
    const auto is_flying = [&](int b) { return b >= 0 && flying[static_cast<std::size_t>(b)]; };
    return is_flying(joint.body_a) || is_flying(joint.body_b);
  }
};

// Velocities at an instant: of an impact, or to be brought in line with the joints.
struct JointInstant {
  const VectorX& before;                    // unknowns
  const VectorX& carried;                   // packed velocities by prescribed coordinates alone
  std::span<const EntityKey> limits = {};   // that take part, ascending
  const std::vector<char>* only = nullptr;  // per body: joints of these alone
  bool impact = true;                       // armature resists
};

// A stage of a step of second order (stepping/second_order.h): rows are those of the velocities at
// its end. Of the step, `state` holds the time of its start, the coordinates from which rates over
// h lead to those of the end, and the rates before; bodies are placed where its end is foreseen.
struct JointStage {
  const VectorX& rates;               // of joints, foreseen at its end
  const VectorX& carried;             // packed velocities by prescribed coordinates alone, there
  std::span<const EntityKey> limits;  // that take part, ascending
  const std::vector<char>* only = nullptr;  // per body: joints of these alone
};

// What a step knows of its joints.
struct JointStep {
  const Model& model;
  const State& state;               // at its start
  const std::vector<Pose>& placed;  // with the prescribed coordinates at its end
  const Tree& tree;                 // there
  double h = 0.0;
  double time = 0.0;     // τ
  bool momentum = true;  // rates of the start count
  bool inert = true;     // armature counts
  const JointFlight* flight = nullptr;
  const JointStage* stage = nullptr;
  // Limits have rows though the joint is far from them: needed where it came farther than foreseen.
  bool all_limits = true;
  // Errors, gaps and ways of drivers up to this are rounding, m or rad: without inertia they would
  // be all that asks for a motion.
  double resolution = 0.0;

  double resolved(double way) const { return std::abs(way) <= resolution ? 0.0 : way; }
};

// Of a motor that is a torque or a force, N or N m.
double effort_of(const Motor& motor, double time, double q, double rate);
// Whether a coordinate may come to its limit within the step: `gap` from it, at this rate.
bool is_near_limit(double gap, double rate, double h);

// What stands at the freedoms of all joints, per joint rate.
struct JointLoads {
  VectorX positions;  // q, of every coordinate
  VectorX driven;     // δ
  // A: λ = B − A (q̇ − δ) of all that is never cut off, but for the armature of joints that
  // something hangs on: M has it.
  VectorX resistance;
  VectorX push;                          // B
  VectorX motor_resistance, motor_push;  // the share of motors in A and B
};
void find_joint_loads(const JointStep& step, JointLoads& loads);

// One block of rows.
struct JointTerms {
  EntityKey key;
  Law law = Law::equality;
  int first = 0, count = 1;         // into the rows of the list
  double lower = 0.0, upper = 0.0;  // of a box: on λ
  // Of a limit, as at contacts (stepping/impact.h).
  double gap = 0.0;       // m or rad
  double velocity = 0.0;  // m/s or rad/s at the start, < 0 closing
  double restitution = 0.0;
};

// A row whose error is kept at zero: row `part` of a joint, a coupling, or a coordinate whose
// limits are one.
struct HeldRow {
  enum class Of : char { joint, coupling, coordinate };
  int row = 0;  // −1: no unknown moves it
  Of of = Of::joint;
  int index = 0, part = 0;  // joint or coupling; row of the joint or freedom
  bool slips = false;       // with a breakaway effort
};

// A freedom of a joint.
struct FreedomPlace {
  int joint = 0, freedom = 0;
};

// Where bodies are, and the coordinates of all joints there.
struct JointPlaces {
  std::span<const Pose> poses;
  const VectorX& positions;
  const VectorX& offsets;  // that couplings hold
};

// The rows of all joints and couplings of a step, by ascending keys; made once and written as often
// as the problem is.
class JointBlocks {
 public:
  void find(const JointStep& step, const JointLoads& loads);
  // What acts at an instant, over velocities: constraints, couplings that hold, limits, armature.
  void find_instant(const JointStep& step, const JointInstant& instant);
  // What acts in a stage (step.stage).
  void find_stage(const JointStep& step, const JointLoads& loads);
  // Constraints and limits alone, for displacements (h = 1): joints stay together.
  void find_bounds(const JointStep& step);
  // Constraints and couplings, limits, and freedoms that stand still, for displacements as well.
  // Couplings that `slips` lists hold nothing.
  void find_held(const JointStep& step, std::span<const FreedomPlace> still,
                 std::span<const int> slips);
  void clear();
  // Rows whose errors are kept at zero, and these errors elsewhere, in that order.
  std::span<const HeldRow> held() const { return held_; }
  void errors(const Model& model, const JointPlaces& places, VectorX& errors) const;
  std::span<const JointTerms> terms() const { return terms_; }
  int rows() const { return static_cast<int>(bias_.size()); }
  double& bias(int row) { return bias_[static_cast<std::size_t>(row)]; }
  // J u of a row.
  double rate(int row, const VectorX& u) const;
  // Appends rows and blocks; b and the columns of C have their final size.
  void write(ComplementarityProblem& problem) const;
  // Appends one row of J.
  void write_row(int row, SparseRows& rows) const;
  // The equality rows alone, as J, C and b of a problem of their own.
  void write_equalities(int unknowns, ComplementarityProblem& problem) const;
  bool has_pushes() const { return !pushes_.empty(); }
  // Adds B along the freedoms that are no unknowns and have nothing to yield.
  void add_pushes(VectorX& momentum) const;
  // Force (N s) and moment about the joint's point (N m s), on b, of the λ of a constraint block.
  struct Wrench {
    Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
  };
  Wrench wrench(const JointTerms& terms, Eigen::Ref<const VectorX> lambda) const;

 private:
  // Directions of the world of a row of a constraint.
  struct Axis {
    int row;
    Vector3 linear, angular;
  };
  // Directions are unit vectors: below this a row is rounding.
  static constexpr double negligible = 1e-12;

  void add_row(double bias, double compliance);
  // An equality row with the error g now: taken out in the step, or by the rule of flights.
  void add_held(const JointStep& step, const Joint& joint, double error, double start_error);
  void add_instant_coupling(const JointStep& step, const VectorX& carried, int index);
  void add_instant_freedoms(const JointStep& step, const JointInstant& instant, int joint);
  void write_rows(const JointTerms& terms, ComplementarityProblem& problem) const;
  void add_relative(const JointStep& step, const Joint& joint, const Vector3& l, const Vector3& a);
  void add_rate(const JointStep& step, int joint, int freedom, double factor);
  // The same as a row of its own; false: no unknown moves it.
  bool begin_rate(const JointStep& step, int joint, int freedom, double factor);
  void add_constraint(const JointStep& step, int joint, const VectorX* carried = nullptr);
  void add_limits(const JointStep& step, const JointLoads& loads, int joint);
  void add_efforts(const JointStep& step, const JointLoads& loads, int joint);
  void add_box(const JointStep& step, const EntityKey& key, double bound, double bias,
               double compliance);
  void add_coupling(const JointStep& step, const JointLoads& loads, int index);

  VelocityRow row_;
  std::vector<JointTerms> terms_;
  std::vector<int> starts_{0};
  std::vector<int> columns_;
  std::vector<double> values_, bias_, compliance_;
  std::vector<Axis> axes_;
  std::vector<HeldRow> held_;
  JointLoads bounds_;                           // for displacements: positions alone
  std::vector<std::pair<int, double>> pushes_;  // unknown, and what it gets
};

}  // namespace vinci
