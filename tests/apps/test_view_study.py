# SPDX-License-Identifier: Apache-2.0
"""`vinci view` of studies: what the server answers, how it replays, the page in one file."""
import base64
import gzip
import json
import re
import shlex
import struct

import pytest

from conftest import wait_for
from study_helpers import ADAPTIVE, slide, write
from test_view import has_page
from view_helpers import serving

HEADER = 32


@pytest.fixture(scope="module")
def run(shared):
    write(shared, slide(500))
    shared("study", "run", "slide.yaml", "--quiet")
    if not has_page(shared.folder):
        pytest.skip("built without the viewer's page: run make build")
    return shared


@pytest.fixture(scope="module")
def server(run):
    with serving(run.folder, "runs/slide.study") as running:
        yield running


def rows_of(block, columns):
    """Number, design, columns, status, verdict, level: each a list."""
    sign, version, _, _, rows, found, _, _ = struct.unpack("<8I", block[:HEADER])
    assert (sign, version, found) == (0x31534E56, 1, columns)
    assert len(block) == HEADER + rows * (11 + 4 * columns)
    parts, at = [], HEADER
    for kind in ["I", "I"] + ["f"] * columns + ["B"] * 3:
        size = rows * struct.calcsize(kind)
        parts.append(list(struct.unpack(f"<{rows}{kind}", block[at:at + size])))
        at += size
    return parts


def replayed(server, number):
    wait_for(lambda: server.json(f"cases/{number}/state")["state"] != "running")
    return server.json(f"cases/{number}/state")


def test_cases_are_those_of_the_table(run, server):
    study = server.json("api/study")
    assert (study["cases"], study["rows"], study["complete"], study["running"]) == \
        (500, 500, True, False)
    assert [it["name"] for it in study["parameters"] + study["measures"]] == ["mu", "speed", "way"]
    lines = (run.folder / "runs/slide.study/table.csv").read_text().splitlines()
    names = lines[0].split(",")
    table = [dict(zip(names, line.split(","))) for line in lines[1:]]
    number, design, mu, speed, way, status, verdict, level = \
        rows_of(server.get("api/study/cases?first=0")[1], 3)
    for name, values in (("mu", mu), ("speed", speed), ("way", way)):
        assert values == pytest.approx([float(row[name]) for row in table], rel=1e-6)
    assert number == list(range(500)) and set(design) == {0} and set(status) == {0}
    assert [("unknown", "success", "failure")[it] for it in verdict] == \
        [row["verdict"] for row in table]
    assert study["successes"] == verdict.count(1) and set(level) == {0}
    assert rows_of(server.get("api/study/cases?first=498")[1], 3)[0] == [498, 499]
    assert rows_of(server.get("api/study/cases?first=500")[1], 3)[0] == []


def test_the_probability_is_that_of_the_report(run, server):
    study, report = server.json("api/study"), server.json("api/study/report")
    assert study["probability"] == report["probability"] == \
        run.json("study", "report", "runs/slide.study")["probability"]
    assert study["probability"] and study["draws"] and study["withheld"] is None
    level = study["levels"][0]
    assert (level["successes"], level["failures"]) == (study["successes"], study["failures"])
    assert level["steps"] == report["levels"][0]["steps"] and level["timed"] == 500
    assert level["cpu_seconds"] == pytest.approx(report["levels"][0]["cpu_seconds"])


def test_a_case_is_replayed_bit_for_bit_and_plays(server):
    assert b"<html" in server.get("cases/17/")[1].lower()
    answer = replayed(server, 17)
    assert (answer["state"], answer["case"], answer["same"]) == ("done", 17, True)
    recording = server.json("cases/17/api/runs")[0]
    assert (recording["name"], recording["frames"]) == ("case-17.h5", 21)
    status, block = server.get("cases/17/api/runs/0/frames?count=21")
    assert status == 200 and struct.unpack("<16I", block[:64])[2] == 21


def test_a_case_that_cannot_be_replayed_says_why(server):
    answer = replayed(server, 4000)
    assert answer["state"] == "failed" and "no case 4000" in answer["error"]
    found = server.json("cases/4000/api/runs")
    assert found[0]["name"] == "case 4000" and "no case 4000" in found[0]["error"]


def test_more_replays_than_are_kept_are_made_anew(server):
    for number in range(20, 40):
        assert replayed(server, number)["same"] is True
    assert replayed(server, 20)["same"] is True


@pytest.mark.parametrize("path, status", [
    ("api/study/cases", 400), ("api/study/cases?first=501", 400), ("api/study/cases?first=-1", 400),
    ("api/study/cases?first=01", 400), ("api/study/other", 404), ("api/runs", 404), ("cases", 404),
    ("cases/x/", 404), ("cases/1/other", 404), ("cases/1/api", 404), ("cases/01/state", 404),
    ("cases/../study.sqlite", 404), ("cases/99999999999999999999/state", 404),
])  # fmt: skip
def test_what_is_not_there_is_refused(server, path, status):
    assert server.get(path)[0] == status
    assert server.get(path, method="POST", body=b"{}")[0] in (404, 405, 413)


def test_its_pages_may_frame_each_other_and_nobody_else_may(server):
    answer = server.raw(f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\n"
                        "Connection: close\r\n\r\n".encode())
    head = answer.split(b"\r\n\r\n", 1)[0]
    for line in (b"X-Frame-Options: SAMEORIGIN", b"frame-src 'self'; frame-ancestors 'self'"):
        assert line in head


def test_a_study_that_is_begun_anew_is_loaded_again(vinci):
    write(vinci, ADAPTIVE, "map.yaml")
    vinci("study", "run", "map.yaml", "--quiet")
    with serving(vinci.folder, "runs/map.study") as server:
        before = server.json("api/study")
        assert before["map"] == {"over": ["mu"], "threshold": None}
        vinci("study", "run", "map.yaml", "--quiet", "--overwrite")
        after = server.json("api/study")
        assert after["cases"] == before["cases"] and after["complete"]
        (vinci.folder / "runs/map.study/study.sqlite").unlink()
        assert "no such ledger" in server.json("api/study", status=500)["error"]


def test_the_ledger_itself_is_shown_too(run):
    with serving(run.folder, "runs/slide.study/study.sqlite") as server:
        assert server.json("api/study")["rows"] == 500
        assert replayed(server, 3)["same"] is True


def test_one_file_holds_all_cases(run):
    done = run.json("view", "runs/slide.study", "--html", "slide.html", "--overwrite")
    page = (run.folder / "slide.html").read_text()
    assert done["cases"] == 500 and done["bytes"] == len(page.encode())
    assert page.count('class="vinci-study-block"') == 1 and 'id="vinci-study-report"' in page
    assert not re.search(r'(src|href)="http', page)
    assert "exists" in run("view", "runs/slide.study", "--html", "slide.html", code=2).stderr


def test_a_page_of_many_cases_holds_as_many_as_have_room(run):
    whole = run.json("view", "runs/slide.study", "--html", "whole.html", "--overwrite")
    assert whole["kept_cases"] == whole["cases"] == 500
    done = run.json("view", "runs/slide.study", "--html", "part.html", "--max-size", "0.004")
    assert done["cases"] == 500 and 20 < done["kept_cases"] < 400
    page = (run.folder / "part.html").read_text()
    block = re.search(r'class="vinci-study-block">([^<]*)<', page)[1]
    assert len(block) <= 4000
    numbers = rows_of(gzip.decompress(base64.b64decode(block)), 3)[0]
    assert len(numbers) == done["kept_cases"] and numbers == sorted(numbers)
    study = json.loads(re.search(r'id="vinci-study">([^<]*)<', page)[1])
    assert (study["rows"], study["cases"], study["thinned"]) == (done["kept_cases"], 500, True)
    assert study["probability"] == run.json("study", "report", "runs/slide.study")["probability"]
    said = run("view", "runs/slide.study", "--html", "part.html", "--max-size", "0.004",
               "--overwrite").stdout
    assert f"{done['kept_cases']} of them" in said and "--max-size" in said
    refused = run("view", "runs/slide.study", "--html", "none.html", "--max-size", "0.001", code=None)
    assert refused.returncode == 0 or "no case has room" in refused.stderr


def test_its_command_repeats_a_case_whatever_the_names_are(vinci):
    write(vinci, slide(30) + "limits: {steps: 5}\n", "my 'study'.yaml")
    vinci("study", "run", "my 'study'.yaml", "--quiet", "-o", "sp ace & 'x'.study")
    with serving(vinci.folder, "sp ace & 'x'.study") as server:
        words = server.json("api/study")["repeat"]
        report = server.json("api/study/report")
    command = shlex.split(words["before"] + "7" + words["after"])
    assert command[0] == "vinci" and vinci.json(*command[1:])["same"] is True
    command = shlex.split(report["troubled"][0]["command"])
    assert vinci.json(*command[1:])["same"] is True


def test_mistakes_are_told(run):
    (run.folder / "empty.study").mkdir()
    for arguments, words in (
        (("empty.study",), "no such ledger"),
        (("runs/slide.study", "other.h5"), "by itself"),
        (("runs/slide.study", "--wait"), "--wait is for recordings"),
        (("runs/slide.study", "--every", "3"), "--every is for recordings"),
        (("runs/slide.study", "--html", "x.html", "--every", "3"), "--every is for recordings"),
    ):
        assert words in run("view", "--no-browser", *arguments, code=2).stderr
