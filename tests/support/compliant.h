// SPDX-License-Identifier: Apache-2.0
// A particle that hits a floor with a visco-elastic layer, for the tests of song-pang-kumar.
#pragma once

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {

// Its rotation is prescribed; it touches the floor at the start. SI units.
struct CompliantScene {
  double mass = 1.0, stiffness = 1e5, damping = 0.0, tangential_stiffness = 1e5,
         tangential_damping = 0.0, friction = 0.0, gravity = 9.81, gap = 0.0;
  Vector2 velocity = {0.0, -1.0};
  double step = 1e-4, resolution = 0.01, duration = 1.0;

  double frequency() const { return std::sqrt(stiffness / mass); }
  void set_damping_ratio(double zeta) { damping = 2.0 * zeta * std::sqrt(stiffness * mass); }

  std::string yaml() const {
    const double r = 0.0078125;  // representable, so that a gap of 0 is exactly 0
    return fmt::format(R"(
world: planar
gravity: [0, {}]
materials:
  soft:
    friction: {}
    stiffness: {}
    damping: {}
    tangential-stiffness: {}
    tangential-damping: {}
  hard: {{friction: {}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: soft}}]}}
  particle:
    shapes: [{{circle: {}, material: hard}}]
    mass: {}
    position: [0, {}]
    velocity: [{}, {}]
    motion: {{angle: 0}}
run:
  stepper: {{name: song-pang-kumar, resolution: {}}}
  step: {}
  duration: {}
)",
                       -gravity, friction, stiffness, damping, tangential_stiffness,
                       tangential_damping, friction, r, mass, r + gap, velocity.x(), velocity.y(),
                       resolution, step, duration);
  }
};

// An oblique impact of reference case 13 in steps of h, with substeps as long as the step.
inline CompliantScene oblique_impact(const nlohmann::json& given, double h) {
  CompliantScene scene;
  scene.mass = given["m"];
  scene.stiffness = given["kn"];
  scene.damping = given["cn"];
  scene.tangential_stiffness = given["kt"];
  scene.tangential_damping = given["ct"];
  scene.friction = given["mu"];
  scene.velocity = Vector2(given["vx"].get<double>(), given["vy"].get<double>());
  scene.step = h;
  scene.resolution = 1.0;
  scene.duration = 0.02;
  return scene;
}

// Normal impulse of the last step at the particle, N s.
inline double normal_impulse(const Simulation& simulation) {
  double sum = 0.0;
  for (const SolvedContact& contact : simulation.contacts()) sum += contact.impulse[0];
  return sum;
}
inline double tangential_impulse(const Simulation& simulation) {
  double sum = 0.0;
  for (const SolvedContact& contact : simulation.contacts()) sum += contact.impulse[1];
  return sum;
}

}  // namespace vinci::test
