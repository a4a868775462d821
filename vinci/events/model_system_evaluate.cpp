// SPDX-License-Identifier: Apache-2.0
// The equations of a model over any number: motion down the trees, forces and constraints on
// bodies, and loads back up to the coordinates.
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/expression_number.h"
#include "vinci/events/model_workspace.h"
#include "vinci/formulation/contact_frame.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/model/actuation.h"
#include "vinci/model/element.h"

namespace vinci {

template <>
ModelSystem::Workspace<double>& ModelSystem::workspace() const {
  return *plain_;
}
template <>
ModelSystem::Workspace<Dual<double>>& ModelSystem::workspace() const {
  return *dual_;
}

template <class T>
SeriesFrame<T> ModelSystem::root_frame(const SystemFrame<T>& frame, int b) const {
  const Body& body = parts_.model->bodies[b];
  const auto series = [&](int i) {
    return Series<T>(frame.positions[i], frame.velocities[i], frame.accelerations[i]);
  };
  const auto driven = [&](int k) { return of_jet<T>(prescribed_coordinate(body, k, frame.time)); };
  SeriesFrame<T> result;
  int at = first_of_body_[b];
  const bool plane = body.freedom == Freedom::planar;
  const int shifts = plane ? 2 : 3;
  std::array<int, 3> places = {-1, -1, -1};
  for (int k = 0; k < shifts; ++k)
    if (!body.drives[k].prescribed) places[k] = at++;
  if (body.drives[5].prescribed) {
    result.rotation = rotation_about_z(driven(5));
    if (!plane)
      result.rotation = product(product(result.rotation, rotation_about_y(driven(4))),
                                rotation_about_x(driven(3)));
  } else if (plane) {
    result.rotation = rotation_about_z(series(at));
  } else {
    const Series3<T> s(series(at), series(at + 1), series(at + 2));
    result.rotation = product(rotation_of_rodrigues(s),
                              Matrix3(parts_.state.poses[b].rotation.toRotationMatrix()));
  }
  const Series3<T> arm = turned<T>(result.rotation, body.mass.center);
  for (int k = 0; k < 3; ++k) {
    if (k >= shifts)
      result.position[k] = Series<T>(parts_.state.poses[b].position[k]);
    else if (places[k] < 0)
      result.position[k] = driven(k);
    else
      result.position[k] = series(places[k]) - arm[k];
  }
  return result;
}

template <class T>
void ModelSystem::place(const SystemFrame<T>& frame, Workspace<T>& work) const {
  const Model& model = *parts_.model;
  const std::size_t count = model.bodies.size();
  if (work.frames.size() != count) {
    work.frames.resize(count);
    work.motions.resize(count);
    work.loads.resize(count);
    work.joint_b.resize(model.joints.size());
    for (std::size_t b = 0; b < count; ++b)
      if (model.bodies[b].velocity_size == 0) {
        work.frames[b] = resting_frame<T>(parts_.state.poses[b]);
        work.motions[b] = motion_of(work.frames[b]);
      }
  }
  for (std::size_t b = 0; b < count; ++b) {
    work.loads[b] = {};
    if (model.bodies[b].velocity_size == 0 || is_hung(static_cast<int>(b))) continue;
    work.frames[b] = root_frame(frame, static_cast<int>(b));
    work.motions[b] = motion_of(work.frames[b]);
  }
  for (const int b : model.tree_order) {
    const int j = model.tree_joint[b];
    const Joint& joint = model.joints[j];
    const SeriesFrame<T> motion = joint_frame(frame, j);
    SeriesFrame<T>& placed = work.frames[static_cast<std::size_t>(b)];
    if (hangs_as_a(model, b))
      placed = work.frame(joint.body_b) * joint.frame_b * inverse(motion) * joint.frame_a.inverse();
    else
      placed = work.frame(joint.body_a) * joint.frame_a * motion * joint.frame_b.inverse();
    work.motions[static_cast<std::size_t>(b)] = motion_of(placed);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    work.joint_b[j] = work.frame(model.joints[j].body_b) * model.joints[j].frame_b;
  work.efforts.setConstant(coordinate_count(), T(0.0));
}

// What keeps masses moving as they do, weights among it.
template <class T>
void ModelSystem::add_inertia(Workspace<T>& work) const {
  const Model& model = *parts_.model;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0 || body.mass.mass <= 0.0) continue;
    const BodyMotion<T>& motion = work.motions[b];
    const Series3<T> arm = carried_direction(motion, body.mass.center);
    Vector3Of<T> inertial, arm_now;
    for (int k = 0; k < 3; ++k) {
      inertial[k] = body.mass.mass * (model.gravity[k] - motion.acceleration[k] - arm[k].second);
      arm_now[k] = arm[k].value;
    }
    BodyLoad<T>& load = work.loads[b];
    load.force += inertial;
    load.moment += arm_now.cross(inertial);
    const Vector3Of<T> own = motion.rotation.transpose() * motion.turning;
    const Vector3Of<T> own_rate = motion.rotation.transpose() * motion.turning_acceleration;
    Vector3Of<T> momentum, rate;
    for (int i = 0; i < 3; ++i) {
      momentum[i] = rate[i] = T(0.0);
      for (int k = 0; k < 3; ++k) {
        momentum[i] += body.mass.inertia(i, k) * own[k];
        rate[i] += body.mass.inertia(i, k) * own_rate[k];
      }
    }
    const Vector3Of<T> spin = rate + own.cross(momentum);
    load.moment -= motion.rotation * spin;
  }
}

template <class T>
void ModelSystem::add_forces(const SystemFrame<T>& frame, Workspace<T>& work) const {
  const Model& model = *parts_.model;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    const BodyMotion<T>& motion = work.motions[b];
    const Series3<T> center = carried_point(motion, body.mass.center);
    Vector3Of<T> force = Vector3Of<T>::Constant(T(0.0)), moment = force;
    for (int k = 0; k < body.velocity_size; ++k) {
      const int c = model.coordinate[body.velocity_offset + k];
      T& part = c < 3 ? force[c] : moment[c - 3];
      if (parts_.held_forces.size() > 0) part += T(parts_.held_forces[body.velocity_offset + k]);
      const Drive& drive = body.drives[static_cast<std::size_t>(c)];
      if (drive.prescribed || (drive.expression.is_constant() && drive.expression.text() == "0"))
        continue;
      T place = c < 3 ? center[c].value : T(std::nan(""));
      if (c == 5 && body.freedom == Freedom::planar) {
        const auto& rotation = work.frames[b].rotation;
        using std::atan2;
        place = atan2(rotation[1][0].value, rotation[0][0].value);
      }
      const std::array<T, 3> variables{T(frame.time), place,
                                       c < 3 ? center[c].first : motion.turning[c - 3]};
      part += vinci::evaluate<T>(drive.expression, variables);
    }
    for (const Support& support : body.supports) {
      if (support.viscosity == 0.0) continue;
      const Series3<T> point = carried_point(motion, support.point);
      for (int k = 0; k < 2; ++k) {
        Vector3Of<T> drag = Vector3Of<T>::Constant(T(0.0));
        drag[k] = -support.viscosity * point[k].first;
        work.push_at(static_cast<int>(b), drag, value_of<T>(point));
      }
    }
    work.push_at(static_cast<int>(b), force, value_of<T>(center));
    work.twist(static_cast<int>(b), moment);
  }
}

template <class T>
void ModelSystem::add_springs(Workspace<T>& work) const {
  for (const auto& element : parts_.model->elements) {
    double stiffness = 0.0, damping = 0.0, length = 0.0;
    for (const auto& [name, number] : element->numbers()) {
      if (name == "stiffness") stiffness = number;
      if (name == "damping") damping = number;
      if (name == "length") length = number;
    }
    const Series3<T> from = carried_point(work.motion(element->a().body), element->a().point);
    const Series3<T> to = carried_point(work.motion(element->b().body), element->b().point);
    Vector3Of<T> way, rate, force;
    for (int k = 0; k < 3; ++k) {
      way[k] = to[k].value - from[k].value;
      rate[k] = to[k].first - from[k].first;
    }
    const T square = dot<T>(way, way);
    if (square > T(0.0)) {
      using std::sqrt;
      const T size = sqrt(square);
      const T pull = stiffness * (T(1.0) - T(length) / size) + damping * dot<T>(way, rate) / square;
      force = times<T>(-pull, way);
    } else {
      force = times<T>(T(-damping), rate);
    }
    work.push_at(element->b().body, force, value_of<T>(to));
    work.push_at(element->a().body, Vector3Of<T>(-force), value_of<T>(from));
  }
}

template <class T>
Series<T> ModelSystem::coordinate(const SystemFrame<T>& frame, const Workspace<T>& work,
                                  const CoordinateRead& what) const {
  if (what.kind == CoordinateRead::Kind::joint) {
    const Series<T> series = joint_coordinate(frame, work, what.index, what.coordinate);
    return what.is_rate ? rate_of(series) : series;
  }
  const auto b = static_cast<std::size_t>(what.index);
  if (what.coordinate < 3) {
    const Series<T>& series = work.frames[b].position[what.coordinate];
    return what.is_rate ? rate_of(series) : series;
  }
  if (what.is_rate) {
    const int k = what.coordinate - 3;
    return {work.motions[b].turning[k], work.motions[b].turning_acceleration[k], T(0.0)};
  }
  const auto& r = work.frames[b].rotation;
  if (what.coordinate == 3) return atan2(r[2][1], r[2][2]);
  if (what.coordinate == 4) return atan2(-r[2][0], sqrt(r[0][0] * r[0][0] + r[1][0] * r[1][0]));
  if (parts_.model->bodies[b].freedom == Freedom::planar)
    return angle_near(
        nearest_turn(angles_[b], turn<T>(frame.positions, frame.time, static_cast<int>(b))),
        r[1][0], r[0][0]);
  return atan2(r[1][0], r[0][0]);
}

// A force along a coordinate: the load that does its work.
template <class T>
void ModelSystem::push_coordinate(Workspace<T>& work, const CoordinateRead& what,
                                  const T& force) const {
  if (what.kind == CoordinateRead::Kind::joint)
    return push_joint(work, what.index, what.coordinate, force);
  const BodyMotion<T>& motion = work.motion(what.index);
  Vector3Of<T> vector = Vector3Of<T>::Constant(T(0.0));
  if (what.coordinate < 3) {
    vector[what.coordinate] = force;
    return work.push_at(what.index, vector, motion.position);
  }
  // Roll, pitch and yaw change with the angular velocity as R = Rz Ry Rx has it.
  const auto& r = motion.rotation;
  using std::sqrt;
  const T level = sqrt(r(0, 0) * r(0, 0) + r(1, 0) * r(1, 0));
  const T c = r(0, 0) / level, s = r(1, 0) / level;
  switch (what.coordinate) {
    case 3:
      vector = {c / level, s / level, T(0.0)};
      break;
    case 4:
      vector = {-s, c, T(0.0)};
      break;
    default:
      vector = {-c * r(2, 0) / level, -s * r(2, 0) / level, T(1.0)};
      break;
  }
  work.twist(what.index, times<T>(force, vector));
}

template <class T>
void ModelSystem::push_input(Workspace<T>& work, const ForceInput& what, const T& force) const {
  if (what.kind == ForceInput::Kind::joint)
    return push_joint(work, what.index, what.coordinate, force);
  Vector3Of<T> vector = Vector3Of<T>::Constant(T(0.0));
  vector[what.coordinate % 3] = force;
  if (what.coordinate >= 3) return work.twist(what.index, vector);
  const Vector3& center = parts_.model->bodies[what.index].mass.center;
  work.push_at(what.index, vector, value_of<T>(carried_point(work.motion(what.index), center)));
}

template <class T>
VectorOf<T> ModelSystem::outside(const SystemFrame<T>& frame, std::size_t network) const {
  const auto& inputs = parts_.networks[network].first->inputs();
  VectorOf<T> values(static_cast<Eigen::Index>(inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    values[static_cast<Eigen::Index>(i)] = T(inputs[i].value);
  for (std::size_t i = 0; i < parts_.signals.size(); ++i)
    if (parts_.signals[i].network == static_cast<int>(network))
      values[parts_.signals[i].input] =
          frame.inputs[static_cast<Eigen::Index>(parts_.inputs.size() + i)];
  return values;
}
template VectorOf<double> ModelSystem::outside(const SystemFrame<double>&, std::size_t) const;
template VectorOf<Dual<double>> ModelSystem::outside(const SystemFrame<Dual<double>>&,
                                                     std::size_t) const;

template <class T>
void ModelSystem::add_networks(SystemFrame<T>& frame, Workspace<T>& work) const {
  Eigen::Index first = 0;
  for (std::size_t n = 0; n < parts_.networks.size(); ++n) {
    const auto& [network, memory] = parts_.networks[n];
    const VectorOf<T> given = outside(frame, n);
    const Eigen::Index count = network->state_count();
    work.reads.resize(static_cast<Eigen::Index>(network->reads().size()));
    for (std::size_t i = 0; i < network->reads().size(); ++i)
      work.reads[static_cast<Eigen::Index>(i)] = coordinate(frame, work, network->reads()[i]).value;
    work.states = frame.extras.segment(first, count);
    work.rates.setConstant(count, T(0.0));
    work.forces.setConstant(static_cast<Eigen::Index>(network->drives().size()), T(0.0));
    network->template flow<T>(frame.time, work.reads, work.states,
                              memory.tail(memory.size() - count), work.forces, work.rates, &given);
    frame.extra_rates.segment(first, count) = work.rates;
    for (std::size_t i = 0; i < network->drives().size(); ++i)
      if (!std::isfinite(plain(work.forces[static_cast<Eigen::Index>(i)])))
        throw Failure(fmt::format("at {:.9g} s the signals give {} a force that is not finite",
                                  frame.time, signal_name(*parts_.model, network->drives()[i])));
    for (std::size_t i = 0; i < network->drives().size(); ++i)
      push_input(work, network->drives()[i], work.forces[static_cast<Eigen::Index>(i)]);
    first += count;
  }
}

template <class T>
void ModelSystem::write_contact(SystemFrame<T>& frame, Workspace<T>& work, int i) const {
  const Row& row = rows_[i];
  const ContactPair& pair = parts_.contacts[static_cast<std::size_t>(row.item)];
  const auto at = static_cast<std::size_t>(row.item);
  const int body_a = pair.contact.body_a, body_b = pair.contact.body_b;
  const BodyMotion<T>&a = work.motion(body_a), &b = work.motion(body_b);
  if (row.kind == RowKind::contact) {
    work.pairs[at] = pair_motion(pair, a, b);
    const Series3<T>& normal = work.pairs[at].normal;
    std::array<Series3<T>, 3>& axes = work.axes[at];
    axes[0] = normal;
    if (parts_.model->world == World::planar) {
      axes[1] = {-normal[1], normal[0], Series<T>(0.0)};
      axes[2] = {Series<T>(0.0), Series<T>(0.0), Series<T>(1.0)};
    } else {
      // Across the normal, next to the axes that the contact had when it was found.
      const ContactFrame found = contact_frame(World::spatial, pair.contact.normal);
      Series3<T> other;
      for (int k = 0; k < 3; ++k) other[k] = Series<T>(found.tangent_2[k]);
      const Series3<T> first = cross<T>(other, normal);
      const Series<T> size = sqrt(dot<T>(first, first));
      for (int k = 0; k < 3; ++k) axes[1][k] = first[k] / size;
      axes[2] = cross<T>(normal, axes[1]);
    }
    frame.gaps[i] = work.pairs[at].gap;
  } else {
    const Vector3Of<T> point = value_of<T>(work.pairs[at].point);
    const Vector3Of<T> moves = first_of<T>(work.pairs[at].point);
    const PointVelocity<T> of_a(a, point, moves), of_b(b, point, moves);
    const Vector3Of<T> slip = of_b.value - of_a.value, change = of_b.first - of_a.first;
    const Series3<T>& axis = work.axes[at][static_cast<std::size_t>(row.part + 1)];
    frame.gaps[i] = {T(0.0), dot<T>(value_of<T>(axis), slip),
                     dot<T>(first_of<T>(axis), slip) + dot<T>(value_of<T>(axis), change)};
  }
  const std::size_t axis =
      row.kind == RowKind::contact ? 0 : static_cast<std::size_t>(row.part + 1);
  const Vector3Of<T> force = times<T>(frame.multipliers[i], value_of<T>(work.axes[at][axis]));
  const Vector3Of<T> point = value_of<T>(work.pairs[at].point);
  work.push_at(body_b, force, point);
  work.push_at(body_a, Vector3Of<T>(-force), point);
}

template <class T>
void ModelSystem::write_user(SystemFrame<T>& frame, Workspace<T>& work, int i) const {
  const CoordinateFunction& function =
      parts_.model->constraints[static_cast<std::size_t>(rows_[i].item)].function;
  const std::size_t count = function.reads.size();
  auto& variables = work.variables;
  variables.resize(count + 1);
  for (std::size_t k = 0; k < count; ++k) variables[k] = coordinate(frame, work, function.reads[k]);
  variables[count] = Series<T>(T(frame.time), T(1.0), T(0.0));
  frame.gaps[i] = vinci::evaluate<Series<T>>(function.expression, variables);
  // Partial derivatives: one variable moves at a time.
  for (Series<T>& variable : variables) variable.first = variable.second = T(0.0);
  for (std::size_t k = 0; k < count; ++k) {
    variables[k].first = T(1.0);
    const Series<T> slope = vinci::evaluate<Series<T>>(function.expression, variables);
    variables[k].first = T(0.0);
    push_coordinate(work, function.reads[k], T(slope.first * frame.multipliers[i]));
  }
}

template <class T>
void ModelSystem::write_support(SystemFrame<T>& frame, Workspace<T>& work, int i) const {
  const int b = rows_[i].item, k = rows_[i].part;
  const Support& support =
      parts_.model->bodies[b].supports[static_cast<std::size_t>(rows_[i].offset)];
  const Series3<T> point = carried_point(work.motion(b), support.point);
  frame.gaps[i] = {T(0.0), point[k].first, point[k].second};
  Vector3Of<T> force = Vector3Of<T>::Constant(T(0.0));
  force[k] = frame.multipliers[i];
  work.push_at(b, force, value_of<T>(point));
}

template <class T>
void ModelSystem::write_row(SystemFrame<T>& frame, Workspace<T>& work, int i) const {
  const Row& row = rows_[i];
  switch (row.kind) {
    case RowKind::contact:
    case RowKind::tangent:
      return write_contact(frame, work, i);
    case RowKind::joint_row:
      return write_joint_row(frame, work, i);
    case RowKind::limit:
    case RowKind::joint_friction: {
      const Series<T> q = joint_coordinate(frame, work, row.item, row.part);
      frame.gaps[i] = row.kind == RowKind::limit ? scaled(q, row.sign) + row.offset : q;
      return push_joint(work, row.item, row.part, T(row.sign * frame.multipliers[i]));
    }
    case RowKind::coupling: {
      const Coupling& coupling = parts_.model->couplings[static_cast<std::size_t>(row.item)];
      const Series<T> a = joint_coordinate(frame, work, coupling.joint_a, coupling.freedom_a);
      const Series<T> b = joint_coordinate(frame, work, coupling.joint_b, coupling.freedom_b);
      frame.gaps[i] = b - scaled(a, coupling.ratio) + row.offset;
      push_joint(work, coupling.joint_b, coupling.freedom_b, frame.multipliers[i]);
      return push_joint(work, coupling.joint_a, coupling.freedom_a,
                        T(-coupling.ratio * frame.multipliers[i]));
    }
    case RowKind::user:
      return write_user(frame, work, i);
    case RowKind::support:
      return write_support(frame, work, i);
  }
}

// Loads up the trees: what they do along every coordinate.
template <class T>
void ModelSystem::write_balance(SystemFrame<T>& frame, Workspace<T>& work) const {
  const Model& model = *parts_.model;
  for (auto it = model.tree_order.rbegin(); it != model.tree_order.rend(); ++it) {
    const int body = *it, j = model.tree_joint[body];
    const Joint& joint = model.joints[j];
    const bool as_a = hangs_as_a(model, body);
    const BodyLoad<T>& load = work.loads[static_cast<std::size_t>(body)];
    const BodyMotion<T>& motion = work.motions[static_cast<std::size_t>(body)];
    const SeriesFrame<T> a = work.frame(joint.body_a) * joint.frame_a;
    const SeriesFrame<T>& b = work.joint_b[static_cast<std::size_t>(j)];
    const Vector3Of<T> arm = motion.position - value_of<T>(b.position);
    const Vector3Of<T> moment = load.moment + arm.cross(load.force);
    const int first = first_of_joint_[j];
    const auto set = [&](int k, const T& power) {
      frame.balance[first + k] = -(as_a ? -power : power) - work.efforts[first + k];
    };
    const Vector3Of<T> z = column<T>(a.rotation, 2);
    switch (joint.kind) {
      case JointKind::fixed:
        break;
      case JointKind::revolute:
        set(0, dot<T>(z, moment));
        break;
      case JointKind::prismatic:
        set(0, dot<T>(z, load.force));
        break;
      case JointKind::screw:
        set(0, dot<T>(z, moment) + joint.pitch * dot<T>(z, load.force));
        break;
      case JointKind::cylindrical:
        set(0, dot<T>(z, moment));
        set(1, dot<T>(z, load.force));
        break;
      case JointKind::universal:
        set(0, dot<T>(z, moment));
        set(1, dot<T>(column<T>(b.rotation, 0), moment));
        break;
      case JointKind::ball: {
        const Vector3Of<T> s = frame.positions.template segment<3>(first);
        const Matrix3Of<T> axes = rodrigues_axes<T>(s);
        for (int k = 0; k < 3; ++k) {
          Vector3Of<T> axis = Vector3Of<T>::Constant(T(0.0));
          for (int m = 0; m < 3; ++m) axis += times<T>(axes(m, k), column<T>(a.rotation, m));
          set(k, dot<T>(axis, moment));
        }
        break;
      }
      case JointKind::planar:
        for (int k = 0; k < 2; ++k) set(k, dot<T>(column<T>(a.rotation, k), load.force));
        set(2, dot<T>(z, moment));
        break;
    }
    const int parent = parent_body(model, body);
    if (parent < 0) continue;
    BodyLoad<T>& below = work.loads[static_cast<std::size_t>(parent)];
    const Vector3Of<T> shift =
        motion.position - work.motions[static_cast<std::size_t>(parent)].position;
    below.force += load.force;
    below.moment += load.moment + shift.cross(load.force);
  }
  for (int i = 0; i < coordinate_count(); ++i) {
    const Coordinate& at = coordinates_[i];
    if (at.joint >= 0) continue;
    const BodyLoad<T>& load = work.loads[static_cast<std::size_t>(at.body)];
    if (at.kind == Coordinate::Kind::center) {
      frame.balance[i] = -load.force[at.axis];
      continue;
    }
    const BodyMotion<T>& motion = work.motions[static_cast<std::size_t>(at.body)];
    const Vector3Of<T> arm =
        motion.rotation * with_numbers_of<T>(model.bodies[at.body].mass.center);
    const Vector3Of<T> moment = load.moment - arm.cross(load.force);
    if (at.kind == Coordinate::Kind::angle) {
      frame.balance[i] = -moment[2];
      continue;
    }
    if (at.axis > 0) continue;
    const Vector3Of<T> s = frame.positions.template segment<3>(i);
    const Matrix3Of<T> axes = rodrigues_axes<T>(s);
    for (int k = 0; k < 3; ++k) frame.balance[i + k] = -dot<T>(Vector3Of<T>(axes.col(k)), moment);
  }
}

template <class T>
void ModelSystem::evaluate_as(SystemFrame<T>& frame) const {
  Workspace<T>& work = workspace<T>();
  place(frame, work);
  work.pairs.resize(parts_.contacts.size());
  work.axes.resize(parts_.contacts.size());
  add_inertia(work);
  add_forces(frame, work);
  add_springs(work);
  add_joint_forces(frame, work);
  add_networks(frame, work);
  for (std::size_t i = 0; i < parts_.inputs.size(); ++i)
    push_input(work, parts_.inputs[i], frame.inputs[static_cast<Eigen::Index>(i)]);
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    write_row(frame, work, i);
    if (!std::isfinite(plain(frame.gaps[i].value)) || !std::isfinite(plain(frame.gaps[i].first)))
      throw Failure(fmt::format("at {:.9g} s '{}' is not finite, or has no derivative", frame.time,
                                constraints_[static_cast<std::size_t>(i)].name));
  }
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    std::vector<T> variables;
    for (const CoordinateRead& read : guards_[g]->reads)
      variables.push_back(coordinate(frame, work, read).value);
    variables.push_back(T(frame.time));
    frame.guards[static_cast<Eigen::Index>(g)] =
        vinci::evaluate<T>(guards_[g]->expression, variables);
  }
  write_balance(frame, work);
}

template void ModelSystem::evaluate_as(SystemFrame<double>&) const;
template void ModelSystem::evaluate_as(SystemFrame<Dual<double>>&) const;
template void ModelSystem::place(const SystemFrame<double>&, Workspace<double>&) const;

template <class T>
T ModelSystem::read(const SystemFrame<T>& frame, const CoordinateRead& what) const {
  return coordinate(frame, workspace<T>(), what).value;
}
template double ModelSystem::read(const SystemFrame<double>&, const CoordinateRead&) const;
template Dual<double> ModelSystem::read(const SystemFrame<Dual<double>>&,
                                        const CoordinateRead&) const;

}  // namespace vinci
