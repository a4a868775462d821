// SPDX-License-Identifier: Apache-2.0
// Moments of contacts in recordings: what a step says, and a run that goes on from its memory.
#include <filesystem>

#include <gtest/gtest.h>

#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"

namespace vinci::test {
namespace {

Scene spinning_ball() {
  return Scene::parse(R"(
    title: a ball that rolls and spins to a stop
    world: spatial
    materials: {clay: {friction: 0.4, rolling-friction: 0.002, torsional-friction: 0.001}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-space: {}, material: clay}]}
      ball:
        shapes: [{sphere: 0.1, material: clay}]
        position: [0, 0, 0.1]
        velocity: [0.1, 0, 0]
        spin: [0, 0, 2]
    run: {step: 2 ms, duration: 0.2 s}
  )");
}

class RecordedMoments : public testing::Test {
 protected:
  RecordedMoments() {
    std::string pattern = (std::filesystem::temp_directory_path() / "moments-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~RecordedMoments() override { std::filesystem::remove_all(folder_); }
  static void run(Simulation& simulation, Recorder& recorder, std::int64_t until) {
    while (!simulation.finished() && simulation.state().step < until) {
      simulation.step();
      recorder.after_step(simulation);
    }
  }
  std::filesystem::path folder_;
};

TEST_F(RecordedMoments, read_back_as_they_were) {
  Simulation simulation(spinning_ball());
  Recorder recorder(folder_ / "run.h5", simulation);
  std::vector<SolvedContact> solved;
  while (!simulation.finished()) {
    simulation.step();
    recorder.after_step(simulation);
    ASSERT_EQ(simulation.contacts().size(), 1u);
    solved.push_back(simulation.contacts().front());
  }
  recorder.finish(simulation);
  EXPECT_GT(solved.front().moment.norm(), 0.0);
  EXPECT_GT(solved.front().turning.norm(), 0.0);
  const Recording recording(folder_ / "run.h5");
  for (std::size_t i = 0; i < solved.size(); ++i) {
    const auto rows = recording.contacts(static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.front().moment, solved[i].moment);
    EXPECT_EQ(rows.front().turning, solved[i].turning);
  }
}

TEST_F(RecordedMoments, a_resumed_run_ends_at_the_same_bits) {
  Simulation whole(spinning_ball());
  while (!whole.finished()) whole.step();
  for (const std::int64_t stop : {1, 40, 99}) {
    {
      Simulation part(spinning_ball());
      Recorder recorder(folder_ / "part.h5", part, true);
      run(part, recorder, stop);
    }
    Simulation simulation(spinning_ball());
    Recorder recorder = Recorder::resume(folder_ / "part.h5", simulation);
    run(simulation, recorder, 100);
    recorder.finish(simulation);
    EXPECT_TRUE(simulation.state().memory == whole.state().memory) << stop;
    EXPECT_EQ(hash(simulation.state()), hash(whole.state())) << stop;
  }
}

}  // namespace
}  // namespace vinci::test
