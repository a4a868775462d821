// SPDX-License-Identifier: Apache-2.0
// The table of a study as columns, for programs that compute with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/study/strategy.h"
#include "vinci/study/study.h"

namespace vinci {

struct StudyColumns {
  VectorX number, design, sample;
  std::vector<VectorX> parameters, measures;  // as the study lists them; NaN where there is none
  std::vector<int> status, verdict, level;    // status and verdict as CaseStatus and Verdict
  std::vector<std::string> message;
};
StudyColumns columns_of(const Study& study, const ResultSource& results);

// The same as a file of HDF5. Throws Failure.
void write_columns(const Study& study, const StudyColumns& columns,
                   const std::filesystem::path& path);

}  // namespace vinci
