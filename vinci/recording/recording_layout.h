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
// What a reader must know to read a file right. Further tables, columns and attributes do not
// count: readers find what they know by name, and pass over the rest. It grows where a reader of
// the version before would misunderstand what it finds. All versions from 1 on are read.
inline constexpr int recording_version = 1;

// The marker: written last at every flush, always in place.
struct ProgressRow {
  std::uint64_t frames = 0;       // complete ones: all their rows are in the file
  std::uint64_t closed = 0;       // 1 once the writer has closed the file
  std::uint64_t total_steps = 0;  // that the run is meant to have
};

// A frame as it lies in memory. The numbers of its step's report have no members of their own:
// their columns are those of step_fields(), whole numbers and real ones each in their order.
struct FrameRow {
  std::int64_t step = 0;
  double time = 0.0;
  double kinetic = 0.0, potential = 0.0;
  std::uint64_t contact_offset = 0, contact_rows = 0, memory_offset = 0, memory_rows = 0;
  std::uint64_t solution_offset = 0, solution_rows = 0;  // of the steps since the last frame
  std::uint64_t solution_contact_offset = 0, solution_contact_rows = 0;
  std::uint64_t event_offset = 0, event_rows = 0;  // likewise
  std::uint64_t mode_offset = 0, mode_rows = 0, mode_memory_offset = 0, mode_memory_rows = 0;
  std::uint64_t state_hash = 0;
  std::int32_t model = 0;
  std::array<std::int64_t, 32> wholes{};
  std::array<double, 32> reals{};
};
void set_report(FrameRow& row, const StepReport& report);
StepReport report_of(const FrameRow& row);
FrameRow empty_frame();  // what a file does not say of a step is as in a new report

struct ContactRecord {
  std::uint32_t key[4] = {};  // shapes a and b, features a and b
  std::int32_t bodies[2] = {};
  double point_a[3], point_b[3], normal[3], tangent_1[3], tangent_2[3], impulse[3], velocity[3];
  double gap = 0.0, friction = 0.0;
  double friction_2 = -1.0;  // below 0: older recordings, `friction` in all directions
  double moment[3] = {}, turning[3] = {};
  std::int64_t patch_point = 0;
};

struct MemoryRecord {
  std::uint32_t key[4] = {};
  double impulse[3] = {};
  double approach = 0.0;
  std::int64_t patch_point = 0;
  double deformation_a[3] = {}, deformation_b[3] = {}, layer_energy = 0.0;
  double landing_energy = 0.0;
  double sliding = 0.0;
  double moment[3] = {};
  double turn_a[3] = {}, turn_b[3] = {}, layer_normal[3] = {};
};

// One of several motions of an island (FoundMotion): a body of it, and a contact of it.
struct SolutionRecord {
  std::int64_t step = 0;
  std::int32_t part = 0, island = 0, number = 0, body = 0;
  double velocity[6] = {};  // m/s of the centre of mass, rad/s; world axes
};
struct SolutionContactRecord {
  std::int64_t step = 0;
  std::int32_t part = 0, island = 0, number = 0, state = 0;
  std::uint32_t key[4] = {};
  std::int64_t patch_point = 0;
  double normal = 0.0;
};

// Of event-driven steps: a change of what acts (StepEvent), what acts at the end of the frame's
// step (ConstraintMode), and what the next step takes over from it (ModeMemory).
struct EventRecord {
  std::int64_t step = 0;
  double time = 0.0;
  std::uint32_t key[4] = {};
  std::int64_t patch_point = 0;
  std::int32_t from = 0, to = 0;
  double gap = 0.0, gap_rate = 0.0, force[3] = {};
};
struct ModeRecord {
  std::uint32_t key[4] = {};
  std::int64_t patch_point = 0;
  std::int32_t state = 0;
  double gap = 0.0, gap_rate = 0.0, force[3] = {};
};
struct ModeMemoryRecord {
  std::uint32_t key[4] = {};
  std::int64_t patch_point = 0, state = 0, sliding = 0;
  double held[3] = {}, force[3] = {}, direction[3] = {};
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
  std::size_t bodies = 0, velocities = 0, controls = 0, elements = 0, joints = 0;
  bool solutions = false;  // motions of steps that allow several
  bool events = false;     // of event-driven steps
};

// The growing tables of a recording, made or opened together.
struct RecordingTables {
  Hdf5Table frames, summary, poses, velocities, controls, elements, contacts, memory, models,
      model_text;
  Hdf5Table joints;  // where there are any
  bool has_joints = false;
  // Of `diagnose: all`; older recordings lack them.
  Hdf5Table solutions, solution_contacts;
  bool has_solutions = false;
  Hdf5Table events, modes, mode_memory;  // of event-driven runs
  bool has_events = false;
  static RecordingTables create(const Hdf5File& file, const FrameWidths& widths);
  static RecordingTables open(const Hdf5File& file, const FrameWidths& widths);
  std::vector<Hdf5Table*> all();  // the order of a flush: rows before the frames that name them
};

// The present model for viewers, as JSON: bodies, shapes with offsets, materials, parameters, those
// of them that were set over the scene's own, and those of these that were set from code;
// constraints, machines.
std::string model_json(const Simulation& simulation);

}  // namespace vinci
