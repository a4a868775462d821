// SPDX-License-Identifier: Apache-2.0
// The gallery: scenes, references, and what a step of h may be wrong by.
#include "tests/simulation/models_gallery.h"

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr double g = 9.81;

bool is_dynamic(MotionModel motion) {
  return motion == MotionModel::dynamic;
}
double h_of(const Simulation& s) {
  return s.step_size();
}
double along(const Simulation& s, const char* name, const Vector3& direction) {
  return (position(s, name)).dot(direction);
}
// Distance of the body from a pose, turns at an arm.
double away(const Simulation& s, const char* name, double x, double y, double angle, double arm) {
  const Pose& pose = s.state().poses[body(s, name)];
  const double turn = planar_angle(pose.rotation) - angle;
  return std::hypot(pose.position.x() - x, pose.position.y() - y) + arm * std::abs(turn);
}
// Rounding, and the 1e-10 of a step's velocity that the judge lets pass, over the run.
constexpr double exact = 1e-9;

// ---- an incline of 20 degrees

constexpr double slope = 20.0 * M_PI / 180.0;
std::string on_incline(double friction) {
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: {}, stiffness: 1e8, damping: 1e6}}}}
bodies:
  incline: {{freedom: fixed, shapes: [{{half-plane: {{angle: 20 deg}}, material: m}}]}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m, density: 700}}], pose: {{on: incline, at: 0}}}}
run: {{step: 1 ms, duration: 40 ms}}
)",
                     friction);
}
double slid_down(const Simulation& s) {
  const Vector3 down(-std::cos(slope), -std::sin(slope), 0.0), up(-down.y(), down.x(), 0.0);
  const Vector3 begin = 0.05 * Vector3(-std::sin(slope), std::cos(slope), 0.0);
  EXPECT_LE(std::abs((position(s, "block") - begin).dot(up)), 1e-4) << "leaves the incline";
  return (position(s, "block") - begin).dot(down);
}
GalleryScene sticking() {
  return {.name = "block sticks on an incline",
          .yaml = [](MotionModel) { return on_incline(0.5); },
          .error = [](const Simulation& s, MotionModel) { return std::abs(slid_down(s)); },
          .tolerance = [](const Simulation&, MotionModel) { return exact; }};
}
// a = g (sin − μ cos): ½ a t², or with the inertia as damping a t.
constexpr double slip_friction = 0.2;
double slip_rate() {
  return g * (std::sin(slope) - slip_friction * std::cos(slope));
}
GalleryScene slipping() {
  return {.name = "block slides down an incline",
          .yaml = [](MotionModel) { return on_incline(slip_friction); },
          .unbalanced = true,
          .error =
              [](const Simulation& s, MotionModel motion) {
                const double t = s.state().time;
                const double way = slip_rate() * (is_dynamic(motion) ? 0.5 * t * t : t);
                return std::abs(slid_down(s) - way);
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                // Σ h vˡ⁺¹ is ½ a t h too long.
                return exact + (is_dynamic(motion) ? slip_rate() * s.state().time * h_of(s) : 0.0);
              }};
}

// ---- a floor

std::string on_floor(const std::string& bodies, double friction, const char* duration) {
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: {}, stiffness: 1e8, damping: 1e6}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
{}
run: {{step: 1 ms, duration: {}}}
)",
                     friction, bodies, duration);
}
// Stops after v²/(2 μ g); what is not dynamic knows no initial velocity.
GalleryScene stopping() {
  return {
      .name = "block stops by friction",
      .yaml =
          [](MotionModel) {
            return on_floor(
                "  block: {shapes: [{box: [0.2, 0.1], material: m}], pose: {on: floor, "
                "at: 0}, velocity: [0.3, 0]}",
                0.6, "60 ms");
          },
      .error =
          [](const Simulation& s, MotionModel motion) {
            const double way = is_dynamic(motion) ? 0.3 * 0.3 / (2.0 * 0.6 * g) : 0.0;
            return std::abs(along(s, "block", Vector3::UnitX()) - way);
          },
      .tolerance = [](const Simulation& s,
                      MotionModel motion) { return is_dynamic(motion) ? 0.3 * h_of(s) : exact; }};
}
// Slips for v/(3 μ g), then rolls at ⅔ v.
GalleryScene rolling() {
  return {
      .name = "disc rolls from slip",
      .yaml =
          [](MotionModel) {
            return on_floor(
                "  disc: {shapes: [{circle: 0.0625, material: m}], position: [0, "
                "0.0625], velocity: [0.2, 0]}",
                0.4, "40 ms");
          },
      .error =
          [](const Simulation& s, MotionModel motion) {
            if (!is_dynamic(motion)) return std::abs(along(s, "disc", Vector3::UnitX()));
            const double slip = 0.2 / (3.0 * 0.4 * g);
            const double way = 0.2 * slip - 0.5 * 0.4 * g * slip * slip +
                               0.2 * 2.0 / 3.0 * (s.state().time - slip);
            return std::abs(along(s, "disc", Vector3::UnitX()) - way);
          },
      .tolerance = [](const Simulation& s,
                      MotionModel motion) { return is_dynamic(motion) ? 0.2 * h_of(s) : exact; }};
}
// The wall sets the way; forces on it: μ m g, and the damping m v of the first-order model.
GalleryScene pushed_by_wall() {
  return {.name = "box pushed by a wall",
          .yaml =
              [](MotionModel) {
                return on_floor(
                    "  wall: {shapes: [{half-plane: {normal: [1, 0]}}], motion: {x: -0.125 "
                    "+ 0.1*t, y: 0, angle: 0}}\n"
                    "  box: {shapes: [{box: [0.25, 0.125], material: m}], mass: 2, "
                    "position: [0, 0.0625]}",
                    0.3, "40 ms");
              },
          .error =
              [](const Simulation& s, MotionModel motion) {
                double force = 0.0;
                for (const SolvedContact& c : s.contacts())
                  if (c.contact.body_a == 1 || c.contact.body_b == 1)
                    force += c.impulse[0] / s.step_size();
                const double push =
                    0.3 * 2.0 * g + (motion == MotionModel::first_order ? 2.0 * 0.1 : 0.0);
                // A layer is still being pressed in, at the rate k/d = 100 1/s.
                const bool soft = s.options().text("stepper") == "song-pang-kumar";
                EXPECT_NEAR(force, push, (soft ? std::exp(-100.0 * s.state().time) : 1e-6) * push);
                return std::abs(along(s, "box", Vector3::UnitX()) - 0.1 * s.state().time);
              },
          .tolerance = [](const Simulation& s, MotionModel) { return 0.1 * h_of(s); }};
}
// The way of the step that meets the floor is what is left of a gap or an overlap.
GalleryScene landing() {
  return {.name = "box falls and lands",
          .yaml =
              [](MotionModel) {
                return on_floor(
                    "  box: {shapes: [{box: [0.25, 0.125], material: m}], position: [0, "
                    "0.0725]}",
                    0.3, "60 ms");
              },
          .unbalanced = true,
          .error = [](const Simulation& s,
                      MotionModel) { return away(s, "box", 0.0, 0.0625, 0.0, 0.14); },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                return h_of(s) * (is_dynamic(motion) ? std::sqrt(2.0 * g * 0.01) : g);
              }};
}
// Case 10: a force of (−3, 4) N on 2 kg at a wall with μ = ½.
GalleryScene along_wall() {
  return {.name = "force along a wall",
          .yaml =
              [](MotionModel) {
                return std::string(R"(
world: planar
gravity: [0, 0]
materials: {m: {friction: 0.5, stiffness: 1e8, damping: 1e6}}
bodies:
  wall: {freedom: fixed, shapes: [{half-plane: {normal: [1, 0]}, material: m}]}
  part: {shapes: [{circle: 0.125, material: m}], mass: 2, position: [0.125, 0], motion: {angle: 0}, force: {x: -3, y: 4}}
run: {step: 1 ms, duration: 40 ms}
)");
              },
          .unbalanced = true,
          .error =
              [](const Simulation& s, MotionModel motion) {
                static const double rate =
                    reference("case10_first_order")["expected"]["wall_mu=0.5"][0]["qdot"][1];
                const double t = s.state().time;
                return away(s, "part", 0.125, rate * (is_dynamic(motion) ? 0.5 * t * t : t), 0, 0);
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                return exact + (is_dynamic(motion) ? 1.25 * s.state().time * h_of(s) : 0.0);
              }};
}

// ---- a table

const char* const tripod = "[[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]";
// Wrong direction of a polygon's friction, over a way.
double sides_over(const Simulation& s, double way) {
  return s.options().text("cone") == "pyramid" ? M_PI / gallery_directions * way : 0.0;
}

GalleryScene thrown() {
  return {
      .name = "part stops on a table",
      .yaml =
          [](MotionModel) {
            return fmt::format(
                "world: planar\ntable: {{friction: 0.6}}\nmaterials: {{m: {{stiffness: 1e8, "
                "damping: 1e6}}}}\nbodies: {{part: {{shapes: "
                "[{{circle: 0.05, material: m}}], mass: 0.3, velocity: [0.3, 0], supports: {}}}}}"
                "\nrun: {{step: 1 ms, duration: 60 ms}}\n",
                tripod);
          },
      .error =
          [](const Simulation& s, MotionModel motion) {
            const double way = is_dynamic(motion) ? 0.3 * 0.3 / (2.0 * 0.6 * g) : 0.0;
            return away(s, "part", way, 0.0, 0.0, 0.05);
          },
      .tolerance = [](const Simulation& s,
                      MotionModel motion) { return is_dynamic(motion) ? 0.3 * h_of(s) : exact; }};
}
// m v' = f − 3 c v: speeds f/(3 c) (1 − e^(−3 c t/m)); f/(m + 3 c) with inertia as damping; f/(3
// c).
GalleryScene viscous() {
  return {
      .name = "part pulled over a viscous table",
      .yaml =
          [](MotionModel) {
            return fmt::format(
                "world: planar\ntable: {{viscosity: 0.2}}\nmaterials: {{m: {{stiffness: 1e8, "
                "damping: 1e6}}}}\nbodies: {{part: {{shapes: "
                "[{{circle: 0.05, material: m}}], mass: 0.3, force: {{x: 1.2}}, supports: {}}}}}"
                "\nrun: {{step: 10 ms, duration: 0.4}}\n",
                tripod);
          },
      .error =
          [](const Simulation& s, MotionModel motion) {
            const double t = s.state().time, rate = 3.0 * 0.2 / 0.3, last = 1.2 / (3.0 * 0.2);
            double way = last * t;
            if (motion == MotionModel::first_order) way = 1.2 / (0.3 + 3.0 * 0.2) * t;
            if (is_dynamic(motion)) way -= last * (1.0 - std::exp(-rate * t)) / rate;
            return away(s, "part", way, 0.0, 0.0, 0.05);
          },
      .tolerance =
          [](const Simulation& s, MotionModel motion) {
            return is_dynamic(motion) ? 1.2 / 0.3 * s.state().time * h_of(s) : exact;
          }};
}
// Case 08. Inertia moves the part by v²/(μ g) = 30 µm at the reference's 10 mm/s; damping by the
// share v/(μ g s) of the way, 3 % at 100 mm/s, slower than which inertia read as damping is too
// little to count.
double pushing_speed(MotionModel motion) {
  return motion == MotionModel::first_order ? 0.1 : 0.01;
}
GalleryScene tripod_pushed() {
  return {.name = "tripod pushed (case 08)",
          .yaml =
              [](MotionModel motion) {
                return fmt::format(R"(
world: planar
parameters: {{speed: {}}}
table: {{friction: 0.35}}
materials: {{m: {{friction: 0.5, stiffness: 1e8, damping: 1e6}}}}
bodies:
  pusher: {{shapes: [{{circle: 1e-7, material: m}}], motion: {{x: -0.0500001 + speed*t, y: 0.012, angle: 0}}}}
  part: {{shapes: [{{box: [0.1, 0.1], material: m}}], mass: 0.2, inertia: 1.2e-4, supports: {}}}
run: {{step: 0.25 mm/speed, duration: 10 mm/speed}}
)",
                                   pushing_speed(motion), tripod);
              },
          .slow = true,
          .error =
              [](const Simulation& s, MotionModel) {
                static const auto c =
                    reference("case08_tripod_pushing")["expected"]["trajectories"]["TA_mu0.5"];
                return away(s, "part", c["pose_x"][2], c["pose_y"][2], c["theta"][2], 0.05);
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                const double speed = pushing_speed(motion);
                const double damped = motion == MotionModel::first_order ? speed / (0.35 * g) : 0.0;
                return 2.0 * speed * h_of(s) + 3e-5 + 0.01 * damped + sides_over(s, 0.01);
              }};
}
// Case 09 A: slides and spins, stops on one foot after the other.
GalleryScene tripod_thrown() {
  return {.name = "tripod slides to rest (case 09)",
          .yaml =
              [](MotionModel) {
                const auto c = reference("case09_tripod_dynamic")["expected"]["A"];
                return fmt::format(
                    "world: planar\ntable: {{friction: 0.35}}\nmaterials: {{m: {{stiffness: 1e8, "
                    "damping: 1e6}}}}\nbodies: {{part: {{shapes: [{{box: "
                    "[0.1, 0.08], material: m}}], mass: 0.2, inertia: 1.2e-4, velocity: {}, spin: "
                    "{}, supports: "
                    "{}}}}}\nrun: {{step: 2.5 ms, duration: 0.125}}\n",
                    c["v0"].dump(), c["omega0"].dump(), c["tripod"].dump());
              },
          .error =
              [](const Simulation& s, MotionModel motion) {
                static const auto a = reference("case09_tripod_dynamic")["expected"]["A"];
                if (!is_dynamic(motion)) return away(s, "part", 0.0, 0.0, 0.0, 0.05);
                const auto& end = a["final_pose"];
                return away(s, "part", end[0], end[1], end[2], 0.03);
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                static const auto a = reference("case09_tripod_dynamic")["expected"]["A"];
                if (!is_dynamic(motion)) return exact;
                const double speed = std::hypot(a["v0"][0].get<double>(), a["v0"][1].get<double>());
                const double spin = a["omega0"], way = std::hypot(a["final_pose"][0].get<double>(),
                                                                  a["final_pose"][1].get<double>());
                return (speed + 0.03 * spin) * h_of(s) + sides_over(s, way + 0.03 * M_PI);
              }};
}
// Case 07, ten times slower: x₀ = 0.6, μ₂ = ½, to the time 1.25.
GalleryScene fence() {
  return {.name = "fence and particle (case 07)",
          .yaml =
              [](MotionModel) {
                return std::string(R"(
world: planar
table: {friction: 0.3}
materials: {m: {friction: 0.5, stiffness: 1e8, damping: 1e6}}
bodies:
  fence: {shapes: [{half-plane: {normal: [1, 0]}, material: m}], motion: {x: 0.5 + 0.4*sin(0.1*t), y: 0.1*t, angle: 0}}
  particle: {shapes: [{circle: 0.125, material: m}], mass: 1, position: [0.725, 0], motion: {angle: 0}, supports: [[0, 0]]}
run: {step: 0.5, duration: 12.5}
)");
              },
          .slow = true,
          .error =
              [](const Simulation& s, MotionModel) {
                static const auto c =
                    reference("case07_fence_particle")["expected"]["solutions"]["x0=0.60,mu2=0.5"];
                EXPECT_EQ(c["t"][5], 1.25);
                return away(s, "particle", c["x"][5].get<double>() + 0.125, c["y"][5], 0, 0);
              },
          .tolerance =
              [](const Simulation& s, MotionModel) {
                // The fence moves by less than h/10 a step; inertia by v²/(μ g), damping the share
                // v/(μ g s) of the way.
                return 0.1 * h_of(s) + 0.01 / (0.3 * g) + 0.1 / (0.3 * g) * 0.34 +
                       sides_over(s, 0.34);
              }};
}

}  // namespace

std::vector<GalleryScene> planar_gallery() {
  return {sticking(), slipping(), stopping(), rolling(), pushed_by_wall(), landing(), along_wall()};
}

std::vector<GalleryScene> table_gallery() {
  return {thrown(), viscous(), tripod_pushed(), tripod_thrown(), fence()};
}

}  // namespace vinci::test
