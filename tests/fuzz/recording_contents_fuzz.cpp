// SPDX-License-Identifier: Apache-2.0
// Fuzz target of what a recording holds, without HDF5: everything can be read, or gives an Error.
// The recording is the file VINCI_FUZZ_RECORDING.
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/memory_storage.h"
#include "vinci/base/error.h"
#include "vinci/recording/recording.h"

namespace {

void read_all(const vinci::Recording& recording) {
  recording.summary();
  recording.facts();
  const std::int64_t frames = std::min<std::int64_t>(recording.frames(), 8);
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    recording.contacts(frame);
    recording.motions(frame);
    recording.events(frame, frame);
  }
  const vinci::FrameRange all{0, frames}, last{frames - 1, 1, 2};
  recording.infos(all);
  recording.contacts(all);
  recording.modes(all);
  recording.events();
  recording.poses(all);
  recording.velocities(last);
  recording.elements(all);
  const int bodies = static_cast<int>(recording.body_names().size());
  for (int body = 0; body < bodies && body < 8; ++body) {
    recording.poses(last, body);
    recording.velocities(all, body);
    recording.velocity_entries(body);
  }
  for (int model = 0; model < recording.models() && model < 4; ++model) recording.model_json(model);
  for (std::int64_t frame = 0; frame < frames; ++frame) recording.state(frame);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const path = std::getenv("VINCI_FUZZ_RECORDING");
  static const vinci::MemoryFile whole = vinci::MemoryFile::load(path);
  const vinci::MemoryFile file = vinci::changed(whole, {data, size});
  vinci::open_in_memory(file);
  try {
    read_all(vinci::Recording(path));
  } catch (const vinci::Error& error) {
    // As it was, it can be read.
    if (size == 0 || std::string_view(error.what()).empty()) std::abort();
  }
  return 0;
}
