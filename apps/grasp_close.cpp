// SPDX-License-Identifier: Apache-2.0
#include "apps/grasp_close.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "apps/progress.h"
#include "apps/stop_signal.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

int object_of(const Model& model, const std::string& name, const std::string& flag) {
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(model.bodies.size(), 20); ++i)
    names += (i ? ", " : "") + model.bodies[i].name;
  if (model.bodies.size() > 20) names += ", ...";
  if (name.empty()) throw Error("is missing; accepted: the body that is held, of " + names, flag);
  const int body = model.find_body(name);
  if (body < 0) throw Error(fmt::format("there is no body '{}'; accepted: {}", name, names), flag);
  return body;
}

// The bodies whose contacts count; none: all.
std::vector<char> counting_bodies(const Model& model, int object,
                                  const std::vector<std::string>& by, const std::string& robot) {
  std::vector<char> others;
  if (by.empty() && robot.empty()) return others;
  others.resize(model.bodies.size(), 0);
  for (const std::string& name : by) {
    const int other = object_of(model, name, "--by");
    if (other == object) throw Error("is the object itself; accepted: other bodies", "--by");
    others[static_cast<std::size_t>(other)] = 1;
  }
  // The links of the robot: those named after it, and those between its joints.
  for (std::size_t b = 0; by.empty() && b < model.bodies.size(); ++b)
    others[b] = model.bodies[b].name.starts_with(robot + ".");
  for (const Joint& joint : model.joints)
    for (const int b : {joint.body_a, joint.body_b})
      if (by.empty() && b >= 0 && joint.name.starts_with(robot + "."))
        others[static_cast<std::size_t>(b)] = 1;
  if (others[static_cast<std::size_t>(object)])
    throw Error(fmt::format("'{}' is a part of the robot that closes",
                            model.bodies[static_cast<std::size_t>(object)].name),
                "--object");
  return others;
}

NamedGrasp named_grasp(const Model& model, int object, Grasp grasp, double time) {
  NamedGrasp named;
  named.grasp = std::move(grasp);
  named.object = model.bodies[static_cast<std::size_t>(object)].name;
  named.mass = model.bodies[static_cast<std::size_t>(object)].mass.mass;
  named.gravity = model.gravity;
  named.time = time;
  return named;
}

struct CloseTask {
  Scene scene;
  std::shared_ptr<const Plugins> plugins;
  RunOverrides overrides;
  Simulation simulation;  // of the scene as it is
  int object = 0;
  std::vector<char> others;
  ClosingRun run;
};

void close_still(const CloseTask& task, const CloseFlags& flags, ClosedGrasp& closed) {
  Model model = task.simulation.model();
  make_tree(model);
  const Closing closing =
      close_statically(model, task.simulation.state(), task.run.joints, task.run.speed);
  closed.joints = closing.joints;
  closed.time = closing.time;
  closed.named =
      named_grasp(model, task.object,
                  touching_grasp(model, closing.state, closing.contacts, task.object, task.others),
                  closing.time);
  for (const TouchingContact& touching :
       touching_contacts(closing.contacts, task.object, task.others))
    closed.named.by.push_back(model.bodies[static_cast<std::size_t>(touching.other)].name);
  if (!flags.output.empty())
    record_closing(flags.output, task.scene, task.overrides, task.plugins, closing,
                   flags.overwrite);
}

// Counts the steps that are not certified.
class CertifiedWatcher : public StepWatcher {
 public:
  explicit CertifiedWatcher(ClosedGrasp& closed) : closed_(closed) {}
  void after_step(const Simulation& simulation) override {
    ++closed_.steps;
    closed_.worst_residual =
        std::max(closed_.worst_residual, simulation.report().solve.residual.relative);
    if (!is_certified(simulation.report(), simulation.options().real("accept")))
      ++closed_.uncertified;
  }

 private:
  ClosedGrasp& closed_;
};

void close_moving(const CloseTask& task, const CloseFlags& flags, ClosedGrasp& closed) {
  const Scene scene = with_servos(task.scene, closing_servos(task.simulation.model(), task.run));
  Simulation simulation = make_simulation(scene, task.overrides, task.plugins);
  const State start = simulation.state();
  RestWatcher rest(task.run, simulation.step_size());
  CertifiedWatcher certified(closed);
  std::optional<Recorder> recorder;
  if (!flags.output.empty()) recorder.emplace(flags.output, simulation, flags.overwrite);
  listen_for_stop();
  RunLoop loop{.last_step = simulation.total_steps(),
               .recorder = recorder ? &*recorder : nullptr,
               .watchers = {&rest, &certified}};
  {
    Progress progress("grasp", 0, simulation.total_steps(), !flags.quiet);
    loop.go_on = [&] {
      progress.update(simulation.state().step, simulation.state().time);
      return !rest.at_rest() && !stop_wanted();
    };
    simulation.stop_when(stop_wanted);
    run_steps(simulation, loop);
  }
  if (recorder) recorder->finish(simulation);
  if (simulation.diverged())
    throw Failure(
        fmt::format("the run diverged after {} s: body '{}' has numbers that are not "
                    "finite",
                    simulation.state().time,
                    simulation.model()
                        .bodies[static_cast<std::size_t>(simulation.report().diverged_body)]
                        .name));
  closed.at_rest = rest.at_rest();
  closed.time = simulation.state().time;
  closed.joints = closed_joints(simulation, task.run, start);
  const Model& model = simulation.model();
  closed.named = named_grasp(
      model, task.object,
      grasp_of(model, simulation.state(), simulation.contacts(), task.object, task.others),
      closed.time);
  for (const LoadedContact& loaded :
       loaded_contacts(simulation.contacts(), task.object, task.others))
    closed.named.by.push_back(model.bodies[static_cast<std::size_t>(loaded.other)].name);
}

std::string unit_of(const Joint& joint) {
  return is_turning(joint.kind, 0) ? "rad" : "m";
}

}  // namespace

void add_close_flags(CLI::App& subcommand, CloseFlags& flags) {
  const std::string group = "Auto-grasp: fingers of a scene close first";
  subcommand
      .add_option("--close", flags.robot,
                  "The robot whose motors close it; only its contacts count. Joints that motors "
                  "hold where they are stay.")
      ->type_name("ROBOT")
      ->group(group);
  subcommand
      .add_option("--joints", flags.joints,
                  "Joints that close, separated by commas; -NAME closes towards smaller "
                  "coordinates. [those that motors drive]")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->take_all()
      ->group(group);
  subcommand
      .add_flag("--static", flags.statically,
                "Nothing but the fingers moves: each stops where it touches. [this]")
      ->group(group);
  subcommand
      .add_flag("--dynamic", flags.dynamic,
                "Servos with the limits of the motors close the fingers in the simulation, until "
                "all rest.")
      ->group(group);
  subcommand.add_option("--speed", flags.speed, "Of the joints, in rad/s and m/s. [1]")
      ->type_name("NUMBER")
      ->group(group);
  subcommand
      .add_option("--effort", flags.effort,
                  "Limit of all servos, in N m and N. [that of each joint's motor]")
      ->type_name("NUMBER")
      ->group(group);
  subcommand.add_option("-o,--output", flags.output, "Record how the fingers close.")
      ->type_name("RUN.h5")
      ->group(group);
  subcommand.add_flag("--quiet", flags.quiet, "No progress bar.")->group(group);
  add_choice_flags(subcommand, flags.choices);
}

void refuse_close_flags(const CloseFlags& flags) {
  const ChoiceFlags& choices = flags.choices;
  if (flags.statically || flags.dynamic || !flags.speed.empty() || !flags.effort.empty() ||
      !flags.output.empty() || !choices.parameters.empty() || !choices.plugin_options.empty() ||
      !choices.options.empty())
    throw Error("flags that close fingers are for scenes; accepted: with --close or --joints",
                "vinci grasp");
}

ClosedGrasp close_on(const std::string& file, const std::string& object,
                     const std::vector<std::string>& by, const CloseFlags& flags) {
  if (flags.statically && flags.dynamic)
    throw Error("excludes --dynamic; accepted: one of the two", "--static");
  const auto positive = [](const std::string& text, const char* flag, double fallback) {
    const double value = text.empty() ? fallback : number_of(text, flag);
    if (!text.empty() && !(value > 0.0)) throw Error("accepted: more than 0", flag);
    return value;
  };
  const auto plugins = plugins_of(flags.choices.libraries);
  const Scene scene = load_scene(file, *plugins, flags.choices);
  const RunOverrides overrides = overrides_of(flags.choices);
  CloseTask task{scene, plugins, overrides, make_simulation(scene, overrides, plugins), 0, {}, {}};
  const Model& model = task.simulation.model();
  task.object = object_of(model, object, "--object");
  task.others = counting_bodies(model, task.object, by, flags.robot);
  task.run.speed = positive(flags.speed, "--speed", 1.0);
  task.run.limit = positive(flags.effort, "--effort", 0.0);
  task.run.object = task.object;
  const double end =
      static_cast<double>(task.simulation.total_steps()) * task.simulation.step_size();
  task.run.joints = closing_joints(model, {flags.joints, flags.robot, task.run.speed}, end);
  if (!flags.output.empty() && !flags.overwrite && std::filesystem::exists(flags.output))
    throw Error("exists already; give --overwrite to replace it, or another place with --output",
                flags.output);
  ClosedGrasp closed;
  closed.model = task.simulation.shared_model();
  closed.dynamic = flags.dynamic;
  closed.speed = task.run.speed;
  closed.output = flags.output;
  (flags.dynamic ? close_moving : close_still)(task, flags, closed);
  return closed;
}

Json closing_json(const ClosedGrasp& closed) {
  const auto body = [&](int index) {
    return index < 0 ? Json() : Json(closed.model->bodies[static_cast<std::size_t>(index)].name);
  };
  Json joints = Json::array();
  for (const ClosedJoint& joint : closed.joints)
    joints.push_back({{"joint", closed.model->joints[static_cast<std::size_t>(joint.joint)].name},
                      {"driven", joint.driven},
                      {"start", joint.start},
                      {"position", joint.position},
                      {"stopped_by", to_string(joint.reason)},
                      {"time", joint.time},
                      {"body", body(joint.body)},
                      {"other", body(joint.other)}});
  Json json = {{"dynamic", closed.dynamic},
               {"speed", closed.speed},
               {"time", closed.time},
               {"at_rest", closed.at_rest},
               {"joints", joints},
               {"recording", closed.output.empty() ? Json() : Json(closed.output)}};
  json["steps"] = closed.dynamic ? Json(closed.steps) : Json();
  json["uncertified"] = closed.dynamic ? Json(closed.uncertified) : Json();
  json["worst_residual"] = closed.dynamic ? Json(closed.worst_residual) : Json();
  return json;
}

void print_closing(const ClosedGrasp& closed) {
  if (closed.dynamic)
    say(stdout, "closed with dynamics, {} after {} s; {}{}\n",
        closed.at_rest ? "at rest" : "still moving", short_number(closed.time),
        plural(closed.steps, "step"),
        closed.uncertified == 0
            ? fmt::format(", all within the tolerance (worst residual {})",
                          short_number(closed.worst_residual))
            : fmt::format(", {} of them not certified (worst residual {})", closed.uncertified,
                          short_number(closed.worst_residual)));
  else
    say(stdout, "closed statically: nothing but the fingers moved\n");
  std::vector<Column> table = {{"joint", "", {}, true},
                               {"from", ""},
                               {"to", ""},
                               {"", "", {}, true},
                               {"stopped by", "", {}, true}};
  for (const ClosedJoint& closed_joint : closed.joints) {
    const Joint& joint = closed.model->joints[static_cast<std::size_t>(closed_joint.joint)];
    const auto name = [&](int index) {
      return closed.model->bodies[static_cast<std::size_t>(index)].name;
    };
    table[0].rows.push_back(shortened(joint.name, 24));
    table[1].rows.push_back(fmt::format("{:.5g}", closed_joint.start));
    table[2].rows.push_back(fmt::format("{:.5g}", closed_joint.position));
    table[3].rows.push_back(unit_of(joint));
    table[4].rows.push_back(
        closed_joint.reason == StopReason::contact
            ? fmt::format("{} on {}", name(closed_joint.body), name(closed_joint.other))
            : to_string(closed_joint.reason));
  }
  print_heads(table);
  for (std::size_t i = 0; i < closed.joints.size(); ++i) print_row(table, i);
  say(stdout, "\n");
}

}  // namespace vinci
