// SPDX-License-Identifier: Apache-2.0
// The three readers: from the tree of a document to the parts of a robot; and the checks that
// follow all of them. Private to robots/.
#pragma once

#include "vinci/robots/findings.h"
#include "vinci/robots/model_files.h"

namespace vinci {

// What a reader works with.
struct RobotSource {
  const XmlElement& root;
  const ModelFiles& files;
  RobotDescription& robot;
  Findings& findings;
};

void read_urdf(const RobotSource& source);
void read_mjcf(const RobotSource& source);
void read_sdf(const RobotSource& source);

// Mesh files of a geometry. A visual that cannot be read is left out; false then.
bool find_mesh(const RobotSource& source, RobotGeometry& geometry, const std::string& name,
               bool is_visual, const std::string& folder = "");

// Makes an axis a unit vector; one without length is a mistake.
Vector3 unit_axis(const Vector3& axis, const RobotPlace& place, Findings& findings);

// Names, the tree, couplings, limits, masses; brings links in order. Mistakes go to the findings.
void check_robot(RobotDescription& robot, Findings& findings);

}  // namespace vinci
