# SPDX-License-Identifier: Apache-2.0
"""Studies from Python: their results, functions as measures, what goes on after an end, files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinci
from conftest import PATIENCE

SCENE = """\
title: sliding block
world: planar
parameters: {mu: 0.5, speed: 0.5}
materials: {wood: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block:
    shapes: [{box: [0.2, 0.1], material: wood, density: 10}]
    position: [0, 0.05]
    velocity: [speed, 0]
run: {step: 1 ms, duration: 0.02 s}
"""

STUDY = """\
title: how far the block slides
scene: block.yaml
seed: 3
design: {speed: [0.4, 0.5]}
uncertain: {mu: {uniform: [0.2, 0.8]}}
measures: {way: {end: block.x}}
success: way > 0.0085
sample: {count: 30}
"""

WITH_FUNCTION = STUDY.replace(
    "{way: {end: block.x}}", "{way: {end: block.x}, again: {python: again}}"
)


def again(state: vinci.State) -> float:
    return float(state.position("block")[0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "block.yaml").write_text(SCENE)
    (tmp_path / "slide.yaml").write_text(STUDY)
    return tmp_path


def test_results_are_an_array_with_a_row_per_case(folder: Path) -> None:
    study = vinci.Study(folder / "slide.yaml").run(workers=2)
    results = study.results
    assert results.dtype.names == (
        "number", "design", "sample", "speed", "mu", "status", "verdict", "level", "way", "message",
    )  # fmt: skip
    assert results["number"].tolist() == list(range(60))
    assert set(results["speed"]) == {0.4, 0.5} and set(results["status"]) == {"good"}
    assert ((results["mu"] > 0.2) & (results["mu"] < 0.8)).all()
    # Sliding with friction, by the method's own sum over 20 steps.
    for row in results[:5]:
        expected = sum(row["speed"] - row["mu"] * 9.81 * 1e-3 * (i + 1) for i in range(20)) * 1e-3
        assert row["way"] == pytest.approx(expected, abs=1e-5)
    wins = results["verdict"] == "success"
    assert (wins == (results["way"] > 0.0085)).all() and 0 < wins.sum() < 60
    report = study.report
    assert report["verdicts"]["successes"] == wins.sum()
    for design in report["designs"]:
        value, lower, upper = (design["probability"][key] for key in ("value", "lower", "upper"))
        of_it = wins[results["design"] == design["design"]]
        assert value == pytest.approx(of_it.mean()) and lower <= value <= upper
    # Both meet the same draws: there is no probability of the two.
    assert np.isnan(study.probability[0]) and study.probability[1:] == (0.0, 1.0)
    assert report["withheld"] == "there are 2 designs, each with its own"


def test_the_table_is_the_same_for_any_number_of_workers_and_for_the_program(
    folder: Path, program: str
) -> None:
    tables = []
    for workers in (1, 3):
        study = vinci.Study(STUDY, folder=folder).run(workers=workers)
        study.to_csv(folder / "table.csv")
        tables.append((folder / "table.csv").read_bytes())
    subprocess.run(
        [program, "study", "run", "slide.yaml", "--quiet", "--output", "by.study"],
        cwd=folder, check=True, timeout=PATIENCE,
    )  # fmt: skip
    assert tables[0] == tables[1] == (folder / "by.study" / "table.csv").read_bytes()
    # What the program has run is read here, too.
    results = vinci.Study(folder / "slide.yaml").open(folder / "by.study").results
    assert len(results) == 60


def test_functions_are_measures_with_the_same_numbers_in_every_process(folder: Path) -> None:
    tables = []
    for workers in (1, 2):
        study = vinci.Study(WITH_FUNCTION, folder=folder, measures={"again": again})
        results = study.run(workers=workers).results
        assert results["again"].tolist() == results["way"].tolist()
        study.to_csv(folder / "table.csv")
        tables.append((folder / "table.csv").read_bytes())
    assert tables[0] == tables[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_limit_of_time_ends_cases_beside_functions(folder: Path, workers: int) -> None:
    text = WITH_FUNCTION.replace("count: 30", "count: 2") + "limits: {time: 0.2 s}\n"
    text += "run: {duration: 1e6, step: 1 ms}\n"
    study = vinci.Study(text, folder=folder, measures={"again": again}).run(workers=workers)
    assert set(study.results["status"]) == {"timed-out"}
    assert set(study.results["message"]) == {"took longer than 0.2 s"}
    assert np.isnan(study.results["again"]).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_functions_that_sleep_or_eat_memory_are_cut_off(folder: Path, workers: int) -> None:
    def sleeps(state: vinci.State) -> float:
        time.sleep(1e6 if state.position("block")[0] > 0.0085 else 0.0)
        return 1.0

    def eats(state: vinci.State) -> float:
        return float(len(bytearray(10**9 if state.position("block")[0] > 0.0085 else 10)))

    text = WITH_FUNCTION.replace("count: 30", "count: 3")
    for function, limit, status, words in (
        (sleeps, "time: 0.2 s", "timed-out", "took longer than 0.2 s"),
        (eats, "memory: 200 MB", "crashed", "no memory left"),
    ):
        study = vinci.Study(
            text + f"limits: {{{limit}}}\n", folder=folder, measures={"again": function}
        ).run(workers=workers)
        far = study.results["speed"] > 0.45
        assert set(study.results["status"][far]) == {status}
        assert set(study.results["message"][far]) == {words}
        assert set(study.results["status"][~far]) == {"good"}


def test_a_dict_needs_not_name_its_functions(folder: Path) -> None:
    data: dict[str, Any] = {
        "scene": "block.yaml",
        "design": {"mu": np.array([0.2, 0.4])},
        "sample": {"count": 1},
    }
    study = vinci.Study(data, folder=folder, measures={"high": lambda state: state.position(1)[1]})
    assert study.measures == ["high"] and "measures" not in data
    assert study.run(workers=1).results["high"] == pytest.approx([0.05, 0.05], abs=1e-9)


def test_a_function_may_stand_in_a_file_beside_the_study(folder: Path) -> None:
    (folder / "mine.py").write_text("def far(state):\n    return state.position('block')[0]\n")
    (folder / "far.yaml").write_text(
        STUDY.replace("{way: {end: block.x}}", "{way: {python: mine.py:far}}")
    )
    expected = vinci.Study(folder / "slide.yaml").run(workers=1).results
    results = vinci.Study(folder / "far.yaml").run(workers=2).results
    assert results["way"].tolist() == expected["way"].tolist()


def test_a_function_that_fails_is_a_failed_case_and_not_the_end(folder: Path) -> None:
    def picky(state: vinci.State) -> float:
        if state.position("block")[0] > 0.0085:
            raise ValueError("too far for me")
        return 1.0

    study = vinci.Study(WITH_FUNCTION, folder=folder, measures={"again": picky}).run(workers=1)
    failed = study.results[study.results["status"] == "failed"]
    assert 0 < len(failed) < 60 and all("too far for me" in text for text in failed["message"])
    assert set(failed["verdict"]) == {"unknown"}


def test_a_case_is_repeated_bit_for_bit_and_recorded(folder: Path) -> None:
    study = vinci.Study(folder / "slide.yaml")
    before = study.repeat(7)  # of the first round, which needs no results
    assert before.same is None and before.recording is None
    study.run(workers=1)
    case = study.repeat(7, folder / "case.h5")
    row = study.results[7]
    assert case.same is True and case.measures == {"way": row["way"]} == before.measures
    assert case.parameters == {"speed": row["speed"], "mu": row["mu"]}
    with vinci.Recording(folder / "case.h5") as recording:
        assert recording.body("block").position[-1][0] == row["way"]
    with study.recording(8) as recording:
        assert len(recording) == 21
    with pytest.raises(vinci.Error, match="no case 60"):
        study.repeat(60)


def test_an_interrupted_study_goes_on(folder: Path) -> None:
    function = """
import os, signal
def again(state):
    left = int(os.environ.get('LEFT', '0'))
    os.environ['LEFT'] = str(left - 1)
    if left == 1:
        os.kill(os.getpid(), signal.SIGINT)
    return state.position('block')[0]
"""
    script = f"""
import vinci
{function}
study = vinci.Study({WITH_FUNCTION!r}, folder={str(folder)!r}, measures={{'again': again}})
study.run(output={str(folder / "cut.study")!r}, workers=1)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "LEFT": "25"},
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode != 0 and "KeyboardInterrupt" in done.stderr, done.stderr
    scope: dict[str, Any] = {}
    exec(function, scope)
    study = vinci.Study(WITH_FUNCTION, folder=folder, measures={"again": scope["again"]})
    kept = len(study.open(folder / "cut.study").results)
    assert kept == 0  # its only round is not complete
    whole = vinci.Study(WITH_FUNCTION, folder=folder, measures={"again": again}).run(workers=1)
    resumed = study.resume(workers=2)
    assert resumed.results.tolist() == whole.results.tolist()


def test_ctrl_c_stops_the_workers_and_resume_goes_on(folder: Path) -> None:
    (folder / "long.yaml").write_text(STUDY.replace("count: 30", "count: 100000"))
    script = (
        "import vinci\n"
        f"study = vinci.Study({str(folder / 'long.yaml')!r})\n"
        "print('begins', flush=True)\n"
        f"study.run(output={str(folder / 'long.study')!r}, workers=2)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    while not (folder / "long.study" / "study.sqlite").exists():
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode != 0 and "KeyboardInterrupt" in errors
    assert not (folder / "long.study" / "table.csv").exists()


def test_files_hold_the_columns(folder: Path) -> None:
    study = vinci.Study(folder / "slide.yaml").run(output=folder / "here.study", workers=1)
    assert study.output == folder / "here.study"
    study.to_csv(folder / "table.csv")
    assert (folder / "table.csv").read_bytes() == (folder / "here.study" / "table.csv").read_bytes()
    assert json.loads((folder / "here.study" / "report.json").read_text())["cases"] == 60
    study.to_hdf5(folder / "table.h5")
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "table.h5") as file:
        assert file["measures/way"][:].tolist() == study.results["way"].tolist()
        assert file["parameters/mu"][:].tolist() == study.results["mu"].tolist()


def test_a_frame_has_the_same_columns_where_there_is_pandas(folder: Path) -> None:
    study = vinci.Study(folder / "slide.yaml").run(workers=1)
    try:
        import pandas  # noqa: F401
    except ModuleNotFoundError:
        with pytest.raises(vinci.Error, match="needs pandas"):
            study.frame()
        return
    frame = study.frame()
    assert list(frame.columns) == list(study.results.dtype.names or ())
    assert frame["way"].tolist() == study.results["way"].tolist()


def test_mistakes_say_what_is_wrong(folder: Path) -> None:
    with pytest.raises(vinci.SceneError, match="slide"):
        (folder / "slide.yaml").write_text(STUDY + "colour: red\n")
        vinci.Study(folder / "slide.yaml")
    with pytest.raises(vinci.Error, match="again: is a function in Python"):
        vinci.Study(WITH_FUNCTION, folder=folder)
    with pytest.raises(vinci.Error, match="other: is no measure"):
        vinci.Study(STUDY, folder=folder, measures={"other": again})
    study = vinci.Study(STUDY, folder=folder)
    with pytest.raises(vinci.Error, match="has not been run"):
        study.results
    with pytest.raises(vinci.Error, match="an empty name"):
        vinci.Study("")
    with pytest.raises(vinci.Error, match="again: is of type 'int'"):
        vinci.Study(WITH_FUNCTION, folder=folder, measures={"again": 3})  # type: ignore[dict-item]
    for number in (-1, 1.5, "7", None, True):
        with pytest.raises(vinci.Error, match="is no number of a case"):
            study.repeat(number)  # type: ignore[arg-type]
    for measures in (["z"], [3], [[]], 3):
        with pytest.raises(vinci.SceneError, match="measures"):
            vinci.Study({"scene": "block.yaml", "measures": measures, "sample": {"count": 1}},
                        folder=folder)  # fmt: skip
    study.run(output=folder / "one.study", workers=1)
    with pytest.raises(vinci.Error, match="exists already"):
        study.run(output=folder / "one.study")
    with pytest.raises(vinci.Error, match="another study"):
        vinci.Study(STUDY.replace("seed: 3", "seed: 4"), folder=folder).open(folder / "one.study")
    with pytest.raises(vinci.Error, match="workers"):
        study.resume(workers=0)
