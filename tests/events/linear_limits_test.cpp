// SPDX-License-Identifier: Apache-2.0
// States whose linear system is that of one side alone, and friction that cannot hold.
#include "tests/events/linear_scenes.h"
#include "vinci/events/kinks.h"

namespace vinci::test {
namespace {

constexpr double fall = 9.81;  // m/s²

Linearization of(const std::string& scene, const LinearWishes& wishes = {}) {
  Simulation simulation = simulate(scene + "run: {step: 1 ms, duration: 1 s}\n");
  LinearizeOptions options;
  options.of = LinearizeOptions::Of::model;
  options.wishes = wishes;
  return linearize_at(simulation, options);
}

std::string box_upon_slope(double degrees) {
  return fmt::format(R"(world: planar
materials: {{w: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{angle: {} deg}}, material: w}}]}}
  box: {{mass: 3, shapes: [{{box: [0.4, 0.1], material: w}}], pose: {{on: floor, at: 0}}}}
)",
                     degrees);
}

// The box slides where tan(slope) > 0.5, with a = g (sin − 0.5 cos).
TEST(LinearLimits, a_box_begins_to_slide_on_a_steep_slope_and_rests_on_a_gentle_one) {
  for (const double degrees : {5.0, 20.0, 26.0, 27.0, 35.0, 50.0}) {
    const Linearization it = of(box_upon_slope(degrees));
    const double slope = degrees * M_PI / 180.0;
    const bool slides = std::tan(slope) > 0.5;
    EXPECT_EQ(it.is_equilibrium, !slides) << degrees;
    const double a = slides ? fall * (std::sin(slope) - 0.5 * std::cos(slope)) : 0.0;
    EXPECT_NEAR(value_of(it.accelerations, "box.x [m]"), -a * std::cos(slope), 1e-9) << degrees;
    EXPECT_NEAR(value_of(it.accelerations, "box.y [m]"), -a * std::sin(slope), 1e-9) << degrees;
    EXPECT_EQ(it.limits.empty(), !slides) << degrees;
    double normal = 0.0;
    for (const LinearConstraint& one : it.constraints)
      if (one.kind == ConstraintKind::contact) normal += one.force;
    EXPECT_NEAR(normal, 3.0 * fall * std::cos(slope), 1e-8);
  }
}

TEST(LinearLimits, friction_that_is_named_as_sticking_has_to_be_able_to_hold) {
  LinearWishes wishes;
  wishes.mode = {"box-floor=sticking"};
  EXPECT_TRUE(of(box_upon_slope(15.0), wishes).is_equilibrium);
  const std::string text = message([&] { of(box_upon_slope(35.0), wishes); });
  EXPECT_NE(text.find("mode: 'floor-box"), std::string::npos) << text;
  EXPECT_NE(text.find("would have to hold"), std::string::npos) << text;
}

TEST(LinearLimits, friction_of_a_joint_slides_where_its_spring_pulls_more) {
  const auto joint = [](double rest) {
    return of(fmt::format(R"(world: planar
gravity: [0, 0]
bodies: {{a: {{mass: 2, inertia: 1}}}}
joints: {{p: {{prismatic: [world, a], axis: [1, 0], friction: 3, stiffness: 50, rest: {}}}}}
)",
                          rest));
  };
  EXPECT_TRUE(joint(0.05).is_equilibrium);
  const Linearization slides = joint(0.1);
  EXPECT_FALSE(slides.is_equilibrium);
  EXPECT_NEAR(value_of(slides.accelerations, "p.position [m]"), (5.0 - 3.0) / 2.0, 1e-9);
}

std::vector<std::string> limits_of(const std::string& scene) {
  const Linearization it = of(scene);
  EXPECT_TRUE(it.kinks.empty());
  return it.limits;
}

TEST(LinearLimits, what_touches_without_force_has_two_sides) {
  EXPECT_EQ(limits_of(R"(world: planar
gravity: [0, 0]
bodies: {a: {mass: 2, inertia: 1}}
joints: {p: {prismatic: [world, a], axis: [1, 0], limits: [0, 1], damping: 1}}
)"),
            std::vector<std::string>{"p lower limit touches without force"});
  const auto ball = [](const char* what) {
    return fmt::format(R"(world: planar
{}
materials: {{w: {{friction: 0.5}}}}
bodies:
  f: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: w}}]}}
  a: {{mass: 2, inertia: 0.05, shapes: [{{circle: 0.1, material: w}}], position: [0, 0.1]}}
)",
                       what);
  };
  EXPECT_EQ(limits_of(ball("gravity: [0, 0]")),
            std::vector<std::string>{"f-a touches without force"});
  EXPECT_TRUE(limits_of(ball("gravity: [0, -9.81]")).empty());
}

TEST(LinearLimits, friction_at_its_bound_has_two_sides) {
  const auto pushed = [](double share) {
    return limits_of(fmt::format(R"(world: planar
materials: {{w: {{friction: 0.5}}}}
bodies:
  f: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: w}}]}}
  a: {{mass: 2, inertia: 0.05, shapes: [{{circle: 0.1, material: w}}], position: [0, 0.1],
      force: {{x: {0}*9.81, torque: {0}*0.981}}}}
)",
                                 share));
  };
  EXPECT_EQ(pushed(1.0),
            std::vector<std::string>{"f-a friction is at its bound, but does not slide"});
  EXPECT_TRUE(pushed(0.99).empty());
  EXPECT_EQ(pushed(1.01), std::vector<std::string>{"f-a friction begins to slide"});
}

std::vector<std::string> kinks_of(const std::string& force, double x, double v = 0.0) {
  return of(fmt::format(R"(world: planar
gravity: [0, 0]
bodies: {{a: {{mass: 2, inertia: 1, position: [{}, 0], velocity: [{}, 0]}}}}
signals: {{u: {{expression: "{}", drives: a.force_x}}}}
)",
                        x, v, force))
      .kinks;
}

TEST(LinearLimits, laws_that_turn_or_jump_are_told_and_smooth_ones_are_not) {
  EXPECT_EQ(kinks_of("-80*abs(a.x)", 0.0).size(), 1u);
  EXPECT_EQ(kinks_of("-80*abs(a.x) + 1e4*a.x", 0.0).size(), 1u);
  EXPECT_EQ(kinks_of("max(-3*a.vx, 0.2*a.vx)", 0.4).size(), 1u);
  EXPECT_EQ(kinks_of("min(1, 80*a.x)", 0.0125).size(), 1u);
  EXPECT_EQ(kinks_of("if(a.x > 0.3, 1, 0)", 0.3).size(), 1u);
  const std::vector<std::string> jump = kinks_of("-2*sign(a.vx)", 0.3);
  ASSERT_EQ(jump.size(), 1u);
  EXPECT_EQ(jump[0], "the rate of a.vx [m/s] jumps at this a.vx [m/s]");
  for (const char* smooth : {"-80*abs(a.x)", "max(-3*a.vx, 0.2*a.vx)", "1e6*sin(40*a.x)",
                             "-1e4*a.x^3*a.vx - a.x^2", "exp(20*a.x)*a.vx", "1/(0.21 - a.x)"})
    EXPECT_TRUE(kinks_of(smooth, 0.2, 0.1).empty()) << smooth;
}

TEST(LinearLimits, laws_without_a_derivative_have_no_linear_system) {
  for (const char* law : {"-sqrt(a.x)", "-sign(a.x)*abs(a.x)^0.5"}) {
    const std::string text = message([&] { kinks_of(law, 0.0); });
    EXPECT_NE(text.find("at: no linear system: the derivative of a.vx [m/s] by a.x [m] is not "
                        "finite"),
              std::string::npos)
        << law << ": " << text;
  }
}

TEST(LinearLimits, a_mode_that_contradicts_itself_is_refused) {
  const auto fails = [&](const std::vector<std::string>& mode, const std::string& expected) {
    LinearWishes wishes;
    wishes.mode = mode;
    const std::string text = message([&] { of(box_upon_slope(0.0), wishes); });
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  };
  fails({"box-floor#1=contact", "box-floor#1=free"}, "mode: 'box-floor#1=free'");
  fails({"box-floor.friction=contact"}, "accepted: free, sticking, sliding");
}

}  // namespace
}  // namespace vinci::test
