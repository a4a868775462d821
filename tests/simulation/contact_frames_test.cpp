// SPDX-License-Identifier: Apache-2.0
// Contacts at the start of a step, at the poses of drivers at its end, and at its end: closed forms
// of what rolls, what each form keeps, and what is told where the end is not found.
#include "vinci/stepping/contact_frames.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr double g_frames = 9.81;  // m/s²

RunOverrides frames(const std::string& form, std::map<std::string, std::string> others = {}) {
  others["contact-frames"] = form;
  return chosen(others);
}

double turn_of(const Simulation& s, const std::string& name) {
  return planar_angle(s.state().poses[body(s, name)].rotation);
}

// One number and its rate of change by a classical Runge–Kutta method, in steps far finer than any
// of the runs.
template <class Acceleration>
std::pair<double, double> integrate(double x, double v, double time, Acceleration a) {
  const int steps = 20000;
  const double h = time / steps;
  for (int i = 0; i < steps; ++i) {
    const double k1 = v, l1 = a(x, v);
    const double k2 = v + h / 2 * l1, l2 = a(x + h / 2 * k1, v + h / 2 * l1);
    const double k3 = v + h / 2 * l2, l3 = a(x + h / 2 * k2, v + h / 2 * l2);
    const double k4 = v + h * l3, l4 = a(x + h * k3, v + h * l3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return {x, v};
}

// --- an ellipse that rolls on a floor ---------------------------------------------------------

struct Ellipse {
  double a = 0.2, b = 0.1;
  // Height of the centre over the floor, and its first two derivatives by the angle.
  double height(double f) const {
    return std::sqrt(std::pow(a * std::sin(f), 2) + std::pow(b * std::cos(f), 2));
  }
  double slope(double f) const { return (a * a - b * b) * std::sin(2 * f) / (2 * height(f)); }
  double curve(double f) const {
    return ((a * a - b * b) * std::cos(2 * f) - std::pow(slope(f), 2)) / height(f);
  }
  double inertia() const { return (a * a + b * b) / 4; }  // per mass
  // The contact is the height below the centre and the slope beside it; rolling turns about it.
  double about_contact(double f) const {
    return inertia() + std::pow(height(f), 2) + std::pow(slope(f), 2);
  }
  double acceleration(double f, double w) const {
    const double change = 2 * slope(f) * (height(f) + curve(f));  // of about_contact
    return -(0.5 * change * w * w + g_frames * slope(f)) / about_contact(f);
  }
  double energy(double f, double w) const {
    return 0.5 * about_contact(f) * w * w + g_frames * height(f);
  }
};

std::string rolling_ellipse(double h, double duration, double angle = 0.6, double spin = -3.0) {
  const Ellipse e;
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: 5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  ellipse:
    shapes: [{{superellipse: {{axes: [{}, {}], exponent: 2}}, material: m}}]
    mass: 1
    inertia: {}
    position: [0, {}]
    angle: {}
    velocity: [{}, {}]
    spin: {}
run: {{step: {}, duration: {}}}
)",
                     e.a, e.b, e.inertia(), e.height(angle), angle, -spin * e.height(angle),
                     spin * e.slope(angle), spin, h, duration);
}

struct Rolled {
  double angle_error = 0.0, gap = 0.0, energy_error = 0.0;
  int iterations = 0;
};

Rolled roll_ellipse(double h, double duration, const RunOverrides& overrides) {
  const Ellipse e;
  Simulation simulation = simulate(rolling_ellipse(h, duration), overrides);
  Rolled rolled;
  const double start = e.energy(0.6, -3.0);
  double turned = 0.6;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(is_certified(report, 1e-10)) << "step " << simulation.state().step;
    const double now = turn_of(simulation, "ellipse");
    turned += std::remainder(now - turned, 2 * M_PI);
    rolled.gap =
        std::max(rolled.gap, std::abs(position(simulation, "ellipse").y() - e.height(now)));
    const Twist twist_now = twist(simulation, "ellipse");
    const double energy = 0.5 * twist_now.linear.squaredNorm() +
                          0.5 * e.inertia() * std::pow(twist_now.angular.z(), 2) +
                          g_frames * position(simulation, "ellipse").y();
    rolled.energy_error = std::max(rolled.energy_error, std::abs(energy - start) / start);
    rolled.iterations += report.frame_iterations;
  }
  const double exact = integrate(0.6, -3.0, duration, [&](double f, double w) {
                         return e.acceleration(f, w);
                       }).first;
  rolled.angle_error = std::abs(turned - exact);
  return rolled;
}

TEST(ContactFrames, an_ellipse_rolls_as_its_equation_says_and_keeps_its_gap_where_that_is_asked) {
  std::vector<double> steps{8e-3, 4e-3, 2e-3};
  std::map<std::string, Rolled> finest;
  for (const std::string form : {"start", "gap", "end"}) {
    std::vector<double> angles;
    for (const double h : steps) {
      finest[form] = roll_ellipse(h, 0.48, frames(form));
      angles.push_back(finest[form].angle_error);
      if (form != "start") {
        EXPECT_LE(finest[form].gap, 1e-10) << form << " " << h;
      }
    }
    EXPECT_NEAR(fitted_order(steps, angles), 1.0, 0.25) << form;
  }
}

// --- a disc that rolls down a fixed one -------------------------------------------------------

// Without slip the angle of the centre line to the vertical obeys θ'' = 2/3 g sin θ/(R + r).
TEST(ContactFrames, a_disc_rolls_off_a_disc_as_its_equation_says) {
  constexpr double large = 0.5, small = 0.1, start = 0.3, duration = 0.4;
  const double exact = integrate(start, 0.0, duration, [&](double angle, double) {
                         return 2.0 / 3.0 * g_frames * std::sin(angle) / (large + small);
                       }).first;
  std::vector<double> steps{8e-3, 4e-3, 2e-3};
  for (const std::string form : {"start", "gap", "end"}) {
    std::vector<double> errors;
    for (const double h : steps) {
      Simulation simulation =
          simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: 3}}}}
bodies:
  hill: {{freedom: fixed, shapes: [{{circle: {}, material: m}}]}}
  disc: {{shapes: [{{circle: {}, material: m}}], mass: 1, inertia: {}, position: [{}, {}]}}
run: {{step: {}, duration: {}}}
)",
                               large, small, 0.5 * small * small, (large + small) * std::sin(start),
                               (large + small) * std::cos(start), h, duration),
                   frames(form));
      double before = 0.0, gained = 0.0;
      const auto energy_now = [&] {
        return energy(simulation.model(), simulation.state()).total();
      };
      const double first = before = energy_now();
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_TRUE(is_certified(report, 1e-10)) << form;
        EXPECT_LE(energy_now() - before, report.frame_energy + 1e-12 * first) << form;
        gained += report.frame_energy;
        before = energy_now();
        if (form != "start") {
          EXPECT_NEAR(position(simulation, "disc").norm(), large + small, 1e-10) << form;
          EXPECT_GE(report.frame_iterations, 1);
          EXPECT_LE(report.frame_error, 1e-10);
        } else {
          EXPECT_EQ(report.frame_iterations, 0);
        }
      }
      const Vector3 at = position(simulation, "disc");
      errors.push_back(std::abs(std::atan2(at.x(), at.y()) - exact));
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.25) << form;
  }
}

TEST(ContactFrames, a_disc_and_a_ball_roll_on_a_plane_at_their_speed_in_every_form) {
  for (const std::string world : {"planar", "spatial"})
    for (const std::string stepper : {"stewart-trinkle", "anitescu-potra"})
      for (const std::string form : {"start", "driven", "gap", "end"}) {
        if (form == "gap" && stepper != "stewart-trinkle") continue;
        const bool planar = world == "planar";
        Simulation simulation = simulate(planar ? R"(
world: planar
materials: {m: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  wheel: {shapes: [{circle: 0.125, material: m}], position: [0, 0.125], velocity: [1, 0], spin: -8}
run: {step: 5 ms, duration: 1}
)"
                                                : R"(
world: spatial
materials: {m: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  wheel: {shapes: [{sphere: 0.125, material: m}], position: [0, 0, 0.125], velocity: [1, 0, 0], spin: [0, 8, 0]}
run: {step: 5 ms, duration: 1}
)",
                                         frames(form, {{"stepper", stepper}}));
        while (!simulation.finished()) ASSERT_TRUE(is_certified(simulation.step(), 1e-10));
        EXPECT_NEAR(position(simulation, "wheel").x(), 1.0, 1e-10) << form << stepper << world;
        EXPECT_NEAR(twist(simulation, "wheel").linear.x(), 1.0, 1e-10) << form << stepper << world;
      }
}

// --- momentum ---------------------------------------------------------------------------------

// Two bodies that meet off their centres, with friction, far from everything.
TEST(ContactFrames, linear_and_angular_momentum_of_free_bodies_are_kept_in_every_form) {
  for (const std::string form : {"start", "driven", "gap", "end"}) {
    // Overlaps that leave positions would move bodies past their momenta.
    RunOverrides overrides = frames(form);
    overrides.plugin_options[{"stepper", "overlap"}] = "velocities";
    Simulation simulation = simulate(R"(
world: spatial
gravity: [0, 0, 0]
materials: {m: {friction: 0.6}}
bodies:
  ball: {shapes: [{sphere: 0.2, material: m}], mass: 1, position: [-0.5, 0.1, 0.05], velocity: [4, 0.3, -0.2], spin: [1, -5, 7]}
  box: {shapes: [{box: [0.4, 0.4, 0.4], material: m}], mass: 3, position: [0.2, 0, 0], velocity: [-0.5, 0, 0.4], spin: [0.5, 0.7, -1]}
run: {step: 4 ms, duration: 0.3}
)",
                                     overrides);
    const auto momenta = [&] {
      Vector6 sum = Vector6::Zero();
      for (const char* name : {"ball", "box"}) {
        const Body& own = simulation.model().bodies[body(simulation, name)];
        const Twist now = twist(simulation, name);
        const Pose& pose = simulation.state().poses[body(simulation, name)];
        const Matrix3 r = pose.rotation.toRotationMatrix();
        const Vector3 linear = own.mass.mass * now.linear;
        sum.head<3>() += linear;
        sum.tail<3>() +=
            pose.position.cross(linear) + r * own.mass.inertia * r.transpose() * now.angular;
      }
      return sum;
    };
    int met = 0;
    while (!simulation.finished()) {
      const Vector6 before = momenta();
      ASSERT_TRUE(is_certified(simulation.step(), 1e-10)) << form;
      met += simulation.report().active_count > 0 ? 1 : 0;
      EXPECT_LT((momenta() - before).norm(), 1e-12) << form;
    }
    EXPECT_GT(met, 0) << form;
  }
}

// --- what is prescribed -----------------------------------------------------------------------

// A block on a plate that turns and shakes is carried along: nothing creeps, nothing opens.
TEST(ContactFrames, what_a_turning_plate_carries_neither_creeps_nor_leaves) {
  for (const std::string stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const std::string form : {"start", "gap", "end"}) {
      if (form == "gap" && stepper != "stewart-trinkle") continue;
      Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 2}}
bodies:
  plate:
    shapes: [{box: [1, 0.1], material: m}]
    motion: {x: 0.05*sin(7*t), y: 0.02*sin(5*t), angle: 0.3*sin(3*t)}
  block: {shapes: [{box: [0.1, 0.1], material: m}], position: [0.2, 0.1], velocity: [0.35 - 0.09, 0.1 + 0.18], spin: 0.9}
run: {step: 4 ms, duration: 1}
)",
                                       frames(form, {{"stepper", stepper}}));
      double worst = 0.0;
      while (!simulation.finished()) {
        ASSERT_TRUE(is_certified(simulation.step(), 1e-10)) << form << stepper;
        const auto& poses = simulation.state().poses;
        const Pose& plate = poses[body(simulation, "plate")];
        const Vector3 local =
            plate.rotation.conjugate() * (position(simulation, "block") - plate.position);
        worst = std::max(worst, (local - Vector3(0.2, 0.1, 0.0)).norm());
      }
      EXPECT_LT(worst, 1e-10) << stepper << " " << form;
    }
}

// The gap of a particle on the rocking plate of reference case 05, and where it wanders.
TEST(ContactFrames, no_form_but_that_of_the_start_lets_the_particle_sink_into_the_rocking_plate) {
  const auto rows =
      reference("case05_rocking_plate")["expected"]["trajectory_from_rest_in_world_r0_0p03"]["0.3"];
  const auto source = std::filesystem::path(VINCI_SOURCE_DIR) / "experiments/plate/rocking.yaml";
  std::map<std::string, double> places, sunk;
  for (const std::string form : {"start", "driven", "gap", "end"}) {
    Simulation simulation(Scene::load(source),
                          frames(form, {{"step", "2.5e-4"}, {"duration", "0.15"}}));
    while (!simulation.finished()) {
      ASSERT_TRUE(is_certified(simulation.step(), 1e-10)) << form;
      sunk[form] = std::max(sunk[form], simulation.report().penetration);
    }
    places[form] = position(simulation, "particle").y();
    // μ g h of speed in steps in which the slip turns round, ten of them.
    EXPECT_NEAR(places[form], rows[2]["r"].get<double>(), 10 * 2 * 0.3 * 9.81 * 2.5e-4 * 0.015)
        << form;
  }
  EXPECT_GT(sunk["start"], 1e-9);
  for (const std::string form : {"driven", "gap", "end"}) EXPECT_LT(sunk[form], 1e-11) << form;
  // The error is that of the slip: where the contact is taken changes less than a tenth of it.
  const double error = std::abs(places["start"] - rows[2]["r"].get<double>());
  for (const std::string form : {"driven", "gap", "end"})
    EXPECT_LT(std::abs(places[form] - places["start"]), 0.1 * error) << form;
}

// A wheel whose turn is prescribed, on a floor: it rolls its arc, and does not sink.
TEST(ContactFrames, a_driven_wheel_rolls_its_arc) {
  for (const std::string form : {"gap", "end"}) {
    Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 2}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  wheel: {shapes: [{circle: 0.1, material: m}], position: [0, 0.1], velocity: [0.5, 0], motion: {angle: -5*t - t*t}}
run: {step: 20 ms, duration: 1}
)",
                                     frames(form));
    while (!simulation.finished()) {
      ASSERT_TRUE(is_certified(simulation.step(), 1e-10)) << form;
      EXPECT_NEAR(position(simulation, "wheel").y(), 0.1, 1e-10) << form;
    }
    EXPECT_NEAR(position(simulation, "wheel").x(), 0.6, 1e-9) << form;
  }
}

// --- the iteration ----------------------------------------------------------------------------

const char* const tumblers = R"(
world: planar
materials: {m: {friction: 0.6}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  box: {shapes: [{box: [0.3, 0.2], material: m}], position: [0, 0.4], velocity: [1, -2], spin: 25, angle: 0.2}
  plank: {shapes: [{box: [0.6, 0.05], material: m}], position: [1, 0.3], velocity: [-1, -1], spin: -15}
  egg: {shapes: [{superellipse: {axes: [0.16, 0.12], exponent: 5}, material: m}], position: [0.6, 0.9], velocity: [0, -3], spin: -10}
run: {step: 5 ms, duration: 0.8}
)";

double apart_by(const Simulation& a, const Simulation& b) {
  return frame_distance(a.model(), a.state().poses, b.state().poses);
}

// What is left after k iterations, told by the step, against the iteration that goes on.
TEST(ContactFrames, the_error_that_is_told_is_not_less_than_what_the_iteration_still_changes) {
  for (const std::string form : {"gap", "end"}) {
    int compared = 0;
    Simulation simulation = simulate(tumblers, frames(form));
    while (!simulation.finished()) {
      const State before = simulation.state();
      simulation.step();
      if (simulation.report().unsettled || simulation.report().frame_iterations < 3) continue;
      for (int limit = 1; limit < simulation.report().frame_iterations; ++limit) {
        RunOverrides overrides = frames(form);
        overrides.plugin_options[{"stepper", "frame-limit"}] = std::to_string(limit);
        Simulation shorter = simulate(tumblers, overrides);
        shorter.set_state(before);
        shorter.step();
        // Steps in parts begin elsewhere.
        if (shorter.report().substeps > 1 || simulation.report().substeps > 1) continue;
        EXPECT_TRUE(shorter.report().unsettled || shorter.report().frame_error <= 1e-10);
        EXPECT_LE(apart_by(shorter, simulation), shorter.report().frame_error + 1e-10)
            << form << " step " << simulation.state().step << " limit " << limit;
        ++compared;
      }
    }
    EXPECT_GT(compared, 20) << form;
  }
}

// Long steps, in which corners change from side to side and the iteration finds no end.
TEST(ContactFrames, steps_whose_frames_do_not_settle_are_told_and_not_certified) {
  for (const std::string form : {"gap", "end"}) {
    Simulation simulation = simulate(tumblers, frames(form, {{"step", "0.02"}}));
    int unsettled = 0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      EXPECT_EQ(report.unsettled, report.frame_error > 1e-10);
      EXPECT_LE(report.solve.residual.relative, 1e-10);
      if (!report.unsettled) continue;
      ++unsettled;
      EXPECT_FALSE(is_certified(report, 1.0)) << form;
    }
    EXPECT_GT(unsettled, 0) << form;
  }
}

// One iteration is not enough for a body that curves, and the tolerance is what is asked.
TEST(ContactFrames, a_step_is_certified_to_the_tolerance_and_no_further) {
  for (const double tolerance : {1e-3, 1e-6, 1e-12}) {
    RunOverrides overrides = frames("end");
    overrides.plugin_options[{"stepper", "frame-tolerance"}] = fmt::format("{}", tolerance);
    overrides.plugin_options[{"stepper", "frame-limit"}] = "2";
    Simulation simulation = simulate(rolling_ellipse(8e-3, 0.16), overrides);
    double worst = 0.0;
    int certified = 0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      worst = std::max(worst, report.frame_error);
      EXPECT_EQ(is_certified(report, 1e-10), report.frame_error <= tolerance);
      certified += is_certified(report, 1e-10) ? 1 : 0;
    }
    EXPECT_EQ(certified > 0, tolerance >= 1e-6) << tolerance;
    EXPECT_GT(worst, 1e-9);
  }
}

TEST(ContactFrames, a_run_goes_on_bit_for_bit_from_any_step) {
  for (const std::string form : {"driven", "gap", "end"}) {
    Simulation whole = simulate(tumblers, frames(form));
    while (whole.state().step < 70) whole.step();
    Simulation rest = simulate(tumblers, frames(form));
    rest.set_state(whole.state());
    while (!whole.finished()) {
      whole.step();
      rest.step();
      ASSERT_TRUE(whole.state() == rest.state()) << form;
    }
  }
}

TEST(ContactFrames, without_drivers_the_driven_form_is_that_of_the_start) {
  Simulation start = simulate(tumblers), driven = simulate(tumblers, frames("driven"));
  while (!start.finished()) {
    start.step();
    driven.step();
    ASSERT_LT(apart_by(start, driven), 1e-9);
  }
}

// Forces balance, or make velocities, where contacts are taken: at the end of the step.
TEST(ContactFrames, motions_without_inertia_push_an_ellipse_in_every_form) {
  for (const std::string motion : {"first-order", "quasi-static"})
    for (const std::string stepper : {"stewart-trinkle", "anitescu-potra"})
      for (const std::string form : {"start", "driven", "gap", "end"}) {
        if (form == "gap" && stepper != "stewart-trinkle") continue;
        Simulation simulation = simulate(
            R"(
world: planar
gravity: [0, 0]
table: {gravity: 9.81, friction: 0.3}
materials: {m: {friction: 0.2}}
bodies:
  pusher: {shapes: [{circle: 0.02, material: m}], motion: {x: -0.14 + 0.1*t, y: 0.03, angle: 0}}
  part: {shapes: [{superellipse: {axes: [0.1, 0.06], exponent: 2}, material: m}], mass: 0.5, supports: [[0.05, 0], [-0.03, 0.03], [-0.03, -0.03]]}
run: {step: 4 ms, duration: 1}
)",
            frames(form, {{"motion", motion}, {"stepper", stepper}}));
        double deepest = 0.0;
        while (!simulation.finished()) {
          ASSERT_TRUE(is_certified(simulation.step(), 1e-10)) << motion << stepper << form;
          deepest = std::max(deepest, simulation.report().penetration);
        }
        EXPECT_GT(position(simulation, "part").x(), 0.02) << motion << stepper << form;
        if ((form == "gap" || form == "end") && stepper == "stewart-trinkle") {
          EXPECT_LT(deepest, 1e-10) << motion << form;
        }
      }
}

// On a plane the normal of a disc is the same everywhere, and so are its bounces.
TEST(ContactFrames, a_ball_bounces_as_high_in_every_form) {
  const std::string scene = R"(
world: planar
materials: {m: {friction: 0.4, restitution: 0.8}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  ball: {shapes: [{circle: 0.1, material: m}], position: [0, 0.6], velocity: [0.5, 0], spin: 20}
run: {step: 2 ms, duration: 2}
)";
  Simulation start = simulate(scene);
  run_exactly(start);
  for (const std::string form : {"driven", "gap", "end"}) {
    Simulation simulation = simulate(scene, frames(form));
    run_exactly(simulation);
    EXPECT_NEAR(position(simulation, "ball").y(), position(start, "ball").y(), 1e-9) << form;
  }
}

// A contact about a guess is no rebound because its row asks bodies to part.
TEST(ContactFrames, bodies_with_restitution_gain_no_more_than_is_told) {
  for (const std::string form : {"gap", "end"}) {
    Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.7, restitution: 0.6}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  egg: {shapes: [{superellipse: {axes: [0.2, 0.1], exponent: 2}, material: m}], mass: 1, position: [0, 0.4], angle: 0.4}
  box: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, position: [1, 0.6], angle: 0.7, spin: 3}
run: {step: 2 ms, duration: 2}
)",
                                     frames(form));
    const auto energy_now = [&] { return energy(simulation.model(), simulation.state()).total(); };
    double before = energy_now(), told = 0.0;
    const double first = before;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(is_certified(report, 1e-10)) << form;
      EXPECT_LE(energy_now() - before,
                report.frame_energy + report.rebound_energy + report.added_energy + 1e-12 * first)
          << form << " step " << simulation.state().step;
      told += report.frame_energy;
      before = energy_now();
    }
    if (form == "gap") {
      EXPECT_GT(told, 0.0);  // the egg rocks
    }
  }
}

TEST(ContactFrames, what_has_no_meaning_is_refused_with_the_reason) {
  const auto refusal = [](std::map<std::string, std::string> options, const std::string& form) {
    try {
      simulate(tumblers, frames(form, std::move(options)));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(refusal({{"impact-time", "bisect"}}, "end"), "'contact-frames: start'"));
  EXPECT_TRUE(says(refusal({{"motion", "dqc"}}, "driven"), "'contact-frames: start'"));
  EXPECT_TRUE(says(refusal({{"stepper", "anitescu-potra"}}, "gap"), "no gaps in its rows"));
  EXPECT_TRUE(says(refusal({}, "middle"), "start"));
  for (const char* form : {"start", "driven", "gap", "end"}) EXPECT_EQ(refusal({}, form), "");
}

}  // namespace
}  // namespace vinci::test
