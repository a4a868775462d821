# SPDX-License-Identifier: Apache-2.0
"""Event-driven runs of scenes against the reference cases 03b and 24: times of events to 1e-9 and
1e-8 s, samples to 1e-7, at an accuracy of 1e-10."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinci

ROOT = Path(__file__).resolve().parents[2]
STATES = {"free": 0, "contact": 1, "ballistic": 2}


def reference(name: str) -> Any:
    path = ROOT / "tests" / "data" / "reference" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def run(scene: Any, until: float, samples: list[float] = [], **words: Any) -> tuple[Any, list[Any]]:
    """The events of a run, and (x, v, force of the contact) at times that are multiples of its step."""
    simulation = vinci.Simulation(scene, duration=until, **words)
    wanted = {round(t / simulation.options["step"]) for t in samples}
    events, found = [], []
    count = 0
    while not simulation.finished:
        report = simulation.step()
        assert report.status == "solved", report.status
        events += [simulation.events]
        count += 1
        if count in wanted:
            mode = simulation.modes[0]
            found.append((simulation.state.time, mode["gap"], mode["gap_rate"], mode["force"][0]))
    assert len(found) == len(samples)
    return np.concatenate(events), found


def bounces(scene: str, damping: str) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """The events of 10 s, ours and those of the reference."""
    expected = reference(f"case03b_merl_ball_a1_{damping}")["expected"]["events"]
    events, _ = run(ROOT / "experiments" / "ball" / f"{scene}.yaml", 10.0,
                    parameters={"alpha1": float(damping)}, options={"stepper.accuracy": 1e-10})
    expected = [event for event in expected if event["t"] < 10.0]
    assert len(events) == len(expected) > 5
    np.testing.assert_allclose(events["time"], [e["t"] for e in expected], rtol=0, atol=1e-9)
    np.testing.assert_allclose(events["gap"], [e["h"] for e in expected], rtol=0, atol=1e-8)
    np.testing.assert_allclose(events["gap_rate"], [e["hdot"] for e in expected], rtol=0, atol=1e-8)
    return events, expected


@pytest.mark.parametrize("damping", ["0", "1", "10", "20"])
def test_the_ball_of_the_paper_bounces_when_the_reference_does(damping: str) -> None:
    events, expected = bounces("ball", damping)
    assert [STATES[name] for name in events["from"]] == [event["from"] for event in expected]
    assert [STATES[name] for name in events["to"]] == [event["to"] for event in expected]


@pytest.mark.parametrize("damping", ["1", "10"])
def test_a_contact_of_shapes_bounces_likewise(damping: str) -> None:
    events, expected = bounces("impact", damping)
    # Far away a contact of shapes is free, where the constraint of the paper stays ballistic.
    assert (events["from"] == "contact").tolist() == [event["from"] == 1 for event in expected]
    assert (events["to"] == "contact").tolist() == [event["to"] == 1 for event in expected]


def spring_and_wall(p: dict[str, float]) -> dict[str, Any]:
    stiffness = [p["a0"], p["a2"]] if p["a2"] else p["a0"]
    return {
        "world": "planar", "gravity": [0, 0],
        "bodies": {"mass": {"mass": p["m"], "inertia": 1}},
        "joints": {"rail": {"prismatic": ["world", "mass"], "stiffness": p["k"], "rest": p["xr"],
                            "damping": p["c"], "position": p["x0"], "velocity": p["v0"],
                            "motor": {"force": p["u"]}}},
        "constraints": {"wall": {"at-least-zero": "rail.position", "damping": p["a1"],
                                 "stiffness": stiffness}},
        "run": {"stepper": {"name": "event-driven", "accuracy": 1e-10}, "step": 0.01},
    }


@pytest.mark.parametrize("name", ["overdamped_contact", "light_damping_bounces", "cubic_stiffening"])
def test_a_mass_between_spring_and_wall_moves_as_the_reference(name: str) -> None:
    expected = reference("case24_event_linear")["expected"]["motion"][name]
    p = expected["parameters"]
    events, found = run(spring_and_wall(p), p["T"], expected["t"])
    assert [STATES[state] for state in events["to"]] == [e["state"] for e in expected["events"]]
    np.testing.assert_allclose(events["time"], [e["t"] for e in expected["events"]], rtol=0, atol=1e-8)
    _, x, v, force = np.transpose(found)
    np.testing.assert_allclose(x, expected["x"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(v, expected["v"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(force, expected["lam"], rtol=0, atol=1e-7 * p["a0"])


def pressing(p: dict[str, Any], kp: Any) -> dict[str, Any]:
    return {
        "world": "planar", "gravity": [0, 0],
        "bodies": {"hand": {"mass": p["m"], "inertia": 1}},
        "joints": {"rail": {"prismatic": ["world", "hand"]}},
        "constraints": {"wall": {"at-least-zero": f"{p['wall_at']!r} - rail.position",
                                 "damping": p["alpha1"], "stiffness": p["alpha0"]}},
        "signals": {
            "u": {"digital-pd": {"proportional": kp, "derivative": p["kd"],
                                 "filter": f"-{p['Ts']}/log({p['filter_beta']})",
                                 "measured": "rail.position", "reference": "0.005*t",
                                 "rate": 0.005}, "sample": p["Ts"]},
            "force": {"expression": f"{p['m']}*u", "drives": "rail.force"}},
        "run": {"stepper": {"name": "event-driven", "accuracy": 1e-10}, "step": p["Ts"]},
    }


@pytest.mark.parametrize("name", ["soft_touch_kp_to_zero", "position_control_kept",
                                  "soft_touch_light_damping"])
def test_a_sampled_controller_presses_as_the_reference(name: str) -> None:
    expected = reference("case24_event_linear")["expected"]["sampled"]["runs"][name]
    kp = expected["kp"] if name == "position_control_kept" else "400*min(max(1.5 - t, 0), 1)"
    events, found = run(pressing(expected, kp), expected["t"][-1], expected["t"])
    assert [STATES[state] for state in events["to"]] == [e["state"] for e in expected["events"]]
    # At 2 s the hand follows the ramp. Of `position_control_kept` the reference lists a touch that is
    # 0.8 µs late: its own x there is 4 nm inside of the wall. So the time is taken from the ramp.
    at = expected["t"].index(2.0)
    touch = 2.0 + (expected["wall_at"] - expected["x"][at]) / expected["v"][at]
    if name != "position_control_kept":
        assert abs(touch - expected["events"][0]["t"]) < 1e-12
    assert len(events) == 1 and abs(events["time"][0] - touch) < 1e-8
    # lambda = m alpha1 v: the controller has nothing to correct.
    load = expected["m"] * expected["alpha1"] * expected["v"][at]
    np.testing.assert_allclose(events["force"][0, 0], load, rtol=1e-6)
    time, gap, rate, force = np.transpose(found)
    x, v = np.array(expected["x"]), np.array(expected["v"])
    good = np.full(len(time), True)
    if name == "position_control_kept":
        # For the same reason, after the touch: critically damped, whatever the controller does.
        tau, w = np.maximum(time - touch, 0.0), expected["alpha1"] / 2.0
        x = np.where(tau > 0.0, expected["wall_at"] + v[at] * tau * np.exp(-w * tau), x)
        v = np.where(tau > 0.0, v[at] * (1.0 - w * tau) * np.exp(-w * tau), v)
        good = (tau == 0.0) | (w * tau > 20.0)  # forces: where the 0.8 µs do not count
    np.testing.assert_allclose(expected["wall_at"] - gap, x, rtol=0, atol=1e-7)
    np.testing.assert_allclose(-rate, v, rtol=0, atol=1e-7)
    np.testing.assert_allclose(force[good], np.array(expected["contact_force"])[good],
                               rtol=0, atol=1e-6)
