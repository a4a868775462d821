# SPDX-License-Identifier: Apache-2.0
"""Controllers and trajectories that a scene names, from Python."""
import csv
import pathlib
import subprocess

import numpy as np
import pytest
import vinci

ROOT = pathlib.Path(__file__).resolve().parents[2]

ARM = {
    "world": "planar",
    "parameters": {"stiffness": 400},
    "bodies": {"upper": {"mass": 2, "inertia": 0.03, "center": [0.2, 0]},
               "lower": {"mass": 1, "inertia": 0.01, "center": [0.15, 0]}},
    "joints": {"arm.shoulder": {"revolute": ["world", "upper"], "position": 1.0, "motion-limits": {"velocity": 3},
                                "largest-effort": 60},
               "arm.elbow": {"revolute": ["upper", "lower"], "at": [[0.4, 0], [0, 0]],
                             "position": -1.4, "motion-limits": {"velocity": 3}, "largest-effort": 30}},
    "trajectories": {"go": {"robot": "arm", "limits": {"acceleration": 10, "jerk": 100},
                            "path": [{"move": {"elbow": -0.4}}, {"wait": 0.1}]}},
    "controllers": {"track": {"kind": "computed-torque", "robot": "arm",
                              "proportional": "stiffness", "derivative": 40, "sample": 2e-3,
                              "reference": "go"}},
    "run": {"step": 1e-3, "duration": 0.8},
}


def test_a_scene_with_controllers_runs_and_its_signals_can_be_read():
    simulation = vinci.Simulation(ARM)
    begun = simulation.controls
    assert begun["track.reference_arm.elbow"] == -1.4
    assert begun["track.effort_arm.elbow"] == 0.0
    while not simulation.finished:
        q = simulation.state.copy()
        simulation.step()
    signals = simulation.controls
    assert set(signals) == {"track.next_sample"} | {
        f"track.{what}_arm.{joint}" for what in ("effort", "reference", "error")
        for joint in ("shoulder", "elbow")}
    assert signals["track.reference_arm.elbow"] == -0.4
    assert abs(signals["track.error_arm.elbow"]) < 1e-3
    # At rest the effort is the weight's, by another route: Robot of the model.
    robot = vinci.kinematics.Robot(simulation.model)
    joints = simulation.joints
    held = robot.gravity([joints["arm.shoulder.position"], joints["arm.elbow.position"]])
    assert signals["track.effort_arm.shoulder"] == pytest.approx(held[0], rel=1e-2)
    assert q.time < simulation.state.time


def test_recordings_keep_the_signals_and_continue_bit_for_bit(tmp_path):
    whole = vinci.Simulation(ARM)
    whole.run(record=tmp_path / "whole.h5")
    recording = vinci.Recording(tmp_path / "whole.h5")
    signals = recording.controls()
    error = signals["track.error_arm.elbow"]
    assert len(error) == 801 and np.abs(error).max() < 5e-3
    effort = signals["track.effort_arm.shoulder"][1:]
    assert (effort[::2] == effort[1::2]).all() and len(np.unique(effort)) > 200
    second = vinci.Simulation(ARM)
    second.set_state(recording.state(333))
    second.run()
    assert second.state.hash == whole.state.hash


def test_signals_are_exported(tmp_path):
    vinci.Simulation(ARM, duration=0.01).run(record=tmp_path / "run.h5")
    program = ROOT / "build" / "vinci"
    if not program.exists():
        pytest.skip("the program is not built")
    subprocess.run([program, "export", tmp_path / "run.h5", "--csv", tmp_path / "csv"], check=True,
                   capture_output=True)
    rows = list(csv.reader((tmp_path / "csv" / "controls.csv").open()))
    assert rows[0][:3] == ["step", "time [s]", "track.next_sample [s]"]
    assert "track.effort_arm.elbow [N m]" in rows[0] and len(rows) == 12


def test_gains_change_on_the_fly():
    simulation = vinci.Simulation(ARM)
    for _ in range(100):
        simulation.step()
    simulation.parameters["stiffness"] = 100
    for _ in range(100):
        simulation.step()
    assert abs(simulation.controls["track.error_arm.elbow"]) < 2e-2


def test_a_delta_robot_is_closed_and_held_by_its_motors():
    model = vinci.Simulation(ROOT / "robots" / "delta" / "delta.yaml").model
    motors = ["motor1", "motor2", "motor3"]
    robot = vinci.kinematics.Robot(model, driven=motors)
    positions, opening = robot.close(robot.start, held=motors)
    assert opening < 1e-10
    found = robot.inverse_kinematics("platform", [0.0, 0.0, -0.75], start=positions, starts=1)
    assert found["reached"]
    # By symmetry the three are alike, and by virtual work their sum lifts the platform.
    efforts = robot.gravity(found["positions"])
    assert np.count_nonzero(np.abs(efforts) > 1e-9) == 3
    assert sorted(efforts)[:3] == pytest.approx([-2.40213982936924] * 3, abs=1e-7)
    with pytest.raises(vinci.Error, match="no joint motor9"):
        vinci.kinematics.Robot(model, driven=["motor9"])


def test_bad_scenes_name_the_place():
    scene = {**ARM, "controllers": {"track": {"kind": "pd", "robot": "leg", "proportional": 1}}}
    with pytest.raises(vinci.SceneError, match="there is no robot 'leg'; accepted: arm"):
        vinci.Simulation(scene)


def test_signals_of_a_scene_are_among_the_controls(tmp_path):
    scene = {
        "world": "planar", "gravity": [0, 0], "bodies": {"puck": {"mass": 2, "inertia": 1}},
        "signals": {"r": {"reference": {"path": [{"move": 0.2}], "limits": {"velocity": 0.5}}},
                    "e": "r - puck.x",
                    "u": {"lead": {"gain": 100, "zero": -2, "pole": -20}, "in": "e",
                          "drives": "puck.force_x"}},
        "run": {"step": 1e-3, "duration": 0.5}}
    simulation = vinci.Simulation(scene)
    assert set(simulation.controls) == {f"signals.{name}" for name in (
        "r", "r.rate", "r.acceleration", "e", "u", "u.state_0")}
    simulation.run(record=tmp_path / "run.h5")
    signals = vinci.Recording(tmp_path / "run.h5").controls()
    puck = signals["signals.r"] - signals["signals.e"]
    # u = 100 (e - 18 x) with x' = -20 x + e.
    assert signals["signals.u"][-1] == pytest.approx(
        100 * (signals["signals.e"][-1] - 18 * signals["signals.u.state_0"][-2]), rel=1e-9)
    assert 0 < puck[-1] < 0.2
