# SPDX-License-Identifier: Apache-2.0
"""What is raised on bad input."""

from __future__ import annotations

from typing import Iterable, NamedTuple


class Error(ValueError):
    """Bad input: `message` says what is wrong and what is accepted, `where` names the place.

    >>> try:
    ...     vinci.Simulation(scenes / "stack.yaml", step=-1)
    ... except vinci.Error as error:
    ...     print(error.where)
    step
    """

    message: str
    where: str

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message, where)
        self.message = message
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class Diagnostic(NamedTuple):
    """One mistake in a scene; `line` counts from 1 and is 0 where the mistake has no place."""

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line > 0 else self.file
        return ": ".join(part for part in (place, self.key, self.message) if part)


class SceneError(Error):
    """All mistakes of a scene at once, in `diagnostics`.

    >>> try:
    ...     ball = {"shapes": [{"circle": -1}]}
    ...     vinci.Scene.from_dict({"world": "planar", "bodies": {"ball": ball}})
    ... except vinci.SceneError as error:
    ...     print(error.diagnostics[0].key)
    bodies.ball.shapes[0].circle
    """

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(mistake) for mistake in self.diagnostics))
        self.args = (self.diagnostics,)
