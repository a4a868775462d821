# SPDX-License-Identifier: Apache-2.0
"""The feeder's figure: snapshots of the cup on its way, and maps of success."""

from __future__ import annotations

import math
import pathlib
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Circle, Patch

import vinci

WORDS = {"works": "works", "deceives": "only looks feasible"}
COMES = ("comes bottom down", "comes mouth down")
COLOURS = {"stuck": "#c0c0c0", "leaves mouth down": "#d95f02", "leaves bottom down": "#1b9e77"}


def placed(corners: np.ndarray, pose: tuple[float, float, float]) -> np.ndarray:
    x, y, angle = pose
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return corners @ turn.T + [x, y]


def draw_feeder(axes: Any, scene: pathlib.Path, design: dict[str, float],
                poses: list[tuple[float, float, float]]) -> None:
    """Walls, peg and some of the poses; lengths in mm."""
    model = vinci.Scene.load(scene).compile(**{k: 1e-3 * v for k, v in design.items()})
    for name in ("left-wall", "right-wall"):
        corners = 1e3 * np.array(model.body(name).shapes[0]["vertices"])
        axes.fill(*corners[:, :2].T, color="0.85", ec="0.4", lw=0.6)
    axes.add_patch(Circle((design["peg_x"], -design["peg_depth"]), design["peg_radius"],
                          color="black"))
    cup = 1e3 * np.array(model.body("cup").shapes[0]["vertices"])[:, :2]
    # A snapshot wherever the cup has moved on by a third of its size.
    shown = [poses[0]]
    for pose in poses:
        moved = math.hypot(pose[0] - shown[-1][0], pose[1] - shown[-1][1])
        if moved + 0.02 * abs(pose[2] - shown[-1][2]) > 0.013:
            shown.append(pose)
    shown.append(poses[-1])
    for i, (x, y, angle) in enumerate(shown):
        colour = plt.get_cmap("viridis")(0.9 * i / len(shown))
        axes.fill(*placed(cup, (1e3 * x, 1e3 * y, angle)).T, fc=(*colour[:3], 0.12), ec=colour, lw=0.8)
    parameters = model.parameters
    axes.set_aspect("equal")
    axes.set_xlim(-62, 105)
    axes.set_ylim(-1e3 * (parameters["chute_depth"] + parameters["chute_length"]) - 5, 65)
    axes.set_xlabel("x [mm]", fontsize=8)
    axes.tick_params(labelsize=7)


def draw_map(axes: Any, found: np.ndarray, frictions: np.ndarray, tilts: np.ndarray,
             stated: tuple[float, float]) -> None:
    axes.pcolormesh(frictions, tilts, found, vmin=0, vmax=2, shading="nearest",
                    cmap=ListedColormap(list(COLOURS.values())))
    for mu in stated:
        axes.axvline(mu, color="black", lw=0.8, ls="--")
    axes.set_xlabel("friction μ; dashed: the stated range", fontsize=8)
    axes.set_ylabel("tilt over greatest tilt", fontsize=8)
    axes.tick_params(labelsize=7)


def draw_figure(scene: pathlib.Path, designs: dict[str, dict[str, float]], tracks: dict[Any, Any],
                maps: dict[Any, np.ndarray], frictions: np.ndarray, tilts: np.ndarray,
                stated: tuple[float, float]) -> Any:
    figure, axes = plt.subplots(2, 4, figsize=(15, 10), layout="constrained",
                                gridspec_kw={"height_ratios": [3, 1]})
    for i, (name, flip) in enumerate((name, flip) for name in designs for flip in (0, 1)):
        outcome, poses = tracks[name, flip]
        draw_feeder(axes[0, i], scene, designs[name], poses)
        word = {"good": "leaves bottom down", "wrong way": "leaves mouth down"}.get(outcome, outcome)
        axes[0, i].set_title(f"design '{name}' ({WORDS[name]})\n{COMES[flip]}: {word}", fontsize=9)
        draw_map(axes[1, i], maps[name, flip], frictions, tilts, stated)
        axes[1, i].set_title(f"'{name}', {COMES[flip]}", fontsize=9)
    axes[0, 0].set_ylabel("y [mm]", fontsize=8)
    patches = [Patch(color=colour, label=label) for label, colour in COLOURS.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=3, fontsize=9)
    return figure
