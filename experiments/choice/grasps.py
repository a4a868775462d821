# SPDX-License-Identifier: Apache-2.0
"""Boxes held by two pads, and the force that statics asks for.

A grasp holds where forces exist that balance the weight: within the friction of each corner, and
with the force of the drive as the sum of the normal forces of each pad. The least such force is the
optimum of a linear program where friction is a polygon. A circle lies between a polygon within and
one around it.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

SEED = 13
GRAVITY = 9.81
MOST = 100.0  # times the weight: grasps that need more are left out
FINE = 200  # sides of the polygon for a circle: 6e-5 of it


@dataclass(frozen=True)
class Grasp:
    """Sizes in m, mass in kg, turns in rad: the parameters of grasp.yaml."""

    length: float
    width: float
    height: float
    mass: float
    mu: float
    pad: float
    left: tuple[float, float, float]  # y, z, turn
    right: tuple[float, float, float]

    def parameters(self, force: float) -> dict[str, float]:
        pads = {f"{side}_{name}": value
                for side, pose in (("left", self.left), ("right", self.right))
                for name, value in zip(("y", "z", "turn"), pose)}  # fmt: skip
        return {"length": self.length, "width": self.width, "height": self.height,
                "mass": self.mass, "mu": self.mu, "pad": self.pad, "force": force,
                **pads}  # fmt: skip

    def corners(self) -> np.ndarray:
        """The eight corners of the pads on the box, those of the left pad first."""
        points = []
        for x, (y, z, turn) in ((-self.length / 2, self.left), (self.length / 2, self.right)):
            c, s = math.cos(turn), math.sin(turn)
            for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
                p, q = a * self.pad / 2, b * self.pad / 2
                points.append((x, y + c * p - s * q, z + s * p + c * q))
        return np.array(points)


def sampled(number: int) -> Grasp:
    """The grasp of this number: keyed, so that it does not depend on the others."""
    chance = random.Random(f"{SEED} grasp {number}")
    size = [chance.uniform(0.06, 0.15) for _ in range(3)]
    pad = chance.uniform(0.1, 0.4) * min(size[1:])

    def pose() -> tuple[float, float, float]:
        # The pad lies on the side of the box, however it is turned.
        y, z = (chance.uniform(-0.5, 0.5) * 0.98 * (side - math.sqrt(2) * pad) for side in size[1:])
        return y, z, chance.uniform(-math.pi / 4, math.pi / 4)

    return Grasp(*size, chance.uniform(0.1, 3), chance.uniform(0.2, 1), pad, pose(), pose())


def needed_force(grasp: Grasp, sides: int) -> float:
    """The least force of a drive at which friction within polygons of so many sides holds the box.
    The first corner of a polygon lies along y. 0: circles."""
    count = sides or FINE
    angles = 2 * math.pi * np.arange(count) / count
    size = 1.0 if sides else 0.5 * (1 + 1 / math.cos(math.pi / count))  # between within and around
    weight = grasp.mass * GRAVITY
    points = grasp.corners() / grasp.length
    normals = np.repeat([[1.0, 0, 0], [-1.0, 0, 0]], 4, axis=0)
    around = np.stack([0 * angles, np.cos(angles), np.sin(angles)], axis=1)
    # Forces on the polygon's corners: all others are their mixtures.
    forces = (normals[:, None] + grasp.mu * size * around[None]).reshape(-1, 3)
    torques = np.cross(np.repeat(points, count, axis=0), forces)
    # Balance of the box, and one force for both pads, the last unknown.
    balance = np.zeros((8, len(forces) + 1))
    balance[:3, :-1], balance[3:6, :-1] = forces.T, torques.T
    balance[6, :4 * count], balance[7, 4 * count:-1] = 1, 1
    balance[6:, -1] = -1
    right = np.array([0, 0, 1.0, 0, 0, 0, 0, 0])  # of the weight
    cost = np.zeros(len(forces) + 1)
    cost[-1] = 1
    found = linprog(cost, A_eq=balance, b_eq=right, method="highs")
    return weight * found.fun if found.success else math.inf


def numbers(count: int) -> list[int]:
    """Of the first grasps that can be held within MOST; a polygon of 4 sides lies in all others."""
    found: list[int] = []
    number = 0
    while len(found) < count:
        grasp = sampled(number)
        if needed_force(grasp, 4) <= MOST * grasp.mass * GRAVITY:
            found.append(number)
        number += 1
    return found
