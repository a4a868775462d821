// SPDX-License-Identifier: Apache-2.0
// Displacements that part overlapping bodies, and their price.
#include "vinci/stepping/overlap_removal.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/free_motion.h"
#include "vinci/kinematics/joint_motion.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/velocities.h"

namespace vinci {
namespace {

// An answer further off moves bodies elsewhere than asked; squeezed ones have none.
constexpr double usable = 1e-6;

// Whether a packed entry is a driver's.
bool is_prescribed(const Model& model, int entry) {
  if (model.free_index[entry] >= 0) return false;
  if (model.tree_order.empty()) return true;
  const auto owns = [&](int b) {
    const Body& body = model.bodies[b];
    return entry >= body.velocity_offset && entry < body.velocity_offset + body.velocity_size;
  };
  return std::none_of(model.tree_order.begin(), model.tree_order.end(), owns);
}

double kinetic_energy(const Model& model, const State& state, int b) {
  const Body& body = model.bodies[b];
  const Twist twist = body_twist(model, state.velocities, b);
  return 0.5 * (body.mass.mass * twist.linear.squaredNorm() +
                twist.angular.dot(world_inertia(body, state.poses[b].rotation) * twist.angular));
}

}  // namespace

bool OverlapRemoval::is_driven(const Model& model, const State& state) {
  if (model.conveys) return true;
  for (int i = 0; i < model.velocity_count; ++i)
    if (is_prescribed(model, i) && state.velocities[i] != 0.0) return true;
  return false;
}

bool OverlapRemoval::is_due(const Model& model, const State& state, const TimeStepper& method,
                            const Contact& contact, double h, double least) {
  if (!(-contact.gap > least) || method.yields(model, contact)) return false;
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  double way = 0.0;  // of drivers
  for (const int b : {contact.body_a, contact.body_b})
    if (model.bodies[b].is_prescribed())
      way += h * body_twist(model, state.velocities, b)
                     .at(point - center_of_mass(model, state.poses, b))
                     .norm();
  return -contact.gap > way;
}

RemovedOverlap OverlapRemoval::remove(StepContext& context, State& state, const TimeStepper& method,
                                      double h, double share, std::span<const double> reach,
                                      ContactSet& contacts) {
  const Model& model = *context.in.model;
  const auto choose = [&] {
    selected_.clear();
    rooms_.clear();
    due_.clear();
    select(model, state, method, h, contacts);
  };
  choose();
  start_ = state.poses;
  const double before = deepest();
  double left = before;
  const int rounds = share < 1.0 ? 1 : most_rounds_;
  last_ = state.poses;
  last_positions_ = state.joint_positions;
  last_contacts_ = contacts;
  int vain = 0;
  for (int round = 0; round < rounds && left > almost_none_ * before; ++round) {
    if (!displace(context, state, share)) break;
    contacts.clear();
    context.in.detector->detect(model, state.poses, reach, contacts);
    choose();
    if (deepest() < left) {
      left = deepest();
      last_ = state.poses;
      last_positions_ = state.joint_positions;
      last_contacts_ = contacts;
      vain = 0;
    } else if (++vain > patience_) {  // squeezed, or something else was met
      break;
    }
  }
  state.poses = last_;
  state.joint_positions = last_positions_;
  contacts = last_contacts_;
  RemovedOverlap removed{.depth = before - left, .left = left};
  if (removed.depth > 0.0) removed.energy = gained(model, state);
  if (share == 1.0) removed.energy = pay(model, state, removed.energy);
  if (removed.depth > 0.0 && !model.joints.empty()) carry(model, state);
  return removed;
}

// Velocities of what hangs on joints, and rates of the other joints, are those of its new place.
void OverlapRemoval::carry(const Model& model, State& state) {
  if (const Tree* tree = placed(model, state))
    tree->spread_velocities(state.joint_rates, state.velocities);
  read_loop_rates(model, state.poses, state.velocities, state.joint_rates);
}

const Tree* OverlapRemoval::placed(const Model& model, const State& state) {
  if (model.tree_order.empty()) return nullptr;
  tree_.place(model, state.poses, state.joint_positions);
  return &tree_;
}

void OverlapRemoval::select(const Model& model, const State& state, const TimeStepper& method,
                            double h, const ContactSet& contacts) {
  for (const Contact& contact : contacts)
    if (can_respond(model, state.poses, contact, placed(model, state)) &&
        !method.yields(model, contact))
      add(contact, contact.gap, is_due(model, state, method, contact, h, 0.0));
}

void OverlapRemoval::add(const Contact& contact, double room, bool due) {
  selected_.push_back(contact);
  rooms_.push_back(room);
  due_.push_back(due);
}

double OverlapRemoval::deepest() const {
  double depth = 0.0;
  for (std::size_t i = 0; i < rooms_.size(); ++i)
    if (due_[i]) depth = std::max(depth, -rooms_[i]);
  return depth;
}

bool OverlapRemoval::displace(StepContext& context, State& state, double share) {
  const Model& model = *context.in.model;
  const Tree* const tree = model.tree_order.empty() ? nullptr : &tree_;
  if (tree) {
    tree_.place(model, state.poses, state.joint_positions);
    motion_.inertia(tree_, problem_.M);
  } else {
    inertia_matrix(model, state.poses, problem_.M);
  }
  problem_.p.setZero(model.free_count);
  terms_.clear();
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    ContactTerms terms;
    terms.frame = contact_frame(model.world, selected_[i].normal);
    terms.normal_bias = due_[i] ? share * rooms_[i] : std::max(0.0, rooms_[i]);
    terms_.push_back(terms);
  }
  builder_.begin(model, state.poses, {}, tree);
  builder_.add(selected_, terms_);
  add_joints(context, state);
  builder_.finish(problem_);
  solution_.u.setZero(problem_.unknowns());
  solution_.lambda.setZero(problem_.rows());
  const SolveReport report =
      selection_.solve(problem_, *context.in.solver, context.in.accuracy, solution_);
  if (!(report.residual.relative <= usable)) return false;
  displacement_.setZero(model.velocity_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) displacement_[i] = solution_.u[model.free_index[i]];
  const double rounding = 1e-9 * solution_.u.cwiseAbs().maxCoeff();  // moves nobody
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const auto own = displacement_.segment(body.velocity_offset, body.velocity_size);
    if (!own.isZero(rounding))
      state.poses[b] = advanced(body, state.poses[b], body_twist(model, displacement_, b), 1.0);
  }
  if (!model.joints.empty()) displace_joints(model, state, rounding);
  return true;
}

// Joints stay together, and their limits bound the displacement too.
void OverlapRemoval::add_joints(StepContext& context, const State& state) {
  const Model& model = *context.in.model;
  if (model.joints.empty()) return;
  if (model.tree_order.empty()) tree_.place(model, state.poses, state.joint_positions);
  joints_.find_bounds(
      {.model = model, .state = state, .placed = state.poses, .tree = tree_, .h = 1.0});
  builder_.add(joints_);
}

void OverlapRemoval::displace_joints(const Model& model, State& state, double rounding) {
  displaced_rates_.setZero(model.joint_rate_count);
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (const int unknown = model.rate_index.empty() ? -1 : model.rate_index[i];
        unknown >= 0 && std::abs(solution_.u[unknown]) > rounding)
      displaced_rates_[i] = solution_.u[unknown];
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    double* const q = state.joint_positions.data() + joint.first_coordinate;
    if (!is_loop_joint(model, j))
      advance(joint, displaced_rates_.data() + joint.first_rate, 1.0, q);
  }
  place_tree(model, state.joint_positions, state.poses);
  const auto pose = [&](int body) {
    return body < 0 ? Pose() : state.poses[static_cast<std::size_t>(body)];
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    if (is_loop_joint(model, j))
      read_coordinates(joint, pose(joint.body_a), pose(joint.body_b),
                       state.joint_positions.data() + joint.first_coordinate);
  }
}

// What the displacement from start_ added to the energy, J: a body in space that is turned spins
// about other axes of its inertia.
double OverlapRemoval::gained(const Model& model, State& state) {
  const Energy after = energy(model, state);
  state.poses.swap(start_);
  const Energy before = energy(model, state);
  state.poses.swap(start_);
  // Apart, so that no digits of what is lifted are lost beside fast motion.
  return (after.potential - before.potential) + (after.kinetic - before.kinetic);
}

double OverlapRemoval::pay(const Model& model, State& state, double gained) {
  if (!(gained > 0.0) || is_driven(model, state)) return gained;
  const auto moved = [&](int b) {
    return state.poses[b].position != start_[b].position ||
           state.poses[b].rotation.coeffs() != start_[b].rotation.coeffs();
  };
  const int count = static_cast<int>(model.bodies.size());
  double kinetic = 0.0;
  for (int b = 0; b < count; ++b)
    if (moved(b)) kinetic += kinetic_energy(model, state, b);
  const double paid = std::min(gained, largest_payment_ * kinetic);
  const double factor = kinetic > 0.0 ? std::sqrt(1.0 - paid / kinetic) : 1.0;
  for (int b = 0; b < count; ++b)
    if (moved(b))
      state.velocities.segment(model.bodies[b].velocity_offset, model.bodies[b].velocity_size) *=
          factor;
  // What hangs together slows down together.
  const auto has_moved = [&](int b) { return moved(b); };
  if (std::any_of(model.tree_order.begin(), model.tree_order.end(), has_moved))
    state.joint_rates *= factor;
  return gained - paid;
}

}  // namespace vinci
