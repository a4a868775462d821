// SPDX-License-Identifier: Apache-2.0
// Records a run, stops it half way, continues it from its file, and reads the recording.
#include <cstdio>
#include <filesystem>

#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"

int main(int argc, char** argv) {
  const std::filesystem::path file = argc > 1 ? argv[1] : "bounce.h5";
  const vinci::Scene scene = vinci::Scene::parse(R"(
    title: a ball that bounces
    world: planar
    materials: {rubber: {restitution: 0.8}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
      ball: {shapes: [{circle: 0.05, material: rubber, density: 100}], position: [0, 0.5]}
    run: {step: 1 ms, duration: 1 s}
  )");
  {
    vinci::Simulation simulation(scene);
    vinci::Recorder recorder(file, simulation, true);
    for (int i = 0; i < 500; ++i) {
      simulation.step();
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
  }
  {
    vinci::Simulation simulation(scene);
    vinci::Recorder recorder = vinci::Recorder::resume(file, simulation);
    std::printf("continues after step %ld\n", static_cast<long>(simulation.state().step));
    while (!simulation.finished()) {
      simulation.step();
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
  }
  const vinci::Recording recording(file);
  double highest = 0.0;  // after the first bounce
  bool bounced = false;
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    bounced = bounced || recording.info(frame).report.active_count > 0;
    if (bounced) highest = std::max(highest, recording.state(frame).poses[1].position.y());
  }
  std::printf("%s: %ld frames, second flight reaches %.3f m\n", recording.title().c_str(),
              static_cast<long>(recording.frames()), highest);
  std::printf("state hash %s\n", recording.summary().state_hash.c_str());
}
