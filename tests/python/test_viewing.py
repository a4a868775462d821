# SPDX-License-Identifier: Apache-2.0
"""The viewer from Python: pages, the server and its end by Ctrl-C, mistakes."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import vinci
from conftest import PATIENCE, ROOT


@pytest.fixture()
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "stack.h5"
    vinci.Simulation(ROOT / "scenes" / "stack.yaml", duration=0.02).run(record=path)
    return path


@pytest.fixture(autouse=True)
def needs_page(tmp_path: Path) -> None:
    stone = {"world": "planar", "bodies": {"stone": {"mass": 1, "inertia": 1}}}
    vinci.Simulation(stone, duration=0.001).run(record=tmp_path / "stone.h5")
    try:
        vinci.write_page(tmp_path / "stone.h5", path=tmp_path / "stone.html")
    except vinci.Error as error:
        pytest.skip(str(error))


def test_a_page_holds_the_recordings(recording: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with vinci.Recording(recording) as run:
        written = vinci.write_page(run, recording, path=page, every=5)
    assert written["frames"] == [5, 5] and written["bytes"] == page.stat().st_size
    assert page.read_text(encoding="utf-8").count('class="vinci-models"') == 2
    with pytest.raises(vinci.Error, match="exists"):
        vinci.write_page(recording, path=page)
    vinci.write_page(recording, path=page, overwrite=True)


def test_the_server_answers_until_it_is_interrupted(recording: Path) -> None:
    script = f"import vinci; vinci.view({str(recording)!r}, browser=False); print('after')"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/", address)
        with urllib.request.urlopen(address + "api/runs", timeout=PATIENCE) as answer:
            assert b'"frames":21' in answer.read().replace(b" ", b"")
        process.send_signal(signal.SIGINT)
        assert "after" in process.communicate(timeout=PATIENCE)[0]
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()


STUDY = """
import sys, vinci
study = vinci.Study({
    "scene": "stack.yaml", "run": {"duration": 0.01}, "seed": 1,
    "uncertain": {"mu": {"uniform": [0.2, 0.6]}}, "measures": {"high": {"end": "box-01.y"}},
    "sample": {"count": 3},
}, folder=sys.argv[1], measures={} if sys.argv[2] == "plain" else {"time": lambda s: s.time})
study.run(workers=1)
vinci.view(study, browser=False)
print("after")
"""


@pytest.mark.parametrize("kind", ["plain", "functions"])
def test_a_study_given_as_a_dict_is_shown_and_its_cases_are_played(
    kind: str, scenes: Path
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUDY, str(scenes), kind], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        address = process.stdout.readline().strip()

        def asked(path: str) -> Any:
            with urllib.request.urlopen(address + path, timeout=PATIENCE) as answer:
                return json.loads(answer.read())

        study = asked("api/study")
        assert (study["cases"], study["complete"]) == (3, True)
        urllib.request.urlopen(address + "cases/2/", timeout=PATIENCE).close()
        while (state := asked("cases/2/state"))["state"] == "running":
            time.sleep(0.01)
        assert state["state"] == "done" and state["case"] == 2, state
        assert state["same"] is (True if kind == "plain" else None)
        assert set(state["measures"]) == {"high"}
        process.send_signal(signal.SIGINT)
        assert "after" in process.communicate(timeout=PATIENCE)[0]
    finally:
        process.kill()
        process.communicate()


def test_a_study_among_recordings_is_refused(recording: Path, scenes: Path) -> None:
    study = vinci.Study({
        "scene": "stack.yaml", "uncertain": {"mu": {"uniform": [0.2, 0.6]}}, "sample": {"count": 1},
    }, folder=scenes)  # fmt: skip
    with pytest.raises(vinci.Error, match="one study, or recordings"):
        vinci.view(study, recording, browser=False)
    with pytest.raises(vinci.Error, match="has not been run"):
        vinci.view(study, browser=False)


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not here")
def test_a_picture_has_its_size(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # Chromium hangs with that of a sanitizer
    picture = tmp_path / "stack.png"
    made = vinci.render(recording, path=picture, size=(320, 200), at=0.01)
    data = picture.read_bytes()
    assert made == {"bytes": len(data), "pictures": 1}
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (320, 200)


def test_mistakes_are_named(recording: Path, tmp_path: Path) -> None:
    with pytest.raises(vinci.Error, match="one or more"):
        vinci.write_page(path=tmp_path / "a.html")
    with pytest.raises(vinci.Error, match="none.h5"):
        vinci.write_page(tmp_path / "none.h5", path=tmp_path / "a.html")
    with pytest.raises(vinci.Error, match="max_size"):
        vinci.write_page(recording, path=tmp_path / "a.html", max_size=0)
    with pytest.raises(vinci.Error, match="accepted"):
        vinci.render(recording, path=tmp_path / "a.png", theme="pink")
    assert not (tmp_path / "a.html").exists() and not (tmp_path / "a.png").exists()
