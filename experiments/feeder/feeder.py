#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The gravity-fed part feeder: which cavity turns every cup bottom down?

With one peg (feeder.yaml): the two designs of designs.json, verified as in the paper by

  1. the geometric model: is there a way at all?
  2. Stewart-Trinkle over initial orientations and friction,
  3. Song-Pang-Kumar over these and the stiffness and damping of the surface;

'works' passes all three, 'deceives' only the first. Then the studies of this folder (studies.py):
what one peg can reach at most, the search with two pegs, P designs against M cups and what this
costs, and the best design against 10,000 cups.
"""

from __future__ import annotations

import json
import math
import pathlib
import random
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Tuple

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

from report import Experiment  # noqa: E402  (before pyplot: it chooses how to draw)

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import ListedColormap  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

import drawing  # noqa: E402
import studies  # noqa: E402
import vinci  # noqa: E402

SCENE = FOLDER / "feeder.yaml"
DESIGNS: dict[str, dict[str, float]] = json.loads((FOLDER / "designs.json").read_text("utf-8"))

# The ranges in which 'works' does.
FRICTION = (0.35, 0.6)
STIFFNESS = (1e5, 4e5)  # N/m
DAMPING_RATIO = (5.0, 10.0)
LONGEST = 2.0  # s; a cup that has not left by then is stuck
LOOK = 0.02  # s between looks at the cup
UPRIGHT = math.radians(30)  # leaves bottom down: within this of upright
SEED = 2007
Pose = Tuple[float, float, float]  # x, y (m), angle (rad)

# The figure.
WORDS = {"works": "works", "deceives": "only looks feasible"}
COMES = ("comes bottom down", "comes mouth down")
COLOURS = {"stuck": "#c0c0c0", "leaves mouth down": "#d95f02", "leaves bottom down": "#1b9e77"}


@lru_cache(maxsize=1)
def load_scene() -> vinci.Scene:
    return vinci.Scene.load(SCENE)


@dataclass(frozen=True)
class Uncertain:
    """A point of the uncertainty space: how the cup comes, and what its surface is like."""

    flip: int  #: 0: bottom down, 1: mouth down
    tilt: float  #: of the greatest that fits into the chute, -1 to 1
    offset: float  #: of the room that is left, -1 to 1
    mu: float
    stiffness: float = 2e5  #: N/m
    damping_ratio: float = 5.0

    def parameters(self, given: dict[str, float]) -> dict[str, float]:
        width, height, room = given["cup_width"], given["cup_height"], given["top_width"]
        tilt = 0.95 * self.tilt * greatest_tilt(width, height, room)
        left = room - width * math.cos(tilt) - height * abs(math.sin(tilt))
        return {"flip": self.flip, "tilt": tilt, "offset": 0.95 * self.offset * left / 2,
                "mu": self.mu, "stiffness": self.stiffness,
                "damping_ratio": self.damping_ratio}  # fmt: skip


def greatest_tilt(width: float, height: float, room: float) -> float:
    """Of a box between two walls: width cos t + height sin t = room, the solution near upright."""
    return math.atan2(height, width) - math.acos(room / math.hypot(width, height))


def uncertainties(count: int, *, surface: bool, key: str) -> list[Uncertain]:
    """Both ways a cup may come, each `count` times; the friction's ends are always among them."""
    chance = random.Random(f"{SEED} {key}")
    points = []
    for flip in (0, 1):
        for i in range(count):
            mu = FRICTION[0] + (FRICTION[1] - FRICTION[0]) * i / max(count - 1, 1)
            points.append(Uncertain(
                flip, chance.uniform(-1, 1), chance.uniform(-1, 1), mu,
                math.exp(chance.uniform(*map(math.log, STIFFNESS))) if surface else 2e5,
                chance.uniform(*DAMPING_RATIO) if surface else 5.0))  # fmt: skip
    return points


def metres(design: dict[str, float]) -> dict[str, float]:
    return {name: 1e-3 * value for name, value in design.items()}


def simulate(design: dict[str, float], point: Uncertain, stepper: str, watch: Any = None) -> str:
    """'good', 'wrong way' or 'stuck'. `watch(pose, time)` is told where the cup is."""
    scene = load_scene()
    parameters = {**metres(design), **point.parameters(scene.parameters)}
    simulation = vinci.Simulation(scene, parameters=parameters, stepper=stepper, duration=LONGEST)
    cup = simulation.model.body("cup").index
    given = simulation.parameters
    # Wholly in the lower chute.
    end = -given["chute_depth"] - given["cup_height"]
    before = None
    for look in range(round(LONGEST / LOOK) + 1):
        if look > 0:
            simulation.run(until=look * LOOK)
        pose = simulation.state.poses[cup]
        x, y, angle = pose[0], pose[1], 2 * math.atan2(pose[6], pose[3])
        if watch is not None:
            watch((x, y, angle), look * LOOK)
        if y < end:
            return "good" if math.cos(angle) > math.cos(UPRIGHT) else "wrong way"
        now = np.array([x, y, 0.02 * angle])
        # At rest: less than 1 µm and 0.05 mrad in 20 ms, when it has had time to fall.
        if look > 10 and before is not None and np.abs(now - before).max() < 1e-6:
            return "stuck"
        before = now
    return "stuck"


def geometric(design: dict[str, float], effort: int) -> bool:
    """The geometric model finds a way for both ways in which a cup may come."""
    scene = load_scene()
    given = {**scene.parameters, **metres(design)}
    top = given["top_length"] - given["cup_height"] / 2
    bottom = -given["chute_depth"] - given["chute_length"]
    for flip in (0, 1):
        passage = vinci.plan(
            scene, "cup",
            {"y": (bottom, -given["chute_depth"] - given["cup_height"]),
             "x": (given["chute_x"], given["chute_x"] + given["chute_width"]),
             "angle": (-UPRIGHT, UPRIGHT)},
            bounds={"x": (-given["left_extent"], given["top_width"] + given["right_extent"]),
                    "y": (bottom, top)},
            parameters={**metres(design), "flip": flip}, effort=effort)  # fmt: skip
        if not passage.found:
            return False
    return True


def verify_point(task: tuple[str, str, Uncertain]) -> str:
    name, stepper, point = task
    return simulate(DESIGNS[name], point, stepper)


def verify_shipped(experiment: Experiment) -> dict[str, dict[str, Any]]:
    """The three stages on the two designs of designs.json."""
    counts = (3, 1) if experiment.short else (40, 12)
    steppers = ("stewart-trinkle", "song-pang-kumar")
    answers: dict[str, dict[str, Any]] = {}
    for name, design in DESIGNS.items():
        answers[name] = {"geometric": geometric(design, 1000 if experiment.short else 20_000)}
        for stepper, count in zip(steppers, counts):
            points = uncertainties(count, surface=stepper == steppers[1], key=stepper)
            found = experiment.map(verify_point, [(name, stepper, point) for point in points])
            answers[name][stepper] = (sum(outcome == "good" for outcome in found), len(found))
    works, deceives = answers["works"], answers["deceives"]
    friction = f"friction {FRICTION[0]} to {FRICTION[1]}"
    for name, paper in (("works", "passes"), ("deceives", "fails")):
        found = answers[name]
        experiment.row(f"'{name}': geometric", paper="passes",
                       ours="passes" if found["geometric"] else "no way found")
        for stepper in steppers:
            experiment.row(f"'{name}': {stepper}, {friction}", paper=paper,
                           ours="{} of {} leave bottom down".format(*found[stepper]))
    assert works["geometric"] and deceives["geometric"]
    assert all(works[stepper][0] == works[stepper][1] for stepper in steppers), works
    assert deceives[steppers[0]][0] < deceives[steppers[0]][1], deceives
    return answers


def map_task(task: tuple[str, int, float, float]) -> str:
    name, flip, mu, tilt = task
    return simulate(DESIGNS[name], Uncertain(flip, tilt, 0.0, mu), "stewart-trinkle")


def draw_map(axes: Any, found: np.ndarray, frictions: np.ndarray, tilts: np.ndarray) -> None:
    axes.pcolormesh(frictions, tilts, found, vmin=0, vmax=2, shading="nearest",
                    cmap=ListedColormap(list(COLOURS.values())))
    axes.set_xlim(frictions[0], frictions[-1])
    axes.set_ylim(-1, 1)
    for mu in FRICTION:
        axes.axvline(mu, color="black", lw=0.8, ls="--")
    axes.set_xlabel("friction μ; dashed: the stated range", fontsize=8)
    axes.set_ylabel("tilt over greatest tilt", fontsize=8)
    axes.tick_params(labelsize=7)


def draw_figure(tracks: dict[Any, Any], maps: dict[Any, np.ndarray], frictions: np.ndarray,
                tilts: np.ndarray) -> Any:
    figure, axes = plt.subplots(2, 4, figsize=(15, 10), layout="constrained",
                                gridspec_kw={"height_ratios": [3, 1]})
    for i, (name, flip) in enumerate((name, flip) for name in DESIGNS for flip in (0, 1)):
        outcome, poses = tracks[name, flip]
        drawing.draw_feeder(axes[0, i], load_scene().compile(**metres(DESIGNS[name])), poses)
        word = {"good": "leaves bottom down", "wrong way": "leaves mouth down"}.get(outcome, outcome)
        axes[0, i].set_title(f"design '{name}' ({WORDS[name]})\n{COMES[flip]}: {word}", fontsize=9)
        draw_map(axes[1, i], maps[name, flip], frictions, tilts)
        axes[1, i].set_title(f"'{name}', {COMES[flip]}", fontsize=9)
    axes[0, 0].set_ylabel("y [mm]", fontsize=8)
    patches = [Patch(color=colour, label=label) for label, colour in COLOURS.items()]
    axes[0, 0].legend(handles=patches, loc="lower right", fontsize=7, title="below")
    return figure


def draw(experiment: Experiment) -> None:
    frictions = np.linspace(0.05, 0.8, 4 if experiment.short else 31)
    tilts = np.linspace(-1, 1, 2 if experiment.short else 13)
    maps = {}
    for name in DESIGNS:
        for flip in (0, 1):
            tasks = [(name, flip, float(mu), float(tilt)) for tilt in tilts for mu in frictions]
            found = experiment.map(map_task, tasks)
            maps[name, flip] = np.array([["stuck", "wrong way", "good"].index(outcome)
                                         for outcome in found]).reshape(len(tilts), -1)
    tracks = {}
    for name in DESIGNS:
        for flip in (0, 1):
            poses: list[Pose] = []
            point = Uncertain(flip, 0.0, 0.0, sum(FRICTION) / 2)
            outcome = simulate(DESIGNS[name], point, "stewart-trinkle",
                               lambda pose, time, poses=poses: poses.append(pose))
            tracks[name, flip] = (outcome, poses)
    experiment.save(draw_figure(tracks, maps, frictions, tilts), "one_peg")


def main() -> None:
    experiment = Experiment("feeder", __doc__, ("one-peg", "search", "hierarchy", "verify", "reach"))
    if experiment.does("one-peg"):
        verify_shipped(experiment)
        draw(experiment)
    if experiment.does("search"):
        studies.rebounds(experiment)
        studies.searches(experiment)
    ladder = studies.hierarchy(experiment) if experiment.does("hierarchy") else None
    if experiment.does("verify"):
        studies.verification(experiment)
    works = studies.as_two_pegs(metres(DESIGNS["works"]))
    shares = studies.reach(experiment, works) if experiment.does("reach") else None
    if ladder and shares:
        experiment.save(drawing.figure(ladder, shares))
    experiment.finish()


if __name__ == "__main__":
    main()
