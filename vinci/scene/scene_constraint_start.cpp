// SPDX-License-Identifier: Apache-2.0
// Constraints where the run begins: whether they are finite there with their derivatives, whether
// they can be obeyed, and whether they say the same. Loops of joints are let be: what cannot be
// obeyed without them cannot be obeyed with them.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "vinci/base/expression_number.h"
#include "vinci/control/robot.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/recursive.h"
#include "vinci/scene/scene_constraints.h"

namespace vinci {
namespace {

using SlopeNumber = Dual<double>;
using UnknownsRow = Eigen::RowVectorXd;

class ConstraintStart {
 public:
  explicit ConstraintStart(const Model& model) : model_(mechanism_of(model)) {
    make_tree(model_);
    state_ = begin_ = initial_state(model_);
    place();
  }

  const Model& model() const { return model_; }

  struct Reading {
    double value = 0.0;
    UnknownsRow row;  // over the unknowns
    bool finite = true;
    bool moves = false;     // an unknown moves a body or a joint that it reads
    double strength = 0.0;  // of what adds up to the row
    // The distance to zero, as far as it is known here: in m or rad.
    double distance() const { return std::abs(value) / row.norm(); }
    bool has_direction() const { return row.norm() > 1e-12 * strength; }
  };

  Reading read(const CoordinateFunction& function) {
    Reading reading;
    const std::size_t count = function.reads.size();
    std::vector<SlopeNumber> at(count + 1);
    std::vector<Series<double>> in_time(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      at[i].value = read_coordinate(model_, state_, function.reads[i]);
      in_time[i].value = at[i].value;
    }
    reading.value = function.expression.value(plain_values(at));
    reading.row.setZero(model_.free_count);
    reading.finite = std::isfinite(reading.value);
    for (std::size_t i = 0; i < count; ++i) {
      at[i].slope = in_time[i].first = 1.0;
      const double slope = evaluate<SlopeNumber>(function.expression, at).slope;
      const double second = evaluate<Series<double>>(function.expression, in_time).second;
      at[i].slope = in_time[i].first = 0.0;
      reading.finite &= std::isfinite(slope) && std::isfinite(second);
      reading.moves |= moves(function.reads[i]);
      const UnknownsRow rates = rate_of(function.reads[i]);
      reading.strength += std::abs(slope) * rates.norm();
      reading.row += slope * rates;
    }
    return reading;
  }

  double value(const CoordinateFunction& function) const {
    std::vector<SlopeNumber> at(function.reads.size() + 1);
    for (std::size_t i = 0; i < function.reads.size(); ++i)
      at[i] = read_coordinate(model_, state_, function.reads[i]);
    return function.expression.value(plain_values(at));
  }

  // How near to zero a motion from the start brings it: Newton's method, shortest ways, from the
  // start and from places nearby.
  double least(const CoordinateFunction& function) {
    std::mt19937 random(7);
    double best = infinity;
    for (int attempt = 0; attempt < 8; ++attempt) {
      state_ = begin_;
      place();
      VectorX nearby(model_.free_count);
      for (double& entry : nearby) entry = static_cast<double>(random()) / 2147483648.0 - 1.0;
      if (attempt > 0) move(nearby);
      best = std::min(best, descend(function));
      if (best == 0.0) break;
    }
    state_ = begin_;
    place();
    return best;
  }

 private:
  static std::vector<double> plain_values(const std::vector<SlopeNumber>& numbers) {
    std::vector<double> values;
    for (const SlopeNumber& number : numbers) values.push_back(number.value);
    return values;
  }

  void place() { tree_.place(model_, state_.poses, state_.joint_positions); }

  const Pose& pose_of(int body) const {
    static const Pose world;
    return body < 0 ? world : state_.poses[static_cast<std::size_t>(body)];
  }

  bool moves(const CoordinateRead& read) const {
    if (read.kind == CoordinateRead::Kind::body) return model_.is_moved(read.index);
    const Joint& joint = model_.joints[static_cast<std::size_t>(read.index)];
    return (joint.body_a >= 0 && model_.is_moved(joint.body_a)) ||
           (joint.body_b >= 0 && model_.is_moved(joint.body_b));
  }

  // Rows of the velocity of a point of a body, then of its angular velocity.
  MatrixX jacobian(int body, const Vector3& point) const {
    MatrixX result = MatrixX::Zero(6, model_.free_count);
    if (body < 0) return result;
    tree_.jacobian(body, point - center_of_mass(model_, state_.poses, body), result);
    return result;
  }

  UnknownsRow rate_of(const CoordinateRead& read) const {
    if (read.kind == CoordinateRead::Kind::body) {
      const Pose& pose = pose_of(read.index);
      const MatrixX body = jacobian(read.index, pose.position);
      if (read.coordinate < 3) return body.row(read.coordinate);
      if (model_.bodies[static_cast<std::size_t>(read.index)].freedom == Freedom::planar)
        return body.row(5);
      return turn_row(pose, read.coordinate - 3).transpose() * body.bottomRows<3>();
    }
    const Joint& joint = model_.joints[static_cast<std::size_t>(read.index)];
    const int unknown =
        model_.rate_index[static_cast<std::size_t>(joint.first_rate + read.coordinate)];
    if (unknown >= 0) return UnknownsRow::Unit(model_.free_count, unknown);
    const Pose &a = pose_of(joint.body_a), &b = pose_of(joint.body_b);
    const Vector3 point = b * joint.frame_b.position;
    const MatrixX between = jacobian(joint.body_b, point) - jacobian(joint.body_a, point);
    const Twist row = rate_row(joint, a, b, read.coordinate);
    return row.linear.transpose() * between.topRows<3>() +
           row.angular.transpose() * between.bottomRows<3>();
  }

  // The rate of roll, pitch or yaw over the angular velocity: ω = roll' Rz Ry x + pitch' Rz y +
  // yaw' z.
  static Vector3 turn_row(const Pose& pose, int which) {
    const Matrix3 turn = pose.rotation.toRotationMatrix();
    const double yaw = std::atan2(turn(1, 0), turn(0, 0));
    Matrix3 axes;
    axes << turn.col(0), Vector3(-std::sin(yaw), std::cos(yaw), 0.0), Vector3::UnitZ();
    return axes.inverse().row(which).transpose();
  }

  // Moves on by a step of the unknowns.
  void move(const VectorX& step) {
    VectorX velocities = VectorX::Zero(model_.velocity_count);
    VectorX rates = VectorX::Zero(model_.joint_rate_count);
    tree_.spread_unknowns(step, velocities, rates);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const Body& body = model_.bodies[b];
      if (model_.tree_joint[b] >= 0 || body.velocity_size == 0) continue;
      const Twist twist = unpacked(body, velocities);
      Pose& pose = state_.poses[b];
      const Vector3 center = pose * body.mass.center + twist.linear;
      pose.rotation = exponential(twist.angular) * pose.rotation;
      pose.position = center - pose.rotation * body.mass.center;
    }
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      if (!is_loop_joint(model_, static_cast<int>(j)))
        advance(model_.joints[j], rates.data() + model_.joints[j].first_rate, 1.0,
                state_.joint_positions.data() + model_.joints[j].first_coordinate);
    place_tree(model_, state_.joint_positions, state_.poses);
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      if (const Joint& joint = model_.joints[j]; is_loop_joint(model_, static_cast<int>(j)))
        read_coordinates(joint, pose_of(joint.body_a), pose_of(joint.body_b),
                         state_.joint_positions.data() + joint.first_coordinate);
    place();
  }

  // |h| where Newton's method ends; 0: it gets there, or nobody knows after so much work.
  double descend(const CoordinateFunction& function) {
    constexpr int most_rounds = 60, most_halvings = 30;
    double now = std::abs(value(function));
    const double enough = 1e-9 * now;
    for (int round = 0; round < most_rounds && std::isfinite(now) && now > enough; ++round) {
      if (work_ <= 0.0) return 0.0;
      const Reading reading = read(function);
      if (!reading.finite || !reading.has_direction()) break;
      VectorX step = -reading.value / reading.row.squaredNorm() * reading.row.transpose();
      const State before = state_;
      double next = infinity;
      for (int halving = 0; halving < most_halvings; ++halving, step *= 0.5) {
        state_ = before;
        place();
        move(step);
        work_ -= static_cast<double>(model_.bodies.size() + model_.joints.size());
        next = std::abs(value(function));
        if (next < (1.0 - 1e-3) * now) break;
      }
      if (!(next < now)) return now;
      if (next > (1.0 - 1e-6) * now) return next;
      now = next;
    }
    return now > enough ? now : 0.0;
  }

  Model model_;
  State begin_, state_;
  Tree tree_;
  double work_ = 1e7;  // bodies that may still be moved, so that loading ends soon
};

// Whether there is time to look at the start: rows of everything that is read.
bool is_checked(const Model& model) {
  double reads = 0.0;
  for (const UserConstraint& constraint : model.constraints)
    reads += static_cast<double>(constraint.function.reads.size());
  return reads * (1.0 + model.velocity_count) < 2e7;
}

bool is_on_at_start(const UserConstraint& constraint, const Model& model) {
  if (constraint.machine < 0) return true;
  const Machine& machine = model.machines[static_cast<std::size_t>(constraint.machine)];
  return constraint.on[static_cast<std::size_t>(machine.initial)];
}

// What is less is rounding: m or rad.
constexpr double least_distance = 1e-9;

// Constraints that are on where the run begins, and of those whether they act there.
struct Beginning {
  std::vector<ConstraintStart::Reading> readings;  // of all
  std::vector<bool> on, acts;
};

Beginning beginning_of(ConstraintStart& start, const Model& model) {
  Beginning result;
  const std::size_t count = model.constraints.size();
  result.on.resize(count);
  result.acts.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const UserConstraint& constraint = model.constraints[i];
    result.readings.push_back(start.read(constraint.function));
    const ConstraintStart::Reading& reading = result.readings.back();
    result.on[i] = is_on_at_start(constraint, model);
    result.acts[i] = result.on[i] && (constraint.kind == UserConstraint::Kind::link ||
                                      reading.value <= 0.0 || reading.distance() <= least_distance);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (const int with = model.constraints[i].with; with >= 0)
      result.acts[i] = result.acts[i] && result.acts[static_cast<std::size_t>(with)];
  return result;
}

const char* shown_kind(const UserConstraint& constraint) {
  return constraint.kind == UserConstraint::Kind::contact ? "not negative" : "zero";
}

std::string place_in_file(const SceneData& scene, const Node& node) {
  return fmt::format("{}:{}: {}", scene.files[static_cast<std::size_t>(node.file)],
                     node.key_line > 0 ? node.key_line : node.line, path_of(scene.root, node));
}

class ConstraintNotes {
 public:
  ConstraintNotes(const SceneData& scene, const Model& model)
      : scene_(scene), model_(model), start_(model), beginning_(beginning_of(start_, model)) {}

  std::vector<std::string> find() {
    const Node *constraints = scene_.root.find("constraints"),
               *machines = scene_.root.find("machines");
    if (constraints) {
      for (std::size_t i = 0; i < model_.constraints.size(); ++i)
        tell_gap(constraints->children[i], i);
      tell_redundant(*constraints);
    }
    for (std::size_t i = 0; machines && i < model_.machines.size(); ++i)
      tell_machine(machines->children[i], static_cast<int>(i));
    return std::move(notes_);
  }

 private:
  void add(const Node& where, const std::string& text) {
    notes_.push_back(place_in_file(scene_, where) + ": " + text);
  }

  void tell_gap(const Node& node, std::size_t i) {
    const UserConstraint& constraint = model_.constraints[i];
    const ConstraintStart::Reading& reading = beginning_.readings[i];
    const bool contact = constraint.kind == UserConstraint::Kind::contact;
    if (!beginning_.acts[i] || constraint.anchored || reading.distance() <= least_distance) return;
    if (contact && reading.value >= 0.0) return;
    add(node, fmt::format("is {:.6g} where the run begins and should be {}; its stabilisation "
                          "brings it there",
                          reading.value, shown_kind(constraint)));
  }

  // Rows of what acts at the start that follow from others; of what does not act yet those that
  // are the same.
  void tell_redundant(const Node& constraints) {
    constexpr std::size_t most = 300;
    constexpr double independent = 1e-8;
    std::vector<std::size_t> chosen;
    MatrixX basis(0, start_.model().free_count);
    for (std::size_t i = 0; i < model_.constraints.size() && chosen.size() < most; ++i) {
      const ConstraintStart::Reading& reading = beginning_.readings[i];
      if (!beginning_.acts[i] || !reading.has_direction()) continue;
      const UnknownsRow row = reading.row.normalized();
      VectorX weights = VectorX::Zero(basis.rows());
      if (basis.rows() > 0)
        weights = basis.transpose().completeOrthogonalDecomposition().solve(row.transpose());
      if ((row - weights.transpose() * basis).norm() < independent) {
        std::vector<std::string> others;
        for (std::size_t k = 0; k < chosen.size(); ++k)
          if (std::abs(weights[static_cast<Eigen::Index>(k)]) > independent)
            others.push_back(named(constraints, chosen[k]));
        tell_same(constraints, i, others);
        continue;
      }
      chosen.push_back(i);
      basis.conservativeResize(basis.rows() + 1, Eigen::NoChange);
      basis.bottomRows<1>() = row;
    }
    for (std::size_t i = 0; i < model_.constraints.size() && i < most; ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (will_say_the_same(k, i)) {
          tell_same(constraints, i, {named(constraints, k)});
          break;
        }
  }

  bool will_say_the_same(std::size_t a, std::size_t b) const {
    const ConstraintStart::Reading &x = beginning_.readings[a], &y = beginning_.readings[b];
    const auto waits = [&](std::size_t i) {
      return beginning_.on[i] && !beginning_.acts[i] && model_.constraints[i].with < 0 &&
             beginning_.readings[i].has_direction();
    };
    return waits(a) && waits(b) && (x.row.normalized() - y.row.normalized()).norm() < 1e-8 &&
           std::abs(x.distance() - y.distance()) < 1e-8 * (x.distance() + y.distance());
  }

  std::string named(const Node& constraints, std::size_t i) const {
    const Node& node = constraints.children[i];
    return fmt::format("'{}' (line {})", node.key, node.key_line > 0 ? node.key_line : node.line);
  }

  void tell_same(const Node& constraints, std::size_t i, const std::vector<std::string>& others) {
    add(constraints.children[i],
        fmt::format("says the same as {} where the run begins: one of them is redundant, and how "
                    "they share the force is open",
                    listed(others)));
  }

  void tell_machine(const Node& node, int index) {
    const Machine& machine = model_.machines[static_cast<std::size_t>(index)];
    const Node& states = *node.find("states");
    const std::size_t count = machine.states.size();
    std::vector<bool> leaves(count), reached(count), final(count);
    reached[static_cast<std::size_t>(machine.initial)] = true;
    for (std::size_t round = 0; round < count; ++round)
      for (const Machine::Transition& transition : machine.transitions) {
        leaves[static_cast<std::size_t>(transition.from)] = true;
        if (reached[static_cast<std::size_t>(transition.from)])
          reached[static_cast<std::size_t>(transition.to)] = true;
      }
    const Node* ends = node.find("final");
    for (std::size_t i = 0; i < count; ++i)
      final[i] =
          ends && (ends->text == machine.states[i] ||
                   std::any_of(ends->children.begin(), ends->children.end(),
                               [&](const Node& end) { return end.text == machine.states[i]; }));
    for (std::size_t i = 0; i < count; ++i) {
      if (!leaves[i] && !final[i])
        add(states.children[i],
            fmt::format("no transition leaves the state '{0}'; `final: [{0}]` says that none is "
                        "meant to",
                        machine.states[i]));
      if (!reached[i])
        add(states.children[i],
            fmt::format("no transition leads to the state '{}' from '{}'", machine.states[i],
                        machine.states[static_cast<std::size_t>(machine.initial)]));
    }
    if (std::none_of(model_.constraints.begin(), model_.constraints.end(),
                     [&](const UserConstraint& constraint) { return constraint.machine == index; }))
      add(node, "switches no constraint");
    tell_guards(*node.find("transitions"), machine);
  }

  // A guard that has passed its zero before the start is not met until it comes back.
  void tell_guards(const Node& transitions, const Machine& machine) {
    for (std::size_t i = 0; i < machine.transitions.size(); ++i) {
      const Machine::Transition& transition = machine.transitions[i];
      if (transition.touched >= 0 || transition.from != machine.initial) continue;
      const double value = start_.value(transition.guard);
      if (value * transition.direction > 0.0)
        add(transitions.children[i],
            fmt::format("is {:.6g} where the run begins, already {} 0: it is taken only once it "
                        "has come back",
                        value, transition.direction > 0 ? "above" : "below"));
    }
  }

  const SceneData& scene_;
  const Model& model_;
  ConstraintStart start_;
  Beginning beginning_;
  std::vector<std::string> notes_;
};

}  // namespace

void check_constraint_start(const Node* constraints, const Node* machines, const Model& model,
                            Mistakes& mistakes) {
  if (!is_checked(model)) return;
  ConstraintStart start(model);
  const Beginning beginning = beginning_of(start, model);
  for (std::size_t i = 0; constraints && i < model.constraints.size(); ++i) {
    const UserConstraint& constraint = model.constraints[i];
    const ConstraintStart::Reading& reading = beginning.readings[i];
    const bool contact = constraint.kind == UserConstraint::Kind::contact;
    const Node& written = *constraints->children[i].find(contact ? "at-least-zero" : "zero");
    if (!reading.moves) {
      mistakes.add(written,
                   "none of the coordinates that it reads can be moved by a force; accepted: those "
                   "of bodies that move freely, and of joints between them");
      continue;
    }
    if (!beginning.on[i]) continue;
    if (!reading.finite) {
      mistakes.add(written,
                   fmt::format("is {:.6g} where the run begins, and it or a derivative is not a "
                               "finite number there; accepted: expressions that are smooth where "
                               "they are on",
                               reading.value));
      continue;
    }
    const bool misses = contact ? reading.value < 0.0 : !constraint.anchored;
    if (!beginning.acts[i] || !misses ||
        (reading.has_direction() && reading.distance() <= least_distance))
      continue;
    if (const double least = reading.value == 0.0 ? 0.0 : start.least(constraint.function);
        least > 0.0)
      mistakes.add(written,
                   fmt::format("is {:.6g} where the run begins and should be {}, and nothing "
                               "nearby brings it closer to zero than {:.6g}",
                               reading.value, shown_kind(constraint), least));
    else if (!reading.has_direction())
      mistakes.add(written, fmt::format("does not change with the coordinates where the run begins "
                                        "(its gradient is zero), so no force can hold it; "
                                        "accepted: another start, or another function"));
  }
  for (std::size_t m = 0; machines && m < model.machines.size(); ++m) {
    const Machine& machine = model.machines[m];
    for (std::size_t i = 0; i < machine.transitions.size(); ++i) {
      const Machine::Transition& transition = machine.transitions[i];
      if (transition.touched >= 0 || transition.from != machine.initial) continue;
      if (!std::isfinite(start.value(transition.guard)))
        mistakes.add(machines->children[m].find("transitions")->children[i],
                     "what it watches is not a finite number where the run begins; accepted: an "
                     "expression that is finite in the state that it leaves");
    }
  }
}

std::vector<std::string> constraint_notes(const SceneData& scene, const Model& model) {
  if (model.constraints.empty() && model.machines.empty()) return {};
  if (!is_checked(model))
    return {place_in_file(scene, *scene.root.find("constraints")) +
            ": so many constraints in so large a scene are not looked at where the run begins"};
  return ConstraintNotes(scene, model).find();
}

}  // namespace vinci
