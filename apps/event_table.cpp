// SPDX-License-Identifier: Apache-2.0
#include "apps/event_table.h"

#include <fmt/format.h>

#include "apps/table.h"
#include "apps/text.h"
#include "vinci/recording/event_names.h"

namespace vinci {
namespace {

// Times apart from each other by less are still told apart.
constexpr int time_digits = 9;

}  // namespace

void print_events(const Recording& recording) {
  const EventNames names(recording.model_json(0));
  std::vector<Column> cells{{"time", "s", {}},    {"", "what", {}, true}, {"", "from", {}, true},
                            {"", "to", {}, true}, {"gap", "m", {}},       {"speed", "m/s", {}},
                            {"force", "N", {}}};
  for (const RecordedEvent& event : recording.events()) {
    const ConstraintMode& after = event.after;
    const std::string row[] = {fmt::format("{:.{}f}", event.time, time_digits),
                               shortened(names.subject(after.key, after.point), 40),
                               names.state(after.key, event.from),
                               names.state(after.key, after.state),
                               short_number(after.gap),
                               short_number(after.gap_rate),
                               short_number(after.force[0])};
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].rows.push_back(row[i]);
  }
  say(stdout, "\n");
  if (cells[0].rows.empty())
    return say(stdout, "no events{}\n",
               recording.is_event_driven() ? "" : ": the stepper knows none");
  print_heads(cells);
  print_all_rows(cells);
}

Json events_json(const Recording& recording) {
  const EventNames names(recording.model_json(0));
  Json list = Json::array();
  for (const RecordedEvent& event : recording.events()) {
    const ConstraintMode& after = event.after;
    list.push_back({{"time", event.time},
                    {"step", event.step},
                    {"subject", names.subject(after.key, after.point)},
                    {"kind", to_string(names.kind(event))},
                    {"from", names.state(after.key, event.from)},
                    {"to", names.state(after.key, after.state)},
                    {"key", key_words(after.key)},
                    {"point", after.point},
                    {"gap", after.gap},
                    {"gap_rate", after.gap_rate},
                    {"force", {after.force[0], after.force[1], after.force[2]}}});
  }
  return list;
}

}  // namespace vinci
