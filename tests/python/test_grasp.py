# SPDX-License-Identifier: Apache-2.0
"""Grasps from Python: reference case 16, contacts of a run, bad input."""

from __future__ import annotations

import json
import math
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import vinci
from conftest import ROOT

SPATIAL = json.loads((ROOT / "tests/data/reference/case25_spatial_grasps.json").read_text())
CASE = json.loads((ROOT / "tests/data/reference/case16_grasp.json").read_text())["expected"]


@pytest.mark.parametrize("row", CASE["disc_two_fingers"]["rows"])
def test_disc_as_the_reference_says(row: dict[str, float]) -> None:
    contacts = []
    for angle in (0.0, math.pi - math.radians(row["delta_deg"])):
        outward = np.array([math.cos(angle), math.sin(angle)])
        contacts.append(vinci.grasp.Contact(0.05 * outward, -outward, row["mu"]))
    assert vinci.grasp.force_closure(contacts) == row["force_closure"]
    assert vinci.grasp.friction_required(contacts) == pytest.approx(row["mu_required"], abs=1e-14)


@pytest.mark.parametrize("name", ["squeeze_rect_80x40", "squeeze_quad", "squeeze_triangle"])
def test_transfer_as_the_reference_says(name: str) -> None:
    part = CASE[name]
    diameter = vinci.grasp.squeeze_function(part["vertices"])
    radius = vinci.grasp.push_function(part["vertices"], center=part["com"])
    assert [rest.edge for rest in radius.minima] == [row[2] for row in part["push_stable_edges"]]
    for row in part["transfer"]:
        start = math.radians(row["initial_deg"])
        squeezed, pushed = diameter.outcome(start), radius.outcome(start)
        assert math.degrees(squeezed) == pytest.approx(row["squeeze_final_deg"], abs=1e-9)
        assert diameter(squeezed) == pytest.approx(row["jaw_gap"], abs=1e-14)
        assert math.degrees(pushed) == pytest.approx(row["push_final_deg"], abs=1e-9)


def test_the_gripper_of_the_experiment_closes_its_grasp() -> None:
    simulation = vinci.Simulation(ROOT / "experiments/grasp/grasp.yaml")
    simulation.run()
    contacts = vinci.grasp.contacts(simulation, "part")
    assert len(contacts) == 2
    assert vinci.grasp.friction_required(contacts) < 1e-6 and vinci.grasp.force_closure(contacts)
    assert vinci.grasp.contacts(simulation, "left")[0].normal[0] == pytest.approx(-1.0)


def test_bad_input_is_an_error() -> None:
    with pytest.raises(vinci.Error, match="normal: has 2 numbers"):
        vinci.grasp.Contact([0, 0, 0], [1, 0])
    with pytest.raises(vinci.Error, match="friction"):
        vinci.grasp.force_closure([vinci.grasp.Contact([0, 0], [1, 0], -1.0)])
    with pytest.raises(vinci.Error, match="in line"):
        vinci.grasp.squeeze_function([[0, 0], [1, 1], [2, 2]])
    with pytest.raises(vinci.Error, match="center"):
        vinci.grasp.push_function([[0, 0], [1, 0], [0, 1]], center=[2, 2])
    with pytest.raises(vinci.Error, match="contacts: some have 2"):
        vinci.grasp.closure([vinci.grasp.Contact([0, 0], [1, 0]),
                             vinci.grasp.Contact([0, 0, 0], [1, 0, 0])])
    ball = spatial_grasp(SPATIAL["expected"]["sphere_equator_120"])
    with pytest.raises(vinci.Error, match="wrench: has 3 numbers; accepted: 6"):
        vinci.grasp.hold(ball, [1, 0, 0])
    with pytest.raises(vinci.Error, match="least: is 'most'; accepted"):
        vinci.grasp.hold(ball, [1, 0, 0, 0, 0, 0], least="most")
    with pytest.raises(vinci.Error, match="limit: is 'none'; accepted"):
        vinci.grasp.quality(ball, limit="none")
    with pytest.raises(vinci.Error, match="length"):
        vinci.grasp.closure(vinci.grasp.Grasp(ball.contacts, length=-1))


def spatial_grasp(expected: dict[str, Any]) -> vinci.grasp.Grasp:
    contacts = [vinci.grasp.Contact(c["point"], c["inward_normal"], expected["mu"],
                                    tangent=c["tangent_t"]) for c in expected["contacts"]]
    return vinci.grasp.Grasp(contacts, expected["com"], SPATIAL["parameters"]["rho"])


@pytest.mark.parametrize("name", list(SPATIAL["expected"]))
def test_spatial_grasps_as_the_reference_says(name: str) -> None:
    expected = SPATIAL["expected"][name]
    grasp = spatial_grasp(expected)
    closure = vinci.grasp.closure(grasp)
    assert closure.proved and closure.closed == expected["force_closure"]
    assert vinci.grasp.force_closure(grasp) == closure.closed
    assert closure.margin == pytest.approx(expected["cone_margin"], abs=1e-10)
    hull = vinci.grasp.hull(grasp, 16)
    assert hull.radius == pytest.approx(expected["epsilon_16"], rel=1e-12)
    assert hull.volume == pytest.approx(expected["hull_volume_16"], rel=1e-11)
    wrench = SPATIAL["parameters"]["external_wrench"]
    held = vinci.grasp.hold(grasp, wrench)
    if not closure.closed:
        assert closure.push == pytest.approx(expected["dual_margin"], abs=1e-10)
        assert held.status == "impossible" and held.push <= 1e-10
        return
    assert vinci.grasp.quality(grasp).upper == pytest.approx(expected["dual_margin"], abs=1e-7)
    np.testing.assert_allclose(held.loads[:, :3], expected["hold"]["least_squares_forces"],
                               atol=1e-10)
    least = vinci.grasp.hold(grasp, wrench, least="sum")
    assert least.value == pytest.approx(expected["hold"]["minimal_sum_of_normal_forces"], rel=1e-9)
    # The loads balance the wrench, by axes and positions alone.
    total = np.array(wrench)
    for contact, load in zip(grasp.contacts, held.loads):
        force = contact.axes.T @ load[:3]
        total += np.concatenate([force, np.cross(contact.position - expected["com"], force)])
    np.testing.assert_allclose(total, 0, atol=1e-12)


def edges(contacts: list[vinci.grasp.Contact], directions: int, reach: float) -> np.ndarray:
    rows = []
    for contact in contacts:
        normal, *tangents = contact.axes
        for angle in 2 * np.pi * np.arange(directions) / directions:
            force = normal + reach * contact.friction * (
                np.cos(angle) * tangents[0] + np.sin(angle) * tangents[1])
            rows.append(np.concatenate([force, np.cross(contact.position, force) / 0.05]))
    return np.array(rows)


def closed_by_highs(wrenches: np.ndarray) -> bool:
    """The largest s such that weights of at least s balance and sum to 1 is above 0."""
    count = len(wrenches)
    if np.linalg.matrix_rank(wrenches) < 6:
        return False
    balance = np.vstack([np.hstack([wrenches.T, wrenches.sum(axis=0)[:, None]]),
                         np.append(np.ones(count), count)])  # weights are s and what is above it
    answer = linprog(np.append(np.zeros(count), -1), A_eq=balance, b_eq=[0] * 6 + [1],
                     bounds=[(0, None)] * count + [(-1, None)], method="highs")
    return answer.status == 0 and -answer.fun > 1e-9


def test_a_thousand_random_verdicts_lie_between_pyramids_by_highs() -> None:
    random = np.random.default_rng(25)
    closed = between = 0
    for _ in range(1000):
        outward = random.normal(size=(random.integers(3, 7), 3))
        outward /= np.linalg.norm(outward, axis=1)[:, None]
        friction = random.uniform(0.05, 0.8)
        contacts = [vinci.grasp.Contact(random.uniform(0.03, 0.06) * n,
                                        -n + 0.3 * random.normal(size=3), friction)
                    for n in outward]
        proof = vinci.grasp.closure(vinci.grasp.Grasp(contacts, [0, 0, 0], 0.05))
        inside = closed_by_highs(edges(contacts, 24, 1.0))
        around = closed_by_highs(edges(contacts, 24, 1 / math.cos(math.pi / 24)))
        assert proof.proved and inside <= proof.closed <= around
        closed += proof.closed
        between += inside != around
    assert 200 < closed < 800 and between < 30


def test_a_recorded_grasp_and_a_file_of_it_have_the_same_answers(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ball.h5"
    runpy = subprocess.run([sys.executable, str(ROOT / "examples/grasped_ball.py"), str(file)],
                           check=True, capture_output=True, text=True)
    assert "closed: True, margin 0.1500" in runpy.stdout  # mu/4 by symmetry
    assert "4.9050 N in all" in runpy.stdout  # m g/mu
    grasp = vinci.grasp.recorded(vinci.Recording(file), "ball", at=0.9)
    assert sorted(grasp.by) == ["east", "north", "south", "west"]
    assert len(vinci.grasp.recorded(file, "ball", at=0.2).contacts) == 5  # the stand too
    pair = vinci.grasp.recorded(file, "ball", by=["east", "west"])
    assert len(pair.contacts) == 2 and vinci.grasp.closure(pair).rank == 5
    with pytest.raises(vinci.Error, match="no body 'bal'; accepted: stand, ball"):
        vinci.grasp.recorded(file, "bal")
    text = tmp_path / "contacts.json"
    text.write_text(json.dumps({"center": list(grasp.center), "contacts": [
        {"position": list(c.position), "normal": list(c.normal), "friction": c.friction}
        for c in grasp.contacts]}))
    assert vinci.grasp.closure(vinci.grasp.load(text)).margin == pytest.approx(
        vinci.grasp.closure(grasp).margin, abs=1e-12)


def test_a_simulation_goes_on_from_closed_fingers() -> None:
    simulation = vinci.Simulation(ROOT / "scenes" / "gripper.yaml")
    closed = vinci.grasp.close(simulation, "ball", joints=["slide-left", "slide-right"])
    assert simulation.joints["slide-left.position"] == -0.08  # which has not moved
    simulation.set_state(closed.state)
    assert simulation.joints["slide-left.position"] == closed.joints[0].position
    for _ in range(5):
        report = simulation.step()
        assert report.status == "solved" and report.penetration < 1e-9
    # The squeeze of 12 N is there at once, and the ball stays.
    rows = simulation.contacts
    pressed = rows["impulse"][:, 0].max() / simulation.step_size
    assert pressed == pytest.approx(12, rel=1e-3)
    assert simulation.state.position("ball")[1] == pytest.approx(0, abs=1e-9)
    with pytest.raises(vinci.Error, match="there is no joint 'slide' of one freedom"):
        vinci.grasp.close(simulation, "ball", joints=["slide"])
    with pytest.raises(vinci.Error, match="speed"):
        vinci.grasp.close(simulation, "ball", joints=["slide-left"], speed=0)
