# SPDX-License-Identifier: Apache-2.0
"""Boxes held by hands of two, three and four fingers that touch with 1, 3 or 4 points each.

Other grasps than those of grasps.py, and fingers of a thousandth to a hundred times the mass of the
box: what holds there by a lucky number should fail here.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from grasps import FINE, GRAVITY, MOST
from scipy.optimize import linprog

SEED = 131
TIP = 2e-3  # m, radius of the small balls that fingers touch with


@dataclass(frozen=True)
class Finger:
    axis: int  # 0: x, 1: y
    side: int  # of the box, -1 or 1
    share: float  # of the force
    mass: float
    points: tuple[tuple[float, float], ...]  # on the side: along the other horizontal axis, and z


@dataclass(frozen=True)
class Hand:
    size: tuple[float, float, float]
    mass: float
    mu: float
    fingers: tuple[Finger, ...]

    @property
    def contacts(self) -> int:
        return sum(len(finger.points) for finger in self.fingers)

    def scene(self, force: float) -> dict[str, Any]:
        bodies: dict[str, Any] = {
            "box": {"shapes": [{"box": list(self.size), "material": "rubber"}], "mass": self.mass}}
        for n, finger in enumerate(self.fingers):
            place = [0.0, 0.0, 0.0]
            place[finger.axis] = finger.side * (self.size[finger.axis] / 2 + TIP)
            shapes = []
            for along, z in finger.points:
                at = [0.0, 0.0, z]
                at[1 - finger.axis] = along
                shapes.append({"sphere": TIP, "material": "rubber", "position": at})
            name = "xy"[finger.axis]
            held = {"x": 0, "y": 0, "z": 0, "roll": 0, "pitch": 0, "yaw": 0}
            del held[name]
            bodies[f"finger-{n}"] = {
                "shapes": shapes, "mass": finger.mass, "inertia": [1e-4, 1e-4, 1e-4],
                "position": place, "motion": held,
                "force": {name: -finger.side * finger.share * force}}
        return {"world": "spatial", "gravity": [0, 0, -GRAVITY], "bodies": bodies,
                "materials": {"rubber": {"friction": self.mu}},
                "run": {"step": 2e-3, "duration": 0.04}}


def sampled(number: int) -> Hand:
    """The hand of this number: keyed, so that it does not depend on the others."""
    chance = random.Random(f"{SEED} hand {number}")
    size = tuple(chance.uniform(0.06, 0.15) for _ in range(3))
    mass = chance.uniform(0.1, 3)
    mu = chance.uniform(0.2, 1)

    def finger(axis: int, side: int, share: float) -> Finger:
        wide, high = size[1 - axis], size[2]
        middle = [chance.uniform(-0.3, 0.3) * wide, chance.uniform(-0.3, 0.3) * high]
        reach = chance.uniform(0.03, 0.18) * min(wide, high)
        count = chance.choice((1, 3, 4))
        turn = chance.uniform(0, 2 * math.pi)
        angles = [turn + 2 * math.pi * (k + chance.uniform(-0.1, 0.1)) / count for k in range(count)]
        points = tuple((middle[0] + reach * math.cos(a), middle[1] + reach * math.sin(a))
                       for a in angles)
        return Finger(axis, side, share, mass * 10 ** chance.uniform(-3, 2), points)

    kind = chance.choice((2, 3, 4))
    places = [(0, -1, 1.0), (0, 1, 1.0)]
    if kind == 3:
        places = [(0, -1, 1.0), (0, 1, 0.5), (0, 1, 0.5)]
    if kind == 4:
        other = chance.uniform(0.3, 3)
        places += [(1, -1, other), (1, 1, other)]
    return Hand(size, mass, mu, tuple(finger(*place) for place in places))


def needed_force(hand: Hand, sides: int) -> float:
    """The least force at which friction within polygons of so many sides holds the box; 0: circles.
    The first corner of a polygon lies along the other horizontal axis."""
    count = sides or FINE
    angles = 2 * math.pi * np.arange(count) / count
    size = 1.0 if sides else 0.5 * (1 + 1 / math.cos(math.pi / count))
    columns, owners = [], []
    length = hand.size[0]
    for n, finger in enumerate(hand.fingers):
        normal, first = np.zeros(3), np.zeros(3)
        normal[finger.axis], first[1 - finger.axis] = -finger.side, 1
        second = np.cross(normal, first)
        for along, z in finger.points:
            at = np.array([0.0, 0.0, z])
            at[finger.axis], at[1 - finger.axis] = finger.side * hand.size[finger.axis] / 2, along
            forces = normal + hand.mu * size * (np.outer(np.cos(angles), first)
                                                + np.outer(np.sin(angles), second))
            columns.append(np.hstack([forces, np.cross(at / length, forces)]))
            owners += [n] * count
    balance = np.zeros((6 + len(hand.fingers), len(owners) + 1))
    balance[:6, :-1] = np.vstack(columns).T
    for n, finger in enumerate(hand.fingers):
        balance[6 + n, :-1] = np.array(owners) == n
        balance[6 + n, -1] = -finger.share
    right = np.zeros(len(balance))
    right[2] = 1
    cost = np.zeros(len(owners) + 1)
    cost[-1] = 1
    found = linprog(cost, A_eq=balance, b_eq=right, method="highs")
    return hand.mass * GRAVITY * found.fun if found.success else math.inf


def numbers(count: int) -> list[int]:
    """Of the first hands that can hold within MOST, by a polygon of 4 sides and so by all others."""
    found: list[int] = []
    number = 0
    while len(found) < count:
        hand = sampled(number)
        if apart(hand) and needed_force(hand, 4) <= MOST * hand.mass * GRAVITY:
            found.append(number)
        number += 1
    return found


def apart(hand: Hand) -> bool:
    """Fingers of one side do not touch each other."""
    if len(hand.fingers) != 3:
        return True
    one, other = hand.fingers[1:]
    return all(math.dist(a, b) > 3 * TIP for a in one.points for b in other.points)
