# SPDX-License-Identifier: Apache-2.0
"""The grasp of Miller and Christensen 2003: a hand on an arm closes on a handset that lies on a bench.
Statically the fingers touch its bottom side only; with dynamics they pull it up into the hand until
forces hold it in every direction. Over it: what friction, torque limits, step size, stepper and the
coordinates of joints change."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import vinci

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from report import ROOT, Experiment  # noqa: E402  (chooses how matplotlib draws: before pyplot)

from drawing import Picture, turned  # noqa: E402

from matplotlib import pyplot  # noqa: E402

MOMENTS = (1.2, 1.9, 2.2, 2.7)  # s, of the paper's figure 3
FINGERS = ("finger1", "finger2", "finger3")
TOUCH = 1e-6  # m


def scene() -> vinci.Scene:
    return vinci.Scene.load(FOLDER / "pickup.yaml", allow_paths=[ROOT / "robots"])


@dataclass(frozen=True)
class Task:
    parameters: tuple[tuple[str, float], ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    record: str | None = None
    every: float = 0.0  # s between looks at the grasp; 0: at the end alone


@dataclass
class Look:
    """The handset and what holds it, at one time; forces in N, on the handset."""
    time: float
    height: float  # m
    closed: bool
    margin: float
    quality: tuple[float, float]
    loads: dict[str, float]  # normal force per body that touches
    contacts: np.ndarray  # those with load
    touching: int = 0  # contacts with the hand, with load or without


@dataclass
class Outcome:
    task: Task
    looks: list[Look] = field(default_factory=list)
    poses: list[np.ndarray] = field(default_factory=list)
    times: np.ndarray = field(default_factory=lambda: np.zeros(0))
    heights: np.ndarray = field(default_factory=lambda: np.zeros(0))  # m
    efforts: tuple[float, ...] = ()  # N m, of the fingers' motors at the end
    statics: float = math.inf        # N m, most that they differ from what contacts and weights ask
    palm: np.ndarray = field(default_factory=lambda: np.zeros(0))     # m, height of the palm
    steps: int = 0
    uncertified: int = 0
    residual: float = 0.0
    penetration: float = 0.0   # m, the deepest
    excess: float = 0.0        # N, most of |f_t| − μ f_n
    imbalance: float = math.inf  # N, of weight and contact forces at the end
    tilt: float = 0.0          # rad
    speed: float = 0.0         # m/s, of the handset at the end


FORCES = np.dtype([("bodies", "i4", 2), ("point_a", "f8", 3), ("point_b", "f8", 3),
                   ("normal", "f8", 3), ("tangent_1", "f8", 3), ("tangent_2", "f8", 3),
                   ("force", "f8", 3), ("friction", "f8")])


def forces_of(simulation: vinci.Simulation, body: int) -> np.ndarray:
    """The loaded contacts of a body, with forces in place of impulses."""
    rows = simulation.contacts
    mine = rows[(rows["bodies"] == body).any(axis=1) & (rows["impulse"][:, 0] > 0)]
    found = np.zeros(len(mine), FORCES)
    for name in FORCES.names:
        found[name] = mine["impulse"] / simulation.step_size if name == "force" else mine[name]
    return found


def total_force(contacts: np.ndarray, body: int) -> np.ndarray:
    total = np.zeros(3)
    for row in contacts:
        sign = 1.0 if row["bodies"][1] == body else -1.0
        axes = np.stack([row["normal"], row["tangent_1"], row["tangent_2"]])
        total += sign * row["force"] @ axes
    return total


def asked_effort(simulation: vinci.Simulation, names: list[str], finger: str) -> float:
    """What the motor of a finger at rest has to give, from the contact forces and weights of its two
    links alone. The clutch hands λ to the inner joint and takes 3 λ from the outer one: of
    effort − 3 λ + T_outer = 0 and λ + T_inner = 0 is effort = −T_outer − 3 T_inner, with the torques
    T about the joints of all that acts beyond them."""
    poses = np.array(simulation.state.poses)
    model = simulation.model
    torques = []
    for joint, links in (("inner", ("inner", "outer")), ("outer", ("outer",))):
        frame = poses[names.index(f"hand.{finger}_{joint}")]
        axis, at = turned(frame[3:])[:, 2], frame[:3]
        torque = 0.0
        for link in links:
            body = names.index(f"hand.{finger}_{link}")
            part = model.body(f"hand.{finger}_{link}")
            center = poses[body, :3] + turned(poses[body, 3:]) @ np.array(part.center)
            torque += axis @ np.cross(center - at, part.mass * np.array(model.gravity))
            for row in forces_of(simulation, body):
                sign = 1.0 if row["bodies"][1] == body else -1.0
                force = sign * row["force"] @ np.stack([row["normal"], row["tangent_1"],
                                                        row["tangent_2"]])
                torque += axis @ np.cross(row["point_b" if sign > 0 else "point_a"] - at, force)
        torques.append(torque)
    return -torques[1] - 3 * torques[0]


def touching(simulation: vinci.Simulation, names: list[str]) -> list[vinci.grasp.Contact]:
    """The contacts of handset and hand, with load or without: which of those that touch bear load is
    open for rigid bodies at rest, and says nothing of what they can hold. The bench does not count."""
    body, held = names.index("handset"), []
    for row in simulation.contacts:
        if body not in row["bodies"] or (row["gap"] > TOUCH and row["impulse"][0] <= 0):
            continue
        first = row["bodies"][0] == body
        if not names[row["bodies"][1 if first else 0]].startswith("hand."):
            continue
        held.append(vinci.grasp.Contact(
            row["point_a" if first else "point_b"], (-1.0 if first else 1.0) * row["normal"],
            row["friction"], tangent=row["tangent_1"]))
    return held


def look_at(simulation: vinci.Simulation, names: list[str], quality: bool) -> Look:
    body = names.index("handset")
    contacts = forces_of(simulation, body)
    loads: dict[str, float] = {}
    for row in contacts:
        other = names[row["bodies"][0] if row["bodies"][1] == body else row["bodies"][1]]
        loads[other] = loads.get(other, 0.0) + float(row["force"][0])
    held = touching(simulation, names)
    pose = np.array(simulation.state.poses)[body]
    center = pose[:3] + turned(pose[3:]) @ np.array(simulation.model.body("handset").center)
    grasp = vinci.grasp.Grasp(held, center)
    proof = vinci.grasp.closure(grasp) if held else None
    closed = proof is not None and proof.closed
    bounds = (0.0, 0.0)
    if closed and quality:
        found = vinci.grasp.quality(grasp, tolerance=0.02)
        bounds = (found.lower, found.upper)
    return Look(simulation.state.time, simulation.state.position("handset")[2], closed,
                proof.margin if proof is not None and closed else 0.0, bounds, loads, contacts,
                len(held))


def simulate(task: Task) -> Outcome:
    simulation = vinci.Simulation(scene(), parameters=dict(task.parameters), **dict(task.options))
    names = [body.name for body in simulation.model.bodies]
    body = names.index("handset")
    outcome = Outcome(task)
    recorder = vinci.Recorder(task.record, simulation, overwrite=True) if task.record else None
    columns: list[tuple[float, ...]] = []
    next_look = task.every or math.inf
    accept = 1e-10
    while not simulation.finished:
        report = simulation.step()
        if recorder is not None:
            recorder.after_step()
        outcome.steps += 1
        outcome.residual = max(outcome.residual, report.residual)
        outcome.uncertified += not report.residual <= accept
        contacts = forces_of(simulation, body)
        outcome.penetration = max(outcome.penetration, report.penetration)
        if len(contacts):
            outcome.excess = max(outcome.excess, float(np.max(
                np.linalg.norm(contacts["force"][:, 1:], axis=1)
                - contacts["friction"] * contacts["force"][:, 0])))
        columns.append((simulation.state.time, simulation.state.position("handset")[2],
                        simulation.state.position("hand.palm")[2]))
        if simulation.state.time >= next_look - 1e-9:
            next_look += task.every
            outcome.looks.append(look_at(simulation, names, quality=True))
            outcome.poses.append(np.array(simulation.state.poses))
    if recorder is not None:
        recorder.finish()
    outcome.times, outcome.heights, outcome.palm = np.array(columns).T
    outcome.looks.append(look_at(simulation, names, quality=True))
    outcome.poses.append(np.array(simulation.state.poses))
    weight = simulation.model.body("handset").mass * np.array(simulation.model.gravity)
    outcome.imbalance = float(np.linalg.norm(total_force(outcome.looks[-1].contacts, body)
                                             + weight))
    _, x, y, _ = outcome.poses[-1][body, 3:]
    outcome.tilt = 2 * math.asin(min(1.0, math.hypot(x, y)))
    outcome.efforts = tuple(simulation.joints[f"hand.{finger}_outer.motor"] for finger in FINGERS)
    outcome.statics = max(abs(effort - asked_effort(simulation, names, finger))
                          for finger, effort in zip(FINGERS, outcome.efforts))
    outcome.speed = float(np.linalg.norm(simulation.state.velocity("handset")[:3]))
    return outcome


def pairs(**values: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(values.items()))


# ---- the static grasp ----------------------------------------------------------------------------

def study_static(experiment: Experiment) -> tuple[np.ndarray, np.ndarray]:
    """Poses, and contacts as rows to draw."""
    simulation = vinci.Simulation(scene())
    closed = vinci.grasp.close(simulation, "handset", robot="hand")
    proof = vinci.grasp.closure(closed.grasp)
    up = min(float(contact.normal[2]) for contact in closed.grasp.contacts)
    low = max(float(contact.position[2]) for contact in closed.grasp.contacts)
    needed = vinci.grasp.friction_required(closed.grasp)
    assert not proof.closed and proof.proved and up > 0.5 and low < 0.0341
    assert all(joint.stopped_by == "contact" for joint in closed.joints if joint.driven)
    turned = ", ".join(f"{math.degrees(joint.position):.2f}" for joint in closed.joints
                       if not joint.driven)
    experiment.row("static auto-grasp, contacts", paper="only on the bottom surface",
                   ours=f"{len(closed.grasp.contacts)}, on the lower edges of the bar, pushing up "
                        f"(n_z ≥ {up:.2f}); inner joints at {turned}°")
    experiment.row("static auto-grasp", paper="no force closure",
                   ours=f"no, proved; friction of {needed:.2f} would be needed")
    return np.array(closed.state.poses), static_contacts(simulation, closed)


def static_contacts(simulation: vinci.Simulation, closed: vinci.grasp.Closed) -> np.ndarray:
    """The same as rows to draw: unit normal forces of fingers on the handset."""
    names = [body.name for body in simulation.model.bodies]
    rows = np.zeros(len(closed.grasp.contacts), FORCES)
    for row, contact, by in zip(rows, closed.grasp.contacts, closed.grasp.by):
        normal, tangent_1, tangent_2 = contact.axes
        row["bodies"] = names.index(by), names.index("handset")
        row["point_a"] = row["point_b"] = contact.position
        row["normal"], row["tangent_1"], row["tangent_2"] = normal, tangent_1, tangent_2
        row["force"], row["friction"] = (1.0, 0.0, 0.0), contact.friction
    return rows


# ---- the dynamic grasp ---------------------------------------------------------------------------

def closed_since(outcome: Outcome) -> float:
    """The time of the first look from which on all are closed; infinite if the last is not."""
    since = math.inf
    for look in outcome.looks:
        since = (min(since, look.time) if look.closed else math.inf)
    return since


def nearest(outcome: Outcome, time: float) -> int:
    return int(np.argmin([abs(look.time - time) for look in outcome.looks]))


def touched(look: Look) -> str:
    parts = {name.removeprefix("hand.").replace("_", " ") for name in look.loads}
    if any(part.startswith("workbench") for part in parts):
        return "on the bench" if parts == {"workbench"} else "on the bench and fingers"
    kinds = [kind for kind in ("outer", "inner", "base", "palm")
             if any(part.endswith(kind) for part in parts)]
    return f"{look.touching} contacts: {', '.join(kinds)} links"


def study_dynamic(experiment: Experiment, outcome: Outcome) -> None:
    last, since = outcome.looks[-1], closed_since(outcome)
    begun = outcome.times[np.argmax(outcome.heights > 1e-5)]
    assert last.closed and outcome.imbalance < 1e-3 and outcome.excess < 1e-4
    assert outcome.residual < 1e-8, outcome.residual
    experiment.row("with dynamics, the handset", paper="is pulled up into the hand",
                   ours=f"leaves the bench at {begun:.2f} s, rests {1e3 * last.height:.1f} mm "
                        f"higher, held against the base links")
    experiment.row("with dynamics", paper="ends with force closure",
                   ours=f"closed from {since:.2f} s on; at the end margin {last.margin:.3f}, quality "
                        f"{last.quality[0]:.3f} to {last.quality[1]:.3f} N per N")
    if not experiment.short:
        for moment in MOMENTS:
            look = outcome.looks[nearest(outcome, moment)]
            experiment.row(f"at {moment} s", paper="picture",
                           ours=f"{1e3 * look.height:.1f} mm up, {touched(look)}, "
                                f"{'closed' if look.closed else 'not closed'}")
    sag = 1e3 * (outcome.palm[0] - outcome.palm[-1])
    moved = 1e3 * np.ptp(outcome.palm[outcome.times > 0.5])
    experiment.row("PD of the six joints of the arm", paper="keep the wrist stable",
                   ours=f"sags by {sag:.2f} mm under its weight, then stays within "
                        f"{moved:.3f} mm")
    efforts = ", ".join(f"{effort:.3f}" for effort in outcome.efforts)
    assert outcome.statics < 1e-3, outcome.statics
    experiment.row("fingers in the end", paper="can no longer move",
                   ours=f"handset at {outcome.speed:.0e} m/s; motors at {efforts} N m, their limits")
    experiment.row("these torques by statics, from contact forces and weights", paper="–",
                   ours=f"differ by {outcome.statics:.0e} N m")
    experiment.row("at rest, contact forces and weight", paper="–",
                   ours=f"differ by {outcome.imbalance:.0e} N of 1.96 N")
    experiment.row("forces in their cones", paper="shown",
                   ours=f"|f_t| − μ f_n at most {outcome.excess:.0e} N in all steps")
    experiment.row("steps", paper="2.5 ms, Lemke",
                   ours=f"{outcome.steps}, {outcome.uncertified} not certified, worst residual "
                        f"{outcome.residual:.0e}, deepest penetration {outcome.penetration:.0e} m")


# ---- what else would have happened ---------------------------------------------------------------

def variants(short: bool) -> dict[str, Task]:
    tasks = {"equal torques": Task(pairs(thumb=0.5))}
    if short:
        return tasks
    for mu in (0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0):
        tasks[f"μ = {mu:.1f}"] = Task(pairs(mu=mu))
    for step in (0.005, 0.00125, 0.000625):
        tasks[f"h = {1e3 * step:g} ms"] = Task((), pairs(step=step))
    for mu in (0.6, 0.8, 1.0):
        tasks[f"μ = {mu:.1f}, h = 0.625 ms"] = Task(pairs(mu=mu), pairs(step=0.000625))
    tasks["anitescu-potra"] = Task((), pairs(stepper="anitescu-potra"))
    tasks["pyramid of 8"] = Task((), pairs(cone="pyramid", directions=8))
    tasks["maximal"] = Task((), pairs(coordinates="maximal"))
    return tasks


def told(outcome: Outcome) -> str:
    look = outcome.looks[-1]
    how = f"quality {look.quality[0]:.3f}" if look.closed else "not closed"
    trouble = (f"; steps not certified: {outcome.uncertified}, residual {outcome.residual:.0e}"
               if outcome.uncertified else "")
    return (f"{1e3 * look.height:.1f} mm up, tilted {math.degrees(outcome.tilt):.1f}°, {how}, "
            f"{look.touching} contacts{trouble}")


def study_variants(experiment: Experiment, outcome: Outcome, found: dict[str, Outcome]) -> None:
    runs = [found.get("h = 5 ms"), outcome, found.get("h = 1.25 ms"), found.get("h = 0.625 ms")]
    for moment in () if experiment.short else (1.5, 2.2):
        heights = [1e6 * np.interp(moment, run.times, run.heights) for run in runs if run]
        changes = ", ".join(f"{abs(a - b):.0f}" for a, b in zip(heights, heights[1:]))
        experiment.row(f"height at {moment} s, change from step to half the step", paper="–",
                       ours=f"{changes} µm from 5, 2.5, 1.25 ms on")
    for name, outcome in found.items():
        paper = "unstable" if name == "equal torques" else "–"
        experiment.row(name, paper=paper, ours=told(outcome))


# ---- figures -------------------------------------------------------------------------------------

def draw_strip(experiment: Experiment, static: tuple[np.ndarray, np.ndarray], outcome: Outcome,
               model: dict[str, Any]) -> None:
    picture = Picture(model, ["handset", "hand.", "arm.link6"])
    figure = pyplot.figure(figsize=(15, 10.4))
    begin = np.array(vinci.Simulation(scene()).state.poses)
    panels = [("the hand over the handset", begin, np.zeros(0, FORCES)),
              ("static auto-grasp: no force closure", *static)]
    for moment in MOMENTS:
        k = nearest(outcome, moment)
        look = outcome.looks[k]
        state = "force closure" if look.closed else "no force closure"
        panels.append((f"{look.time:.1f} s, {1e3 * look.height:.0f} mm up: {state}",
                       outcome.poses[k], look.contacts))
    for i, (title, placed, contacts) in enumerate(panels):
        axes = figure.add_axes((i % 3 / 3, 0.49 * (1 - i // 3) + 0.01, 1 / 3, 0.47), projection="3d")
        picture.draw(axes, placed, contacts, "handset")
        figure.text((i % 3 + 0.5) / 3, 0.49 * (1 - i // 3) + 0.483, title, ha="center", size=13)
    figure.text(0.01, 0.008, "Arrows: forces on the handset in their friction cones, as long as the "
                "root of their size (1 N: 20 mm; static: unit normals). Green: sticks, red: slides.",
                size=10)
    experiment.save(figure, "strip")
    pyplot.close(figure)


def draw(experiment: Experiment, outcome: Outcome, found: dict[str, Outcome]) -> None:
    figure, ((height, quality), (load, friction)) = pyplot.subplots(2, 2, figsize=(11, 7.4),
                                                                    layout="constrained")
    for name, other in found.items():
        if name.startswith("h =") or name in ("maximal", "anitescu-potra", "equal torques"):
            height.plot(other.times, 1e3 * other.heights, lw=1, label=name)
    height.plot(outcome.times, 1e3 * outcome.heights, "k", lw=1.8, label="as in the scene")
    height.set(xlabel="time [s]", ylabel="height of the handset [mm]", title="pulled up into the hand")
    height.legend(fontsize=8)
    times = [look.time for look in outcome.looks]
    quality.fill_between(times, [look.quality[0] for look in outcome.looks],
                         [look.quality[1] for look in outcome.looks], color="#1b7f4d", alpha=0.5)
    quality.plot(times, [look.quality[0] for look in outcome.looks], ".-", color="#1b7f4d")
    for axes in (height, quality, load):
        for moment in MOMENTS:
            axes.axvline(moment, color="#adb5bd", lw=0.8, zorder=0)
    quality.set(xlabel="time [s]", ylabel="N per N of normal force",
                title="quality (0: no force closure)", xlim=height.get_xlim())
    for part, colour in (("bench", "#6c757d"), ("outer", "#457b9d"), ("inner", "#e09f3e"),
                         ("base", "#9e2a2b")):
        load.plot(times, [sum(value for name, value in look.loads.items() if part in name)
                          for look in outcome.looks], ".-", color=colour, ms=3,
                  label=f"{part} links" if part != "bench" else part)
    load.set(xlabel="time [s]", ylabel="normal forces on the handset [N]", title="who holds it",
             xlim=height.get_xlim())
    load.set_yscale("symlog", linthresh=1)
    load.set_ylim(bottom=0)
    load.legend(fontsize=8)
    sweep = sorted([(0.5, outcome)] + [(dict(other.task.parameters)["mu"], other)
                                       for name, other in found.items()
                                       if name.startswith("μ") and "h" not in name],
                   key=lambda pair: pair[0])
    friction.plot([mu for mu, _ in sweep], [1e3 * run.looks[-1].height for _, run in sweep], "o-",
                  color="k")
    other_axis = friction.twinx()
    other_axis.plot([mu for mu, _ in sweep], [run.looks[-1].quality[0] for _, run in sweep], "s--",
                    color="#1b7f4d")
    other_axis.set_ylabel("quality at the end [N per N]", color="#1b7f4d")
    friction.set(xlabel="friction", ylabel="height at the end [mm]", title="over friction")
    experiment.save(figure)
    pyplot.close(figure)


def main() -> None:
    experiment = Experiment("pickup", __doc__)
    static = study_static(experiment)
    every = 0.5 if experiment.short else 0.1
    record = str(experiment.output / "pickup.h5")
    tasks = {"": Task((), (), record, every),
             **variants(experiment.short)}
    found = dict(zip(tasks, experiment.map(simulate, tasks.values())))
    outcome = found.pop("")
    study_dynamic(experiment, outcome)
    study_variants(experiment, outcome, found)
    if not experiment.short:
        with vinci.Recording(record) as recording:
            draw_strip(experiment, static, outcome, recording.model(0))
    draw(experiment, outcome, found)
    experiment.finish()


if __name__ == "__main__":
    main()
