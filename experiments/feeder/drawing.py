# SPDX-License-Identifier: Apache-2.0
"""The figures of the feeder: how cups fall, what a design bears, what the ladder of models costs."""

from __future__ import annotations

import math
from typing import Any, Tuple

import matplotlib.pyplot as plt
import numpy as np
import studies
from matplotlib.patches import Circle, Rectangle

import vinci

Pose = Tuple[float, float, float]  # x, y (m), angle (rad)


def placed(corners: np.ndarray, pose: Pose) -> np.ndarray:
    x, y, angle = pose
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return corners @ turn.T + [x, y]


def draw_feeder(axes: Any, model: Any, poses: list[Pose]) -> None:
    """Walls, pegs and some of the poses; lengths in mm."""
    cup = 1e3 * np.array(model.body("cup").shapes[0]["vertices"])[:, :2]
    for name in ("left-wall", "right-wall"):
        corners = 1e3 * np.array(model.body(name).shapes[0]["vertices"])
        axes.fill(*corners[:, :2].T, color="0.85", ec="0.4", lw=0.6)
    parameters = model.parameters
    pegs = [(parameters["peg_x"], parameters["peg_depth"])]
    if "second_x" in parameters:
        pegs.append((parameters["second_x"], parameters["peg_depth"] + parameters["second_drop"]))
    for x, depth in pegs:
        axes.add_patch(Circle((1e3 * x, -1e3 * depth), 1e3 * parameters["peg_radius"], color="black"))
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
    axes.set_aspect("equal")
    axes.set_xlim(-62, 105)
    axes.set_ylim(-1e3 * (parameters["chute_depth"] + parameters["chute_length"]) - 5, 65)
    axes.set_xlabel("x [mm]", fontsize=8)
    axes.tick_params(labelsize=7)


def fall(flip: int, mu: float) -> tuple[Any, list[Pose]]:
    """A cup with layers in the best design, at damping ratio 1."""
    simulation = vinci.Simulation(
        studies.SCENE, stepper="song-pang-kumar", step=0.5e-3,
        parameters={**studies.best_design(), "flip": flip, "mu": mu, "inverse_damping": 1.0})
    cup, poses = simulation.model.body("cup").index, []
    end = -simulation.parameters["chute_depth"] - simulation.parameters["cup_height"]
    while not simulation.finished and (not poses or poses[-1][1] > end):
        simulation.run(until=len(poses) * 5e-3)
        pose = simulation.state.poses[cup]
        poses.append((pose[0], pose[1], 2 * math.atan2(pose[6], pose[3])))
    return simulation.model, poses


def draw_reach(axes: Any, name: str, share: np.ndarray, frictions: np.ndarray,
               ratios: np.ndarray) -> Any:
    picture = axes.pcolormesh(frictions, np.arange(len(ratios) + 1), share, vmin=0, vmax=1,
                              cmap="viridis")
    axes.set_yticks(np.arange(len(ratios)) + 0.5, [f"{ratio:g}" for ratio in ratios])
    (left, right), (least, _) = studies.RANGE["mu"], studies.RANGE["damping_ratio"]
    bottom = int((ratios < least).sum())
    axes.add_patch(Rectangle((left, bottom), right - left, len(ratios) - bottom, fill=False,
                             ec="red", lw=1.5))
    axes.set_title(f"{name}: share that leaves bottom down", fontsize=9)
    axes.set(xlabel="friction μ", ylabel="damping ratio")
    return picture


def figure(ladder: dict[str, Any], reach: dict[str, Any]) -> Any:
    chart, axes = plt.subplots(2, 4, figsize=(16, 12), layout="constrained",
                               gridspec_kw={"height_ratios": [3, 1]})
    falls = [(flip, mu) for flip in (0, 1) for mu in studies.RANGE["mu"]]
    for place, (flip, mu) in zip(axes[0], falls):
        draw_feeder(place, *fall(flip, mu))
        place.set_title(f"comes {('bottom', 'mouth')[flip]} down, friction {mu:g}, damping ratio 1",
                        fontsize=9)
    for place, (name, share) in zip(axes[1], reach["shares"].items()):
        picture = draw_reach(place, name, share, reach["frictions"], reach["ratios"])
    chart.colorbar(picture, ax=axes[1, 1])
    names = list(ladder["cost"])
    asked = [ladder["ladder"].level(name)["verdicts"]["cases"] for name in names]
    rejected = [ladder["ladder"].level(name)["verdicts"]["failures"] for name in names]
    rows = np.arange(len(names))[::-1]
    axes[1, 2].barh(rows, asked, color="0.75", label="asked")
    axes[1, 2].barh(rows, rejected, height=0.4, color="#d95f02", label="said no")
    axes[1, 2].set_yticks(rows, names, fontsize=8)
    axes[1, 2].legend(fontsize=7)
    axes[1, 2].set(title="P designs against M cups", xlabel="cases")
    bars = {"ladder": list(ladder["cost"].values()), "ST alone": [ladder["naive"]],
            "SPK alone": [ladder["dear"]]}
    for row, values in enumerate(bars.values()):
        begin = 0.0
        for k, value in enumerate(values):
            colour = plt.get_cmap("tab10")(k if len(values) > 1 else 2 + row)
            axes[1, 3].barh(-row, value, left=begin, color=colour,
                            label=names[k] if row == 0 else None)
            begin += value
    axes[1, 3].set_yticks([0, -1, -2], list(bars))
    axes[1, 3].legend(fontsize=7)
    axes[1, 3].set(title="cost", xlabel="s of a processor")
    return chart
