# SPDX-License-Identifier: Apache-2.0
"""A progress bar on standard error."""

from __future__ import annotations

import shutil
import sys
import time


class Progress:
    """One line that is drawn again and again, at most ten times a second, and wiped at the end.

    Silent where standard error is no terminal, unless `forced`; short runs show nothing.
    """

    def __init__(self, title: str, first: int, last: int, wanted: bool, forced: bool) -> None:
        self._title, self._first, self._last = title, first, last
        self._visible = forced or (wanted and sys.stderr.isatty())
        self._start = time.monotonic()
        self._next = 0.0 if forced else 0.2
        self._drawn = 0

    def update(self, step: int, simulated: float | None = None) -> None:
        """Draws if it is time to: steps done, and the simulated time in s if there is one."""
        elapsed = time.monotonic() - self._start
        if not self._visible or elapsed < self._next:
            return
        self._next = elapsed + 0.1
        total = max(1, self._last - self._first)
        part = min(1.0, (step - self._first) / total)
        rate = (step - self._first) / elapsed if elapsed > 0 else 0.0
        left = (self._last - step) / rate if rate > 0 else 0.0
        reached = "" if simulated is None else f"{simulated:.4g} s, "
        text = (
            f" {100 * part:3.0f}% {reached}{rate:.3g} steps/s,"
            f" {int(left) // 60}:{int(left) % 60:02d} left"
        )
        room = shutil.get_terminal_size().columns - 1
        width = min(30, room - len(text) - len(self._title) - 3)
        bar = ""
        if width >= 5:
            filled = round(part * width)
            bar = "[" + "=" * filled + " " * (width - filled) + "]"
        line = f"{self._title} {bar}{text}"[:room]
        sys.stderr.write("\r" + line.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(line)

    def close(self) -> None:
        """Wipes the line."""
        if self._drawn:
            sys.stderr.write("\r" + " " * self._drawn + "\r")
            sys.stderr.flush()
            self._drawn = 0
