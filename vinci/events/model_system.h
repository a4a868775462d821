// SPDX-License-Identifier: Apache-2.0
// A model as a system of equations that constraints switch on and off
// (hybrid/constrained_system.h): bodies and trees of joints in independent coordinates, contacts
// with friction, loops, limits, constraints and machines of the scene, networks of signals. The
// equations are written once, over numbers that carry derivatives.
//
// Coordinates: of a body that hangs on no joint the centre of mass, and the angle in the plane, or
// in space Rodrigues parameters of the turn since the state at which the system was made; of a body
// that hangs on a joint those of the joint. Prescribed ones are functions of time.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "vinci/control/signal_network.h"
#include "vinci/events/contact_geometry.h"
#include "vinci/hybrid/constrained_system.h"
#include "vinci/hybrid/hybrid_state.h"
#include "vinci/kinematics/series_frame.h"
#include "vinci/model/signal.h"
#include "vinci/model/state.h"

namespace vinci {

// What a constraint of the system is about.
struct ConstraintSource {
  enum class Row { normal, tangent_1, tangent_2, other };
  EntityKey key;
  int point = 0;
  Row row = Row::other;
  int pair = -1;  // of ModelSystem::pairs()
};

class ModelSystem : public ConstrainedSystemOf<ModelSystem> {
 public:
  struct OutsideSignal {
    int network = 0, input = 0;  // of Parts::networks, of SignalNetwork::inputs()
  };
  struct Parts {
    const Model* model = nullptr;  // outlives the system
    State state;                   // about which coordinates are taken
    std::vector<ContactPair> contacts = {};
    VectorX held_forces = {};  // packed, of controllers that hold theirs; empty: none
    // Inputs of the system: forces, then signals that come to networks from outside, the others of
    // which have their own values.
    std::vector<ForceInput> inputs = {};
    std::vector<OutsideSignal> signals = {};
    // They outlive the system. Each with its memory: continuous states first, then what its sampled
    // blocks keep.
    std::vector<std::pair<const SignalNetwork*, VectorX>> networks = {};
    Stabilisation standard;    // where the scene says nothing else
    double time_scale = 5e-3;  // s, of restitution that is asked for
  };

  explicit ModelSystem(Parts parts);
  ~ModelSystem() override;

  int coordinate_count() const override { return static_cast<int>(coordinates_.size()); }
  int input_count() const override {
    return static_cast<int>(parts_.inputs.size() + parts_.signals.size());
  }
  int extra_count() const override { return extra_count_; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<int> machines() const override;
  std::vector<Passage> passages() const override { return passages_; }
  int guard_count() const override { return static_cast<int>(guards_.size()); }
  int border_count() const override;
  void borders(double time, const VectorX& positions, VectorX& values) const override;
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const;

  // The state in these coordinates, and back: poses, velocities and coordinates of joints.
  VectorX positions() const;
  VectorX velocities() const;
  VectorX extras() const;
  void store(const HybridState& hybrid, State& state) const;
  // Angles of planar bodies with their turns, as ModeMemory of bodies; sorted.
  std::vector<ModeMemory> angles(const HybridState& hybrid) const;

  const Model& model() const { return *parts_.model; }
  const Parts& parts() const { return parts_; }
  const std::vector<ContactPair>& pairs() const { return parts_.contacts; }
  const std::vector<ConstraintSource>& sources() const { return sources_; }
  std::vector<std::string> coordinate_names() const override;  // "ball.x [m]"
  std::vector<std::string> rate_names() const;                 // "ball.vx [m/s]"
  std::vector<std::string> extra_names() const;

  // After evaluate(): a coordinate, or with its time derivatives.
  template <class T>
  T read(const SystemFrame<T>& frame, const CoordinateRead& what) const;
  // What comes to a network from outside.
  template <class T>
  VectorOf<T> outside(const SystemFrame<T>& frame, std::size_t network) const;
  // After evaluate() with plain numbers: normal and tangents of a contact, in the world.
  std::array<Vector3, 3> contact_axes(int pair) const;

 private:
  struct Coordinate {
    enum class Kind { center, angle, turn, joint, joint_turn } kind = Kind::center;
    int body = -1, joint = -1;
    int axis = 0;  // of the world, or freedom of the joint
  };
  std::string name_of(const Coordinate& at, bool rate) const;
  enum class RowKind {
    contact,
    tangent,
    joint_row,
    limit,
    joint_friction,
    coupling,
    user,
    support
  };
  struct Row {
    RowKind kind = RowKind::contact;
    int item = 0;  // pair, joint, coupling, user constraint, body
    int part = 0;  // tangent, row of the joint, freedom, support
    double sign = 1.0;
    double offset = 0.0;
  };
  template <class T>
  struct Workspace;
  template <class T>
  Workspace<T>& workspace() const;

  void add(const Row& row, Constraint constraint, const ConstraintSource& source);
  void add_coordinates();
  void add_contacts();
  void add_joints();
  void add_user_constraints();
  void add_supports();
  bool is_hung(int body) const;
  bool is_tree_joint(int joint) const;
  // Of a planar body, rad, whole turns counted.
  template <class T>
  double turn(const VectorOf<T>& positions, double time, int body) const;

  template <class T>
  void place(const SystemFrame<T>& frame, Workspace<T>& work) const;
  template <class T>
  SeriesFrame<T> root_frame(const SystemFrame<T>& frame, int body) const;
  template <class T>
  SeriesFrame<T> joint_frame(const SystemFrame<T>& frame, int joint) const;
  template <class T>
  void add_inertia(Workspace<T>& work) const;
  template <class T>
  void add_forces(const SystemFrame<T>& frame, Workspace<T>& work) const;
  template <class T>
  void add_springs(Workspace<T>& work) const;
  template <class T>
  void add_joint_forces(const SystemFrame<T>& frame, Workspace<T>& work) const;
  template <class T>
  void add_networks(SystemFrame<T>& frame, Workspace<T>& work) const;
  template <class T>
  void write_row(SystemFrame<T>& frame, Workspace<T>& work, int i) const;
  template <class T>
  void write_contact(SystemFrame<T>& frame, Workspace<T>& work, int i) const;
  template <class T>
  void write_joint_row(SystemFrame<T>& frame, Workspace<T>& work, int i) const;
  template <class T>
  void write_user(SystemFrame<T>& frame, Workspace<T>& work, int i) const;
  template <class T>
  void write_support(SystemFrame<T>& frame, Workspace<T>& work, int i) const;
  template <class T>
  void write_balance(SystemFrame<T>& frame, Workspace<T>& work) const;
  template <class T>
  Series<T> coordinate(const SystemFrame<T>& frame, const Workspace<T>& work,
                       const CoordinateRead& what) const;
  template <class T>
  Series<T> joint_coordinate(const SystemFrame<T>& frame, const Workspace<T>& work, int joint,
                             int freedom) const;
  template <class T>
  void push_coordinate(Workspace<T>& work, const CoordinateRead& what, const T& force) const;
  template <class T>
  void push_joint(Workspace<T>& work, int joint, int freedom, const T& effort) const;
  template <class T>
  void push_input(Workspace<T>& work, const ForceInput& what, const T& force) const;

  Parts parts_;
  std::vector<Coordinate> coordinates_;
  std::vector<int> first_of_body_;   // per body: its first coordinate, or −1
  std::vector<int> first_of_joint_;  // per joint: likewise
  std::vector<double> angles_;       // of planar bodies at the state, with turns
  std::vector<Constraint> constraints_;
  std::vector<Row> rows_;
  std::vector<ConstraintSource> sources_;
  std::vector<int> user_constraint_;  // per constraint of the model: its number here
  std::vector<Passage> passages_;
  std::vector<const CoordinateFunction*> guards_;
  int extra_count_ = 0;
  std::shared_ptr<Workspace<double>> plain_;
  std::shared_ptr<Workspace<Dual<double>>> dual_;
};

}  // namespace vinci
