# SPDX-License-Identifier: Apache-2.0
"""Code that takes part in a run: a controller with a memory pushes a block to a mark on a table,
and the table is shaken by a motion given in code."""

import vinci
from vinci import portable


class PushToMark(vinci.Controller):
    """Force = p · error − d · speed + i · ∫ error dt, of the block's x; the integral is its
    memory."""

    memory_size = 1

    def __init__(self, mark):
        super().__init__()
        self.mark = mark  # m

    def act(self, model, state, h, forces, memory):
        x = model.body("block").velocity.start
        error = self.mark - state.position("block")[0]
        memory[0] += h * error
        forces[x] += 60.0 * error - 12.0 * state.velocities[x] + 80.0 * memory[0]


class Shake(vinci.Motion):
    """2 mm to and fro at 5 rad/s."""

    def at(self, time):
        a, w = 0.002, 5.0
        s, c = portable.sin(w * time), portable.cos(w * time)
        return a * s, a * w * c, -a * w * w * s


scene = vinci.Scene.parse("""
    world: planar
    materials: {wood: {friction: 0.2}}
    bodies:
      table: {shapes: [{half-plane: {}, material: wood}], motion: {x: 0, y: 0, angle: 0}}
      block: {shapes: [{box: [0.1, 0.1], material: wood, density: 100}], position: [0, 0.05]}
    run: {step: 1 ms, duration: 3 s}
""")
simulation = vinci.Simulation(scene, controllers=[PushToMark(0.5)],
                              motions={("table", "x"): Shake()})
simulation.run()

state = simulation.state
print(f"after {state.time:.0f} s the block is {1000 * (0.5 - state.position('block')[0]):.1f} mm "
      f"from its mark, the integral {state.controls[0]:.4f} m s")
print(f"state hash {state.hash}")
