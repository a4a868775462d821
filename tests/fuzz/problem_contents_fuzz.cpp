// SPDX-License-Identifier: Apache-2.0
// Fuzz target of what a problem file holds, without HDF5: a valid problem, or an Error. The first
// byte chooses one of the files VINCI_FUZZ_PROBLEMS, separated by colons.
#include <cstdlib>
#include <sstream>

#include "tests/fuzz/memory_storage.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/complementarity/residual.h"

namespace {

std::vector<vinci::MemoryFile> stored() {
  std::vector<vinci::MemoryFile> files;
  std::istringstream paths(std::getenv("VINCI_FUZZ_PROBLEMS"));
  for (std::string path; std::getline(paths, path, ':');)
    files.push_back(vinci::MemoryFile::load(path));
  if (files.empty()) std::abort();
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<vinci::MemoryFile> files = stored();
  if (size == 0) return 0;
  const vinci::MemoryFile file =
      vinci::changed(files[data[0] % files.size()], {data + 1, size - 1});
  vinci::open_in_memory(file);
  try {
    const vinci::ProblemFile read = vinci::load_problem_file("memory");
    if (read.solution) vinci::residual(read.problem, *read.solution);
  } catch (const vinci::Error& error) {
    // As it was, it can be read.
    if (size == 1 || error.message().empty()) std::abort();
  }
  return 0;
}
