#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The gravity-fed part feeder: which cavity turns every cup bottom down?

Samples the twelve design parameters of feeder.yaml, verifies each design by the paper's hierarchy

  1. the geometric model: is there a way at all?
  2. Stewart-Trinkle over initial orientations and friction,
  3. Song-Pang-Kumar over these and the stiffness and damping of the surface,

and compares its cost with that of the naive way. Then the two designs of designs.json: 'works' passes
all three, 'deceives' only the first.
"""

from __future__ import annotations

import json
import math
import pathlib
import random
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import vinci  # noqa: E402
from report import Experiment  # noqa: E402

SCENE = FOLDER / "feeder.yaml"
DESIGNS: dict[str, dict[str, float]] = json.loads((FOLDER / "designs.json").read_text("utf-8"))

# The design space P: ranges of the twelve parameters, mm.
SPACE = {
    "peg_x": (5.5, 12.0), "peg_depth": (34.0, 72.0), "peg_radius": (1.2, 3.5),
    "left_shoulder": (2.0, 50.0), "left_extent": (5.0, 40.0), "left_depth": (45.0, 120.0),
    "right_shoulder": (0.0, 20.0), "right_extent": (10.0, 50.0), "right_depth": (5.0, 80.0),
    "chute_x": (-30.0, 12.0), "chute_width": (28.0, 35.5), "chute_depth": (100.0, 170.0),
}  # fmt: skip
FRICTION = (0.35, 0.6)  # the range in which a design shall work
STIFFNESS = (1e5, 1e6)  # N/m
DAMPING_RATIO = (1.0, 3.0)
LONGEST = 2.0  # s; a cup that has not left by then is stuck
LOOK = 0.02  # s between looks at the cup
UPRIGHT = math.radians(30)  # leaves bottom down: within this of upright
SEED = 2007


@dataclass(frozen=True)
class Uncertain:
    """A point of the uncertainty space: how the cup comes, and what its surface is like."""

    flip: int  #: 0: bottom down, 1: mouth down
    tilt: float  #: of the greatest that fits into the chute, -1 to 1
    offset: float  #: of the room that is left, -1 to 1
    mu: float
    stiffness: float = 2e5  #: N/m
    damping_ratio: float = 1.0

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
                chance.uniform(*DAMPING_RATIO) if surface else 1.0))  # fmt: skip
    return points


def metres(design: dict[str, float]) -> dict[str, float]:
    return {name: 1e-3 * value for name, value in design.items()}


def sampled_design(number: int) -> dict[str, float]:
    """The design of this number, mm: keyed, so that it does not depend on the others."""
    chance = random.Random(f"{SEED} design {number}")
    while True:
        design = {name: chance.uniform(*ends) for name, ends in SPACE.items()}
        # The walls must not cross themselves.
        if (design["left_depth"] > design["left_shoulder"] + 2
                and design["right_depth"] > design["right_shoulder"] + 2
                and design["chute_depth"] > max(design["left_depth"], design["right_depth"]) + 5
                and design["chute_x"] > -design["left_extent"] - 5):
            return design


def simulate(design: dict[str, float], point: Uncertain, stepper: str, watch: Any = None) -> str:
    """'good', 'wrong way' or 'stuck'. `watch(pose, time)` is told where the cup is."""
    scene = vinci.Scene.load(SCENE)
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
    scene = vinci.Scene.load(SCENE)
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


def verify_st(design: dict[str, float], count: int) -> tuple[int, int, float, float]:
    """Good runs, all runs, seconds of all, seconds until the first that fails."""
    begin, first, good = time.process_time(), None, 0
    points = uncertainties(count, surface=False, key="friction")
    random.Random(f"{SEED} order").shuffle(points)
    for point in points:
        fine = simulate(design, point, "stewart-trinkle") == "good"
        good += fine
        if not fine and first is None:
            first = time.process_time() - begin
    seconds = time.process_time() - begin
    return good, len(points), seconds, seconds if first is None else first


def verify_design(task: tuple[int, int, int]) -> dict[str, Any]:
    """Stages 1 and 2 of one sampled design, and what they cost (processor time)."""
    number, count, effort = task
    design = sampled_design(number)
    begin = time.process_time()
    passes = geometric(design, effort)
    geometric_seconds = time.process_time() - begin
    good, runs, seconds, first = verify_st(design, count)
    return {"number": number, "geometric": passes, "geometric_seconds": geometric_seconds,
            "good": good, "runs": runs, "seconds": seconds, "first": first}  # fmt: skip


def verify_point(task: tuple[str, str, Uncertain]) -> str:
    name, stepper, point = task
    return simulate(DESIGNS[name], point, stepper)


def table_two(experiment: Experiment) -> None:
    """The paper's Table II on our feeder: the same designs with and without stage 1."""
    designs, count, effort = (6, 2, 1000) if experiment.short else (120, 15, 4000)
    results = experiment.map(verify_design, [(n, count, effort) for n in range(designs)])
    total = {key: sum(r[key] for r in results) for key in ("geometric_seconds", "seconds", "first")}
    kept = [r for r in results if r["geometric"]]
    st_kept, first_kept = sum(r["seconds"] for r in kept), sum(r["first"] for r in kept)
    lost = [r["number"] for r in results if r["good"] == r["runs"] and not r["geometric"]]
    work = [r["number"] for r in results if r["good"] == r["runs"]]
    experiment.row("designs sampled", paper="not told", ours=f"{designs}, {count * 2} runs each")
    experiment.row("geometrically feasible", paper="not told", ours=f"{len(kept)} of {designs}")
    experiment.row("verified with ST", paper="at least one",
                   ours=f"{len(work)} of {designs} sampled; 'works' was found by a longer search")
    experiment.row("feasible under ST, but no way found", paper="cannot be",
                   ours=f"{len(lost)}" + (f" (designs {lost})" if lost else ""))
    hierarchical = total["geometric_seconds"] + st_kept
    experiment.row("naive: geometric / ST / total", paper="- / 5000 / 5000 s",
                   ours=f"- / {total['seconds']:.1f} / {total['seconds']:.1f} s")
    experiment.row("hierarchical: geometric / ST / total", paper="603 / 2935 / 3538 s",
                   ours=f"{total['geometric_seconds']:.1f} / {st_kept:.1f} / {hierarchical:.1f} s")
    experiment.row("hierarchical over naive", paper="0.71",
                   ours=f"{hierarchical / total['seconds']:.2f}")
    early = total["geometric_seconds"] + first_kept
    experiment.row("the same, ST ends at the first failure", paper="not told",
                   ours=f"{early:.1f} s over {total['first']:.1f} s: {early / total['first']:.1f}")


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


def draw(experiment: Experiment) -> None:
    from pictures import draw_figure

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
            poses: list[tuple[float, float, float]] = []
            point = Uncertain(flip, 0.0, 0.0, sum(FRICTION) / 2)
            outcome = simulate(DESIGNS[name], point, "stewart-trinkle",
                               lambda pose, time, poses=poses: poses.append(pose))
            tracks[name, flip] = (outcome, poses)
    experiment.save(draw_figure(SCENE, DESIGNS, tracks, maps, frictions, tilts, FRICTION))


def main() -> None:
    experiment = Experiment("feeder", __doc__)
    table_two(experiment)
    verify_shipped(experiment)
    draw(experiment)
    experiment.finish()


if __name__ == "__main__":
    main()
