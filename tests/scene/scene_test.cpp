// SPDX-License-Identifier: Apache-2.0
// What a scene becomes: the compiled model against numbers worked out by hand.
#include "vinci/scene/scene.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include "vinci/model/state.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

constexpr double rounding = 1e-14;
constexpr double degree = std::numbers::pi / 180.0;

std::shared_ptr<const Model> compiled(const std::string& yaml) {
  return Scene::parse(yaml).compile();
}

const Body& body(const Model& model, const std::string& name) {
  return model.bodies[static_cast<std::size_t>(model.find_body(name))];
}

// One body named `part` in the world of the given kind.
std::shared_ptr<const Model> part(const std::string& world, const std::string& text) {
  return compiled("world: " + world + "\nbodies:\n  part: {" + text + "}\n");
}

double angle_of(const Pose& pose) {
  return planar_angle(pose.rotation);
}

TEST(Scene, the_smallest_one_has_defaults) {
  const auto model = compiled("world: planar\nbodies: {ball: {shapes: [{circle: 0.1}]}}\n");
  EXPECT_EQ(model->gravity, Vector3(0.0, -9.81, 0.0));
  EXPECT_EQ(model->free_count, 3);
  EXPECT_EQ(model->coordinate, (std::vector<int>{0, 1, 5}));
  const double mass = 1000.0 * std::numbers::pi * 0.01;
  EXPECT_NEAR(body(*model, "ball").mass.mass, mass, rounding * mass);
  EXPECT_NEAR(body(*model, "ball").mass.planar_inertia(), 0.5 * mass * 0.01, rounding);
  EXPECT_EQ(model->surface(0, 0).friction, 0.0);
}

TEST(Scene, gravity_points_along_minus_z_in_space) {
  EXPECT_EQ(part("spatial", "shapes: [{sphere: 1}]")->gravity, Vector3(0.0, 0.0, -9.81));
}

TEST(Scene, parameters_follow_each_other_whatever_their_order) {
  const Scene scene = Scene::parse(
      "world: planar\nparameters: {area: side^2, side: 2*half, half: 10 cm}\n"
      "bodies: {part: {shapes: [{box: [side, area]}]}}\n");
  EXPECT_DOUBLE_EQ(scene.parameters().at("area"), 0.04);
  EXPECT_DOUBLE_EQ(scene.compile({{"half", 0.5}})->parameters.at("area"), 1.0);
  // An override stands; what it would have followed from has no say.
  const auto model = scene.compile({{"half", 0.5}, {"side", 3.0}});
  EXPECT_DOUBLE_EQ(model->parameters.at("area"), 9.0);
  EXPECT_DOUBLE_EQ(body(*model, "part").mass.mass, 27000.0);
}

TEST(Scene, a_pair_of_materials_takes_the_geometric_mean_and_the_larger_restitution) {
  const auto model = compiled(
      "world: planar\n"
      "materials: {a: {friction: 0.2, restitution: 0.5}, b: {friction: 0.8, restitution: 0.1},\n"
      "            c: {}}\n"
      "surfaces: [{between: [c, a], friction: 0.7}]\n"
      "bodies: {ball: {shapes: [{circle: 0.1, material: b}, {circle: 0.2}]}}\n");
  EXPECT_DOUBLE_EQ(model->surface(0, 1).friction, 0.4);
  EXPECT_EQ(model->surface(0, 1).restitution, 0.5);
  EXPECT_EQ(model->surface(1, 0).friction, model->surface(0, 1).friction);
  EXPECT_EQ(model->surface(0, 0).friction, 0.2);
  EXPECT_EQ(model->surface(0, 2).friction, 0.7);
  EXPECT_EQ(model->surface(2, 0).friction, 0.7);
  EXPECT_EQ(model->surface(2, 0).restitution, 0.5);
  EXPECT_EQ(model->surface(1, 2).friction, 0.0);
  EXPECT_EQ(model->shapes[0].material, 1);
  EXPECT_EQ(model->materials[static_cast<std::size_t>(model->shapes[1].material)].name, "default");
}

TEST(Scene, a_given_mass_scales_the_inertia_of_the_shapes) {
  const auto model = part("planar", "shapes: [{box: [0.2, 0.1]}], mass: 3");
  const MassProperties& mass = body(*model, "part").mass;
  EXPECT_EQ(mass.mass, 3.0);
  EXPECT_NEAR(mass.planar_inertia(), 3.0 * (0.04 + 0.01) / 12.0, rounding);
}

TEST(Scene, given_inertia_and_center_stand) {
  const auto model = part("spatial",
                          "mass: 2, center: [0.1, 0, 0], "
                          "inertia: [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]]");
  const MassProperties& mass = body(*model, "part").mass;
  EXPECT_EQ(mass.mass, 2.0);
  EXPECT_EQ(mass.center, Vector3(0.1, 0.0, 0.0));
  EXPECT_EQ(mass.inertia(0, 1), 0.1);
  EXPECT_EQ(mass.inertia(2, 2), 4.0);
}

TEST(Scene, two_shapes_weigh_together) {
  const auto model = part("planar",
                          "shapes: [{box: [1, 1], density: 1}, "
                          "{box: [1, 1], density: 3, position: [2, 0], angle: 90 deg}]");
  const MassProperties& mass = body(*model, "part").mass;
  EXPECT_DOUBLE_EQ(mass.mass, 4.0);
  EXPECT_NEAR(mass.center.x(), 1.5, rounding);
  EXPECT_NEAR(mass.planar_inertia(), 4.0 / 6.0 + 1.0 * 2.25 + 3.0 * 0.25, 4.0 * rounding);
  EXPECT_NEAR(body(*model, "part").bounding_radius, 1.5 + std::sqrt(0.5), rounding);
}

TEST(Scene, half_plane_by_angle_and_by_normal_are_the_same) {
  const auto by_angle = part("planar", "freedom: fixed, shapes: [{half-plane: {angle: 20 deg}}]");
  const auto by_normal = part("planar",
                              "freedom: fixed, shapes: [{half-plane: {point: [0, 0], "
                              "normal: [-sin(20 deg), cos(20 deg)]}}]");
  EXPECT_NEAR(angle_of(by_angle->shapes[0].offset), 20.0 * degree, rounding);
  EXPECT_NEAR(angle_of(by_normal->shapes[0].offset), 20.0 * degree, rounding);
}

TEST(Scene, a_half_space_turns_its_z_axis_into_the_normal) {
  for (const char* normal : {"[1, 2, 2]", "[0, 0, -1]", "[0, 0, 5]", "[-3, 0, 0]"}) {
    const auto model = part("spatial", std::string("freedom: fixed, shapes: [{half-space: {point: "
                                                   "[1, 2, 3], normal: ") +
                                           normal + "}}]");
    const Pose& offset = model->shapes[0].offset;
    const auto expected =
        part("spatial", std::string("shapes: [{sphere: 1}], velocity: ") + normal);
    const Vector3 direction = body(*expected, "part").initial_twist.linear.normalized();
    EXPECT_LT((offset.rotation * Vector3::UnitZ() - direction).norm(), 4.0 * rounding) << normal;
    EXPECT_EQ(offset.position, Vector3(1.0, 2.0, 3.0));
  }
}

TEST(Scene, a_capsule_between_two_points_is_centred_between_them) {
  const auto model = part("spatial",
                          "shapes: [{capsule: {from: [1, 0, 0], to: [3, 2, 0], radius: 0.5}, "
                          "position: [0, 0, 1]}]");
  const auto& capsule = std::get<Capsule>(model->shapes[0].shape);
  EXPECT_EQ(capsule.half_axis, Vector3(1.0, 1.0, 0.0));
  EXPECT_EQ(model->shapes[0].offset.position, Vector3(2.0, 1.0, 1.0));
  const auto planar = part("planar", "shapes: [{capsule: {length: 2, radius: 0.5}}]");
  EXPECT_EQ(std::get<Capsule>(planar->shapes[0].shape).half_axis, Vector3(1.0, 0.0, 0.0));
}

TEST(Scene, the_three_ways_to_write_a_rotation_agree) {
  const auto rotation = [](const std::string& text) {
    return body(*part("spatial", "shapes: [{sphere: 1}], rotation: " + text), "part")
        .initial_pose.rotation;
  };
  const Quaternion by_axis = rotation("{axis: [0, 0, 2], angle: 60 deg}");
  EXPECT_LT(by_axis.angularDistance(rotation("{rpy: [0, 0, pi/3]}")), 1e-12);
  EXPECT_LT(by_axis.angularDistance(rotation("{quaternion: [0.8660254, 0, 0, 0.5]}")), 1e-7);
  EXPECT_NEAR(rotation("{quaternion: [0.8660254, 0, 0, 0.5]}").norm(), 1.0, rounding);
  // R = Rz(yaw) Ry(pitch) Rx(roll).
  const Vector3 turned = rotation("{rpy: [90 deg, 0, 90 deg]}") * Vector3::UnitY();
  EXPECT_LT((turned - Vector3::UnitZ()).norm(), 4.0 * rounding);
}

TEST(Scene, pose_stands_a_turned_box_on_its_corner_above_an_incline) {
  const auto model = compiled(
      "world: planar\nbodies:\n"
      "  incline: {freedom: fixed, position: [1, 2], shapes: [{half-plane: {angle: 30 deg}}]}\n"
      "  block: {shapes: [{box: [2, 2]}], angle: 45 deg, pose: {on: incline, at: 3, height: "
      "0.5}}\n");
  const Pose& pose = body(*model, "block").initial_pose;
  EXPECT_NEAR(angle_of(pose), 75.0 * degree, rounding);
  const Vector3 along(std::cos(30 * degree), std::sin(30 * degree), 0.0);
  const Vector3 normal(-along.y(), along.x(), 0.0);
  const Vector3 expected = Vector3(1, 2, 0) + 3.0 * along + (std::sqrt(2.0) + 0.5) * normal;
  EXPECT_LT((pose.position - expected).norm(), 1e-14);
}

TEST(Scene, pose_stands_a_cylinder_on_a_half_space) {
  const auto model = compiled(
      "world: spatial\nbodies:\n"
      "  floor: {freedom: fixed, shapes: [{half-space: {point: [0, 0, 1], normal: [1, 0, 0]}}]}\n"
      "  can: {shapes: [{cylinder: {radius: 1, height: 3}}], pose: {on: floor, at: [0, 2]}}\n");
  const Pose& pose = body(*model, "can").initial_pose;
  EXPECT_LT((pose.position - Vector3(1.5, 2.0, 1.0)).norm(), 4.0 * rounding);
  EXPECT_LT((pose.rotation * Vector3::UnitZ() - Vector3::UnitX()).norm(), 4.0 * rounding);
}

TEST(Scene, prescribed_coordinates_leave_the_unknowns) {
  const auto model = compiled(
      "world: planar\nparameters: {a: 0.5}\nbodies:\n"
      "  slider: {shapes: [{box: [1, 1]}], motion: {x: a*sin(2*t)}, position: [7, 3]}\n"
      "  ball: {shapes: [{circle: 1}]}\n");
  EXPECT_EQ(model->free_count, 5);
  EXPECT_EQ(model->free_index, (std::vector<int>{-1, 0, 1, 2, 3, 4}));
  const State state = initial_state(*model);
  EXPECT_EQ(state.poses[0].position, Vector3(0.0, 3.0, 0.0));
  EXPECT_EQ(state.velocities[0], 1.0);  // a·2·cos 0
}

TEST(Scene, any_prescribed_angle_prescribes_the_whole_rotation_in_space) {
  const auto model = part("spatial", "shapes: [{sphere: 1}], motion: {roll: t}");
  EXPECT_EQ(model->free_count, 3);
  EXPECT_TRUE(body(*model, "part").drives[5].prescribed);
}

TEST(Scene, a_body_that_is_fully_prescribed_needs_no_mass) {
  const auto model =
      part("planar", "shapes: [{half-plane: {}}], motion: {x: 0, y: 0.1*sin(t), angle: 0}");
  EXPECT_EQ(body(*model, "part").mass.mass, 0.0);
  EXPECT_TRUE(std::isinf(body(*model, "part").bounding_radius));
}

TEST(Scene, forces_keep_time_position_and_velocity_as_variables) {
  const auto model = compiled(
      "world: planar\nparameters: {k: 10}\n"
      "bodies: {part: {shapes: [{circle: 1}], force: {x: -k*q - 2*v + t}}}\n");
  const Expression& force = body(*model, "part").drives[0].expression;
  EXPECT_DOUBLE_EQ(force.value(std::array<double, 3>{0.5, 0.1, 0.2}), -1.0 - 0.4 + 0.5);
}

TEST(Scene, planar_freedom_in_space_has_three_coordinates) {
  const auto model = part("spatial",
                          "freedom: planar, shapes: [{sphere: 1}], position: [0, 0, 2], "
                          "rotation: {axis: [0, 0, 1], angle: 30 deg}, spin: [0, 0, 3]");
  EXPECT_EQ(model->velocity_count, 3);
  EXPECT_EQ(initial_state(*model).velocities[2], 3.0);
}

TEST(Scene, excluded_pairs_are_sorted_and_single) {
  const auto model = compiled(
      "world: planar\nbodies: {a: &b {shapes: [{circle: 1}]}, b: *b, c: *b}\n"
      "exclude: [[c, b], [b, a], [b, c]]\n");
  EXPECT_EQ(model->excluded_pairs, (std::vector<std::pair<int, int>>{{0, 1}, {1, 2}}));
}

TEST(Scene, changes_come_in_the_order_of_time) {
  const Scene scene = Scene::parse(
      "world: planar\nparameters: {r: 1, size: 2}\nbodies: {a: {shapes: [{circle: r}]}}\n"
      "changes: [{at: 500 ms, set: {r: 3}}, {at: 0.1, set: {size: 2*r, r: 4}}]\n");
  ASSERT_EQ(scene.changes().size(), 2u);
  EXPECT_DOUBLE_EQ(scene.changes()[0].at, 0.1);
  EXPECT_EQ(scene.changes()[0].set.at("size"), 2.0);
  EXPECT_EQ(scene.changes()[1].set.at("r"), 3.0);
}

TEST(Scene, run_keeps_choices_as_text_with_their_places) {
  const Scene scene = Scene::parse(
      "world: planar\nparameters: {h: 1 ms}\nbodies: {a: {shapes: [{circle: 1}]}}\n"
      "run:\n  step: h/2\n  cone: pyramid\n  directions: 16\n"
      "  solver: {name: gauss-seidel, tolerance: h*1e-9, order: forward}\n",
      "here");
  const RunChoices& run = scene.run();
  EXPECT_EQ(run.values.at("step"), "0.00050000000000000001");
  EXPECT_EQ(std::stod(run.values.at("step")), 0.0005);
  EXPECT_EQ(run.values.at("cone"), "pyramid");
  EXPECT_EQ(run.values.at("directions"), "16");
  EXPECT_EQ(run.values.at("solver"), "gauss-seidel");
  EXPECT_EQ(std::stod(run.plugin_values.at({"solver", "tolerance"})), 1e-3 * 1e-9);
  EXPECT_EQ(run.plugin_values.at({"solver", "order"}), "forward");
  EXPECT_EQ(run.places.at("cone"), (std::pair<std::string, int>{"here", 6}));
  EXPECT_EQ(run.places.at("solver.order"), (std::pair<std::string, int>{"here", 8}));
}

TEST(Scene, run_follows_the_parameters_that_are_set) {
  const Scene scene = Scene::parse(
      "world: planar\nparameters: {h: 1 ms, long: 100*h}\nbodies: {a: {shapes: [{circle: 1}]}}\n"
      "run: {step: h, duration: long, solver: {name: gauss-seidel, tolerance: h*1e-9}}\n");
  EXPECT_EQ(std::stod(scene.run({}).values.at("step")), 1e-3);
  const RunChoices run = scene.run({{"h", 4e-3}});
  EXPECT_EQ(std::stod(run.values.at("step")), 4e-3);
  EXPECT_EQ(std::stod(run.values.at("duration")), 0.4);
  EXPECT_EQ(std::stod(run.plugin_values.at({"solver", "tolerance"})), 4e-3 * 1e-9);
  EXPECT_EQ(run.places, scene.run().places);
  try {
    static_cast<void>(scene.run({{"h", -1.0}}));
    ADD_FAILURE() << "a step below zero";
  } catch (const SceneError& error) {
    ASSERT_FALSE(error.diagnostics().empty());
    EXPECT_EQ(error.diagnostics()[0].key, "run.step");
    EXPECT_EQ(error.diagnostics()[0].line, 4);
  }
}

// --- files ---

class SceneFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_ / "parts");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  Scene load(const std::string& name) const { return Scene::load(folder_ / name); }

  fs::path folder_;
};

TEST_F(SceneFiles, an_including_file_wins_and_adds) {
  write("base.yaml",
        "world: planar\ntitle: base\ngravity: [0, 0]\nparameters: {mu: 0.3}\n"
        "materials: {wood: {friction: mu}}\nexclude: [[a, a2]]\n"
        "bodies: {a: {shapes: [{circle: 1}]}, a2: {shapes: [{circle: 1}]}}\n"
        "run: {step: 1 ms, duration: 5}\n");
  write("top.yaml",
        "title: top\nworld: planar\ninclude: [base.yaml, parts/more.yaml]\n"
        "bodies: {b: {shapes: [{circle: mu, material: wood}]}}\nrun: {step: 2 ms}\n");
  write("parts/more.yaml", "include: ../base.yaml\nparameters: {extra: 2*mu}\nexclude: [[a, b]]\n");
  const Scene scene = load("top.yaml");
  EXPECT_EQ(scene.title(), "top");
  EXPECT_EQ(std::stod(scene.run().values.at("step")), 0.002);
  EXPECT_EQ(scene.run().values.at("duration"), "5");
  const auto model = scene.compile();
  EXPECT_EQ(model->gravity, Vector3::Zero());
  ASSERT_EQ(model->bodies.size(), 3u);
  EXPECT_EQ(model->bodies[0].name, "a");
  EXPECT_EQ(model->bodies[2].name, "b");
  EXPECT_EQ(model->excluded_pairs.size(), 2u);
  EXPECT_DOUBLE_EQ(model->parameters.at("extra"), 0.6);
}

TEST_F(SceneFiles, the_source_reproduces_the_scene_without_its_files) {
  write("parts/tetra.obj",
        "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nv 10 10 10\n"
        "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write("parts/part.yaml",
        "world: spatial\nparameters: {unit: 1 mm}\n"
        "bodies: {tetra: {shapes: [{polyhedron: {file: tetra.obj, scale: unit}}]}}\n");
  write("top.yaml",
        "world: spatial\ninclude: parts/part.yaml\ntitle: 'a \"title\": with # marks'\n"
        "bodies:\n  again:\n    shapes: [{polyhedron: {file: parts/tetra.obj, scale: 0.002}}]\n"
        "    position: [1, '2*unit', 1/3]\n");
  const Scene scene = load("top.yaml");
  const Scene again = Scene::parse(scene.source());
  EXPECT_EQ(again.title(), scene.title());
  EXPECT_EQ(again.source(), scene.source());
  for (const double unit : {0.001, 0.003}) {
    const auto a = scene.compile({{"unit", unit}}), b = again.compile({{"unit", unit}});
    EXPECT_EQ(hash(initial_state(*a)), hash(initial_state(*b)));
    ASSERT_EQ(a->shapes.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& p = std::get<Polyhedron>(a->shapes[i].shape);
      const auto& q = std::get<Polyhedron>(b->shapes[i].shape);
      EXPECT_EQ(p.vertices, q.vertices);
      EXPECT_EQ(p.faces, q.faces);
      EXPECT_EQ(a->bodies[i].mass.inertia, b->bodies[i].mass.inertia);
    }
    EXPECT_EQ(std::get<Polyhedron>(a->shapes[0].shape).vertices.size(), 4u);
    EXPECT_NEAR(body(*a, "tetra").mass.mass, 1000.0 * std::pow(100 * unit, 3) / 6.0, 1e-12);
  }
}

TEST_F(SceneFiles, a_scene_in_one_file_keeps_its_own_text) {
  const std::string text = "# a comment\nworld: planar\nbodies: {a: {shapes: [{circle: 1}]}}\n";
  write("one.yaml", text);
  EXPECT_EQ(load("one.yaml").source(), text);
}

TEST(Gallery, every_scene_compiles_and_its_source_makes_the_same_model) {
  int count = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(VINCI_SOURCE_DIR) / "scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++count;
    const Scene scene = Scene::load(entry.path());
    EXPECT_FALSE(scene.title().empty());
    const auto model = scene.compile(), again = Scene::parse(scene.source()).compile();
    EXPECT_GT(model->free_count, 0);
    EXPECT_EQ(hash(initial_state(*model)), hash(initial_state(*again)));
  }
  EXPECT_GE(count, 15);
}

TEST(Gallery, every_example_of_the_manual_compiles) {
  std::string text;
  for (const char* page : {"scene.md", "constraints.md"}) {
    std::ifstream file(fs::path(VINCI_SOURCE_DIR) / "docs" / page);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  const std::string begin = "```yaml\n", end = "```\n";
  int count = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    const std::string example = text.substr(at, text.find(end, at) - at);
    EXPECT_NO_THROW(Scene::parse(example, "example").compile()) << example;
    ++count;
  }
  EXPECT_GE(count, 30);
}

TEST(Gallery, the_published_schema_is_the_generated_one) {
  std::ifstream file(fs::path(VINCI_SOURCE_DIR) / "scenes" / "vinci.schema.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, scene_schema()) << "write it anew: vinci schema > scenes/vinci.schema.json";
}

}  // namespace
}  // namespace vinci
