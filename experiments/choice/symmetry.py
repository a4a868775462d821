# SPDX-License-Identifier: Apache-2.0
"""Scenes with a symmetry: do they keep it, and does their order in the file matter?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import vinci

FLOOR = {"freedom": "fixed", "shapes": [{"half-space": {}, "material": "m"}]}
STEPS = 100
STEP = 2e-3  # s


def scene(friction: float, bodies: dict[str, Any]) -> dict[str, Any]:
    return {"world": "spatial", "gravity": [0, 0, -9.81],
            "materials": {"m": {"friction": friction}},
            "bodies": {"floor": FLOOR, **bodies},
            "run": {"step": STEP, "duration": STEP * STEPS}}  # fmt: skip


def foot(x: float, y: float, z: float, radius: float = 0.01) -> dict[str, Any]:
    return {"sphere": {"radius": radius}, "position": [x, y, z], "material": "m"}


def rod() -> dict[str, Any]:
    """A rod that slides into Painlevé's paradox on two feet beside each other. Mirror: y."""
    angle, half = math.radians(55), 0.5
    x, z = half * math.cos(angle), half * math.sin(angle)
    body = {"shapes": [foot(-x, 0.05, -z), foot(-x, -0.05, -z)], "mass": 1,
            "inertia": [1 / 12, 1 / 12, 0.01], "position": [0, 0, z + 0.01],
            "velocity": [-3, 0, 0]}  # fmt: skip
    return scene(1.6, {"rod": body})


def tripod() -> dict[str, Any]:
    """Turns as it lands on three feet. Rotations by 120 degrees about z."""
    feet = [foot(0.1 * math.cos(a), 0.1 * math.sin(a), -0.05)
            for a in (0.3 + 2 * math.pi * k / 3 for k in range(3))]  # fmt: skip
    body = {"shapes": feet, "mass": 1, "inertia": [0.01, 0.01, 0.02], "position": [0, 0, 0.065],
            "velocity": [0, 0, -0.3], "spin": [0, 0, 3]}  # fmt: skip
    return scene(0.4, {"tripod": body})


def stack() -> dict[str, Any]:
    """Three boxes that land on each other, the uppermost spinning. Rotations by 180 degrees."""
    bodies: dict[str, Any] = {}
    for k in range(3):
        bodies[f"box{k}"] = {
            "shapes": [{"box": [0.2 - 0.03 * k, 0.16 - 0.02 * k, 0.1], "material": "m"}], "mass": 1,
            "position": [0, 0, 0.05 + 0.101 * k + 0.001]}  # fmt: skip
    bodies["box2"]["spin"] = [0, 0, 2]
    return scene(0.5, bodies)


def wheel() -> dict[str, Any]:
    """Six balls run into one in their middle. Rotations by 60 degrees."""
    bodies: dict[str, Any] = {
        "hub": {"shapes": [{"sphere": 0.05, "material": "m"}], "mass": 1, "position": [0, 0, 0.05]}}
    for k in range(6):
        c, s = math.cos(math.pi * k / 3), math.sin(math.pi * k / 3)
        bodies[f"ball{k}"] = {"shapes": [{"sphere": 0.05, "material": "m"}], "mass": 1,
                              "position": [0.12 * c, 0.12 * s, 0.05],
                              "velocity": [-c - 0.2 * s, -s + 0.2 * c, 0]}  # fmt: skip
    return scene(0.4, bodies)


def centred(state: vinci.State, bodies: list[str]) -> float:
    """Bodies whose middle stays on the z axis and that turn about it alone."""
    worst = 0.0
    for body in bodies:
        velocity = state.velocity(body)
        worst = max(worst, *np.abs(state.position(body)[:2]), *np.abs(velocity[:2]),
                    *np.abs(velocity[3:5]))  # fmt: skip
    return worst


def rod_error(state: vinci.State) -> float:
    velocity = state.velocity("rod")
    return float(max(abs(state.position("rod")[1]), *np.abs(velocity[[1, 3, 5]])))


def wheel_error(state: vinci.State) -> float:
    worst = centred(state, ["hub"])
    for k in range(1, 6):
        c, s = math.cos(math.pi * k / 3), math.sin(math.pi * k / 3)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        first, ball = state.velocity("ball0"), state.velocity(f"ball{k}")
        worst = max(worst, np.abs(turn @ first[:3] - ball[:3]).max(),
                    np.abs(turn @ first[3:] - ball[3:]).max(),
                    np.abs(turn @ state.position("ball0") - state.position(f"ball{k}")).max())
    return float(worst)


Error = Callable[[vinci.State], float]
SCENES: dict[str, tuple[Callable[[], dict[str, Any]], Error]] = {
    "rod, mirror": (rod, rod_error),
    "tripod, 120°": (tripod, lambda state: centred(state, ["tripod"])),
    "stack, 180°": (stack, lambda state: centred(state, ["box0", "box1", "box2"])),
    "wheel, 60°": (wheel, wheel_error),
}


def reordered(given: dict[str, Any]) -> dict[str, Any]:
    """The same scene with its bodies, and the shapes of each, in the opposite order."""
    bodies = {name: {**body, "shapes": body["shapes"][::-1]}
              for name, body in reversed(given["bodies"].items())}  # fmt: skip
    return {**given, "bodies": bodies}


def follow(task: tuple[str, str]) -> tuple[float, float, int, int] | None:
    """Over all steps: how far from symmetric, how far from the same scene in another order, steps
    that the rule decided, and that it left. None where the solver does not take the scene."""
    name, solver = task
    make, error = SCENES[name]
    given = make()
    try:
        runs = [vinci.Simulation(vinci.Scene.from_dict(one), solver=solver)
                for one in (given, reordered(given))]  # fmt: skip
    except vinci.Error:
        return None
    bodies = [body for body in given["bodies"] if body != "floor"]
    worst = apart = 0.0
    selected = unselected = 0
    for _ in range(STEPS):
        report = runs[0].step()
        runs[1].step()
        selected += report.selected > 0
        unselected += report.unselected > 0
        worst = max(worst, error(runs[0].state))
        for body in bodies:
            apart = max(apart, *np.abs(runs[0].state.position(body) - runs[1].state.position(body)),
                        *np.abs(runs[0].state.velocity(body) - runs[1].state.velocity(body)))
    return worst, apart, selected, unselected
