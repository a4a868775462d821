// SPDX-License-Identifier: Apache-2.0
// Constraints whose functions have corners: abs, min and max. What passes one keeps its velocity
// along the new side and loses that across it.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

// Without gravity: down one side of a V, then along the other. There the force is along its normal
// alone, so the speed along it is v cos 2a whatever time the constraint takes.
TEST(Corner, a_bead_on_a_bent_wire_keeps_its_speed_along_the_next_side) {
  const double slope = 0.3, angle = std::atan(slope);
  for (const char* const wire :
       {"bead.y - 0.3*abs(bead.x)", "bead.y - max(0.3*bead.x, -0.3*bead.x)",
        "bead.y + min(0.3*bead.x, -0.3*bead.x)",
        "bead.y - if(bead.x < 0, -0.3*bead.x, 0.3*bead.x)"})
    for (const char* const scale : {"1 ms", "20 ms"})
      for (const char* const step : {"10 ms", "1 s"}) {
        Simulation simulation(Scene::parse(fmt::format(
            "world: planar\ngravity: [0, 0]\nbodies:\n"
            "  bead: {{shapes: [{{circle: 0.02}}], mass: 2, position: [-0.5, 0.15], velocity: [1, "
            "-0.3]}}\nconstraints:\n  wire: {{zero: \"{}\", time-scale: {}}}\nrun: {{stepper: "
            "{{name: event-driven, accuracy: 1e-9}}, step: {}, duration: 1 s}}\n",
            wire, scale, step)));
        while (!simulation.finished()) simulation.step();
        const Twist twist = body_twist(simulation.model(), simulation.state().velocities, 0);
        const Vector3 along(std::cos(angle), std::sin(angle), 0.0);
        EXPECT_NEAR(twist.linear.dot(along), std::hypot(1.0, 0.3) * std::cos(2.0 * angle), 1e-7)
            << wire << " " << scale << " " << step;
        const Vector3 place = simulation.state().poses[0].position;
        EXPECT_NEAR(place.y(), 0.3 * place.x(), 1e-6) << wire;
      }
}

// Away from the corner abs is as good as a square.
TEST(Corner, abs_away_from_its_corner_is_smooth) {
  const auto end = [](const char* wall) {
    Simulation simulation(Scene::parse(
        fmt::format("world: planar\ngravity: [0, 0]\nbodies:\n"
                    "  ball: {{shapes: [{{circle: 0.1}}], mass: 2, position: [-1, 0], velocity: "
                    "[1, 0.2]}}\nconstraints:\n  wall: {{at-least-zero: \"{}\", restitution: 0.5, "
                    "time-scale: 1 ms}}\nrun: {{stepper: {{name: event-driven, accuracy: 1e-9}}, "
                    "step: 10 ms, duration: 2 s}}\n",
                    wall)));
    while (!simulation.finished()) simulation.step();
    return simulation.state().poses[0].position;
  };
  EXPECT_NEAR((end("abs(ball.x) - 0.25") - end("-ball.x - 0.25")).norm(), 0.0, 1e-7);
}

}  // namespace
}  // namespace vinci
