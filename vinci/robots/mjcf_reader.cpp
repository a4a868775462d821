// SPDX-License-Identifier: Apache-2.0
// MJCF: includes, assets, bodies and geoms; joints and what drives them are in mjcf_joints.cpp.
#include "vinci/robots/mjcf_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/input_file.h"
#include "vinci/base/words.h"
#include "vinci/robots/geometry_mass.h"

namespace vinci {

namespace {

// Puts what <include file="..."/> names in its place.
class MjcfIncludes {
 public:
  explicit MjcfIncludes(const RobotSource& source) : source_(source) {}

  // False if there is too much of it.
  bool bring_in(XmlElement& element, int depth) {
    if (++count_ > max_robot_elements)
      return fail(element,
                  "the model with its includes has more "
                  "than 100000 elements");
    if (depth > max_robot_depth)
      return fail(element, fmt::format("elements nest deeper than {} levels", max_robot_depth));
    std::vector<XmlElement> children;
    for (XmlElement& child : element.children) {
      if (child.name == "include") {
        for (XmlElement& other : included(child)) children.push_back(std::move(other));
        continue;
      }
      children.push_back(std::move(child));
    }
    element.children = std::move(children);
    for (XmlElement& child : element.children)
      if (!bring_in(child, depth + 1)) return false;
    return true;
  }

 private:
  bool fail(const XmlElement& element, std::string message) {
    source_.findings.mistake(element.place, std::move(message));
    return false;
  }

  // The parts of an included file, its own includes brought in.
  std::vector<XmlElement> included(const XmlElement& element) {
    const std::string* name = element.value("file");
    if (!name) {
      fail(element, "<include> has no file; accepted: file=\"...\"");
      return {};
    }
    constexpr std::size_t most_files = 64, deepest = 16;
    const ModelFiles::Found found = source_.files.model(*name);
    std::string problem = found.problem;
    if (problem.empty() && std::find(open_.begin(), open_.end(), found.path) != open_.end())
      problem = "the file includes itself";
    if (problem.empty() && open_.size() >= deepest) problem = "includes nest too deep";
    if (problem.empty() && source_.robot.files.size() >= most_files)
      problem = "a model of more than 64 files";
    if (!problem.empty()) {
      fail(element, fmt::format("include {}: {}", quote(*name), problem));
      return {};
    }
    const int file = static_cast<int>(source_.robot.files.size());
    source_.robot.files.push_back(*name);
    XmlElement root = read_xml(read_input(found.path, max_robot_bytes), file, source_.findings);
    open_.push_back(found.path);
    std::vector<XmlElement> parts;
    for (XmlElement& child : root.children) {
      if (child.name == "include") {
        for (XmlElement& other : included(child)) parts.push_back(std::move(other));
        continue;
      }
      parts.push_back(std::move(child));
    }
    open_.pop_back();
    return parts;
  }

  const RobotSource& source_;
  std::vector<std::string> open_;
  std::size_t count_ = 0;
};

}  // namespace

MjcfReader::MjcfReader(const RobotSource& source, const XmlElement& root)
    : source_(source),
      root_(root),
      robot_(source.robot),
      findings_(source.findings),
      read_(source.findings),
      settings_(mjcf_settings(root, read_)),
      defaults_(root, read_) {}

void MjcfReader::read() {
  robot_.format = "mjcf";
  robot_.name = root_.attribute("model") ? read_.name(root_, "model") : "robot";
  read_.expect(root_, {"model"},
               {"compiler", "default", "asset", "worldbody", "actuator", "equality", "contact"});
  read_assets();
  read_world();
  read_actuators();
  read_equalities();
  read_contact();
}

void MjcfReader::read_assets() {
  for (const XmlElement& assets : root_.children) {
    if (assets.name != "asset") continue;
    read_.expect(assets, {}, {"mesh", "material"});
    for (const XmlElement& given : assets.children) {
      if (given.name == "mesh") {
        const XmlElement element = defaults_.complete(given, "");
        read_.expect(element, {"name", "class", "file", "scale"}, {});
        const std::string* file = element.value("file");
        if (!file) {
          findings_.leave_out(element.place, "<mesh> without file");
          continue;
        }
        std::string name = read_.optional_name(element);
        if (name.empty()) name = std::filesystem::path(*file).stem().string();
        const Vector3 scale = read_.vector(element, "scale", Vector3::Ones());
        if (!((scale.array() != 0.0).all()))
          read_.mistake(element.place,
                        "scale of <mesh> has 0 in it; accepted: 3 numbers that are "
                        "not 0");
        if (!meshes_.emplace(name, MeshAsset{*file, scale}).second)
          read_.mistake(element.place, fmt::format("the mesh {} is defined twice", quote(name)));
      } else if (given.name == "material") {
        const XmlElement element = defaults_.complete(given, "");
        const auto rgba = read_.list(element, "rgba", 4, 4);
        if (rgba) colours_[read_.name(element)] = {(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]};
      }
    }
  }
}

std::string MjcfReader::fresh_name(const XmlElement& element, const char* kind,
                                   std::set<std::string>& used) {
  std::string name = read_.optional_name(element);
  if (name.empty())
    for (std::size_t i = used.size() + 1;; ++i)
      if (name = fmt::format("{}{}", kind, i); used.count(name) == 0) break;
  used.insert(name);
  return name;
}

void MjcfReader::read_world() {
  std::vector<const XmlElement*> bodies, geoms;
  RobotPlace place = root_.place;
  std::string inherited;
  for (const XmlElement& world : root_.children) {
    if (world.name != "worldbody") continue;
    place = world.place;
    read_.expect(world, {"name", "childclass"}, {"body", "geom"});
    if (const std::string* value = world.value("childclass")) inherited = *value;
    defaults_.check_class(world, "childclass");
    for (const XmlElement& child : world.children) {
      if (child.name == "body") bodies.push_back(&child);
      if (child.name == "geom") geoms.push_back(&child);
    }
  }
  if (bodies.empty()) {
    read_.mistake(place, "there is no body; accepted: <worldbody> with <body> in it");
    return;
  }
  // Constraints may hold the world.
  bool is_held = false;
  for (const XmlElement& section : root_.children)
    if (section.name == "equality")
      for (const XmlElement& child : section.children)
        is_held |= (child.name == "connect" || child.name == "weld") &&
                   (!child.attribute("body2") || *child.value("body2") == "world");
  // One body alone is the root itself; else the world is.
  std::vector<const XmlElement*> joints;
  for (const XmlElement& child : bodies[0]->children)
    if (child.name == "joint" || child.name == "freejoint") joints.push_back(&child);
  const bool is_free = joints.size() == 1 &&
                       (joints[0]->name == "freejoint" || (joints[0]->value("type") != nullptr &&
                                                           *joints[0]->value("type") == "free"));
  if (bodies.size() == 1 && geoms.empty() && !is_held && (joints.empty() || is_free)) {
    robot_.base = mjcf_pose(*bodies[0], settings_, read_);
    robot_.base_is_free = is_free;
    read_body(*bodies[0], "", inherited);
    return;
  }
  RobotLink world;
  world.name = "world";
  world.place = place;
  links_.insert("world");
  std::vector<MassProperties> nothing;
  for (const XmlElement* geom : geoms) read_geom(*geom, inherited, world, nothing);
  robot_.links.push_back(std::move(world));
  for (const XmlElement* body : bodies) read_body(*body, "world", inherited);
}

void MjcfReader::read_body(const XmlElement& element, const std::string& parent,
                           const std::string& inherited) {
  read_.expect(element,
               {"name", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "childclass"},
               {"inertial", "joint", "freejoint", "geom", "body"});
  defaults_.check_class(element, "childclass");
  const std::string* own = element.value("childclass");
  const std::string& within = own ? *own : inherited;
  RobotLink link;
  link.place = element.place;
  link.name = fresh_name(element, "body", links_);
  std::vector<MassProperties> masses;
  std::vector<XmlElement> joints;
  const XmlElement* inertial = nullptr;
  for (const XmlElement& child : element.children) {
    if (child.name == "joint" || child.name == "freejoint")
      joints.push_back(defaults_.complete(child, within));
    if (child.name == "geom") read_geom(child, within, link, masses);
    if (child.name != "inertial") continue;
    if (inertial) read_.mistake(child.place, "<body> has a second <inertial>; accepted: one");
    inertial = &child;
  }
  using Inertia = MjcfSettings::Inertia;
  if (inertial && settings_.from_geoms != Inertia::always) {
    read_inertial(*inertial, link);
  } else if (settings_.from_geoms != Inertia::never && !masses.empty()) {
    const MassProperties sum = combined(masses);
    link.inertial =
        RobotInertial{sum.mass, {sum.center, Quaternion::Identity()}, sum.inertia, element.place};
  }
  const std::string name = link.name;
  robot_.links.push_back(std::move(link));
  if (!parent.empty()) {
    RobotJoint joint;
    joint.parent = parent;
    joint.child = name;
    joint.place = element.place;
    joint.origin = mjcf_pose(element, settings_, read_);
    read_joints(joints, element, joint);
    robot_.joints.push_back(std::move(joint));
  }
  if (robot_.links.size() > max_robot_links) return;
  for (const XmlElement& child : element.children)
    if (child.name == "body") read_body(child, name, within);
}

void MjcfReader::read_inertial(const XmlElement& element, RobotLink& link) const {
  read_.expect(element,
               {"pos", "mass", "diaginertia", "fullinertia", "quat", "axisangle", "xyaxes", "zaxis",
                "euler"},
               {});
  RobotInertial result;
  result.place = element.place;
  result.pose = mjcf_pose(element, settings_, read_);
  result.mass = read_.required(element, "mass", ElementReader::not_negative());
  if (!element.attribute("pos"))
    read_.mistake(element.place, "<inertial> has no pos; accepted: 3 finite numbers");
  const auto full = read_.list(element, "fullinertia", 6, 6);
  const auto diagonal = read_.list(element, "diaginertia", 3, 3);
  if (full) {
    const std::vector<double>& m = *full;
    result.inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  } else if (diagonal) {
    result.inertia.diagonal() << (*diagonal)[0], (*diagonal)[1], (*diagonal)[2];
  } else if (!element.attribute("fullinertia") && !element.attribute("diaginertia")) {
    read_.mistake(element.place, "<inertial> has no inertia; accepted: diaginertia or fullinertia");
  }
  if (full && diagonal)
    read_.mistake(element.place, "<inertial> has diaginertia and fullinertia; accepted: one");
  link.inertial = result;
}

bool MjcfReader::read_shape(const XmlElement& element, bool is_visual,
                            RobotGeometry& geometry) const {
  constexpr std::string_view names[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid",
                                        "mesh",   "plane",   "hfield",   "sdf"};
  const std::size_t type = read_.choice(
      element, "type",
      {names[0], names[1], names[2], names[3], names[4], names[5], names[6], names[7], names[8]},
      element.attribute("mesh") ? 5 : 0);
  if (type > 5) {
    findings_.leave_out(element.place, fmt::format("geom of the type {}", names[type]));
    return false;
  }
  if (type == 5) {
    const std::string name = read_.name(element, "mesh");
    const auto mesh = meshes_.find(name);
    if (mesh == meshes_.end()) {
      std::vector<std::string> known;
      for (const auto& [other, asset] : meshes_) known.push_back(other);
      if (!name.empty())
        read_.mistake(element.place, fmt::format("there is no mesh {}; accepted: {}", quote(name),
                                                 listed_names(known)));
      return false;
    }
    geometry.scale = mesh->second.scale;
    return find_mesh(source_, geometry, mesh->second.file, is_visual, settings_.mesh_folder);
  }
  using Kind = RobotShapeKind;
  constexpr Kind kinds[] = {Kind::sphere, Kind::capsule, Kind::cylinder, Kind::box,
                            Kind::ellipsoid};
  geometry.kind = kinds[type];
  const bool has_ends = element.attribute("fromto") != nullptr;
  const std::size_t wanted = type == 0 ? 1 : has_ends ? 1 : type < 3 ? 2 : 3;
  const auto numbers = read_.list(element, "size", wanted, 3);
  if (!numbers) {
    if (!element.attribute("size"))
      read_.mistake(element.place,
                    fmt::format("the {} has no size; accepted: {} above 0", names[type],
                                plural(static_cast<std::int64_t>(wanted), "number")));
    return false;
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if ((*numbers)[i] > 0.0) continue;
    read_.mistake(element.place, fmt::format("size of <geom> has {:.6g} in it; accepted: each a "
                                             "number above 0",
                                             (*numbers)[i]));
    return false;
  }
  Vector3 half((*numbers)[0], wanted > 1 ? (*numbers)[1] : 0.0, wanted > 2 ? (*numbers)[2] : 0.0);
  if (has_ends) {
    const auto ends = read_.list(element, "fromto", 6, 6);
    if (!ends) return false;
    const Vector3 from((*ends)[0], (*ends)[1], (*ends)[2]), to((*ends)[3], (*ends)[4], (*ends)[5]);
    const Vector3 line = to - from;
    if (type == 0 || !(line.norm() > 0.0) || !line.allFinite()) {
      read_.mistake(element.place,
                    "fromto of <geom> has no length, or is that of a sphere; "
                    "accepted: two points of a capsule, cylinder, box or ellipsoid");
      return false;
    }
    geometry.origin.position = 0.5 * (from + to);
    geometry.origin.rotation = Quaternion::FromTwoVectors(Vector3::UnitZ(), line).normalized();
    half = type < 3 ? Vector3(half[0], 0.5 * line.norm(), 0.0)
                    : Vector3(half[0], half[0], 0.5 * line.norm());
  }
  if (type == 1 || type == 2) half[1] *= 2.0;
  geometry.size = type == 3 ? Vector3(2.0 * half) : half;
  return true;
}

void MjcfReader::read_geom(const XmlElement& given, const std::string& inherited, RobotLink& link,
                           std::vector<MassProperties>& masses) {
  const XmlElement element = defaults_.complete(given, inherited);
  read_.expect(element,
               {"name",      "class",    "type",     "size",    "fromto",      "pos",     "quat",
                "axisangle", "xyaxes",   "zaxis",    "euler",   "mass",        "density", "mesh",
                "rgba",      "material", "friction", "contype", "conaffinity", "group"},
               {});
  RobotGeometry geometry;
  geometry.name = read_.optional_name(element);
  geometry.place = given.place;
  geometry.origin = mjcf_pose(element, settings_, read_);
  const double kind = read_.number(element, "contype", 1.0);
  const double affinity = read_.number(element, "conaffinity", 1.0);
  const bool is_visual = kind == 0.0 && affinity == 0.0;
  if (!is_visual && (kind != 1.0 || affinity != 1.0))
    findings_.leave_out(element.place, "contype and conaffinity other than 0 and 1");
  const double density = read_.number(element, "density", 1000.0, ElementReader::not_negative());
  const double mass = read_.number(element, "mass", -1.0, ElementReader::not_negative());
  if (const auto rgba = read_.list(element, "rgba", 4, 4))
    geometry.colour = {{(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]}};
  else if (const std::string* material = element.value("material"))
    if (const auto found = colours_.find(*material); found != colours_.end())
      geometry.colour = found->second;
  if (const auto friction = read_.list(element, "friction", 1, 3)) {
    if (!((*friction)[0] >= 0.0))
      read_.mistake(element.place, fmt::format("friction of <geom> is {:.6g}; accepted: 0 or a "
                                               "number above it",
                                               (*friction)[0]));
    else
      geometry.friction = (*friction)[0];
    if (friction->size() > 1)
      findings_.leave_out(element.place, "torsional and rolling friction of <geom>");
  }
  if (!read_shape(element, is_visual, geometry)) return;
  if (settings_.from_geoms != MjcfSettings::Inertia::never &&
      (mass >= 0.0 ? mass : density) > 0.0 &&
      !(geometry.kind == RobotShapeKind::mesh && source_.files.is_text())) {
    try {
      MassProperties part = mass_of(geometry, mass > 0.0 ? 1.0 : density);
      if (mass > 0.0) {
        part.inertia *= mass / part.mass;
        part.mass = mass;
      }
      masses.push_back(part);
    } catch (const Error& error) {
      read_.mistake(geometry.place, fmt::format("the mass of this geom: {}", error.what()));
    }
  }
  (is_visual ? link.visuals : link.collisions).push_back(std::move(geometry));
}

void read_mjcf(const RobotSource& source) {
  XmlElement root = source.root;
  if (!MjcfIncludes(source).bring_in(root, 1)) return;
  MjcfReader(source, root).read();
}

}  // namespace vinci
