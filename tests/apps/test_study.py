# SPDX-License-Identifier: Apache-2.0
"""`vinci study`: the same table however it was run; what is refused, told, repeated and exported."""
import csv
import signal
import subprocess

import h5py
import numpy
import pytest

from conftest import PATIENCE
from study_helpers import ADAPTIVE, slide, table, wait_for_cases, write


@pytest.mark.parametrize("text", [slide(500), ADAPTIVE], ids=["sample", "adaptive map"])
def test_the_table_is_the_same_bytes_with_any_number_of_workers(vinci, text):
    write(vinci, text)
    done = vinci.json("study", "run", "slide.yaml", "--workers", "1")
    assert done["ok"] and done["complete"] and done["table"] == "runs/slide.study/table.csv"
    one = table(vinci)
    assert one.count(b"\n") == done["cases"] + 1 > 100
    for workers in (2, 8):
        vinci("study", "run", "slide.yaml", "--workers", workers, "-o", f"other-{workers}")
        assert table(vinci, f"other-{workers}") == one


def test_a_study_says_what_it_asks_how_far_it_is_and_what_it_shows(vinci):
    write(vinci, slide(300))
    asked = vinci.json("study", "check", "slide.yaml")
    assert asked["expected"] == 300
    assert [parameter["name"] for parameter in asked["parameters"]] == ["mu", "speed"]
    assert "way" in vinci("study", "check", "slide.yaml").stdout
    said = vinci("study", "run", "slide.yaml").stdout
    assert "300 cases" in said and "success" in said and "table.csv" in said
    for name in ("slide.yaml", "runs/slide.study"):
        state = vinci.json("study", "status", name)
        assert state["cases"] == state["expected"] == 300 and state["complete"]
        assert state["successes"] + state["failures"] == 300 and not state["running"]
        assert "complete" in vinci("study", "status", name).stdout
        report = vinci.json("study", "report", name)
        assert report["verdicts"]["successes"] == state["successes"]
        assert "success" in vinci("study", "report", name).stdout


def test_a_case_is_repeated_to_the_last_bit_and_recorded(vinci):
    write(vinci, slide(100))
    before = vinci.json("study", "repeat", "slide.yaml", "17")
    assert before["same"] is None, "nothing is known before the study has run"
    vinci("study", "run", "slide.yaml")
    again = vinci.json("study", "repeat", "slide.yaml", "17", "--record", "case.h5")
    assert again["same"] is True and again["measures"] == before["measures"]
    row = list(csv.DictReader(open(vinci.folder / "runs/slide.study/table.csv")))[17]
    assert float(row["way"]) == again["measures"]["way"]
    assert float(row["mu"]) == again["parameters"]["mu"] and row["verdict"] == again["verdict"]
    info = vinci.json("info", "case.h5")
    assert info["complete"] and info["step"] == again["levels"][-1]["steps"]
    x = next(body for body in info["bodies"] if body["name"] == "block")["position"][0]
    assert x == again["measures"]["way"]
    assert "the same as in the study" in vinci("study", "repeat", "slide.yaml", "17").stdout
    vinci("study", "repeat", "slide.yaml", "100", code=2)


def test_the_table_is_exported(vinci):
    write(vinci, slide(100))
    vinci("study", "run", "slide.yaml")
    vinci.json("study", "export", "slide.yaml", "--csv", "t.csv", "--hdf5", "t.h5")
    assert (vinci.folder / "t.csv").read_bytes() == table(vinci)
    rows = list(csv.DictReader(open(vinci.folder / "t.csv")))
    with h5py.File(vinci.folder / "t.h5") as file:
        assert list(file["measures/way"]) == [float(row["way"]) for row in rows]
        assert list(file["parameters/mu"]) == [float(row["mu"]) for row in rows]
        assert numpy.array_equal(file["number"], numpy.arange(100))
        names = file["verdict_names"].asstr()[:]
        assert [names[verdict] for verdict in file["verdict"]] == [row["verdict"] for row in rows]
        names = file["level_names"].asstr()[:]
        assert [names[level] for level in file["level"]] == [row["level"] for row in rows]
        texts = file["message_names"].asstr()[:]
        assert [texts[message] for message in file["message"]] == [row["message"] for row in rows]
    vinci("study", "export", "slide.yaml", code=2)
    for kind, name in (("--csv", "t.csv"), ("--hdf5", "t.h5")):
        before = (vinci.folder / name).read_bytes()
        assert "--overwrite" in vinci("study", "export", "slide.yaml", kind, name, code=2).stderr
        assert (vinci.folder / name).read_bytes() == before
    vinci("study", "export", "slide.yaml", "--csv", "t.csv", "--hdf5", "t.h5", "--overwrite")


def test_what_exists_is_replaced_only_where_that_is_said(vinci):
    write(vinci, slide(50))
    vinci("study", "run", "slide.yaml")
    refused = vinci("study", "run", "slide.yaml", code=2).stderr
    assert "--overwrite" in refused and "vinci study resume" in refused
    vinci("study", "run", "slide.yaml", "--overwrite")
    (vinci.folder / "mine").mkdir()
    (vinci.folder / "mine" / "letter").write_text("dear")
    vinci("study", "run", "slide.yaml", "-o", "mine", "--overwrite", code=2)
    assert (vinci.folder / "mine" / "letter").read_text() == "dear"


def test_a_study_that_has_changed_is_not_continued(vinci):
    write(vinci, slide(50))
    vinci("study", "run", "slide.yaml")
    write(vinci, slide(51))
    for name in ("resume", "status", "report"):
        assert "another study" in vinci("study", name, "slide.yaml", code=2).stderr
    write(vinci, slide(50), scene=(vinci.folder / "block.yaml").read_text().replace("10}", "11}"))
    assert "changed" in vinci("study", "resume", "slide.yaml", code=2).stderr


def test_mistakes_are_told_with_their_lines(vinci):
    write(vinci, slide(50).replace("uniform", "uniformly"))
    for name in ("check", "run"):
        error = vinci.json("study", name, "slide.yaml", code=2)["errors"][0]
        assert error["line"] == 5 and error["file"].endswith("slide.yaml")
    assert vinci("study", "check", "nothing.yaml", code=2).stderr
    assert "not been run" in vinci("study", "status", write(vinci, slide(50)), code=2).stderr
    assert vinci("study", code=2).stderr
    assert "not by hand" in vinci("study", "work", "slide.yaml", code=2).stderr


RARE = slide(0).replace("sample: {count: 0}", """\
rare: {of: way, method: importance, count: 200}
""")


@pytest.mark.parametrize("text", [ADAPTIVE, ADAPTIVE.split("map:")[0] + "sample: {count: 50}\n", RARE],
                         ids=["adaptive map", "shared draws", "rare"])
def test_cases_that_are_no_draws_of_one_design_have_counts_in_status_and_report(vinci, text):
    write(vinci, text)
    said = [vinci("study", "run", "slide.yaml").stdout]
    report = vinci.json("study", "report", "slide.yaml")
    assert report["probability"] is None and report["withheld"]
    assert report["measures"][0]["mean"] is None and not report["measures"][0]["quantiles"]
    said.append(vinci("study", "report", "slide.yaml").stdout)
    for words in said:
        assert "interval of" not in words and report["withheld"] in words
    status = vinci("study", "status", "slide.yaml").stdout
    assert f"{report['verdicts']['successes']} succeed" in status and "(" not in status


def test_one_process_runs_a_study_and_others_see_how_far_it_is(vinci):
    write(vinci, slide(500_000))
    process = vinci.start("study", "run", "slide.yaml", "--workers", "1")
    wait_for_cases(vinci, 50)
    assert vinci.json("study", "status", "slide.yaml")["running"]
    refused = vinci("study", "resume", "slide.yaml", code=1).stderr
    assert f"process {process.pid} " in refused
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    assert not vinci.json("study", "status", "slide.yaml")["running"]


def test_a_study_that_is_stopped_says_how_to_go_on(vinci):
    write(vinci, slide(500_000))
    process = vinci.start("study", "run", "slide.yaml", "--json", stdout=subprocess.PIPE)
    wait_for_cases(vinci, 50)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 143 and b'"interrupted": true' in said
    before = vinci.json("study", "status", "slide.yaml")
    assert 50 <= before["cases"] < 500_000 and not before["complete"]
    report = vinci.json("study", "report", "slide.yaml")
    assert not report["complete"] and report["cases"] == 0 and report["waiting"] == before["cases"]
    assert f"{before['cases']} cases of a round that is not complete" in vinci(
        "study", "report", "slide.yaml").stdout
    empty = vinci("study", "export", "slide.yaml", "--csv", "t.csv", code=2).stderr
    assert "no round is complete" in empty and not (vinci.folder / "t.csv").exists()
