// SPDX-License-Identifier: Apache-2.0
// Bodies of triangles and bodies on triangles, through detector and stepper.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/mesh_shapes.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

std::string mesh_text(const TriangleSoup& soup) {
  std::string vertices, triangles;
  for (const Vector3& p : soup.points)
    vertices += fmt::format("[{:.17g}, {:.17g}, {:.17g}], ", p.x(), p.y(), p.z());
  for (const auto& t : soup.triangles) triangles += fmt::format("[{}, {}, {}], ", t[0], t[1], t[2]);
  return fmt::format("mesh: {{vertices: [{}], triangles: [{}]}}", vertices, triangles);
}

std::string mesh_scene(const std::string& ground, const std::string& part, const char* duration) {
  return fmt::format(
      "world: spatial\nmaterials: {{m: {{friction: 0.3}}}}\nbodies:\n"
      "  ground: {{freedom: fixed, shapes: [{{{}, material: m}}]}}\n  part: {{{}}}\n"
      "run: {{step: 1 ms, duration: {}}}\n",
      ground, part, duration);
}

// The same run on a floor of triangles and on the half-space.
void expect_same_as_on_a_plane(const std::string& part, int seed, double tolerance) {
  std::mt19937_64 random(static_cast<unsigned>(seed));
  const std::string floor = mesh_text(meshes::floor(random, 2.0, 11));
  Simulation on_mesh = simulate(mesh_scene(floor, part, "1 s"));
  Simulation on_plane = simulate(mesh_scene("half-space: {}", part, "1 s"));
  double way = 0.0;
  while (!on_plane.finished()) {
    ASSERT_LE(on_mesh.step().solve.residual.relative, 1e-9);
    on_plane.step();
    const Vector3 p = position(on_mesh, "part"), q = position(on_plane, "part");
    ASSERT_NEAR((p - q).norm(), 0.0, tolerance) << on_plane.state().time;
    way = std::max(way, q.head<2>().norm());
  }
  EXPECT_GT(way, 0.3);
}

TEST(MeshMotion, marble_rolls_over_a_floor_of_random_triangles_without_a_bump) {
  for (int seed = 0; seed < 3; ++seed)
    expect_same_as_on_a_plane(
        "shapes: [{sphere: 0.05, material: m}], position: [-1, -0.7, 0.05], "
        "velocity: [1, 0.7, 0], spin: [-14, 20, 0]",
        seed, 1e-9);
}

TEST(MeshMotion, box_slides_over_a_floor_of_random_triangles_as_over_a_plane) {
  expect_same_as_on_a_plane(
      "shapes: [{box: [0.2, 0.1, 0.08], material: m}], "
      "position: [-1, -0.6, 0.04], velocity: [1.5, 0.9, 0], spin: [0, 0, 2]",
      5, 1e-9);
}

TEST(MeshMotion, capsule_and_cylinder_roll_over_a_floor_of_triangles_as_over_a_plane) {
  const std::string lying =
      "position: [-1, 0, 0.05], rotation: {axis: [1, 0, 0], angle: 90 deg}, "
      "velocity: [0.5, 0, 0], spin: [0, 10, 0]";
  expect_same_as_on_a_plane(
      "shapes: [{capsule: {length: 0.2, radius: 0.05}, material: m}], " + lying, 6, 1e-9);
  expect_same_as_on_a_plane(
      "shapes: [{cylinder: {radius: 0.05, height: 0.2}, material: m}], " + lying, 7, 1e-9);
}

TEST(MeshMotion, ellipsoid_rolls_over_a_floor_of_random_triangles_as_over_a_plane) {
  for (int seed = 8; seed < 10; ++seed)
    expect_same_as_on_a_plane(
        "shapes: [{superquadric: {axes: [0.06, 0.05, 0.04], e1: 1, e2: 1}, material: m}], "
        "position: [-1, -0.7, 0.06], velocity: [1, 0.7, 0], spin: [-14, 20, 3]",
        seed, 1e-9);
}

// Dropped askew.
TEST(MeshMotion, rounded_block_comes_to_rest_on_a_floor_of_triangles) {
  std::mt19937_64 random(10);
  Simulation simulation = simulate(
      mesh_scene(mesh_text(meshes::floor(random, 1.0, 14)),
                 "shapes: [{superquadric: {axes: [0.1, 0.08, 0.05], e1: 0.1, e2: 0.1}, material: "
                 "m}], position: [0, 0, 0.12], rotation: {rpy: [20 deg, 10 deg, 30 deg]}",
                 "1.5 s"));
  double before = infinity;
  while (!simulation.finished()) {
    const StepReport report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-8);
    ASSERT_EQ(report.passed, 0);
    const double now = energy(simulation.model(), simulation.state()).total();
    ASSERT_LE(now, before + 1e-6);
    before = now;
  }
  EXPECT_NEAR(position(simulation, "part").z(), 0.05, 1e-6);
  EXPECT_LT(twist(simulation, "part").linear.norm() + twist(simulation, "part").angular.norm(),
            1e-9);
}

// Two faces that meet in a concave edge hold it as two planes do.
TEST(MeshMotion, superquadrics_slide_along_a_groove_of_triangles_as_between_two_planes) {
  const std::string groove =
      "mesh: {vertices: [[-2, 0, 0], [2, 0, 0], [2, 1, 1], [-2, 1, 1], [2, -1, 1], [-2, -1, 1], "
      "[0.3, 0, 0], [0.1, 0.4, 0.4]], triangles: [[0, 6, 7], [6, 1, 7], [1, 2, 7], [2, 3, 7], "
      "[3, 0, 7], [0, 5, 6], [5, 4, 6], [4, 1, 6]]}";
  const std::string planes =
      "half-space: {point: [0, 0, 0], normal: [0, -1, 1]}, material: m}, "
      "{half-space: {point: [0, 0, 0], normal: [0, 1, 1]}";
  for (const char* kind : {"e1: 1, e2: 1", "e1: 0.4, e2: 0.7"}) {
    const std::string part = fmt::format(
        "shapes: [{{superquadric: {{axes: [0.12, 0.1, 0.08], {}}}, material: m}}], "
        "position: [-0.5, 0.01, 0.25], velocity: [1.5, 0, 0], spin: [1, 0, 2]",
        kind);
    Simulation on_mesh = simulate(mesh_scene(groove, part, "0.4 s"));
    Simulation on_planes = simulate(mesh_scene(planes, part, "0.4 s"));
    bool between = false;
    while (!on_planes.finished()) {
      ASSERT_LE(on_mesh.step().solve.residual.relative, 1e-9);
      const StepReport report = on_planes.step();
      between = between || report.contact_count > 1;
      const Vector3 p = position(on_mesh, "part"), q = position(on_planes, "part");
      ASSERT_NEAR((p - q).norm(), 0.0, 1e-8) << kind << " " << on_planes.state().time;
    }
    EXPECT_TRUE(between);
  }
}

// Half of it hangs over the edge: the corners of the patch are where edges of the mesh cross below.
TEST(MeshMotion, rounded_block_lies_over_the_edge_of_a_box_of_triangles) {
  const std::string bench = mesh_text(meshes::box(Vector3(0.3, 0.3, 0.2), 3));
  for (const double x : {0.25, 0.35}) {
    Simulation simulation = simulate(mesh_scene(
        bench,
        fmt::format("shapes: [{{superquadric: {{axes: [0.1, 0.08, 0.05], e1: 0.1, e2: 0.1}}, "
                    "material: m}}], position: [{}, 0.02, 0.25]",
                    x),
        "0.3 s"));
    while (!simulation.finished()) {
      const StepReport report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-8);
      ASSERT_EQ(report.passed, 0);
    }
    // Its centre over the bench it stays, else it tips over.
    const double drop = 0.25 - position(simulation, "part").z();
    if (x < 0.3) {
      EXPECT_NEAR(drop, 0.0, 1e-6);
      EXPECT_LT(twist(simulation, "part").angular.norm(), 1e-6);
    } else {
      EXPECT_GT(drop, 0.05);
    }
  }
}

// A box of triangles moves as the box does.
TEST(MeshMotion, box_of_triangles_slides_as_a_box) {
  const std::string motion = "position: [0, 0, 0.05], velocity: [1, 0.2, 0], spin: [0, 0, 3]";
  const std::string mesh = mesh_text(meshes::box(Vector3(0.1, 0.05, 0.05), 3));
  Simulation one = simulate(
      mesh_scene("half-space: {}", "shapes: [{" + mesh + ", material: m}], " + motion, "0.5 s"));
  Simulation other = simulate(mesh_scene(
      "half-space: {}", "shapes: [{box: [0.2, 0.1, 0.1], material: m}], " + motion, "0.5 s"));
  const auto body = [](const Simulation& s) { return s.model().bodies[1].mass; };
  EXPECT_NEAR(body(one).mass, body(other).mass, 1e-12);
  EXPECT_NEAR((body(one).inertia - body(other).inertia).norm(), 0.0, 1e-15);
  while (!one.finished()) {
    one.step();
    other.step();
    ASSERT_NEAR((position(one, "part") - position(other, "part")).norm(), 0.0, 1e-9);
  }
}

// A ring falls over a post: the hole is a hole, and it comes to rest around it.
TEST(MeshMotion, torus_falls_over_a_post_and_lies_around_it) {
  const std::string ring = mesh_text(meshes::torus(0.1, 0.03, 16, 8));
  const std::string scene = fmt::format(
      "world: spatial\nmaterials: {{m: {{friction: 0.3}}}}\nbodies:\n"
      "  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}\n"
      "  post: {{freedom: fixed, shapes: [{{cylinder: {{radius: 0.05, height: 0.2}}, material: "
      "m}}], "
      "position: [0, 0, 0.1]}}\n"
      "  ring: {{shapes: [{{{}, material: m}}], position: [0.01, 0, 0.3], "
      "rotation: {{rpy: [5 deg, 3 deg, 0]}}}}\nrun: {{step: 1 ms, duration: 1 s}}\n",
      ring);
  Simulation simulation = simulate(scene);
  double before = infinity;
  while (!simulation.finished()) {
    const StepReport report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-8);
    ASSERT_EQ(report.passed, 0);
    const double now = energy(simulation.model(), simulation.state()).total();
    ASSERT_LE(now, before + 1e-6);
    before = now;
  }
  // Lying, the lowest ring of vertices is on the floor.
  EXPECT_NEAR(position(simulation, "ring").z(), 0.03, 1e-6);
}

TEST(MeshMotion, runs_with_meshes_are_the_same_bit_for_bit) {
  std::mt19937_64 random(3);
  const std::string part = mesh_text(meshes::rough_ball(random, 4, 6));
  const std::string ground = mesh_text(meshes::floor(random, 5.0, 6));
  const std::string scene =
      mesh_scene(ground, "shapes: [{" + part + ", material: m}], position: [0, 0, 1.2]", "0.7 s");
  Simulation one = simulate(scene), other = simulate(scene);
  while (!one.finished()) {
    one.step();
    other.step();
  }
  EXPECT_EQ(position(one, "part"), position(other, "part"));
  EXPECT_LT(position(one, "part").z(), 1.0);
}

}  // namespace
}  // namespace vinci::test
