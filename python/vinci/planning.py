# SPDX-License-Identifier: Apache-2.0
"""The geometric model: can a body pass at all, can a robot get there?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _core
from .errors import Error
from .simulation import _scene

Range = Union[float, "tuple[float | None, float | None]"]


@dataclass(frozen=True)
class Passage:
    """What `vinci.plan` found.

    `status` is one of

    - 'found': the path is certified, every pose of it keeps the clearance;
    - 'not found': not within the effort, which is no proof;
    - 'impossible': proven, not even a disk inside the body gets there;
    - 'start blocked', 'goal blocked': there is no room at the start, or at the goal poses tried;
    - 'unreachable': joints do not bring the tip there, or not within their limits.
    """

    status: str
    note: str  #: one sentence about the status
    path: np.ndarray  #: per row x, y, angle, or x, y, z, roll, pitch, yaw (m, rad), or `joints`
    length: float  #: no point of a body travels farther, m
    least_gap: float  #: certified: what moves comes no nearer to a body that stands still, m
    samples: int  #: random poses or configurations tried
    queries: int  #: of the collision detector
    seconds: float  #: wall time
    recording: Path | None  #: where the path was recorded
    joints: tuple[str, ...] = ()  #: of a robot: whose coordinates the path has
    positions: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    #: of a robot: coordinates of all joints of the model, one configuration per row
    trajectory: _core.Trajectory | None = None
    #: of a robot: through the path in time, over all joint rates, for `JointController`; None
    #: without a path, and where a ball joint moves
    smooth: bool = False  #: of a robot: the trajectory does not stop on its way

    @property
    def found(self) -> bool:
        """There is a path, certified."""
        return self.status == "found"


def _ranges(given: Mapping[str, Range], what: str) -> dict[str, tuple[Any, Any]]:
    ranges: dict[str, tuple[Any, Any]] = {}
    for name, value in given.items():
        ends = value if isinstance(value, (tuple, list)) else (value, value)
        if len(ends) != 2 or not all(
            end is None or isinstance(end, (int, float, np.integer, np.floating)) for end in ends
        ):
            raise Error(
                f"is {value!r}; accepted: (lower, upper), either of them None, or a number",
                f"{what} {name}",
            )
        ranges[str(name)] = (ends[0], ends[1])
    return ranges


def plan(
    scene: Any,
    body: str | None = None,
    goal: Mapping[str, Range] | None = None,
    *,
    robot: str | None = None,
    joints: Sequence[str] = (),
    hold: Sequence[str] = (),
    tip: str | None = None,
    carry: Mapping[str, str] | None = None,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, Range] | None = None,
    parameters: Mapping[str, float] | None = None,
    clearance: float = 0.0,
    self_clearance: float = 0.0,
    resolution: float = 0.0,
    effort: int = 20_000,
    seed: int = 0,
    detector: str = "exact",
    record: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Passage:
    """Searches a path of one body, or of a robot, among the others at their initial poses.

    `goal` gives ranges of coordinates, `(lower, upper)` with None for no end: the motion ends where
    all hold. `start` replaces coordinates of the start, `bounds` says where the body's origin, or
    the joints, may go. The path keeps the gap to all bodies at `clearance` (m) or more. `effort` is
    the number of random poses to try; the same `seed` gives the same answer. `record` names a file
    for a recording of the path.

    >>> passage = vinci.plan(scenes / "slot.yaml", "square", {"y": (None, -0.1)})
    >>> passage.status
    'found'
    >>> vinci.plan(scenes / "slot.yaml", "square", {"y": (None, -0.1)},
    ...            parameters={"slot": 0.05}).status
    'impossible'

    Joints move instead of a body with `robot`, `joints` (names) or `tip`; those of `hold` stand
    still. The goal is one of joints, or with a `tip` (a body or frame) one of its pose. `carry` has
    bodies that move along with a link: `{"phone": "hand.palm"}`. Links keep `self_clearance` among
    each other. The answer then has `joints`, `positions` and a `trajectory`.
    """
    recorded = None if record is None else Path(record)
    if robot is not None or tip is not None or joints:
        if body is not None:
            raise Error("a body moves by itself; accepted: it, or robot, joints and tip", "body")
        query = {
            "robot": robot or "",
            "tip": tip or "",
            "joints": list(joints),
            "hold": list(hold),
            "carry": dict(carry or {}),
            "start": {str(name): float(value) for name, value in (start or {}).items()},
            "goal": _ranges(goal or {}, "goal"),
            "bounds": _ranges(bounds or {}, "bounds"),
            "clearance": clearance,
            "self_clearance": self_clearance,
            "resolution": resolution,
            "effort": effort,
            "seed": seed,
        }
        found = _core._plan_robot(
            _scene(scene), query, dict(parameters or {}), detector, recorded, overwrite
        )
        found["joints"] = tuple(found["joints"])
        found["positions"] = np.array(found["positions"], dtype=float)
    elif hold or carry:
        raise Error("needs joints that move; accepted with robot, joints or tip", "hold")
    else:
        found = _core._plan(
            _scene(scene),
            body or "",
            _ranges(goal or {}, "goal"),
            dict(start or {}),
            _ranges(bounds or {}, "bounds"),
            dict(parameters or {}),
            clearance,
            resolution,
            effort,
            seed,
            detector,
            recorded,
            overwrite,
        )
    rows = np.array(found.pop("path"), dtype=float)
    return Passage(path=rows, recording=recorded if len(rows) else None, **found)
