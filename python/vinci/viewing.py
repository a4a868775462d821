# SPDX-License-Identifier: Apache-2.0
"""The viewer: recordings in the browser, as pages, pictures and videos."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

from . import _core
from .errors import Error
from .study import Study

Run = Union[_core.Recording, str, "os.PathLike[str]"]


def _paths(runs: Sequence[Run]) -> list[Path]:
    if not runs:
        raise Error("no recording was given; accepted: one or more")
    return [run.path if isinstance(run, _core.Recording) else Path(run) for run in runs]


def view(*runs: Run | Study, browser: bool = True, port: int = 0) -> None:
    """Shows recordings in the browser until Ctrl-C; several are compared. Or a study that was run.

    Serves to this machine only, on a free port unless one is given, and prints the address.
    Recordings that are still being written grow on the page. Of a study, its cases, each of which
    can be simulated again and played.

    >>> vinci.view("run.h5")  # doctest: +SKIP
    """

    def tell(address: str) -> None:
        print(f"{address}\nCtrl-C ends it.", flush=True)
        if browser:
            webbrowser.open(address)

    if any(isinstance(run, Study) for run in runs):
        (study,) = runs if len(runs) == 1 else (None,)
        if not isinstance(study, Study):
            raise Error("a study among others; accepted: one study, or recordings")
        try:
            study._serve(port, tell)
        except KeyboardInterrupt:
            pass
        return
    paths = _paths([run for run in runs if not isinstance(run, Study)])
    for path in paths:
        _core.Recording(path).close()  # bad ones are reported at once
    try:
        _core._serve(paths, port, tell)
    except KeyboardInterrupt:
        pass


def write_page(
    *runs: Run, path: str | os.PathLike[str], overwrite: bool = False, max_size: float = 50.0,
    every: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Writes one HTML file that holds the viewer and the recordings: it opens offline.

    Recordings that would need more than `max_size` MB are thinned; `every` keeps only every
    N-th frame whatever the size. Gives `bytes` of the file and `frames` kept of each recording.

    >>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "stack.h5")
    >>> vinci.write_page(tmp / "stack.h5", path=tmp / "stack.html")["frames"]
    [11]
    """
    return _core._write_page(_paths(runs), Path(path), overwrite, max_size, every)


def render(
    *runs: Run,
    path: str | os.PathLike[str],
    size: tuple[int, int] = (1280, 720),
    fps: float = 30.0,
    speed: float = 1.0,
    start: float | None = None,
    stop: float | None = None,
    at: float | None = None,
    theme: str = "light",
    layout: str | None = None,
    contacts: bool = True,
    cones: bool = False,
    joints: bool = True,
    grasp: str | None = None,
    follow: str | None = None,
    camera: Sequence[float] | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Draws a picture (.png) or a video (.mp4, .webm, .gif) of recordings.

    `size` in pixels; `fps` pictures and `speed` simulated seconds per second of video; `start`,
    `stop` and, for one picture, `at` in simulated s; `layout` 'single', 'side-by-side' or 'ghost';
    `grasp` a body that is drawn with what holds it; `follow` a body; `camera` its position and the point it looks at, six numbers in m. Needs
    Chromium, for videos also ffmpeg. Gives `bytes` and `pictures`.

    >>> vinci.render("run.h5", path="run.mp4", speed=0.5)  # doctest: +SKIP
    """
    if isinstance(size, str) or len(size) != 2:
        raise Error("accepted: (width, height) in pixels", "size")
    options = {
        "width": size[0], "height": size[1], "fps": fps, "speed": speed, "start": start,
        "stop": stop, "at": at, "theme": theme, "layout": layout, "contacts": contacts,
        "cones": cones, "joints": joints, "grasp": grasp, "follow": follow, "camera": camera,
        "overwrite": overwrite,
    }  # fmt: skip
    return _core._render(_paths(runs), Path(path), options)
