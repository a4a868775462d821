// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/closing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/words.h"
#include "vinci/collision/exact_detector.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/recursive.h"
#include "vinci/kinematics/tree_path.h"

namespace vinci {
namespace {

constexpr double unlimited_turn = 6.283185307179586, unlimited_shift = 1.0;  // rad, m
constexpr double tolerated_start = 1e-6;  // m: overlaps at the start that count as touching
// Below this share of the most that surfaces can approach, a contact slides.
constexpr double sliding_share = 1e-6;
constexpr std::int64_t most_looks = 200'000;

class StaticClosing {
 public:
  StaticClosing(const Model& model, const State& start, const std::vector<ClosingJoint>& joints,
                double speed)
      : model_(model), rates_(model.joints.size(), 0.0), slot_(model.joints.size(), -1) {
    closing_.state = start;
    closing_.state.velocities.setZero();
    closing_.state.joint_rates.setZero();
    drive(joints, speed);
    refuse_loops();
    horizon_ = 0.0;
    for (const ClosedJoint& moved : closing_.joints)
      horizon_ = std::max(horizon_, time_to_limit(moved.joint));
  }

  Closing run() {
    place();
    keep();
    for (bool first = true; is_moving(); first = false) {
      if (++closing_.looks > most_looks)
        throw Failure(fmt::format("the joints do not come to an end: {} looks at contacts in {} s",
                                  most_looks, closing_.time));
      look(first);
    }
    finish();
    return std::move(closing_);
  }

 private:
  struct Mover {
    int joint;
    double speed;  // m/s, the most that it moves a point of the body
  };

  double& coordinate(int joint) {
    return closing_.state
        .joint_positions[model_.joints[static_cast<std::size_t>(joint)].first_coordinate];
  }
  double& rate(int joint) { return rates_[static_cast<std::size_t>(joint)]; }
  bool is_moving() const {
    return std::any_of(rates_.begin(), rates_.end(), [](double rate) { return rate != 0.0; });
  }
  const std::string& name(int body) const {
    return model_.bodies[static_cast<std::size_t>(body)].name;
  }

  // --- which joints move ---

  void add(int joint, double wanted, bool driven) {
    rate(joint) = wanted;
    slot_[static_cast<std::size_t>(joint)] = static_cast<int>(closing_.joints.size());
    closing_.joints.push_back({joint, driven, coordinate(joint), coordinate(joint)});
  }

  void drive(const std::vector<ClosingJoint>& joints, double speed) {
    for (const ClosingJoint& closing : joints)
      if (slot_[static_cast<std::size_t>(closing.joint)] < 0)
        add(closing.joint, closing.direction * speed, true);
    follows_.assign(model_.couplings.size(), 0);
    for (const Coupling& coupling : model_.couplings)
      for (const int j : {coupling.joint_a, coupling.joint_b})
        if (const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
            joint.freedoms.size() > 1)
          throw Error(
              fmt::format("coupling '{}' takes one of several freedoms of joint '{}'; "
                          "accepted: couplings of joints of one freedom",
                          coupling.name, joint.name));
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t k = 0; k < model_.couplings.size(); ++k) {
        const Coupling& coupling = model_.couplings[k];
        const bool a = rate(coupling.joint_a) != 0.0, b = rate(coupling.joint_b) != 0.0;
        if (a && b) check_rates(coupling);
        if (a == b || coupling.ratio == 0.0) continue;
        follows_[k] = a ? 1 : -1;
        if (a)
          add(coupling.joint_b, coupling.ratio * rate(coupling.joint_a), false);
        else
          add(coupling.joint_a, rate(coupling.joint_b) / coupling.ratio, false);
        grown = true;
      }
    }
  }

  void check_rates(const Coupling& coupling) {
    const double wanted = coupling.ratio * rate(coupling.joint_a);
    if (std::abs(wanted - rate(coupling.joint_b)) <= 1e-12 * std::abs(wanted)) return;
    throw Error(
        fmt::format("coupling '{}' does not let '{}' and '{}' close at these speeds; accepted: one "
                    "of the two, the other follows",
                    coupling.name, model_.joints[static_cast<std::size_t>(coupling.joint_a)].name,
                    model_.joints[static_cast<std::size_t>(coupling.joint_b)].name),
        "joints");
  }

  // Joints that move a body, those next to it first.
  std::vector<int> moving_joints(int body) {
    std::vector<int> joints;
    for (; body >= 0 && model_.tree_joint[static_cast<std::size_t>(body)] >= 0;
         body = parent_body(model_, body))
      if (rate(model_.tree_joint[static_cast<std::size_t>(body)]) != 0.0)
        joints.push_back(model_.tree_joint[static_cast<std::size_t>(body)]);
    return joints;
  }

  void refuse_loops() {
    for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
      if (is_loop_joint(model_, j) && moving_joints(joint.body_a) != moving_joints(joint.body_b))
        throw Error(fmt::format("joint '{}' closes a loop that would move; accepted: fingers that "
                                "are chains, or closing with dynamics",
                                joint.name),
                    "joints");
    }
  }

  double time_to_limit(int joint) {
    const Joint& moved = model_.joints[static_cast<std::size_t>(joint)];
    const JointFreedom& freedom = moved.freedoms[0];
    const double limit = rate(joint) > 0.0 ? freedom.upper : freedom.lower;
    if (std::isfinite(limit)) return std::max(0.0, (limit - coordinate(joint)) / rate(joint));
    const ClosedJoint& closed =
        closing_.joints[static_cast<std::size_t>(slot_[static_cast<std::size_t>(joint)])];
    const double most = is_turning(moved.kind, 0) ? unlimited_turn : unlimited_shift;
    return std::max(0.0,
                    (most - std::abs(coordinate(joint) - closed.start)) / std::abs(rate(joint)));
  }

  // --- stops ---

  void stop(int joint, StopReason reason, int body = -1, int other = -1) {
    if (rate(joint) == 0.0) return;
    rate(joint) = 0.0;
    ClosedJoint& closed =
        closing_.joints[static_cast<std::size_t>(slot_[static_cast<std::size_t>(joint)])];
    closed.position = coordinate(joint);
    closed.time = closing_.time;
    closed.reason = reason;
    closed.body = body;
    closed.other = other;
    for (std::size_t k = 0; k < model_.couplings.size(); ++k) {
      const Coupling& coupling = model_.couplings[k];
      if (coupling.joint_a != joint && coupling.joint_b != joint) continue;
      const int partner = coupling.joint_a == joint ? coupling.joint_b : coupling.joint_a;
      // Through a clutch, what drives goes on.
      const bool drives = follows_[k] == (coupling.joint_a == joint ? 1 : -1);
      if (drives || !std::isfinite(coupling.breakaway)) stop(partner, StopReason::coupling);
    }
  }

  // Of a contact that touches: joints that push it in stop. False: it opens or slides.
  bool stop_at(const Contact& contact, double approach, bool forced) {
    struct Share {
      int joint, body, other;
      double rate;
    };
    std::vector<Share> shares;
    double total = 0.0;
    const int common = common_body(tree_, contact.body_a, contact.body_b);
    const auto collect = [&](int body, int other, const Vector3& point, double sign) {
      if (body < 0 || tree_.link_of(body) < 0) return;
      const Vector3 arm = point - center_of_mass(model_, closing_.state.poses, body);
      visit_path(tree_, body, common, arm, [&](int unknown, const Twist& twist) {
        const int joint = joint_of_unknown_[static_cast<std::size_t>(unknown)];
        if (joint < 0 || rate(joint) == 0.0) return;
        const double share = sign * rate(joint) * contact.normal.dot(twist.linear);
        shares.push_back({joint, body, other, share});
        total += share;
      });
    };
    collect(contact.body_a, contact.body_b, contact.point_a, -1.0);
    collect(contact.body_b, contact.body_a, contact.point_b, 1.0);
    const double least = forced ? 0.0 : sliding_share * approach;
    if (!forced && total >= -least) return false;
    bool stopped = false;
    for (const Share& share : shares)
      if (share.rate < -least) {
        stop(share.joint, StopReason::contact, share.body, share.other);
        stopped = true;
      }
    for (const Share& share : shares)
      if (!stopped) stop(share.joint, StopReason::contact, share.body, share.other);
    return true;
  }

  // --- advancing ---

  void place() {
    place_tree(model_, closing_.state.joint_positions, closing_.state.poses);
    tree_.place(model_, closing_.state.poses, closing_.state.joint_positions);
    if (!joint_of_unknown_.empty()) return;
    joint_of_unknown_.assign(static_cast<std::size_t>(model_.free_count), -1);
    for (const Tree::Link& link : tree_.links())
      for (int k = 0; k < link.freedoms; ++k)
        joint_of_unknown_[static_cast<std::size_t>(link.first_unknown + k)] = link.joint;
  }

  void keep() { closing_.path.emplace_back(closing_.time, closing_.state.joint_positions); }

  // Per body: the joints that move it and how fast at most, while joints shift for `time`. The
  // distance from a joint to the points of a body is at most the sum of the arms between.
  void bound_speeds(double time) {
    movers_.assign(model_.bodies.size(), {});
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      double distance = model_.bodies[b].bounding_radius;
      for (int at = static_cast<int>(b); at >= 0 && tree_.link_of(at) >= 0;) {
        const Tree::Link& link = tree_.links()[static_cast<std::size_t>(tree_.link_of(at))];
        const Joint& joint = model_.joints[static_cast<std::size_t>(link.joint)];
        const double speed = std::abs(rate(link.joint));
        distance += link.arm.norm();
        if (speed > 0.0) {
          const bool turns = is_turning(joint.kind, 0);
          const double shift = !turns                           ? speed
                               : joint.kind == JointKind::screw ? std::abs(joint.pitch) * speed
                                                                : 0.0;
          if (turns && !std::isfinite(distance))
            throw Error(fmt::format("'{}' has a shape without an end, which '{}' would turn; "
                                    "accepted: bounded shapes",
                                    model_.bodies[b].name, joint.name),
                        "joints");
          movers_[b].push_back({link.joint, shift + (turns ? speed * distance : 0.0)});
          distance += shift * time;
        }
        distance += link.parent_arm.norm();
        at = link.parent;
      }
    }
  }

  // The most that the surfaces of two bodies approach each other: what moves both does not count.
  double approach(int a, int b) const {
    const std::vector<Mover>&of_a = movers_[static_cast<std::size_t>(a)],
          &of_b = movers_[static_cast<std::size_t>(b)];
    const auto without = [](const std::vector<Mover>& movers, const std::vector<Mover>& others) {
      double sum = 0.0;
      for (const Mover& mover : movers)
        if (std::none_of(others.begin(), others.end(),
                         [&](const Mover& other) { return other.joint == mover.joint; }))
          sum += mover.speed;
      return sum;
    };
    return without(of_a, of_b) + without(of_b, of_a);
  }

  void detect(double time) {
    reach_.assign(model_.bodies.size(), touching_gap);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      for (const Mover& mover : movers_[b]) reach_[b] += mover.speed * time;
    detector_.detect(model_, closing_.state.poses, reach_, contacts_);
  }

  void look(bool first) {
    for (const ClosedJoint& moved : std::vector<ClosedJoint>(closing_.joints))
      if (rate(moved.joint) != 0.0 && time_to_limit(moved.joint) <= 0.0) stop_at_limit(moved.joint);
    if (!is_moving()) return;
    double time = horizon_ / 50.0;
    for (const ClosedJoint& moved : closing_.joints)
      if (rate(moved.joint) != 0.0) time = std::min(time, time_to_limit(moved.joint));
    bound_speeds(time);
    detect(time);
    bool stopped = false, slides = false;
    for (const Contact& contact : contacts_) {
      const double speed = approach(contact.body_a, contact.body_b);
      if (!(speed > 0.0)) continue;
      if (contact.gap > touching_gap) {
        time = std::min(time, (contact.gap - 0.5 * touching_gap) / speed);
      } else if (contact.gap < -touching_gap && !first && !is_tolerated(contact)) {
        go_back();
        return;
      } else {
        if (first) tolerate(contact);
        // The one that was taken back is as deep in as is allowed.
        if (stop_at(contact, speed, forced_ && contact.gap < -0.5 * touching_gap))
          stopped = true;
        else
          slides = true;
      }
    }
    forced_ = false;
    if (stopped) {
      keep();
      return;
    }
    advance(slides ? std::min(time, horizon_ / 2000.0) : time);
  }

  void stop_at_limit(int joint) {
    const JointFreedom& freedom = model_.joints[static_cast<std::size_t>(joint)].freedoms[0];
    const double limit = rate(joint) > 0.0 ? freedom.upper : freedom.lower;
    stop(joint, std::isfinite(limit) ? StopReason::limit : StopReason::none);
    keep();
  }

  void advance(double time) {
    before_ = closing_.state.joint_positions;
    before_time_ = closing_.time;
    closing_.time += time;
    for (const ClosedJoint& moved : closing_.joints) {
      if (rate(moved.joint) == 0.0) continue;
      const bool ends = time >= time_to_limit(moved.joint);
      const JointFreedom& freedom =
          model_.joints[static_cast<std::size_t>(moved.joint)].freedoms[0];
      const double limit = rate(moved.joint) > 0.0 ? freedom.upper : freedom.lower;
      coordinate(moved.joint) =
          ends && std::isfinite(limit) ? limit : coordinate(moved.joint) + rate(moved.joint) * time;
    }
    place();
  }

  // A contact that slid went in, which speeds could not exclude: back to where it touches.
  void go_back() {
    const VectorX after = closing_.state.joint_positions;
    const double after_time = closing_.time;
    double good = 0.0, bad = 1.0;
    const auto go_to = [&](double share) {
      closing_.state.joint_positions = before_ + share * (after - before_);
      closing_.time = before_time_ + share * (after_time - before_time_);
      place();
    };
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (good + bad);
      go_to(middle);
      detect(0.0);
      const bool in = std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& contact) {
        return approach(contact.body_a, contact.body_b) > 0.0 && contact.gap < -touching_gap &&
               !is_tolerated(contact);
      });
      (in ? bad : good) = middle;
    }
    go_to(good);
    forced_ = true;
  }

  // --- what was in at the start ---

  void tolerate(const Contact& contact) {
    if (contact.gap < -tolerated_start)
      throw Error(
          fmt::format("'{}' is {} m in '{}' at the start; accepted: fingers that are free",
                      name(contact.body_a), short_number(-contact.gap), name(contact.body_b)),
          "scene");
    if (contact.gap < -touching_gap) tolerated_.emplace_back(contact.body_a, contact.body_b);
  }
  bool is_tolerated(const Contact& contact) const {
    return contact.gap >= -tolerated_start &&
           std::find(tolerated_.begin(), tolerated_.end(),
                     std::pair(contact.body_a, contact.body_b)) != tolerated_.end();
  }

  void finish() {
    for (ClosedJoint& moved : closing_.joints) moved.position = coordinate(moved.joint);
    for (std::size_t k = 0; k < model_.couplings.size(); ++k) {
      const Coupling& coupling = model_.couplings[k];
      if (slot_[static_cast<std::size_t>(coupling.joint_a)] >= 0 ||
          slot_[static_cast<std::size_t>(coupling.joint_b)] >= 0)
        closing_.state.coupling_offsets[static_cast<Eigen::Index>(k)] =
            coordinate(coupling.joint_b) - coupling.ratio * coordinate(coupling.joint_a);
    }
    movers_.assign(model_.bodies.size(), {});
    detect(0.0);
    for (const Contact& contact : contacts_)
      if (contact.gap <= touching_gap) closing_.contacts.push_back(contact);
    keep();
  }

  const Model& model_;
  Closing closing_;
  std::vector<double> rates_;  // per joint
  std::vector<int> slot_;      // per joint: in closing_.joints, or −1
  std::vector<int> follows_;   // per coupling: 1 if b follows a, −1 if a follows b
  Tree tree_;
  std::vector<int> joint_of_unknown_;
  std::vector<std::vector<Mover>> movers_;  // per body
  std::vector<double> reach_;
  ExactDetector detector_;
  ContactSet contacts_;
  double horizon_ = 0.0, before_time_ = 0.0;  // s
  VectorX before_;
  bool forced_ = false;  // a contact was taken back: it stops joints even if it seems to slide
  std::vector<std::pair<int, int>> tolerated_;
};

}  // namespace

const char* to_string(StopReason reason) {
  constexpr const char* names[] = {"contact", "limit", "coupling", "effort", "rest", "none"};
  return names[static_cast<int>(reason)];
}

Closing close_statically(const Model& model, const State& start,
                         const std::vector<ClosingJoint>& joints, double speed) {
  if (!(speed > 0.0) || !std::isfinite(speed)) throw Error("accepted: more than 0", "speed");
  return StaticClosing(model, start, joints, speed).run();
}

}  // namespace vinci
