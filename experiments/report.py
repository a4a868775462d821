# SPDX-License-Identifier: Apache-2.0
"""What the experiments share: their command line, the table 'paper says / we got', the figures.

    from report import Experiment

    experiment = Experiment("needle", __doc__)
    for speed in [0.001] if experiment.short else [0.001, 0.01, 0.1]:
        ...
    experiment.row("peg follows the plan", paper="matches closely", ours=f"{error:.2g} mm")
    experiment.save(figure)
    experiment.finish()
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Experiment:
    """One experiment of the paper: where its results go, and what it found."""

    def __init__(self, name: str, text: str | None, parts: Sequence[str] = ()) -> None:
        parser = argparse.ArgumentParser(
            description=(text or "").strip(), formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--short", action="store_true", help="seconds instead of minutes")
        parser.add_argument("--output", metavar="FOLDER", type=pathlib.Path,
                            default=ROOT / "build" / "experiments" / name,
                            help="for figures, recordings and table.json")
        parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1,
                            help="processes at the same time (default: one a core)")
        if parts:
            parser.add_argument("--only", metavar="PART", choices=parts,
                                help=f"one part alone: {', '.join(parts)}")
        arguments = parser.parse_args()
        if arguments.jobs < 1:
            parser.error("--jobs: at least 1")
        self.name = name
        self.short: bool = arguments.short
        self.only: str | None = arguments.only if parts else None
        self.jobs: int = arguments.jobs
        self.output: pathlib.Path = arguments.output
        self.folder = ROOT / "experiments" / name  # of the scenes
        self.rows: list[dict[str, str]] = []
        self._begin = time.perf_counter()
        try:
            self.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            sys.exit(f"{self.output}: cannot be made a folder: {error.strerror}")

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """function(item) for every item, in their order, in `jobs` processes."""
        work = list(items)
        if self.jobs == 1 or len(work) < 2:
            return [function(item) for item in work]
        # Processes that begin anew: threads of the libraries do not survive a fork.
        with multiprocessing.get_context("spawn").Pool(min(self.jobs, len(work))) as pool:
            return pool.map(function, work, chunksize=1)

    def does(self, part: str) -> bool:
        """Whether this part is asked for."""
        return self.only in (None, part)

    def row(self, quantity: str, *, paper: str, ours: str) -> None:
        """A row of the table 'paper says / we got'."""
        self.rows.append({"quantity": quantity, "paper": paper, "ours": ours})

    def save(self, figure: Any, name: str | None = None) -> pathlib.Path:
        """Writes a figure; its name is the experiment's where none is given."""
        path = self.output / f"{name or self.name}.png"
        figure.savefig(path, dpi=130)
        return path

    def finish(self) -> None:
        """Prints the table; writes it as table.json and, for a page, table.md beside the figures."""
        heads = {"quantity": self.name, "paper": "paper says", "ours": "we got"}
        lines = [heads, *self.rows]
        wide = {key: max(len(line[key]) for line in lines) for key in ("quantity", "paper")}
        for line in lines:
            print(f"{line['quantity']:<{wide['quantity']}}  {line['paper']:<{wide['paper']}}  "
                  f"{line['ours']}")
            if line is heads:
                print("-" * (wide["quantity"] + wide["paper"] + 4 + len(heads["ours"])))
        seconds = time.perf_counter() - self._begin
        table = {"experiment": self.name, "short": self.short, "rows": self.rows,
                 "seconds": round(seconds, 1)}
        (self.output / "table.json").write_text(json.dumps(table, indent=1) + "\n",
                                                encoding="utf-8")
        lines[1:1] = [dict.fromkeys(heads, "---")]
        (self.output / "table.md").write_text(
            "".join(f"| {line['quantity']} | {line['paper']} | {line['ours']} |\n" for line in lines),
            encoding="utf-8")
        print(f"\n{seconds:.0f} s; figures and recordings: {self.output}")
