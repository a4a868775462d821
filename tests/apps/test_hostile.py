# SPDX-License-Identifier: Apache-2.0
"""Texts, places and limits that do harm: what the program prints, replaces and allocates."""
import json
import re
import resource
import signal
import subprocess

import h5py
import numpy
import pytest

from conftest import BLOCK, PATIENCE, PROGRAM, limits_addresses, stack

# Colours, a new title of the window, a bell, a carriage return, the same in one byte, and a mark
# that turns the direction of writing.
NASTY = "a\x1b[31mb\x1b]0;owned\x07c\rd\x7fe\u009b31mf\u202eg"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def check_shown(text):
    assert not CONTROL.search(text), repr(text)


def test_control_characters_of_a_title_reach_no_output(vinci):
    vinci.scene(BLOCK.replace("title: sliding block", "title: " + json.dumps(NASTY + "\nsecond line")))
    check_shown(vinci("check", "scene.yaml").stdout)
    ran = vinci("run", "scene.yaml", "-o", "run.h5").stdout
    check_shown(ran)
    assert "a\\u001b[31mb" in ran and "\\u000asecond line" in ran
    check_shown(vinci("info", "run.h5").stdout)
    check_shown(vinci("compare", "scene.yaml", "--across", "solver=auto,gauss-seidel", "--duration",
                      "0.01").stdout)
    for key, value in vinci.json("info", "run.h5").items():
        check_shown(json.dumps(value, ensure_ascii=False))
    vinci("view", "run.h5", "--html", "page.html")
    check_shown((vinci.folder / "page.html").read_text(encoding="utf-8").replace("\r\n", "\n")[:4000])


def test_control_characters_in_names_are_refused_in_scenes(vinci):
    vinci.scene(BLOCK.replace("  block:", '  "blo\\u009bck":'))
    message = vinci("check", "scene.yaml", code=2).stderr
    assert "control characters" in message
    check_shown(message)
    vinci.scene(BLOCK + json.dumps(NASTY) + ": 1\n")
    message = vinci("check", "scene.yaml", code=2).stderr
    check_shown(message)
    name = "no\x1b[31msuch.yaml"
    check_shown(vinci("check", name, code=2).stderr)
    check_shown(vinci("run", "scene.yaml", "--" + NASTY, code=2).stderr)


def test_control_characters_in_a_recording_of_others_reach_no_output(vinci):
    vinci("run", vinci.scene(BLOCK), "-o", "run.h5")
    with h5py.File(vinci.folder / "run.h5", "r+") as file:
        names = numpy.array([b"fl\x1bor", b"bl\nock"])
        del file["bodies/name"], file["provenance/title"], file["provenance/version"]
        file["bodies/name"] = names
        file["provenance/title"] = numpy.bytes_(b"ti\x1b[31mtle\xff")
        file["provenance/version"] = numpy.bytes_(b"9\x07")
    shown = vinci("info", "run.h5").stdout
    check_shown(shown)
    assert "bl\\u000aock" in shown and "ti\\u001b[31mtle\\xff" in shown
    vinci("export", "run.h5", "--csv", "tables")
    for table in (vinci.folder / "tables").glob("*.csv"):
        text = table.read_text()
        check_shown(text)
        assert len({line.count(",") for line in text.splitlines()}) == 1


@pytest.mark.parametrize("arguments", [
    ["list"], ["schema"], ["--help"], ["--version"], ["run", "--help"], ["check", "scene.yaml"],
    ["check", "scene.yaml", "--json"], ["run", "scene.yaml", "-o", "new.h5"], ["info", "run.h5"],
    ["info", "run.h5", "--json"], ["export", "run.h5", "--csv", "tables"]], ids=" ".join)
def test_a_full_standard_output_is_a_failure(vinci, arguments):
    vinci("run", vinci.scene(BLOCK), "-o", "run.h5")
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *arguments], cwd=vinci.folder, stdout=full, text=True,
                              stderr=subprocess.PIPE, timeout=PATIENCE)
    assert done.returncode == 1
    assert "standard output: cannot be written: No space left on device" in done.stderr


def test_only_recordings_are_overwritten(vinci):
    vinci.scene(BLOCK)
    (vinci.folder / "notes.txt").write_text("years of work\n")
    with h5py.File(vinci.folder / "other.h5", "w") as file:
        file["measured"] = numpy.arange(10)
    vinci("run", "scene.yaml", "-o", "cut.h5")
    cut = (vinci.folder / "cut.h5").read_bytes()[:3000]
    (vinci.folder / "cut.h5").write_bytes(cut)
    for name in ("notes.txt", "other.h5", "scene.yaml", "cut.h5"):
        before = (vinci.folder / name).read_bytes()
        for command in (["run", "scene.yaml"], ["run", "scene.yaml", "--quiet", "--json"]):
            done = vinci(*command, "-o", name, "--overwrite", code=2)
            assert "is not a recording" in done.stderr + done.stdout
        assert (vinci.folder / name).read_bytes() == before
    (vinci.folder / "empty.h5").write_bytes(b"")
    vinci("run", "scene.yaml", "-o", "empty.h5", "--overwrite")
    vinci("run", "scene.yaml", "-o", "empty.h5", "--overwrite", "--duration", "0.01")
    assert vinci.json("info", "empty.h5")["step"] == 10


@limits_addresses
@pytest.mark.parametrize("command", [
    ["run", "scene.yaml", "-o", "new.h5", "--flush-interval", "0"], ["info", "run.h5"],
    ["compare", "scene.yaml", "--across", "solver=auto,gauss-seidel", "--duration", "0.01"],
    ["check", "scene.yaml"], ["export", "run.h5", "--csv", "tables"]], ids=lambda command: command[0])
def test_a_failed_allocation_is_a_failure_not_an_abort(vinci, command):
    """From just enough to load the program, libraries and all, to enough for its work."""
    vinci.scene(stack(boxes=8, duration=0.1))
    vinci("run", "scene.yaml", "-o", "run.h5")

    def limited(megabytes, command):
        limit = int(megabytes * 2**20)
        (vinci.folder / "new.h5").unlink(missing_ok=True)
        return subprocess.run(
            [PROGRAM, *command], cwd=vinci.folder, capture_output=True, text=True, timeout=PATIENCE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    low, high = 10, 400
    while high - low > 0.125:
        middle = (low + high) / 2
        loads = limited(middle, ["--version"]).returncode == 0
        low, high = (low, middle) if loads else (middle, high)
    failed, megabytes = 0, high
    while (done := limited(megabytes, command)).returncode != 0:
        assert done.returncode == 1 and done.stderr != "", (megabytes, done)
        failed += 1
        megabytes += 0.25
    assert failed > 0


@pytest.mark.parametrize("kind", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_the_exit_code_names_the_signal(vinci, kind):
    vinci.scene(stack(duration=500))
    process = vinci.start("run", "scene.yaml", "-o", "run.h5", "--flush-interval", "0.01",
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
    vinci.wait_for_frames("run.h5", 2)
    process.send_signal(kind)
    assert process.wait(timeout=PATIENCE) == 128 + kind
