# SPDX-License-Identifier: Apache-2.0
"""`vinci plan`: answers, recordings, exit codes and messages."""

import math

import pytest

from conftest import SOURCE

SLOT = SOURCE / "scenes" / "slot.yaml"


def passages(vinci, *arguments, code=0):
    return vinci.json("plan", SLOT, *arguments, code=code)["passages"]


def test_a_found_path_leads_to_the_goal_and_is_recorded(vinci):
    [passage] = passages(vinci, "--goal", "y=..-0.1, angle=-5 deg..5 deg", "-o", "path.h5")
    assert passage["status"] == "found" and passage["least_gap"] >= 0.0
    first, last = passage["path"][0], passage["path"][-1]
    assert first == passage["start"]
    assert last["y"] <= -0.1 and abs(last["angle"]) <= 0.0873
    info = vinci.json("info", "path.h5")
    assert info["frames"] == 241
    assert info["options"]["code"] == ["controller geometric-model"], "it says what moved the body"


def test_a_recording_that_exists_is_refused_before_the_search(vinci):
    for name, starts in (("path.h5", []), ("path-2.h5", ["--start", "angle=0", "--start", "x=0"])):
        (vinci.folder / name).write_text("kept")
        done = vinci("plan", SLOT, "--goal", "y=..-0.1", "-o", "path.h5", *starts, code=2)
        assert f"{name}: exists already; give --overwrite to replace it" in done.stderr
        assert not done.stdout and (vinci.folder / name).read_text() == "kept"
        (vinci.folder / name).unlink()
    for flags in ([], ["--overwrite"]):
        vinci("plan", SLOT, "--goal", "y=..-0.1", "-o", "path.h5", *flags)
    assert vinci.json("info", "path.h5")["frames"] > 0


def test_several_starts_give_one_answer_each(vinci):
    answers = passages(vinci, "--goal", "y=..-0.1", "--set", "slot=80 mm", "--start", "angle=0",
                       "--start", "angle=90 deg, x=-side", "-o", "path.h5")
    assert [answer["status"] for answer in answers] == ["found", "found"]
    assert answers[1]["start"] == pytest.approx({"x": -0.06, "y": 0.15, "angle": 1.5707963})
    assert (vinci.folder / "path-1.h5").exists() and (vinci.folder / "path-2.h5").exists()


def test_what_cannot_pass_fails_and_says_how_sure_that_is(vinci):
    [narrow] = passages(vinci, "--goal", "y=..-0.1", "--set", "slot=50 mm", code=1)
    assert narrow["status"] == "impossible" and "proven" in narrow["note"]
    [unknown] = passages(vinci, "--goal", "y=..-0.1", "--set", "slot=60.2 mm", "--effort", "30",
                         code=1)
    assert unknown["status"] == "not found" and "no proof" in unknown["note"]
    [blocked] = passages(vinci, "--goal", "y=..-0.1", "--start", "y=0", code=1)
    assert blocked["status"] == "start blocked"


def test_the_same_seed_gives_the_same_path(vinci):
    flags = ("--goal", "y=..-0.1", "--seed", "5")
    first, second = passages(vinci, *flags), passages(vinci, *flags)
    assert first[0]["path"] == second[0]["path"] and first[0]["queries"] == second[0]["queries"]


@pytest.mark.parametrize("flags, message", [
    (("--goal", "y"), "--goal: 'y' is not of the form coordinate=lower..upper"),
    (("--goal", "y=1..0"), "goal y: from 1 to 0 is no range; the first must not exceed the second"),
    (("--goal", "z=1"), "goal: 'z' is no coordinate; accepted: x, y, angle"),
    (("--goal", "y=0, y=1"), "--goal: 'y' is given twice"),
    (("--goal", "y=widht..1"), "--goal y: 'widht': "),
    (("--goal", "y=0", "--body", "squar"),
     "--body: there is no body 'squar'; bodies that move: square"),
    (("--goal", "y=0", "--body", "wall"), "body: 'wall' is fixed; accepted: a body that moves"),
    (("--goal", "y=0", "--start", "z=1"), "--start: 'z' is not a coordinate of 'square'"),
    (("--goal", "y=0", "--clearance", "-1 mm"),
     "clearance: is -0.001; accepted: a length in m, 0 or more"),
    (("--goal", "y=0", "--effort", "0"), "effort: is 0; accepted: a number of samples, 1 or more"),
    (("--goal", "y=9", "--bounds", "y=-1..1"), "goal y: lies outside of the bounds"),
    (("--goal", "y=0", "--detector", "eact"), "--detector: "),
])
def test_mistakes_are_named(vinci, flags, message):
    assert message in vinci("plan", SLOT, *flags, code=2).stderr


def test_a_goal_is_needed(vinci):
    assert "--goal" in vinci("plan", SLOT, code=2).stderr


REACH = SOURCE / "robots" / "reach.yaml"
AROUND = ("--robot", "arm", "--goal", "waist=45 deg, shoulder=-20 deg, elbow=-160 deg")


def test_an_arm_goes_around_a_post_and_its_joints_are_recorded(vinci):
    answer = vinci.json("plan", REACH, *AROUND, "--clearance", "1 cm", "-o", "around.h5")
    [passage] = answer["passages"]
    assert answer["joints"] == [f"arm.{name}" for name in
                                ("waist", "shoulder", "elbow", "wrist1", "wrist2", "wrist3")]
    assert passage["status"] == "found" and passage["least_gap"] >= 0.01
    assert len(passage["path"]) > 2, "the post is in the way"
    last = passage["path"][-1]
    assert last["arm.waist"] == pytest.approx(0.7853981633974483, abs=1e-15)
    trajectory = passage["trajectory"]
    assert trajectory["times"][-1] == pytest.approx(trajectory["duration"])
    assert len(trajectory["points"]) == len(trajectory["times"])
    info = vinci.json("info", "around.h5")
    assert info["frames"] == math.ceil(trajectory["duration"] * 60) + 1
    vinci("export", "around.h5", "--csv", "tables")
    rows = (vinci.folder / "tables" / "joints.csv").read_text().splitlines()
    column = rows[0].replace('"', "").split(",").index("arm.waist.position [rad]")
    assert float(rows[1].split(",")[column]) == pytest.approx(-0.785398163, abs=1e-8)
    assert float(rows[-1].split(",")[column]) == pytest.approx(0.785398163, abs=1e-8)


def test_a_flange_gets_to_its_pose(vinci):
    [passage] = vinci.json("plan", REACH, "--tip", "arm.flange", "--goal",
                           "x=0.2..0.3, y=0.3, z=0.3..0.5")["passages"]
    assert passage["status"] == "found" and "certified" in passage["note"]


def test_what_a_robot_cannot_do_is_said(vinci):
    [far] = vinci.json("plan", REACH, "--tip", "arm.flange", "--goal", "x=3", code=1)["passages"]
    assert far["status"] == "unreachable" and "proven" in far["note"] and "off" in far["note"]
    [limit] = vinci.json("plan", REACH, "--robot", "arm", "--goal", "waist=170 deg",
                         code=1)["passages"]
    assert limit["status"] == "unreachable" and "'arm.waist' goes from" in limit["note"]
    [blocked] = vinci.json("plan", REACH, "--robot", "arm", "--goal", "waist=0",
                           "--start", "shoulder=-45 deg, elbow=-120 deg", code=1)["passages"]
    assert blocked["status"] == "start blocked" and "'workbench' and 'arm.link" in blocked["note"]


@pytest.mark.parametrize("flags, message", [
    (("--robot", "arn", "--goal", "waist=0"),
     "robot: there is no robot 'arn' with joints; accepted: arm"),
    (("--robot", "arm", "--goal", "wrist=0"),
     "goal: 'wrist' is no coordinate of a joint that moves; accepted: arm.waist, arm.shoulder"),
    (("--robot", "arm", "--goal", "waist=1..0"), "goal waist: from 1 to 0 is no range"),
    (("--robot", "arm", "--body", "post", "--goal", "waist=0"), "--body: a body moves by itself"),
    (("--tip", "arm.hand", "--goal", "x=0"), "tip: there is no body or frame 'arm.hand'; accepted: "),
    (("--tip", "arm.flange", "--goal", "angle=0"),
     "goal: 'angle' is no coordinate of a pose; accepted: x, y, z, roll, pitch, yaw"),
    (("--robot", "arm", "--hold", "waist,", "--goal", "waist=0"), "--hold: 'waist,' is no list"),
    (("--robot", "arm", "--carry", "post", "--goal", "waist=0"),
     "--carry: 'post' is not of the form body=link"),
    (("--robot", "arm", "--carry", "post=arm.flange", "--goal", "waist=0"),
     "carry: 'post' is fixed or driven; accepted: a free body"),
    (("--goal", "x=0", "--hold", "arm.waist"), "--hold: needs joints that move"),
    (("--robot", "arm", "--goal", "waist=0", "--start", "waist"),
     "--start: 'waist' is not of the form joint=value"),
])
def test_mistakes_with_robots_are_named(vinci, flags, message):
    assert message in vinci("plan", REACH, *flags, code=2).stderr
