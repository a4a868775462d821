// SPDX-License-Identifier: Apache-2.0
// What has to hold of every robot, whichever file it comes from: names are unique, joints make one
// tree, couplings name joints and do not chase each other, what moves has mass, inertias are those
// of a body.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/robots/readers.h"

namespace vinci {

namespace {

class RobotCheck {
 public:
  RobotCheck(RobotDescription& robot, Findings& findings) : robot_(robot), findings_(findings) {}

  void run() {
    if (!counts()) return;
    if (robot_.links.empty() && findings_.none())
      findings_.mistake({}, "the model has no links; accepted: one link or more");
    const std::size_t before = findings_.count();
    unique_names();
    ends();
    if (findings_.count() == before && is_whole_ && !robot_.links.empty()) tree();
    const bool is_tree = findings_.count() == before && is_whole_;
    references();
    mimics();
    numbers();
    for (const RobotLink& link : robot_.links)
      if (link.inertial) inertia(link);
    if (is_tree && !robot_.links.empty()) masses();
  }

 private:
  bool counts() {
    std::size_t geometries = 0;
    for (const RobotLink& link : robot_.links)
      geometries += link.visuals.size() + link.collisions.size();
    const auto cap = [&](std::size_t count, std::size_t most, const char* what) {
      if (count <= most) return true;
      findings_.mistake(
          {}, fmt::format("the model has {} {}; at most {} are accepted", count, what, most));
      return false;
    };
    return cap(robot_.links.size(), max_robot_links, "links") &&
           cap(robot_.joints.size(), max_robot_links, "joints") &&
           cap(robot_.actuators.size(), max_robot_links, "actuators") &&
           cap(robot_.constraints.size(), max_robot_links, "constraints") &&
           cap(geometries, max_robot_geometries, "shapes");
  }

  void unique_names() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const RobotLink& link = robot_.links[i];
      is_whole_ &= !link.name.empty();
      if (link.name.empty()) continue;  // told before
      const auto [found, is_new] = links_.emplace(link.name, i);
      if (!is_new) twice(link.place, "link", link.name, robot_.links[found->second].place);
    }
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& joint = robot_.joints[i];
      if (joint.name.empty()) continue;
      const auto [found, is_new] = joints_.emplace(joint.name, i);
      if (!is_new) twice(joint.place, "joint", joint.name, robot_.joints[found->second].place);
    }
  }
  void twice(const RobotPlace& place, const char* what, const std::string& name,
             const RobotPlace& first) {
    findings_.mistake(place, fmt::format("the {} {} is defined twice; the first is at {}", what,
                                         quote(name), robot_.where(first)));
  }

  // Both ends of every joint.
  void ends() {
    std::map<std::string, const RobotJoint*> above;
    for (const RobotJoint& joint : robot_.joints) {
      const auto known = [&](const std::string& link, const char* role) {
        if (link.empty() || links_.count(link) > 0) return;
        findings_.mistake(
            joint.place, fmt::format("the {} of the joint {} is {}, which is no link; accepted: {}",
                                     role, quote(joint.name), quote(link), known_links()));
      };
      known(joint.parent, "parent");
      known(joint.child, "child");
      is_whole_ &= !joint.parent.empty() && !joint.child.empty();
      if (joint.parent.empty() || joint.child.empty()) continue;
      if (joint.parent == joint.child) {
        findings_.mistake(joint.place,
                          fmt::format("the joint {} connects {} with itself; accepted: "
                                      "two links",
                                      quote(joint.name), quote(joint.child)));
        continue;
      }
      const auto [found, is_new] = above.emplace(joint.child, &joint);
      if (!is_new)
        findings_.mistake(
            joint.place,
            fmt::format("the link {} is the child of two joints, {} and {}; accepted: a tree. "
                        "Loops are closed by `joints` of a scene",
                        quote(joint.child), quote(found->second->name), quote(joint.name)));
    }
  }

  std::string known_links() const {
    std::vector<std::string> names;
    for (const auto& [name, index] : links_) names.push_back(name);
    return listed_names(names);
  }

  // One root; links in the order of a walk from it, joints in the order of their children.
  void tree() {
    std::map<std::string, std::vector<std::size_t>> below;
    std::map<std::string, std::size_t> above;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      below[robot_.joints[i].parent].push_back(i);
      above[robot_.joints[i].child] = i;
    }
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (above.count(robot_.links[i].name) == 0) roots.push_back(i);
    if (roots.size() > 1) {
      std::vector<std::string> names;
      for (const std::size_t root : roots) names.push_back(robot_.links[root].name);
      findings_.mistake(robot_.links[roots[1]].place,
                        fmt::format("{} links are children of no joint: {}; accepted: one root",
                                    roots.size(), listed_names(names)));
    }
    std::vector<std::size_t> waiting(roots.rbegin(), roots.rend()), link_order, joint_order;
    std::set<std::size_t> reached;
    while (!waiting.empty()) {
      const std::size_t link = waiting.back();
      waiting.pop_back();
      reached.insert(link);
      link_order.push_back(link);
      const std::string& name = robot_.links[link].name;
      if (const auto joint = above.find(name); joint != above.end())
        joint_order.push_back(joint->second);
      const std::vector<std::size_t>& children = below[name];
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        waiting.push_back(links_.at(robot_.joints[*child].child));
    }
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (reached.count(i) == 0) return cycle(i, above);
    if (roots.size() == 1) reorder(link_order, joint_order);
  }

  void cycle(std::size_t start, const std::map<std::string, std::size_t>& above) {
    // Up from any of them a link comes twice.
    std::vector<std::string> chain;
    std::string name = robot_.links[start].name;
    while (std::find(chain.begin(), chain.end(), name) == chain.end()) {
      chain.push_back(name);
      name = robot_.joints[above.at(name)].parent;
    }
    chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), name));
    chain.push_back(name);
    std::reverse(chain.begin(), chain.end());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(chain.size(), 8); ++i)
      text += (i == 0 ? "" : " -> ") + quote(chain[i]);
    if (chain.size() > 8) text += " -> ...";
    findings_.mistake(robot_.joints[above.at(name)].place,
                      fmt::format("joints run in a circle: {}; accepted: a tree", text));
  }

  void reorder(const std::vector<std::size_t>& link_order,
               const std::vector<std::size_t>& joint_order) {
    std::vector<RobotLink> links;
    for (const std::size_t link : link_order) links.push_back(std::move(robot_.links[link]));
    std::vector<RobotJoint> joints;
    for (const std::size_t joint : joint_order) joints.push_back(std::move(robot_.joints[joint]));
    robot_.links = std::move(links);
    robot_.joints = std::move(joints);
    links_.clear();
    joints_.clear();
    for (std::size_t i = 0; i < robot_.links.size(); ++i) links_[robot_.links[i].name] = i;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) joints_[robot_.joints[i].name] = i;
  }

  std::string known_joints() const {
    std::vector<std::string> names;
    for (const auto& [name, index] : joints_) names.push_back(name);
    return listed_names(names);
  }

  // What actuators and constraints name.
  void references() {
    for (const RobotActuator& actuator : robot_.actuators)
      if (!actuator.joint.empty() && joints_.count(actuator.joint) == 0)
        findings_.mistake(actuator.place,
                          fmt::format("the actuator {} drives {}, which is no joint; accepted: {}",
                                      quote(actuator.name), quote(actuator.joint), known_joints()));
    for (const RobotConstraint& constraint : robot_.constraints)
      for (const std::string& link : {constraint.first, constraint.second})
        if (!link.empty() && links_.count(link) == 0)
          findings_.mistake(constraint.place,
                            fmt::format("the constraint names {}, which is no link; accepted: {}",
                                        quote(link), known_links()));
  }

  void mimics() {
    for (const RobotJoint& joint : robot_.joints) {
      if (!joint.mimic) continue;
      const auto leader = joints_.find(joint.mimic->joint);
      if (leader == joints_.end()) {
        findings_.mistake(
            joint.mimic->place,
            fmt::format("the joint {} mimics {}, which is no joint; accepted: {}",
                        quote(joint.name), quote(joint.mimic->joint), known_joints()));
        continue;
      }
      for (const RobotJoint* end : {&joint, std::as_const(robot_.joints).data() + leader->second})
        if (end->freedoms.size() != 1)
          findings_.mistake(
              joint.mimic->place,
              fmt::format("{} is {} and has {} coordinates; accepted: joints with "
                          "one coordinate mimic each other",
                          quote(end->name), to_string(end->kind), end->freedoms.size()));
    }
    // Along the chains of leaders, each joint once.
    std::map<std::string, std::size_t> seen;  // joint -> the walk that came by
    for (std::size_t walk = 0; walk < robot_.joints.size(); ++walk) {
      std::vector<const RobotJoint*> chain;
      const RobotJoint* next = &robot_.joints[walk];
      while (next->mimic && joints_.count(next->mimic->joint) > 0 &&
             seen.emplace(next->name, walk).second) {
        chain.push_back(next);
        next = &robot_.joints[joints_.at(next->mimic->joint)];
      }
      const auto start = std::find(chain.begin(), chain.end(), next);
      if (start == chain.end()) continue;
      std::string text;
      for (auto joint = start; joint != chain.end() && joint - start < 8; ++joint)
        text += quote((*joint)->name) + " -> ";
      findings_.mistake(next->mimic->place,
                        fmt::format("joints mimic each other in a circle: {}{}; accepted: a leader "
                                    "that mimics nothing",
                                    text, quote(next->name)));
    }
  }

  // Readers have looked at single numbers; products of them may still be too large.
  void numbers() {
    constexpr double most = 1e15;  // m, kg, rad, ...
    const auto fine = [&](const Pose& pose) {
      return pose.position.allFinite() && pose.position.cwiseAbs().maxCoeff() < most &&
             pose.rotation.coeffs().allFinite();
    };
    for (const RobotJoint& joint : robot_.joints) {
      bool good = fine(joint.origin) && joint.anchor.allFinite() &&
                  joint.anchor.cwiseAbs().maxCoeff() < most && joint.axis.allFinite();
      for (const RobotFreedom& freedom : joint.freedoms)
        good &= std::isfinite(freedom.armature) && !std::isnan(freedom.lower) &&
                !std::isnan(freedom.upper);
      if (!good) beyond(joint.place, "joint", joint.name);
      for (const RobotFreedom& freedom : joint.freedoms)
        if (freedom.lower > freedom.upper && robot_.format != "urdf")
          findings_.mistake(joint.place,
                            fmt::format("the limits of {} are {:.6g} and {:.6g}; accepted: the "
                                        "lower at most the upper one",
                                        quote(joint.name), freedom.lower, freedom.upper));
    }
    for (const RobotLink& link : robot_.links) {
      bool good = !link.inertial || (fine(link.inertial->pose) && link.inertial->mass < most &&
                                     link.inertial->inertia.allFinite() &&
                                     link.inertial->inertia.cwiseAbs().maxCoeff() < most);
      for (const auto* shapes : {&link.visuals, &link.collisions})
        for (const RobotGeometry& shape : *shapes)
          good &= fine(shape.origin) && shape.size.cwiseAbs().maxCoeff() < most &&
                  shape.scale.cwiseAbs().maxCoeff() < most;
      if (!good) beyond(link.place, "link", link.name);
    }
    if (!fine(robot_.base)) beyond({}, "base of", robot_.name);
  }
  void beyond(const RobotPlace& place, const char* what, const std::string& name) {
    findings_.mistake(place, fmt::format("the {} {} has numbers beyond 1e15; accepted: numbers of "
                                         "a robot",
                                         what, quote(name)));
  }

  // A body's principal moments are positive, and none is above the sum of the other two.
  void inertia(const RobotLink& link) {
    const RobotInertial& inertial = *link.inertial;
    if (!inertial.inertia.allFinite()) return;
    const double size = inertial.inertia.cwiseAbs().maxCoeff();
    if (size == 0.0 || !(size < 1e15)) return;
    Vector3 moments =
        Eigen::SelfAdjointEigenSolver<Matrix3>(inertial.inertia / size, Eigen::EigenvaluesOnly)
            .eigenvalues();
    constexpr double rounding = 1e-9;  // of numbers typed by hand
    const bool is_negative = moments[0] < -rounding;
    const bool breaks_triangle = moments[0] + moments[1] < (1.0 - rounding) * moments[2];
    moments *= size;
    const std::string shown =
        fmt::format("{:.6g}, {:.6g} and {:.6g}", moments[0], moments[1], moments[2]);
    if (is_negative)
      findings_.mistake(inertial.place,
                        fmt::format("the inertia of {} has the principal moments {}; accepted: "
                                    "none below 0",
                                    quote(link.name), shown));
    else if (breaks_triangle)
      findings_.warning(inertial.place,
                        fmt::format("no body has the principal moments {} kg m² of {}: {:.6g} + "
                                    "{:.6g} is less than {:.6g}",
                                    shown, quote(link.name), moments[0], moments[1], moments[2]));
    if (!is_negative && inertial.mass == 0.0)
      findings_.warning(inertial.place,
                        fmt::format("{} has inertia and no mass", quote(link.name)));
  }

  // What a joint can move has mass: its own or that of links that are fixed to it.
  void masses() {
    std::map<std::string, std::string> leader;  // of the rigid group
    std::map<std::string, bool> heavy, turning;
    for (const RobotLink& link : robot_.links) {
      const RobotJoint* joint = nullptr;
      if (const auto found = above().find(link.name); found != above().end())
        joint = &robot_.joints[found->second];
      const bool is_rigid = joint && joint->kind == RobotJointKind::fixed;
      leader[link.name] = is_rigid ? leader[joint->parent] : link.name;
      heavy[leader[link.name]] |= link.has_mass();
    }
    for (const RobotLink& link : robot_.links) {
      if (leader[link.name] != link.name || heavy[link.name]) continue;
      const bool is_root = above().count(link.name) == 0;
      if (is_root && !robot_.base_is_free) continue;
      findings_.mistake(link.place,
                        fmt::format("the link {} moves, but neither it nor what is fixed to it has "
                                    "mass; accepted: {}",
                                    quote(link.name),
                                    robot_.format == "mjcf"
                                        ? "an <inertial>, or a geom with mass"
                                        : "an <inertial> with a mass above 0, or a fixed joint"));
    }
  }
  const std::map<std::string, std::size_t>& above() {
    if (above_.empty())
      for (std::size_t i = 0; i < robot_.joints.size(); ++i) above_[robot_.joints[i].child] = i;
    return above_;
  }

  RobotDescription& robot_;
  Findings& findings_;
  std::map<std::string, std::size_t> links_, joints_, above_;
  bool is_whole_ = true;  // every link has a name, every joint two ends
};

}  // namespace

void check_robot(RobotDescription& robot, Findings& findings) {
  RobotCheck(robot, findings).run();
}

}  // namespace vinci
