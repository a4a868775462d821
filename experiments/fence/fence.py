# SPDX-License-Identifier: Apache-2.0
"""The fence and particle of Trinkle, Berard and Pang 2005: is a quasi-static motion the only one?
Frictionless and with friction, quadratic cone, diamond and box; then blocks on three and four feet and
a pusher that sticks in space, whose motions are not unique although each contact mode is."""

from __future__ import annotations

import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import vinci

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from report import ROOT, Experiment  # noqa: E402  (chooses how matplotlib draws: before pyplot)

from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from vinci.plot import MUTED, SLIDING, STICKING  # noqa: E402

MODELS: dict[str, dict[str, Any]] = {
    "DQC": {"motion": "dqc"},
    "DLC, diamond": {"motion": "dlc", "cone": "pyramid", "directions": 4},
    "DLC, box": {"motion": "dlc", "cone": "box"},
}
SMOOTH = {"mu_floor": 0.0, "mu_fence": 0.0}
TOUCH = 0.2526802551420786  # s, when the fence reaches a particle that starts at x = 0.6


def scene(name: str) -> vinci.Scene:
    return vinci.Scene.load(FOLDER / f"{name}.yaml")


# ---- the particle ----------------------------------------------------------------------------

@dataclass(frozen=True)
class Path2:
    """Of the particle in the plane."""
    times: np.ndarray
    x: np.ndarray
    y: np.ndarray
    worst_residual: float


def particle_path(task: tuple[float, dict[str, Any], float]) -> Path2:
    mu, model, h = task
    simulation = vinci.Simulation(scene("fence"), parameters={"mu_fence": mu}, step=h, **model)
    times, places, worst = [0.0], [simulation.state.position("particle")[:2].copy()], 0.0
    while not simulation.finished:
        worst = max(worst, simulation.step().residual)
        times.append(simulation.state.time)
        places.append(simulation.state.position("particle")[:2].copy())
    x, y = np.array(places).T
    return Path2(np.array(times), x, y, worst)


def exact_y(mu: float, times: np.ndarray) -> np.ndarray:
    """Of the continuous Model-IQC: dy/dx = mu while the particle slips on the fence, dy/dt = 1 while it
    sticks, mu >= 2.5 / cos t."""
    fine = np.linspace(TOUCH, 0.5 * np.pi, 20001)
    rate = np.minimum(1.0, mu * 0.4 * np.cos(fine))
    y = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(fine))])
    return np.interp(times, fine, y, left=0.0, right=y[-1])


def study_particle(experiment: Experiment) -> dict[str, dict[float, Path2]]:
    h = 0.02 if experiment.short else 0.005
    frictions = [0.5, 4.0] if experiment.short else [0.2, 0.5, 1.0, 1.5, 4.0]
    tasks = [(mu, model, h) for model in MODELS.values() for mu in frictions]
    found = iter(experiment.map(particle_path, tasks))
    paths = {name: {mu: next(found) for mu in frictions} for name in MODELS}
    assert max(path.worst_residual for by in paths.values() for path in by.values()) < 1e-10
    error = max(float(np.abs(path.y - exact_y(mu, path.times)).max())
                for mu, path in paths["DQC"].items())
    assert error < h, error  # first order, with the speed 1 of the fence
    for mu, path in paths["DLC, diamond"].items():
        assert np.abs(path.y - (path.x - path.x[0])).max() < 1e-8, mu
    for mu, path in paths["DLC, box"].items():
        if mu == 1.0:
            continue  # between both: not unique
        moving = np.diff(path.x) > 1e-9 * h  # more than rounding
        want = 0.0 if mu < 1 else h
        assert np.abs(np.diff(path.y)[moving] - want).max() < 1e-9, mu
    experiment.row("DQC, motion of the particle", paper="not given",
                   ours=f"within {error:.1e} m of the exact path at h = {1e3 * h:g} ms")
    experiment.row("DLC (13), a diamond", paper="one linear cone",
                   ours="slope 1 whatever the fence's friction")
    experiment.row("DLC (33), a box", paper="the same cone",
                   ours="another motion: no slip along the fence above mu = 1, none along y below")
    return paths


def certify_particle(experiment: Experiment) -> vinci.Certificate:
    fence = scene("fence")
    smooth = vinci.certify(fence, parameters={**SMOOTH, "start_x": 0.75}, motion="dqc")
    ways = np.array([one.velocity["particle"] for one in smooth.free_motions])
    assert smooth.motion == "several" and smooth.proposition_1 is False
    assert len(ways) == 2 and np.allclose(ways[:, 2], 0) and np.linalg.matrix_rank(ways) == 2
    experiment.row("frictionless, particle off the fence", paper="not unique: dx, dy free, dz = 0",
                   ours=f"proposition 1 fails: {len(ways)} free motions, x and y, both ways")
    touching = vinci.certify(fence, at=0.7, parameters=SMOOTH, motion="dqc")
    assert touching.motion == "several" and touching.proposition_1 is False
    free = np.array([one.velocity["particle"] for one in touching.free_motions])
    experiment.row("frictionless, at the fence", paper="depends on the initial guess",
                   ours=f"not unique: {len(free)} free motions; the least one is taken")
    times = [0.0, 1.0] if experiment.short else list(np.arange(0, 2, 0.1))
    rough = [vinci.certify(fence, at=float(t), motion="dqc") for t in times]
    assert all(one.exists == "yes" and one.proposition_1 for one in rough)
    assert all(one.motion in ("unique", "locally unique") for one in rough)
    off = sum(one.motion == "unique" for one in rough)
    experiment.row("with friction (DQC)", paper="unique, also at the fence",
                   ours=f"proposition 1 holds at {len(times)} of {len(times)} times; proved unique "
                        f"for all loads at {off}, locally at the others")
    linear = [vinci.certify(fence, at=float(t), **MODELS[name])
              for name in ("DLC, diamond", "DLC, box") for t in times]
    assert all(one.exists == "yes" for one in linear)
    single = sum(one.motion == "unique" for one in linear)
    experiment.row("with friction (DLC)", paper="linear cones open non-uniqueness",
                   ours=f"proved unique at {single} of {len(linear)} times and cones")
    even = vinci.certify(fence, at=1.0, parameters={"mu_fence": 1.0}, **MODELS["DLC, box"])
    assert even.motion == "several"
    experiment.row("box and a fence with mu = 1", paper="not done",
                   ours="not unique: anything between sliding along the fence and sticking to it")
    limit = vinci.certify(limit_scene(fence))
    assert limit.proposition_1 and limit.motion == "several"
    experiment.row("a force exactly on the sliding limit", paper="proposition 1: unique",
                   ours="proposition 1 holds, and every speed is a solution: its 'if' fails")
    return smooth


def limit_scene(fence: vinci.Scene) -> vinci.Scene:
    """The particle on the floor alone, pulled by mu m g."""
    known = fence.parameters
    pull = known["mu_floor"] * known["mass"] * 9.81
    return vinci.Scene.parse(f"""
world: spatial
materials: {{m: {{friction: {known["mu_floor"]!r}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  particle:
    shapes: [{{sphere: 0.0625, material: m}}]
    mass: {known["mass"]!r}
    position: [0, 0, 0.0625]
    motion: {{roll: 0, pitch: 0, yaw: 0}}
    force: {{x: {pull!r}}}
run: {{motion: quasi-static, step: 10 ms, duration: 1}}
""")


# ---- blocks ----------------------------------------------------------------------------------

@dataclass(frozen=True)
class Continuum:
    """Of the solutions of one step: a load, and the spin of the block that goes with it."""
    load: np.ndarray    # N
    spin: np.ndarray    # rad/s
    taken: tuple[float, float]  # by the run


def continuum(certificate: vinci.Certificate, body: str, axis: int) -> Continuum:
    """Over the force of one contact of the block along an axis."""
    contacts = certificate.data["contacts"]
    at = next(i for i, one in enumerate(contacts) if body in (one["a"], one["b"]))
    sign = 1.0 if contacts[at]["b"] == "block" else -1.0
    points = [(sign * one.forces[at, axis], one.spin["block"][2])
              for one in certificate.families[0]]
    load, spin = np.array(points).T
    solution = certificate.solution
    assert solution is not None
    return Continuum(load, spin, (sign * solution.forces[at, axis], solution.spin["block"][2]))


def spin_by_solver(solver: str, name: str, parameters: dict[str, float]) -> float | None:
    try:
        simulation = vinci.Simulation(scene(name), solver=solver, parameters=parameters)
    except vinci.Error:
        return None
    report = simulation.step()
    if report.status != "solved":
        return None
    return float(simulation.state.velocity("block")[5])


def study_blocks(experiment: Experiment) -> dict[str, Continuum]:
    known = json.loads((ROOT / "tests/data/reference/case20_quasistatic3d.json").read_text(
        encoding="utf-8"))["expected"]["block"]
    tripod, four = scene("tripod"), scene("four_feet")
    three = vinci.certify(tripod)
    listed = known["three_points_floor_level_frictionless"]
    assert three.certain and three.solution is not None
    error = abs(three.solution.spin["block"][2] - listed["omega"])
    assert error < 1e-6
    experiment.row("block on three feet, pushed without friction", paper="not done",
                   ours=f"proved unique; {error:.0e} rad/s from the reference")
    found: dict[str, Continuum] = {}
    stuck = {"mu_nose": 0.6, "nose_y": 0.02, "nose_z": 0.03}
    for key, one, parameters, body, listed in (
            ("sticks", tripod, stuck, "pusher", known["three_points_sticking_contact"]),
            ("four", four, {}, "pad-1", known["four_points_push_off_centre"])):
        certificate = vinci.certify(one, parameters=parameters)
        assert certificate.motion == "several" and certificate.proposition_1
        found[key] = continuum(certificate, body, 2)
        low, high = found[key].spin.min(), found[key].spin.max()
        ends = listed["omega_range"]
        assert abs(low - ends[0]) < 1e-3 * abs(low) and abs(high - ends[1]) < 1e-3 * abs(high)
        what = ("pusher that sticks in space" if key == "sticks" else "block on four feet, off centre")
        experiment.row(what, paper="not done",
                       ours=f"a continuum: spin from {low:.5f} to {high:.5f} rad/s, although "
                            "proposition 1 holds for each load")
    centred = vinci.certify(four, parameters={"nose_y": 0.0})
    assert centred.loads == "several" and centred.motion != "several"
    experiment.row("block on four feet, through the centre", paper="not done",
                   ours=f"loads are a continuum, the motion is {centred.motion}")
    if not experiment.short:
        names = list(vinci.solvers())
        spins = experiment.map(functools.partial(spin_by_solver, name="tripod", parameters=stuck),
                               names)
        answers = [spin for spin in spins if spin is not None]
        experiment.row("the same step by other solvers", paper="not done",
                       ours=f"{len(answers)} solvers, spins within "
                            f"{max(answers) - min(answers):.1e} rad/s of each other")
    return found


# ---- figure ----------------------------------------------------------------------------------

def draw_paths(ax: Axes, paths: dict[str, dict[float, Path2]]) -> None:
    styles = {"DQC": "-", "DLC, diamond": "--", "DLC, box": ":"}
    shades = pyplot.get_cmap("viridis")
    frictions = list(paths["DQC"])
    for name, by in paths.items():
        for k, (mu, path) in enumerate(by.items()):
            ax.plot(path.x, path.y, styles[name], color=shades(0.1 + 0.8 * k / len(frictions)),
                    label=f"$\\mu$ = {mu:g}" if name == "DQC" else None)
    for name, style in styles.items():
        ax.plot([], [], style, color=MUTED, label=name)
    ax.axvline(1.0, color=MUTED, lw=1)
    ax.set(xlabel="x of the particle, m", ylabel="y, m", title="paths; the wall stands at x = 1")
    ax.legend(fontsize=7)


def draw_free(ax: Axes, smooth: vinci.Certificate) -> None:
    ax.axvspan(0.35, 0.5, color=MUTED, alpha=0.4)
    ax.axvspan(1.0, 1.15, color=MUTED, alpha=0.4)
    ax.plot(0.75, 0, "o", color=STICKING, ms=12)
    for motion in smooth.free_motions:
        x, y, _ = 0.2 * motion.velocity["particle"]
        for sign in (1, -1) if motion.both_ways else (1,):
            ax.annotate("", (0.75 + sign * x, sign * y), (0.75, 0),
                        arrowprops={"arrowstyle": "->", "color": SLIDING, "lw": 2})
    ax.set(xlim=(0.3, 1.2), ylim=(-0.4, 0.4), xlabel="x, m", ylabel="y, m", aspect="equal",
           title="frictionless: what is free")
    ax.text(0.425, -0.37, "fence", ha="center", fontsize=8)
    ax.text(1.075, -0.37, "wall", ha="center", fontsize=8)


def draw_continuum(ax: Axes, found: Continuum, load: str, title: str) -> None:
    ax.plot(found.load, found.spin, "-", color=SLIDING)
    ax.plot(*found.taken, "o", color=STICKING, label="taken by the run")
    ax.set(xlabel=load, ylabel="spin of the block, rad/s", title=title)
    ax.legend(fontsize=8)


def draw(smooth: vinci.Certificate, paths: dict[str, dict[float, Path2]],
         found: dict[str, Continuum]) -> Figure:
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
    draw_free(axes[0, 0], smooth)
    draw_paths(axes[0, 1], paths)
    draw_continuum(axes[1, 0], found["sticks"], "vertical friction at the pusher, N",
                   "three feet, a pusher that sticks")
    draw_continuum(axes[1, 1], found["four"], "load of the first foot, N", "four feet")
    return figure


def main() -> None:
    experiment = Experiment("fence", __doc__)
    smooth = certify_particle(experiment)
    paths = study_particle(experiment)
    found = study_blocks(experiment)
    experiment.save(draw(smooth, paths, found))
    experiment.finish()


if __name__ == "__main__":
    main()
