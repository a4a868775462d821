// SPDX-License-Identifier: Apache-2.0
// What a run was made from, compared with what it shall be continued with.
#include "vinci/recording/provenance.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>

#include "vinci/recording/frame_fields.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(const std::string& text, const std::string& what, const std::string& where) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error("its " + what + " are damaged", where);
  return json;
}

// The line where two texts part, from 1.
int first_difference(const std::string& a, const std::string& b) {
  const auto parted = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return 1 + static_cast<int>(std::count(a.begin(), parted, '\n'));
}

[[noreturn]] void differs(const std::string& what, const Json& recorded, const Json& now,
                          const std::string& where) {
  throw Error(fmt::format("cannot be continued: {} is {} in the recording and {} now", what,
                          recorded.is_null() ? "absent" : recorded.dump(),
                          now.is_null() ? "absent" : now.dump()),
              where);
}

void compare(const Json& recorded, const Json& now, const std::string& prefix,
             const std::string& where) {
  constexpr std::array<const char*, 6> may_differ{"duration", "output-interval", "accept",
                                                  "strict",   "diagnose",        "threads"};
  for (const auto* side : {&recorded, &now})
    for (const auto& [key, value] : side->items()) {
      if (prefix == "option '" &&
          std::find(may_differ.begin(), may_differ.end(), key) != may_differ.end())
        continue;
      const Json a = recorded.value(key, Json()), b = now.value(key, Json());
      if (a != b) differs(prefix + key + "'", a, b, where);
    }
}

// The object of this name inside another one; empty if there is none.
Json object_of(const Json& json, const char* key) {
  const Json found = json.is_object() ? json.value(key, Json::object()) : Json::object();
  return found.is_object() ? found : Json::object();
}

}  // namespace

std::string options_json(const Simulation& simulation) {
  Json json;
  json["run"] = Json::parse(simulation.options().to_json());
  json["plugins"] = Json::object();
  for (const auto& [kind, values] : simulation.plugin_options())
    json["plugins"][kind] = Json::parse(values.to_json());
  json["parameters"] = simulation.parameters();
  json["set_parameters"] = simulation.set_parameters();
  if (!simulation.code_names().empty()) json["code"] = simulation.code_names();
  return json.dump();
}

namespace {

// The code that took part in the recorded run takes part again, as far as names can tell.
void compare_code(const Json& recorded, const Simulation& simulation, const std::string& where) {
  std::vector<std::string> code;
  if (recorded.is_object() && recorded.contains("code") && recorded["code"].is_array())
    for (const Json& name : recorded["code"])
      if (name.is_string()) code.push_back(name.get<std::string>());
  if (code == simulation.code_names()) return;
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
  };
  throw Error(fmt::format("cannot be continued: code that a recording does not hold took part in "
                          "the run ({}), now other code does ({}); continue from a program that "
                          "gives the same code",
                          list(code), list(simulation.code_names())),
              where);
}

}  // namespace

void check_same_run(const Recording& recording, const Simulation& simulation) {
  const std::string where = recording.path().string();
  if (recording.version() != VINCI_VERSION)
    throw Error(fmt::format("cannot be continued bit for bit: it was made by version {}, this is "
                            "version {}",
                            recording.version(), VINCI_VERSION),
                where);
  const std::string& text = simulation.scene().source();
  if (text != recording.scene_text())
    throw Error(fmt::format("cannot be continued: the scene is another one than the recorded (they "
                            "part in line {})",
                            first_difference(recording.scene_text(), text)),
                where);
  const Json recorded = parsed(recording.options_json(), "options", where);
  const Json now = Json::parse(options_json(simulation));
  compare_code(recorded, simulation, where);
  compare(object_of(recorded, "run"), object_of(now, "run"), "option '", where);
  for (const char* kind : {"detector", "stepper", "solver", "impact-law"})
    compare(object_of(object_of(recorded, "plugins"), kind),
            object_of(object_of(now, "plugins"), kind), fmt::format("option '{}.", kind), where);
  compare(object_of(recorded, "parameters"), object_of(now, "parameters"), "parameter '", where);
}

void continue_from(const Recording& recording, Simulation& simulation, std::int64_t frame) {
  const std::string where = recording.path().string();
  const RunSummary summary = recording.summary();
  if (summary.diverged() && frame == recording.frames() - 1)
    throw Error(fmt::format("cannot be continued: the run diverged in step {} (body '{}')",
                            recording.info(frame).step, summary.diverged_body_name),
                where);
  if (summary.ending != 0 && frame == recording.frames() - 1)
    throw Error(fmt::format("cannot be continued: the run ended in step {}: {}",
                            recording.info(frame).step, summary.ending_text()),
                where);
  const Json model = parsed(recording.model_json(recording.info(frame).model), "models", where);
  const Json stored = object_of(model, "set_parameters");
  const Json from_code = object_of(model, "code_parameters");
  std::map<std::string, double> code;
  for (const auto& [name, value] : from_code.items())
    if (value.is_number()) code[name] = value.get<double>();
  const State state = recording.state(frame);
  simulation.set_state(state);
  if (!code.empty()) {
    simulation.set_parameter(code);
    simulation.set_state(state);  // which was made with these parameters already
  }
  compare(stored, Json(simulation.set_parameters()), "parameter '", where);
}

RunFacts Recording::facts() const {
  const FrameInfo last = info(frames() - 1);
  RunFacts facts{.step = last.step, .total_steps = total_steps(), .time = last.time};
  const Json run = object_of(Json::parse(options_json(), nullptr, false), "run");
  const auto number = [&](const char* name) {
    const Json value = run.value(name, Json());
    return value.is_number() ? value.get<double>() : 0.0;
  };
  facts.step_size = number("step");
  facts.accept = number("accept");
  return facts;
}

namespace {

// "time s, kinetic J, ...": the columns that have a unit.
template <class Fields>
std::string units_of(const Fields& fields) {
  std::string text;
  for (const auto& [column, unit] : fields)
    if (*unit != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column, unit);
  return text;
}

std::string frame_units() {
  std::vector<std::pair<const char*, const char*>> fields;
  for (const FrameField& field : frame_fields()) fields.emplace_back(field.column, field.unit);
  return units_of(fields);
}

std::string summary_units() {
  std::vector<std::pair<const char*, const char*>> fields;
  for (const SummaryField& field : summary_fields())
    for (const Hdf5Column& column : field.stored) fields.emplace_back(column.name, field.unit);
  return units_of(fields);
}

}  // namespace

void write_units(Hdf5File& file) {
  std::string stages;
  for (int i = 0; i < stage_count; ++i)
    stages += std::string(i == 0 ? "" : ", ") + to_string(static_cast<Stage>(i));
  const std::array<std::pair<const char*, std::string>, 8> texts{{
      {"frames", frame_units() + "; seconds by stage: " + stages},
      {"summary", "over all steps up to the frame: " + summary_units()},
      {"poses", "x y z in m, then the unit quaternion w x y z; one row a frame and body"},
      {"velocities",
       "packed as models say: 3 (vx vy wz) or 6 (vx vy vz wx wy wz) a body, m/s and "
       "rad/s"},
      {"contacts",
       "points and gap m, impulse N s on body b and velocity m/s along normal, tangent "
       "1, tangent 2"},
      {"memory",
       "what the next step takes over: impulse N s, approach m/s of an impact whose rebound is "
       "still due, deformations of the layers of a and b along normal and tangent m, tilt rad (in "
       "space tangent 2 m), energy J, landing_energy J that impacts took whose rebounds are due; "
       "in "
       "space turn_a and turn_b, the twist of the patch about layer_normal and its tilts along "
       "tangents 1 and 2, rad"},
      {"models/index", "offset and length in models/text, first step it is used in"},
      {"progress", "frames: complete rows; closed: 1 when the writer has ended properly"},
  }};
  for (const auto& [name, text] : texts) file.write_attribute(name, "description", text);
  if (file.row_width("controls") > 0)
    file.write_attribute("controls", "description",
                         "what controllers remember, reference, error and effort among it, one "
                         "after the other; control_columns names them");
  if (file.row_width("elements") > 0)
    file.write_attribute("elements", "description",
                         "numbers of springs and the like; element_columns names them");
  if (file.has("events")) {
    file.write_attribute("events", "description",
                         "changes of what acts, of all steps: time s, key, from and to (0 free, 1 "
                         "contact, 2 sticking, 3 sliding, 4 ballistic; of a machine its states), "
                         "gap m and gap_rate m/s or in the unit of the constraint, force N along "
                         "normal, tangent 1, tangent 2 after it");
    file.write_attribute("modes", "description",
                         "what acts at the end of each frame's step, as events have it");
    file.write_attribute("mode_memory", "description",
                         "what the next step takes over of event-driven motion");
  }
  if (file.has("joints"))
    file.write_attribute("joints", "description",
                         "coordinates and rates of joints, what couplings hold, and what joints "
                         "bore; joint_columns names them");
}

}  // namespace vinci
