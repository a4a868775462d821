# SPDX-License-Identifier: Apache-2.0
"""Everything public has a docstring, and the examples in them are true."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import vinci
from conftest import ROOT


def documented() -> Iterator[tuple[str, Any]]:
    """Public classes and functions, and the members of the classes, by their full names."""
    yield "vinci", vinci
    for name in vinci.__all__:
        thing = getattr(vinci, name)
        yield name, thing
        if inspect.ismodule(thing):
            yield from ((f"{name}.{inner}", getattr(thing, inner)) for inner in thing.__all__)
        if not inspect.isclass(thing):
            continue
        for member_name in dir(thing):
            member = inspect.getattr_static(thing, member_name)
            if not member_name.startswith("_") and not inherited(thing, member_name):
                yield f"{name}.{member_name}", member


def inherited(thing: type, member: str) -> bool:
    """From a class that is not ours, or a plain attribute that its class describes."""
    owner = next((base for base in thing.__mro__ if member in vars(base)), thing)
    value = inspect.getattr_static(thing, member)
    plain = not (callable(value) or isinstance(value, (property, staticmethod, classmethod)))
    return not owner.__module__.startswith("vinci") or plain


def text_of(thing: Any) -> str:
    return getattr(thing, "__func__", thing).__doc__ or ""


@pytest.mark.parametrize("name, thing", documented(), ids=lambda value: str(value)[:40])
def test_public_things_are_described(name: str, thing: Any) -> None:
    words = text_of(thing).split("->", 1)[-1] if not inspect.isclass(thing) else text_of(thing)
    obvious = {"name", "title", "iterations", "note", "u", "solutions", "closed", "law", "rows",
               "unknowns", "residual", "impulse", "body_names", "path", "scene", "model",
               "simulation"}  # fmt: skip
    assert len(words.strip()) > 0 or name.split(".")[-1] in obvious


@pytest.mark.parametrize(
    "name, thing",
    [(name, thing) for name, thing in documented() if ">>>" in text_of(thing)],
    ids=lambda value: str(value)[:40],
)
def test_examples_are_true(name: str, thing: Any, tmp_path: Path) -> None:
    names = {"vinci": vinci, "np": np, "scenes": ROOT / "scenes", "problems": ROOT / "problems",
             "tmp": tmp_path}  # fmt: skip
    parsed = doctest.DocTestParser().get_doctest(text_of(thing), names, name, None, 0)
    report: list[str] = []
    failures, attempts = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        parsed, out=report.append
    )
    # What opens a browser is shown, not done.
    shown = all(doctest.SKIP in example.options for example in parsed.examples)
    assert (attempts > 0 or shown) and failures == 0, "".join(report)
