# SPDX-License-Identifier: Apache-2.0
"""Velocity fields of a vibrating plate, and the plate motion that makes a wanted one.

The plate has six periodic accelerations of one frequency, each with a cosine and a sine part. Where
they are small against the plate, a point at (x, y) sees the velocity of the plate there, the load
g + z'' + roll'' y - pitch'' x, and a surface that is tilted by roll and pitch. Its motion settles within
a few periods; the mean velocity that it then has is the field. Nothing here uses Vinci."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

G = 9.81
RATE = 66 * np.pi  # rad/s
AXES = ("x", "y", "z", "roll", "pitch", "yaw")
REACH = 0.03  # m, half of the side of the square that a field is wanted on
DESIGNS = Path(__file__).resolve().parent / "designs.json"

Field = Callable[[np.ndarray], np.ndarray]
WANTED: dict[str, Field] = {
    "translate": lambda at: np.stack([np.full(len(at), 0.015), np.zeros(len(at))], axis=1),
    "rotate": lambda at: np.stack([-1.0 * at[:, 1], 1.0 * at[:, 0]], axis=1),
    "squeeze": lambda at: np.stack([-0.4 * at[:, 0], np.zeros(len(at))], axis=1),
}


def grid(count: int, reach: float = REACH) -> np.ndarray:
    ticks = np.linspace(-reach, reach, count)
    return np.array([(x, y) for x in ticks for y in ticks])


def velocity_field(motion: np.ndarray, at: np.ndarray, mu: float, steps: int = 80,
                   settle: int = 8) -> np.ndarray:
    """Of a motion (6 axes, cosine and sine part of the acceleration) at the points `at`."""
    h = 2 * np.pi / RATE / steps
    x, y = at.T
    # Mean over a step of a sine is that of its integral's difference: exact in the plate's velocity.
    phase = RATE * h * np.arange(steps + 1)
    wave = np.stack([np.cos(phase), np.sin(phase)])
    place = -motion @ wave / RATE**2
    moved = np.stack([place[0][:, None] - place[5][:, None] * y,
                      place[1][:, None] + place[5][:, None] * x], axis=-1)
    speed = np.diff(moved, axis=0) / h
    middle = phase[:-1] + 0.5 * RATE * h
    rate = motion @ np.stack([np.cos(middle), np.sin(middle)])
    tilt = -rate / RATE**2
    load = np.maximum(0.0, G + rate[2][:, None] + rate[3][:, None] * y - rate[4][:, None] * x)
    push = np.stack([load * tilt[4][:, None], -load * tilt[3][:, None]], axis=-1)
    v = np.zeros((len(at), 2))
    total = np.zeros_like(v)
    for period in range(settle):
        for k in range(steps):
            slip = v + h * push[k] - speed[k]
            size = np.sqrt((slip**2).sum(axis=1)) + 1e-300
            v = speed[k] + slip * np.maximum(0.0, 1 - mu * h * load[k] / size)[:, None]
            if period == settle - 1:
                total += v
    return total / steps


def least_load(motion: np.ndarray, at: np.ndarray) -> float:
    """Over the mass and over a period, at these points."""
    parts = (motion[2] + np.outer(at[:, 1], motion[3]) - np.outer(at[:, 0], motion[4]))
    return float(G - np.hypot(parts[:, 0], parts[:, 1]).max())


def miss(motion: np.ndarray, wanted: Field, at: np.ndarray, mu: float) -> float:
    """Of the field, over the size of the wanted one."""
    goal = wanted(at)
    got = velocity_field(motion, at, mu, steps=160, settle=12)
    return float(np.sqrt(((got - goal) ** 2).sum() / (goal**2).sum()))


def find(wanted: Field, mu: float, seed: int, start: np.ndarray | None = None,
         calls: int = 60) -> tuple[float, np.ndarray]:
    """The motion whose field is nearest to the wanted one, from one start."""
    at = grid(5)
    goal = wanted(at)
    size = np.sqrt((goal**2).sum())
    chance = np.random.default_rng(seed)
    scale = np.array([8.0, 8.0, 4.0, 60.0, 60.0, 200.0])[:, None]
    begin = chance.uniform(-1, 1, (6, 2)) if start is None else start / scale

    def cost(flat: np.ndarray) -> np.ndarray:
        motion = flat.reshape(6, 2) * scale
        off = (velocity_field(motion, at, mu) - goal).ravel() / size
        # Contact must not be lost; among motions that do equally well, the gentlest.
        return np.concatenate([off, [max(0.0, 1.5 - least_load(motion, at))], 2e-3 * flat])

    found = least_squares(cost, begin.ravel(), max_nfev=calls, diff_step=1e-4)
    motion = found.x.reshape(6, 2) * scale
    return miss(motion, wanted, at, mu), motion


def shifted(wanted: Field, at: np.ndarray, by: np.ndarray) -> Field:
    """The wanted field less the linear one nearest to the vectors `by` at the points `at`."""
    base = np.column_stack([np.ones(len(at)), at])
    parts = np.linalg.lstsq(base, by, rcond=None)[0]
    return lambda where: wanted(where) - np.column_stack([np.ones(len(where)), where]) @ parts


def stored() -> dict[str, np.ndarray]:
    return {name: np.array([motion[axis] for axis in AXES])
            for name, motion in json.loads(DESIGNS.read_text("utf-8")).items()}
