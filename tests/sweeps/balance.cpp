// SPDX-License-Identifier: Apache-2.0
// Quasi-static scenes near the limit of friction: which side they are on, by closed forms.
#include <cmath>

#include "tests/sweeps/judge.h"
#include "tests/sweeps/parts.h"

namespace vinci::test {
namespace {

constexpr double g = 9.81;

// On a slope of tangent μ(1 ± d).
std::string slope(Draw& draw, bool spatial, double mu, double load) {
  const double angle = std::atan(mu * load), azimuth = draw.between(0.0, 6.28);
  const double c = std::cos(angle), s = std::sin(angle);
  const Vector3 n =
      spatial ? Vector3(s * std::cos(azimuth), s * std::sin(azimuth), c) : Vector3(s, c, 0);
  // The part stands on the slope, its axes along it.
  const std::string shape = !spatial             ? "box: [0.2, 0.05]"
                            : draw.below(2) == 0 ? "box: [0.2, 0.2, 0.05]"
                                                 : "cylinder: {radius: 0.1, height: 0.05}";
  return fmt::format(
      "bodies:\n  ground: {{freedom: fixed, shapes: [{{{}: {{point: {}, normal: {}}}, material: "
      "m}}]}}\n"
      "  part: {{shapes: [{{{}, material: m}}], mass: {}, pose: {{on: ground, at: {}}}}}\n",
      half(spatial), list(Vector3::Zero(), spatial), list(n, spatial), shape,
      decades(draw, 0.01, 100.0), spatial ? "[0.1, -0.2]" : "0.3");
}

// Drawn along the floor with μ m g (1 ± d).
std::string drawn(Draw& draw, bool spatial, double mu, double load) {
  const double mass = decades(draw, 0.01, 100.0), azimuth = draw.between(0.0, 6.28);
  const double force = mu * mass * g * load;
  const std::string pull = spatial
                               ? fmt::format("{{x: {:.17g}, y: {:.17g}}}",
                                             force * std::cos(azimuth), force * std::sin(azimuth))
                               : fmt::format("{{x: {:.17g}}}", force);
  return fmt::format(
      "bodies:\n  ground: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}\n"
      "  part: {{shapes: [{{box: {}, material: m}}], mass: {:.17g}, position: {}, force: {}}}\n",
      half(spatial), spatial ? "[0.3, 0.3, 0.04]" : "[0.3, 0.04]", mass,
      spatial ? "[0, 0, 0.02]" : "[0, 0.02]", pull);
}

// Pressed to a wall with m g/(μ (1 ± d)).
std::string pressed(Draw& draw, bool spatial, double mu, double load) {
  const double mass = decades(draw, 0.01, 100.0), force = mass * g / (mu * load);
  return fmt::format(
      "bodies:\n  ground: {{freedom: fixed, shapes: [{{{}: {{point: {}, normal: {}}}, material: "
      "m}}]}}\n"
      "  part: {{shapes: [{{box: {}, material: m}}], mass: {:.17g}, position: {}, force: {{x: "
      "-{:.17g}}}}}\n",
      half(spatial), list(Vector3::Zero(), spatial), list(Vector3::UnitX(), spatial),
      spatial ? "[0.02, 0.3, 0.3]" : "[0.02, 0.3]", mass, spatial ? "[0.01, 0, 0]" : "[0.01, 0]",
      force);
}

// On a table, on supports about its middle.
std::string on_table(Draw& draw, double mu, double load) {
  const double mass = decades(draw, 0.01, 100.0), azimuth = draw.between(0.0, 6.28);
  const double force = mu * mass * g * load;
  const int count = 3 + draw.below(4);
  std::string supports;
  for (int i = 0; i < count; ++i)
    supports += fmt::format("{}[{:.17g}, {:.17g}]", i > 0 ? ", " : "",
                            0.03 * std::cos(2.0 * M_PI * i / count),
                            0.03 * std::sin(2.0 * M_PI * i / count));
  return fmt::format(
      "table: {{gravity: {}, friction: {:.17g}}}\nbodies:\n  part: {{shapes: [{{circle: 0.05}}], "
      "mass: "
      "{:.17g}, supports: [{}], force: {{x: {:.17g}, y: {:.17g}}}}}\n",
      g, mu, mass, supports, force * std::cos(azimuth), force * std::sin(azimuth));
}

}  // namespace

// Held below the limit without moving, and no balance above it, at distances from 2e-9 to 1e-2.
void sweep_balance(Draw& draw, bool spatial, Tally& tally) {
  const double mu = draw.between(0.05, 1.4), distance = decades(draw, 2e-9, 1e-2);
  const bool holds = draw.below(2) == 0;
  const double load = holds ? 1.0 - distance : 1.0 + distance;
  const int kind = draw.below(spatial ? 3 : 4);
  std::string yaml = world(spatial) + fmt::format("materials: {{m: {{friction: {:.17g}}}}}\n", mu);
  yaml += kind == 0   ? slope(draw, spatial, mu, load)
          : kind == 1 ? drawn(draw, spatial, mu, load)
          : kind == 2 ? pressed(draw, spatial, mu, load)
                      : on_table(draw, mu, load);
  // Pyramids have their own limit in space and on tables.
  const char* const cone = !spatial && kind < 3 && draw.below(2) == 0 ? "pyramid" : "quadratic";
  yaml +=
      fmt::format("run: {{step: {}, duration: {}, motion: quasi-static, stepper: {}, cone: {}}}\n",
                  1e-3, 5e-3, draw.below(2) == 0 ? "stewart-trinkle" : "anitescu-potra", cone);
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  const Vector3 start = position(simulation, "part");
  Watched watched(simulation, tally);
  while (!simulation.finished() && !tally.failed()) {
    const StepReport& report = watched.step(false);
    EXPECT_EQ(report.ending, holds ? Ending::none : Ending::no_equilibrium) << distance;
    EXPECT_TRUE(holds || report.shortage.body == body(simulation, "part"));
  }
  EXPECT_LE((position(simulation, "part") - start).norm(), 1e-9);
  ++tally[holds ? "held" : "not held"];
  tally["within 1e-6"] += distance < 1e-6 ? 1 : 0;
}

}  // namespace vinci::test
