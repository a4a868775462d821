// SPDX-License-Identifier: Apache-2.0
// Comparisons and convergence studies of scenes whose answers are known.
#include <cmath>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "vinci/comparison/compare.h"
#include "vinci/comparison/converge.h"

namespace vinci {
namespace {

constexpr double g = 9.81;

// Slides to the right, stops after v/(μ g) = 0.34 s and v²/(2 μ g) = 0.17 m.
const char* sliding = R"(
world: planar
parameters: {mu: 0.3, speed: 1}
materials: {wood: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block:
    shapes: [{box: [0.2, 0.1], material: wood, density: 700}]
    position: [0, 0.05]
    velocity: [speed, 0]
run: {step: 1 ms, duration: 0.5 s}
)";

// Without forces, what a pusher of constant speed pushes goes with it under every motion model.
const char* pushed = R"(
world: planar
gravity: [0, 0]
bodies:
  pusher: {shapes: [{box: [0.1, 0.1]}], motion: {x: 0.2*t, y: 0, angle: 0}}
  load: {shapes: [{box: [0.1, 0.1], density: 10}], position: [0.1, 0]}
run: {step: 1 ms, duration: 0.2 s}
)";

std::shared_ptr<const Plugins> plugins() {
  static const auto all = std::make_shared<const Plugins>(builtin_plugins());
  return all;
}

Comparison compared(const char* scene, const std::vector<std::string>& across,
                    const CompareOptions& options = {}) {
  std::vector<Axis> axes;
  for (const std::string& text : across) axes.push_back(parse_axis(text));
  return *compare(Scene::parse(scene), {}, axes, plugins(), options);
}

// A tolerance within which all runs agree.
CompareOptions wide() {
  CompareOptions options;
  options.tolerance = 10.0;
  return options;
}

Convergence converged(const char* scene, const ConvergeOptions& options,
                      const std::vector<std::string>& across = {}) {
  std::vector<Axis> axes;
  for (const std::string& text : across) axes.push_back(parse_axis(text));
  return *converge(Scene::parse(scene), {}, axes, plugins(), options);
}

template <class Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// A part that fits exactly between two walls falls, or hangs by loads that nothing decides.
TEST(Compare, runs_that_part_by_choice_are_told_from_models_that_differ) {
  const char* wedged = R"(
world: planar
parameters: {mu: 0.5}
materials: {m: {friction: mu}}
bodies:
  left: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [-1, 0]}
  right: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [1, 0]}
  part: {shapes: [{box: [1, 1], material: m}], position: [0, 0], force: {y: 20*(1 - exp(-50*t))}}
run: {step: 1 ms, duration: 0.2 s, diagnose: flag}
)";
  CompareOptions options;
  options.tolerance = 1e-6;
  const Comparison all = compared(wedged, {"step=1 ms,2 ms"}, options);
  for (const ComparedVariant& variant : all.variants)
    EXPECT_GT(variant.trace.cost.several_steps, 0);
  const Comparison other = compared(sliding, {"motion=dynamic,quasi-static"});
  EXPECT_FALSE(other.variants[1].agrees);
  EXPECT_FALSE(other.variants[1].by_choice);  // nobody asked
  for (const ComparedVariant& variant : all.variants) {
    EXPECT_EQ(variant.by_choice, variant.difference && !variant.agrees);
    if (!variant.by_choice) continue;
    bool told = false;
    for (const std::string& sentence : all.answer)
      told =
          told || sentence.find("differs by choice among several solutions") != std::string::npos;
    EXPECT_TRUE(told);
  }
}

TEST(Compare, without_inertia_the_block_does_not_slide) {
  const Comparison all = compared(sliding, {"motion=dynamic,quasi-static"});
  EXPECT_EQ(all.cases.front().reference, 0u);
  const ComparedVariant& other = all.variants[1];
  EXPECT_FALSE(other.agrees);
  EXPECT_EQ(all.cases.front().cheapest, 0u);
  // Backward Euler stops within v h of v²/(2 μ g).
  EXPECT_NEAR(other.difference->largest, 1.0 / (2.0 * 0.3 * g), 1e-3);
  EXPECT_EQ(other.difference->largest_body, 1);
  // The tolerance is 1 % of the diagonal 2 · 0.1118 m, which the block has left after 2.3 ms.
  EXPECT_NEAR(all.tolerance, 0.01 * std::hypot(0.2, 0.1), 1e-15);
  EXPECT_NEAR(other.difference->first_above, 3e-3, 1e-12);
}

TEST(Compare, the_block_slides_right_and_then_sticks) {
  const Comparison all = compared(sliding, {"motion=dynamic,first-order"});
  const auto& pairs = all.variants[0].trace.pairs;
  ASSERT_EQ(pairs.size(), 1u);
  const ModeSequence modes = settled(pairs.at({0, 1}).modes, all.brief, all.duration);
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_EQ(modes[0].mode, ContactMode::slide_right);
  EXPECT_EQ(modes[1].mode, ContactMode::stick);
  EXPECT_NEAR(modes[1].begin, 1.0 / (0.3 * g), 1.001e-3);  // in the step of v/(μ g)
  const ModeDifference& difference = all.variants[1].difference->pairs.front().modes;
  EXPECT_FALSE(difference.same);
  EXPECT_EQ(difference.mode, ContactMode::stick);
  EXPECT_EQ(difference.reference, ContactMode::slide_right);
  EXPECT_NEAR(difference.seconds, modes[1].begin, 1e-12);
}

TEST(Compare, impulses_of_the_floor_carry_the_weight_in_every_model) {
  const Comparison all = compared(sliding, {"motion=dynamic,quasi-static"});
  const PairDifference& pair = all.variants[1].difference->pairs.front();
  const double mass = 700.0 * 0.2 * 0.1;
  // The dynamic block was stopped by the floor as well: that impulse is m v.
  EXPECT_NEAR(pair.last_impulse, mass * 1.0, 1e-9);
  EXPECT_NEAR(pair.reference_peak, mass * g * std::hypot(1.0, 0.3), 1e-6);
  EXPECT_NEAR(pair.peak, mass * g, 1e-6);
}

TEST(Compare, the_words_tell_final_poses_and_forces_of_each_run) {
  const Comparison all = compared(sliding, {"motion=dynamic,quasi-static"});
  // m g T = 68.67 N s instead of hypot(m g T, m v), apart by m v = 14 N s; m g instead of
  // m g hypot(1, μ); both end flat on the floor.
  const std::string said = all.answer.at(1);
  EXPECT_TRUE(said.starts_with("'quasi-static' ends with 'block' 169 mm away; ")) << said;
  EXPECT_TRUE(
      said.ends_with("; contact of 'floor' and 'block': impulse 68.7 instead of 70.1 N s "
                     "(20 % apart), peak force 137 instead of 143 N."))
      << said;
  const Comparison same = compared(sliding, {"stepper=stewart-trinkle,anitescu-potra"});
  EXPECT_TRUE(
      same.answer.at(2).ends_with("; contact impulses and peak forces are the same to 0.01 %."))
      << same.answer.at(2);
}

TEST(Compare, costs_within_a_tenth_count_as_the_same) {
  Comparison all = compared(sliding, {"mu=0.3,0.31,0.32"}, wide());
  const auto words = [&](double first, double second, double third, std::size_t cheapest) {
    const double costs[] = {first, second, third};
    for (std::size_t v = 0; v < 3; ++v)
      all.variants[v].trace.cost.cpu_seconds =
          costs[v] * all.variants[v].trace.cost.simulated_seconds;
    EXPECT_EQ(cheapest_of(all.cases.front(), all.variants), cheapest);
    all.cases.front().cheapest = cheapest;
    return comparison_words(all).back();
  };
  EXPECT_EQ(
      words(1.0, 0.95, 2.0, 0),
      "Nothing cheaper agrees with 'mu=0.3', which takes 1 s of CPU time per simulated second; "
      "'mu=0.31' costs the same.");
  EXPECT_EQ(words(1.0, 0.5, 0.48, 1),
            "The cheapest that agrees with 'mu=0.3' is 'mu=0.31': 500 ms of CPU time per simulated "
            "second instead of 1 s; 'mu=0.32' costs the same.");
  EXPECT_EQ(words(1.0, 0.5, 0.3, 2),
            "The cheapest that agrees with 'mu=0.3' is 'mu=0.32': 300 ms of CPU time per simulated "
            "second instead of 1 s.");
}

TEST(Compare, steppers_and_models_that_must_agree_do) {
  const Comparison steppers = compared(sliding, {"stepper=stewart-trinkle,anitescu-potra"});
  EXPECT_LT(steppers.variants[1].difference->largest, 1e-12);  // roundings of 500 steps
  EXPECT_TRUE(steppers.variants[1].difference->pairs.front().modes.same);
  const Comparison models = compared(pushed, {"motion=dynamic,first-order,quasi-static"});
  for (const ComparedVariant& variant : models.variants) {
    EXPECT_TRUE(variant.agrees);
    if (variant.difference) {
      EXPECT_LT(variant.difference->largest, 1e-12);
    }
  }
}

TEST(Compare, parameters_make_cases_and_alone_one) {
  const Comparison all = compared(sliding, {"motion=quasi-static,dynamic", "speed=1e-3,1"});
  ASSERT_EQ(all.cases.size(), 2u);
  EXPECT_EQ(all.cases[0].name, "speed=1e-3");
  EXPECT_EQ(all.variants[all.cases[1].reference].variant.name, "dynamic, speed=1");
  EXPECT_TRUE(all.variants[0].agrees);   // 1 mm/s: 0.2 µm
  EXPECT_FALSE(all.variants[1].agrees);  // 1 m/s
  EXPECT_EQ(all.answer.back(), "'quasi-static' agrees at speed=1e-3; not at speed=1.");
  EXPECT_EQ(compared(sliding, {"mu=0.2,0.3"}).cases.size(), 1u);
}

TEST(Compare, the_finest_has_inertia_then_the_smallest_step_then_the_exact_cone) {
  const Comparison all = compared(
      sliding, {"cone=pyramid,quadratic", "step=2e-3,1e-3", "motion=quasi-static,dynamic"});
  EXPECT_EQ(all.variants[all.cases.front().reference].variant.name,
            "quadratic, step=1e-3, dynamic");
  CompareOptions options;
  options.reference = "cone=pyramid, step=2e-3, motion=dynamic";
  const Comparison other =
      compared(sliding, {"cone=pyramid,quadratic", "step=2e-3,1e-3", "motion=quasi-static,dynamic"},
               options);
  EXPECT_EQ(other.cases.front().reference, 1u);
  options.reference = "motion=dynamic";
  EXPECT_NE(refusal([&] {
              compared(sliding, {"motion=dynamic", "step=2e-3,1e-3"}, options);
            }).find("stands for 2 runs"),
            std::string::npos);
}

TEST(Compare, runs_that_locate_impacts_are_finer_and_equals_go_by_their_order) {
  const auto reference = [](const std::vector<std::string>& across) {
    const Comparison all = compared(sliding, across);
    const ComparisonCase& it = all.cases.front();
    const std::string& name = all.variants[it.reference].variant.name;
    const bool said = all.answer.front() ==
                      "'" + name + "' is the reference as the first one named: others are as fine.";
    EXPECT_NE(it.finest, said) << all.answer.front();
    return name + (it.finest ? "" : ", named first");
  };
  EXPECT_EQ(reference({"impact-time=none,bisect"}), "bisect");
  EXPECT_EQ(reference({"impact-time=none,gap-rate"}), "gap-rate");
  EXPECT_EQ(reference({"impact-time=gap-rate,none,bisect"}), "gap-rate, named first");
  EXPECT_EQ(reference({"impact-time=bisect,none", "step=1e-3,5e-4"}), "bisect, step=5e-4");
  EXPECT_EQ(reference({"impact-time=bisect,none", "step=5e-4,1e-3"}), "bisect, step=5e-4");
  EXPECT_EQ(reference({"mu=0.3,0.2"}), "mu=0.3, named first");
  EXPECT_EQ(reference({"stepper=anitescu-potra,stewart-trinkle"}), "anitescu-potra, named first");
}

// Everything but times, which no two runs have in common.
std::string timeless(const Comparison& all) {
  auto json = nlohmann::json::parse(comparison_json(all));
  for (auto& variant : json["variants"])
    variant["cost"].erase("cpu_seconds"), variant["cost"].erase("cpu_per_second");
  for (auto& it : json["cases"]) it.erase("cheapest");
  json.erase("answer");
  return json.dump();
}

TEST(Compare, does_not_depend_on_the_number_of_jobs) {
  const std::vector<std::string> across{"motion=dynamic,quasi-static", "step=2e-3,1e-3",
                                        "stepper=stewart-trinkle,anitescu-potra"};
  CompareOptions one, four;
  one.run.jobs = 1;
  four.run.jobs = 4;
  EXPECT_EQ(timeless(compared(sliding, across, one)), timeless(compared(sliding, across, four)));
}

TEST(Compare, stops_when_told_and_passes_on_what_its_caller_throws) {
  CompareOptions options;
  options.run.go_on = [](std::int64_t, std::int64_t) { return false; };
  RunOverrides lasting;
  lasting.options["duration"] = "1e6";
  const std::vector<Axis> axes{parse_axis("motion=dynamic,first-order")};
  EXPECT_FALSE(compare(Scene::parse(sliding), lasting, axes, plugins(), options));
  options.run.go_on = [](std::int64_t, std::int64_t) -> bool { throw std::domain_error("enough"); };
  EXPECT_THROW(compare(Scene::parse(sliding), lasting, axes, plugins(), options),
               std::domain_error);
}

TEST(Compare, bad_axes_are_refused_with_what_is_accepted) {
  const auto said = [](const std::vector<std::string>& across) {
    return refusal([&] { compared(sliding, across); });
  };
  EXPECT_NE(said({"motoin=dynamic,first-order"})
                .find("there is no axis 'motoin' (did you mean 'motion'?)"),
            std::string::npos);
  EXPECT_NE(said({"motion=dynamic,slow"}).find("across motion: unknown value 'slow'"),
            std::string::npos);
  EXPECT_NE(said({"solver=auto,bogus"}).find("bogus"), std::string::npos);
  EXPECT_NE(said({"motion="}).find("has no values"), std::string::npos);
  EXPECT_NE(said({"motion=dynamic,"}).find("a value that is empty"), std::string::npos);
  EXPECT_NE(said({"step=1e-3,1 ms"}).find("the value '1 ms' twice"), std::string::npos);
  EXPECT_NE(said({"mu=0.1,x"}).find("across mu: 'x'"), std::string::npos);
  EXPECT_NE(said({"mu=0.1", "mu=0.2"}).find("is given twice"), std::string::npos);
  EXPECT_NE(said({"duration=1,2"}).find("over one and the same time"), std::string::npos);
  EXPECT_NE(said({"motion=dynamic"}).find("a comparison needs two runs"), std::string::npos);
  EXPECT_NE(said({"motion"}).find("'motion' is no axis"), std::string::npos);
  EXPECT_NE(said({"mu=-1,-2"}).find("none can run"), std::string::npos);
  std::string many = "step=";
  for (int i = 1; i <= 40; ++i) many += (i > 1 ? ",0." : "0.") + std::to_string(100 + i);
  std::string more = many;
  more.replace(0, 4, "mu");
  EXPECT_NE(said({many, more}).find("1600 combinations; accepted: at most 1000"),
            std::string::npos);
}

// y = −g t²/2; backward Euler gives −g t (t + h)/2.
const char* falling = R"(
world: planar
bodies: {stone: {shapes: [{circle: 0.1, density: 1}]}}
run: {step: 1 ms, duration: 0.2 s}
)";

TEST(Converge, a_fall_is_of_first_order_from_every_reference) {
  ConvergeOptions options;
  options.quantities = {"stone.y"};
  const double exact = -0.5 * g * 0.04;
  using Reference = std::variant<ReferenceRule, double>;
  for (const Reference& reference :
       {Reference(exact), Reference(ReferenceRule::finest), Reference(ReferenceRule::richardson)}) {
    options.reference = reference;
    const ConvergenceCurve curve = converged(falling, options).curves.front();
    ASSERT_TRUE(curve.fit);
    EXPECT_NEAR(curve.fit->order, 1.0, 1e-6);
    EXPECT_NEAR(curve.fit->constant, 0.5 * g * 0.2, 1e-4);
    EXPECT_EQ(curve.points.size(), 5u);
    if (curve.finest == 0.0) {
      EXPECT_NEAR(curve.reference, exact, 1e-9);  // the limit amplifies rounding a little
      for (const ConvergencePoint& point : curve.points)
        EXPECT_NEAR(point.error, 0.5 * g * 0.2 * point.step, 1e-9);
    }
  }
}

TEST(Converge, a_sliding_block_is_of_first_order_under_both_steppers) {
  ConvergeOptions options;
  options.quantities = {"block.x", "trajectory", "impulse(floor, block)"};
  options.steps = step_series(4e-3, 0.5e-3, 2.0);
  options.at = 0.2;
  const Convergence all = converged(sliding, options, {"stepper=stewart-trinkle,anitescu-potra"});
  ASSERT_EQ(all.curves.size(), 6u);
  for (const ConvergenceCurve& curve : all.curves) {
    if (curve.quantity.starts_with("impulse")) {  // m g t with every step
      EXPECT_FALSE(curve.fit);
      EXPECT_NEAR(curve.points.front().value, 14.0 * g * 0.2, 1e-9);
      EXPECT_NE(curve.answer.find("same value, up to rounding"), std::string::npos);
      continue;
    }
    EXPECT_NEAR(curve.fit->order, 1.0, 1e-5) << curve.answer;
    EXPECT_NEAR(curve.fit->constant, 0.5 * 0.3 * g * 0.2, 1e-4);  // μ g t/2
  }
  EXPECT_EQ(all.curves.back().variant, "anitescu-potra");
}

TEST(Converge, runs_that_end_early_give_no_order_and_say_why) {
  // Without inertia nothing holds a stone in the air: there is no first step.
  ConvergeOptions options;
  for (const char* quantity : {"stone.y", "trajectory"})
    for (const auto rule : {ReferenceRule::finest, ReferenceRule::richardson}) {
      options.quantities = {quantity};
      options.reference = rule;
      if (options.quantities.front() == trajectory_quantity && rule != ReferenceRule::finest)
        continue;
      const ConvergenceCurve curve =
          converged(falling, options, {"motion=quasi-static"}).curves.front();
      EXPECT_FALSE(curve.fit);
      EXPECT_NE(curve.failure.find("no run reached t = 0.2 s: that with the step 0.0005 s ended ("),
                std::string::npos)
          << curve.answer;
    }
  options = {};
  options.quantities = {"stone.y"};
  EXPECT_EQ(converged(falling, options).curves.front().failure, "");
}

TEST(Converge, extremes_means_and_times_between_steps) {
  ConvergeOptions options;
  options.reference = 0.0;
  options.steps = {2e-3, 1e-3};
  const auto value = [&](const char* quantity, Over over, double at) {
    options.quantities = {quantity};
    options.over = over;
    options.at = at;
    return converged(sliding, options).curves.front().points.back().value;
  };
  EXPECT_NEAR(value("block.vx", Over::largest, 0.1), 1.0, 1e-12);
  EXPECT_NEAR(value("block.vx", Over::smallest, 0.1), 1.0 - 0.3 * g * 0.1, 1e-9);
  EXPECT_NEAR(value("block.vx", Over::mean, 0.1), 1.0 - 0.5 * 0.3 * g * 0.1, 1e-9);
  EXPECT_NEAR(value("block.vx", Over::end, 0.1005), 1.0 - 0.3 * g * 0.1005, 1e-9);
  options.steps = {3e-3, 1e-3};
  EXPECT_NE(converged(sliding, options).notes.front().find("is no multiple of the step 0.003 s"),
            std::string::npos);
}

TEST(Converge, bad_wishes_are_refused) {
  ConvergeOptions options;
  const auto said = [&] { return refusal([&] { converged(sliding, options); }); };
  options.steps = {1e-3, 5e-4};
  EXPECT_NE(said().find("three steps or more"), std::string::npos);
  options.steps = {1e-3, 0.0, 1e-4};
  EXPECT_NE(said().find("0 is no step"), std::string::npos);
  options.steps = {};
  options.reference = 1.0;
  EXPECT_NE(said().find("compared with that of the finest step"), std::string::npos);
  options.reference = ReferenceRule::finest;
  options.at = 0.6;
  EXPECT_NE(said().find("accepted: 0 to the duration, 0.5 s"), std::string::npos);
  EXPECT_NE(refusal([] { step_series(1e-3, 1e-2, 2.0); }).find("from > to > 0"), std::string::npos);
  EXPECT_NE(refusal([] { step_series(1e-2, 1e-3, 1.0); }).find("above 1"), std::string::npos);
}

TEST(Converge, the_plot_is_one_drawing_with_its_orders) {
  ConvergeOptions options;
  options.quantities = {"stone.y"};
  const std::string svg = convergence_svg(converged(falling, options));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("order 1.00"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace vinci
