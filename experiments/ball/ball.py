# SPDX-License-Identifier: Apache-2.0
"""The bouncing ball of Bortoff 2020, section 2: events, energy and errors of motion through events
beside references and closed forms, figures 2, 3 and 4 of the paper, and the same ball by
time-stepping, rigid (Stewart and Trinkle) and soft (Song, Pang and Kumar)."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from report import ROOT, Experiment  # noqa: E402  (chooses how matplotlib draws: before pyplot)

import motions  # noqa: E402
from motions import Bounces, Motion, Steps  # noqa: E402

from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

COLOURS = {0: "#d95f02", 1: "#1b9e77", 10: "#7570b3", 20: "#e7298a"}
EVENTS, RIGID, SOFT = "#222222", "#d95f02", "#1b9e77"


def reference(damping: float) -> Any:
    path = ROOT / "tests" / "data" / "reference" / f"case03b_merl_ball_a1_{damping:g}.json"
    return json.loads(path.read_text(encoding="utf-8"))["expected"]


def worst_time(found: Motion, damping: float) -> tuple[float, int]:
    """The largest error of an event's time, and how many events there are; states as they must be."""
    until = found.time[-1]
    expected = [event for event in reference(damping)["events"] if event["t"] < until]
    events = found.events[found.events["time"] <= expected[-1]["t"] + 1e-3]
    for ours, theirs in (("from", "from"), ("to", "to")):
        assert [motions.MODES[name] for name in events[ours]] == [e[theirs] for e in expected]
    return float(np.abs(events["time"] - [e["t"] for e in expected]).max()), len(expected)


# ---- events and their errors -------------------------------------------------------------------

def study_events(experiment: Experiment) -> dict[float, Motion]:
    """All four dampings at an accuracy of 1e-10, as the reference has them."""
    short = experiment.short
    until = {0: 10.0, 1: 3.0 if short else 12.0, 10: 3.0 if short else 10.0, 20: 2.0 if short else 10.0}
    dampings = [1, 10] if short else [0, 1, 10, 20]
    tasks = [Bounces(a, until[a], accuracy=1e-10) for a in dampings]
    runs = dict(zip(dampings, experiment.map(motions.bounce, tasks)))
    for a, found in runs.items():
        error, count = worst_time(found, a)
        assert error < 1e-9, (a, error)
        known = reference(a)
        touches = found.events[found.events["to"] == "contact"]
        loads = np.array([phase["lambda_at_touch"] for phase in known["contact_phases"]])
        some = min(len(loads), len(touches))
        load = float(np.abs(touches["force"][:some, 0] / loads[:some] - 1.0).max())
        assert load < 1e-8, load
        heights = motions.peaks(found.events)[: len(known["peak_heights"])]
        # Only what flies has a top: where the last force does not end there is none.
        height = float(np.abs(heights - known["peak_heights"][: len(heights)]).max())
        assert height < 1e-8, height
        experiment.row(f"α₁ = {a}: {count} events, states and times", paper="figure",
                       ours=f"times within {error:.0e} s of the reference, heights {height:.0e} m, "
                            f"λ at touching {load:.0e}")
    resting = {a: runs[a] for a in runs if a >= 10}
    for a, found in resting.items():
        if found.time[-1] >= 9.0:
            experiment.row(f"α₁ = {a}: at rest after 10 s", paper="h → 0, λ > 0",
                           ours=f"h = {abs(found.gap[-1]):.0e} m, λ − m g = "
                                f"{abs(found.force[-1] - motions.G):.0e} N, after "
                                f"{int((found.events['from'] == 'contact').sum())} bounces")
    return runs


def study_accuracy(experiment: Experiment) -> dict[float, list[tuple[float, float]]]:
    """Largest errors of event times over the accuracy."""
    accuracies = [1e-6, 1e-8] if experiment.short else [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
    dampings = [10] if experiment.short else [0, 1, 10, 20]
    tasks = [Bounces(a, 3.0 if experiment.short else 10.0, accuracy=accuracy)
             for a in dampings for accuracy in accuracies]
    found: dict[float, list[tuple[float, float]]] = {a: [] for a in dampings}
    for task, run in zip(tasks, experiment.map(motions.bounce, tasks)):
        error, _ = worst_time(run, task.damping)
        assert error < 10.0 * task.accuracy, (task, error)
        found[task.damping].append((task.accuracy, error))
    for a, line in found.items():
        logs = np.log10(np.array(line))
        slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
        ratios = [error / accuracy for accuracy, error in line]
        experiment.row(f"α₁ = {a}: error of times over accuracy, {accuracies[0]:.0e} to "
                       f"{accuracies[-1]:.0e}", paper="–",
                       ours=f"{min(ratios):.2g} to {max(ratios):.2g} times it; slope {slope:.2f}")
    return found


# ---- energy ------------------------------------------------------------------------------------

def study_energy(experiment: Experiment) -> Motion:
    """Without damping every impact adds the same energy, however fast it is."""
    exact, height = motions.gain(), motions.let_go()
    found = motions.bounce(Bounces(0.0, 3.0 if experiment.short else 10.0, accuracy=1e-10))
    gains = motions.energies(found.events)
    off = float(np.abs(gains - exact).max())
    assert off < 1e-8, gains - exact
    ends = found.events[found.events["from"] == "contact"]
    assert np.abs(ends["gap"] - height).max() < 1e-9
    experiment.row("α₁ = 0: the height", paper="increases over time",
                   ours=f"by {1e3 * exact / motions.G:.4f} mm a bounce")
    experiment.row(f"α₁ = 0: energy of {len(gains)} impacts", paper="a little extra",
                   ours=f"+{exact:.7f} J each = m (g h₁ − ∫p) within {off:.0e} J; h₁ = "
                        f"{1e3 * height:.4f} mm")
    starts = [0.1] if experiment.short else [0.05, 0.2, 2.0]
    for start in starts:
        run = motions.bounce(Bounces(0.0, 6.0 * math.sqrt(2 * start / motions.G), 1e-10, 0.01, start))
        own = motions.energies(run.events)
        assert len(own) >= 2 and np.abs(own - exact).max() < 1e-8, own - exact
        experiment.row(f"α₁ = 0, from {start:g} m", paper="–",
                       ours=f"the same, {100 * exact / (motions.G * start):.2g}% of its energy at "
                            "the first impact")
    return found


def study_cycles(experiment: Experiment) -> dict[float, np.ndarray]:
    """Small damping takes from fast impacts what the contact adds to slow ones: a limit cycle."""
    known = reference(1)["limit_cycle_peak_height_vs_a1"]
    dampings = [4.0, 6.0] if experiment.short else [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    starts = {a: 1.2 * known[str(a)][0] if known[str(a)] else 0.03 for a in dampings}
    until = {1.0: 90.0, 2.0: 25.0}
    tasks = [Bounces(a, until.get(a, 6.0 if experiment.short else 12.0), 1e-8, 0.05, starts[a])
             for a in dampings]
    heights = {a: motions.peaks(run.events)
               for a, run in zip(dampings, experiment.map(motions.bounce, tasks))}
    for a, found in heights.items():
        if not known[str(a)]:
            assert len(found) < 30, found
            words = f"at rest after {len(found)} bounce" + "s" * (len(found) != 1)
        else:
            off = found[-1] / known[str(a)][0] - 1.0
            assert abs(off) < 1e-2, (a, off)
            words = f"bounces {1e3 * found[-1]:.3f} mm high for ever, {100 * abs(off):.1g}% from the reference"
        experiment.row(f"α₁ = {a:g}: in the end", paper="at rest" if a == 1 else "–", ours=words)
    return heights


# ---- the figures of the paper --------------------------------------------------------------------

def strip(axes: list[Axes], found: Motion, colour: str) -> None:
    axes[0].plot(found.time, found.gap, color=colour, lw=1.2)
    axes[1].plot(found.time, found.force, color=colour, lw=1.0)
    axes[2].step(found.time, found.mode, color=colour, lw=1.0, where="post")
    axes[2].set_yticks([0, 1, 2], ["free", "contact", "ballistic"])
    axes[2].set_xlabel("time, s")
    for ax in axes:
        ax.axhline(0, color="0.8", lw=0.6, zorder=0)


def draw_paper(experiment: Experiment) -> None:
    short = experiment.short
    step = 5e-3 if short else 2e-3
    low, settled, grows = experiment.map(motions.bounce, [
        Bounces(1.0, 3.0 if short else 10.0, step=step), Bounces(10.0, 4.0, step=step),
        Bounces(0.0, 3.0 if short else 10.0, step=step)])
    figure, axes = pyplot.subplots(3, 2, figsize=(10, 6.4), layout="constrained", sharex="col")
    for column, (found, a) in enumerate([(low, 1), (settled, 10)]):
        strip(list(axes[:, column]), found, COLOURS[a])
        axes[0, column].set_title(f"α₀ = 100, α₁ = {a}, α₂ = 1e6")
    for ax, label in zip(axes[:, 0], ["height h, m", "force λ, N", "state"]):
        ax.set_ylabel(label)
    experiment.save(figure, "figure2")
    bounces = int((settled.events["from"] == "contact").sum())
    experiment.row("figure 2: at rest after", paper="four bounces, at α₁ = 1",
                   ours=f"{bounces} bounces at α₁ = 10; at α₁ = 1 never")
    assert bounces == 4

    figure, axes = pyplot.subplots(3, 1, figsize=(8, 6.4), layout="constrained", sharex=True)
    strip(list(axes), grows, COLOURS[0])
    tops = motions.peaks(grows.events)
    ends = grows.events[grows.events["from"] == "contact"]
    axes[0].plot(ends["time"] + ends["gap_rate"] / motions.G, tops, "k.", ms=5)
    axes[0].plot([0, grows.time[-1]], [1.0, 1.0], "k:", lw=0.8)
    axes[0].set_title("α₀ = 100, α₁ = 0, α₂ = 1e6: higher with every bounce")
    for ax, label in zip(axes, ["height h, m", "force λ, N", "state"]):
        ax.set_ylabel(label)
    experiment.save(figure, "figure3")
    draw_close_up(experiment)


def draw_close_up(experiment: Experiment) -> None:
    """Figure 4: the fifth contact without damping (in the short form the first)."""
    number = 0 if experiment.short else 4
    until, step = (0.52, 1e-3) if experiment.short else (4.372, 1e-3)
    found = motions.bounce(Bounces(0.0, until, accuracy=1e-10, step=step))
    begin = found.events[found.events["to"] == "contact"][number]
    end = found.events[found.events["from"] == "contact"][number]
    known = reference(0)["contact_phases"][number]
    zero = known["h_zero_crossings"][0]
    near = np.flatnonzero((found.time > begin["time"]) & (found.time < end["time"]))
    at = [i for i in near if found.gap[i] < 0 <= found.gap[i + 1]][0]
    share = -found.gap[at] / (found.gap[at + 1] - found.gap[at])
    crossing = float(found.time[at] + share * step)
    assert abs(crossing - zero) < 1e-5, (crossing, zero)
    # No damping: λ is m g where h is zero.
    load = float(found.force[at] + share * (found.force[at + 1] - found.force[at]))
    assert abs(load - motions.G) < 0.3, load
    experiment.row("figure 4: h crosses zero", paper="near t = 4.356 s, λ = 9.81 N",
                   ours=f"{crossing:.4f} s ({zero:.6f} exact), λ = {load:.2f} N")
    experiment.row("figure 4: λ changes sign", paper="near t = 4.262 s (misprint: 4.362)",
                   ours=f"{end['time']:.6f} s, {1e3 * end['gap']:.2f} mm above the floor")
    figure, axes = pyplot.subplots(2, 1, figsize=(8, 5), layout="constrained", sharex=True)
    window = (found.time > begin["time"] - 6e-3) & (found.time < end["time"] + 8e-3)
    axes[0].plot(found.time[window], 1e3 * found.gap[window], color=COLOURS[0])
    axes[1].plot(found.time[window], found.force[window], color=COLOURS[0])
    axes[1].set_ylim(-15, 120)
    for ax in axes:
        ax.axhline(0, color="0.7", lw=0.6)
        ax.axvline(zero, color="k", ls=":", lw=1, label="h crosses zero")
        ax.axvline(end["time"], color="k", ls="--", lw=1, label="λ changes sign")
        ax.axvspan(zero, end["time"], color=COLOURS[0], alpha=0.12, label="force at h > 0: adds energy")
    axes[0].set_ylabel("height h, mm")
    axes[1].set_ylabel("force λ, N (cut off at 120)")
    axes[1].set_xlabel("time, s")
    axes[0].legend(loc="upper left", fontsize=8)
    axes[0].set_title("α₁ = 0: the end of a contact")
    experiment.save(figure, "figure4")


# ---- the same ball by time-stepping --------------------------------------------------------------

def study_others(experiment: Experiment) -> dict[str, Any]:
    """Comparable: the first rebound as high and, for the soft ball, the first impact as deep."""
    result: dict[str, Any] = {}
    until = 1.6 if experiment.short else 5.0
    for a in [10] if experiment.short else [1, 10, 20]:
        event = motions.bounce(Bounces(a, until, 1e-10, 5e-3))
        heights = motions.peaks(event.events)
        e = math.sqrt(heights[0])
        depth = motions.deepest(a)
        k, c = motions.like(depth, heights[0])
        tasks = [Steps("rigid", (("restitution", e),), 1e-3, until),
                 Steps("rigid", (("restitution", e),), 1e-3, until,
                       (("impact_time", "bisect"),)),
                 Steps("soft", (("damping", c), ("stiffness", k)), 1e-4 if experiment.short else 2e-5, until)]
        rigid, exact, soft = experiment.map(motions.step_through, tasks)
        result[str(a)] = {"event": event, "rigid": exact, "soft": soft}
        tops = [motions.tops(run) for run in (rigid, exact, soft)]
        assert abs(tops[2][0] / heights[0] - 1.0) < 2e-2, (tops[2][0], heights[0])
        assert abs(-soft.gap.min() / depth - 1.0) < 1e-2, (soft.gap.min(), depth)
        for n in range(3):
            if min(len(heights), *(len(one) for one in tops)) <= n:
                break
            closed = e ** (2 * (n + 1))
            # A step of h moves the impact by up to h, and the height by up to v h.
            assert abs(tops[0][n] - closed) < 5 * (n + 1) * 4.5e-3, (tops[0][n], closed)
            experiment.row(f"α₁ = {a}: top {n + 1}, m", paper="–",
                           ours=f"{heights[n]:.4f}; Stewart–Trinkle, e = {e:.4f}: {tops[0][n]:.4f}, "
                                f"times of impacts found {tops[1][n]:.4f} (closed form {closed:.4f}); "
                                f"Song–Pang–Kumar {tops[2][n]:.4f}")
        experiment.row(f"α₁ = {a}: the first impact", paper="–",
                       ours=f"{1e3 * depth:.2f} mm deep, soft ball {-1e3 * soft.gap.min():.2f} mm with "
                            f"k = {k:.0f} N/m, c = {c:.1f} N s/m")
        if a >= 10 and not experiment.short:
            last = np.abs([event.gap[-1], exact.gap[-1], soft.gap[-1]])
            experiment.row(f"α₁ = {a}: depth at rest, 5 s", paper="h → 0",
                           ours=f"{last[0]:.0e} m; Stewart–Trinkle {last[1]:.0e} m; Song–Pang–Kumar "
                                f"{1e3 * last[2]:.3f} mm, m g/k = {1e3 * motions.G / k:.3f} mm")
            assert abs(last[2] / (motions.G / k) - 1.0) < 1e-3
    experiment.row("α₁ = 0", paper="adds energy",
                   ours="no restitution up to 1 and no spring and damper adds energy: no counterpart")
    return result


def draw(experiment: Experiment, errors: dict[float, list[tuple[float, float]]], grown: Motion,
         cycles: dict[float, np.ndarray], others: dict[str, Any]) -> None:
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7.6), layout="constrained")
    ax = axes[0, 0]
    for a, line in errors.items():
        ax.loglog(*zip(*line), "o-", color=COLOURS[int(a)], ms=4, lw=1, label=f"α₁ = {a:g}")
    ends = [1e-5, 1e-10]
    ax.loglog(ends, ends, "k:", lw=1, label="as asked for")
    ax.set(xlabel="accuracy asked for", ylabel="largest error of an event's time, s",
           title="errors fall with the accuracy")
    ax.legend(fontsize=8)
    ax = axes[0, 1]
    gains = motions.energies(grown.events)
    ax.plot(np.arange(1, len(gains) + 1), 1e3 * gains, "o", color=COLOURS[0], label="found")
    ax.axhline(1e3 * motions.gain(), color="k", ls=":", label="m (g h₁ − ∫p)")
    ax.set(xlabel="impact", ylabel="energy added, mJ", ylim=(0, 160),
           title="α₁ = 0: every impact adds the same")
    ax.legend(fontsize=8, loc="lower right")
    ax = axes[1, 0]
    for a, heights in cycles.items():
        ax.plot(np.arange(1, len(heights) + 1), 1e3 * heights, ".-", lw=0.8, ms=4,
                    label=f"α₁ = {a:g}")
    ax.set(xlabel="bounce", ylabel="height, mm", ylim=(0, None), xlim=(0, 80),
           title="small damping ends in a limit cycle")
    ax.legend(fontsize=8, loc="upper right")
    ax = axes[1, 1]
    runs = others["10"]
    for key, colour, label in [("event", EVENTS, "event-driven, α₁ = 10"),
                               ("rigid", RIGID, "Stewart–Trinkle, restitution"),
                               ("soft", SOFT, "Song–Pang–Kumar, spring and damper")]:
        ax.plot(runs[key].time, runs[key].gap, color=colour, lw=1.2, label=label)
    ax.set(xlabel="time, s", ylabel="height h, m", xlim=(0, min(3.0, runs["event"].time[-1])),
           title="the same first rebound")
    ax.legend(fontsize=8)
    experiment.save(figure)


def main() -> None:
    experiment = Experiment("ball", __doc__)
    study_events(experiment)
    errors = study_accuracy(experiment)
    grown = study_energy(experiment)
    cycles = study_cycles(experiment)
    draw_paper(experiment)
    others = study_others(experiment)
    draw(experiment, errors, grown, cycles, others)
    experiment.finish()


if __name__ == "__main__":
    main()
