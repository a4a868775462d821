// SPDX-License-Identifier: Apache-2.0
// Small helpers to run scenes given as text.
#pragma once

#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci::test {

// A simulation of the scene text; every {name} of the text has been formatted by the caller.
inline Simulation simulate(const std::string& yaml, const RunOverrides& overrides = {}) {
  return Simulation(Scene::parse(yaml), overrides);
}

inline RunOverrides chosen(const std::map<std::string, std::string>& options) {
  RunOverrides overrides;
  overrides.options = options;
  return overrides;
}

// Runs to the end and asserts that every step was solved to what the run accepts.
inline void run_exactly(Simulation& simulation) {
  const double accept = simulation.options().real("accept");
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, accept) << "step " << simulation.state().step;
  }
  ASSERT_FALSE(simulation.diverged());
}

inline int body(const Simulation& simulation, const std::string& name) {
  return simulation.model().find_body(name);
}
inline Vector3 position(const Simulation& simulation, const std::string& name) {
  return simulation.state().poses[body(simulation, name)].position;
}
inline Twist twist(const Simulation& simulation, const std::string& name) {
  return body_twist(simulation.model(), simulation.state().velocities, body(simulation, name));
}

// Frictionless-to-rotation particle: a small ball whose rotation is prescribed to stay 0, resting
// at height `gap` over the floor; world and velocity as given.
struct ParticleScene {
  bool planar = true;
  double mass = 1.0, friction = 0.3, restitution = 0.0, gap = 0.0;
  Vector3 velocity = Vector3::Zero();  // spatial scenes use x, y, z; planar ones x and z (z is up)
  std::string run = "{step: 1 ms, duration: 1}";

  std::string yaml() const {
    const double r = 0.0078125;  // representable, so that a gap of 0 is exactly 0
    if (planar)
      return fmt::format(R"(
world: planar
materials: {{m: {{friction: {}, restitution: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  particle:
    shapes: [{{circle: {}, material: m}}]
    mass: {}
    position: [0, {}]
    velocity: [{}, {}]
    motion: {{angle: 0}}
run: {}
)",
                         friction, restitution, r, mass, r + gap, velocity.x(), velocity.z(), run);
    return fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}, restitution: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  particle:
    shapes: [{{sphere: {}, material: m}}]
    mass: {}
    position: [0, 0, {}]
    velocity: [{}, {}, {}]
    motion: {{roll: 0, pitch: 0, yaw: 0}}
run: {}
)",
                       friction, restitution, r, mass, r + gap, velocity.x(), velocity.y(),
                       velocity.z(), run);
  }
  // Height of the particle's lowest point, and its upward velocity.
  double height(const Simulation& s) const {
    return position(s, "particle")[planar ? 1 : 2] - 0.0078125;
  }
  double rising(const Simulation& s) const { return twist(s, "particle").linear[planar ? 1 : 2]; }
};

}  // namespace vinci::test
