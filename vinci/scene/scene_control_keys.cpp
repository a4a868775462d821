// SPDX-License-Identifier: Apache-2.0
// The keys of controllers and trajectories.
#include <fmt/format.h>

#include "vinci/control/controller_kind.h"
#include "vinci/scene/scene_control.h"
#include "vinci/scene/scene_joints.h"
#include "vinci/scene/scene_signals.h"
#include "vinci/scene/scene_values.h"

namespace vinci {
namespace {

using namespace scene_values;

// One value for all joints, a list of one per joint, or values by joint.
SceneValue per_joint(const std::string& text, const SceneValue& one) {
  return either(
      text + ", a list of one per joint, or {joint: number}",
      {one, list("a list of one per joint", one, 1, max_joints), names("numbers by joint", one)});
}

SceneValue time_value(const std::string& text) {
  return within(text, 0.0, infinity);
}

void add_choice(std::vector<SceneKey>& keys) {
  keys.push_back({"robot", "A robot of the scene: its joints are meant.",
                  word("the name of a robot, with which the names of its joints begin")});
  keys.push_back({"joints",
                  "The joints, in this order, by name; with `robot` without its name before. All "
                  "that do not follow another one if not given.",
                  list("a list of joints", word("the name of a joint"), 1, max_joints)});
}

SceneValue controller() {
  std::vector<std::string> kinds;
  std::string text = "The law:";
  for (const ControllerKind& kind : controller_kinds()) {
    kinds.push_back(kind.name);
    text += fmt::format(" {}: {}", kind.name, kind.text);
  }
  SceneValue value =
      map("a controller, as in {kind: pd, robot: arm, proportional: 100, derivative: 10}",
          {{"kind", text, choice(kinds), true}});
  add_choice(value.keys);
  for (const ControllerKind& kind : controller_kinds())
    for (const ControllerKey& key : kind.keys)
      if (!value.find(key.name))
        value.keys.push_back(
            {key.name, key.text,
             per_joint("a number, 0 or more", within("a number, 0 or more", 0.0, infinity))});
  value.keys.push_back({"limits",
                        "Largest effort in N or N m; if not given, what the drives of the joints "
                        "can do (`largest-effort`).",
                        per_joint("a number in N or N m, 0 or more",
                                  within("a number in N or N m, 0 or more", 0.0, infinity))});
  value.keys.push_back({"sample",
                        "Time between samples in s, between which efforts are held; every step if "
                        "not given or 0.",
                        time_value("a time in s, 0 or more")});
  value.keys.push_back({"reference", "The trajectory that joints follow.",
                        word("the name of a trajectory", Reference::trajectory)});
  value.keys.push_back({"pose",
                        "Coordinates that joints are kept at, in m or rad; where they begin if not "
                        "given.",
                        per_joint("a number in m or rad", number("a number in m or rad"))});
  value.clashes = {{"reference", "pose"}};
  return value;
}

// Velocity, acceleration and jerk; `per` makes a value of one number's.
template <class Per>
std::vector<SceneKey> limit_keys(const std::string& unit, const std::string& velocity, Per per) {
  return {
      {"velocity", velocity, per(unit + "/s")},
      {"acceleration", "Largest acceleration; that which reaches the velocity in 1 s if not given.",
       per(unit + "/s²")},
      {"jerk", "Largest jerk; that which reaches the acceleration in 0.1 s if not given.",
       per(unit + "/s³")}};
}

SceneValue joint_limits() {
  return map("{velocity: ..., acceleration: ..., jerk: ...}",
             limit_keys("m or rad",
                        "Largest velocity; that of the `motion-limits` of the joints if not "
                        "given, as the others are.",
                        [](const std::string& unit) {
                          return per_joint("a positive number in " + unit, positive(unit));
                        }));
}

SceneValue tip_limits() {
  SceneValue value = map("{velocity: ..., acceleration: ..., jerk: ..., turning: {...}}",
                         limit_keys("m", "Largest velocity of the tip; 1 m/s if not given.",
                                    [](const std::string& unit) { return positive(unit); }));
  value.keys.push_back({"turning", "The same of its rotation, in rad.",
                        map("{velocity: ..., acceleration: ..., jerk: ...}",
                            limit_keys("rad", "Largest angular velocity; 1 rad/s if not given.",
                                       [](const std::string& unit) { return positive(unit); }))});
  return value;
}

void add_frame(World world, std::vector<SceneKey>& keys) {
  keys.push_back({"position", "Origin of the tip in the frame of the body.", vector(world, "m")});
  if (world == World::planar)
    keys.push_back({"angle", "Angle of the tip against the body.", number(angle_text)});
  else
    keys.push_back({"rotation", "Orientation of the tip against the body.", rotation_value()});
}

SceneValue line(World world) {
  const bool planar = world == World::planar;
  SceneValue value = map("{tip: body, to: [...]} or {tip: body, by: [...]}",
                         {tip_key(world),
                          {"to", "Where the tip goes, in the world.", vector(world, "m")},
                          {"by", "How far it goes, along axes of the world.", vector(world, "m")}});
  if (planar)
    value.keys.push_back(
        {"angle", "Its angle at the end; that of the start if not given.", number(angle_text)});
  else
    value.keys.push_back({"rotation", "Its orientation at the end; that of the start if not given.",
                          rotation_value()});
  value.keys.push_back({"orientation",
                        "Whether the orientation is led as well (`led`, if not given), or as it "
                        "comes (`free`).",
                        choice({"led", "free"})});
  value.keys.push_back({"limits", "Limits of the tip.", tip_limits()});
  value.clashes = {{"to", "by"}};
  return value;
}

SceneValue circle(World world) {
  SceneValue value =
      map("{tip: body, center: [...], angle: 360 deg}",
          {tip_key(world),
           {"center", "A point of the axis, in the world.", vector(world, "m"), true},
           {"angle", "How far round, in rad; of any size and sign.", number(angle_text), true}});
  if (world == World::spatial)
    value.keys.push_back({"axis", "Axis of the circle; z if not given.", vector(world, "")});
  value.keys.push_back({"orientation",
                        "The tip keeps its orientation (`kept`, if not given), turns along "
                        "(`turned`), or has any (`free`).",
                        choice({"kept", "turned", "free"})});
  value.keys.push_back({"limits", "Limits of the tip.", tip_limits()});
  return value;
}

SceneValue piece(World world) {
  const SceneValue position = number("a number in m or rad");
  const SceneValue times = list("a list of times in s", positive("s"), 1, max_path_pieces);
  SceneValue value = map(
      "a piece of the path, as in {move: [...]} or {line: {tip: hand, to: [...]}}",
      {{"move", "Coordinates to go to: all joints start and end together.",
        per_joint("a number in m or rad", position)},
       {"spline", "A smooth way through points, from where the joints are.",
        map("{points: [[...], ...], times: [...]}",
            {{"points", "Coordinates of the joints at each point.",
              list("a list of points", per_joint("a number in m or rad", position), 1,
                   max_path_pieces),
              true},
             {"times",
              "When, in s from the start of the piece; as fast as the limits allow if not given.",
              times},
             {"kind", "cubic, or quintic (if not given): smoother, at rest at both ends.",
              choice({"cubic", "quintic"})}})},
       {"line", "A straight line of a tip.", line(world)},
       {"circle", "A part of a circle of a tip.", circle(world)},
       {"wait", "Time to stand still, in s.", time_value("a time in s, 0 or more")},
       {"limits", "Limits of joints in this piece, over those of the trajectory.",
        joint_limits()}});
  value.one_of = {{"move", "spline", "line", "circle", "wait"}};
  return value;
}

SceneValue trajectory(World world) {
  SceneValue value = map("a trajectory, as in {robot: arm, path: [{move: [...]}]}", {});
  add_choice(value.keys);
  value.keys.push_back(
      {"start", "When it begins; 0 s if not given.", time_value("a time in s, 0 or more")});
  value.keys.push_back({"limits", "Limits of the joints.", joint_limits()});
  value.keys.push_back({"path",
                        "Its pieces, one after the other; the first begins where the joints do.",
                        list("a list of pieces", piece(world), 1, max_path_pieces), true});
  return value;
}

}  // namespace

SceneKey tip_key(World world) {
  std::vector<SceneKey> keys{{"body", "The body, or the link of a robot.",
                              word("the name of a body", Reference::body), true}};
  add_frame(world, keys);
  SceneValue link = map("{position: ..., rotation: ...}", {});
  add_frame(world, link.keys);
  keys.push_back({"link",
                  "Frame in the body of the link that `position` counts from; scenes with robots "
                  "are stored so.",
                  std::move(link)});
  return {"tip", "The frame that is led: of a body, or of a link of a robot.",
          either("the name of a body, or {body: name, position: ...}",
                 {word("the name of a body", Reference::body),
                  map("{body: name, position: ...}", std::move(keys))}),
          true};
}

std::vector<SceneKey> control_sections(World world) {
  SceneValue trajectories = names("trajectories by name", trajectory(world));
  trajectories.most = max_controllers;
  SceneValue controllers = names("controllers by name", controller());
  controllers.most = max_controllers;
  return {{"trajectories", "Ways of joints through time by name.", std::move(trajectories)},
          {"controllers", "Controllers of joints by name, in the order in which they act.",
           std::move(controllers)},
          signal_section(world)};
}

}  // namespace vinci
