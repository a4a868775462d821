# SPDX-License-Identifier: Apache-2.0
"""docs/json.md names every key that the program prints, command by command."""
import json
import re

import pytest

from conftest import BLOCK, SOURCE
from study_helpers import slide, write

PAGE = (SOURCE / "docs" / "json.md").read_text(encoding="utf-8")
PROBLEM = SOURCE / "problems" / "incline_stick.h5"


def section(title):
    """The text of the sections whose heading holds the words; all before the first one, too."""
    parts = re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    found = [text for heading, text in zip(parts[1::2], parts[2::2]) if title in heading]
    assert found, f"docs/json.md has no section '{title}'"
    return parts[0] + "".join(found)


def named(title):
    return set(re.findall(r"`([\w-]+)`", section(title)))


def keys_of(value, free=()):
    """All keys at any depth, but for those below the keys `free`, which are names of the user's."""
    if isinstance(value, list):
        return set().union(*(keys_of(item, free) for item in value))
    if not isinstance(value, dict):
        return set()
    below = (keys_of(item, free) for key, item in value.items() if key not in free)
    return set(value) | set().union(*below)


@pytest.mark.parametrize("title, free, arguments", [
    ("vinci run", ["stage_seconds"], ["run", "scene.yaml", "--overwrite"]),
    ("vinci run", ["stage_seconds"], ["run", "scene.yaml", "--dump-problems", "worst", "--overwrite"]),
    ("vinci run --branches", [], ["run", SOURCE / "scenes" / "lifting_rod.yaml", "--branches", "2",
                                  "--duration", "0.2ms"]),
    ("vinci info", ["stage_seconds", "options"], ["info", "runs/scene.h5"]),
    ("vinci check", [], ["check", "scene.yaml"]),
    ("vinci compare", ["values"],
     ["compare", "scene.yaml", "--across", "motion=dynamic,quasi-static", "mu=0.5,0.6"]),
    ("vinci converge", [], ["converge", "scene.yaml", "--steps", "4e-3,2e-3,1e-3"]),
    ("vinci plan", ["start", "path"],
     ["plan", SOURCE / "scenes" / "slot.yaml", "--goal", "y=..-0.1", "-o", "way.h5"]),
    ("vinci plan", ["start", "path"],
     ["plan", SOURCE / "robots" / "reach.yaml", "--robot", "arm", "--goal", "waist=-40 deg", "-o",
      "joints.h5"]),
    ("The others", [], ["list"]),
    ("The others", [], ["export", "runs/scene.h5", "--csv", "tables"]),
    ("The others", [], ["view", "runs/scene.h5", "--html", "page.html"]),
])  # fmt: skip
def test_the_page_names_the_keys_of(vinci, title, free, arguments):
    vinci.scene(BLOCK)
    vinci.json("run", "scene.yaml")
    printed = keys_of(vinci.json(*arguments), free)
    assert len(printed) > 3
    assert printed <= named(title), f"docs/json.md, {title}: {sorted(printed - named(title))}"


def test_the_page_names_the_keys_of_studies(vinci):
    write(vinci, slide(30))
    answers = [vinci.json("study", *arguments) for arguments in (
        ["check", "slide.yaml"], ["run", "slide.yaml"], ["resume", "slide.yaml"],
        ["status", "slide.yaml"], ["merge", "slide.yaml"], ["repeat", "slide.yaml", "3"],
        ["export", "slide.yaml", "--csv", "table.csv"])]  # fmt: skip
    names = {"mu", "speed", "way"}  # of the scene and of the study
    printed = keys_of(answers) - names
    assert {"complete", "same", "files"} <= printed
    assert printed <= named("vinci study"), sorted(printed - named("vinci study"))


@pytest.mark.parametrize("normal", [1, -1])
def test_the_page_names_the_keys_of_closed_and_open_grasps(vinci, normal):
    vinci.scene(f"""\
world: planar
wrench: [0, -1, 0]
contacts:
  - {{position: [-1, 0], normal: [1, 0], friction: 0.5}}
  - {{position: [1, 0], normal: [{-normal}, 0.2], friction: 0.5}}
""")
    printed = keys_of(vinci.json("grasp", "scene.yaml", code=0 if normal == 1 else 1))
    assert printed <= named("vinci grasp"), sorted(printed - named("vinci grasp"))


@pytest.mark.parametrize("flags", [["--solver", "all"], ["--all-solutions"]])
def test_the_page_names_the_keys_of_an_answer(vinci, flags):
    lines = vinci("solve", PROBLEM, *flags, "--json", code=0).stdout.splitlines()
    printed = keys_of([json.loads(line) for line in lines])
    assert "residual" in printed
    assert printed <= named("vinci solve"), sorted(printed - named("vinci solve"))


@pytest.mark.parametrize("scene, flags", [(BLOCK.replace("wood", "oak", 1), []),
                                          (BLOCK, ["--step", "-1"])])  # fmt: skip
def test_the_page_names_the_keys_of_errors(vinci, scene, flags):
    vinci.scene(scene)
    printed = keys_of(vinci.json("run", "scene.yaml", *flags, code=2))
    assert "errors" in printed
    assert printed <= named("Errors"), sorted(printed - named("Errors"))
