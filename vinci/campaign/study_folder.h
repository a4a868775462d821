// SPDX-License-Identifier: Apache-2.0
// Where the files of a study that is run lie.
#pragma once

#include <filesystem>

namespace vinci {

struct StudyFolder {
  std::filesystem::path path;

  std::filesystem::path ledger() const { return path / "study.sqlite"; }
  std::filesystem::path lock() const { return path / "study.lock"; }
  std::filesystem::path table() const { return path / "table.csv"; }
  std::filesystem::path report() const { return path / "report.json"; }
  // Of clusters: what tasks are to do, and what they have done.
  std::filesystem::path parts() const { return path / "parts"; }
};

}  // namespace vinci
