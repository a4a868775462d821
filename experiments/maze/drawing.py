# SPDX-License-Identifier: Apache-2.0
"""The figures: pole-zero maps and root loci, the run over time, moments of it, geometry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.patches import Circle, Wedge

import vinci

from design import PLACE, TURN, lead, on_ring
from motion import Motion

GATE = 0.32        # m, half of the width of a gate
THICKNESS = 0.04   # m, of a ring as it is drawn
COLORS = ("C0", "C1", "C2", "C3")


def loci(rings: list[float], k1: float, k2: float, own: tuple[float, float]) -> Any:
    """Both loops: maps of poles and zeros, the loci on the outermost ring with its own gains, and
    the loci of all rings near the axis with the gains that are good for all of them."""
    figure, axes = pyplot.subplots(2, 3, figsize=(14, 8), constrained_layout=True)
    found = on_ring()
    vinci.control.plot_pole_zero(found.channel("hub.effort", "ball.x"), ax=axes[0, 0])
    axes[0, 0].set(title="torque to ball: 4 cancel at −5, 2 at 0", ylim=(-1, 1))
    first = found.channel("hub.effort", "ball.x").minimal().series(lead(1.0, *PLACE))
    vinci.control.plot_root_locus(first, np.geomspace(1e-3, 1.2, 400), sign=1.0, ax=axes[0, 1])
    marked(axes[0, 1], first, own[0], f"k1 = {own[0]:.3f}")
    axes[0, 1].set_title("first loop, outermost ring")
    closed = on_ring(open_loop=False, outputs=("hub.position",),
                     parameters={"k1": own[0], "k2": 0.0})
    vinci.control.plot_pole_zero(closed.system, ax=axes[1, 0])
    axes[1, 0].set_title(f"then: torque to maze, k1 = {own[0]:.3f}")
    second = closed.system.minimal().series(lead(1.0, *TURN))
    vinci.control.plot_root_locus(second, np.geomspace(1e-4, 0.5, 400), sign=1.0, ax=axes[1, 1])
    marked(axes[1, 1], second, own[1], f"k2 = {own[1]:g}")
    axes[1, 1].set_title("second loop, outermost ring")
    for ring, (radius, color) in enumerate(zip(rings, COLORS), 1):
        plant = on_ring(parameters={"rm": radius}).channel("hub.effort", "ball.x").minimal()
        branch(axes[0, 2], plant.series(lead(1.0, *PLACE)), np.geomspace(2e-3, 12.0, 500), k1,
               color, f"ring {ring}")
        inner = on_ring(open_loop=False, outputs=("hub.position",),
                        parameters={"k1": k1, "k2": 0.0, "rm": radius})
        branch(axes[1, 2], inner.system.minimal().series(lead(1.0, *TURN)),
               np.geomspace(1e-4, 3.0, 800), k2, color, f"ring {ring}")
    axes[0, 2].set(title=f"first loop, all rings; dots: k1 = {k1:g}", xlim=(-6, 2), ylim=(-1, 22))
    axes[1, 2].set(title=f"second loop, all rings; dots: k2 = {k2:g}",
                   xlim=(-0.7, 0.25), ylim=(-0.02, 1.6))
    for ax in axes[:, 2]:
        ax.axvline(0, color="0.6", linewidth=0.8)
        ax.set(xlabel="real part (1/s)", ylabel="imaginary part (rad/s)")
        ax.legend(loc="center right")
    axes[0, 1].set(xlim=(-11, 2), ylim=(-12, 12))
    axes[1, 1].set(xlim=(-7, 1.5), ylim=(-5, 5))
    return figure


def marked(ax: Any, loop: Any, gain: float, words: str) -> None:
    poles = loop.feedback(vinci.control.gain(gain), 1.0).poles()
    ax.plot(poles.real, poles.imag, "s", color="C3", markersize=6, label=words)
    ax.legend(loc="upper right")


def branch(ax: Any, loop: Any, gains: np.ndarray, gain: float, color: str, words: str) -> None:
    _, branches = loop.root_locus(gains, 1.0)
    for number, line in enumerate(branches.T):
        ax.plot(line.real, line.imag, "-", color=color, linewidth=1.2,
                label=words if number == 0 else None)
    poles = loop.feedback(vinci.control.gain(gain), 1.0).poles()
    ax.plot(poles.real, poles.imag, "o", color=color, markersize=5)


def over_time(motion: Motion) -> Any:
    """Figure 10 of the paper: angle of the maze, place of the ball, force, state of the machine."""
    figure, axes = pyplot.subplots(5, 1, figsize=(11, 10), sharex=True, constrained_layout=True)
    time = motion.time
    axes[0].plot(time, np.degrees(motion.angle), label="maze")
    axes[0].plot(time, np.degrees(motion.wanted), "--", label="wanted")
    axes[0].set_ylabel("angle (°)")
    axes[1].plot(time, 1e3 * motion.ball[:, 0], label="ball, x")
    axes[1].set_ylabel("mm")
    axes[2].plot(time, motion.ball[:, 1], color="C2", label="ball, y")
    axes[2].set_ylabel("m")
    axes[3].plot(time, 1e3 * motion.force, color="C3", label="λ of the ring")
    touches = [(t, f) for t, what, to, f in motion.events
               if what.startswith("ring-") and to == "contact"]
    axes[3].plot([t for t, _ in touches], [1e3 * f for _, f in touches], "v", color="C3",
                 markersize=5, label="where it touches")
    axes[3].set_ylabel("mN/m")
    names = list(dict.fromkeys(motion.level))
    axes[4].step(time, [names.index(level) for level in motion.level], where="post", color="C4")
    axes[4].set_yticks(range(len(names)), names, fontsize=8)
    axes[4].set(ylabel="contact", xlabel="time (s)")
    gates = [t for t, what, to, _ in motion.events if what == "level" and to.startswith("gate")]
    for ax in axes:
        for gate in gates:
            ax.axvline(gate, color="0.7", linewidth=0.8)
        if ax is not axes[4]:
            ax.legend(loc="best")
    return figure


def maze(ax: Any, rings: list[float], ball: float, angle: float, place: np.ndarray, turned: float
         ) -> None:
    """The maze and the ball as they stand. Gates of the first and third ring are on the right, of
    the others on top, where the maze begins."""
    for ring, radius in enumerate(rings):
        half = math.degrees(math.asin(GATE / radius))
        middle = math.degrees(angle) + (0.0 if ring % 2 == 0 else 90.0)
        ax.add_patch(Wedge((0, 0), radius, middle + half, middle - half, width=THICKNESS,
                           color="0.35"))
    ax.add_patch(Circle(place, ball, color="C1", alpha=0.85))
    end = place + ball * np.array([-math.sin(turned), math.cos(turned)])
    ax.plot([place[0], end[0]], [place[1], end[1]], color="white", linewidth=1.5)
    ax.set(xlim=(-2.6, 2.6), ylim=(-2.2, 2.65), aspect="equal", xticks=[], yticks=[])


def strip(motion: Motion, rings: list[float], ball: float, moments: list[tuple[float, str]]) -> Any:
    """Figure 11 of the paper."""
    columns = 5
    rows = -(-len(moments) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(2.7 * columns, 2.8 * rows),
                                   constrained_layout=True, squeeze=False)
    for ax in axes.flat[len(moments):]:
        ax.axis("off")
    for ax, (time, words) in zip(axes.flat, moments):
        i = int(np.argmin(np.abs(motion.time - time)))
        maze(ax, rings, ball, motion.angle[i], motion.ball[i], motion.turned[i])
        ax.set_title(f"{motion.time[i]:.2f} s: {words}", fontsize=9)
    return figure


def geometry(sides: dict[float, float], gates: dict[float, float], scales: dict[float, float]
             ) -> Any:
    """How constraints and geometry come together, over the angles of the chords and over the time
    scale of an impact."""
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.4), constrained_layout=True)
    for values, words, marker in ((sides, "ring of chords", "o"),
                                  (gates, "gate with its edges", "s")):
        axes[0].loglog(list(values), list(values.values()), marker + "-", label=words)
    first = list(sides)[0]
    axes[0].loglog(list(sides), [sides[first] * (angle / first) ** 2 / 2 for angle in sides], "k:",
                   label="order 2")
    axes[0].set(xlabel="angle of a chord (°)", ylabel="place of the ball, difference (m)")
    axes[1].loglog([1e3 * t for t in scales], list(scales.values()), "o-", label="after an impact")
    axes[1].set(xlabel="time scale of the impact (ms)", ylabel="place of the ball, difference (m)")
    for ax in axes:
        ax.legend()
        ax.grid(alpha=0.3)
    return figure
