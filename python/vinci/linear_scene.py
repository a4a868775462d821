# SPDX-License-Identifier: Apache-2.0
"""The linear system of a scene near a state or an equilibrium."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .analysis import _numbers, _texts
from .errors import Error
from .simulation import _scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Linearization:
    """What `vinci.linearize` found: deviations from a point, in the mode that acts there."""

    system: _core.System  #: with names of states, inputs and outputs
    of: str  #: 'model' (continuous time) or 'step' (sampled)
    time: float  #: s
    is_equilibrium: bool  #: the point is at rest and in balance
    imbalance: float  #: what is left of the balance
    point: dict[str, float]  #: coordinates, rates and further states by name
    inputs: dict[str, float]  #: forces that act at the point
    outputs: dict[str, float]  #: their values at the point
    mode: dict[str, str]  #: per constraint 'free', 'contact', 'sticking' or 'sliding'
    forces: dict[str, float]  #: of the constraints, N and N m
    basis: Array | None  #: constraints eliminated: deviations of all states are basis @ x
    limits: list[str]  #: contacts and friction that have two sides here, in words
    kinks: list[str]  #: laws that turn or jump here, in words; both empty: it is smooth
    other: _core.System | None  #: of a step with limits: the other side
    notes: list[str]  #: what else is to be known, in words
    data: dict[str, Any]  #: all of it, as `vinci linearize --json` has it

    def channel(self, input: str | int = 0, output: str | int = 0) -> _core.System:
        """The part from one input to one output, by name (without unit) or number."""
        return self.system.channel(
            [_index(input, self.system.inputs, "input")],
            [_index(output, self.system.outputs, "output")],
        )

    def transfer_function(self, input: str | int = 0, output: str | int = 0) -> dict[str, Any]:
        """Gain, zeros, poles and coefficients of a channel, what cancels left out."""
        return self.channel(input, output).transfer_function()

    def plot(self, kind: str = "bode", **options: Any) -> Axes | Figure:
        """A plot of `vinci.control`: 'bode', 'nyquist', 'pole_zero', 'root_locus', 'step' or
        'impulse'."""
        from . import control

        draw = getattr(control, f"plot_{kind}", None)
        if draw is None:
            known = ", ".join(n[5:] for n in control.__all__ if n.startswith("plot_"))
            raise Error(f"there is no plot '{kind}'; accepted: {known}")
        result: Axes | Figure = draw(self.system, **options)
        return result

    def __repr__(self) -> str:
        at = "equilibrium" if self.is_equilibrium else "state"
        return (
            f"<vinci.Linearization of a {self.of} at a{'n' if at[0] == 'e' else ''} {at}: "
            f"{len(self.system.states)} states, {len(self.system.inputs)} inputs, "
            f"{len(self.system.outputs)} outputs>"
        )


def _bare(name: str) -> str:
    return name.split(" [")[0]


def _index(which: str | int, names: Sequence[str], what: str) -> int:
    if isinstance(which, int):
        return which
    for number, name in enumerate(names):
        if which in (name, _bare(name)):
            return number
    known = ", ".join(_bare(name) for name in names)
    raise Error(f"there is no {what} '{which}'; accepted: {known}")


def _list(names: str | Iterable[str] | Mapping[str, Any]) -> list[str]:
    if isinstance(names, str):
        return [part.strip() for part in names.split(",") if part.strip()]
    if isinstance(names, Mapping):
        return [f"{name}={value}" for name, value in names.items()]
    return [str(name) for name in names]


def linearize(
    scene: _core.Scene | str | os.PathLike[str] | Mapping[str, Any],
    at: float = 0.0,
    *,
    equilibrium: bool = False,
    inputs: str | Iterable[str] | Mapping[str, float] = (),
    outputs: str | Iterable[str] = (),
    mode: str | Iterable[str] | Mapping[str, str] = (),
    eliminate: bool = False,
    open_loop: bool = False,
    of: str = "",
    parameters: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **run: Any,
) -> Linearization:
    """The linear system of a scene at the time `at` (s), or at an equilibrium near its state there.

    `inputs` are forces ("arm.effort", "ball.force_x"; a mapping gives their values at the point),
    `outputs` coordinates, rates, forces of constraints and signals ("ball.x", "ball.vx",
    "ball-floor.force"), `mode` says what acts ({"ball-floor": "contact"}) where that is not to be
    as it is at the state. Constraints that act stay in the system with their stabilisation, or are
    solved for with `eliminate`. `open_loop` leaves controllers out. `of` is "model", or "step" for
    the map of one time step; if not given, as the stepper of the run moves.

    >>> pendulum = {"world": "planar", "bodies": {"rod": {"mass": 1, "inertia": 0.1}},
    ...     "joints": {"pin": {"revolute": ["world", "rod"], "at": [[0, 0], [0, 0.5]]}}}
    >>> hanging = vinci.linearize(pendulum, equilibrium=True, of="model", outputs="pin.position")
    >>> hanging.system.poles().imag.round(3)  # sqrt(m g l / (J + m l²))
    array([-3.744,  3.744])
    """
    how = {
        "at": float(at), "equilibrium": bool(equilibrium), "inputs": _list(inputs),
        "outputs": _list(outputs), "mode": _list(mode), "eliminate": bool(eliminate),
        "open_loop": bool(open_loop), "of": of,
    }  # fmt: skip
    answer, system, other, basis = _core._linearize(
        _scene(scene), _texts(options, run), _numbers(parameters), how
    )
    data = json.loads(answer)
    point = data["point"]
    return Linearization(
        system=system, of=data["of"], time=data["time"],
        is_equilibrium=data["equilibrium"]["found"], imbalance=data["equilibrium"]["imbalance"],
        point={**point["coordinates"], **point["rates"], **point["further_states"]},
        inputs=point["inputs"], outputs=point["outputs"],
        mode={one["name"]: one["state"] for one in data["mode"]},
        forces={one["name"]: one["force"] for one in data["mode"]},
        basis=basis if eliminate else None, limits=data["limits"],
        kinks=data["kinks"], other=other, notes=data["notes"], data=data,
    )  # fmt: skip
