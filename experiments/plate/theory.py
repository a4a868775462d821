# SPDX-License-Identifier: Apache-2.0
"""The plate without Vinci: equations of motion of a point on it, integrated from event to event with
SciPy, and the closed forms that they have. What the experiment compares itself with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

G = 9.81
TIGHT = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-13}


@dataclass(frozen=True)
class Rocking:
    """A plate that rocks about an axis `depth` below a point of mass, by eq. (15). In the frame of the
    plate the point is at r along it and s above the surface:

        r'' = theta'' (depth + s) + theta'^2 r + 2 theta' s' - g sin theta + F,
        s'' = N - g cos theta - theta'' r + theta'^2 (depth + s) - 2 theta' r',

    with N and F the forces of contact over the mass. A block that slides without turning on the plate
    obeys the same, with `depth` the distance from the axis to its centre of mass."""

    mu: float = 0.3
    alpha: float = 180.0
    period: float = 0.03
    depth: float = 0.05
    belt: float = 0.0  #: speed of the surface over the plate
    #: of a block: its length, the height of its centre of mass, and its inertia over the mass
    block: tuple[float, float, float] | None = None

    def angle(self, t: float) -> tuple[float, float, float]:
        """theta, its rate and its acceleration, t within a period; the latter from the right."""
        a, T = self.alpha, self.period
        if t < T / 2:
            return a * t * (t / 2 - T / 4), a * (t - T / 4), a
        return -a * (t * t / 2 - 0.75 * T * t + T * T / 4), -a * (t - 0.75 * T), -a

    # ---- closed forms: small angles, theta'^2 left out, always sliding -----------------------

    @property
    def b(self) -> float:
        return (-3 / 8 * self.mu * self.alpha * self.period
                + self.mu**3 * G**2 * self.period / (8 * self.depth**2 * self.alpha))

    @property
    def c(self) -> float:
        return -self.mu**3 * self.alpha * self.period / (8 * self.depth**2)

    @property
    def b_centrifugal(self) -> float:
        """b with the mean of theta'^2 r, which drives the point outwards."""
        return self.b + self.alpha**3 * self.period**3 * self.depth / (192 * self.mu * G)

    @property
    def sticks_from(self) -> float:
        return self.depth / self.mu - G / self.alpha

    @property
    def leaves_from(self) -> float:
        return G / self.alpha

    def load(self, normal: float, friction: float, acceleration: float) -> float:
        """Of the particle, or of the edge of a block that bears less: both turn it by
        k^2 theta'' = (N2 - N1) length/2 + rise F."""
        if self.block is None:
            return normal
        length, rise, k2 = self.block
        return normal / 2 - abs(k2 * acceleration - rise * friction) / length

    # ---- from event to event -----------------------------------------------------------------

    def half(self, k: int, state: np.ndarray, frozen: float | None) -> Half:
        """From k T/2 to (k + 1) T/2. `state`: r, r', s, s' and the integral of r. `frozen`: the place
        that the forces see, in place of r."""
        T = self.period
        begin, end = (k % 2) * T / 2, (k % 2 + 1) * T / 2
        middle = (begin + end) / 2
        acceleration = self.angle(middle)[2]

        def turn(t: float) -> tuple[float, float, float]:
            a, w, _ = self.angle(min(max(t, begin), end - 1e-15) if begin else min(t, end - 1e-15))
            return a, w, acceleration

        def drive(t: float, y: np.ndarray) -> tuple[float, float]:
            """Accelerations along and across that the plate's motion asks for, without contact."""
            angle, w, a = turn(t)
            r = y[0] if frozen is None else frozen
            return (a * (self.depth + y[2]) + w * w * r + 2 * w * y[3] - G * math.sin(angle),
                    -G * math.cos(angle) - a * r + w * w * (self.depth + y[2]) - 2 * w * y[1])

        def slide(sign: float):
            def rate(t: float, y: np.ndarray) -> list[float]:
                along, across = drive(t, y)
                return [y[1], along + sign * self.mu * across, 0.0, 0.0, y[0]]
            return rate

        def stick(t: float, y: np.ndarray) -> list[float]:
            return [self.belt, 0.0, 0.0, 0.0, y[0]]

        def fly(t: float, y: np.ndarray) -> list[float]:
            along, across = drive(t, y)
            return [y[1], along, y[3], across, y[0]]

        found = Half(np.array(state, dtype=float))
        t = begin
        lifts = slips = False  # the last piece ended so
        for _ in range(200):
            if t >= end - 1e-14:
                return found
            y = found.state
            slip = y[1] - self.belt
            along, across = drive(t, y)
            if lifts or y[2] > 1e-14 or y[3] > 1e-13 or across > 1e-9:
                mode, rate = "fly", fly
                events = [lambda t, y: y[2]]
                events[0].direction = -1.0
            elif not slips and abs(slip) < 1e-12 and abs(along) <= -self.mu * across:
                y[1], mode, rate = self.belt, "stick", stick
                events = [lambda t, y: abs(drive(t, y)[0]) + self.mu * drive(t, y)[1],
                          lambda t, y: drive(t, y)[1]]
                events[0].direction = events[1].direction = 1.0
            else:
                sign = math.copysign(1.0, slip if abs(slip) >= 1e-12 else along)
                mode, rate = "slide", slide(sign)
                events = [lambda t, y: y[1] - self.belt, lambda t, y: drive(t, y)[1]]
                events[0].direction, events[1].direction = -sign, 1.0
            for event in events:
                event.terminal = True
            if mode == "fly" and y[2] <= 1e-14 or mode == "slide" and abs(slip) < 1e-12:
                # Off the event that began this piece, so that it does not end there.
                nudge = min(1e-7, end - t)
                t += nudge
                y = y + nudge * np.array(rate(t, y))
                if mode == "fly":
                    y[2] = 0.5 * nudge**2 * max(drive(t, y)[1], 1e-3)
                else:
                    y[1] = self.belt + math.copysign(max(abs(y[1] - self.belt), 2e-12), sign)
            # A fine step sees events that come soon after each other.
            piece = solve_ivp(rate, (t, end), y, events=events, max_step=(end - begin) / 6, **TIGHT)
            spent = float(piece.t[-1]) - t
            found.state = piece.y[:, -1].copy()
            for a, b in zip(piece.t, piece.y.T):
                along, across = drive(a, b)
                rubs = sign * self.mu * across if mode == "slide" else -along
                load = 0.0 if mode == "fly" else self.load(-across, rubs, acceleration)
                found.least_load = min(found.least_load, load)
            t = float(piece.t[-1])
            lifts = mode != "fly" and piece.status == 1 and len(piece.t_events[1]) > 0
            slips = mode == "stick" and piece.status == 1 and not lifts
            if mode == "stick":
                found.stuck += spent
            if mode == "fly":
                found.flown += spent
                found.highest = max(found.highest, float(piece.y[2].max()))
                if piece.status == 1:  # landed: an inelastic impact with friction
                    impulse = -found.state[3]
                    found.state[2] = found.state[3] = 0.0
                    slip = found.state[1] - self.belt
                    found.state[1] = self.belt + math.copysign(max(0.0, abs(slip) - self.mu * impulse), slip)
            elif mode == "slide" and piece.status == 1 and len(piece.t_events[0]):
                found.state[1] = self.belt
        raise RuntimeError("too many events in half a period")

    def travel(self, r: float, rate: float, periods: int,
               frozen: float | None = None) -> list[Period]:
        state = np.array([r, rate, 0.0, 0.0, 0.0])
        periods_done = []
        for _ in range(periods):
            state[4] = 0.0
            before = state[0]
            first = self.half(0, state, frozen)
            second = self.half(1, first.state, frozen)
            state = second.state
            halves = (first, second)
            periods_done.append(Period(
                r=float(state[0]), rate=float(state[1]), mean_r=float(state[4]) / self.period,
                mean_rate=float(state[0] - before) / self.period,
                stuck=sum(half.stuck for half in halves), flown=sum(half.flown for half in halves),
                highest=max(half.highest for half in halves),
                least_load=min(half.least_load for half in halves)))
        return periods_done

    def asymptotic(self, r: float) -> tuple[Period, float]:
        """The periodic motion with the forces of one place r, and its r' at the start of a period."""
        def miss(rate: float) -> float:
            return self.travel(r, rate, 1, frozen=r)[0].rate - rate
        edge = self.alpha * self.period * self.depth
        rate = brentq(miss, -edge, edge, xtol=1e-13)
        return self.travel(r, rate, 1, frozen=r)[0], rate

    def stick_limit(self) -> float:
        """The place where sticking begins; exact angles."""
        return bisect(lambda r: self.asymptotic(r)[0].stuck > 0, 0.9 * self.sticks_from,
                      1.1 * self.sticks_from)

    def stick_depth(self, r: float) -> float:
        """The depth of the axis below which a particle at r slides all the time; exact angles."""
        small = self.mu * (r + G / self.alpha)
        return bisect(lambda depth: replace(self, depth=depth).asymptotic(r)[0].stuck == 0,
                      0.9 * small, 1.1 * small)

    def lift_limit(self) -> float:
        """The place where the contact is lost; exact angles."""
        return bisect(lambda r: self.asymptotic(r)[0].flown > 0, 0.95 * self.leaves_from,
                      1.05 * self.leaves_from)

    def edge_limit(self) -> float:
        """The place where a block lifts an edge; exact angles."""
        return bisect(lambda r: self.asymptotic(r)[0].least_load <= 0, 0.85 * self.leaves_from,
                      self.leaves_from)


def block_on_springs(plate: Rocking, rise: float, start: float, periods: int,
                     stiffness: float = 16e6, damping_ratio: float = 15.0,
                     smooth: float = 1e-5) -> float:
    """Where a block ends that starts at rest along the plate, with a stiff and strongly damped spring
    under each edge, and friction smoothed over `smooth` m/s: rigid and inelastic as both grow.
    `plate.depth` is that of the axis below the surface; stiffness over mass, 1/s^2."""
    assert plate.block is not None
    length, _, k2 = plate.block
    damping = 2 * damping_ratio * math.sqrt(stiffness / 2)

    def change(t: float, s: np.ndarray, k: int) -> list[float]:
        y, z, turned, vy, vz, spin = s
        begin = (k % 2) * plate.period / 2
        inside = min(max(t - k * plate.period / 2, 0.0), plate.period / 2 * (1 - 1e-12))
        angle, rate, _ = plate.angle(begin + inside)
        c, n = math.cos(angle), math.sin(angle)
        fy, fz, moment = 0.0, -G, 0.0
        for side in (length / 2, -length / 2):
            ry = math.cos(turned) * side + math.sin(turned) * rise
            rz = math.sin(turned) * side - math.cos(turned) * rise
            gap = -n * (y + ry) + c * (z + rz) - plate.depth
            if gap >= 0:
                continue
            uy = vy - spin * rz + rate * (z + rz)
            uz = vz + spin * ry - rate * (y + ry)
            slip = c * uy + n * uz
            load = max(0.0, -stiffness * gap - damping * (c * uz - n * uy))
            rubs = -plate.mu * load * slip / math.hypot(slip, smooth)
            py, pz = rubs * c - load * n, rubs * n + load * c
            fy, fz, moment = fy + py, fz + pz, moment + ry * pz - rz * py
        return [vy, vz, spin, fy, fz, moment / k2]

    rate = -plate.alpha * plate.period / 4
    state = np.array([start, plate.depth + rise, 0.0, 0.0, rate * start, rate])
    for k in range(2 * periods):
        times = (k * plate.period / 2, (k + 1) * plate.period / 2)
        state = solve_ivp(change, times, state, args=(k,), method="LSODA", rtol=1e-8,
                          atol=1e-11).y[:, -1]
    return float(state[0])


def tripod(stance: float, times: np.ndarray, mu: float = 0.3) -> np.ndarray:
    """x, y and angle of a part on three feet in the Circle field, which starts at rest at (40, 0) mm.
    Coulomb's law is smoothed over 1 µm/s; a foot carries a third of the load."""
    rate, turn, lift, smooth = 66 * math.pi, 500.0, 8.0, 1e-6
    spread = stance * np.exp(2j * np.pi * np.arange(3) / 3)

    def change(t: float, y: np.ndarray) -> list[float]:
        arms = spread * np.exp(1j * y[2])
        slip = (y[3] + 1j * y[4] + 1j * y[5] * arms
                + 1j * turn / rate * math.cos(rate * t) * (y[0] + 1j * y[1] + arms))
        load = (G - lift * math.cos(rate * t)) / 3
        force = -mu * load * slip / np.sqrt(np.abs(slip) ** 2 + smooth**2)
        whole, moment = force.sum(), (np.conj(arms) * force).imag.sum()
        return [y[3], y[4], y[5], whole.real, whole.imag, moment / stance**2]

    found = solve_ivp(change, (0.0, float(times[-1])), [0.04, 0, 0, 0, 0, 0], method="LSODA",
                      t_eval=times, rtol=1e-9, atol=1e-12)
    return found.y[:3].T


def bisect(true_above: Callable[[float], bool], low: float, high: float) -> float:
    assert not true_above(low) and true_above(high)
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (low, middle) if true_above(middle) else (middle, high)
    return (low + high) / 2


@dataclass
class Half:
    state: np.ndarray
    stuck: float = 0.0
    flown: float = 0.0
    highest: float = 0.0
    least_load: float = math.inf  # over the mass


@dataclass(frozen=True)
class Period:
    """Of the motion: where it ends, its means, and how long the point sticks and flies."""
    r: float
    rate: float
    mean_r: float
    mean_rate: float
    stuck: float
    flown: float
    highest: float
    least_load: float
