// SPDX-License-Identifier: Apache-2.0
// Columns rather than objects: names and states stand once.
#include "vinci/viewing/run_events.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "vinci/recording/event_names.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

// A list of different things, in the order in which they were first asked for.
template <class Key>
class Numbered {
 public:
  template <class Make>
  std::size_t number(const Key& key, Make make) {
    const auto [at, added] = known_.emplace(key, list_.size());
    if (added) list_.push_back(make());
    return at->second;
  }
  const Json& list() const { return list_; }

 private:
  std::map<Key, std::size_t> known_;
  Json list_ = Json::array();
};

class Writer {
 public:
  explicit Writer(const Recording& recording) : names_(recording.model_json(0)) {
    for (int kind = 0; kind < event_kind_count; ++kind)
      kinds_.push_back(to_string(static_cast<EventKind>(kind)));
    for (const char* column : {"time", "step", "subject", "kind", "from", "to", "gap", "gap_rate"})
      columns_[column] = Json::array();
    columns_["force"] = Json::array();
  }
  void add_start(const ConstraintMode& mode) {
    start_.push_back({subject(mode.key, mode.point), state(mode.key, mode.state)});
  }
  void add(const RecordedEvent& event) {
    const ConstraintMode& after = event.after;
    columns_["time"].push_back(event.time);
    columns_["step"].push_back(event.step);
    columns_["subject"].push_back(subject(after.key, after.point));
    columns_["kind"].push_back(static_cast<int>(names_.kind(event)));
    columns_["from"].push_back(state(after.key, event.from));
    columns_["to"].push_back(state(after.key, after.state));
    columns_["gap"].push_back(after.gap);
    columns_["gap_rate"].push_back(after.gap_rate);
    columns_["force"].push_back({after.force[0], after.force[1], after.force[2]});
  }
  Json finish() const {
    Json json = {{"subjects", subjects_.list()}, {"states", states_.list()}, {"kinds", kinds_}};
    json["start"] = start_;
    json.update(columns_);
    return json;
  }

 private:
  std::size_t subject(const EntityKey& key, int point) {
    return subjects_.number({key, point}, [&] {
      const char* kind = names_.is_link(key) ? "link" : to_string(key.kind);
      return Json{{"name", names_.subject(key, point)}, {"kind", kind}, {"key", key_words(key)}};
    });
  }
  std::size_t state(const EntityKey& key, int state) {
    const std::string word = names_.state(key, state);
    return states_.number(word, [&] { return Json(word); });
  }

  EventNames names_;
  Numbered<std::pair<EntityKey, int>> subjects_;
  Numbered<std::string> states_;
  Json kinds_ = Json::array(), start_ = Json::array(), columns_;
};

}  // namespace

std::string run_events(const Recording& recording, std::int64_t first) {
  const std::int64_t total = recording.event_count();
  Writer writer(recording);
  for (const ConstraintMode& mode : recording.modes({0, 1, 1}).rows) writer.add_start(mode);
  const std::int64_t left = std::max<std::int64_t>(0, total - first);
  for (const RecordedEvent& event :
       recording.numbered_events(first, std::min(left, most_events_at_once)))
    writer.add(event);
  Json json = {{"first", first}, {"total", total}};
  json.update(writer.finish());
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
