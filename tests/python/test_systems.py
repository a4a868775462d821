# SPDX-License-Identifier: Apache-2.0
"""Linear systems in Python, beside SciPy and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import vinci


def random_system(seed: int, states: int, inputs: int, outputs: int) -> vinci.control.System:
    random = np.random.default_rng(seed)
    a = random.normal(size=(states, states)) - 2 * np.eye(states)
    return vinci.control.System(
        a, random.normal(size=(states, inputs)), random.normal(size=(outputs, states)),
        random.normal(size=(outputs, inputs)),
    )  # fmt: skip


def test_poles_responses_and_steps_are_those_of_scipy() -> None:
    for seed in range(10):
        system = random_system(seed, 5, 1, 1)
        other = vinci.control.scipy_system(system)
        assert np.allclose(np.sort_complex(other.poles), np.sort_complex(system.poles()))
        frequencies = np.array([0.1, 1.0, 7.0])
        _, values = signal.freqresp(other, frequencies)
        assert np.allclose(system.response(frequencies)[:, 0, 0], values, rtol=1e-9)
        times, outputs = system.step(duration=3.0, count=61)
        _, expected = signal.step(other, T=times)
        assert np.allclose(outputs[:, 0], expected, atol=1e-9)
        zeros = system.zeros()
        assert np.allclose(np.sort_complex(other.to_zpk().zeros), np.sort_complex(zeros), atol=1e-6)


def test_sampled_systems_are_those_of_scipy() -> None:
    system = random_system(3, 4, 2, 2)
    held = system.sampled(0.05)
    a, b, c, d, _ = signal.cont2discrete((system.A, system.B, system.C, system.D), 0.05)
    assert np.allclose(held.A, a) and np.allclose(held.B, b)
    assert held.sample == 0.05
    assert vinci.control.scipy_system(held).dt == 0.05


def test_a_channel_is_a_transfer_function_of_scipy() -> None:
    plant = vinci.control.transfer_function([2, 6], [1, 3, 2])
    channel = vinci.control.scipy_transfer_function(plant)
    assert np.allclose(channel.num, [2, 6]) and np.allclose(channel.den, [1, 3, 2])
    # What cancels is left out: (s + 1)/(s + 1)(s + 2).
    twice = vinci.control.transfer_function([1, 1], [1, 3, 2])
    assert np.allclose(vinci.control.scipy_transfer_function(twice).den, [1, 2])
    nothing = vinci.control.System([[0.0]], [[0.0]], [[1.0]], [[0.0]])
    with pytest.raises(vinci.Error, match="nothing comes"):
        vinci.control.scipy_transfer_function(nothing)


def test_loops_and_root_loci() -> None:
    plant = vinci.control.transfer_function([1], [1, 2, 0])
    gains, poles = plant.root_locus([0, 1, 4])
    assert {0, 1, 4} <= set(gains)
    for gain, row in zip(gains, poles):
        loop = plant.feedback(vinci.control.gain(gain))
        assert np.allclose(np.sort_complex(row), np.sort_complex(loop.poles()), atol=1e-6)
    assert plant.margins()["stable"]
    assert plant.margins()["gain_margin"] == np.inf


def test_bad_systems_are_told() -> None:
    with pytest.raises(vinci.Error, match="B has 1 rows and 1 columns; accepted: 2 and 1"):
        vinci.control.System(np.eye(2), [[1.0]], [[1.0, 0.0]], [[0.0]])
    with pytest.raises(vinci.Error, match="not finite"):
        vinci.control.System([[np.nan]], [[1.0]], [[1.0]], [[0.0]])
    with pytest.raises(vinci.Error, match="higher degree"):
        vinci.control.transfer_function([1, 0, 0], [1, 1])
    with pytest.raises(vinci.Error, match="accepted: 0 to 0"):
        vinci.control.transfer_function([1], [1, 1]).transfer_function(1, 0)


def test_mistakes_name_what_is_accepted() -> None:
    make = vinci.control.transfer_function
    plant = make([1], [1, 1])
    with pytest.raises(vinci.Error, match="frequencies: accepted: finite numbers"):
        plant.response([float("nan")])
    for tolerance in (-1, 2, float("nan")):
        for ask in (plant.zeros, plant.minimal):
            with pytest.raises(vinci.Error, match="tolerance: .*accepted: 0 or more, below 1"):
                ask(tolerance)
    with pytest.raises(vinci.Error, match="has no numerator"):
        make([], [1, 1])
    with pytest.raises(vinci.Error, match="accepted: a shorter duration"):
        make([1], [1, -1]).step(0, 1e6, 5)
    assert make([1], [1, 0]).response([0.0])[0, 0, 0] == np.inf


def test_the_border_of_stability_is_told() -> None:
    swing = vinci.control.transfer_function([1], [1, 0, 1])
    assert not swing.is_stable() and swing.stability == "marginal"
    margins = vinci.control.transfer_function([6], [1, 3, 2, 0]).margins()
    assert margins["stability"] == "marginal" and margins["stable"] is False
    alternating = vinci.control.transfer_function([0.1], [1, 1], 0.1)
    assert alternating.stability == "marginal"
    assert alternating.margins()["stability"] == "unstable"


def test_scaled_channels_keep_their_parts() -> None:
    system = vinci.control.System(np.diag([-1.0, -2.0]), [[1], [1e-10]], [[1, 1e10]], [[0]])
    channel = system.transfer_function()
    assert channel["gain"] == pytest.approx(2)
    assert channel["zeros"] == pytest.approx([-1.5])
    assert channel["miss"] < 1e-9 and channel["known_up_to"] == np.inf
