// SPDX-License-Identifier: Apache-2.0
// Hulls, mesh files and bounds of shapes.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"

namespace vinci {
namespace {

void expect_closed_and_convex(const Polyhedron& hull, std::span<const Vector3> points) {
  EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
  ASSERT_EQ(hull.faces.size(), hull.face_normals.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const Vector3 base = hull.vertices[hull.faces[f][0]];
    EXPECT_NEAR(hull.face_normals[f].norm(), 1.0, 1e-14);
    for (const Vector3& point : points) EXPECT_LT(hull.face_normals[f].dot(point - base), 1e-12);
    for (const int v : hull.faces[f])
      EXPECT_NEAR(hull.face_normals[f].dot(hull.vertices[v] - base), 0.0, 1e-12);
  }
  for (const Polyhedron::Edge& edge : hull.edges) {
    const auto follows = [&](int face, int from, int to) {
      const auto& ring = hull.faces[face];
      for (std::size_t i = 0; i < ring.size(); ++i)
        if (ring[i] == from && ring[(i + 1) % ring.size()] == to) return true;
      return false;
    };
    EXPECT_TRUE(follows(edge.left, edge.tail, edge.head));
    EXPECT_TRUE(follows(edge.right, edge.head, edge.tail));
  }
}

TEST(Hull, cube_has_six_square_faces_whatever_its_pose) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    Pose pose{{normal(random), normal(random), normal(random)},
              Quaternion(normal(random), normal(random), normal(random), normal(random))};
    pose.rotation.normalize();
    std::vector<Vector3> points;
    for (const Vector3& corner : box_polyhedron({0.1, 0.5, 0.9}).vertices)
      points.push_back(pose * corner);
    points.push_back(pose.position);  // inside
    const Polyhedron hull = convex_hull(points);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.faces.size(), 6u);
    EXPECT_EQ(hull.edges.size(), 12u);
    expect_closed_and_convex(hull, points);
  }
}

TEST(Hull, box_polyhedron_equals_hull_of_its_corners) {
  const Polyhedron box = box_polyhedron({1, 2, 3});
  const Polyhedron hull = convex_hull(box.vertices);
  EXPECT_EQ(box.faces, hull.faces);
  EXPECT_EQ(box.vertices, hull.vertices);
  expect_closed_and_convex(box, box.vertices);
}

TEST(Hull, random_clouds_are_enclosed) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vector3> points;
    for (int i = 0; i < 5 + 10 * trial; ++i)
      points.emplace_back(normal(random), normal(random), normal(random));
    if (trial % 2)
      for (Vector3& point : points) point.normalize();
    expect_closed_and_convex(convex_hull(points), points);
  }
}

TEST(Hull, grid_points_on_faces_and_edges_do_not_become_vertices) {
  std::vector<Vector3> points;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j)
      for (int k = 0; k <= 4; ++k) points.emplace_back(0.1 * i, 0.1 * j, 0.1 * k);
  const Polyhedron hull = convex_hull(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
}

TEST(Hull, result_is_the_same_twice) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Vector3> points;
  for (int i = 0; i < 300; ++i) points.emplace_back(normal(random), normal(random), normal(random));
  const Polyhedron first = convex_hull(points), second = convex_hull(points);
  EXPECT_EQ(first.vertices, second.vertices);
  EXPECT_EQ(first.faces, second.faces);
}

TEST(Hull, flat_and_bad_sets_are_refused_quietly) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(convex_hull(std::vector<Vector3>(3, Vector3::Zero())), Error);
  EXPECT_THROW(convex_hull(std::vector<Vector3>(10, Vector3::Ones())), Error);
  std::vector<Vector3> flat;
  for (int i = 0; i < 20; ++i) flat.emplace_back(i % 5, i / 5, 0.25 * i + 1.0);
  for (Vector3& p : flat) p.z() = 0.3 * p.x() + 0.7 * p.y();
  EXPECT_THROW(convex_hull(flat), Error);
  std::vector<Vector3> line;
  for (int i = 0; i < 20; ++i) line.emplace_back(i, 2 * i, 3 * i);
  EXPECT_THROW(convex_hull(line), Error);
  std::vector<Vector3> wild = box_polyhedron({1, 1, 1}).vertices;
  wild[3].y() = std::nan("");
  EXPECT_THROW(convex_hull(wild), Error);
  EXPECT_THROW(convex_hull(std::vector<Vector3>(max_hull_points + 1)), Error);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("vinci-mesh-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::string error_of(const std::string& name, const std::string& bytes) {
    try {
      read_mesh_points(write(name, bytes));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path folder_;
};

std::string binary_stl(std::uint32_t announced,
                       const std::vector<std::array<float, 9>>& triangles) {
  std::string bytes(80, ' ');
  bytes.append(reinterpret_cast<const char*>(&announced), 4);
  for (const auto& triangle : triangles) {
    bytes.append(12, '\0');
    bytes.append(reinterpret_cast<const char*>(triangle.data()), 36);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST_F(MeshFile, obj_vertices_are_read_to_the_nearest_double) {
  const auto file = write("a.obj",
                          "# a comment\r\nv 0.1 +0.2 -3e-1 1.0\nv 1 0 0\nvn 0 0 1\nv 0 1 0\n"
                          "f 1/1/1 2//1 -1\nv 0.1 0.2 -0.3\n");
  const std::vector<Vector3> points = read_mesh_points(file, 2.0);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0], Vector3(0.2, 0.4, -0.6));
}

TEST_F(MeshFile, text_and_binary_stl_agree) {
  const auto text = write("a.stl",
                          "solid x\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0"
                          "\n vertex 0 0.5 0\n endloop\n endfacet\nendsolid x\n");
  const auto binary = write("b.STL", binary_stl(1, {{0, 0, 0, 1, 0, 0, 0, 0.5F, 0}}));
  EXPECT_EQ(read_mesh_points(text), read_mesh_points(binary));
  std::string misleading = binary_stl(1, {{0, 0, 0, 1, 0, 0, 0, 0.5F, 0}});
  std::memcpy(misleading.data(), "solid", 5);
  EXPECT_EQ(read_mesh_points(write("c.stl", misleading)).size(), 3u);
}

TEST_F(MeshFile, hostile_files_are_refused_with_the_place) {
  EXPECT_NE(error_of("a.obj", "v 0 0 0\nf 1 2 3\n").find("a.obj:2"), std::string::npos);
  EXPECT_NE(error_of("b.obj", "v 0 0 0\nf 0\n"), "");
  EXPECT_NE(error_of("c.obj", "v 0 0 0\nf -2\n"), "");
  EXPECT_NE(error_of("d.obj", "v 0 0 0\nf 99999999999999999999\n"), "");
  EXPECT_NE(error_of("e.obj", "v 0 zero 0\n").find("'zero'"), std::string::npos);
  EXPECT_NE(error_of("f.obj", "v 0 nan 0\n"), "");
  EXPECT_NE(error_of("g.obj", "v 0 1e999 0\n"), "");
  EXPECT_NE(error_of("h.obj", "v 0 1\n"), "");
  EXPECT_NE(error_of("i.obj", "").find("no vertices"), std::string::npos);
  EXPECT_NE(error_of("j.obj", std::string(1000, '\0')).find("no vertices"), std::string::npos);
  EXPECT_NE(error_of("a.stl", "").find("short"), std::string::npos);
  EXPECT_NE(error_of("b.stl", binary_stl(4'000'000'000u, {})).find("announces"), std::string::npos);
  EXPECT_NE(error_of("c.stl", binary_stl(2, {{0, 0, 0, 1, 0, 0, 0, 1, 0}})), "");
  EXPECT_NE(error_of("d.stl", binary_stl(1, {{0, 0, 0, 1, 0, 0, 0, std::nanf(""), 0}})), "");
  EXPECT_NE(error_of("e.stl", "solid x\n vertex 0 0 0\n").find("endsolid"), std::string::npos);
  EXPECT_NE(error_of("f.ply", "ply\n").find(".obj, .stl"), std::string::npos);
  EXPECT_THROW(read_mesh_points(folder_ / "missing.obj"), Error);
  EXPECT_THROW(read_mesh_points(folder_), Error);
}

TEST_F(MeshFile, a_file_beyond_the_limit_is_not_read) {
  const auto file = write("big.obj", "v 0 0 0\n");
  std::filesystem::resize_file(file, 300'000'000);  // sparse
  EXPECT_THROW(read_mesh_points(file), Error);
}

TEST(Bounds, boxes_are_tight_for_every_bounded_shape) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  const Shape shapes[] = {Capsule{{0.2, 0.3, 0.4}, 0.1}, Sphere{0.5}, Box{{0.1, 0.2, 0.3}},
                          Cylinder{0.3, 0.4}, box_polyhedron({0.1, 0.2, 0.3})};
  for (const Shape& shape : shapes)
    for (int trial = 0; trial < 20; ++trial) {
      Pose pose{{normal(random), normal(random), normal(random)},
                Quaternion(normal(random), normal(random), normal(random), normal(random))};
      pose.rotation.normalize();
      const Box3 box = bounding_box(shape, pose);
      // Support along +x by brute force over boundary points of the shape.
      const Vector3 d = pose.rotation.conjugate() * Vector3::UnitX();
      double reach = 0.0;
      if (const auto* s = std::get_if<Capsule>(&shape))
        reach = std::abs(d.dot(s->half_axis)) + s->radius;
      if (const auto* s = std::get_if<Sphere>(&shape)) reach = s->radius;
      if (const auto* s = std::get_if<Box>(&shape)) reach = d.cwiseAbs().dot(s->half_extents);
      if (const auto* s = std::get_if<Cylinder>(&shape))
        for (int k = 0; k < 100'000; ++k)
          reach = std::max(reach, d.dot(Vector3(s->radius * std::cos(2e-5 * M_PI * k),
                                                s->radius * std::sin(2e-5 * M_PI * k),
                                                std::copysign(s->half_height, d.z()))));
      if (const auto* s = std::get_if<Polyhedron>(&shape))
        for (const Vector3& v : s->vertices) reach = std::max(reach, d.dot(v));
      EXPECT_NEAR(box.upper.x(), pose.position.x() + reach, 1e-9);
      EXPECT_NEAR(box.lower.x(), pose.position.x() - reach, 1e-9);
      EXPECT_LE(reach, bounding_radius(shape) + 1e-12);
    }
  EXPECT_TRUE(std::isinf(bounding_radius(HalfPlane{})));
  EXPECT_TRUE(std::isinf(bounding_box(HalfSpace{}, Pose{}).upper.x()));
  EXPECT_EQ(kind_of(HalfPlane{}), "half-plane");
  EXPECT_EQ(kind_of(HalfSpace{}), "half-space");
}

}  // namespace
}  // namespace vinci
