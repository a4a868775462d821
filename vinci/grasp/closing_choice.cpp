// SPDX-License-Identifier: Apache-2.0
// Which joints close, and what touches in the end.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/grasp/closing.h"
#include "vinci/kinematics/recursive.h"
#include "vinci/model/friction_law.h"
#include "vinci/recording/recorder.h"

namespace vinci {
namespace {

std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i ? ", " : "") + names[i];
  return names.empty() ? "none" : names.size() > most ? text + ", ..." : text;
}

bool has_one_freedom(const Joint& joint) {
  return joint.freedoms.size() == 1;
}

// −1, 0 or 1: where the motor drives the joint that stands at q.
int driven_direction(const Joint& joint, double q, double end) {
  const Motor& motor = joint.freedoms[0].motor;
  if (motor.kind == MotorKind::none) return 0;
  const auto sign = [](double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; };
  const auto target = [&](double time) { return motor.target.value(std::array{time, q, 0.0}); };
  if (motor.kind == MotorKind::position) return sign(target(end) - q);
  const int first = sign(target(0.0));
  return first != 0 ? first : sign(target(0.5 * end));
}

ClosingJoint named_joint(const Model& model, const std::string& text) {
  const bool back = text.starts_with('-');
  const std::string name = back ? text.substr(1) : text;
  std::vector<std::string> known;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (!has_one_freedom(model.joints[j])) continue;
    if (model.joints[j].name == name) return {static_cast<int>(j), back ? -1 : 1};
    known.push_back(model.joints[j].name);
  }
  throw Error(fmt::format("there is no joint '{}' of one freedom; accepted: {}", name, some(known)),
              "joints");
}

// "arm" of "arm.elbow", sorted.
std::vector<std::string> robot_names(const Model& model) {
  std::set<std::string> names;
  for (const Joint& joint : model.joints)
    if (const auto dot = joint.name.find('.'); dot != std::string::npos)
      names.insert(joint.name.substr(0, dot));
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<ClosingJoint> closing_joints(const Model& model, const ClosingChoice& choice,
                                         double end) {
  const std::vector<std::string> robots = robot_names(model);
  if (!choice.robot.empty() &&
      std::find(robots.begin(), robots.end(), choice.robot) == robots.end())
    throw Error(
        fmt::format("there is no robot '{}' with joints; accepted: {}", choice.robot, some(robots)),
        "close");
  std::vector<ClosingJoint> joints;
  for (const std::string& name : choice.joints) {
    const ClosingJoint joint = named_joint(model, name);
    for (const ClosingJoint& other : joints)
      if (other.joint == joint.joint)
        throw Error(fmt::format("'{}' is named twice", name), "joints");
    joints.push_back(joint);
  }
  if (!joints.empty()) return joints;
  std::vector<std::string> still;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const bool own = choice.robot.empty() || joint.name.starts_with(choice.robot + ".");
    if (!own || !has_one_freedom(joint)) continue;
    const int direction = driven_direction(joint, joint.freedoms[0].position, end);
    if (direction != 0)
      joints.push_back({static_cast<int>(j), direction});
    else
      still.push_back(joint.name);
  }
  if (joints.empty())
    throw Error("no motor drives a joint away from where it stands; accepted: joints by name, of " +
                    some(still),
                "joints");
  return joints;
}

std::vector<TouchingContact> touching_contacts(const ContactSet& contacts, int body,
                                               const std::vector<char>& others) {
  std::vector<TouchingContact> found;
  for (const Contact& contact : contacts) {
    if (contact.body_a != body && contact.body_b != body) continue;
    const int other = contact.body_a == body ? contact.body_b : contact.body_a;
    if (others.empty() || others[static_cast<std::size_t>(other)])
      found.push_back({&contact, other});
  }
  return found;
}

Grasp touching_grasp(const Model& model, const State& state, const ContactSet& contacts, int body,
                     const std::vector<char>& others) {
  Grasp grasp;
  grasp.world = model.world;
  grasp.center = center_of_mass(model, state.poses, body);
  for (const TouchingContact& touching : touching_contacts(contacts, body, others)) {
    const Contact& contact = *touching.contact;
    const bool first = contact.body_a == body;
    const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
    GraspContact finger;
    finger.position = first ? contact.point_a : contact.point_b;
    finger.normal = first ? Vector3(-contact.normal) : contact.normal;
    finger.friction = surface.friction;
    finger.moments = surface.moments;
    if (surface.law) {
      const Pose& a = state.poses[static_cast<std::size_t>(contact.body_a)];
      const Pose& b = state.poses[static_cast<std::size_t>(contact.body_b)];
      const FrictionPlace place = {finger.position, a.inverse() * finger.position,
                                   b.inverse() * finger.position, state.time};
      const FrictionCoefficients coefficients = surface.law->at(0.0, place);
      finger.friction = coefficients.along;
      if (surface.law->axis) {
        const FrictionFrame frame = surface.law->axis->frame;
        const Vector3& axis = surface.law->axis->direction;
        finger.tangent = frame == FrictionFrame::world   ? axis
                         : frame == FrictionFrame::first ? Vector3(a.rotation * axis)
                                                         : Vector3(b.rotation * axis);
        finger.friction_2 = coefficients.across;
      }
    }
    grasp.contacts.push_back(finger);
  }
  return grasp;
}

namespace {

constexpr int frames_per_second = 60;

// Stands in the recording as what moved the joints; no step is ever taken.
class AutoGrasp : public Controller {
 public:
  void act(const Model&, const State&, double, Eigen::Ref<VectorX>, Eigen::Ref<VectorX>) override {}
};

VectorX coordinates_at(const Closing& closing, double time) {
  const auto& path = closing.path;
  std::size_t i = 0;
  while (i + 1 < path.size() && path[i + 1].first < time) ++i;
  if (i + 1 == path.size()) return path.back().second;
  const double span = path[i + 1].first - path[i].first;
  const double share = span > 0.0 ? std::clamp((time - path[i].first) / span, 0.0, 1.0) : 1.0;
  return path[i].second + share * (path[i + 1].second - path[i].second);
}

}  // namespace

void record_closing(const std::filesystem::path& file, const Scene& scene,
                    const RunOverrides& overrides, const std::shared_ptr<const Plugins>& plugins,
                    const Closing& closing, bool overwrite) {
  const auto frames = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(frames_per_second * closing.time)));
  RunOverrides shown = overrides;
  shown.options["step"] = fmt::format("1/{}", frames_per_second);
  shown.options["duration"] = fmt::format("{}/{}", frames, frames_per_second);
  shown.options["output-interval"] = "0";
  shown.options["coordinates"] = "reduced";
  shown.code.controllers = {{"auto-grasp", std::make_shared<AutoGrasp>()}};
  Simulation simulation(scene, shown, plugins);
  State state = simulation.state();
  state.velocities.setZero();
  state.joint_rates.setZero();
  simulation.set_state(state);
  Recorder recorder(file, simulation, overwrite);
  for (std::int64_t i = 1; i <= frames; ++i) {
    state.step = i;
    state.time = static_cast<double>(i) * simulation.step_size();
    state.joint_positions = coordinates_at(closing, i == frames ? closing.time : state.time);
    place_tree(simulation.model(), state.joint_positions, state.poses);
    if (i == frames) state.coupling_offsets = closing.state.coupling_offsets;
    simulation.set_state(state);
    recorder.after_step(simulation);
  }
  recorder.finish(simulation);
}

}  // namespace vinci
