// SPDX-License-Identifier: Apache-2.0
// Scenes with closed forms, and studies of them, for the tests of the room.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "vinci/study/runner.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci::test {

// A folder of its own, gone at the end of the test.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("vinci-study-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }

 private:
  std::filesystem::path path_;
};

// A block that slides on a floor: it stops after speed² / (2 mu g).
inline const char* const sliding_block = R"(
world: planar
parameters: {mu: 0.3, speed: 1}
materials:
  wood: {friction: mu}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block:
    shapes: [{box: [0.2, 0.1], material: wood, density: 700}]
    pose: {on: floor, at: 0}
    velocity: [speed, 0]
run: {step: 1 ms, duration: 0.6 s}
)";

// A point that flies: x = vx t, y = vy t - g t²/2, without contact. A step is cheap.
inline const char* const projectile = R"(
world: planar
parameters: {vx: 1, vy: 2, mass: 1}
bodies:
  ball:
    shapes: [{circle: 0.01}]
    mass: mass
    position: [0, 0]
    velocity: [vx, vy]
run: {step: 10 ms, duration: 0.3 s}
)";

// Runs a study to its end, in the order of its cases.
inline StoredResults run_all(const Study& study) {
  StoredResults results;
  CaseRunner runner(study);
  const auto strategy = make_strategy(study);
  while (const auto round = strategy->next(results))
    for (std::uint64_t k = round->first; k < round->first + round->size; ++k)
      results.add(runner.run(round->at(k)).result);
  return results;
}

inline std::string table_of(const Study& study, const ResultSource& results) {
  std::string table;
  write_table(study, results, [&](std::string_view text) { table += text; });
  return table;
}

}  // namespace vinci::test
