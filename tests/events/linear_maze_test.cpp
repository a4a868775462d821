// SPDX-License-Identifier: Apache-2.0
// The ball on a ring of the maze as a scene, against reference cases 12 and 24.
#include "tests/events/linear_scenes.h"

namespace vinci::test {
namespace {

constexpr auto contact = UserConstraint::Kind::contact;
constexpr auto link = UserConstraint::Kind::link;

// The maze does not move from its place; q = (maze.angle, ball.x, ball.y, ball.angle).
Point maze(const nlohmann::json& p, const Stabilisation& law, bool kinematic) {
  const double ring = p["rm"], ball = p["rb"];
  Point point(fmt::format(R"(
world: planar
bodies:
  maze: {{mass: 1, inertia: {:.17g}, motion: {{x: 0, y: 0}}}}
  ball: {{mass: {:.17g}, inertia: {:.17g}, position: [0, {:.17g}]}}
run: {{step: 1 ms, duration: 1 s}}
)",
                          p["Jm"].get<double>(), p["mb"].get<double>(), p["Jb"].get<double>(),
                          1.1 * (ring + ball)));
  point.constrain("ring", contact, fmt::format("v0^2 + v1^2 - {:.17g}^2", ring + ball),
                  {"ball.x", "ball.y"}, law);
  point.constrain("roll", link,
                  fmt::format("{:.17g}*v3 + {:.17g}*v2 + {:.17g}*atan2(v0, v1)", ball, ring,
                              kinematic ? ring + ball : ring),
                  {"ball.x", "ball.y", "maze.angle", "ball.angle"}, law, 0);
  return point;
}

LinearScene on_ring(const Point& point, bool eliminate = false) {
  LinearWishes wishes;
  wishes.inputs = {"maze.torque"};
  wishes.outputs = {"ball.x", "maze.angle", "ring.force"};
  wishes.mode = {"ring=contact"};
  wishes.equilibrium = true;
  wishes.eliminate = eliminate;
  return linear_scene(point.point, wishes);
}

TEST(LinearMaze, all_parameter_sets_are_those_of_the_reference) {
  const auto expected = reference("case12_ball_maze")["expected"];
  int seen = 0;
  for (const auto& [name, set] : expected.items()) {
    if (!set.is_object() || !set.contains("rolling_constraint")) continue;
    const bool kinematic =
        set["rolling_constraint"].get<std::string>().find("r_m+r_b") != std::string::npos;
    const Point point = maze(set["parameters"], {10.0, {25.0}}, kinematic);
    const LinearScene rest = on_ring(point);
    EXPECT_TRUE(rest.is_equilibrium);
    EXPECT_NEAR(constraint_of(rest, "ring").force, set["lambda_equilibrium"][0].get<double>(),
                1e-9);
    const MatrixX a = matrix_of(set["A"]);
    const VectorX b = vector_of(set["B"]);
    EXPECT_LE((rest.system.a - a).norm(), 1e-10 * a.norm()) << name;
    EXPECT_LE((rest.system.b - b).norm(), 1e-10 * b.norm()) << name;
    EXPECT_LE((rest.system.c.row(0).transpose() - vector_of(set["C_y1"])).norm(), 1e-12);
    EXPECT_LE((rest.system.c.row(1).transpose() - vector_of(set["C_y2"])).norm(), 1e-12);
    const double p = set["pole_p"], z = set["zero_z_u_to_q1"];
    const ComplexVector all = poles(rest.system);
    EXPECT_LE(distance(all, p), 1e-8 * std::max(1.0, p)) << name;
    EXPECT_LE(distance(all, -p), 1e-8 * std::max(1.0, p)) << name;
    int settled = 0;
    for (const Complex pole : all) settled += std::abs(pole + 5.0) <= 1e-3 ? 1 : 0;
    EXPECT_EQ(settled, 4) << name;
    const TransferFunction angle = transfer_function(rest.system, 0, 1);
    ASSERT_EQ(angle.zeros.size(), 2) << name;
    EXPECT_LE(distance(angle.zeros, z), 1e-8 * std::max(1.0, z)) << name;
    EXPECT_NEAR(angle.gain, set["gain_u_to_q1"].get<double>(), 1e-9 * std::abs(angle.gain));
    const TransferFunction place = transfer_function(rest.system, 0, 0);
    EXPECT_NEAR(place.gain, set["gain_u_to_q2"].get<double>(), 1e-9 * std::abs(place.gain));
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}

TEST(LinearMaze, without_its_constraints_the_motion_is_that_of_two_coordinates) {
  const auto set = reference("case12_ball_maze")["expected"]["P1_kinematic"];
  const Point point = maze(set["parameters"], {10.0, {25.0}}, true);
  const LinearScene rest = on_ring(point, true);
  ASSERT_EQ(rest.system.state_count(), 4);
  const ComplexVector all = poles(rest.system);
  const double p = set["pole_p"];
  EXPECT_LE(distance(all, p), 1e-8);
  EXPECT_LE(distance(all, -p), 1e-8);
  // The same from input to output.
  const LinearSystem whole = on_ring(point).system;
  for (const Complex s : {Complex(0.3, 2.0), Complex(-1.0, 7.0)})
    EXPECT_LE((value_at(rest.system, s) - value_at(whole, s)).norm(),
              1e-9 * value_at(whole, s).norm());
  for (const std::string& name : rest.system.states)
    EXPECT_NE(name.find(" ["), std::string::npos) << name;
  EXPECT_EQ(rest.basis.rows(), 8);
}

TEST(LinearMaze, other_parameters_have_the_response_of_the_reference) {
  const auto set = reference("case24_event_linear")["expected"]["maze"];
  const Point point =
      maze(set["parameters"], {set["alpha1"].get<double>(), {set["alpha0"].get<double>()}}, true);
  const LinearScene rest = on_ring(point);
  const MatrixX a = matrix_of(set["A"]);
  EXPECT_LE((rest.system.a - a).norm(), 1e-10 * a.norm());
  EXPECT_LE(distance(poles(rest.system), set["unstable_pole"].get<double>()), 1e-7);
  EXPECT_LE(distance(transfer_function(rest.system, 0, 1).zeros, set["zero_u_to_q1"].get<double>()),
            1e-7);
  const auto& frequencies = set["frequencies"];
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const ComplexMatrix values = value_at(rest.system, Complex(0.0, frequencies[i].get<double>()));
    const auto expected = [&](const char* key) {
      return Complex(set[key][i][0].get<double>(), set[key][i][1].get<double>());
    };
    EXPECT_LE(std::abs(values(0, 0) - expected("response_u_to_q2")), 1e-8 * std::abs(values(0, 0)));
    EXPECT_LE(std::abs(values(1, 0) - expected("response_u_to_q1")), 1e-8 * std::abs(values(1, 0)));
  }
}

// Case 24: masses at a wall that is a constraint of the scene.
TEST(LinearMaze, masses_at_a_wall_are_those_of_the_reference) {
  const auto file = reference("case24_event_linear");
  const auto &p = file["parameters"]["one_mass"], &e = file["expected"]["one_mass"];
  // The spring is slack where the mass touches.
  Point one(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  post: {{freedom: fixed, position: [-1, 0]}}
  mass: {{mass: {0}, inertia: 1, motion: {{y: 0, angle: 0}}}}
springs:
  spring: {{between: [post, mass], at: [[0, 0], [0, 0]], stiffness: {1}, damping: {2}, length: 1}}
run: {{step: 1 ms, duration: 1 s}}
)",
                        p["m"].get<double>(), p["k"].get<double>(), p["c"].get<double>()));
  one.constrain("wall", contact, "v0", {"mass.x"}, {p["a1"], {p["a0"].get<double>()}});
  for (const char* state : {"free", "contact"}) {
    LinearWishes wishes;
    wishes.inputs = {"mass.force_x"};
    wishes.outputs = {"mass.x", "wall.force"};
    wishes.mode = {std::string("wall=") + state};
    const LinearScene scene = linear_scene(one.point, wishes);
    const MatrixX a = matrix_of(e[state]["A"]);
    EXPECT_LE((scene.system.a - a).norm(), 1e-10 * a.norm()) << state;
    EXPECT_LE((scene.system.b - vector_of(e[state]["B"])).norm(), 1e-10) << state;
    if (std::string(state) == "free") continue;
    const VectorX c = vector_of(e[state]["C_lambda"]);
    EXPECT_LE((scene.system.c.row(1).transpose() - c).norm(), 1e-10 * c.norm());
    EXPECT_NEAR(scene.system.d(1, 0), e[state]["D_lambda"].get<double>(), 1e-12);
  }
}

}  // namespace
}  // namespace vinci::test
