# SPDX-License-Identifier: Apache-2.0
"""Studies whose processes are killed, whose disk fails, and whose cases crash, hang or eat memory."""
import csv
import os
import random
import signal
import subprocess
import time

import pytest

from conftest import PATIENCE, PROGRAM, limits_addresses
from study_helpers import children, plugin, slide, table, write

SHIM = os.environ["VINCI_TEST_FAULTS"]


def test_killed_again_and_again_it_ends_with_the_same_table(vinci):
    write(vinci, slide(6000))
    vinci("study", "run", "slide.yaml", "-o", "whole")
    randomness = random.Random(5)
    process = vinci.start("study", "run", "slide.yaml", "--workers", "2")
    kills = 0
    while kills < 12:
        time.sleep(randomness.uniform(0.02, 0.2))
        if process.poll() is not None:
            if (vinci.folder / "runs/slide.study/table.csv").exists():
                break
            process = vinci.start("study", "resume" if kills else "run", "slide.yaml", "--workers",
                                  "2")
            continue
        workers = children(process.pid)
        which = randomness.randrange(3)
        if which == 0 and workers:
            os.kill(randomness.choice(workers), signal.SIGKILL)
        elif (vinci.folder / "runs/slide.study/study.sqlite").exists():
            process.kill()
            for worker in workers if which == 2 else []:
                try:
                    os.kill(worker, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait(timeout=PATIENCE)
        kills += 1
    process.wait(timeout=PATIENCE)
    vinci("study", "resume", "slide.yaml")
    assert table(vinci) == table(vinci, "whole")


@pytest.mark.parametrize("kind", ["space", "io", "short"])
def test_a_disk_that_fails_costs_nothing_that_was_there(vinci, kind):
    write(vinci, slide(300))
    vinci("study", "run", "slide.yaml", "-o", "whole")
    failures = 0
    for operation, at in [("write", n) for n in (1, 2, 3, 5, 8, 13, 21, 34)] + [("sync", 1),
                                                                               ("rename", 1)]:
        fault = {"LD_PRELOAD": SHIM, "FAULT_OPERATION": operation, "FAULT_AT": str(at),
                 "FAULT_KIND": kind, "FAULT_LASTS": "yes", "FAULT_LOG": str(vinci.folder / "fault")}
        done = subprocess.run([PROGRAM, "study", "run", "slide.yaml", "--workers", "1",
                               "--overwrite", "--quiet"], cwd=vinci.folder, capture_output=True,
                              text=True, timeout=PATIENCE, env={**os.environ, **fault})
        assert done.returncode in (0, 1) and (done.returncode == 0 or done.stderr), (at, done)
        failures += done.returncode
        there = (vinci.folder / "runs/slide.study/table.csv").exists()
        assert done.returncode == 1 or there
        resumed = vinci("study", "resume", "slide.yaml", code=None)
        if resumed.returncode != 0:  # not even the ledger could be begun
            vinci("study", "run", "slide.yaml", "--overwrite")
        assert table(vinci) == table(vinci, "whole"), (operation, at)
        assert not list(vinci.folder.glob("runs/slide.study/*partial*"))
    assert failures >= 3 or kind == "short"


@limits_addresses
def test_cases_that_crash_hang_or_eat_memory_are_results(vinci):
    scene = """\
world: planar
parameters: {speed: 1}
bodies:
  part: {shapes: [{circle: 0.1}], mass: 1, position: [0, 0], velocity: [speed, 0]}
run: {step: 1 ms, duration: 2 ms, stepper: bad}
"""
    text = """\
scene: block.yaml
uncertain: {speed: {discrete: {values: [1, 2, 100, 200, 300], weights: [500, 500, 5, 5, 5]}}}
measures: {way: {end: part.x}}
success: way > 0.003
limits: {time: 1 s, memory: 64 MB}
sample: {count: 800}
"""
    write(vinci, text, scene=scene)
    done = vinci.json("study", "run", "slide.yaml", "--plugin", plugin("bad_steps"), "--workers", "2")
    rows = list(csv.DictReader(open(vinci.folder / "runs/slide.study/table.csv")))
    assert len(rows) == 800 == done["cases"]
    statuses = {"1": "good", "2": "good", "100": "crashed", "200": "timed-out", "300": "crashed"}
    for row in rows:
        assert row["status"] == statuses[row["speed"]], row
        bad = row["speed"] not in ("1", "2")
        assert row["verdict"] == ("unknown" if bad else "success" if row["speed"] == "2"
                                  else "failure")
        assert bool(row["message"]) == bad and (row["way"] == "") == bad
    counts = vinci.json("study", "status", "slide.yaml", "--plugin", plugin("bad_steps"))["statuses"]
    assert counts["crashed"] > 2 and counts["timed-out"] > 2
