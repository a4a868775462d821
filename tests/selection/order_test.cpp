// SPDX-License-Identifier: Apache-2.0
// One scene written in several orders of its bodies and shapes has one motion, and symmetric scenes
// stay symmetric, over many steps: to 1e-9, by paths that rounding tells apart.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci {
namespace {

using namespace test;

constexpr double bound = 1e-9;  // m, rad, m/s and rad/s

struct Part {
  std::string name;
  std::vector<std::string> shapes;
  std::string rest;  // of the body
};

struct Setting {
  bool spatial = true;
  double friction = 0.5;
  std::vector<Part> parts;
  bool floor = true;
  std::string run = "step: 2 ms, duration: 1";
};

// The text of the scene, its bodies and their shapes shuffled; 0: as they are.
std::string written(Setting setting, unsigned seed) {
  if (setting.floor)
    setting.parts.push_back(
        {"floor",
         {setting.spatial ? "{half-space: {}, material: m}" : "{half-plane: {}, material: m}"},
         "freedom: fixed"});
  // The order of std::shuffle is not the same everywhere; this one is.
  std::mt19937 random(seed);
  const auto shuffle = [&](auto& list) {
    for (std::size_t i = list.size(); seed > 0 && i > 1; --i)
      std::swap(list[i - 1], list[random() % i]);
  };
  shuffle(setting.parts);
  std::string text = fmt::format("world: {}\n", setting.spatial ? "spatial" : "planar");
  if (!setting.floor) text += setting.spatial ? "gravity: [0, 0, 0]\n" : "gravity: [0, 0]\n";
  text += fmt::format("materials: {{m: {{friction: {:.17g}}}}}\nbodies:\n", setting.friction);
  for (Part& part : setting.parts) {
    shuffle(part.shapes);
    text += fmt::format("  {}: {{shapes: [{}], {}}}\n", part.name, fmt::join(part.shapes, ", "),
                        part.rest);
  }
  return text + "run: {" + setting.run + "}\n";
}

std::string list(std::initializer_list<double> numbers) {
  std::string text;
  for (const double x : numbers) text += fmt::format("{}{:.17g}", text.empty() ? "" : ", ", x);
  return "[" + text + "]";
}

std::string ball_of(double radius) {
  return fmt::format("{{sphere: {:.17g}, material: m}}", radius);
}
std::string disc_of(double radius) {
  return fmt::format("{{circle: {:.17g}, material: m}}", radius);
}
std::string box_of(std::initializer_list<double> sides) {
  return "{box: " + list(sides) + ", material: m}";
}
std::string foot(double x, double y, double z) {
  return "{sphere: {radius: 0.01}, position: " + list({x, y, z}) + ", material: m}";
}

// ------------------------------------------------------------------------------------- the scenes

// Slides into Painlevé's paradox on two feet beside each other.
Setting rod() {
  const double angle = 55.0 * M_PI / 180.0, x = 0.5 * std::cos(angle), z = 0.5 * std::sin(angle);
  return {true,
          1.6,
          {{"rod",
            {foot(-x, 0.05, -z), foot(-x, -0.05, -z)},
            "mass: 1, inertia: [1/12, 1/12, 0.01], position: " + list({0, 0, z + 0.01}) +
                ", velocity: [-3, 0, 0]"}}};
}

// Turns as it lands on feet around the z axis.
Setting legs(int count, double sideways) {
  Part part{"legs", {}, "mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0.065], "};
  for (int k = 0; k < count; ++k) {
    const double angle = 0.3 + 2.0 * M_PI * k / count;
    part.shapes.push_back(foot(0.1 * std::cos(angle), 0.1 * std::sin(angle), -0.05));
  }
  part.rest += "velocity: " + list({sideways, 0, -0.3}) + ", spin: [0, 0, 3]";
  return {true, 0.4, {part}};
}

Setting stack(bool spatial, int count) {
  Setting setting{spatial, 0.5, {}};
  for (int k = 0; k < count; ++k) {
    const double up = 0.051 + 0.101 * k, wide = 0.2 - 0.03 * k;
    std::string rest = "mass: 1, position: " + (spatial ? list({0, 0, up}) : list({0, up}));
    if (spatial && k == count - 1) rest += ", spin: [0, 0, 2]";
    setting.parts.push_back({fmt::format("b{}", k),
                             {spatial ? box_of({wide, wide - 0.04, 0.1}) : box_of({wide, 0.1})},
                             rest});
  }
  return setting;
}

// Balls or discs around a hub run into it, with a speed around it.
Setting wheel(bool spatial, double friction, double around) {
  Setting setting{spatial, friction, {}, spatial};
  const auto add = [&](const std::string& name, double x, double y, double vx, double vy) {
    setting.parts.push_back({name,
                             {spatial ? ball_of(0.05) : disc_of(0.05)},
                             "mass: 1, position: " + (spatial ? list({x, y, 0.05}) : list({x, y})) +
                                 ", velocity: " + (spatial ? list({vx, vy, 0}) : list({vx, vy}))});
  };
  add("hub", 0, 0, 0, 0);
  for (int k = 0; k < 6; ++k) {
    const double c = std::cos(M_PI * k / 3), s = std::sin(M_PI * k / 3);
    add(fmt::format("b{}", k), 0.12 * c, 0.12 * s, -c - around * s, -s + around * c);
  }
  return setting;
}

// Three balls on the floor, one on top of them that turns.
Setting cannonballs() {
  const double r = 0.05, far = 2.0 * r / std::sqrt(3.0);
  Setting setting{true, 0.2, {}};
  for (int k = 0; k < 3; ++k)
    setting.parts.push_back({fmt::format("b{}", k),
                             {ball_of(r)},
                             "mass: 1, position: " + list({far * std::cos(2 * M_PI * k / 3),
                                                           far * std::sin(2 * M_PI * k / 3), r})});
  setting.parts.push_back({"top",
                           {ball_of(r)},
                           "mass: 1, spin: [0, 0, 4], position: " +
                               list({0, 0, r + 2.0 * r * std::sqrt(2.0 / 3.0) + 0.003})});
  return setting;
}

// Rows of bricks, each beside the gaps of the one below.
Setting wall(bool spatial, int rows) {
  Setting setting{spatial, 0.5, {}};
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < rows - row; ++i) {
      const double x = 0.21 * (i - 0.5 * (rows - 1 - row)), up = 0.03 + 0.0605 * row;
      setting.parts.push_back(
          {fmt::format("b{}{}", row, i),
           {spatial ? box_of({0.2, 0.1, 0.06}) : box_of({0.2, 0.06})},
           "mass: 1, position: " + (spatial ? list({x, 0, up}) : list({x, up}))});
    }
  return setting;
}

// Discs that fall apart where friction does not hold them.
Setting discs(int rows, double friction) {
  Setting setting{false, friction, {}};
  const double r = 0.05;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < rows - row; ++i)
      setting.parts.push_back({fmt::format("d{}{}", row, i),
                               {disc_of(r)},
                               "mass: 1, position: " + list({2 * r * (i - 0.5 * (rows - 1 - row)),
                                                             r + row * std::sqrt(3.0) * r})});
  return setting;
}

// A box that meets the floor with an edge, then with its face while it slides: corners that touch
// and corners that arrive in the same step.
Setting tilted_boxes() {
  return {true,
          0.4,
          {{"lower",
            {box_of({0.2, 0.16, 0.1})},
            "mass: 2, position: [0, 0, 0.056], rotation: {rpy: [0, 0.05, 0.3]}, "
            "velocity: [0.8, 0.3, 0], spin: [0, 0, 2]"},
           {"upper", {box_of({0.1, 0.1, 0.1})}, "mass: 0.3, position: [0.02, 0.01, 0.17]"}}};
}

// -------------------------------------------------------------------------------------- the order

double apart(const Simulation& a, const Simulation& b, const Setting& setting) {
  double most = 0.0;
  for (const Part& part : setting.parts) {
    const Twist u = twist(a, part.name), v = twist(b, part.name);
    most = std::max({most, (u.linear - v.linear).norm(), (u.angular - v.angular).norm(),
                     (position(a, part.name) - position(b, part.name)).norm()});
  }
  return most;
}

void expect_any_order(const Setting& setting, const std::map<std::string, std::string>& options,
                      int steps) {
  std::vector<Simulation> runs;
  for (unsigned seed = 0; seed < 4; ++seed)
    runs.push_back(simulate(written(setting, seed), chosen(options)));
  for (int i = 0; i < steps; ++i) {
    for (Simulation& run : runs) {
      const StepReport& report = run.step();
      ASSERT_EQ(report.solve.status, SolveStatus::solved) << i;
      ASSERT_EQ(report.unselected, 0) << i;
    }
    for (std::size_t k = 1; k < runs.size(); ++k)
      ASSERT_LE(apart(runs[0], runs[k], setting), bound) << "step " << i << ", order " << k;
  }
}

void expect_any_order_on_cones(const Setting& setting, int steps) {
  expect_any_order(setting, {}, steps);
  expect_any_order(setting, {{"cone", "pyramid"}}, steps);
}

TEST(Order, six_balls_that_run_into_a_hub_move_as_one_in_any_order) {
  expect_any_order_on_cones(wheel(true, 0.4, 0.2), 40);
  expect_any_order(wheel(true, 1.2, 0.2), {}, 40);
  expect_any_order(wheel(true, 0.0, 0.0), {}, 40);
  for (const double friction : {0.0, 0.4, 1.0})
    expect_any_order(wheel(false, friction, 0.2), {}, 40);
}

TEST(Order, a_rod_and_legs) {
  expect_any_order_on_cones(rod(), 100);
  for (const int count : {3, 4, 5, 8}) expect_any_order_on_cones(legs(count, 0.5), 80);
}

TEST(Order, stacks_and_walls) {
  expect_any_order_on_cones(stack(true, 4), 60);
  expect_any_order(stack(false, 5), {}, 100);
  expect_any_order_on_cones(wall(true, 2), 30);
  expect_any_order(wall(false, 4), {}, 60);
}

TEST(Order, balls_and_discs_that_roll_apart) {
  expect_any_order_on_cones(cannonballs(), 60);
  expect_any_order(discs(4, 0.5), {}, 60);
  expect_any_order(discs(5, 0.1), {}, 60);
}

TEST(Order, corners_that_touch_beside_corners_that_arrive) {
  expect_any_order_on_cones(tilted_boxes(), 100);
}

TEST(Order, several_solvers_and_steppers) {
  for (const char* solver : {"gauss-seidel", "interior-point", "semismooth-newton"})
    expect_any_order(wheel(true, 0.4, 0.2), {{"solver", solver}}, 25);
  expect_any_order(wheel(true, 0.4, 0.2), {{"solver", "lemke"}, {"cone", "pyramid"}}, 25);
  expect_any_order(stack(true, 3), {{"stepper", "anitescu-potra"}}, 40);
  expect_any_order(legs(4, 0.5), {{"stepper", "anitescu-potra"}, {"cone", "box"}}, 60);
}

// ----------------------------------------------------------------------------------- the symmetry

Matrix3 turn_about_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return (Matrix3() << c, -s, 0, s, c, 0, 0, 0, 1).finished();
}

// Body `names[i]` is where the symmetry takes body `names[0]` in i times.
void expect_images(const Simulation& run, const std::vector<std::string>& names, const Matrix3& map,
                   int step) {
  Matrix3 now = Matrix3::Identity();
  const Twist first = twist(run, names[0]);
  for (std::size_t i = 0; i <= names.size(); ++i, now = map * now) {
    const std::string& name = names[i % names.size()];
    const Twist other = twist(run, name);
    // Spins are axial.
    const double sign = now.determinant();
    ASSERT_LE((now * position(run, names[0]) - position(run, name)).norm(), bound)
        << name << ", step " << step;
    ASSERT_LE((now * first.linear - other.linear).norm(), bound) << name << ", step " << step;
    ASSERT_LE((sign * now * first.angular - other.angular).norm(), bound)
        << name << ", step " << step;
  }
}

using Orbits = std::vector<std::vector<std::string>>;

void expect_symmetric(const Setting& setting, const Orbits& orbits, const Matrix3& map, int steps,
                      const std::map<std::string, std::string>& options = {}) {
  for (const unsigned seed : {0u, 5u}) {
    Simulation run = simulate(written(setting, seed), chosen(options));
    for (int i = 0; i < steps; ++i) {
      run.step();
      for (const auto& names : orbits) expect_images(run, names, map, i);
    }
  }
}

TEST(Symmetry, a_wheel_turns_into_itself) {
  const Orbits orbits = {{"hub"}, {"b0", "b1", "b2", "b3", "b4", "b5"}};
  for (const bool spatial : {false, true})
    for (const double friction : {0.0, 0.4, 1.2})
      expect_symmetric(wheel(spatial, friction, 0.2), orbits, turn_about_z(M_PI / 3), 60);
}

TEST(Symmetry, a_rod_in_painleves_paradox_keeps_its_mirror) {
  const Matrix3 mirror = Vector3(1, -1, 1).asDiagonal();
  expect_symmetric(rod(), {{"rod"}}, mirror, 100);
  expect_symmetric(rod(), {{"rod"}}, mirror, 100, {{"cone", "pyramid"}});
}

TEST(Symmetry, legs_and_stacks_turn_about_their_axis) {
  for (const int count : {3, 5})
    expect_symmetric(legs(count, 0.0), {{"legs"}}, turn_about_z(2.0 * M_PI / count), 100);
  const Orbits orbits = {{"b0"}, {"b1"}, {"b2"}};
  expect_symmetric(stack(true, 3), orbits, turn_about_z(M_PI), 100);
  expect_symmetric(cannonballs(), {{"top"}, {"b0", "b1", "b2"}}, turn_about_z(2.0 * M_PI / 3), 60);
}

TEST(Symmetry, walls_and_heaps_keep_their_mirror) {
  const Matrix3 mirror = Vector3(-1, 1, 1).asDiagonal();
  expect_symmetric(wall(false, 3), {{"b00", "b02"}, {"b01"}, {"b10", "b11"}, {"b20"}}, mirror, 80);
  expect_symmetric(wall(true, 2), {{"b00", "b01"}, {"b10"}}, mirror, 40);
  expect_symmetric(discs(3, 0.1), {{"d00", "d02"}, {"d01"}, {"d10", "d11"}, {"d20"}}, mirror, 80);
}

}  // namespace
}  // namespace vinci
