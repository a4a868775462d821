// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/robot_nodes.h"

#include <algorithm>
#include <optional>
#include <set>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/model/joint.h"
#include "vinci/robots/geometry_mass.h"

namespace vinci {

Node scalar_node(std::string key, std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.key = std::move(key);
  node.text = std::move(text);
  return node;
}

Node number_node(std::string key, double value) {
  // Unlimited on one side only.
  if (value == infinity) value = 1e9;
  if (value == -infinity) value = -1e9;
  return scalar_node(std::move(key), fmt::format("{}", value == 0.0 ? 0.0 : value));
}

Node list_node(std::string key, std::vector<Node> children) {
  Node node;
  node.kind = Node::Kind::list;
  node.key = std::move(key);
  node.children = std::move(children);
  return node;
}

Node map_node(std::string key, std::vector<Node> children) {
  Node node = list_node(std::move(key), std::move(children));
  node.kind = Node::Kind::map;
  return node;
}

Node vector_node(std::string key, const Vector3& vector) {
  return list_node(std::move(key), {number_node("", vector.x()), number_node("", vector.y()),
                                    number_node("", vector.z())});
}

Node names_node(std::string key, const std::vector<std::string>& names) {
  Node node = list_node(std::move(key));
  for (const std::string& name : names) node.children.push_back(scalar_node("", name));
  return node;
}

void add_rotation(Node& node, const Quaternion& rotation) {
  const Vector3 angles = roll_pitch_yaw(rotation);
  if (!angles.isZero(0.0))
    node.children.push_back(map_node("rotation", {vector_node("rpy", angles)}));
}

std::string scene_name(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
    if (!fine) c = '_';
  }
  return result;
}

namespace {

class NodeWriter {
 public:
  NodeWriter(const RobotDescription& robot, const RobotChoices& choices)
      : robot_(robot), choices_(choices) {}

  RobotNodes write() {
    for (const RobotJoint& joint : robot_.joints) above_[joint.child] = &joint;
    for (const RobotJoint& joint : robot_.joints)
      if (!joint.freedoms.empty()) result_.joint_names[joint.name] = scened(joint.name);
    for (const RobotLink& link : robot_.links) place(link);
    for (const std::string& name : order_) result_.bodies.push_back(body_node(bodies_[name]));
    result_.carrier = choices_.carrier.body;
    if (!result_.carrier.empty())
      result_.carried_shapes = std::move(bodies_[result_.carrier].shapes);
    for (const RobotJoint& joint : robot_.joints) {
      const LinkPlace &parent = result_.placed[joint.parent], &child = result_.placed[joint.child];
      if (parent.body != child.body && joint.kind != RobotJointKind::floating)
        result_.joints.push_back(joint_node(joint, parent, child));
      if (joint.mimic) result_.couplings.push_back(coupling_node(joint));
    }
    for (const RobotConstraint& constraint : robot_.constraints)
      result_.joints.push_back(constraint_node(constraint));
    for (const RobotLink& link : robot_.links) add_frame(link);
    exclude();
    return std::move(result_);
  }

 private:
  struct BodyParts {
    std::string name;
    std::vector<MassProperties> masses;
    std::vector<Node> shapes;
    bool is_root = false;
    bool is_fixed = false;
  };

  std::string scened(const std::string& name) const {
    return choices_.name + "." + scene_name(name);
  }

  // Which body a link belongs to, and where in it.
  void place(const RobotLink& link) {
    const auto found = above_.find(link.name);
    const RobotJoint* joint = found == above_.end() ? nullptr : found->second;
    LinkPlace where{scened(link.name), {}};
    if (!joint && !choices_.carrier.body.empty()) {
      where = choices_.carrier;
      bodies_[where.body].name = where.body;
    } else if (joint && joint->kind == RobotJointKind::fixed) {
      const LinkPlace& parent = result_.placed[joint->parent];
      const BodyParts& body = bodies_[parent.body];
      const bool is_carrier = parent.body == choices_.carrier.body;
      if (!link.has_mass() || (body.masses.empty() && !body.is_fixed && !is_carrier))
        where = {parent.body, parent.pose * joint->origin};
    }
    const bool is_new = bodies_.count(where.body) == 0;
    BodyParts& body = bodies_[where.body];
    if (is_new) {
      body.name = where.body;
      body.is_root = !joint;
      body.is_fixed = !joint && !choices_.base_is_free;
      order_.push_back(where.body);
    }
    if (link.has_mass())
      body.masses.push_back(transformed(
          {link.inertial->mass, link.inertial->pose.position, link.inertial->inertia_in_link()},
          where.pose));
    for (const RobotGeometry& shape : link.collisions)
      body.shapes.push_back(shape_node(shape, where.pose));
    result_.placed[link.name] = where;
  }

  // A link that is part of another one's body keeps its name as that of a frame.
  void add_frame(const RobotLink& link) {
    const LinkPlace& where = result_.placed[link.name];
    if (where.body == scened(link.name)) return;
    Node node = map_node(scened(link.name), {scalar_node("body", where.body)});
    add_pose(node, where.pose);
    result_.frames.push_back(std::move(node));
  }

  // --- bodies ---

  Node body_node(const BodyParts& body) const {
    Node node = map_node(body.name);
    if (body.is_fixed) {
      node.children.push_back(scalar_node("freedom", "fixed"));
    } else if (!body.masses.empty()) {
      const MassProperties sum = combined(body.masses);
      node.children.push_back(number_node("mass", sum.mass));
      node.children.push_back(vector_node("center", sum.center));
      node.children.push_back(inertia_node(sum.inertia));
      const Vector3 moments =
          Eigen::SelfAdjointEigenSolver<Matrix3>(sum.inertia, Eigen::EigenvaluesOnly).eigenvalues();
      if (moments[0] + moments[1] < (1.0 - 1e-9) * moments[2])
        node.children.push_back(scalar_node("inertia-check", "definite"));
    }
    if (!body.shapes.empty()) node.children.push_back(list_node("shapes", body.shapes));
    return node;
  }

  static Node inertia_node(const Matrix3& given) {
    const Matrix3 inertia = 0.5 * (given + given.transpose());
    const Matrix3 diagonal = inertia.diagonal().asDiagonal();
    if (inertia == diagonal) return vector_node("inertia", inertia.diagonal());
    return list_node("inertia", {vector_node("", inertia.row(0)), vector_node("", inertia.row(1)),
                                 vector_node("", inertia.row(2))});
  }

  Node mesh_node(const RobotGeometry& shape) const {
    if (!choices_.exact_meshes) {
      Node points = list_node("polyhedron");
      for (const Vector3& point : hull_points(shape))
        points.children.push_back(vector_node("", point));
      return points;
    }
    const TriangleSoup soup = triangles_of(shape);
    Node vertices = list_node("vertices"), triangles = list_node("triangles");
    for (const Vector3& point : soup.points) vertices.children.push_back(vector_node("", point));
    for (const std::array<int, 3>& t : soup.triangles)
      triangles.children.push_back(
          list_node("", {number_node("", t[0]), number_node("", t[1]), number_node("", t[2])}));
    return map_node("mesh", {std::move(vertices), std::move(triangles)});
  }

  Node geometry_node(const RobotGeometry& shape) const {
    const Vector3& size = shape.size;
    switch (shape.kind) {
      case RobotShapeKind::box:
        return vector_node("box", size);
      case RobotShapeKind::cylinder:
        return map_node("cylinder",
                        {number_node("radius", size[0]), number_node("height", size[1])});
      case RobotShapeKind::sphere:
        return number_node("sphere", size[0]);
      case RobotShapeKind::capsule:
        return map_node("capsule",
                        {number_node("length", size[1]), number_node("radius", size[0])});
      case RobotShapeKind::ellipsoid:
        return map_node("superquadric", {vector_node("axes", size), number_node("e1", 1.0),
                                         number_node("e2", 1.0)});
      case RobotShapeKind::mesh:
        break;
    }
    return mesh_node(shape);
  }

  Node shape_node(const RobotGeometry& shape, const Pose& link) {
    Node node = map_node("", {geometry_node(shape)});
    std::string material = choices_.material;
    if (material.empty() && shape.friction) {
      material = fmt::format("{}.friction-{}", choices_.name, *shape.friction);
      std::replace(material.begin(), material.end(), '+', 'p');
      if (materials_.insert(material).second)
        result_.materials.push_back(map_node(material, {number_node("friction", *shape.friction)}));
    }
    if (!material.empty()) node.children.push_back(scalar_node("material", material));
    const Pose pose = link * shape.origin;
    if (!pose.position.isZero(0.0)) node.children.push_back(vector_node("position", pose.position));
    add_rotation(node, pose.rotation);
    return node;
  }

  // --- joints ---

  // A number, or a list of one per freedom; nothing where all are 0.
  static void add_values(Node& node, const char* key, const RobotJoint& joint,
                         double RobotFreedom::*value) {
    if (std::all_of(joint.freedoms.begin(), joint.freedoms.end(),
                    [&](const RobotFreedom& freedom) { return freedom.*value == 0.0; }))
      return;
    if (joint.freedoms.size() == 1) {
      node.children.push_back(number_node(key, joint.freedoms[0].*value));
      return;
    }
    Node list = list_node(key);
    for (const RobotFreedom& freedom : joint.freedoms)
      list.children.push_back(number_node("", freedom.*value));
    node.children.push_back(std::move(list));
  }

  // Where the file bounds all freedoms; files that know no bound say 0.
  static void add_bounds(Node& node, const char* key, const RobotJoint& joint,
                         double RobotFreedom::*value) {
    if (std::all_of(joint.freedoms.begin(), joint.freedoms.end(), [&](const RobotFreedom& freedom) {
          return freedom.*value > 0.0 && freedom.*value < infinity;
        }))
      add_values(node, key, joint, value);
  }

  void add_limits(Node& node, const RobotJoint& joint) const {
    const auto pair = [](const char* key, const RobotFreedom& freedom) {
      return list_node(key, {number_node("", freedom.lower), number_node("", freedom.upper)});
    };
    if (std::none_of(joint.freedoms.begin(), joint.freedoms.end(),
                     [](const RobotFreedom& freedom) { return freedom.is_limited(); }))
      return;
    if (joint.freedoms.size() == 1) {
      node.children.push_back(pair("limits", joint.freedoms[0]));
      return;
    }
    Node list = list_node("limits");
    for (const RobotFreedom& freedom : joint.freedoms) list.children.push_back(pair("", freedom));
    node.children.push_back(std::move(list));
  }

  // A speed of 0 in a file says that nobody gave one.
  static void add_motion_limits(Node& node, const RobotJoint& joint) {
    const auto is_given = [](const RobotFreedom& freedom) {
      return freedom.velocity > 0.0 && freedom.velocity < infinity;
    };
    if (std::none_of(joint.freedoms.begin(), joint.freedoms.end(), is_given)) return;
    Node list = list_node("motion-limits");
    for (const RobotFreedom& freedom : joint.freedoms) {
      list.children.push_back(map_node(""));
      if (is_given(freedom))
        list.children.back().children.push_back(number_node("velocity", freedom.velocity));
    }
    if (joint.freedoms.size() == 1) {
      list = list.children[0];
      list.key = "motion-limits";
    }
    node.children.push_back(std::move(list));
  }

  // A servo with gains holds the joint where it begins.
  void add_motor(Node& node, const RobotJoint& joint) const {
    const std::optional<JointKind> kind = joint_kind_named(to_string(joint.kind));
    if (!kind || *kind == JointKind::ball) return;
    std::vector<Node> motors;
    bool any = false;
    for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
      const auto servo = std::find_if(
          robot_.actuators.begin(), robot_.actuators.end(), [&](const RobotActuator& actuator) {
            return actuator.joint == joint.name && actuator.freedom == k &&
                   actuator.kind != RobotActuatorKind::motor &&
                   (actuator.stiffness != 0.0 || actuator.damping != 0.0);
          });
      const bool serves = servo != robot_.actuators.end();
      any |= serves;
      // Freedoms beside it that nothing drives.
      motors.push_back(
          serves ? servo_node(*servo, joint.freedoms[static_cast<std::size_t>(k)])
                 : map_node("", {number_node(is_turning(*kind, k) ? "torque" : "force", 0.0)}));
    }
    if (!any) return;
    Node motor = motors.size() == 1 ? motors[0] : list_node("", std::move(motors));
    motor.key = "motor";
    node.children.push_back(std::move(motor));
  }

  static Node servo_node(const RobotActuator& servo, const RobotFreedom& freedom) {
    const bool holds = servo.kind == RobotActuatorKind::position;
    Node motor = map_node("");
    motor.children.push_back(number_node(
        holds ? "position" : "velocity",
        holds ? std::clamp(0.0, std::min(freedom.lower, freedom.upper), freedom.upper) : 0.0));
    if (holds) motor.children.push_back(number_node("stiffness", servo.stiffness));
    motor.children.push_back(number_node("damping", servo.damping));
    const double limit = std::min(servo.effort, freedom.effort);
    if (limit < infinity) motor.children.push_back(number_node("limit", limit));
    return motor;
  }

  Node joint_node(const RobotJoint& joint, const LinkPlace& parent, const LinkPlace& child) const {
    // A child that became part of its parent's body has no joint; all others are bodies by
    // themselves, whose frame is that of the link.
    const Pose origin = parent.pose * joint.origin;
    Node node = map_node(scened(joint.name));
    node.children.push_back(names_node(to_string(joint.kind), {parent.body, child.body}));
    const Vector3 first = origin * joint.anchor;
    if (!first.isZero(0.0) || !joint.anchor.isZero(0.0))
      node.children.push_back(
          list_node("at", {vector_node("", first), vector_node("", joint.anchor)}));
    using Kind = RobotJointKind;
    if (joint.kind != Kind::fixed && joint.kind != Kind::ball)
      node.children.push_back(vector_node("axis", cleaned(origin.rotation * joint.axis)));
    if (joint.kind == Kind::universal ||
        (joint.kind == Kind::planar && joint.axis2.dot(joint.axis) == 0.0))
      node.children.push_back(vector_node("across", cleaned(origin.rotation * joint.axis2)));
    add_rotation(node, origin.rotation);
    if (joint.kind == Kind::screw) node.children.push_back(number_node("pitch", joint.pitch));
    add_limits(node, joint);
    add_values(node, "friction", joint, &RobotFreedom::friction);
    add_values(node, "damping", joint, &RobotFreedom::damping);
    add_values(node, "stiffness", joint, &RobotFreedom::stiffness);
    add_values(node, "rest", joint, &RobotFreedom::rest);
    add_values(node, "armature", joint, &RobotFreedom::armature);
    add_bounds(node, "largest-effort", joint, &RobotFreedom::effort);
    add_motor(node, joint);
    add_motion_limits(node, joint);
    return node;
  }

  // An axis that a turn by right angles left with a rounding error beside 1.
  static Vector3 cleaned(Vector3 axis) {
    for (int i = 0; i < 3; ++i)
      if (std::abs(axis[i]) < 1e-15) axis[i] = 0.0;
    return axis;
  }

  Node coupling_node(const RobotJoint& joint) const {
    return map_node(scened(joint.name),
                    {names_node("joints", {scened(joint.mimic->joint), scened(joint.name)}),
                     number_node("ratio", joint.mimic->multiplier),
                     number_node("offset", joint.mimic->offset)});
  }

  Node constraint_node(const RobotConstraint& constraint) {
    const LinkPlace &first = result_.placed[constraint.first],
                    &second = result_.placed[constraint.second];
    const Pose a = first.pose * constraint.in_first, b = second.pose * constraint.in_second;
    const bool welds = constraint.kind == RobotConstraint::Kind::weld;
    Node node = map_node(scened(constraint.name));
    node.children.push_back(names_node(welds ? "fixed" : "ball", {first.body, second.body}));
    node.children.push_back(
        list_node("at", {vector_node("", a.position), vector_node("", b.position)}));
    if (welds) add_rotation(node, a.rotation * b.rotation.conjugate());
    return node;
  }

  // --- what does not collide ---

  // Bodies that are rigidly connected, and neighbours of these, do not collide.
  void exclude() {
    std::map<std::string, std::string> group;  // of a body: the first body of its rigid group
    std::set<std::pair<std::string, std::string>> neighbours;
    for (const RobotLink& link : robot_.links) {
      const std::string& body = result_.placed[link.name].body;
      const auto joint = above_.find(link.name);
      if (joint == above_.end()) {
        group.emplace(body, body);
        continue;
      }
      const std::string& parent = result_.placed[joint->second->parent].body;
      if (body == parent) continue;
      group.emplace(body, joint->second->kind == RobotJointKind::fixed ? group[parent] : body);
      if (joint->second->kind != RobotJointKind::floating)
        neighbours.emplace(group[parent], group[body]);
    }
    const auto pair = [&](const std::string& a, const std::string& b) {
      if (a != b && excluded_.insert(std::minmax(a, b)).second)
        result_.exclude.push_back(names_node("", {a, b}));
    };
    std::vector<std::string> bodies;
    for (const std::string& name : order_) bodies.push_back(name);
    if (!choices_.carrier.body.empty()) bodies.insert(bodies.begin(), choices_.carrier.body);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t k = i + 1; k < bodies.size(); ++k) {
        const std::string &a = group[bodies[i]], &b = group[bodies[k]];
        if (a == b || !robot_.self_collide || neighbours.count({a, b}) > 0 ||
            neighbours.count({b, a}) > 0)
          pair(bodies[i], bodies[k]);
      }
    for (const auto& [first, second] : robot_.exclusions)
      if (result_.placed.count(first) > 0 && result_.placed.count(second) > 0)
        pair(result_.placed[first].body, result_.placed[second].body);
  }

  const RobotDescription& robot_;
  const RobotChoices& choices_;
  RobotNodes result_;
  std::map<std::string, const RobotJoint*> above_;
  std::map<std::string, BodyParts> bodies_;
  std::vector<std::string> order_;
  std::set<std::string> materials_;
  std::set<std::pair<std::string, std::string>> excluded_;
};

}  // namespace

RobotNodes robot_nodes(const RobotDescription& robot, const RobotChoices& choices) {
  return NodeWriter(robot, choices).write();
}

void add_pose(Node& body, const Pose& pose) {
  if (!pose.position.isZero(0.0)) body.children.push_back(vector_node("position", pose.position));
  add_rotation(body, pose.rotation);
}

void place_floating_links(const RobotDescription& robot, const Pose& base, RobotNodes& nodes) {
  const std::vector<Pose> poses = poses_at_zero(robot);
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const RobotJoint* joint = robot.joint_above(robot.links[i].name);
    if (!joint || joint->kind != RobotJointKind::floating) continue;
    const std::string& name = nodes.placed[robot.links[i].name].body;
    for (Node& body : nodes.bodies)
      if (body.key == name) add_pose(body, base * poses[i]);
  }
}

}  // namespace vinci
