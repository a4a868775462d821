// SPDX-License-Identifier: Apache-2.0
// Column names and types of a recording's tables.
#include "vinci/recording/recording_layout.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "vinci/base/error.h"
#include "vinci/recording/summary.h"

namespace vinci {

Hdf5Row progress_row() {
  using Row = ProgressRow;
  return Hdf5Row::of<Row>(
      {{"frames", &Row::frames}, {"closed", &Row::closed}, {"total_steps", &Row::total_steps}});
}

namespace {

// Where the recorded fields of a report lie in a frame: calls visit(place in the report, numbers of
// the frame, index of its first number, field).
template <class Row, class Visit>
void each_recorded(Row& row, Visit visit) {
  std::size_t whole = 0, real = 0;
  for (const StepField& field : step_fields()) {
    if (field.column == nullptr) continue;
    std::visit(
        [&](auto place) {
          using Value = std::remove_reference_t<decltype(place(std::declval<StepReport&>()))>;
          if constexpr (std::is_same_v<Value, double>)
            visit(place, row.reals, real++, field);
          else if constexpr (std::is_same_v<Value, StageSeconds>)
            visit(place, row.reals, std::exchange(real, real + stage_count), field);
          else if constexpr (!std::is_pointer_v<Value>)
            visit(place, row.wholes, whole++, field);
        },
        field.place);
  }
  if (whole > row.wholes.size() || real > row.reals.size())
    throw Error("a step reports more numbers than a frame has room for");
}

Hdf5Row frame_row(bool with_events) {
  using Row = FrameRow;
  std::vector<Hdf5Column> columns = {{"step", &Row::step}, {"time", &Row::time}};
  Row any;
  each_recorded(any, [&](auto place, const auto& numbers, std::size_t at, const StepField& field) {
    using Value = std::remove_reference_t<decltype(place(std::declval<StepReport&>()))>;
    if constexpr (std::is_same_v<std::decay_t<decltype(numbers)>, decltype(Row::wholes)>) {
      columns.push_back(Hdf5Column::part(field.column, &Row::wholes, at));
      if (!field.wide) columns.back().stored_as(Hdf5Number::int32);
    } else {
      const std::size_t count = std::is_same_v<Value, StageSeconds> ? stage_count : 1;
      columns.push_back(Hdf5Column::part(field.column, &Row::reals, at, count));
    }
  });
  columns.insert(columns.end(), {{"model", &Row::model},
                                 {"kinetic", &Row::kinetic},
                                 {"potential", &Row::potential},
                                 {"contact_offset", &Row::contact_offset},
                                 {"contact_rows", &Row::contact_rows},
                                 {"memory_offset", &Row::memory_offset},
                                 {"memory_rows", &Row::memory_rows},
                                 {"solution_offset", &Row::solution_offset},
                                 {"solution_rows", &Row::solution_rows},
                                 {"solution_contact_offset", &Row::solution_contact_offset},
                                 {"solution_contact_rows", &Row::solution_contact_rows},
                                 {"state_hash", &Row::state_hash}});
  if (with_events)
    columns.insert(columns.end(), {{"event_offset", &Row::event_offset},
                                   {"event_rows", &Row::event_rows},
                                   {"mode_offset", &Row::mode_offset},
                                   {"mode_rows", &Row::mode_rows},
                                   {"mode_memory_offset", &Row::mode_memory_offset},
                                   {"mode_memory_rows", &Row::mode_memory_rows}});
  return Hdf5Row::of<Row>(columns);
}

Hdf5Row contact_row() {
  using Row = ContactRecord;
  return Hdf5Row::of<Row>({{"key", &Row::key},
                           {"bodies", &Row::bodies},
                           {"point_a", &Row::point_a},
                           {"point_b", &Row::point_b},
                           {"normal", &Row::normal},
                           {"tangent_1", &Row::tangent_1},
                           {"tangent_2", &Row::tangent_2},
                           {"impulse", &Row::impulse},
                           {"velocity", &Row::velocity},
                           {"gap", &Row::gap},
                           {"friction", &Row::friction},
                           {"friction_2", &Row::friction_2},
                           {"moment", &Row::moment},
                           {"turning", &Row::turning},
                           {"patch_point", &Row::patch_point}});
}

Hdf5Row memory_row() {
  using Row = MemoryRecord;
  return Hdf5Row::of<Row>({{"key", &Row::key},
                           {"impulse", &Row::impulse},
                           {"approach", &Row::approach},
                           {"patch_point", &Row::patch_point},
                           {"deformation_a", &Row::deformation_a},
                           {"deformation_b", &Row::deformation_b},
                           {"layer_energy", &Row::layer_energy},
                           {"landing_energy", &Row::landing_energy},
                           {"sliding", &Row::sliding},
                           {"moment", &Row::moment},
                           {"turn_a", &Row::turn_a},
                           {"turn_b", &Row::turn_b},
                           {"layer_normal", &Row::layer_normal}});
}

Hdf5Row solution_row() {
  using Row = SolutionRecord;
  return Hdf5Row::of<Row>({{"step", &Row::step},
                           {"part", &Row::part},
                           {"island", &Row::island},
                           {"number", &Row::number},
                           {"body", &Row::body},
                           {"velocity", &Row::velocity}});
}

Hdf5Row solution_contact_row() {
  using Row = SolutionContactRecord;
  return Hdf5Row::of<Row>({{"step", &Row::step},
                           {"part", &Row::part},
                           {"island", &Row::island},
                           {"number", &Row::number},
                           {"state", &Row::state},
                           {"key", &Row::key},
                           {"patch_point", &Row::patch_point},
                           {"normal", &Row::normal}});
}

Hdf5Row event_row() {
  using Row = EventRecord;
  return Hdf5Row::of<Row>({{"step", &Row::step},
                           {"time", &Row::time},
                           {"key", &Row::key},
                           {"patch_point", &Row::patch_point},
                           {"from", &Row::from},
                           {"to", &Row::to},
                           {"gap", &Row::gap},
                           {"gap_rate", &Row::gap_rate},
                           {"force", &Row::force}});
}

Hdf5Row mode_row() {
  using Row = ModeRecord;
  return Hdf5Row::of<Row>({{"key", &Row::key},
                           {"patch_point", &Row::patch_point},
                           {"state", &Row::state},
                           {"gap", &Row::gap},
                           {"gap_rate", &Row::gap_rate},
                           {"force", &Row::force}});
}

Hdf5Row mode_memory_row() {
  using Row = ModeMemoryRecord;
  return Hdf5Row::of<Row>({{"key", &Row::key},
                           {"patch_point", &Row::patch_point},
                           {"state", &Row::state},
                           {"sliding", &Row::sliding},
                           {"held", &Row::held},
                           {"force", &Row::force},
                           {"direction", &Row::direction}});
}

Hdf5Row model_row() {
  using Row = ModelRecord;
  return Hdf5Row::of<Row>(
      {{"offset", &Row::offset}, {"length", &Row::length}, {"first_step", &Row::first_step}});
}

// Makes or opens all tables.
template <class Use>
RecordingTables each(const FrameWidths& widths, Use use) {
  const auto numbers = [](std::vector<std::uint64_t> shape) {
    return Hdf5Row::numbers(Hdf5Number::real, std::move(shape));
  };
  return {.frames = use("frames", frame_row(widths.events)),
          .summary = use("summary", statistics_row()),
          .poses = use("poses", numbers({widths.bodies, pose_width})),
          .velocities = use("velocities", numbers({widths.velocities})),
          .controls = use("controls", numbers({widths.controls})),
          .elements = use("elements", numbers({widths.elements})),
          .contacts = use("contacts", contact_row()),
          .memory = use("memory", memory_row()),
          .models = use("models/index", model_row()),
          .model_text = use("models/text", Hdf5Row::numbers(Hdf5Number::uint8)),
          .joints = {},
          .solutions = {},
          .solution_contacts = {},
          .events = {},
          .modes = {},
          .mode_memory = {}};
}

template <class Use>
void use_joints(RecordingTables& tables, const FrameWidths& widths, Use use) {
  if (widths.joints == 0) return;
  tables.joints = use("joints", Hdf5Row::numbers(Hdf5Number::real, {widths.joints}));
  tables.has_joints = true;
}

template <class Use>
void each_solution(RecordingTables& tables, Use use) {
  tables.solutions = use("solutions", solution_row());
  tables.solution_contacts = use("solution_contacts", solution_contact_row());
  tables.has_solutions = true;
}

template <class Use>
void each_event(RecordingTables& tables, Use use) {
  tables.events = use("events", event_row());
  tables.modes = use("modes", mode_row());
  tables.mode_memory = use("mode_memory", mode_memory_row());
  tables.has_events = true;
}

}  // namespace

void set_report(FrameRow& row, const StepReport& report) {
  each_recorded(row, [&](auto place, auto& numbers, std::size_t at, const StepField&) {
    const auto& value = vinci::at(place, report);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, StageSeconds>)
      std::copy(value.begin(), value.end(), numbers.begin() + static_cast<std::ptrdiff_t>(at));
    else
      numbers[at] = static_cast<typename std::decay_t<decltype(numbers)>::value_type>(value);
  });
}

StepReport report_of(const FrameRow& row) {
  StepReport report;
  each_recorded(row, [&](auto place, const auto& numbers, std::size_t at, const StepField&) {
    auto& value = place(report);
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, StageSeconds>)
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(at), value.size(), value.begin());
    else if constexpr (std::is_same_v<Value, bool>)
      value = numbers[at] != 0;
    else
      value = static_cast<Value>(numbers[at]);
  });
  return report;
}

FrameRow empty_frame() {
  FrameRow row;
  set_report(row, {});
  return row;
}

RecordingTables RecordingTables::create(const Hdf5File& file, const FrameWidths& widths) {
  const auto make = [&](const char* name, Hdf5Row row) {
    return Hdf5Table::create(file, name, std::move(row));
  };
  RecordingTables tables = each(widths, make);
  use_joints(tables, widths, make);
  if (widths.solutions) each_solution(tables, make);
  if (widths.events) each_event(tables, make);
  return tables;
}

RecordingTables RecordingTables::open(const Hdf5File& file, const FrameWidths& asked) {
  FrameWidths widths = asked;
  widths.events = file.has("events") && file.has("modes") && file.has("mode_memory");
  const auto find = [&](const char* name, Hdf5Row row) {
    return Hdf5Table::open(file, name, std::move(row));
  };
  RecordingTables tables = each(widths, find);
  use_joints(tables, widths, find);
  if (file.has("solutions") && file.has("solution_contacts")) each_solution(tables, find);
  if (widths.events) each_event(tables, find);
  return tables;
}

std::vector<Hdf5Table*> RecordingTables::all() {
  std::vector<Hdf5Table*> tables = {&contacts, &memory,   &poses,      &velocities,
                                    &controls, &elements, &model_text, &models};
  if (has_joints) tables.push_back(&joints);
  if (has_solutions) tables.insert(tables.end(), {&solutions, &solution_contacts});
  if (has_events) tables.insert(tables.end(), {&events, &modes, &mode_memory});
  tables.insert(tables.end(), {&summary, &frames});
  return tables;
}

}  // namespace vinci
