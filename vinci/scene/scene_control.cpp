// SPDX-License-Identifier: Apache-2.0
// Which joints are meant, what is given for them, and the controllers of the model.
#include "vinci/scene/scene_control.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/control/controller_kind.h"
#include "vinci/control/signal_controller.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/scene/scene_signals.h"

namespace vinci {

JointChooser::JointChooser(const Numbers& numbers, const Model& model)
    : numbers_(numbers), model_(model) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    joint_.insert(joint_.end(), model.joints[j].freedoms.size(), static_cast<int>(j));
  Model tree = mechanism_of(model);
  make_tree(tree);
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    closes_loop_.push_back(is_loop_joint(tree, j));
}

const Joint& JointChooser::joint_of(int rate) const {
  return model_.joints[static_cast<std::size_t>(joint_[static_cast<std::size_t>(rate)])];
}

const JointFreedom& JointChooser::freedom(int rate) const {
  const Joint& joint = joint_of(rate);
  return joint.freedoms[static_cast<std::size_t>(rate - joint.first_rate)];
}

std::string JointChooser::name(int rate) const {
  const Joint& joint = joint_of(rate);
  if (joint.freedoms.size() == 1) return joint.name;
  return fmt::format("{}, freedom {}", joint.name, rate - joint.first_rate);
}

// Index of a joint by its name, with that of the robot before it or not; −1: none.
int JointChooser::find(const std::string& name, const JointChoice& choice) const {
  const auto with = [&](const std::string& wanted) {
    const auto found = std::find_if(model_.joints.begin(), model_.joints.end(),
                                    [&](const Joint& joint) { return joint.name == wanted; });
    return found == model_.joints.end() ? -1 : static_cast<int>(found - model_.joints.begin());
  };
  if (!choice.robot.empty())
    if (const int found = with(choice.robot + "." + name); found >= 0) return found;
  return with(name);
}

JointChoice JointChooser::choice(const Node& node) const {
  JointChoice choice;
  const Node *robot = node.find("robot"), *joints = node.find("joints");
  if (robot) choice.robot = robot->text;
  const auto belongs = [&](const Joint& joint) {
    return choice.robot.empty() || joint.name.starts_with(choice.robot + ".");
  };
  if (robot && std::none_of(model_.joints.begin(), model_.joints.end(), belongs)) {
    std::set<std::string> known;
    for (const Joint& joint : model_.joints)
      if (const std::size_t dot = joint.name.find('.'); dot != std::string::npos)
        known.insert(joint.name.substr(0, dot));
    const std::vector<std::string> names(known.begin(), known.end());
    throw Impossible{
        robot, fmt::format("there is no robot {}{}; accepted: {}", in_quotes(robot->text),
                           suggestion(robot->text, names), names.empty() ? "none" : listed(names))};
  }
  const auto add = [&](const Joint& joint) {
    for (std::size_t k = 0; k < joint.freedoms.size(); ++k)
      choice.rates.push_back(joint.first_rate + static_cast<int>(k));
  };
  for (std::size_t i = 0; joints && i < joints->children.size(); ++i) {
    const Node& given = joints->children[i];
    const int found = find(given.text, choice);
    if (found < 0) {
      std::vector<std::string> names;
      for (const Joint& joint : model_.joints) names.push_back(joint.name);
      throw Impossible{&given, fmt::format("there is no joint {}{}; accepted: {}",
                                           in_quotes(given.text), suggestion(given.text, names),
                                           names.empty() ? "none" : listed(names))};
    }
    const Joint& joint = model_.joints[static_cast<std::size_t>(found)];
    if (joint.freedoms.empty() || joint.kind == JointKind::ball)
      throw Impossible{&given, fmt::format("a {} joint has no coordinate to drive; accepted: "
                                           "joints of other kinds",
                                           to_string(joint.kind))};
    if (std::find(choice.rates.begin(), choice.rates.end(), joint.first_rate) != choice.rates.end())
      throw Impossible{&given, "this joint has been named already"};
    add(joint);
  }
  for (std::size_t j = 0; !joints && j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const bool follows = std::any_of(
        model_.couplings.begin(), model_.couplings.end(),
        [&](const Coupling& coupling) { return coupling.joint_b == static_cast<int>(j); });
    if (belongs(joint) && joint.kind != JointKind::ball && !follows) add(joint);
  }
  const auto chosen = [&](int j) {
    return std::any_of(choice.rates.begin(), choice.rates.end(),
                       [&](int rate) { return joint_[static_cast<std::size_t>(rate)] == j; });
  };
  for (int j = 0; !joints && j < static_cast<int>(model_.joints.size()); ++j)
    if (closes_loop_[static_cast<std::size_t>(j)] && chosen(j))
      throw Impossible{&node, fmt::format("joint {} closes a loop, in which not all joints can be "
                                          "driven by themselves; accepted: `joints`, a list of "
                                          "those that are",
                                          model_.joints[static_cast<std::size_t>(j)].name)};
  if (choice.rates.empty())
    throw Impossible{robot ? robot : &node,
                     "there is no joint with a coordinate to drive; accepted: joints of other "
                     "kinds than fixed and ball"};
  return choice;
}

VectorX JointChooser::values(const Node& node, const JointChoice& choice,
                             const VectorX& otherwise) const {
  const auto count = choice.rates.size();
  VectorX result = otherwise;
  if (node.is_scalar()) {
    result.setConstant(static_cast<Eigen::Index>(count), numbers_(node));
    return result;
  }
  if (node.is_list()) {
    if (node.children.size() != count) {
      std::vector<std::string> names;
      for (const int rate : choice.rates) names.push_back(name(rate));
      throw Impossible{&node, fmt::format("{} numbers for {} joints; accepted: one for each of {}",
                                          node.children.size(), count, listed(names))};
    }
    for (std::size_t i = 0; i < count; ++i)
      result[static_cast<Eigen::Index>(i)] = numbers_(node.children[i]);
    return result;
  }
  for (const Node& child : node.children) {
    const int found = find(child.key, choice);
    bool used = false;
    for (std::size_t i = 0; found >= 0 && i < count; ++i) {
      if (joint_[static_cast<std::size_t>(choice.rates[i])] != found) continue;
      result[static_cast<Eigen::Index>(i)] = numbers_(child);
      used = true;
    }
    if (used) continue;
    std::vector<std::string> names;
    for (const int rate : choice.rates) names.push_back(joint_of(rate).name);
    throw Impossible{&child,
                     fmt::format("not one of the joints that are meant here{}; accepted: {}",
                                 suggestion(child.key, names), listed(names))};
  }
  return result;
}

void JointChooser::check_limits(const Node& where, const JointChoice& choice,
                                const VectorX& positions, const std::string& when) const {
  for (std::size_t i = 0; i < choice.rates.size(); ++i) {
    const JointFreedom& own = freedom(choice.rates[i]);
    const double q = positions[static_cast<Eigen::Index>(i)];
    if (q >= own.lower - 1e-9 && q <= own.upper + 1e-9) continue;
    throw Impossible{&where,
                     fmt::format("joint {} is at {:.6g}{}, outside of its limits; accepted: {:.6g} "
                                 "to {:.6g}",
                                 name(choice.rates[i]), q, when, own.lower, own.upper)};
  }
}

namespace {

class ControllerReader {
 public:
  ControllerReader(const Numbers& numbers, const Model& model,
                   const std::map<std::string, SceneTrajectory>& trajectories)
      : numbers_(numbers), joints_(numbers, model), trajectories_(trajectories) {}

  // Call for all controllers before the first is made.
  void note(const Node& node) {
    const JointChoice choice = joints_.choice(node);
    driven_.insert(choice.rates.begin(), choice.rates.end());
  }

  const std::set<int>& driven() const { return driven_; }
  void note(const SignalNetwork& network) {
    for (const ForceInput& drive : network.drives())
      if (drive.kind == ForceInput::Kind::joint)
        driven_.insert(joints_.rate_of(drive.index) + drive.coordinate);
  }

  std::shared_ptr<const ControllerDescription> controller(const Node& node) const {
    const auto& kinds = controller_kinds();
    const std::string& wanted = node.find("kind")->text;
    const ControllerKind& kind = *std::find_if(
        kinds.begin(), kinds.end(), [&](const ControllerKind& k) { return k.name == wanted; });
    check_keys(node, kind);
    ControllerSetup setup;
    setup.name = node.key;
    const JointChoice choice = joints_.choice(node);
    setup.rates = choice.rates;
    for (const int rate : driven_)
      if (std::find(choice.rates.begin(), choice.rates.end(), rate) == choice.rates.end())
        setup.others.push_back(rate);
    const auto count = static_cast<Eigen::Index>(choice.rates.size());
    for (const ControllerKey& key : kind.keys)
      if (const Node* given = node.find(key.name))
        setup.numbers[key.name] = joints_.values(*given, choice, VectorX::Zero(count));
    setup.limits.resize(count);
    for (Eigen::Index i = 0; i < count; ++i)
      setup.limits[i] = joints_.freedom(choice.rates[static_cast<std::size_t>(i)]).largest_effort;
    if (const Node* given = node.find("limits"))
      setup.limits = joints_.values(*given, choice, setup.limits);
    if (const Node* given = node.find("sample")) setup.sample = numbers_(*given);
    setup.reference = reference(node, choice);
    return kind.make(std::move(setup));
  }

 private:
  static void check_keys(const Node& node, const ControllerKind& kind) {
    std::vector<std::string> own;
    for (const ControllerKey& key : kind.keys) {
      own.push_back(key.name);
      if (key.required && !node.has(key.name))
        throw Impossible{&node, fmt::format("'{}' is missing; accepted: a number, a list of one "
                                            "per joint, or {{joint: number}}",
                                            key.name)};
    }
    for (const ControllerKind& other : controller_kinds())
      for (const ControllerKey& key : other.keys)
        if (const Node* given = node.find(key.name);
            given && std::find(own.begin(), own.end(), key.name) == own.end())
          throw Impossible{given, fmt::format("a {} controller has no such gain; accepted: {}",
                                              kind.name, listed(own))};
  }

  JointReference reference(const Node& node, const JointChoice& choice) const {
    const auto count = static_cast<Eigen::Index>(choice.rates.size());
    VectorX start(count);
    for (Eigen::Index i = 0; i < count; ++i)
      start[i] = joints_.start(choice.rates[static_cast<std::size_t>(i)]);
    if (const Node* pose = node.find("pose")) {
      const VectorX kept = joints_.values(*pose, choice, start);
      joints_.check_limits(*pose, choice, kept, "");
      return {std::make_shared<Sequence>(0.0, kept), {}};
    }
    const Node* named = node.find("reference");
    if (!named) return {};
    const auto found = trajectories_.find(named->text);
    if (found == trajectories_.end()) return {};  // it has a mistake of its own
    const SceneTrajectory& trajectory = found->second;
    JointReference reference{trajectory.sequence, {}};
    bool any = false;
    for (const int rate : choice.rates) {
      const std::vector<int>& moved = trajectory.choice.rates;
      const auto at = std::find(moved.begin(), moved.end(), rate);
      reference.chosen.push_back(at == moved.end() ? -1 : static_cast<int>(at - moved.begin()));
      any |= at != moved.end();
    }
    if (!any)
      throw Impossible{named,
                       "the trajectory moves none of the controller's joints; accepted: one that "
                       "does"};
    return reference;
  }

  const Numbers& numbers_;
  JointChooser joints_;
  const std::map<std::string, SceneTrajectory>& trajectories_;
  std::set<int> driven_;  // rates, by some controller
};

}  // namespace

bool read_controls(const ControlSections& sections, const SceneData& scene, const Numbers& numbers,
                   Mistakes& mistakes, Model& model) {
  const Node *const trajectories = sections.trajectories, *const controllers = sections.controllers,
                    *const signals = sections.signals;
  if (!trajectories && !controllers && !signals) return true;
  bool fine = true;
  const auto attempt = [&](auto&& part) {
    try {
      part();
    } catch (const Impossible& mistake) {
      mistakes.add(*mistake.where, mistake.message);
      fine = false;
    }
  };
  std::map<std::string, SceneTrajectory> made;
  const ShapeReader read(scene, numbers);
  TrajectoryReader reader(numbers, model, read);
  for (std::size_t i = 0; trajectories && i < trajectories->children.size(); ++i) {
    const Node& node = trajectories->children[i];
    attempt([&] { made[node.key] = reader.trajectory(node); });
  }
  ControllerReader reads(numbers, model, made);
  for (std::size_t i = 0; controllers && i < controllers->children.size(); ++i)
    attempt([&] { reads.note(controllers->children[i]); });
  std::shared_ptr<const SignalNetwork> network;
  if (const Node* same = signals && controllers ? controllers->find(signals_name) : nullptr) {
    mistakes.add(*same, "this is the name of the network of signals; choose another name");
    fine = false;
  }
  if (fine && signals) {
    network = read_signals(*signals, made, reads.driven(), numbers, read, model, mistakes);
    fine = network != nullptr;
  }
  if (!fine) return false;
  if (network) reads.note(*network);
  for (std::size_t i = 0; controllers && i < controllers->children.size(); ++i)
    attempt([&] { model.controllers.push_back(reads.controller(controllers->children[i])); });
  if (network)
    model.controllers.push_back(std::make_shared<SignalDescription>(signals_name, network));
  return fine;
}

}  // namespace vinci
