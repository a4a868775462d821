#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The soft touch of a delta robot: how hard does it touch a brick, and does the brick stay?

Simulates softtouch.yaml through events, as figure 13 of the paper, and compares the force with closed
forms. Beyond the paper: the force over speed and gain, gains beyond the bound (12), and a brick that
is not quite where the robot believes it is.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from report import Experiment  # noqa: E402  (before pyplot: it chooses how to draw)

import matplotlib.pyplot as pyplot  # noqa: E402

import vinci  # noqa: E402
from theory import SampledLoop, largest_stable, mass_at_the_finger, touch_forces  # noqa: E402

SCENE = FOLDER / "softtouch.yaml"
PERIOD, FILTER = 4e-3, 2e-3  # s, as in the scene
SPEED, KD, KP, DAMPING, WRIST = 2e-4, 100.0, 2500.0, 225.0, 1.47
FADE, FADED, CONTACT = 5.0, 9.0, 12.0  # s
LEFT, TOUCH = -0.04, -0.021  # m: the left fingertip on the platform; where it touches
GRIP = 0.5 * 0.025 * 9.81  # N, up to which friction holds the brick
SETTLED = {"far": 0.0, "fade": -2.0, "faded": -1.0}  # the approach alone, in velocity mode
HEAVY = {"brick_mass": 1.0}  # a brick that nothing here moves: the force does not depend on it


@dataclass
class Task:
    parameters: Mapping[str, float]
    duration: float
    record: str | None = None


@dataclass
class Outcome:
    times: list[float] = field(default_factory=list)
    tip: list[float] = field(default_factory=list)  # m, x of the left fingertip
    speed: list[float] = field(default_factory=list)  # m/s
    wanted: list[float] = field(default_factory=list)  # m
    force: list[float] = field(default_factory=list)  # N, of finger on brick, at the ends of steps
    brick: list[float] = field(default_factory=list)  # m, how far it has gone
    touches: list[float] = field(default_factory=list)  # s
    first: float = 0.0  # N, as it touches
    slides: int = 0  # events in which a corner of the brick begins to
    bounces: int = 0  # events in which the finger lets go

    @property
    def peak(self) -> float:
        return max([self.first, *self.force])


def simulate(task: Task) -> Outcome:
    simulation = vinci.Simulation(SCENE, duration=task.duration, parameters=dict(task.parameters))
    outcome = Outcome()
    start = simulation.state.position("brick")[0]

    def look(_: vinci.Simulation) -> None:
        state = simulation.state
        outcome.times.append(state.time)
        outcome.tip.append(state.position("platform")[0] + LEFT)
        outcome.speed.append(state.velocity("platform")[0])
        outcome.wanted.append(float(simulation.controls["signals.way_0"]))
        outcome.brick.append(state.position("brick")[0] - start)
        outcome.force.append(sum((float(mode["force"][0]) for mode in simulation.modes
                                  if "platform" in mode["subject"]), 0.0))
        for event in simulation.events:
            finger = "platform" in event["subject"]
            if finger and event["kind"] == "touch":
                outcome.touches.append(float(event["time"]))
                outcome.first = max(outcome.first, float(event["force"][0]))
            outcome.bounces += finger and event["kind"] in ("release", "parting")
            outcome.slides += not finger and event["kind"] == "slide"

    simulation.run(record=task.record, callback=look)
    return outcome


def grip(outcome: Outcome) -> float:
    """The mass that the finger strikes with where it touches, and the platform is with it."""
    place = outcome.tip[-1] - LEFT
    return mass_at_the_finger(np.array([place, 0, -0.78]), WRIST)


# ---- figure 13 -----------------------------------------------------------------------------------

def approach(short: bool, record: str) -> Task:
    if short:
        return Task({**SETTLED, "lead": 0.2}, 0.45, record)
    return Task({}, 12.5, record)


def expected_forces(outcome: Outcome, mass: float) -> np.ndarray:
    touch = outcome.touches[0]
    loop = SampledLoop(KD, PERIOD, FILTER)
    after = np.array(outcome.times) - touch
    first = float(after[after > 1e-12][0])
    found = np.zeros(len(after))
    late = after > 1e-12
    # A step ends with the forces of the sample before, not yet of the one that is due then.
    found[late] = touch_forces(mass, SPEED, loop, DAMPING, first, after[late] - 1e-9)
    return found


def study_touch(experiment: Experiment, outcome: Outcome) -> None:
    mass = grip(outcome)
    late = np.array(outcome.times) > outcome.touches[0]
    forces = np.array(outcome.force)
    expected = expected_forces(outcome, mass)
    peak, hold = mass * DAMPING * SPEED, mass * KD * SPEED
    moved = max(abs(place) for place in outcome.brick)
    assert len(outcome.touches) == 1 and outcome.bounces == outcome.slides == 0
    assert abs(outcome.peak - peak) < 2e-3 * peak and abs(forces[-1] - hold) < 5e-3 * hold
    assert moved < 1e-9 and forces[late].min() > 0
    off = float(np.abs(forces - expected).max())
    assert off < 1e-2 * peak
    if not experiment.short:
        assert abs(outcome.touches[0] - CONTACT) < 0.01
        begin = float(np.interp(2.5, outcome.times, TOUCH - np.array(outcome.tip)))
        experiment.row("2.5 s after the start the finger is", paper="within 5 mm",
                       ours=f"{1e3 * begin:.2f} mm away; at 0.2 mm/s it cannot be more than 1.9")
        experiment.row("contact is made at", paper="12 s", ours=f"{outcome.touches[0]:.3f} s")
    near = np.array(outcome.times) < outcome.touches[0]
    experiment.row("speed of the touch", paper="0.2 mm/s",
                   ours=f"{1e3 * np.array(outcome.speed)[near][-1]:.4f} mm/s")
    experiment.row("force peaks at", paper="90 mN",
                   ours=f"{1e3 * outcome.peak:.2f} mN; m α₁ v = {1e3 * peak:.2f} mN")
    experiment.row("force that is held", paper="40 mN",
                   ours=f"{1e3 * forces[-1]:.2f} mN; m kd v = {1e3 * hold:.2f} mN")
    experiment.row("the mass in it, from case 19's equations", paper="–", ours=f"{mass:.4f} kg")
    experiment.row("force, all samples after the touch, against the sampled closed form", paper="–",
                   ours=f"differs by at most {1e3 * off:.2f} mN")
    experiment.row("bouncing", paper="none",
                   ours=f"none; least force after the touch {1e3 * forces[late].min():.1f} mN")
    experiment.row("motion of the brick", paper="none",
                   ours=f"{moved:.0e} m; friction holds up to {1e3 * GRIP:.1f} mN")


# ---- beyond the paper ----------------------------------------------------------------------------

SPEEDS, GAINS = (0.5e-4, 1e-4, 2e-4, 4e-4), (25.0, 100.0, 200.0, 300.0)
RATIOS = ((0.25, 0), (1.0, 0), (2.5, 0), (4.0, 0))  # kp over kd², and whether kp swings
SWINGS = ((1.0, 1), (14.0, 1))  # the same at kd = 20
OFFS = (-1e-3, -0.8e-3, -0.6e-3, 0.0, 1e-3)  # m


def map_task(speed: float, gain: float) -> Task:
    return Task({**SETTLED, **HEAVY, "lead": 0.3, "speed": speed, "kd": gain}, 0.6)


def bound_task(ratio: float, swings: int, samples: int) -> Task:
    kd = 20.0 if swings else KD
    kp = ratio * kd * kd
    return Task({**HEAVY, "far": 0.0, "lead": 1e4, "speed": 1e-6, "fade": 1e3, "faded": 2e3, "kd": kd,
                 "kp": kp, "swing": swings, "beat": 2 * (kp / 2) ** 0.5, "astray": 1e-5},
                samples * PERIOD)


def expected_errors(ratio: float, swings: int, count: int) -> np.ndarray:
    kd = 20.0 if swings else KD
    kp = ratio * kd * kd
    beat = 2 * (kp / 2) ** 0.5
    gain = (lambda t: kp * (1 + np.sin(beat * t)) / 2) if swings else (lambda _: kp)
    return SampledLoop(kd, PERIOD, FILTER).errors(gain, 1e-5, count)


def off_task(off: float, earlier: float = 0.0) -> Task:
    """Begins 0.6 s before the touch; `earlier` is how much earlier kp is faded."""
    contact = CONTACT + off / SPEED
    begin = contact - 0.6
    ends = max(contact, FADED - earlier) + 0.2
    return Task({**HEAVY, "far": 0.0, "lead": 0.45 - off / SPEED, "off": off,
                 "fade": FADE - earlier - begin, "faded": FADED - earlier - begin}, ends - begin)


def slow_peak(off: np.ndarray, mass: float, faded: float = FADED) -> np.ndarray:
    """Peak of the touch, or of what grows afterwards while kp is not yet zero: kd v + kp(t) v (t − t₀)
    with kp falling in a line, largest half way between the touch and the end of the fading."""
    contact = CONTACT + off / SPEED
    left = np.maximum(faded - contact, 0.0)
    grown = KD * SPEED + KP / (FADED - FADE) * SPEED * left**2 / 4
    return mass * np.maximum(grown, DAMPING * SPEED)


def study_map(experiment: Experiment, outcomes: list[Outcome]) -> np.ndarray:
    peaks = np.array([outcome.peak for outcome in outcomes]).reshape(len(SPEEDS), len(GAINS))
    mass = grip(outcomes[0])
    worst = 0.0
    for i, speed in enumerate(SPEEDS):
        for k, gain in enumerate(GAINS):
            outcome = outcomes[i * len(GAINS) + k]
            hold = mass * gain * speed
            assert outcome.touches and outcome.slides == 0
            worst = max(worst, abs(outcome.force[-1] - hold) / hold)
    linear = peaks / (mass * DAMPING * np.array(SPEEDS)[:, None])
    experiment.row(f"peak over m α₁ v, speeds {1e3 * SPEEDS[0]} to {1e3 * SPEEDS[-1]} mm/s", paper="–",
                   ours=", ".join(f"{linear[:, k].mean():.3f} at kd = {gain:.0f}/s"
                                  for k, gain in enumerate(GAINS))
                   + f"; the same at all speeds to {np.ptp(linear, axis=0).max():.0e}")
    experiment.row("held force over m kd v on the map", paper="–",
                   ours=f"1 to {worst:.0e}")
    bounced = [f"{1e3 * SPEEDS[i // len(GAINS)]:g} mm/s, {GAINS[i % len(GAINS)]:.0f}/s"
               for i, outcome in enumerate(outcomes) if outcome.bounces]
    experiment.row("bounces on the map", paper="–", ours=", ".join(bounced) or "none")
    experiment.row("the brick of 25 g would move from", paper="–",
                   ours=f"{1e3 * GRIP / (mass * DAMPING):.3f} mm/s on, at kd up to {DAMPING:.0f}/s")
    return peaks


def errors_of(outcome: Outcome) -> np.ndarray:
    return np.array(outcome.tip) - np.array(outcome.wanted)


def study_bound(experiment: Experiment, found: dict[tuple[float, int], Outcome]) -> None:
    for (ratio, swings), outcome in found.items():
        errors = np.abs(errors_of(outcome))
        expected = np.abs(expected_errors(ratio, swings, len(errors)))[1:]
        late = len(errors) * 2 // 3
        grown = errors[late:].max() / 1e-5
        name = f"kp = {ratio:g} kd², kd = {20 if swings else 100}/s"
        if swings:
            name = name.replace("kp =", "kp between 0 and")
        experiment.row(name, paper="stable" if ratio <= 1 else "no promise",
                       ours=f"error times {grown:.2g} in {1e3 * outcome.times[-1]:.0f} ms; "
                            f"recursion of the sampled loop: {expected[late:].max() / 1e-5:.2g}")
        assert (grown < 1) == (expected[late:].max() < 1e-5)
        if ratio <= 1:
            assert grown < 1
    for gain in () if experiment.short else (20.0, 100.0):
        loop = SampledLoop(gain, PERIOD, FILTER)
        steady = largest_stable(loop.radius, 0.01 * gain**2, 100 * gain**2) / gain**2
        swinging = largest_stable(loop.swinging_radius, 0.01 * gain**2, 100 * gain**2) / gain**2
        experiment.row(f"bound (12) at kd = {gain:.0f}/s, samples of 4 ms", paper="kp ≤ kd²",
                       ours=f"steady kp up to {steady:.2f} kd², swinging kp up to {swinging:.2f} kd²")


def study_off(experiment: Experiment, found: dict[float, Outcome], repaired: Outcome) -> None:
    mass = grip(found[0.0])
    for off, outcome in found.items():
        expected = float(slow_peak(np.array(off), mass))
        assert abs(outcome.peak - expected) < 0.05 * expected, (off, outcome.peak, expected)
        experiment.row(f"brick {1e3 * off:+.1f} mm, touched at {CONTACT + off / SPEED:.0f} s", paper="–",
                       ours=f"{1e3 * outcome.peak:.1f} mN; closed form {1e3 * expected:.1f} mN")
    offs = np.linspace(-1e-3, 1e-3, 20001)
    peaks = slow_peak(offs, mass)
    experiment.row("brick anywhere within ±1 mm: peak", paper="–",
                   ours=f"90 mN in {100 * (peaks < 1.001 * mass * DAMPING * SPEED).mean():.0f} % of all "
                        f"places, more than friction holds in {100 * (peaks > GRIP).mean():.0f} %, "
                        f"at most {1e3 * peaks.max():.0f} mN")
    experiment.row("the same, kp faded by 6.5 s, brick −1.0 mm", paper="–",
                   ours=f"{1e3 * repaired.peak:.1f} mN")
    assert repaired.peak < 1.01 * mass * DAMPING * SPEED


# ---- figures -------------------------------------------------------------------------------------

def draw_touch(axes: np.ndarray, outcome: Outcome) -> None:
    times, touch = np.array(outcome.times), outcome.touches[0]
    way, force = axes
    way.plot(times, 1e3 * (TOUCH - np.array(outcome.tip)), "k", lw=1.6)
    way.set_yscale("symlog", linthresh=0.1)
    way.set(xlabel="time [s]", ylabel="distance [mm]", title="approach", ylim=(-0.02, 40))
    gain = way.twinx()
    fade, faded = (FADE, FADED) if times[-1] > 2 else (-2.0, -1.0)
    gain.plot(times, KP * np.clip((faded - times) / (faded - fade), 0, 1), color="#457b9d", lw=1.2)
    gain.set_ylabel("position gain [1/s²]", color="#457b9d")
    way.axvline(touch, color="#d1495b", lw=0.8)
    near = (times > touch - 0.03) & (times < touch + 0.15)
    force.plot(1e3 * (times[near] - touch), 1e3 * expected_forces(outcome, grip(outcome))[near], "x",
               color="#d1495b", ms=6, label="closed form, sampled")
    force.plot(1e3 * (times[near] - touch), 1e3 * np.array(outcome.force)[near], "k.", ms=4,
               label="simulated, at samples")
    force.plot([0], [1e3 * outcome.first], "^", color="#1b7f4d", ms=7, label="simulated, at the event")
    force.axhline(1e3 * GRIP, color="#adb5bd", ls="--", lw=1)
    force.text(148, 1e3 * GRIP + 1, "friction holds the brick up to here", fontsize=8, ha="right")
    force.set(xlabel="time after the touch [ms]", ylabel="force on the brick [mN]", title="the touch",
              ylim=(0, 140))
    force.legend(fontsize=8)


def draw_bound(axes: pyplot.Axes, found: dict[tuple[float, int], Outcome]) -> None:
    for colour, ((ratio, swings), outcome) in zip(
            ("#1b7f4d", "#457b9d", "#e09f3e", "#d1495b", "#8d99ae", "#5e2a84"), found.items()):
        errors = np.abs(errors_of(outcome))
        samples = np.arange(1, len(errors) + 1)
        expected = np.abs(expected_errors(ratio, swings, len(errors)))[1:]
        axes.semilogy(samples, 1e6 * np.maximum(expected, 1e-11), color=colour, lw=1)
        name = f"0 … {ratio:g} kd², kd = 20/s" if swings else f"{ratio:g} kd², kd = 100/s"
        axes.semilogy(samples[::3], 1e6 * np.maximum(errors[::3], 1e-11), ".", color=colour, ms=4,
                      label=name)
    axes.set(xlabel="sample", ylabel="error [µm]", title="kp beyond bound (12)", ylim=(1e-3, 1e5))
    axes.legend(fontsize=7, ncol=2, loc="upper left", title="dots: simulated; lines: recursion",
                title_fontsize=7)


def draw_map(axes: pyplot.Axes, peaks: np.ndarray, mass: float) -> None:
    speeds = 1e3 * np.array(SPEEDS)
    for k, gain in enumerate(GAINS):
        line = axes.plot(speeds, 1e3 * peaks[:, k], "os^D"[k], ms=11 - 2 * k, fillstyle="none",
                         label=f"peak, kd = {gain:.0f}/s")[0]
        axes.plot(speeds, mass * gain * speeds, ":", color=line.get_color(), lw=1.2)
    axes.plot(speeds, mass * DAMPING * speeds, "k", lw=1, label="m α₁ v")
    axes.plot([], [], "k:", lw=1.2, label="m kd v, held")
    axes.axhline(1e3 * GRIP, color="#adb5bd", ls="--", lw=1)
    axes.text(0.052, 1e3 * GRIP * 1.06, "the brick moves above", fontsize=8)
    axes.set(xlabel="speed of approach [mm/s]", ylabel="force [mN]", title="force over speed and gain",
             xscale="log", yscale="log")
    axes.set_xticks(speeds, [f"{speed:g}" for speed in speeds])
    axes.set_yticks([3, 10, 30, 100, 300], ["3", "10", "30", "100", "300"])
    axes.minorticks_off()
    axes.legend(fontsize=7, loc="lower right")


def draw_off(axes: pyplot.Axes, found: dict[float, Outcome], repaired: Outcome) -> None:
    mass = grip(found[0.0])
    offs = np.linspace(-1e-3, 1e-3, 401)
    axes.plot(1e3 * offs, 1e3 * slow_peak(offs, mass), "k", lw=1.2, label="closed form")
    axes.plot([1e3 * off for off in found], [1e3 * outcome.peak for outcome in found.values()], "o",
              color="#d1495b", label="simulated")
    axes.plot([-1], [1e3 * repaired.peak], "s", color="#1b7f4d", label="kp faded by 6.5 s")
    axes.axhline(1e3 * GRIP, color="#adb5bd", ls="--", lw=1)
    axes.text(0.98, 1e3 * GRIP + 4, "the brick moves above", fontsize=8, ha="right")
    axes.set(xlabel="brick farther than believed by [mm]", ylabel="peak [mN]", ylim=(0, None),
             title="brick in another place", xticks=[-1, -0.5, 0, 0.5, 1])
    axes.legend(fontsize=8)


def draw_gains(axes: pyplot.Axes) -> None:
    gains = np.geomspace(5, 200, 16)
    loops = [SampledLoop(gain, PERIOD, FILTER) for gain in gains]
    for label, radius in (("steady kp", SampledLoop.radius), ("swinging kp", SampledLoop.swinging_radius)):
        limits = [largest_stable(lambda kp, loop=loop: radius(loop, kp), 0.01 * gain**2, 400 * gain**2)
                  / gain**2 for gain, loop in zip(gains, loops)]
        axes.loglog(gains, limits, lw=1.6, label=label)
    axes.axhline(1, color="k", ls="--", lw=1, label="bound (12)")
    axes.set(xlabel="kd [1/s]", ylabel="largest stable kp / kd²", title="sampled each 4 ms")
    axes.legend(fontsize=8)


def main() -> None:
    experiment = Experiment("softtouch", __doc__)
    record = str(experiment.output / "softtouch.h5")
    tasks: dict[object, Task] = {"touch": approach(experiment.short, record)}
    bounds = RATIOS[-1:] if experiment.short else RATIOS + SWINGS
    for ratio, swings in bounds:
        tasks["bound", ratio, swings] = bound_task(ratio, swings, 24 if experiment.short else 100)
    if not experiment.short:
        tasks |= {("map", speed, gain): map_task(speed, gain) for speed in SPEEDS for gain in GAINS}
        tasks |= {("off", off): off_task(off) for off in OFFS}
        tasks["repaired"] = off_task(OFFS[0], earlier=2.5)
    found = dict(zip(tasks, experiment.map(simulate, tasks.values())))
    bounded = {pair: found["bound", *pair] for pair in bounds}
    study_touch(experiment, found["touch"])
    if experiment.short:
        study_bound(experiment, bounded)
        figure, axes = pyplot.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
        draw_touch(axes[:2], found["touch"])
        draw_bound(axes[2], bounded)
    else:
        peaks = study_map(experiment, [found["map", speed, gain] for speed in SPEEDS for gain in GAINS])
        study_bound(experiment, bounded)
        offs = {off: found["off", off] for off in OFFS}
        study_off(experiment, offs, found["repaired"])
        figure, axes = pyplot.subplots(2, 3, figsize=(14, 8), layout="constrained")
        draw_touch(axes[0, :2], found["touch"])
        draw_map(axes[0, 2], peaks, grip(found["touch"]))
        draw_off(axes[1, 0], offs, found["repaired"])
        draw_bound(axes[1, 1], bounded)
        draw_gains(axes[1, 2])
    experiment.save(figure)
    pyplot.close(figure)
    experiment.finish()


if __name__ == "__main__":
    main()
