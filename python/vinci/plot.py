# SPDX-License-Identifier: Apache-2.0
"""The usual plots of a run, each one call on a recording.

Every function takes a recording (or its path, or several of them to compare), draws into `ax` or
into a new figure, and returns the axes. SI units, written on the axes.

The examples use recordings that `make demo` leaves in the folder runs:

>>> import vinci.plot
>>> vinci.plot.energy("runs/bouncing_ball.h5").get_ylabel()
'energy (J)'
"""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Circle, Patch, Polygon
from numpy.typing import ArrayLike

from .errors import Error
from .recording import Recording

Source = Union[Recording, str, "os.PathLike[str]"]
Sources = Union[Source, Sequence[Source]]
Pair = tuple[str, str]

# Told apart by colour-blind people as well; the colours of the viewer.
STICKING, SLIDING, MUTED = "#159f7f", "#e2622d", "#8a8f98"
_DASHES: Sequence[Any] = ("-", "--", ":", "-.")
_COORDINATES = ("x", "y", "z", "angle")


def _opened(sources: Sources) -> list[Recording]:
    if isinstance(sources, (Recording, str, os.PathLike)):
        sources = [sources]
    if not isinstance(sources, (list, tuple)):
        kind = type(sources).__name__
        raise Error(f"a {kind} is no recording; accepted: a recording, its path, or a list of them")
    opened = [s if isinstance(s, Recording) else Recording(s) for s in sources]
    if not opened:
        raise Error("no recording was given; accepted: one or more")
    return opened


def _axes(ax: Optional[Axes], **projection: Any) -> Axes:
    if ax is not None:
        return ax
    _, made = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained", subplot_kw=projection)
    made.grid(True, alpha=0.25)
    for side in ("top", "right"):
        if side in made.spines and not projection:
            made.spines[side].set_visible(False)
    return made


def _labels(recordings: list[Recording]) -> list[str]:
    """Nothing for a single recording; otherwise the name of its file, its folder if that helps."""
    if len(recordings) == 1:
        return [""]
    paths = [os.path.splitext(str(r.path))[0] for r in recordings]
    names = [os.path.basename(p) for p in paths]
    if len(set(names)) < len(names):
        names = [os.path.join(os.path.basename(os.path.dirname(p)), os.path.basename(p))
                 for p in paths]
    return names


def _joined(*words: str) -> str:
    return ", ".join(word for word in words if word)


def _legend(ax: Axes) -> None:
    handles, _ = ax.get_legend_handles_labels()
    if handles:
        ax.legend(frameon=False, fontsize="small")


def _thinned(recording: Recording, most: int = 20_000) -> int:
    """A stride that leaves at most `most` frames."""
    return max(1, -(-len(recording) // most))


def _moving(recording: Recording) -> list[str]:
    return [name for name, freedom in zip(recording.body_names, recording.freedoms)
            if freedom != "fixed"]


def _series(recording: Recording, body: str, coordinate: str) -> tuple[np.ndarray, np.ndarray]:
    """A coordinate and its rate over the frames: m and m/s of the body frame's origin and of the
    centre of mass, or rad and rad/s about z, without jumps at half a turn."""
    if coordinate not in _COORDINATES:
        raise Error(f"unknown coordinate '{coordinate}'; accepted: {', '.join(_COORDINATES)}")
    track = recording.body(body)
    if coordinate == "angle":
        return track.angle, track.spin[:, 2]
    axis = _COORDINATES.index(coordinate)
    return track.position[:, axis], track.velocity[:, axis]


# ---------------------------------------------------------------------------- where bodies go


def _outline(shape: dict[str, Any], pose: np.ndarray) -> Optional[Patch]:
    """A planar shape at a body's pose (x y z, w x y z)."""
    offset = np.concatenate([shape["offset"]["position"], shape["offset"]["rotation"]])

    def placed(points: Iterable[Sequence[float]]) -> np.ndarray:
        xy = np.asarray([p[:2] for p in points], dtype=float)
        for frame in (offset, pose):
            angle = 2.0 * np.arctan2(frame[6], frame[3])
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            xy = xy @ turn.T + np.asarray(frame[:2])
        return xy

    kind = shape["kind"]
    if kind == "circle":
        return Circle(placed([(0, 0)])[0], shape["radius"])
    if kind in ("polygon", "superellipse", "implicit"):
        return Polygon(placed(shape["vertices"]), closed=True)
    if kind == "capsule":
        half, radius = np.asarray(shape["half_axis"][:2]), shape["radius"]
        start = np.arctan2(half[1], half[0])
        turns = np.linspace(-np.pi / 2, np.pi / 2, 16)
        ends = [(half * sign)[:, None] + radius * np.array([np.cos(a), np.sin(a)])
                for sign, a in ((1, start + turns), (-1, start + np.pi + turns))]
        return Polygon(placed(np.concatenate(ends, axis=1).T), closed=True)
    return None


def _draw_outlines(ax: Axes, recording: Recording, bodies: Sequence[str], count: int) -> None:
    frames = np.unique(np.linspace(0, len(recording) - 1, max(count, 1)).round().astype(int))
    names = list(recording.body_names)
    moving = set(bodies)
    for rank, frame in enumerate(frames):
        model = recording.model(recording.info(int(frame)).model)
        poses = recording.state(int(frame)).poses
        for shape in model["shapes"]:
            body = int(shape["body"])
            if names[body] not in moving and rank > 0:
                continue
            patch = _outline(shape, poses[body])
            if patch is None:
                continue
            fixed = names[body] not in moving
            colour = MUTED if fixed else f"C{list(bodies).index(names[body]) % 10}"
            strength = 0.25 + 0.55 * (rank + 1) / len(frames)
            ax.add_collection(PatchCollection(
                [patch], facecolor=colour if fixed else "none", edgecolor=colour,
                alpha=0.35 if fixed else strength, linewidth=1.0, zorder=1))


def trajectories(recordings: Sources, bodies: Optional[Sequence[str]] = None, *,
                 plane: Optional[str] = None, outlines: int = 5,
                 ax: Optional[Axes] = None) -> Axes:
    """The paths of bodies, from a ring to a dot.

    In the plane the bodies' outlines are drawn at `outlines` moments, fading into the past
    (0: none). In space the axes are three-dimensional, or those named by `plane` ("xz").

    bodies: their names; all that move, up to ten, if not given.

    >>> axes = vinci.plot.trajectories("runs/changing_friction.h5", ["block"], outlines=3)
    >>> axes.get_xlabel()
    'x (m)'
    """
    opened = _opened(recordings)
    chosen = list(bodies) if bodies is not None else _moving(opened[0])[:10]
    planar = opened[0].world == "planar"
    plane = plane or ("xy" if planar else None)
    if plane is not None and (len(plane) != 2 or not set(plane) <= set("xyz")):
        raise Error(f"unknown plane '{plane}'; accepted: two of x, y and z, such as 'xz'")
    ax = _axes(ax, **({} if plane else {"projection": "3d"}))
    axes = ["xyz".index(letter) for letter in (plane or "xyz")]
    for number, (recording, label) in enumerate(zip(opened, _labels(opened))):
        if planar and outlines > 0 and plane == "xy" and number == 0:
            _draw_outlines(ax, recording, chosen, outlines)
        for index, body in enumerate(chosen):
            path = recording.body(body).position[::_thinned(recording), axes].T
            colour = f"C{index % 10}"
            ax.plot(*path, _DASHES[number % 4], color=colour, label=_joined(body, label))
            ax.plot(*path[:, :1], "o", color=colour, fillstyle="none", markersize=4)
            ax.plot(*path[:, -1:], "o", color=colour, markersize=4)
    for letter, axis in zip("xyz", plane or "xyz"):
        getattr(ax, f"set_{letter}label")(f"{axis} (m)")
    ax.set_aspect("equal", **({"adjustable": "datalim"} if plane else {}))
    if plane:
        _legend(ax)
    else:
        ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.12, 0.5))
    return ax


def phase(recordings: Sources, body: str, coordinate: str = "x", *,
          ax: Optional[Axes] = None) -> Axes:
    """A coordinate of a body against its rate: x, y, z (m, m/s) or angle (rad, rad/s).

    >>> axes = vinci.plot.phase("runs/bouncing_ball.h5", "ball", "y")
    >>> axes.get_ylabel()
    'rate of y (m/s)'
    """
    ax = _axes(ax)
    opened = _opened(recordings)
    for number, (recording, label) in enumerate(zip(opened, _labels(opened))):
        position, rate = _series(recording, body, coordinate)
        stride = _thinned(recording)
        line, = ax.plot(position[::stride], rate[::stride], _DASHES[number % 4],
                        label=_joined(body, label))
        ax.plot(position[-1:], rate[-1:], "o", color=line.get_color(), markersize=4)
    unit = "rad" if coordinate == "angle" else "m"
    ax.set_xlabel(f"{coordinate} of {body} ({unit})")
    ax.set_ylabel(f"rate of {coordinate} ({unit}/s)")
    _legend(ax)
    return ax


# ---------------------------------------------------------------------------- contacts


def _contact_lines(recording: Recording, between: Optional[Pair]
                   ) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """For each contact point (a pair of features): its name, times and rows; where it is absent
    for a while, a row of NaN breaks the line. Those that live longest come first."""
    rows, frames = recording.contacts_between()
    names = list(recording.body_names)
    if between is not None:
        for name in between:
            if name not in names:
                raise Error(f"unknown body '{name}'; accepted: {', '.join(names)}")
        wanted = {names.index(name) for name in between}
        keep = np.isin(rows["bodies"][:, 0], list(wanted)) & \
            np.isin(rows["bodies"][:, 1], list(wanted))
        rows, frames = rows[keep], frames[keep]
    times = recording.times
    keys, member = np.unique(rows["key"], axis=0, return_inverse=True)
    lines = []
    points: dict[str, int] = {}  # of each pair so far
    for index in np.argsort(-np.bincount(member, minlength=len(keys)), kind="stable"):
        chosen = np.flatnonzero(member == index)
        own, own_frames = rows[chosen], frames[chosen]
        a, b = (names[body] for body in own["bodies"][0])
        name = f"{a} – {b}" if a != b else f"{a}, support"
        points[name] = points.get(name, 0) + 1
        breaks = np.flatnonzero(np.diff(own_frames) > 1) + 1
        gapped = np.insert(times[own_frames], breaks, np.nan)
        absent = np.zeros(len(breaks), dtype=own.dtype)
        for field in ("gap", "impulse", "velocity", "friction", "friction_2"):
            absent[field] = np.nan
        lines.append((f"{name} {points[name]}", gapped, np.insert(own, breaks, absent)))
    return lines


def _contact_plot(recordings: Sources, between: Optional[Pair], most: int, ax: Optional[Axes],
                  draw: Callable[[Axes, Recording, np.ndarray, np.ndarray, str, str, Any], None]
                  ) -> Axes:
    if most < 1:
        raise Error(f"is {most}; accepted: at least 1", "most")
    ax = _axes(ax)
    opened = _opened(recordings)
    for number, (recording, label) in enumerate(zip(opened, _labels(opened))):
        lines = _contact_lines(recording, between)
        for index, (name, times, rows) in enumerate(lines[:most]):
            draw(ax, recording, times, rows, _joined(name, label), f"C{index % 10}",
                 _DASHES[number % 4])
        if len(lines) > most:
            ax.set_title(f"the {most} longest of {len(lines)} contact points", fontsize="small",
                         loc="left")
        if not lines:
            ax.text(0.5, 0.5, "no contacts", transform=ax.transAxes, ha="center", color=MUTED)
    ax.set_xlabel("time (s)")
    _legend(ax)
    return ax


def gap(recordings: Sources, between: Optional[Pair] = None, *, most: int = 6,
        ax: Optional[Axes] = None) -> Axes:
    """The gap of contact points over time (m; above zero apart, below overlapping).

    between: names of two bodies; all pairs if not given. most: contact points drawn, those that
    live longest. A point exists only while it may touch within a step.

    >>> axes = vinci.plot.gap("runs/changing_friction.h5", ("incline", "block"))
    >>> axes.get_ylabel()
    'gap (m)'
    """
    def draw(ax: Axes, recording: Recording, times: np.ndarray, rows: np.ndarray, label: str,
             colour: str, dash: Any) -> None:
        ax.plot(times, rows["gap"], dash, color=colour, label=label)

    ax = _contact_plot(recordings, between, most, ax, draw)
    ax.axhline(0.0, color=MUTED, linewidth=0.8, zorder=0)
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, -1e-9), max(high, 1e-9))  # a nanometre: rounding is not drawn as motion
    ax.set_ylabel("gap (m)")
    return ax


def impulse(recordings: Sources, between: Optional[Pair] = None, *, most: int = 6,
            ax: Optional[Axes] = None) -> Axes:
    """The impulses of contact points per step over time (N s): normal as lines, friction thinner.

    between, most: as in gap().

    >>> axes = vinci.plot.impulse("runs/changing_friction.h5")
    >>> axes.get_ylabel()
    'impulse per step (N s)'
    """
    def draw(ax: Axes, recording: Recording, times: np.ndarray, rows: np.ndarray, label: str,
             colour: str, dash: Any) -> None:
        ax.plot(times, rows["impulse"][:, 0], dash, color=colour, label=label)
        ax.plot(times, np.linalg.norm(rows["impulse"][:, 1:], axis=1), dash, color=colour,
                linewidth=0.8, alpha=0.8)

    ax = _contact_plot(recordings, between, most, ax, draw)
    ax.set_ylabel("impulse per step (N s)")
    return ax


def cone_usage(recordings: Sources, between: Optional[Pair] = None, *, most: int = 6,
               ax: Optional[Axes] = None) -> Axes:
    """How much of its friction cone each contact point uses over time: |λ_t| / (μ λ_n).

    Where friction has an axis, its cone is an ellipse.

    Below 1 the contact sticks; at 1 it is at its limit, and where it slides it is drawn orange.
    Points without friction or without an impulse are left out.

    >>> axes = vinci.plot.cone_usage("runs/changing_friction.h5")
    >>> axes.get_ylim()[0] <= 0.0 and axes.get_ylim()[1] >= 1.0
    True
    """
    def draw(ax: Axes, recording: Recording, times: np.ndarray, rows: np.ndarray, label: str,
             colour: str, dash: Any) -> None:
        force = rows["impulse"]
        limits = np.stack([rows["friction"], rows["friction_2"]], axis=1) * force[:, :1]
        shares = np.zeros(limits.shape)
        np.divide(force[:, 1:], limits, out=shares, where=limits > 0.0)
        usage = np.where((limits > 0.0).any(axis=1), np.linalg.norm(shares, axis=1), np.nan)
        ax.plot(times, usage, dash, color=colour, label=label, linewidth=1.0)
        speed = np.linalg.norm(rows["velocity"][:, 1:], axis=1)
        sliding = (usage > 1.0 - 1e-6) & (speed > 1e-9)  # m/s: above rounding
        ax.plot(times[sliding], usage[sliding], ".", color=SLIDING, markersize=3)

    ax = _contact_plot(recordings, between, most, ax, draw)
    ax.axhline(1.0, color=SLIDING, linewidth=0.8, zorder=0)
    ax.set_ylim(-0.03, 1.1)
    ax.set_ylabel("friction used, |λt| / (μ λn)")
    return ax


# ---------------------------------------------------------------------------- events

# Colours of the viewer, and how the lines are told apart without them.
_EVENTS: dict[str, tuple[str, Any]] = {
    "touch": ("#1f5fa6", "-"), "release": (MUTED, ":"), "parting": (MUTED, "--"),
    "slide": (SLIDING, "-"), "stick": (STICKING, "-"), "transition": ("#7d5bb0", "-."),
    "other": (MUTED, "-."),
}


def events(recordings: Sources, kinds: Optional[Sequence[str]] = None, *,
           subjects: Optional[Sequence[str]] = None, ax: Optional[Axes] = None) -> Axes:
    """Events of event-driven runs as vertical lines, by their kinds; for axes over time that show
    something else, or for new ones.

    kinds: some of "touch", "release", "parting", "slide", "stick", "transition", "other"; all if
    not given. subjects: names as in `Recording.events()`; all if not given.

    >>> axes = vinci.plot.energy("runs/bouncing_ball.h5")
    >>> vinci.plot.events("runs/bouncing_ball.h5", ["touch"], ax=axes) is axes
    True
    """
    for kind in kinds or ():
        if kind not in _EVENTS:
            raise Error(f"unknown kind '{kind}'; accepted: {', '.join(_EVENTS)}", "kinds")
    opened = _opened(recordings)
    is_new = ax is None
    ax = _axes(ax)
    for number, (recording, label) in enumerate(zip(opened, _labels(opened))):
        rows = recording.events()
        if subjects is not None:
            known = sorted(set(rows["subject"].tolist()))
            for name in subjects:
                if name not in known:
                    raise Error(f"no event of '{name}'; accepted: {', '.join(known)}", "subjects")
            rows = rows[np.isin(rows["subject"], list(subjects))]
        for kind in kinds or _EVENTS:
            times = np.unique(rows["time"][rows["kind"] == kind])
            if len(times) == 0:
                continue
            colour, dash = _EVENTS[kind]
            ax.vlines(times, 0.0, 1.0, transform=ax.get_xaxis_transform(), colors=colour,
                      linestyles=dash, linewidth=0.9 if number == 0 else 0.5, alpha=0.75, zorder=0,
                      label=_joined(kind, label))
    if is_new:
        ax.set_yticks([])
        ax.set_xlim(opened[0].times[0], max(opened[0].times[-1], 1e-9))
    ax.set_xlabel("time (s)")
    _legend(ax)
    return ax


def modes(recording: Source, subjects: Optional[Sequence[str]] = None, *,
          ax: Optional[Axes] = None) -> Axes:
    """What acted when in an event-driven run: one strip per subject, from event to event.

    subjects: names as in `Recording.events()`, from top to bottom; all that had an event if not
    given.

    >>> vinci.plot.modes("runs/bouncing_ball.h5").get_xlabel()
    'time (s)'
    """
    run, = _opened(recording)
    rows = run.events()
    names = list(dict.fromkeys(rows["subject"].tolist())) if subjects is None else list(subjects)
    ax = _axes(ax)
    start, end = float(run.times[0]), float(run.times[-1])
    colours: dict[str, str] = {"free": "#e6e9ed", "contact": "#1f5fa6", "sticking": STICKING,
                               "sliding": SLIDING, "ballistic": MUTED}
    for place, name in enumerate(names):
        own = rows[rows["subject"] == name]
        if len(own) == 0:
            known = ", ".join(sorted(set(rows["subject"].tolist())))
            raise Error(f"no event of '{name}'; accepted: {known}", "subjects")
        borders = np.concatenate([[start], own["time"], [end]])
        states = [str(own["from"][0]), *map(str, own["to"])]
        for begin, width, state in zip(borders, np.diff(borders), states):
            if width > 0.0:
                colour = colours.setdefault(state, f"C{len(colours) % 10}")
                ax.broken_barh([(begin, width)], (place - 0.35, 0.7), color=colour)
    shown = {state for name in names for event in rows[rows["subject"] == name]
             for state in (str(event["from"]), str(event["to"]))}
    ax.legend(handles=[Patch(color=colour, label=state) for state, colour in colours.items()
                       if state in shown], frameon=False, fontsize="small",
              loc="upper left", bbox_to_anchor=(1.01, 1.0))
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.set_xlim(start, max(end, start + 1e-9))
    ax.set_xlabel("time (s)")
    return ax


# ---------------------------------------------------------------------------- the whole run


def energy(recordings: Sources, *, ax: Optional[Axes] = None) -> Axes:
    """Kinetic, potential and total energy over time (J; potential zero at the world origin).

    >>> vinci.plot.energy("runs/changing_friction.h5").get_xlabel()
    'time (s)'
    """
    ax = _axes(ax)
    opened = _opened(recordings)
    for number, (recording, label) in enumerate(zip(opened, _labels(opened))):
        frames = recording.frames
        dash = _DASHES[number % 4]
        total = frames["kinetic"] + frames["potential"]
        for index, (name, values) in enumerate((("kinetic", frames["kinetic"]),
                                                ("potential", frames["potential"]),
                                                ("total", total))):
            ax.plot(frames["time"], values, dash, color=f"C{index}", label=_joined(name, label),
                    linewidth=1.8 if name == "total" else 1.2)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("energy (J)")
    _legend(ax)
    return ax


def residual(recordings: Sources, *, ax: Optional[Axes] = None) -> Axes:
    """The relative residual of each recorded step, by the judge, on a logarithmic scale.

    Steps solved exactly (residual 0) are drawn at the smallest positive one.

    >>> vinci.plot.residual("runs/changing_friction.h5").get_yscale()
    'log'
    """
    ax = _axes(ax)
    opened = _opened(recordings)
    for recording, label in zip(opened, _labels(opened)):
        frames = recording.infos(1)
        values = frames["residual"]
        positive = values[(values > 0.0) & np.isfinite(values)]
        floor = positive.min() if len(positive) else 1e-16
        ax.semilogy(frames["time"], np.maximum(values, floor), ".", markersize=3,
                    label=label or None)
    accept = opened[0].options["run"].get("accept")
    if accept:
        ax.axhline(accept, color=SLIDING, linewidth=0.8, label="accepted")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("relative residual")
    _legend(ax)
    return ax


# ---------------------------------------------------------------------------- convergence


def fit_order(steps: ArrayLike, errors: ArrayLike) -> tuple[float, float]:
    """Order p and constant c of errors ≈ c · step^p, by least squares of their logarithms.

    >>> order, constant = vinci.plot.fit_order([0.1, 0.01], [2e-2, 2e-4])
    >>> round(order, 6), round(constant, 6)
    (2.0, 2.0)
    """
    h, e = np.asarray(steps, dtype=float), np.asarray(errors, dtype=float)
    usable = (h > 0.0) & (e > 0.0) & np.isfinite(e)
    if len(np.unique(h[usable])) < 2:
        raise Error("an order needs errors above zero at two or more step sizes")
    order, logarithm = np.polyfit(np.log(h[usable]), np.log(e[usable]), 1)
    return float(order), float(np.exp(logarithm))


def convergence(recordings: Sequence[Source], body: str, coordinate: str = "x", *,
                exact: Optional[float] = None, ax: Optional[Axes] = None) -> Axes:
    """The error at the end of runs of one scene against their step size, with the fitted order.

    The error is that of a coordinate of a body (m, or rad for "angle") in the last frame. Without
    the `exact` value the run with the smallest step stands for it and is not drawn itself; the
    order is then a little too high.

    >>> runs = []
    >>> for step in (4e-3, 2e-3, 1e-3):
    ...     runs.append(f"runs/fall-{step}.h5")
    ...     fall = vinci.Simulation({"world": "planar", "bodies": {"stone": {"mass": 1, "inertia": 1}}},
    ...                             step=step, duration=0.2)
    ...     _ = fall.run(record=runs[-1], overwrite=True)
    >>> axes = vinci.plot.convergence(runs, "stone", "y", exact=-9.81 * 0.2**2 / 2)
    >>> axes.get_legend_handles_labels()[1][-1]
    'order 1.00'
    """
    opened = sorted(_opened(recordings), key=lambda recording: -recording.step_size)
    values = np.array([_series(r, body, coordinate)[0][-1] for r in opened])
    steps = np.array([r.step_size for r in opened])
    if exact is None and len(opened) < 3:
        raise Error("two runs have no reference; give `exact`, or a third run with a smaller step")
    if exact is None:
        exact, values, steps = values[-1], values[:-1], steps[:-1]
    errors = np.abs(values - exact)
    order, constant = fit_order(steps, errors)
    ax = _axes(ax)
    ax.loglog(steps, errors, "o", color="C0", label=f"{coordinate} of {body}")
    span = np.array([steps.min(), steps.max()])
    ax.loglog(span, constant * span**order, "-", color="C0", linewidth=1.0,
              label=f"order {order:.2f}")
    ax.set_xlabel("step (s)")
    ax.set_ylabel(f"error at the end ({'rad' if coordinate == 'angle' else 'm'})")
    _legend(ax)
    return ax
