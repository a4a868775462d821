# SPDX-License-Identifier: Apache-2.0
"""`vinci study run --slurm` on a cluster of one node, which the tests start; where it cannot start
they are skipped."""
import pathlib
import tempfile

import pytest

import slurm_node
from conftest import wait_for
from study_helpers import ADAPTIVE, slide, table, write


@pytest.fixture(scope="module")
def node():
    # Sockets have short names.
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        try:
            node = slurm_node.Node(pathlib.Path(folder))
        except slurm_node.CannotStart as reason:
            pytest.skip(str(reason))
        yield node
        node.stop()


def whole(vinci, text):
    write(vinci, text)
    vinci("study", "run", "slide.yaml", "-o", "whole")
    return table(vinci, "whole")


def test_20_tasks_of_which_half_are_cancelled_and_run_again_give_the_same_bytes(vinci, node):
    expected = whole(vinci, slide(4000))
    first = vinci.json("study", "run", "slide.yaml", "--slurm", "--tasks", "20",
                       env=node.environment)
    assert first["submitted"] == 4000 and not first["complete"] and len(first["jobs"]) == 1
    # Every second one, whatever it is at.
    job = first["jobs"][0]
    for task in range(0, 20, 2):
        node.ask("scancel", f"{job}_{task}", code=None)
    node.wait_until_empty()
    state = vinci.json("study", "merge", "slide.yaml", env=node.environment)
    assert 0 < state["missing"] < 4000 and state["cases"] + state["missing"] == 4000
    second = vinci.json("study", "run", "slide.yaml", "--slurm", "--tasks", "20",
                        env=node.environment)
    assert second["submitted"] == state["missing"], "only what is missing is submitted again"
    node.wait_until_empty()
    done = vinci.json("study", "merge", "slide.yaml", env=node.environment)
    assert done["complete"] and done["missing"] == 0 and done["cases"] == 4000
    assert table(vinci) == expected


def test_rounds_follow_each_other_until_the_study_is_complete(vinci, node):
    expected = whole(vinci, ADAPTIVE)
    done = vinci.json("study", "run", "slide.yaml", "--slurm", "--wait", "--tasks", "4",
                      "--task-workers", "2", env=node.environment)
    assert done["complete"] and done["rounds"] > 1
    assert table(vinci) == expected


def test_while_a_job_runs_nothing_is_submitted_twice(vinci, node):
    write(vinci, slide(200_000))
    first = vinci.json("study", "run", "slide.yaml", "--slurm", "--tasks", "2", env=node.environment)
    again = vinci.json("study", "run", "slide.yaml", "--slurm", "--tasks", "2", env=node.environment)
    assert again["jobs"] == first["jobs"] and again["submitted"] == 0
    parts = vinci.folder / "runs/slide.study/parts"
    wait_for(lambda: list(parts.glob("*.part")))
    # A task that is cancelled leaves what it has done.
    node.ask("scancel", first["jobs"][0])
    node.wait_until_empty()
    state = vinci.json("study", "merge", "slide.yaml", env=node.environment)
    assert 0 < state["merged"] < 200_000 and not list(parts.glob("*.part"))


def test_tasks_that_cannot_run_are_told(vinci, node):
    write(vinci, slide(100))
    refused = vinci("study", "run", "slide.yaml", "--slurm", "--partition", "nowhere", code=1,
                    env=node.environment).stderr
    assert "sbatch refused" in refused and "nowhere" in refused
    # So the script is not read but started, which its mode does not allow.
    said = vinci("study", "run", "slide.yaml", "--slurm", "--wait", "--tasks", "2", "--sbatch=--wrap",
                 code=1, env=node.environment).stderr
    assert "gave no answer" in said and "plan-0002" in said
    vinci("study", "run", "slide.yaml", "--slurm", "--wait", env=node.environment)
    assert table(vinci) == whole(vinci, slide(100))
