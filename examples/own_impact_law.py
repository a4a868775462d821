# SPDX-License-Identifier: Apache-2.0
"""An impact law written in Python: contacts of a row of balls are hit one after the other, so that
the last ball alone flies off, as in Newton's cradle. The built-in laws share the impact in one
instant."""

import numpy as np

import vinci

SCENE = {
    "world": "planar",
    "gravity": [0, 0],
    "materials": {"steel": {"restitution": 1}},
    "bodies": {
        f"ball-{i}": {
            "shapes": [{"circle": 0.5, "material": "steel"}],
            "mass": 1,
            "position": [i if i > 0 else -0.5, 0],
            "velocity": [1 if i == 0 else 0, 0],
        }
        for i in range(5)
    },
    "run": {"step": "10 ms", "duration": 1, "impact-time": "bisect"},
}


class Sequential(vinci.ImpactLaw):
    """Without friction: the fastest contact is hit by Newton's law until none closes."""

    def apply(self, impact):
        problem = impact.problem
        minv = np.linalg.inv(problem.M.toarray())
        normals = problem.J.toarray()[impact.rows]
        driven = problem.b[impact.rows]
        u, impulse = impact.u, np.zeros(problem.rows)
        start = -(normals @ u + driven).min()
        while True:
            velocity = normals @ u + driven
            i = velocity.argmin()
            if velocity[i] >= -1e-9 * start:
                return impulse
            hit = -(1 + impact.restitution[i]) * velocity[i] / (normals[i] @ minv @ normals[i])
            impulse[impact.rows[i]] += hit
            u += minv @ normals[i] * hit


def velocities(law):
    simulation = vinci.Simulation(vinci.Scene.from_dict(SCENE), impact_law=law)
    simulation.run()
    return [abs(round(simulation.state.velocity(f"ball-{i}")[0], 6)) for i in range(5)]


if __name__ == "__main__":
    print("sequential:", *velocities(Sequential))
    print("poisson:   ", *velocities("poisson"))
