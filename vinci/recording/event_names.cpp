// SPDX-License-Identifier: Apache-2.0
// Names from a model, or from its JSON, which is input from outside.
#include "vinci/recording/event_names.h"

#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/model/element.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

bool acts(int state) {
  return state == static_cast<int>(ConstraintState::frictionless) ||
         state == static_cast<int>(ConstraintState::sticking) ||
         state == static_cast<int>(ConstraintState::sliding);
}

// Shapes whose pairs have one contact.
bool is_round(const std::string& kind) {
  static const std::set<std::string> round = {"circle", "sphere", "half-plane", "half-space"};
  return round.contains(kind);
}

const Json& list_of(const Json& json, const char* key) {
  static const Json none = Json::array();
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_array() ? *found : none;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? escaped(found->get<std::string>()) : "";
}

std::vector<std::string> names_in(const Json& json, const char* key) {
  std::vector<std::string> names;
  for (const Json& item : list_of(json, key)) names.push_back(text_of(item, "name"));
  return names;
}

// The name of number `index`, or what it is with its number.
std::string named(const std::vector<std::string>& names, std::uint32_t index, EntityKind kind) {
  if (index < names.size() && !names[index].empty()) return names[index];
  return fmt::format("{} {}", to_string(kind), index);
}

const char* words_of(std::uint32_t part) {
  constexpr const char* words[] = {"", "lower limit", "upper limit", "friction", "spring", "servo"};
  return part < std::size(words) ? words[part] : "";
}

}  // namespace

const char* to_string(EventKind kind) {
  constexpr const char* words[] = {"touch", "release",    "parting", "slide",
                                   "stick", "transition", "other"};
  static_assert(std::size(words) == event_kind_count);
  return words[static_cast<int>(kind)];
}

EventKind event_kind(const StepEvent& event, bool is_link) {
  if (event.after.key.kind == EntityKind::machine || is_link) return EventKind::transition;
  const bool before = acts(event.from), after = acts(event.after.state);
  const auto to = static_cast<ConstraintState>(event.after.state);
  if (!before && after) return EventKind::touch;
  if (to == ConstraintState::free) return EventKind::parting;
  if (before && !after) return EventKind::release;
  if (to == ConstraintState::sliding) return EventKind::slide;
  return to == ConstraintState::sticking ? EventKind::stick : EventKind::other;
}

EventKind event_kind(const StepEvent& event, const Model& model) {
  const EntityKey& key = event.after.key;
  const bool is_link = key.kind == EntityKind::constraint &&
                       key.ids[0] < model.constraints.size() &&
                       model.constraints[key.ids[0]].kind == UserConstraint::Kind::link;
  return event_kind(event, is_link);
}

EventNames::EventNames(const Model& model) {
  for (const Body& body : model.bodies)
    bodies_.push_back({body.name, body.freedom == Freedom::fixed});
  for (const PlacedShape& placed : model.shapes)
    add_shape(static_cast<std::size_t>(placed.body), !is_round(kind_of(placed.shape)));
  for (const UserConstraint& one : model.constraints)
    constraints_.push_back({one.name, one.kind == UserConstraint::Kind::link});
  for (const Machine& machine : model.machines) machines_.push_back({machine.name, machine.states});
  for (const Joint& joint : model.joints) joints_.push_back(joint.name);
  for (const auto& element : model.elements) elements_.push_back(element->name());
  for (const Coupling& coupling : model.couplings) couplings_.push_back(coupling.name);
}

EventNames::EventNames(const std::string& model_json) {
  const Json model = Json::parse(model_json, nullptr, false);
  for (const Json& body : list_of(model, "bodies"))
    bodies_.push_back({text_of(body, "name"), text_of(body, "freedom") == "fixed"});
  for (const Json& shape : list_of(model, "shapes")) {
    const auto body = shape.is_object() ? shape.find("body") : shape.end();
    const bool known = body != shape.end() && body->is_number_unsigned();
    add_shape(known ? body->get<std::size_t>() : bodies_.size(), !is_round(text_of(shape, "kind")));
  }
  for (const Json& one : list_of(model, "constraints"))
    constraints_.push_back({text_of(one, "name"), text_of(one, "kind") == "link"});
  for (const Json& machine : list_of(model, "machines")) {
    MachineName& name = machines_.emplace_back(MachineName{text_of(machine, "name"), {}});
    for (const Json& state : list_of(machine, "states"))
      name.states.push_back(state.is_string() ? escaped(state.get<std::string>()) : "");
  }
  joints_ = names_in(model, "joints");
  elements_ = names_in(model, "elements");
  couplings_ = names_in(model, "couplings");
}

void EventNames::add_shape(std::size_t body, bool has_corners) {
  if (body < bodies_.size() && bodies_[body].shapes++ == 0)
    bodies_[body].first_shape = static_cast<std::uint32_t>(shapes_.size());
  shapes_.push_back({body, has_corners});
}

// The one that is fixed comes last.
std::string EventNames::contact(const EntityKey& key, std::int64_t point) const {
  const auto known = [&](std::uint32_t shape) {
    return shape < shapes_.size() && shapes_[shape].body < bodies_.size();
  };
  std::uint32_t upper = key.shape_a(), lower = key.shape_b();
  if (!known(upper) || !known(lower)) return fmt::format("shape {} on shape {}", upper, lower);
  const bool second = bodies_[shapes_[upper].body].fixed && !bodies_[shapes_[lower].body].fixed;
  if (second) std::swap(upper, lower);
  const BodyName &on_top = bodies_[shapes_[upper].body], &below = bodies_[shapes_[lower].body];
  std::vector<std::string> details;
  for (const auto& [body, shape] : {std::pair(&on_top, upper), std::pair(&below, lower)})
    if (body->shapes > 1)
      details.push_back(fmt::format("shape {} of {}", shape - body->first_shape + 1, body->name));
  if (shapes_[upper].has_corners || shapes_[lower].has_corners)
    details.push_back(
        fmt::format("feature {}.{}", key.ids[second ? 3 : 2], key.ids[second ? 2 : 3]));
  if (point != 0) details.push_back(fmt::format("point {}", point));
  return fmt::format("{} on {}{}", on_top.name, below.name,
                     details.empty() ? "" : fmt::format(" ({})", fmt::join(details, ", ")));
}

std::string EventNames::subject(const EntityKey& key, std::int64_t point) const {
  const std::uint32_t index = key.ids[0];
  const auto body = [&] {
    return index < bodies_.size() ? bodies_[index].name : fmt::format("body {}", index);
  };
  switch (key.kind) {
    case EntityKind::contact:
      return contact(key, point);
    case EntityKind::support:
      return fmt::format("{} (support {})", body(), key.ids[1] + 1);
    case EntityKind::element:
      return named(elements_, index, key.kind);
    case EntityKind::joint: {
      const std::string part = words_of(key.ids[1]);
      const std::string freedom = key.ids[2] > 0 ? fmt::format(" {}", key.ids[2]) : "";
      return named(joints_, index, key.kind) + (part.empty() ? "" : " (" + part + freedom + ")");
    }
    case EntityKind::coupling:
      return named(couplings_, index, key.kind);
    case EntityKind::constraint:
      return index < constraints_.size() ? constraints_[index].name : named({}, index, key.kind);
    case EntityKind::machine:
      return index < machines_.size() ? machines_[index].name : named({}, index, key.kind);
    case EntityKind::body:
      return body();
  }
  return "";
}

std::string EventNames::state(const EntityKey& key, int state) const {
  if (is_link(key) && (state == 0 || state == 1)) return state == 0 ? "off" : "on";
  if (key.kind != EntityKind::machine)
    return state >= 0 && state < constraint_state_count
               ? to_string(static_cast<ConstraintState>(state))
               : fmt::format("state {}", state);
  const std::uint32_t machine = key.ids[0];
  const auto number = static_cast<std::size_t>(state);
  if (state >= 0 && machine < machines_.size() && number < machines_[machine].states.size())
    return machines_[machine].states[number];
  return fmt::format("state {}", state);
}

bool EventNames::is_link(const EntityKey& key) const {
  return key.kind == EntityKind::constraint && key.ids[0] < constraints_.size() &&
         constraints_[key.ids[0]].is_link;
}

EventKind EventNames::kind(const StepEvent& event) const {
  return event_kind(event, is_link(event.after.key));
}

}  // namespace vinci
