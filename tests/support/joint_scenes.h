// SPDX-License-Identifier: Apache-2.0
// Scenes of joints that read the same in the plane and in space, in reduced and in maximal
// coordinates.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/runs.h"

namespace vinci::test {

struct Way {
  const char* name;
  bool planar;
  const char* coordinates;
};

// The words of a scene that differ in the plane and in space, where it is that of x and y.
struct Words {
  Way way;

  std::string at(double x, double y) const {
    return fmt::format("[{:.17g}, {:.17g}{}]", x, y, way.planar ? "" : ", 0");
  }
  // A body without a shape.
  std::string body(double mass, double inertia, const std::string& more = "") const {
    const std::string about = way.planar ? fmt::format("{:.17g}", inertia)
                                         : fmt::format("[{0:.17g}, {0:.17g}, {0:.17g}]", inertia);
    return fmt::format("{{mass: {:.17g}, inertia: {}{}}}", mass, about, more);
  }
  std::string rod(double mass, double length, const std::string& more = "") const {
    return body(mass, mass * length * length / 12.0, more);
  }
  std::string scene(const std::string& bodies, const std::string& joints, double step,
                    double duration, const std::string& couplings = "",
                    bool weightless = false) const {
    return fmt::format(
        "world: {}\ngravity: {}\nbodies: {{{}}}\njoints: {{{}}}\n{}run: {{step: {:.17g}, duration: "
        "{:.17g}, coordinates: {}}}\n",
        way.planar ? "planar" : "spatial", at(0.0, weightless ? 0.0 : -9.81), bodies, joints,
        couplings.empty() ? "" : "couplings: {" + couplings + "}\n", step, duration,
        way.coordinates);
  }
};

inline double coordinate(const Simulation& simulation, const char* name) {
  for (const Joint& joint : simulation.model().joints)
    if (joint.name == name) return simulation.state().joint_positions[joint.first_coordinate];
  ADD_FAILURE() << name;
  return 0.0;
}
inline double rate(const Simulation& simulation, const char* name) {
  for (const Joint& joint : simulation.model().joints)
    if (joint.name == name) return simulation.state().joint_rates[joint.first_rate];
  ADD_FAILURE() << name;
  return 0.0;
}

inline void step_to(Simulation& simulation, double time) {
  while (simulation.state().time < time - 1e-9) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
  }
}

// Of the lengths and angles of a reference case.
inline std::string four_bar(const Words& words, const nlohmann::json& c, double h, double duration,
                            const std::string& friction) {
  const double ground = c["ground"], crank = c["crank"], coupler = c["coupler"],
               rocker = c["rocker"],
               density = c.contains("linear_density") ? c["linear_density"].get<double>() : 1.0;
  const auto rod = [&](double length) { return words.rod(density * length, length); };
  // The coupler's and the rocker's coordinates are found where the scene is read.
  return words.scene(
      fmt::format("crank: {}, coupler: {}, rocker: {}", rod(crank), rod(coupler), rod(rocker)),
      fmt::format("a: {{revolute: [world, crank], at: [{}, {}], position: {:.17g}}}, "
                  "b: {{revolute: [crank, coupler], at: [{}, {}]}}, "
                  "d: {{revolute: [world, rocker], at: [{}, {}]{}}}, "
                  "c: {{revolute: [coupler, rocker], at: [{}, {}]}}",
                  words.at(0, 0), words.at(-crank / 2, 0), c["phi0"].get<double>(),
                  words.at(crank / 2, 0), words.at(-coupler / 2, 0), words.at(ground, 0),
                  words.at(-rocker / 2, 0), friction, words.at(coupler / 2, 0),
                  words.at(rocker / 2, 0)),
      h, duration);
}

inline const std::vector<Way>& all_ways() {
  static const std::vector<Way> ways = {{"planar_reduced", true, "reduced"},
                                        {"planar_maximal", true, "maximal"},
                                        {"spatial_reduced", false, "reduced"},
                                        {"spatial_maximal", false, "maximal"}};
  return ways;
}
inline std::string name_of_way(const testing::TestParamInfo<Way>& tested) {
  return tested.param.name;
}

}  // namespace vinci::test
