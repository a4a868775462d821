// SPDX-License-Identifier: Apache-2.0
// What may stand at a place of a scene, in words and bounds.
#include "vinci/scene/scene_values.h"

namespace vinci::scene_values {

SceneValue number(std::string text) {
  SceneValue value;
  value.text = std::move(text);
  return value;
}

SceneValue positive(const std::string& unit) {
  SceneValue value = number("a positive number in " + unit);
  value.lower = 0.0;
  value.above_lower = true;
  return value;
}

SceneValue within(std::string text, double lower, double upper) {
  SceneValue value = number(std::move(text));
  value.lower = lower;
  value.upper = upper;
  return value;
}

SceneValue whole(std::string text, double lower) {
  SceneValue value = within(std::move(text), lower, infinity);
  value.whole = true;
  return value;
}

SceneValue function(std::string text, Variables variables) {
  SceneValue value = number(std::move(text));
  value.variables = variables;
  return value;
}

SceneValue word(std::string text, Reference reference) {
  SceneValue value{Kind::text, std::move(text)};
  value.reference = reference;
  return value;
}

SceneValue choice(std::vector<std::string> choices) {
  SceneValue value{Kind::choice};
  for (std::size_t i = 0; i < choices.size(); ++i)
    value.text += (i == 0                    ? ""
                   : i + 1 == choices.size() ? " or "
                                             : ", ") +
                  ("'" + choices[i] + "'");
  if (choices.size() > 1) value.text = "one of " + value.text;
  value.choices = std::move(choices);
  return value;
}

SceneValue list(std::string text, SceneValue item, std::size_t least, std::size_t most) {
  SceneValue value{Kind::list, std::move(text)};
  value.items.push_back(std::move(item));
  value.least = least;
  value.most = most;
  return value;
}

SceneValue numbers(std::string text, std::size_t count, SceneValue item) {
  return list(std::move(text), std::move(item), count, count);
}

SceneValue map(std::string text, std::vector<SceneKey> keys) {
  SceneValue value{Kind::map, std::move(text)};
  value.keys = std::move(keys);
  return value;
}

SceneValue names(std::string text, SceneValue item) {
  SceneValue value{Kind::names, std::move(text)};
  value.items.push_back(std::move(item));
  return value;
}

SceneValue either(std::string text, std::vector<SceneValue> items) {
  SceneValue value{Kind::either, std::move(text)};
  value.items = std::move(items);
  return value;
}

SceneValue vector(World world, const std::string& unit) {
  const std::string in = unit.empty() ? "" : " in " + unit;
  return world == World::planar ? numbers("[x, y]" + in, 2) : numbers("[x, y, z]" + in, 3);
}

SceneValue rotation_value() {
  SceneValue value =
      map("{axis: [x, y, z], angle: a}, {quaternion: [w, x, y, z]} or {rpy: [roll, pitch, yaw]}",
          {{"axis", "Axis of the rotation, of any length but zero.", numbers("[x, y, z]", 3)},
           {"angle", "Angle about the axis, by the right hand.", number(angle_text)},
           {"quaternion", "Unit quaternion, scalar part first.", numbers("[w, x, y, z]", 4)},
           {"rpy", "Roll, pitch, yaw: the rotation Rz(yaw) Ry(pitch) Rx(roll).",
            numbers("[roll, pitch, yaw]", 3, number(angle_text))}});
  value.one_of = {{"axis", "quaternion", "rpy"}};
  value.together = {{"axis", "angle"}};
  return value;
}

SceneValue pair_of_anchors() {
  return numbers("[body, body]", 2, word("the name of a body, or world", Reference::anchor));
}

}  // namespace vinci::scene_values
