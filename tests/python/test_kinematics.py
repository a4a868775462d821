# SPDX-License-Identifier: Apache-2.0
"""Robots, trajectories and controllers from Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vinci

LINKS = 2
SCENE: dict[str, Any] = {
    "world": "spatial",
    "bodies": {
        "upper": {"mass": 2, "inertia": [0.05, 0.05, 0.01], "center": [0, 0, -0.25]},
        "lower": {"mass": 1, "inertia": [0.02, 0.02, 0.01], "center": [0, 0, -0.2]},
    },
    "joints": {
        "shoulder": {"revolute": ["world", "upper"], "axis": [0, 1, 0], "limits": [-2, 2]},
        "elbow": {
            "revolute": ["upper", "lower"],
            "at": [[0, 0, -0.5], [0, 0, 0]],
            "axis": [0, 1, 0],
        },
    },
    "run": {"step": 0.001, "duration": 1},
}


def robot() -> vinci.kinematics.Robot:
    return vinci.kinematics.Robot(vinci.Simulation(SCENE).model)


def test_a_point_of_two_links_is_where_the_closed_form_says() -> None:
    q = [0.4, -0.9]
    position, rotation = robot().pose("lower", q, point=[0, 0, -0.4])
    # A turn about y by q carries −z to (−sin q, 0, −cos q).
    expected = [
        -0.5 * np.sin(q[0]) - 0.4 * np.sin(q[0] + q[1]),
        0,
        -0.5 * np.cos(q[0]) - 0.4 * np.cos(q[0] + q[1]),
    ]
    assert position == pytest.approx(expected, abs=1e-15)
    assert rotation == pytest.approx([np.cos(-0.25), 0, np.sin(-0.25), 0], abs=1e-15)
    jacobian = robot().jacobian("lower", q, point=[0, 0, -0.4])
    assert jacobian.shape == (6, LINKS)
    assert jacobian[4] == pytest.approx([1, 1])


def test_dynamics_belong_together_and_gravity_is_the_closed_form() -> None:
    arm = robot()
    q, u, a = [0.4, -0.9], [1.0, -2.0], [3.0, 0.5]
    efforts = arm.inverse_dynamics(q, u, a)
    assert arm.forward_dynamics(q, u, efforts) == pytest.approx(a, abs=1e-12)
    elbow = 9.81 * 0.2 * np.sin(q[0] + q[1])
    shoulder = 9.81 * (2 * 0.25 + 0.5) * np.sin(q[0]) + elbow
    assert arm.gravity(q) == pytest.approx([shoulder, elbow], abs=1e-13)
    mass = arm.mass_matrix(q)
    assert mass[1, 1] == pytest.approx(0.02 + 0.2**2)
    assert mass == pytest.approx(mass.T)


def test_inverse_kinematics_reaches_and_tells_what_it_cannot() -> None:
    arm = robot()
    target, _ = arm.pose("lower", [0.4, -0.9], point=[0, 0, -0.4])
    answer = arm.inverse_kinematics("lower", target, point=[0, 0, -0.4], start=[0.1, -0.2])
    assert answer["reached"]
    found, _ = arm.pose("lower", answer["positions"], point=[0, 0, -0.4])
    assert found == pytest.approx(target, abs=1e-9)
    far = arm.inverse_kinematics("lower", [-2, 0, 0], point=[0, 0, -0.4], starts=5)
    assert not far["reached"] and far["position_error"] == pytest.approx(1.1, abs=1e-6)


def test_a_controller_follows_a_trajectory_in_a_run() -> None:
    move = vinci.kinematics.joint_move([0, 0], [0.8, -0.5], limits=[(3, 8, 60)])
    assert move.duration < 0.9
    model = vinci.Simulation(SCENE).model
    controller = vinci.kinematics.JointController(
        model, "computed_torque", proportional=400, derivative=40, reference=move
    )
    sim = vinci.Simulation(SCENE, controllers=controller)
    sim.run()
    position, _ = robot().pose("lower", [0.8, -0.5], point=[0, 0, 0])
    assert sim.state.poses[1][:3] == pytest.approx(position, abs=2e-3)
    assert controller.efforts == pytest.approx(robot().gravity([0.8, -0.5]), abs=0.1)


# Three joints about one axis move a body in a plane as they like.
PLANE: dict[str, Any] = {
    "world": "spatial",
    "bodies": {
        name: {"mass": 1, "inertia": [0.02, 0.02, 0.01], "center": [0, 0, -0.2]}
        for name in ("upper", "lower", "hand")
    },
    "joints": {
        "shoulder": {"revolute": ["world", "upper"], "axis": [0, 1, 0]},
        "elbow": {
            "revolute": ["upper", "lower"],
            "at": [[0, 0, -0.5], [0, 0, 0]],
            "axis": [0, 1, 0],
        },
        "wrist": {
            "revolute": ["lower", "hand"],
            "at": [[0, 0, -0.4], [0, 0, 0]],
            "axis": [0, 1, 0],
        },
    },
    "run": {"step": 0.001, "duration": 1},
}


def test_a_hand_follows_a_line_and_a_circle() -> None:
    arm = vinci.kinematics.Robot(vinci.Simulation(PLANE).model)
    q = [0.4, -1.2, 0.3]
    begin, rotation = arm.pose("hand", q)
    end = begin + [0.1, 0, 0.15]
    line = arm.line("hand", q, end)
    found, turned = arm.pose("hand", line.at(line.duration / 2)[0])
    assert found == pytest.approx((begin + end) / 2, abs=1e-6)
    assert turned == pytest.approx(rotation, abs=1e-6)
    center = begin + [0.05, 0, 0]
    circle = arm.circle("hand", q, center, axis=[0, 1, 0], angle=2 * np.pi, turns=False)
    for t in np.linspace(0, circle.duration, 50):
        found, _ = arm.pose("hand", circle.at(t)[0])
        assert np.linalg.norm(found - center) == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(vinci.Error, match="cannot follow"):
        arm.line("hand", q, [3, 0, 0])


def test_splines_pass_through_their_points_within_limits() -> None:
    way = vinci.kinematics.spline([0, 1, 2], [[0], [1], [0]], kind="cubic", limits=[(0.5, 5, 50)])
    times = np.linspace(0, way.duration, 501)
    speeds = [abs(way.at(t)[1][0]) for t in times]
    assert max(speeds) <= 0.5 * (1 + 1e-12) and max(speeds) == pytest.approx(0.5, rel=1e-3)
    assert way.at(way.duration / 2)[0] == pytest.approx([1])


def test_bad_input_is_told() -> None:
    arm = robot()
    with pytest.raises(vinci.Error, match="accepted: 2"):
        arm.gravity([0])
    with pytest.raises(vinci.Error):
        arm.pose("hand", [0, 0])
    with pytest.raises(vinci.Error, match="limit of jerk"):
        vinci.kinematics.joint_move([0], [1], limits=[(1, 1, 0)])
    with pytest.raises(vinci.Error, match="accepted: pd"):
        vinci.kinematics.JointController(vinci.Simulation(SCENE).model, "lqr")
    with pytest.raises(vinci.Error, match="quintic"):
        vinci.kinematics.spline([0, 1], [[0], [1]], kind="linear")
