// SPDX-License-Identifier: Apache-2.0
// Meshes and height fields in scenes: what they become, what is refused, and that the text of a
// recording makes the same ones.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "vinci/geometry/triangle_mesh.h"
#include "vinci/scene/scene.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

const char* const tetrahedron =
    "mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "
    "triangles: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}";

std::string mesh_part(const std::string& shape, const std::string& rest = "") {
  return "world: spatial\nbodies:\n  part: {shapes: [{" + shape + "}]" + rest + "}\n";
}

std::string mesh_mistake(const std::string& yaml) {
  try {
    Scene::parse(yaml).compile();
  } catch (const SceneError& error) {
    return error.diagnostics()[0].text();
  }
  return "";
}

bool mesh_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SceneMesh, closed_mesh_is_a_solid_with_its_mass) {
  const auto model = Scene::parse(mesh_part(tetrahedron)).compile();
  EXPECT_NEAR(model->bodies[0].mass.mass, 1000.0 / 6.0, 1e-10);
  EXPECT_NEAR((model->bodies[0].mass.center - Vector3::Constant(0.25)).norm(), 0.0, 1e-14);
}

TEST(SceneMesh, open_mesh_and_height_field_are_ground) {
  const std::string open =
      "mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]]}";
  EXPECT_TRUE(mesh_has(mesh_mistake(mesh_part(open)), "the mesh is open: 3 edges"))
      << mesh_mistake(mesh_part(open));
  EXPECT_EQ(mesh_mistake(mesh_part(open, ", freedom: fixed")), "");
  EXPECT_EQ(
      mesh_mistake(mesh_part(open, ", motion: {x: t, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}")), "");
  // Given a mass it is no solid either.
  EXPECT_TRUE(mesh_has(mesh_mistake(mesh_part(open, ", mass: 1, inertia: [1, 1, 1]")), "open"));
  const std::string field = "height-field: {size: [1, 1], heights: [[0, 0.1], [0.1, 0]]}";
  EXPECT_TRUE(mesh_has(mesh_mistake(mesh_part(field)), "a height field is ground"));
  EXPECT_EQ(mesh_mistake(mesh_part(field, ", freedom: fixed")), "");
}

TEST(SceneMesh, mistakes_name_their_key) {
  const std::string wild =
      "mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 7]]}";
  EXPECT_TRUE(mesh_has(mesh_mistake(mesh_part(wild)),
                       "triangles[0]: a triangle names vertex 7; accepted: 0 to 2"))
      << mesh_mistake(mesh_part(wild));
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("mesh: {file: a.obj, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "
                             "triangles: [[0, 1, 2]]}")),
      "file"));
  EXPECT_TRUE(mesh_has(mesh_mistake(mesh_part("mesh: {file: a.obj}")), "load it from a file"));
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}")), "triangles"));
  const std::string fixed = ", freedom: fixed";
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("height-field: {size: [1, 1], heights: [[0, 1], [0]]}", fixed)),
      "heights[1]"));
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("height-field: {size: [1, 1], heights: ['0 1', '0 1 2']}", fixed)),
      "a row of 3 heights after rows of 2"));
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("height-field: {size: [1, 1], heights: ['0 1', '0 a']}", fixed)),
      "not of numbers"));
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("height-field: {size: [1, 1], function: 1/x, points: [3, 3]}", fixed)),
      "the height at (0, -0.5) is"));
  EXPECT_TRUE(mesh_has(
      mesh_mistake(mesh_part("height-field: {size: [1, 1], function: x, points: [1, 3]}", fixed)),
      "points[0]"));
  EXPECT_TRUE(
      mesh_has(mesh_mistake(mesh_part(
                   "height-field: {size: [1, 1], function: x, points: [2000, 2000]}", fixed)),
               "at most 1000000"));
}

TEST(SceneMesh, height_of_an_expression_is_taken_at_the_points_of_the_grid) {
  const auto model =
      Scene::parse(mesh_part("height-field: {size: [2, 4], function: x + 10*y, points: [3, 5]}",
                             ", freedom: fixed"))
          .compile();
  const TriangleMesh& mesh = *std::get<HeightField>(model->shapes[0].shape).surface;
  EXPECT_EQ(mesh.vertices.size(), 15u);
  EXPECT_EQ(mesh.flats.size(), 1u);
  for (const Vector3& v : mesh.vertices) EXPECT_NEAR(v.z(), v.x() + 10.0 * v.y(), 1e-14);
}

class SceneMeshFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("vinci-scene-mesh-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string mistake(const std::string& name) const {
    try {
      Scene::load(folder_ / name).compile();
    } catch (const SceneError& error) {
      return error.diagnostics()[0].text();
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(SceneMeshFiles, the_source_carries_triangles_and_heights) {
  write("part.obj",
        "v 0 0 0\nv 0.1 0 0\nv 0 0.3333333333333333 0\nv 0 0 0.7\nv 9 9 9\n"
        "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  write("ground.txt", "# heights\n0 0.1, 0.3\n0.1 0.25 1e-3\n\n0 0 0 # last\n");
  write("scene.yaml",
        "world: spatial\nparameters: {factor: 2}\nbodies:\n"
        "  hull: {shapes: [{polyhedron: {file: part.obj}}], position: [0, 0, 9]}\n"
        "  part: {shapes: [{mesh: {file: part.obj}}]}\n"
        "  twin: {shapes: [{mesh: {file: part.obj, scale: factor}}], position: [5, 0, 0]}\n"
        "  ground: {freedom: fixed, shapes: [{height-field: {size: [1, 2], file: ground.txt}}], "
        "position: [0, 0, -5]}\n");
  const Scene scene = Scene::load(folder_ / "scene.yaml");
  const Scene again = Scene::parse(scene.source());
  EXPECT_EQ(again.source(), scene.source());
  const auto a = scene.compile(), b = again.compile();
  ASSERT_EQ(a->shapes.size(), 4u);
  for (const std::size_t i : {1u, 2u, 3u}) {
    const TriangleMesh &p = *triangles_of(a->shapes[i].shape),
                       &q = *triangles_of(b->shapes[i].shape);
    EXPECT_EQ(p.vertices, q.vertices);
    EXPECT_EQ(p.triangles, q.triangles);
    EXPECT_EQ(p.flat_of, q.flat_of);
  }
  EXPECT_EQ(triangles_of(a->shapes[1].shape)->vertices.size(), 4u);
  EXPECT_NEAR(a->bodies[2].mass.mass, 8.0 * a->bodies[1].mass.mass, 1e-12);
  EXPECT_EQ(triangles_of(a->shapes[3].shape)->box.upper.z(), 0.3);
  EXPECT_NE(std::get<Polyhedron>(a->shapes[0].shape).surface, nullptr);
}

TEST_F(SceneMeshFiles, bad_files_are_named_with_line) {
  write("flipped.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 4 3\nf 1 4 3\n");
  write("a.yaml", mesh_part("mesh: {file: flipped.obj}"));
  EXPECT_TRUE(mesh_has(mistake("a.yaml"), "'flipped.obj'")) << mistake("a.yaml");
  EXPECT_TRUE(mesh_has(mistake("a.yaml"), "(line 7)")) << mistake("a.yaml");
  write("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n");
  write("e.yaml", mesh_part("mesh: {file: nan.obj}"));
  EXPECT_TRUE(mesh_has(mistake("e.yaml"), "'nan.obj': line 2: 'nan'")) << mistake("e.yaml");
  write("wild.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 9\n");
  write("f.yaml", mesh_part("mesh: {file: wild.obj}"));
  EXPECT_TRUE(mesh_has(mistake("f.yaml"), "'wild.obj': line 5: a face names vertex '9'"))
      << mistake("f.yaml");
  write("rows.txt", "0 0\n0 x\n");
  write("b.yaml", mesh_part("height-field: {size: [1, 1], file: rows.txt}", ", freedom: fixed"));
  EXPECT_TRUE(mesh_has(mistake("b.yaml"), "line 2 is not a row of heights")) << mistake("b.yaml");
  write("c.yaml", mesh_part("mesh: {file: none.obj}"));
  EXPECT_FALSE(mistake("c.yaml").empty());
  write("empty.stl", "");
  write("d.yaml", mesh_part("mesh: {file: empty.stl}"));
  EXPECT_FALSE(mistake("d.yaml").empty());
}

}  // namespace
}  // namespace vinci
