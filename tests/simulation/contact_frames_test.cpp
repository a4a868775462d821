// SPDX-License-Identifier: Apache-2.0
// Contacts at the start of a step, at the poses of drivers at its end, and at its end: closed forms
// of what rolls, what each form keeps, and what is told where the end is not found.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr double gravity = 9.81;
const std::vector<std::string> forms{"start", "driven", "end"};

RunOverrides frames(const std::string& form, std::map<std::string, std::string> others = {}) {
  others["contact-frames"] = form;
  return chosen(others);
}

double angle_of(const Simulation& s, const std::string& name) {
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
    return -(0.5 * change * w * w + gravity * slope(f)) / about_contact(f);
  }
  double energy(double f, double w) const {
    return 0.5 * about_contact(f) * w * w + gravity * height(f);
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
    const double now = angle_of(simulation, "ellipse");
    turned += std::remainder(now - turned, 2 * M_PI);
    rolled.gap =
        std::max(rolled.gap, std::abs(position(simulation, "ellipse").y() - e.height(now)));
    const Twist twist_now = twist(simulation, "ellipse");
    const double energy = 0.5 * twist_now.linear.squaredNorm() +
                          0.5 * e.inertia() * std::pow(twist_now.angular.z(), 2) +
                          gravity * position(simulation, "ellipse").y();
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
  for (const std::string& form : {"start", "gap", "end"}) {
    std::vector<double> angles;
    for (const double h : steps) {
      finest[form] = roll_ellipse(h, 0.48, frames(form));
      angles.push_back(finest[form].angle_error);
      if (form != "start") {
        EXPECT_LE(finest[form].gap, 1e-10) << form << " " << h;
      }
      std::printf("%s %g: angle %g gap %g energy %g iterations %d\n", form.c_str(), h,
                  finest[form].angle_error, finest[form].gap, finest[form].energy_error,
                  finest[form].iterations);
    }
    EXPECT_NEAR(fitted_order(steps, angles), 1.0, 0.25) << form;
  }
}

// --- a disc that rolls down a fixed one -------------------------------------------------------

// Without slip the angle of the centre line to the vertical obeys θ'' = 2/3 g sin θ/(R + r).
TEST(ContactFrames, a_disc_rolls_off_a_disc_as_its_equation_says) {
  constexpr double large = 0.5, small = 0.1, start = 0.3, duration = 0.4;
  const double exact = integrate(start, 0.0, duration, [&](double angle, double) {
                         return 2.0 / 3.0 * gravity * std::sin(angle) / (large + small);
                       }).first;
  std::vector<double> steps{8e-3, 4e-3, 2e-3};
  for (const std::string& form : {"start", "gap", "end"}) {
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
      std::printf("%s %g: %g gained %g of %g\n", form.c_str(), h, errors.back(), gained, first);
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.25) << form;
  }
}

TEST(ContactFrames, a_disc_and_a_ball_roll_on_a_plane_at_their_speed_in_every_form) {
  for (const std::string& world : {"planar", "spatial"})
    for (const std::string& stepper : {"stewart-trinkle", "anitescu-potra"})
      for (const std::string& form : {"start", "driven", "gap", "end"}) {
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
  for (const std::string& form : {"start", "driven", "gap", "end"}) {
    Simulation simulation = simulate(R"(
world: spatial
gravity: 0
materials: {m: {friction: 0.6}}
bodies:
  ball: {shapes: [{sphere: 0.2, material: m}], mass: 1, position: [-0.5, 0.1, 0.05], velocity: [4, 0.3, -0.2], spin: [1, -5, 7]}
  box: {shapes: [{box: [0.4, 0.3, 0.5], material: m}], mass: 3, position: [0.2, 0, 0], velocity: [-0.5, 0, 0.4], spin: [0.5, 0.7, -1]}
run: {step: 4 ms, duration: 0.3}
)",
                                     frames(form));
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
    const Vector6 before = momenta();
    bool met = false;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      if (report.active_count == 0 && !met) continue;
      met = true;
      break;
    }
    ASSERT_TRUE(met);
    EXPECT_LE(simulation.report().removed_overlap, 0.0);
    const Vector6 after = momenta();
    EXPECT_LT((after.head<3>() - before.head<3>()).norm(), 1e-12) << form;
    // The velocity product turns a free body by the midpoint rule, which keeps |Iω| alone.
    std::printf("%s: %g\n", form.c_str(), (after.tail<3>() - before.tail<3>()).norm());
  }
}

// --- what is prescribed -----------------------------------------------------------------------

// A block on a plate that turns and shakes is carried along: nothing creeps, nothing opens.
TEST(ContactFrames, what_a_turning_plate_carries_neither_creeps_nor_leaves) {
  for (const std::string& stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const std::string& form : {"start", "gap", "end"}) {
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
      std::printf("%s %s: %g\n", stepper.c_str(), form.c_str(), worst);
    }
}

}  // namespace
}  // namespace vinci::test
