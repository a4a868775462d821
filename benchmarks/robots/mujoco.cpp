// SPDX-License-Identifier: Apache-2.0
// MuJoCo: with each of its integrators where nothing touches; with its usual soft contacts and with
// the stiffest that its manual offers where a hand holds something.
#include <algorithm>
#include <cstring>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "robots/engine.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

struct Way {
  const char* name;
  const char* option;  // attributes of <option>
  int integrator;      // the same as a number
  bool stiff = false;  // contacts as stiff as steps allow
};

std::string at(const Pose& pose) {
  const Vector3& p = pose.position;
  const Quaternion& q = pose.rotation;
  return fmt::format("pos='{} {} {}' quat='{} {} {} {}'", p.x(), p.y(), p.z(), q.w(), q.x(), q.y(),
                     q.z());
}

class Document {
 public:
  Document(const RobotCase& robot, const Way& way, double step)
      : robot_(robot), model_(*robot.model), way_(way), step_(step) {}

  std::string text() const {
    std::string bodies;
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      if (model_.joints[j].kind != JointKind::fixed && base_of(model_, model_.joints[j]).body < 0)
        bodies += hanging(static_cast<int>(j));
    if (robot_.object >= 0) {
      const Body& body = model_.bodies[static_cast<std::size_t>(robot_.object)];
      bodies += fmt::format("<body name='{}' {}><freejoint/>{}{}</body>", body.name,
                            at(body.initial_pose), placeholder(), geoms(robot_.object));
    }
    const Vector3& g = model_.gravity;
    return fmt::format(
        "<mujoco><compiler angle='radian'/><size njmax='600' nconmax='100'/><option timestep='{}' "
        "gravity='{} {} {}' {}/><worldbody>{}</worldbody></mujoco>",
        step_, g.x(), g.y(), g.z(), way_.option, bodies);
  }

 private:
  // Overwritten by the numbers themselves: some published inertias are refused here.
  static std::string placeholder() {
    return "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  }

  std::string hanging(int j) const {
    const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
    const Body& body = model_.bodies[static_cast<std::size_t>(joint.body_b)];
    const Vector3 &p = joint.frame_b.position,
                  axis = joint.frame_b.rotation * Vector3(Vector3::UnitZ());
    const JointFreedom& freedom = joint.freedoms.front();
    const bool limited = freedom.is_limited();
    std::string text = fmt::format(
        "<body name='{}' {}>{}<joint name='{}' type='{}' pos='{} {} {}' axis='{} {} {}' "
        "limited='{}' range='{} {}'/>{}",
        body.name, at(base_of(model_, joint).frame * joint.frame_b.inverse()), placeholder(),
        joint.name, joint.kind == JointKind::prismatic ? "slide" : "hinge", p.x(), p.y(), p.z(),
        axis.x(), axis.y(), axis.z(), limited ? "true" : "false", limited ? freedom.lower : -1.0,
        limited ? freedom.upper : 1.0, geoms(joint.body_b));
    for (std::size_t k = 0; k < model_.joints.size(); ++k)
      if (base_of(model_, model_.joints[k]).body == joint.body_b)
        text += hanging(static_cast<int>(k));
    return text + "</body>";
  }

  std::string geoms(int b) const {
    if (robot_.object < 0) return "";
    const Body& body = model_.bodies[static_cast<std::size_t>(b)];
    std::string text;
    for (int s = body.first_shape; s < body.first_shape + body.shape_count; ++s) {
      const PlacedShape& placed = model_.shapes[static_cast<std::size_t>(s)];
      const double friction = model_.surface(placed.material, placed.material).friction;
      // Fingers touch the object and nothing else.
      text += fmt::format("<geom {} friction='{} 0 0' condim='3' contype='{}' conaffinity='{}' ",
                          at(placed.offset), friction, b == robot_.object ? 1 : 2,
                          b == robot_.object ? 2 : 1);
      if (way_.stiff)
        text += fmt::format("solref='{} 1' solimp='0.99 0.9999 0.0001' ", 2.0 * step_);
      if (const auto* ball = std::get_if<Sphere>(&placed.shape)) {
        text += fmt::format("type='sphere' size='{}'/>", ball->radius);
      } else {
        const Vector3& half = std::get<Box>(placed.shape).half_extents;
        text += fmt::format("type='box' size='{} {} {}'/>", half.x(), half.y(), half.z());
      }
    }
    return text;
  }

  const RobotCase& robot_;
  const Model& model_;
  const Way& way_;
  double step_;
};

// The same as URDF, which lists bodies one after the other: MuJoCo's reader of its own format takes
// no more than a hundred levels. Joints lie in the origins of their bodies.
std::string flat_document(const RobotCase& robot) {
  const Model& model = *robot.model;
  std::string text = "<link name='ground'/>";
  for (const int b : model.tree_order) {
    const Joint& joint = model.joints[static_cast<std::size_t>(model.tree_joint[b])];
    const JointBase base = base_of(model, joint);
    const Pose pose = base.frame * joint.frame_b.inverse();
    const Vector3 axis = joint.frame_b.rotation * Vector3(Vector3::UnitZ());
    const Vector3 turn = pose.rotation.toRotationMatrix().eulerAngles(2, 1, 0);
    if (!joint.frame_b.position.isZero(0.0)) throw Error("lies elsewhere", joint.name);
    const auto name = [&](int body) {
      return body < 0 ? std::string("ground") : model.bodies[static_cast<std::size_t>(body)].name;
    };
    text += fmt::format(
        "<link name='{0}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
        "iyz='0' izz='1'/></inertial></link><joint name='{1}' type='revolute'><parent "
        "link='{2}'/><child link='{0}'/><origin xyz='{3} {4} {5}' rpy='{6} {7} {8}'/><axis "
        "xyz='{9} "
        "{10} {11}'/><limit lower='{12}' upper='{13}' effort='0' velocity='0'/></joint>",
        name(b), joint.name, name(base.body), pose.position.x(), pose.position.y(),
        pose.position.z(), turn[2], turn[1], turn[0], axis.x(), axis.y(), axis.z(),
        joint.freedoms.front().lower, joint.freedoms.front().upper);
  }
  return "<robot name='robot'>" + text + "</robot>";
}

class MujocoRobot : public RobotEngine {
 public:
  MujocoRobot(const RobotCase& robot, double step, const Way& way) : name_(way.name) {
    constexpr std::size_t deep = 50;
    const Model& model = *robot.model;
    mju_user_warning = [](const char*) {};  // steps that are too long are seen in their errors
    if (model.tree_order.size() > deep && robot.object < 0) {
      load(flat_document(robot));
      std::copy(model.gravity.data(), model.gravity.data() + 3, model_->opt.gravity);
      model_->opt.timestep = step;
      model_->opt.integrator = way.integrator;
    } else {
      load(Document(robot, way, step).text());
    }
    for (const Body& body : model.bodies) set_mass(body);
    data_ = mj_makeData(model_);
    mj_setConst(model_, data_);
    for (const Joint& joint : model.joints) {
      if (joint.kind == JointKind::fixed) continue;
      const int at = mj_name2id(model_, mjOBJ_JOINT, joint.name.c_str());
      joints_.push_back({model_->jnt_qposadr[at], model_->jnt_dofadr[at],
                         joint.freedoms.front().position, joint.freedoms.front().velocity,
                         motor_effort(joint)});
    }
    if (robot.object >= 0) {
      const Body& body = model.bodies[static_cast<std::size_t>(robot.object)];
      object_ =
          model_
              ->jnt_qposadr[model_->body_jntadr[mj_name2id(model_, mjOBJ_BODY, body.name.c_str())]];
    }
    MujocoRobot::reset();
  }
  ~MujocoRobot() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoRobot(const MujocoRobot&) = delete;
  MujocoRobot& operator=(const MujocoRobot&) = delete;

  std::string name() const override { return name_; }
  void reset() override {
    mj_resetData(model_, data_);
    for (const Place& joint : joints_) {
      data_->qpos[joint.position] = joint.start;
      data_->qvel[joint.rate] = joint.speed;
      data_->qfrc_applied[joint.rate] = joint.effort;
    }
  }
  void step() override { mj_step(model_, data_); }
  void read(RobotState& state) const override {
    state.positions.resize(static_cast<Eigen::Index>(joints_.size()));
    state.rates.resize(state.positions.size());
    for (Eigen::Index i = 0; i < state.positions.size(); ++i) {
      state.positions[i] = data_->qpos[joints_[static_cast<std::size_t>(i)].position];
      state.rates[i] = data_->qvel[joints_[static_cast<std::size_t>(i)].rate];
    }
    if (object_ < 0) return;
    const mjtNum* q = data_->qpos + object_;
    state.object = {Vector3(q[0], q[1], q[2]), Quaternion(q[3], q[4], q[5], q[6]).normalized()};
  }
  double start_energy() override {
    reset();
    model_->opt.enableflags |= mjENBL_ENERGY;
    mj_forward(model_, data_);
    model_->opt.enableflags &= ~mjENBL_ENERGY;
    return data_->energy[0] + data_->energy[1];
  }
  void start_accelerations(VectorX& accelerations) override {
    reset();
    mj_forward(model_, data_);
    accelerations.resize(static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t i = 0; i < joints_.size(); ++i)
      accelerations[static_cast<Eigen::Index>(i)] = data_->qacc_smooth[joints_[i].rate];
  }
  void loads(std::vector<ContactLoad>& loads) const override {
    loads.clear();
    for (int i = 0; i < data_->ncon; ++i) {
      mjtNum force[6];
      mj_contactForce(model_, data_, i, force);
      loads.push_back({force[0], std::hypot(force[1], force[2])});
    }
  }

 private:
  struct Place {
    int position, rate;
    double start, speed, effort;
  };

  void load(const std::string& text) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(text.size())) != 0)
      throw Error("MuJoCo takes no file of this size");
    const int index = mj_findFileVFS(files.get(), "robot.xml");
    std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[index]));
    char problem[1000] = "";
    model_ = mj_loadXML("robot.xml", files.get(), problem, sizeof problem);
    mj_deleteVFS(files.get());
    if (!model_) throw Error(fmt::format("MuJoCo: {}", problem));
  }

  void set_mass(const Body& body) {
    const int at = mj_name2id(model_, mjOBJ_BODY, body.name.c_str());
    if (at < 0) return;  // at rest
    const Eigen::SelfAdjointEigenSolver<Matrix3> axes(body.mass.inertia);
    Matrix3 turn = axes.eigenvectors();
    if (turn.determinant() < 0.0) turn.col(0) = -turn.col(0);
    const Quaternion q(turn);
    model_->body_mass[at] = body.mass.mass;
    for (int i = 0; i < 3; ++i) {
      model_->body_ipos[3 * at + i] = body.mass.center[i];
      model_->body_inertia[3 * at + i] = axes.eigenvalues()[i];
    }
    const double parts[] = {q.w(), q.x(), q.y(), q.z()};
    std::copy(std::begin(parts), std::end(parts), model_->body_iquat + 4 * at);
    model_->body_sameframe[at] = 0;
    model_->body_simple[at] = 0;
  }

  std::string name_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<Place> joints_;
  int object_ = -1;
};

template <const Way& way>
std::unique_ptr<RobotEngine> make(const RobotCase& robot, double step) {
  return std::make_unique<MujocoRobot>(robot, step, way);
}

constexpr Way euler{"MuJoCo Euler", "integrator='Euler'", mjINT_EULER},
    implicit{"MuJoCo implicit", "integrator='implicit'", mjINT_IMPLICIT},
    runge_kutta{"MuJoCo RK4", "integrator='RK4'", mjINT_RK4},
    soft{"MuJoCo", "integrator='Euler' cone='elliptic'", mjINT_EULER},
    stiff{"MuJoCo stiff",
          "integrator='Euler' cone='elliptic' impratio='100' noslip_iterations='20' "
          "noslip_tolerance='1e-12' tolerance='1e-14' iterations='200'",
          mjINT_EULER, true};

}  // namespace

std::vector<EngineMaker> mujoco_engines(const RobotCase& robot) {
  if (robot.object >= 0) return {make<soft>, make<stiff>};
  return {make<euler>, make<implicit>, make<runge_kutta>};
}

}  // namespace vinci
