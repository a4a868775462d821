#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where must two jaws close on a toothed part to hold it? [Berard 2007, V-C]

Runs single grasps of grasp.yaml and explains them: where the tips end, how they got there, whether
a finer step or the quasi-static model says the same, and what the friction of the gripper changes.
Then the study held.yaml: the probability of
success over the position of the gripper, where it is 95 %, and how that changes with the model.
"""

from __future__ import annotations

import dataclasses
import math
import pathlib
import sys
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from report import Experiment  # noqa: E402

import vinci  # noqa: E402

SCENE = pathlib.Path(__file__).resolve().with_name("grasp.yaml")
HELD = SCENE.with_name("held.yaml")  # the study
MEDIUM, HIGH = (0.33, 0.66), (0.66, 0.99)
TEETH = 8
ON_EDGE = 0.05e-3  # m: a tip this near to the outer edge lies on it
AT_REST = 1e-3  # m/s, and rad/s times the part's radius
SIDES = {"left": math.pi, "right": 0.0}  # where a finger's outermost tooth points at the beginning


@dataclasses.dataclass(frozen=True)
class Grasp:
    """What is asked: where the gripper is (m), the frictions, and how it is simulated."""

    x: float
    y: float
    mu_table: float
    mu_gripper: float
    step: float = 0.5e-3
    motion: str = "dynamic"

    def simulation(self) -> vinci.Simulation:
        return vinci.Simulation(
            SCENE, step=self.step, motion=self.motion, options={"output-interval": 5e-3},
            parameters={"x": self.x, "y": self.y, "mu_table": self.mu_table,
                        "mu_gripper": self.mu_gripper})


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of it."""

    success: bool
    words: str
    pose: tuple[float, float, float]  # of the part: m, m, rad
    fingers: tuple[float, float]  # x of the left and the right one, m
    seconds: float  # until everything rested for good; 0 where it was not watched
    force_closure: bool
    friction_required: float

    def distance(self, other: Outcome) -> float:
        """Of the final poses, m: the part's centre, its turn at its outer edge, the fingers."""
        (x, y, a), (p, q, b) = self.pose, other.pose
        turn = 0.0205 * abs(a - b)
        jaws = max(abs(f - g) for f, g in zip(self.fingers, other.fingers))
        return max(math.hypot(x - p, y - q), turn, jaws)


def planar(state: vinci.State, body: str) -> tuple[np.ndarray, float]:
    w, _, _, z = state.rotation(body)
    return state.position(body)[:2], 2.0 * math.atan2(z, w)


def tip_place(tip: np.ndarray, numbers: dict[str, float]) -> tuple[int, float, float]:
    """Of a tip in the part's frame: the tooth it is at, how far its surface is from that tooth's
    outer edge, and how far its centre lies beyond the end of the edge (negative: within)."""
    tooth = round(math.atan2(tip[1], tip[0]) / (2.0 * math.pi / TEETH)) % TEETH
    angle = 2.0 * math.pi * tooth / TEETH
    out = tip[0] * math.cos(angle) + tip[1] * math.sin(angle)
    along = -tip[0] * math.sin(angle) + tip[1] * math.cos(angle)
    beyond = abs(along) - numbers["tip_half"]
    away = math.hypot(out - numbers["outer"], max(0.0, beyond)) - numbers["tip_radius"]
    return tooth, away, beyond


def judge(simulation: vinci.Simulation, seconds: float) -> Outcome:
    """The definition of success: at the end (1) the part rests, (2) both fingers press on it, (3)
    each tip touches the outer edge, its ends included, of the tooth outermost on its side."""
    state, numbers = simulation.state, dict(simulation.parameters)
    center, angle = planar(state, "part")
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    places, success = [], True
    for finger, side in SIDES.items():
        tooth, away, beyond = tip_place(turn @ (state.position(finger)[:2] - center), numbers)
        own = tooth == round(side / (2.0 * math.pi / TEETH))
        on_edge = own and abs(away) <= ON_EDGE
        success = success and on_edge
        if on_edge:
            places.append(f"{finger} on the edge" if beyond <= 0 else f"{finger} on its corner")
        else:
            on_other = not own and abs(away) <= ON_EDGE
            places.append(f"{finger} on another tooth" if on_other else f"{finger} in a gap")
    pressed = all(vinci.grasp.contacts(simulation, finger) for finger in SIDES)
    velocity = np.abs(state.velocity("part"))
    resting = max(velocity[0], velocity[1], numbers["outer"] * velocity[-1]) < AT_REST
    if state.time < simulation.options["duration"] - simulation.options["step"]:
        places.append(f"no balanced motion after {1e3 * state.time:.0f} ms")
        pressed = False
    elif not pressed:
        places.append("a finger holds nothing")
    if not resting:
        places.append("still moving")
    contacts = vinci.grasp.contacts(simulation, "part")
    required = vinci.grasp.friction_required(contacts)
    return Outcome(success and pressed and resting, ", ".join(places),
                   (float(center[0]), float(center[1]), angle),
                   (float(state.position("left")[0]), float(state.position("right")[0])), seconds,
                   vinci.grasp.force_closure(contacts), required)


def grasp_once(task: tuple[Grasp, pathlib.Path | None]) -> Outcome:
    """Simulates one grasp, with a recording where a path is given."""
    grasp, path = task
    simulation = grasp.simulation()
    moved = [0.0]

    def watch(running: vinci.Simulation) -> bool:
        if np.abs(running.state.velocities).max() > AT_REST:
            moved[0] = running.state.time
        return False

    if path is None:
        simulation.run()
    else:
        simulation.run(record=path, overwrite=True, callback=watch)
    return judge(simulation, moved[0])


def contact_modes(path: pathlib.Path) -> dict[str, list[tuple[float, str]]]:
    """Per finger, the times at which its contact with the part changes: apart, sticks, slides."""
    run = vinci.Recording(path)
    names = list(run.body_names)
    modes: dict[str, list[tuple[float, str]]] = {}
    for finger in SIDES:
        pair = {names.index("part"), names.index(finger)}
        changes: list[tuple[float, str]] = []
        for frame, time in enumerate(run.times):
            rows = run.contacts(frame)
            mine = [row for row in rows if set(row["bodies"]) == pair and row["impulse"][0] > 0.0]
            mode = "apart"
            if mine:
                mode = "slides" if any(abs(row["velocity"][1]) > 1e-5 for row in mine) else "sticks"
            if not changes or changes[-1][1] != mode:
                changes.append((float(time), mode))
        modes[finger] = changes
    return modes


def words_of(modes: list[tuple[float, str]]) -> str:
    return ", ".join(f"{mode} {1e3 * time:.0f}" for time, mode in modes)


SINGLE = {  # x, y in mm, friction of the table and of the gripper
    "centred": (0, 0, 0.5, 0.5),
    "pushed first": (8, 2, 0.5, 0.5),
    "slips off, medium": (6, 4, 0.5, 0.5),
    "same, high": (6, 4, 0.5, 0.8),
    "corner, medium": (2, 5, 0.5, 0.5),
    "same corner, high": (2, 5, 0.5, 0.8),
    "in the gap": (-4, 7, 0.5, 0.5),
    "turned away": (-10, 10, 0.5, 0.8),
}


def recording_of(experiment: Experiment, name: str) -> pathlib.Path:
    return experiment.output / f"{name.replace(', ', '-').replace(' ', '_')}.h5"


def single_grasps(experiment: Experiment) -> tuple[dict[str, Grasp], dict[str, Outcome]]:
    names = list(SINGLE)[1:6] if experiment.short else list(SINGLE)
    grasps = {name: Grasp(1e-3 * x, 1e-3 * y, table, gripper)
              for name, (x, y, table, gripper) in ((name, SINGLE[name]) for name in names)}
    outcomes = dict(zip(grasps, experiment.map(
        grasp_once, [(grasp, recording_of(experiment, name)) for name, grasp in grasps.items()])))
    for name, outcome in outcomes.items():
        grasp, (x, y, angle) = grasps[name], outcome.pose
        apart = outcome.fingers[1] - outcome.fingers[0] - 4e-3
        print(f"{name}: x {1e3 * grasp.x:.0f}, y {1e3 * grasp.y:.0f} mm, friction of the table "
              f"{grasp.mu_table}, of the gripper {grasp.mu_gripper}")
        print(f"  {'held' if outcome.success else 'missed'}: {outcome.words}; rests after "
              f"{1e3 * outcome.seconds:.0f} ms; force closure above friction "
              f"{outcome.friction_required:.2f}")
        print(f"  the part ends at {1e3 * x:.2f}, {1e3 * y:.2f} mm, {math.degrees(angle):.1f}°, "
              f"the tips {1e3 * apart:.2f} mm apart")
        for finger, modes in contact_modes(recording_of(experiment, name)).items():
            print(f"  {finger} finger, from ms on: {words_of(modes)}")
    print()
    return grasps, outcomes


def checks(experiment: Experiment, grasps: dict[str, Grasp], outcomes: dict[str, Outcome]) -> None:
    """A step four times finer, the mirrored scene, and the quasi-static model, against the same."""
    def again(**changes: Any) -> list[Outcome]:
        return experiment.map(
            grasp_once, [(dataclasses.replace(g, **changes), None) for g in grasps.values()])

    finer, still = again(step=0.125e-3), again(motion="quasi-static")
    for what, others in (("step 0.125 ms", finer), ("quasi-static", still)):
        print(f"{what}, final poses apart:")
        for (name, outcome), other in zip(outcomes.items(), others):
            same = "" if outcome.success == other.success else f"; another outcome: {other.words}"
            print(f"  {name}: {1e3 * outcome.distance(other):.2g} mm{same}")
    print()
    agree, far = [], []
    for others in (finer, still):
        pairs = list(zip(outcomes.values(), others))
        agree.append(sum(a.success == b.success for a, b in pairs))
        far.append(1e3 * float(np.median([a.distance(b) for a, b in pairs])))
    experiment.row("a finer step, 0.125 for 0.5 ms", paper="not told",
                   ours=f"same outcome in {agree[0]} of {len(finer)}, median way {far[0]:.2g} mm")
    experiment.row("quasi-static instead of dynamic", paper="inertia cannot be ignored",
                   ours=f"same outcome in {agree[1]} of {len(still)}, median way {far[1]:.2g} mm")
    assert agree[0] == len(finer), "the outcome of a single grasp depends on the step"
    assert agree[1] < len(still), "inertia decides none of these grasps"
    mirrored = experiment.map(
        grasp_once, [(dataclasses.replace(g, y=-g.y), None) for g in grasps.values()])
    assert all(a.success == b.success and abs(a.pose[2] + b.pose[2]) < 1e-6
               for a, b in zip(outcomes.values(), mirrored)), "mirrored scenes, other outcomes"


@dataclasses.dataclass(frozen=True)
class Held:
    """What one study of held.yaml found over the places of the gripper."""

    edges: np.ndarray  # mm, of the cells along x and y
    share: np.ndarray  # held, per cell; rows are y
    lower: np.ndarray  # of its interval of 95 %
    upper: np.ndarray
    runs: int
    saved: int
    seconds: float  # of processors
    folder: pathlib.Path

    def count(self, least: float) -> int:
        """Cells held surely in so many cases."""
        return int((self.lower >= least).sum())


def study_text(experiment: Experiment, group: tuple[float, float], run: str, fixed: int) -> str:
    """held.yaml with other frictions of the gripper, choices of the run, and `fixed` runs per
    cell (0: where they are needed)."""
    text = HELD.read_text(encoding="utf-8")
    changes = {
        "scene: grasp.yaml": f"scene: {SCENE}" + (f"\nrun: {run}" if run else ""),
        "mu_gripper: {uniform: [0.33, 0.66]}": f"mu_gripper: {{uniform: {list(group)}}}",
    }
    if experiment.short:
        changes["cells: [20, 20]"] = "cells: [4, 4]"
    if fixed:
        begin = text.index("adaptive: ")
        changes[text[begin : text.index("}", begin) + 1]] = f"count: {fixed}"
    elif experiment.short:
        changes["first: 20, most: 200"] = "first: 10, most: 40"
    for old, new in changes.items():
        assert old in text, f"held.yaml has no '{old}' any more"
        text = text.replace(old, new)
    return text


def held_over_places(experiment: Experiment, name: str, group: tuple[float, float], run: str = "",
                     fixed: int = 0) -> Held:
    path = experiment.output / f"held_{name}.yaml"
    path.write_text(study_text(experiment, group, run, fixed), encoding="utf-8")
    study = vinci.Study(path)
    study.run(output=path.with_suffix(".study"), overwrite=True, workers=experiment.jobs)
    report = study.report
    assert report["complete"] and report["verdicts"]["unknown"] <= 0.01 * report["cases"]
    size = round(len(report["designs"]) ** 0.5)  # cells of x come first

    def grid(key: str) -> np.ndarray:
        # A case without an answer may have been either.
        values = [cell["probability"][key] for cell in report["designs"]]
        return np.array(values, float).reshape(size, size)

    return Held(np.linspace(-10.0, 10.0, size + 1), grid("value"), grid("least"), grid("most"),
                report["cases"], report["map"]["saved"], report["levels"][0]["cpu_seconds"],
                study.output)


def success_maps(experiment: Experiment) -> dict[str, Held]:
    """Where the gripper holds the part, for both classes of friction; then what changes with the
    model and the step, from the same draws."""
    maps = {name: held_over_places(experiment, name, group)
            for name, group in (("medium", MEDIUM), ("high", HIGH))}
    for name, held in maps.items():
        cells = held.share.size
        experiment.row(
            f"held over 20 x 20 mm, gripper {name}", paper="a map, no numbers",
            ours=f"{100 * held.share.mean():.1f} %; surely in 95 of 100 cases in "
                 f"{held.count(0.95)} of {cells} cells; {held.runs} runs, {held.saved} saved")
    assert maps["high"].share.mean() >= maps["medium"].share.mean()
    fixed = 4 if experiment.short else 20
    same = held_over_places(experiment, "medium_twenty", MEDIUM, "", fixed)
    for words, name, run in (("quasi-static", "quasi_static", "{motion: quasi-static}"),
                             ("step 0.125 ms", "fine_step", "{step: 0.125 ms}")):
        other = held_over_places(experiment, name, MEDIUM, run, fixed)
        changed = float(np.abs(other.share - same.share).mean())
        experiment.row(f"the map of medium friction, {words}", paper="not told",
                       ours=f"{100 * other.share.mean():.1f} % held, cells change by "
                            f"{100 * changed:.1f} points on average; {other.seconds:.0f} s for "
                            f"{same.seconds:.0f} s")
        maps[words] = other
    check_success(experiment, maps["medium"])
    return maps


def check_success(experiment: Experiment, held: Held) -> None:
    """Cases of the study, and what judge() says of the same grasps."""
    study = vinci.Study(experiment.output / "held_medium.yaml").open(held.folder)
    results = study.results
    for row in results[:: max(1, len(results) // (6 if experiment.short else 60))]:
        grasp = Grasp(*(float(row[key]) for key in ("x", "y", "mu_table", "mu_gripper")))
        assert grasp_once((grasp, None)).success == (row["verdict"] == "success"), f"case {row}"


def outline(numbers: dict[str, float]) -> np.ndarray:
    corners = []
    for tooth in range(TEETH):
        angle = 2.0 * math.pi * tooth / TEETH
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        for out, along in (("root", -numbers["foot_half"]), ("outer", -numbers["tip_half"]),
                           ("outer", numbers["tip_half"]), ("root", numbers["foot_half"])):
            corners.append(turn @ [numbers[out], along])
    return np.array(corners + corners[:1])


def placed(x: float, y: float, angle: float, points: np.ndarray) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return 1e3 * (points @ np.array([[c, s], [-s, c]]) + [x, y])


def draw_grasp(axes: Any, grasp: Grasp, outcome: Outcome, path: pathlib.Path,
               numbers: dict[str, float]) -> None:
    """The part at the beginning (dotted), every 25 ms (thin) and at the end, the fingers at the
    end and where they began (+), the supports."""
    shape, radius = outline(numbers), numbers["support_radius"]
    tall = radius * 0.75**0.5
    feet = np.array([[radius, 0], [-radius / 2, tall], [-radius / 2, -tall]])
    color = "tab:green" if outcome.success else "tab:red"
    axes.plot(*placed(0, 0, 0, shape).T, ":", color="0.6", lw=0.8)
    part = vinci.Recording(path).body("part")
    for frame in range(5, 30, 5):
        x, y, _ = part.position[frame]
        axes.plot(*placed(x, y, part.angle[frame], shape).T, color=color, lw=0.3)
    axes.fill(*placed(*outcome.pose, shape).T, facecolor=color, alpha=0.25, edgecolor=color)
    axes.plot(*placed(*outcome.pose, feet).T, "k.", ms=3)
    arc = np.linspace(-math.pi / 2, math.pi / 2, 20)
    for x, side in zip(outcome.fingers, (-1, 1)):
        start = grasp.x + side * numbers["opening"] / 2
        round_end = [[-side * math.cos(a), math.sin(a)] for a in arc]
        ends = np.array([[-1.0], [1.0]]) * [0.0, numbers["tip_radius"]]
        ends[:, 0] = side * numbers["finger_length"]
        rod = np.vstack([ends[:1], numbers["tip_radius"] * np.array(round_end), ends[1:]])
        axes.fill(*(1e3 * (rod + [x, grasp.y])).T, facecolor="tab:blue", alpha=0.5)
        axes.plot(1e3 * start, 1e3 * grasp.y, "+", color="tab:blue", ms=5)
    axes.set(aspect="equal", xlim=(-40, 40), ylim=(-26, 26))
    axes.tick_params(labelsize=7)


def figure(experiment: Experiment, grasps: dict[str, Grasp], outcomes: dict[str, Outcome],
           maps: dict[str, Held]) -> None:
    import matplotlib.pyplot as plt

    numbers = dict(vinci.Scene.load(SCENE).parameters)
    chart, grid = plt.subplots(3, 4, figsize=(15, 9.4), constrained_layout=True)
    cells = list(grid[:2].flat)
    for axes, name in zip(cells, grasps):
        grasp, outcome = grasps[name], outcomes[name]
        draw_grasp(axes, grasp, outcome, recording_of(experiment, name), numbers)
        place = f"x {1e3 * grasp.x:.0f}, y {1e3 * grasp.y:.0f} mm, μ {grasp.mu_gripper}"
        axes.set_title(f"{name}: {place}\n{outcome.words}", fontsize=8)
    for axes in cells[len(grasps):]:
        axes.axis("off")
    for name in grasps:
        run = vinci.Recording(recording_of(experiment, name))
        apart = run.body("right").position[:, 0] - run.body("left").position[:, 0]
        grid[2, 0].plot(1e3 * run.times, np.degrees(run.body("part").angle), label=name, lw=1)
        grid[2, 1].plot(1e3 * run.times, 1e3 * apart - 2e3 * numbers["tip_radius"], lw=1)
    grid[2, 0].set(xlabel="time, ms", ylabel="angle of the part, °", xlim=(0, 150))
    grid[2, 0].legend(fontsize=6)
    grid[2, 1].axhline(2e3 * numbers["outer"], color="0.6", ls=":")
    grid[2, 1].set(xlabel="time, ms", ylabel="between the tips, mm", xlim=(0, 150))
    for axes, name in zip(grid[2, 2:], ("medium", "high")):
        held = maps[name]
        picture = axes.pcolormesh(held.edges, held.edges, held.share, vmin=0, vmax=1, cmap="viridis")
        middles = 0.5 * (held.edges[1:] + held.edges[:-1])
        sure = held.lower >= 0.95
        x, y = np.meshgrid(middles, middles)
        axes.plot(x[sure], y[sure], "k.", ms=2)
        axes.set(title=f"share held, gripper {name}; dots: 95 %, surely", xlabel="x, mm",
                 ylabel="y, mm", aspect="equal")
        group = MEDIUM if name == "medium" else HIGH
        for grasp_name, grasp in grasps.items():
            if group[0] < grasp.mu_gripper <= group[1]:
                mark = "o" if outcomes[grasp_name].success else "x"
                axes.plot(1e3 * grasp.x, 1e3 * grasp.y, mark, mfc="none", mec="w", ms=6)
    chart.colorbar(picture, ax=list(grid[2, 2:]), shrink=0.8)
    experiment.save(chart)
    plt.close(chart)


def main() -> None:
    experiment = Experiment("grasp", __doc__)
    experiment.row("part", paper="slightly more than 40 mm in diameter",
                   ours="41 mm over opposite teeth, 8 teeth; grasp.yaml")
    experiment.row("model", paper="2.5D dynamic, force-controlled parallel jaws, three supports",
                   ours="the same; Stewart-Trinkle, exact disk, 0.5 ms")
    experiment.row("success", paper="tips on the outer edges of the outer-most teeth",
                   ours="the same, at rest and pressed, to 0.05 mm")
    grasps, outcomes = single_grasps(experiment)
    held = {"centred", "pushed first", "same, high", "same corner, high"}
    for name, outcome in outcomes.items():
        assert outcome.success == (name in held), f"{name}: {outcome}"
        assert outcome.force_closure or not outcome.success, f"{name}: held, but not closed"
    for name in ("slips off, medium", "corner, medium"):
        grasp = grasps[name]
        experiment.row(f"x {1e3 * grasp.x:.0f}, y {1e3 * grasp.y:.0f} mm: gripper 0.5, then 0.8",
                       paper="high friction: another map", ours="missed, then held")
    checks(experiment, grasps, outcomes)
    maps = success_maps(experiment)
    figure(experiment, grasps, outcomes, maps)
    experiment.finish()


if __name__ == "__main__":
    main()
