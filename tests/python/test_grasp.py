# SPDX-License-Identifier: Apache-2.0
"""Grasps from Python: reference case 16, contacts of a run, bad input."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import vinci
from conftest import ROOT

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
    with pytest.raises(vinci.Error, match="position: has 3 numbers"):
        vinci.grasp.Contact([0, 0, 0], [1, 0])
    with pytest.raises(vinci.Error, match="friction"):
        vinci.grasp.force_closure([vinci.grasp.Contact([0, 0], [1, 0], -1.0)])
    with pytest.raises(vinci.Error, match="in line"):
        vinci.grasp.squeeze_function([[0, 0], [1, 1], [2, 2]])
    with pytest.raises(vinci.Error, match="center"):
        vinci.grasp.push_function([[0, 0], [1, 0], [0, 1]], center=[2, 2])
