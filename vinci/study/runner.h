// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a study, each by itself: the same case gives the same result, bit for bit,
// whatever was run before it and wherever. One runner per thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "vinci/simulation/simulation.h"
#include "vinci/study/case.h"
#include "vinci/study/study.h"

namespace vinci {

// What a study leaves to code of the caller.
struct StudyCode {
  // Name of a measure -> what it is at the end of a run.
  std::map<std::string, std::function<double(const Simulation&)>> measures;
};

class CaseRunner {
 public:
  // Throws Error where the study has measures in Python that `code` does not bring.
  explicit CaseRunner(Study study, StudyCode code = {});
  CaseRunner(CaseRunner&&) noexcept;
  CaseRunner& operator=(CaseRunner&&) noexcept;
  ~CaseRunner();

  // Throws nothing that the case or the scene is to blame for: that is a status of the result.
  CaseAnswer run(const StudyCase& item);
  // The same with a recording of the last level that is a simulation, for `vinci study repeat`.
  // Throws Error where the file cannot be written.
  CaseAnswer record(const StudyCase& item, const std::filesystem::path& file,
                    bool overwrite = false);
  // Asked before every step of a run; true ends it, and run() throws Stopped.
  void stop_when(std::function<bool()> wanted);
  struct Stopped {};

  const Study& study() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The result of a case that never answered: killed for its time, or with its worker.
CaseResult lost_case(const Study& study, std::uint64_t number, CaseStatus status,
                     std::string message);

}  // namespace vinci
