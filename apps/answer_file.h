// SPDX-License-Identifier: Apache-2.0
// Answers of `vinci solve` as HDF5, so that anyone can check them; the layout is described in
// docs/problem-files.md.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

struct AnswerFile {
  std::string source, solver, status;
  double residual = 0.0, tolerance = 0.0;
  Solution solution;
  VectorX w;            // local velocities that follow from λ
  VectorX certificate;  // where there is no solution; otherwise empty
};

// Where the answers to some inputs go: <folder>/<name>.h5, or <name>.<solver>.h5.
class AnswerFolder {
 public:
  // Creates the folder. `sources` are the inputs. Throws Error if two of them have the same name,
  // or an answer would replace a file that is none.
  AnswerFolder(std::filesystem::path folder, const std::vector<std::string>& sources,
               const std::vector<std::string>& names);
  // `suffix`: "" or what follows the name. The file appears when it is complete. Throws Error.
  std::string write(std::size_t input, const std::string& suffix,
                    const ComplementarityProblem& problem, const AnswerFile& answer) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
};

}  // namespace vinci
