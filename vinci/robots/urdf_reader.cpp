// SPDX-License-Identifier: Apache-2.0
// URDF, whole: links, joints with mimic, inertials, visuals, collisions, materials, limits,
// dynamics and what transmissions say of gears and rotors. Tags of simulators are left out by name.
#include <map>

#include <fmt/format.h>

#include "vinci/robots/readers.h"

namespace vinci {

namespace {

class UrdfReader {
 public:
  explicit UrdfReader(const RobotSource& source)
      : source_(source), robot_(source.robot), findings_(source.findings), read_(source.findings) {}

  void read() {
    const XmlElement& root = source_.root;
    robot_.format = "urdf";
    robot_.name = read_.name(root);
    refuse_xacro(root);
    read_.expect(root, {"name", "version"}, {"link", "joint", "material", "transmission"});
    for (const XmlElement& child : root.children)
      if (child.name == "material") add_material(child);
    for (const XmlElement& child : root.children) {
      if (child.name == "link") read_link(child);
      if (child.name == "joint") read_joint(child);
    }
    for (const XmlElement& child : root.children)
      if (child.name == "transmission") read_transmission(child);
  }

 private:
  using Colour = std::array<double, 4>;

  void refuse_xacro(const XmlElement& root) {
    for (const XmlElement& child : root.children) {
      if (child.name.rfind("xacro:", 0) != 0) continue;
      read_.mistake(child.place,
                    fmt::format("{} is a macro of xacro; accepted: the URDF that xacro makes of it",
                                tag(child)));
      return;
    }
  }

  // The one child of this name, or nothing; a second one is a mistake.
  const XmlElement* single(const XmlElement& parent, std::string_view name) const {
    const XmlElement* found = nullptr;
    for (const XmlElement& child : parent.children) {
      if (child.name != name) continue;
      if (found)
        read_.mistake(child.place,
                      fmt::format("{} has a second {}; accepted: one", tag(parent), tag(child)));
      else
        found = &child;
    }
    return found;
  }

  Pose origin(const XmlElement& parent) const {
    const XmlElement* element = single(parent, "origin");
    if (!element) return {};
    read_.expect(*element, {"xyz", "rpy"}, {});
    return {read_.vector(*element, "xyz", Vector3::Zero()),
            rotation_of(read_.vector(*element, "rpy", Vector3::Zero()))};
  }

  // --- links ---

  std::optional<Colour> colour(const XmlElement& material) const {
    const XmlElement* element = single(material, "color");
    if (!element) return {};
    const auto numbers = read_.list(*element, "rgba", 4, 4);
    if (!numbers) {
      if (!element->attribute("rgba"))
        read_.mistake(element->place, "<color> has no rgba; accepted: 4 numbers from 0 to 1");
      return {};
    }
    Colour result{};
    for (std::size_t i = 0; i < 4; ++i) {
      if (!((*numbers)[i] >= 0.0 && (*numbers)[i] <= 1.0)) {
        read_.mistake(element->place, fmt::format("rgba of <color> has {:.6g} in it; accepted: 4 "
                                                  "numbers from 0 to 1",
                                                  (*numbers)[i]));
        return {};
      }
      result[i] = (*numbers)[i];
    }
    return result;
  }

  void add_material(const XmlElement& element) {
    const std::string name = read_.name(element);
    read_.expect(element, {"name"}, {"color"});
    const std::optional<Colour> value = colour(element);
    if (!value || name.empty()) return;
    if (!materials_.emplace(name, *value).second && materials_[name] != *value)
      read_.mistake(element.place,
                    fmt::format("the material {} is defined twice, with two colours", quote(name)));
  }

  bool read_geometry(const XmlElement& parent, bool is_visual, RobotGeometry& result) const {
    const XmlElement* element = single(parent, "geometry");
    const char* accepted = "accepted: one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>";
    if (!element || element->children.size() != 1) {
      read_.mistake((element ? *element : parent).place,
                    element ? fmt::format("<geometry> has {} elements; {}",
                                          element->children.size(), accepted)
                            : fmt::format("{} has no <geometry>; {}", tag(parent), accepted));
      return false;
    }
    const XmlElement& shape = element->children[0];
    const auto positive = ElementReader::positive();
    if (shape.name == "box") {
      read_.expect(shape, {"size"}, {});
      result.kind = RobotShapeKind::box;
      result.size = read_.required_vector(shape, "size", positive);
    } else if (shape.name == "cylinder" || shape.name == "capsule") {
      read_.expect(shape, {"radius", "length"}, {});
      result.kind = shape.name == "cylinder" ? RobotShapeKind::cylinder : RobotShapeKind::capsule;
      result.size = {read_.required(shape, "radius", positive),
                     read_.required(shape, "length", positive), 0.0};
    } else if (shape.name == "sphere") {
      read_.expect(shape, {"radius"}, {});
      result.kind = RobotShapeKind::sphere;
      result.size = {read_.required(shape, "radius", positive), 0.0, 0.0};
    } else if (shape.name == "mesh") {
      return read_mesh(shape, is_visual, result);
    } else {
      read_.mistake(shape.place, fmt::format("{} is no geometry; {}", tag(shape), accepted));
      return false;
    }
    return true;
  }

  bool read_mesh(const XmlElement& shape, bool is_visual, RobotGeometry& result) const {
    read_.expect(shape, {"filename", "scale"}, {});
    result.scale = read_.vector(shape, "scale", Vector3::Ones());
    if (!((result.scale.array() != 0.0).all()))
      read_.mistake(shape.place, "scale of <mesh> has 0 in it; accepted: 3 numbers that are not 0");
    const std::string* file = shape.value("filename");
    if (!file) {
      read_.mistake(shape.place, "<mesh> has no filename; accepted: filename=\"...\"");
      return false;
    }
    return find_mesh(source_, result, *file, is_visual);
  }

  void read_shape(const XmlElement& element, RobotLink& link) {
    const bool is_visual = element.name == "visual";
    read_.expect(element, {"name"}, {"origin", "geometry", "material"});
    RobotGeometry result;
    result.name = read_.optional_name(element);
    result.place = element.place;
    result.origin = origin(element);
    const bool usable = read_geometry(element, is_visual, result);
    if (const XmlElement* material = is_visual ? single(element, "material") : nullptr) {
      read_.expect(*material, {"name"}, {"color"});
      const std::string name = read_.optional_name(*material);
      result.colour = colour(*material);
      if (result.colour && !name.empty()) materials_.emplace(name, *result.colour);
      if (!result.colour && !name.empty()) {
        if (const auto found = materials_.find(name); found != materials_.end())
          result.colour = found->second;
        else if (!material->child("texture"))
          findings_.warning(material->place, fmt::format("there is no material {}", quote(name)));
      }
    }
    if (usable) (is_visual ? link.visuals : link.collisions).push_back(std::move(result));
  }

  void read_inertial(const XmlElement& element, RobotLink& link) const {
    read_.expect(element, {}, {"origin", "mass", "inertia"});
    RobotInertial result;
    result.place = element.place;
    result.pose = origin(element);
    if (const XmlElement* mass = single(element, "mass"))
      result.mass = read_.required(*mass, "value", ElementReader::not_negative());
    else
      read_.mistake(element.place, "<inertial> has no <mass>; accepted: <mass value=\"...\"/>");
    if (const XmlElement* inertia = single(element, "inertia")) {
      read_.expect(*inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {});
      const auto diagonal = [&](const char* name) { return read_.required(*inertia, name); };
      const auto product = [&](const char* name) { return read_.number(*inertia, name, 0.0); };
      result.inertia << diagonal("ixx"), product("ixy"), product("ixz"), 0.0, diagonal("iyy"),
          product("iyz"), 0.0, 0.0, diagonal("izz");
      result.inertia = Matrix3(result.inertia.selfadjointView<Eigen::Upper>());
    } else {
      read_.mistake(
          element.place,
          "<inertial> has no <inertia>; accepted: <inertia ixx=\"...\" ixy=\"...\" .../>");
    }
    link.inertial = result;
  }

  void read_link(const XmlElement& element) {
    RobotLink link;
    link.name = read_.name(element);
    link.place = element.place;
    read_.expect(element, {"name"}, {"inertial", "visual", "collision"});
    if (const XmlElement* inertial = single(element, "inertial")) read_inertial(*inertial, link);
    for (const XmlElement& child : element.children)
      if (child.name == "visual" || child.name == "collision") read_shape(child, link);
    robot_.links.push_back(std::move(link));
  }

  // --- joints ---

  void read_limit(const XmlElement& element, bool is_ranged, RobotFreedom& freedom) const {
    read_.expect(element, {"lower", "upper", "effort", "velocity"}, {});
    if (is_ranged) {
      freedom.lower = read_.number(element, "lower", 0.0);
      freedom.upper = read_.number(element, "upper", 0.0);
      if (freedom.lower > freedom.upper)
        read_.mistake(element.place,
                      fmt::format("lower is {:.6g} and upper {:.6g}; accepted: lower at most upper",
                                  freedom.lower, freedom.upper));
      else if (freedom.lower == freedom.upper)
        findings_.warning(
            element.place,
            fmt::format("both limits are {:.6g}: the joint cannot move", freedom.lower));
    }
    freedom.effort = read_.number(element, "effort", infinity, ElementReader::not_negative());
    freedom.velocity = read_.number(element, "velocity", infinity, ElementReader::not_negative());
  }

  std::string link_name(const XmlElement& joint, const char* role) const {
    const XmlElement* element = single(joint, role);
    if (element) return read_.name(*element, "link");
    read_.mistake(joint.place,
                  fmt::format("<joint> has no <{}>; accepted: <{} link=\"...\"/>", role, role));
    return "";
  }

  void read_mimic(const XmlElement& element, RobotJoint& joint) const {
    read_.expect(element, {"joint", "multiplier", "offset"}, {});
    RobotMimic mimic;
    mimic.joint = read_.name(element, "joint");
    mimic.multiplier = read_.number(element, "multiplier", 1.0);
    mimic.offset = read_.number(element, "offset", 0.0);
    mimic.place = element.place;
    if (!mimic.joint.empty()) joint.mimic = mimic;
  }

  void read_joint(const XmlElement& element) {
    RobotJoint joint;
    joint.name = read_.name(element);
    joint.place = element.place;
    read_.expect(element, {"name", "type"},
                 {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
    const bool has_type = element.attribute("type") != nullptr;
    if (!has_type)
      read_.mistake(element.place,
                    "<joint> has no type; accepted: revolute, continuous, prismatic, fixed, "
                    "floating, planar");
    using Kind = RobotJointKind;
    constexpr Kind kinds[] = {Kind::revolute, Kind::revolute, Kind::prismatic,
                              Kind::fixed,    Kind::floating, Kind::planar};
    const std::size_t type = read_.choice(
        element, "type", {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"}, 3);
    joint.kind = kinds[type];
    joint.parent = link_name(element, "parent");
    joint.child = link_name(element, "child");
    joint.origin = origin(element);
    const bool has_axis =
        joint.kind == Kind::revolute || joint.kind == Kind::prismatic || joint.kind == Kind::planar;
    if (const XmlElement* axis = single(element, "axis"); has_axis) {
      joint.axis = Vector3::UnitX();
      if (axis) {
        read_.expect(*axis, {"xyz"}, {});
        joint.axis =
            unit_axis(read_.vector(*axis, "xyz", Vector3::UnitX()), axis->place, findings_);
      }
    }
    if (joint.kind != Kind::floating)
      joint.freedoms.resize(static_cast<std::size_t>(freedom_count(joint.kind)));
    const bool is_ranged = type == 0 || type == 2;
    const XmlElement* limit = single(element, "limit");
    if (limit && freedom_count(joint.kind) == 1)
      read_limit(*limit, is_ranged, joint.freedoms[0]);
    else if (limit && joint.kind == Kind::planar)
      findings_.leave_out(limit->place, "<limit> of a planar joint");
    else if (!limit && is_ranged && has_type)
      read_.mistake(element.place,
                    fmt::format("the {} joint {} has no <limit>; accepted: <limit lower=\"...\" "
                                "upper=\"...\" effort=\"...\" velocity=\"...\"/>",
                                *element.value("type"), quote(joint.name)));
    if (const XmlElement* dynamics = single(element, "dynamics")) {
      read_.expect(*dynamics, {"damping", "friction"}, {});
      for (RobotFreedom& freedom : joint.freedoms) {
        freedom.damping = read_.number(*dynamics, "damping", 0.0, ElementReader::not_negative());
        freedom.friction = read_.number(*dynamics, "friction", 0.0, ElementReader::not_negative());
      }
    }
    if (const XmlElement* mimic = single(element, "mimic")) read_mimic(*mimic, joint);
    robot_.joints.push_back(std::move(joint));
  }

  // --- transmissions ---

  // A number in the text of a child, or in its attribute `value`.
  double either(const XmlElement& parent, std::initializer_list<std::string_view> names,
                double otherwise, const ElementReader::Bounds& bounds) const {
    for (const std::string_view name : names)
      if (const XmlElement* child = parent.child(name))
        return child->attribute("value") ? read_.number(*child, "value", otherwise, bounds)
                                         : read_.text_number(*child, bounds);
    return otherwise;
  }

  void read_transmission(const XmlElement& element) {
    read_.expect(element, {"name", "type"}, {"type", "joint", "actuator"});
    const XmlElement *joint = element.child("joint"), *actuator = element.child("actuator");
    if (!joint || !actuator) {
      findings_.leave_out(element.place, "<transmission> without <joint> or <actuator>");
      return;
    }
    read_.expect(*actuator, {"name"},
                 {"mechanicalReduction", "hardwareInterface", "rotorInertia", "drake:gear_ratio",
                  "drake:rotor_inertia"});
    RobotActuator result;
    result.name = read_.name(*actuator);
    result.joint = read_.name(*joint);
    result.place = element.place;
    result.gear = either(*actuator, {"mechanicalReduction", "drake:gear_ratio"}, 1.0, {});
    if (result.gear == 0.0)
      read_.mistake(actuator->place, "the gear is 0; accepted: another number");
    const double rotor = either(*actuator, {"rotorInertia", "drake:rotor_inertia"}, 0.0,
                                ElementReader::not_negative());
    for (RobotJoint& candidate : robot_.joints) {
      if (candidate.name != result.joint || candidate.freedoms.size() != 1) continue;
      candidate.freedoms[0].armature += rotor * result.gear * result.gear;
      result.effort = candidate.freedoms[0].effort;
    }
    robot_.actuators.push_back(std::move(result));
  }

  const RobotSource& source_;
  RobotDescription& robot_;
  Findings& findings_;
  ElementReader read_;
  std::map<std::string, Colour> materials_;
};

}  // namespace

void read_urdf(const RobotSource& source) {
  UrdfReader(source).read();
}

}  // namespace vinci
