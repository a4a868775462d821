# SPDX-License-Identifier: Apache-2.0
"""The studies of the feeder: what one peg can reach, the search with two pegs, the hierarchical
verification of P designs against M cups and what it costs, and the best design against 10,000 cups.
"""

from __future__ import annotations

import csv
import math
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from report import Experiment
from scipy.stats import beta

import vinci

FOLDER = pathlib.Path(__file__).resolve().parent
SCENE = FOLDER / "two_pegs.yaml"
HIDDEN = 0.14  # m: the second peg lies within the right wall
RANGE = {"mu": (0.15, 0.6), "damping_ratio": (1.0, 10.0)}  # in which a design shall work
UPRIGHT = math.cos(math.radians(30))


@dataclass(frozen=True)
class Table:
    """What a study said."""

    report: dict[str, Any]
    folder: pathlib.Path

    def level(self, name: str) -> dict[str, Any]:
        return next(level for level in self.report["levels"] if level["name"] == name)


def best_design() -> dict[str, float]:
    """The design of best.csv, m."""
    with (FOLDER / "best.csv").open(encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    return {name: float(value) for name, value in row.items()}


def run(experiment: Experiment, file: str, name: str, changes: dict[str, str]) -> Table:
    """A study of this folder with some of its text changed, run anew."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    changes = {f"scene: {SCENE.name}": f"scene: {SCENE}", **changes}
    for old, new in changes.items():
        assert old in text, f"{file} has no '{old}' any more"
        text = text.replace(old, new)
    path = experiment.output / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    study = vinci.Study(path)
    study.run(output=path.with_suffix(".study"), overwrite=True, workers=experiment.jobs)
    assert study.report["complete"]
    return Table(study.report, path.with_suffix(".study"))


def words(found: dict[str, Any]) -> str:
    """How many of the fresh draws, whatever those without an answer would have been."""
    verdicts = found["verdicts"]
    return f"{verdicts['successes']} of {verdicts['cases']} fresh cups"


def rebounds(experiment: Experiment) -> None:
    """Rigid cups rebound by the closed form of two_pegs.yaml, cups with layers by their layers: the
    same, to the resolution of the layers' substeps."""
    resolution, fall = 0.005, 1.0  # m/s
    worst = 0.0
    for inverse in (0.1, 0.2, 0.5, 0.999):
        expected = vinci.Scene.load(SCENE).compile(inverse_damping=inverse).parameters["rebound"]
        simulation = vinci.Simulation({
            "world": "planar", "gravity": [0, 0],
            "materials": {"soft": {"friction": 0, "stiffness": 2e5,
                                   "damping": 2 / inverse * math.sqrt(2e5 * 0.02)},
                          "hard": {"friction": 0}},
            "bodies": {"floor": {"freedom": "fixed",
                                 "shapes": [{"half-plane": {}, "material": "hard"}]},
                       "ball": {"shapes": [{"circle": 0.01, "material": "soft"}], "mass": 0.02,
                                "position": [0, 0.0101], "velocity": [0, -fall]}},
            "run": {"stepper": {"name": "song-pang-kumar", "resolution": resolution},
                    "step": 1e-4, "duration": 0.02}})  # fmt: skip
        simulation.run()
        worst = max(worst, abs(simulation.state.velocity("ball")[1] / fall - expected))
    experiment.row("rebound of layers, off the closed form", paper="not told",
                   ours=f"at most {worst:.2g} of the speed")
    assert worst < resolution, worst


def searches(experiment: Experiment) -> None:
    """One peg, then two: the best of each by fresh draws."""
    efforts = {"one_peg.yaml": "evaluations: 4000, samples: 40, confirm: 400, best: 4",
               "search.yaml": "evaluations: 44, samples: 96, confirm: 400, best: 4"}
    best = []
    for (file, effort), name in zip(efforts.items(), ("one peg", "two pegs")):
        short = {effort: "evaluations: 12, samples: 6, confirm: 10, best: 1"}
        table = run(experiment, file, file.removesuffix(".yaml"), short if experiment.short else {})
        found = table.report["found"][0]
        best.append(found["objective"])
        experiment.row(f"best of a search, {name}", paper="'some p that works for all m'",
                       ours=words(found))
    assert experiment.short or best[0] < 0.9 < best[1], best


LADDER = ("a way, bottom down", "a way, mouth down", "without inertia", "rigid", "layers")


def drop_levels(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """What turns the ladder of hierarchy.yaml into one without some of its levels."""
    begin, end = text.index("levels:\n"), text.index("sample:")
    parts = text[begin:end].split("\n  - ")
    kept = [parts[0]] + [part for part in parts[1:] if not any(f"name: {n}" in part for n in names)]
    return {text[begin:end]: "\n  - ".join(kept).rstrip() + "\n"}


def hierarchy(experiment: Experiment) -> dict[str, Any]:
    """P designs against M cups up the ladder; then without the levels that come before."""
    text = (FOLDER / "hierarchy.yaml").read_text(encoding="utf-8")
    size = {"designs: 60, count: 20": "designs: 6, count: 4"} if experiment.short else {}
    ladder = run(experiment, "hierarchy.yaml", "hierarchy", size)
    rigid = run(experiment, "hierarchy.yaml", "naive_rigid",
                {**drop_levels(text, LADDER[:3] + LADDER[4:]), **size})
    layers = run(experiment, "hierarchy.yaml", "naive_layers",
                 {**drop_levels(text, LADDER[:4]), **size})
    cost = {name: ladder.level(name)["cpu_seconds"] for name in LADDER}
    geometric = cost[LADDER[0]] + cost[LADDER[1]]
    naive, dear = (table.report["levels"][0]["cpu_seconds"] for table in (rigid, layers))
    cases = ladder.report["cases"]
    for name in LADDER:
        verdicts = ladder.level(name)["verdicts"]
        told = " (tells, decides nothing)" if name == "without inertia" else ""
        experiment.row(f"level '{name}'", paper="not told",
                       ours=f"{verdicts['cases']} of {cases} cases asked, {verdicts['failures']} "
                            f"rejected{told}, {cost[name]:.3g} s")
    experiment.row("naive: geometric / ST / total", paper="- / 5000 / 5000 s",
                   ours=f"- / {naive:.3g} / {naive:.3g} s")
    total = geometric + cost["rigid"]
    experiment.row("hierarchical: geometric / ST / total", paper="603 / 2935 / 3538 s",
                   ours=f"{geometric:.3g} / {cost['rigid']:.3g} / {total:.3g} s")
    experiment.row("hierarchical over naive", paper="0.71", ours=f"{total / naive:.2f}")
    saved = naive - cost["rigid"]
    cups = cases / len(ladder.report["designs"])
    experiment.row("geometry before ST pays", paper="not told",
                   ours=f"from {cups * geometric / saved:.0f} cups a design on" if saved > 0
                   else "never")
    whole = total + cost["layers"]
    experiment.row("the same up to SPK", paper="not told",
                   ours=f"{whole:.3g} s over {dear:.3g} s: {whole / dear:.2f}")
    wrong = rejected_wrongly(ladder, rigid, layers)
    experiment.row("rejected by a level, but good for SPK alone", paper="cannot be",
                   ours=", ".join(f"{name}: {count}" for name, count in wrong.items()))
    assert ladder.report["verdicts"]["successes"] <= layers.report["verdicts"]["successes"]
    return {"ladder": ladder, "cost": cost, "naive": naive, "dear": dear}


def rejected_wrongly(ladder: Table, rigid: Table, layers: Table) -> dict[str, int]:
    """Cases that Song-Pang-Kumar, asked alone, finds good: where geometry finds no way for a cup
    that comes as this one does, or where rigid bodies fail."""
    def rows(table: Table) -> Any:
        return vinci.Study(table.folder.with_suffix(".yaml")).open(table.folder).results

    all_the_way, alone, no_layers = rows(ladder), rows(layers), rows(rigid)
    good = alone["verdict"] == "success"
    no_way = all_the_way["level"] == all_the_way["flip"]  # level 0: bottom down, 1: mouth down
    return {"no way": int((good & no_way).sum()),
            "rigid": int((good & (no_layers["verdict"] == "failure")).sum()),
            "of": int(good.sum())}


def bound(failures: int, cases: int, confidence: float = 0.95) -> float:
    """One-sided, exact: a greater probability would show so few failures in one study of 20 only."""
    return float(beta.ppf(confidence, failures + 1, cases - failures))


def finer(experiment: Experiment, table: Table) -> dict[str, int]:
    """The cases with a step that is not certified again, with steps five times finer. `seen` counts
    those that left bottom down, certified or not."""
    study = vinci.Study(table.folder.with_suffix(".yaml")).open(table.folder)
    names = list(study.parameters)
    unknown = study.results[study.results["verdict"] == "unknown"]
    seen = int(((unknown["below"] > 0) & (unknown["upright"] > UPRIGHT)).sum())
    if len(unknown) == 0:
        return {"successes": 0, "failures": 0, "unknown": 0, "seen": 0}
    text = (FOLDER / "verify.yaml").read_text(encoding="utf-8")
    begin, end = text.index("uncertain:"), text.index("measures:")
    rows = [{name: float(row[name]) for name in names} for row in unknown]
    listed = "designs:\n" + "".join(f"  - {row}\n".replace("'", "") for row in rows)
    changes = {"designs: best.csv\n": "", text[begin:end]: listed, "step: 0.5 ms": "step: 0.1 ms",
               "sample: {count: 10000}": "sample: {count: 1}"}
    again = run(experiment, "verify.yaml", "verify_finer", changes).report["verdicts"]
    return {**again, "seen": seen}


def verification(experiment: Experiment) -> None:
    """The best design against 10,000 cups, with the bound on its failures."""
    changes = {"designs: best.csv": f"designs: [{best_design()}]".replace("'", "")}
    if experiment.short:
        changes["sample: {count: 10000}"] = "sample: {count: 30}"
    table = run(experiment, "verify.yaml", "verify", changes)
    verdicts, again = table.report["verdicts"], finer(experiment, table)
    cases, seen = verdicts["cases"], verdicts["successes"] + again["seen"]
    certified = verdicts["successes"] + again["successes"]
    experiment.row("best design: leaves bottom down", paper="for all m",
                   ours=f"{seen} of {cases}; {certified} certified, {again['successes']} of them "
                        "with finer steps")
    experiment.row("probability that it does not, at 95 %", paper="not told",
                   ours=f"less than {bound(cases - seen, cases):.2g}; if all failed that are not "
                        f"certified {bound(cases - certified, cases):.2g}")
    assert verdicts["failures"] == again["failures"] == 0, (verdicts, again)


def as_two_pegs(design: dict[str, float]) -> dict[str, float]:
    """A design of feeder.yaml in the parameters of two_pegs.yaml."""
    left, right, chute = (design[f"{name}_depth"] for name in ("left", "right", "chute"))
    kept = {name: value for name, value in design.items()
            if name not in ("left_depth", "right_depth", "chute_depth")}
    return {**kept, "left_drop": left - design["left_shoulder"],
            "right_drop": right - design["right_shoulder"],
            "chute_drop": chute - max(left, right), "second_x": HIDDEN}


def least_jamming_friction(chute: float, cup: float) -> float:
    """Between a lip and the opposite wall of a chute a tilted cup is held if the line between its
    two contacts lies in both cones. This is easiest where that line is level: cos(tilt) is
    cup/chute, and the lip's normal, across the cup's side, is tilted as the cup is."""
    return math.sqrt((chute / cup) ** 2 - 1)


def reach(experiment: Experiment, works: dict[str, float]) -> dict[str, Any]:
    """The share of cups that leave bottom down over friction and damping ratio, for the design of
    one peg and the best one of two."""
    designs = {"one peg": works, "two pegs": best_design()}
    for name, design in designs.items():
        least = least_jamming_friction(design["chute_width"], 0.03)
        experiment.row(f"{name}: friction that can hold a tilted cup at the lip", paper="not told",
                       ours=f"from {least:.3f} on, a chute of {1e3 * design['chute_width']:g} mm")
    shares = {}
    for name, design in designs.items():
        values = ", ".join(f"{key}: {value!r}" for key, value in design.items())
        changes = {"set: {}": f"set: {{{values}}}"}
        if experiment.short:
            changes["cells: [15], count: 20"] = "cells: [3], count: 2"
            changes["[0.5, 0.7, 1, 1.5, 2, 3, 5, 10]"] = "[1, 5]"
        table = run(experiment, "reach.yaml", f"reach_{name.replace(' ', '_')}", changes)
        cells = table.report["designs"]
        ratios = np.unique([cell["values"]["damping_ratio"] for cell in cells])
        share = np.array([cell["verdicts"]["successes"] / cell["verdicts"]["cases"]
                          for cell in cells]).reshape(len(ratios), -1)
        shares[name] = share
        inside = [cell["verdicts"] for cell in cells
                  if all(a <= cell["values"][key] <= b for key, (a, b) in RANGE.items())]
        good, cases = (sum(v[key] for v in inside) for key in ("successes", "cases"))
        experiment.row(f"{name}: friction 0.15 to 0.6, damping ratio from 1", paper="not told",
                       ours=f"{good} of {cases} leave bottom down")
    frictions = np.linspace(0.0, 0.75, share.shape[1] + 1)
    return {"shares": shares, "frictions": frictions, "ratios": ratios}
