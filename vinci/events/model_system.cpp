// SPDX-License-Identifier: Apache-2.0
// Coordinates and constraints of a model, and its states in them.
#include "vinci/events/model_system.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/events/model_workspace.h"
#include "vinci/formulation/joint_closure.h"
#include "vinci/kinematics/joint_rows.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/recursive.h"
#include "vinci/kinematics/velocities.h"
#include "vinci/model/actuation.h"

namespace vinci {
namespace {

// Rodrigues parameters are taken anew where they get longer: after 74 degrees.
constexpr double longest_turn = 0.75;

}  // namespace

ModelSystem::ModelSystem(Parts parts) : parts_(std::move(parts)) {
  const Model& model = *parts_.model;
  angles_.assign(model.bodies.size(), 0.0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (model.bodies[b].freedom == Freedom::planar) {
      angles_[b] = planar_angle(parts_.state.poses[b].rotation);
      for (const ModeMemory& mode : parts_.state.memory.modes)
        if (mode.key == body_key(static_cast<int>(b)))
          angles_[b] = nearest_turn(angles_[b], mode.held[0]);
    }
  add_coordinates();
  add_contacts();
  add_joints();
  add_supports();
  add_user_constraints();
  for (const auto& [network, memory] : parts_.networks) extra_count_ += network->state_count();
  plain_ = std::make_shared<Workspace<double>>();
  dual_ = std::make_shared<Workspace<Dual<double>>>();
}

ModelSystem::~ModelSystem() = default;

bool ModelSystem::is_hung(int body) const {
  const auto& joints = parts_.model->tree_joint;
  return !joints.empty() && joints[static_cast<std::size_t>(body)] >= 0;
}

bool ModelSystem::is_tree_joint(int joint) const {
  return !is_loop_joint(*parts_.model, joint);
}

void ModelSystem::add_coordinates() {
  const Model& model = *parts_.model;
  first_of_body_.assign(model.bodies.size(), -1);
  first_of_joint_.assign(model.joints.size(), -1);
  using Kind = Coordinate::Kind;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0 || is_hung(b)) continue;
    first_of_body_[b] = coordinate_count();
    const int shifts = body.freedom == Freedom::planar ? 2 : 3;
    for (int k = 0; k < shifts; ++k)
      if (!body.drives[k].prescribed) coordinates_.push_back({Kind::center, b, -1, k});
    if (body.drives[5].prescribed) continue;
    if (body.freedom == Freedom::planar)
      coordinates_.push_back({Kind::angle, b, -1, 5});
    else
      for (int k = 0; k < 3; ++k) coordinates_.push_back({Kind::turn, b, -1, k});
  }
  for (const int b : model.tree_order) {
    const int j = model.tree_joint[b];
    first_of_joint_[j] = coordinate_count();
    const bool ball = model.joints[j].kind == JointKind::ball;
    for (int k = 0; k < rate_count(model.joints[j].kind); ++k)
      coordinates_.push_back({ball ? Kind::joint_turn : Kind::joint, b, j, k});
  }
}

void ModelSystem::add(const Row& row, Constraint constraint, const ConstraintSource& source) {
  if (constraint.stabilisation.springs.empty()) constraint.stabilisation = parts_.standard;
  constraints_.push_back(std::move(constraint));
  rows_.push_back(row);
  sources_.push_back(source);
}

void ModelSystem::add_contacts() {
  const Model& model = *parts_.model;
  std::map<std::string, int> counts;
  for (int i = 0; i < static_cast<int>(parts_.contacts.size()); ++i) {
    const Contact& contact = parts_.contacts[i].contact;
    const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
    Constraint normal;
    normal.name = model.bodies[contact.body_a].name + "-" + model.bodies[contact.body_b].name;
    if (const int count = ++counts[normal.name]; count > 1)
      normal.name += fmt::format("#{}", count);
    if (surface.impact)
      normal.stabilisation = *surface.impact;
    else if (surface.restitution > 0.0)
      normal.stabilisation = restituting(surface.restitution, parts_.time_scale);
    const int at = static_cast<int>(constraints_.size());
    using Source = ConstraintSource::Row;
    const std::string name = normal.name;
    add({RowKind::contact, i, 0}, std::move(normal), {contact.key, 0, Source::normal, i});
    if (surface.friction <= 0.0 && !surface.never_slides) continue;
    const int tangents = model.world == World::planar ? 1 : 2;
    for (int k = 0; k < tangents; ++k) {
      Constraint friction;
      friction.name = name + (tangents == 1 ? " friction" : k == 0 ? " friction 1" : " friction 2");
      friction.kind = ConstraintKind::friction;
      friction.with = at;
      friction.coefficient = surface.friction;
      friction.second = k == 1;
      friction.never_slides = surface.never_slides;
      add({RowKind::tangent, i, k}, std::move(friction),
          {contact.key, 0, k == 0 ? Source::tangent_1 : Source::tangent_2, i});
    }
  }
}

void ModelSystem::add_joints() {
  const Model& model = *parts_.model;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    if (!is_tree_joint(j)) {
      const int count = joint_row_count(joint.kind, model.world);
      for (int k = 0; k < count; ++k) {
        Constraint link;
        link.name = fmt::format("{} row {}", joint.name, k + 1);
        link.kind = ConstraintKind::link;
        add({RowKind::joint_row, j, k}, std::move(link),
            {joint_key(j, JointPart::constraint, k), 0});
      }
    }
    if (joint.kind == JointKind::ball) continue;
    for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
      const JointFreedom& freedom = joint.freedoms[k];
      const auto limit = [&](double value, double sign, JointPart part, const char* word) {
        if (std::abs(value) == infinity) return;
        Constraint stop;
        stop.name = fmt::format("{} {} limit", joint.name, word);
        if (freedom.restitution > 0.0)
          stop.stabilisation = restituting(freedom.restitution, parts_.time_scale);
        add({RowKind::limit, j, k, sign, -sign * value}, std::move(stop),
            {joint_key(j, part, k), 0});
      };
      limit(freedom.lower, 1.0, JointPart::lower_limit, "lower");
      limit(freedom.upper, -1.0, JointPart::upper_limit, "upper");
      if (freedom.friction > 0.0) {
        Constraint friction;
        friction.name = joint.name + " friction";
        friction.kind = ConstraintKind::friction;
        friction.bound = freedom.friction;
        add({RowKind::joint_friction, j, k}, std::move(friction),
            {joint_key(j, JointPart::friction, k), 0});
      }
    }
  }
  for (int c = 0; c < static_cast<int>(model.couplings.size()); ++c) {
    const Coupling& coupling = model.couplings[c];
    Constraint link;
    link.name = coupling.name;
    link.kind = coupling.breakaway < infinity ? ConstraintKind::friction : ConstraintKind::link;
    link.bound = coupling.breakaway < infinity ? coupling.breakaway : 0.0;
    const double offset = parts_.state.coupling_offsets.size() > c
                              ? parts_.state.coupling_offsets[c]
                              : coupling.offset;
    add({RowKind::coupling, c, 0, 1.0, -offset}, std::move(link), {coupling_key(c), 0});
  }
}

void ModelSystem::add_supports() {
  const Model& model = *parts_.model;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    for (int s = 0; s < static_cast<int>(model.bodies[b].supports.size()); ++s) {
      const Support& support = model.bodies[b].supports[s];
      if (!(support.friction * support.load > 0.0)) continue;
      for (int k = 0; k < 2; ++k) {
        Constraint friction;
        friction.name =
            fmt::format("{} support {} friction {}", model.bodies[b].name, s + 1, k + 1);
        friction.kind = ConstraintKind::friction;
        friction.bound = support.friction * support.load;
        friction.second = k == 1;
        add({RowKind::support, b, k, 1.0, static_cast<double>(s)}, std::move(friction),
            {support_key(b, s), 0,
             k == 0 ? ConstraintSource::Row::tangent_1 : ConstraintSource::Row::tangent_2});
      }
    }
}

void ModelSystem::add_user_constraints() {
  const Model& model = *parts_.model;
  const int first = static_cast<int>(constraints_.size());
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    const UserConstraint& user = model.constraints[c];
    user_constraint_.push_back(first + c);
    Constraint constraint;
    constraint.name = user.name;
    constraint.kind =
        user.kind == UserConstraint::Kind::contact ? ConstraintKind::contact : ConstraintKind::link;
    if (user.stabilisation) constraint.stabilisation = *user.stabilisation;
    constraint.with = user.with < 0 ? -1 : first + user.with;
    constraint.anchored = user.anchored;
    constraint.machine = user.machine;
    constraint.on = user.on;
    add({RowKind::user, c}, std::move(constraint), {constraint_key(c), 0});
  }
  for (int m = 0; m < static_cast<int>(model.machines.size()); ++m)
    for (const Machine::Transition& transition : model.machines[m].transitions) {
      Passage passage{m, transition.from, transition.to, -1, transition.direction, -1};
      if (transition.touched >= 0) {
        passage.touched = user_constraint_[transition.touched];
      } else {
        passage.guard = static_cast<int>(guards_.size());
        guards_.push_back(&transition.guard);
      }
      passages_.push_back(passage);
    }
}

std::vector<int> ModelSystem::machines() const {
  std::vector<int> first;
  for (const Machine& machine : parts_.model->machines) first.push_back(machine.initial);
  return first;
}

int ModelSystem::border_count() const {
  int turns = 0;
  for (const Coordinate& coordinate : coordinates_)
    if (coordinate.axis == 0 && (coordinate.kind == Coordinate::Kind::turn ||
                                 coordinate.kind == Coordinate::Kind::joint_turn))
      ++turns;
  return static_cast<int>(parts_.contacts.size()) + turns;
}

VectorX ModelSystem::positions() const {
  const Model& model = *parts_.model;
  const State& state = parts_.state;
  VectorX q = VectorX::Zero(coordinate_count());
  for (int i = 0; i < coordinate_count(); ++i) {
    const Coordinate& at = coordinates_[i];
    switch (at.kind) {
      case Coordinate::Kind::center:
        q[i] = (state.poses[at.body] * model.bodies[at.body].mass.center)[at.axis];
        break;
      case Coordinate::Kind::angle:
        q[i] = angles_[at.body];
        break;
      case Coordinate::Kind::joint:
        q[i] = state.joint_positions[model.joints[at.joint].first_coordinate + at.axis];
        break;
      case Coordinate::Kind::turn:
      case Coordinate::Kind::joint_turn:
        break;
    }
  }
  return q;
}

VectorX ModelSystem::velocities() const {
  const Model& model = *parts_.model;
  const State& state = parts_.state;
  VectorX v = VectorX::Zero(coordinate_count());
  for (int i = 0; i < coordinate_count(); ++i) {
    const Coordinate& at = coordinates_[i];
    switch (at.kind) {
      case Coordinate::Kind::center:
        v[i] = body_twist(model, state.velocities, at.body).linear[at.axis];
        break;
      case Coordinate::Kind::angle:
        v[i] = body_twist(model, state.velocities, at.body).angular[2];
        break;
      case Coordinate::Kind::joint:
        v[i] = state.joint_rates[model.joints[at.joint].first_rate + at.axis];
        break;
      case Coordinate::Kind::turn:
        v[i] = 0.5 * body_twist(model, state.velocities, at.body).angular[at.axis];
        break;
      case Coordinate::Kind::joint_turn: {
        // Rates are along B's axes, the parameters turn along A's.
        const Joint& joint = model.joints[at.joint];
        const double* q = state.joint_positions.data() + joint.first_coordinate;
        const Quaternion turn(q[0], q[1], q[2], q[3]);
        v[i] = 0.5 * (turn * Vector3(state.joint_rates.segment<3>(joint.first_rate)))[at.axis];
        break;
      }
    }
  }
  return v;
}

VectorX ModelSystem::extras() const {
  VectorX x(extra_count_);
  Eigen::Index first = 0;
  for (const auto& [network, memory] : parts_.networks) {
    const Eigen::Index count = network->state_count();
    x.segment(first, count) = memory.head(count);
    first += count;
  }
  return x;
}

namespace {

Quaternion turned_by(const Vector3& rodrigues) {
  return Quaternion(1.0, rodrigues[0], rodrigues[1], rodrigues[2]).normalized();
}
// Angular velocity of parameters that change.
Vector3 turning_of(const Vector3& s, const Vector3& rate) {
  return 2.0 / (1.0 + s.squaredNorm()) * (rate + s.cross(rate));
}

}  // namespace

void ModelSystem::store(const HybridState& hybrid, State& state) const {
  const Model& model = *parts_.model;
  const VectorX &q = hybrid.positions, &v = hybrid.velocities;
  // Rotations first, since places follow from centres.
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0 || is_hung(b)) continue;
    Pose& pose = state.poses[b];
    Vector3 center = pose * body.mass.center;
    Twist twist = body_twist(model, state.velocities, b);
    for (int i = std::max(0, first_of_body_[b]);
         i < coordinate_count() && coordinates_[i].body == b && coordinates_[i].joint < 0; ++i) {
      const Coordinate& at = coordinates_[i];
      if (at.kind == Coordinate::Kind::center) {
        center[at.axis] = q[i];
        twist.linear[at.axis] = v[i];
      } else if (at.kind == Coordinate::Kind::angle) {
        pose.rotation = rotation_about_z(q[i]);
        twist.angular[2] = v[i];
      } else if (at.axis == 0) {
        const Vector3 s = q.segment<3>(i), rate = v.segment<3>(i);
        pose.rotation = (turned_by(s) * parts_.state.poses[b].rotation).normalized();
        twist.angular = turning_of(s, rate);
      }
    }
    const Vector3 origin = center - pose.rotation * body.mass.center;
    for (int k = 0; k < (body.freedom == Freedom::planar ? 2 : 3); ++k)
      if (!body.drives[k].prescribed) pose.position[k] = origin[k];
    pack(body, twist, state.velocities);
    if (body.is_prescribed()) place_prescribed(body, hybrid.time, pose);
  }
  prescribe_velocities(model, hybrid.time, state.poses, state.velocities);
  for (int i = 0; i < coordinate_count(); ++i) {
    const Coordinate& at = coordinates_[i];
    if (at.joint < 0) continue;
    const Joint& joint = model.joints[at.joint];
    if (at.kind == Coordinate::Kind::joint) {
      state.joint_positions[joint.first_coordinate + at.axis] = q[i];
      state.joint_rates[joint.first_rate + at.axis] = v[i];
    } else if (at.axis == 0) {
      const Vector3 s = q.segment<3>(i), rate = v.segment<3>(i);
      const double* r = parts_.state.joint_positions.data() + joint.first_coordinate;
      const Quaternion turn = (turned_by(s) * Quaternion(r[0], r[1], r[2], r[3])).normalized();
      state.joint_positions.segment<4>(joint.first_coordinate) << turn.w(), turn.x(), turn.y(),
          turn.z();
      state.joint_rates.segment<3>(joint.first_rate) = turn.conjugate() * turning_of(s, rate);
    }
  }
  if (!model.tree_order.empty()) {
    place_tree(model, state.joint_positions, state.poses);
    Tree tree;
    tree.place(model, state.poses, state.joint_positions);
    tree.spread_velocities(state.joint_rates, state.velocities);
  }
  if (!model.joints.empty()) {
    read_loop_coordinates(model, state.poses, state.joint_positions);
    read_loop_rates(model, state.poses, state.velocities, state.joint_rates);
  }
}

std::vector<ModeMemory> ModelSystem::angles(const HybridState& hybrid) const {
  std::vector<ModeMemory> result;
  for (int b = 0; b < static_cast<int>(parts_.model->bodies.size()); ++b) {
    const Body& body = parts_.model->bodies[b];
    if (body.freedom != Freedom::planar || body.velocity_size == 0) continue;
    const double angle = turn<double>(hybrid.positions, hybrid.time, b);
    if (std::abs(angle) <= M_PI) continue;
    ModeMemory memory;
    memory.key = body_key(b);
    memory.held[0] = angle;
    result.push_back(memory);
  }
  return result;
}

std::string ModelSystem::name_of(const Coordinate& at, bool rate) const {
  const Model& model = *parts_.model;
  using Kind = Coordinate::Kind;
  const char axis = "xyz"[at.axis % 3];
  const char* const unit = rate ? " rate [1/s]" : " [1]";
  switch (at.kind) {
    case Kind::center: {
      const Body& body = model.bodies[at.body];
      const bool own = body.mass.center.isZero(0.0);
      return fmt::format("{}.{}{}{} [{}]", body.name, own ? "" : "center_", rate ? "v" : "", axis,
                         rate ? "m/s" : "m");
    }
    case Kind::angle:
      return model.bodies[at.body].name + (rate ? ".spin [rad/s]" : ".angle [rad]");
    case Kind::turn:
      return fmt::format("{}.turn_{}{}", model.bodies[at.body].name, axis, unit);
    case Kind::joint: {
      const CoordinateRead read{CoordinateRead::Kind::joint, at.joint, at.axis, rate};
      return signal_name(model, read) + " [" + signal_unit(model, read) + "]";
    }
    case Kind::joint_turn:
      break;
  }
  return fmt::format("{}.turn_{}{}", model.joints[at.joint].name, axis, unit);
}

std::vector<std::string> ModelSystem::coordinate_names() const {
  std::vector<std::string> names;
  for (const Coordinate& at : coordinates_) names.push_back(name_of(at, false));
  return names;
}

std::vector<std::string> ModelSystem::rate_names() const {
  std::vector<std::string> names;
  for (const Coordinate& at : coordinates_) names.push_back(name_of(at, true));
  return names;
}

std::vector<std::string> ModelSystem::extra_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts_.networks.size(); ++i)
    for (const std::string& name : parts_.networks[i].first->state_names()) names.push_back(name);
  return names;
}

void ModelSystem::borders(double time, const VectorX& positions, VectorX& values) const {
  SystemFrame<double> frame = make_frame<double>(*this);
  frame.time = time;
  frame.positions = positions;
  Workspace<double>& work = *plain_;
  place(frame, work);
  const auto pose_of = [&](int body) {
    const BodyMotion<double>& motion = work.motions[static_cast<std::size_t>(body)];
    return Pose{motion.position, Quaternion(Matrix3(motion.rotation))};
  };
  int row = 0;
  for (const ContactPair& pair : parts_.contacts)
    values[row++] = std::min(
        1.0, least_limit(pair, pose_of(pair.contact.body_a), pose_of(pair.contact.body_b)));
  for (int i = 0; i < coordinate_count(); ++i) {
    const Coordinate& at = coordinates_[i];
    if (at.axis == 0 &&
        (at.kind == Coordinate::Kind::turn || at.kind == Coordinate::Kind::joint_turn))
      values[row++] = longest_turn * longest_turn - positions.segment<3>(i).squaredNorm();
  }
}

std::array<Vector3, 3> ModelSystem::contact_axes(int pair) const {
  std::array<Vector3, 3> axes;
  for (std::size_t k = 0; k < 3; ++k)
    axes[k] = value_of<double>(plain_->axes[static_cast<std::size_t>(pair)][k]);
  return axes;
}

}  // namespace vinci
