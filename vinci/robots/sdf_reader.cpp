// SPDX-License-Identifier: Apache-2.0
// A subset of SDF, version 1.4 and later: one model with its links, joints and frames; poses with
// relative_to. What else a model or world holds is left out by name.
#include <map>
#include <set>

#include <fmt/format.h>

#include "vinci/robots/readers.h"

namespace vinci {

namespace {

class SdfReader {
 public:
  explicit SdfReader(const RobotSource& source)
      : source_(source), robot_(source.robot), findings_(source.findings), read_(source.findings) {}

  void read() {
    robot_.format = "sdf";
    const XmlElement* model = find_model();
    if (!model) return;
    robot_.name = read_.name(*model);
    read_.expect(
        *model, {"name", "canonical_link"},
        {"pose", "link", "joint", "frame", "static", "self_collide", "allow_auto_disable"});
    robot_.self_collide = read_.child_flag(*model, "self_collide", false);
    collect_frames(*model);
    const Pose placed = own_pose(*model);
    for (const XmlElement& child : model->children)
      if (child.name == "link") read_link(child);
    for (const XmlElement& child : model->children)
      if (child.name == "joint") read_joint(child);
    settle_base(placed, read_.child_flag(*model, "static", false));
  }

 private:
  struct Frame {
    Pose pose;                // in `relative_to`
    std::string relative_to;  // "": that of the model
    RobotPlace place;
    int state = 0;  // 0 unknown, 1 being resolved, 2 resolved
    Pose resolved;  // in the frame of the model
  };

  const XmlElement* find_model() {
    const XmlElement& root = source_.root;
    if (const XmlAttribute* version = root.attribute("version")) {
      const std::optional<double> number = number_in(version->value);
      // 1.10 comes after 1.9: what counts stands behind the point.
      const std::size_t point = version->value.find('.');
      const std::optional<double> minor =
          point == std::string::npos ? number : number_in(version->value.substr(point + 1));
      if (!number || !minor || version->value.rfind("1.", 0) != 0 || *minor < 4)
        read_.mistake(place_of(root, *version), fmt::format("version of <sdf> is {}; accepted: 1.4 "
                                                            "and later",
                                                            quote(version->value)));
      old_axes_ = minor && *minor <= 6;
    } else {
      read_.mistake(root.place, "<sdf> has no version; accepted: 1.4 and later");
    }
    std::vector<const XmlElement*> models;
    read_.expect(root, {"version"}, {"model", "world"});
    for (const XmlElement& child : root.children) {
      if (child.name == "model") models.push_back(&child);
      if (child.name != "world") continue;
      read_.expect(child, {"name"}, {"model"});
      for (const XmlElement& inner : child.children)
        if (inner.name == "model") models.push_back(&inner);
    }
    if (models.size() == 1) return models[0];
    read_.mistake(models.empty() ? root.place : models[1]->place,
                  fmt::format("there are {} models; accepted: one", models.size()));
    return nullptr;
  }

  // --- poses ---

  // The six numbers (or seven) of a <pose>, without its frame.
  Pose own_pose(const XmlElement& parent) const {
    const XmlElement* element = parent.child("pose");
    if (!element || element->text.empty()) return {};
    read_.expect(*element, {"relative_to", "degrees", "rotation_format", "frame"}, {});
    if (const std::string* frame = element->value("frame"); frame && !frame->empty())
      findings_.leave_out(element->place, "attribute 'frame' of <pose>");
    const bool is_quaternion =
        read_.choice(*element, "rotation_format", {"euler_rpy", "quat_xyzw"}, 0) == 1;
    const std::size_t count = is_quaternion ? 7 : 6;
    const auto numbers = read_.list_of(element->place, "<pose>", element->text, count, count);
    if (!numbers) return {};
    const std::vector<double>& n = *numbers;
    Pose pose;
    pose.position = {n[0], n[1], n[2]};
    if (is_quaternion) {
      const Quaternion turn(n[6], n[3], n[4], n[5]);
      const double size = turn.norm();
      if (!(size > 0.0) || !std::isfinite(size))
        read_.mistake(element->place, "the quaternion of <pose> has no length");
      else
        pose.rotation = turn.normalized();
    } else {
      const double unit = read_.flag(*element, "degrees", false) ? M_PI / 180.0 : 1.0;
      pose.rotation = rotation_of(unit * Vector3(n[3], n[4], n[5]));
    }
    return pose;
  }

  std::string relative_to(const XmlElement& parent, const std::string& otherwise) const {
    const XmlElement* element = parent.child("pose");
    const std::string* name = element ? element->value("relative_to") : nullptr;
    return name && !name->empty() ? *name : otherwise;
  }

  void collect_frames(const XmlElement& model) {
    for (const XmlElement& child : model.children) {
      if (child.name != "link" && child.name != "joint" && child.name != "frame") continue;
      const std::string* name = child.value("name");
      if (!name || name->empty()) {
        if (child.name == "frame") read_.name(child);
        continue;
      }
      std::string otherwise;
      if (child.name == "joint") {
        if (const XmlElement* link = child.child("child")) otherwise = link->text;
      } else if (child.name == "frame") {
        if (const std::string* link = child.value("attached_to")) otherwise = *link;
        read_.expect(child, {"name", "attached_to"}, {"pose"});
      }
      if (otherwise == "world" || otherwise == "__model__") otherwise.clear();
      Frame frame;
      frame.pose = own_pose(child);
      frame.relative_to = relative_to(child, otherwise);
      if (frame.relative_to == "__model__" || frame.relative_to == "world")
        frame.relative_to.clear();
      frame.place = child.place;
      // Twice the same name of links or joints is told later.
      if (!frames_.emplace(*name, frame).second && child.name == "frame")
        read_.mistake(child.place, fmt::format("the frame {} is defined twice", quote(*name)));
    }
  }

  // Pose of a frame in that of the model.
  Pose resolve(const std::string& name) {
    // A chain of frames may be long: no recursion.
    std::vector<Frame*> chain;
    std::string next = name;
    Pose start;
    while (!next.empty()) {
      const auto found = frames_.find(next);
      if (found == frames_.end()) {
        read_.mistake(chain.empty() ? RobotPlace{} : chain.back()->place,
                      fmt::format("there is no frame {}; accepted: {}", quote(next), known()));
        break;
      }
      Frame& frame = found->second;
      if (frame.state == 2) {
        start = frame.resolved;
        break;
      }
      if (frame.state == 1) {
        read_.mistake(frame.place, fmt::format("the pose of {} is relative to itself, by a circle "
                                               "of frames; accepted: chains that end at the model",
                                               quote(next)));
        break;
      }
      frame.state = 1;
      chain.push_back(&frame);
      next = frame.relative_to;
    }
    for (auto frame = chain.rbegin(); frame != chain.rend(); ++frame) {
      start = start * (*frame)->pose;
      (*frame)->resolved = start;
      (*frame)->state = 2;
    }
    return start;
  }

  std::string known() const {
    std::vector<std::string> names{"__model__"};
    for (const auto& [name, frame] : frames_) names.push_back(name);
    return listed_names(names);
  }

  // Pose of a part of a link, in the frame of the link.
  Pose pose_in_link(const XmlElement& element, const std::string& link) {
    const std::string frame = relative_to(element, "");
    const Pose own = own_pose(element);
    if (frame.empty() || frame == link) return own;
    const Pose outer = frame == "__model__" ? Pose{} : resolve(frame);
    return resolve(link).inverse() * outer * own;
  }

  // --- links ---

  void read_inertial(const XmlElement& element, RobotLink& link) {
    read_.expect(element, {"auto"}, {"pose", "mass", "inertia"});
    if (read_.flag(element, "auto", false))
      findings_.leave_out(element.place, "<inertial auto=\"true\">");
    RobotInertial result;
    result.place = element.place;
    result.pose = pose_in_link(element, link.name);
    result.mass = read_.child_number(element, "mass", 1.0, ElementReader::not_negative());
    result.inertia = Matrix3::Identity();
    if (const XmlElement* inertia = element.child("inertia")) {
      const auto entry = [&](const char* name, double otherwise) {
        return read_.child_number(*inertia, name, otherwise);
      };
      result.inertia << entry("ixx", 1.0), entry("ixy", 0.0), entry("ixz", 0.0), 0.0,
          entry("iyy", 1.0), entry("iyz", 0.0), 0.0, 0.0, entry("izz", 1.0);
      result.inertia = Matrix3(result.inertia.selfadjointView<Eigen::Upper>());
    } else {
      findings_.warning(element.place,
                        fmt::format("the inertial of {} has no <inertia>: 1 kg m² by "
                                    "the rules of SDF",
                                    quote(link.name)));
    }
    link.inertial = result;
  }

  bool read_geometry(const XmlElement& parent, bool is_visual, RobotGeometry& result) const {
    const XmlElement* element = parent.child("geometry");
    const char* accepted =
        "accepted: one of <box>, <cylinder>, <sphere>, <capsule>, <ellipsoid>, <mesh>";
    if (!element || element->children.size() != 1) {
      read_.mistake((element ? *element : parent).place,
                    element ? fmt::format("<geometry> has {} elements; {}",
                                          element->children.size(), accepted)
                            : fmt::format("{} has no <geometry>; {}", tag(parent), accepted));
      return false;
    }
    const XmlElement& shape = element->children[0];
    const auto positive = ElementReader::positive();
    const auto missing = [&](const char* what) {
      if (!shape.child(what))
        read_.mistake(shape.place,
                      fmt::format("{} has no <{}>; accepted: 3 numbers above 0", tag(shape), what));
      return false;
    };
    if (shape.name == "box") {
      const auto size = read_.child_vector(shape, "size", positive);
      if (!size) return missing("size");
      result.kind = RobotShapeKind::box;
      result.size = *size;
    } else if (shape.name == "cylinder" || shape.name == "capsule") {
      result.kind = shape.name == "cylinder" ? RobotShapeKind::cylinder : RobotShapeKind::capsule;
      result.size = {read_.required_child(shape, "radius", positive),
                     read_.required_child(shape, "length", positive), 0.0};
    } else if (shape.name == "sphere") {
      result.kind = RobotShapeKind::sphere;
      result.size = {read_.required_child(shape, "radius", positive), 0.0, 0.0};
    } else if (shape.name == "ellipsoid") {
      const auto size = read_.child_vector(shape, "radii", positive);
      if (!size) return missing("radii");
      result.kind = RobotShapeKind::ellipsoid;
      result.size = *size;
    } else if (shape.name == "mesh") {
      read_.expect(shape, {}, {"uri", "scale"});
      result.scale = read_.child_vector(shape, "scale").value_or(Vector3::Ones());
      if (!((result.scale.array() != 0.0).all()))
        read_.mistake(shape.place, "<scale> has 0 in it; accepted: 3 numbers that are not 0");
      const XmlElement* uri = shape.child("uri");
      if (!uri) {
        read_.mistake(shape.place, "<mesh> has no <uri>; accepted: <uri>FILE</uri>");
        return false;
      }
      return find_mesh(source_, result, uri->text, is_visual);
    } else {
      findings_.leave_out(shape.place, fmt::format("geometry {}", tag(shape)));
      return false;
    }
    return true;
  }

  void read_friction(const XmlElement& collision, RobotGeometry& shape) const {
    const XmlElement* surface = collision.child("surface");
    const XmlElement* friction = surface ? surface->child("friction") : nullptr;
    const XmlElement* ode = friction ? friction->child("ode") : nullptr;
    if (surface)
      for (const XmlElement& child : surface->children)
        if (child.name != "friction")
          findings_.leave_out(child.place, fmt::format("{} in <surface>", tag(child)));
    if (ode && ode->child("mu"))
      shape.friction = read_.child_number(*ode, "mu", 1.0, ElementReader::not_negative());
  }

  void read_shape(const XmlElement& element, RobotLink& link) {
    const bool is_visual = element.name == "visual";
    if (is_visual)
      read_.expect(element, {"name"}, {"pose", "geometry", "material"});
    else
      read_.expect(element, {"name"}, {"pose", "geometry", "surface"});
    RobotGeometry result;
    result.name = read_.name(element);
    result.place = element.place;
    result.origin = pose_in_link(element, link.name);
    if (const XmlElement* material = is_visual ? element.child("material") : nullptr)
      if (const XmlElement* diffuse = material->child("diffuse"))
        if (const auto rgba = read_.list_of(diffuse->place, "<diffuse>", diffuse->text, 3, 4))
          result.colour = {
              {(*rgba)[0], (*rgba)[1], (*rgba)[2], rgba->size() > 3 ? (*rgba)[3] : 1.0}};
    if (!is_visual) read_friction(element, result);
    if (read_geometry(element, is_visual, result))
      (is_visual ? link.visuals : link.collisions).push_back(std::move(result));
  }

  void read_link(const XmlElement& element) {
    RobotLink link;
    link.name = read_.name(element);
    link.place = element.place;
    read_.expect(element, {"name"}, {"pose", "inertial", "visual", "collision"});
    if (const XmlElement* inertial = element.child("inertial")) read_inertial(*inertial, link);
    for (const XmlElement& child : element.children)
      if (child.name == "visual" || child.name == "collision") read_shape(child, link);
    robot_.links.push_back(std::move(link));
  }

  // --- joints ---

  std::string end_of(const XmlElement& joint, const char* role) const {
    const XmlElement* element = joint.child(role);
    if (!element || element->text.empty()) {
      read_.mistake(joint.place,
                    fmt::format("<joint> has no <{}>; accepted: <{}>LINK</{}>", role, role, role));
      return "";
    }
    return element->text;
  }

  // Beyond this SDF means no limit.
  double limit(const XmlElement& parent, const char* name, double otherwise) const {
    const XmlElement* element = parent.child(name);
    if (!element) return otherwise;
    if (element->text == "inf" || element->text == "+inf") return infinity;
    if (element->text == "-inf") return -infinity;
    const double value = read_.text_number(*element);
    return value >= 1e16 ? infinity : value <= -1e16 ? -infinity : value;
  }

  Vector3 read_axis(const XmlElement& axis, const std::string& joint, const Pose& in_child,
                    const Pose& child, RobotFreedom& freedom) {
    read_.expect(
        axis, {},
        {"xyz", "limit", "dynamics", "use_parent_model_frame", "mimic", "initial_position"});
    Vector3 direction = Vector3::UnitZ();
    const XmlElement* xyz = axis.child("xyz");
    if (xyz) {
      read_.expect(*xyz, {"expressed_in"}, {});
      direction = read_.child_vector(axis, "xyz").value_or(Vector3::UnitZ());
      direction = unit_axis(direction, xyz->place, findings_);
    }
    const std::string* frame = xyz ? xyz->value("expressed_in") : nullptr;
    Pose expressed;  // in the model
    if (frame && !frame->empty())
      expressed = *frame == "__model__" ? Pose{} : resolve(*frame);
    else if (old_axes_ && read_.child_flag(axis, "use_parent_model_frame", false))
      expressed = {};
    else
      expressed = child * in_child;
    if (const XmlElement* bounds = axis.child("limit")) {
      read_.expect(*bounds, {}, {"lower", "upper", "effort", "velocity"});
      freedom.lower = limit(*bounds, "lower", -infinity);
      freedom.upper = limit(*bounds, "upper", infinity);
      // Negative ones mean none.
      const double effort = limit(*bounds, "effort", infinity);
      const double velocity = limit(*bounds, "velocity", infinity);
      freedom.effort = effort < 0.0 ? infinity : effort;
      freedom.velocity = velocity < 0.0 ? infinity : velocity;
    }
    if (const XmlElement* dynamics = axis.child("dynamics")) {
      read_.expect(*dynamics, {}, {"damping", "friction", "spring_reference", "spring_stiffness"});
      const auto not_negative = ElementReader::not_negative();
      freedom.damping = read_.child_number(*dynamics, "damping", 0.0, not_negative);
      freedom.friction = read_.child_number(*dynamics, "friction", 0.0, not_negative);
      freedom.stiffness = read_.child_number(*dynamics, "spring_stiffness", 0.0, not_negative);
      freedom.rest = read_.child_number(*dynamics, "spring_reference", 0.0);
    }
    if (axis.child("initial_position"))
      findings_.leave_out(axis.place, fmt::format("<initial_position> of {}", quote(joint)));
    return (child.rotation.conjugate() * (expressed.rotation * direction)).normalized();
  }

  void read_joint(const XmlElement& element) {
    RobotJoint joint;
    joint.name = read_.name(element);
    joint.place = element.place;
    read_.expect(
        element, {"name", "type"},
        {"pose", "parent", "child", "axis", "axis2", "screw_thread_pitch", "thread_pitch"});
    using Kind = RobotJointKind;
    constexpr Kind kinds[] = {Kind::revolute, Kind::revolute,  Kind::prismatic, Kind::fixed,
                              Kind::ball,     Kind::universal, Kind::screw};
    if (!element.attribute("type"))
      read_.mistake(element.place,
                    "<joint> has no type; accepted: revolute, continuous, prismatic, "
                    "fixed, ball, universal, screw");
    const std::size_t type = read_.choice(
        element, "type",
        {"revolute", "continuous", "prismatic", "fixed", "ball", "universal", "screw"}, 3);
    joint.kind = kinds[type];
    joint.parent = end_of(element, "parent");
    joint.child = end_of(element, "child");
    if (joint.parent.empty() || joint.child.empty()) return;
    if (joint.child == "world") {
      read_.mistake(element.place, "the child of a joint is the world; accepted: a link");
      return;
    }
    for (const std::string& link : {joint.parent, joint.child})
      if (link != "world" && frames_.count(link) == 0) {
        read_.mistake(
            element.place,
            fmt::format(
                "the joint {} names {}, which is no link; accepted: links and frames of the model",
                quote(joint.name), quote(link)));
        return;
      }
    const Pose child = resolve(joint.child);
    const Pose in_child = child.inverse() * resolve(joint.name);
    joint.anchor = in_child.position;
    joint.origin = joint.parent == "world" ? child : resolve(joint.parent).inverse() * child;
    joint.freedoms.resize(static_cast<std::size_t>(freedom_count(joint.kind)));
    const bool has_axis = joint.kind != Kind::fixed && joint.kind != Kind::ball;
    const XmlElement *axis = element.child("axis"), *axis2 = element.child("axis2");
    if (has_axis && !axis)
      read_.mistake(element.place, fmt::format("the {} joint {} has no <axis>; accepted: "
                                               "<axis><xyz>...</xyz></axis>",
                                               to_string(joint.kind), quote(joint.name)));
    if (axis && has_axis)
      joint.axis = read_axis(*axis, joint.name, in_child, child, joint.freedoms[0]);
    if (type == 1) joint.freedoms[0].lower = -infinity, joint.freedoms[0].upper = infinity;
    if (axis && freedom_count(joint.kind) == 1) read_mimic(*axis, joint);
    if (joint.kind == Kind::universal) {
      if (!axis2)
        read_.mistake(element.place, fmt::format("the universal joint {} has no <axis2>; accepted: "
                                                 "a second axis across the first",
                                                 quote(joint.name)));
      else
        joint.axis2 = read_axis(*axis2, joint.name, in_child, child, joint.freedoms[1]);
      if (axis && axis2 && !(std::abs(joint.axis.dot(joint.axis2)) < 1e-9))
        read_.mistake(element.place, "the axes of a universal joint are not at right angles");
    }
    // <screw_thread_pitch> is m per turn; <thread_pitch> is turns per m with the other sign.
    if (joint.kind == Kind::screw) read_pitch(element, joint);
    robot_.joints.push_back(std::move(joint));
  }

  void read_pitch(const XmlElement& element, RobotJoint& joint) const {
    const double metres = read_.child_number(element, "screw_thread_pitch", 0.0);
    const double turns = read_.child_number(element, "thread_pitch", 0.0);
    if (metres != 0.0)
      joint.pitch = metres / (2.0 * M_PI);
    else if (turns != 0.0)
      joint.pitch = -1.0 / (2.0 * M_PI * turns);
    else
      read_.mistake(element.place, fmt::format("the screw joint {} has no pitch; accepted: "
                                               "<screw_thread_pitch> that is not 0",
                                               quote(joint.name)));
    if (!std::isfinite(joint.pitch)) read_.mistake(element.place, "the pitch is not finite");
  }

  void read_mimic(const XmlElement& axis, RobotJoint& joint) const {
    const XmlElement* element = axis.child("mimic");
    if (!element) return;
    read_.expect(*element, {"joint", "axis"}, {"multiplier", "offset", "reference"});
    RobotMimic mimic;
    mimic.place = element->place;
    mimic.joint = read_.name(*element, "joint");
    mimic.multiplier = read_.child_number(*element, "multiplier", 1.0);
    mimic.offset = read_.child_number(*element, "offset", 0.0) -
                   mimic.multiplier * read_.child_number(*element, "reference", 0.0);
    if (!mimic.joint.empty()) joint.mimic = mimic;
  }

  // A single fixed joint to the world says where the root is; others need the world as a link.
  void settle_base(const Pose& placed, bool is_static) {
    std::vector<std::size_t> held;
    std::set<std::string> children;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      children.insert(robot_.joints[i].child);
      if (robot_.joints[i].parent == "world") held.push_back(i);
    }
    if (held.size() == 1 && robot_.joints[held[0]].kind == RobotJointKind::fixed) {
      robot_.base = placed * robot_.joints[held[0]].origin;
      robot_.joints.erase(robot_.joints.begin() + static_cast<long>(held[0]));
      return;
    }
    if (!held.empty()) {
      RobotLink world;
      world.name = "world";
      world.place = source_.root.place;
      robot_.links.insert(robot_.links.begin(), std::move(world));
      robot_.base = placed;
      return;
    }
    robot_.base_is_free = !is_static;
    for (const RobotLink& link : robot_.links) {
      if (children.count(link.name) > 0 || link.name.empty()) continue;
      robot_.base = placed * resolve(link.name);
      return;
    }
  }

  const RobotSource& source_;
  RobotDescription& robot_;
  Findings& findings_;
  ElementReader read_;
  std::map<std::string, Frame> frames_;
  bool old_axes_ = false;
};

}  // namespace

void read_sdf(const RobotSource& source) {
  SdfReader(source).read();
}

}  // namespace vinci
