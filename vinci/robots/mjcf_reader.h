// SPDX-License-Identifier: Apache-2.0
// A subset of MJCF: nested bodies, joints, geoms, default classes, position, velocity and motor
// actuators, equality constraints. Tendons and the rest are left out by name. Private to robots/.
#pragma once

#include <map>
#include <set>
#include <string>

#include "vinci/geometry/mass.h"
#include "vinci/robots/mjcf_defaults.h"

namespace vinci {

class MjcfReader {
 public:
  MjcfReader(const RobotSource& source, const XmlElement& root);

  void read();

 private:
  // mjcf_reader.cpp: assets and bodies
  void read_assets();
  void read_world();
  // `depth` of nested bodies; `inherited`: the class of the body around.
  void read_body(const XmlElement& element, const std::string& parent,
                 const std::string& inherited);
  void read_inertial(const XmlElement& element, RobotLink& link) const;
  void read_geom(const XmlElement& given, const std::string& inherited, RobotLink& link,
                 std::vector<MassProperties>& masses);
  bool read_shape(const XmlElement& element, bool is_visual, RobotGeometry& geometry) const;
  std::string fresh_name(const XmlElement& element, const char* kind, std::set<std::string>& used);

  // mjcf_joints.cpp
  void read_joints(const std::vector<XmlElement>& elements, const XmlElement& body,
                   RobotJoint& joint);
  RobotFreedom read_freedom(const XmlElement& element, bool turns) const;
  void combine(const std::vector<XmlElement>& elements, RobotJoint& joint);
  void read_actuators();
  void read_actuator(const XmlElement& given);
  void read_equalities();
  void read_equality(const XmlElement& given);
  void read_contact();

  const RobotSource& source_;
  const XmlElement& root_;  // with its includes brought in
  RobotDescription& robot_;
  Findings& findings_;
  ElementReader read_;
  MjcfSettings settings_;
  MjcfDefaults defaults_;

  struct MeshAsset {
    std::string file;
    Vector3 scale;
  };
  std::map<std::string, MeshAsset> meshes_;
  std::map<std::string, std::array<double, 4>> colours_;
  std::set<std::string> links_, joints_;
  struct Coordinate {
    std::string joint;
    int freedom;
  };
  std::map<std::string, Coordinate> coordinates_;  // joints of the file, by name
};

}  // namespace vinci
