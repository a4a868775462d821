// SPDX-License-Identifier: Apache-2.0
// Problems as HDF5 files: FCLib's local and global layouts for frictional contact, the layouts /lcp
// and /mlcp for scalar problems, and /vinci_problem for everything else. docs/problem-files.md
// describes them all.
#pragma once

#include <optional>
#include <string>

#include "vinci/complementarity/problem.h"

namespace vinci {

// "lcp", "mlcp", "relay" (no u, scalar laws), "fc2d", "fc3d" (no u, coulomb blocks of one size),
// "rfc2d", "rfc3d" (the same with rolling resistance), "gfc2d", "gfc3d", "grfc2d", "grfc3d" (the
// same with u and without C), or "mixed".
std::string problem_class(const ComplementarityProblem& problem);

struct ProblemFile {
  ComplementarityProblem problem;
  std::optional<Solution> guess, solution;
  std::string title, description;
};

// Throws Error naming file and dataset.
ProblemFile load_problem_file(const std::string& path);
ComplementarityProblem load_problem(const std::string& path);

enum class ProblemLayout {
  exchange,  // FCLib, /lcp or /mlcp where the problem fits one of them, otherwise general
  general,   // /vinci_problem
};

// The file appears under its name only when it is complete. Throws Error if the problem is not
// valid or the file cannot be written.
void save_problem_file(const std::string& path, const ProblemFile& file,
                       ProblemLayout layout = ProblemLayout::exchange);
void save_problem(const std::string& path, const ComplementarityProblem& problem,
                  ProblemLayout layout = ProblemLayout::exchange);

}  // namespace vinci
