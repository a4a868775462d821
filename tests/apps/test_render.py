# SPDX-License-Identifier: Apache-2.0
"""`vinci render`: pictures and videos of the right size and length, or a clear error and nothing."""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time

import pytest

from conftest import BLOCK, PATIENCE, PROGRAM, wait_for

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def recorded(shared):
    shared.scene(BLOCK)
    shared("run", "scene.yaml", "-o", "run.h5")
    done = shared("render", "run.h5", "x.nothing", code=None)
    if "built without the viewer's page" in done.stderr:
        pytest.skip("built without the viewer's page: run make build")
    return shared


@pytest.fixture(scope="module")
def drawing(recorded):
    if not any(map(shutil.which, BROWSERS)):
        pytest.skip("no Chromium to draw with: apt install chromium")
    return recorded


@pytest.fixture
def scratch(monkeypatch):
    """A folder for the temporary files of the program, to see that none is left."""
    with tempfile.TemporaryDirectory(prefix="v") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield pathlib.Path(name)
        assert os.listdir(name) == []


def need_ffmpeg():
    if not shutil.which("ffmpeg"):
        pytest.skip("no ffmpeg for videos: apt install ffmpeg")


def streams(path):
    keys = "codec_name,width,height,pix_fmt,nb_read_frames"
    text = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                           f"stream={keys}", "-of", "default=noprint_wrappers=1", path],
                          capture_output=True, text=True, check=True).stdout
    return dict(line.split("=") for line in text.split())


def test_a_picture_has_the_size_asked_for(drawing, scratch):
    done = drawing("render", "run.h5", "picture.png", "--size", "200x120", "--at", "0.1")
    assert "picture.png: 1 picture" in done.stdout
    data = (drawing.folder / "picture.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">2I", data[16:24]) == (200, 120)
    assert "--overwrite" in drawing("render", "run.h5", "picture.png", code=2).stderr
    assert (drawing.folder / "picture.png").read_bytes() == data


def render_five_pictures(drawing, kind):
    need_ffmpeg()
    answer = drawing.json("render", "run.h5", "run.h5", f"video.{kind}", "--size", "160x90",
                          "--fps", "20", "--theme", "dark", "--cones")
    assert answer["pictures"] == 5
    found = streams(drawing.folder / f"video.{kind}")
    assert (found["width"], found["height"], found["nb_read_frames"]) == ("160", "90", "5")
    return found


def test_a_video_has_a_picture_for_each_time(drawing, scratch):
    found = render_five_pictures(drawing, "mp4")
    assert (found["codec_name"], found["pix_fmt"]) == ("h264", "yuv420p")


def test_a_deep_folder_for_temporary_files_is_no_obstacle(drawing, monkeypatch, tmp_path):
    """Browsers put sockets there, whose paths must be short."""
    deep = tmp_path / ("deep" * 20)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))
    assert render_five_pictures(drawing, "gif")["codec_name"] == "gif"


def test_ctrl_c_leaves_neither_file_nor_process(drawing, scratch):
    need_ffmpeg()
    run = drawing.start("render", "run.h5", "long.mp4", "--speed", "0.0001", "--size", "160x90",
                        stderr=subprocess.PIPE, env=os.environ)
    wait_for(lambda: list(scratch.glob("*/profile")))
    time.sleep(0.3)  # Chromium starts meanwhile, as far as it gets
    run.send_signal(signal.SIGINT)
    assert b"stopped" in run.communicate(timeout=PATIENCE)[1]
    assert run.returncode == 130
    assert not [name for name in os.listdir(drawing.folder) if "long" in name]
    commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(scratch) not in commands


def test_missing_programs_are_named_with_their_package(recorded, scratch):
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run([PROGRAM, "render", "run.h5", "x.png"], cwd=recorded.folder,
                              capture_output=True, text=True, env={"PATH": empty})
        assert done.returncode == 1 and "apt install chromium" in done.stderr
        os.symlink("/bin/false", os.path.join(empty, "chromium"))
        done = subprocess.run([PROGRAM, "render", "run.h5", "x.mp4"], cwd=recorded.folder,
                              capture_output=True, text=True, env={"PATH": empty})
        assert done.returncode == 1 and "apt install ffmpeg" in done.stderr
        done = subprocess.run([PROGRAM, "render", "run.h5", "x.png"], cwd=recorded.folder,
                              capture_output=True, text=True, timeout=PATIENCE,
                              env={"PATH": empty, "TMPDIR": str(scratch)})
        assert done.returncode == 1 and "Chromium ended with code 1" in done.stderr
    assert not (recorded.folder / "x.png").exists() and not (recorded.folder / "x.mp4").exists()


@pytest.mark.parametrize("arguments, words", [
    (["run.h5"], "one or more recordings"),
    (["run.h5", "x.avi"], ".png, .mp4, .webm or .gif"),
    (["none.h5", "x.png"], "No such file"),
    (["run.h5", "x.png", "--size", "big"], "WIDTHxHEIGHT"),
    (["run.h5", "x.png", "--size", "5x5"], "16 to 8192"),
    (["run.h5", "x.mp4", "--size", "321x200"], "even"),
    (["run.h5", "x.png", "--at", "9"], "accepted: 0 to 0.2"),
    (["run.h5", "x.png", "--at", "nan"], "accepted: 0 to 0.2"),
    (["run.h5", "x.png", "--from", "0"], "--at"),
    (["run.h5", "x.mp4", "--from", "0.2", "--to", "0.1"], "before the beginning"),
    (["run.h5", "x.mp4", "--speed", "0"], "above 0"),
    (["run.h5", "x.mp4", "--speed", "1e-9"], "at most 100000"),
    (["run.h5", "x.gif", "--fps", "60"], "at most 50"),
    (["run.h5", "x.png", "--follow", "nobody"], "no recording has a body 'nobody'"),
    (["run.h5", "x.png", "--camera", "1,2,3"], "x,y,z,x,y,z"),
    (["run.h5", "x.png", "--theme", "pink"], "light, dark"),
    (["run.h5", "x.png", "--layout", "heap"], "side-by-side"),
])
def test_mistakes_are_bad_input_and_explained(recorded, arguments, words):
    assert words in recorded("render", *arguments, code=2).stderr
    assert not [name for name in os.listdir(recorded.folder) if name.startswith((".x", "x."))]
