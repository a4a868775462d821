# SPDX-License-Identifier: Apache-2.0
"""The maze with its controller: a run of the scene as arrays over time, and what a fall must be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import vinci

from design import MAZE, SCENE

GRAVITY = 9.81  # m/s²


@dataclass(frozen=True)
class Task:
    parameters: tuple[tuple[str, float], ...] = ()
    accuracy: float = 0.0  # 0: that of the scene
    duration: float = 0.0  # s; 0: that of the scene
    record: str | None = None


@dataclass
class Motion:
    """What is over time has one entry per step, and one for the start."""
    time: np.ndarray
    angle: np.ndarray    # rad, of the maze
    rate: np.ndarray     # rad/s
    ball: np.ndarray     # m, x and y
    speed: np.ndarray    # m/s, x and y
    turned: np.ndarray   # rad, the ball
    wanted: np.ndarray   # rad
    torque: np.ndarray   # N m
    force: np.ndarray    # λ of the ring that acts, of h in m²: N/m
    level: list[str]     # state of the machine
    events: list[tuple[float, str, str, float]]  # time, what, to, force
    least: float = 0.0   # N/m, the smallest force of a ring at any step or event

    def at(self, level: str) -> float:
        """When the machine went there, s."""
        return next(time for time, what, to, _ in self.events if what == "level" and to == level)


def follow(task: Task) -> Motion:
    options: dict[str, Any] = {}
    if task.accuracy:
        options["stepper.accuracy"] = task.accuracy
    if task.duration:
        options["duration"] = task.duration
    run = vinci.Simulation(MAZE, parameters=dict(task.parameters), options=options)
    rows: list[tuple[float, ...]] = []
    levels: list[str] = []
    events: list[tuple[float, str, str, float]] = []
    level, least = "above", math.inf

    def look(_: Any = None) -> None:
        nonlocal level, least
        state, joints, controls = run.state, run.joints, run.controls
        for event in run.events:
            what, to, force = str(event["subject"]), str(event["to"]), float(event["force"][0])
            events.append((float(event["time"]), what, to, force))
            if what == "level":
                level = to
            elif what.startswith("ring-") and to == "contact":
                least = min(least, force)
        acting = [float(mode["force"][0]) for mode in run.modes
                  if str(mode["subject"]).startswith("ring-") and mode["mode"] == "contact"]
        least = min([least, *acting])
        rows.append((state.time, joints["hub.position"], joints["hub.rate"],
                     *state.position("ball")[:2], *state.velocity("ball")[:2],
                     turn_of(state, "ball"), controls["signals.wanted"],
                     controls["signals.torque"], sum(acting)))
        levels.append(level)

    look()
    run.run(record=task.record, callback=look)
    table = np.array(rows)
    turned, wanted, torque, force = table[:, 7:].T
    return Motion(table[:, 0], table[:, 1], table[:, 2], table[:, 3:5], table[:, 5:7], turned,
                  wanted, torque, force, levels, events, least)


def turn_of(state: Any, body: str) -> float:
    """Of a body in the plane, from −π to π."""
    rotation = state.rotation(body)
    return math.remainder(2.0 * math.atan2(rotation[3], rotation[0]), 2.0 * math.pi)


def falls(distance: float, sideways: float, height: float) -> float:
    """How long a ball at rest at (sideways, height) falls until it is that far from the middle."""
    return math.sqrt(2.0 * (height - math.sqrt(distance**2 - sideways**2)) / GRAVITY)


def flight(place: np.ndarray, velocity: np.ndarray, distance: float) -> float:
    """How long a ball flies from a place until it is that far from the middle, s."""
    def gap(time: float) -> float:
        x, y = place + velocity * time - np.array([0.0, 0.5 * GRAVITY * time**2])
        return float(math.hypot(x, y) - distance)

    early, late = 0.0, 0.0
    while gap(late) > 0:
        early, late = late, late + 1e-2
    for _ in range(100):
        middle = 0.5 * (early + late)
        early, late = (middle, late) if gap(middle) > 0 else (early, middle)
    return 0.5 * (early + late)


def response(accuracy: float) -> dict[float, tuple[float, float, float, float]]:
    """The closed loop on the outermost ring from 0.02 rad beside its top: (q1, q2, q3, q4)."""
    run = vinci.Simulation(SCENE, options={"stepper.accuracy": accuracy})
    found = {}

    def look(_: Any = None) -> None:
        x, y = run.state.position("ball")[:2]
        found[round(run.state.time, 9)] = (run.joints["hub.position"], float(x), float(y),
                                           turn_of(run.state, "ball"))

    look()
    run.run(callback=look)
    return found
