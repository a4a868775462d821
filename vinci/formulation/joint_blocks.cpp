// SPDX-License-Identifier: Apache-2.0
// What stands at the freedoms of joints, and the rows that come of it.
#include "vinci/formulation/joint_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>

#include "vinci/kinematics/joint_rows.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

Pose pose_of(std::span<const Pose> poses, int body) {
  return body < 0 ? Pose() : poses[static_cast<std::size_t>(body)];
}

// Where a servo is to be, and how fast.
struct Target {
  double position = 0.0, velocity = 0.0;
};
Target target_of(const Motor& motor, double time) {
  const std::array<Jet, 3> variables{Jet{time, 1.0, 0.0}, Jet{}, Jet{}};
  const Jet jet = motor.target.jet(variables);
  if (motor.kind == MotorKind::velocity) return {0.0, jet.value};
  return {jet.value, jet.first};
}

// λ = push − resistance (q̇ − δ).
struct Line {
  double resistance = 0.0, push = 0.0;

  Line& operator+=(const Line& other) {
    resistance += other.resistance;
    push += other.push;
    return *this;
  }
};

// A freedom in a step.
struct FreedomStep {
  double time = 0.0, h = 0.0;    // τ, h
  double q = 0.0, driven = 0.0;  // q, δ
  double rate = 0.0;             // q̇ˡ
  double inertia = 0.0;          // kg or kg m², of the two bodies by themselves; 0: no momentum
  int index = 0;                 // of the rate
};

// How much of the symmetric rule counts: all where the step resolves the motion, none where it does
// not. `ratio` is h d/m or h² k/m.
double symmetric_share(double ratio) {
  return 1.0 / (1.0 + ratio * ratio);
}

// −τ k (q + h (α (q̇ − δ) − β (q̇ˡ − δ)) − rest): with α = β = 1/4 the mean of the coordinates
// before, at and after the start of the step, which neither gains nor takes energy; with α = 1, β =
// 0 the coordinate at its end, which is stable and calm at any stiffness.
Line spring_line(const FreedomStep& step, double k, double rest) {
  if (k == 0.0) return {};
  const double s = step.inertia > 0.0 ? symmetric_share(step.h * step.h * k / step.inertia) : 0.0;
  const double beta = 0.25 * s, alpha = beta + 1.0 - s;
  return {step.time * step.h * k * alpha,
          -step.time * k * (step.q - step.h * beta * (step.rate - step.driven) - rest)};
}

// −τ d (q̇ − v), with the mean of the rates before and after where the step resolves it.
Line damper_line(const FreedomStep& step, double d, double v) {
  if (d == 0.0) return {};
  const double s = step.inertia > 0.0 ? 0.5 * symmetric_share(step.h * d / step.inertia) : 0.0;
  return {step.time * d * (1.0 - s),
          -step.time * d * ((1.0 - s) * step.driven + s * step.rate - v)};
}

Line servo_line(const Motor& motor, const FreedomStep& step, double start) {
  // At the time that the rules above are about.
  const double ratio = step.inertia > 0.0
                           ? step.h * (step.h * motor.stiffness + motor.damping) / step.inertia
                           : infinity;
  const Target target = target_of(motor, start + step.h * (1.0 - symmetric_share(ratio)));
  Line line = spring_line(step, motor.stiffness, target.position);
  return line += damper_line(step, motor.damping, target.velocity);
}

bool is_cut_off(const Motor& motor) {
  return motor.kind != MotorKind::effort && motor.limit < infinity;
}

bool yields(const JointFreedom& freedom) {
  return freedom.damping > 0.0 || freedom.stiffness > 0.0 ||
         freedom.motor.kind == MotorKind::velocity || freedom.motor.kind == MotorKind::position;
}

// The velocity along a row for a unit impulse along it, of the two bodies by themselves.
double row_mobility(const JointStep& step, const Joint& joint, const Twist& row) {
  const Vector3 point = pose_of(step.placed, joint.body_b) * joint.frame_b.position;
  double sum = 0.0;
  for (const int b : {joint.body_a, joint.body_b}) {
    if (b < 0 || !step.model.is_moved(b)) continue;
    const Body& body = step.model.bodies[static_cast<std::size_t>(b)];
    const Pose& pose = step.placed[static_cast<std::size_t>(b)];
    const Vector3 moment =
        pose.rotation.conjugate() *
        Vector3((point - pose * body.mass.center).cross(row.linear) + row.angular);
    sum += row.linear.squaredNorm() / body.mass.mass;
    if (body.freedom == Freedom::planar)
      sum += moment.z() * moment.z() / body.mass.inertia(2, 2);
    else
      sum += moment.dot(body.mass.inertia.llt().solve(moment));
  }
  return sum;
}

FreedomStep freedom_step(const JointStep& step, const JointLoads& loads, const Joint& joint,
                         int k) {
  const bool counts = joint.kind != JointKind::ball;
  FreedomStep at{.time = step.time,
                 .h = step.h,
                 .q = counts ? loads.positions[joint.first_coordinate + k] : 0.0,
                 .driven = loads.driven[joint.first_rate + k],
                 .rate = step.state.joint_rates[joint.first_rate + k],
                 .index = joint.first_rate + k};
  const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
  if (!step.momentum || step.stage || !yields(freedom)) return at;
  const Pose a = pose_of(step.placed, joint.body_a), b = pose_of(step.placed, joint.body_b);
  const double mobility = row_mobility(step, joint, rate_row(joint, a, b, k));
  at.inertia = (mobility > 0.0 ? 1.0 / mobility : 0.0) + freedom.armature;
  return at;
}

Line line_of(const JointFreedom& freedom, const JointStep& step, const FreedomStep& at,
             bool closes_loop) {
  Line line;
  if (step.inert && closes_loop) {
    line.resistance += freedom.armature;
    if (step.momentum) line.push += freedom.armature * (at.rate - at.driven);
  }
  line += spring_line(at, freedom.stiffness, freedom.rest);
  line += damper_line(at, freedom.damping, 0.0);
  return line;
}

// Of a motor that is not cut off within the step.
Line motor_line(const Motor& motor, const JointStep& step, const FreedomStep& at, double q_start) {
  if (motor.kind == MotorKind::effort) {
    if (!step.stage) return {0.0, step.time * effort_of(motor, step.state.time, q_start, at.rate)};
    const double rate = step.stage->rates[at.index];
    return {0.0,
            step.time * effort_of(motor, step.state.time + step.h, q_start + step.h * rate, rate)};
  }
  if (motor.kind == MotorKind::none || is_cut_off(motor)) return {};
  return servo_line(motor, at, step.state.time);
}

// The largest rate that a step is taken to lead to, generously. Limits and targets of servos that
// are farther away than it leads count as being there: their numbers would be the scale by which
// residuals of the whole problem are judged.
double fastest(double h, double rate) {
  constexpr double way = 10.0, faster = 4.0;  // m or rad; than at the start
  return way / h + faster * std::abs(rate);
}

bool takes_part(std::span<const EntityKey> keys, const EntityKey& key) {
  return std::binary_search(keys.begin(), keys.end(), key);
}

// Velocity and angular velocity of b against a at the joint's point, along a row.
double relative_rate(const JointStep& step, const Joint& joint, const VectorX& velocities,
                     const Twist& row) {
  const Vector3 point = pose_of(step.placed, joint.body_b) * joint.frame_b.position;
  double sum = 0.0;
  for (const auto& [b, sign] : {std::pair(joint.body_a, -1.0), std::pair(joint.body_b, 1.0)}) {
    if (b < 0) continue;
    const Twist twist = body_twist(step.model, velocities, b);
    sum += sign * (row.linear.dot(twist.at(point - center_of_mass(step.model, step.placed, b))) +
                   row.angular.dot(twist.angular));
  }
  return sum;
}

// The rate of a freedom by prescribed coordinates alone.
double carried_rate(const JointStep& step, const VectorX& carried, int j, int k) {
  if (!is_loop_joint(step.model, j)) return 0.0;
  const Joint& joint = step.model.joints[static_cast<std::size_t>(j)];
  const Twist row =
      rate_row(joint, pose_of(step.placed, joint.body_a), pose_of(step.placed, joint.body_b), k);
  return relative_rate(step, joint, carried, row);
}

}  // namespace

double effort_of(const Motor& motor, double time, double q, double rate) {
  const std::array<double, 3> variables{time, q, rate};
  return std::clamp(motor.target.value(variables), -motor.limit, motor.limit);
}

bool is_near_limit(double gap, double rate, double h) {
  constexpr double nearby = 1e-3, faster = 2.0;  // m or rad; than at the start
  return gap <= nearby + faster * h * std::abs(rate);
}

void find_joint_loads(const JointStep& step, JointLoads& loads) {
  const Model& model = step.model;
  loads.positions = step.state.joint_positions;
  loads.driven.setZero(model.joint_rate_count);
  loads.resistance.setZero(model.joint_rate_count);
  loads.push.setZero(model.joint_rate_count);
  loads.motor_resistance.setZero(model.joint_rate_count);
  loads.motor_push.setZero(model.joint_rate_count);
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const bool counts = rate_count(joint.kind) == position_count(joint.kind);
    if (step.stage) {
      for (int k = 0; k < rate_count(joint.kind); ++k)
        loads.driven[joint.first_rate + k] = carried_rate(step, step.stage->carried, j, k);
    } else if (is_loop_joint(model, j)) {
      read_coordinates(joint, pose_of(step.placed, joint.body_a),
                       pose_of(step.placed, joint.body_b),
                       loads.positions.data() + joint.first_coordinate);
      if (counts)
        for (int k = 0; k < rate_count(joint.kind); ++k)
          loads.driven[joint.first_rate + k] =
              step.resolved(loads.positions[joint.first_coordinate + k] -
                            step.state.joint_positions[joint.first_coordinate + k]) /
              step.h;
    }
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const double q_start = counts ? step.state.joint_positions[joint.first_coordinate + k] : 0.0;
      const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
      const FreedomStep at = freedom_step(step, loads, joint, k);
      Line line = line_of(freedom, step, at, is_loop_joint(model, j));
      const Line motor = motor_line(freedom.motor, step, at, q_start);
      line += motor;
      loads.resistance[joint.first_rate + k] = line.resistance;
      loads.push[joint.first_rate + k] = line.push;
      loads.motor_resistance[joint.first_rate + k] = motor.resistance;
      loads.motor_push[joint.first_rate + k] = motor.push;
    }
  }
}

void JointBlocks::clear() {
  terms_.clear();
  starts_.assign(1, 0);
  columns_.clear();
  values_.clear();
  bias_.clear();
  compliance_.clear();
  axes_.clear();
  pushes_.clear();
  held_.clear();
}

void JointBlocks::add_row(double bias, double compliance) {
  row_.visit([&](int column, double value) {
    columns_.push_back(column);
    values_.push_back(value);
  });
  starts_.push_back(static_cast<int>(columns_.size()));
  bias_.push_back(bias);
  compliance_.push_back(compliance);
}

// Adds l·v_rel + a·ω_rel to row_, v_rel the velocity of b against a at the joint's point.
void JointBlocks::add_relative(const JointStep& step, const Joint& joint, const Vector3& l,
                               const Vector3& a) {
  const Vector3 point = pose_of(step.placed, joint.body_b) * joint.frame_b.position;
  const auto arm = [&](int body) {
    return body < 0 ? point : Vector3(point - center_of_mass(step.model, step.placed, body));
  };
  row_.add(step.tree, joint.body_b, arm(joint.body_b), l, a);
  row_.add(step.tree, joint.body_a, arm(joint.body_a), -l, -a);
}

// Adds the rate of a freedom to row_.
void JointBlocks::add_rate(const JointStep& step, int j, int k, double factor) {
  const Model& model = step.model;
  const Joint& joint = model.joints[static_cast<std::size_t>(j)];
  if (!is_loop_joint(model, j)) {
    const int column = model.rate_index[static_cast<std::size_t>(joint.first_rate + k)];
    if (column >= 0) row_.add(column, factor);
    return;
  }
  const Pose a = pose_of(step.placed, joint.body_a), b = pose_of(step.placed, joint.body_b);
  const Twist axis = rate_row(joint, a, b, k);
  add_relative(step, joint, factor * axis.linear, factor * axis.angular);
}

bool JointBlocks::begin_rate(const JointStep& step, int j, int k, double factor) {
  row_.begin(step.model.free_count);
  add_rate(step, j, k, factor);
  return row_.largest() > negligible;
}

// By a flight the last row changes twice what it does at the mean of the velocities.
void JointBlocks::add_held(const JointStep& step, const Joint& joint, double error,
                           double start_error) {
  const JointFlight* const flight = step.flight;
  if (!flight || !flight->flies(joint)) return add_row(error / step.h, 0.0);
  add_row(0.0, 0.0);
  bias(rows() - 1) =
      rate(rows() - 1, flight->before) + (flight->coasts ? 0.0 : 2.0 * start_error / step.h);
}

// `carried`: rows over velocities at an instant, to which it adds those of prescribed coordinates.
void JointBlocks::add_constraint(const JointStep& step, int j, const VectorX* carried) {
  const Model& model = step.model;
  const Joint& joint = model.joints[static_cast<std::size_t>(j)];
  const Pose a = pose_of(step.placed, joint.body_a), b = pose_of(step.placed, joint.body_b);
  JointTerms terms{.key = joint_key(j, JointPart::constraint, 0),
                   .law = Law::equality,
                   .first = rows(),
                   .count = 0};
  JointRows kept, before;
  const auto angle = [&](const State& state) {
    return joint.kind == JointKind::screw ? state.joint_positions[joint.first_coordinate] : 0.0;
  };
  joint_rows(joint, model.world, a, b, angle(step.state), kept);
  if (step.flight)
    joint_rows(joint, model.world, pose_of(step.flight->placed, joint.body_a),
               pose_of(step.flight->placed, joint.body_b), angle(step.flight->start), before);
  for (int i = 0; i < kept.count; ++i) {
    const JointRow& row = kept.rows[static_cast<std::size_t>(i)];
    row_.begin(model.free_count);
    add_relative(step, joint, row.linear, row.angular);
    const bool moves = row_.largest() > negligible;
    held_.push_back({.row = moves ? rows() : -1, .index = j, .part = i});
    if (!moves) continue;
    axes_.push_back({rows(), row.linear, row.angular});
    if (carried)
      add_row(relative_rate(step, joint, *carried, {row.linear, row.angular}), 0.0);
    else
      add_held(step, joint, row.error, before.rows[static_cast<std::size_t>(i)].error);
    ++terms.count;
  }
  if (terms.count > 0) terms_.push_back(terms);
}

void JointBlocks::add_limits(const JointStep& step, const JointLoads& loads, int j) {
  const Joint& joint = step.model.joints[static_cast<std::size_t>(j)];
  for (const bool lower : {true, false})
    for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
      const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
      const double bound = lower ? freedom.lower : freedom.upper;
      const double sign = lower ? 1.0 : -1.0;
      if (!std::isfinite(bound)) continue;
      const double gap =
          step.resolved(sign * (loads.positions[joint.first_coordinate + k] - bound));
      const double rate = step.state.joint_rates[joint.first_rate + k];
      if (!step.all_limits && !is_near_limit(gap, rate, step.h) && !is_loop_joint(step.model, j))
        continue;
      if (!begin_rate(step, j, k, sign)) continue;
      if (freedom.lower == freedom.upper) {  // it is held there
        if (!lower) continue;
        terms_.push_back({.key = joint_key(j, JointPart::lower_limit, k), .first = rows()});
        held_.push_back({.row = rows(), .of = HeldRow::Of::coordinate, .index = j, .part = k});
        add_held(step, joint, gap,
                 step.flight
                     ? step.flight->start.joint_positions[joint.first_coordinate + k] - bound
                     : gap);
        continue;
      }
      const JointPart part = lower ? JointPart::lower_limit : JointPart::upper_limit;
      if (step.flight && !takes_part(step.flight->limits, joint_key(j, part, k))) continue;
      terms_.push_back({.key = joint_key(j, part, k),
                        .law = Law::nonnegative,
                        .first = rows(),
                        .gap = std::min(gap, step.h * fastest(step.h, rate)),
                        .velocity = sign * rate,
                        .restitution = freedom.restitution});
      add_row(terms_.back().gap / step.h, 0.0);
    }
}

void JointBlocks::add_box(const JointStep& step, const EntityKey& key, double bound, double bias,
                          double compliance) {
  terms_.push_back({.key = key,
                    .law = Law::box,
                    .first = rows(),
                    .lower = -step.time * bound,
                    .upper = step.time * bound});
  add_row(bias, compliance);
}

void JointBlocks::add_efforts(const JointStep& step, const JointLoads& loads, int j) {
  const Joint& joint = step.model.joints[static_cast<std::size_t>(j)];
  const int count = static_cast<int>(joint.freedoms.size());
  const auto freedom = [&](int k) -> const JointFreedom& {
    return joint.freedoms[static_cast<std::size_t>(k)];
  };
  for (int k = 0; k < count; ++k)
    if (freedom(k).friction > 0.0 && begin_rate(step, j, k, 1.0))
      add_box(step, joint_key(j, JointPart::friction, k), freedom(k).friction,
              loads.driven[joint.first_rate + k], 0.0);
  for (int k = 0; k < count && is_loop_joint(step.model, j); ++k) {
    const double resistance = loads.resistance[joint.first_rate + k];
    const double push = loads.push[joint.first_rate + k];
    if ((resistance == 0.0 && push == 0.0) || !begin_rate(step, j, k, 1.0)) continue;
    if (resistance == 0.0) {
      row_.visit([&](int column, double value) { pushes_.emplace_back(column, push * value); });
      continue;
    }
    terms_.push_back({.key = joint_key(j, JointPart::yielding, k), .first = rows()});
    add_row(-push / resistance, 1.0 / resistance);
  }
  for (int k = 0; k < count; ++k) {
    const Motor& motor = freedom(k).motor;
    if (motor.kind == MotorKind::none || !is_cut_off(motor) || motor.limit == 0.0 ||
        !begin_rate(step, j, k, 1.0))
      continue;
    const Line line = servo_line(motor, freedom_step(step, loads, joint, k), step.state.time);
    // Beyond it the effort is at its limit, whatever the step does.
    const double most = step.time * motor.limit / line.resistance +
                        fastest(step.h, step.state.joint_rates[joint.first_rate + k]);
    add_box(step, joint_key(j, JointPart::servo, k), motor.limit,
            std::clamp(-line.push / line.resistance, -most, most), 1.0 / line.resistance);
  }
}

void JointBlocks::add_coupling(const JointStep& step, const JointLoads& loads, int i) {
  const Coupling& coupling = step.model.couplings[static_cast<std::size_t>(i)];
  const Joint& a = step.model.joints[static_cast<std::size_t>(coupling.joint_a)];
  const Joint& b = step.model.joints[static_cast<std::size_t>(coupling.joint_b)];
  row_.begin(step.model.free_count);
  add_rate(step, coupling.joint_b, coupling.freedom_b, 1.0);
  add_rate(step, coupling.joint_a, coupling.freedom_a, -coupling.ratio);
  if (!(row_.largest() > negligible)) return;
  const double error = loads.positions[b.first_coordinate + coupling.freedom_b] -
                       coupling.ratio * loads.positions[a.first_coordinate + coupling.freedom_a] -
                       step.state.coupling_offsets[i];
  double start_error = error;
  if (step.flight) {
    const VectorX& q = step.flight->start.joint_positions;
    start_error = q[b.first_coordinate + coupling.freedom_b] -
                  coupling.ratio * q[a.first_coordinate + coupling.freedom_a] -
                  step.state.coupling_offsets[i];
  }
  held_.push_back({.row = rows(),
                   .of = HeldRow::Of::coupling,
                   .index = i,
                   .slips = coupling.breakaway < infinity});
  const int first = rows();
  add_held(step, b, error, start_error);
  if (coupling.breakaway < infinity)
    terms_.push_back({.key = coupling_key(i),
                      .law = Law::box,
                      .first = first,
                      .lower = -step.time * coupling.breakaway,
                      .upper = step.time * coupling.breakaway});
  else
    terms_.push_back({.key = coupling_key(i), .first = first});
}

void JointBlocks::find(const JointStep& step, const JointLoads& loads) {
  clear();
  const int joints = static_cast<int>(step.model.joints.size());
  const bool coasts = step.flight && step.flight->coasts;
  const auto flies = [&](int j) {
    return step.flight->flies(step.model.joints[static_cast<std::size_t>(j)]);
  };
  for (int j = 0; j < joints; ++j) {
    if (coasts && !flies(j)) continue;
    if (is_loop_joint(step.model, j)) add_constraint(step, j);
    add_limits(step, loads, j);
    if (!coasts) add_efforts(step, loads, j);
  }
  for (int i = 0; i < static_cast<int>(step.model.couplings.size()); ++i)
    if (const Coupling& coupling = step.model.couplings[static_cast<std::size_t>(i)];
        !coasts || (flies(coupling.joint_b) && std::isinf(coupling.breakaway)))
      add_coupling(step, loads, i);
}

// Limits that take part, freedoms that are held, and armature that is not in M.
void JointBlocks::add_instant_freedoms(const JointStep& step, const JointInstant& instant, int j) {
  const Joint& joint = step.model.joints[static_cast<std::size_t>(j)];
  const int count = static_cast<int>(joint.freedoms.size());
  for (const bool lower : {true, false})
    for (int k = 0; k < count; ++k) {
      const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
      const EntityKey key =
          joint_key(j, lower ? JointPart::lower_limit : JointPart::upper_limit, k);
      const double sign = lower ? 1.0 : -1.0;
      const bool held = freedom.lower == freedom.upper && lower;
      if ((!held && !takes_part(instant.limits, key)) || !begin_rate(step, j, k, sign)) continue;
      terms_.push_back({.key = key,
                        .law = held ? Law::equality : Law::nonnegative,
                        .first = rows(),
                        .restitution = freedom.restitution});
      add_row(sign * carried_rate(step, instant.carried, j, k), 0.0);
    }
  for (int k = 0; k < count && instant.impact && is_loop_joint(step.model, j); ++k) {
    const double armature = joint.freedoms[static_cast<std::size_t>(k)].armature;
    if (!(armature > 0.0) || !begin_rate(step, j, k, 1.0)) continue;
    terms_.push_back({.key = joint_key(j, JointPart::yielding, k), .first = rows()});
    add_row(0.0, 1.0 / armature);
    bias(rows() - 1) = -rate(rows() - 1, instant.before);
  }
}

void JointBlocks::find_instant(const JointStep& step, const JointInstant& instant) {
  clear();
  const Model& model = step.model;
  const auto counts = [&](int j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const auto is_in = [&](int b) {
      return b >= 0 && (*instant.only)[static_cast<std::size_t>(b)] != 0;
    };
    return !instant.only || is_in(joint.body_a) || is_in(joint.body_b);
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!counts(j)) continue;
    if (is_loop_joint(model, j)) add_constraint(step, j, &instant.carried);
    add_instant_freedoms(step, instant, j);
  }
  for (int i = 0; i < static_cast<int>(model.couplings.size()); ++i) {
    const Coupling& coupling = model.couplings[static_cast<std::size_t>(i)];
    // A clutch lets an impact through: its effort has no time to act.
    if (!counts(coupling.joint_b) || coupling.breakaway < infinity) continue;
    add_instant_coupling(step, instant.carried, i);
  }
}

void JointBlocks::add_instant_coupling(const JointStep& step, const VectorX& carried, int i) {
  const Coupling& coupling = step.model.couplings[static_cast<std::size_t>(i)];
  row_.begin(step.model.free_count);
  add_rate(step, coupling.joint_b, coupling.freedom_b, 1.0);
  add_rate(step, coupling.joint_a, coupling.freedom_a, -coupling.ratio);
  if (!(row_.largest() > negligible)) return;
  const double driven =
      carried_rate(step, carried, coupling.joint_b, coupling.freedom_b) -
      coupling.ratio * carried_rate(step, carried, coupling.joint_a, coupling.freedom_a);
  if (coupling.breakaway < infinity)
    return add_box(step, coupling_key(i), coupling.breakaway, driven, 0.0);
  terms_.push_back({.key = coupling_key(i), .first = rows()});
  add_row(driven, 0.0);
}

void JointBlocks::find_stage(const JointStep& step, const JointLoads& loads) {
  clear();
  const Model& model = step.model;
  const JointStage& stage = *step.stage;
  const auto counts = [&](int j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const auto is_in = [&](int b) {
      return b >= 0 && (*stage.only)[static_cast<std::size_t>(b)] != 0;
    };
    return !stage.only || is_in(joint.body_a) || is_in(joint.body_b);
  };
  const JointInstant instant{
      .before = stage.rates, .carried = stage.carried, .limits = stage.limits, .impact = false};
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!counts(j)) continue;
    if (is_loop_joint(model, j)) add_constraint(step, j, &stage.carried);
    add_instant_freedoms(step, instant, j);
    add_efforts(step, loads, j);
  }
  for (int i = 0; i < static_cast<int>(model.couplings.size()); ++i)
    if (counts(model.couplings[static_cast<std::size_t>(i)].joint_b))
      add_instant_coupling(step, stage.carried, i);
}

void JointBlocks::find_bounds(const JointStep& step) {
  clear();
  bounds_.positions = step.state.joint_positions;
  for (int j = 0; j < static_cast<int>(step.model.joints.size()); ++j) {
    if (is_loop_joint(step.model, j)) add_constraint(step, j);
    add_limits(step, bounds_, j);
  }
}

void JointBlocks::find_held(const JointStep& step, std::span<const FreedomPlace> still,
                            std::span<const int> slips) {
  find_bounds(step);
  for (int i = 0; i < static_cast<int>(step.model.couplings.size()); ++i)
    if (std::find(slips.begin(), slips.end(), i) == slips.end()) add_coupling(step, bounds_, i);
  for (const FreedomPlace& place : still) {
    if (!begin_rate(step, place.joint, place.freedom, 1.0)) continue;
    terms_.push_back(
        {.key = joint_key(place.joint, JointPart::friction, place.freedom), .first = rows()});
    add_row(0.0, 0.0);
  }
}

void JointBlocks::errors(const Model& model, const JointPlaces& places, VectorX& errors) const {
  errors.resize(static_cast<Eigen::Index>(held_.size()));
  JointRows rows;
  int known = -1;  // joint
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const HeldRow& held = held_[i];
    const auto q = [&](int joint, int freedom) {
      return places
          .positions[model.joints[static_cast<std::size_t>(joint)].first_coordinate + freedom];
    };
    double& error = errors[static_cast<Eigen::Index>(i)];
    if (held.of == HeldRow::Of::coupling) {
      const Coupling& coupling = model.couplings[static_cast<std::size_t>(held.index)];
      error = q(coupling.joint_b, coupling.freedom_b) -
              coupling.ratio * q(coupling.joint_a, coupling.freedom_a) - places.offsets[held.index];
      continue;
    }
    const Joint& joint = model.joints[static_cast<std::size_t>(held.index)];
    if (held.of == HeldRow::Of::coordinate) {
      error = q(held.index, held.part) - joint.freedoms[static_cast<std::size_t>(held.part)].lower;
      continue;
    }
    if (held.index != known)
      joint_rows(joint, model.world, pose_of(places.poses, joint.body_a),
                 pose_of(places.poses, joint.body_b),
                 joint.kind == JointKind::screw ? q(held.index, 0) : 0.0, rows);
    known = held.index;
    error = rows.rows[static_cast<std::size_t>(held.part)].error;
  }
}

double JointBlocks::rate(int row, const VectorX& u) const {
  double sum = 0.0;
  for (int k = starts_[static_cast<std::size_t>(row)];
       k < starts_[static_cast<std::size_t>(row) + 1]; ++k)
    sum += values_[static_cast<std::size_t>(k)] * u[columns_[static_cast<std::size_t>(k)]];
  return sum;
}

void JointBlocks::write_rows(const JointTerms& terms, ComplementarityProblem& problem) const {
  for (int i = 0; i < terms.count; ++i) {
    const auto row = static_cast<std::size_t>(terms.first + i);
    for (int k = starts_[row]; k < starts_[row + 1]; ++k)
      problem.J.push(columns_[static_cast<std::size_t>(k)], values_[static_cast<std::size_t>(k)]);
    if (compliance_[row] > 0.0) problem.C.push(problem.J.rows, compliance_[row]);
    problem.C.end_row();
    problem.b[problem.J.rows] = bias_[row];
    problem.J.end_row();
  }
}

void JointBlocks::write_row(int row, SparseRows& rows) const {
  for (int k = starts_[static_cast<std::size_t>(row)];
       k < starts_[static_cast<std::size_t>(row) + 1]; ++k)
    rows.push(columns_[static_cast<std::size_t>(k)], values_[static_cast<std::size_t>(k)]);
  rows.end_row();
}

void JointBlocks::write_equalities(int unknowns, ComplementarityProblem& problem) const {
  problem.J.reset(unknowns);
  problem.C.reset(rows());
  problem.b.resize(rows());
  for (const JointTerms& terms : terms_)
    if (terms.law == Law::equality) write_rows(terms, problem);
}

void JointBlocks::write(ComplementarityProblem& problem) const {
  for (const JointTerms& terms : terms_) {
    const int first = problem.J.rows;
    write_rows(terms, problem);
    Block block{.law = terms.law, .offset = first, .size = terms.count};
    if (terms.law == Law::box) {
      block.lower = terms.lower;
      block.upper = terms.upper;
    }
    problem.blocks.push_back(block);
  }
}

void JointBlocks::add_pushes(VectorX& momentum) const {
  for (const auto& [column, push] : pushes_) momentum[column] += push;
}

JointBlocks::Wrench JointBlocks::wrench(const JointTerms& terms,
                                        Eigen::Ref<const VectorX> lambda) const {
  Wrench wrench;
  for (const Axis& axis : axes_) {
    if (axis.row < terms.first || axis.row >= terms.first + terms.count) continue;
    wrench.force += lambda[axis.row - terms.first] * axis.linear;
    wrench.moment += lambda[axis.row - terms.first] * axis.angular;
  }
  return wrench;
}

}  // namespace vinci
