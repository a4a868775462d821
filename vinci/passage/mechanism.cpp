// SPDX-License-Identifier: Apache-2.0
// Which joints move which bodies, and from coordinates to poses.
#include "vinci/passage/mechanism.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

// Where a scene gives none: rad/s, m/s; then per second of it.
constexpr double usual_turning = 1.0, usual_shifting = 0.5, usual_growth = 4.0, usual_jerk = 10.0;

std::string coordinate_label(const Joint& joint, int freedom) {
  return joint.freedoms.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, freedom);
}

// Who leads a joint of one freedom, as the couplings say.
struct Leader {
  int joint = -1;
  double ratio = 1.0;
};

std::vector<Leader> leaders_of(const Model& model) {
  std::vector<Leader> leaders(model.joints.size());
  for (const Coupling& coupling : model.couplings) {
    for (const int j : {coupling.joint_a, coupling.joint_b})
      if (const Joint& joint = model.joints[static_cast<std::size_t>(j)]; joint.freedoms.size() > 1)
        throw Error(
            fmt::format("coupling '{}' takes one of several freedoms of joint '{}'; "
                        "accepted: couplings of joints of one freedom",
                        coupling.name, joint.name));
    Leader& leader = leaders[static_cast<std::size_t>(coupling.joint_b)];
    if (leader.joint >= 0)
      throw Error(fmt::format("two couplings move joint '{}'; accepted: one",
                              model.joints[static_cast<std::size_t>(coupling.joint_b)].name));
    leader = {coupling.joint_a, coupling.ratio};
  }
  // Up to those that follow nobody.
  for (std::size_t j = 0; j < leaders.size(); ++j)
    for (std::size_t steps = 0; leaders[j].joint >= 0; ++steps) {
      const Leader next = leaders[static_cast<std::size_t>(leaders[j].joint)];
      if (next.joint < 0) break;
      if (steps > leaders.size())
        throw Error(
            fmt::format("couplings lead from joint '{}' back to itself", model.joints[j].name));
      leaders[j] = {next.joint, leaders[j].ratio * next.ratio};
    }
  return leaders;
}

}  // namespace

Mechanism::Mechanism(const Model& model, CollisionDetector& detector, const MechanismChoice& choice)
    : model_(model), detector_(detector) {
  const State state = initial_state(model);
  poses_ = state.poses;
  for (const auto& [body, carrier] : choice.carried) {
    Joint joint;
    joint.name = model.bodies[static_cast<std::size_t>(body)].name + ".carried";
    joint.body_a = carrier;
    joint.body_b = body;
    joint.frame_a = poses_[static_cast<std::size_t>(carrier)].inverse() *
                    poses_[static_cast<std::size_t>(body)];
    model_.joints.push_back(joint);
    model_.excluded_pairs.push_back(std::minmax(body, carrier));
  }
  make_tree(model_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (model_.tree_joint[b] < 0)
      for (Drive& drive : model_.bodies[b].drives) drive.prescribed = true;
  make_tree(model_);
  find_moved(choice, state);
  positions_ = start_positions_ = state.joint_positions;
  axes_.resize(model_.joints.size());
  points_.resize(model_.joints.size());
  place_tree(model_, positions_, poses_);
  find_links();
  refuse_loops();
  hold_others();
  reach_.assign(model_.bodies.size(), 0.0);
  no_tube_ = VectorX::Zero(size());
  weigh();
}

void Mechanism::find_moved(const MechanismChoice& choice, const State& state) {
  moved_.resize(static_cast<std::size_t>(model_.joint_rate_count));
  std::vector<char> chosen(model_.joints.size());
  for (const int joint : choice.joints) chosen[static_cast<std::size_t>(joint)] = 1;
  const std::vector<Leader> leaders = leaders_of(model_);
  std::vector<double> starts;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (!chosen[j] || leaders[j].joint >= 0 || is_loop_joint(model_, static_cast<int>(j))) continue;
    const bool is_ball = joint.kind == JointKind::ball;
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
      if (freedom.lower == freedom.upper) continue;
      MovingCoordinate coordinate;
      coordinate.name = coordinate_label(joint, k);
      coordinate.rate = joint.first_rate + k;
      coordinate.turns = is_turning(joint.kind, k);
      coordinate.is_ball = is_ball;
      coordinate.lower = is_ball ? -M_PI : freedom.lower;
      coordinate.upper = is_ball ? M_PI : freedom.upper;
      coordinate.limits = {infinity, infinity, infinity};
      has_balls_ = has_balls_ || is_ball;
      moved_[static_cast<std::size_t>(coordinate.rate)] = {size(), 1.0, 0.0};
      starts.push_back(is_ball ? 0.0 : state.joint_positions[joint.first_coordinate + k]);
      coordinates_.push_back(std::move(coordinate));
    }
  }
  start_ = Eigen::Map<VectorX>(starts.data(), static_cast<Eigen::Index>(starts.size()));
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (leaders[j].joint < 0) continue;
    const Joint& joint = model_.joints[j];
    const Joint& leader = model_.joints[static_cast<std::size_t>(leaders[j].joint)];
    const Moved& lead = moved_[static_cast<std::size_t>(leader.first_rate)];
    if (lead.coordinate < 0 || leaders[j].ratio == 0.0) continue;
    const double ratio = leaders[j].ratio;
    Moved& own = moved_[static_cast<std::size_t>(joint.first_rate)];
    own = {lead.coordinate, ratio,
           state.joint_positions[joint.first_coordinate] - ratio * start_[lead.coordinate]};
    MovingCoordinate& coordinate = coordinates_[static_cast<std::size_t>(lead.coordinate)];
    const double ends[] = {(joint.freedoms[0].lower - own.offset) / ratio,
                           (joint.freedoms[0].upper - own.offset) / ratio};
    coordinate.lower = std::max(coordinate.lower, std::min(ends[0], ends[1]));
    coordinate.upper = std::min(coordinate.upper, std::max(ends[0], ends[1]));
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t k = 0; k < model_.joints[j].freedoms.size(); ++k) {
      const Joint& joint = model_.joints[j];
      const Moved& own = moved_[static_cast<std::size_t>(joint.first_rate) + k];
      if (own.coordinate < 0) continue;
      const JointFreedom& freedom = joint.freedoms[k];
      MovingCoordinate& coordinate = coordinates_[static_cast<std::size_t>(own.coordinate)];
      // No component of an angular velocity exceeds what three such coordinates make together.
      const double by = std::abs(own.ratio) * (coordinate.is_ball ? std::sqrt(3.0) : 1.0);
      MotionLimits& limits = coordinate.limits;
      limits.velocity = std::min(limits.velocity, freedom.velocity_limit / by);
      limits.acceleration = std::min(limits.acceleration, freedom.acceleration_limit / by);
      limits.jerk = std::min(limits.jerk, freedom.jerk_limit / by);
    }
  for (MovingCoordinate& coordinate : coordinates_) {
    MotionLimits& limits = coordinate.limits;
    coordinate.has_limits = limits.velocity < infinity;
    if (!coordinate.has_limits) limits.velocity = coordinate.turns ? usual_turning : usual_shifting;
    if (limits.acceleration == infinity) limits.acceleration = usual_growth * limits.velocity;
    if (limits.jerk == infinity) limits.jerk = usual_jerk * limits.acceleration;
  }
}

std::vector<Mechanism::Step> Mechanism::chain_of(int body) const {
  std::vector<Step> chain;
  for (; body >= 0 && model_.tree_joint[static_cast<std::size_t>(body)] >= 0;
       body = parent_body(model_, body)) {
    const int j = model_.tree_joint[static_cast<std::size_t>(body)];
    const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
    const int count = rate_count(joint.kind);
    const bool is_ball = joint.kind == JointKind::ball;
    for (int i = 0; i < (is_ball ? 1 : count); ++i) {
      const int k = is_ball || hangs_as_a(model_, body) ? i : count - 1 - i;
      if (coordinate_of(joint.first_rate + k) >= 0)
        chain.push_back({j, joint.first_rate + k, is_ball});
    }
  }
  return chain;
}

void Mechanism::find_links() {
  link_of_.assign(model_.bodies.size(), -1);
  for (const int body : model_.tree_order) {
    Link link;
    link.body = body;
    link.chain = chain_of(body);
    if (link.chain.empty()) continue;
    find_spheres(link);
    link_of_[static_cast<std::size_t>(body)] = static_cast<int>(links_.size());
    links_.push_back(std::move(link));
  }
  if (links_.empty())
    throw Error("no joint that is chosen can move a body; accepted: joints with room to move");
  between_.assign(links_.size(), std::vector<int>(links_.size()));
  for (std::size_t i = 0; i < links_.size(); ++i)
    for (std::size_t j = 0; j < links_.size(); ++j) {
      const std::vector<Step>&a = links_[i].chain, &b = links_[j].chain;
      std::size_t common = 0;
      while (common < a.size() && common < b.size() &&
             a[a.size() - 1 - common] == b[b.size() - 1 - common])
        ++common;
      between_[i][j] = static_cast<int>(a.size() - common);
      // Bodies that do not move against each other keep the gap that they have.
      if (i < j && common == a.size() && common == b.size())
        model_.excluded_pairs.push_back(std::minmax(links_[i].body, links_[j].body));
    }
  auto& pairs = model_.excluded_pairs;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

void Mechanism::refuse_loops() const {
  for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
    if (!is_loop_joint(model_, j) || joint.body_a == joint.body_b) continue;
    const auto chain = [&](int body) { return body < 0 ? std::vector<Step>() : chain_of(body); };
    if (chain(joint.body_a) == chain(joint.body_b)) continue;
    throw Error(fmt::format(
        "joint '{}' closes a loop that would have to move; accepted: joints that make trees, and "
        "loops whose joints stand still",
        joint.name));
  }
}

// Bodies that no coordinate moves do not hang on joints any more.
void Mechanism::hold_others() {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (link_of_[b] < 0) model_.tree_joint[b] = -1;
  std::erase_if(model_.tree_order,
                [&](int body) { return link_of_[static_cast<std::size_t>(body)] < 0; });
}

void Mechanism::find_spheres(Link& link) const {
  const Body& body = model_.bodies[static_cast<std::size_t>(link.body)];
  for (int i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
    const PlacedShape& placed = model_.shapes[static_cast<std::size_t>(i)];
    if (is_unbounded(placed.shape))
      throw Error(
          fmt::format("'{}' has a shape without end; accepted: bounded bodies where joints "
                      "move",
                      body.name));
    const Box3 box = bounding_box(placed.shape, placed.offset);
    const double diagonal = 0.5 * (box.upper - box.lower).norm();
    const double radius = bounding_radius(placed.shape);
    if (diagonal < radius)
      link.spheres.push_back({0.5 * (box.lower + box.upper), diagonal});
    else
      link.spheres.push_back({placed.offset.position, radius});
  }
}

// How far the coordinates move bodies where the scene begins.
void Mechanism::weigh() {
  place(start_);
  for (MovingCoordinate& coordinate : coordinates_) coordinate.weight = 0.0;
  for (const Link& link : links_)
    for (const Step& step : link.chain)
      for (int k = 0; k < (step.is_ball ? 3 : 1); ++k) {
        const Moved& moved = moved_[static_cast<std::size_t>(step.rate + k)];
        double& weight = coordinates_[static_cast<std::size_t>(moved.coordinate)].weight;
        weight = std::max(weight, std::abs(moved.ratio) * lever(link, step, 0.0));
      }
  radius_ = 0.0;
  for (const MovingCoordinate& coordinate : coordinates_)
    radius_ = std::max(radius_, coordinate.weight);
  if (!(radius_ > 0.0)) radius_ = 1.0;  // joints that move nothing with a shape
  // Powers of two, so that no digit is lost by weighing.
  for (MovingCoordinate& coordinate : coordinates_)
    coordinate.weight = std::ldexp(1.0, std::ilogb(std::max(coordinate.weight, 0.02 * radius_)));
}

VectorX Mechanism::along_rates(const VectorX& x) const {
  VectorX values = VectorX::Zero(model_.joint_rate_count);
  for (const Joint& joint : model_.joints)
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const Moved& moved = moved_[static_cast<std::size_t>(joint.first_rate + k)];
      if (moved.coordinate >= 0)
        values[joint.first_rate + k] = moved.ratio * x[moved.coordinate] + moved.offset;
      else if (joint.kind != JointKind::ball)
        values[joint.first_rate + k] = start_positions_[joint.first_coordinate + k];
    }
  return values;
}

VectorX Mechanism::joint_positions(const VectorX& x) const {
  VectorX positions = start_positions_;
  const VectorX values = along_rates(x);
  for (const Joint& joint : model_.joints) {
    const int count = rate_count(joint.kind);
    if (joint.kind != JointKind::ball) {
      positions.segment(joint.first_coordinate, count) = values.segment(joint.first_rate, count);
    } else if (coordinate_of(joint.first_rate) >= 0) {
      auto q = positions.segment<4>(joint.first_coordinate);
      const Quaternion turned =
          (Quaternion(q[0], q[1], q[2], q[3]) * exponential(values.segment<3>(joint.first_rate)))
              .normalized();
      q << turned.w(), turned.x(), turned.y(), turned.z();
    }
  }
  return positions;
}

VectorX Mechanism::joint_rates(const VectorX& x, const VectorX& change) const {
  VectorX rates = VectorX::Zero(model_.joint_rate_count);
  for (std::size_t r = 0; r < moved_.size(); ++r)
    if (moved_[r].coordinate >= 0)
      rates[static_cast<int>(r)] = moved_[r].ratio * change[moved_[r].coordinate];
  for (const Joint& joint : model_.joints) {
    if (joint.kind != JointKind::ball || coordinate_of(joint.first_rate) < 0) continue;
    // ω = (1 − (1 − cos θ)/θ² [φ] + (θ − sin θ)/θ³ [φ]²) φ'
    const Vector3 phi = x.segment<3>(coordinate_of(joint.first_rate));
    const Vector3 by = rates.segment<3>(joint.first_rate);
    const double angle = phi.norm();
    const double first =
        angle > 1e-4 ? (1.0 - std::cos(angle)) / (angle * angle) : 0.5 - angle * angle / 24.0;
    const double second = angle > 1e-2 ? (angle - std::sin(angle)) / (angle * angle * angle)
                                       : (1.0 - angle * angle / 20.0) / 6.0;
    rates.segment<3>(joint.first_rate) =
        by - first * phi.cross(by) + second * phi.cross(phi.cross(by));
  }
  return rates;
}

Pose Mechanism::pose_of(int body) const {
  return body < 0 ? Pose() : poses_[static_cast<std::size_t>(body)];
}

void Mechanism::place(const VectorX& x) {
  positions_ = joint_positions(x);
  place_tree(model_, positions_, poses_);
  for (const int body : model_.tree_order) {
    const auto j = static_cast<std::size_t>(model_.tree_joint[static_cast<std::size_t>(body)]);
    const Joint& joint = model_.joints[j];
    const Pose b = pose_of(joint.body_b);
    joint_axes(joint, pose_of(joint.body_a), b, axes_[j]);
    points_[j] = b * joint.frame_b.position;
  }
}

VectorX Mechanism::velocities(const VectorX& joint_rates) const {
  VectorX packed = VectorX::Zero(model_.velocity_count);
  Tree tree;
  tree.place(model_, poses_, positions_);
  tree.spread_velocities(joint_rates, packed);
  return packed;
}

}  // namespace vinci
