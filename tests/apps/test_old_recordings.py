# SPDX-License-Identifier: Apache-2.0
"""Recordings of earlier versions of the program are read, shown and exported, and not continued.

tests/data/recordings/recording-1-*.h5 are of format version 1, made before keys had kinds and memory
had records: a needle that hits a peg on a table, with supports, a rebound that is due and a change of
friction; a roller on compliant points (song-pang-kumar). Both are 40 steps of 1 ms.
"""
import csv
import json
import os
import shutil

import h5py
import numpy
import pytest

from conftest import SOURCE
from view_helpers import serving

FOLDER = SOURCE / "tests" / "data" / "recordings"
# State hashes after 40 steps, as the program had them that made the files.
HASHES = {"recording-1-peg": "8ec858e56a519d9d", "recording-1-roller": "6e8271086cc54bf7"}
# The code of the mathematical library that every x86-64 processor has: the same bits everywhere.
PORTABLE = {**os.environ,
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable"}


@pytest.fixture(params=HASHES)
def old(request, vinci):
    shutil.copy(FOLDER / f"{request.param}.h5", vinci.folder / "old.h5")
    (vinci.folder / "old.h5").chmod(0o644)
    vinci.hash = HASHES[request.param]
    return vinci


def test_info_tells_how_an_old_run_went(old):
    info = old.json("info", "old.h5")
    assert info["complete"] and info["steps"] == 40 and info["frames"] == 41
    assert info["state_hash"] == old.hash and info["inexact_steps"] == 0
    assert "40 of 40" in old("info", "old.h5").stdout


def test_every_old_frame_is_exported(old):
    old("export", "old.h5", "--csv", "tables")
    steps = list(csv.DictReader(open(old.folder / "tables" / "steps.csv", encoding="utf-8")))
    states = list(csv.DictReader(open(old.folder / "tables" / "states.csv", encoding="utf-8")))
    with h5py.File(old.folder / "old.h5", "r") as file:
        frames = file["frames"][:]
        assert [int(row["step"]) for row in steps] == list(range(41))
        assert [int(row["substeps"]) for row in steps] == list(frames["substeps"])
        heights = [float(row["y [m]"]) for row in states]
        assert numpy.array_equal(heights, file["poses"][:, :, 1].ravel())


def test_an_old_run_is_shown(old):
    old("view", "old.h5", "--html", "page.html")
    assert (old.folder / "page.html").stat().st_size > 100_000
    with serving(old.folder, "old.h5") as server:
        run = server.json("api/runs")[0]
        assert run["frames"] == 41 and ["state hash", old.hash] in run["lines"]
        assert server.frames("count=100&contacts=all")[0][2] == 41


# Steps of version 0.1 had other numbers: what cannot be continued bit for bit is not continued.
def test_an_old_run_is_not_continued_and_the_reason_is_told(old):
    before = (old.folder / "old.h5").read_bytes()
    message = old("run", "--resume", "old.h5", "--duration", "0.06", code=2).stderr
    assert "old.h5: cannot be continued bit for bit: it was made by version 0.1.0" in message
    assert (old.folder / "old.h5").read_bytes() == before


def test_a_step_of_an_old_run_is_solved_again_or_the_reason_is_told(old):
    done = old("solve", "old.h5", "--step", "33", "--json", code=None, env=PORTABLE)
    answer = json.loads(done.stdout.splitlines()[0])
    if done.returncode == 0:
        assert answer["status"] == "solved"
    else:
        assert "old.h5" in answer["note"]


@pytest.mark.parametrize("version, words", [
    ("2", "has format version 2, written by vinci "), ("zwei", "has the format version 'zwei'")])
def test_a_version_that_is_not_known_is_refused(old, version, words):
    with h5py.File(old.folder / "old.h5", "r+", libver="latest") as file:
        file.attrs["format_version"] = numpy.bytes_(version.encode())
    for command in (["info", "old.h5"], ["export", "old.h5", "--csv", "out"],
                    ["view", "old.h5", "--html", "page.html"], ["run", "--resume", "old.h5"],
                    ["solve", "old.h5", "--step", "3"]):
        message = old(*command, code=2).stderr
        assert message.startswith("old.h5: ") and words in message, message
    if version == "2":
        assert "reads versions up to 1: read it with a newer one" in message
