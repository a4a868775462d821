# SPDX-License-Identifier: Apache-2.0
"""Recordings: reading runs. Nothing is read before it is asked for."""

from __future__ import annotations

import json
import operator
from dataclasses import dataclass, make_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .errors import Error
from .events import event_table, mode_table


if TYPE_CHECKING:
    from ._reports import FrameInfo as FrameInfo, RunSummary as RunSummary
else:
    _FIELDS = _core._report_fields()

    def _described(name: str, table: str, text: str) -> type:
        """A class with the fields of one of the program's tables."""
        fields = [(field["name"], field["type"]) for field in _FIELDS[table]]
        made = make_dataclass(name, fields, frozen=True)
        made.__module__ = __name__
        made.__doc__ = text + "\n\n" + "\n".join(
            f"- `{field['name']}`: {field['text']}"
            + (f" {field['unit']}." if field["unit"] else "")
            for field in _FIELDS[table]
        )
        return made

    FrameInfo = _described("FrameInfo", "frame", """One recorded frame, and how its step went.

>>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "i.h5")
>>> vinci.Recording(tmp / "i.h5").info(-1).step
10""")
    RunSummary = _described(
        "RunSummary",
        "summary",
        """Statistics over every step up to the last frame of a recording, recorded or not.

>>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "s.h5")
>>> vinci.Recording(tmp / "s.h5").summary.inexact_steps
0""",
    )


@dataclass(frozen=True)
class FoundMotion:
    """One of several motions that a step allows (`diagnose: all`)."""

    step: int
    part: int  #: of the step, in the order of time
    island: int  #: of the part: bodies that act on each other
    number: int  #: 0 is the one that the run went on with
    bodies: dict[str, np.ndarray]  #: vx vy vz (m/s, centre of mass), wx wy wz (rad/s), by name
    contacts: list[str]  #: 'open', 'sticks' or 'slides', in the order of their keys


class Recording(_core.Recording):
    """A recorded run, opened lazily; finished, still being written, or left by a killed process.

    Frames are counted from 0, the initial state; -1 is the last one. Ranges are `first`, `last`
    (excluded; None: to the end) and `stride`. A recording may be larger than memory: ask for parts
    or strides of it.

    >>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "stack.h5")
    >>> with vinci.Recording(tmp / "stack.h5") as run:
    ...     run.poses().shape, run.body("box-10").position[-1].round(3).tolist()
    ((11, 11, 7), [0.0, 0.95, 0.0])
    """

    def _index(self, frame: int) -> int:
        index, count = operator.index(frame), len(self)
        if not -count <= index < count:
            raise Error(f"has no frame {frame}; its frames are 0 to {count - 1}", str(self.path))
        return index % count

    def _range(self, first: int, last: int | None, stride: int) -> tuple[int, int, int]:
        if stride < 1:
            raise Error(f"is {stride}; accepted: at least 1", "stride")
        start, stop, step = slice(first, last, stride).indices(len(self))
        return start, len(range(start, stop, step)), step

    def _body(self, body: int | str) -> int:
        names = self.body_names
        if isinstance(body, str):
            if body not in names:
                raise Error(f"has no body '{body}'; it has {', '.join(names)}", str(self.path))
            return names.index(body)
        if not 0 <= operator.index(body) < len(names):
            raise Error(f"has no body {body}; it has {len(names)}", str(self.path))
        return operator.index(body)

    @property
    def times(self) -> np.ndarray:
        """Simulated time of every frame, s."""
        return self.infos()["time"].copy()

    @property
    def frames(self) -> np.ndarray:
        """One row per frame, for all of them, as `infos()` gives it."""
        return self.infos()

    def infos(self, first: int = 0, last: int | None = None, stride: int = 1) -> np.ndarray:
        """One row per frame, a structured array.

        Its fields are those of `FrameInfo`.
        """
        return self._frames(*self._range(first, last, stride))

    def info(self, frame: int) -> FrameInfo:
        """The row of one frame."""
        row = self._frames(self._index(frame), 1, 1)[0]
        values: dict[str, Any] = {name: row[name].tolist() for name in row.dtype.names}
        values["seconds"] = tuple(values["seconds"])
        return FrameInfo(**values)

    def poses(
        self,
        first: int = 0,
        last: int | None = None,
        stride: int = 1,
        *,
        body: int | str | None = None,
    ) -> np.ndarray:
        """Poses of the body frames: frames x bodies x 7 (x y z in m, quaternion w x y z); of one
        body frames x 7."""
        chosen = -1 if body is None else self._body(body)
        return self._poses(*self._range(first, last, stride), chosen)

    def velocities(
        self,
        first: int = 0,
        last: int | None = None,
        stride: int = 1,
        *,
        body: int | str | None = None,
    ) -> np.ndarray:
        """Packed velocities (m/s of the centre of mass, rad/s): frames x entries; of one body only
        its own: 3 (vx vy wz) planar, 6 (vx vy vz wx wy wz) spatial, 0 fixed."""
        chosen = -1 if body is None else self._body(body)
        return self._velocities(*self._range(first, last, stride), chosen)

    def elements(
        self, first: int = 0, last: int | None = None, stride: int = 1
    ) -> dict[str, np.ndarray]:
        """Numbers of springs and the like over the frames, by `element.column`, in SI units; empty
        if the scene has none."""
        names = [column.rsplit(" [", 1)[0] for column in self._element_columns()]
        values = self._elements(*self._range(first, last, stride))
        return {name: values[:, i] for i, name in enumerate(names)}

    def joints(
        self, first: int = 0, last: int | None = None, stride: int = 1
    ) -> dict[str, np.ndarray]:
        """Numbers of joints over the frames, by `joint.column`, in SI units: position, rate, motor,
        friction, limit, force_x ... moment_z; empty if the scene has none."""
        names = [column.rsplit(" [", 1)[0] for column in self._joint_columns()]
        values = self._joints(*self._range(first, last, stride))
        return {name: values[:, i] for i, name in enumerate(names)}

    def controls(
        self, first: int = 0, last: int | None = None, stride: int = 1
    ) -> dict[str, np.ndarray]:
        """What controllers remember over the frames, by `controller.column`, in SI units: of those
        of joints effort, reference and error per joint at the last sample; empty if there are
        none."""
        names = [column.rsplit(" [", 1)[0] for column in self._control_columns()]
        values = self._controls(*self._range(first, last, stride))
        return {name: values[:, i] for i, name in enumerate(names)}

    def contacts(self, frame: int) -> np.ndarray:
        """The contacts of a frame's step, with the fields of `Simulation.contacts`."""
        return self._contacts(self._index(frame), 1, 1)[0]

    def contacts_between(
        self, first: int = 0, last: int | None = None, stride: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """The contacts of many frames, one after the other, and the number of the frame that each
        row belongs to.

        >>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "c.h5")
        >>> rows, frames = vinci.Recording(tmp / "c.h5").contacts_between(5)
        >>> int(frames[0]), int((frames == 7).sum())
        (5, 20)
        """
        start, count, step = self._range(first, last, stride)
        rows, starts = self._contacts(start, count, step)
        return rows, np.repeat(start + step * np.arange(count), np.diff(starts))

    def events(self, first: int = 0, last: int | None = None) -> np.ndarray:
        """Events of event-driven steps, in the order in which they happened, a structured array;
        of the steps that lead to the frames from `first` to `last` (excluded), recorded or not.

        Fields: `time` (s), `step`, `subject` ("ball on floor", or the name of a constraint or a
        machine), `kind` ("touch", "release": no force any more, still inside; "parting", "slide",
        "stick", "transition" of a machine or a link, "other"), `from` and `to` ("free", "contact",
        "sticking", "sliding", "ballistic"; "off" and "on" of links; a state of the machine), the
        same as numbers `state_before` and `state`, `key`, `point`, and after the event `gap`,
        `gap_rate` (m and m/s, or in the unit of the constraint) and `force` (N along normal,
        tangent 1, tangent 2).
        Other runs have none.

        >>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "e.h5")
        >>> len(vinci.Recording(tmp / "e.h5").events())
        0
        """
        start, count, _ = self._range(first, last, 1)
        return event_table(self._events(start, start + count))

    def modes(self, first: int = 0, last: int | None = None, stride: int = 1) -> np.ndarray:
        """What acts at the ends of the frames' steps, of event-driven runs: a structured array,
        one row per frame and subject. Fields: `frame`, `time` (s), `subject` and `mode` in words
        (as `from` and `to` of `events()`), `state` (the same as a number), `key`, `point`, `gap`,
        `gap_rate`, `force`."""
        start, count, step = self._range(first, last, stride)
        found, starts = self._modes(start, count, step)
        repeats = np.diff(starts)
        frames = np.repeat(start + step * np.arange(count), repeats)
        times = np.repeat(self._frames(start, count, step)["time"], repeats)
        return mode_table(found, {"frame": frames, "time": times})

    def motions(self, frame: int) -> list[FoundMotion]:
        """Motions that the steps since the frame before allow, where there are several and
        `diagnose: all` kept them. Number 0 of an island is the one that the run went on with."""
        return [FoundMotion(step, part, island, number,
                            {name: np.array(v) for name, v in bodies.items()}, contacts)
                for step, part, island, number, bodies, contacts
                in self._motions(self._index(frame))]

    def state(self, frame: int) -> _core.State:
        """The state of a frame, from which a run continues bit for bit.

        >>> sim = vinci.Simulation(scenes / "stack.yaml", duration=0.01)
        >>> _ = sim.run(record=tmp / "s.h5")
        >>> vinci.Recording(tmp / "s.h5").state(-1) == sim.state
        True
        """
        return self._state(self._index(frame))

    def body(self, name: int | str) -> BodyTrack:
        """One body over time, by name or number.

        >>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "b.h5")
        >>> vinci.Recording(tmp / "b.h5").body("box-01").velocity.shape
        (11, 3)
        """
        return BodyTrack(self, self._body(name))

    @property
    def bodies(self) -> tuple[BodyTrack, ...]:
        """All bodies over time, in the order of poses."""
        return tuple(BodyTrack(self, i) for i in range(len(self.body_names)))

    @property
    def freedoms(self) -> list[str]:
        """Of the bodies: 'fixed', 'planar' or 'spatial'."""
        return self._freedoms()

    @property
    def summary(self) -> RunSummary:
        """Statistics over every step up to the last frame, recorded or not."""
        values = self._summary()
        values["stage_seconds"] = tuple(values["stage_seconds"])
        return RunSummary(**values)

    def model(self, version: int = 0) -> dict[str, Any]:
        """A compiled model of the run: bodies, shapes, materials, parameters. `info(i).model`
        is the version that a frame uses."""
        return json.loads(self._model(version))

    @property
    def options(self) -> dict[str, Any]:
        """How the run was made: options of the run and its methods, parameters, code."""
        return json.loads(self._options())

    @property
    def step_size(self) -> float:
        """Of the run, s."""
        return float(self.options["run"]["step"])

    @property
    def world(self) -> str:
        """'planar' or 'spatial'."""
        return str(self.model(0)["world"])

    @property
    def scene(self) -> _core.Scene:
        """The scene that it was made of."""
        return _core.Scene.parse(self.scene_text, self.path.stem)

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<vinci.Recording, closed>"
        done, total = self.info(-1).step, self.total_steps
        state = "complete" if done >= total else f"stopped at step {done} of {total}"
        if self.has_writer:
            state = "being written"
        elif not self.finished:
            state = f"cut off at step {done} of {total}"
        return f"<vinci.Recording '{self.path}': {len(self)} frames, {state}>"


class BodyTrack:
    """A body of a recording over time. Arrays have one row per frame and are read when asked for.

    >>> _ = vinci.Simulation(scenes / "stack.yaml", duration=0.01).run(record=tmp / "t.h5")
    >>> track = vinci.Recording(tmp / "t.h5").body("box-01")
    >>> float(abs(track.angle).max()) < 1e-9
    True
    """

    def __init__(self, recording: Recording, index: int) -> None:
        self.recording = recording
        self.index = index  #: its number
        self._pose: np.ndarray | None = None
        self._packed: np.ndarray | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.recording.body_names[self.index]

    @property
    def freedom(self) -> str:
        """'fixed', 'planar' or 'spatial'."""
        return self.recording.freedoms[self.index]

    def _poses(self) -> np.ndarray:
        if self._pose is None or len(self._pose) != len(self.recording):
            self._pose = self.recording.poses(body=self.index)
        return self._pose

    def _velocities(self) -> np.ndarray:
        if self._packed is None or len(self._packed) != len(self.recording):
            self._packed = self.recording.velocities(body=self.index)
        return self._packed

    @property
    def time(self) -> np.ndarray:
        """s."""
        return self.recording.times

    @property
    def position(self) -> np.ndarray:
        """Of its frame, frames x 3, m."""
        return self._poses()[:, :3]

    @property
    def rotation(self) -> np.ndarray:
        """Unit quaternion w x y z, frames x 4."""
        return self._poses()[:, 3:]

    @property
    def angle(self) -> np.ndarray:
        """About z, without jumps, rad; of planar bodies."""
        rotation = self.rotation
        return np.unwrap(2.0 * np.arctan2(rotation[:, 3], rotation[:, 0]))

    @property
    def velocity(self) -> np.ndarray:
        """Of its centre of mass, frames x 3, m/s."""
        packed = self._velocities()
        result = np.zeros((len(packed), 3))
        width = 2 if packed.shape[1] == 3 else 3
        result[:, : min(width, packed.shape[1])] = packed[:, :width]
        return result

    @property
    def spin(self) -> np.ndarray:
        """Angular velocity, frames x 3, rad/s."""
        packed = self._velocities()
        result = np.zeros((len(packed), 3))
        if packed.shape[1] == 3:
            result[:, 2] = packed[:, 2]
        elif packed.shape[1] == 6:
            result[:] = packed[:, 3:]
        return result

    def __repr__(self) -> str:
        return f"<vinci.BodyTrack '{self.name}' of {len(self.recording)} frames>"
