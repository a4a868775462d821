# SPDX-License-Identifier: Apache-2.0
"""A needle pushes a peg on three support points to a goal pose: search a plan of three pushes with the
quasi-static model, replay it, and see from which speed on inertia counts."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import vinci

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from report import Experiment  # noqa: E402  (chooses how matplotlib draws: before pyplot)

import robust  # noqa: E402

from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Circle, Polygon  # noqa: E402
from vinci.plot import MUTED, SLIDING, STICKING  # noqa: E402

PUSHES = 3
SEED = 1
WAY = 5e-6  # m of the needle's way a step, for a peg of scale 1


# ---- poses in the plane: (x, y, angle) -------------------------------------------------------

def compose(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The pose b, given in the frame a, in the frame of a; the last axis is the pose."""
    cos, sin = np.cos(a[..., 2]), np.sin(a[..., 2])
    return np.stack([a[..., 0] + cos * b[..., 0] - sin * b[..., 1],
                     a[..., 1] + sin * b[..., 0] + cos * b[..., 1],
                     a[..., 2] + b[..., 2]], axis=-1)


def corners(pose: np.ndarray, peg: Peg) -> np.ndarray:
    """The corners of the peg in a pose; axes: ..., corner, (x, y)."""
    x, y = 0.5 * peg.length * np.array([1, -1, -1, 1]), 0.5 * peg.width * np.array([1, 1, -1, -1])
    local = np.stack([x, y, np.zeros(4)], axis=-1)
    return compose(np.asarray(pose)[..., None, :], local)[..., :2]


def distance(pose: np.ndarray, other: np.ndarray, peg: Peg) -> np.ndarray:
    """Largest distance of the peg's corners between two poses, m."""
    apart = corners(np.asarray(pose), peg) - corners(np.asarray(other), peg)
    return np.linalg.norm(apart, axis=-1).max(axis=-1)


# ---- pushes ----------------------------------------------------------------------------------

@dataclass(frozen=True)
class Peg:
    """What the planner must know of peg.yaml."""
    length: float
    width: float
    needle_radius: float
    mu_needle: float

    @staticmethod
    def of(parameters: Mapping[str, float]) -> Peg:
        return Peg(*(parameters[name] for name in Peg.__dataclass_fields__))

    def face(self, side: int) -> tuple[float, float]:
        """Distance from the centre and half length of the face with normal side * 90 degrees."""
        across, along = (self.length, self.width) if side % 2 == 0 else (self.width, self.length)
        return 0.5 * across, 0.5 * along


@dataclass(frozen=True)
class Push:
    """Along the inward normal of a face, turned by `direction`; lengths in m, angle in rad."""
    side: int
    offset: float
    direction: float
    length: float


def push_path(scene: vinci.Scene, peg: Peg, push: Push, steps: int) -> np.ndarray:
    """Poses of the peg in its first frame during a push, one a step, the first one zero."""
    speed = scene.parameters["speed"]
    simulation = vinci.Simulation(
        scene, step=push.length / steps / speed, duration=push.length / speed,
        parameters={"side": 0.5 * np.pi * push.side, "distance": peg.face(push.side)[0],
                    "offset": push.offset, "direction": push.direction})
    poses = [np.zeros(3)]
    while not simulation.finished:
        simulation.step()
        poses.append(pose_of(simulation.state))
    return np.array(poses)


def pose_of(state: vinci.State) -> np.ndarray:
    rotation = state.rotation("peg")
    return np.array([*state.position("peg")[:2], 2.0 * np.arctan2(rotation[3], rotation[0])])


@dataclass(frozen=True)
class Library:
    """Pushes in the peg's frame and where they lead, for every tenth of a millimetre of way."""
    pushes: list[Push]      # of full length
    lengths: np.ndarray     # m
    outcomes: np.ndarray    # push, length, pose


def make_library(scene: vinci.Scene, peg: Peg, rng: np.random.Generator, count: int) -> Library:
    """Every face in turn; offsets over four fifths of it, directions over the friction cone."""
    longest, every, steps = 1.5 * peg.length, 5, 120
    pushes, outcomes = [], []
    for i in range(count):
        reach = 0.8 * peg.face(i % 4)[1]
        cone = np.arctan(peg.mu_needle)
        pushes.append(Push(i % 4, rng.uniform(-reach, reach), rng.uniform(-cone, cone), longest))
        outcomes.append(push_path(scene, peg, pushes[-1], steps)[every::every])
    return Library(pushes, longest / steps * np.arange(every, steps + 1, every),
                   np.array(outcomes))


def beam_search(library: Library, peg: Peg, goal: np.ndarray, rng: np.random.Generator,
                width: int = 60) -> list[list[Push]]:
    """Sequences of pushes of the library, the best first: after every push it goes on from the poses
    nearest to the goal, and from as many random ones."""
    flat = library.outcomes.reshape(-1, 3)
    weights = np.array([1.0, 1.0, 0.5 * np.hypot(peg.length, peg.width)])
    beam: list[tuple[np.ndarray, list[Push]]] = [(np.zeros(3), [])]
    for depth in range(PUSHES):
        poses = compose(np.array([pose for pose, _ in beam])[:, None, :], flat[None])
        errors = np.square((poses.reshape(-1, 3) - goal) * weights).sum(axis=1)
        chosen = np.argsort(errors, kind="stable")[:width]
        if depth + 1 < PUSHES:
            chosen = np.concatenate([chosen, rng.integers(len(errors), size=width)])
        grown = []
        for index in chosen:
            parent, outcome = divmod(int(index), len(flat))
            push, length = divmod(outcome, len(library.lengths))
            step = replace(library.pushes[push], length=float(library.lengths[length]))
            grown.append((poses[parent, outcome], beam[parent][1] + [step]))
        beam = grown
    return [plan for _, plan in beam]


def outcome_of(scene: vinci.Scene, peg: Peg, push: Push) -> np.ndarray:
    return push_path(scene, peg, push, max(10, round(push.length / WAY)))[-1]


def total(parts: list[np.ndarray]) -> np.ndarray:
    pose = np.zeros(3)
    for part in parts:
        pose = compose(pose, part)
    return pose


def refine(scene: vinci.Scene, peg: Peg, plan: list[Push], goal: np.ndarray) -> list[Push]:
    """Gauss-Newton steps of least norm in offset, direction and length of the pushes."""
    units = np.array([peg.length, 1.0, peg.length])    # of the nine variables
    weights = np.array([1.0, 1.0, 0.5 * peg.length])   # of the pose's error, m

    def moved(push: Push, change: np.ndarray) -> Push:
        offset, direction, length = change * units
        return replace(push, offset=push.offset + offset, direction=push.direction + direction,
                       length=push.length + length)

    parts = [outcome_of(scene, peg, push) for push in plan]
    for _ in range(20):
        error = (total(parts) - goal) * weights
        if np.linalg.norm(error) < 1e-6 * peg.length:
            break
        columns = []
        for i, push in enumerate(plan):
            for change in 1e-3 * np.eye(3):
                other = parts[:i] + [outcome_of(scene, peg, moved(push, change))] + parts[i + 1:]
                columns.append(((total(other) - goal) * weights - error) / 1e-3)
        step = np.linalg.lstsq(np.array(columns).T, -error, rcond=1e-3)[0].reshape(PUSHES, 3)
        for _ in range(8):    # halve until it helps: contact modes make kinks
            trial = [moved(push, change) for push, change in zip(plan, step)]
            found = [outcome_of(scene, peg, push) for push in trial]
            if np.linalg.norm((total(found) - goal) * weights) < np.linalg.norm(error):
                plan, parts = trial, found
                break
            step = 0.5 * step
        else:
            break
    return plan


# ---- the needle's way ------------------------------------------------------------------------

def way_around(peg: Peg, begin: np.ndarray, end: np.ndarray, clearance: float) -> np.ndarray:
    """Two points in the peg's frame between which and the ends the needle does not touch it."""
    half = 0.5 * np.array([peg.length, peg.width]) + peg.needle_radius
    signs = [np.array(s) for s in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    turns = [sign * (half + clearance) for sign in signs]
    routes = [[], *[[a] for a in turns], *[[turns[i], turns[(i + j) % 4]] for i in range(4)
                                         for j in (1, 3)]]

    def free(a: np.ndarray, b: np.ndarray) -> bool:
        inner = half + 0.2 * clearance
        points = a + np.linspace(0, 1, 200)[:, None] * (b - a)
        return not np.any(np.all(np.abs(points) < inner, axis=1))

    best, shortest = None, np.inf
    for route in routes:
        points = [begin, *route, end]
        legs = list(zip(points, points[1:]))
        way = sum(np.linalg.norm(b - a) for a, b in legs)
        if way < shortest and all(free(a, b) for a, b in legs):
            best, shortest = route, way
    assert best is not None, "no way around the peg"
    return np.array((best + [end, end])[:2]) if best else np.array([end, end])


def way_points(scene: vinci.Scene, peg: Peg, plan: list[Push], clearance: float) -> np.ndarray:
    """The 13 points of needle.yaml in the world."""
    points: list[np.ndarray] = []
    pose = np.zeros(3)
    for push in plan:
        away = 0.5 * np.pi * push.side
        face = peg.face(push.side)[0] + peg.needle_radius
        touch = compose(np.array([0, 0, away]), np.array([face, push.offset, 0]))[:2]
        inward = -np.array([np.cos(away + push.direction), np.sin(away + push.direction)])
        start, end = touch - clearance * inward, touch + push.length * inward
        world = np.array([compose(pose, np.array([*p, 0]))[:2]
                          for p in (start, end, end - clearance * inward)])
        if points:
            back = np.array([-pose[0], -pose[1], 0])
            turn = np.array([0, 0, -pose[2]])
            last = compose(turn, compose(back, np.array([*points[-1], 0])))[:2]
            for p in way_around(peg, last, start, clearance):
                points.append(compose(pose, np.array([*p, 0]))[:2])
        points.extend(world)
        pose = compose(pose, outcome_of(scene, peg, push))
    return np.array(points)


def plan_parameters(points: np.ndarray) -> dict[str, float]:
    return {f"{axis}_{k}": float(point[i]) for k, point in enumerate(points)
            for i, axis in enumerate("xy")}


@dataclass(frozen=True)
class Run:
    times: np.ndarray
    poses: np.ndarray
    worst_residual: float


def replay(scene: vinci.Scene, motion: str, speed: float, way: float = WAY,
           **parameters: float) -> Run:
    """The whole plan; `way` of the needle a step."""
    values = {"speed": speed, **parameters}
    known = scene.compile(**values).parameters
    settle = 3.0 * speed / (known["mu_table"] * known["gravity"])
    simulation = vinci.Simulation(scene, motion=motion, step=way / speed, parameters=values,
                                  duration=(known["path"] + 20 * way) / speed + settle)
    times, poses, worst = [0.0], [np.zeros(3)], 0.0
    while not simulation.finished:
        worst = max(worst, simulation.step().residual)
        times.append(simulation.state.time)
        poses.append(pose_of(simulation.state))
    return Run(np.array(times), np.array(poses), worst)


@dataclass(frozen=True)
class Scenes:
    push: vinci.Scene
    plan: vinci.Scene
    peg: Peg
    goal: np.ndarray

    @staticmethod
    def load() -> Scenes:
        plan = vinci.Scene.load(FOLDER / "needle.yaml")
        goal = np.array([plan.parameters[f"goal_{name}"] for name in ("x", "y", "angle")])
        return Scenes(vinci.Scene.load(FOLDER / "push.yaml"), plan, Peg.of(plan.parameters), goal)


def final_pose(scenes: Scenes, points: np.ndarray, **change: float) -> np.ndarray:
    """Of the peg after the quasi-static run of a plan."""
    return replay(scenes.plan, "quasi-static", scenes.plan.parameters["speed"],
                  **plan_parameters(points), **change).poses[-1]


# ---- search, and the plan as a file ----------------------------------------------------------

@dataclass(frozen=True)
class Plan:
    pushes: list[Push]
    points: np.ndarray      # of the needle's way
    sensitivity: float      # m, largest error of the variations


def settle(scenes: Scenes, pushes: list[Push]) -> Plan:
    """Refines a plan. What the whole scene does otherwise than the pushes by themselves (its steps
    begin elsewhere) moves the target of the next round."""
    target = scenes.goal
    for _ in range(4):
        pushes = refine(scenes.push, scenes.peg, pushes, target)
        points = way_points(scenes.push, scenes.peg, pushes, scenes.plan.parameters["clearance"])
        error = final_pose(scenes, points) - scenes.goal
        target = target - error
    return Plan(pushes, points, max(distance(final_pose(scenes, points, **change), scenes.goal,
                                             scenes.peg) for change in variations(scenes)))


def variations(scenes: Scenes) -> list[dict[str, float]]:
    """What is not known exactly: the needle's friction by a tenth, the supports by 30 um."""
    known = scenes.plan.parameters
    changes = [{"mu_needle": share * known["mu_needle"]} for share in (0.9, 1.1)]
    for name in known:
        if name.startswith("support_"):
            changes += [{name: known[name] + shift} for shift in (-30e-6, 30e-6)]
    return changes


def find_plans(experiment: Experiment, scenes: Scenes, count: int, candidates: int) -> list[Plan]:
    """The best sequences of pushes, made exact; first the one that variations disturb least."""
    rng = np.random.default_rng(SEED)
    library = make_library(scenes.push, scenes.peg, rng, count)
    found: dict[tuple[float, ...], list[Push]] = {}
    for pushes in beam_search(library, scenes.peg, scenes.goal, rng):
        found.setdefault(tuple(push.offset for push in pushes), pushes)
    plans = experiment.map(functools.partial(settle, scenes), list(found.values())[:candidates])
    return sorted(plans, key=lambda plan: plan.sensitivity)


def write_plan(path: Path, plan: Plan) -> None:
    names = ("+x", "+y", "-x", "-y")
    text = [f"# SPDX-License-Identifier: Apache-2.0\n# Written by needle.py, seed {SEED}: "
            "the points of the needle's way.\n"]
    for i, push in enumerate(plan.pushes):
        text.append(f"# Push {i + 1}: face {names[push.side]} of the peg, {1e3 * push.offset:.3f} mm"
                    f" along it, {np.degrees(push.direction):.1f} deg from its normal, "
                    f"{1e3 * push.length:.3f} mm.\n")
    text.append("world: planar\nparameters:\n  turns: 0                       # no way around the "
                "goal\n  gap: 0\n  wide: 1\n")
    for name, value in plan_parameters(plan.points).items():
        text.append(f"  {name}: {1e3 * value:.6f} mm*scale\n")
    path.write_text("".join(text))


# ---- models beside each other ----------------------------------------------------------------

@dataclass(frozen=True)
class Disagreement:
    """Of a model with the quasi-static one, in lengths of the peg: at the end, and at its worst with
    the needle at the same place."""
    final: float
    worst: float


def disagreement(scene: vinci.Scene, motion: str, speed: float, **parameters: float) -> Disagreement:
    peg = Peg.of(scene.compile(**parameters).parameters)
    way = WAY * parameters.get("scale", 1.0)
    one = replay(scene, "quasi-static", speed, way, **parameters).poses
    two = replay(scene, motion, speed, way, **parameters).poses
    apart = distance(one, two, peg) / peg.length
    return Disagreement(float(apart[-1]), float(apart.max()))


def crossing(x: np.ndarray, y: np.ndarray, level: float) -> float:
    """Where y(x) first passes the level, between points by a straight line in logarithms."""
    above = np.flatnonzero(y > level)
    if len(above) == 0 or above[0] == 0:
        return float("nan")
    i = above[0]
    share = np.log(level / y[i - 1]) / np.log(y[i] / y[i - 1])
    return float(x[i - 1] * (x[i] / x[i - 1]) ** share)


def slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


@dataclass(frozen=True)
class Study:
    """Disagreement over speeds, and over v^2 / (mu g L) for other sizes, frictions and weights."""
    speeds: np.ndarray
    dynamic: np.ndarray         # final, in lengths of the peg
    first_order: np.ndarray
    numbers: np.ndarray         # v^2 / (mu g L)
    similar: dict[str, np.ndarray]


def study(experiment: Experiment, scenes: Scenes, count: int) -> Study:
    speeds = np.geomspace(0.3e-3, 30e-3, count)
    numbers = np.geomspace(1e-4, 1e-1, max(2, count // 2))
    variants = {"as written": {}, "10 times larger": {"scale": 10.0},
                "$\\mu$ = 0.1": {"mu_table": 0.1}, "on the moon": {"gravity": 1.62}}
    runs: list[tuple[str, float, dict[str, float]]] = [
        (motion, speed, {}) for motion in ("dynamic", "first-order") for speed in speeds]
    for change in variants.values():
        known = scenes.plan.compile(**change).parameters
        pull = known["mu_table"] * known["gravity"] * known["length"]
        runs += [("dynamic", speed, change) for speed in np.sqrt(numbers * pull)]
    found = experiment.map(functools.partial(final_disagreement, scenes.plan), runs)
    dynamic, first_order, *rest = np.split(
        np.array(found), np.cumsum([count, count] + [len(numbers)] * (len(variants) - 1)))
    return Study(speeds, dynamic, first_order, numbers, dict(zip(variants, rest)))


def final_disagreement(scene: vinci.Scene, run: tuple[str, float, dict[str, float]]) -> float:
    motion, speed, change = run
    return disagreement(scene, motion, speed, **change).final


# ---- figure and table ------------------------------------------------------------------------

def supports_of(scenes: Scenes, pose: np.ndarray) -> np.ndarray:
    known = scenes.plan.parameters
    local = [[known[f"support_{k}_{axis}"] for axis in "xy"] + [0.0] for k in (1, 2, 3)]
    return compose(pose, np.array(local))[:, :2]


def draw_frame(axes: Axes, scenes: Scenes, run: vinci.Recording, frame: int) -> None:
    """The peg, its supports with the friction on them, the needle and its way so far; mm."""
    state, peg = run.state(frame), scenes.peg
    axes.add_patch(Polygon(1e3 * corners(scenes.goal, peg), fill=False, ls="--", ec=MUTED))
    axes.add_patch(Polygon(1e3 * corners(pose_of(state), peg), fc="#dfe6ee", ec="black"))
    axes.plot(*(1e3 * supports_of(scenes, pose_of(state)).T), "o", color="black", ms=3)
    way = 1e3 * run.body("needle").position[:frame + 1, :2]
    axes.plot(*way.T, color=MUTED, lw=0.8)
    axes.add_patch(Circle(way[-1], 1e3 * peg.needle_radius, color=SLIDING))
    rows = run.contacts(frame)
    supports = rows[rows["bodies"][:, 0] == rows["bodies"][:, 1]]
    for row in supports if len(supports) < len(rows) else []:    # nothing pushes without a contact
        at, force = 1e3 * row["point_a"][:2], row["impulse"][1:] / run.step_size
        axes.annotate("", at + 0.06e6 * force, at,
                      arrowprops={"arrowstyle": "->", "color": STICKING, "lw": 1.5})
    axes.set(xlim=(-1.3, 2.4), ylim=(-1.1, 2.1), aspect="equal", xlabel="x (mm)",
             title=f"{run.times[frame]:.2f} s")


def draw(scenes: Scenes, run: vinci.Recording, found: Study) -> Figure:
    figure = pyplot.figure(figsize=(15, 8), layout="constrained")
    top, bottom = figure.subfigures(2, 1)
    frames = [int(run.times.searchsorted(t)) for t in middles(scenes)]
    for ax, frame in zip(top.subplots(1, 4, sharey=True), [*frames, len(run.times) - 1]):
        draw_frame(ax, scenes, run, frame)
    height, speed, similar = bottom.subplots(1, 3)
    draw_height(height, scenes)
    draw_disagreement(speed, found)
    for (name, values), mark in zip(found.similar.items(), "os^x"):
        similar.loglog(found.numbers, 100 * values, mark + "-", label=name, mfc="none")
    similar.set(xlabel=r"$v^2 / (\mu g L)$", ylabel="final distance (% of the peg's length)",
                title="similar systems")
    for ax in (height, speed, similar):
        ax.legend()
        ax.grid(True, alpha=0.25)
    return figure


def middles(scenes: Scenes) -> list[float]:
    """Of the second half of every push, s."""
    known = scenes.plan.parameters
    return [(known[f"begin_{k}"] + 0.75 * known[f"way_{k}"]) / known["speed"] for k in (1, 6, 11)]


def draw_height(ax: Axes, scenes: Scenes) -> None:
    for motion, speed, style in (("quasi-static", 1e-3, "-"), ("dynamic", 1e-3, "--"),
                                 ("dynamic", 20e-3, ":")):
        run = replay(scenes.plan, motion, speed)
        ax.plot(1e3 * speed * run.times, 1e3 * run.poses[:, 1], style,
                label=f"{motion}, {1e3 * speed:.0f} mm/s")
    ax.set(xlabel="way of the needle (mm)", ylabel="y of the peg (mm)", title="path of the peg")


def draw_disagreement(ax: Axes, found: Study) -> None:
    speeds, dynamic, first = 1e3 * found.speeds, 100 * found.dynamic, 100 * found.first_order
    ax.loglog(speeds, dynamic, "o-", color=SLIDING, label="dynamic")
    ax.loglog(speeds, first, "s-", color=STICKING, label="first-order")
    ax.loglog(speeds, dynamic[0] * (speeds / speeds[0])**2, ":", color="black", label="$v^2$")
    ax.loglog(speeds, first[0] * speeds / speeds[0], "--", color="black", label="$v$")
    ax.set(xlabel="speed of the needle (mm/s)", ylabel="final distance (% of the peg's length)",
           title="from the quasi-static answer")


def fill_table(experiment: Experiment, scenes: Scenes, run: vinci.Recording, found: Study,
               searched: Plan) -> None:
    known, peg, row = scenes.plan.parameters, scenes.peg, experiment.row
    pull = known["mu_table"] * known["gravity"]
    final = distance(pose_of(run.state(len(run.times) - 1)), scenes.goal, peg)
    finer = distance(replay(scenes.plan, "quasi-static", known["speed"], WAY / 4).poses[-1],
                     scenes.goal, peg)
    row("a pushing plan reaches the goal", paper="yes",
        ours=f"shipped plan of {PUSHES} pushes: {1e6 * final:.2f} um from the goal, "
             f"{1e6 * finer:.1f} um with a quarter of the step")
    replayed = distance(final_pose(scenes, searched.points), scenes.goal, peg)
    row("found by simulating candidates", paper="yes",
        ours=f"search of this run: {1e6 * replayed:.2f} um; needle friction +-10 % or a support "
             f"+-30 um move that by up to {1e6 * searched.sensitivity:.0f} um")
    row("inertia against friction", paper="an order of magnitude smaller",
        ours=f"v^2/(mu g L) = {known['speed']**2 / pull / known['length']:.1e} at "
             f"{1e3 * known['speed']:.0f} mm/s, 0.1 at "
             f"{1e3 * np.sqrt(0.1 * pull * known['length']):.0f} mm/s")
    slow = disagreement(scenes.plan, "dynamic", known["speed"]).worst
    row("y over time", paper="simulation and experiment match closely",
        ours=f"quasi-static and dynamic agree to {100 * slow:.3f} % of the length throughout")
    apart = [crossing(found.speeds, found.dynamic, share) for share in (0.01, 0.05, 0.1)]
    row("quasi-static leaves dynamic by 1, 5, 10 %", paper="not asked",
        ours="at " + ", ".join(f"{1e3 * speed:.1f}" for speed in apart) + " mm/s")
    calm = found.dynamic < 0.002    # beyond, contact modes change
    coasting = np.mean(found.dynamic[calm] * known["length"] * pull / found.speeds[calm]**2)
    row("growth of that with the speed v", paper="not asked",
        ours=f"dynamic v^{slope(found.speeds[calm], found.dynamic[calm]):.2f}, {coasting:.2f} "
             f"v^2/(mu g); first-order v^{slope(found.speeds, found.first_order):.2f}")
    spread = max(np.max(np.abs(values / found.similar["as written"] - 1))
                 for values in found.similar.values())
    row("similar systems", paper="not asked",
        ours=f"equal within {100 * spread:.1g} % at equal v^2/(mu g L)")
    check(final < 1e-4 * peg.length and finer < 5e-3 * peg.length, "the shipped plan fails")
    check(replayed < 1e-3 * peg.length, "the search found no plan")
    check(run.summary.worst_residual <= 1e-10, "a step is not certified")
    rougher = replay(scenes.plan, "quasi-static", known["speed"], mu_table=2 * known["mu_table"])
    check(distance(rougher.poses[-1], scenes.goal, peg) < final + 1e-9,
          "friction that all supports have in common matters")
    check(abs(slope(found.speeds[calm], found.dynamic[calm]) - 2.0) < 0.1, "not the law v^2")
    check(abs(slope(found.speeds, found.first_order) - 1.0) < 0.05, "not the law v")
    check(spread < 0.01, "similar systems differ")


def check(holds: bool, complaint: str) -> None:
    if not holds:
        raise SystemExit(f"needle: {complaint}")


def main() -> None:
    experiment = Experiment("needle", __doc__)
    scenes = Scenes.load()
    recording = experiment.output / "needle.h5"
    recording.unlink(missing_ok=True)
    vinci.Simulation(scenes.plan).run(record=recording)
    run = vinci.Recording(recording)
    searched = find_plans(experiment, scenes, *((60, 1) if experiment.short else (200, 8)))
    write_plan(experiment.output / "plan.yaml", searched[0])
    found = study(experiment, scenes, 4 if experiment.short else 13)
    experiment.save(draw(scenes, run, found))
    fill_table(experiment, scenes, run, found, searched[0])
    geometry = robust.Geometry(scenes.goal, functools.partial(corners, peg=scenes.peg),
                               functools.partial(distance, other=scenes.goal, peg=scenes.peg))
    shares = robust.shares_of(experiment, [plan_parameters(plan.points) for plan in searched],
                              3 if experiment.short else 200)
    experiment.row("exact plans of three pushes, within 50 um of the goal", paper="not asked",
                   ours=f"{len(shares)}: " + ", ".join(f"{100 * it:.0f}" for it in shares) + " %")
    experiment.save(robust.draw(robust.learn(experiment, geometry), geometry), "robust")
    experiment.finish()


if __name__ == "__main__":
    main()
