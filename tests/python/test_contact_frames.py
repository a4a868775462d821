# SPDX-License-Identifier: Apache-2.0
"""Where contacts are taken, from Python: the option, what a step and a run report, a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

import vinci

SCENE = Path(__file__).parents[2] / "scenes" / "rolling_ellipse.yaml"


@pytest.mark.parametrize("form", ["gap", "end"])
def test_steps_report_their_iterations_and_what_is_left(form: str, tmp_path: Path) -> None:
    simulation = vinci.Simulation(SCENE, contact_frames=form, duration=0.1)
    iterations, error = 0, 0.0
    while not simulation.finished:
        report = simulation.step()
        assert not report.unsettled and report.frame_iterations >= 1
        iterations += report.frame_iterations
        error = max(error, report.frame_error)
    assert 0.0 < error <= 1e-10
    recorded = vinci.Simulation(SCENE, contact_frames=form, duration=0.1)
    recorded.run(record=tmp_path / "run.h5")
    summary = vinci.Recording(tmp_path / "run.h5").summary
    assert summary.frame_iterations == iterations
    assert summary.worst_frame_error == error
    assert summary.unsettled_frames == 0 and summary.certified


def test_a_step_that_does_not_settle_is_told() -> None:
    simulation = vinci.Simulation(
        SCENE, contact_frames="end", step=8e-3, options={"stepper.frame_limit": 1})  # fmt: skip
    report = simulation.step()
    assert report.unsettled and report.frame_iterations == 1 and report.frame_error > 1e-10


def test_a_comparison_has_the_cost_of_the_forms() -> None:
    found = vinci.compare(SCENE, {"contact-frames": ["start", "gap"]})
    costs = {run["name"]: run["cost"] for run in found.data["variants"]}
    assert costs["start"]["frame_iterations"] == 0
    assert costs["gap"]["frame_iterations"] > 0 and costs["gap"]["worst_frame_error"] <= 1e-10
