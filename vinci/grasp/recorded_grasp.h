// SPDX-License-Identifier: Apache-2.0
// Grasps of recorded runs and of files.
#pragma once

#include <filesystem>
#include <string>

#include "vinci/grasp/grasp.h"
#include "vinci/recording/recording.h"

namespace vinci {

struct NamedGrasp {
  Grasp grasp;
  std::string object;                  // the body; "" of a file
  std::vector<std::string> by;         // the other body at each contact; "" of a file
  double mass = 0.0;                   // kg, of the body; 0 of a file
  Vector3 gravity = Vector3::Zero();   // m/s²
  std::optional<Vector6> wrench = {};  // from outside, that a file asks to hold; N, N m
  std::int64_t frame = -1;             // of the recording
  double time = 0.0;                   // s, of it
};

// The frame nearest to a time, the earlier of two.
std::int64_t frame_at(const Recording& recording, double time);

// The loaded contacts of a body in a frame; `by`: the bodies whose contacts count, all if empty.
// Contacts lie where they were at the start of the frame's step. Throws Error naming what is not
// there and what is.
NamedGrasp recorded_grasp(const Recording& recording, std::int64_t frame, const std::string& object,
                          const std::vector<std::string>& by = {});

// A file of contacts, YAML or JSON (docs/grasp.md), or its text. Throws SceneError with all
// mistakes.
NamedGrasp read_grasp(const std::filesystem::path& file);
NamedGrasp parse_grasp(std::string_view text, const std::string& name);

}  // namespace vinci
