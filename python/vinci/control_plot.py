# SPDX-License-Identifier: Apache-2.0
"""Plots of linear systems: of all their channels, or of the one that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import System
from .errors import Error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _name(names: Sequence[str], number: int, what: str) -> str:
    return names[number] if names else f"{what} {number}"


def _label(system: System, input: int, output: int) -> str:
    outputs, inputs = system.D.shape
    parts = []
    if inputs > 1:
        parts.append(f"from {_name(system.inputs, input, 'input')}")
    if outputs > 1:
        parts.append(f"to {_name(system.outputs, output, 'output')}")
    return " ".join(parts)


def _channels(system: System) -> Iterator[tuple[int, int]]:
    outputs, inputs = system.D.shape
    if inputs == 0 or outputs == 0:
        raise Error("the system has no inputs or no outputs")
    for output in range(outputs):
        for input in range(inputs):
            yield input, output


def _mark_border(ax: Axes, system: System) -> None:
    """The border of stability: the imaginary axis, or the unit circle."""
    from .plot import MUTED

    if system.sample > 0:
        angles = np.linspace(0, 2 * np.pi, 361)
        ax.plot(np.cos(angles), np.sin(angles), color=MUTED, linewidth=0.8, zorder=0)
        ax.set_aspect("equal", adjustable="datalim")
    else:
        ax.axvline(0.0, color=MUTED, linewidth=0.8, zorder=0)
    ax.axhline(0.0, color=MUTED, linewidth=0.8, zorder=0)
    ax.set_xlabel("real part" if system.sample > 0 else "real part (1/s)")
    ax.set_ylabel("imaginary part" if system.sample > 0 else "imaginary part (rad/s)")


def plot_pole_zero(system: System, *, hidden: bool = True, ax: Axes | None = None) -> Axes:
    """Poles as crosses and invariant zeros as circles; without `hidden` those of the minimal part.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> ax = vinci.control.plot_pole_zero(vinci.control.transfer_function([1, 2], [1, 3, 5]))
    >>> ax.get_legend_handles_labels()[1]
    ['poles', 'zeros']
    """
    from .plot import _axes, _legend

    ax = _axes(ax)
    shown = system if hidden else system.minimal()
    poles, zeros = shown.poles(), shown.zeros()
    ax.plot(poles.real, poles.imag, "x", color="C0", label="poles", markersize=8)
    ax.plot(zeros.real, zeros.imag, "o", color="C1", label="zeros", markersize=8,
            fillstyle="none")  # fmt: skip
    _mark_border(ax, system)
    _legend(ax)
    return ax


def plot_root_locus(
    system: System, gains: ArrayLike | None = None, *, sign: float = -1.0, ax: Axes | None = None
) -> Axes:
    """Poles of the loop u = sign k y over the gain k, of one input and one output.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> ax = vinci.control.plot_root_locus(vinci.control.transfer_function([1], [1, 2, 0]))
    >>> len(ax.get_lines()) >= 4  # two branches, poles, and the axes
    True
    """
    from .plot import _axes, _legend

    if gains is None:
        gain = abs(system.transfer_function()["gain"])
        if gain == 0:
            raise Error("nothing comes from the input to the output")
        # From where nothing moves to where all goes to zeros and infinity.
        size = max(1e-3, float(np.max(np.abs(system.poles()), initial=0.0)))
        order = max(1, len(system.transfer_function()["poles"])
                    - len(system.transfer_function()["zeros"]))  # fmt: skip
        middle = size**order / gain
        gains = np.concatenate([[0.0], np.geomspace(1e-4 * middle, 1e3 * middle, 300)])
    ax = _axes(ax)
    _, branches = system.root_locus(gains, sign)
    for branch in branches.T:
        ax.plot(branch.real, branch.imag, "-", linewidth=1.4)
    poles, zeros = system.poles(), system.zeros()
    ax.plot(poles.real, poles.imag, "x", color="black", label="poles", markersize=8)
    if len(zeros):
        ax.plot(zeros.real, zeros.imag, "o", color="black", label="zeros", markersize=8,
                fillstyle="none")  # fmt: skip
    _mark_border(ax, system)
    _legend(ax)
    return ax


def plot_bode(
    system: System, frequencies: ArrayLike | None = None, *, axes: Sequence[Axes] | None = None
) -> Figure:
    """Magnitude and phase of all channels over the frequency (rad/s), in two axes of one figure.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> figure = vinci.control.plot_bode(vinci.control.transfer_function([1], [1, 1]))
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['magnitude (dB)', 'phase (deg)']
    """
    from matplotlib import pyplot

    from .plot import _legend

    w = np.asarray(system.frequencies(400) if frequencies is None else frequencies, dtype=float)
    values = system.response(w)
    if axes is None:
        _, made = pyplot.subplots(2, 1, sharex=True, figsize=(6.4, 5.6), layout="constrained")
        axes = list(made)
    upper, lower = axes
    for input, output in _channels(system):
        channel = values[:, output, input]
        if not np.any(channel):
            continue
        label = _label(system, input, output) or None
        upper.semilogx(w, 20 * np.log10(np.abs(channel)), label=label)
        lower.semilogx(w, np.rad2deg(np.unwrap(np.angle(channel))), label=label)
    upper.set_ylabel("magnitude (dB)")
    lower.set_ylabel("phase (deg)")
    lower.set_xlabel("frequency (rad/s)")
    for ax in axes:
        ax.grid(True, alpha=0.25, which="both")
    _legend(upper)
    return upper.figure


def plot_nyquist(
    system: System, frequencies: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """All channels in the complex plane, for positive and (dashed) negative frequencies, with −1.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> ax = vinci.control.plot_nyquist(vinci.control.transfer_function([5], [1, 2, 2, 1]))
    >>> ax.get_xlabel()
    'real part'
    """
    from .plot import SLIDING, _axes, _legend

    ax = _axes(ax)
    w = np.asarray(system.frequencies(2000) if frequencies is None else frequencies, dtype=float)
    values = system.response(w)
    for number, (input, output) in enumerate(_channels(system)):
        channel = values[:, output, input]
        colour = f"C{number % 10}"
        ax.plot(channel.real, channel.imag, "-", color=colour,
                label=_label(system, input, output) or None)  # fmt: skip
        ax.plot(channel.real, -channel.imag, "--", color=colour, linewidth=1.0)
    ax.plot([-1.0], [0.0], "+", color=SLIDING, markersize=10)
    ax.set_xlabel("real part")
    ax.set_ylabel("imaginary part")
    # What matters is near −1; a pole on the border leads far away.
    reach = float(np.clip(np.percentile(np.abs(values), 90), 2.0, 20.0))
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.set_aspect("equal")
    _legend(ax)
    return ax


def _over_time(system: System, kind: str, duration: float | None, ax: Axes | None) -> Axes:
    from .plot import _axes, _legend

    ax = _axes(ax)
    answers = {}
    for input, output in _channels(system):
        if input not in answers:
            answers[input] = getattr(system, kind)(input, duration)
        times, outputs = answers[input]
        style: dict[str, Any] = {"drawstyle": "steps-post"} if system.sample > 0 else {}
        ax.plot(times, outputs[:, output], label=_label(system, input, output) or None, **style)
    ax.set_xlabel("time (s)")
    alone = system.D.shape[0] == 1
    ax.set_ylabel(_name(system.outputs, 0, "output") if alone else "outputs")
    _legend(ax)
    return ax


def plot_step(system: System, duration: float | None = None, *, ax: Axes | None = None) -> Axes:
    """Answers of all outputs to a unit step at every input.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> ax = vinci.control.plot_step(vinci.control.transfer_function([1], [1, 1]))
    >>> ax.get_xlabel()
    'time (s)'
    """
    return _over_time(system, "step", duration, ax)


def plot_impulse(system: System, duration: float | None = None, *, ax: Axes | None = None) -> Axes:
    """Answers of all outputs to a unit impulse at every input.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> ax = vinci.control.plot_impulse(vinci.control.transfer_function([1], [1, 1]))
    >>> float(ax.get_lines()[0].get_ydata()[0])
    1.0
    """
    return _over_time(system, "impulse", duration, ax)
