// SPDX-License-Identifier: Apache-2.0
// From the nearest frame to a step.
#include "vinci/recording/replay.h"

#include <fmt/format.h>

#include "vinci/recording/provenance.h"

namespace vinci {
namespace {

// The last frame at or before a step.
std::int64_t frame_before(const Recording& recording, std::int64_t step) {
  std::int64_t low = 0, high = recording.frames();  // frame `low` is early enough, `high` is not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (recording.info(middle).step <= step ? low : high) = middle;
  }
  return low;
}

}  // namespace

void replay_step(const Recording& recording, std::int64_t step, Simulation& simulation) {
  const std::string file = recording.path().string();
  const std::int64_t last = recording.info(recording.frames() - 1).step;
  if (last == 0) throw Error("holds no step: only its initial state was recorded", file);
  if (step < 1 || step > last)
    throw Error(fmt::format("has no step {}; accepted: 1 to {}", step, last), file);
  check_same_run(recording, simulation);
  continue_from(recording, simulation, frame_before(recording, step - 1));
  while (simulation.state().step < step) simulation.step();
  const std::int64_t frame = frame_before(recording, step);
  if (recording.info(frame).step == step &&
      hash(recording.state(frame)) != hash(simulation.state()))
    throw Error(fmt::format("step {} does not lead to the recorded state again: the run was made "
                            "by another build, or changed from code on the way",
                            step),
                file);
}

}  // namespace vinci
