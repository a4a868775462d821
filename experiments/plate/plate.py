# SPDX-License-Identifier: Apache-2.0
"""The vibrating plate of Berard, Nguyen and Trinkle 2009: a particle on a plate that rocks, the Circle
field with the exact friction cone and with pyramids, and what the paper could not reach: blocks, parts
that leave the plate, and the plate motion that makes a wanted velocity field. Every number stands
beside one that Vinci had no part in: closed forms, stored references, or the equations of motion
integrated here from event to event (theory.py, fields.py)."""

from __future__ import annotations

import functools
import json
import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import vinci

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from report import ROOT, Experiment  # noqa: E402  (chooses how matplotlib draws: before pyplot)

import fields  # noqa: E402
import theory  # noqa: E402
from theory import Rocking  # noqa: E402

from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

CONES: dict[str, dict[str, Any]] = {
    "exact": {},
    **{str(n): {"cone": "pyramid", "directions": n} for n in (4, 8, 16, 32, 64)},
}
COLOURS = {"exact": "#000000", "4": "#d95f02", "8": "#e6ab02", "16": "#1b9e77", "32": "#7570b3",
           "64": "#66a6d9"}


@functools.lru_cache(maxsize=None)
def scene(name: str) -> vinci.Scene:
    return vinci.Scene.load(FOLDER / f"{name}.yaml")


def reference(case: str) -> Any:
    path = ROOT / "tests" / "data" / "reference" / f"{case}.json"
    return json.loads(path.read_text(encoding="utf-8"))["expected"]


# ---- (a) the rocking plate ---------------------------------------------------------------------

@dataclass(frozen=True)
class Rocked:
    """A run over whole periods: where each ends, its means, and how long the part sticks and flies."""
    r: np.ndarray
    mean_r: np.ndarray
    mean_rate: np.ndarray
    stuck: np.ndarray        # s
    flown: np.ndarray        # s, of all its points
    least_load: np.ndarray   # of the less loaded side, over the mass
    worst_residual: float


@dataclass(frozen=True)
class Rock:
    """What to run: a scene, its parameters, steps per period."""
    scene: str
    parameters: tuple[tuple[str, float], ...]
    steps: int
    periods: int
    options: tuple[tuple[str, Any], ...] = ()


def ends(task: Rock) -> np.ndarray:
    """Only where each period ends."""
    parameters = dict(task.parameters)
    period = {**scene(task.scene).parameters, **parameters}["period"]
    simulation = vinci.Simulation(scene(task.scene), parameters=parameters, step=period / task.steps,
                                  duration=(task.periods + 0.5) * period, **dict(task.options))
    body = "particle" if task.scene == "rocking" else "block"
    places = []
    for k in range(task.periods):
        result = simulation.run(until=(k + 1) * period)
        assert result.steps == task.steps and result.worst_residual < 1e-10, result
        places.append(simulation.state.position(body)[1])
    return np.array(places)


def rock(task: Rock) -> Rocked:
    parameters = dict(task.parameters)
    known = {**scene(task.scene).parameters, **parameters}
    plate = Rocking(known["mu"], known["alpha"], known["period"], known["depth"])
    h = plate.period / task.steps
    body = "particle" if task.scene == "rocking" else "block"
    simulation = vinci.Simulation(scene(task.scene), parameters=parameters, step=h,
                                  duration=(task.periods + 0.5) * plate.period,
                                  **dict(task.options))
    mass = simulation.model.body(body).mass
    columns: list[tuple[float, ...]] = []
    r, worst, held = known["start"], 0.0, False
    for _ in range(task.periods):
        before, stuck, flown, least, total = r, 0, 0, math.inf, 0.0
        for k in range(1, task.steps + 1):
            report = simulation.step()
            worst = max(worst, report.residual)
            assert report.status == "solved", report.status
            _, y, z = simulation.state.position(body)
            angle = plate.angle(min(k * h, plate.period * (1 - 1e-15)))[0]
            total += y * math.cos(angle) + z * math.sin(angle)
            contacts = simulation.contacts
            load = contacts["impulse"][:, 0]
            if not (load > 0).any():
                flown, least = flown + 1, min(least, 0.0)
                continue
            # Friction within its cone: the slip that a step reports is that at its end, where the
            # plate is faster than its mean over the step.
            bound = known["mu"] * load * (1 - 1e-9)
            holds = bool((np.linalg.norm(contacts["impulse"][:, 1:], axis=1) < bound).all())
            stuck += holds and held  # a step alone is one in which the slip turns round
            held = holds
            ahead = contacts["point_b"][:, 1] >= y
            sides = (load[ahead].sum(), load[~ahead].sum()) if body == "block" else (load.sum(),)
            least = min(least, *sides) if sides else least
        r = y
        columns.append((r, total / task.steps, (r - before) / plate.period, stuck * h, flown * h,
                        least / h / mass))
    found = np.array(columns).T
    return Rocked(*found, worst)


def pairs(**parameters: float) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(parameters.items()))


def study_rocking(experiment: Experiment) -> dict[str, Any]:
    known = reference("case05_rocking_plate")
    short = experiment.short
    frictions = [0.3] if short else [0.1, 0.3, 0.5, 0.7]
    periods, steps = (8, 300) if short else (90, 300)

    # The integrator of theory.py against the stored asymptotic velocities.
    off = []
    for mu in frictions:
        rows = known["v_ss"][str(mu)]["rows"]
        for row in rows[6:8] if short else rows:
            one, _ = Rocking(mu=mu).asymptotic(row["r"])
            off.append(abs(one.mean_rate / row["v_ss_exact_frozen_r"] - 1))
            assert abs(one.stuck - row["stick_time_per_period"]) < 1e-9
    assert max(off) < 1e-8, max(off)
    experiment.row("our event-driven integrator, asymptotic velocities", paper="–",
                   ours=f"within {max(off):.0e} of {len(off)} reference values")

    # Vinci from rest in the world, as the reference is.
    tasks = [Rock("rocking", pairs(mu=mu), steps, 5 if short else 20) for mu in (0.3, 0.5)]
    error = 0.0
    for mu, r in zip((0.3, 0.5), experiment.map(ends, tasks)):
        for row in known["trajectory_from_rest_in_world_r0_0p03"][str(mu)]:
            if row["period"] <= len(r):
                error = max(error, abs(r[row["period"] - 1] - row["r"]))
    assert error < 6e-5, error
    experiment.row(f"particle from rest in the world, {tasks[0].periods} periods", paper="converges to v_ss",
                   ours=f"within {1e6 * error:.0f} µm of the exact motion at h = 0.1 ms")

    # From the periodic motion at 50 mm inwards: a curve of asymptotic velocities.
    tasks, exact = [], {}
    for mu in frictions:
        plate = Rocking(mu=mu)
        _, rate = plate.asymptotic(0.05)
        tasks.append(Rock("rocking", pairs(mu=mu, start=0.05, slip=rate), steps, periods))
        exact[mu] = plate.travel(0.05, rate, periods)
    curves = dict(zip(frictions, experiment.map(rock, tasks)))
    for mu, run in curves.items():
        plate = Rocking(mu=mu)
        there = np.array([one.r for one in exact[mu]])
        speed = np.array([one.mean_rate for one in exact[mu]])
        place = np.abs(run.r - there).max()
        # A step in which the slip turns round is off by up to 2 mu g h of speed, twice a period.
        assert place < min(1e-3, 4 * mu * theory.G * 1e-4 * periods * plate.period), (mu, place)
        slides = run.stuck == 0
        line = plate.b_centrifugal * run.mean_r + plate.c * run.mean_r**3
        printed = plate.b * run.mean_r + plate.c * run.mean_r**3
        wide = np.abs(run.mean_rate - speed).max() / np.abs(speed).max()
        words = f"{100 * wide:.2g}% from the exact motion"
        if slides.any():
            relative = [float(np.abs(run.mean_rate / one - 1)[slides].max())
                        for one in (printed, line)]
            words += (f"; {100 * relative[0]:.0f}% from b r + c r³, "
                      f"{100 * relative[1]:.0f}% with the centrifugal term")
        if not slides.all():
            fast = float((printed / run.mean_rate - 1)[~slides].max())
            words += f"; b r + c r³ is up to {100 * fast:.0f}% too fast where it sticks"
        experiment.row(f"v(r) from 50 to {1e3 * run.r[-1]:.0f} mm, μ = {mu}",
                       paper="agrees with b r + c r³", ours=words)
    study_belt(experiment)
    return {"curves": curves, "exact": exact, **study_limits(experiment)}


def study_belt(experiment: Experiment) -> None:
    """The asymptotic velocity without the wandering: the surface runs over the plate the other way, and
    the particle stays. What drift is left, over the velocity, is the error."""
    known = reference("case05_rocking_plate")["v_ss"]
    short = experiment.short
    cases = [("0.3", 6)] if short else [(mu, i) for mu in known for i in (2, 5, 8)]
    tasks, drifts = [], []
    for mu, i in cases:
        r, v = known[mu]["rows"][i]["r"], known[mu]["rows"][i]["v_ss_exact_frozen_r"]
        plate = Rocking(mu=float(mu))
        rate = plate.asymptotic(r)[1] - v
        if not short:
            exact = replace(plate, belt=-v).travel(r, rate, 30)
            drifts.append((exact[-1].r - exact[9].r) / (20 * plate.period) / v)
        for steps in (300,) if short else (300, 1200):
            tasks.append(Rock("rocking", pairs(mu=float(mu), start=r, slip=rate, belt=-v), steps, 30))
    found = [(r[-1] - r[9]) / (20 * 0.03) / -dict(task.parameters)["belt"]
             for task, r in zip(tasks, experiment.map(ends, tasks))]
    if short:
        assert abs(found[0]) < 0.03, found
        experiment.row("surface runs against the asymptotic velocity, μ = 0.3, r = 30 mm",
                       paper="–", ours=f"the particle stays: drifts {100 * abs(found[0]):.1f}% of it")
        return
    for mu in known:
        of = [k for k, case in enumerate(cases) if case[0] == mu]
        coarse, fine, exact = (100 * max(abs(one[k]) for k in of)
                               for one in (found[::2], found[1::2], drifts))
        off = 100 * max(abs(found[2 * k + 1] - drifts[k]) for k in of)
        assert off < 3, (mu, off)
        experiment.row(f"surface runs against the asymptotic velocity, μ = {mu}", paper="–",
                       ours=f"drift at most {coarse:.1f}% of it at h = 0.1 ms, {fine:.1f}% at 25 µs, "
                            f"{exact:.1f}% exactly")


def crossing(run: Rocked, times: np.ndarray) -> tuple[float, float]:
    """From where the last period with `times` above 0 begins to where the first one without ends."""
    last = int(np.nonzero(times > 0)[0].max())
    assert 0 < last < len(times) - 1, "the run does not cross the limit"
    return float(run.r[last + 1]), float(run.r[last - 1])


def study_limits(experiment: Experiment) -> dict[str, Any]:
    """Particles that start past a limit and wander across it."""
    listed = reference("case05_rocking_plate")["boundaries"]
    short = experiment.short
    fine = 300 if short else 1200
    cases = [("sticks", 0.7, 0.021, 0.05, 10), ("sticks", 0.5, 0.02, 0.03, 6),
             ("leaves", 0.3, 0.058, 0.05, 8)]
    if not short:
        cases += [("sticks", 0.5, 0.049, 0.05, 10), ("leaves", 0.3, 0.1, 0.05, 24)]
    tasks, theories = [], []
    for _, mu, start, depth, periods in cases:
        plate = Rocking(mu=mu, depth=depth)
        rate = -plate.alpha * plate.period / 4 * depth
        tasks.append(Rock("rocking", pairs(mu=mu, start=start, depth=depth), fine, periods))
        theories.append(plate.travel(start, rate, periods))
    runs = experiment.map(rock, tasks)
    shown = []
    for (what, mu, start, depth, _), run, exact in zip(cases, runs, theories):
        plate = Rocking(mu=mu, depth=depth)
        times = run.stuck if what == "sticks" else run.flown
        wanted = np.array([one.stuck if what == "sticks" else one.flown for one in exact])
        there = np.array([one.r for one in exact])
        # Ends fall into steps, and near the limit a small way makes a long time: 2% of a period.
        assert np.abs(times - wanted).max() < 6e-4, (what, mu, times, wanted)
        assert np.abs(run.r - there).max() < 6e-5, (what, mu)
        shown.append((what, mu, depth, run, exact))
        if depth != 0.05:
            assert (times > 0).all()
            deep = listed["d_stick_exact_mu=0.5_r=0.02"]
            assert short or abs(plate.stick_depth(start) - deep) < 1e-5
            experiment.row("axis closer: 30 mm, μ = 0.5, r = 20 mm", paper="sticks part of each cycle",
                           ours=f"sticks {1e3 * times[-1]:.2f} of 30 ms ({1e3 * wanted[-1]:.2f} exact); "
                                f"sliding all the time needs an axis {1e3 * deep:.2f} mm below")
            continue
        if what == "leaves" and times[-1] > 0:
            experiment.row(f"from r = {1e3 * start:.0f} mm, μ = {mu}", paper="theory invalid",
                           ours=f"flies {1e3 * times.max():.1f} ms of a period, "
                                f"{1e6 * np.abs(run.r - there).max():.0f} µm from the exact hops")
            continue
        low, high = crossing(run, times)
        limit = listed[("r_stick_exact" if what == "sticks" else "r_contact_lost_exact") + f"_mu={mu}"]
        small = plate.sticks_from if what == "sticks" else plate.leaves_from
        if not short:
            found = plate.stick_limit() if what == "sticks" else plate.lift_limit()
            assert abs(found - limit) < 1e-5, (found, limit)
        assert low < limit < high, (low, limit, high)
        formula = "d/μ − g/α" if what == "sticks" else "g/α"
        experiment.row(f"{'sticks' if what == 'sticks' else 'leaves the plate'} beyond, μ = {mu}",
                       paper="excluded by assumption",
                       ours=f"r between {1e3 * low:.1f} and {1e3 * high:.1f} mm; exact "
                            f"{1e3 * limit:.2f}, {formula} = {1e3 * small:.2f} mm")
    return {"limits": shown}


# ---- (b) the Circle field ----------------------------------------------------------------------

@dataclass(frozen=True)
class Orbit:
    times: np.ndarray
    xy: np.ndarray
    residual: float
    angle: float             # of the part at the end


def orbit(task: tuple[str, str, float, float, float]) -> Orbit:
    """Scene, cone, step, duration, and the stance of a tripod."""
    name, cone, h, duration, stance = task
    body = "particle" if name == "circle" else "part"
    simulation = vinci.Simulation(
        scene(name), step=h, duration=duration + 10 * h, **CONES[cone],
        parameters={"stance": stance} if name == "tripod" else {})
    times, places, worst = [0.0], [simulation.state.position(body)[:2].copy()], 0.0
    for k in range(round(duration / 0.01)):
        result = simulation.run(until=(k + 1) * 0.01)
        worst = max(worst, result.worst_residual)
        times.append(simulation.state.time)
        places.append(simulation.state.position(body)[:2].copy())
    turned = simulation.state.rotation(body)
    return Orbit(np.array(times), np.array(places), worst, float(2 * math.atan2(turned[3], turned[0])))


def apart(a: Orbit, b: Orbit) -> np.ndarray:
    return np.linalg.norm(a.xy - b.xy, axis=1)


def at_times(run: Orbit, times: list[float]) -> np.ndarray:
    return run.xy[[int(np.argmin(np.abs(run.times - t))) for t in times]]


def study_circle(experiment: Experiment) -> dict[str, Any]:
    short = experiment.short
    exact, pyramids = reference("case06_circle_quadratic"), reference("case06b_circle_pyramid")
    duration = 0.6 if short else 5.0
    cones = ["exact", "4", "32"] if short else list(CONES)
    listed = [t for t in exact["times"] if t <= duration + 1e-9]
    count = len(listed)
    names = ["circle"] if short else ["circle", "tripod"]
    tasks = [(name, cone, 1e-4, duration, 1e-3) for name in names for cone in cones]
    found = experiment.map(orbit, tasks)
    runs = {(task[0], task[1]): one for task, one in zip(tasks, found)}
    assert max(one.residual for one in found) < 1e-10
    error = float(np.linalg.norm(at_times(runs["circle", "exact"], listed)
                                 - np.array(exact["xy"])[:count], axis=1).max())
    assert error < 1e-3, error
    experiment.row(f"Circle, exact cone, {duration:g} s at h = 0.1 ms", paper="taken as correct",
                   ours=f"{1e3 * error:.2f} mm from the reference")
    # The paper's protocol: both at one h.
    for cone in cones[1:]:
        worst = float(apart(runs["circle", cone], runs["circle", "exact"]).max())
        want = pyramids["n"][cone]
        if short:
            want_max = max(want["err"][:count])
        else:
            want_max = want["max_err"]
        away = float(np.linalg.norm(at_times(runs["circle", cone], listed)
                                    - np.array(want["xy"])[:count], axis=1).max())
        assert away < 1e-3, (cone, away)
        assert 0.5 < worst / want_max < 2, (cone, worst, want_max)
        words = f"{1e3 * worst:.2f} mm (reference {1e3 * want_max:.2f})"
        if not short:
            feet = float(apart(runs["tripod", cone], runs["tripod", "exact"]).max())
            words += f", on three feet {1e3 * feet:.2f} mm"
        experiment.row(f"error of {cone} directions", paper="falls with directions", ours=words)
    if not short:
        errors = [float(apart(runs["circle", cone], runs["circle", "exact"]).max())
                  for cone in cones[1:]]
        assert all(a > b for a, b in zip(errors, errors[1:])), errors
        # The reference's own tolerance holds for fine steps.
        some, until = ["exact", "4", "8", "16"], 2.0
        fine = dict(zip(some, experiment.map(
            orbit, [("circle", cone, 1e-5, until, 1e-3) for cone in some])))
        early = [t for t in listed if t <= until]
        off = [float(np.linalg.norm(at_times(fine[cone], early)
                                    - np.array(pyramids["n"][cone]["xy"])[:len(early)], axis=1).max())
               for cone in some[1:]]
        least = min(max(pyramids["n"][cone]["err"][:len(early)]) for cone in some[1:])
        assert max(off) < 0.1 * least, (off, least)
        experiment.row("pyramids of 4, 8, 16 directions at h = 10 µs, 2 s", paper="not given",
                       ours=f"within {1e6 * max(off):.0f} µm of the reference's orbits")
    return {"orbits": runs, "duration": duration, **study_feet(experiment)}


def study_feet(experiment: Experiment) -> dict[str, Any]:
    """A part with a size: it turns, too. Beside the equations of a rigid body on three feet."""
    short = experiment.short
    stances = [0.005] if short else [0.001, 0.005, 0.02]
    duration = 0.1 if short else 1.0
    runs = experiment.map(orbit, [("tripod", "exact", 5e-5, duration, one) for one in stances])
    for stance, run in zip(stances, runs):
        want = theory.tripod(stance, run.times)
        off = float(np.linalg.norm(run.xy - want[:, :2], axis=1).max())
        turn = abs(run.angle - want[-1, 2])
        assert off < 1e-4 and turn < 5e-3, (stance, off, turn)
        experiment.row(f"tripod with feet {1e3 * stance:g} mm from its middle, {duration:g} s",
                       paper="not given",
                       ours=f"{1e6 * off:.0f} µm and {1e3 * turn:.1f} mrad from its equations; turned by "
                            f"{run.angle:.2f} rad")
    return {}


# ---- (c) time of one solve ---------------------------------------------------------------------

@dataclass(frozen=True)
class Cost:
    rows: int
    warm: float              # s, in the run
    cold: float              # s, from zero
    iterations: float


def cost(task: tuple[str, int]) -> Cost:
    cone, steps = task
    simulation = vinci.Simulation(scene("tripod"), step=1e-4, duration=1.0, **CONES[cone])
    warm, cold, iterations = [], [], []
    rows = 0
    for k in range(steps):
        report = simulation.step()
        warm.append(report.seconds["solve"])
        if k % max(1, steps // 40) == 0:
            problem = simulation.problem
            rows = problem.rows
            answers = [vinci.solve(problem, tolerance=1e-10) for _ in range(3)]
            assert all(one.solved and one.residual < 1e-10 for one in answers)
            cold.append(min(one.seconds for one in answers))
            iterations.append(answers[0].iterations)
    return Cost(rows, float(np.median(warm)), float(np.median(cold)), float(np.mean(iterations)))


def study_cost(experiment: Experiment) -> dict[str, Cost]:
    cones = ["exact", "4", "8"] if experiment.short else list(CONES)
    # One after the other: they are timed.
    costs = {cone: cost((cone, 200 if experiment.short else 3000)) for cone in cones}
    exact = costs["exact"]
    for cone, one in costs.items():
        name = "exact cone (NCP)" if cone == "exact" else f"{cone} directions (LCP)"
        paper = {"exact": "0.4 ms a step", "8": "as long as the NCP", "32": "2.4 ms a step"}
        experiment.row(f"one solve on three feet, {name}", paper=paper.get(cone, "not given"),
                       ours=f"{1e6 * one.warm:.1f} µs warm, {1e6 * one.cold:.1f} µs cold, "
                            f"{one.rows} rows")
    if not experiment.short:
        dear = [int(cone) for cone in cones[1:] if costs[cone].warm > 1.1 * exact.warm]
        ratio = costs["32"].warm / exact.warm
        experiment.row("LCP dearer than NCP from", paper="about 8 directions",
                       ours=f"{min(dear)} directions, by a tenth or more" if dear else "none of these")
        experiment.row("32 directions over the exact cone", paper="6 times", ours=f"{ratio:.1f} times")
    return costs


# ---- (d) step size -----------------------------------------------------------------------------

def study_steps(experiment: Experiment) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    short = experiment.short
    known = reference("case06_circle_quadratic")
    duration = 0.3 if short else 1.0
    sizes = [1e-3, 5e-4, 2e-4] if short else [1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6]
    listed = [t for t in known["times"] if t <= duration + 1e-9]
    runs = experiment.map(orbit, [("circle", "exact", h, duration, 1e-3) for h in sizes])
    errors = [float(np.linalg.norm(at_times(run, listed) - np.array(known["xy"])[:len(listed)],
                                   axis=1).max()) for run in runs]
    found["Circle, exact cone"] = np.array(sizes), np.array(errors)
    steps = [20, 60, 180] if short else [20, 60, 180, 540, 1620]
    want = Rocking().travel(0.03, -0.0675, 5)[-1].r
    runs = experiment.map(ends, [Rock("rocking", pairs(), one, 5) for one in steps])
    found["rocking plate"] = (0.03 / np.array(steps, dtype=float),
                              np.array([abs(r[-1] - want) for r in runs]))
    if not short:
        want = Rocking().travel(0.07, -0.0675, 5)[-1].r
        runs = experiment.map(ends, [Rock("rocking", pairs(start=0.07), one, 5) for one in steps])
        found["rocking plate, hops"] = (0.03 / np.array(steps, dtype=float),
                                        np.array([abs(r[-1] - want) for r in runs]))
    for name, (sizes_, errors_) in found.items():
        order = float(np.polyfit(np.log(sizes_), np.log(errors_), 1)[0])
        assert order > 0.7, (name, order)
        experiment.row(f"order in h: {name}", paper="converges",
                       ours=f"{order:.2f}; {1e6 * errors_[-1]:.2g} µm at h = {1e6 * sizes_[-1]:.3g} µs")
    study_frames(experiment)
    return found


def study_frames(experiment: Experiment) -> None:
    """Where contacts are taken in a step: the paper has the plate at its end."""
    want = Rocking().travel(0.03, -0.0675, 5)[-1].r
    forms = ["start", "driven", "gap", "end"]
    runs = experiment.map(ends, [Rock("rocking", pairs(), 240, 5, (("contact_frames", form),))
                                 for form in forms])
    errors = {form: 1e6 * abs(run[-1] - want) for form, run in zip(forms, runs)}
    assert max(errors.values()) < 1.2 * min(errors.values()), errors
    experiment.row("contacts with the plate at the end of the step", paper="used",
                   ours=f"no gain: {errors['driven']:.2g} µm after 5 periods at h = 125 µs; start of the "
                        f"step {errors['start']:.2g}, gaps of the end {errors['gap']:.2g}, all of the end "
                        f"{errors['end']:.2g} µm")


# ---- (e) a block -------------------------------------------------------------------------------

def study_block(experiment: Experiment) -> dict[str, Any]:
    """It slides as a particle would whose axis lies lower by the height of its centre of mass."""
    known = scene("block").parameters
    rise, length = known["height"] / 2, known["length"]
    depth = known["depth"] + rise
    plate = Rocking(depth=depth)
    short = experiment.short
    steps, periods = (300, 6) if short else (1200, 40)
    _, rate = plate.asymptotic(0.045)
    run = rock(Rock("block", pairs(start=0.045, slip=rate), steps, periods))
    exact = plate.travel(0.045, rate, periods)
    off = float(np.abs(run.r - np.array([one.r for one in exact])).max())
    assert off < 6e-5 and run.worst_residual < 1e-10, (off, run.worst_residual)
    experiment.row("block, 16 x 10 mm, from 45 mm", paper="only a particle",
                   ours=f"{1e6 * off:.0f} µm from a particle over an axis lower by its centre of mass")
    # Its far edge bears less. Small angles: N/2 = (k² alpha + mu e N)/length, k of its inertia.
    k2 = (length**2 + known["height"]**2) / 12
    load = k2 * plate.alpha / (length / 2 - plate.mu * rise)
    limit = (theory.G - load) / plate.alpha
    solid = replace(plate, block=(length, rise, k2))
    tips = rock(Rock("block", pairs(start=0.053), steps, 8))
    low, high = crossing(tips, (tips.least_load <= 0).astype(float))
    assert solid.asymptotic(low)[0].least_load > 0 >= solid.asymptotic(high)[0].least_load
    words = f"r between {1e3 * low:.1f} and {1e3 * high:.1f} mm; small angles {1e3 * limit:.2f}"
    if not short:
        words += f", exact {1e3 * solid.edge_limit():.2f}"
    experiment.row("block lifts an edge beyond", paper="not done", ours=words + " mm")
    if not short:
        tasks = [Rock("block", pairs(start=0.06), one, 8) for one in (1200, 4800)]
        last = [one[-1] for one in experiment.map(ends, tasks)]
        soft = theory.block_on_springs(replace(solid, depth=known["depth"]), rise, 0.06, 8)
        assert abs(last[1] - soft) < 5e-5, (last, soft)
        experiment.row("block that rocks on its edges, from 60 mm, 8 periods", paper="not done",
                       ours=f"ends at {1e3 * last[1]:.3f} mm (h = 6.25 µs), {1e3 * last[0]:.3f} mm "
                            f"(25 µs); on stiff springs of our own {1e3 * soft:.3f} mm")
    return {"block": run, "block_exact": exact}


# ---- (f) the motion for a wanted field ---------------------------------------------------------

@dataclass(frozen=True)
class Drift:
    at: np.ndarray
    velocity: np.ndarray
    residual: float
    active: int


def drift(task: tuple[np.ndarray, int]) -> Drift:
    """Of nine particles on the plate with this motion, over four periods after eight."""
    motion, steps = task
    parameters = {f"{axis}_{part}": float(motion[i, j])
                  for i, axis in enumerate(fields.AXES) for j, part in enumerate("cs")}
    h = 2 * math.pi / fields.RATE / steps
    simulation = vinci.Simulation(scene("fields"), parameters=parameters, step=h, duration=1.0)
    names = [f"particle-{i}" for i in range(9)]

    def places() -> np.ndarray:
        return np.array([simulation.state.position(name)[:2] for name in names])

    simulation.step(8 * steps)
    before, total, worst, active = places(), np.zeros((9, 2)), 0.0, 9
    for _ in range(4 * steps):
        report = simulation.step()
        worst, active = max(worst, report.residual), min(active, report.active)
        total += places()
    return Drift(total / (4 * steps), (places() - before) / (4 * steps * h), worst, active)


def search(task: tuple[str, int, int]) -> tuple[float, np.ndarray]:
    name, seed, calls = task
    return fields.find(fields.WANTED[name], 0.3, seed, calls=calls)


def field_error(name: str, one: Drift) -> float:
    wanted = fields.WANTED[name](one.at)
    return float(np.sqrt(((one.velocity - wanted) ** 2).sum() / (wanted**2).sum()))


def refine(task: tuple[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """The motion corrected by what Vinci has beyond the small-angle model."""
    name, best = task
    measured = drift((best, 400))
    error, motion, goal = field_error(name, measured), best, fields.WANTED[name]
    for _ in range(2):
        beyond = measured.velocity - fields.velocity_field(motion, measured.at, 0.3, 400, 12)
        goal = fields.shifted(fields.WANTED[name], measured.at, beyond)
        motion = fields.find(goal, 0.3, 0, motion, 20)[1]
        measured = drift((motion, 400))
        if field_error(name, measured) < error:
            error, best = field_error(name, measured), motion
    return error, best


def study_fields(experiment: Experiment) -> dict[str, tuple[Drift, np.ndarray]]:
    short = experiment.short
    names = list(fields.WANTED)
    designs = fields.stored()
    if not short:
        seeds = range(2)
        tasks = [(name, seed, 40) for name in names for seed in seeds]
        found = experiment.map(search, tasks)
        starts = []
        for name in names:
            best = min((one for task, one in zip(tasks, found) if task[0] == name),
                       key=lambda one: one[0])
            starts += [(name, best[1]), (name, designs[name])]
        refined = experiment.map(refine, starts)
        for k, name in enumerate(names):
            designs[name] = min(refined[2 * k:2 * k + 2], key=lambda one: one[0])[1]
        text = {name: {axis: [float(f"{part:.4g}") for part in designs[name][i]]
                       for i, axis in enumerate(fields.AXES)} for name in names}
        lines = [f' "{name}": ' + json.dumps(one) for name, one in text.items()]
        (experiment.output / "designs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n",
                                                        encoding="utf-8")
    drifts = experiment.map(drift, [(designs[name], 100 if short else 400) for name in names])
    shown = {}
    for name, one in zip(names, drifts):
        wanted = fields.WANTED[name](one.at)
        model = fields.velocity_field(designs[name], one.at, 0.3, steps=400, settle=12)
        size = np.sqrt((wanted**2).sum())
        off = field_error(name, one)
        from_model = float(np.sqrt(((one.velocity - model) ** 2).sum()) / size)
        assert one.residual < 1e-10 and one.active == 9, (name, one.residual, one.active)
        assert off < 0.05 and from_model < 0.05, (name, off, from_model)
        experiment.row(f"plate motion for '{name}'", paper="not done",
                       ours=f"particles drift {100 * off:.2g}% from the wanted field, "
                            f"{100 * from_model:.2g}% from the small-angle model")
        shown[name] = one, designs[name]
    return shown


# ---- figures -----------------------------------------------------------------------------------

def draw_rocking(axes: Axes, found: dict[str, Any]) -> None:
    for k, (mu, run) in enumerate(found["curves"].items()):
        plate = Rocking(mu=mu)
        colour = f"C{k}"
        r = np.linspace(run.mean_r.min(), 0.05, 100)
        axes.plot(1e3 * r, 1e3 * (plate.b * r + plate.c * r**3), ":", color=colour, lw=1)
        exact = found["exact"][mu]
        axes.plot([1e3 * one.mean_r for one in exact], [1e3 * one.mean_rate for one in exact],
                  "-", color=colour, lw=1, label=f"μ = {mu}")
        every = max(1, len(run.r) // 25)
        axes.plot(1e3 * run.mean_r[::every], 1e3 * run.mean_rate[::every], "o", color=colour, ms=3)
    axes.set(xlabel="r (mm)", ylabel="mean velocity (mm/s)",
             title="rocking: Vinci (dots), exact (lines),\nb r + c r³ (dotted)")
    axes.legend(fontsize=7)


def draw_limits(axes: Axes, found: dict[str, Any]) -> None:
    for k, (what, mu, depth, run, exact) in enumerate(found["limits"]):
        if depth != 0.05:
            continue
        mine = run.stuck if what == "sticks" else run.flown
        want = [one.stuck if what == "sticks" else one.flown for one in exact]
        axes.plot([1e3 * one.mean_r for one in exact], [1e3 * one for one in want], "-",
                  color=f"C{k}", lw=1)
        axes.plot(1e3 * run.mean_r, 1e3 * mine, "o", ms=3, color=f"C{k}", label=f"{what}, μ = {mu}")
    axes.set(xlabel="r (mm)", ylabel="time in a period of 30 ms (ms)",
             title="limits crossed: Vinci (dots), exact (lines)")
    axes.legend(fontsize=7)


def draw_circle(path: Axes, error: Axes, found: dict[str, Any]) -> None:
    name = "tripod" if ("tripod", "exact") in found["orbits"] else "circle"
    exact = found["orbits"][name, "exact"]
    for (one, cone), run in found["orbits"].items():
        if one != name:
            continue
        path.plot(1e3 * run.xy[:, 0], 1e3 * run.xy[:, 1], color=COLOURS[cone], lw=1,
                  label="exact cone" if cone == "exact" else f"{cone} directions")
        ticks = run.xy[::30]
        path.plot(1e3 * ticks[:, 0], 1e3 * ticks[:, 1], ".", color=COLOURS[cone], ms=3)
        if cone != "exact":
            error.semilogy(run.times[1:], 1e3 * apart(run, exact)[1:], color=COLOURS[cone], lw=1,
                           label=f"{cone}")
    path.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal",
             title=f"Circle field, {name}: ticks every 0.3 s")
    path.legend(fontsize=7)
    error.set(xlabel="t (s)", ylabel="distance to the exact cone (mm)", ylim=(1e-4, 20),
              title="error by directions, both at h = 0.1 ms")
    error.legend(fontsize=7)


def draw_steps(axes: Axes, steps: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    for name, (sizes, errors) in steps.items():
        axes.loglog(1e3 * sizes, 1e3 * errors, "o-", ms=3, lw=1, label=name)
    axes.loglog([0.005, 1], [0.0005, 0.1], "k:", lw=1, label="first order")
    axes.set(xlabel="h (ms)", ylabel="error (mm)", title="step size")
    axes.legend(fontsize=7)


def draw_cost(axes: Axes, costs: dict[str, Cost]) -> None:
    sides = [cone for cone in costs if cone != "exact"]
    for key, style in (("warm", "-"), ("cold", "--")):
        axes.loglog([int(one) for one in sides], [1e6 * getattr(costs[one], key) for one in sides],
                    "o" + style, color="C0", ms=3, lw=1, label=f"pyramid, {key}")
        axes.axhline(1e6 * getattr(costs["exact"], key), color="k", ls=style, lw=1,
                     label=f"exact cone, {key}")
    axes.set(xlabel="directions", ylabel="one solve (µs)", title="three feet: time of a solve")
    axes.legend(fontsize=7)


def draw_fields(found: dict[str, tuple[Drift, np.ndarray]]) -> Any:
    figure, axes = pyplot.subplots(1, len(found), figsize=(4.2 * len(found), 4.2),
                                   constrained_layout=True)
    places = fields.grid(7)
    for ax, (name, (run, motion)) in zip(axes, found.items()):
        wanted, made = fields.WANTED[name](places), fields.velocity_field(motion, places, 0.3)
        for at, v, colour, width, label in ((places, wanted, "#c9ccd1", 0.012, "wanted"),
                                            (places, made, "#1b9e77", 0.004, "small-angle model"),
                                            (run.at, run.velocity, "#d95f02", 0.007, "Vinci")):
            ax.quiver(1e3 * at[:, 0], 1e3 * at[:, 1], v[:, 0], v[:, 1], color=colour, width=width,
                      angles="xy", scale=0.3, label=label)
        ax.set(title=name, xlabel="x (mm)", ylabel="y (mm)", aspect="equal", xlim=(-45, 45),
               ylim=(-45, 45))
    axes[0].legend(fontsize=7)
    return figure


def check_rates(experiment: Experiment) -> None:
    """Eqs. (7) to (9) have G^T for the inverse of G, the map from spins to rates of quaternions."""
    s, x, y, z = np.array([2.0, -1.0, 4.0, 2.0]) / 5
    rates = 0.5 * np.array([[-x, -y, -z], [s, z, -y], [-z, s, x], [y, -x, s]])
    assert np.allclose(rates.T @ rates, np.eye(3) / 4, atol=1e-15)
    experiment.row("eqs. (7) to (9): Gᵀ is the inverse of G", paper="used",
                   ours="GᵀG = I/4: as printed the plate turns at a quarter of its speed")


def main() -> None:
    experiment = Experiment("plate", __doc__)
    check_rates(experiment)
    rocking = study_rocking(experiment)
    circle = study_circle(experiment)
    costs = study_cost(experiment)
    steps = study_steps(experiment)
    study_block(experiment)
    designs = study_fields(experiment)
    figure, axes = pyplot.subplots(2, 3, figsize=(13, 8), constrained_layout=True)
    draw_rocking(axes[0, 0], rocking)
    draw_limits(axes[1, 0], rocking)
    draw_circle(axes[0, 1], axes[0, 2], circle)
    draw_steps(axes[1, 1], steps)
    draw_cost(axes[1, 2], costs)
    experiment.save(figure)
    experiment.save(draw_fields(designs), "fields")
    experiment.finish()


if __name__ == "__main__":
    main()
