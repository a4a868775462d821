// SPDX-License-Identifier: Apache-2.0
// The gallery in space. Nothing runs along an axis of the frames, so that directions matter.
#include "tests/simulation/models_gallery.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace in_space {
namespace {

constexpr double g = 9.81;
constexpr double exact = 1e-9;  // rounding, and what the judge lets pass over the run
constexpr double slope = 20.0 * M_PI / 180.0;
constexpr double heading = 35.0 * M_PI / 180.0;  // of whatever moves, about z

bool is_dynamic(MotionModel motion) {
  return motion == MotionModel::dynamic;
}
Vector3 ahead() {
  return {std::cos(heading), std::sin(heading), 0.0};
}
// A polygon's friction is as wrong as the angle between two of its directions, over a way.
double polygon_error(const Simulation& s, double way) {
  return s.options().text("cone") == "pyramid" ? M_PI / gallery_directions * way : 0.0;
}
double turned(const Simulation& s, const char* name) {
  return rotation_vector(s.state().poses[body(s, name)].rotation).norm();
}

// ---- an incline, downhill along the heading

std::string on_incline(double friction) {
  const Vector3 normal(std::sin(slope) * std::cos(heading), std::sin(slope) * std::sin(heading),
                       std::cos(slope));
  const Vector3 axis = Vector3::UnitZ().cross(normal).normalized();
  const Vector3 place = 0.05 * normal;
  return fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}, stiffness: 1e8, damping: 1e6}}}}
bodies:
  incline: {{freedom: fixed, shapes: [{{half-space: {{normal: [{:.17g}, {:.17g}, {:.17g}]}}, material: m}}]}}
  block:
    shapes: [{{box: [0.3, 0.2, 0.1], material: m, density: 700}}]
    position: [{:.17g}, {:.17g}, {:.17g}]
    rotation: {{axis: [{:.17g}, {:.17g}, 0], angle: 20 deg}}
run: {{step: 1 ms, duration: 40 ms}}
)",
                     friction, normal.x(), normal.y(), normal.z(), place.x(), place.y(), place.z(),
                     axis.x(), axis.y());
}
// Of the block from a way down the incline.
double off_the_way(const Simulation& s, double way) {
  const Vector3 normal = std::sin(slope) * ahead() + std::cos(slope) * Vector3::UnitZ();
  const Vector3 down = std::cos(slope) * ahead() - std::sin(slope) * Vector3::UnitZ();
  return (position(s, "block") - 0.05 * normal - way * down).norm();
}
GalleryScene sticking() {
  return {.name = "block sticks on an incline",
          .yaml = [](MotionModel) { return on_incline(0.5); },
          .error = [](const Simulation& s, MotionModel) { return off_the_way(s, 0.0); },
          .tolerance = [](const Simulation&, MotionModel) { return exact; }};
}
constexpr double slip_friction = 0.2;
double slip_rate() {
  return g * (std::sin(slope) - slip_friction * std::cos(slope));
}
double slip_way(const Simulation& s, MotionModel motion) {
  const double t = s.state().time;
  return slip_rate() * (is_dynamic(motion) ? 0.5 * t * t : t);
}
GalleryScene slipping() {
  return {.name = "block slides down an incline",
          .yaml = [](MotionModel) { return on_incline(slip_friction); },
          .unbalanced = true,
          .error = [](const Simulation& s,
                      MotionModel motion) { return off_the_way(s, slip_way(s, motion)); },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                return exact + polygon_error(s, slip_way(s, motion)) +
                       (is_dynamic(motion) ? slip_rate() * s.state().time * s.step_size() : 0.0);
              }};
}

// ---- a floor

std::string on_floor(const std::string& bodies, double friction, const char* duration) {
  return fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}, stiffness: 1e8, damping: 1e6}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
{}
run: {{step: 1 ms, duration: {}}}
)",
                     friction, bodies, duration);
}
std::string velocity(double speed) {
  return fmt::format("velocity: [{:.17g}, {:.17g}, 0]", speed * ahead().x(), speed * ahead().y());
}
GalleryScene stopping() {
  return {.name = "block stops by friction",
          .yaml =
              [](MotionModel) {
                return on_floor(
                    "  block: {shapes: [{box: [0.3, 0.2, 0.1], material: m}], position: [0, 0, "
                    "0.05], " +
                        velocity(0.3) + "}",
                    0.6, "60 ms");
              },
          .error =
              [](const Simulation& s, MotionModel motion) {
                const double way = is_dynamic(motion) ? 0.3 * 0.3 / (2.0 * 0.6 * g) : 0.0;
                return (position(s, "block") - way * ahead() - 0.05 * Vector3::UnitZ()).norm();
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                return is_dynamic(motion) ? 0.3 * s.step_size() + polygon_error(s, 0.0077) : exact;
              }};
}
// Slips for 2 v/(7 μ g), then rolls at 5/7 v.
constexpr double ball_speed = 0.2, ball_friction = 0.4;
GalleryScene rolling() {
  return {.name = "ball rolls from slip",
          .yaml =
              [](MotionModel) {
                return on_floor(
                    "  ball: {shapes: [{sphere: 0.0625, material: m}], position: [0, 0, 0.0625], " +
                        velocity(ball_speed) + "}",
                    ball_friction, "40 ms");
              },
          .error =
              [](const Simulation& s, MotionModel motion) {
                const double slip = 2.0 * ball_speed / (7.0 * ball_friction * g);
                const double way = is_dynamic(motion)
                                       ? ball_speed * slip - 0.5 * ball_friction * g * slip * slip +
                                             ball_speed * 5.0 / 7.0 * (s.state().time - slip)
                                       : 0.0;
                return (position(s, "ball") - way * ahead() - 0.0625 * Vector3::UnitZ()).norm();
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                return is_dynamic(motion) ? ball_speed * s.step_size() + polygon_error(s, 0.006)
                                          : exact;
              }};
}
// The wall, which is smooth, sets the way; its force is μ m g, and the damping m v of the
// first-order model.
GalleryScene pushed_by_wall() {
  return {.name = "box pushed by a wall",
          .yaml =
              [](MotionModel) {
                return on_floor(
                    "  wall: {shapes: [{half-space: {normal: [1, 0, 0]}}], motion: {x: -0.125 + "
                    "0.1*t, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}}\n"
                    "  box: {shapes: [{box: [0.25, 0.2, 0.125], material: m}], mass: 2, position: "
                    "[0, 0, 0.0625]}",
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
                // A layer is still being pressed in, at the rate k/d = 100 1/s, and tilts by the
                // moment of weight, push and friction, less than m g and the length of the box.
                const bool soft = s.options().text("stepper") == "song-pang-kumar";
                EXPECT_NEAR(force, push, (soft ? std::exp(-100.0 * s.state().time) : 1e-6) * push);
                EXPECT_LE(turned(s, "box"), exact + (soft ? 2.0 * g * 0.25 / (1e8 * 0.01) : 0.0));
                return (position(s, "box") - Vector3(0.1 * s.state().time, 0.0, 0.0625)).norm();
              },
          .tolerance = [](const Simulation& s, MotionModel) { return 0.1 * s.step_size(); }};
}
GalleryScene landing() {
  return {.name = "box falls and lands",
          .yaml =
              [](MotionModel) {
                return on_floor(
                    "  box: {shapes: [{box: [0.25, 0.2, 0.125], material: m}], position: [0, 0, "
                    "0.0725]}",
                    0.3, "60 ms");
              },
          .unbalanced = true,
          .error =
              [](const Simulation& s, MotionModel) {
                return (position(s, "box") - Vector3(0.0, 0.0, 0.0625)).norm() +
                       0.2 * turned(s, "box");
              },
          .tolerance =
              [](const Simulation& s, MotionModel motion) {
                return s.step_size() * (is_dynamic(motion) ? std::sqrt(2.0 * g * 0.01) : g);
              }};
}
// 0.3 m/s · 10 1/s is less than friction can give: the part is where the belt has carried it.
GalleryScene carried() {
  return {.name = "block carried by a belt",
          .yaml =
              [](MotionModel) {
                return fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.6, stiffness: 1e8, damping: 1e6}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m, surface-velocity: [{:.17g}*sin(10*t), {:.17g}*sin(10*t), 0]}}]}}
  block: {{shapes: [{{box: [0.3, 0.2, 0.1], material: m}}], position: [0, 0, 0.05]}}
run: {{step: 1 ms, duration: 60 ms}}
)",
                                   0.3 * ahead().x(), 0.3 * ahead().y());
              },
          .error =
              [](const Simulation& s, MotionModel) {
                const double way = 0.03 * (1.0 - std::cos(10.0 * s.state().time));
                return (position(s, "block") - way * ahead() - 0.05 * Vector3::UnitZ()).norm();
              },
          .tolerance =
              [](const Simulation& s, MotionModel) {
                if (s.options().text("stepper") != "second-order") return exact;
                // The way is the sum of the stages' velocities by their weights, which are off by
                // (√2 − 4/3)/2 h² (v'(T) − v'(0)) where the velocity is v.
                const double h = s.step_size();
                const double turn = 3.0 * (1.0 - std::cos(10.0 * s.state().time));
                return exact + 1.01 * 0.5 * (M_SQRT2 - 4.0 / 3.0) * h * h * turn;
              }};
}

}  // namespace
}  // namespace in_space

std::vector<GalleryScene> spatial_gallery() {
  using namespace in_space;
  return {sticking(), slipping(), stopping(), rolling(), pushed_by_wall(), landing(), carried()};
}

}  // namespace vinci::test
