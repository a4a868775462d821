# SPDX-License-Identifier: Apache-2.0
"""What theory says of the soft touch: the mass that the finger strikes with from the equations of the
delta robot, the force of the touch from the laws of contact and controller, the sampled loop."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

BASE, PLATFORM, ARM, ROD = 0.2, 0.045, 0.235, 0.8  # m, of the delta robot
ARM_INERTIA, ROD_MASS = 0.027, 0.3  # kg m² about the motor, kg of both rods of an arm


def motor_angles(place: np.ndarray) -> np.ndarray:
    """Inverse kinematics; `place` is the platform below the plane of the motors."""
    angles = []
    for i in range(3):
        turn = 2 * math.pi * i / 3
        out, side = (np.array([math.cos(turn), math.sin(turn), 0]),
                     np.array([-math.sin(turn), math.cos(turn), 0]))
        ankle = place + PLATFORM * out
        a, b, c = ankle @ out - BASE, -ankle[2], ankle @ side
        reach = (a * a + b * b + c * c + ARM**2 - ROD**2) / (2 * ARM)
        angles.append(math.atan2(b, a) - math.acos(reach / math.hypot(a, b)))
    return np.array(angles)


def mass_at_the_finger(place: np.ndarray, platform: float) -> float:
    """Of the robot along x, with y and z free: what a contact along x has to stop."""
    d = 1e-6
    slopes = np.array([(motor_angles(place + d * axis) - motor_angles(place - d * axis)) / (2 * d)
                       for axis in np.eye(3)]).T
    mass = platform * np.eye(3) + ARM_INERTIA * slopes.T @ slopes
    for i, angle in enumerate(motor_angles(place)):
        turn = 2 * math.pi * i / 3
        across = -math.sin(angle) * np.array([math.cos(turn), math.sin(turn), 0])
        elbow = np.outer(ARM * (across - math.cos(angle) * np.array([0, 0, 1.0])), slopes[i])
        # A slender rod: m/6 (vE² + vE·vP + vP²).
        mass += ROD_MASS / 3 * (elbow.T @ elbow + np.eye(3) + (elbow + elbow.T) / 2)
    return float(1 / np.linalg.inv(mass)[0, 0])


class SampledLoop:
    """Eq. (11) along one axis: a free mass, its place sampled and its force held in between."""

    def __init__(self, kd: float, period: float, filter_time: float) -> None:
        self.kd, self.h, self.keep = kd, period, math.exp(-period / filter_time)

    def matrix(self, kp: float) -> np.ndarray:
        """Of a sample of (error, its rate, error before, filtered rate)."""
        fresh = (1 - self.keep) / self.h
        push = -np.array([kp + self.kd * fresh, 0, -self.kd * fresh, self.kd * self.keep])
        step = np.array([[1, self.h, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0],
                         [fresh, 0, -fresh, self.keep]])
        step[0] += self.h**2 / 2 * push
        step[1] += self.h * push
        return step

    def errors(self, kp: Callable[[float], float], start: float, count: int) -> np.ndarray:
        state = np.array([start, 0, start, 0])
        found = [start]
        for k in range(count):
            state = self.matrix(kp(k * self.h)) @ state
            found.append(state[0])
        return np.array(found)

    def radius(self, kp: float) -> float:
        return float(np.abs(np.linalg.eigvals(self.matrix(kp))).max())

    def swinging_radius(self, kp: float) -> float:
        """Growth per sample while kp swings between 0 and kp, at the worst of many rates around twice
        the natural frequency."""
        middle = math.pi / math.sqrt(kp / 2) / self.h  # samples per swing
        worst = 0.0
        for samples in sorted({max(3, round(middle * 2 ** (i / 8))) for i in range(-8, 9)}):
            whole = np.eye(4)
            for k in range(samples):
                whole = self.matrix(kp * (1 + math.sin(2 * math.pi * k / samples)) / 2) @ whole
            worst = max(worst, float(np.abs(np.linalg.eigvals(whole)).max()) ** (1 / samples))
        return worst


def largest_stable(radius: Callable[[float], float], low: float, high: float) -> float:
    """Where growth begins between low and high."""
    if radius(high) <= 1:
        return high
    for _ in range(25):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if radius(middle) <= 1 else (low, middle)
    return low


def touch_forces(mass: float, speed: float, loop: SampledLoop, damping: float, first: float,
                 times: np.ndarray) -> np.ndarray:
    """Force on a body that stays, at times after the touch: the gap goes as the contact says (both
    poles at -damping/2), the controller samples it first `first` after the touch, in velocity mode."""
    pole = damping / 2
    gap = lambda t: -speed * t * math.exp(-pole * t) if t > 0 else -speed * t
    accelerated = lambda t: speed * pole * (2 - pole * t) * math.exp(-pole * t)
    forces, rate, push, sample = [], speed, 0.0, first
    for t in times:
        while sample <= t + 1e-12:
            measured = (gap(sample - loop.h) - gap(sample)) / loop.h
            rate = loop.keep * rate + (1 - loop.keep) * measured
            push = loop.kd * (speed - rate)
            sample += loop.h
        forces.append(mass * (push + accelerated(t)))
    return np.array(forces)
