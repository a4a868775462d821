# SPDX-License-Identifier: Apache-2.0
"""Friction laws from Python: contacts with the coefficients in force, recordings, continued runs."""
import copy

import numpy as np
import pytest
import vinci

SLED = {
    "world": "spatial",
    "materials": {"ice": {}, "runner": {}},
    "surfaces": [{"between": ["ice", "runner"], "of": "ice",
                  "friction": {"along": 0.05, "across": 0.4, "axis": [1, 0, 0]}}],
    "bodies": {
        "rink": {"freedom": "fixed", "shapes": [{"half-space": {}, "material": "ice"}]},
        "sled": {"shapes": [{"box": [0.2, 0.1, 0.02], "material": "runner"}],
                 "position": [0, 0, 0.01], "velocity": [1, 1, 0]},
    },
    "run": {"step": 1e-3, "duration": 0.1},
}

BELT = {
    "world": "planar",
    "materials": {"belt": {}, "block": {}},
    "surfaces": [{"between": ["belt", "block"], "friction": 0.4, "kinetic-friction": 0.25,
                  "threshold-speed": 0.01}],
    "bodies": {
        "belt": {"freedom": "fixed", "shapes": [{"half-plane": {}, "material": "belt",
                                                 "surface-velocity": [0.1, 0]}]},
        "block": {"mass": 1, "shapes": [{"box": [0.2, 0.02], "material": "block"}],
                  "position": [0, 0.01], "velocity": [0.1, 0], "force": {"x": "-100*q"}},
    },
    "run": {"step": 1e-3, "duration": 0.9},
}


def test_contacts_have_both_coefficients_and_the_axis(tmp_path):
    path = tmp_path / "sled.h5"
    simulation = vinci.Simulation(SLED)
    simulation.run(record=path)
    rows = simulation.contacts
    assert np.allclose(rows["friction"], 0.05) and np.allclose(rows["friction_2"], 0.4)
    assert np.allclose(np.abs(rows["tangent_1"][:, 0]), 1.0)
    recorded = vinci.Recording(path).contacts(-1)
    assert np.array_equal(recorded["friction_2"], rows["friction_2"])
    usage = np.hypot(rows["impulse"][:, 1] / rows["friction"],
                     rows["impulse"][:, 2] / rows["friction_2"]) / rows["impulse"][:, 0]
    assert np.allclose(usage, 1.0, atol=1e-8)


def test_the_model_tells_coefficients_at_a_speed():
    model = vinci.Scene.from_dict(SLED).compile()
    assert model.surface("ice", "runner") == {
        "friction": 0.05, "restitution": 0.0, "friction_across": 0.4}
    model = vinci.Scene.from_dict(BELT).compile()
    assert model.surface("belt", "block")["friction"] == 0.4
    assert model.surface("belt", "block", speed=0.02)["friction"] == 0.25


def test_a_recorded_run_continues_from_every_frame(tmp_path):
    path = tmp_path / "belt.h5"
    simulation = vinci.Simulation(BELT)
    simulation.run(record=path)
    end = simulation.state.copy()
    recording = vinci.Recording(path)
    assert recording.summary.friction_rounds > 0
    assert recording.summary.unsettled_friction == 0
    for frame in (200, 400, 600, 800):
        again = vinci.Simulation(BELT)
        again.set_state(recording.state(frame))
        again.run()
        assert again.state == end, frame


def test_states_keep_whether_a_contact_stuck():
    simulation = vinci.Simulation(BELT)
    for _ in range(100):
        simulation.step()
    state = simulation.state.copy()
    assert (state.impulses["sliding"] > 0.0).all()
    assert (state.impulses["sliding"] < 1e-300).all()
    assert copy.deepcopy(state) == state


@pytest.mark.parametrize("friction", ["0.2 + speeed", {"along": 0.1}])
def test_mistakes_name_the_place(friction):
    scene = copy.deepcopy(SLED)
    scene["surfaces"][0]["friction"] = friction
    with pytest.raises(vinci.SceneError, match="surfaces"):
        vinci.Scene.from_dict(scene)
