# SPDX-License-Identifier: Apache-2.0
"""Simulations: a scene in motion."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from .errors import Error
from .events import event_table, mode_table
from .progress import Progress

# Wall time that the compiled loop may take before Python looks at signals and the bar, s.
_SLICE = 0.05


@dataclass(frozen=True)
class RunResult:
    """How a run went.

    >>> vinci.Simulation(scenes / "stack.yaml", duration=0.01).run().steps
    10
    """

    steps: int  #: done by this call
    time: float  #: simulated time at the end, s
    wall_seconds: float  #: s
    finished: bool  #: the duration was reached
    diverged: str | None  #: body whose numbers are not finite any more
    ending: str  #: why the motion model has no next state; '' if it has
    inexact_steps: int  #: of this call with a residual above `accept`
    worst_residual: float  #: relative, of the steps of this call
    recording: Path | None  #: where the run was recorded
    state_hash: str  #: of the last state


class Parameters(MutableMapping[str, float]):
    """The parameters of a simulation. Assigning one compiles the model anew.

    >>> sim = vinci.Simulation(scenes / "stack.yaml")
    >>> sim.parameters["mu"] = 0.2
    >>> sim.parameters.update(mu=0.3, size=0.1)
    >>> dict(sim.parameters)
    {'mu': 0.3, 'size': 0.1}
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        return self._simulation._parameters()[name]

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation._set_parameters({name: float(value)})

    def __delitem__(self, name: str) -> None:
        raise Error("the parameters of a scene cannot be removed", name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._parameters())

    def __len__(self) -> int:
        return len(self._simulation._parameters())

    def update(self, *values: Any, **named: float) -> None:
        """Sets several at once: the model is compiled once, or nothing changes."""
        together = dict(*values, **named)
        self._simulation._set_parameters({name: float(value) for name, value in together.items()})

    def __repr__(self) -> str:
        return repr(self._simulation._parameters())


class Simulation(_core.Simulation):
    """A scene in motion: owns the model, the state, the chosen methods, and performs steps.

    `scene` is a Scene, a path of a scene file, or a dict (as `Scene.from_dict` takes it). Options
    that are None stay as the scene says. Times in s.

    - `parameters` sets parameters over the scene's.
    - `options` are those of the methods: `{"solver.tolerance": 1e-12}`.
    - `solver`, `stepper` and `impact_law` are names, or objects (or classes) written in Python.
    - `controllers` act in this order; `motions` replace the expressions of prescribed
      coordinates: `{("wall", "x"): motion}`. Plain functions do, too.
    - `plugins` are shared libraries to load before.

    >>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", step=1e-3, solver="lemke",
    ...                        cone="pyramid", parameters={"restitution": 0.5})
    >>> while not sim.finished and sim.state.time < 0.1:
    ...     report = sim.step()
    >>> report.status
    'solved'
    """

    def __init__(
        self,
        scene: _core.Scene | str | os.PathLike[str] | Mapping[str, Any],
        *,
        stepper: Any = None,
        motion: str | None = None,
        coordinates: str | None = None,
        cone: str | None = None,
        directions: int | None = None,
        contact_frames: str | None = None,
        impact_time: str | None = None,
        impact_law: Any = None,
        detector: str | None = None,
        solver: Any = None,
        step: float | None = None,
        duration: float | None = None,
        output_interval: float | None = None,
        accept: float | None = None,
        strict: bool | None = None,
        diagnose: str | None = None,
        threads: int | None = None,
        seed: int | None = None,
        parameters: Mapping[str, float] | None = None,
        options: Mapping[str, Any] | None = None,
        plugins: Iterable[str | os.PathLike[str]] = (),
        controllers: Iterable[Any] = (),
        motions: Mapping[tuple[str, str], Any] | None = None,
    ) -> None:
        words = locals()  # the keywords of the run's options are those of their table
        given = {name: words[name.replace("-", "_")] for name in _core.run_options()}
        for library in [plugins] if isinstance(plugins, (str, os.PathLike)) else plugins:
            _core.load_plugin(library)
        texts = {k.replace("_", "-"): _text(v, k) for k, v in (options or {}).items()}
        code: dict[str, Any] = {"stepper": None, "solver": None, "impact-law": None}
        for name, value in given.items():
            if name in code and value is not None and not isinstance(value, str):
                code[name] = value() if isinstance(value, type) else value
            elif value is not None:
                texts[name] = _text(value, name)
        super().__init__(
            _scene(scene), texts, {k: float(v) for k, v in (parameters or {}).items()},
            _named(controllers), _places(motions or {}), code["solver"], code["stepper"],
            code["impact-law"],
        )  # fmt: skip

    @property
    def parameters(self) -> Parameters:
        """Values of the parameters, by name; assign to change them from the next step on."""
        return Parameters(self)

    @parameters.setter
    def parameters(self, values: Mapping[str, float]) -> None:
        self.parameters.update(values)

    @property
    def events(self) -> np.ndarray:
        """Events of the last step, where it was event-driven, as `Recording.events()` has them.

        >>> len(vinci.Simulation(scenes / "stack.yaml").events)
        0
        """
        return event_table(self._events())

    @property
    def modes(self) -> np.ndarray:
        """What acts at the end of the last step, where it was event-driven, with the fields of
        `Recording.modes()` but for the frame."""
        found = self._modes()
        return mode_table(found, {"time": np.full(len(found[0]), self.state.time)})

    def run(
        self,
        until: float | None = None,
        *,
        progress: bool | str = False,
        record: str | os.PathLike[str] | _core.Recorder | None = None,
        overwrite: bool = False,
        callback: Callable[[Simulation], Any] | None = None,
    ) -> RunResult:
        """Steps until the simulated time `until` (s), or to the end of the duration.

        `record` names a file for the recording, or is a Recorder. `progress=True` draws a bar on a
        terminal, `progress="always"` anywhere. `callback(simulation)` is called after every step;
        a true answer ends the run. Ctrl-C ends the run with KeyboardInterrupt after the last whole
        step; whatever ends it, the recording is closed and holds all steps before.

        >>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", duration=0.1)
        >>> result = sim.run(record=tmp / "run.h5")
        >>> result.finished, result.recording.name
        (True, 'run.h5')
        """
        if progress not in (True, False, "always"):
            raise Error(f"is {progress!r}; accepted: True, False or 'always'", "progress")
        first, last = self.state.step, self._last_step(until)
        start = time.monotonic()
        own = None  # a recorder that ends with this call
        path = None
        if record is not None and not isinstance(record, _core.Recorder):
            path = Path(record)
            own = _core.Recorder(path, self, overwrite)
        recorder = record if isinstance(record, _core.Recorder) else own
        if recorder is not None and recorder.simulation is not self:
            raise Error("belongs to another simulation", "record")
        bar = Progress(
            self.scene.title or "run", first, last, bool(progress), progress == "always"
        )
        worst, inexact, more, done = 0.0, 0, True, first
        try:
            while more:
                # A callback is called after every step.
                end = last if callback is None else min(last, self.state.step + 1)
                more, residual, count = self._advance(end, _SLICE, recorder)
                worst, inexact = max(worst, residual), inexact + count
                bar.update(self.state.step, self.state.time)
                if callback is not None and self.state.step > done:
                    done = self.state.step
                    more = done < last and self.diverged is None and not self.report.ending
                    if callback(self):
                        break
        finally:
            bar.close()
            if own is not None:
                own.finish()
        return RunResult(
            steps=self.state.step - first,
            time=self.state.time,
            wall_seconds=time.monotonic() - start,
            finished=self.state.step >= self.total_steps,
            diverged=self.diverged,
            ending=self.ending,
            inexact_steps=inexact,
            worst_residual=worst,
            recording=path,
            state_hash=self.state.hash,
        )

    def _last_step(self, until: float | None) -> int:
        if until is None:
            return self.total_steps
        if not (math.isfinite(until) and until >= 0.0):
            raise Error(f"is {until}; accepted: a finite time in s, 0 or more", "until")
        ratio = until / self.step_size
        return math.ceil(ratio - min(1e-12 * abs(ratio), 0.5))

    def __repr__(self) -> str:
        return (
            f"<vinci.Simulation '{self.scene.title}': step {self.state.step} of"
            f" {self.total_steps}, {self.state.time:.6g} s>"
        )


def _scene(scene: Any) -> _core.Scene:
    if isinstance(scene, _core.Scene):
        return scene
    if isinstance(scene, Mapping):
        return _core.Scene.from_dict(scene)
    if isinstance(scene, str) and "\n" in scene:
        raise Error("is a text, not a file; give Scene.parse(text)", "scene")
    if isinstance(scene, (str, os.PathLike)):
        return _core.Scene.load(os.fspath(scene))
    raise TypeError(f"a {type(scene).__name__} is no scene; accepted: Scene, path or dict")


def _text(value: Any, name: str) -> str:
    """An option as a command line would spell it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and math.isfinite(value):
        return repr(float(value))
    raise Error(f"is {value!r}; accepted: a finite number, a text, True or False", name)


def _named(controllers: Any) -> list[tuple[str, Any]]:
    """The controllers with names, of which no two are the same."""
    if (
        callable(controllers)
        or hasattr(controllers, "act")
        or isinstance(controllers, _core.JointController)
    ):
        controllers = [controllers]
    named: list[tuple[str, Any]] = []
    for controller in controllers:
        if isinstance(controller, type):
            controller = controller()
        name = str(
            getattr(controller, "name", None)
            or getattr(controller, "__name__", None)
            or type(controller).__name__
        )
        taken = {other for other, _ in named}
        number = 2
        unique = name
        while unique in taken:
            unique, number = f"{name}-{number}", number + 1
        named.append((unique, controller))
    return named


def _places(motions: Mapping[Any, Any]) -> dict[tuple[str, str], Any]:
    places: dict[tuple[str, str], Any] = {}
    for place, motion in motions.items():
        if not (
            isinstance(place, tuple)
            and len(place) == 2
            and all(isinstance(part, str) for part in place)
        ):
            raise Error(f"has the key {place!r}; accepted: (body, coordinate)", "motions")
        body, coordinate = place
        places[body, coordinate] = motion() if isinstance(motion, type) else motion
    return places
