// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/mjcf_defaults.h"

#include <fmt/format.h>

namespace vinci {

MjcfSettings mjcf_settings(const XmlElement& root, const ElementReader& read) {
  MjcfSettings settings;
  for (const XmlElement& element : root.children) {
    if (element.name != "compiler") continue;
    read.expect(element,
                {"angle", "eulerseq", "autolimits", "meshdir", "assetdir", "inertiafromgeom",
                 "coordinate", "texturedir", "strippath"},
                {});
    settings.degrees =
        read.choice(element, "angle", {"degree", "radian"}, settings.degrees ? 0 : 1) == 0;
    if (read.choice(element, "coordinate", {"local"}, 0) != 0) continue;
    if (const XmlAttribute* sequence = element.attribute("eulerseq")) {
      if (sequence->value.size() == 3 &&
          sequence->value.find_first_not_of("xyzXYZ") == std::string::npos)
        settings.euler_sequence = sequence->value;
      else
        read.mistake(
            place_of(element, *sequence),
            fmt::format("eulerseq of <compiler> is {}; accepted: three of x, y, z, X, Y, Z",
                        quote(sequence->value)));
    }
    settings.automatic_limits = read.flag(element, "autolimits", settings.automatic_limits);
    for (const char* folder : {"assetdir", "meshdir"})
      if (const std::string* value = element.value(folder)) settings.mesh_folder = *value;
    using Inertia = MjcfSettings::Inertia;
    constexpr Inertia choices[] = {Inertia::never, Inertia::always, Inertia::if_missing};
    settings.from_geoms = choices[read.choice(element, "inertiafromgeom", {"false", "true", "auto"},
                                              static_cast<std::size_t>(settings.from_geoms))];
  }
  return settings;
}

namespace {

Quaternion about_axis(const Vector3& axis, double angle) {
  const double s = std::sin(0.5 * angle);
  return {std::cos(0.5 * angle), s * axis.x(), s * axis.y(), s * axis.z()};
}

Vector3 axis_of_letter(char letter) {
  return letter == 'x' || letter == 'X'   ? Vector3(Vector3::UnitX())
         : letter == 'y' || letter == 'Y' ? Vector3(Vector3::UnitY())
                                          : Vector3(Vector3::UnitZ());
}

Quaternion euler_rotation(const std::vector<double>& angles, const MjcfSettings& settings) {
  Quaternion result = Quaternion::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = settings.euler_sequence[i];
    const Quaternion turn = about_axis(axis_of_letter(letter), settings.angle(angles[i]));
    result = letter >= 'a' ? result * turn : turn * result;
  }
  return result.normalized();
}

// The turn that carries z to the direction, by the shortest way.
Quaternion towards(const Vector3& direction) {
  return Quaternion::FromTwoVectors(Vector3::UnitZ(), direction).normalized();
}

}  // namespace

Pose mjcf_pose(const XmlElement& element, const MjcfSettings& settings, const ElementReader& read) {
  Pose pose;
  pose.position = read.vector(element, "pos", Vector3::Zero());
  int given = 0;
  for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"})
    given += element.attribute(name) ? 1 : 0;
  if (given > 1) {
    read.mistake(element.place, fmt::format("{} is turned in {} ways; accepted: one of quat, "
                                            "axisangle, xyaxes, zaxis, euler",
                                            tag(element), given));
    return pose;
  }
  const auto unit = [&](const Vector3& v) { return unit_axis(v, element.place, read.findings()); };
  const auto three = [](const std::vector<double>& v, std::size_t first) {
    return Vector3(v[first], v[first + 1], v[first + 2]);
  };
  if (const auto q = read.list(element, "quat", 4, 4)) {
    const double size =
        std::max({std::abs((*q)[0]), std::abs((*q)[1]), std::abs((*q)[2]), std::abs((*q)[3])});
    if (!(size > 0.0))
      read.mistake(element.place, fmt::format("quat of {} has no length; accepted: 4 numbers that "
                                              "are not all 0",
                                              tag(element)));
    else
      pose.rotation =
          Quaternion((*q)[0] / size, (*q)[1] / size, (*q)[2] / size, (*q)[3] / size).normalized();
  } else if (const auto a = read.list(element, "axisangle", 4, 4)) {
    pose.rotation = about_axis(unit(three(*a, 0)), settings.angle((*a)[3]));
  } else if (const auto xy = read.list(element, "xyaxes", 6, 6)) {
    const Vector3 x = unit(three(*xy, 0)), y = unit(three(*xy, 3)), z = x.cross(y);
    if (!(z.norm() > 1e-8)) {
      read.mistake(element.place, fmt::format("the axes of xyaxes of {} are parallel; accepted: "
                                              "two directions",
                                              tag(element)));
    } else {
      Matrix3 axes;
      axes.col(0) = x;
      axes.col(2) = z.normalized();
      axes.col(1) = axes.col(2).cross(x);
      pose.rotation = Quaternion(axes).normalized();
    }
  } else if (const auto z = read.list(element, "zaxis", 3, 3)) {
    pose.rotation = towards(unit(three(*z, 0)));
  } else if (const auto e = read.list(element, "euler", 3, 3)) {
    pose.rotation = euler_rotation(*e, settings);
  }
  return pose;
}

MjcfDefaults::MjcfDefaults(const XmlElement& root, const ElementReader& read) : read_(read) {
  classes_["main"];
  for (const XmlElement& element : root.children)
    if (element.name == "default") read_class(element, classes_["main"], true);
}

void MjcfDefaults::read_class(const XmlElement& element, const Class& outer, bool is_first) {
  std::string name = read_.optional_name(element, "class");
  if (name.empty()) name = is_first ? "main" : "";
  if (name.empty() && element.attribute("class") == nullptr)
    read_.mistake(element.place,
                  "a <default> inside another has no class; accepted: class=\"...\"");
  Class result = outer;
  for (const XmlElement& child : element.children) {
    if (child.name == "default") continue;
    XmlElement& known = result[child.name];
    known.name = child.name;
    for (const XmlAttribute& attribute : child.attributes) {
      bool found = false;
      for (XmlAttribute& old : known.attributes) {
        if (old.name != attribute.name) continue;
        old = attribute;
        found = true;
      }
      if (!found) known.attributes.push_back(attribute);
    }
  }
  if (classes_.size() > 256) {
    read_.mistake(element.place, "more than 256 default classes");
    return;
  }
  if (!is_first && classes_.count(name) > 0)
    read_.mistake(element.place, fmt::format("the class {} is defined twice", quote(name)));
  classes_[name] = result;
  for (const XmlElement& child : element.children)
    if (child.name == "default") read_class(child, result, false);
}

void MjcfDefaults::check_class(const XmlElement& element, const char* attribute) const {
  const XmlAttribute* name = element.attribute(attribute);
  if (!name || classes_.count(name->value) > 0) return;
  std::vector<std::string> known;
  for (const auto& [other, content] : classes_) known.push_back(other);
  read_.mistake(place_of(element, *name), fmt::format("there is no class {}; accepted: {}",
                                                      quote(name->value), listed_names(known)));
}

XmlElement MjcfDefaults::complete(const XmlElement& element, const std::string& inherited) const {
  check_class(element, "class");
  const std::string* own = element.value("class");
  auto found = classes_.find(own ? *own : inherited.empty() ? "main" : inherited);
  if (found == classes_.end()) found = classes_.find("main");
  const auto defaults = found->second.find(element.name);
  if (defaults == found->second.end()) return element;
  XmlElement result = element;
  // How something is turned is one choice, whichever attribute says it.
  const auto turns = [](const std::string& name) {
    return name == "quat" || name == "axisangle" || name == "xyaxes" || name == "zaxis" ||
           name == "euler";
  };
  bool is_turned = false;
  for (const XmlAttribute& attribute : element.attributes) is_turned |= turns(attribute.name);
  for (XmlAttribute attribute : defaults->second.attributes) {
    if (element.attribute(attribute.name) || (is_turned && turns(attribute.name))) continue;
    attribute.line = element.place.line;
    result.attributes.push_back(std::move(attribute));
  }
  return result;
}

}  // namespace vinci
