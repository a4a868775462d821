// SPDX-License-Identifier: Apache-2.0
// Right numbers from good model files, in the three formats; what may be read, and what is left
// out.
#include "vinci/robots/robot_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace vinci {
namespace {

namespace fs = std::filesystem;

const fs::path models = fs::path(VINCI_SOURCE_DIR) / "tests/robots/models";

bool has_remark(const std::vector<RobotDescription::Remark>& remarks, const std::string& text) {
  for (const RobotDescription::Remark& remark : remarks)
    if (remark.text.find(text) != std::string::npos) return true;
  return false;
}

void expect_near(const Vector3& a, const Vector3& b, double tolerance = 1e-14) {
  EXPECT_LE((a - b).norm(), tolerance) << a.transpose() << " and " << b.transpose();
}

// An angle of 1e-15 has a cosine of 1 to rounding: compared by matrices.
void expect_near(const Pose& a, const Pose& b) {
  expect_near(a.position, b.position);
  EXPECT_LE((a.rotation.toRotationMatrix() - b.rotation.toRotationMatrix()).norm(), 1e-14);
}

TEST(RobotFile, urdf_has_the_numbers_of_the_file) {
  const RobotDescription robot = read_robot(models / "arm.urdf");
  EXPECT_EQ(robot.name, "arm");
  EXPECT_EQ(robot.format, "urdf");
  ASSERT_EQ(robot.links.size(), 5u);
  ASSERT_EQ(robot.joints.size(), 4u);
  EXPECT_DOUBLE_EQ(robot.mass(), 8.3);
  const RobotJoint& turn = robot.joints[0];
  expect_near(turn.axis, Vector3::UnitZ());
  EXPECT_EQ(turn.freedoms[0].lower, -1.5);
  EXPECT_EQ(turn.freedoms[0].upper, 2.0);
  EXPECT_EQ(turn.freedoms[0].effort, 40.0);
  EXPECT_EQ(turn.freedoms[0].velocity, 3.0);
  EXPECT_EQ(turn.freedoms[0].damping, 0.7);
  EXPECT_EQ(turn.freedoms[0].friction, 0.2);
  EXPECT_NEAR(turn.freedoms[0].armature, 2e-4 * 60 * 60, 1e-15);
  EXPECT_EQ(turn.place.line, 23);
  ASSERT_TRUE(robot.joints[2].mimic);
  EXPECT_EQ(robot.joints[2].mimic->joint, "turn");
  EXPECT_EQ(robot.joints[2].mimic->multiplier, -0.5);
  EXPECT_FALSE(robot.joints[2].freedoms[0].is_limited());
  ASSERT_TRUE(robot.links[1].visuals[0].colour);
  EXPECT_EQ((*robot.links[1].visuals[0].colour)[2], 0.8);
  EXPECT_TRUE(has_remark(robot.left_out, "<gazebo> in <robot>"));
  EXPECT_TRUE(has_remark(robot.left_out, "<safety_controller> in <joint>"));
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(RobotFile, one_arm_in_three_formats_is_one_description) {
  const RobotDescription urdf = read_robot(models / "arm.urdf");
  for (const char* name : {"arm.xml", "arm.sdf"}) {
    SCOPED_TRACE(name);
    const RobotDescription other = read_robot(models / name);
    EXPECT_EQ(other.name, urdf.name);
    EXPECT_FALSE(other.base_is_free);
    expect_near(other.base, urdf.base);
    ASSERT_EQ(other.links.size(), urdf.links.size());
    for (std::size_t i = 0; i < urdf.links.size(); ++i) {
      const RobotLink &a = urdf.links[i], &b = other.links[i];
      SCOPED_TRACE(a.name);
      EXPECT_EQ(a.name, b.name);
      ASSERT_EQ(a.has_mass(), b.has_mass());
      if (a.has_mass()) {
        EXPECT_EQ(a.inertial->mass, b.inertial->mass);
        expect_near(a.inertial->pose.position, b.inertial->pose.position);
        EXPECT_LE((a.inertial->inertia_in_link() - b.inertial->inertia_in_link()).norm(), 1e-16);
      }
      EXPECT_EQ(a.visuals.size(), b.visuals.size());
      ASSERT_EQ(a.collisions.size(), b.collisions.size());
      for (std::size_t k = 0; k < a.collisions.size(); ++k) {
        EXPECT_EQ(a.collisions[k].kind, b.collisions[k].kind);
        expect_near(a.collisions[k].size, b.collisions[k].size);
        expect_near(a.collisions[k].origin, b.collisions[k].origin);
      }
    }
    ASSERT_EQ(other.joints.size(), urdf.joints.size());
    for (std::size_t i = 0; i < urdf.joints.size(); ++i) {
      const RobotJoint &a = urdf.joints[i], &b = other.joints[i];
      SCOPED_TRACE(a.name);
      EXPECT_EQ(a.kind, b.kind);
      EXPECT_EQ(a.parent, b.parent);
      EXPECT_EQ(a.child, b.child);
      expect_near(a.origin, b.origin);
      ASSERT_EQ(a.freedoms.size(), b.freedoms.size());
      if (a.freedoms.empty()) continue;
      EXPECT_EQ(a.name, b.name);
      expect_near(a.axis, b.axis);
      expect_near(a.anchor, b.anchor);
      EXPECT_EQ(a.freedoms[0].lower, b.freedoms[0].lower);
      EXPECT_EQ(a.freedoms[0].upper, b.freedoms[0].upper);
      EXPECT_EQ(a.freedoms[0].damping, b.freedoms[0].damping);
      EXPECT_EQ(a.freedoms[0].friction, b.freedoms[0].friction);
      EXPECT_EQ(a.freedoms[0].effort, b.freedoms[0].effort);
      ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value());
      if (!a.mimic) continue;
      EXPECT_EQ(a.mimic->joint, b.mimic->joint);
      EXPECT_EQ(a.mimic->multiplier, b.mimic->multiplier);
      EXPECT_EQ(a.mimic->offset, b.mimic->offset);
    }
  }
  EXPECT_TRUE(has_remark(read_robot(models / "arm.xml").left_out, "<tendon> in <mujoco>"));
  EXPECT_TRUE(has_remark(read_robot(models / "arm.sdf").left_out, "<plugin> in <model>"));
}

TEST(RobotFile, mjcf_takes_masses_from_geoms_and_angles_in_degrees) {
  const RobotDescription robot = parse_robot(R"(<mujoco><worldbody>
    <body name="a" pos="0 0 1" euler="90 0 0"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" density="500"/><geom size="0.1" pos="1 0 0" mass="2"/>
      <body name="b" pos="1 0 0"><joint name="j" range="-90 45" pos="0 0 0.5" ref="45"/><geom type="cylinder" size="0.1 0.2"/></body>
    </body></worldbody>
    <actuator><position joint="j" kp="10" kv="2" gear="3" forcerange="-5 5"/><motor name="m" joint="j"/><velocity joint="j" kv="4"/></actuator></mujoco>)");
  EXPECT_TRUE(robot.base_is_free);
  expect_near(robot.base.rotation * Vector3::UnitY(), Vector3::UnitZ());
  // A box of 48 l at 500 kg/m³, and 2 kg 1 m away.
  EXPECT_NEAR(robot.links[0].inertial->mass, 26.0, 1e-12);
  EXPECT_NEAR(robot.links[0].inertial->pose.position.x(), 2.0 / 26.0, 1e-14);
  EXPECT_NEAR(robot.links[1].inertial->mass, 1000 * M_PI * 0.01 * 0.4, 1e-12);
  const RobotJoint& joint = robot.joints[0];
  EXPECT_NEAR(joint.freedoms[0].lower, -0.75 * M_PI, 1e-15);
  EXPECT_NEAR(joint.freedoms[0].upper, 0.0, 1e-15);
  expect_near(joint.anchor, {0, 0, 0.5});
  ASSERT_EQ(robot.actuators.size(), 3u);
  EXPECT_EQ(robot.actuators[0].stiffness, 90.0);
  EXPECT_EQ(robot.actuators[0].damping, 18.0);
  EXPECT_EQ(robot.actuators[0].effort, 15.0);
  EXPECT_EQ(robot.actuators[2].damping, 4.0);
}

TEST(RobotFile, mjcf_joints_of_one_body_become_one_joint) {
  const auto kind = [](const std::string& joints) {
    return parse_robot("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body>" + joints +
                       "<geom size='0.1'/></body></worldbody></mujoco>")
        .joints[0];
  };
  EXPECT_EQ(kind("<joint axis='0 0 1'/><joint axis='1 0 0'/>").kind, RobotJointKind::universal);
  EXPECT_EQ(kind("<joint type='slide'/><joint/>").kind, RobotJointKind::cylindrical);
  EXPECT_EQ(
      kind("<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint/>").kind,
      RobotJointKind::planar);
  EXPECT_EQ(kind("<joint type='ball'/>").kind, RobotJointKind::ball);
  EXPECT_THROW(kind("<joint/><joint/>"), RobotError);
}

TEST(RobotFile, mjcf_constraints_have_both_frames) {
  const RobotDescription robot = parse_robot(R"(<mujoco><worldbody>
    <body name="a"><joint axis="0 1 0"/><geom size="0.1"/></body>
    <body name="b" pos="1 0 0" quat="0 0 0 1"><joint axis="0 1 0"/><geom size="0.1"/></body></worldbody>
    <equality><connect body1="a" body2="b" anchor="0.5 0 0.2"/><weld body1="a" relpose="0 0 2 1 0 0 0"/></equality></mujoco>)");
  ASSERT_EQ(robot.constraints.size(), 2u);
  expect_near(robot.constraints[0].in_second.position, {0.5, 0, 0.2});
  EXPECT_EQ(robot.constraints[1].second, "world");
  expect_near(robot.constraints[1].in_first.position, {0, 0, 2});
}

TEST(RobotFile, roll_pitch_yaw_comes_back_also_where_the_pitch_is_a_right_angle) {
  for (const double pitch : {0.0, 0.7, M_PI / 2, -M_PI / 2, 1.5707963})
    for (const double roll : {0.0, 2.5, -1.0})
      for (const double yaw : {0.0, 3.0, -0.4}) {
        const Quaternion first = rotation_of({roll, pitch, yaw});
        const Quaternion second = rotation_of(roll_pitch_yaw(first));
        EXPECT_LE((first.toRotationMatrix() - second.toRotationMatrix()).norm(), 2e-15);
      }
}

TEST(RobotFile, an_impossible_inertia_is_a_warning_and_a_mistake_when_asked) {
  const std::string text =
      "<robot name='r'><link name='l3'><inertial><mass value='4.8'/>"
      "<inertia ixx='0.066' iyy='0.086' izz='0.0125'/></inertial></link></robot>";
  const RobotDescription robot = parse_robot(text);
  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_NE(robot.warnings[0].text.find("0.0125, 0.066 and 0.086"), std::string::npos);
  RobotReading strict;
  strict.strict = true;
  EXPECT_THROW(parse_robot(text, "r", strict), RobotError);
}

class RobotFolder : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::temp_directory_path() / ("vinci-robots-" + std::to_string(::getpid()));
    fs::create_directories(root / "model");
    fs::create_directories(root / "shared/parts");
    write("shared/parts/a.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    fs::copy_file(root / "shared/parts/a.obj", root / "model/own.obj");
  }
  void TearDown() override { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name) << text;
  }
  RobotDescription read(const std::string& mesh, const RobotReading& reading = {}) const {
    write("model/r.urdf", "<robot name='r'><link name='l'><collision><geometry><mesh filename='" +
                              mesh + "'/></geometry></collision></link></robot>");
    return read_robot(root / "model/r.urdf", reading);
  }
  fs::path root;
};

TEST_F(RobotFolder, only_files_of_the_models_folder_and_of_the_search_path_are_read) {
  EXPECT_NO_THROW(read("own.obj"));
  EXPECT_NO_THROW(read("package://model/own.obj"));
  EXPECT_THROW(read("../shared/parts/a.obj"), RobotError);
  EXPECT_THROW(read((root / "shared/parts/a.obj").string()), RobotError);
  EXPECT_THROW(read("file://" + (root / "shared/parts/a.obj").string()), RobotError);
  EXPECT_THROW(read("package://parts/a.obj"), RobotError);
  EXPECT_THROW(read("http://example.org/a.obj"), RobotError);
  fs::create_symlink(root / "shared/parts/a.obj", root / "model/link.obj");
  EXPECT_THROW(read("link.obj"), RobotError);
  RobotReading reading;
  reading.search = {root / "shared"};
  EXPECT_NO_THROW(read("package://parts/a.obj", reading));
  EXPECT_NO_THROW(read("link.obj", reading));
  EXPECT_THROW(read("package://parts/../../model/r.obj", reading), RobotError);
}

TEST_F(RobotFolder, mjcf_includes_files_of_its_folder_and_weighs_meshes) {
  write("model/part.xml",
        "<mujocoinclude><asset><mesh name='m' file='own.obj' scale='0.1 0.1 "
        "-0.1'/></asset></mujocoinclude>");
  write("model/m.xml",
        "<mujoco><include file='part.xml'/><worldbody><body><freejoint/><geom type='mesh' "
        "mesh='m'/></body></worldbody></mujoco>");
  const RobotDescription robot = read_robot(root / "model/m.xml");
  EXPECT_NEAR(robot.mass(), 1000.0 * 1e-3 / 6.0, 1e-14);  // a corner of a cube, cut off
  EXPECT_NEAR(robot.links[0].inertial->pose.position.z(), -0.025, 1e-15);
  write("model/self.xml", "<mujoco><include file='self2.xml'/></mujoco>");
  write("model/self2.xml", "<mujoco><include file='self2.xml'/></mujoco>");
  EXPECT_THROW(read_robot(root / "model/self.xml"), RobotError);
  write("model/out.xml", "<mujoco><include file='../x.xml'/></mujoco>");
  write("x.xml", "<mujoco/>");
  EXPECT_THROW(read_robot(root / "model/out.xml"), RobotError);
}

}  // namespace
}  // namespace vinci
