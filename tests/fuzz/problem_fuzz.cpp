// SPDX-License-Identifier: Apache-2.0
// Fuzz target of problem files: the contents of a stored problem, changed by a script, give a valid
// problem or an Error. The first byte chooses the problem.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/fuzz/hdf5_script.h"
#include "tests/fuzz/scratch_file.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/complementarity/residual.h"

namespace {

std::vector<vinci::Hdf5Original> stored;  // problems

}  // namespace

// The problems' files: VINCI_FUZZ_PROBLEMS, separated by colons.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* list = std::getenv("VINCI_FUZZ_PROBLEMS");
  std::string rest = list ? list : "";
  const vinci::ScratchFile scratch(".first.h5");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::ifstream file(rest.substr(0, end), std::ios::binary);
    stored.emplace_back(std::string(std::istreambuf_iterator<char>(file), {}), scratch);
    rest.erase(0, end + 1);
  }
  if (stored.empty()) std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const vinci::ScratchFile file(".h5");
  if (size == 0) return 0;
  vinci::Hdf5Script({data + 1, size - 1}).apply(stored[data[0] % stored.size()], file);
  try {
    const vinci::ProblemFile read = vinci::load_problem_file(file.path());
    if (read.solution) vinci::residual(read.problem, *read.solution);
  } catch (const vinci::Error& error) {
    if (error.message().empty()) std::abort();
  }
  return 0;
}
