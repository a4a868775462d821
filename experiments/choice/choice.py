#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Is the answer of a step the solver's, or the model's?

Where a step has several solutions, one rule chooses (docs/theory/selection.md). This shows that the
choice is the same for all solvers, and that it is a sensible one:

  grasps     boxes between two pads: held where statics says so, dropped where it cannot be held;
  feeder     the two designs of experiments/feeder under every stepper and solver;
  symmetry   scenes with a symmetry keep it, and the order of a scene file does not matter;
  pusher     a part on three feet, pushed: one rate of turning.
"""

from __future__ import annotations

import pathlib
import sys
from collections import Counter
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
sys.path.insert(0, str(FOLDER.parent))

from report import Experiment  # noqa: E402  (before pyplot: it chooses how to draw)

import feeders  # noqa: E402
import grasps  # noqa: E402
import hands  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import symmetry  # noqa: E402
import verdicts  # noqa: E402

import vinci  # noqa: E402

SAME = 1e-9


def count_verdicts(experiment: Experiment, kind: str, numbers: list[int], every: bool
                   ) -> tuple[Counter[tuple[int, float]], list[verdicts.Verdict]]:
    """Wrong ones by cone and factor; all of them."""
    cones = (0, 8) if experiment.short else verdicts.CONES
    results = experiment.map(verdicts.judge, [(kind, n, cones, every) for n in numbers])
    found = [verdict for one in results for verdict in one]
    wrong = Counter((v.sides, v.factor) for v in found if v.right is False)
    for sides in cones:
        own = [v for v in found if v.sides == sides]
        count = len({(v.number, v.solver) for v in own})
        without = sum(v.right is None for v in own)
        experiment.row(
            f"{len(numbers)} {kind}, {f'pyramid of {sides}' if sides else 'cone'}"
            + (f", {len(verdicts.solvers(sides))} solvers" if every else ""),
            paper="no wrong verdict",
            ours="wrong " + ", ".join(f"{wrong[sides, f]} at {f}" for f in verdicts.FACTORS)
                 + f" of {count} each; {without} without a verdict; "
                 f"the rule had no answer in a step of {sum(v.left_steps > 0 for v in own)}")
    assert not any(wrong.values()), [v[:8] for v in found if v.right is False]
    return wrong, found


def show_grasps(experiment: Experiment) -> dict[tuple[int, float], int]:
    """By `auto` all of them, and by every solver the first: these show that the solver does not
    matter, bit for bit, where the rule has an answer."""
    count, sample = (4, 2) if experiment.short else (1000, 100)
    numbers = grasps.numbers(count)
    wrong, _ = count_verdicts(experiment, "pads", numbers, every=False)
    _, found = count_verdicts(experiment, "pads", numbers[:sample], every=True)
    others = hands.numbers(3 if experiment.short else 500)
    count_verdicts(experiment, "hands", others, every=False)
    _, more = count_verdicts(experiment, "hands", others[:1 if experiment.short else 30], every=True)
    compared, differ = 0, []
    by_auto = {v[:4]: v for v in found + more if v.solver == "auto"}
    for verdict in found + more:
        auto = by_auto[verdict[:4]]
        if verdict is auto or verdict.left_steps or auto.left_steps:
            continue
        compared += 1
        if verdict.motion != auto.motion:
            differ.append(verdict[:8])
    experiment.row("runs in which the rule had all answers, by another solver than auto",
                   paper="the same motion",
                   ours=f"{compared - len(differ)} of {compared} the same bit for bit")
    assert not differ, differ
    return wrong


def show_feeder(experiment: Experiment) -> None:
    count = 1 if experiment.short else 40
    for stepper in feeders.STEPPERS:
        slow = stepper == feeders.STEPPERS[2]
        if experiment.short and slow:
            continue
        solvers = feeders.solvers(stepper)[:2] if experiment.short else feeders.solvers(stepper)
        points = feeders.feeder.uncertainties(count, surface=slow, key=stepper)
        for design in feeders.feeder.DESIGNS:
            tasks = [(design, stepper, solver, point, 1) for solver in solvers for point in points]
            found = experiment.map(feeders.outcome, tasks)
            words = [tuple(run[0] for run in found[i * len(points):(i + 1) * len(points)])
                     for i in range(len(solvers))]
            chosen = experiment.map(feeders.choices, [(design, stepper, p) for p in points])
            steps, several, unknown = (sum(run[i] for run in chosen) for i in (1, 2, 3))
            ends = Counter(run[4] for run in chosen)
            experiment.row(
                f"'{design}', {stepper}, {len(solvers)} solvers", paper="one verdict",
                ours=f"{words[0].count('good')} of {len(points)} leave bottom down; "
                     f"{sum(one == words[0] for one in words)} of {len(solvers)} solvers say so in "
                     f"every run; several motions in {100 * several / steps:.2g} % of steps, "
                     f"unknown in {100 * unknown / steps:.2g} %; "
                     + ", ".join(f"{n} {word}" for word, n in sorted(ends.items())))
            assert slow or all(one == words[0] for one in words), (design, stepper, words)


def show_steps(experiment: Experiment) -> None:
    """Does Anitescu-Potra approach Stewart-Trinkle as the step falls?"""
    if experiment.short:
        return
    points = feeders.feeder.uncertainties(40, surface=False, key="steps")
    for design in feeders.feeder.DESIGNS:
        for finer in (1, 2, 4, 8):
            one, other = (experiment.map(feeders.outcome, [(design, stepper, "auto", point, finer)
                                                           for point in points])
                          for stepper in feeders.STEPPERS[:2])  # fmt: skip
            same = sum(a[0] == b[0] for a, b in zip(one, other))
            experiment.row(f"'{design}', step of 1/{finer} ms: AP and ST", paper="AP approaches ST",
                           ours=f"the same in {same} of {len(points)} runs")


def show_symmetry(experiment: Experiment) -> None:
    solvers = ["auto", "gauss-seidel"] if experiment.short else list(vinci.solvers())
    for name in symmetry.SCENES:
        found = [one for one in experiment.map(symmetry.follow, [(name, s) for s in solvers]) if one]
        worst, apart = (max(one[i] for one in found) for i in (0, 1))
        experiment.row(f"{name}: {len(found)} solvers, {symmetry.STEPS} steps", paper="1e-9",
                       ours=f"symmetric to {worst:.1e}, in another order to {apart:.1e}")
        assert worst < SAME, (name, found)


def turning(solver: str) -> list[tuple[float, float]] | None:
    try:
        simulation = vinci.Simulation(FOLDER / "pusher.yaml", solver=solver)
    except vinci.Error:
        return None
    rates = []
    for _ in range(simulation.total_steps):
        simulation.step()
        rates.append((simulation.state.time, float(simulation.state.velocity("part")[5])))
    return rates


def show_pusher(experiment: Experiment) -> dict[str, list[tuple[float, float]]]:
    names = list(vinci.solvers())
    rates = {name: rate for name, rate in zip(names, experiment.map(turning, names)) if rate}
    ends = [rate[-1][1] for rate in rates.values()]
    apart = max(abs(a[1] - b[1]) for one in rates.values() for a, b in zip(one, rates["auto"]))
    experiment.row(f"pusher on three feet, {len(rates)} solvers", paper="one rate of turning",
                   ours=f"{ends[0]:.6g} rad/s at the end; apart by at most {apart:.1e} rad/s")
    assert apart < SAME, rates
    return rates


def draw(experiment: Experiment, wrong: dict[tuple[int, float], int], rates: dict[str, Any]) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    cones = (0, 8) if experiment.short else verdicts.CONES
    for i, factor in enumerate(verdicts.FACTORS):
        left.bar([k + 0.25 * (i - 1) for k in range(len(cones))],
                 [wrong[sides, factor] for sides in cones], 0.25, label=f"{factor} × the force")
    left.set_xticks(range(len(cones)), [str(sides) if sides else "cone" for sides in cones])
    left.set_ylabel("wrong verdicts")
    left.set_xlabel("directions")
    left.legend(fontsize=8)
    for name, rate in rates.items():
        right.plot(*zip(*rate), label=name, lw=1)
    right.set_xlabel("time [s]")
    right.set_ylabel("rate of turning [rad/s]")
    right.legend(fontsize=7)
    experiment.save(figure)


def main() -> None:
    experiment = Experiment("choice", __doc__, parts=("grasps", "feeder", "symmetry", "pusher"))
    wrong = show_grasps(experiment) if experiment.does("grasps") else {}
    if experiment.does("feeder"):
        show_feeder(experiment)
        show_steps(experiment)
    if experiment.does("symmetry"):
        show_symmetry(experiment)
    rates = show_pusher(experiment) if experiment.does("pusher") else {}
    draw(experiment, wrong, rates)
    experiment.finish()


if __name__ == "__main__":
    main()
