# SPDX-License-Identifier: Apache-2.0
"""Scenes and models from Python."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import vinci

FLOOR = {"freedom": "fixed", "shapes": [{"half-plane": {}}]}


def ball(**more: object) -> dict:
    return {"world": "planar", "parameters": {"r": 0.1},
            "bodies": {"floor": FLOOR, "ball": {"shapes": [{"circle": "r"}], **more}}}  # fmt: skip


def mistakes(scene: object) -> list[str]:
    with pytest.raises(vinci.SceneError) as caught:
        vinci.Scene.from_dict(scene)
    return [str(mistake) for mistake in caught.value.diagnostics]


def test_a_dict_and_a_file_of_the_same_scene_give_the_same_run(scenes: Path) -> None:
    scene = vinci.Scene.load(scenes / "wall_push.yaml")
    data = {
        "title": "block pushed by an oscillating wall",
        "world": "planar",
        "parameters": {"mu": 0.3},
        "materials": {"floor": {"friction": "mu"}, "smooth": {"friction": 0}},
        "surfaces": [
            {"between": ("floor", "smooth"), "friction": "mu"},
            {"between": ("smooth", "smooth"), "friction": 0},
        ],
        "bodies": {
            "floor": {"freedom": "fixed", "shapes": [{"half-plane": {}, "material": "floor"}]},
            "wall": {
                "shapes": [{"box": np.array([0.1, 0.4]), "material": "smooth",
                            "position": np.float64([-0.05, 0.25])}],
                "motion": {"x": "0.2*sin(5*t)", "y": 0, "angle": 0},
            },
            "block": {
                "shapes": [{"box": [np.float64(0.2), 0.1], "material": "smooth"}],
                "mass": np.int64(2),
                "position": [0.13, 0.05],
            },
        },
        "exclude": [["wall", "floor"]],
        "run": {"step": 0.001, "duration": 1},
    }  # fmt: skip
    runs = [vinci.Simulation(source, duration=0.3) for source in (scene, data)]
    assert runs[0].run().state_hash == runs[1].run().state_hash


def test_mistakes_in_a_dict_name_the_path_of_their_key() -> None:
    assert mistakes(ball(mass=-1)) == [
        "scene: bodies.ball.mass: '-1' is not positive; accepted: a positive number in kg"
    ]
    assert mistakes(ball(mass=float("nan"))) == [
        "scene: bodies.ball.mass: nan is not a finite number"
    ]
    assert mistakes(ball(position=[0, {1, 2}])) == [
        "scene: bodies.ball.position[1]: a set cannot stand in a scene; accepted: dicts, lists,"
        " numbers, texts"
    ]
    assert mistakes({1: 2}) == ["scene: the key 1 is not a text"]
    assert mistakes([1]) == ["scene: a scene is a dict"]
    assert "did you mean 'bodies'?" in mistakes({**ball(), "bodis": {}})[0]
    itself: dict = {"world": "planar"}
    itself["bodies"] = itself
    assert "nested too deeply" in mistakes(itself)[0]


def test_an_error_in_a_file_says_file_line_and_key(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("world: planar\nbodies:\n  ball: {shapes: [{circle: -1}]}\n")
    with pytest.raises(vinci.SceneError) as caught:
        vinci.Scene.load(file)
    (mistake,) = caught.value.diagnostics
    assert (mistake.file, mistake.line, mistake.key) == (str(file), 3, "bodies.ball.shapes[0].circle")
    assert str(caught.value) == str(mistake)
    assert isinstance(caught.value, ValueError)
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(vinci.Error, match="nothing.yaml"):
        vinci.Scene.load("nothing.yaml")


def test_a_scene_saves_pickles_and_reads_back_the_same(tmp_path: Path, scenes: Path) -> None:
    for file in scenes.glob("*.yaml"):
        scene = vinci.Scene.load(file)
        scene.save(tmp_path / "copy.yaml")
        copies = [vinci.Scene.load(tmp_path / "copy.yaml"), pickle.loads(pickle.dumps(scene))]
        for copy in copies:
            assert copy.to_yaml() == scene.to_yaml()
            assert copy.parameters == scene.parameters
    with pytest.raises(vinci.Error, match="cannot be written"):
        scene.save(tmp_path / "no" / "folder.yaml")


def test_changes_and_run_are_shown(scenes: Path) -> None:
    scene = vinci.Scene.load(scenes / "changing_friction.yaml")
    assert all(set(change) == {"at", "set"} for change in scene.changes) and scene.changes
    assert "step" in scene.run


def test_parameters_are_checked() -> None:
    scene = vinci.Scene.from_dict(ball())
    assert scene.compile(r=0.3).body("ball").shapes[0]["radius"] == 0.3
    with pytest.raises(vinci.SceneError, match="parameters.q: there is no such parameter"):
        scene.compile(q=1)
    with pytest.raises(vinci.Error, match="parameters.r: is not a number"):
        scene.compile(r="wide")
    with pytest.raises(vinci.SceneError, match="shapes"):
        scene.compile(r=-1)


def test_a_model_outlives_its_scene_and_its_bodies_outlive_it() -> None:
    body = vinci.Scene.from_dict(ball(mass=3, position=[1, 2])).compile().body("ball")
    assert (body.name, body.mass, body.index, body.freedom) == ("ball", 3.0, 1, "planar")
    assert body.velocity == slice(0, 3) and body.center.tolist() == [0, 0, 0]
    assert body.inertia.shape == (3, 3) and body.inertia[2, 2] == pytest.approx(0.5 * 3 * 0.01)
    assert body.prescribed == ()


def test_unknown_bodies_and_materials_are_named() -> None:
    model = vinci.Scene.from_dict(ball()).compile()
    with pytest.raises(vinci.Error, match="bal: there is no such body .did you mean 'ball'"):
        model.body("bal")
    with pytest.raises(vinci.Error, match="there is no body 7; accepted: 0 to 1"):
        model.body(7)
    with pytest.raises(vinci.Error, match="accepted: the name of a body or its number"):
        model.body(1.5)
    with pytest.raises(vinci.Error, match="there is no such material"):
        model.surface("wood", "wood")


def test_free_entries_are_those_without_a_motion(scenes: Path) -> None:
    model = vinci.Scene.load(scenes / "wall_push.yaml").compile()
    wall, block = model.body("wall"), model.body("block")
    assert wall.prescribed == ("x", "y", "angle")
    assert not model.free[wall.velocity].any() and model.free[block.velocity].all()


def test_the_schema_is_that_of_the_repository(scenes: Path) -> None:
    assert json.loads(vinci.scene_schema()) == json.loads((scenes / "vinci.schema.json").read_text())


def test_superquadrics_are_recorded_and_read_back(tmp_path: Path, scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "rolling_superellipsoids.yaml", duration=0.02)
    drum = next(body for body in sim.model.bodies if body.name == "drum").shapes[0]
    assert (drum["kind"], drum["e1"], drum["e2"]) == ("superquadric", 0.1, 1.0)
    assert list(drum["axes"]) == [0.1, 0.1, 0.15]
    sim.run(record=tmp_path / "run.h5")
    recording = vinci.Recording(tmp_path / "run.h5")
    kinds = [shape["kind"] for shape in recording.model(0)["shapes"]]
    assert kinds.count("superquadric") == 4
    shape = recording.model(0)["shapes"][-1]
    assert (shape["axes"], shape["e1"], shape["e2"]) == ([0.15, 0.12, 0.08], 0.1, 0.1)
    # Continued from its last state it is where it was.
    assert (recording.state(len(recording) - 1).poses == sim.state.poses).all()
