# SPDX-License-Identifier: Apache-2.0
"""Drives the program `vinci` (its path is in VINCI_PROGRAM) and looks at what it prints and writes."""
import json
import os
import pathlib
import subprocess
import time

import h5py
import pytest

PROGRAM = os.environ["VINCI_PROGRAM"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
# s: a net under what would never end. Nothing is measured by it: a busy machine must not come near.
PATIENCE = 600
# A sanitizer reserves terabytes of addresses: a program with one cannot live within less.
limits_addresses = pytest.mark.skipif(
    os.environ.get("VINCI_SANITIZED", "") != "", reason="sanitizers need all addresses")

# A block that slides to rest: 200 steps, two contacts.
BLOCK = """\
title: sliding block
world: planar
parameters: {mu: 0.5, speed: 0.5}
materials:
  wood: {friction: mu}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block:
    shapes: [{box: [0.2, 0.1], material: wood, density: 10}]
    position: [0, 0.05]
    velocity: [speed, 0]
run: {step: 1 ms, duration: 0.2 s}
"""


def stack(boxes=6, duration=1.0):
    """A tower pushed by a force at its foot: contacts open, slide and close all the time."""
    lines = ["title: tower", "world: planar", "materials: {wood: {friction: 0.4}}", "bodies:",
             "  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}"]
    for i in range(boxes):
        force = ", force: {x: 20*sin(40*t)}" if i == 0 else ""
        lines.append(f"  box-{i}: {{shapes: [{{box: [0.1, 0.1], material: wood, density: 100}}], "
                     f"position: [0, {0.05 + 0.1 * i:.2f}]{force}}}")
    lines.append(f"run: {{step: 1 ms, duration: {duration} s}}")
    return "\n".join(lines) + "\n"


def wait_for(condition):
    """Waits for what must come, however long it takes."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


class Vinci:
    """The program, run in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, code=0, **keywords):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=PATIENCE, errors="replace", **keywords)
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *arguments, code=0, **keywords):
        return json.loads(self(*arguments, "--json", code=code, **keywords).stdout)

    def start(self, *arguments, **keywords):
        keywords = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **keywords}
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, **keywords)

    def wait_for_frames(self, name, count):
        """Waits until the recording of a run that is under way has so many frames."""
        path = self.folder / name

        def enough():
            try:
                with h5py.File(path, "r", swmr=True) as file:
                    return int(file["progress"]["frames"]) >= count
            except OSError:  # not there yet, or just being written
                return False
        wait_for(enough)

    def scene(self, text, name="scene.yaml"):
        (self.folder / name).write_text(text)
        return name


@pytest.fixture
def vinci(tmp_path):
    return Vinci(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return Vinci(tmp_path_factory.mktemp("shared"))
