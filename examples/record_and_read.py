# SPDX-License-Identifier: Apache-2.0
"""Records a run, stops it half way, continues it from its file, and reads the recording."""

import sys

import vinci

file = sys.argv[1] if len(sys.argv) > 1 else "bounce.h5"
scene = vinci.Scene.parse("""
    title: a ball that bounces
    world: planar
    materials: {rubber: {restitution: 0.8}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
      ball: {shapes: [{circle: 0.05, material: rubber, density: 100}], position: [0, 0.5]}
    run: {step: 1 ms, duration: 1 s}
""")
vinci.Simulation(scene).run(until=0.5, record=file, overwrite=True)

simulation = vinci.Simulation(scene)
with vinci.Recorder.resume(file, simulation) as recorder:
    print(f"continues after step {simulation.state.step}")
    while not simulation.finished:
        simulation.step()
        recorder.after_step()

recording = vinci.Recording(file)
bounced = recording.frames["active"].cumsum() > 0
highest = recording.body("ball").position[bounced, 1].max()
print(f"{recording.title}: {len(recording)} frames, second flight reaches {highest:.3f} m")
print(f"state hash {recording.summary.state_hash}")
