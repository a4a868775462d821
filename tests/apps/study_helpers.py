# SPDX-License-Identifier: Apache-2.0
"""Studies for the tests of `vinci study`."""
import json
import os
import pathlib

from conftest import BLOCK, wait_for

SCENE = BLOCK.replace("0.2 s}", "0.02 s}")

# A block that slides; in each ten steps a case takes some 0.1 ms.
SLIDE = """\
title: how far the block slides
scene: block.yaml
seed: 3
uncertain:
  mu: {uniform: [0.2, 0.8]}
  speed: {normal: {mean: 0.5, deviation: 0.1}}
measures:
  way: {end: block.x}
success: way > 0.0085
"""

# Rounds whose designs and numbers follow from results.
ADAPTIVE = SLIDE.replace("  mu: {uniform: [0.2, 0.8]}\n", "") + """\
design: {mu: {from: 0.1, to: 0.9, grid: 9}}
map: {over: [mu], adaptive: {first: 20, most: 200, width: 0.15}}
"""


def slide(count):
    return SLIDE + f"sample: {{count: {count}}}\n"


def write(vinci, text, name="slide.yaml", scene=SCENE):
    (vinci.folder / "block.yaml").write_text(scene)
    (vinci.folder / name).write_text(text)
    return name


def table(vinci, folder="runs/slide.study"):
    return (vinci.folder / folder / "table.csv").read_bytes()


def plugin(name):
    return dict(item.split("=") for item in os.environ["VINCI_TEST_PLUGINS"].split(":"))[name]


def cases_done(vinci, folder="runs/slide.study"):
    """How many cases a study that runs has in its ledger; 0 before there is one."""
    if not (vinci.folder / folder / "study.sqlite").exists():
        return 0
    done = vinci("study", "status", folder, "--json", code=None)
    if done.returncode != 0:
        return 0
    return json.loads(done.stdout)["cases"]


def wait_for_cases(vinci, count, folder="runs/slide.study"):
    wait_for(lambda: cases_done(vinci, folder) >= count)


def children(process):
    path = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []
