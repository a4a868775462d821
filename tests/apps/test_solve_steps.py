# SPDX-License-Identifier: Apache-2.0
"""`vinci solve RUN.h5 --step N`: the problem of a recorded step, as the run posed it."""
import json

import h5py
import numpy as np
import pytest

from conftest import BLOCK, SOURCE, stack


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_times(reports):
    for report in reports:
        for key in ("file", "cpu_seconds", "tried"):
            report.pop(key)
    return reports


@pytest.mark.parametrize("interval", ["0.001", "0.016"])  # every step, every 16th
def test_the_problem_is_the_runs_own_bit_for_bit(vinci, interval):
    vinci("run", vinci.scene(stack(boxes=4, duration=0.1)), "-o", "run.h5", "--output-interval",
          interval, "--dump-problems", "step 1,15,16,17,50,100", "--dump-dir", "dump")
    for step in (1, 15, 16, 17, 50, 100):
        flags = ["--solution", f"a{step}", "--solver", "all", "--json"]
        again = vinci("solve", "run.h5", "--step", step, *flags, code=None)
        dumped = vinci("solve", f"dump/scene-step-{step:06}.h5", *flags, code=again.returncode)
        assert without_times(lines(again)) == without_times(lines(dumped))
        with h5py.File(vinci.folder / f"a{step}/run-step-{step:06}.auto.h5") as a, \
                h5py.File(vinci.folder / f"a{step}/scene-step-{step:06}.auto.h5") as b:
            for name in ("r", "u", "v"):
                assert (a[name][:] == b[name][:]).all()


def test_every_solver_stands_side_by_side_and_auto_finds_the_recorded_impulses(vinci):
    vinci("run", vinci.scene(BLOCK), "-o", "run.h5")  # slides until step 100: one solution
    known = {entry["name"] for entry in vinci.json("list", "solvers")["solvers"]}
    reports = lines(vinci("solve", "run.h5", "--step", 50, "--tol", "1e-10", "--json",
                          "--solution", "answers"))
    assert {report["solver"] for report in reports} == known
    with h5py.File(vinci.folder / "run.h5") as run, \
            h5py.File(vinci.folder / "answers/run-step-000050.auto.h5") as answer:
        row = run["frames"][50]
        first = row["contact_offset"]
        recorded = run["contacts"]["impulse"][first:first + row["contact_rows"], :2]
        np.testing.assert_allclose(answer["r"][:].reshape(-1, 2), recorded, atol=1e-9)


def test_the_run_keeps_its_options_and_changes(vinci):
    scene = BLOCK.replace("run:", "changes: [{at: 0.05 s, set: {mu: 0.1}}]\nrun:")
    vinci("run", vinci.scene(scene), "-o", "run.h5", "--set", "speed=2", "--step", "2 ms",
          "--solver", "lemke")
    for step, friction in ((10, 0.5), (60, 0.1)):
        vinci("solve", "run.h5", "--step", step, "--solver", "auto", "--solution", "answers")
        with h5py.File(vinci.folder / f"answers/run-step-{step:06}.h5") as answer:
            r = answer["r"][:].reshape(-1, 2)
            assert np.abs(r[:, 1]).sum() == pytest.approx(friction * r[:, 0].sum(), rel=1e-6)


def test_what_is_no_step_is_told(vinci):
    vinci("run", vinci.scene(BLOCK), "-o", "run.h5")
    corpus = SOURCE / "problems" / "slide_planar.h5"
    assert "accepted: 1 to 200" in vinci("solve", "run.h5", "--step", 201, code=2).stderr
    assert "--step" in vinci("solve", "run.h5", "--step", 0, code=2).stderr
    assert "--step, 1 to 200" in vinci("solve", "run.h5", code=2).stderr
    assert "leave out --step" in vinci("solve", corpus, "--step", 3, code=2).stderr
    assert "scene.yaml" in vinci("solve", "scene.yaml", "--step", 3, code=2).stderr
