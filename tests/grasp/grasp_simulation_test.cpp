// SPDX-License-Identifier: Apache-2.0
// Reference case 16 by simulation: parts that jaws squeeze and push (quasi-static), rectangles that
// wedge, a disc between two force-controlled jaws (dynamic). The jaws' normal is the x axis of the
// world, so that φ is minus the angle of the part.
#include <gtest/gtest.h>

#include "tests/grasp/grasp_cases.h"
#include "tests/support/runs.h"
#include "vinci/grasp/grasp.h"

namespace vinci::test {
namespace {

constexpr double thickness = 0.01;  // of a jaw, m

std::string polygon_text(const std::vector<Vector2>& vertices) {
  std::string text;
  for (const Vector2& v : vertices)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", v.x(), v.y());
  return "[" + text + "]";
}

// Of a part turned so that φ lies along x: where it begins and ends along x, and its middle in y.
struct Extent {
  double low = 1.0, high = -1.0;
};
Extent extent(const std::vector<Vector2>& vertices, double phi) {
  Extent result;
  for (const Vector2& v : vertices) {
    const double x = v.dot(Vector2(std::cos(phi), std::sin(phi)));
    result.low = std::min(result.low, x);
    result.high = std::max(result.high, x);
  }
  return result;
}

double part_phi(const Simulation& simulation) {
  return -planar_angle(simulation.state().poses[body(simulation, "part")].rotation);
}

// A force-controlled jaw in a viscous guide: at 10 N it moves at 0.1 m/s, and stops where the part
// resists.
std::string jaw_text(const char* name, double x, double force) {
  return fmt::format(R"(
  {}:
    shapes: [{{box: [{}, 0.6]}}]
    mass: 1
    position: [{}, 0]
    motion: {{y: 0, angle: 0}}
    force: {{x: {}}}
    supports: {{points: [[0, 0]], friction: 0, viscosity: 100}})",
                     name, thickness, x, force);
}

std::string scene_text(const std::string& part, const std::string& jaws, double friction,
                       const std::string& run) {
  return fmt::format(R"(
world: planar
table: {{}}
materials: {{default: {{friction: {}}}}}
bodies:
  part: {}{}
run: {}
)",
                     friction, part, jaws, run);
}

// The part between the jaws, or against the right one, touching.
struct Part {
  std::vector<Vector2> vertices;
  Vector2 center;

  // `more`: what its supports do, and further keys.
  std::string text(double phi, const std::string& more) const {
    const Extent along = extent(vertices, phi);
    return fmt::format(R"(
    shapes: [{{polygon: {0}}}]
    mass: 0.1
    position: [{1}, 0]
    angle: {2}
    supports:
      points: [[{3} + 0.01, {4}], [{3} - 0.005, {4} + 0.0087], [{3} - 0.005, {4} - 0.0087]]
      {5})",
                       polygon_text(vertices), -0.5 * (along.low + along.high), -phi, center.x(),
                       center.y(), more);
  }
  std::string jaws(double phi) const {
    const Extent along = extent(vertices, phi);
    const double x = 0.5 * (along.high - along.low + thickness);
    return jaw_text("left", -x, 10.0) + jaw_text("right", x, -10.0);
  }
};

double jaw_gap(const Simulation& simulation) {
  return position(simulation, "right").x() - position(simulation, "left").x() - thickness;
}

struct Squeezed {
  double phi, gap;
};
// The table is viscous, since friction would hold the part near a maximum of its diameter. A torque
// that changes its sign, a millionth of those of the jaws, shakes it off orientations that are
// stable from one side only: the quadrilateral's edge at 0 is one.
Squeezed squeeze(const Part& part, double phi, double friction = 0.0, double torque = 1e-6) {
  const std::string more =
      fmt::format("viscosity: 1\n    force: {{torque: {}*sin(300*t)}}", torque);
  Simulation simulation = simulate(scene_text(part.text(phi, more), part.jaws(phi), friction,
                                              "{motion: quasi-static, step: 2 ms, duration: 0.6}"));
  run_exactly(simulation);
  return {part_phi(simulation), jaw_gap(simulation)};
}

double push(const Part& part, double phi) {
  const Extent along = extent(part.vertices, phi);
  const double x = 0.5 * (along.high - along.low + thickness);
  const std::string pusher = fmt::format(
      "\n  pusher: {{shapes: [{{box: [{}, 0.6]}}], motion: {{x: {} - 0.1*t, y: 0, angle: 0}}}}",
      thickness, x);
  Simulation simulation = simulate(scene_text(part.text(phi, "friction: 0.1"), pusher, 0.0,
                                              "{motion: quasi-static, step: 5 ms, duration: 2 s}"));
  run_exactly(simulation);
  return part_phi(simulation);
}

class Transfer : public testing::TestWithParam<const char*> {};

TEST_P(Transfer, the_simulated_part_comes_to_rest_as_the_reference_says) {
  const auto expected = expected_grasps()[GetParam()];
  const Part part = {vertices_of(expected),
                     {expected["com"][0].get<double>(), expected["com"][1].get<double>()}};
  // 1e-6 rad and 1e-6 m are what the reference asks: an edge that lies flush does so to rounding.
  constexpr double tolerance = 1e-6;
  for (const auto& row : expected["transfer"]) {
    const double start = row["initial_deg"].get<double>() * degree;
    const auto angle = [&](const char* name) { return row[name].get<double>() * degree; };
    const Squeezed squeezed = squeeze(part, start);
    EXPECT_LT(turn(squeezed.phi, angle("squeeze_final_deg"), M_PI), tolerance) << row;
    EXPECT_NEAR(squeezed.gap, row["jaw_gap"].get<double>(), tolerance) << row;
    const double pushed = push(part, start);
    EXPECT_LT(turn(pushed, angle("push_final_deg"), 2.0 * M_PI), tolerance) << row;
    EXPECT_LT(turn(squeeze(part, pushed).phi, angle("push_then_squeeze_deg"), M_PI), tolerance)
        << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Case16, Transfer,
                         testing::Values("squeeze_rect_80x40", "squeeze_quad", "squeeze_triangle"));

// Between two corners the part wedges if the line through them lies within both friction cones. The
// table is viscous: it takes no force from a part at rest, so that the limit is met to a millionth.
TEST(Wedging, a_rectangle_jams_just_above_the_friction_of_the_reference_and_turns_just_below) {
  const auto all = expected_grasps();
  const Part part = {vertices_of(all["squeeze_rect_80x40"]), {0.04, 0.02}};
  for (const auto& row : all["wedging_rect"]["rows"]) {
    const double phi = row["phi_deg"].get<double>() * degree, jam = row["mu_jam"];
    const Extent along = extent(part.vertices, phi);
    const Squeezed above = squeeze(part, phi, jam * (1.0 + 1e-6), 0.0);
    EXPECT_NEAR(above.phi, phi, 1e-9) << row;
    EXPECT_NEAR(above.gap, along.high - along.low, 1e-9) << row;
    const Squeezed below = squeeze(part, phi, jam * (1.0 - 1e-6), 0.0);
    EXPECT_LT(turn(below.phi, row["frictionless_final_deg"].get<double>() * degree, M_PI), 1e-6)
        << row;
  }
}

// Slips iff m g > 2 μ F, and then falls at g − 2 μ F/m: the time-stepping of both is exact.
TEST(SqueezeLift, a_disc_slips_out_of_the_jaws_iff_it_weighs_more_than_their_friction_holds) {
  const auto expected = expected_grasps()["disc_squeeze_lift"];
  const double mass = expected["m"], g = expected["g"], mu = expected["mu"];
  const double least = expected["F_min"];
  EXPECT_NEAR(least, mass * g / (2.0 * mu), 1e-12);
  for (const double share : {0.5, 0.99, 1.0 - 1e-6, 1.0 + 1e-6, 1.01, 2.0}) {
    const double force = share * least;
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, {}]
materials: {{default: {{friction: {}}}}}
bodies:
  disc: {{shapes: [{{circle: 0.05}}], mass: {}}}
  left:
    shapes: [{{box: [0.02, 1]}}]
    mass: 0.2
    position: [-0.06, 0]
    motion: {{y: 0, angle: 0}}
    force: {{x: {}}}
  right:
    shapes: [{{box: [0.02, 1]}}]
    mass: 0.2
    position: [0.06, 0]
    motion: {{y: 0, angle: 0}}
    force: {{x: {}}}
run: {{step: 1 ms, duration: 0.2 s}}
)",
                                                 -g, mu, mass, force, -force));
    run_exactly(simulation);
    const Twist after = twist(simulation, "disc");
    const double fall = share < 1.0 ? (2.0 * mu * force / mass - g) * 0.2 : 0.0;
    EXPECT_NEAR(after.linear.y(), fall, 1e-9) << share;
    EXPECT_NEAR(after.linear.x(), 0.0, 1e-12);
    const Grasp grasp = grasp_of(simulation.model(), simulation.state(), simulation.contacts(),
                                 body(simulation, "disc"));
    EXPECT_EQ(grasp.contacts.size(), 2U);
    EXPECT_EQ(grasp.world, World::planar);
    EXPECT_TRUE(force_closure(grasp));
    EXPECT_LT(friction_required(grasp), 1e-9);
  }
}

}  // namespace
}  // namespace vinci::test
