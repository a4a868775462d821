// SPDX-License-Identifier: Apache-2.0
// Look-ups in the compiled scene.
#include "vinci/model/model.h"

#include <algorithm>

namespace vinci {

const char* to_string(World world) {
  return world == World::planar ? "planar" : "spatial";
}

const char* to_string(Freedom freedom) {
  constexpr const char* names[] = {"fixed", "planar", "spatial"};
  return names[static_cast<int>(freedom)];
}

std::optional<Freedom> freedom_named(const std::string& name) {
  for (const Freedom freedom : {Freedom::fixed, Freedom::planar, Freedom::spatial})
    if (name == to_string(freedom)) return freedom;
  return std::nullopt;
}

int velocity_entries(Freedom freedom) {
  return freedom == Freedom::fixed ? 0 : freedom == Freedom::planar ? 3 : 6;
}

const char* coordinate_name(Freedom freedom, int coordinate) {
  constexpr const char* names[coordinate_count] = {"x", "y", "z", "roll", "pitch", "yaw"};
  return freedom == Freedom::planar && coordinate == 5 ? "angle" : names[coordinate];
}

bool Body::is_prescribed() const {
  return std::any_of(drives.begin(), drives.end(),
                     [](const Drive& drive) { return drive.prescribed; });
}

bool Model::is_moved(int b) const {
  const Body& body = bodies[static_cast<std::size_t>(b)];
  for (int i = 0; i < body.velocity_size; ++i)
    if (free_index[static_cast<std::size_t>(body.velocity_offset + i)] >= 0) return true;
  return !tree_joint.empty() && tree_joint[static_cast<std::size_t>(b)] >= 0;
}

int Model::find_body(const std::string& name) const {
  const auto found = std::find_if(bodies.begin(), bodies.end(),
                                  [&](const Body& body) { return body.name == name; });
  return found == bodies.end() ? -1 : static_cast<int>(found - bodies.begin());
}

}  // namespace vinci
