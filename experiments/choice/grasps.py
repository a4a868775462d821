# SPDX-License-Identifier: Apache-2.0
"""Boxes held by two pads: is the verdict that of statics, whatever the solver?

A grasp holds where forces exist that balance the weight: within the friction of each corner, and
with the force of the drive as the sum of the normal forces of each pad. The least such force is the
optimum of a linear program where friction is a polygon. A circle lies between a polygon within and
one around it.
"""

from __future__ import annotations

import math
import pathlib
import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import linprog

import vinci

SCENE = pathlib.Path(__file__).resolve().with_name("grasp.yaml")
SEED = 13
GRAVITY = 9.81
FACTORS = {0.95: False, 1.05: True, 2.0: True}  # of the force needed: whether it holds
STEPS = 10
MOST = 100.0  # times the weight: grasps that need more are left out
HELD, DROPPED = 1e-8, 1e-4  # m/s, of every point of the box: below, and above
FINE = 200  # sides of the polygon for a circle: 6e-5 of it
CONES = (0, 4, 8, 16, 64)  # sides of the pyramid; 0: the exact cone

# On pyramids these often end without an answer, after minutes, and say so.
WEAK = ("admm", "augmented-lagrangian", "principal-pivoting")


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


@lru_cache(maxsize=1)
def load_scene() -> vinci.Scene:
    return vinci.Scene.load(SCENE)


def options(sides: int) -> dict[str, Any]:
    return {"cone": "pyramid", "directions": sides} if sides else {"cone": "quadratic"}


@lru_cache(maxsize=None)
def solvers(sides: int) -> tuple[str, ...]:
    """Those that take this cone."""
    names = []
    for name in vinci.solvers():
        if sides and name in WEAK:
            continue
        try:
            vinci.Simulation(load_scene(), solver=name, options=options(sides))
        except vinci.Error:
            continue
        names.append(name)
    return tuple(names)


def holds(grasp: Grasp, force: float, sides: int, solver: str) -> tuple[bool | None, int, int]:
    """Whether the box stays where it is (None: a step was not solved), and in how many steps the
    rule decided, and gave no answer."""
    simulation = vinci.Simulation(load_scene(), parameters=grasp.parameters(force), solver=solver,
                                  options=options(sides))
    selected = unselected = 0
    speed = 0.0
    for _ in range(STEPS):
        report = simulation.step()
        if report.contacts != 8 or report.status != "solved":
            return None, selected, unselected
        selected += report.selected > 0
        unselected += report.unselected > 0
        velocity = simulation.state.velocity("box")
        speed = float(np.abs(velocity[:3]).max() + np.abs(velocity[3:]).max() * grasp.length)
        if speed > DROPPED:
            return False, selected, unselected
    return speed < HELD, selected, unselected


def judge(task: tuple[int, tuple[int, ...]]
          ) -> list[tuple[int, str, float, bool | None, int, int]]:
    """Of one grasp: sides, solver, factor, whether the verdict is right (None: a step was not solved,
    and said so), steps selected and not."""
    number, cones = task
    grasp = sampled(number)
    results = []
    for sides in cones:
        needed = needed_force(grasp, sides)
        if needed > MOST * grasp.mass * GRAVITY:
            continue
        for factor, held in FACTORS.items():
            for solver in solvers(sides):
                verdict, selected, unselected = holds(grasp, factor * needed, sides, solver)
                right = None if verdict is None else verdict is held
                results.append((sides, solver, factor, right, selected, unselected))
    return results
