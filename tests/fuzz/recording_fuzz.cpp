// SPDX-License-Identifier: Apache-2.0
// Fuzz target of recordings: the contents of a recording, changed by a script, can be read whole or
// give an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/fuzz/hdf5_script.h"
#include "tests/fuzz/scratch_file.h"
#include "vinci/base/error.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"

namespace {

// Three frames: a first one, one between and a last one.
constexpr const char* scene = R"(
world: planar
materials: {wood: {friction: 0.4}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  box: {shapes: [{box: [0.1, 0.1], material: wood}], position: [0, 0.05], velocity: [1, 0]}
run: {step: 1 ms, duration: 2 ms}
)";

vinci::Hdf5Original recorded() {
  const vinci::ScratchFile file(".first.h5");
  vinci::Simulation simulation(vinci::Scene::parse(scene));
  vinci::Recorder recorder(file.path(), simulation, true);
  while (!simulation.finished()) {
    simulation.step();
    recorder.after_step(simulation);
  }
  recorder.finish(simulation);
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::string(std::istreambuf_iterator<char>(stream), {}), file};
}

void read_all(const std::string& path, bool resumed) {
  const vinci::Recording recording(path);
  recording.summary();
  recording.facts();
  for (std::int64_t frame = 0; frame < recording.frames() && frame < 20; ++frame)
    recording.state(frame), recording.contacts(frame);
  if (!resumed) return;
  vinci::Simulation simulation(vinci::Scene::parse(recording.scene_text()));
  vinci::Recorder::resume(path, simulation).finish(simulation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const vinci::Hdf5Original whole = recorded();
  static const vinci::ScratchFile file(".h5");
  vinci::Hdf5Script({data, size}).apply(whole, file);
  try {
    // To continue takes as long as ten readings.
    read_all(file.path(), size % 8 == 0);
  } catch (const vinci::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
  return 0;
}
