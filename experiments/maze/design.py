# SPDX-License-Identifier: Apache-2.0
"""The ball on one ring of the maze as a linear system, and the two compensators for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import vinci

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
SCENE = FOLDER / "ring.yaml"
MAZE = ROOT / "scenes" / "ball_maze.yaml"
# The four coordinates and rates in the order of the paper.
COORDINATES = ("hub.position [rad]", "ball.x [m]", "ball.y [m]", "ball.angle [rad]",
               "hub.rate [rad/s]", "ball.vx [m/s]", "ball.vy [m/s]", "ball.spin [rad/s]")
PLACE = (-0.6, -10.0)  # zero and pole of the compensator for the place of the ball
TURN = (-0.05, -5.0)   # and of that for the angle of the maze
ZERO = 1e-5  # as large may poles at the origin be: there are two, which rounding moves by its root


def reference() -> dict[str, Any]:
    """Of an independent computation: matrices, poles, zeros, a motion."""
    file = ROOT / "tests" / "data" / "reference" / "case12_ball_maze.json"
    expected: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["expected"]
    return expected


def radii() -> list[float]:
    """Of the rings, from the outermost to the innermost, m."""
    parameters = vinci.Scene.load(MAZE).parameters
    return [parameters[f"rm{ring}"] for ring in (1, 2, 3, 4)]


def on_ring(open_loop: bool = True, outputs: tuple[str, ...] = ("ball.x", "hub.position"),
            parameters: dict[str, float] | None = None) -> vinci.Linearization:
    """Where the ball is balanced on the top of the ring, from the torque on the maze."""
    return vinci.linearize(SCENE, equilibrium=True, open_loop=open_loop, inputs="hub.torque",
                           outputs=outputs, mode={"ring": "contact"},
                           parameters={"tilt": 0.0, **(parameters or {})})


def in_maze(ring: int) -> vinci.Linearization:
    """The same from the scene of the whole maze, the ball on the ring with this number."""
    scene = yaml.safe_load(MAZE.read_text(encoding="utf-8"))
    scene["machines"]["level"]["initial"] = f"on-{ring}"
    return vinci.linearize(scene, equilibrium=True, open_loop=True, inputs="hub.torque",
                           mode={f"ring-{ring}": "contact"},
                           parameters={"beside": 0.0, "drop": radii()[ring - 1] - radii()[0]})


def matrices(found: vinci.Linearization) -> tuple[np.ndarray, np.ndarray]:
    """A and B in the order of the paper."""
    order = [list(found.system.states).index(name) for name in COORDINATES]
    return np.array(found.system.A)[np.ix_(order, order)], np.array(found.system.B)[order, 0]


def lead(gain: float, zero: float, pole: float) -> Any:
    return vinci.control.transfer_function([gain, -gain * zero], [1.0, -pole])


@dataclass(frozen=True)
class Ring:
    """What limits the gains on a ring; k2 for the gain k1 that is given."""
    radius: float     # m
    pole: float       # 1/s, the unstable one
    zero: float       # 1/s, of the angle of the maze: right of the axis
    gain: float       # from the torque to the acceleration of the ball, 1/(kg m)
    least: float      # k1 has to be larger
    most: float       # k2 has to be smaller, and larger than 0
    poles: np.ndarray  # with k1 and k2, those of the constraint left out


def plant(found: vinci.Linearization) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s²(s² − p²), and the numerators to the place of the ball and to the angle of the maze."""
    place = found.transfer_function("hub.effort", "ball.x")
    turn = found.transfer_function("hub.effort", "hub.position")
    pole = max(place["poles"].real)
    return (np.polymul([1.0, 0.0, 0.0], [1.0, 0.0, -pole**2]),
            place["gain"] * np.array([1.0, 0.0, 0.0]),
            turn["gain"] * np.real(np.poly(turn["zeros"])))


def loop_poles(found: vinci.Linearization, k1: float, k2: float) -> np.ndarray:
    """Of u = k1 lead₁ y₁ + k2 lead₂ y₂, by the polynomials."""
    down, place, turn = plant(found)
    one, two = np.poly([PLACE[1]]), np.poly([TURN[1]])
    whole = np.polymul(down, np.polymul(one, two))
    for gain, zero, other, up in ((k1, PLACE[0], two, place), (k2, TURN[0], one, turn)):
        whole = np.polysub(whole, gain * np.polymul(np.polymul([1.0, -zero], other), up))
    return np.roots(whole)


def is_stable(poles: np.ndarray) -> bool:
    return bool(np.max(poles.real) < 0)


def bisected(good: float, bad: float, holds: Any) -> float:
    for _ in range(100):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return 0.5 * (good + bad)


def limits(k1: float, k2: float, radius: float) -> Ring:
    """Gains that are allowed on a ring: the first by Routh's rule, the second by bisection."""
    found = on_ring(parameters={"rm": radius})
    channel = found.transfer_function("hub.effort", "ball.x")
    pole, gain = max(channel["poles"].real), channel["gain"]
    zero = max(found.transfer_function("hub.effort", "hub.position")["zeros"].real)
    # (s² − p²)(s + 10) + κ (s + 0.6): its last coefficient changes sign first.
    least = pole**2 * PLACE[1] / PLACE[0] / -gain
    # The second loop closed with hardly any gain is stable wherever it can be.
    tiny = 1e-6 * k1
    most = 0.0
    if is_stable(loop_poles(found, k1, tiny)):
        most = bisected(tiny, 100 * k1, lambda k: is_stable(loop_poles(found, k1, k)))
    return Ring(radius, pole, zero, gain, least, most, loop_poles(found, k1, k2))


def without_constraint(poles: np.ndarray, count: int) -> np.ndarray:
    """The `count` poles that are not those of s² + 10 s + 25."""
    return poles[np.argsort(-np.abs(poles + 5.0))][:count]


def distance(found: np.ndarray, wanted: np.ndarray) -> float:
    """Of two sets of poles: each of the wanted ones to the nearest of those that are left."""
    rest, most = list(found), 0.0
    for value in wanted:
        nearest = min(rest, key=lambda other: abs(other - value))
        most = max(most, abs(nearest - value))
        rest.remove(nearest)
    return most
