// SPDX-License-Identifier: Apache-2.0
// Reads a recording: finished, still being written, or left by a killed run (whose file is then
// repaired in place where it may be written to).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vinci/model/state.h"
#include "vinci/recording/summary.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

// A recorded frame, and how its step went.
struct FrameInfo {
  std::int64_t step = 0;
  double time = 0.0;                      // s
  int model = 0;                          // version, for model_json()
  double kinetic = 0.0, potential = 0.0;  // J
  StepReport report;                      // of this frame's step: the fields that have a column
};

// One contact of one frame.
struct ContactRow {
  EntityKey key;
  int body_a = 0, body_b = 0;
  Vector3 point_a, point_b, normal, tangent_1, tangent_2, impulse, velocity;
  double gap = 0.0, friction = 0.0, friction_2 = 0.0;  // along tangent 1 and 2
  int patch_point = 0;
  Vector3 moment = Vector3::Zero(), turning = Vector3::Zero();  // N m s on b; rad/s of b against a
};

// One of several motions that a step allows.
struct RecordedMotion : FoundMotion {
  std::int64_t step = 0;
};

// A change of what acts in an event-driven step.
struct RecordedEvent : StepEvent {
  std::int64_t step = 0;
};

// What acts at the ends of the steps of a range of frames, one after the other.
struct ModeRows {
  std::vector<std::int64_t> starts;  // of each frame in `rows`, and the end: count + 1
  std::vector<ConstraintMode> rows;
};

// Every stride-th frame from `first` on.
struct FrameRange {
  std::int64_t first = 0, count = 0, stride = 1;
};

// The contacts of a range of frames, one after the other.
struct ContactRows {
  std::vector<std::int64_t> starts;  // of each frame in `rows`, and the end: count + 1
  std::vector<ContactRow> rows;
};

class Recording {
 public:
  // Throws Error naming the file and what is wrong with it (not HDF5, not a recording, no complete
  // frame).
  explicit Recording(const std::filesystem::path& file);
  Recording(Recording&&) noexcept;
  ~Recording();

  const std::filesystem::path& path() const;
  bool finished() const;             // its writer closed it properly
  bool has_writer() const;           // a run was writing it when it was opened
  std::int64_t frames() const;       // complete ones, at least 1
  std::int64_t total_steps() const;  // that the run is meant to have
  const std::string& title() const;
  const std::string& version() const;  // of the program
  const std::string& created() const;  // UTC, ISO 8601
  const std::string& scene_text() const;
  const std::string& options_json() const;  // run and plugin options, parameters, seed
  const std::vector<std::string>& body_names() const;
  const std::vector<Freedom>& freedoms() const;  // of the bodies
  // "rope.length [m]": what is recorded of springs and the like.
  const std::vector<std::string>& element_columns() const;
  // "elbow.position [rad]" (joint_columns.h).
  const std::vector<std::string>& joint_columns() const;
  // "tracker.effort_elbow [N m]" (model/controller.h); none of older recordings.
  const std::vector<std::string>& control_columns() const;
  std::string model_json(int version) const;  // shapes for viewers
  RunSummary summary() const;  // over every step up to the last frame, recorded or not
  RunFacts facts() const;      // how far it came, and what it was asked for

  FrameInfo info(std::int64_t frame) const;
  State state(std::int64_t frame) const;  // complete: a run continues from it bit for bit
  std::vector<ContactRow> contacts(std::int64_t frame) const;
  // Of the steps since the frame before, where they allow several and `diagnose: all` kept them.
  std::vector<RecordedMotion> motions(std::int64_t frame) const;

  // Whether an event-driven stepper made it; the others have no events and no modes.
  bool is_event_driven() const;
  // Of the steps that lead to the frames from `first` to `last`, each from the frame before it, in
  // the order of time.
  std::vector<RecordedEvent> events(std::int64_t first, std::int64_t last) const;
  std::vector<RecordedEvent> events() const { return events(0, frames() - 1); }
  std::int64_t event_count() const;

  // Many frames at once, for plots, viewers and scripts; not verified by the states' hashes.
  // Memory is what the range takes: ask for a part of a large recording.
  std::vector<FrameInfo> infos(const FrameRange& range) const;
  // frames × bodies × 7 (x y z, w x y z), of one body if it is not −1.
  std::vector<double> poses(const FrameRange& range, int body = -1) const;
  // frames × packed entries, of one body if it is not −1.
  std::vector<double> velocities(const FrameRange& range, int body = -1) const;
  // frames × element_columns().
  std::vector<double> elements(const FrameRange& range) const;
  // frames × joint_columns().
  std::vector<double> joints(const FrameRange& range) const;
  // frames × control_columns().
  std::vector<double> controls(const FrameRange& range) const;
  ContactRows contacts(const FrameRange& range) const;
  ModeRows modes(const FrameRange& range) const;

  int models() const;                                    // stored so far
  std::pair<int, int> velocity_entries(int body) const;  // first packed entry, and how many
  // Looks again how many frames are complete, where a run is writing the file. A recording that had
  // no writer when it was opened stays as it is.
  void refresh();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Tables states.csv, steps.csv, contacts.csv in the folder (created), and elements.csv, joints.csv,
// controls.csv, events.csv and modes.csv where there are any. Throws Failure if they cannot be
// written, Error if the recording cannot be read.
void export_csv(const Recording& recording, const std::filesystem::path& folder);

}  // namespace vinci
