// SPDX-License-Identifier: Apache-2.0
// Layers of every shape: stiffness that belongs to the pair of bodies, energy that never grows,
// rebounds at the speed of the impact, cores that are met.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"
#include "vinci/stepping/layer_patch.h"

namespace vinci::test {
namespace {

double total_energy(const Simulation& simulation) {
  return energy(simulation.model(), simulation.state()).total();
}

// --- stiffness ---------------------------------------------------------------------------------

// Bodies of 1 kg on a floor, of one material, and what they are made of.
std::string on_floor(const std::string& shapes, double height, const std::string& more = "",
                     const std::string& stepper = "song-pang-kumar") {
  return fmt::format(R"(
world: planar
materials: {{r: {{stiffness: 98100, damping: 600, friction: 0.5}}, s: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: s}}]}}
  part:
    shapes: [{}]
    mass: 1
    inertia: 0.004
    position: [0, {}]
    {}
run: {{step: 1 ms, duration: 0.8 s, stepper: {}}}
)",
                     shapes, height, more, stepper);
}

// A box of 0.2 m × 0.1 m, cut into n.
std::string sliced_box(int n) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += fmt::format("{}{{box: [{}, 0.1], position: [{}, 0], material: r}}", i > 0 ? ", " : "",
                        0.2 / n, -0.1 + 0.2 * (i + 0.5) / n);
  return text;
}

TEST(Layers, a_body_sinks_by_m_g_over_k_however_it_is_cut_and_whatever_its_shape) {
  const double wanted = 1e-4;
  const auto sinks = [&](const std::string& shapes, double height, const std::string& more = "") {
    Simulation simulation = simulate(on_floor(shapes, height, more));
    run_exactly(simulation);
    EXPECT_NEAR(height - position(simulation, "part").y(), wanted, 1e-6 * wanted) << shapes;
    EXPECT_NEAR(position(simulation, "part").x(), 0.0, 1e-6 * wanted) << shapes;
  };
  for (const int n : {1, 2, 3, 10}) sinks(sliced_box(n), 0.05);
  sinks("{circle: 0.05, material: r}", 0.05);
  sinks("{capsule: {length: 0.2, radius: 0.05}, material: r}", 0.05);
  // Two discs and two capsules of one body.
  sinks(
      "{circle: 0.05, position: [-0.1, 0], material: r}, "
      "{circle: 0.05, position: [0.1, 0], material: r}",
      0.05);
  sinks(
      "{polygon: [[-0.05, 0], [0.05, 0], [0.1, 0.0866025403784439], [0.05, 0.173205080756888], "
      "[-0.05, 0.173205080756888], [-0.1, 0.0866025403784439]], material: r}",
      0.0);
  // Overlapping shapes with the same corners, and a comb with five teeth.
  sinks(sliced_box(1) + ", " + sliced_box(2), 0.05);
  std::string comb = "{box: [0.2, 0.05], position: [0, 0.025], material: r}";
  for (int i = 0; i < 5; ++i)
    comb += fmt::format(", {{box: [0.01, 0.05], position: [{}, -0.025], material: r}}",
                        -0.095 + 0.0475 * i);
  sinks(comb, 0.05);
  // On its corner, which keeps its angle.
  sinks("{box: [0.1, 0.1], material: r}", 0.05 * std::sqrt(2.0), "motion: {angle: pi/4}");
  sinks("{capsule: {length: 0.2, radius: 0.05}, material: r}", 0.15, "motion: {angle: pi/2}");
  for (const double exponent : {2.5, 4.0, 10.0})
    sinks(fmt::format("{{superellipse: {{axes: [0.05, 0.05], exponent: {}}}, material: r}}",
                      exponent),
          0.05, "motion: {angle: 0}");
  sinks("{implicit: {function: (x/0.08)^2 + (y/0.05)^2 - 1}, material: r}", 0.05);
}

TEST(Layers, points_of_a_contact_bear_together_what_one_does_however_a_body_is_cut) {
  for (const int n : {1, 2, 4}) {
    Simulation simulation = simulate(
        on_floor(sliced_box(n), 0.05, "", "{name: song-pang-kumar, points: 8, width: 4 mm}"));
    run_exactly(simulation);
    EXPECT_NEAR(position(simulation, "part").y(), 0.05 - 1e-4, 1e-9) << n;
  }
}

// The plate tilts by M/(k ρ²): ends at ±0.1 m that bear half each.
TEST(Layers, a_box_loaded_beside_its_middle_tilts_by_the_stiffness_of_its_two_ends) {
  const double moment = 0.3, tilt = moment / (98100 * 0.01);
  for (const int n : {1, 2, 10}) {
    Simulation simulation =
        simulate(on_floor(sliced_box(n), 0.05, fmt::format("force: {{torque: {}}}", -moment)));
    run_exactly(simulation);
    const Quaternion& turn = simulation.state().poses[1].rotation;
    EXPECT_NEAR(-2.0 * std::asin(turn.z()), tilt, 1e-3 * tilt) << n;
    // The force acts on the line between both surfaces, half the deformation above the floor.
    EXPECT_NEAR(position(simulation, "part").y(), 0.05 - 1e-4, 1e-7) << n;
  }
}

// Two flanks at right angles are two patches, each with the stiffness k: 2 k cos² 45° upwards.
TEST(Layers, flanks_of_a_groove_are_patches_of_their_own) {
  Simulation simulation = simulate(R"(
world: planar
materials: {r: {stiffness: 98100, damping: 600}, s: {}}
bodies:
  groove:
    freedom: fixed
    shapes: [{half-plane: {angle: 45 deg}, material: s}, {half-plane: {angle: -45 deg}, material: s}]
  peg: {shapes: [{circle: 0.05, material: r}], mass: 1, position: [0, 0.0707106781186548]}
run: {step: 1 ms, duration: 0.8 s, stepper: song-pang-kumar}
)");
  run_exactly(simulation);
  EXPECT_NEAR(position(simulation, "peg").y(), 0.0707106781186548 - 1e-4, 1e-9);
}

// What the points of a box bear, as it tilts: no jump, as points come into the patch and leave it.
TEST(Layers, shares_of_a_patch_change_without_jumps_as_a_body_tilts) {
  const auto model = Scene::parse(on_floor(sliced_box(1), 0.05)).compile({});
  DetectorRegistry detectors("detector");
  add_builtin_detectors(detectors);
  const auto detector = detectors.make("exact", OptionValues(detectors.at("exact").options));
  const PatchPoints points({1, 0.0, 0.0});
  LayerPatches patches(points);
  State state = initial_state(*model);
  const double step = 1e-5;
  double before = -1.0, smallest = 1.0, largest = 0.0;
  for (double tilt = -0.08; tilt <= 0.08; tilt += step) {
    const double lowest = 0.1 * std::abs(std::sin(tilt)) + 0.05 * std::cos(tilt);
    state.poses[1] = {Vector3(0.0, lowest - 1e-5, 0.0),
                      Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitZ()))};
    ContactSet contacts;
    detector->detect(*model, state.poses, std::vector<double>{0.0, 0.03}, contacts);
    patches.arrange(*model, state.poses, contacts);
    double right = 0.0, sum = 0.0;
    for (const int m : patches.members(patches.patches().front())) {
      const PatchSite& site = patches.sites()[static_cast<std::size_t>(m)];
      sum += site.share;
      if (site.contact.point_b.x() > 0.0) right += site.share;
    }
    ASSERT_NEAR(sum, 1.0, 1e-12);
    // Half of it over 0.04 rad, and a point in the patch by less than 1e-3 is left out.
    if (before >= 0.0) {
      ASSERT_LE(std::abs(right - before), 20.0 * step + 5e-4) << tilt;
    }
    before = right;
    smallest = std::min(smallest, right);
    largest = std::max(largest, right);
  }
  EXPECT_LE(smallest, 0.01);
  EXPECT_GE(largest, 0.99);
}

// --- energy ------------------------------------------------------------------------------------

struct Rebound {
  double speed = 0.0, energy = 0.0;  // relative
};

Rebound rebound(const std::string& shape, double radius, double angle, double resolution) {
  Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
materials: {{r: {{stiffness: 2e5}}, s: {{}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: s}}]}}
  part: {{shapes: [{{{}, material: r}}], mass: 0.7, position: [0, {}], angle: {}, velocity: [0, -1.5]}}
run: {{step: 1 ms, duration: 60 ms, stepper: {{name: song-pang-kumar, resolution: {}}}}}
)",
                                               shape, radius + 0.01, angle, resolution));
  const double first = total_energy(simulation);
  double before = first;
  while (!simulation.finished()) {
    simulation.step();
    const double now = total_energy(simulation);
    EXPECT_LE(now, before + 1e-12 * first) << shape << " at " << simulation.state().time;
    before = now;
  }
  return {twist(simulation, "part").linear.y() / 1.5, before / first};
}

TEST(Layers, without_damping_every_shape_rebounds_at_the_speed_of_its_impact) {
  struct Case {
    const char* shape;
    double radius, angle;
  };
  for (const Case& c : {Case{"circle: 0.05", 0.05, 0.0}, Case{"box: [0.2, 0.1]", 0.05, 0.0},
                        Case{"box: [0.1, 0.1]", 0.05 * std::sqrt(2.0), 0.25 * M_PI},
                        Case{"capsule: {length: 0.1, radius: 0.03}", 0.03, 0.0},
                        Case{"capsule: {length: 0.1, radius: 0.03}", 0.08, 0.5 * M_PI},
                        Case{"polygon: [[-0.05, -0.05], [0.05, -0.05], [0, 0.1]]", 0.05, 0.0},
                        Case{"superellipse: {axes: [0.05, 0.05], exponent: 2.5}", 0.05, 0.0},
                        Case{"superellipse: {axes: [0.08, 0.05], exponent: 4}", 0.05, 0.0},
                        Case{"superellipse: {axes: [0.05, 0.05], exponent: 9}", 0.05, 0.0},
                        Case{"implicit: {function: (x/0.08)^2 + (y/0.05)^2 - 1}", 0.05, 0.0}}) {
    std::vector<double> resolutions, errors;
    for (const double resolution : {0.04, 0.02, 0.01, 0.005}) {
      const Rebound found = rebound(c.shape, c.radius, c.angle, resolution);
      // Implicit Euler: exp(−π hω/2), h at most resolution/ω.
      EXPECT_LE(found.speed, 1.0 + 1e-12) << c.shape;
      EXPECT_GE(found.speed, 1.0 - 1.6 * resolution) << c.shape;
      resolutions.push_back(resolution);
      errors.push_back(1.0 - found.speed);
    }
    EXPECT_NEAR(fitted_order(resolutions, errors), 1.0, 0.15) << c.shape;
  }
}

// Turning bodies: their points move along the surface and change. What is lost goes with the
// substep.
TEST(Layers,
     without_damping_and_friction_turning_bodies_keep_their_energy_to_the_order_of_substeps) {
  for (const char* shape : {"box: [0.2, 0.1]", "superellipse: {axes: [0.08, 0.05], exponent: 2.5}",
                            "capsule: {length: 0.1, radius: 0.03}",
                            "polygon: [[-0.05, -0.05], [0.05, -0.05], [0, 0.1]]",
                            "implicit: {function: (x/0.08)^2 + (y/0.05)^2 - 1}"})
    for (const double angle : {0.3, 1.0, 2.0}) {
      const double coarse = 1.0 - rebound(shape, 0.12, angle, 0.02).energy;
      const double fine = 1.0 - rebound(shape, 0.12, angle, 0.0025).energy;
      EXPECT_LE(coarse, 4.0 * 0.02 * M_PI) << shape << " " << angle;
      EXPECT_LE(fine, 0.25 * coarse + 1e-3) << shape << " " << angle;
    }
}

// --- cores -------------------------------------------------------------------------------------

TEST(Layers, a_ball_never_passes_a_shelf_whose_layer_it_uses_up) {
  int used_up = 0;
  for (const double speed : {1.0, 20.0, 150.0})
    for (const double stiffness : {1e3, 1e5, 1e7})
      for (const double thickness : {0.0005, 0.002, 0.02})
        for (const double step : {1e-4, 1e-3, 5e-3}) {
          Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{r: {{stiffness: {}, damping: 20}}}}
bodies:
  shelf: {{freedom: fixed, shapes: [{{box: [2, {}], material: r}}]}}
  ball: {{shapes: [{{circle: 0.005, material: r}}], position: [0, 0.05], velocity: [0, {}]}}
run: {{step: {}, duration: 0.06, stepper: {{name: song-pang-kumar, most-substeps: 500}}}}
)",
                                                       stiffness, thickness, -speed, step));
          bool used = false;
          while (!simulation.finished()) {
            used |= simulation.step().used_up > 0;
            ASSERT_GT(position(simulation, "ball").y(), 0.0)
                << speed << " m/s, " << stiffness << " N/m, " << thickness << " m, " << step
                << " s";
          }
          // Whether spring and damper can stop the ball within its layer.
          const double depth = 0.25 * (thickness + 0.01);
          const double mass = 1000.0 * M_PI * 0.005 * 0.005;
          const double most = 0.5 * (0.5 * stiffness) * depth * depth + 10.0 * speed * depth;
          if (most < 0.5 * mass * speed * speed) {
            EXPECT_TRUE(used) << speed << " m/s, " << stiffness << " N/m, " << thickness << " m";
          }
          used_up += used;
        }
  EXPECT_GT(used_up, 20);
}

// A sliver whose layer is used up in the first step: it was as deep as its core is long, certified.
TEST(Layers, a_thin_part_was_deep_in_a_shelf_beyond_its_layer_and_certified) {
  const double a = 0.001, b = 0.0001, n = 3.6, thick = 0.0011;
  int met = 0;
  for (const double angle : {0.3, 1.1, 1.6, 2.8, 4.2})
    for (const double step : {2e-4, 6e-4, 2e-3}) {
      Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{r: {{stiffness: 6e4, damping: 1, friction: 0.8}}}}
bodies:
  shelf: {{freedom: fixed, shapes: [{{box: [2, {}], material: r}}]}}
  part: {{shapes: [{{superellipse: {{axes: [{}, {}], exponent: {}}}, material: r}}], position: [0, 0.0032], angle: {}, velocity: [2, -11], spin: -49}}
run: {{step: {}, duration: {}, stepper: song-pang-kumar}}
)",
                                                   thick, a, b, n, angle, step, 10.0 * step));
      const Model& model = simulation.model();
      const double layers = model.shapes[0].layer_depth + model.shapes[1].layer_depth;
      const double thinner =
          std::min(model.shapes[0].half_thickness, model.shapes[1].half_thickness);
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        if (!is_certified(report, simulation.options().real("accept"))) break;
        // Its lowest point, by the support function of a superellipse.
        const Vector3 d =
            simulation.state().poses[1].rotation.conjugate() * Vector3(0.0, -1.0, 0.0);
        const double q = n / (n - 1.0);
        const double low =
            position(simulation, "part").y() -
            std::pow(std::pow(a * std::abs(d.x()), q) + std::pow(b * std::abs(d.y()), q), 1.0 / q);
        met += low < 0.5 * thick;
        ASSERT_LE(0.5 * thick - low, layers + 0.25 * thinner + 1e-9)
            << angle << " " << step << ", step " << simulation.state().step;
      }
    }
  EXPECT_GT(met, 0);
}

TEST(Layers, a_body_rests_on_its_core_at_the_thickness_that_its_material_names) {
  Simulation simulation = simulate(R"(
world: planar
materials: {r: {stiffness: 1e3, damping: 50, thickness: 2 mm}, s: {}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: s}]}
  ball: {shapes: [{circle: 0.05, material: r}], mass: 1, position: [0, 0.05]}
run: {step: 1 ms, duration: 0.5, stepper: song-pang-kumar}
)");
  run_exactly(simulation);
  EXPECT_NEAR(position(simulation, "ball").y(), 0.048, 1e-9);
  EXPECT_EQ(simulation.report().used_up, 1);
}

TEST(Layers, a_layer_thicker_than_its_shape_is_refused) {
  try {
    simulate(R"(
world: planar
materials: {r: {stiffness: 1e3, thickness: 5 mm}}
bodies: {shelf: {freedom: fixed, shapes: [{box: [2, 0.002], material: r}]}}
)");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("so that a core is left"), std::string::npos)
        << error.what();
  }
}

// --- records -----------------------------------------------------------------------------------

TEST(Layers, the_energy_of_layers_is_recorded_from_the_first_frame_on) {
  const std::string scene = on_floor(sliced_box(1), 0.05 - 1e-4);
  const auto file = std::filesystem::temp_directory_path() / "vinci_layers_test.h5";
  Simulation simulation = simulate(scene);
  const double held = 0.5 * 98100 * 1e-8;
  EXPECT_NEAR(energy(simulation.model(), simulation.state()).layers, held, 1e-9 * held);
  {
    Recorder recorder(file, simulation, true);
    for (int i = 0; i < 20; ++i) simulation.step(), recorder.after_step(simulation);
    recorder.finish(simulation);
  }
  const Recording recording(file);
  for (std::int64_t i = 0; i < recording.frames(); ++i) {
    const FrameInfo info = recording.info(i);
    EXPECT_NEAR(info.report.layer_energy, held, 1e-6 * held);
    EXPECT_NEAR(info.potential, 9.81 * (0.05 - 1e-4) + held, 1e-9);
    EXPECT_EQ(energy(simulation.model(), recording.state(i)).layers, info.report.layer_energy);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace vinci::test
