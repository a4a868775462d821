// SPDX-License-Identifier: Apache-2.0
// Fuzz target of mesh files, OBJ or STL by the first byte: any bytes give points whose hull is
// closed or flat, and a surface of triangles with a nearest point, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/scratch_file.h"
#include "vinci/base/error.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/triangle_mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const vinci::ScratchFile wavefront(".obj"), stereo(".stl");
  if (size == 0) return 0;
  const vinci::ScratchFile& file = data[0] % 2 == 0 ? wavefront : stereo;
  file.write({reinterpret_cast<const char*>(data) + 1, size - 1});
  try {
    const vinci::Polyhedron hull = vinci::convex_hull(vinci::read_mesh_points(file.path()));
    if (hull.vertices.size() + hull.faces.size() != hull.edges.size() + 2) std::abort();
  } catch (const vinci::Error& error) {
    if (error.message().empty()) std::abort();
  }
  try {
    const vinci::Mesh mesh = vinci::make_mesh(vinci::read_mesh_triangles(file.path()));
    if (mesh.surface->closed && !(mesh.surface->volume > 0.0)) std::abort();
    const vinci::MeshFoot foot = nearest_point(*mesh.surface, vinci::Vector3::Zero());
    if (foot.triangle < 0) std::abort();
  } catch (const vinci::Error& error) {
    if (error.message().empty()) std::abort();
  }
  return 0;
}
