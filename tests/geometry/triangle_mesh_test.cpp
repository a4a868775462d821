// SPDX-License-Identifier: Apache-2.0
// Checked construction of meshes and height fields, inside and outside, mass; files of triangles.
#include "vinci/geometry/triangle_mesh.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/mesh_shapes.h"
#include "vinci/base/error.h"
#include "vinci/geometry/mass.h"

namespace vinci {
namespace {

using Kind = TriangleMesh::Edge::Kind;

int count_edges(const TriangleMesh& mesh, Kind kind) {
  return static_cast<int>(std::count_if(mesh.edges.begin(), mesh.edges.end(),
                                        [&](const auto& edge) { return edge.kind == kind; }));
}

int count_corners(const TriangleMesh& mesh) {
  return static_cast<int>(std::count(mesh.is_corner.begin(), mesh.is_corner.end(), 1));
}

TEST(TriangleMesh, box_in_pieces_has_six_flats_and_eight_corners) {
  for (const int n : {1, 2, 7}) {
    const Mesh box = make_mesh(meshes::box(Vector3(1.0, 2.0, 3.0), n));
    EXPECT_TRUE(box.surface->closed);
    EXPECT_EQ(box.surface->flats.size(), 6u);
    EXPECT_EQ(count_corners(*box.surface), 8);
    EXPECT_EQ(count_edges(*box.surface, Kind::convex), 12 * n);
    EXPECT_EQ(count_edges(*box.surface, Kind::concave), 0);
    EXPECT_NEAR(box.surface->volume, 48.0, 1e-12);
  }
}

TEST(TriangleMesh, floor_of_random_triangles_is_one_flat) {
  std::mt19937_64 random(1);
  const Mesh floor = make_mesh(meshes::floor(random, 2.0, 9));
  EXPECT_FALSE(floor.surface->closed);
  EXPECT_EQ(floor.surface->flats.size(), 1u);
  EXPECT_EQ(floor.surface->flats[0].normal, Vector3(0.0, 0.0, 1.0));
  EXPECT_EQ(floor.surface->flats[0].offset, 0.0);
  EXPECT_EQ(count_corners(*floor.surface), 4);
}

TEST(TriangleMesh, mass_of_a_mesh_is_that_of_its_solid) {
  const Vector3 half(0.3, 0.2, 0.5);
  const MassProperties mesh =
      mass_properties(make_mesh(meshes::box(half, 4)), 700.0, Extent::spatial);
  const MassProperties box = mass_properties(Box{half}, 700.0, Extent::spatial);
  EXPECT_NEAR(mesh.mass, box.mass, 1e-12 * box.mass);
  EXPECT_NEAR(mesh.center.norm(), 0.0, 1e-14);
  EXPECT_NEAR((mesh.inertia - box.inertia).norm(), 0.0, 1e-12 * box.inertia.norm());
  // Torus: V = 2π²Rr², I_z = m(R² + 3r²/4), I_x = m(R²/2 + 5r²/8).
  double before = 0.0;
  for (const int n : {16, 32, 64}) {
    const MassProperties found =
        mass_properties(make_mesh(meshes::torus(1.0, 0.4, 2 * n, n)), 1.0, Extent::spatial);
    const double mass = 2.0 * M_PI * M_PI * 0.16;
    const double error = std::abs(found.mass - mass) / mass +
                         std::abs(found.inertia(2, 2) - mass * (1.0 + 0.12)) / mass +
                         std::abs(found.inertia(0, 0) - mass * (0.5 + 0.1)) / mass;
    if (before > 0.0) {
      EXPECT_NEAR(before / error, 4.0, 0.2) << n;
    }
    before = error;
  }
}

TEST(TriangleMesh, inside_and_outside_of_a_torus_and_of_rough_balls) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  const Mesh torus = make_mesh(meshes::torus(1.0, 0.4, 64, 32));
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vector3 x(place(random), place(random), place(random));
    const double depth = 0.4 - std::hypot(std::hypot(x.x(), x.y()) - 1.0, x.z());
    if (std::abs(depth) < 0.01) continue;  // between the torus and its triangles
    const MeshFoot foot = nearest_point(*torus.surface, x);
    EXPECT_EQ(foot.inside, depth > 0.0);
    EXPECT_NEAR(foot.distance, std::abs(depth), 0.01);
    inside += foot.inside ? 1 : 0;
  }
  EXPECT_GT(inside, 300);
  // Along rays from the centre a star is left once.
  for (int trial = 0; trial < 50; ++trial) {
    const Mesh star = make_mesh(meshes::rough_ball(random, 5, 7));
    for (const Vector3& v : star.surface->vertices) {
      EXPECT_TRUE(nearest_point(*star.surface, 0.999 * v).inside);
      EXPECT_FALSE(nearest_point(*star.surface, 1.001 * v).inside);
    }
  }
}

std::string mesh_refusal(const TriangleSoup& soup) {
  try {
    make_mesh(soup);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

bool mesh_says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

TEST(TriangleMesh, bad_meshes_are_named_with_the_triangle) {
  const TriangleSoup good = meshes::box(Vector3(1.0, 1.0, 1.0), 2);
  EXPECT_EQ(mesh_refusal(good), "");
  TriangleSoup flipped = good;
  std::swap(flipped.triangles[5][0], flipped.triangles[5][1]);
  EXPECT_TRUE(mesh_says(mesh_refusal(flipped), "triangle 6")) << mesh_refusal(flipped);
  EXPECT_TRUE(mesh_says(mesh_refusal(flipped), "opposite ways"));
  TriangleSoup twice = good;
  twice.triangles.push_back(twice.triangles[3]);
  EXPECT_TRUE(mesh_says(mesh_refusal(twice), "3 triangles")) << mesh_refusal(twice);
  TriangleSoup wild = good;
  wild.triangles[7][1] = 1'000'000;
  EXPECT_TRUE(mesh_says(mesh_refusal(wild), "triangle 8 names vertex 1000001"))
      << mesh_refusal(wild);
  wild.triangles[7][1] = -3;
  EXPECT_TRUE(mesh_says(mesh_refusal(wild), "triangle 8 names vertex -2")) << mesh_refusal(wild);
  TriangleSoup broken = good;
  broken.points[static_cast<std::size_t>(broken.triangles[9][2])].y() = std::nan("");
  EXPECT_TRUE(mesh_says(mesh_refusal(broken), "nan")) << mesh_refusal(broken);
  broken.points[static_cast<std::size_t>(broken.triangles[9][2])].y() = 1e200;
  EXPECT_TRUE(mesh_says(mesh_refusal(broken), "numbers up to 1e+12")) << mesh_refusal(broken);
  TriangleSoup reversed = good;
  for (auto& t : reversed.triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(mesh_says(mesh_refusal(reversed), "inside out")) << mesh_refusal(reversed);
  EXPECT_TRUE(mesh_says(mesh_refusal({}), "no triangles"));
  TriangleSoup point;
  point.points.assign(3, Vector3(1.0, 2.0, 3.0));
  point.triangles = {{0, 1, 2}};
  EXPECT_TRUE(mesh_says(mesh_refusal(point), "three different corners")) << mesh_refusal(point);
  TriangleSoup line;
  line.points = {Vector3(0.0, 0.0, 0.0), Vector3(1.0, 0.0, 0.0), Vector3(2.0, 0.0, 0.0)};
  line.triangles = {{0, 1, 2}};
  EXPECT_TRUE(mesh_says(mesh_refusal(line), "no area")) << mesh_refusal(line);
  TriangleSoup sheet;  // both sides of one triangle
  sheet.points = {Vector3(0.0, 0.0, 0.0), Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0)};
  sheet.triangles = {{0, 1, 2}, {0, 2, 1}};
  EXPECT_TRUE(mesh_says(mesh_refusal(sheet), "folds back")) << mesh_refusal(sheet);
}

TEST(TriangleMesh, a_hole_leaves_an_open_mesh) {
  TriangleSoup soup = meshes::box(Vector3(1.0, 1.0, 1.0), 2);
  soup.triangles.pop_back();
  const Mesh mesh = make_mesh(soup);
  EXPECT_FALSE(mesh.surface->closed);
  EXPECT_EQ(mesh.surface->border_edges, 3);
  EXPECT_THROW(mass_properties(mesh, 1.0, Extent::spatial), Error);
}

TEST(TriangleMesh, slivers_within_a_face_belong_to_it) {
  TriangleSoup soup = meshes::box(Vector3(1.0, 1.0, 1.0), 1);
  // The first triangle a b c gets a vertex on its side a b, and so a triangle without area there.
  const auto [a, b, c] = soup.triangles[0];
  const int middle = static_cast<int>(soup.points.size());
  soup.points.push_back(
      0.5 * (soup.points[static_cast<std::size_t>(a)] + soup.points[static_cast<std::size_t>(b)]));
  soup.triangles[0] = {a, middle, c};
  soup.triangles.push_back({middle, b, c});
  soup.triangles.push_back({a, b, middle});
  const Mesh mesh = make_mesh(soup);
  EXPECT_TRUE(mesh.surface->closed);
  EXPECT_EQ(mesh.surface->flats.size(), 6u);
  EXPECT_NEAR(mesh.surface->volume, 8.0, 1e-12);
}

TEST(TriangleMesh, height_fields_have_two_triangles_per_cell_and_refuse_ragged_grids) {
  const std::vector<double> heights{0.0, 0.1, 0.0, 0.2, 0.5, 0.2, 0.0, 0.1, 0.0};
  const HeightField field = make_height_field(heights, 3, Vector2(2.0, 4.0));
  EXPECT_EQ(field.surface->triangles.size(), 8u);
  EXPECT_EQ(field.surface->box.lower, Vector3(-1.0, -2.0, 0.0));
  EXPECT_EQ(field.surface->box.upper, Vector3(1.0, 2.0, 0.5));
  for (const auto& flat : field.surface->flats) EXPECT_GT(flat.normal.z(), 0.0);
  EXPECT_THROW(make_height_field(heights, 4, Vector2(1.0, 1.0)), Error);
  EXPECT_THROW(make_height_field(heights, 9, Vector2(1.0, 1.0)), Error);
  EXPECT_THROW(make_height_field(heights, 3, Vector2(0.0, 1.0)), Error);
  const std::vector<double> broken{0.0, 0.0, 0.0, infinity};
  EXPECT_THROW(make_height_field(broken, 2, Vector2(1.0, 1.0)), Error);
}

class MeshFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("vinci-mesh-files-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string problem(const std::filesystem::path& file) {
    try {
      make_mesh(read_mesh_triangles(file));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(MeshFiles, obj_text_stl_and_binary_stl_give_the_same_solid) {
  const TriangleSoup soup = meshes::torus(1.0, 0.5, 8, 4);
  std::string obj, text = "solid torus\n", binary(84, ' ');
  for (const Vector3& p : soup.points)
    obj += fmt::format("v {} {} {}\n", static_cast<float>(p.x()), static_cast<float>(p.y()),
                       static_cast<float>(p.z()));
  const auto count = static_cast<std::uint32_t>(soup.triangles.size());
  std::memcpy(binary.data() + 80, &count, 4);
  for (const auto& t : soup.triangles) {
    obj += fmt::format("f {}/1/1 {}//2 {}\n", t[0] + 1, t[1] + 1,
                       t[2] - static_cast<int>(soup.points.size()));
    text += "facet normal 0 0 0\nouter loop\n";
    binary += std::string(12, '\0');
    for (const int v : t) {
      const Vector3& p = soup.points[static_cast<std::size_t>(v)];
      text += fmt::format("vertex {} {} {}\n", static_cast<float>(p.x()), static_cast<float>(p.y()),
                          static_cast<float>(p.z()));
      for (int k = 0; k < 3; ++k) {
        const auto x = static_cast<float>(p[k]);
        binary.append(reinterpret_cast<const char*>(&x), 4);
      }
    }
    text += "endloop\nendfacet\n";
    binary += std::string(2, '\0');
  }
  text += "endsolid\n";
  std::vector<Mesh> found;
  for (const auto& [name, bytes] : {std::pair("a.obj", obj), {"b.stl", text}, {"c.stl", binary}})
    found.push_back(make_mesh(read_mesh_triangles(write(name, bytes))));
  for (const Mesh& mesh : found) {
    EXPECT_TRUE(mesh.surface->closed);
    EXPECT_EQ(mesh.surface->vertices.size(), 32u);
    // Decimals of single precision are read as doubles.
    EXPECT_NEAR(mesh.surface->volume, found[2].surface->volume, 1e-6);
  }
}

TEST_F(MeshFiles, mistakes_are_told_with_their_line) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  EXPECT_TRUE(mesh_says(problem(write("a.obj", corners + "f 1 2 9\n")), "a.obj:5"));
  EXPECT_TRUE(mesh_says(problem(write("b.obj", corners + "f 1 2\n")), "b.obj:5"));
  EXPECT_TRUE(mesh_says(problem(write("c.obj", corners + "f 1 3 2\nf 1 2 4\nf 2 4 3\nf 1 4 3\n")),
                        "(line 7)"));
  EXPECT_TRUE(
      mesh_says(problem(write("d.obj", "v 0 0 0\nv 1 0 0\nv 0.1 0.1 0\nv 0 1 0\nf 2 3 4 1\n")),
                "not convex"));
  EXPECT_TRUE(mesh_says(problem(write("e.stl",
                                      "solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n"
                                      "endsolid\n")),
                        "e.stl:5"));
  EXPECT_TRUE(mesh_says(problem(write("f.obj", corners)), "no triangles"));
}

}  // namespace
}  // namespace vinci
