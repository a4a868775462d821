# SPDX-License-Identifier: Apache-2.0
"""A solver and a time stepper written in Python: projected Gauss-Seidel for contacts with friction
in the plane, and a step that uses whatever solver the simulation has."""

import numpy as np

import vinci

SCENE = """
    world: planar
    materials: {wood: {friction: 0.4}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
      block:
        shapes: [{box: [0.2, 0.1], material: wood, density: 100}]
        position: [0, 0.05]
        velocity: [1, 0]
    run: {step: 1 ms, duration: 0.5 s}
"""


class Sweeps(vinci.Solver):
    """Projected Gauss-Seidel on W λ + q. What it reached is measured by the judge, not by itself."""

    tolerance = 1e-9

    def why_not(self, problem):
        planar = all(block.law == "coulomb" and block.size == 2 for block in problem.blocks)
        return "" if planar else "only planar contacts with friction"

    def solve(self, problem, guess):
        J, minv = problem.J.toarray(), np.linalg.inv(problem.M.toarray())
        W, q = J @ minv @ J.T, J @ (minv @ problem.p) + problem.b
        impulse = guess.copy()
        for _ in range(2000):
            before = impulse.copy()
            for block in problem.blocks:
                n, t = block.offset, block.offset + 1
                impulse[n] = max(0.0, impulse[n] - (W[n] @ impulse + q[n]) / W[n, n])
                limit = block.friction * impulse[n]
                impulse[t] = np.clip(impulse[t] - (W[t] @ impulse + q[t]) / W[t, t], -limit, limit)
            if np.abs(impulse - before).max() <= 1e-14 * np.abs(impulse).max(initial=1.0):
                break
        return impulse


def stopping_place(**choices):
    simulation = vinci.Simulation(vinci.Scene.parse(SCENE), **choices)
    summary = simulation.run()
    return simulation.state.position("block")[0], summary.worst_residual


if __name__ == "__main__":
    place, residual = stopping_place(solver=Sweeps())
    expected, _ = stopping_place()
    print(f"own solver: stops at {place:.6f} m, built-in: {expected:.6f} m, "
          f"worst residual {residual:.0e}")
