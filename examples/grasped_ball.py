# SPDX-License-Identifier: Apache-2.0
"""Four pressed fingers lift a ball from a stand; then the grasp is analysed from the recording.

The same from the command line: vinci grasp grasped_ball.h5 --object ball --at 0.9
"""

import sys

import vinci

file = sys.argv[1] if len(sys.argv) > 1 else "grasped_ball.h5"
scene = vinci.Scene.parse("""
title: fingers lift a ball
world: spatial
parameters: {press: 4}
materials: {rubber: {friction: 0.6}}
bodies:
  stand:
    freedom: fixed
    shapes: [{box: [0.02, 0.02, 0.02], material: rubber}]
    position: [0, 0, -0.05]
  ball: {shapes: [{sphere: 0.04, material: rubber}], mass: 0.3}
  east:
    shapes: [{box: [0.02, 0.02, 0.02], material: rubber}]
    mass: 0.1
    position: [0.05, 0, 0]
    motion: {y: 0, z: "0.02*max(0, t - 0.4)", yaw: 0}
    force: {x: -press}
  west:
    shapes: [{box: [0.02, 0.02, 0.02], material: rubber}]
    mass: 0.1
    position: [-0.05, 0, 0]
    motion: {y: 0, z: "0.02*max(0, t - 0.4)", yaw: 0}
    force: {x: press}
  north:
    shapes: [{box: [0.02, 0.02, 0.02], material: rubber}]
    mass: 0.1
    position: [0, 0.05, 0]
    motion: {x: 0, z: "0.02*max(0, t - 0.4)", yaw: 0}
    force: {y: -press}
  south:
    shapes: [{box: [0.02, 0.02, 0.02], material: rubber}]
    mass: 0.1
    position: [0, -0.05, 0]
    motion: {x: 0, z: "0.02*max(0, t - 0.4)", yaw: 0}
    force: {y: press}
run: {step: 2 ms, duration: 1 s}
""")
vinci.Simulation(scene).run(record=file, overwrite=True)

for time in (0.2, 0.9):
    grasp = vinci.grasp.recorded(file, "ball", at=time)
    closure, quality = vinci.grasp.closure(grasp), vinci.grasp.quality(grasp)
    print(f"at {grasp.time:.1f} s, held by {', '.join(sorted(grasp.by))}:")
    print(f"  closed: {closure.closed}, margin {closure.margin:.4f}, quality {quality.upper:.4f}")
weight = [0, 0, -0.3 * 9.81, 0, 0, 0]
least = vinci.grasp.hold(grasp, weight, least="sum")
print(f"its weight takes normal forces of {least.value:.4f} N in all")
