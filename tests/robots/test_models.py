# SPDX-License-Identifier: Apache-2.0
"""The shipped models against published numbers, by a reader and dynamics of our own in numpy that
share nothing with the library: forward kinematics, the mass matrix as a sum over links, gravity."""

import json
import math
import pathlib
import xml.etree.ElementTree as ElementTree

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rotation(axis, angle):
    x, y, z = axis
    skew = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return numpy.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew


def numbers(element, name):
    text = element.get(name) if element is not None else None
    return numpy.array([float(word) for word in text.split()]) if text else numpy.zeros(3)


def origin(parent):
    element = parent.find("origin")
    roll, pitch, yaw = numbers(element, "rpy")
    pose = numpy.eye(4)
    pose[:3, :3] = (rotation([0, 0, 1], yaw) @ rotation([0, 1, 0], pitch) @ rotation([1, 0, 0], roll))
    pose[:3, 3] = numbers(element, "xyz")
    return pose


class Robot:
    def __init__(self, file):
        root = ElementTree.parse(ROOT / "robots" / file).getroot()
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = root.findall("joint")
        self.moving = [j.get("name") for j in self.joints if j.get("type") != "fixed"]
        self.transmissions = root.findall("transmission")

    def poses(self, q):
        """Poses of all links, and of every moving joint its axis, a point and the links beyond."""
        children = {j.find("child").get("link") for j in self.joints}
        base = next(name for name in self.links if name not in children)
        poses, axes, above = {base: numpy.eye(4)}, {}, {base: []}
        for joint in self.joints:  # our files name parents first
            parent, child = (joint.find(end).get("link") for end in ("parent", "child"))
            pose = poses[parent] @ origin(joint)
            name = joint.get("name")
            above[child] = above[parent] + ([name] if name in self.moving else [])
            if name in self.moving:
                axis = numbers(joint.find("axis"), "xyz")
                axes[name] = (pose[:3, :3] @ axis, pose[:3, 3], joint.get("type"))
                move = numpy.eye(4)
                if joint.get("type") == "prismatic":
                    move[:3, 3] = axis * q[name]
                else:
                    move[:3, :3] = rotation(axis, q[name])
                pose = pose @ move
            poses[child] = pose
        return poses, axes, above

    def dynamics(self, q, gravity):
        """Mass matrix and the torques that hold the robot, by the Jacobian of every link."""
        poses, axes, above = self.poses(q)
        index = {name: i for i, name in enumerate(self.moving)}
        matrix, torque = numpy.zeros((len(index),) * 2), numpy.zeros(len(index))
        for name, link in self.links.items():
            inertial = link.find("inertial")
            if inertial is None:
                continue
            mass = float(inertial.find("mass").get("value"))
            entry = {k: float(w) for k, w in inertial.find("inertia").attrib.items()}
            local = numpy.array([[entry["ixx"], entry["ixy"], entry["ixz"]],
                                 [entry["ixy"], entry["iyy"], entry["iyz"]],
                                 [entry["ixz"], entry["iyz"], entry["izz"]]])
            frame = poses[name] @ origin(inertial)
            inertia = frame[:3, :3] @ local @ frame[:3, :3].T
            linear, angular = numpy.zeros((3, len(index))), numpy.zeros((3, len(index)))
            for joint in above[name]:
                axis, point, kind = axes[joint]
                if kind == "prismatic":
                    linear[:, index[joint]] = axis
                else:
                    linear[:, index[joint]] = numpy.cross(axis, frame[:3, 3] - point)
                    angular[:, index[joint]] = axis
            matrix += mass * linear.T @ linear + angular.T @ inertia @ angular
            torque -= mass * linear.T @ gravity
        return matrix, torque


def test_the_puma_has_the_poses_mass_matrix_and_weight_of_the_reference():
    case = json.loads((ROOT / "tests/data/reference/case18_trees.json").read_text())
    puma = Robot("puma560/puma560.urdf")
    configurations = case["expected"]["puma"]["configurations"]
    assert len(configurations) == 5
    for expected in configurations.values():
        q = dict(zip(puma.moving, expected["q"]))
        poses, _, _ = puma.poses(q)
        assert numpy.allclose(poses["flange"], expected["pose_link6"], rtol=0, atol=1e-9)
        matrix, torque = puma.dynamics(q, numpy.array([0, 0, -9.81]))
        assert numpy.allclose(matrix, expected["mass_matrix_links"], rtol=0, atol=1e-9)
        assert numpy.allclose(torque, expected["gravity_torque"], rtol=0, atol=1e-9)


def test_the_rotors_of_the_puma_are_those_of_the_reference():
    case = json.loads((ROOT / "tests/data/reference/case18_trees.json").read_text())
    reflected = case["parameters"]["puma"]["reflected_rotor_inertia"]
    puma = Robot("puma560/puma560.urdf")
    for transmission, expected in zip(puma.transmissions, reflected, strict=True):
        gear = float(transmission.find("actuator/mechanicalReduction").text)
        rotor = float(transmission.find("actuator/rotorInertia").text)
        assert rotor * gear ** 2 == pytest.approx(expected, rel=1e-12)


def craig(a, alpha, d, theta):
    """Modified Denavit–Hartenberg: Rx(alpha) Tx(a) Rz(theta) Tz(d)."""
    pose = numpy.eye(4)
    pose[:3, :3] = rotation([1, 0, 0], alpha) @ rotation([0, 0, 1], theta)
    pose[:3, 3] = numpy.array([a, 0, 0]) + rotation([1, 0, 0], alpha) @ [0, 0, d]
    return pose


@pytest.mark.parametrize("spread, inner", [(0.0, 0.0), (0.7, 1.1), (3.0, 2.4)])
def test_the_fingers_of_the_hand_follow_the_manual(spread, inner):
    hand = Robot("hand/hand.urdf")
    q = {name: spread if "spread" in name else inner if "inner" in name else inner / 3
         for name in hand.moving}
    poses, _, _ = hand.poses(q)
    for finger, r, j in ((1, -1, 1), (2, 1, 1), (3, 0, -1)):
        expected = (craig(r * 0.025, 0, 0.084, r * spread - j * math.pi / 2)
                    @ craig(0.05, math.pi / 2, 0, inner + math.radians(2.46))
                    @ craig(0.07, 0, 0, inner / 3 + math.radians(50))
                    @ craig(0.05, -math.pi / 2, 0.0095, 0))
        assert numpy.allclose(poses[f"finger{finger}_tip"], expected, rtol=0, atol=1e-12)


def test_the_seven_joints_follow_the_published_parameters():
    panda = Robot("panda/panda.urdf")
    table = [(0, 0, 0.333), (0, -1, 0), (0, 1, 0.316), (0.0825, 1, 0), (-0.0825, -1, 0.384),
             (0, 1, 0), (0.088, 1, 0)]
    q = [0.3, -0.5, 0.2, -1.9, 0.4, 1.7, -0.8]
    poses, _, _ = panda.poses(dict(zip(panda.moving, q)))
    expected = numpy.eye(4)
    for (a, alpha, d), angle in zip(table, q):
        expected = expected @ craig(a, alpha * math.pi / 2, d, angle)
    expected = expected @ craig(0, 0, 0.107, 0)
    assert numpy.allclose(poses["flange"], expected, rtol=0, atol=1e-12)


def test_the_delta_robot_is_closed_where_the_reference_begins():
    yaml = pytest.importorskip("yaml")
    scene = yaml.safe_load((ROOT / "robots/delta/delta.yaml").read_text())
    case = json.loads((ROOT / "tests/data/reference/case19_delta_robot.json").read_text())
    start = case["expected"]["motion"]

    def place(body, point):
        if body == "world":
            return numpy.array(point, float)
        entry = scene["bodies"][body]
        roll, pitch, yaw = entry.get("rotation", {"rpy": [0, 0, 0]})["rpy"]
        turn = (rotation([0, 0, 1], yaw) @ rotation([0, 1, 0], pitch) @ rotation([1, 0, 0], roll))
        return numpy.array(entry["position"]) + turn @ numpy.array(point, float)

    assert scene["bodies"]["platform"]["position"] == start["platform"][0]
    count = 0
    for name, joint in scene["joints"].items():
        bodies = joint.get("revolute") or joint.get("ball")
        first, second = (place(body, point) for body, point in zip(bodies, joint["at"]))
        assert numpy.allclose(first, second, rtol=0, atol=1e-12), name
        count += 1
    assert count == 15
    for i, angle in enumerate(start["motor_angles"][0]):
        assert scene["joints"][f"motor{i + 1}"]["position"] == pytest.approx(angle, abs=1e-15)
        # The arm lies where its motor says: turned down about the tangent by the angle.
        arm = scene["bodies"][f"arm{i + 1}"]
        tip = place(f"arm{i + 1}", [0.235, 0, 0])
        assert tip[2] == pytest.approx(-0.235 * math.sin(angle), abs=1e-12)
        assert arm["mass"] == 0.9
