// SPDX-License-Identifier: Apache-2.0
// MJCF: joints, actuators, equality constraints and pairs that do not collide.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/robots/mjcf_reader.h"

namespace vinci {

namespace {

enum MjcfJointType : std::size_t { hinge, slide, ball, free_joint };

std::size_t joint_type(const XmlElement& element, const ElementReader& read) {
  if (element.name == "freejoint") return free_joint;
  return read.choice(element, "type", {"hinge", "slide", "ball", "free"}, hinge);
}

}  // namespace

RobotFreedom MjcfReader::read_freedom(const XmlElement& element, bool turns) const {
  RobotFreedom freedom;
  const auto unit = [&](double value) { return turns ? settings_.angle(value) : value; };
  const double reference = unit(read_.number(element, "ref", 0.0));
  const auto range = read_.list(element, "range", 2, 2);
  // Two words stand for the automatic choice: not given, and auto.
  const std::size_t limited = read_.choice(element, "limited", {"false", "true", "auto"}, 2);
  if (range && (limited == 1 || (limited == 2 && settings_.automatic_limits))) {
    freedom.lower = unit((*range)[0]) - reference;
    freedom.upper = unit((*range)[1]) - reference;
  } else if (limited == 1 && !element.attribute("range")) {
    read_.mistake(element.place, "the joint is limited and has no range; accepted: range=\"...\"");
  }
  const auto not_negative = ElementReader::not_negative();
  freedom.damping = read_.number(element, "damping", 0.0, not_negative);
  freedom.friction = read_.number(element, "frictionloss", 0.0, not_negative);
  freedom.armature = read_.number(element, "armature", 0.0, not_negative);
  freedom.stiffness = read_.number(element, "stiffness", 0.0, not_negative);
  freedom.rest = unit(read_.number(element, "springref", 0.0)) - reference;
  if (freedom.stiffness == 0.0) freedom.rest = 0.0;
  if (const auto effort = read_.list(element, "actuatorfrcrange", 2, 2))
    freedom.effort = std::max(std::abs((*effort)[0]), std::abs((*effort)[1]));
  return freedom;
}

void MjcfReader::read_joints(const std::vector<XmlElement>& elements, const XmlElement& body,
                             RobotJoint& joint) {
  const auto own_name = [&] {
    joint.name = joint.child + "_fixed";
    while (joints_.count(joint.name) > 0) joint.name += "_";
    joints_.insert(joint.name);
  };
  if (elements.empty()) {
    joint.kind = RobotJointKind::fixed;
    return own_name();
  }
  for (const XmlElement& element : elements)
    read_.expect(
        element,
        {"name", "class", "type", "pos", "axis", "range", "limited", "damping", "frictionloss",
         "armature", "stiffness", "springref", "ref", "actuatorfrcrange", "group"},
        {});
  const XmlElement& first = elements[0];
  joint.place = first.place;
  joint.name = fresh_name(first, "joint", joints_);
  joint.anchor = read_.vector(first, "pos", Vector3::Zero());
  const std::size_t type = joint_type(first, read_);
  if (elements.size() > 1) return combine(elements, joint);
  coordinates_[joint.name] = {joint.name, 0};
  if (type == free_joint) {
    joint.kind = RobotJointKind::floating;
    joint.anchor.setZero();
    if (joint.parent != "world")
      read_.mistake(first.place, fmt::format("a free joint in {}, which is no body of the world; "
                                             "accepted: free joints of bodies in <worldbody>",
                                             tag(body)));
    return;
  }
  if (type == ball) {
    joint.kind = RobotJointKind::ball;
    RobotFreedom freedom = read_freedom(first, true);
    if (freedom.is_limited()) {
      findings_.leave_out(first.place, "range of a ball joint");
      freedom.lower = -infinity;
      freedom.upper = infinity;
    }
    joint.freedoms.assign(3, freedom);
    return;
  }
  joint.kind = type == hinge ? RobotJointKind::revolute : RobotJointKind::prismatic;
  joint.axis = unit_axis(read_.vector(first, "axis", Vector3::UnitZ()), first.place, findings_);
  joint.freedoms.push_back(read_freedom(first, type == hinge));
}

// Several joints of one body that are one of ours.
void MjcfReader::combine(const std::vector<XmlElement>& elements, RobotJoint& joint) {
  struct Part {
    std::size_t type;
    std::string name;
    Vector3 axis, anchor;
    RobotFreedom freedom;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const XmlElement& element = elements[i];
    const std::size_t type = joint_type(element, read_);
    parts.push_back(
        {type, i == 0 ? joint.name : fresh_name(element, "joint", joints_),
         unit_axis(read_.vector(element, "axis", Vector3::UnitZ()), element.place, findings_),
         read_.vector(element, "pos", Vector3::Zero()), read_freedom(element, type == hinge)});
  }
  constexpr double rounding = 1e-9;
  const auto square = [&](const Part& a, const Part& b) {
    return std::abs(a.axis.dot(b.axis)) < rounding;
  };
  const auto one_point = [&](const Part& a, const Part& b) {
    return (a.anchor - b.anchor).norm() <= rounding * (1.0 + a.anchor.norm());
  };
  std::vector<Part> order;
  if (parts.size() == 2 && parts[0].type == hinge && parts[1].type == hinge &&
      square(parts[0], parts[1]) && one_point(parts[0], parts[1])) {
    joint.kind = RobotJointKind::universal;
    joint.axis = parts[0].axis;
    joint.axis2 = parts[1].axis;
    order = parts;
  } else if (parts.size() == 2 && parts[0].type + parts[1].type == hinge + slide &&
             (parts[0].axis - parts[1].axis).norm() < rounding) {
    joint.kind = RobotJointKind::cylindrical;
    const std::size_t turning = parts[0].type == hinge ? 0 : 1;
    joint.axis = parts[turning].axis;
    joint.anchor = parts[turning].anchor;
    order = {parts[turning], parts[1 - turning]};
  } else if (parts.size() == 3 && parts[0].type == slide && parts[1].type == slide &&
             parts[2].type == hinge &&
             (parts[0].axis.cross(parts[1].axis) - parts[2].axis).norm() < rounding) {
    joint.kind = RobotJointKind::planar;
    joint.axis = parts[2].axis;
    joint.axis2 = parts[0].axis;
    joint.anchor = parts[2].anchor;
    order = parts;
  } else {
    read_.mistake(
        elements[1].place,
        fmt::format("the {} joints of the body {} are together no joint of ours; accepted: "
                    "one joint; two hinges at right angles in one point; a slide and a "
                    "hinge along one axis; two slides and a hinge at right angles",
                    elements.size(), quote(joint.child)));
    return;
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    coordinates_[order[i].name] = {joint.name, static_cast<int>(i)};
    joint.freedoms.push_back(order[i].freedom);
  }
}

void MjcfReader::read_actuators() {
  for (const XmlElement& section : root_.children) {
    if (section.name != "actuator") continue;
    read_.expect(section, {}, {"motor", "position", "velocity"});
    for (const XmlElement& child : section.children)
      if (child.name == "motor" || child.name == "position" || child.name == "velocity")
        read_actuator(child);
  }
}

void MjcfReader::read_actuator(const XmlElement& given) {
  const XmlElement element = defaults_.complete(given, "");
  const std::string* target = element.value("joint");
  if (!target) {
    findings_.leave_out(given.place, fmt::format("{} that drives no joint", tag(given)));
    return;
  }
  read_.expect(element,
               {"name", "class", "joint", "kp", "kv", "gear", "ctrlrange", "ctrllimited",
                "forcerange", "forcelimited", "group"},
               {});
  RobotActuator result;
  result.place = given.place;
  result.name = read_.optional_name(element);
  if (result.name.empty()) result.name = *target;
  const auto coordinate = coordinates_.find(*target);
  result.joint = coordinate == coordinates_.end() ? *target : coordinate->second.joint;
  result.freedom = coordinate == coordinates_.end() ? 0 : coordinate->second.freedom;
  const auto gears = read_.list(element, "gear", 1, 6);
  result.gear = gears ? (*gears)[0] : 1.0;
  if (result.gear == 0.0) {
    read_.mistake(element.place, "the gear is 0; accepted: another number");
    result.gear = 1.0;
  }
  const double square = result.gear * result.gear;
  const auto not_negative = ElementReader::not_negative();
  if (element.name == "position") {
    result.kind = RobotActuatorKind::position;
    result.stiffness = square * read_.number(element, "kp", 1.0, not_negative);
    result.damping = square * read_.number(element, "kv", 0.0, not_negative);
  } else if (element.name == "velocity") {
    result.kind = RobotActuatorKind::velocity;
    result.damping = square * read_.number(element, "kv", 1.0, not_negative);
  }
  const auto range = [&](const char* name, const char* flag) {
    const auto numbers = read_.list(element, name, 2, 2);
    const std::size_t limited = read_.choice(element, flag, {"false", "true", "auto"}, 2);
    const bool counts = limited == 1 || (limited == 2 && settings_.automatic_limits);
    return numbers && counts ? numbers : std::optional<std::vector<double>>();
  };
  if (const auto control = range("ctrlrange", "ctrllimited")) {
    result.lower = (*control)[0];
    result.upper = (*control)[1];
    if (result.lower > result.upper)
      read_.mistake(element.place, "ctrlrange: the lower end is above the upper one");
  }
  if (const auto force = range("forcerange", "forcelimited"))
    result.effort = std::abs(result.gear) * std::max(std::abs((*force)[0]), std::abs((*force)[1]));
  robot_.actuators.push_back(std::move(result));
}

void MjcfReader::read_equalities() {
  for (const XmlElement& section : root_.children) {
    if (section.name != "equality") continue;
    read_.expect(section, {}, {"connect", "weld", "joint"});
    for (const XmlElement& child : section.children)
      if (child.name == "connect" || child.name == "weld" || child.name == "joint")
        read_equality(defaults_.complete(child, ""));
  }
}

void MjcfReader::read_equality(const XmlElement& element) {
  if (!read_.flag(element, "active", true)) {
    findings_.leave_out(element.place, fmt::format("{} that is not active", tag(element)));
    return;
  }
  if (element.name == "joint") {
    read_.expect(element, {"name", "class", "joint1", "joint2", "polycoef", "active"}, {});
    const std::string follower = read_.name(element, "joint1");
    const std::string leader = read_.optional_name(element, "joint2");
    const auto given = read_.list(element, "polycoef", 1, 5);
    std::vector<double> terms = given ? *given : std::vector<double>{0.0, 1.0};
    terms.resize(5, 0.0);
    if (leader.empty() || terms[2] != 0.0 || terms[3] != 0.0 || terms[4] != 0.0) {
      findings_.leave_out(element.place, "equality of joints that is no ratio of two");
      return;
    }
    for (RobotJoint& joint : robot_.joints) {
      if (joint.name != follower) continue;
      if (joint.mimic)
        read_.mistake(element.place, fmt::format("the joint {} follows two others; accepted: one",
                                                 quote(follower)));
      joint.mimic = RobotMimic{leader, terms[1], terms[0], element.place};
      return;
    }
    if (!follower.empty())
      read_.mistake(element.place, fmt::format("{} is no joint", quote(follower)));
    return;
  }
  if (!element.attribute("body1")) {
    findings_.leave_out(element.place, fmt::format("{} between sites", tag(element)));
    return;
  }
  read_.expect(element, {"name", "class", "body1", "body2", "anchor", "relpose", "active"}, {});
  RobotConstraint result;
  result.place = element.place;
  result.kind =
      element.name == "weld" ? RobotConstraint::Kind::weld : RobotConstraint::Kind::connect;
  result.name = read_.optional_name(element);
  if (result.name.empty())
    result.name = fmt::format("{}{}", element.name, robot_.constraints.size() + 1);
  result.first = read_.name(element, "body1");
  result.second = element.attribute("body2") ? read_.name(element, "body2") : "world";
  // Where the second body has the common frame follows from the pose at the start.
  const std::vector<Pose> poses = poses_at_zero(robot_);
  const auto pose_of = [&](const std::string& link) {
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (robot_.links[i].name == link) return poses[i];
    return Pose{};
  };
  const Pose relative = pose_of(result.second).inverse() * pose_of(result.first);
  if (result.kind == RobotConstraint::Kind::connect) {
    if (!element.attribute("anchor"))
      read_.mistake(element.place, "<connect> has no anchor; accepted: 3 finite numbers");
    result.in_first.position = read_.vector(element, "anchor", Vector3::Zero());
  } else if (const auto p = read_.list(element, "relpose", 7, 7)) {
    const Quaternion turn((*p)[3], (*p)[4], (*p)[5], (*p)[6]);
    if (turn.norm() > 0.0 && std::isfinite(turn.squaredNorm()) && turn.squaredNorm() > 0.0) {
      result.in_first = {{(*p)[0], (*p)[1], (*p)[2]}, turn.normalized()};
      robot_.constraints.push_back(std::move(result));
      return;
    }
  }
  result.in_second = relative * result.in_first;
  robot_.constraints.push_back(std::move(result));
}

void MjcfReader::read_contact() {
  for (const XmlElement& section : root_.children) {
    if (section.name != "contact") continue;
    read_.expect(section, {}, {"exclude"});
    for (const XmlElement& child : section.children) {
      if (child.name != "exclude") continue;
      read_.expect(child, {"name", "class", "body1", "body2"}, {});
      const std::string first = read_.name(child, "body1"), second = read_.name(child, "body2");
      for (const std::string& link : {first, second})
        if (!link.empty() && links_.count(link) == 0 && link != "world")
          read_.mistake(child.place, fmt::format("{} is no body", quote(link)));
      robot_.exclusions.emplace_back(first, second);
    }
  }
}

}  // namespace vinci
