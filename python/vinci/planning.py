# SPDX-License-Identifier: Apache-2.0
"""The geometric model: can a body pass at all?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
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
    - 'start blocked', 'goal blocked': there is no room at the start, or at the goal poses tried.
    """

    status: str
    note: str  #: one sentence about the status
    path: np.ndarray  #: one pose per row: x, y, angle, or x, y, z, roll, pitch, yaw (m, rad)
    length: float  #: no point of the body travels farther, m
    least_gap: float  #: certified: the body comes no nearer to another one, m
    samples: int  #: random poses tried
    queries: int  #: of the collision detector
    seconds: float  #: wall time
    recording: Path | None  #: where the path was recorded

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
    body: str,
    goal: Mapping[str, Range],
    *,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, Range] | None = None,
    parameters: Mapping[str, float] | None = None,
    clearance: float = 0.0,
    resolution: float = 0.0,
    effort: int = 20_000,
    seed: int = 0,
    detector: str = "exact",
    record: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Passage:
    """Searches a path of one body among the others, which stand at their initial poses.

    `goal` gives ranges of coordinates, `(lower, upper)` with None for no end: the motion ends where
    all hold. `start` replaces coordinates of the body's initial pose, `bounds` says where its origin
    may go. The path keeps the gap to all bodies at `clearance` (m) or more. `effort` is the number
    of random poses to try; the same `seed` gives the same answer. `record` names a file for a
    recording of the path.

    >>> passage = vinci.plan(scenes / "slot.yaml", "square", {"y": (None, -0.1)})
    >>> passage.status
    'found'
    >>> vinci.plan(scenes / "slot.yaml", "square", {"y": (None, -0.1)},
    ...            parameters={"slot": 0.05}).status
    'impossible'
    """
    found = _core._plan(
        _scene(scene),
        body,
        _ranges(goal, "goal"),
        dict(start or {}),
        _ranges(bounds or {}, "bounds"),
        dict(parameters or {}),
        clearance,
        resolution,
        effort,
        seed,
        detector,
        None if record is None else Path(record),
        overwrite,
    )
    rows = np.array(found.pop("path"), dtype=float)
    recorded = Path(record) if record is not None and len(rows) else None
    return Passage(path=rows, recording=recorded, **found)
