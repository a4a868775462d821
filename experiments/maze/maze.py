#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The ball maze of Bortoff 2020: from the scene to its linear system, to a controller, to a run.

  linear    the ball where it is balanced on a ring: matrices, poles, zeros;
  gains     two lead compensators by root loci: which gains are good for which ring;
  run       the maze with them, through all gates to the middle;
  geometry  the same as bodies that touch: a round ring, rings of chords, a gate with its edges.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from report import Experiment  # noqa: E402  (chooses how matplotlib draws: before pyplot)

import design  # noqa: E402
import drawing  # noqa: E402
import geometry  # noqa: E402
import motion  # noqa: E402
from motion import Motion, Task  # noqa: E402

import vinci  # noqa: E402

K1, K2 = 3.0, 0.15  # of the scene, for all rings
PAPER_K2 = 0.04
LEVELS = ["above", "on-1", "gate-1", "on-2", "gate-2", "on-3", "gate-3", "on-4", "gate-4", "centre"]


def show_linear(experiment: Experiment) -> None:
    """Against an independent computation: two sets of parameters, (9b) as it is printed and as a
    ball rolls."""
    expected = design.reference()
    sets = {name: one for name, one in expected.items() if "rolling_constraint" in one}
    assert len(sets) == 4
    matrices = special = settled = 0.0
    pairs = []
    for name, one in sets.items():
        p = one["parameters"]
        rolls = "r_m+r_b" in one["rolling_constraint"]
        found = design.on_ring(
            parameters={"turning": p["rm"] + p["rb"] if rolls else p["rm"], **p})
        a, b = design.matrices(found)
        for ours, theirs in ((a, np.array(one["A"])), (b, np.array(one["B"]))):
            matrices = max(matrices, float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))))
        poles = found.transfer_function("hub.effort", "ball.x")["poles"]
        zeros = found.transfer_function("hub.effort", "hub.position")["zeros"]
        pole, zero = one["pole_p"], one["zero_z_u_to_q1"]
        for ours, size in ((poles, pole), (zeros, zero)):
            special = max(special, design.distance(ours, np.array([-size, size])) / max(1.0, size))
        near = np.sort(np.abs(found.system.poles() + 5.0))
        settled = max(settled, float(near[3]))
        assert found.is_equilibrium and near[4] > 1.0, name
        pairs.append(f"{pole:.4g} and {zero:.4g}")
        assert abs(found.forces["ring"] - one["lambda_equilibrium"][0]) < 1e-9
    experiment.row("A and B of four sets of parameters", paper="–",
                   ours=f"those of an independent computation to {matrices:.0e} of the largest "
                        "entry")
    experiment.row("their poles ±p, zeros ±z", paper="–",
                   ours=f"the same to {special:.0e}; p and z in 1/s: " + "; ".join(pairs))
    experiment.row("poles of the constraints", paper="four at −5",
                   ours=f"four within {settled:.0e} of −5, of two double ones")
    assert matrices < 1e-10 and special < 1e-8 and settled < 1e-3
    outer = design.on_ring()
    apart = 0.0
    for ring, radius in enumerate(design.radii(), 1):
        alone = design.matrices(design.on_ring(parameters={"rm": radius}))
        apart = max([apart, *(float(np.max(np.abs(one - other)) / np.max(np.abs(other)))
                              for one, other in zip(design.matrices(design.in_maze(ring)), alone))])
    experiment.row("A and B on rings 1 to 4, from the whole maze", paper="–",
                   ours=f"those of a ring alone to {apart:.0e}")
    assert apart < 1e-10
    channel = outer.channel("hub.effort", "ball.x")
    unreached, unseen = channel.hidden_poles()
    five = sum(abs(pole + 5) < 1e-3 for pole in unreached)
    origin = sum(abs(pole) < design.ZERO for pole in [*unreached, *unseen])
    experiment.row("what cancels from torque to ball", paper="4 at −5, 2 at the origin",
                   ours=f"{five} at −5 (the torque does not reach them), {origin} at the origin")
    assert (five, origin) == (4, 2)
    pole = max(channel.transfer_function()["poles"].real)
    zero = max(outer.transfer_function("hub.effort", "hub.position")["zeros"].real)
    experiment.row("poles of the ball", paper="−1.1 and 1.4",
                   ours=f"±{pole:.4g}: without friction they come in pairs, as (7) has it")
    experiment.row("zero of the maze right of the axis", paper="0.7", ours=f"{zero:.6g}")
    assert abs(zero - 0.7) < 1e-9


def show_gains(experiment: Experiment) -> None:
    expected = design.reference()["closed_loop"]
    own = (expected["k1"], PAPER_K2)
    radii = design.radii()
    outer = design.on_ring()
    # The sign: with u = −K y neither loop can be closed.
    negative = [design.loop_poles(outer, -k1, -k2) for k1 in np.geomspace(1e-2, 1e2, 9)
                for k2 in np.geomspace(1e-3, 1e2, 11)]
    assert not any(map(design.is_stable, negative))
    experiment.row("sign of the feedback", paper="positive",
                   ours=f"both loops u = +K y; of {len(negative)} pairs of gains with u = −K y "
                        "none is stable")
    for name, gains, paper in (("gains for the outermost ring", own, "k2 = 0.04, k1 not given"),
                               ("gains for all rings", (K1, K2), "good for any ring")):
        rings = [design.limits(*gains, radius) for radius in radii]
        stable = [design.is_stable(ring.poles) for ring in rings]
        assert all(stable) if gains[0] == K1 else stable[0]
        experiment.row(name, paper=paper,
                       ours=f"k1 = {gains[0]:.4g}, k2 = {gains[1]:g}: stable on ring "
                            + ", ".join(str(i) for i, good in enumerate(stable, 1) if good))
        for number, ring in enumerate(rings, 1):
            slow = ", ".join(
                f"{pole.real:.3f}" + (f" ± {pole.imag:.3f}i" if pole.imag > 0 else "")
                for pole in sorted(ring.poles, key=lambda p: -p.real)
                if pole.imag >= 0 and pole.real > -2.0)
            reach = f"0 < k2 < {ring.most:.4f}" if ring.most else "no k2"
            experiment.row(f"ring {number}, r = {ring.radius:g} m, k1 = {gains[0]:.4g}",
                           paper="k1 has a lower limit, k2 an upper one",
                           ours=f"p = {ring.pole:.4f}, z = {ring.zero:.4f}; k1 > {ring.least:.4f}, "
                                f"{reach}; slowest poles {slow}")
    # The limits are those of the scene with its signals, too.
    for radius in radii:
        ring = design.limits(K1, K2, radius)
        for k1, k2, good in ((0.99 * ring.least, 0.0, False), (1.01 * ring.least, 0.0, True),
                             (K1, 0.99 * ring.most, True), (K1, 1.01 * ring.most, False)):
            whole = design.on_ring(
                open_loop=False, parameters={"rm": radius, "k1": k1, "k2": k2})
            rest = [pole.real for pole in whole.system.poles()
                    if abs(pole) > design.ZERO and abs(pole + 5.0) > 1e-3]
            assert (max(rest) < 0) == good, (radius, k1, k2)
    experiment.row("the same limits from the scene with its signals", paper="–",
                   ours="1 % inside stable, 1 % outside not, on all rings")
    wanted = np.array([complex(*pole) for pole in expected["nontrivial_poles_polynomial"]])
    whole = design.on_ring(open_loop=False, parameters={"k1": own[0], "k2": own[1]})
    apart = design.distance(design.without_constraint(whole.system.poles(), 6), wanted)
    least = design.limits(*own, radii[0]).least * expected["kappa1_normalised"] / expected["k1"]
    experiment.row("closed loop of the scene on the outermost ring", paper="–",
                   ours=f"poles of an independent computation to {apart:.0e}; least gain without "
                        f"units {least:.4f}, there {expected['kappa1_minimum']:.4f}")
    assert apart < 1e-8 and abs(least - expected["kappa1_minimum"]) < 1e-9
    experiment.save(drawing.loci(radii, K1, K2, own), "loci")


def show_response(experiment: Experiment) -> None:
    wanted = design.reference()["closed_loop"]["nonlinear_response"]
    errors = {}
    for accuracy in (1e-6, 1e-8, 1e-10):
        found = motion.response(accuracy)
        errors[accuracy] = max(
            abs(found[time][i] - wanted[name][k])
            for k, time in enumerate(wanted["t"])
            for i, name in enumerate(("q1", "q2", "q3", "q4")))
    experiment.row("motion of the closed loop from 0.02 rad, 10 s", paper="–",
                   ours="independent computation to " + ", ".join(
                       f"{error:.0e} at accuracy {a:.0e}" for a, error in errors.items()))
    assert errors[1e-10] < 1e-9 and errors[1e-6] < 1e-5


def check_falls(run: Motion, radii: list[float], scene: dict[str, float]) -> float:
    """Times of touching against those of free fall, s: the most that they differ."""
    ball = scene["rb"]
    first = motion.falls(radii[0] + ball, run.ball[0, 0], run.ball[0, 1])
    most = abs(run.at("on-1") - first)
    for ring, radius in enumerate(radii[1:], 2):
        if f"on-{ring}" not in run.level:
            break
        i = run.level.index(f"gate-{ring - 1}")  # the ball flies at the end of this step
        time = run.time[i] + motion.flight(run.ball[i], run.speed[i], radius + ball)
        most = max(most, abs(run.at(f"on-{ring}") - time))
    return most


def ring_gains(k2: float, begin: float) -> tuple[tuple[str, float], ...]:
    return (("k1", design.reference()["closed_loop"]["k1"]), ("k2", k2), ("begin", begin),
            ("past", math.radians(6.0)))


def show_run(experiment: Experiment) -> None:
    radii = design.radii()
    scene = dict(vinci.Scene.load(design.MAZE).parameters)
    first = ring_gains(PAPER_K2, 0.5 if experiment.short else 10.0)
    tasks = [Task(first, 1e-6, 11.0 if experiment.short else 21.0)]
    if not experiment.short:
        tasks += [Task(duration=85.0, record=str(experiment.output / "maze.h5")), Task(first, 1e-8, 21.0)]
    runs: list[Motion] = experiment.map(motion.follow, tasks)
    outer, run = runs[0], runs[-2 if len(runs) > 1 else 0]
    reached = len(dict.fromkeys(run.level))
    experiment.row("ball falls on the first ring", paper="at about 0.1 s",
                   ours=f"at {run.at('on-1'):.9f} s")
    if not experiment.short:
        assert run.level[-1] == "centre"
        turning = f"turns from {scene['begin']:g} s on; "
        experiment.row("gains for the outermost ring",
                       paper="turns from 10 s, on ring 2 at about 22 s",
                       ours=f"turns from 10 s, through gate 1 at {outer.at('gate-1'):.4f} s, on "
                            f"ring 2 at {outer.at('on-2'):.4f} s")
        experiment.row("gains for all rings, through gates 1, 2, 3, 4", paper="22 s for gate 1",
                       ours=turning + ", ".join(f"{run.at(f'gate-{i}'):.2f}" for i in (1, 2, 3, 4))
                            + f" s; in the middle at {run.at('centre'):.2f} s")
        late = [abs(a[0] - b[0]) for a, b in zip(outer.events, runs[2].events)]
        experiment.row("events at accuracy 1e-6 and 1e-8", paper="–",
                       ours=f"differ by {max(late):.0e} s, {len(late)} events")
        assert max(late) < 1e-4
    assert list(dict.fromkeys(run.level)) == LEVELS[:reached] and reached >= 4
    apart = max(check_falls(one, radii, scene) for one in runs)
    experiment.row("falls through the gates", paper="free motion is brief",
                   ours=f"{run.at('on-2') - run.at('gate-1'):.4f} s from ring 1 to 2; times of "
                        f"touching are those of free flight to {apart:.0e} s")
    assert apart < 1e-5
    weight = vinci.Scene.load(design.SCENE).parameters["mb"] * motion.GRAVITY
    spikes = []
    for ring, radius in enumerate(radii, 1):
        forces = [force for _, what, to, force in run.events
                  if what == f"ring-{ring}" and to == "contact"]
        forces += [float(force) for force, level in zip(run.force, run.level)
                   if level == f"on-{ring}"]
        if forces:
            spikes.append(2.0 * (radius + scene["rb"]) * max(forces) / weight)
    experiment.row("largest λ on a ring over that at rest", paper="large spike",
                   ours=", ".join(f"{spike:.1f}" for spike in spikes))
    experiment.row("smallest λ while a ring holds the ball", paper="–",
                   ours=f"{min(one.least for one in runs):.2g} N/m, not negative")
    assert min(one.least for one in runs) >= 0
    back = outer.time > first[2][1]
    experiment.row("maze when it is asked to turn", paper="first the other way",
                   ours=f"{np.degrees(outer.angle[back][0] - outer.angle[back].min()):.3f}° back")
    assert outer.angle[back].min() < outer.angle[back][0]
    # (10) multiplies the angle of the ball by the radius of the ring.
    printed = outer.angle + radii[0] * np.arctan2(outer.ball[:, 0], outer.ball[:, 1]) - math.pi / 2
    on = [i for i, level in enumerate(outer.level) if level == "on-1"]
    early = next((i for i in on if printed[i] > 0), on[-1])
    time = np.interp(0.0, printed[early - 1:early + 1], outer.time[early - 1:early + 1])
    experiment.row("gate 1 as (10) is printed, r_m atan(q2/q3)", paper="where the gate is",
                   ours=f"{outer.at('gate-1') - time:.2f} s early: the angle of the ball counts "
                        f"{radii[0]:g} times")
    experiment.save(drawing.over_time(run))
    moments = [(0.0, "above"), (run.at("on-1") + 0.2, "sinks in")]
    for ring in range(1, 5):
        if f"gate-{ring}" in run.level:
            passed = run.at(f"gate-{ring}")
            moments += [(passed, f"gate {ring}"), (passed + 0.25, "falls")]
    moments.append((float(run.time[-1]), "in the middle" if run.level[-1] == "centre" else "on ring 2"))
    moments = moments[:1] + moments[2:] if len(moments) > 10 else moments
    experiment.save(drawing.strip(run, radii, scene["rb"], moments), "strip")


def show_geometry(experiment: Experiment) -> None:
    accuracies = (1e-6, 1e-8)
    same = experiment.map(geometry.round_ring, [(a, 0.0, 10.0, 25.0) for a in accuracies])
    experiment.row("round ring by its geometry, rolling from 0.02 rad", paper="–",
                   ours="as the constraints: ball to " + ", ".join(
                       f"{max(one[:2]):.0e} m at accuracy {a:.0e}"
                       for a, one in zip(accuracies, same)))
    assert all(max(one) < 1e-9 for one in same)
    scales = [0.2, 0.02] if experiment.short else [0.2, 0.1, 0.05, 0.02, 0.01, 0.005]
    fallen = experiment.map(geometry.round_ring, [(1e-8, 0.05, 2 / t, 1 / t**2) for t in scales])
    after = {t: max(one[:2]) for t, one in zip(scales, fallen)}
    experiment.row("the same after a fall of 50 mm, over the time scale of the impact", paper="–",
                   ours=", ".join(f"{1e3 * t:g} ms: {1e3 * d:.2g} mm" for t, d in after.items()))
    assert after[scales[-1]] < scales[-1] / scales[0] * after[scales[0]]
    counts = [50, 100, 200] if experiment.short else [25, 50, 100, 200, 400, 800]
    places = dict(zip(counts, (max(one[:2]) for one in experiment.map(geometry.polygons, counts))))
    slopes = -np.diff(np.log(list(places.values()))) / math.log(2)
    experiment.row("rings of " + ", ".join(map(str, counts)) + " chords, over the top", paper="–",
                   ours="ball to " + ", ".join(f"{d:.0e}" for d in places.values())
                        + f" m; order {slopes.min():.2f} to {slopes.max():.2f}")
    assert 1.8 < slopes.min() and slopes.max() < 2.2
    counts = [4, 8] if experiment.short else [2, 4, 8, 16, 32, 64]
    (exact, events), *others = experiment.map(geometry.gate, [0, *counts])
    over = next(t for t, what, to in events if what == "gate" and to == "over")
    leaves = next(t for t, what, to in events if what == "corner" and to == "ballistic")
    held = exact[:, 0] < leaves
    gates = {n: float(np.max(np.abs(one - exact)[held, 1:3]))
             for n, (one, _) in zip(counts, others)}
    slopes = -np.diff(np.log(list(gates.values()))) / math.log(2)
    fly = [float(np.max(np.abs(one - exact)[:, 1:3])) for one, _ in others]
    experiment.row(f"a gate with its edges, {', '.join(map(str, counts))} chords to the edge",
                   paper="–",
                   ours=f"over the edge from {over:.3f} s, lets go at {leaves:.3f} s; ball until "
                        "then to " + ", ".join(f"{d:.0e}" for d in gates.values())
                        + f" m, order {slopes.min():.2f} to {slopes.max():.2f}; falling, to "
                        f"{fly[-1]:.0e} m")
    assert 1.8 < slopes.min() and slopes.max() < 2.2
    experiment.save(drawing.geometry(
        {360 / n: d for n, d in places.items()},
        {geometry.gate_angle() / n: d for n, d in gates.items()}, after), "geometry")


def main() -> None:
    parts = {"linear": show_linear, "gains": show_gains, "response": show_response, "run": show_run,
             "geometry": show_geometry}
    experiment = Experiment("maze", __doc__, list(parts))
    for name, show in parts.items():
        if experiment.does(name):
            show(experiment)
    experiment.finish()


if __name__ == "__main__":
    main()
