// SPDX-License-Identifier: Apache-2.0
// A recording to look at, and a second reader of frame blocks, written from docs/viewer.md.
#pragma once

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"

namespace vinci::test {

// A box slides, a ball falls onto it: contacts come and go, and the model changes once.
inline const char* tumbling = R"(
title: {}
world: spatial
parameters: {{mu: 0.4}}
materials: {{wood: {{friction: mu}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: wood}}]}}
  box:
    shapes: [{{box: [0.2, 0.1, 0.1], material: wood, density: 300}}]
    position: [0, 0, 0.06]
    velocity: [1, 0.2, 0]
  ball:
    shapes: [{{sphere: 0.1, material: wood, density: 300}}]
    position: [0.5, 0, 0.12]
changes: [{{at: 0.06, set: {{mu: 0.2}}}}]
run: {{step: 1 ms, duration: {} s}}
)";

class ViewingTest : public testing::Test {
 protected:
  ViewingTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "viewing-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ViewingTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  std::filesystem::path record(const std::string& name = "run.h5", double duration = 0.1,
                               const std::string& title = "tumbling") const {
    Simulation simulation(Scene::parse(fmt::format(fmt::runtime(tumbling), title, duration)));
    Recorder recorder(file(name), simulation);
    while (!simulation.finished()) {
      simulation.step();
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
    return file(name);
  }

 private:
  std::filesystem::path folder_;
};

// Takes the columns of a block one after the other.
class BlockColumns {
 public:
  explicit BlockColumns(std::string_view block) : block_(block) {
    header = next<std::uint32_t>(16);
  }

  std::vector<std::uint32_t> header;

  template <class Number>
  std::vector<Number> next(std::size_t count) {
    const std::size_t bytes = count * sizeof(Number);
    if (at_ % 8 != 0 || at_ + bytes > block_.size())
      throw std::runtime_error("the block ends too early");
    std::vector<Number> numbers(count);
    if (count > 0) std::memcpy(numbers.data(), block_.data() + at_, bytes);
    at_ += (bytes + 7) / 8 * 8;
    return numbers;
  }
  bool at_end() const { return at_ == block_.size(); }

 private:
  std::string_view block_;
  std::size_t at_ = 0;
};

}  // namespace vinci::test
