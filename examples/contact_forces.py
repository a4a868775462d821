# SPDX-License-Identifier: Apache-2.0
"""Contacts and forces of a step, and a parameter changed between steps: a block that sticks on an
incline until its friction is lowered."""

import numpy as np

import vinci

simulation = vinci.Simulation(vinci.Scene.parse("""
    world: planar
    parameters: {mu: 0.6}
    materials: {wood: {friction: mu}}
    bodies:
      incline: {freedom: fixed, shapes: [{half-plane: {angle: 20 deg}, material: wood}]}
      block: {shapes: [{box: [0.2, 0.1], material: wood, density: 50}], pose: {on: incline, at: 0}}
    run: {step: 1 ms, duration: 1 s}
"""))


def forces() -> None:
    contacts = simulation.contacts  # a NumPy view of the last step's contacts
    normal, friction, _ = contacts["impulse"].sum(axis=0) / simulation.step_size  # N
    speed = np.linalg.norm(simulation.state.velocities[:2])
    print(f"t = {simulation.state.time:.3f} s: {len(contacts)} contacts, normal {normal:.4f} N, "
          f"friction {abs(friction):.4f} N, speed {speed:.4f} m/s")


simulation.step(500)
forces()
simulation.parameters["mu"] = 0.2
simulation.step(500)
forces()
print(f"state hash {simulation.state.hash}")
