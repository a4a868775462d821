# SPDX-License-Identifier: Apache-2.0
"""Is a step's answer the only one?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .analysis import _numbers, _texts
from .simulation import _scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StepSolution:
    """One solution of a step."""

    velocity: dict[str, Array]  #: of the centres of mass, by the names of the bodies, m/s
    spin: dict[str, Array]  #: rad/s
    forces: Array  #: N on body b, one row per contact


@dataclass(frozen=True)
class FreeMotion:
    """A motion that costs nothing while the contact forces are held; its fastest point has 1 m/s."""

    velocity: dict[str, Array]  #: of the centres of mass, by the names of the bodies, m/s
    spin: dict[str, Array]  #: rad/s
    both_ways: bool  #: the reverse costs nothing either


@dataclass(frozen=True, repr=False)
class Certificate:
    """What `vinci.certify` proved of a step.

    `exists` is 'yes', 'none' or 'unknown'; `motion` (velocities) and `loads` (contact forces) are
    'unique', 'locally unique' (no other is near), 'several' or 'unknown'.
    """

    step: int  #: the step that was certified, from 1
    time: float  #: at its start, s
    certain: bool  #: a solution exists and its motion is the only one
    exists: str
    exists_because: str
    motion: str
    motion_because: str
    loads: str
    loads_because: str
    proposition_1: bool | None  #: whether the implication (32) holds; None with inertia
    solution: StepSolution | None  #: that the run takes
    free_motions: list[FreeMotion]  #: with the contact forces held
    families: list[list[StepSolution]]  #: continua of solutions, from end to end
    others: list[StepSolution]  #: further solutions
    missing: dict[str, tuple[Array, Array]]  #: per body, force (N) and torque (N m) for a balance
    data: dict[str, Any]  #: all of it, as `vinci certify --json` has it

    def __repr__(self) -> str:
        return f"<vinci.Certificate step {self.step}: exists {self.exists}, motion {self.motion}>"


def _motion(bodies: Mapping[str, Any]) -> dict[str, dict[str, Array]]:
    return {
        key: {name: np.array(one[key], dtype=float) for name, one in bodies.items()}
        for key in ("velocity", "spin")
    }


def _solution(one: Mapping[str, Any]) -> StepSolution:
    forces = np.array(one["forces"], dtype=float).reshape(-1, 3)
    return StepSolution(**_motion(one["bodies"]), forces=forces)


def certify(
    scene: Any,
    at: float = 0.0,
    *,
    parameters: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **run: Any,
) -> Certificate:
    """Whether the step that begins at the time `at` (s) has a solution, and whether it is the only
    one; the scene is run up to it. Keywords are the run's options, as of `vinci.Simulation`.

    >>> certificate = vinci.certify(scenes / "squeezed_part.yaml")
    >>> certificate.exists
    'yes'
    """
    data = json.loads(
        _core._certify(_scene(scene), _texts(options, run), _numbers(parameters), float(at))
    )
    same = ("step", "time", "certain", "exists", "exists_because", "motion", "motion_because",
            "loads", "loads_because", "proposition_1")  # fmt: skip
    return Certificate(
        **{key: data[key] for key in same},
        solution=None if data["solution"] is None else _solution(data["solution"]),
        free_motions=[
            FreeMotion(**_motion(one["bodies"]), both_ways=one["both_ways"])
            for one in data["free_motions"]
        ],
        families=[[_solution(one) for one in family] for family in data["families"]],
        others=[_solution(one) for one in data["others"]],
        missing={
            one["body"]: (np.array(one["force"]), np.array(one["torque"]))
            for one in data["missing"]
        },
        data=data,
    )
