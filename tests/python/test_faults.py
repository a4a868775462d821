# SPDX-License-Identifier: Apache-2.0
"""A disk that fails while Python records: an exception, and an ordinary end of the process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import vinci
from conftest import PATIENCE

SCRIPT = """
import sys, vinci
simulation = vinci.Simulation(vinci.Scene.load(sys.argv[1]))
try:
    with vinci.Recorder(sys.argv[2], simulation, flush_interval=0) as recorder:
        for _ in range(20):
            simulation.step()
            recorder.after_step()
except vinci.Error as error:
    print(error)
    sys.exit(3)
"""


@pytest.mark.parametrize("operation", ["write", "close", "reserve"])
def test_a_disk_that_fails_does_not_crash_the_process_when_it_ends(
    scenes: Path, tmp_path: Path, operation: str
) -> None:
    # Write 13 and 22 once left HDF5 with files half closed.
    for at in [1, 2, 3, 5, 13, 22, 60, 100] if operation == "write" else [2, 3]:
        path, log = tmp_path / f"{at}.h5", tmp_path / "log"
        # A sanitizer that is loaded comes first.
        preloaded = f"{os.environ.get('LD_PRELOAD', '')} {os.environ['VINCI_TEST_FAULTS']}".strip()
        fault = {"LD_PRELOAD": preloaded, "FAULT_OPERATION": operation,
                 "FAULT_AT": str(at), "FAULT_KIND": "space", "FAULT_LASTS": "yes",
                 "FAULT_LOG": str(log)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(scenes / "stack.yaml"), str(path)], text=True,
            capture_output=True, timeout=PATIENCE, env={**os.environ, **fault})
        if not log.exists():
            assert done.returncode == 0 and at > 2, done
            continue
        log.unlink()
        assert done.returncode == 3 and "No space left" in done.stdout + done.stderr, (at, done)
        if path.exists():
            assert len(vinci.Recording(path)) >= 1


READER = """
import sys, vinci
refused = 0
for path in sys.argv[1:]:
    try:
        recording = vinci.Recording(path)
        recording.summary, recording.scene_text
        for frame in range(len(recording)):
            recording.state(frame)
    except vinci.Error:
        refused += 1
print(refused)
"""


def test_damaged_files_raise_an_error_and_hdf5_is_silent_when_the_process_ends(
    scenes: Path, tmp_path: Path
) -> None:
    """HDF5 once printed "infinite loop closing library", and bytes of the file that are no UTF-8 made
    the message itself fail."""
    simulation = vinci.Simulation(vinci.Scene.load(scenes / "stack.yaml"))
    with vinci.Recorder(tmp_path / "whole.h5", simulation) as recorder:
        for _ in range(5):
            simulation.step()
            recorder.after_step()
    whole = (tmp_path / "whole.h5").read_bytes()
    damage = random.Random(1)
    paths = []
    for k in range(120):
        content = bytearray(whole)
        # Where the file begins, all is structure, and later on texts.
        for _ in range(3):
            content[damage.randrange(500 if k % 2 else 8000)] = damage.randrange(256)
        paths.append(tmp_path / f"damaged-{k}.h5")
        paths[-1].write_bytes(content)
    done = subprocess.run([sys.executable, "-c", READER, *map(str, paths)], text=True,
                          capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0 and done.stderr == "", done
    assert int(done.stdout) > 60
