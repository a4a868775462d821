// SPDX-License-Identifier: Apache-2.0
// The Song–Pang–Kumar method: reference case 13, the rigid limit, and what substeps promise.
#include <gtest/gtest.h>

#include "tests/support/compliant.h"
#include "tests/support/reference.h"

namespace vinci::test {
namespace {

struct Exit {
  double time = 0.0;        // s, of the start of the first step without a force
  Vector2 velocity, place;  // m/s, m
  double slip_begins = 0.0;
  bool left = false;
};

// Until the particle leaves the floor, or the end.
Exit leave(const CompliantScene& scene) {
  Simulation simulation = simulate(scene.yaml());
  Exit exit;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_LE(report.solve.residual.relative, 1e-10);
    const double normal = normal_impulse(simulation), tangential = tangential_impulse(simulation);
    exit.time = simulation.state().time - scene.step;
    exit.velocity = twist(simulation, "particle").linear.head<2>();
    exit.place = position(simulation, "particle").head<2>() - Vector2(0.0, 0.0078125);
    // The whole step slides: its impulse lies on the edge of the cone.
    if (normal > 0.0 && exit.slip_begins == 0.0 &&
        std::abs(tangential) >= scene.friction * normal * (1.0 - 1e-9))
      exit.slip_begins = exit.time;
    if (normal == 0.0) {
      exit.left = true;
      break;
    }
  }
  return exit;
}

// Implicit Euler damps an oscillation by the factor 1/(1 + (hω)²) of its square a step, over half a
// period by exp(−π hω/2): 1.6 hω of an undamped rebound. Substeps of a twentieth of the step meet
// the tolerance of the case, which is a tenth of hω.
TEST(SongPangKumar, restitution_follows_the_damping_ratio) {
  const nlohmann::json reference = test::reference("case13_compliant_impact");
  for (const double scale : {0.1, 0.01})
    for (const auto& row : reference["expected"]["restitution_vs_zeta"]) {
      CompliantScene scene;
      scene.gravity = 0.0;
      scene.set_damping_ratio(row["zeta"]);
      scene.step = scale / scene.frequency();
      scene.resolution = scale / 20.0;
      scene.duration = 10.0 / scene.frequency();
      const Exit exit = leave(scene);
      ASSERT_TRUE(exit.left) << "ζ " << row["zeta"];
      EXPECT_NEAR(exit.velocity.y(), row["e"].get<double>(), 0.1 * scale) << "ζ " << row["zeta"];
    }
}

TEST(SongPangKumar, restitution_converges_with_order_one_in_the_resolution) {
  for (const auto& [zeta, e] : {std::pair(0.0, 1.0), std::pair(0.2, 0.571740027584777),
                                std::pair(1.0, 0.135335283236613)}) {
    std::vector<double> steps, errors;
    for (const double resolution : {0.08, 0.04, 0.02, 0.01}) {
      CompliantScene scene;
      scene.gravity = 0.0;
      scene.set_damping_ratio(zeta);
      scene.resolution = resolution;
      scene.step = 0.5 / scene.frequency();
      scene.duration = 10.0 / scene.frequency();
      steps.push_back(resolution);
      errors.push_back(std::abs(leave(scene).velocity.y() - e));
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15) << "ζ " << zeta;
    // 1.6 hω at most, see above.
    EXPECT_LE(errors.back(), 0.016) << "ζ " << zeta;
  }
}

TEST(SongPangKumar, oblique_impacts_stick_slip_and_leave_as_the_reference_does) {
  const nlohmann::json reference = test::reference("case13_compliant_impact");
  for (const auto& [name, wanted] : reference["expected"]["oblique"].items()) {
    const auto& given = wanted["parameters"];
    std::vector<double> steps, errors;
    for (const double h : {8e-6, 4e-6, 2e-6}) {
      const CompliantScene scene = oblique_impact(given, h);
      const Exit exit = leave(scene);
      ASSERT_TRUE(exit.left);
      const Vector2 velocity(wanted["exit"]["vx"].get<double>(),
                             wanted["exit"]["vy"].get<double>());
      const Vector2 place(wanted["exit"]["x"].get<double>(), wanted["exit"]["y"].get<double>());
      // The case: event times to 2 h, velocities to 5 hω |v|.
      EXPECT_NEAR(exit.time, wanted["contact_time"].get<double>(), 2.0 * h) << name;
      const double speed = scene.velocity.norm(), omega = scene.frequency();
      EXPECT_LE((exit.velocity - velocity).norm(), 5.0 * h * omega * speed) << name;
      EXPECT_LE((exit.place - place).norm(), 5.0 * h * speed) << name;
      for (const auto& event : wanted["events"])
        if (event["event"] == "slip+1 starts") {
          EXPECT_NEAR(exit.slip_begins, event["t"].get<double>(), 2.0 * h) << name;
        }
      steps.push_back(h);
      errors.push_back((exit.velocity - velocity).norm());
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1) << name;
  }
}

TEST(SongPangKumar, stiffness_alone_does_not_take_the_rebound_away) {
  const nlohmann::json reference = test::reference("case13_compliant_impact");
  for (const auto& row : reference["expected"]["stiff_limit"])
    for (const auto& [key, zeta] :
         {std::pair("zeta=1", 1.0), std::pair("zeta=5", 5.0), std::pair("zeta=50", 50.0)}) {
      CompliantScene scene;
      scene.stiffness = row["kn"];
      scene.set_damping_ratio(zeta);
      scene.step = 0.05 / scene.frequency();
      // Where the damping is large the impact is over in 1/(2 ζ ω).
      scene.resolution = 0.004 / std::min(zeta, 5.0);
      scene.duration = 20.0 / scene.frequency();
      const Exit exit = leave(scene);
      const auto& wanted = row[key];
      ASSERT_EQ(exit.left, wanted.is_object()) << row["kn"] << " " << key;
      if (!exit.left) continue;
      // 5 hω |v| of the case, and event times to 2 h, h the substep.
      EXPECT_NEAR(exit.velocity.y(), wanted["v_exit"].get<double>(), 5.0 * scene.resolution);
      EXPECT_NEAR(exit.time, wanted["t_contact"].get<double>(), 2.0 * scene.step);
    }
}

TEST(SongPangKumar, a_body_at_rest_presses_the_layer_in_by_m_g_over_k) {
  CompliantScene scene;
  scene.set_damping_ratio(0.5);
  scene.velocity.setZero();
  scene.step = 1e-3;
  scene.duration = 0.5;
  Simulation simulation = simulate(scene.yaml());
  run_exactly(simulation);
  const double pressed = scene.mass * 9.81 / scene.stiffness;
  EXPECT_NEAR(position(simulation, "particle").y() - 0.0078125, -pressed, 1e-9 * pressed);
  ASSERT_EQ(simulation.state().memory.layers.size(), 1u);
  // The floor has shape 0 and is side a.
  EXPECT_NEAR(simulation.state().memory.layers[0].deformation_a[0], pressed, 1e-9 * pressed);
  EXPECT_EQ(simulation.state().memory.layers[0].deformation_b, Vector3::Zero());
}

// With the relaxation time τ = D/K fixed the restitution is 1/(4 ζ²) = m/(k τ²) and the layer is
// pressed in by m g/k: everything is O(1/k) away from rigid bodies.
TEST(SongPangKumar,
     at_a_fixed_relaxation_time_the_rigid_solution_is_met_with_order_one_in_1_over_k) {
  const double relaxation = 0.02;
  CompliantScene scene;
  scene.friction = 0.3;
  scene.velocity = {1.0, 0.0};
  scene.gap = 0.02;
  scene.duration = 0.2;
  // Substeps of one length, short enough that what they add does not show.
  scene.step = 2e-6;
  scene.resolution = 10.0;
  ParticleScene rigid;
  rigid.friction = 0.3;
  rigid.gap = 0.02;
  rigid.velocity = {1.0, 0.0, 0.0};
  rigid.run = "{step: 2 us, duration: 0.2}";
  Simulation exact = simulate(rigid.yaml());
  run_exactly(exact);
  std::vector<double> softness, errors;
  for (const double stiffness : {4e3, 1.6e4, 6.4e4, 2.56e5}) {
    scene.stiffness = scene.tangential_stiffness = stiffness;
    scene.damping = scene.tangential_damping = stiffness * relaxation;
    Simulation simulation = simulate(scene.yaml());
    run_exactly(simulation);
    softness.push_back(1.0 / stiffness);
    errors.push_back(
        (position(simulation, "particle") - position(exact, "particle")).head<2>().norm());
  }
  EXPECT_NEAR(fitted_order(softness, errors), 1.0, 0.1);
}

// A pair of rigid materials has the rows of stewart-trinkle, whatever else is soft.
TEST(SongPangKumar, a_rigid_pair_moves_as_under_stewart_trinkle_to_the_bit) {
  ParticleScene scene;
  scene.velocity = {1.0, 0.0, 0.0};
  scene.gap = 0.01;
  scene.restitution = 0.5;
  std::string text = scene.yaml();
  text.replace(text.find("materials: {m:"), 14, "materials: {unused: {stiffness: 1e5}, m:");
  RunOverrides soft;
  soft.options["stepper"] = "song-pang-kumar";
  Simulation one = simulate(text), other = simulate(text, soft);
  while (!one.finished()) {
    one.step();
    EXPECT_EQ(other.step().substeps, 1);
    ASSERT_EQ(one.state(), other.state());
  }
}

TEST(SongPangKumar, layers_of_two_materials_act_in_series) {
  CompliantScene one;
  one.damping = 100.0;
  one.gap = 0.001;
  one.duration = 0.1;
  std::string two = one.yaml();
  // Twice as stiff and damped on either side.
  const std::string layer = "stiffness: 2e5, damping: 200, tangential-stiffness: 2e5";
  two.replace(two.find("    stiffness: 100000"), 21, "    stiffness: 200000");
  two.replace(two.find("    damping: 100"), 16, "    damping: 200");
  two.replace(two.find("tangential-stiffness: 100000"), 28, "tangential-stiffness: 200000");
  two.replace(two.find("hard: {friction: 0"), 18, "hard: {friction: 0, " + layer);
  Simulation a = simulate(one.yaml()), b = simulate(two);
  double largest = 0.0;
  while (!a.finished()) {
    a.step(), b.step();
    ASSERT_NEAR(position(a, "particle").y(), position(b, "particle").y(), 1e-12);
    for (const LayerMemory& memory : b.state().memory.layers) {
      EXPECT_NEAR(memory.deformation_a[0], memory.deformation_b[0], 1e-15);
      largest = std::max(largest, memory.deformation_a[0]);
    }
  }
  EXPECT_GT(largest, 1e-4);
}

TEST(SongPangKumar, the_step_shortens_at_contact_only_and_recovers_after_it) {
  CompliantScene scene;
  scene.set_damping_ratio(0.3);
  scene.gap = 0.1;
  scene.velocity.setZero();
  scene.step = 1e-3;
  scene.duration = 0.25;
  Simulation simulation = simulate(scene.yaml());
  const double fall = std::sqrt(2.0 * 0.1 / 9.81);
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    const double begin = simulation.state().time - scene.step;
    // Contact lasts less than π/ω√(1 − ζ²).
    if (begin > fall + 1.1 * M_PI / scene.frequency() || begin + scene.step < fall - 2e-3) {
      ASSERT_EQ(report.substeps, 1) << "at " << begin;
    } else if (begin > fall + 1e-3 && begin + scene.step < fall + 6e-3) {
      // resolution/ω = 31.6 µs.
      ASSERT_EQ(report.substeps, 32) << "at " << begin;
    }
  }
}

TEST(SongPangKumar, energy_of_bodies_and_layers_never_grows) {
  for (const double zeta : {0.0, 0.05, 0.5, 5.0})
    for (const double resolution : {0.01, 0.1, 1.0}) {
      CompliantScene scene;
      scene.set_damping_ratio(zeta);
      scene.friction = 0.4;
      scene.velocity = {0.7, -1.0};
      scene.gap = 0.001;
      scene.resolution = resolution;
      scene.step = 1e-3;
      scene.duration = 0.3;
      Simulation simulation = simulate(scene.yaml());
      double before = energy(simulation.model(), simulation.state()).total();
      while (!simulation.finished()) {
        simulation.step();
        const double now = energy(simulation.model(), simulation.state()).total();
        ASSERT_LE(now, before + 1e-13) << "ζ " << zeta << " at " << simulation.state().time;
        before = now;
      }
    }
}

TEST(SongPangKumar, a_run_continued_from_any_state_is_the_same_to_the_bit) {
  CompliantScene scene;
  scene.damping = 50.0;
  scene.tangential_damping = 20.0;
  scene.friction = 0.3;
  scene.gap = 0.005;
  scene.velocity = {0.3, 0.0};
  scene.step = 1e-3;
  scene.duration = 0.08;
  Simulation whole = simulate(scene.yaml());
  std::vector<State> states;
  while (!whole.finished()) {
    states.push_back(whole.state());
    whole.step();
  }
  for (std::size_t i = 0; i < states.size(); i += 7) {
    Simulation again = simulate(scene.yaml());
    again.set_state(states[i]);
    while (!again.finished()) again.step();
    ASSERT_EQ(again.state(), whole.state()) << "from step " << i;
  }
}

TEST(SongPangKumar, a_layer_stiffer_than_the_substeps_resolve_is_told_and_does_not_hang) {
  CompliantScene scene;
  scene.stiffness = 1e14;
  scene.damping = 1e6;
  scene.step = 1e-3;
  scene.duration = 0.01;
  RunOverrides overrides;
  overrides.plugin_options[{"stepper", "most-substeps"}] = "50";
  Simulation simulation = simulate(scene.yaml(), overrides);
  const StepReport& report = simulation.step();
  EXPECT_LE(report.substeps, 51);
  EXPECT_TRUE(report.coarse);
  EXPECT_LE(report.solve.residual.relative, 1e-10);
}

std::string refusal(const std::string& scene, const RunOverrides& overrides) {
  try {
    simulate(scene, overrides);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(SongPangKumar, what_it_cannot_do_is_refused_with_the_reason_and_the_way_out) {
  RunOverrides overrides;
  overrides.options["stepper"] = "song-pang-kumar";
  ParticleScene rigid;
  EXPECT_NE(refusal(rigid.yaml(), overrides).find("a `stiffness` in N/m"), std::string::npos);
  rigid.planar = false;
  EXPECT_NE(refusal(rigid.yaml(), overrides).find("a `stiffness` in N/m"), std::string::npos);
  for (const char* motion : {"first-order", "quasi-static"}) {
    overrides.options["motion"] = motion;
    EXPECT_NE(refusal(CompliantScene().yaml(), overrides).find("motion dynamic"),
              std::string::npos);
  }
}

TEST(SongPangKumar, materials_that_make_no_layer_are_refused) {
  const auto scene = [](const std::string& material) {
    return "world: planar\nmaterials: {m: {" + material +
           "}}\nbodies: {b: {shapes: [{circle: 1, material: m, density: 1}]}}\n";
  };
  EXPECT_NE(refusal(scene("damping: 3"), {}).find("without `stiffness` is rigid"),
            std::string::npos);
  EXPECT_NE(refusal(scene("stiffness: 100, tangential-stiffness: 25, coupling-stiffness: -50"), {})
                .find("accepted: less than 50 N/m"),
            std::string::npos);
  EXPECT_EQ(refusal(scene("stiffness: 100, tangential-stiffness: 25, coupling-stiffness: -49"), {}),
            "");
}

TEST(SongPangKumar, a_light_body_rests_on_a_stiff_layer_without_substeps_for_ever) {
  // m g/k = 1e-12 m.
  Simulation simulation = simulate(R"(
world: planar
materials: {stiff: {stiffness: 1e10, damping: 6324.56}, stone: {}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: stone}]}
  ball: {shapes: [{circle: 0.03, material: stiff}], mass: 0.001, pose: {on: floor, at: 0, height: 0}}
run: {stepper: song-pang-kumar, step: 1 ms, duration: 0.05}
)");
  long substeps = 0;
  while (!simulation.finished()) substeps += simulation.step().substeps;
  EXPECT_LE(substeps, 1000);
}

}  // namespace
}  // namespace vinci::test
