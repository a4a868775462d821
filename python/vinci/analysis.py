# SPDX-License-Identifier: Apache-2.0
"""Many runs of one scene: models compared with each other, errors against the step size."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import Error
from .progress import Progress
from .simulation import _scene, _text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Axis = Mapping[str, Iterable[Any]]


def _array(values: Sequence[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


@dataclass(frozen=True)
class ComparedRun:
    """One run of a comparison, and its difference from the reference of its case."""

    name: str  #: "quasi-static, mu=0.2"
    values: dict[str, str]  #: its value on each axis
    case: str  #: the parameters that it shares with its reference; '' if there is one case
    is_reference: bool  #: the others of the case are compared with it
    is_cheapest: bool  #: of those that agree with the reference
    agrees: bool  #: it ran to its end, never farther away than the tolerance
    largest: float  #: m, largest distance of any point of a body from the reference
    first_above: float  #: s, when it leaves the tolerance; NaN if never
    distance: Array  #: m, at `Comparison.times`, as far as both runs go
    bodies: dict[str, Array]  #: the same for each body
    cost: dict[str, Any]  #: steps, cpu_per_second, worst_residual, ending, ...
    contacts: list[dict[str, Any]]  #: bodies a and b, and their modes with begin and end
    difference: dict[str, Any] | None  #: all that is known; None for the reference
    recording: Path | None  #: where it was recorded

    def __repr__(self) -> str:
        return f"<vinci.ComparedRun '{self.name}'>"


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `vinci.compare` found; `print` shows it in words."""

    title: str
    tolerance: float  #: m
    times: Array  #: s, the samples
    runs: list[ComparedRun]
    skipped: dict[str, str]  #: combinations without meaning, and why
    answer: list[str]  #: in words
    data: dict[str, Any]  #: everything, as `vinci compare --json` prints it

    def __getitem__(self, name: str) -> ComparedRun:
        for run in self.runs:
            if run.name == name:
                return run
        known = ", ".join(repr(run.name) for run in self.runs)
        raise Error(f"there is no run '{name}'; accepted: {known}")

    def __str__(self) -> str:
        return "\n".join(self.answer)

    def __repr__(self) -> str:
        return f"<vinci.Comparison '{self.title}': {len(self.runs)} runs>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Distances from the reference over time, with the tolerance."""
        from .plot import MUTED, _axes, _legend

        ax = _axes(ax)
        for run in self.runs:
            if not run.is_reference and np.any(run.distance > 0.0):
                ax.semilogy(self.times[: len(run.distance)], run.distance, label=run.name)
        ax.axhline(self.tolerance, color=MUTED, linestyle="--", linewidth=1.0, label="tolerance")
        ax.set_xlabel("time (s)")
        ax.set_ylabel("distance from the reference (m)")
        _legend(ax)
        return ax


def compare(
    scene: _core.Scene | str | os.PathLike[str] | Mapping[str, Any],
    across: Axis,
    *,
    tolerance: float | None = None,
    reference: str | Mapping[str, Any] = "",
    jobs: int = 0,
    record: str | os.PathLike[str] | None = None,
    page: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: bool = False,
    parameters: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **run: Any,
) -> Comparison:
    """Runs a scene under all combinations of choices, and reports where they disagree.

    `across` gives values to options of the run ("motion"), of plugins ("solver.tolerance") and to
    parameters ("mu"). Runs with the same parameters are compared with the finest of them, or with
    the one that `reference` names. `tolerance` (m) is the largest distance of any point of a body
    between runs that agree, 1 % of the largest moving body unless it is given. `jobs` runs go on
    at a time. `record` is a folder for recordings, `page` a file for the page that shows them.
    `parameters`, `options` and options of the run (`duration=0.5`) hold for all runs.

    >>> all = vinci.compare(scenes / "sliding_block.yaml", {"motion": ["dynamic", "quasi-static"]})
    >>> all["quasi-static"].agrees  # without inertia the block does not slide
    False
    >>> round(all["quasi-static"].largest, 2)  # v² / (2 μ g)
    0.68
    """
    texts = _texts(options, run)
    if not isinstance(reference, str):
        reference = ", ".join(f"{key}={_text(value, key)}" for key, value in reference.items())
    how: dict[str, Any] = {
        "tolerance": None if tolerance is None else float(tolerance), "reference": reference,
        "jobs": int(jobs), "overwrite": overwrite,
        "folder": None if record is None else Path(record),
    }  # fmt: skip
    loaded = _scene(scene)
    with tempfile.TemporaryDirectory() as scratch:
        if page is not None and record is None:
            how["folder"] = Path(scratch)
        if page is not None and Path(page).exists() and not overwrite:
            raise Error("exists already; give overwrite=True to replace it", str(page))
        answer, shown = _with_bar(
            _core._compare, loaded, texts, _numbers(parameters), _axis_list(across), how, progress
        )
        data = json.loads(answer)
        if page is not None:
            recordings = [Path(one["recording"]) for one in data["variants"]]
            _core._write_page(recordings, Path(page), overwrite, 50.0, 0, shown)
    if record is None:
        for one in data["variants"]:
            one["recording"] = None
    return _comparison(data)


def _comparison(data: dict[str, Any]) -> Comparison:
    runs = []
    for number, one in enumerate(data["variants"]):
        case, difference = data["cases"][one["case"]], one["difference"]
        above = None if difference is None else difference["first_above"]
        runs.append(
            ComparedRun(
                name=one["name"], values=one["values"], case=case["name"],
                is_reference=number == case["reference"], is_cheapest=number == case["cheapest"],
                agrees=one["agrees"], largest=0.0 if difference is None else difference["largest"],
                first_above=np.nan if above is None else above,
                distance=_array([] if difference is None else difference["distance"]),
                bodies={} if difference is None else {
                    body["body"]: _array(body["distance"]) for body in difference["bodies"]
                },
                cost=one["cost"], contacts=one["contacts"], difference=difference,
                recording=None if one["recording"] is None else Path(one["recording"]),
            )
        )  # fmt: skip
    return Comparison(
        title=data["title"], tolerance=data["tolerance"], times=_array(data["times"]), runs=runs,
        skipped={one["name"]: one["reason"] for one in data["skipped"]}, answer=data["answer"],
        data=data,
    )  # fmt: skip


@dataclass(frozen=True, repr=False)
class ConvergenceCurve:
    """Errors of one quantity of one variant against the step; NaN where there is none."""

    quantity: str
    variant: str  #: '' where only the step varies
    steps: Array  #: s, coarsest first
    values: Array
    errors: Array  #: from the reference
    cpu_seconds: Array  #: s, that the runs took
    reference: float  #: the value that errors are measured from
    order: float  #: fitted; NaN where there is no fit
    order_deviation: float  #: half the width of its 95 % interval; NaN for two points
    constant: float  #: C of the fitted error C hᵖ
    misfit: float  #: root mean square of the residuals of ln(error)
    fitted: NDArray[np.bool_]  #: which errors took part
    answer: str  #: in words

    def __repr__(self) -> str:
        return f"<vinci.ConvergenceCurve {self.answer}>"


@dataclass(frozen=True, repr=False)
class Convergence:
    """What `vinci.converge` found; `print` shows it in words."""

    title: str
    curves: list[ConvergenceCurve]
    notes: list[str]
    skipped: dict[str, str]  #: combinations without meaning, and why
    svg: str  #: the plot of `vinci converge --plot`
    data: dict[str, Any]  #: everything, as `vinci converge --json` prints it

    @property
    def order(self) -> float:
        """Of the first curve."""
        return self.curves[0].order

    def __str__(self) -> str:
        return "\n".join([curve.answer for curve in self.curves] + self.notes)

    def __repr__(self) -> str:
        return f"<vinci.Convergence '{self.title}': {len(self.curves)} curves>"

    def plot(self, ax: Axes | None = None, *, cost: bool = False) -> Axes:
        """Errors against the step with the fitted lines, or against CPU time with `cost`."""
        from .plot import _axes, _legend

        ax = _axes(ax)
        for number, curve in enumerate(self.curves):
            colour = f"C{number % 10}"
            label = ", ".join(part for part in (curve.quantity, curve.variant) if part)
            good = curve.errors > 0.0
            if cost:
                seconds, errors = curve.cpu_seconds[good], curve.errors[good]
                ax.loglog(seconds, errors, "o-", color=colour, label=label)
                continue
            if np.isfinite(curve.order):
                label += f", order {curve.order:.2f}"
                ends = curve.steps[curve.fitted]
                line = np.geomspace(ends.min(), ends.max(), 50)
                finest = self.data["curves"][number]["reference_step"] or 0.0
                ax.loglog(line, curve.constant * (line**curve.order - finest**curve.order),
                          "-", color=colour, linewidth=1.0)  # fmt: skip
            ax.loglog(curve.steps[good], curve.errors[good], "o", color=colour, label=label)
        ax.set_xlabel("CPU time (s)" if cost else "step (s)")
        ax.set_ylabel("error")
        _legend(ax)
        return ax


def converge(
    scene: _core.Scene | str | os.PathLike[str] | Mapping[str, Any],
    quantity: str | Sequence[str] = "trajectory",
    steps: Iterable[float] = (),
    *,
    at: float | None = None,
    over: str | None = None,
    reference: str | float = "finest",
    across: Axis | None = None,
    jobs: int = 0,
    progress: bool = False,
    parameters: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **run: Any,
) -> Convergence:
    """Runs a scene with many step sizes, and fits the order of its errors.

    `quantity` is an expression of body.x, body.angle, body.vx, energy, penetration,
    impulse(a, b), force(a, b), ..., several of them, or "trajectory": the largest distance of any
    point of a body. It is taken `at` a time (the end), or `over` the time up to it: "max", "min"
    or "mean". `reference` is "finest", "richardson" or the exact value. `across` gives further
    choices, one curve each.

    >>> fall = {"world": "planar", "bodies": {"stone": {"mass": 1, "inertia": 1}}}
    >>> study = vinci.converge(fall, "stone.y", [4e-3, 2e-3, 1e-3], duration=0.2,
    ...                        reference=-9.81 * 0.2**2 / 2)
    >>> round(study.order, 2)
    1.0
    """
    quantities = [quantity] if isinstance(quantity, str) else list(quantity)
    if over is None:
        over = "max" if at is None and quantities == ["trajectory"] else "end"
    how = {
        "quantities": quantities, "steps": [float(step) for step in steps], "over": over,
        "at": None if at is None else float(at), "jobs": int(jobs),
        "reference": reference if isinstance(reference, str) else float(reference),
    }  # fmt: skip
    answer, svg = _with_bar(
        _core._converge, _scene(scene), _texts(options, run), _numbers(parameters),
        _axis_list(across or {}), how, progress,
    )  # fmt: skip
    data = json.loads(answer)
    return Convergence(
        title=data["title"], curves=[_curve(one) for one in data["curves"]], notes=data["notes"],
        skipped={one["name"]: one["reason"] for one in data["skipped"]}, svg=svg, data=data,
    )  # fmt: skip


@dataclass(frozen=True)
class Branch:
    """One of the runs that a scene allows."""

    number: int
    parent: int | None  #: the branch that it parted from; None: the run as the solver makes it
    step: int  #: in which it parted, from 1; 0 for the first branch
    time: float  #: s, at the begin of this step
    alternatives: list[int]  #: how many solutions were found at each choice in this step
    distance: float  #: m/s, of its velocities from those of its parent at the end of this step
    modes: str  #: what the contacts do in this step
    parent_modes: str  #: what they do in its parent
    end: str  #: 'leaf', 'met' (the same as another one from there on), 'not followed'
    met: int | None  #: that one
    last_time: float  #: s
    ending: str  #: why it ended before its duration, or ''
    values: dict[str, float]  #: the quantities at its end
    outcome: int | None  #: leaves that agree have the same number


@dataclass(frozen=True, repr=False)
class Branches:
    """What `vinci.branches` found; `print` shows it in words."""

    verdict: str  #: 'robust', 'indeterminate', or 'undecided'
    branches: list[Branch]
    outcomes: list[list[int]]  #: numbers of the leaves that agree
    answer: list[str]  #: in words
    page: str  #: HTML: the tree over time, and tables
    data: dict[str, Any]  #: everything, as `vinci run --branches --json` prints it

    @property
    def leaves(self) -> list[Branch]:
        """The branches that were followed to their end."""
        return [branch for branch in self.branches if branch.end == "leaf"]

    def __str__(self) -> str:
        return "\n".join(self.answer)

    def __repr__(self) -> str:
        return f"<vinci.Branches: {self.verdict}, {len(self.outcomes)} outcomes>"


def branches(
    scene: _core.Scene | str | os.PathLike[str] | Mapping[str, Any],
    n: int = 8,
    *,
    quantity: str | Sequence[str] = (),
    tolerance: float | None = None,
    progress: bool = False,
    parameters: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **run: Any,
) -> Branches:
    """Follows every solution of the steps of a scene, and says which outcomes are possible.

    At most `n` runs go on at a time; those whose states meet are one. Outcomes agree if the
    quantities (expressions as `vinci.converge` takes them) do at the end, within `tolerance` or
    1 % of the largest; without a quantity if all final poses do, within `tolerance` (m) or 1 % of
    the largest moving body.

    >>> found = vinci.branches(scenes / "lifting_rod.yaml", quantity="rod.vy", duration=1e-4)
    >>> found.verdict, len(found.leaves)  # it may lift off, slide or jam
    ('indeterminate', 3)
    """
    how = {
        "most": int(n), "quantities": [quantity] if isinstance(quantity, str) else list(quantity),
        "tolerance": None if tolerance is None else float(tolerance),
    }  # fmt: skip
    answer, page = _with_bar(
        _core._branches, _scene(scene), _texts(options, run), _numbers(parameters), how, progress
    )
    data = json.loads(answer)
    return Branches(
        verdict=data["verdict"], branches=[_branch(one, data) for one in data["branches"]],
        outcomes=[one["branches"] for one in data["outcomes"]], answer=data["answer"], page=page,
        data=data,
    )  # fmt: skip


def _branch(one: dict[str, Any], data: dict[str, Any]) -> Branch:
    names = ("parent", "step", "time", "distance", "modes", "parent_modes", "end", "met",
             "last_time", "ending", "outcome")  # fmt: skip
    values = zip(data["quantities"], _array(one["values"]).tolist(), strict=True)
    return Branch(
        number=one["branch"], alternatives=[point["alternatives"] for point in one["points"]],
        values=dict(values), **{name: one[name] for name in names},
    )  # fmt: skip


def _curve(one: dict[str, Any]) -> ConvergenceCurve:
    points = one["points"]
    fit = one["fit"] or {}

    def column(name: str) -> Array:
        return _array([point[name] for point in points])

    def fitted(name: str) -> float:
        value = fit.get(name)
        return np.nan if value is None else value

    return ConvergenceCurve(
        quantity=one["quantity"], variant=one["variant"], steps=column("step"),
        values=column("value"), errors=column("error"), cpu_seconds=column("cpu_seconds"),
        reference=np.nan if one["reference"] is None else one["reference"],
        order=fitted("order"), order_deviation=fitted("order_deviation"),
        constant=fitted("constant"), misfit=fitted("misfit"),
        fitted=np.array([point["fitted"] for point in points], dtype=bool), answer=one["answer"],
    )  # fmt: skip


def _texts(options: Mapping[str, Any] | None, run: Mapping[str, Any]) -> dict[str, str]:
    given = {**(options or {}), **{name: value for name, value in run.items() if value is not None}}
    return {name.replace("_", "-"): _text(value, name) for name, value in given.items()}


def _numbers(parameters: Mapping[str, float] | None) -> dict[str, float]:
    return {name: float(value) for name, value in (parameters or {}).items()}


def _axis_list(across: Axis) -> list[tuple[str, list[str]]]:
    axes = []
    for name, values in across.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise Error(f"is {values!r}; accepted: a list of values", f"across {name}")
        axes.append((name, [_text(value, f"across {name}") for value in values]))
    return axes


def _with_bar(work: Any, scene: _core.Scene, *arguments: Any) -> tuple[str, str]:
    *plain, wanted = arguments
    bar: list[Progress] = []

    def tell(done: int, total: int) -> None:
        if not bar:
            bar.append(Progress(scene.title or "runs", 0, total, True, False))
        bar[0].update(done)

    try:
        found: tuple[str, str] = work(scene, *plain, tell if wanted else None)
        return found
    finally:
        for one in bar:
            one.close()
