// SPDX-License-Identifier: Apache-2.0
// `robots:` as the scene nodes it becomes.
#include "vinci/scene/scene_robots.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "vinci/model/model.h"
#include "vinci/robots/robot_file.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

class SceneRobots : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("vinci-scene-robots-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    write("arm.urdf", R"(<robot name="arm"><link name="base"/>
      <link name="upper"><inertial><origin xyz="0.1 0 0"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
        <collision><origin xyz="0.1 0 0" rpy="0 0.5 0"/><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
      <link name="fore"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3"/></inertial></link>
      <link name="hook"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <link name="flange"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
      <joint name="shoulder" type="revolute"><origin xyz="0 0 0.3" rpy="1.5707963267948966 0 0"/><parent link="base"/><child link="upper"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="30" velocity="1"/><dynamics damping="0.5"/></joint>
      <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/><mimic joint="shoulder" multiplier="-2" offset="0.5"/></joint>
      <joint name="weld" type="fixed"><origin xyz="0 0 0.4"/><parent link="fore"/><child link="hook"/></joint>
      <joint name="tool" type="fixed"><origin xyz="0 0 0.1"/><parent link="hook"/><child link="flange"/></joint></robot>)");
    write(
        "hand.urdf",
        R"(<robot name="hand"><link name="palm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>)");
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }
  Node expand(const std::string& yaml) {
    std::vector<Diagnostic> found;
    Node root = read_yaml(yaml, 0, found);
    EXPECT_TRUE(found.empty());
    RobotReport report;
    mistakes.clear();
    report.mistake = [&](const Node&, const std::string& message) { mistakes.push_back(message); };
    expand_robots(root, {false, {folder}, {}}, report);
    notes = report.notes;
    return root;
  }
  static std::string text(const Node& root) { return write_yaml(root); }

  fs::path folder;
  std::vector<std::string> mistakes, notes;
};

TEST_F(SceneRobots, an_arm_becomes_bodies_joints_couplings_and_exclusions) {
  const Node root = expand(
      "robots:\n  arm:\n    urdf: arm.urdf\n    base: {position: [x, 0, 1]}\n    material: steel\n"
      "    joints: {shoulder: {position: 20 deg, motor: {position: 1, stiffness: 5}}}\n");
  EXPECT_TRUE(mistakes.empty());
  EXPECT_EQ(text(root),
            R"yaml(bodies:
  arm.base:
    freedom: fixed
    position: [x, 0, 1]
  arm.upper:
    mass: 2
    center: [0.1, 0, 0]
    inertia: [1, 1, 1]
    shapes:
      -
        box: [0.2, 0.1, 0.1]
        material: steel
        position: [0.1, 0, 0]
        rotation:
          rpy: [0, 0.5, 0]
  arm.fore:
    mass: 1
    center: [0, 0, 0]
    inertia: [1, 1, 3]
    inertia-check: definite
  arm.hook:
    mass: 1
    center: [0, 0, 0]
    inertia: [1, 1, 1]
    shapes:
      -
        sphere: 0.02
        material: steel
        position: [0, 0, 0.1]
joints:
  arm.shoulder:
    revolute: [arm.base, arm.upper]
    at:
      - [0, 0, 0.3]
      - [0, 0, 0]
    axis: [0, -1, 0]
    rotation:
      rpy: [1.5707963267948966, 0, 0]
    limits: [-1, 2]
    damping: 0.5
    largest-effort: 30
    motion-limits:
      velocity: 1
    position: "20 deg"
    motor:
      position: 1
      stiffness: 5
      limit: 30
  arm.elbow:
    revolute: [arm.upper, arm.fore]
    axis: [0, 1, 0]
    position: "-2*(20 deg) + (0.5)"
  arm.weld:
    fixed: [arm.fore, arm.hook]
    at:
      - [0, 0, 0.4]
      - [0, 0, 0]
couplings:
  arm.elbow:
    joints: [arm.shoulder, arm.elbow]
    ratio: -2
    offset: 0.5
frames:
  arm.flange:
    body: arm.hook
    position: [0, 0, 0.1]
exclude:
  - [arm.base, arm.upper]
  - [arm.upper, arm.fore]
  - [arm.upper, arm.hook]
  - [arm.fore, arm.hook]
)yaml");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("arm.urdf:4: no body has the principal moments"), std::string::npos);
}

TEST_F(SceneRobots, a_hand_is_attached_to_a_link_that_has_no_body_of_its_own) {
  const Node root = expand(
      "robots:\n  hand: {urdf: hand.urdf, attach: arm.flange, base: {rotation: {rpy: [0, 0, "
      "0.5]}}}\n"
      "  arm: {urdf: arm.urdf}\n");
  EXPECT_TRUE(mistakes.empty());
  const Node* mount = root.find("joints")->find("hand.attach");
  ASSERT_NE(mount, nullptr);
  EXPECT_EQ(text(*mount),
            "fixed: [arm.hook, hand.palm]\nat:\n  - [0, 0, 0.1]\n  - [0, 0, 0]\nrotation:\n  rpy: "
            "[0, 0, 0.5]\n");
}

TEST_F(SceneRobots, what_collides_is_chosen_by_links) {
  const auto pairs = [&](const std::string& collide) {
    return expand("robots: {arm: {urdf: arm.urdf, collide: " + collide + "}}\n")
        .find("exclude")
        ->children.size();
  };
  EXPECT_EQ(pairs("{}"), 4u);
  EXPECT_EQ(pairs("{off: [[base, flange]]}"), 5u);
  EXPECT_EQ(pairs("{groups: [[base, fore, hook]]}"), 6u);
  EXPECT_EQ(pairs("{self: false}"), 6u);
  EXPECT_TRUE(mistakes.empty());
  expand("robots: {arm: {urdf: arm.urdf, collide: {off: [[base, flang]]}}}\n");
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_NE(mistakes[0].find("did you mean 'flange'?"), std::string::npos);
}

TEST_F(SceneRobots, mistakes_name_what_is_accepted) {
  const auto said = [&](const std::string& yaml) {
    expand(yaml);
    return mistakes.empty() ? "" : mistakes[0];
  };
  EXPECT_NE(said("robots: {arm: {}}").find("urdf: FILE"), std::string::npos);
  EXPECT_NE(said("robots: {arm: {urdf: no.urdf}}").find("there is no such file"),
            std::string::npos);
  EXPECT_NE(said("robots: {arm: {mjcf: arm.urdf}}").find("write urdf: arm.urdf"),
            std::string::npos);
  EXPECT_NE(said("robots: {arm: {urdf: ../arm.urdf}}").find("outside"), std::string::npos);
  EXPECT_NE(said("robots: {arm: {urdf: arm.urdf, joint: {}}}").find("did you mean 'joints'?"),
            std::string::npos);
  EXPECT_NE(said("robots: {arm: {urdf: arm.urdf, joints: {sholder: {}}}}").find("'shoulder'?"),
            std::string::npos);
  EXPECT_NE(said("robots: {arm: {urdf: arm.urdf, strict: true}}").find("arm.urdf:4: no body has"),
            std::string::npos);
  EXPECT_NE(said("robots: {arm: {urdf: arm.urdf, base: {free: true}}}").find("has no mass"),
            std::string::npos);
  EXPECT_NE(
      said("robots: {a: {urdf: arm.urdf, attach: b.base}, b: {urdf: arm.urdf, attach: a.base}}")
          .find("in a circle"),
      std::string::npos);
  EXPECT_NE(
      said("robots: {a: {urdf: arm.urdf, attach: tabel}}\nbodies: {table: {}}").find("'table'?"),
      std::string::npos);
}

TEST_F(SceneRobots, constraints_and_actuators_of_a_model_become_joints_and_motors) {
  const std::string scene = robot_scene(parse_robot(R"(<mujoco model="two"><worldbody>
    <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-90 90"/><geom size="0.1" friction="0.7"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body></worldbody>
    <actuator><position joint="j" kp="50" kv="2" forcerange="-9 9"/></actuator>
    <equality><connect name="pin" body1="a" body2="b" anchor="1 0 0"/></equality></mujoco>)"));
  for (const char* part :
       {"  two.friction-0.7:\n    friction: 0.7\n",
        "superquadric:\n          axes: [0.1, 0.2, 0.3]\n",
        "    motor:\n      position: 0\n      stiffness: 50\n      damping: 2\n      limit: 9\n",
        "  two.pin:\n    ball: [two.a, two.b]\n    at:\n      - [1, 0, 0]\n      - [0, 0, 0]\n",
        "    position: [1, 0, 1]\n"})
    EXPECT_NE(scene.find(part), std::string::npos) << part << "\nis not in\n" << scene;
}

// Every robot that comes with us, as a scene by itself and in one that names it.
TEST_F(SceneRobots, the_shipped_models_are_scenes) {
  const fs::path robots = fs::path(VINCI_SOURCE_DIR) / "robots";
  int count = 0;
  for (const auto& [name, freedoms] : {std::pair("puma560", 6), std::pair("panda", 7),
                                       std::pair("hand", 8), std::pair("gripper", 2)}) {
    SCOPED_TRACE(name);
    const RobotDescription robot = read_robot(robots / name / (std::string(name) + ".urdf"));
    const auto model = Scene::parse(robot_scene(robot)).compile();
    int rates = 0;
    for (const Joint& joint : model->joints) rates += rate_count(joint.kind);
    EXPECT_EQ(rates, freedoms);
    ++count;
  }
  EXPECT_EQ(count, 4);
  for (const char* part : {"puma560", "hand"}) {
    fs::create_directories(folder / part);
    fs::copy(robots / part, folder / part, fs::copy_options::recursive);
  }
  write("scene.yaml",
        "world: spatial\nparameters: {height: 0.7}\nrobots:\n"
        "  arm: {urdf: puma560/puma560.urdf, base: {position: [0, 0, height]}, joints: {shoulder: "
        "{position: 0.5}}}\n"
        "  hand: {urdf: hand/hand.urdf, attach: arm.flange, couplings: {finger1_inner: {breakaway: "
        "1}}, joints: {finger1_outer: {position: 0.1}}}\n");
  const Scene scene = Scene::load(folder / "scene.yaml");
  const auto model = scene.compile();
  EXPECT_EQ(model->couplings.size(), 4u);
  EXPECT_EQ(scene.notes().size(), 1u);
  // Links that are part of a body are frames of it.
  const auto flange = std::find_if(model->frames.begin(), model->frames.end(),
                                   [](const NamedFrame& f) { return f.name == "arm.flange"; });
  ASSERT_NE(flange, model->frames.end());
  EXPECT_EQ(model->bodies[static_cast<std::size_t>(flange->body)].name, "arm.link6");
  EXPECT_EQ(Scene::parse(scene.source()).compile()->frames.size(), model->frames.size());
  // The source stands for itself.
  EXPECT_EQ(Scene::parse(scene.source()).compile()->joints.size(), model->joints.size());
}

}  // namespace
}  // namespace vinci
