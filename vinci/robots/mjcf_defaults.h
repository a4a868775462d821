// SPDX-License-Identifier: Apache-2.0
// Default classes and the compiler's settings of MJCF, and poses as these settings mean them.
// Private to robots/.
#pragma once

#include <map>
#include <string>

#include "vinci/robots/readers.h"

namespace vinci {

// What stands in <compiler>.
struct MjcfSettings {
  bool degrees = true;
  std::string euler_sequence = "xyz";  // capitals: about axes that stay
  bool automatic_limits = true;
  std::string mesh_folder;
  enum class Inertia { never, always, if_missing } from_geoms = Inertia::if_missing;

  double angle(double value) const { return degrees ? value * (M_PI / 180.0) : value; }
};

MjcfSettings mjcf_settings(const XmlElement& root, const ElementReader& read);

// Turns of pos, quat, axisangle, xyaxes, zaxis and euler.
Pose mjcf_pose(const XmlElement& element, const MjcfSettings& settings, const ElementReader& read);

class MjcfDefaults {
 public:
  // Reads all <default> of the document.
  MjcfDefaults(const XmlElement& root, const ElementReader& read);

  // The element with what its class gives it; `inherited` is the class of the body around it.
  XmlElement complete(const XmlElement& element, const std::string& inherited) const;
  // Tells of a class that there is none of.
  void check_class(const XmlElement& element, const char* attribute) const;

 private:
  using Class = std::map<std::string, XmlElement>;  // by the name of the element

  void read_class(const XmlElement& element, const Class& outer, bool is_first);

  const ElementReader& read_;
  std::map<std::string, Class> classes_;
};

}  // namespace vinci
