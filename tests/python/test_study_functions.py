# SPDX-License-Identifier: Apache-2.0
"""Functions as measures of studies: what they raise, how they end, and which ones they are."""

from __future__ import annotations

import functools
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinci
from conftest import PATIENCE
from test_study import STUDY, WITH_FUNCTION, again, folder  # noqa: F401
from vinci.function_identity import identity_of


def run(where: Path, function: Callable[[vinci.State], Any], workers: int) -> vinci.Study:
    study = vinci.Study(WITH_FUNCTION, folder=where, measures={"again": function})
    return study.run(workers=workers)


def table_of(study: vinci.Study, where: Path) -> bytes:
    study.to_csv(where / "table.csv")
    return (where / "table.csv").read_bytes()


class Odd(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def test_what_a_function_raises_is_told_alike_by_every_process(folder: Path) -> None:  # noqa: F811
    def raises(state: vinci.State) -> float:
        way = state.position("block")[0]
        if way > 0.0092:
            raise ValueError("boo")
        if way > 0.0088:
            raise Odd
        if way > 0.008:
            sys.exit(3)
        return "far" if way > 0.007 else 1.0  # type: ignore[return-value]

    one, two = run(folder, raises, 1), run(folder, raises, 2)
    assert table_of(one, folder) == table_of(two, folder)
    results = one.results
    failed = results[results["status"] == "failed"]
    assert set(failed["message"]) == {
        "ValueError: boo", "Odd", "SystemExit: 3", "a measure gave 'str'; accepted: a number",
    }  # fmt: skip
    for study in (one, two):
        assert all(study.repeat(int(k)).same for k in results["number"][::7])
        assert all(study.repeat(int(k)).same for k in failed["number"][:5])


def test_a_function_that_ends_its_process_is_a_crashed_case(folder: Path) -> None:  # noqa: F811
    def ends(state: vinci.State) -> float:
        if state.position("block")[0] > 0.0088:
            import os

            os._exit(7)
        return 1.0

    expected = run(folder, again, 1).results["again"] > 0.0088
    results = run(folder, ends, 2).results
    assert 0 < expected.sum() < len(expected)
    assert ((results["status"] == "crashed") == expected).all()
    assert set(results["message"][expected]) == {"ended its worker 3 times"}


def test_statuses_have_the_names_of_the_table(folder: Path) -> None:  # noqa: F811
    study = vinci.Study(STUDY + "limits: {steps: 5}\n", folder=folder).run(workers=1)
    assert set(study.results["status"]) == {"timed-out"}
    assert set(study.report["statuses"]) >= {"timed-out"} and study.repeat(0).status == "timed-out"
    assert study.report["troubled"][0]["command"] == "study.repeat(0)"


def test_ctrl_c_waits_for_no_function(folder: Path) -> None:  # noqa: F811
    script = (
        "import os, time, vinci\n"
        "def again(state):\n"
        "    os.write(1, b'under way\\n')\n"
        "    time.sleep(1e6)\n"
        f"study = vinci.Study({WITH_FUNCTION!r}, folder={str(folder)!r}, measures={{'again': again}})\n"
        f"study.run(output={str(folder / 'cut.study')!r}, workers=2)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "under way\n"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode != 0 and "KeyboardInterrupt" in errors


def test_another_function_does_not_go_on_with_the_numbers_of_the_first(
    folder: Path,  # noqa: F811
) -> None:
    place = folder / "kept.study"

    def study(function: Callable[[vinci.State], Any]) -> vinci.Study:
        return vinci.Study(WITH_FUNCTION, folder=folder, measures={"again": function})

    study(lambda state: state.position("block")[0]).run(output=place, workers=1)
    # The same code once more is the same function.
    assert len(study(lambda state: state.position("block")[0]).resume(output=place).results) == 60
    other = study(lambda state: 2 * state.position("block")[0])
    with pytest.raises(vinci.Error, match="another function 'again'"):
        other.open(place)
    with pytest.raises(vinci.Error, match="another function 'again'"):
        other.resume(output=place)
    other.run(output=place, workers=1, overwrite=True)
    # The program is no way around it.
    (folder / "far.yaml").write_text(WITH_FUNCTION)
    head = vinci.Study(folder / "far.yaml", measures={"again": again})
    assert "again=" in head._identities


def of_limit(limit: Any) -> Callable[[Any], Any]:
    return lambda state: state > limit


def by_default(limit: float) -> Callable[..., Any]:
    def function(state: Any, least: float = limit, *, most: float = 2 * limit) -> Any:
        return least < state < most

    return function


@dataclass
class Box:
    width: float


class Called:
    def __init__(self, limit: float) -> None:
        self.limit = limit

    def __call__(self, state: Any) -> Any:
        return state > self.limit

    def method(self, state: Any) -> Any:
        return state < self.limit


def from_source(code: str, name: str = "f") -> Any:
    """A function as another process would have it."""
    scope: dict[str, Any] = {}
    exec(compile(code, "somewhere.py", "exec"), scope)  # noqa: S102
    return scope[name]


DIFFERENT: list[Callable[[float], Any]] = [
    of_limit,
    by_default,
    Called,
    lambda x: Called(x).method,
    lambda x: functools.partial(of_limit, x),
    lambda x: functools.lru_cache(of_limit(x)),
    lambda x: of_limit([1, {"a": x}]),
    lambda x: of_limit({x, 3.0, "b"}),
    lambda x: of_limit(np.array([1.0, x])),
    lambda x: of_limit(np.float64(x)),
    lambda x: of_limit(Box(x)),
    lambda x: of_limit(of_limit(of_limit(x))),
    lambda x: from_source(f"def f(s):\n    return s + {x}\n"),
    lambda x: from_source(f"def f(s):\n    return [(lambda: {x})() for _ in s]\n"),
    lambda x: from_source(f"limit = {x}\ndef f(s):\n    return s > limit\n"),
    lambda x: from_source(f"def g(s):\n    return s + {x}\ndef f(s):\n    return g(s)\n"),
    lambda x: from_source(f"def f(s):\n    return f(s - {x})\n"),
    lambda x: from_source(f"import math\ndef f(s):\n    return math.{['sin', 'cos'][x > 1]}(s)\n"),
    lambda x: from_source(f"def f(s):\n    return s in {{'a', 'b', 'c', {x}}}\n"),
    lambda x: from_source(f"def f(s):\n    try:\n        return 1 / s\n    except {['ValueError', 'OSError'][x > 1]}:\n        return 0\n"),
]  # fmt: skip


@pytest.mark.parametrize("make", DIFFERENT)
def test_functions_are_told_apart_by_their_code_and_by_what_they_hold(
    make: Callable[[float], Any],
) -> None:
    assert identity_of(make(1.0)) == identity_of(make(1.0))
    assert identity_of(make(1.0)) != identity_of(make(2.0))


def test_what_holds_itself_has_an_end() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert identity_of(of_limit(loop)) == identity_of(of_limit(loop))
    assert identity_of([[1], 2]) != identity_of([[1, 2]])


def test_a_function_is_the_same_in_every_process() -> None:
    code = (
        "import json, vinci.function_identity as v\n"
        "limit = {'b', 'a', 'c'}\n"
        "def g(s, t=(1, 2.5)):\n    return s in limit or s in {'x', 'y', 'z'}\n"
        "def f(s):\n    return [g(x) for x in s]\n"
        "print(v.identity_of(f))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=PATIENCE,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(said) == 1 and len(json.loads(json.dumps(said.pop())).strip()) == 16
