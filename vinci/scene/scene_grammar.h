// SPDX-License-Identifier: Apache-2.0
// Every key of a scene file, described once: the check of a file (scene_check.h), the JSON Schema
// (scene_schema.cpp) and the reference in docs/scene.md follow this table. A new key is added here
// and read in scene_compile.cpp or scene_shapes.cpp; nothing else changes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "vinci/model/model.h"

namespace vinci {

inline constexpr std::size_t max_parameters = 500, max_materials = 500;
inline constexpr std::size_t max_supports = 5000;   // of a body
inline constexpr std::size_t max_elements = 10000;  // of a kind

struct SceneKey;

// What may stand at one place of a scene file.
struct SceneValue {
  enum class Kind {
    number,     // or an expression
    text,       // any scalar
    choice,     // one of `choices`
    list,       // of items[0]
    map,        // of `keys`
    names,      // map from the user's own names to items[0]
    either,     // one of `items`, told apart by being a scalar, a list or a map
    unchecked,  // whatever
    anything,   // a scalar whose meaning the reader of the scene does not know
  };
  // Variables that an expression may use besides the parameters.
  enum class Variables { none, time, state, plane, friction };
  // What a text must name.
  // anchor: a body or the world
  enum class Reference { none, body, anchor, material, parameter, joint, trajectory };

  explicit SceneValue(Kind kind = Kind::number, std::string text = {});

  Kind kind;
  // What is accepted, for messages: "a positive number in m".
  std::string text;

  // Numbers.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool above_lower = false;  // the lower bound itself is not accepted
  bool whole = false;
  Variables variables = Variables::none;

  std::vector<std::string> choices = {};
  Reference reference = Reference::none;  // texts, and the names of a `names`
  enum class Naming { word, identifier, free } naming = Naming::word;  // of a `names`

  std::vector<SceneValue> items = {};
  std::size_t least = 0,
              most = std::numeric_limits<std::size_t>::max();  // length of a list or `names`

  std::vector<SceneKey> keys;
  std::vector<std::string> other_world = {};            // keys that only the other world has
  bool open = false;                                    // further keys are anything
  std::vector<std::vector<std::string>> one_of = {};    // exactly one of each group is needed
  std::vector<std::vector<std::string>> clashes = {};   // at most one of each group
  std::vector<std::vector<std::string>> together = {};  // all of a group or none

  const SceneKey* find(const std::string& name) const;
};

struct SceneKey {
  std::string name;
  std::string text;  // one sentence, shown by editors
  SceneValue value;
  bool required = false;
};

// The whole file; planar and spatial worlds differ in their shapes and in the length of vectors.
const SceneValue& scene_grammar(World world);

// The keys of `run` that name a plugin.
bool names_plugin(const std::string& run_key);

}  // namespace vinci
