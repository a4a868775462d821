// SPDX-License-Identifier: Apache-2.0
// Which files a model may read: those in its own folder and below, and in folders that the caller
// allows, links followed. No networks. Private to robots/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vinci/robots/robot_file.h"

namespace vinci {

class ModelFiles {
 public:
  ModelFiles() = default;  // of a text: no file is looked at, names are kept as they are
  ModelFiles(const std::filesystem::path& model, const RobotReading& reading);

  bool is_text() const { return is_text_; }

  struct Found {
    std::string path;     // "" if it cannot be read
    std::string problem;  // why
  };
  // A mesh, as a model names it: relative to `folder` (which is relative to the model's), absolute,
  // or as package://, model:// or file://.
  Found mesh(const std::string& name, const std::string& folder = "") const;
  // Another model file, relative to the model's folder.
  Found model(const std::string& name) const;

 private:
  Found looked_up(const std::string& name, const std::string& folder) const;
  // Why it may not be read, or "".
  std::string place_problem(const std::filesystem::path& path) const;

  bool is_text_ = true;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> search_;
  std::vector<std::filesystem::path> roots_;  // canonical
};

}  // namespace vinci
