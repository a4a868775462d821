# SPDX-License-Identifier: Apache-2.0
# Written by scripts/report_fields.py from the tables of the program; not to be edited.
from dataclasses import dataclass

class StepReport:
    @property
    def status(self) -> str: ...
    @property
    def contacts(self) -> int: ...
    @property
    def active(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def velocity_residual(self) -> float: ...
    @property
    def impulse_residual(self) -> float: ...
    @property
    def penetration(self) -> float: ...
    @property
    def overlap(self) -> float: ...
    @property
    def unexplained(self) -> float: ...
    @property
    def removed_overlap(self) -> float: ...
    @property
    def added_energy(self) -> float: ...
    @property
    def element_energy(self) -> float: ...
    @property
    def rebound_energy(self) -> float: ...
    @property
    def frame_iterations(self) -> int: ...
    @property
    def frame_error(self) -> float: ...
    @property
    def unsettled(self) -> bool: ...
    @property
    def frame_energy(self) -> float: ...
    @property
    def passed(self) -> int: ...
    @property
    def joint_opening(self) -> float: ...
    @property
    def closed_opening(self) -> float: ...
    @property
    def joint_impacts(self) -> bool: ...
    @property
    def friction_rounds(self) -> int: ...
    @property
    def friction_error(self) -> float: ...
    @property
    def seconds(self) -> dict[str, float]: ...
    @property
    def fell_back(self) -> bool: ...
    @property
    def free_motions(self) -> int: ...
    @property
    def selected(self) -> int: ...
    @property
    def unselected(self) -> int: ...
    @property
    def substeps(self) -> int: ...
    @property
    def impacts(self) -> int: ...
    @property
    def cuts(self) -> int: ...
    @property
    def ordinary(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    @property
    def least_steps(self) -> int: ...
    @property
    def error_estimate(self) -> float: ...
    @property
    def events(self) -> int: ...
    @property
    def integrator_steps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def accumulations(self) -> int: ...
    @property
    def impact_energy(self) -> float: ...
    @property
    def sinking(self) -> float: ...
    @property
    def used_up(self) -> int: ...
    @property
    def layer_energy(self) -> float: ...
    @property
    def uniqueness(self) -> str: ...
    @property
    def solutions(self) -> int: ...
    @property
    def solution_distance(self) -> float: ...
    @property
    def open_loads(self) -> int: ...
    @property
    def coarse(self) -> bool: ...
    @property
    def free_body(self) -> int: ...
    @property
    def ending(self) -> str: ...
    @property
    def unbalanced_body(self) -> int: ...
    @property
    def missing_force(self) -> float: ...
    @property
    def missing_torque(self) -> float: ...
    @property
    def diverged_body(self) -> int: ...
    @property
    def solver(self) -> str: ...
    @property
    def note(self) -> str: ...

@dataclass(frozen=True)
class FrameInfo:
    #: Steps done.
    step: int
    #: Simulated time. s.
    time: float
    #: Of the solve: 'solved', 'inaccurate', 'no solution', 'limit' or 'refused'; 0 to 4 in
    #: recordings.
    status: int
    #: Contacts that may touch.
    contacts: int
    #: Contacts with an impulse.
    active: int
    #: Of the solver.
    iterations: int
    #: Detections in the step.
    passes: int
    #: Relative residual that the judge measured.
    residual: float
    #: The residual as a velocity. m/s.
    velocity_residual: float
    #: The residual as an impulse. N s.
    impulse_residual: float
    #: Deepest overlap at the start of the step. m.
    penetration: float
    #: Deepest overlap at the end of the step; of layers, what they do not explain. m.
    overlap: float
    #: The part of it that layers do not explain where this is more than tolerated: the step
    #: is not certified. m.
    unexplained: float
    #: Deepest overlap that was taken out of positions at the end of the step. m.
    removed_overlap: float
    #: Energy that this gave to bodies beyond what they paid from their motion. J.
    added_energy: float
    #: Energy that springs gained beyond their work: their lines turned within the step. J.
    element_energy: float
    #: Energy that rebounds gave back to bodies: their landings took it in the step before.
    #: J.
    rebound_energy: float
    #: Iterations for contact frames of the end of the step (`contact-frames: end`).
    frame_iterations: int
    #: How far the poses at which contacts were taken, and the end of the step, are at most
    #: from those where both are one. m.
    frame_error: float
    #: Whether this is more than `frame-tolerance`: the step is not certified.
    unsettled: bool
    #: Energy that bodies gained from normals that turned within the step. J.
    frame_energy: float
    #: Parts of the step in which bodies went through each other or overlapped too deep,
    #: however short they were made.
    passed: int
    #: By how much a joint that rows hold together is open at the end of the step, in m or
    #: rad: a step with more than 1e-9 is not certified.
    joint_opening: float
    #: By how much it would have been open, in m or rad, had positions not been closed.
    closed_opening: float
    #: Whether a body met several others in the step with restitution: their order within
    #: the step is left out.
    joint_impacts: bool
    #: Solves beyond the first that friction asked for whose coefficient depends on the
    #: sliding speed.
    friction_rounds: int
    #: How far coefficients of friction are from those of the sliding speeds at the end of
    #: the step, relative; a step that does not settle is not certified.
    friction_error: float
    #: Kinetic energy. J.
    kinetic: float
    #: Potential energy, zero at the origin. J.
    potential: float
    #: Wall time by stage: detect, formulate, solve, advance. s.
    seconds: tuple[float, float, float, float]
    #: Number of the compiled model.
    model: int
    #: The problem had no solution; solved without the stabilisation of overlaps.
    fell_back: bool
    #: Directions in which the bodies could have moved otherwise: above 0 the motion is not
    #: unique.
    free_motions: int
    #: Islands whose loads rigid bodies leave open, decided by the rule of selection.
    selected: int
    #: Islands for which the rule of selection gave no answer: the solver's stands.
    unselected: int
    #: Smaller steps that the stepper took within this one.
    substeps: int
    #: Impacts in the step whose time was found (`impact_time`).
    impacts: int
    #: Of a step of second order: transitions whose time was found, which ended a part of
    #: it.
    cuts: int
    #: Of a step of second order: parts of it that the ordinary step made, of first order.
    ordinary: int
    #: Parts of the step that were made again shorter for the accuracy that is asked for.
    rejected: int
    #: Parts of the step that were too short to be made shorter for the accuracy.
    least_steps: int
    #: The error of the step by its own estimate: of positions, and of velocities over a
    #: second. m.
    error_estimate: float
    #: Of an event-driven step: changes of what acts, each with its time.
    events: int
    #: Steps of the integrator between events.
    integrator_steps: int
    #: How often the integrator evaluated the equations.
    evaluations: int
    #: How often events piled up at a time and were passed: the contact sticks from then on.
    accumulations: int
    #: Energy that event-driven contacts gave to bodies by throwing them back faster than
    #: they came. J.
    impact_energy: float
    #: How deep event-driven contacts were at most while their constraint brought them back
    #: to zero: part of the model, no error. m.
    sinking: float
    #: Contacts whose layer was used up in the step: the rigid core under it bore load.
    used_up: int
    #: Energy in the layers of contacts at the end of the step, a part of the potential. J.
    layer_energy: float
    #: Whether the motion is the only one that the step allows: 'unique' where that is
    #: proved, 'several' where others were found, 'unknown' otherwise; '' where `diagnose`
    #: does not ask. 0 to 3 in recordings: not asked, unique, unknown, several.
    uniqueness: int
    #: Motions of the step that are known: above 1 where there are several.
    solutions: int
    #: How far apart those are that differ most: of the body that differs most, the root of
    #: v^2 + (r w)^2, with its radius r. m/s.
    solution_distance: float
    #: Directions in which contact forces could be others with the same motion, as far as
    #: the diagnosis looked.
    open_loads: int

@dataclass(frozen=True)
class RunSummary:
    #: Whether every step is what its method asks for: solved to `accept` with all terms, in
    #: steps as short as asked for, and no body inside or beyond another.
    certified: bool
    #: Steps that are not.
    uncertified_steps: int
    #: The first of them; 0 if there is none.
    first_uncertified: int
    #: Steps done.
    steps: int
    #: Of all steps: above `steps` where the stepper took smaller ones.
    substeps: int
    #: Steps with a substep longer than the stepper's rules ask for.
    coarse_steps: int
    #: Steps in which the layer of a contact was used up and its rigid core bore load.
    used_up_steps: int
    #: The first of them; 0 if there is none.
    first_used_up: int
    #: Wall time of the run and its recording. s.
    wall_seconds: float
    #: Wall time by stage: detect, formulate, solve, advance. s.
    stage_seconds: tuple[float, float, float, float]
    #: Most contacts in a step.
    contacts_max: int
    #: Contacts per step.
    contacts_mean: float
    #: Iterations of the solver per step.
    iterations_mean: float
    #: Largest relative residual of a step.
    worst_residual: float
    #: The step that had it.
    worst_residual_step: int
    #: Steps with a residual above `accept`.
    inexact_steps: int
    #: Deepest overlap. m.
    worst_penetration: float
    #: Steps in which bodies went through each other or overlapped too deep, however short
    #: their parts were made.
    passed_steps: int
    #: Steps that end with bodies deeper in each other than their layers explain, by more
    #: than is tolerated.
    unexplained_steps: int
    #: The deepest of them. m.
    deepest_unexplained: float
    #: Steps that end with a joint open by more than 1e-9 m or rad: they are not certified.
    open_joint_steps: int
    #: The most that a joint held by rows is open by at the end of a step, m or rad.
    widest_opening: float
    #: The most that a step closed in positions, m or rad.
    widest_closed: float
    #: Solves beyond the first of each step that friction asked for whose coefficient
    #: depends on the sliding speed.
    friction_rounds: int
    #: Steps in which these coefficients did not settle: they are not certified.
    unsettled_friction: int
    #: How far such a coefficient was from that of its sliding speed at most, relative.
    worst_friction_error: float
    #: Iterations for contact frames of the end of steps (`contact-frames: end`).
    frame_iterations: int
    #: Steps in which these did not settle to `frame-tolerance`.
    unsettled_frames: int
    #: The most that was left of it in a step. m.
    worst_frame_error: float
    #: Energy that bodies gained from normals that turned within steps. J.
    frame_energy: float
    #: Steps that took an overlap out of positions.
    removed_overlaps: int
    #: The deepest of them. m.
    deepest_removed: float
    #: Energy that this gave to bodies beyond what they paid from their motion. J.
    added_energy: float
    #: Energy that springs gained beyond their work: their lines turned within steps. J.
    element_energy: float
    #: Kinetic and potential energy of the first frame, springs and layers included. J.
    energy_first: float
    #: The same of the last frame. J.
    energy_last: float
    #: Steps solved without the stabilisation of overlaps, for want of a solution.
    fallback_steps: int
    #: Steps whose motion is not unique.
    free_steps: int
    #: The body that could have moved otherwise, in the last of them; '' if there is none
    #: (in recordings its number, or -1).
    free_body: str
    #: Steps in which rigid bodies leave loads open, decided by the rule of selection.
    selected_steps: int
    #: Steps in which the rule of selection had no answer: the solver chose.
    unselected_steps: int
    #: Of `diagnose`: steps whose motion is proved to be the only one.
    unique_steps: int
    #: Steps that allow several motions.
    several_steps: int
    #: Steps of which neither is known.
    unknown_steps: int
    #: The first step that allows several motions; 0 if there is none.
    first_several: int
    #: Between two motions of one step: of the body that differs most, the root of v^2 + (r
    #: w)^2, with its radius r. m/s.
    largest_distance: float
    #: Steps whose contact forces could be others with the same motion, as far as the
    #: diagnosis looked.
    open_load_steps: int
    #: Impacts whose time was found.
    impacts: int
    #: Transitions whose time steps of second order found.
    cuts: int
    #: Parts of such steps that the ordinary step made, of first order.
    ordinary_parts: int
    #: Parts that were made again shorter for the accuracy that is asked for.
    rejected_parts: int
    #: Parts that were too short to be made shorter for it.
    least_steps: int
    #: The run's own estimate of its error, where an accuracy is asked for: of positions,
    #: and of velocities over a second. m.
    error_estimate: float
    #: Steps in which a body met several others with restitution, whose order is left out;
    #: `impact-time` finds it.
    joint_impact_steps: int
    #: Changes of what acts, of event-driven steps.
    events: int
    #: Of these, contacts that began to act.
    touches: int
    #: Contacts that ceased to act while they were still inside.
    releases: int
    #: Contacts that left and were free.
    partings: int
    #: Contacts that stuck and began to slide.
    slides: int
    #: Contacts that slid and came to stick.
    sticks: int
    #: Machines that changed their state, and links that were switched on or off.
    transitions: int
    #: Steps of the integrator between events.
    integrator_steps: int
    #: How often it evaluated the equations.
    evaluations: int
    #: How often events piled up at a time and were passed.
    accumulations: int
    #: What did so last; '' if nothing did (in recordings its key).
    piled: str
    #: Energy that event-driven contacts gave to bodies by throwing them back faster than
    #: they came. J.
    impact_energy: float
    #: How deep event-driven contacts were at most while their constraints brought them back
    #: to zero. m.
    deepest_sinking: float
    #: Why the motion model has no next state; '' if it has (in recordings 0: it has, 1: no
    #: equilibrium, 2: no motion).
    ending: str
    #: The body that lacks most where no contact forces balance; '' if there is none (in
    #: recordings its number, or -1).
    unbalanced_body: str
    #: The least force that, with `missing_torque`, would hold it; in recordings beside its
    #: direction, world axes. N.
    missing_force: float
    #: The torque about its centre of mass that belongs to it; in recordings beside its
    #: axis. N m.
    missing_torque: float
    #: Whether numbers of a body are not finite any more.
    diverged: bool
    #: That body; '' if there is none (in recordings its number, or -1).
    diverged_body: str
    #: Of the last state.
    state_hash: str
