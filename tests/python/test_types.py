# SPDX-License-Identifier: Apache-2.0
"""The package is typed: mypy accepts it, its examples and proper use, and catches misuse; the stub
of the compiled module has what the module has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, ROOT

CONFIG = ROOT / "python" / "mypy.ini"


def mypy(cache: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], text=True, capture_output=True,
        timeout=PATIENCE, env={**os.environ, "MYPY_CACHE_DIR": str(cache)},
    )  # fmt: skip


def check(cache: Path, *files: Path) -> str:
    done = mypy(cache, "mypy", "--config-file", CONFIG, *files)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def test_the_package_passes_the_type_checker(cache: Path) -> None:
    assert "Success" in check(cache, ROOT / "python" / "vinci")


def test_the_stub_has_what_the_compiled_module_has(cache: Path) -> None:
    done = mypy(cache, "mypy.stubtest", "vinci._core", "--mypy-config-file", CONFIG, "--concise")
    # pybind11's own: its metaclass, and an __init__ that refuses where a class has none.
    ours = [
        line for line in done.stdout.splitlines()
        if line.strip() and not line.endswith("metaclass differs")
        and not line.endswith('__init__ is inconsistent, stub does not have *args argument "args"')
    ]  # fmt: skip
    assert not ours and "error" not in done.stderr, done.stderr


USE = '''
import numpy as np
import vinci

class Push(vinci.Controller):
    def act(self, model: vinci.Model, state: vinci.State, h: float, forces: np.ndarray,
            memory: np.ndarray) -> None:
        forces[model.body("block").velocity.start] += 1.0

simulation = vinci.Simulation("scene.yaml", solver="lemke", step=1e-3, controllers=[Push()])
report: vinci.StepReport = simulation.step()
status: str = report.status
height: float = float(simulation.state.poses[0, 1])
'''


def test_proper_use_passes(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(USE)
    assert "Success" in check(cache, tmp_path / "use.py")


@pytest.mark.parametrize("line, words", [
    ("simulation.stap()", 'has no attribute "stap"'),
    ("vinci.Simulation('scene.yaml', stop=1.0)", 'Unexpected keyword argument "stop"'),
    ("time: str = simulation.state.time", "Incompatible types in assignment"),
    ("vinci.Scene.load(3)", "incompatible type"),
])  # fmt: skip
def test_misuse_is_caught(line: str, words: str, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "misuse.py").write_text(USE + line + "\n")
    assert words in check(cache, tmp_path / "misuse.py")
