# SPDX-License-Identifier: Apache-2.0
"""Grasps in the plane and in space: force closure, quality, least forces; how jaws turn a part.

A contact has two numbers a vector in the plane, three in space. Wrenches are (force, torque about
the grasp's centre): 3 numbers in the plane, 6 in space.

>>> contacts = [vinci.grasp.Contact([-0.05, 0], normal=[1, 0], friction=0.3),
...             vinci.grasp.Contact([0.05, 0], normal=[-1, 0], friction=0.3)]
>>> vinci.grasp.force_closure(contacts)
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import GraspContact as Contact
from ._core import JawExtremum, JawFunction, push_function, squeeze_function
from ._core import grasp_contacts as contacts

from .simulation import Simulation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Closed", "ClosedJoint", "Closure", "Contact", "Grasp", "Holding", "Hull", "JawExtremum",
    "JawFunction", "Quality", "close", "close_dynamically", "closure", "contacts",
    "force_closure", "friction_required", "hold", "hull", "load", "push_function", "quality",
    "recorded", "squeeze_function",
]  # fmt: skip


@dataclass(frozen=True)
class Grasp:
    """Contacts, the centre that torques are about (m), and the length that they are divided by (m).

    Without a length: the largest distance of a contact from the centre.
    """

    contacts: Sequence[Contact]
    center: ArrayLike | None = None
    length: float | None = None
    by: Sequence[str] = field(default=())  #: bodies at the contacts, of a recording
    time: float | None = None  #: of a recording, s


@dataclass(frozen=True)
class Closure:
    """Whether a grasp is closed, and the proof."""

    closed: bool
    proved: bool  #: False within rounding of the boundary, which counts as open
    margin: float  #: the largest t with |f_t| <= mu f_n - t at balanced loads, 1 N of f_n in all
    rank: int  #: of the contacts' wrenches
    loads: np.ndarray  #: closed: balanced and strictly in the cones; contacts x (f, moments)
    imbalance: float  #: of these, N
    direction: np.ndarray  #: open: a wrench along which no contact pushes
    push: float  #: the most that they do, N per N of normal force


@dataclass(frozen=True)
class Holding:
    """The least contact forces that balance a wrench."""

    status: str  #: held, impossible (proved by `direction`) or undecided
    loads: np.ndarray  #: contacts x (normal, tangents, moments about them), N and N m
    value: float  #: of what is least
    gap: float  #: to a proved lower bound, relative
    imbalance: float  #: relative
    direction: np.ndarray
    push: float


@dataclass(frozen=True)
class Quality:
    """The radius of the largest ball of wrenches that limited forces resist lies in between."""

    lower: float
    upper: float
    weakest: np.ndarray  #: the direction in which contacts can push least
    settled: bool
    facets: int


@dataclass(frozen=True)
class Hull:
    """The hull of the wrenches of friction pyramids, torques divided by the length."""

    radius: float
    volume: float
    has_origin: bool
    weakest: np.ndarray


@dataclass(frozen=True)
class ClosedJoint:
    """A joint that closed, or that followed one by a coupling."""

    joint: str
    driven: bool  #: or it follows
    start: float  #: rad or m
    position: float  #: the same at the end
    stopped_by: str  #: contact, limit, coupling; with dynamics effort, rest or limit; or none
    time: float  #: s at which it stopped
    body: str | None  #: contact: the link beyond the joint,
    other: str | None  #: and what it touched


@dataclass(frozen=True)
class Closed:
    """Fingers that have closed, and the grasp that they came to."""

    grasp: Grasp  #: closed in the sense of forces or not: see `closure`
    joints: list[ClosedJoint]
    time: float  #: s
    at_rest: bool  #: with dynamics; always so without
    state: _core.State  #: at the end: poses, joint coordinates
    simulation: Simulation | None = None  #: with dynamics: as it stands at the end


def _parts(grasp: Grasp | Iterable[Contact]) -> tuple[list[Contact], Any, Any]:
    if isinstance(grasp, Grasp):
        return list(grasp.contacts), grasp.center, grasp.length
    return list(grasp), None, None


def force_closure(grasp: Grasp | Iterable[Contact]) -> bool:
    """Whether fingers at these contacts resist every force and torque.

    A grasp on the very limit is not closed.

    >>> left, right = [-0.05, 0], [0.05, 0.01]
    >>> contacts = [vinci.grasp.Contact(left, [1, 0], 0.3),
    ...             vinci.grasp.Contact(right, [-1, 0], 0.3)]
    >>> vinci.grasp.force_closure(contacts)
    True
    """
    return _core._grasp_force_closure(_parts(grasp)[0])


def friction_required(grasp: Grasp | Iterable[Contact]) -> float:
    """The friction above which fingers at these contacts close the grasp.

    0 where any friction does or none is needed, infinity where none does. The contacts' own
    friction is not looked at.

    >>> left, right = [-0.05, 0], [0.05, 0.01]
    >>> contacts = [vinci.grasp.Contact(left, [1, 0]), vinci.grasp.Contact(right, [-1, 0])]
    >>> round(vinci.grasp.friction_required(contacts), 12)
    0.1
    """
    return _core._grasp_friction_required(_parts(grasp)[0])


def closure(grasp: Grasp | Iterable[Contact]) -> Closure:
    """Force closure with the exact cones, and its proof either way.

    >>> ball = [vinci.grasp.Contact([x, 0, 0], [-x, 0, 0], 0.5) for x in (-0.04, 0.04)]
    >>> hard = vinci.grasp.closure(ball)
    >>> hard.closed, hard.rank
    (False, 5)
    >>> soft = [vinci.grasp.Contact([x, 0, 0], [-x, 0, 0], 0.5, torsion=0.002)
    ...         for x in (-0.04, 0.04)]
    >>> vinci.grasp.closure(soft).closed
    True
    """
    return Closure(**_core._grasp_closure(*_parts(grasp)))


def hold(grasp: Grasp | Iterable[Contact], wrench: ArrayLike, least: str = "squares") -> Holding:
    """The contact forces that balance a wrench from outside with the least sum of squares.

    Or the least `sum` of normal forces, or the least `largest` one.

    >>> fingers = [vinci.grasp.Contact([x, 0, 0], [-x, 0, 0], 0.5) for x in (-0.04, 0.04)]
    >>> weight = [0, 0, -2, 0, 0, 0]
    >>> round(vinci.grasp.hold(fingers, weight, least="sum").value, 9)
    4.0
    """
    return Holding(**_core._grasp_hold(*_parts(grasp), wrench, least))


def quality(
    grasp: Grasp | Iterable[Contact], limit: str = "sum", tolerance: float = 1e-3,
    directions: int = 0,
) -> Quality:
    """Ferrari and Canny's quality: 1 N of normal force in all (`sum`), or at `each` contact.

    With the exact cones, or with pyramids of so many directions.

    >>> soft = [vinci.grasp.Contact([x, 0, 0], [-x, 0, 0], 0.5, torsion=0.002)
    ...         for x in (-0.04, 0.04)]
    >>> round(vinci.grasp.quality(soft).upper, 9)
    0.05
    """
    return Quality(**_core._grasp_quality(*_parts(grasp), limit, tolerance, directions))


def hull(
    grasp: Grasp | Iterable[Contact], directions: int = 16, outside: bool = False
) -> Hull:
    """The hull of the contacts' wrenches per newton, cones replaced by pyramids.

    Inscribed, or circumscribed with `outside`.
    """
    return Hull(**_core._grasp_hull(*_parts(grasp), directions, outside))


def recorded(
    recording: str | os.PathLike[str] | _core.Recording, object: str, at: float | None = None,
    by: Iterable[str] = (),
) -> Grasp:
    """The grasp of a body in a recording: its loaded contacts at a time, about its centre of mass.

    The frame nearest to `at` (s) counts, the last one without it; `by` names the bodies whose
    contacts count, all of them if it is empty.
    """
    path = recording.path if isinstance(recording, _core.Recording) else recording
    fingers, center, others, time = _core._grasp_recorded(
        os.fspath(path), object, at, [by] if isinstance(by, str) else list(by))
    return Grasp(fingers, center, None, others, time)


def load(file: str | os.PathLike[str]) -> Grasp:
    """The grasp of a file of contacts, YAML or JSON, as `vinci grasp` reads it."""
    fingers, center, length = _core._grasp_read(os.fspath(file))
    return Grasp(fingers, center, length or None)


def _bodies(simulation: Simulation, robot: str, by: Iterable[str] | None) -> list[str]:
    if by is not None:
        return [by] if isinstance(by, str) else list(by)
    names = [body.name for body in simulation.model.bodies]
    return [name for name in names if name.startswith(robot + ".")] if robot else []


def close(
    simulation: Simulation, object: str, *, robot: str = "", joints: Iterable[str] = (),
    speed: float = 1.0, by: Iterable[str] | None = None,
) -> Closed:
    """Closes fingers on a body that does not move, from the simulation's present state.

    All `joints` (of one freedom; "-name" closes towards smaller coordinates) turn at one speed in
    rad/s or m/s until a link beyond them touches or they reach a limit; without `joints`, those of
    the robot that motors drive away from where they stand. Contacts with `by` count: the robot's
    links, or all bodies if no robot is named.

    >>> scene = vinci.Scene.load(scenes / "gripper.yaml")
    >>> closed = vinci.grasp.close(vinci.Simulation(scene), "ball",
    ...                            joints=["slide-left", "slide-right"],
    ...                            by=["left", "right"])
    >>> [(joint.stopped_by, joint.other, round(joint.position, 6)) for joint in closed.joints]
    [('contact', 'ball', -0.03), ('contact', 'ball', -0.03)]
    >>> vinci.grasp.closure(closed.grasp).closed
    False
    """
    fingers, center, others, found, time, state = _core._grasp_close(
        simulation, object, list(joints), robot, speed, _bodies(simulation, robot, by))
    grasp = Grasp(fingers, center, None, others, time)
    return Closed(grasp, [ClosedJoint(*joint) for joint in found], time, True, state)


def close_dynamically(
    scene: _core.Scene | str | os.PathLike[str] | Mapping[str, Any], object: str, *,
    robot: str = "", joints: Iterable[str] = (), speed: float = 1.0, effort: float | None = None,
    by: Iterable[str] | None = None, record: str | os.PathLike[str] | None = None,
    overwrite: bool = False, **options: Any,
) -> Closed:
    """Closes fingers by velocity servos in a simulation, until they and the body rest.

    Servos take the place of the joints' motors, with their limits or with `effort` (N m, N).
    `options` are those of `Simulation`; its duration ends the run in any case.

    >>> closed = vinci.grasp.close_dynamically(
    ...     scenes / "gripper.yaml", "ball", joints=["slide-left", "slide-right"], speed=0.2,
    ...     effort=12, by=["left", "right"])
    >>> closed.at_rest, [joint.stopped_by for joint in closed.joints]
    (True, ['effort', 'effort'])
    >>> round(vinci.grasp.hold(closed.grasp, [0, 0, -1, 0, 0, 0], least="sum").value, 6)
    1.666667
    """
    before = Simulation(scene, **options)
    chosen = list(joints)
    limit = 0.0 if effort is None else effort
    servos = _core._grasp_servo_scene(before, chosen, robot, speed, limit)
    simulation = Simulation(servos, **options)
    rest = _core._GraspRest(simulation, object, chosen, robot, speed, limit)
    resting = False

    def rests(stepped: Simulation) -> bool:
        nonlocal resting
        resting = rest.after_step(stepped)
        return resting

    simulation.run(record=record, overwrite=overwrite, callback=rests)
    fingers, center, others = _core._grasp_now(
        simulation, object, _bodies(simulation, robot, by))
    time = simulation.state.time
    grasp = Grasp(fingers, center, None, others, time)
    found = [ClosedJoint(*joint) for joint in rest.joints(simulation)]
    return Closed(grasp, found, time, resting, simulation.state, simulation)
