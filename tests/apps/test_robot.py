# SPDX-License-Identifier: Apache-2.0
"""`vinci robot`: what a model holds, the scene it makes, and mistakes."""
import json
import os
import pathlib
import subprocess

import pytest

PROGRAM = os.environ["VINCI_PROGRAM"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=600)


def test_the_puma_is_told_with_its_masses_limits_and_odd_inertia():
    done = run("robot", SOURCE / "robots/puma560/puma560.urdf", "--json")
    assert done.returncode == 0
    robot = json.loads(done.stdout)
    assert robot["name"] == "puma560" and robot["format"] == "urdf" and robot["freedoms"] == 6
    assert robot["mass"] == pytest.approx(10 + 17.4 + 4.8 + 0.82 + 0.34 + 0.09, abs=1e-12)
    assert robot["joints"][1]["freedoms"][0]["effort"] == 186.4
    assert robot["joints"][0]["freedoms"][0]["armature"] == pytest.approx(0.784029968642, rel=1e-12)
    assert len(robot["warnings"]) == 1 and "0.0125, 0.066 and 0.086" in robot["warnings"][0]["text"]
    words = run("robot", SOURCE / "robots/puma560/puma560.urdf")
    assert "6 freedoms" in words.stdout and "shoulder" in words.stdout


def test_warnings_are_mistakes_when_asked():
    done = run("robot", SOURCE / "robots/puma560/puma560.urdf", "--strict")
    assert done.returncode == 2 and done.stdout == ""
    assert "puma560.urdf:30: no body has the principal moments" in done.stderr


@pytest.mark.parametrize("name", ["puma560", "panda", "hand", "gripper"])
def test_the_scene_of_a_model_is_good(name, tmp_path):
    done = run("robot", SOURCE / f"robots/{name}/{name}.urdf", "--scene")
    assert done.returncode == 0
    scene = tmp_path / "scene.yaml"
    scene.write_text(done.stdout + "run: {step: 1 ms, duration: 10 ms}\n")
    assert run("check", scene).returncode == 0


def test_mistakes_are_told_with_file_and_line():
    done = run("robot", SOURCE / "tests/bad_robots/several_mistakes.urdf", "--json")
    assert done.returncode == 2
    errors = json.loads(done.stdout)["errors"]
    assert [error["line"] for error in errors] == [2, 3, 4, 4]
    assert run("robot", "nothing.urdf").returncode == 2
