# SPDX-License-Identifier: Apache-2.0
"""How surely plans of the needle bring the peg to its goal where friction, supports and start are
not known well: the shipped plan and two that were searched to be robust, with the same draws."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from report import Experiment
from vinci.plot import MUTED, SLIDING, STICKING

import vinci

FOLDER = Path(__file__).resolve().parent
PLANS = {"shipped": "needle.yaml", "pushes": "pushes.yaml", "around": "around.yaml"}
WORDS = {"shipped": "the shipped plan", "pushes": "three robust pushes",
         "around": "pushes, then around the goal"}
COLORS = dict(zip(PLANS, (MUTED, STICKING, SLIDING)))
FRESH = 2  # the seed of draws that no search has seen
STEP = "{step: 10 ms}"  # of sure.yaml
COARSE = "{step: 20 ms}"  # where shapes matter more than digits
TOLERANCE = 50e-6  # m, of sure.yaml


@dataclass(frozen=True)
class Geometry:
    """What needle.py knows of poses (x, y, angle)."""
    goal: np.ndarray
    corners: Callable[[np.ndarray], np.ndarray]
    distance: Callable[[np.ndarray], np.ndarray]    # from the goal, of the corner displaced most


# ---- studies ---------------------------------------------------------------------------------

def changed(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert text.count(old) == 1, f"not once in the study: '{old}'"
        text = text.replace(old, new)
    return text


def study_text(changes: dict[str, str]) -> str:
    """sure.yaml with other words."""
    return changed((FOLDER / "sure.yaml").read_text(encoding="utf-8"), changes)


def run_study(experiment: Experiment, name: str, text: str) -> vinci.Study:
    path = experiment.output / f"{name}.yaml"  # with the results: `vinci view` shows both
    path.write_text(re.sub("(?m)^scene: ", f"scene: {FOLDER}/", text), encoding="utf-8")
    study = vinci.Study(path)
    study.run(output=path.with_suffix(".study"), overwrite=True, workers=experiment.jobs)
    report = study.report
    assert report["complete"] and report["verdicts"]["unknown"] == 0, f"{name}: unknown cases"
    return study


def sure_of(experiment: Experiment, plan: str, count: int, run: str = STEP) -> vinci.Study:
    """The plan with fresh draws: the same ones for every plan and every `run`."""
    name = re.sub(r"\W+", "_", plan if run == STEP else f"{plan} {run}").strip("_")
    return run_study(experiment, f"sure_{name}", study_text({
        "scene: needle.yaml": f"scene: {PLANS[plan]}", "seed: 1": f"seed: {FRESH}",
        STEP: run, "count: 10000": f"count: {count}"}))


def unsearched(experiment: Experiment, count: int) -> vinci.Study:
    """The shipped pushes, then around the goal as one would choose it by hand; the same draws."""
    return run_study(experiment, "sure_unsearched", study_text({
        "scene: needle.yaml": "scene: needle.yaml\nset: {turns: 3, gap: 10 um, wide: 1.08}",
        "seed: 1": f"seed: {FRESH}", STEP: "{step: 10 ms, duration: 27 s}",
        "count: 10000": f"count: {count}"}))


def indices_of(experiment: Experiment, count: int) -> dict[str, dict[str, dict[str, Any]]]:
    """Sobol's, of the shipped plan: per measure and parameter."""
    study = run_study(experiment, "indices", study_text({
        STEP: COARSE, "sample: {count: 10000}":
            f"sensitivity: {{method: sobol, of: [angle, success], count: {count}}}"}))
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for index in study.report["sensitivity"]:
        found.setdefault(index["measure"], {})[index["parameter"]] = index
    return found


def map_of(experiment: Experiment, plan: str, cells: int, count: int) -> np.ndarray:
    """The share of successes over where the peg starts, in y (columns) and angle (rows)."""
    lines = {line.split(":")[0].strip(): line + "\n" for line in study_text({}).splitlines()}
    study = run_study(experiment, f"map_{plan}", study_text({
        "scene: needle.yaml": f"scene: {PLANS[plan]}", STEP: COARSE,
        lines["start_y"]: "", lines["start_angle"]: "",
        "uncertain:\n": "design:\n  start_y: {from: -0.2 mm, to: 0.2 mm}\n"
                        "  start_angle: {from: -12 deg, to: 12 deg}\nuncertain:\n",
        "sample: {count: 10000}":
            f"map: {{over: [start_y, start_angle], cells: [{cells}, {cells}], count: {count}}}"}))
    share = [cell["probability"]["value"] for cell in study.report["designs"]]
    return np.array(share, float).reshape(cells, cells)


def shares_of(experiment: Experiment, plans: list[dict[str, float]], count: int) -> np.ndarray:
    """How often other plans of three pushes succeed, on the same draws."""
    def way(plan: dict[str, float]) -> float:
        return sum(math.hypot(*(plan[f"{axis}_{k + 1}"] - plan[f"{axis}_{k}"] for axis in "xy"))
                   for k in range(12))

    seconds = 1e3 * max(way(plan) for plan in plans) + 0.3
    study = run_study(experiment, "candidates", study_text({
        STEP: f"{{step: 20 ms, duration: {seconds:.2f} s}}",
        "uncertain:\n": f"designs: {json.dumps(plans)}\nuncertain:\n",
        "count: 10000": f"count: {count}"}))
    return np.array([design["probability"]["value"] for design in study.report["designs"]])


def search(experiment: Experiment, plan: str) -> Path:
    """The robust plan that this run finds, as a file."""
    text = (FOLDER / f"search_{plan}.yaml").read_text(encoding="utf-8")
    if experiment.short:
        text = re.sub(r"(?m)^search: .*$",
                      "search: {maximise: probability, evaluations: 4, samples: 3, confirm: 5}", text)
    study = run_study(experiment, f"search_{plan}", text)
    found = study.report["found"][0]
    text = (FOLDER / "plan.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^#.*\n", "", text)
    values = {name: f"{value:.6f}" if name == "wide" else f"{1e3 * value:.6f} mm*scale"
              for name, value in found["values"].items()}
    if plan == "around":
        values |= {"turns": "3", "gap": "10 um*scale"}  # as in search_around.yaml
    for name, value in values.items():
        text, lines = re.subn(rf"(?m)^  {name}: .*$", f"  {name}: {value}", text)
        assert lines == 1, name
    path = experiment.output / f"plan_{plan}.yaml"
    path.write_text(f"# SPDX-License-Identifier: Apache-2.0\n# Written by needle.py: plan.yaml with "
                    f"what search_{plan}.yaml found.\n{text}", encoding="utf-8")
    return path


# ---- what is learned -------------------------------------------------------------------------

@dataclass(frozen=True)
class Learned:
    results: dict[str, np.ndarray]
    indices: dict[str, dict[str, dict[str, Any]]]
    maps: dict[str, np.ndarray]


def successes(results: np.ndarray) -> np.ndarray:
    return results["verdict"] == "success"


def gain_of(one: np.ndarray, two: np.ndarray) -> tuple[float, float, float]:
    """By how much `two` succeeds more often than `one`, with an interval of 95 % (the normal one of
    differences of pairs); both met the same draws."""
    assert (one["mu_2"] == two["mu_2"]).all() and (one["start_y"] == two["start_y"]).all()
    change = successes(two).astype(float) - successes(one)
    half = 1.96 * change.std(ddof=1) / math.sqrt(len(change))
    return change.mean(), change.mean() - half, change.mean() + half


def percent(found: tuple[float, float, float]) -> str:
    value, lower, upper = (100 * it for it in found)
    return f"{value:.2f} % ({lower:.2f} to {upper:.2f})"


def learn(experiment: Experiment, geometry: Geometry) -> Learned:
    short = experiment.short
    count = 30 if short else 10000
    studies = {plan: sure_of(experiment, plan, count) for plan in PLANS}
    results = {plan: study.results for plan, study in studies.items()}
    for plan, study in studies.items():
        off = results[plan]["off"]
        poses = np.stack([results[plan][name] for name in ("x", "y", "angle")], axis=-1)
        assert np.allclose(off, geometry.distance(poses), rtol=0, atol=1e-9), "two formulas of off"
        experiment.row(f"{WORDS[plan]}: within 50 um of the goal", paper="not asked",
                       ours=f"{percent(study.probability)} of {count}; within 25 um "
                            f"{100 * np.mean(off < 25e-6):.1f} %, median {1e6 * np.median(off):.0f} um")
    for plan in ("pushes", "around"):
        gain = gain_of(results["shipped"], results[plan])
        experiment.row(f"gain of {WORDS[plan]}", paper="not asked",
                       ours=f"{percent(gain)} of the cases, on the same draws")
        if plan == "around":
            assert gain[1] > 0.3, "going around the goal gains little"
        path = search(experiment, plan)
        same = path.read_bytes() == (FOLDER / path.name).read_bytes()
        experiment.row(f"search of this run, {WORDS[plan]}", paper="not asked",
                       ours=f"{path.name} as it is shipped" if same else f"another plan: {path}")
    few = 6 if short else 2000
    by_hand = unsearched(experiment, few)
    gain = gain_of(by_hand.results, results["around"][:few])
    experiment.row("shipped pushes, then around the goal, nothing searched", paper="not asked",
                   ours=f"{percent(by_hand.probability)} of {few}; the search gains {percent(gain)}")
    check_models(experiment, results["around"])
    indices = indices_of(experiment, 16 if short else 512)
    known = [it for it in indices["angle"].values() if it["total"] is not None]
    largest = sorted(known, key=lambda it: -it["total"])[:4]
    words = ", ".join(f"{it['parameter']} {100 * it['total']:.0f} %" for it in largest)
    experiment.row("what turns the peg at the end, shipped plan", paper="not asked",
                   ours=f"{words} of the variance" if known else "too few cases to tell")
    assert short or known, "no index of the angle at the end"
    maps = {plan: map_of(experiment, plan, *((2, 2) if short else (15, 20)))
            for plan in ("shipped", "around")}
    experiment.row("starts from which at least 95 % succeed", paper="not asked",
                   ours=", ".join(f"{WORDS[plan]}: {100 * np.mean(share >= 0.95):.0f} % of +-0.2 mm, +-12 "
                                    f"deg, where {100 * share.mean():.0f} % succeed"
                                    for plan, share in maps.items()))
    return Learned(results, indices, maps)


def check_models(experiment: Experiment, results: np.ndarray) -> None:
    """The robust plan with finer steps and with inertia, on the first draws of `results`."""
    count = 6 if experiment.short else 500
    for words, run in (("a quarter of the step", "{step: 2.5 ms}"),
                       ("dynamic, not quasi-static", "{motion: dynamic, step: 2.5 ms}")):
        other = sure_of(experiment, "around", count, run).results
        assert (other["mu_2"] == results["mu_2"][:count]).all()
        same = int((successes(other) == successes(results[:count])).sum())
        both = successes(other) & successes(results[:count])
        apart = np.median(np.abs(other["off"] - results["off"][:count])[both])
        experiment.row(f"{WORDS['around']}: {words}", paper="not asked",
                       ours=f"the same outcome in {same} of {count}, successes {1e6 * apart:.1f} um "
                            f"apart; {100 * successes(other).mean():.1f} % succeed, "
                            f"{100 * successes(results[:count]).mean():.1f} %")
        assert same >= 0.95 * count - 1, f"{words}: other outcomes"


# ---- figure ----------------------------------------------------------------------------------

def draw_ends(axes: Axes, geometry: Geometry, results: np.ndarray, plan: str) -> None:
    for row in results[:100]:
        shape = geometry.corners(np.array([row["x"], row["y"], row["angle"]]))
        color = STICKING if row["verdict"] == "success" else SLIDING
        axes.add_patch(Polygon(1e3 * shape, fill=False, ec=color, lw=0.4))
    axes.add_patch(Polygon(1e3 * geometry.corners(geometry.goal), fill=False, ls="--", ec="black"))
    axes.set(xlim=(0.2, 2.8), ylim=(-0.2, 2.2), aspect="equal", xlabel="x (mm)", ylabel="y (mm)",
             title=f"{WORDS[plan]}: 100 ends")


def draw_shares(axes: Axes, results: dict[str, np.ndarray]) -> None:
    for plan, rows in results.items():
        off = np.sort(rows["off"])
        axes.semilogx(1e6 * off, 100 * np.arange(1, len(off) + 1) / len(off), color=COLORS[plan],
                      label=WORDS[plan])
    axes.axvline(1e6 * TOLERANCE, color="black", ls=":", lw=1)
    axes.set(xlabel="distance from the goal (um)", ylabel="cases within it (%)", ylim=(0, 100),
             xlim=(3, 3000), title="success over the tolerance")
    axes.legend(fontsize=8)
    axes.grid(True, alpha=0.25)


def draw_indices(axes: Axes, indices: dict[str, dict[str, dict[str, Any]]]) -> None:
    names = list(indices["angle"])
    for shift, measure, color in ((-0.2, "angle", STICKING), (0.2, "success", SLIDING)):
        rows = [indices[measure][name] for name in names]
        total, lower, upper = (np.array([row[key] for row in rows], float)  # None: not a number
                               for key in ("total", "total_lower", "total_upper"))
        axes.barh(np.arange(len(names)) + shift, total, 0.38, color=color, label=f"of the {measure}",
                  xerr=[total - lower, upper - total], error_kw={"lw": 0.8})
    axes.set(yticks=range(len(names)), yticklabels=names, xlim=(0, 1.1), xlabel="total Sobol index",
             title="what matters, shipped plan")
    axes.invert_yaxis()
    axes.legend(fontsize=8)


def draw(learned: Learned, geometry: Geometry) -> Figure:
    figure, grid = pyplot.subplots(2, 3, figsize=(15, 8.6), layout="constrained")
    for axes, plan in zip(grid[0], ("shipped", "around")):
        draw_ends(axes, geometry, learned.results[plan], plan)
    draw_shares(grid[0, 2], learned.results)
    draw_indices(grid[1, 0], learned.indices)
    for axes, (plan, share) in zip(grid[1, 1:], learned.maps.items()):
        size = len(share) + 1
        picture = axes.pcolormesh(np.linspace(-200, 200, size), np.linspace(-12, 12, size), share,
                                  vmin=0, vmax=1, cmap="viridis")
        # The spread of starts that the studies draw: one deviation and two.
        angle = np.linspace(0, 2 * np.pi, 100)
        for deviations in (1, 2):
            axes.plot(30 * deviations * np.cos(angle), 2 * deviations * np.sin(angle), "w:", lw=1)
        axes.set(xlabel="start, y (um)", ylabel="start, angle (deg)",
                 title=f"share of successes, {WORDS[plan]}")
    figure.colorbar(picture, ax=list(grid[1, 1:]), shrink=0.8)
    return figure
