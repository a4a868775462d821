// SPDX-License-Identifier: Apache-2.0
// The parts that comparisons and convergence studies are made of.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "vinci/comparison/body_distance.h"
#include "vinci/comparison/contact_modes.h"
#include "vinci/comparison/order_fit.h"
#include "vinci/comparison/quantity.h"
#include "vinci/comparison/trace.h"
#include "vinci/comparison/variants.h"

namespace vinci {
namespace {

constexpr double rounding = 1e-14;  // a few roundings of numbers near one

const char* shapes = R"(
world: planar
bodies:
  ground: {freedom: fixed, shapes: [{half-plane: {}}]}
  box: {shapes: [{box: [0.6, 0.8], density: 1}], position: [0, 2]}
  disk: {shapes: [{circle: 0.5, density: 1}], position: [3, 2]}
  box-2: {shapes: [{box: [0.2, 0.2], density: 1}], position: [5, 2]}
  bone:
    position: [7, 2]
    shapes:
      - {circle: 0.1, position: [0.4, 0], density: 1}
      - {polygon: [[0, -0.1], [0.3, 0.2], [-0.5, 0.1]], density: 1}
)";

std::shared_ptr<const Model> shapes_model() {
  return Scene::parse(shapes).compile();
}

TEST(BodyDistance, a_turned_box_is_its_diagonal_apart) {
  const auto model = shapes_model();
  const BodyDistance apart(*model, 1, 1.0);
  const double angle = 0.7;
  // The corner is 0.5 m from the centre; a chord of the angle is 2 r sin(θ/2).
  EXPECT_NEAR(apart(planar_pose(0, 0, 0), planar_pose(0, 0, angle)), std::sin(0.5 * angle),
              rounding);
  EXPECT_NEAR(apart(planar_pose(0, 0, angle), planar_pose(3, 4, angle)), 5.0, rounding);
}

TEST(BodyDistance, a_turned_disk_adds_its_radius) {
  const auto model = shapes_model();
  const BodyDistance apart(*model, 2, 1.0);
  EXPECT_NEAR(apart(planar_pose(1, 0, 0.2), planar_pose(0, 0, -0.4)), 1.0 + std::sin(0.3),
              rounding);
  EXPECT_EQ(apart(planar_pose(1, 2, 3), planar_pose(1, 2, 3)), 0.0);
}

TEST(BodyDistance, no_point_of_a_body_is_displaced_farther) {
  const auto model = shapes_model();
  const BodyDistance apart(*model, 4, 1.0);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int i = 0; i < 50; ++i) {
    const Pose p = planar_pose(any(random), any(random), 3.0 * any(random));
    const Pose q = planar_pose(any(random), any(random), 3.0 * any(random));
    double seen = 0.0;
    for (int k = 0; k < 3600; ++k) {  // the rim of the circle, and the corners
      const double a = k * M_PI / 1800.0;
      const Vector3 x(0.4 + 0.1 * std::cos(a), 0.1 * std::sin(a), 0.0);
      seen = std::max(seen, (p * x - q * x).norm());
    }
    for (const Vector3& x : {Vector3(0, -0.1, 0), Vector3(0.3, 0.2, 0), Vector3(-0.5, 0.1, 0)})
      seen = std::max(seen, (p * x - q * x).norm());
    EXPECT_LE(seen, apart(p, q) + rounding);
    EXPECT_GE(seen, apart(p, q) - 1e-6);  // the rim is seen to (0.1°)² of 0.1 m
  }
}

TEST(BodyDistance, the_size_is_that_of_bodies_that_move) {
  // Of the bone: from its corner to the far side of its circle; the box has a diagonal of 1 m.
  const double bone = std::hypot(0.9, 0.1) + 0.1;
  EXPECT_NEAR(reference_length(*shapes_model()), bone, rounding);
  const auto none = Scene::parse("world: planar\nbodies: {a: {freedom: fixed}}").compile();
  EXPECT_FALSE(moving_size(*none));
  EXPECT_EQ(reference_length(*none), 1.0);
}

TEST(BodyDistance, the_size_of_a_triangle_does_not_depend_on_its_origin) {
  for (const std::string at : {"0", "0.3"}) {
    const auto model =
        Scene::parse("world: planar\nbodies: {wedge: {shapes: [{polygon: [[" + at + ", 0], [" + at +
                     " + 0.2, 0], [" + at + ", 0.15]], density: 1}]}}")
            .compile();
    EXPECT_NEAR(*moving_size(*model), 0.25, rounding) << at;  // sides of 0.15, 0.2 and 0.25 m
  }
}

ModeSequence modes(std::initializer_list<std::pair<ContactMode, double>> list) {
  ModeSequence sequence;
  for (const auto& [mode, begin] : list) sequence.push_back({mode, begin});
  return sequence;
}

TEST(ContactModes, a_short_loss_of_contact_is_no_separation) {
  using enum ContactMode;
  const ModeSequence flicker =
      modes({{open, 0.0}, {stick, 0.1}, {open, 0.2}, {stick, 0.201}, {slide, 0.3}, {open, 0.5}});
  const ModeSequence calm = settled(flicker, 0.0025, 1.0);
  ASSERT_EQ(calm.size(), 4u);
  EXPECT_EQ(calm[1].mode, stick);
  EXPECT_EQ(calm[2].begin, 0.3);
  EXPECT_EQ(settled(flicker, 0.0005, 1.0).size(), 6u);
  // A short touch between two flights is an impact, and stays.
  EXPECT_EQ(settled(modes({{open, 0.0}, {stick, 0.1}, {open, 0.101}}), 0.1, 1.0).size(), 3u);
}

TEST(ContactModes, the_first_difference_is_found) {
  using enum ContactMode;
  const ModeSequence a = modes({{slide_right, 0.0}, {stick, 0.4}});
  const ModeSequence b = modes({{slide_right, 0.0}, {stick, 0.5}, {slide_left, 0.8}});
  const ModeDifference same = compare_modes(a, b, 0.7);
  EXPECT_TRUE(same.same);
  EXPECT_NEAR(same.shift, 0.1, rounding);
  EXPECT_NEAR(same.seconds, 0.1, rounding);
  const ModeDifference other = compare_modes(a, b, 1.0);
  EXPECT_FALSE(other.same);
  EXPECT_EQ(other.index, 2u);
  EXPECT_TRUE(other.ended);
  EXPECT_EQ(other.reference, slide_left);
  EXPECT_NEAR(other.seconds, 0.3, rounding);
}

TEST(OrderFit, the_order_of_a_power_is_found_from_any_reference) {
  std::vector<StepDifference> exact, finest, neighbours;
  const std::vector<double> steps{8e-3, 4e-3, 2e-3, 1e-3};
  const auto error = [](double h) { return 3.0 * std::pow(h, 1.5); };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    exact.push_back({steps[i], 0.0, error(steps[i])});
    if (i + 1 == steps.size()) continue;
    finest.push_back({steps[i], 1e-3, error(steps[i]) - error(1e-3)});
    neighbours.push_back({steps[i], steps[i + 1], error(steps[i]) - error(steps[i + 1])});
  }
  for (const auto& differences : {exact, finest, neighbours}) {
    const auto fit = fit_order(differences);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->order, 1.5, 1e-6);  // where squares of roundings are flat
    EXPECT_NEAR(fit->constant, 3.0, 1e-4);
    EXPECT_LT(fit->misfit, 1e-6);
    EXPECT_LT(*fit->order_deviation, 1e-4);
  }
}

TEST(OrderFit, scatter_widens_the_interval_and_two_points_have_none) {
  const auto fit = fit_order({{8.0, 0.0, 8.8}, {4.0, 0.0, 3.6}, {2.0, 0.0, 2.2}, {1.0, 0.0, 0.9}});
  ASSERT_TRUE(fit);
  EXPECT_LT(std::abs(fit->order - 1.0), *fit->order_deviation);
  EXPECT_GT(*fit->order_deviation, 0.05);
  EXPECT_FALSE(fit_order({{2.0, 0.0, 2.0}, {1.0, 0.0, 1.0}})->order_deviation);
  EXPECT_FALSE(fit_order({{2.0, 0.0, 2.0}, {1.0, 0.0, 0.0}}));
}

std::string parsing_refusal(const std::string& text) {
  try {
    Quantity::parse(text, *shapes_model());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Quantity, is_an_expression_of_numbers_of_the_run) {
  const Simulation simulation(Scene::parse(shapes));
  const auto value = [&](const std::string& text) {
    const Quantity quantity = Quantity::parse(text, simulation.model());
    return QuantityReader(quantity, simulation).read(simulation);
  };
  EXPECT_EQ(value("box.y"), 2.0);
  EXPECT_EQ(value("box-2.x - box.x"), 5.0);  // the longest name counts
  EXPECT_EQ(value("max(disk.x, 2*box.y) + t"), 4.0);
  EXPECT_EQ(value("disk.speed + kinetic"), 0.0);
  EXPECT_EQ(value("potential"), value("energy"));
  EXPECT_EQ(value("impulse(ground, box) + force(box, ground)"), 0.0);
}

TEST(Quantity, may_name_joints_and_parameters) {
  const Simulation simulation(Scene::parse(R"(
world: planar
parameters: {length: 0.5, elbow_gain: 3}
bodies:
  arm: {mass: 1, shapes: [{box: [0.1, 0.1]}]}
joints:
  elbow: {revolute: [world, arm], at: [[0, 0], [-length, 0]], velocity: 2}
)"));
  const auto value = [&](const std::string& text) {
    const Quantity quantity = Quantity::parse(text, simulation.model());
    return QuantityReader(quantity, simulation).read(simulation);
  };
  EXPECT_EQ(value("2*length + t"), 1.0);
  EXPECT_EQ(value("elbow.rate * elbow_gain"), 6.0);
  EXPECT_EQ(value("elbow.position + arm.x/length"), 1.0);
}

TEST(Quantity, mistakes_say_what_is_accepted) {
  EXPECT_NE(parsing_refusal("bix.x").find("there is no body 'bix' (did you mean 'box'?)"),
            std::string::npos);
  EXPECT_NE(parsing_refusal("box.q").find("a body has no 'q'; accepted: x, y, z, angle"),
            std::string::npos);
  EXPECT_NE(parsing_refusal("force(box)").find("accepted: force(one body, another body)"),
            std::string::npos);
  EXPECT_NE(parsing_refusal("impulse(box, box)").find("does not touch itself"), std::string::npos);
  EXPECT_NE(parsing_refusal("2 + 3").find("names nothing of the scene"), std::string::npos);
  EXPECT_NE(parsing_refusal("box.x +").find("box.x +:"), std::string::npos);
  EXPECT_NE(parsing_refusal("box.x * banana").find("banana"), std::string::npos);
}

TEST(Trace, samples_between_steps_lie_on_a_line) {
  const Scene scene = Scene::parse(
      "world: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1, velocity: [2, 0], spin: "
      "1}}\n"
      "run: {step: 0.03, duration: 0.1}");
  Simulation simulation(scene);
  Tracer tracer(simulation, sample_times(0.1, 0.04));
  run_steps(simulation, {.last_step = simulation.total_steps(), .watchers = {&tracer}});
  const Trace trace = tracer.finish(simulation);
  ASSERT_EQ(trace.times, (std::vector<double>{0.0, 0.04, 0.08, 0.1}));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(trace.pose(k, 0).position.x(), 2.0 * trace.times[k], rounding);
    EXPECT_NEAR(planar_angle(trace.pose(k, 0).rotation), trace.times[k], rounding);
  }
  EXPECT_TRUE(trace.cost.complete);
  EXPECT_EQ(trace.cost.steps, 4);
  EXPECT_NEAR(trace.end, 0.12, rounding);
}

TEST(Variants, are_the_cross_product_with_reasons_for_what_has_no_meaning) {
  const Scene scene = Scene::parse(std::string(shapes) + "parameters: {mu: 0.3}\n");
  const auto plugins = std::make_shared<const Plugins>(builtin_plugins());
  const VariantSet set =
      make_variants(scene, {},
                    {parse_axis("cone=quadratic,pyramid"),
                     parse_axis("solver=auto,principal-pivoting"), parse_axis("mu = 0.2, 1/3")},
                    plugins);
  EXPECT_EQ(set.variants.size() + set.skipped.size(), 8u);
  EXPECT_EQ(set.variants.front().name, "quadratic, auto, mu=0.2");
  EXPECT_EQ(set.variants[1].overrides.parameters.at("mu"), 1.0 / 3.0);
  for (const SkippedVariant& skipped : set.skipped) EXPECT_FALSE(skipped.reason.empty());
  EXPECT_EQ(select_variants(set, "mu=0.2", "reference").size() * 2, set.variants.size());
  EXPECT_EQ(select_variants(set, "quadratic, auto, mu=1/3", "reference"),
            std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace vinci
