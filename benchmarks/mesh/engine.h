// SPDX-License-Identifier: Apache-2.0
// What the benchmark of meshes asks of an engine, and what it gives: bodies of triangles about
// their own origins, planes, gravity along −z. Peers have one file each, compiled where the peer is
// installed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/geometry/mass.h"
#include "vinci/geometry/triangle_mesh.h"

namespace vinci {

struct MeshLayout {
  struct Part {
    Mesh mesh;
    Pose pose;
    bool fixed = false;
  };
  struct Plane {
    Vector3 point, normal;
  };
  std::string name;
  std::vector<Part> parts;
  std::vector<Plane> planes;
  double friction = 0.3, density = 2000.0, step = 1e-3;  // density in kg/m³, step in s
};

class MeshEngine {
 public:
  virtual ~MeshEngine() = default;
  virtual std::string name() const = 0;
  virtual void step() = 0;  // nothing else is timed
  // Of the frames in which the meshes are given, in the order of the parts.
  virtual void poses(std::vector<Pose>& poses) const = 0;
  virtual int contacts() const = 0;
  // Relative residual of the last step by our judge; negative for engines that have no such thing.
  virtual double residual() const { return -1.0; }
};

std::unique_ptr<MeshEngine> make_mesh_bullet(const MeshLayout& layout);
std::unique_ptr<MeshEngine> make_mesh_mujoco(const MeshLayout& layout);

}  // namespace vinci
