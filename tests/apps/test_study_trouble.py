# SPDX-License-Identifier: Apache-2.0
"""Studies whose processes are killed, whose disk fails, and whose cases crash, hang or eat memory.
study_sweep.py tries every call in every way, and kills some hundred times."""
import csv
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import PATIENCE, PROGRAM, limits_addresses
from study_helpers import SCENE, children, plugin, slide, table, write

SHIM = os.environ["VINCI_TEST_FAULTS"]


# A look after each case: some three hundred writes.
OFTEN = slide(60) + "stop: {width: 1e-6, every: 1}\n"


class Kills:
    """Runs of a study whose processes are killed at random moments: a worker, the program, or all."""

    def __init__(self, vinci, seed, longest):
        self.vinci, self.longest = vinci, longest
        self.randomness = random.Random(seed)
        self.process = None
        self.starts = 0

    def run(self, kinds):
        """Kills of these kinds ('worker', 'program', 'all') happen, unless the study ends before."""
        kinds = list(kinds)
        self.randomness.shuffle(kinds)
        done = 0
        while done < len(kinds) and self.begin():
            time.sleep(self.randomness.uniform(0.02, self.longest))
            done += self.kill(kinds[done])
        if self.process:
            self.process.wait(timeout=PATIENCE)
        self.vinci("study", "resume", "slide.yaml")
        return done

    def begin(self):
        """False where the study is complete."""
        folder = self.vinci.folder / "runs/slide.study"
        if self.process and self.process.poll() is None:
            return True
        if (folder / "table.csv").exists():
            return False
        begun = (folder / "study.sqlite").exists() and self.starts > 0
        # Killed before its ledger was one: nothing has begun.
        begun = begun and not (self.process and self.process.poll() == 2)
        self.process = self.vinci.start("study", "resume" if begun else "run", "slide.yaml",
                                        "--workers", "2", "--quiet", *([] if begun else ["--overwrite"]),
                                        stderr=subprocess.DEVNULL)
        self.starts += 1
        return True

    def kill(self, kind):
        workers = children(self.process.pid)
        if kind == "worker":
            return bool(workers) and killed(self.randomness.choice(workers))
        if self.process.poll() is not None:
            return False
        self.process.kill()
        for worker in workers if kind == "all" else []:
            killed(worker)
        self.process.wait(timeout=PATIENCE)
        return True


def killed(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


class StudyDisk:
    """Runs of one study on a disk that fails."""

    def __init__(self, vinci, text=OFTEN):
        self.vinci = vinci
        write(vinci, text)
        vinci("study", "run", "slide.yaml", "-o", "whole", "--quiet")
        self.whole = table(vinci, "whole")
        self.folder = vinci.folder / "runs/slide.study"
        self.log = vinci.folder / "fault"

    def run(self, name, operation, at, kind, lasts):
        self.log.unlink(missing_ok=True)
        fault = {"LD_PRELOAD": SHIM, "FAULT_OPERATION": operation, "FAULT_AT": str(at),
                 "FAULT_KIND": kind, "FAULT_LASTS": "yes" if lasts else "", "FAULT_LOG": str(self.log)}
        more = ["--overwrite"] if name == "run" else []
        return subprocess.run([PROGRAM, "study", name, "slide.yaml", "--workers", "1", "--quiet", *more],
                              cwd=self.vinci.folder, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, **fault})

    def fails(self, operation, at, kind, lasts, resumed=False):
        """One fault, of a new run or of one that goes on; false if there were not so many calls."""
        if resumed:
            self.vinci("study", "run", "slide.yaml", "--workers", "1", "--quiet", "--overwrite")
            drop_half(self.folder)
        done = self.run("resume" if resumed else "run", operation, at, kind, lasts)
        self.code = done.returncode
        where = (operation, at, kind, lasts, resumed, done)
        if not self.log.exists():
            assert done.returncode == 0, where
            return False
        assert done.returncode in (0, 1) and (done.returncode == 0 or done.stderr), where
        assert done.returncode == 1 or (self.folder / "table.csv").read_bytes() == self.whole, where
        again = self.vinci("study", "resume", "slide.yaml", "--quiet", code=None)
        if again.returncode != 0:  # not even the ledger could be begun
            assert not resumed, where
            self.vinci("study", "run", "slide.yaml", "--overwrite", "--quiet")
        assert table(self.vinci) == self.whole, where
        if done.returncode == 0 or not lasts:
            assert not list(self.folder.glob("*partial*")), where
        return True


def drop_half(folder):
    """Makes a study that is complete one that was interrupted: its last rounds have not been."""
    for name in ("table.csv", "report.json"):
        (folder / name).unlink()
    ledger = sqlite3.connect(folder / "study.sqlite")
    with ledger:
        (cases,) = ledger.execute("SELECT max(first + size) FROM chunks").fetchone()
        for query in ("DELETE FROM rounds WHERE first >= ?", "DELETE FROM chunks WHERE first >= ?",
                      "DELETE FROM timings WHERE first >= ?"):
            ledger.execute(query, (cases // 2,))
        ledger.execute("UPDATE study SET value = 'no' WHERE key = 'complete'")
    ledger.close()


def test_killed_again_and_again_it_ends_with_the_same_table(vinci):
    write(vinci, slide(6000))
    vinci("study", "run", "slide.yaml", "-o", "whole")
    Kills(vinci, seed=5, longest=0.2).run(["worker"] * 4 + ["program"] * 4 + ["all"] * 4)
    assert table(vinci) == table(vinci, "whole")


def test_another_plugin_does_not_go_on_with_the_numbers_of_the_first(vinci):
    library = vinci.folder / "mine.so"
    library.write_bytes(pathlib.Path(plugin("bad_steps")).read_bytes())
    write(vinci, slide(20), scene=SCENE.replace("step: 1 ms", "stepper: bad, step: 1 ms"))
    vinci("study", "run", "slide.yaml", "--plugin", "mine.so", "--quiet")
    vinci("study", "resume", "slide.yaml", "--plugin", "mine.so", "--quiet")
    library.write_bytes(library.read_bytes() + b"other")
    refused = vinci("study", "resume", "slide.yaml", "--plugin", "mine.so", code=2).stderr
    assert "another study" in refused


def test_a_study_that_was_killed_before_its_ledger_was_one_begins_again(vinci):
    write(vinci, slide(20))
    folder = vinci.folder / "runs/slide.study"
    folder.mkdir(parents=True)
    (folder / "study.sqlite").touch()
    assert "vinci study run slide.yaml" in vinci("study", "resume", "slide.yaml", code=2).stderr
    assert vinci.json("study", "run", "slide.yaml")["complete"]


@pytest.mark.parametrize("kind", ["space", "io", "short"])
def test_a_disk_that_fails_costs_nothing_that_was_there(vinci, kind):
    disk = StudyDisk(vinci)
    failures = 0
    for number, at in enumerate((1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233)):
        disk.fails("write", at, kind, lasts=True, resumed=number % 2 == 1)
        failures += disk.code
    for operation in ("sync", "rename") if kind != "short" else ():
        assert disk.fails(operation, 1, kind, lasts=True)
        failures += disk.code
    assert failures >= 8 or kind == "short"


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
