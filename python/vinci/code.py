# SPDX-License-Identifier: Apache-2.0
"""Base classes of code that takes part in a run: solvers, steppers, impact laws, controllers,
motions.

An exception in such code stops the run: it reaches the caller with its traceback, the simulation
has the state of the step before, and a recording is closed with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._core import Answer, Impact, Model, Problem, State, StepContext


class Solver:
    """A solver written in Python: give an instance (or the class) as `solver=`.

    The answer is measured by the judge; `tolerance` is the relative residual up to which it counts
    as solved. `iterations`, where set, is reported.

    >>> class Jacobi(vinci.Solver):
    ...     def solve(self, problem, guess):
    ...         W, q, z = problem.C.toarray(), problem.b, guess
    ...         for _ in range(200):
    ...             z = np.maximum(0, z - (W @ z + q) / W.diagonal())
    ...         return z
    >>> problem = vinci.Problem.lcp([[2, 1], [1, 2]], [-5, -6])
    >>> vinci.solve(problem, solver=Jacobi()).status
    'solved'
    """

    tolerance: float = 1e-8

    def why_not(self, problem: Problem) -> str | None:
        """The reason for not taking problems of this kind, or None."""
        return None

    def solve(self, problem: Problem, guess: np.ndarray) -> Any:
        """The impulses, one number per row; or (u, impulses); or an Answer. `guess` are impulses to
        start from, a copy."""
        raise NotImplementedError(f"{type(self).__name__}.solve(problem, guess)")


class Stepper:
    """A time-stepping method written in Python: give an instance (or the class) as `stepper=`.

    >>> class Halves(vinci.Stepper):
    ...     def step(self, context, state, h):
    ...         for _ in range(2):
    ...             context.advance(state, h / 2)
    >>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", stepper=Halves, duration=0.1)
    >>> sim.run().steps == sim.total_steps
    True
    """

    def why_not(self, model: Model) -> str | None:
        """The reason for not taking this model, or None."""
        return None

    def step(self, context: StepContext, state: State, h: float) -> None:
        """Changes the state into the one h seconds later: its poses, velocities and contacts. Time,
        number of steps and the memory of controllers are taken care of."""
        raise NotImplementedError(f"{type(self).__name__}.step(context, state, h)")


class ImpactLaw:
    """An impact law written in Python: give an instance (or the class) as `impact_law=`.

    It is asked where `impact_time` finds the times of impacts. What no law may break is measured:
    impulses in their friction cones, no contact that closes afterwards.

    >>> class Inelastic(vinci.ImpactLaw):
    ...     def apply(self, impact):
    ...         return impact.solve(impact.problem)
    >>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", impact_time="bisect",
    ...                        impact_law=Inelastic, duration=0.5)
    >>> sim.run().worst_residual < 1e-10
    True
    """

    def apply(self, impact: Impact) -> Any:
        """The impulses of the impact, one number per row of `impact.problem` (N s); or an Answer. The
        velocities follow from them."""
        raise NotImplementedError(f"{type(self).__name__}.apply(impact)")


class Controller:
    """Forces given by code: give instances as `controllers=[...]`.

    `memory_size` numbers are carried from step to step and begin as zeros; they belong to the state
    (`State.controls`), so that a saved state continues the run.

    >>> class Spring(vinci.Controller):
    ...     def act(self, model, state, h, forces, memory):
    ...         ball = model.body("ball")
    ...         forces[ball.velocity.start] -= 10.0 * state.positions[ball.index, 0]
    >>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", controllers=[Spring()])
    >>> sim.step().status
    'solved'
    """

    memory_size: int = 0

    def act(
        self, model: Model, state: State, h: float, forces: np.ndarray, memory: np.ndarray
    ) -> None:
        """Adds generalised forces for the step of h seconds that begins at the state.

        `forces` is packed as the velocities (N at the centre of mass, N m about it; entries of
        prescribed coordinates are ignored) and holds what acts already; change it in place, and
        `memory` likewise."""
        raise NotImplementedError(f"{type(self).__name__}.act(model, state, h, forces, memory)")

    def damp(self, model: Model, state: State, h: float, damping: np.ndarray) -> None:
        """Adds to `damping`, in place, how much the forces of `act` fall per velocity (-df/dv, not
        negative, packed alike). The step then takes these forces at its end, so that a damping
        controller takes energy at any step size. Without it forces are held through the step."""


class Motion:
    """A prescribed coordinate given by code: `motions={("wall", "x"): motion}`.

    The scene prescribes the coordinate (`motion: {x: 0}`); its expression is replaced. Either
    `at(t)` gives position, velocity and acceleration (m or rad, and per s), or `position(t)` and,
    where they are known, `velocity(t)` and `acceleration(t)` do. The defaults of these two are
    central differences, right to about 1e-9 and 1e-5 for motions of order one. A function of time
    alone: it is asked several times per step.

    >>> class Swing(vinci.Motion):
    ...     def at(self, t):
    ...         return 0.2 * np.sin(5 * t), np.cos(5 * t), -5 * np.sin(5 * t)
    >>> sim = vinci.Simulation(scenes / "wall_push.yaml", motions={("wall", "x"): Swing()})
    >>> sim.step().status
    'solved'
    """

    def at(self, t: float) -> tuple[float, float, float]:
        """Position, velocity and acceleration at the time t (s)."""
        return self.position(t), self.velocity(t), self.acceleration(t)

    def position(self, t: float) -> float:
        """Position at the time t: m or rad."""
        raise NotImplementedError(f"{type(self).__name__}.at(t) or .position(t)")

    def velocity(self, t: float) -> float:
        """Velocity at the time t: m/s or rad/s."""
        h = 1e-5 * max(1.0, abs(t))
        before, after = t - h, t + h
        return (self.position(after) - self.position(before)) / (after - before)

    def acceleration(self, t: float) -> float:
        """Acceleration at the time t: m/s^2 or rad/s^2."""
        h = 1e-4 * max(1.0, abs(t))
        before, after = self.position(t - h), self.position(t + h)
        return (before - 2.0 * self.position(t) + after) / (h * h)
