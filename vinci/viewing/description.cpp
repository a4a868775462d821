// SPDX-License-Identifier: Apache-2.0
// Descriptions are made anew each time they are asked for: a run that is being written grows.
#include "vinci/viewing/description.h"

#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/viewing/signals.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr int max_depth = 32;  // of the recorded options; deeper is left out

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Reads a model only up to its key "world", which is among the first.
class WorldReader : public nlohmann::json_sax<Json> {
 public:
  std::string world;

  bool null() override { return next(); }
  bool boolean(bool) override { return next(); }
  bool number_integer(number_integer_t) override { return next(); }
  bool number_unsigned(number_unsigned_t) override { return next(); }
  bool number_float(number_float_t, const string_t&) override { return next(); }
  bool binary(binary_t&) override { return next(); }
  bool string(string_t& text) override {
    if (!wanted_) return true;
    world = text;
    return false;
  }
  bool start_object(std::size_t) override { return ++depth_, true; }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override { return ++depth_, true; }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    wanted_ = depth_ == 1 && name == "world";
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool next() {
    wanted_ = false;
    return true;
  }

  int depth_ = 0;
  bool wanted_ = false;
};

std::string world_of(const Recording& recording) {
  WorldReader reader;
  Json::sax_parse(recording.model_json(0), &reader);
  return reader.world == "spatial" ? "spatial" : "planar";
}

Json bodies_json(const Recording& recording) {
  Json bodies = Json::array();
  for (std::size_t i = 0; i < recording.body_names().size(); ++i) {
    const auto [offset, size] = recording.velocity_entries(static_cast<int>(i));
    bodies.push_back({{"name", recording.body_names()[i]},
                      {"freedom", to_string(recording.freedoms()[i])},
                      {"velocity_offset", offset},
                      {"velocity_size", size}});
  }
  return bodies;
}

// The recorded options; what is no JSON is null. Hostile nesting would overflow the stack of those
// who print it.
Json options_json(const Recording& recording) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < max_depth; };
  Json json = Json::parse(recording.options_json(), shallow, false);
  return json.is_discarded() ? Json() : json;
}

double step_size(const Json& options) {
  const Json::json_pointer place("/run/step");
  const bool there = options.is_object() && options.contains(place) && options[place].is_number();
  return there ? options[place].get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string run_description(const Recording& recording, std::int64_t stride, std::int64_t first) {
  const Json options = options_json(recording);
  const double step = step_size(options);
  const RunSummary summary = recording.summary();
  Json json = {{"name", recording.path().filename().string()},
               {"title", recording.title()},
               {"version", recording.version()},
               {"created", recording.created()},
               {"frames", (recording.frames() - 1 - first) / stride + 1},
               {"finished", recording.finished()},
               {"has_writer", recording.has_writer()},
               {"total_steps", recording.total_steps()},
               {"step_size", step},
               {"duration", static_cast<double>(recording.total_steps()) * step},
               {"world", world_of(recording)},
               {"bodies", bodies_json(recording)},
               {"models", recording.models()},
               {"events", recording.event_count()},
               {"event_driven", recording.is_event_driven()},
               {"signals", Signals(recording).columns()},
               {"summary", Json::parse(summary_json(summary))},
               {"lines", summary_lines(summary, recording.facts())},
               {"options", options}};
  if (stride > 1) json["stride"] = stride;
  return text_of(json);
}

std::string run_error(const std::string& name, const std::string& error, bool waiting) {
  Json json = {{"name", name}, {"error", error}};
  if (waiting) json["waiting"] = true;
  return text_of(json);
}

std::string checked_model(const Recording& recording, int version) {
  std::string text = recording.model_json(version);
  if (!Json::accept(text))
    throw Error(fmt::format("is damaged: its model {} is not JSON", version),
                recording.path().string());
  return text;
}

}  // namespace vinci
