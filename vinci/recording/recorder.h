// SPDX-License-Identifier: Apache-2.0
// Writes a run to HDF5 (layout: docs/recording.md) in single-writer-multiple-reader mode: readers
// may follow it live, and a killed process leaves every flushed frame readable.
#pragma once

#include <filesystem>
#include <memory>

#include "vinci/simulation/simulation.h"

namespace vinci {

// Whether a file may give way to a recording: it is one, or empty.
bool can_be_replaced(const std::filesystem::path& file);

class Recorder {
 public:
  // A new file; refuses to overwrite unless told. The initial state is frame 0. Throws Error.
  Recorder(const std::filesystem::path& file, const Simulation& simulation, bool overwrite = false);
  // Continues an existing file after its last complete frame: repairs what a killed writer left,
  // cuts incomplete frames, and sets the simulation to the stored state. Throws Error if the scene
  // or options differ.
  static Recorder resume(const std::filesystem::path& file, Simulation& simulation);
  Recorder(Recorder&&) noexcept;
  ~Recorder();

  // Call after every step: keeps running statistics, takes a frame when one is due, flushes
  // when the flush interval has passed. This and the next two throw Error when the disk is full;
  // the file then holds what was flushed before.
  void after_step(const Simulation& simulation);
  // Its two halves, for callers who take turns with other users of HDF5: the first leaves the file
  // alone, and flush() is to follow where it is due.
  void add_step(const Simulation& simulation);
  bool flush_is_due() const;
  void flush();
  // A frame of a state that no step made, as one that is only shown; statistics do not count it.
  void add_pose(const Simulation& simulation);
  // Wall time between flushes, s: what a killed run loses at most. Each one costs some space.
  void set_flush_interval(double seconds);
  static constexpr double default_flush_interval = 0.5;
  // Writes the last frame if it is not written yet, the summary, and closes.
  void finish(const Simulation& simulation);

 private:
  struct Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vinci
