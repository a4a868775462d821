// SPDX-License-Identifier: Apache-2.0
// What events of event-driven steps are called: "ball on floor" from "free" to "sliding". The
// command line, tables, Python and the viewer take their words from here.
#pragma once

#include <string>
#include <vector>

#include "vinci/stepping/stepper.h"

namespace vinci {

// What an event is, for counts.
enum class EventKind {
  touch,       // begins to act
  release,     // acts no more while it is still inside
  parting,     // leaves: free from now on
  slide,       // friction gives way
  stick,       // friction holds
  transition,  // of a machine, or of a link that is switched on or off
  other
};
inline constexpr int event_kind_count = 7;
const char* to_string(EventKind kind);
EventKind event_kind(const StepEvent& event, bool is_link);
EventKind event_kind(const StepEvent& event, const Model& model);

class EventNames {
 public:
  explicit EventNames(const Model& model);
  // From a model as recordings keep it (model_json()). What it does not say is named by its number.
  explicit EventNames(const std::string& model_json);

  // "ball on floor"; of bodies with several shapes or with corners also which of them: "box on
  // floor (feature 2.0)"; the name of a constraint or a machine; "elbow (lower limit)".
  std::string subject(const EntityKey& key, std::int64_t point = 0) const;
  // "free", "sliding"; of a link "off" or "on", of a machine the name of its state.
  std::string state(const EntityKey& key, int state) const;
  EventKind kind(const StepEvent& event) const;
  bool is_link(const EntityKey& key) const;
  std::size_t constraints() const { return constraints_.size(); }  // of the scene

 private:
  struct BodyName {
    std::string name;
    bool fixed = false;
    std::uint32_t first_shape = 0, shapes = 0;
  };
  struct ShapeName {
    std::size_t body = 0;
    bool has_corners = false;
  };
  struct ConstraintName {
    std::string name;
    bool is_link = false;
  };
  struct MachineName {
    std::string name;
    std::vector<std::string> states;
  };
  void add_shape(std::size_t body, bool has_corners);
  std::string contact(const EntityKey& key, std::int64_t point) const;

  std::vector<BodyName> bodies_;
  std::vector<ShapeName> shapes_;
  std::vector<ConstraintName> constraints_;
  std::vector<MachineName> machines_;
  std::vector<std::string> joints_, elements_, couplings_;
};

}  // namespace vinci
