// SPDX-License-Identifier: Apache-2.0
// Words to describe keys of a scene, or of another document (document.h), with.
#pragma once

#include "vinci/scene/scene_grammar.h"

namespace vinci::scene_values {

using Kind = SceneValue::Kind;
using Variables = SceneValue::Variables;
using Reference = SceneValue::Reference;

SceneValue number(std::string text);
SceneValue positive(const std::string& unit);
SceneValue within(std::string text, double lower, double upper);
SceneValue whole(std::string text, double lower);
SceneValue function(std::string text, Variables variables);
SceneValue word(std::string text, Reference reference = Reference::none);
SceneValue choice(std::vector<std::string> choices);
SceneValue list(std::string text, SceneValue item, std::size_t least = 0,
                std::size_t most = std::numeric_limits<std::size_t>::max());
SceneValue numbers(std::string text, std::size_t count, SceneValue item = number("a number"));
SceneValue map(std::string text, std::vector<SceneKey> keys);
SceneValue names(std::string text, SceneValue item);
SceneValue either(std::string text, std::vector<SceneValue> items);
// [x, y] or [x, y, z].
SceneValue vector(World world, const std::string& unit);
// An axis and an angle, a quaternion, or roll, pitch and yaw.
SceneValue rotation_value();
// Two bodies, either of which may be the world.
SceneValue pair_of_anchors();

inline constexpr const char* angle_text = "an angle in rad, or with its unit as in `20 deg`";

}  // namespace vinci::scene_values
