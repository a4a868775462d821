// SPDX-License-Identifier: Apache-2.0
// The rows of a recording as they lie in the file, shared by its writer and its reader; described
// for users in docs/recording.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vinci/model/model.h"
#include "vinci/simulation/simulation.h"
#include "vinci/storage/hdf5_table.h"

namespace vinci {

inline constexpr const char* recording_format = "vinci-recording";
inline constexpr const char* recording_format_version = "1";

// The marker: written last at every flush, always in place.
struct ProgressRow {
  std::uint64_t frames = 0;       // complete ones: all their rows are in the file
  std::uint64_t closed = 0;       // 1 once the writer has closed the file
  std::uint64_t total_steps = 0;  // that the run is meant to have
};

struct FrameRow {
  std::int64_t step = 0;
  double time = 0.0;
  std::int32_t status = 0, iterations = 0, passes = 1, contacts = 0, active = 0, model = 0;
  double relative_residual = 0.0, velocity_residual = 0.0, impulse_residual = 0.0;
  double penetration = 0.0, kinetic = 0.0, potential = 0.0;
  double seconds[4] = {};
  std::uint64_t contact_offset = 0, contact_rows = 0, memory_offset = 0, memory_rows = 0;
  std::uint64_t state_hash = 0;
  std::int32_t fell_back = 0, free_motions = 0;
  std::int64_t substeps = 1, impacts = 0;
};

// Statistics over every step up to a frame.
struct SummaryRow {
  std::int64_t steps = 0, inexact_steps = 0, worst_residual_step = 0, contacts_max = 0;
  std::int64_t contacts_sum = 0, iterations_sum = 0, diverged_body = -1;
  double worst_residual = 0.0, worst_penetration = 0.0;
  double energy_first = 0.0, energy_last = 0.0;
  double wall_seconds = 0.0;
  double stage_seconds[4] = {};
  std::int64_t fallback_steps = 0, free_steps = 0, free_body = -1, ending = 0;
  std::int64_t substeps_sum = 0, impacts = 0, coarse_steps = 0;
};

struct ContactRecord {
  std::uint32_t key[4] = {};  // shapes a and b, features a and b
  std::int32_t bodies[2] = {};
  double point_a[3], point_b[3], normal[3], tangent_1[3], tangent_2[3], impulse[3], velocity[3];
  double gap = 0.0, friction = 0.0;
  std::int64_t patch_point = 0;
};

struct MemoryRecord {
  std::uint32_t key[4] = {};
  double impulse[3] = {};
  double approach = 0.0;
  std::int64_t patch_point = 0;
  double deformation_a[3] = {}, deformation_b[3] = {};
};

// Where the description of a compiled model lies in the bytes of models/text.
struct ModelRecord {
  std::uint64_t offset = 0, length = 0;
  std::int64_t first_step = 0;
};

inline constexpr std::uint64_t pose_width = 7;  // x y z, w x y z of the quaternion

Hdf5Row progress_row();

// Numbers of a frame.
struct FrameWidths {
  std::size_t bodies = 0, velocities = 0, controls = 0, elements = 0;
};

// The growing tables of a recording, made or opened together.
struct RecordingTables {
  Hdf5Table frames, summary, poses, velocities, controls, elements, contacts, memory, models,
      model_text;
  static RecordingTables create(const Hdf5File& file, const FrameWidths& widths);
  static RecordingTables open(const Hdf5File& file, const FrameWidths& widths);
  std::array<Hdf5Table*, 10> all();  // the order of a flush: rows before the frames that name them
};

// The present model for viewers, as JSON: bodies, shapes with offsets, materials, parameters, those
// of them that were set over the scene's own, and those of these that were set from code.
std::string model_json(const Simulation& simulation);

}  // namespace vinci
