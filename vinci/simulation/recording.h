// SPDX-License-Identifier: Apache-2.0
// Reads a recording: finished, still being written, or left by a killed run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vinci/model/state.h"

namespace vinci {

// One row a recorded frame.
struct FrameInfo {
  std::int64_t step = 0;
  double time = 0.0;
  int contacts = 0, active = 0, iterations = 0, status = 0, passes = 1;
  double residual = 0.0, penetration = 0.0;
  double kinetic = 0.0, potential = 0.0;
  std::array<double, 4> seconds{};  // by Stage, of this frame's step
};

// One contact of one frame.
struct ContactRow {
  ContactKey key;
  int body_a = 0, body_b = 0;
  Vector3 point_a, point_b, normal, tangent_1, tangent_2, impulse, velocity;
  double gap = 0.0, friction = 0.0;
};

// Statistics over every step of the run, recorded or not.
struct RunSummary {
  std::int64_t steps = 0;
  std::int64_t inexact_steps = 0;  // residual above `accept`
  double worst_residual = 0.0;
  std::int64_t worst_residual_step = 0;
  double worst_penetration = 0.0;
  std::int64_t contacts_max = 0;
  double contacts_mean = 0.0, iterations_mean = 0.0;
  double energy_first = 0.0, energy_last = 0.0;
  double wall_seconds = 0.0;
  std::array<double, 4> stage_seconds{};
  bool diverged = false;
  std::string diverged_body;
  std::string state_hash;  // of the last state
};

class Recording {
 public:
  // Throws Error naming the file and what is wrong with it (not HDF5, not a recording, no complete
  // frame).
  explicit Recording(const std::filesystem::path& file);
  Recording(Recording&&) noexcept;
  ~Recording();

  bool finished() const;        // its writer closed it properly
  std::int64_t frames() const;  // complete ones
  const std::string& title() const;
  const std::string& version() const;
  const std::string& scene_text() const;
  const std::string& options_json() const;  // run and plugin options, parameters, seed
  const std::vector<std::string>& body_names() const;
  std::string model_json(int version) const;  // shapes for viewers
  RunSummary summary() const;

  FrameInfo info(std::int64_t frame) const;
  State state(std::int64_t frame) const;  // complete: a run continues from it bit for bit
  std::vector<ContactRow> contacts(std::int64_t frame) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Tables states.csv, steps.csv, contacts.csv in the folder (created). Throws Error.
void export_csv(const Recording& recording, const std::filesystem::path& folder);

}  // namespace vinci
