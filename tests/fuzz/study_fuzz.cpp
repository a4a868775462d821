// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the study loader: any bytes give a study or a SceneError with mistakes. The
// scene that they name, if they do, is a small one; so are the tables.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <unistd.h>

#include "vinci/study/study.h"

namespace {

constexpr const char* scene = R"(world: planar
parameters: {vx: 1, vy: 2, mass: 1, a: 0, b: 0}
bodies:
  wall: {freedom: fixed, shapes: [{circle: 0.1}], position: [5, 0]}
  ball: {shapes: [{circle: 0.01}], mass: mass, position: [0, 0], velocity: [vx, vy]}
run: {step: 10 ms, duration: 0.3 s}
)";

// A folder with what a study may name, gone at the end.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("vinci-fuzz-study-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / "scene.yaml") << scene;
    std::ofstream(path_ / "table.csv") << "vx,b\n1,2\n3,4\n";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const vinci::Study study = vinci::Study::parse(text, folder.path());
    if (study.levels().empty() || study.hash().size() != 16) std::abort();
  } catch (const vinci::SceneError& error) {
    if (error.diagnostics().empty()) std::abort();
  }
  return 0;
}
