# SPDX-License-Identifier: Apache-2.0
"""Do boxes stay where statics says that they can, and fall elsewhere, whatever the solver?"""

from __future__ import annotations

import pathlib
from functools import lru_cache
from typing import Any, NamedTuple

import grasps
import hands
import numpy as np

import vinci

SCENE = pathlib.Path(__file__).resolve().with_name("grasp.yaml")
FACTORS = {0.95: False, 1.05: True, 2.0: True}  # of the force needed: whether it holds
STEPS = 10
HELD, DROPPED = 1e-8, 1e-4  # m/s, of every point of the box: below, and above
CONES = (0, 4, 8, 16, 64)  # sides of the pyramid; 0: the exact cone

# On pyramids these often end without an answer, after minutes, and say so.
WEAK = ("admm", "augmented-lagrangian", "principal-pivoting")


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


class Run(NamedTuple):
    """How a held box fares."""

    holds: bool | None  #: None: a step was not solved, or did not see all contacts
    open_steps: int  #: whose loads rigid bodies leave open: the rule decided
    left_steps: int  #: in which the rule had no answer
    motion: bytes  #: velocities of all bodies in every step


def follow(simulation: vinci.Simulation, contacts: int, length: float) -> Run:
    """Whether the box stays where it is."""
    open_steps = left_steps = 0
    speed = 0.0
    motion = b""
    for _ in range(STEPS):
        report = simulation.step()
        motion += np.asarray(simulation.state.velocities).tobytes()
        open_steps += report.selected > 0
        left_steps += report.unselected > 0
        if report.contacts < contacts or report.status != "solved":
            return Run(None, open_steps, left_steps, motion)
        velocity = simulation.state.velocity("box")
        speed = float(np.abs(velocity[:3]).max() + np.abs(velocity[3:]).max() * length)
        if speed > DROPPED:
            break
    return Run(speed < HELD, open_steps, left_steps, motion)


class Verdict(NamedTuple):
    kind: str
    number: int
    sides: int
    factor: float
    solver: str
    right: bool | None
    open_steps: int
    left_steps: int
    motion: bytes


def judge(task: tuple[str, int, tuple[int, ...], bool]) -> list[Verdict]:
    """Of one grasp ("pads") or hand ("hands"): by `auto`, or by every solver as well."""
    kind, number, cones, every = task
    thing: Any = (grasps if kind == "pads" else hands).sampled(number)
    results = []
    for sides in cones:
        needed = (grasps if kind == "pads" else hands).needed_force(thing, sides)
        for factor, held in FACTORS.items():
            for solver in solvers(sides) if every else ("auto",):
                if kind == "pads":
                    run = follow(
                        vinci.Simulation(load_scene(), parameters=thing.parameters(factor * needed),
                                         solver=solver, options=options(sides)), 8, thing.length)
                else:
                    run = follow(vinci.Simulation(thing.scene(factor * needed), solver=solver,
                                                  options=options(sides)),
                                 thing.contacts, thing.size[0])
                right = None if run.holds is None else run.holds is held
                results.append(Verdict(kind, number, sides, factor, solver, right, *run[1:]))
    return results
