// SPDX-License-Identifier: Apache-2.0
// Column names and types of a recording's tables.
#include "vinci/recording/recording_layout.h"

#include <utility>

namespace vinci {

Hdf5Row progress_row() {
  using Row = ProgressRow;
  return Hdf5Row::of<Row>(
      {{"frames", &Row::frames}, {"closed", &Row::closed}, {"total_steps", &Row::total_steps}});
}

namespace {

Hdf5Row frame_row() {
  using Row = FrameRow;
  return Hdf5Row::of<Row>({{"step", &Row::step},
                           {"time", &Row::time},
                           {"status", &Row::status},
                           {"iterations", &Row::iterations},
                           {"passes", &Row::passes},
                           {"contacts", &Row::contacts},
                           {"active", &Row::active},
                           {"model", &Row::model},
                           {"relative_residual", &Row::relative_residual},
                           {"velocity_residual", &Row::velocity_residual},
                           {"impulse_residual", &Row::impulse_residual},
                           {"penetration", &Row::penetration},
                           {"kinetic", &Row::kinetic},
                           {"potential", &Row::potential},
                           {"seconds", &Row::seconds},
                           {"contact_offset", &Row::contact_offset},
                           {"contact_rows", &Row::contact_rows},
                           {"memory_offset", &Row::memory_offset},
                           {"memory_rows", &Row::memory_rows},
                           {"state_hash", &Row::state_hash},
                           {"fell_back", &Row::fell_back},
                           {"free_motions", &Row::free_motions},
                           {"substeps", &Row::substeps},
                           {"impacts", &Row::impacts}});
}

Hdf5Row summary_row() {
  using Row = SummaryRow;
  return Hdf5Row::of<Row>({{"steps", &Row::steps},
                           {"inexact_steps", &Row::inexact_steps},
                           {"worst_residual_step", &Row::worst_residual_step},
                           {"contacts_max", &Row::contacts_max},
                           {"contacts_sum", &Row::contacts_sum},
                           {"iterations_sum", &Row::iterations_sum},
                           {"diverged_body", &Row::diverged_body},
                           {"worst_residual", &Row::worst_residual},
                           {"worst_penetration", &Row::worst_penetration},
                           {"energy_first", &Row::energy_first},
                           {"energy_last", &Row::energy_last},
                           {"wall_seconds", &Row::wall_seconds},
                           {"stage_seconds", &Row::stage_seconds},
                           {"fallback_steps", &Row::fallback_steps},
                           {"free_steps", &Row::free_steps},
                           {"free_body", &Row::free_body},
                           {"ending", &Row::ending},
                           {"substeps_sum", &Row::substeps_sum},
                           {"impacts", &Row::impacts},
                           {"coarse_steps", &Row::coarse_steps}});
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
                           {"patch_point", &Row::patch_point}});
}

Hdf5Row memory_row() {
  using Row = MemoryRecord;
  return Hdf5Row::of<Row>({{"key", &Row::key},
                           {"impulse", &Row::impulse},
                           {"approach", &Row::approach},
                           {"patch_point", &Row::patch_point},
                           {"deformation_a", &Row::deformation_a},
                           {"deformation_b", &Row::deformation_b}});
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
  return {.frames = use("frames", frame_row()),
          .summary = use("summary", summary_row()),
          .poses = use("poses", numbers({widths.bodies, pose_width})),
          .velocities = use("velocities", numbers({widths.velocities})),
          .controls = use("controls", numbers({widths.controls})),
          .elements = use("elements", numbers({widths.elements})),
          .contacts = use("contacts", contact_row()),
          .memory = use("memory", memory_row()),
          .models = use("models/index", model_row()),
          .model_text = use("models/text", Hdf5Row::numbers(Hdf5Number::uint8))};
}

}  // namespace

RecordingTables RecordingTables::create(const Hdf5File& file, const FrameWidths& widths) {
  return each(widths, [&](const char* name, Hdf5Row row) {
    return Hdf5Table::create(file, name, std::move(row));
  });
}

RecordingTables RecordingTables::open(const Hdf5File& file, const FrameWidths& widths) {
  return each(widths, [&](const char* name, Hdf5Row row) {
    return Hdf5Table::open(file, name, std::move(row));
  });
}

std::array<Hdf5Table*, 10> RecordingTables::all() {
  return {&contacts, &memory,     &poses,  &velocities, &controls,
          &elements, &model_text, &models, &summary,    &frames};
}

}  // namespace vinci
