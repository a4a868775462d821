// SPDX-License-Identifier: Apache-2.0
// Newton's method for joints that are open.
#include "vinci/formulation/joint_closure.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/free_motion.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

constexpr int most_closing_rounds = 20;
// What rounding leaves of an error, of the size of the numbers that it is the difference of.
constexpr double rounding = 4e-15;
// A limit that is overrun by more was so before: a change has moved it.
constexpr double overrun = 1e-6;  // m or rad

// The numbers that errors are differences of: m, at least 1 for angles.
double size_of(const Model& model, const State& state) {
  double size = 1.0;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!is_loop_joint(model, j)) continue;
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    for (const int b : {joint.body_a, joint.body_b})
      if (b >= 0)
        size = std::max(size, state.poses[static_cast<std::size_t>(b)].position.cwiseAbs().sum());
    size = std::max(
        {size, joint.frame_a.position.cwiseAbs().sum(), joint.frame_b.position.cwiseAbs().sum()});
  }
  return size;
}

// Whether rows hold anything.
bool holds(const Model& model) {
  if (!model.couplings.empty()) return true;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (is_loop_joint(model, j)) return true;
    for (const JointFreedom& freedom : model.joints[static_cast<std::size_t>(j)].freedoms)
      if (freedom.lower == freedom.upper) return true;
  }
  return false;
}

}  // namespace

void read_loop_coordinates(const Model& model, std::span<const Pose> poses, VectorX& positions) {
  const auto pose = [&](int body) {
    return body < 0 ? Pose() : poses[static_cast<std::size_t>(body)];
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (is_loop_joint(model, j)) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      read_coordinates(joint, pose(joint.body_a), pose(joint.body_b),
                       positions.data() + joint.first_coordinate);
    }
}

JointClosure::Mark& JointClosure::mark_of(const LimitPlace& limit, const Model& model) {
  const Joint& joint = model.joints[static_cast<std::size_t>(limit.joint)];
  return marks_[2 * static_cast<std::size_t>(joint.first_rate + limit.freedom) +
                (limit.upper ? 1 : 0)];
}

// The rows that ask for a displacement into rows_ and load_; returns the largest error.
double JointClosure::measure(const Model& model, const State& state, bool first) {
  blocks_.errors(model, {state.poses, state.joint_positions, state.coupling_offsets}, errors_);
  double largest = errors_.size() > 0 ? errors_.cwiseAbs().maxCoeff() : 0.0;
  rows_.reset(model.free_count);
  load_.setZero(blocks_.rows());
  const auto add = [&](int row, double error) {
    load_[rows_.rows] = error;
    blocks_.write_row(row, rows_);
  };
  for (std::size_t i = 0; i < blocks_.held().size(); ++i)
    if (blocks_.held()[i].row >= 0)
      add(blocks_.held()[i].row, errors_[static_cast<Eigen::Index>(i)]);
  for (const JointTerms& terms : blocks_.terms()) {
    if (terms.key.kind == EntityKind::coupling) continue;
    const auto part = static_cast<JointPart>(terms.key.ids[1]);
    if (part == JointPart::friction) add(terms.first, 0.0);
    if (terms.law != Law::nonnegative) continue;
    Mark& mark = mark_of({static_cast<int>(terms.key.ids[0]), static_cast<int>(terms.key.ids[2]),
                          part == JointPart::upper_limit},
                         model);
    if (first && mark == Mark::far && terms.gap < -overrun) mark = Mark::passed;
    if (mark == Mark::far && terms.gap < 0.0) mark = Mark::reached;
    if (mark == Mark::far || mark == Mark::passed) continue;
    const bool bears = mark == Mark::bearing;
    largest = std::max(largest, bears ? std::abs(terms.gap) : -terms.gap);
    if (bears || terms.gap < overrun) add(terms.first, terms.gap);
  }
  load_.conservativeResize(rows_.rows);
  return largest;
}

void JointClosure::displace(const Model& model, State& state, const VectorX& displacement) {
  packed_.setZero(model.velocity_count);
  rates_.setZero(model.joint_rate_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) packed_[i] = displacement[model.free_index[i]];
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (model.rate_index[i] >= 0) rates_[i] = displacement[model.rate_index[i]];
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size > 0 && (model.tree_joint.empty() || model.tree_joint[b] < 0))
      state.poses[b] = advanced(body, state.poses[b], body_twist(model, packed_, b), 1.0);
  }
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (!is_loop_joint(model, j)) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      advance(joint, rates_.data() + joint.first_rate, 1.0,
              state.joint_positions.data() + joint.first_coordinate);
    }
  if (!model.tree_order.empty()) place_tree(model, state.joint_positions, state.poses);
  read_loop_coordinates(model, state.poses, state.joint_positions);
}

JointOpening JointClosure::close(const Model& model, State& state,
                                 std::span<const FreedomPlace> still, std::span<const int> slips,
                                 std::span<const LimitPlace> bearing) {
  JointOpening opening;
  if (!holds(model)) return opening;
  marks_.assign(2 * static_cast<std::size_t>(model.joint_rate_count), Mark::far);
  for (const LimitPlace& limit : bearing) mark_of(limit, model) = Mark::bearing;
  const double settled = rounding * size_of(model, state);
  for (int round = 0;; ++round) {
    tree_.place(model, state.poses, state.joint_positions);
    blocks_.find_held(
        {.model = model, .state = state, .placed = state.poses, .tree = tree_, .h = 1.0}, still,
        slips);
    if (blocks_.held().empty()) return {};
    const double open = measure(model, state, round == 0);
    if (round == 0) opening = {open, open};
    if (round > 0 && !(open < opening.left)) {
      state.poses = best_poses_;
      state.joint_positions = best_positions_;
      break;
    }
    opening.left = open;
    if (!(open > settled) || round == most_closing_rounds) break;
    best_poses_ = state.poses;
    best_positions_ = state.joint_positions;
    if (round == 0) {
      if (model.tree_order.empty())
        inertia_matrix(model, state.poses, inertia_);
      else
        motion_.inertia(tree_, inertia_);
    }
    least_.factor(inertia_, rows_);
    least_.solve(load_, displacement_);
    if (!displacement_.allFinite()) break;
    displace(model, state, displacement_);
  }
  return opening;
}

}  // namespace vinci
