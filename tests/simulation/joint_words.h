// SPDX-License-Identifier: Apache-2.0
// Words of scenes with joints that differ in the plane and in space, where it is that of x and y.
#pragma once

#include <string>

#include "tests/support/runs.h"

namespace vinci::test {

struct JointWords {
  bool planar;
  const char* coordinates;

  std::string at(double x, double y) const {
    return fmt::format("[{:.17g}, {:.17g}{}]", x, y, planar ? "" : ", 0");
  }
  // `more` begins with a comma.
  std::string body(double mass, double inertia, const std::string& more = "") const {
    const std::string about = planar ? fmt::format("{:.17g}", inertia)
                                     : fmt::format("[{0:.17g}, {0:.17g}, {0:.17g}]", inertia);
    return fmt::format("{{mass: {:.17g}, inertia: {}, center: {}{}}}", mass, about, at(0, 0), more);
  }
  std::string ball(double radius, double x, double y) const {
    return fmt::format("{{{}: {:.17g}, position: {}, material: m}}", planar ? "circle" : "sphere",
                       radius, at(x, y));
  }
  // A fixed body whose surface goes through the point (x, y).
  std::string wall(double x, double y, double normal_x, double normal_y,
                   const std::string& material = "m") const {
    return fmt::format(
        "{{freedom: fixed, shapes: [{{{}: {{point: {}, normal: {}}}, material: {}}}]}}",
        planar ? "half-plane" : "half-space", at(x, y), at(normal_x, normal_y), material);
  }
};

inline double joint_coordinate(const Simulation& s, std::size_t joint) {
  return s.state().joint_positions[s.model().joints[joint].first_coordinate];
}
inline double joint_rate(const Simulation& s, std::size_t joint) {
  return s.state().joint_rates[s.model().joints[joint].first_rate];
}
inline double total_energy_of(const Simulation& s) {
  return energy(s.model(), s.state()).total();
}

}  // namespace vinci::test
