# SPDX-License-Identifier: Apache-2.0
"""Linear systems: poles, zeros, responses, margins, root loci, and their plots.

>>> plant = vinci.control.transfer_function([6], [1, 3, 2, 0])
>>> plant.poles().real.round(9) + 0.0
array([-2., -1.,  0.])
>>> round(plant.margins()["gain_margin"], 9)
1.0
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import System, transfer_system
from .control_plot import (
    plot_bode,
    plot_impulse,
    plot_nyquist,
    plot_pole_zero,
    plot_root_locus,
    plot_step,
)
from .errors import Error

__all__ = [
    "System", "gain", "plot_bode", "plot_impulse", "plot_nyquist", "plot_pole_zero",
    "plot_root_locus", "plot_step", "scipy_system", "scipy_transfer_function", "transfer_function",
]  # fmt: skip


def transfer_function(
    numerator: ArrayLike, denominator: ArrayLike, sample: float = 0.0
) -> System:
    """A system of one input and one output from its coefficients, highest power first."""
    return transfer_system(numerator, denominator, sample)


def gain(matrix: ArrayLike, sample: float = 0.0) -> System:
    """y = D u, without states; a number is one input and one output."""
    d = np.atleast_2d(np.asarray(matrix, dtype=float))
    outputs, inputs = d.shape
    return System(np.zeros((0, 0)), np.zeros((0, inputs)), np.zeros((outputs, 0)), d, sample)


def scipy_system(system: System) -> Any:
    """The same as `scipy.signal.StateSpace`, or its sampled kind."""
    from scipy import signal

    numbers = (system.A, system.B, system.C, system.D)
    if system.sample > 0:
        return signal.StateSpace(*numbers, dt=system.sample)
    return signal.StateSpace(*numbers)


def scipy_transfer_function(system: System, input: int = 0, output: int = 0) -> Any:
    """One channel as `scipy.signal.TransferFunction`, what cancels left out."""
    from scipy import signal

    channel = system.transfer_function(input, output)
    if channel["gain"] == 0:
        raise Error(f"nothing comes from input {input} to output {output}")
    numbers = (channel["numerator"], channel["denominator"])
    if system.sample > 0:
        return signal.TransferFunction(*numbers, dt=system.sample)
    return signal.TransferFunction(*numbers)
