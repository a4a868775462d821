# SPDX-License-Identifier: Apache-2.0
"""Studies: a scene run many times under uncertainty."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from .errors import Error
from .function_identity import identity_of
from .progress import Progress
from .recording import Recording
from .scenes import plain

Measure = Callable[[_core.State], float]

_VERDICTS = ("unknown", "success", "failure")


@dataclass(frozen=True)
class StudyCase:
    """One case of a study, run again."""

    number: int  #: of the case
    design: int  #: which design it belongs to
    sample: int  #: which draw of the uncertain parameters
    parameters: dict[str, float]  #: their values, SI
    measures: dict[str, float]  #: NaN where there is none
    status: str  #: 'good', 'ended', 'inexact', 'diverged', 'failed', ...
    verdict: str  #: 'success', 'failure' or 'unknown'
    message: str  #: what went wrong, else ''
    same: bool | None  #: as in the study, bit for bit; None where it was not run there
    recording: Path | None  #: where it was recorded


class Study:
    """A study: which cases of a scene are run, what is measured, what counts as success.

    `source` is the file of a study, its text, or the same as a dict; files that a text or a dict
    names lie in `folder`. `measures` are functions for the measures that the study leaves to
    Python (`tilt: {python: tilt}`): each is given the `State` at the end of a case and gives a
    number. Of a dict they need not be named there. A measure that reads `{python: mine.py:tilt}`
    is the function `tilt` of that file, beside the study. Functions must depend on the state alone.
    What a folder holds is of these functions: of their code, constants, defaults, what they have
    closed over and what of their module they name, as it was when the study was made. Others are
    refused by `resume` and `open`. What libraries and files do is not seen.

    >>> study = vinci.Study({
    ...     "scene": "stack.yaml", "run": {"duration": 0.01}, "seed": 1,
    ...     "uncertain": {"mu": {"uniform": [0.2, 0.6]}},
    ...     "sample": {"count": 8},
    ... }, folder=scenes, measures={"time": lambda state: state.time})
    >>> results = study.run().results
    >>> results["number"].tolist(), float(results["time"].max())
    ([0, 1, 2, 3, 4, 5, 6, 7], 0.01)
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any],
        *,
        folder: str | os.PathLike[str] = ".",
        measures: Mapping[str, Measure] | None = None,
        allow_paths: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        given = dict(measures or {})
        allowed = [Path(path) for path in allow_paths]
        self._allowed = allowed
        self._text: str | None = None
        if isinstance(source, Mapping):
            data = plain(source, "study", "study")
            self._text = json.dumps(_with_measures(data, given), indent=0)
        elif isinstance(source, str) and "\n" in source:
            self._text = source
        if self._text is None:
            assert not isinstance(source, Mapping)
            if not os.fspath(source):
                raise Error("an empty name; accepted: a file, the text of a study, or a dict", "source")
            self._study = _core._Study.load(Path(source), allowed)
            self._folder = Path(source).resolve().parent
        else:
            self._folder = Path(folder).resolve()
            self._study = _core._Study.parse(self._text, self._folder, "study", allowed)
        self._functions = self._functions_of(given)
        # As they are now: what they name may change while they run.
        self._identities = " ".join(
            f"{name}={identity_of(self._functions[name])}" for name in sorted(self._functions)
        )
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._output: Path | None = None

    def _functions_of(self, given: dict[str, Measure]) -> dict[str, Measure]:
        functions = {}
        for name, is_code, text in self._study.measures:
            if not is_code:
                continue
            if name in given:
                functions[name] = given.pop(name)
            elif ".py:" in text:
                functions[name] = _function_of(self._folder, text)
            else:
                raise Error("is a function in Python; give it in `measures`", name)
        for name, function in functions.items():
            if not callable(function):
                kind = type(function).__name__
                raise Error(f"is of type '{kind}'; accepted: a function of the state", name)
        for name in given:
            words = "is no measure of the study in Python; write"
            raise Error(f"{words} `{name}: {{python: {name}}}`", name)
        return functions

    @property
    def title(self) -> str:
        """Title, '' if the study has none."""
        return self._study.title

    @property
    def hash(self) -> str:
        """Of the study with all files that it names: the same hash, the same results."""
        return self._study.hash

    @property
    def kind(self) -> str:
        """'sample', 'map', 'search', 'sensitivity' or 'rare'."""
        return self._study.kind

    @property
    def parameters(self) -> dict[str, str]:
        """What is known of each parameter, as text: designs first, then uncertain ones."""
        return {name: f"{kind} {text}" for name, kind, text in self._study.parameters}

    @property
    def measures(self) -> list[str]:
        """Names of the measures."""
        return [name for name, _, _ in self._study.measures]

    @property
    def output(self) -> Path | None:
        """Folder in which it was run; None before."""
        return self._output

    def run(
        self,
        *,
        output: str | os.PathLike[str] | None = None,
        workers: int | None = None,
        overwrite: bool = False,
        progress: bool = False,
    ) -> Study:
        """Runs all cases, and gives the study itself.

        In `output`, a folder that `vinci view` and `vinci study` read where the study is a file;
        without it in a temporary one, which goes with this object. `workers` processes, by
        default as many as there are processors; the results are the same for any number. With
        functions as measures the processes are forked from this one, and 1 runs them here, where a
        function that ends its process ends this one; but in a process of its own where the study
        has limits of time or memory, which only another one can watch. Ctrl-C stops, and `resume`
        goes on.
        """
        if output is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="vinci-study-")
            self._output = Path(self._temporary.name)
        else:
            self._output = Path(output)
            self._output.mkdir(parents=True, exist_ok=True)
            ledger = self._output / "study.sqlite"
            if ledger.exists() and not overwrite:
                raise Error(
                    "exists already; give overwrite=True, or continue with resume()", str(output)
                )
            _core._study_clear(self._output)
        return self.resume(workers=workers, progress=progress)

    def resume(
        self,
        *,
        output: str | os.PathLike[str] | None = None,
        workers: int | None = None,
        progress: bool = False,
    ) -> Study:
        """Runs what is missing: of this object's last run, or of the one in a folder."""
        if output is not None:
            self.open(output)
        folder = self._where()
        count = workers if workers is not None else os.cpu_count() or 1
        if count < 1:
            raise Error("accepted: at least 1", "workers")
        run = _core._StudyRun(self._study, folder, self._functions, self._identities)
        bar = Progress(self.title or "study", run.done, run.expected or 0, progress, False)
        try:
            if not self._functions:
                self._run_crew(run, count, bar)
            elif count > 1 or self._study.has_limits:
                # Functions cannot be sent: copies of this process have them.
                run.run_crew([], count, lambda done, _expected: bar.update(done))
            else:
                self._run_here(run, bar)
            run.finish()
        finally:
            bar.close()
            run.close()
        return self

    def open(self, output: str | os.PathLike[str]) -> Study:
        """Takes the results that lie in the folder of a run, of the program's too."""
        _core._study_check(self._study, Path(output), self._identities)
        self._output = Path(output)
        return self

    def _run_crew(self, run: _core._StudyRun, workers: int, bar: Progress) -> None:
        """By processes that load the study themselves: one that crashes takes no other along."""
        with tempfile.TemporaryDirectory(prefix="vinci-study-") as scratch:
            command = self._command("_work", Path(scratch))
            run.run_crew(command, workers, lambda done, _expected: bar.update(done))

    def _command(self, entry: str, scratch: Path) -> list[str]:
        """A process that loads the study and calls a function of this file."""
        place = [str(self._study.file), ""]
        if self._text is not None:
            text = scratch / "study.yaml"
            text.write_text(self._text, encoding="utf-8")
            place = [str(text), str(self._folder)]
        package = str(Path(__file__).absolute().parents[1])
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); "
            f"import vinci.study; vinci.study.{entry}(sys.argv[2:])"
        )
        allowed = json.dumps([str(path) for path in self._allowed])
        return [sys.executable, "-c", code, package, allowed, *place]

    def _serve(self, port: int, tell: Callable[[str], None]) -> None:
        """The viewer's page of the study, until Ctrl-C; cases are simulated again by processes."""
        output = self._where().resolve()
        with tempfile.TemporaryDirectory(prefix="vinci-study-") as scratch:
            command = [*self._command("_replay", Path(scratch)), str(output)]
            _core._serve_study(self._study, output, command, port, tell)

    def _run_here(self, run: _core._StudyRun, bar: Progress) -> None:
        while (missing := run.next_round()) is not None:
            for first, size in missing:
                end = run.done + size
                while (left := end - run.done) > 0:
                    run.add(run.answer(first + size - left, left))
                    bar.update(run.done)

    def _where(self) -> Path:
        if self._output is None:
            raise Error("the study has not been run; call run(), or open() with its folder")
        return self._output

    @property
    def results(self) -> np.ndarray:
        """A structured array with a row per case of all complete rounds.

        Fields: number, design, sample; the parameters; status, verdict, level; the measures;
        message.
        """
        columns = _core._study_columns(self._study, self._where())
        fields: list[tuple[str, Any]] = [("number", "u8"), ("design", "u4"), ("sample", "u8")]
        fields += [(name, "f8") for name, _, _ in self._study.parameters]
        fields += [("status", "U9"), ("verdict", "U7"), ("level", "u4")]
        fields += [(name, "f8") for name in self.measures]
        longest = max((len(text) for text in columns["message"]), default=0)
        fields += [("message", f"U{max(1, longest)}")]
        table = np.zeros(len(columns["number"]), dtype=fields)
        for name in ("number", "design", "sample", "level", "message"):
            table[name] = columns[name]
        table["status"] = np.asarray(_core._study_statuses())[columns["status"]]
        table["verdict"] = np.asarray(_VERDICTS)[columns["verdict"]]
        for (name, _, _), values in zip(self._study.parameters, columns["parameters"]):
            table[name] = values
        for name, values in zip(self.measures, columns["measures"]):
            table[name] = values
        return table

    def frame(self) -> Any:
        """The results as a frame of pandas, which must be installed."""
        try:
            pandas = importlib.import_module("pandas")
        except ModuleNotFoundError:
            raise Error("needs pandas (Debian: python3-pandas)", "frame") from None
        results = self.results
        return pandas.DataFrame({name: results[name] for name in results.dtype.names or ()})

    @property
    def report(self) -> dict[str, Any]:
        """What the complete rounds show, as `vinci study report --json` has it."""
        report: dict[str, Any] = json.loads(_core._study_report(self._study, self._where()))
        return report

    @property
    def probability(self) -> tuple[float, float, float]:
        """Of success among the cases whose verdict is known: value, and both ends of its interval.

        Not a number, 0 and 1 without such cases, and where cases are not draws of one design: then
        `report` has the reason (`withheld`) and the designs one by one.
        """
        found = self.report["probability"]
        if found is None or found["value"] is None:
            return (float("nan"), 0.0, 1.0)
        return (found["value"], found["lower"], found["upper"])

    def repeat(
        self, number: int, record: str | os.PathLike[str] | None = None, *, overwrite: bool = False
    ) -> StudyCase:
        """Runs one case again, by itself; `record` is the file of a recording of it.

        Before the study was run this works for the cases of the first round.
        """
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
            raise Error(f"{number!r} is no number of a case; accepted: a whole number, 0 or more")
        path = None if record is None else Path(record)
        found = _core._study_repeat(
            self._study, self._output, int(number), path, overwrite, self._functions
        )
        values = found.pop("values")
        found["parameters"] = dict(zip([name for name, _, _ in self._study.parameters], values))
        found["measures"] = dict(zip(self.measures, found["measures"]))
        return StudyCase(recording=path, **found)

    def recording(self, number: int) -> Recording:
        """A recording of one case, run again; its file goes with this object."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="vinci-study-")
        path = Path(self._temporary.name) / f"case-{number}.h5"
        self.repeat(number, path, overwrite=True)
        return Recording(path)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table of all complete rounds as text, the same bytes for the same study."""
        _core._study_csv(self._study, self._where(), Path(path))

    def to_hdf5(self, path: str | os.PathLike[str]) -> None:
        """Writes the table of all complete rounds as HDF5, with a list for each column."""
        _core._study_hdf5(self._study, self._where(), Path(path))

    def __repr__(self) -> str:
        return f"<vinci.Study '{self.title}' of kind {self.kind}>"


def _with_measures(study: Any, given: Mapping[str, Measure]) -> Any:
    """The study with the measures that are functions."""
    written = study.get("measures", {})
    if given and isinstance(written, dict):  # what is no dict is refused when the study is read
        study["measures"] = {**{name: {"python": name} for name in given}, **written}
    return study


def _function_of(folder: Path, place: str) -> Measure:
    """The function that 'mine.py:tilt' names."""
    file, _, name = place.partition(":")
    path = folder / file
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.exists():
        raise Error("there is no such file", str(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise Error(f"has no function '{name}'", str(path))
    return function


def _loaded(allowed: str, file: str, folder: str) -> _core._Study:
    """The study of a process that this module has started; with a folder it was a text."""
    paths = [Path(path) for path in json.loads(allowed)]
    if not folder:
        return _core._Study.load(Path(file), paths)
    text = Path(file).read_text(encoding="utf-8")
    return _core._Study.parse(text, Path(folder), "study", paths)


def _work(arguments: list[str]) -> None:
    """The life of a process that `Study.run` has started."""
    _core._study_work(_loaded(*arguments))


def _replay(arguments: list[str]) -> None:
    """A process that the viewer has started: records a case, says what `vinci study repeat` does."""
    study = _loaded(*arguments[:3])
    output, number, file = Path(arguments[3]), int(arguments[4]), Path(arguments[5])
    # Functions that were handed in are not here, and their numbers are not asked for.
    functions = {name: lambda _: float("nan") for name, is_code, _ in study.measures if is_code}
    found = _core._study_repeat(study, output, number, file, True, functions)
    values = found.pop("values")
    found["parameters"] = dict(zip([name for name, _, _ in study.parameters], values))
    measured = {name: value for (name, _, _), value in zip(study.measures, found["measures"])}
    found["measures"] = {name: value for name, value in measured.items() if name not in functions}
    if functions:
        found["same"] = None
    print(json.dumps({"ok": True, "case": found.pop("number"), **found}), flush=True)
