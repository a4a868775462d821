# SPDX-License-Identifier: Apache-2.0
"""Events of an event-driven stepper, here a plugin with a closed form: tables, JSON, CSV, resume."""
import csv
import os

import pytest

LIBRARIES = dict(part.split("=", 1) for part in os.environ["VINCI_TEST_PLUGINS"].split(":"))
BALL = """\
title: bouncing
world: planar
materials: {rubber: {}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
  ball: {shapes: [{circle: 0.1, material: rubber}], mass: 2, position: [0, 0.6]}
run: {step: 10 ms, duration: 2, output-interval: 50 ms}
"""
STEPPER = ("--plugin", LIBRARIES["bouncer"], "--stepper", "bouncer")
FIRST = (2 * 0.5 / 9.81) ** 0.5  # s, until the ball has fallen half a metre


@pytest.fixture(scope="module")
def ball(shared):
    shared.scene(BALL)
    shared("run", "scene.yaml", "-o", "run.h5", *STEPPER)
    return shared


def test_run_tells_and_lists_them(ball):
    told = ball("run", "scene.yaml", "-o", "told.h5", "--events", *STEPPER).stdout
    assert "9: 5 touches, 4 partings" in told
    assert "events piled up 1 time (last: ball on floor)" in told
    rows = [line for line in told.splitlines() if "ball on floor" in line and "piled" not in line]
    assert len(rows) == 9
    assert rows[0].split() == [f"{FIRST:.9f}", "ball", "on", "floor", "free", "contact", "0",
                               "-3.132", "11.28"]
    assert "ball on floor  " not in ball("info", "run.h5").stdout, "only where it is asked for"
    assert ball("info", "run.h5", "--events").stdout.count("ball on floor") == 10


def test_json_carries_them(ball):
    info = ball.json("info", "run.h5", "--events")
    assert (info["events"], info["touches"], info["partings"]) == (9, 5, 4)
    assert info["piled"] == "ball on floor"
    first = info["event_list"][0]
    assert abs(first["time"] - FIRST) < 1e-12
    assert (first["subject"], first["kind"], first["from"], first["to"]) == (
        "ball on floor", "touch", "free", "contact")
    assert first["key"] == [0, 1, 0, 0] and first["point"] == 0
    assert "event_list" not in ball.json("info", "run.h5")


def test_export_writes_them(ball):
    done = ball.json("export", "run.h5", "--csv", "tables")
    assert done["files"] == ["steps.csv", "states.csv", "contacts.csv", "events.csv", "modes.csv"]
    with open(ball.folder / "tables" / "events.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    times = [event["time"] for event in ball.json("info", "run.h5", "--events")["event_list"]]
    assert [float(row["time [s]"]) for row in rows] == times, "bit for bit"
    assert {row["subject"] for row in rows} == {"ball on floor"}


def test_a_resumed_run_has_the_same_events_and_state(ball):
    ball("run", "scene.yaml", "-o", "part.h5", "--duration", "0.73", *STEPPER)
    ball("run", "--resume", "part.h5", "--duration", "2", "--plugin", LIBRARIES["bouncer"])
    part, whole = (ball.json("info", name, "--events") for name in ("part.h5", "run.h5"))
    assert part["state_hash"] == whole["state_hash"]
    assert part["event_list"] == whole["event_list"]
    assert part["events"] == whole["events"]


def test_runs_without_events_say_so(ball):
    told = ball("run", "scene.yaml", "-o", "other.h5", "--events").stdout
    assert "no events: the stepper knows none" in told
    assert ball.json("info", "other.h5", "--events")["event_list"] == []
