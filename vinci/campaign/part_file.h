// SPDX-License-Identifier: Apache-2.0
// Parts of a study that runs on several machines: cases that a task is to run, and answers that it
// leaves, as files of a folder that all of them see.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vinci/base/clock.h"
#include "vinci/campaign/answer_sink.h"
#include "vinci/campaign/ledger.h"

namespace vinci {

// What one task is to run. The file appears complete, or not at all.
struct TaskFile {
  std::string hash;  // of the study
  std::vector<StudyCase> cases;
};
void write_task(const std::filesystem::path& file, const TaskFile& task);
// Throws Error if it is damaged.
TaskFile read_task(const std::filesystem::path& file);

// Collects answers and leaves them, from time to time, as files of a folder.
class PartWriter : public AnswerSink {
 public:
  // `name`: which no other writer of the folder has. The first file comes after
  // a second, then less and less often, at least every `seconds`.
  PartWriter(std::filesystem::path folder, std::string name, std::string hash,
             double seconds = 10.0);
  void add(std::span<const CaseAnswer> answers) override;
  void flush();

 private:
  std::filesystem::path folder_;
  std::string name_, hash_, frames_;
  double seconds_, next_ = 1.0;
  Stopwatch since_;
  int files_ = 0;
};

struct Merged {
  std::uint64_t cases = 0;  // that were not in the ledger
  std::uint64_t files = 0;
  std::vector<std::string> damaged;  // files that were put aside: their cases are done again
};

// Takes the answers of all files of a folder that writers have left; they are removed once they are
// in the ledger. Throws Failure, also if one belongs to another study.
Merged merge_parts(const std::filesystem::path& folder, Ledger& ledger);

}  // namespace vinci
