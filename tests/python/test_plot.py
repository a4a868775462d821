# SPDX-License-Identifier: Apache-2.0
"""Plots show the numbers of the recordings."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any, Iterator

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

import vinci
import vinci.plot
from conftest import ROOT

FUNCTIONS = ("trajectories", "phase", "gap", "impulse", "cone_usage", "energy", "residual",
             "fit_order", "convergence")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the subfolder runs, as `make demo` leaves it."""
    made = tmp_path_factory.mktemp("plots")
    (made / "runs").mkdir()
    for name in ("changing_friction", "bouncing_ball", "sliding_box"):
        vinci.Simulation(ROOT / "scenes" / f"{name}.yaml").run(record=made / "runs" / f"{name}.h5")
    return made


@pytest.fixture(autouse=True)
def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(folder)
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", ["", *FUNCTIONS])
def test_examples_are_true(name: str) -> None:
    thing = getattr(vinci.plot, name) if name else vinci.plot
    test = doctest.DocTestParser().get_doctest(thing.__doc__, {"vinci": vinci}, name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def lines(ax: Any) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_energy_is_that_of_the_frames_and_its_total_falls() -> None:
    run = vinci.Recording("runs/changing_friction.h5")
    drawn = lines(vinci.plot.energy(run))
    frames = run.frames
    assert np.array_equal(drawn["kinetic"][:, 1], frames["kinetic"])
    assert np.array_equal(drawn["total"][:, 1], frames["kinetic"] + frames["potential"])
    assert drawn["total"][-1, 1] < drawn["total"][0, 1] - 0.1


def test_friction_used_is_the_tangent_of_the_slope_over_mu() -> None:
    """Sticking at 20° with μ = 0.5, then sliding at the limit with μ = 0.1."""
    run = vinci.Recording("runs/changing_friction.h5")
    rows = run.contacts(200)
    drawn = [line for line in lines(vinci.plot.cone_usage(run)).values() if len(line) == len(run) - 1]
    assert len(drawn) == len(rows) == 2
    # Two points share the load in proportions that statics leaves open; weighted with their
    # normal loads, what they use is tan 20° / μ, exactly up to the solver's tolerance.
    used = np.array([line[199, 1] for line in drawn])
    loads = rows["impulse"][:, 0]
    assert drawn[0][199, 0] == run.times[200]
    assert used @ loads / loads.sum() == pytest.approx(np.tan(np.radians(20.0)) / 0.5, rel=1e-8)
    for line in drawn:
        sliding = (line[:, 0] > 0.6) & (line[:, 0] < 0.99)
        assert np.nanmax(line[:, 1]) <= 1.0 + 1e-9  # of rounding
        assert np.allclose(line[sliding, 1], 1.0, atol=1e-9)


def test_a_bouncing_ball_leaves_gaps_in_the_lines_of_its_contact() -> None:
    drawn = list(lines(vinci.plot.gap("runs/bouncing_ball.h5")).values())[0]
    assert np.isnan(drawn[:, 1]).sum() >= 2
    assert np.nanmin(drawn[:, 1]) > -1e-9


def test_paths_in_the_plane_and_in_space() -> None:
    run = vinci.Recording("runs/sliding_box.h5")
    body = [name for name, freedom in zip(run.body_names, run.freedoms) if freedom != "fixed"][0]
    path = run.body(body).position
    assert np.array_equal(lines(vinci.plot.trajectories(run, plane="xz"))[body], path[:, [0, 2]])
    assert vinci.plot.trajectories(run).name == "3d"
    planar = vinci.plot.trajectories("runs/changing_friction.h5", outlines=4)
    assert len(planar.collections) >= 4


def test_several_recordings_are_told_apart() -> None:
    run = vinci.Recording("runs/bouncing_ball.h5")
    axes = vinci.plot.phase([run, "runs/bouncing_ball.h5"], "ball", "y")
    styles = {line.get_linestyle() for line in axes.lines if len(line.get_xdata()) > 1}
    assert styles == {"-", "--"}
    assert "runs" in axes.get_legend_handles_labels()[1][0]


def test_an_order_of_two_is_found_with_noise_and_zeros_left_out() -> None:
    steps = np.array([1e-1, 1e-2, 1e-3, 1e-4])
    errors = 3.0 * steps**2 * np.array([1.01, 0.99, 1.0, 0.0])
    order, constant = vinci.plot.fit_order(steps, errors)
    # Noise of 1 % over two decades turns the line by less than 0.01 and lifts it by less than 10 %.
    assert order == pytest.approx(2.0, abs=0.01) and constant == pytest.approx(3.0, rel=0.1)


@pytest.mark.parametrize("call, words", [
    (lambda: vinci.plot.phase("runs/bouncing_ball.h5", "ball", "w"), "accepted: x, y, z, angle"),
    (lambda: vinci.plot.gap("runs/bouncing_ball.h5", ("ball", "moon")), "unknown body 'moon'"),
    (lambda: vinci.plot.trajectories("runs/bouncing_ball.h5", plane="xq"), "two of x, y and z"),
    (lambda: vinci.plot.trajectories("runs/bouncing_ball.h5", ["moon"]), "moon"),
    (lambda: vinci.plot.energy([]), "one or more"),
    (lambda: vinci.plot.energy("runs/none.h5"), "none.h5"),
    (lambda: vinci.plot.fit_order([0.1, 0.1], [1.0, 2.0]), "two or more step sizes"),
])
def test_mistakes_are_named(call: Any, words: str) -> None:
    with pytest.raises(vinci.Error, match=words):
        call()


def test_a_run_without_contacts_says_so() -> None:
    stone = {"world": "planar", "bodies": {"stone": {"mass": 1, "inertia": 1}}}
    vinci.Simulation(stone, duration=0.01).run(record="runs/stone.h5")
    axes = vinci.plot.impulse("runs/stone.h5")
    assert [text.get_text() for text in axes.texts] == ["no contacts"]
