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
import matplotlib.pyplot as plt  # noqa: E402
import symmetry  # noqa: E402

import vinci  # noqa: E402

SAME = 1e-9


def show_grasps(experiment: Experiment) -> dict[tuple[int, float], int]:
    count, cones = (4, (0, 8)) if experiment.short else (1000, grasps.CONES)
    results = experiment.map(grasps.judge, [(n, cones) for n in range(count)])
    runs: Counter[tuple[int, float]] = Counter()
    wrong: Counter[tuple[int, float]] = Counter()
    left = unsolved = 0
    for sides, _solver, factor, right, _selected, unselected in (r for one in results for r in one):
        runs[sides, factor] += 1
        wrong[sides, factor] += right is False
        unsolved += right is None
        left += unselected > 0
    for sides in cones:
        name = f"pyramid of {sides}" if sides else "cone"
        experiment.row(
            f"{count} grasps, {name}, {len(grasps.solvers(sides))} solvers", paper="no wrong verdict",
            ours="wrong " + ", ".join(f"{wrong[sides, f]} of {runs[sides, f]} at {f}"
                                      for f in grasps.FACTORS))  # fmt: skip
    experiment.row("grasps with a step that the rule left", paper="none", ours=str(left))
    experiment.row("grasps with a step not solved, as its report says", paper="few",
                   ours=f"{unsolved} of {sum(runs.values())}")
    assert not any(wrong.values()), wrong
    return dict(wrong)


def show_feeder(experiment: Experiment) -> None:
    count = 1 if experiment.short else 40
    for stepper in feeders.STEPPERS:
        slow = stepper == feeders.STEPPERS[2]
        solvers = feeders.solvers(stepper)[:2] if experiment.short else feeders.solvers(stepper)
        points = feeders.feeder.uncertainties(count, surface=slow, key=stepper)
        for design in feeders.feeder.DESIGNS:
            if experiment.short and slow:
                continue
            tasks = [(design, stepper, solver, point, 1) for solver in solvers for point in points]
            found = experiment.map(feeders.outcome, tasks)
            by_solver = [found[i * len(points):(i + 1) * len(points)] for i in range(len(solvers))]
            words = [tuple(run[0] for run in runs) for runs in by_solver]
            steps, selected = (sum(run[i] for run in found) for i in (1, 2))
            good = sum(word == "good" for word in words[0])
            agree = sum(one == words[0] for one in words)
            experiment.row(
                f"'{design}', {stepper}, {len(solvers)} solvers", paper="one verdict",
                ours=f"{good} of {len(points)} leave bottom down; {agree} of {len(solvers)} solvers "
                     f"say so in every run; {100 * selected / steps:.2g} % of steps decided")
            assert slow or agree == len(solvers), (design, stepper, words)


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
    cones = sorted({sides for sides, _ in wrong})
    for i, factor in enumerate(grasps.FACTORS):
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
    experiment = Experiment("choice", __doc__)
    wrong = show_grasps(experiment)
    show_feeder(experiment)
    show_steps(experiment)
    show_symmetry(experiment)
    rates = show_pusher(experiment)
    draw(experiment, wrong, rates)
    experiment.finish()


if __name__ == "__main__":
    main()
