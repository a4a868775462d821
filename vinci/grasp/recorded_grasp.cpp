// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/recorded_grasp.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/scene/scene.h"

namespace vinci {
namespace {

int body_named(const Recording& recording, const std::string& name, const std::string& where) {
  const std::vector<std::string>& names = recording.body_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::string known;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 20); ++i)
    known += (i ? ", " : "") + names[i];
  if (names.size() > 20) known += ", ...";
  throw Error(fmt::format("there is no body '{}'; accepted: {}", name, known), where);
}

// The model that the frame's step was made with: the recorded scene with the parameters of its
// time.
std::shared_ptr<const Model> model_of(const Recording& recording, std::int64_t frame) {
  const auto json =
      nlohmann::json::parse(recording.model_json(recording.info(frame).model), nullptr, false);
  std::map<std::string, double> parameters;
  if (json.is_object() && json.contains("set_parameters") && json["set_parameters"].is_object())
    for (const auto& [name, value] : json["set_parameters"].items())
      if (value.is_number()) parameters[name] = value.get<double>();
  return Scene::parse(recording.scene_text(), recording.path().stem().string()).compile(parameters);
}

}  // namespace

std::int64_t frame_at(const Recording& recording, double time) {
  // Times grow with frames.
  std::int64_t low = 0, high = recording.frames() - 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (recording.info(middle).time < time)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0 && time - recording.info(low - 1).time <= recording.info(low).time - time) --low;
  return low;
}

NamedGrasp recorded_grasp(const Recording& recording, std::int64_t frame, const std::string& object,
                          const std::vector<std::string>& by) {
  if (frame < 0 || frame >= recording.frames())
    throw Error(
        fmt::format("there is no frame {}; accepted: 0 to {}", frame, recording.frames() - 1),
        "frame");
  const int body = body_named(recording, object, "object");
  std::vector<char> others;
  for (const std::string& name : by) {
    others.resize(recording.body_names().size(), 0);
    const int other = body_named(recording, name, "by");
    if (other == body) throw Error("is the object itself; accepted: other bodies", "by");
    others[static_cast<std::size_t>(other)] = 1;
  }
  const std::shared_ptr<const Model> model = model_of(recording, frame);
  if (model->bodies.size() != recording.body_names().size())
    throw Error("its scene does not make the bodies that it recorded", recording.path().string());
  std::vector<SolvedContact> contacts;
  for (const ContactRow& row : recording.contacts(frame)) {
    SolvedContact solved;
    solved.contact = {row.key,     row.body_a, row.body_b, row.point_a,
                      row.point_b, row.normal, row.gap,    row.patch_point};
    solved.tangent_1 = row.tangent_1;
    solved.tangent_2 = row.tangent_2;
    solved.impulse = row.impulse;
    solved.friction = row.friction;
    solved.friction_2 = row.friction_2;
    contacts.push_back(solved);
  }
  NamedGrasp result;
  result.grasp = grasp_of(*model, recording.state(frame), contacts, body, others);
  for (const LoadedContact& loaded : loaded_contacts(contacts, body, others))
    result.by.push_back(recording.body_names()[static_cast<std::size_t>(loaded.other)]);
  result.object = object;
  result.mass = model->bodies[static_cast<std::size_t>(body)].mass.mass;
  result.gravity = model->gravity;
  result.frame = frame;
  result.time = recording.info(frame).time;
  return result;
}

}  // namespace vinci
