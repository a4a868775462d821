# SPDX-License-Identifier: Apache-2.0
"""Reports and summaries have the fields of the program's tables, and so have stub and manual."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import vinci
from conftest import ROOT
from vinci import _core

TABLES = _core._report_fields()


def names(table: str) -> list[str]:
    return [field["name"] for field in TABLES[table]]


def test_stub_and_manual_are_as_the_tables_have_it() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "report_fields.py", "--check"],
        text=True, capture_output=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr + "run scripts/report_fields.py"


def test_every_field_of_a_step_is_an_attribute(tmp_path: Path) -> None:
    simulation = vinci.Simulation(ROOT / "scenes" / "stack.yaml", duration=0.01)
    report = simulation.step()
    for field in TABLES["step"]:
        value = getattr(report, field["name"])
        assert type(value).__name__ == field["type"].split("[")[0], field
    assert list(report.seconds) == ["detect", "formulate", "solve", "advance"]


def test_frames_and_summaries_have_all_fields(tmp_path: Path) -> None:
    simulation = vinci.Simulation(ROOT / "scenes" / "stack.yaml", duration=0.01)
    simulation.run(record=tmp_path / "run.h5")
    with vinci.Recording(tmp_path / "run.h5") as recording:
        assert list(recording.frames.dtype.names) == names("frame")
        info, summary = recording.info(-1), recording.summary
        assert recording.frames["residual"].max() == summary.worst_residual
    assert [field.name for field in dataclasses.fields(info)] == names("frame")
    assert [field.name for field in dataclasses.fields(summary)] == names("summary")
    for table, row in (("frame", info), ("summary", summary)):
        for field in TABLES[table]:
            value = getattr(row, field["name"])
            assert type(value).__name__ == field["type"].split("[")[0], (table, field)
