// SPDX-License-Identifier: Apache-2.0
// Column names and types of a recording's tables.
#include "vinci/recording/recording_layout.h"

#include <cstddef>

namespace vinci {

Hdf5Id progress_type() {
  using Row = ProgressRow;
  const hid_t u64 = H5T_NATIVE_UINT64;
  const Hdf5Column columns[] = {{"frames", offsetof(Row, frames), u64},
                                {"closed", offsetof(Row, closed), u64},
                                {"total_steps", offsetof(Row, total_steps), u64}};
  return row_type(sizeof(Row), columns);
}

Hdf5Id frame_type() {
  using Row = FrameRow;
  const hid_t i64 = H5T_NATIVE_INT64, i32 = H5T_NATIVE_INT32, u64 = H5T_NATIVE_UINT64,
              f64 = H5T_NATIVE_DOUBLE;
  const Hdf5Column columns[] = {{"step", offsetof(Row, step), i64},
                                {"time", offsetof(Row, time), f64},
                                {"status", offsetof(Row, status), i32},
                                {"iterations", offsetof(Row, iterations), i32},
                                {"passes", offsetof(Row, passes), i32},
                                {"contacts", offsetof(Row, contacts), i32},
                                {"active", offsetof(Row, active), i32},
                                {"model", offsetof(Row, model), i32},
                                {"relative_residual", offsetof(Row, relative_residual), f64},
                                {"velocity_residual", offsetof(Row, velocity_residual), f64},
                                {"impulse_residual", offsetof(Row, impulse_residual), f64},
                                {"penetration", offsetof(Row, penetration), f64},
                                {"kinetic", offsetof(Row, kinetic), f64},
                                {"potential", offsetof(Row, potential), f64},
                                {"seconds", offsetof(Row, seconds), f64, 4},
                                {"contact_offset", offsetof(Row, contact_offset), u64},
                                {"contact_rows", offsetof(Row, contact_rows), u64},
                                {"memory_offset", offsetof(Row, memory_offset), u64},
                                {"memory_rows", offsetof(Row, memory_rows), u64},
                                {"state_hash", offsetof(Row, state_hash), u64},
                                {"fell_back", offsetof(Row, fell_back), i32},
                                {"free_motions", offsetof(Row, free_motions), i32},
                                {"substeps", offsetof(Row, substeps), H5T_NATIVE_INT64},
                                {"impacts", offsetof(Row, impacts), H5T_NATIVE_INT64}};
  return row_type(sizeof(Row), columns);
}

Hdf5Id summary_type() {
  using Row = SummaryRow;
  const hid_t i64 = H5T_NATIVE_INT64, f64 = H5T_NATIVE_DOUBLE;
  const Hdf5Column columns[] = {{"steps", offsetof(Row, steps), i64},
                                {"inexact_steps", offsetof(Row, inexact_steps), i64},
                                {"worst_residual_step", offsetof(Row, worst_residual_step), i64},
                                {"contacts_max", offsetof(Row, contacts_max), i64},
                                {"contacts_sum", offsetof(Row, contacts_sum), i64},
                                {"iterations_sum", offsetof(Row, iterations_sum), i64},
                                {"diverged_body", offsetof(Row, diverged_body), i64},
                                {"worst_residual", offsetof(Row, worst_residual), f64},
                                {"worst_penetration", offsetof(Row, worst_penetration), f64},
                                {"energy_first", offsetof(Row, energy_first), f64},
                                {"energy_last", offsetof(Row, energy_last), f64},
                                {"wall_seconds", offsetof(Row, wall_seconds), f64},
                                {"stage_seconds", offsetof(Row, stage_seconds), f64, 4},
                                {"fallback_steps", offsetof(Row, fallback_steps), i64},
                                {"free_steps", offsetof(Row, free_steps), i64},
                                {"free_body", offsetof(Row, free_body), i64},
                                {"ending", offsetof(Row, ending), i64},
                                {"substeps_sum", offsetof(Row, substeps_sum), i64},
                                {"impacts", offsetof(Row, impacts), i64},
                                {"coarse_steps", offsetof(Row, coarse_steps), i64}};
  return row_type(sizeof(Row), columns);
}

Hdf5Id contact_type() {
  using Row = ContactRecord;
  const hid_t u32 = H5T_NATIVE_UINT32, i32 = H5T_NATIVE_INT32, f64 = H5T_NATIVE_DOUBLE;
  const Hdf5Column columns[] = {{"key", offsetof(Row, key), u32, 4},
                                {"bodies", offsetof(Row, bodies), i32, 2},
                                {"point_a", offsetof(Row, point_a), f64, 3},
                                {"point_b", offsetof(Row, point_b), f64, 3},
                                {"normal", offsetof(Row, normal), f64, 3},
                                {"tangent_1", offsetof(Row, tangent_1), f64, 3},
                                {"tangent_2", offsetof(Row, tangent_2), f64, 3},
                                {"impulse", offsetof(Row, impulse), f64, 3},
                                {"velocity", offsetof(Row, velocity), f64, 3},
                                {"gap", offsetof(Row, gap), f64},
                                {"friction", offsetof(Row, friction), f64},
                                {"patch_point", offsetof(Row, patch_point), H5T_NATIVE_INT64}};
  return row_type(sizeof(Row), columns);
}

Hdf5Id memory_type() {
  using Row = MemoryRecord;
  const hid_t f64 = H5T_NATIVE_DOUBLE;
  const Hdf5Column columns[] = {{"key", offsetof(Row, key), H5T_NATIVE_UINT32, 4},
                                {"impulse", offsetof(Row, impulse), f64, 3},
                                {"approach", offsetof(Row, approach), f64},
                                {"patch_point", offsetof(Row, patch_point), H5T_NATIVE_INT64},
                                {"deformation_a", offsetof(Row, deformation_a), f64, 3},
                                {"deformation_b", offsetof(Row, deformation_b), f64, 3}};
  return row_type(sizeof(Row), columns);
}

Hdf5Id model_type() {
  using Row = ModelRecord;
  const Hdf5Column columns[] = {{"offset", offsetof(Row, offset), H5T_NATIVE_UINT64},
                                {"length", offsetof(Row, length), H5T_NATIVE_UINT64},
                                {"first_step", offsetof(Row, first_step), H5T_NATIVE_INT64}};
  return row_type(sizeof(Row), columns);
}

RecordingTables RecordingTables::create(const Hdf5File& file, const FrameWidths& widths) {
  auto compound = [&](const char* name, const Hdf5Id& type) {
    return Hdf5Table::create(file, name, type.get(), {}, H5Tget_size(type.get()));
  };
  auto numbers = [&](const char* name, const std::vector<hsize_t>& shape, std::size_t width) {
    return Hdf5Table::create(file, name, H5T_NATIVE_DOUBLE, shape, width * sizeof(double));
  };
  RecordingTables tables;
  tables.frames = compound("frames", frame_type());
  tables.summary = compound("summary", summary_type());
  tables.poses = numbers("poses", {widths.bodies, pose_width}, widths.bodies * pose_width);
  tables.velocities = numbers("velocities", {widths.velocities}, widths.velocities);
  tables.controls = numbers("controls", {widths.controls}, widths.controls);
  tables.contacts = compound("contacts", contact_type());
  tables.memory = compound("memory", memory_type());
  tables.models = compound("models/index", model_type());
  tables.model_text = Hdf5Table::create(file, "models/text", H5T_NATIVE_UINT8, {}, 1);
  return tables;
}

RecordingTables RecordingTables::open(const Hdf5File& file, const FrameWidths& widths) {
  RecordingTables tables;
  tables.frames = Hdf5Table::open(file, "frames", {});
  tables.summary = Hdf5Table::open(file, "summary", {});
  tables.poses = Hdf5Table::open(file, "poses", {widths.bodies, pose_width});
  tables.velocities = Hdf5Table::open(file, "velocities", {widths.velocities});
  tables.controls = Hdf5Table::open(file, "controls", {widths.controls});
  tables.contacts = Hdf5Table::open(file, "contacts", {});
  tables.memory = Hdf5Table::open(file, "memory", {});
  tables.models = Hdf5Table::open(file, "models/index", {});
  tables.model_text = Hdf5Table::open(file, "models/text", {});
  return tables;
}

void RecordingTables::refresh() {
  for (Hdf5Table* table : {&frames, &summary, &poses, &velocities, &controls, &contacts, &memory,
                           &models, &model_text})
    table->refresh();
}

}  // namespace vinci
