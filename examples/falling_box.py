# SPDX-License-Identifier: Apache-2.0
"""A scene built in code, stepped to the end: a box falls 0.5 m onto the floor and comes to rest."""

import math

import vinci

scene = vinci.Scene.from_dict({
    "world": "spatial",
    "materials": {"wood": {"friction": 0.5}},
    "bodies": {
        "floor": {"freedom": "fixed", "shapes": [{"half-space": {}, "material": "wood"}]},
        "box": {
            "shapes": [{"box": [0.2, 0.2, 0.2], "material": "wood", "density": 500}],
            "position": [0, 0, 0.6],
        },
    },
    "run": {"step": "1 ms", "duration": "1 s"},
})
simulation = vinci.Simulation(scene)
landed = -1.0
while not simulation.finished:
    report = simulation.step()
    if landed < 0.0 and report.active > 0:
        landed = simulation.state.time

height = simulation.state.position("box")[2]
print(f"landed at {landed:.3f} s (free fall: {math.sqrt(2 * 0.5 / 9.81):.3f} s)")
print(f"rests at {height:.6f} m; last step: {simulation.report.status}")
print(f"state hash {simulation.state.hash}")
