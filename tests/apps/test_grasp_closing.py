# SPDX-License-Identifier: Apache-2.0
"""`vinci grasp SCENE --close`: fingers that close, statically and with dynamics."""

import math

import pytest

from conftest import SOURCE

# Three fingers at 120° that turn down onto a ball: a hand as scenes have it.
HAND = """\
world: spatial
parameters: {mu: 0.6}
materials: {skin: {friction: mu}, table: {friction: 0.5}}
bodies:
  table: {freedom: fixed, shapes: [{half-space: {}, material: table}]}
  palm: {freedom: fixed, shapes: [{cylinder: {radius: 0.03, height: 0.02}, material: skin}], position: [0, 0, 0.13]}
  ball: {shapes: [{sphere: 0.03, material: skin}], mass: 0.1, position: [0, 0, 0.03]}
""" + "".join(f"""\
  hand.f{k}: {{shapes: [{{capsule: {{length: 0.11, radius: 0.006}}, position: [0, 0, -0.055], material: skin}}], mass: 0.05}}
""" for k in range(3)) + "joints:\n" + "".join(f"""\
  hand.f{k}:
    revolute: [palm, hand.f{k}]
    at: [[{0.05 * math.cos(a)}, {0.05 * math.sin(a)}, -0.01], [0, 0, 0]]
    axis: [{-math.sin(a)}, {math.cos(a)}, 0]
    position: -0.3
    limits: [-1, 1]
    motor: {{velocity: 1, damping: 1, limit: 0.2}}
""" for k, a in ((k, 2 * math.pi * k / 3) for k in range(3))) + "run: {step: 1 ms, duration: 2 s}\n"


def contact_angle():
    """Of a finger whose axis is 36 mm from the centre of the ball, and whose side touches it.

    In the plane of a finger the knuckle is at (50, 120), the ball at (0, 30): the finger hangs down
    and turns inwards by θ; the direction to the ball is atan(50/90) inwards.
    """
    return math.atan2(0.05, 0.09) - math.asin(0.036 / math.hypot(0.05, 0.09))


@pytest.fixture
def hand(tmp_path):
    file = tmp_path / "hand.yaml"
    file.write_text(HAND)
    return file


def test_fingers_stop_where_a_closed_form_says(vinci, hand):
    answer = vinci.json("grasp", hand, "--close", "hand", "--object", "ball")
    closing = answer["closing"]
    assert not closing["dynamic"] and closing["at_rest"] and len(closing["joints"]) == 3
    for joint in closing["joints"]:
        assert joint["stopped_by"] == "contact" and joint["other"] == "ball" and joint["driven"]
        assert joint["position"] == pytest.approx(contact_angle(), abs=1e-7)
        assert joint["time"] == pytest.approx(contact_angle() + 0.3, abs=1e-7)
    assert [contact["by"] for contact in answer["contacts"]] == ["hand.f0", "hand.f1", "hand.f2"]
    assert answer["frame"] is None and answer["time"] == closing["time"]
    # Normals point up by the angle of the fingers: friction has to bear that.
    assert answer["closed"] and answer["proved"]
    assert answer["friction_required"] == pytest.approx(math.tan(contact_angle()), abs=1e-6)
    slippery = ["--set", "mu=0.1"]
    assert not vinci.json("grasp", hand, "--close", "hand", "--object", "ball", *slippery,
                          code=1)["closed"]
    half = vinci.json("grasp", hand, "--close", "hand", "--object", "ball", "--speed", "2")
    assert half["closing"]["time"] == pytest.approx(0.5 * closing["time"], abs=1e-9)


def test_with_dynamics_the_motors_end_at_their_limits(vinci, hand, tmp_path):
    answer = vinci.json("grasp", hand, "--close", "hand", "--object", "ball", "--dynamic", "--by",
                        "table", "--by", "hand.f0", "--by", "hand.f1", "--by", "hand.f2", "-o",
                        tmp_path / "run.h5")
    closing = answer["closing"]
    assert closing["dynamic"] and closing["at_rest"] and closing["uncertified"] == 0
    assert closing["worst_residual"] < 1e-10 and closing["steps"] * 1e-3 < 1.0
    assert {joint["stopped_by"] for joint in closing["joints"]} == {"effort"}
    for joint in closing["joints"]:
        assert joint["position"] == pytest.approx(contact_angle(), abs=1e-5)
    # The recording tells the same grasp.
    again = vinci.json("grasp", tmp_path / "run.h5", "--object", "ball")
    assert again["closed"] and again["contacts"] == answer["contacts"]
    text = vinci("grasp", hand, "--close", "hand", "--object", "ball", "--dynamic", "--quiet")
    assert "closed with dynamics, at rest after" in text.stdout and "effort" in text.stdout


def test_a_static_closing_is_recorded_for_the_viewer(vinci, hand, tmp_path):
    run = tmp_path / "closing.h5"
    vinci("grasp", hand, "--close", "hand", "--object", "ball", "-o", run)
    info = vinci.json("info", run)
    assert "auto-grasp" in str(info)
    assert "exists already" in vinci("grasp", hand, "--close", "hand", "--object", "ball", "-o", run,
                                     code=2).stderr
    vinci("grasp", hand, "--close", "hand", "--object", "ball", "-o", run, "--overwrite")


def test_joints_by_name_close_either_way(vinci, hand):
    answer = vinci.json("grasp", hand, "--joints", "hand.f0,-hand.f1", "--object", "ball", code=1)
    first, second = answer["closing"]["joints"]
    assert first["stopped_by"] == "contact" and second["stopped_by"] == "limit"
    assert second["position"] == -1.0


def test_the_static_grasp_of_the_handset_is_open(vinci):
    answer = vinci.json("grasp", SOURCE / "experiments/pickup/pickup.yaml", "--allow-path",
                        SOURCE / "robots", "--close", "hand", "--object", "handset", code=1)
    assert not answer["closed"] and answer["proved"] and len(answer["contacts"]) == 3
    assert all(contact["normal"][2] > 0.5 for contact in answer["contacts"])


@pytest.mark.parametrize("flags, message", [
    (["--close", "hand"], "--object: is missing; accepted: the body that is held, of table, palm"),
    (["--close", "foot", "--object", "ball"], "--close: there is no robot 'foot' with joints; accepted: hand"),
    (["--close", "hand", "--object", "bal"], "--object: there is no body 'bal'"),
    (["--close", "hand", "--object", "hand.f0"], "--object: 'hand.f0' is a part of the robot"),
    (["--close", "hand", "--object", "ball", "--by", "ball"], "--by: is the object itself"),
    (["--joints", "f0", "--object", "ball"], "--joints: there is no joint 'f0' of one freedom"),
    (["--joints", "hand.f0,hand.f0", "--object", "ball"], "--joints: 'hand.f0' is named twice"),
    (["--close", "hand", "--object", "ball", "--static", "--dynamic"], "--static: excludes --dynamic"),
    (["--close", "hand", "--object", "ball", "--speed", "0"], "--speed: accepted: more than 0"),
    (["--close", "hand", "--object", "ball", "--effort", "-1"], "--effort: accepted: more than 0"),
    (["--close", "hand", "--object", "ball", "--at", "1"], "--at: is for recordings"),
    (["--object", "ball", "--speed", "1"], "accepted: with --close or --joints"),
])
def test_bad_input(vinci, hand, flags, message):
    result = vinci("grasp", hand, *flags, code=2)
    assert message in result.stderr, result.stderr


def test_fingers_without_a_limit_and_fingers_in_the_object_are_told(vinci, tmp_path):
    file = tmp_path / "hand.yaml"
    file.write_text(HAND.replace(", limit: 0.2", ""))
    result = vinci("grasp", file, "--close", "hand", "--object", "ball", "--dynamic", code=2)
    assert "'hand.f0' has no limit of its motor" in result.stderr
    file.write_text(HAND.replace("position: -0.3", "position: 0.3"))
    result = vinci("grasp", file, "--close", "hand", "--object", "ball", code=2)
    assert "at the start; accepted: fingers that are free" in result.stderr
