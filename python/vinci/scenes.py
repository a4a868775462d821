# SPDX-License-Identifier: Apache-2.0
"""Scenes given as plain Python data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._core import Scene
from .errors import Diagnostic, SceneError

_DEEPEST = 64


def parse(scene: Any, name: str) -> Scene:
    """The scene that the data stands for; mistakes name the path of their key."""
    data = plain(scene, name, "scene")
    # JSON is YAML; one value per line keeps lines short.
    text = json.dumps(data, indent=0, allow_nan=False)
    try:
        return Scene.parse(text, name)
    except SceneError as error:
        # The lines are those of a text that nobody has seen.
        raise SceneError(mistake._replace(line=0) for mistake in error.diagnostics) from None


def plain(data: Any, name: str, kind: str) -> Any:
    """The data of a document in types that JSON knows; mistakes name the path of their key."""
    mistakes: list[Diagnostic] = []
    result = _plain(data, "", name, mistakes, 0)
    if not mistakes and not isinstance(result, dict):
        mistakes.append(Diagnostic(name, 0, "", f"a {kind} is a dict"))
    if mistakes:
        raise SceneError(mistakes)
    return result


def _plain(value: Any, path: str, name: str, mistakes: list[Diagnostic], depth: int) -> Any:
    """The value in types that JSON knows."""

    def refuse(message: str) -> None:
        mistakes.append(Diagnostic(name, 0, path, message))

    if depth > _DEEPEST:
        return refuse("is nested too deeply, or contains itself")
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else refuse(f"{value} is not a finite number")
    if isinstance(value, Mapping):
        result = {}
        for key, child in value.items():
            if not isinstance(key, str):
                refuse(f"the key {key!r} is not a text")
                continue
            result[key] = _plain(
                child, f"{path}.{key}" if path else key, name, mistakes, depth + 1
            )
        return result
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [
            _plain(child, f"{path}[{i}]", name, mistakes, depth + 1)
            for i, child in enumerate(value)
        ]
    return refuse(
        f"a {type(value).__name__} cannot stand in a scene; accepted: dicts, lists, numbers, texts"
    )
