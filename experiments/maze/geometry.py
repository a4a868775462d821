# SPDX-License-Identifier: Apache-2.0
"""The same maze as bodies that touch, beside its constraints: a round ring, rings of polygons, a
gate with its edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import yaml

import vinci

from design import FOLDER

ROUND = FOLDER / "geometry.yaml"
EDGE = FOLDER / "edge.yaml"
WOOD = "wood"


def track(scene: Any, duration: float, accuracy: float = 1e-9, step: float = 0.05,
          **parameters: float) -> tuple[np.ndarray, list[tuple[float, str, str]]]:
    """Time, place of the ball (m), angle of the maze (rad), spin of the ball and rate of the maze
    (rad/s) after every step; events as time, what, to."""
    run = vinci.Simulation(scene, parameters=parameters, options={
        "stepper.accuracy": accuracy, "duration": duration, "step": step})
    rows: list[tuple[float, ...]] = []
    events: list[tuple[float, str, str]] = []

    def look(_: Any) -> None:
        state = run.state
        rows.append((state.time, *state.position("ball")[:2], run.joints["hub.position"],
                     state.velocity("ball")[2], run.joints["hub.rate"]))
        events.extend((float(e["time"]), str(e["subject"]), str(e["to"])) for e in run.events)

    run.run(callback=look)
    return np.array(rows), events


def loaded(file: Any) -> dict[str, Any]:
    scene: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return scene


def as_constraints(damping: float = 10.0, stiffness: float = 25.0) -> dict[str, Any]:
    """The round ring as constraints: h is the gap in m, as the detector has it. The rolling of a
    contact begins where it touches, so that the link keeps the value it has then."""
    scene = loaded(ROUND)
    del scene["materials"]
    for body in scene["bodies"].values():
        body.pop("shapes", None)
    how = {"damping": damping, "stiffness": stiffness}
    scene["constraints"] = {
        "ring": {"at-least-zero": "sqrt(ball.x^2 + ball.y^2) - rm - rb", **how},
        "roll": {"zero": "rb*ball.angle + rm*hub.position + (rm + rb)*atan2(ball.x, ball.y)",
                 "with": "ring", "anchored": True, **how}}
    return scene


def difference(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The most that two runs are apart, in m, m, rad, rad/s, rad/s."""
    found: np.ndarray = np.max(np.abs(one[:, 1:] - other[:, 1:]), axis=0)
    return found


def round_ring(task: tuple[float, float, float, float]) -> np.ndarray:
    """Geometry against constraints: (accuracy, drop, damping, stiffness)."""
    accuracy, drop, damping, stiffness = task
    one, _ = track(ROUND, 1.2, accuracy, drop=drop, damping=damping, stiffness=stiffness)
    other, _ = track(as_constraints(damping, stiffness), 1.2, accuracy, drop=drop)
    return difference(one, other)


def polygon_ring(sides: int) -> dict[str, Any]:
    """The ring as a polygon of its chords. The ball begins over a corner."""
    scene = loaded(ROUND)
    corners = [2.0 * math.pi * i / sides for i in range(sides)]
    scene["bodies"]["maze"]["shapes"] = [{"material": WOOD, "polygon": [
        [f"rm*sin(tilt - {angle!r})", f"rm*cos(tilt - {angle!r})"] for angle in corners]}]
    return scene


OVER = {"tilt": -0.1, "speed": 0.5}  # rolls over the top: rad, m/s


def polygons(sides: int) -> np.ndarray:
    """How far a ball on a polygon is from the one on the round ring."""
    one, _ = track(polygon_ring(sides), 1.0, 1e-8, 0.1, **OVER)
    other, _ = track(as_constraints(), 1.0, 1e-8, 0.1, **OVER)
    return difference(one, other)


def gate_polygons(sides: int) -> dict[str, Any]:
    """Part of a ring, up to the edge of its gate, with so many chords from where the ball begins,
    over a corner, to the edge; the ring below is round."""
    scene = loaded(EDGE)
    del scene["constraints"], scene["machines"]
    scene["materials"] = {WOOD: {"rolls": True, "impact": {"damping": 10, "stiffness": 25}}}
    # Outside from the edge to the left, and back inside.
    places = [i / sides for i in range(3 * sides + 1)]
    outer = [[f"rm*sin(edge - {a!r}*(edge - tilt))", f"rm*cos(edge - {a!r}*(edge - tilt))"]
             for a in places]
    inner = [[f"0.8*({x})", f"0.8*({y})"] for x, y in reversed(outer)]
    scene["bodies"]["maze"]["shapes"] = [{"material": WOOD, "polygon": outer + inner},
                                         {"material": WOOD, "circle": "below"}]
    scene["bodies"]["ball"]["shapes"] = [{"material": WOOD, "circle": "rb"}]
    return scene


def gate_angle() -> float:
    """From where the ball begins to the edge, in degrees."""
    parameters = vinci.Scene.load(EDGE).parameters
    return math.degrees(parameters["edge"] - parameters["tilt"])


def gate(sides: int) -> tuple[np.ndarray, list[tuple[float, str, str]]]:
    """Over the edge until just before the ring below; without sides by the constraints."""
    return track(gate_polygons(sides) if sides else EDGE, 1.25, 1e-8)
