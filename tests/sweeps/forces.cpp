// SPDX-License-Identifier: Apache-2.0
// Forces that depend on velocity, and bodies of which some coordinates are prescribed.
#include <cmath>

#include "tests/sweeps/judge.h"
#include "tests/sweeps/parts.h"

namespace vinci::test {
namespace {

std::string random_drag(Draw& draw, const char* coordinate, double scale) {
  constexpr const char* laws[] = {"-{0}*v",
                                  "-{0}*v*abs(v)",
                                  "-{0}*v^3",
                                  "-{0}*tanh(50*v)",
                                  "-{0}*sign(v)*sqrt(abs(v))",
                                  "-{0}*v/(1 + 10*v^2)"};
  return fmt::format(
      "{}: '{}'", coordinate,
      fmt::format(fmt::runtime(laws[draw.below(6)]), scale * decades(draw, 1e-2, 1e3)));
}

std::string random_drags(Draw& draw, bool spatial, double size) {
  constexpr const char* in_space[] = {"x", "y", "z", "torque-x", "torque-y", "torque-z"};
  constexpr const char* in_plane[] = {"x", "y", "torque"};
  const int count = spatial ? 6 : 3;
  std::string text = random_drag(draw, "x", 1.0);
  for (int i = 1; i < count; ++i)
    if (draw.below(2) == 0)
      text += ", " + random_drag(draw, spatial ? in_space[i] : in_plane[i],
                                 i < (spatial ? 3 : 2) ? 1.0 : size * size);
  return text;
}

}  // namespace

// Drags of every law, weak and strong beside the mass, at short and long steps, with and without a
// floor: nobody gains energy; without inertia nobody is faster than the weight alone would make it.
void sweep_drags(Draw& draw, bool spatial, Tally& tally) {
  const bool first_order = draw.below(4) == 0, floor = draw.below(2) == 0;
  std::string stepper = random_stepper(draw);
  if (first_order && stepper == "song-pang-kumar") stepper = "stewart-trinkle";
  const bool soft = stepper == "song-pang-kumar";
  std::string yaml =
      world(spatial) + random_material(draw, draw.between(0.0, 1.0), 0.0, soft) + "bodies:\n";
  if (floor || soft)
    yaml += fmt::format("  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}\n",
                        half(spatial));
  const int count = 1 + draw.below(2);
  for (int i = 0; i < count; ++i) {
    const double size = draw.between(0.02, 0.2);
    // Without inertia turns may overlap and are pushed out at the pace of a step: balls do not.
    const Part part = first_order ? ball(spatial, 0.5 * size) : random_part(draw, spatial, size);
    Vector3 at = Vector3::Zero();
    at[spatial ? 2 : 1] = size + 0.4 * i;
    const Vector3 velocity = decades(draw, 0.1, 20.0) * random_direction(draw, spatial);
    yaml += fmt::format(
        "  b{}: {{shapes: [{{{}, material: m}}], mass: {}, position: {}, {}, velocity: {}, {}, "
        "force: {{{}}}}}\n",
        i, part.shape, decades(draw, 0.1, 10.0), list(at, spatial), random_turn(draw, spatial),
        list(velocity, spatial), random_spin(draw, spatial, 20.0),
        random_drags(draw, spatial, size));
  }
  const double h = soft ? decades(draw, 1e-4, 1e-2) : decades(draw, 1e-4, 0.3);
  yaml += fmt::format("run: {{step: {}, duration: {}, stepper: {}, motion: {}}}\n", h, 25.0 * h,
                      stepper, first_order ? "first-order" : "dynamic");
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  Watched watched(simulation, tally);
  double most = 0.0;  // ½ m g² of all
  for (const Body& body : simulation.model().bodies)
    if (body.velocity_size > 0) most += 0.5 * body.mass.mass * 9.81 * 9.81;
  while (!simulation.finished() && !tally.failed()) {
    watched.step(!first_order);
    ASSERT_FALSE(simulation.diverged());
    if (first_order && watched.certified()) {
      EXPECT_LE(energy(simulation.model(), simulation.state()).kinetic, most * (1.0 + 1e-9));
    }
  }
  ++tally[first_order ? "first-order" : "dynamic"];
}

// A box, or a part that is kept from turning, on a plate that speeds up, turns and tilts: it
// stays where it was on the plate, whichever of its coordinates are given.
void sweep_mixed(Draw& draw, bool spatial, Tally& tally) {
  const double h = decades(draw, 5e-4, 2e-2), push = draw.between(-2.0, 2.0);
  const double turn = draw.between(-1.5, 1.5), s = draw.between(-0.3, 0.3), tall = 0.05;
  // In the plane the plate tilts; in space it turns about its normal.
  const std::string x = fmt::format("{:.17g}*t^2", 0.5 * push),
                    a = fmt::format("{:.17g}*t^2", 0.5 * turn);
  const int given = draw.below(spatial ? 5 : 4);
  std::string yaml = world(spatial) + fmt::format("materials: {{m: {{friction: {}}}}}\nbodies:\n",
                                                  draw.between(0.9, 3.0));
  const double up = 0.5 * tall;
  std::string motion;
  bool turns = true;
  if (spatial) {
    yaml += fmt::format(
        "  plate: {{shapes: [{{half-space: {{}}, material: m}}], motion: {{x: {}, y: 0, z: 0, "
        "roll: "
        "0, pitch: 0, yaw: {}}}}}\n",
        x, a);
    const std::string at_x = fmt::format("{} + {:.17g}*cos({})", x, s, a);
    const std::string at_y = fmt::format("{:.17g}*sin({})", s, a);
    const std::string options[] = {
        "", fmt::format("yaw: {}", a), fmt::format("x: {}, y: {}", at_x, at_y),
        fmt::format("x: {}", at_x), fmt::format("y: {}, yaw: {}", at_y, a)};
    motion = options[given];
  } else {
    turns = draw.below(2) == 0;
    const std::string angle = turns ? a : "0";
    yaml += fmt::format(
        "  plate: {{shapes: [{{half-plane: {{}}, material: m}}], motion: {{x: {}, y: 0, angle: "
        "{}}}}}\n",
        x, angle);
    const std::string at_x =
        fmt::format("{} + {:.17g}*cos({}) - {:.17g}*sin({})", x, s, angle, up, angle);
    // What is given leaves the normal force to the contact.
    const std::string options[] = {"", fmt::format("angle: {}", angle), fmt::format("x: {}", at_x),
                                   fmt::format("x: {}, angle: {}", at_x, angle)};
    motion = options[given];
  }
  const bool kept =
      motion.find("angle") != std::string::npos || motion.find("yaw") != std::string::npos;
  const std::string shape =
      kept && draw.below(2) == 0
          ? ball(spatial, up).shape
          : "box: " + list(spatial ? Vector3(0.2, 0.16, tall) : Vector3(0.2, tall, 0), spatial);
  yaml += fmt::format("  part: {{shapes: [{{{}, material: m}}], mass: {}, position: {}{}}}\n",
                      shape, decades(draw, 0.1, 10.0),
                      list(spatial ? Vector3(s, 0, up) : Vector3(s, up, 0), spatial),
                      motion.empty() ? "" : ", motion: {" + motion + "}");
  const char* const stepper = draw.below(2) == 0 ? "stewart-trinkle" : "anitescu-potra";
  yaml += fmt::format("run: {{step: {}, duration: 0.5, stepper: {}}}\n", h, stepper);
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  const auto on_plate = [&] {
    const Pose &plate = simulation.state().poses[0], &part = simulation.state().poses[1];
    return Pose{plate.rotation.conjugate() * (part.position - plate.position),
                plate.rotation.conjugate() * part.rotation};
  };
  const Pose start = on_plate();
  Watched watched(simulation, tally);
  while (!simulation.finished() && watched.certified() && !tally.failed()) {
    watched.step(false);
    if (!watched.certified()) break;
    const Pose now = on_plate();
    EXPECT_LE((now.position - start.position).norm(), 1e-9)
        << "step " << simulation.state().step << ": "
        << (now.position - start.position).transpose();
    EXPECT_LE(now.rotation.angularDistance(start.rotation), 1e-8) << simulation.state().step;
  }
  ++tally[given == 0 ? "free" : "mixed"];
  tally["turning"] += turns ? 1 : 0;
}

}  // namespace vinci::test
