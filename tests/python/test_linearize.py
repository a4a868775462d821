# SPDX-License-Identifier: Apache-2.0
"""`vinci.linearize` and the plots of linear systems."""

from __future__ import annotations

from typing import Any, Iterator

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

import vinci

CART: dict[str, Any] = {
    "world": "planar",
    "bodies": {"cart": {"mass": 3, "inertia": 1}, "rod": {"mass": 0.7, "inertia": 0.05}},
    "joints": {
        "rail": {"prismatic": ["world", "cart"]},
        "pin": {"revolute": ["cart", "rod"], "at": [[0, 0], [0, 0.4]], "position": 3.0},
    },
}
DISK: dict[str, Any] = {
    "world": "planar",
    "materials": {"wood": {"friction": 0.5}},
    "bodies": {
        "floor": {"freedom": "fixed", "shapes": [{"half-plane": {}, "material": "wood"}]},
        "disk": {"shapes": [{"circle": 0.125, "material": "wood"}], "mass": 2, "inertia": 0.01,
                 "position": [0, 0.125]},
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def upright() -> vinci.Linearization:
    return vinci.linearize(CART, equilibrium=True, of="model", inputs="rail.force",
                           outputs=["rail.position", "pin.position"])  # fmt: skip


def test_a_pendulum_on_a_cart_is_that_of_its_closed_form() -> None:
    found = upright()
    assert found.is_equilibrium and found.of == "model" and not found.limits
    assert found.point["pin.position [rad]"] == pytest.approx(np.pi)
    total, moment = 3.7, 0.7 * 0.4
    square = total * moment * 9.81 / ((0.05 + 0.7 * 0.16) * total - moment**2)
    assert np.max(found.system.poles().real) == pytest.approx(np.sqrt(square), rel=1e-9)
    assert found.system.inputs == ["rail.effort [N]"]
    assert found.system.states[1] == "pin.position [rad]"
    zeros = found.transfer_function("rail.effort", "rail.position")["zeros"]
    expected = np.sqrt(0.7 * 9.81 * 0.4 / (0.05 + 0.7 * 0.16))
    assert np.max(zeros.real) == pytest.approx(expected, rel=1e-9)
    with pytest.raises(vinci.Error, match="accepted: rail.position, pin.position"):
        found.channel(0, "rod.x")


def test_scipy_has_the_same() -> None:
    found = upright()
    state_space = vinci.control.scipy_system(found.system)
    values = np.linalg.eigvals(state_space.A)  # SciPy's own poles are for one output
    assert np.allclose(np.sort(values.real), np.sort(found.system.poles().real), atol=1e-6)
    channel = vinci.control.scipy_transfer_function(found.system, 0, 1)
    assert np.allclose(np.sort(channel.poles.real), [-found.system.poles().real.max(),
                                                     found.system.poles().real.max()])  # fmt: skip


def test_modes_by_name_and_contact_forces() -> None:
    rest = vinci.linearize(DISK, equilibrium=True, of="model", mode={"disk-floor": "sticking"},
                           outputs=["disk.x", "floor-disk.force"])  # fmt: skip
    assert rest.mode == {"floor-disk": "contact", "floor-disk friction": "sticking"}
    assert rest.forces["floor-disk"] == pytest.approx(2 * 9.81)
    assert rest.outputs["floor-disk.force [N]"] == pytest.approx(2 * 9.81)
    assert len(rest.system.states) == 7 and rest.basis is None
    eliminated = vinci.linearize(DISK, equilibrium=True, of="model", eliminate=True,
                                 outputs="disk.x", inputs="disk.torque")  # fmt: skip
    # Where it began to stick is open: place and angle are free, their rates follow each other.
    assert eliminated.system.states == ["disk.x [m]", "disk.angle [rad]", "disk.spin [rad/s]"]
    assert eliminated.basis is not None and eliminated.basis.shape == (7, 3)
    gain = eliminated.transfer_function()["gain"]
    assert gain == pytest.approx(-0.125 / (0.01 + 2 * 0.125**2), rel=1e-9)


def test_a_step_of_a_body_at_rest_has_two_sides() -> None:
    step = vinci.linearize(DISK, step=2e-3)
    assert step.of == "step" and step.system.sample == 2e-3
    assert step.other is not None and "floor-disk has gap 0" in step.limits[0]
    # What opens is closed by the next step; what overlaps stays.
    vertical = step.system.states.index("disk.y [m]")
    assert step.system.A[vertical, vertical] == pytest.approx(0.0, abs=1e-9)
    assert step.other.A[vertical, vertical] == pytest.approx(1.0)


def test_names_and_damping_of_systems() -> None:
    system = vinci.control.System([[0, 1], [-4, -0.4]], [[0], [1]], [[1, 0]], [[0]],
                                  states=["x", "v"], inputs=["u"], outputs=["x"])  # fmt: skip
    assert system.states == ["x", "v"] and system.outputs == ["x"]
    poles, frequencies, ratios = system.damping()
    assert np.allclose(frequencies, 2) and np.allclose(ratios, 0.1)
    _, held, same = system.sampled(0.01).damping()
    assert np.allclose(held, frequencies) and np.allclose(same, ratios)
    with pytest.raises(vinci.Error, match="states: 1 names; accepted: 2"):
        vinci.control.System([[0, 1], [-4, -0.4]], [[0], [1]], [[1, 0]], [[0]], states=["x"])


@pytest.mark.parametrize("kind", ["bode", "nyquist", "pole_zero", "step", "impulse"])
def test_plots_show_all_channels(kind: str) -> None:
    found = upright()
    drawn = found.plot(kind)
    axes = getattr(drawn, "axes", drawn)
    first = axes[0] if isinstance(axes, list) else axes
    assert len(first.get_lines()) >= 2
    if kind in ("bode", "nyquist", "step", "impulse"):
        labels = first.get_legend_handles_labels()[1]
        assert labels == ["to rail.position [m]", "to pin.position [rad]"]
    with pytest.raises(vinci.Error, match="there is no plot 'bodes'; accepted: bode"):
        found.plot("bodes")


def test_a_bode_plot_has_the_numbers_of_the_response() -> None:
    system = vinci.control.transfer_function([2], [1, 1])
    figure = vinci.control.plot_bode(system, [0.5, 1.0, 2.0])
    gains = figure.axes[0].get_lines()[0].get_ydata()
    assert np.allclose(gains, 20 * np.log10(2 / np.sqrt(1 + np.array([0.5, 1, 2]) ** 2)))
    phases = figure.axes[1].get_lines()[0].get_ydata()
    assert np.allclose(phases, -np.rad2deg(np.arctan([0.5, 1, 2])))


def test_a_root_locus_begins_at_the_poles_and_ends_at_the_zeros() -> None:
    system = vinci.control.transfer_function([1, 3], [1, 3, 2])
    ax = vinci.control.plot_root_locus(system)
    branches = [line for line in ax.get_lines()
                if line.get_label().startswith("_child") and len(line.get_xdata()) > 50]  # fmt: skip
    assert len(branches) == 2
    assert sorted(float(line.get_xdata()[0]) for line in branches) == pytest.approx([-2, -1])
    assert min(abs(line.get_xdata()[-1] + 3) for line in branches) < 1e-2


def test_mistakes_are_named() -> None:
    with pytest.raises(vinci.Error, match="did you mean 'rail.effort'"):
        vinci.linearize(CART, of="model", inputs=["rail.efort"])
    with pytest.raises(vinci.Error, match="accepted: model, step"):
        vinci.linearize(CART, of="all")
    with pytest.raises(vinci.Error, match="bodies hang on joints"):
        vinci.linearize(CART)
