# SPDX-License-Identifier: Apache-2.0
"""The ball's motions: event by event, by time-stepping, and, without Vinci, by an integrator of SciPy
and in closed form."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import vinci

FOLDER = Path(__file__).resolve().parent
G = 9.81
STIFFNESS, CUBIC = 100.0, 1e6  # of the paper, 1/s² and 1/(m² s²)


@functools.lru_cache(maxsize=None)
def scene(name: str) -> vinci.Scene:
    return vinci.Scene.load(FOLDER / f"{name}.yaml")


@dataclass(frozen=True)
class Bounces:
    """What to run event by event."""
    damping: float
    until: float
    accuracy: float = 1e-8
    step: float = 0.01
    start: float = 1.0
    scene: str = "ball"


@dataclass(frozen=True)
class Motion:
    time: np.ndarray   # s
    gap: np.ndarray    # m
    rate: np.ndarray   # m/s
    force: np.ndarray  # N
    mode: np.ndarray   # 0 free, 1 contact, 2 ballistic
    events: np.ndarray


MODES = {"free": 0, "contact": 1, "ballistic": 2}


def bounce(task: Bounces) -> Motion:
    simulation = vinci.Simulation(
        scene(task.scene), parameters={"alpha1": task.damping, "start": task.start},
        step=task.step, duration=task.until, options={"stepper.accuracy": task.accuracy})
    rows, events = [(0.0, task.start, 0.0, 0.0, 0)], []
    while not simulation.finished:
        report = simulation.step()
        assert report.status == "solved", report.status
        events.append(simulation.events)
        mode = simulation.modes[0]
        rows.append((simulation.state.time, mode["gap"], mode["gap_rate"], mode["force"][0],
                     MODES[mode["mode"]]))
    return Motion(*np.array(rows).T, np.concatenate(events))


def peaks(events: np.ndarray) -> np.ndarray:
    """Heights between the bounces, from where the force ends."""
    ends = events[events["from"] == "contact"]
    return ends["gap"] + ends["gap_rate"] ** 2 / (2.0 * G)


def energies(events: np.ndarray) -> np.ndarray:
    """What every impact adds to the energy of 1 kg, J."""
    begins = events[events["to"] == "contact"]
    ends = events[events["from"] == "contact"]
    begins = begins[: len(ends)]
    energy = [e["gap_rate"] ** 2 / 2.0 + G * e["gap"] for e in (begins, ends)]
    return energy[1] - energy[0]


def let_go() -> float:
    """Where the force of an undamped contact ends, m: α₀ h + α₂ h³ = g."""
    real = np.roots([CUBIC, 0.0, STIFFNESS, -G])
    return float(real[np.abs(real.imag) < 1e-12][0].real)


def gain() -> float:
    """g h₁ − ∫ p from 0 to h₁, J of 1 kg."""
    h = let_go()
    return G * h - STIFFNESS * h**2 / 2.0 - CUBIC * h**4 / 4.0


def deepest(damping: float) -> float:
    """How far the ball sinks in at its first impact, m, by SciPy."""
    def turns(_: float, y: np.ndarray) -> float:
        return float(y[1])
    turns.terminal, turns.direction = True, 1.0  # type: ignore[attr-defined]
    found = solve_ivp(lambda _, y: [y[1], -damping * y[1] - STIFFNESS * y[0] - CUBIC * y[0] ** 3],
                      (0.0, 1.0), [0.0, -math.sqrt(2.0 * G)], rtol=1e-11, atol=1e-12, events=turns)
    return float(-found.y_events[0][0][0])


def soft_impact(k: float, c: float) -> tuple[float, float]:
    """Depth of the first impact on a spring k and damper c that only push, and the height after it."""
    def acceleration(y: np.ndarray) -> float:
        return -G - k * y[0] - c * y[1]
    def ends(_: float, y: np.ndarray) -> float:
        return acceleration(y) + G  # the force
    ends.terminal, ends.direction = True, -1.0  # type: ignore[attr-defined]
    found = solve_ivp(lambda _, y: [y[1], acceleration(y)], (0.0, 2.0),
                      [0.0, -math.sqrt(2.0 * G)], rtol=1e-9, atol=1e-11, events=ends)
    h, v = found.y[:, -1]
    return float(-found.y[0].min()), float(h + v * v / (2.0 * G))


def like(depth: float, height: float) -> tuple[float, float]:
    """Spring and damper that take the first impact as deep and throw the ball as high."""
    def differs(x: np.ndarray) -> list[float]:
        found = soft_impact(math.exp(x[0]), math.exp(x[1]))
        return [found[0] / depth - 1.0, found[1] / height - 1.0]
    k = 2.0 * G / depth**2
    return tuple(np.exp(fsolve(differs, [math.log(k), math.log(0.15 * math.sqrt(k))])))


@dataclass(frozen=True)
class Steps:
    """What to run by time-stepping: a scene, its parameters, the step."""
    scene: str
    parameters: tuple[tuple[str, float], ...]
    step: float
    until: float
    options: tuple[tuple[str, str], ...] = ()


def step_through(task: Steps) -> Motion:
    """The same of a run by time-stepping, without events."""
    simulation = vinci.Simulation(scene(task.scene), parameters=dict(task.parameters),
                                  step=task.step, duration=task.until, **dict(task.options))
    radius = scene(task.scene).parameters["radius"]
    rows = []
    while not simulation.finished:
        simulation.step()
        contacts = simulation.contacts
        force = contacts["impulse"][:, 0].sum() / task.step if len(contacts) else 0.0
        rows.append((simulation.state.time, simulation.state.position("ball")[1] - radius,
                     simulation.state.velocity("ball")[1], force, float(force > 0.0)))
    return Motion(*np.array(rows).T, np.empty(0))


def tops(motion: Motion) -> np.ndarray:
    """Heights between the bounces, where the sampled velocity changes its sign in flight."""
    turns = (motion.rate[:-1] > 0) & (motion.rate[1:] <= 0) & (motion.force[1:] == 0)
    at = np.flatnonzero(turns)
    return motion.gap[at] + motion.rate[at] ** 2 / (2.0 * G)
