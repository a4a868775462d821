// SPDX-License-Identifier: Apache-2.0
// The keys of joints, couplings and frames.
#include "vinci/scene/scene_joints.h"
#include "vinci/scene/scene_values.h"

namespace vinci {
namespace {

using namespace scene_values;

// One value, or a list of one per freedom.
SceneValue per_freedom(const std::string& text, SceneValue one) {
  const SceneValue all = list("a list of one per freedom", one, 1, 3);
  return either(text + ", or a list of one per freedom", {std::move(one), all});
}

SceneValue not_negative(const std::string& text) {
  return within(text + ", 0 or more", 0.0, infinity);
}

SceneValue limits() {
  const SceneValue bound = number("a number in m or rad");
  return list("[lowest, highest], or a list of one such pair per freedom",
              either("a number, or a pair [lowest, highest]",
                     {bound, numbers("[lowest, highest]", 2, bound)}),
              1, 3);
}

SceneValue motor() {
  SceneValue value = map(
      "{torque: ...}, {force: ...}, {velocity: ..., damping: ...} or {position: ..., stiffness: "
      "..., damping: ...}",
      {{"torque", "Torque in N m about the axis.",
        function("a torque in N m, as a number or an expression of t, q and v", Variables::state)},
       {"force", "Force in N along the axis.",
        function("a force in N, as a number or an expression of t, q and v", Variables::state)},
       {"velocity", "Velocity that a servo aims at, in m/s or rad/s.",
        function("a velocity, as a number or an expression of t", Variables::time)},
       {"position", "Position that a servo aims at, in m or rad.",
        function("a position, as a number or an expression of t", Variables::time)},
       {"stiffness", "Gain of a position servo, in N/m or N m/rad.",
        not_negative("a number in N/m or N m/rad")},
       {"damping", "Gain of a servo on velocities, in N s/m or N m s/rad.",
        not_negative("a number in N s/m or N m s/rad")},
       {"limit", "Largest force in N or torque in N m; none if not given.",
        not_negative("a number in N or N m")}});
  value.one_of = {{"torque", "force", "velocity", "position"}};
  return value;
}

SceneValue motion_limits() {
  return map(
      "{velocity: ..., acceleration: ..., jerk: ...}",
      {{"velocity", "Largest speed, in m/s or rad/s.", positive("m/s or rad/s")},
       {"acceleration", "Largest acceleration, in m/s² or rad/s².", positive("m/s² or rad/s²")},
       {"jerk", "Largest change of acceleration, in m/s³ or rad/s³.", positive("m/s³ or rad/s³")}});
}

std::vector<SceneKey> kinds(World world) {
  const SceneValue pair = pair_of_anchors();
  std::vector<SceneKey> keys{
      {"fixed", "The two bodies are one.", pair},
      {"revolute", "The second body turns about an axis of the first.", pair},
      {"prismatic", "The second body shifts along an axis of the first.", pair}};
  if (world == World::planar) return keys;
  keys.push_back({"screw", "It turns about an axis and advances by `pitch` per rad.", pair});
  keys.push_back({"cylindrical", "It turns about an axis and shifts along it.", pair});
  keys.push_back({"universal",
                  "It turns about an axis of the first body, and about a second one across it "
                  "that is its own.",
                  pair});
  keys.push_back({"ball", "It turns about a point.", pair});
  keys.push_back(
      {"planar", "It shifts across an axis of the first body and turns about it.", pair});
  return keys;
}

SceneValue joint(World world) {
  const bool planar = world == World::planar;
  SceneValue value =
      map("a joint, as in {revolute: [arm, hand], at: [...], axis: [...]}", kinds(world));
  std::vector<std::string> names_of_kinds;
  for (const SceneKey& key : value.keys) names_of_kinds.push_back(key.name);
  value.one_of = {names_of_kinds};
  std::vector<SceneKey>& keys = value.keys;
  keys.push_back(
      {"at", "Where the joint is, in the frames of the two bodies; their origins if not given.",
       numbers("[point, point]", 2, vector(world, "m"))});
  keys.push_back({"axis",
                  planar ? "Direction of a prismatic joint in the frame of the first body, of any "
                           "length but zero; x if not given."
                         : "Axis of the joint in the frame of the first body, of any length but "
                           "zero; z if not given.",
                  vector(world, "")});
  if (planar) {
    keys.push_back({"angle", "Angle of the second body against the first where the joint is at 0.",
                    number(angle_text)});
  } else {
    keys.push_back({"across",
                    "Direction across the axis in the frame of the first body: the second axis of "
                    "a universal joint, x of a planar one; chosen if not given.",
                    vector(world, "")});
    keys.push_back({"rotation",
                    "Orientation of the second body against the first where the joint is at 0.",
                    rotation_value()});
    keys.push_back({"pitch", "Advance of a screw in m per rad.", number("a number in m/rad")});
    value.other_world = {"angle"};
  }
  if (planar)
    value.other_world = {"across",      "rotation",  "pitch", "screw",
                         "cylindrical", "universal", "ball",  "planar"};
  keys.push_back(
      {"limits", "Least and largest coordinate, in m or rad; none if not given.", limits()});
  keys.push_back({"restitution", "Newton coefficient at the limits; 0 if not given.",
                  per_freedom("a number from 0 to 1", within("a number from 0 to 1", 0.0, 1.0))});
  keys.push_back({"friction", "Coulomb friction of the joint in N or N m; 0 if not given.",
                  per_freedom("a number in N or N m, 0 or more", not_negative("a number"))});
  keys.push_back(
      {"damping", "Viscous friction in N s/m or N m s/rad; 0 if not given.",
       per_freedom("a number in N s/m or N m s/rad, 0 or more", not_negative("a number"))});
  keys.push_back({"stiffness",
                  "Stiffness in N/m or N m/rad of a spring in the joint; 0 if not given.",
                  per_freedom("a number in N/m or N m/rad, 0 or more", not_negative("a number"))});
  keys.push_back({"rest", "Coordinate at which that spring is slack; 0 if not given.",
                  per_freedom("a number in m or rad", number("a number in m or rad"))});
  keys.push_back({"armature",
                  "Inertia of the drive in kg or kg m²: of its rotor times the gear ratio squared; "
                  "0 if not given.",
                  per_freedom("a number in kg or kg m², 0 or more", not_negative("a number"))});
  keys.push_back({"largest-effort",
                  "What the drive can do, in N or N m; controllers keep to it. Without a bound if "
                  "not given.",
                  per_freedom("a number in N or N m, 0 or more", not_negative("a number"))});
  keys.push_back({"motor", "What drives the joint.", per_freedom("a motor", motor())});
  keys.push_back({"motion-limits",
                  "What trajectories and planned motions keep to; a simulation does not ask.",
                  per_freedom("motion limits", motion_limits())});
  const SceneValue start = number("a number in m or rad");
  keys.push_back(
      {"position",
       "Coordinate at the start, in m or rad; if not given, the one nearest to 0 within "
       "the limits. Of a ball: its rotation.",
       planar ? start
              : either("a number in m or rad, a list of one per freedom, or the "
                       "rotation of a ball",
                       {start, list("a list of one per freedom", start, 1, 3), rotation_value()})});
  keys.push_back({"velocity", "Rate at the start, in m/s or rad/s; 0 if not given.",
                  per_freedom("a number in m/s or rad/s", number("a number in m/s or rad/s"))});
  return value;
}

SceneValue coupling() {
  return map(
      "{joints: [first, second], ratio: ..., offset: ..., breakaway: ...}",
      {{"joints", "The two joints; the same one twice with two of its `freedoms`.",
        numbers("[joint, joint]", 2, word("the name of a joint", Reference::joint)), true},
       {"freedoms", "Which freedom of each, counted from 0; needed for joints that have several.",
        numbers("[0, 1]", 2, whole("a whole number", 0.0))},
       {"ratio", "How far the second goes per coordinate of the first; 1 if not given.",
        number("a number")},
       {"offset", "Coordinate of the second where the first is at 0; 0 if not given.",
        number("a number in m or rad")},
       {"breakaway",
        "Force in N or torque in N m along the second joint at which the coupling slips; it "
        "never does if not given.",
        positive("N or N m")}});
}

SceneValue frame(World world) {
  SceneValue value = map(
      "a frame, as in {body: hand, position: [...]}",
      {{"body", "The body that it is fixed to.", word("the name of a body", Reference::body), true},
       {"position", "Its origin in the body's frame.", vector(world, "m")}});
  if (world == World::planar)
    value.keys.push_back({"angle", "Its angle against the body's frame.", number(angle_text)});
  else
    value.keys.push_back(
        {"rotation", "Its orientation against the body's frame.", rotation_value()});
  value.other_world = {world == World::planar ? "rotation" : "angle"};
  return value;
}

}  // namespace

std::vector<SceneKey> joint_sections(World world) {
  SceneValue joints = names("joints by name", joint(world));
  joints.most = max_joints;
  SceneValue couplings = names("couplings by name", coupling());
  couplings.most = max_joints;
  SceneValue frames = names("frames by name", frame(world));
  frames.most = max_joints;
  return {
      {"joints", "Joints between bodies by name. Bodies with a joint between them do not touch.",
       std::move(joints)},
      {"couplings", "Couplings of joint coordinates by name.", std::move(couplings)},
      {"frames", "Frames fixed to bodies by name, such as those of tools: tips of planned motions.",
       std::move(frames)}};
}

}  // namespace vinci
