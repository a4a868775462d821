# SPDX-License-Identifier: Apache-2.0
"""What tells one function from another, as far as it can be seen from outside."""

from __future__ import annotations

import dataclasses
import dis
import functools
import hashlib
import re
import sysconfig
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
_LIBRARIES = re.compile(
    "|".join(
        [r"/(dist|site)-packages/"]
        + [re.escape(path) for path in (sysconfig.get_path("stdlib"), str(Path(__file__).parent))]
    )
)


def identity_of(value: Any) -> str:
    """Of a function: its code, constants, defaults, what it has closed over and what it names, as 16 digits.

    Functions of libraries are known by their names, and so are objects other than numbers, texts,
    arrays, containers of them and dataclasses: what those hold is not seen.
    """
    return _Identity().add(value).digits()


class _Identity:
    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        # What may hold itself: the functions so far, and the containers around the place at hand.
        self._functions: list[Any] = []
        self._around: list[Any] = []

    def digits(self) -> str:
        return self._hash.hexdigest()[:16]

    def add(self, value: Any) -> _Identity:
        self._text(type(value).__qualname__)
        if isinstance(value, _PLAIN):
            return self._text(repr(value))
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return self._text(value.dtype.str, str(value.shape)).bytes(value.tobytes())
        if isinstance(value, np.generic) and not value.dtype.hasobject:
            return self._text(value.dtype.str).bytes(value.tobytes())
        if isinstance(value, (set, frozenset)):
            return self._text(*sorted(identity_of(item) for item in value))
        is_function = isinstance(value, types.FunctionType)
        known = self._functions if is_function else self._around
        for place, other in enumerate(known):
            if other is value:
                return self._text(str(place))
        known.append(value)
        for part in _parts_of(value):
            self.add(part)
        self.bytes(b"")  # the end of them
        if not is_function:
            known.pop()
        return self

    def bytes(self, data: bytes) -> _Identity:
        self._hash.update(len(data).to_bytes(8, "little") + data)
        return self

    def _text(self, *words: str) -> _Identity:
        for word in words:
            self.bytes(word.encode(errors="surrogatepass"))
        return self


def _parts_of(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, dict):
        for item in value.items():
            yield from item
    elif isinstance(value, types.CodeType):
        yield from _parts_of_code(value)
    elif isinstance(value, types.FunctionType):
        yield from _parts_of_function(value)
    elif isinstance(value, types.MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, types.ModuleType):
        yield value.__name__
    elif isinstance(value, (type, types.BuiltinFunctionType)):
        yield f"{value.__module__}.{value.__qualname__}"
    elif dataclasses.is_dataclass(value):
        yield from ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    else:
        if hasattr(value, "__wrapped__"):
            yield value.__wrapped__
        # An object that is called: by its code and by what it holds.
        call = getattr(type(value), "__call__", None)
        if isinstance(call, types.FunctionType):
            yield from (call, getattr(value, "__dict__", {}))


def _parts_of_code(code: types.CodeType) -> Iterator[Any]:
    yield from (code.co_code, code.co_names, code.co_freevars, code.co_cellvars)
    # Above these bits are the ways in which a whole file is compiled.
    yield from (code.co_argcount, code.co_kwonlyargcount, code.co_flags & 0xFFFF)
    yield getattr(code, "co_exceptiontable", b"")
    yield from code.co_consts


def _parts_of_function(function: types.FunctionType) -> Iterator[Any]:
    if _LIBRARIES.search(function.__code__.co_filename):
        yield f"{function.__module__}.{function.__qualname__}"
        return
    yield from (function.__code__, function.__defaults__, function.__kwdefaults__)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not set yet
            yield None
    for name in sorted(_globals_of(function.__code__)):
        if name in function.__globals__:
            yield from (name, function.__globals__[name])


def _globals_of(code: types.CodeType) -> set[str]:
    """Names that the code, or code within it, looks up in its module."""
    names = {
        str(it.argval) for it in dis.get_instructions(code) if it.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _globals_of(constant)
    return names
