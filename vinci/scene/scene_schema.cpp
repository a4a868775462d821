// SPDX-License-Identifier: Apache-2.0
// The scene grammar as JSON Schema, draft 7, for editors. What a schema cannot say (expressions
// that do not parse, shapes that cannot be) only `vinci check` finds.
#include <cmath>
#include <nlohmann/json.hpp>

#include "vinci/scene/document.h"
#include "vinci/scene/scene_grammar.h"

namespace vinci {

namespace {

using Json = nlohmann::ordered_json;
using Kind = SceneValue::Kind;

Json schema_of(const SceneValue& value);

// Numbers may be expressions, which YAML reads as strings.
Json number_schema(const SceneValue& value) {
  Json number{{"type", value.whole ? "integer" : "number"}};
  if (std::isfinite(value.lower))
    number[value.above_lower ? "exclusiveMinimum" : "minimum"] = value.lower;
  if (std::isfinite(value.upper)) number["maximum"] = value.upper;
  return {{"anyOf", {number, {{"type", "string"}, {"minLength", 1}}}}};
}

Json required(const std::string& name) {
  return {{"required", Json::array({name})}};
}

// The rules between keys of a map.
void add_groups(const SceneValue& value, Json& schema) {
  Json all = Json::array();
  for (const auto& group : value.one_of) {
    Json options = Json::array();
    for (const std::string& name : group) options.push_back(required(name));
    all.push_back({{"oneOf", options}});
  }
  for (const auto& group : value.clashes) {
    Json both = Json::array();
    for (const std::string& name : group) both.push_back(name);
    all.push_back({{"not", {{"required", both}}}});
  }
  if (!all.empty()) schema["allOf"] = all;
  for (const auto& group : value.together)
    for (const std::string& name : group)
      for (const std::string& other : group)
        if (name != other) schema["dependencies"][name].push_back(other);
}

Json map_schema(const SceneValue& value) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  Json needed = Json::array();
  for (const SceneKey& key : value.keys) {
    Json property = schema_of(key.value);
    property["description"] = key.text;
    schema["properties"][key.name] = property;
    if (key.required) needed.push_back(key.name);
  }
  if (!needed.empty()) schema["required"] = needed;
  schema["additionalProperties"] = value.open;
  add_groups(value, schema);
  return schema;
}

Json list_schema(const SceneValue& value) {
  Json schema{{"type", "array"}, {"items", schema_of(value.items[0])}};
  if (value.least > 0) schema["minItems"] = value.least;
  if (value.most < std::numeric_limits<std::size_t>::max()) schema["maxItems"] = value.most;
  return schema;
}

Json names_schema(const SceneValue& value) {
  const bool identifier = value.naming == SceneValue::Naming::identifier;
  Json schema{{"type", "object"}};
  if (identifier) schema["propertyNames"] = {{"pattern", "^[A-Za-z_][A-Za-z_0-9]*$"}};
  schema["additionalProperties"] = schema_of(value.items[0]);
  return schema;
}

Json choice_schema(const SceneValue& value) {
  Json choices = Json::array();
  for (const std::string& name : value.choices) choices.push_back(name);
  if (value.choices == std::vector<std::string>{"true", "false"}) return {{"type", "boolean"}};
  return {{"enum", choices}};
}

Json schema_of(const SceneValue& value) {
  switch (value.kind) {
    case Kind::number:
      return number_schema(value);
    case Kind::text:
      return {{"type", {"string", "number"}}};
    case Kind::choice:
      return choice_schema(value);
    case Kind::list:
      return list_schema(value);
    case Kind::map:
      return map_schema(value);
    case Kind::names:
      return names_schema(value);
    case Kind::either: {
      Json options = Json::array();
      for (const SceneValue& item : value.items) options.push_back(schema_of(item));
      return {{"anyOf", options}};
    }
    case Kind::anything:
      return {{"type", {"string", "number", "boolean"}}};
    case Kind::unchecked:
      break;
  }
  return Json::object();
}

}  // namespace

std::string document_schema(const SceneValue& grammar, const std::string& title,
                            const std::string& description) {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", title},
              {"description", description}};
  schema.update(schema_of(grammar));
  return schema.dump(1) + "\n";
}

// Keys that differ between the plane and space stand in the two branches of `world`.
std::string scene_schema() {
  Json planar = schema_of(scene_grammar(World::planar));
  const Json spatial = schema_of(scene_grammar(World::spatial));
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Vinci scene"},
              {"description", "Bodies that touch, in the plane or in space."}};
  schema.update(planar);
  Json in_plane = Json::object(), in_space = Json::object();
  for (auto& [name, property] : schema["properties"].items()) {
    // What space does not have is refused there.
    const bool shared = spatial["properties"].contains(name);
    const Json other = shared ? spatial["properties"][name] : Json(false);
    if (property == other) continue;
    in_plane[name] = property;
    in_space[name] = other;
    property = {{"description", property["description"]}};
  }
  schema["if"] = {{"properties", {{"world", {{"const", "planar"}}}}}};
  schema["then"] = {{"properties", in_plane}};
  schema["else"] = {{"properties", in_space}};
  return schema.dump(1) + "\n";
}

}  // namespace vinci
