# SPDX-License-Identifier: Apache-2.0
"""The designs of experiments/feeder under every stepper and solver that takes them: how the cup
leaves, whether the steps have one motion, and whether another choice would change how it leaves."""

from __future__ import annotations

import math
import pathlib
import sys
from functools import lru_cache

import numpy as np

import vinci

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "feeder"))

import feeder  # noqa: E402

STEP = 1e-3  # s, of feeder.yaml
STEPPERS = ("stewart-trinkle", "anitescu-potra", "song-pang-kumar")


@lru_cache(maxsize=None)
def solvers(stepper: str) -> tuple[str, ...]:
    """Those that take the steps of a cup that falls through the feeder."""
    names = []
    for name in vinci.solvers():
        try:
            simulation = vinci.Simulation(feeder.load_scene(), stepper=stepper, solver=name)
            simulation.step()
        except vinci.Error:
            continue
        names.append(name)
    return tuple(names)


def outcome(task: tuple[str, str, str, feeder.Uncertain, int]) -> tuple[str, int, int, int, int]:
    """How the cup leaves; steps, those the rule decided, those it left, those not certified."""
    name, stepper, solver, point, finer = task
    scene = feeder.load_scene()
    parameters = {**feeder.metres(feeder.DESIGNS[name]), **point.parameters(scene.parameters)}
    step = STEP / finer
    simulation = vinci.Simulation(scene, parameters=parameters, stepper=stepper, solver=solver,
                                  duration=feeder.LONGEST, step=step)
    end = -simulation.parameters["chute_depth"] - simulation.parameters["cup_height"]
    counts = [0, 0, 0, 0]
    before = None
    for look in range(1, round(feeder.LONGEST / feeder.LOOK) + 1):
        while simulation.state.time < look * feeder.LOOK - 0.5 * step:
            report = simulation.step()
            counts[0] += 1
            counts[1] += report.selected > 0
            counts[2] += report.unselected > 0
            counts[3] += report.status != "solved"
        pose = simulation.state.poses[simulation.model.body("cup").index]
        angle = 2 * math.atan2(pose[6], pose[3])
        if pose[1] < end:
            upright = math.cos(angle) > math.cos(feeder.UPRIGHT)
            return ("good" if upright else "wrong way", *counts)
        now = np.array([pose[0], pose[1], 0.02 * angle])
        if look > 10 and before is not None and np.abs(now - before).max() < 1e-6:
            break
        before = now
    return ("stuck", *counts)


LEAVES = 8  # runs that are followed at a time
APART = 0.2  # of the cosine of the angle at which the cup leaves


def choices(task: tuple[str, str, feeder.Uncertain]) -> tuple[str, int, int, int, str]:
    """How the cup leaves by `auto`; steps, those with several motions, those where this is not
    known; whether the other motions of these steps lead to the same end."""
    name, stepper, point = task
    word, steps, *_ = outcome((name, stepper, "auto", point, 1))
    scene = feeder.load_scene()
    run = {"parameters": {**feeder.metres(feeder.DESIGNS[name]),
                          **point.parameters(scene.parameters)},
           "stepper": stepper, "duration": steps * STEP}  # fmt: skip
    simulation = vinci.Simulation(scene, diagnose="flag", **run)
    words = [simulation.step().uniqueness for _ in range(steps)]
    found = vinci.branches(scene, LEAVES, quantity="cos(cup.angle)", tolerance=APART, **run)
    return word, steps, words.count("several"), words.count("unknown"), found.verdict
