# SPDX-License-Identifier: Apache-2.0
"""vinci.plan: the geometric model from Python."""

from pathlib import Path

import numpy as np
import pytest

import vinci
from conftest import ROOT

SLOT = ROOT / "scenes" / "slot.yaml"


def test_a_path_is_an_array_of_poses(tmp_path: Path) -> None:
    passage = vinci.plan(SLOT, "square", {"y": (None, -0.1), "angle": 0.5},
                         start={"angle": 0.0}, record=tmp_path / "path.h5")  # fmt: skip
    assert passage.found and passage.recording == tmp_path / "path.h5"
    assert passage.path.shape[1] == 3
    np.testing.assert_allclose(passage.path[0], [0.1, 0.15, 0.0], atol=1e-15)
    assert passage.path[-1, 1] <= -0.1 and passage.path[-1, 2] == pytest.approx(0.5, abs=1e-12)
    run = vinci.Recording(tmp_path / "path.h5")
    np.testing.assert_allclose(run.body("square").position[-1, :2], passage.path[-1, :2], atol=1e-15)


def test_same_seed_same_path_another_seed_another_one() -> None:
    paths = [vinci.plan(SLOT, "square", {"y": (None, -0.1)}, seed=seed).path for seed in (1, 1, 2)]
    assert np.array_equal(paths[0], paths[1])
    assert not np.array_equal(paths[0], paths[2])


def test_parameters_decide() -> None:
    passage = vinci.plan(SLOT, "square", {"y": (None, -0.1)}, parameters={"slot": 0.05})
    assert passage.status == "impossible" and not passage.found
    assert passage.path.size == 0 and passage.recording is None


@pytest.mark.parametrize("arguments, message", [
    ({"body": "circle", "goal": {"y": 0}}, "body: there is no body 'circle'"),
    ({"body": "wall", "goal": {"y": 0}}, "body: 'wall' is fixed"),
    ({"body": "square", "goal": {}}, "goal: has no condition"),
    ({"body": "square", "goal": {"y": (0, 1, 2)}}, "goal y: is (0, 1, 2); accepted"),
    ({"body": "square", "goal": {"y": 0}, "start": {"z": 1}}, "start: 'z' is not a coordinate"),
    ({"body": "square", "goal": {"y": 0}, "clearance": float("nan")}, "clearance: is nan"),
    ({"body": "square", "goal": {"y": 0}, "effort": 0}, "effort: is 0"),
])  # fmt: skip
def test_mistakes_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(vinci.Error) as caught:
        vinci.plan(SLOT, **arguments)
    assert message in str(caught.value)


ARM = """\
world: planar
gravity: [0, 0]
bodies:
  upper: {shapes: [{capsule: {length: 0.5, radius: 0.03}, position: [0.25, 0], density: 500}]}
  lower: {shapes: [{capsule: {length: 0.4, radius: 0.03}, position: [0.2, 0], density: 500}]}
  disk: {freedom: fixed, shapes: [{circle: 0.1}], position: [0.68, 0]}
joints:
  shoulder: {revolute: [world, upper], limits: [-2.6, 2.6], position: -1, motion-limits: {velocity: 1.5}}
  elbow: {revolute: [upper, lower], at: [[0.5, 0], [0, 0]], limits: [-2.6, 2.6]}
frames: {tip: {body: lower, position: [0.4, 0]}}
run: {step: 1 ms, duration: 1 s}
"""


def arm_gap(shoulder: float, elbow: float) -> float:
    """The gap of the two links and the disk, by hand."""
    knee = 0.5 * np.array([np.cos(shoulder), np.sin(shoulder)])
    tip = knee + 0.4 * np.array([np.cos(shoulder + elbow), np.sin(shoulder + elbow)])
    gaps = []
    for a, b in ((np.zeros(2), knee), (knee, tip)):
        share = np.clip(np.dot([0.68, 0.0] - a, b - a) / np.dot(b - a, b - a), 0.0, 1.0)
        gaps.append(np.linalg.norm([0.68, 0.0] - a - share * (b - a)) - 0.13)
    return min(gaps)


def test_a_controller_follows_the_trajectory_of_a_plan_past_the_disk() -> None:
    scene = vinci.Scene.parse(ARM)
    way = vinci.plan(scene, goal={"shoulder": 1.0, "elbow": 0.0}, joints=["shoulder", "elbow"],
                     clearance=0.02)  # fmt: skip
    assert way.found and way.joints == ("shoulder", "elbow")
    np.testing.assert_array_equal(way.path[-1], [1.0, 0.0])
    np.testing.assert_array_equal(way.positions, way.path)
    assert way.trajectory is not None and way.least_gap >= 0.02
    times = np.linspace(0.0, way.trajectory.duration, 2000)
    points = [way.trajectory.at(t) for t in times]
    assert min(arm_gap(*q) for q, _, _ in points) >= way.least_gap - 1e-12
    assert max(abs(v[0]) for _, v, _ in points) <= 1.5 * (1 + 1e-9)
    model = vinci.Simulation(scene).model
    controller = vinci.kinematics.JointController(
        model, "computed_torque", proportional=400, derivative=40, reference=way.trajectory
    )
    sim = vinci.Simulation(scene, controllers=controller, duration=way.trajectory.duration + 0.2)
    nearest = np.inf
    while not sim.finished:
        sim.step()
        nearest = min(nearest, arm_gap(*sim.state.joint_positions))
    # Held efforts lag by a step of 1 ms: at 1.5 rad/s and 0.9 m that is 1.4 mm.
    assert nearest > way.least_gap - 2e-3
    np.testing.assert_allclose(sim.state.joint_positions, [1.0, 0.0], atol=1e-3)


def test_a_tip_of_a_plan_is_where_it_was_asked_for() -> None:
    scene = vinci.Scene.parse(ARM)
    way = vinci.plan(scene, goal={"x": 0.3, "y": (0.5, 0.6)}, tip="tip")
    assert way.found
    shoulder, elbow = way.path[-1]
    assert 0.5 * np.cos(shoulder) + 0.4 * np.cos(shoulder + elbow) == pytest.approx(0.3, abs=1e-9)


@pytest.mark.parametrize("arguments, message", [
    ({"goal": {"elbow": 0}, "joints": ["knee"]}, "joints: there is no joint 'knee'"),
    ({"goal": {"elbow": 0}, "joints": ["elbow"], "body": "disk"}, "body: a body moves by itself"),
    ({"goal": {"x": 0}, "tip": "hand"}, "tip: there is no body or frame 'hand'"),
    ({"goal": {"x": 0}, "hold": ["elbow"]}, "hold: needs joints that move"),
    ({"joints": ["elbow"]}, "goal: has no condition"),
])  # fmt: skip
def test_mistakes_with_joints_are_named(arguments: dict, message: str) -> None:
    scene = vinci.Scene.parse(ARM)
    with pytest.raises(vinci.Error) as caught:
        vinci.plan(scene, **arguments)
    assert message in str(caught.value)
