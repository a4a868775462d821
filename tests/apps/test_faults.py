# SPDX-License-Identifier: Apache-2.0
"""A disk that fails: every call on the recording's file in turn, by a preloaded library (faults.c).
Whatever fails, the program ends with exit code 1 and a message, and the file that is there opens and
continues to the same state; and no memory is touched that is not its own (valgrind).
fault_sweep.py tries every call in every way."""
import os
import subprocess

import h5py
import pytest

from conftest import PATIENCE, PROGRAM, stack

SHIM = os.environ["VINCI_TEST_FAULTS"]
# Flushed after each step: some ten writes each.
STEPS = 40
CALLS = 300


class Disk:
    """Runs of one scene on a disk that fails."""

    def __init__(self, vinci):
        self.vinci = vinci
        self.path = vinci.folder / "run.h5"
        self.log = vinci.folder / "fault"
        vinci.scene(stack(boxes=2, duration=STEPS / 1000))
        self.whole = vinci.json("run", "scene.yaml", "-o", "whole.h5")["state_hash"]
        vinci("run", "scene.yaml", "-o", "begun.h5", "--duration", "0.005")

    def run(self, operation, at, kind, lasts, resumed, wrapper=()):
        for file in (self.path, self.log):
            file.unlink(missing_ok=True)
        arguments = ["run", "scene.yaml", "-o", self.path]
        if resumed:
            self.path.write_bytes((self.vinci.folder / "begun.h5").read_bytes())
            arguments = ["run", "--resume", self.path, "--duration", str(STEPS / 1000)]
        fault = {"LD_PRELOAD": SHIM, "FAULT_OPERATION": operation, "FAULT_AT": str(at),
                 "FAULT_KIND": kind, "FAULT_LASTS": "yes" if lasts else "", "FAULT_LOG": str(self.log)}
        return subprocess.run([*wrapper, PROGRAM, *map(str, arguments), "--flush-interval", "0",
                               "--quiet"], cwd=self.vinci.folder, text=True, capture_output=True,
                              timeout=PATIENCE, env={**os.environ, **fault})

    def check_file(self):
        """What is there opens as any file does, and continues to where the undisturbed run ends."""
        leftovers = [file.name for file in self.vinci.folder.iterdir() if ".part" in file.name]
        assert leftovers == []
        if not self.path.exists():
            return
        with h5py.File(self.path, "r") as file:
            frames = int(file["progress"]["frames"])
            assert len(file["frames"][:frames]) == frames >= 1
        again = self.vinci.json("run", "--resume", self.path, "--duration", STEPS / 1000)
        assert again["state_hash"] == self.whole

    def fails(self, operation, at, **how):
        """One fault; false if there were not so many calls. A call that a second, smaller one makes
        good is no failure of the run."""
        done = self.run(operation, at, **how)
        self.code = done.returncode
        if not self.log.exists():
            assert done.returncode == 0, done
            return False
        mended = how["kind"] == "short" or (operation == "reserve" and not how["lasts"])
        assert done.returncode in ((0, 1) if mended else (1,)), (operation, at, how, done)
        if done.returncode == 1:
            assert done.stderr.startswith(f"{self.path}: ") and "cannot " in done.stderr, done
        self.check_file()
        return True


@pytest.fixture
def disk(vinci):
    return Disk(vinci)


def test_a_write_that_fails_ends_the_run_with_a_message_and_a_file_that_continues(disk):
    """Torn blocks are put back; that needs a disk that takes the old bytes."""
    hows = [("space", False), ("io", True), ("short", False), ("torn", False), ("io", False),
            ("space", True)]
    count = 0
    for at in range(1, CALLS + 1):
        kind, lasts = hows[at % len(hows)]
        count += disk.fails("write", at, kind=kind, lasts=lasts, resumed=at // 6 % 2 == 1)
    assert count == CALLS, "the run must have so many writes"


@pytest.mark.parametrize("operation,least", [("reserve", 2), ("rename", 1), ("close", 3)])
def test_other_calls_that_fail_do_so_as_well(disk, operation, least):
    """There are few of them in a run: all are tried."""
    for resumed in (False, True):
        for kind in ("space", "io"):
            for lasts in (False, True):
                at = 1
                while disk.fails(operation, at, kind=kind, lasts=lasts, resumed=resumed):
                    at += 1
                assert at > least or resumed
                assert at < CALLS


@pytest.mark.parametrize("fault", [None, "io", "torn"])
def test_no_memory_is_touched_that_is_not_its_own(disk, fault):
    """Recording, closing, resuming; and the same when a write fails. Leaks are not looked for: the
    program ends without tidying up after an error."""
    valgrind = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=no"]
    for resumed in (False, True):
        at = 60 if fault else 10**9
        done = disk.run("write", at, fault or "space", False, resumed, wrapper=valgrind)
        assert done.returncode == (1 if fault else 0), done.stderr
        assert "Invalid" not in done.stderr and "ninitialised" not in done.stderr, done.stderr
        disk.check_file()


def test_a_problem_file_that_cannot_be_written_is_a_failure(disk):
    """It is written between the calls that open the recording and those that close it."""
    for operation, at in (("write", range(1, 40, 3)), ("close", range(1, 6)), ("rename", range(1, 4))):
        ends = {"whole": 0, "none": 0}
        for n in at:
            folder = disk.vinci.folder / f"{operation}-{n}"
            done = subprocess.run(
                [PROGRAM, "run", "scene.yaml", "-o", f"{operation}-{n}.h5", "--dump-problems",
                 "step 3", "--dump-dir", folder, "--quiet", "--duration", "0.004"],
                cwd=disk.vinci.folder, text=True, capture_output=True, timeout=PATIENCE,
                env={**os.environ, "LD_PRELOAD": SHIM, "FAULT_OPERATION": operation, "FAULT_KIND": "io",
                     "FAULT_LASTS": "yes", "FAULT_AT": str(n), "FAULT_LOG": str(disk.log)})
            if not disk.log.exists():
                assert done.returncode == 0, done
                continue
            disk.log.unlink()
            assert done.returncode == 1 and "Input/output error" in done.stderr, done
            files = list(folder.iterdir()) if folder.exists() else []
            for file in files:
                h5py.File(file, "r").close()
            ends["whole" if files else "none"] += 1
        assert ends["none"] > 0, ends
