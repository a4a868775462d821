# SPDX-License-Identifier: Apache-2.0
"""Solvers, steppers, controllers and motions written in Python."""

from __future__ import annotations

import gc
import math
import subprocess
import traceback
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinci


class Swing(vinci.Motion):
    """That of wall_push.yaml, with the operations of its expression."""

    def at(self, t: float) -> tuple[float, float, float]:
        s, c = vinci.portable.sin(5 * t), vinci.portable.cos(5 * t)
        return 0.2 * s, 0.2 * (c * 5), 0.2 * (-s * 5 * 5)


class Delegate(vinci.Solver):
    """Leaves the work to a solver of the library."""

    tolerance = 1e-11

    def solve(self, problem: vinci.Problem, guess: np.ndarray) -> vinci.Answer:
        return vinci.solve(problem, "gauss-seidel", tolerance=1e-12, guess=guess)


class Whole(vinci.Stepper):
    def step(self, context: vinci.StepContext, state: vinci.State, h: float) -> None:
        context.advance(state, h)


class Spring(vinci.Controller):
    """Pulls the block to x = 0; remembers how long it did."""

    memory_size = 1
    name = "spring"

    def __init__(self, fails_at: int = -1) -> None:
        self.fails_at = fails_at

    def act(self, model: Any, state: Any, h: float, forces: np.ndarray, memory: np.ndarray) -> None:
        if state.step == self.fails_at:
            raise ZeroDivisionError("the spring broke")
        block = model.body("block")
        forces[block.velocity.start] -= 30.0 * state.positions[block.index, 0]
        memory[0] += h


class Damper(vinci.Controller):
    """-c v on the block, taken at the end of the step."""

    def __init__(self, c: float) -> None:
        self.c = c

    def act(self, model: Any, state: Any, h: float, forces: np.ndarray, memory: np.ndarray) -> None:
        entry = model.body("block").velocity.start
        forces[entry] -= self.c * state.velocities[entry]

    def damp(self, model: Any, state: Any, h: float, damping: np.ndarray) -> None:
        damping[model.body("block").velocity.start] += self.c


@pytest.mark.parametrize("c", [1.0, 1e6])
def test_a_controller_that_tells_its_damping_takes_energy_at_any_step(c: float) -> None:
    scene = vinci.Scene.from_dict({
        "world": "planar", "gravity": [0, 0],
        "bodies": {"block": {"shapes": [{"box": [0.2, 0.2]}], "mass": 2, "velocity": [3, 0]}},
        "run": {"step": 0.1, "duration": 1}})
    sim = vinci.Simulation(scene, controllers=[Damper(c)])
    for n in range(1, 11):
        sim.step()
        expected = 3.0 / (1.0 + 0.1 * c / 2.0) ** n
        assert sim.state.velocities[0] == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.fixture
def wall(scenes: Path) -> Path:
    return scenes / "wall_push.yaml"


def hash_of(scene: Any, **keywords: Any) -> str:
    return vinci.Simulation(scene, duration=0.4, **keywords).run().state_hash


def test_a_motion_gives_the_hash_of_the_same_expression(wall: Path) -> None:
    written = hash_of(wall)
    assert hash_of(wall, motions={("wall", "x"): Swing()}) == written
    assert hash_of(wall, motions={("wall", "x"): Swing}) == written
    assert hash_of(wall, motions={("wall", "x"): Swing().at}) == written
    assert hash_of(wall, motions={("wall", "x"): lambda t: (0.0, 0.0, 0.0)}) != written


def test_a_motion_may_give_its_position_alone() -> None:
    class Cosine(vinci.Motion):
        def position(self, t: float) -> float:
            return math.cos(3 * t)

    for t in (0.0, 0.7, 2.0):
        position, velocity, acceleration = Cosine().at(t)
        assert position == math.cos(3 * t)
        assert velocity == pytest.approx(-3 * math.sin(3 * t), abs=1e-8)
        assert acceleration == pytest.approx(-9 * math.cos(3 * t), abs=1e-4)


def test_a_solver_gives_the_hash_of_the_one_it_calls(wall: Path) -> None:
    named = hash_of(wall, solver="gauss-seidel", options={"solver.tolerance": 1e-12})
    assert hash_of(wall, solver=Delegate()) == named == hash_of(wall, solver=Delegate)


def test_a_stepper_gives_the_hash_of_the_one_it_calls(wall: Path) -> None:
    assert hash_of(wall, stepper=Whole) == hash_of(wall)
    pyramid = {"cone": "pyramid", "solver": "lemke"}
    assert hash_of(wall, stepper=Whole, **pyramid) == hash_of(wall, **pyramid)
    sim = vinci.Simulation(wall, stepper=Whole)
    sim.step(20)
    plain = vinci.Simulation(wall)
    plain.step(20)
    assert np.array_equal(sim.contacts, plain.contacts)
    assert sim.report.contacts == plain.report.contacts


def test_half_steps_are_nearer_to_the_truth(scenes: Path) -> None:
    class Parts(vinci.Stepper):
        def __init__(self, parts: int) -> None:
            self.parts = parts

        def step(self, context: vinci.StepContext, state: vinci.State, h: float) -> None:
            for _ in range(self.parts):
                context.advance(state, h / self.parts)

    fall = {"world": "planar",
            "bodies": {"ball": {"shapes": [{"circle": 0.1}], "position": [0, 0]}},
            "run": {"step": 0.01, "duration": 1}}  # fmt: skip
    errors = []
    for parts in (1, 2, 4):
        sim = vinci.Simulation(fall, stepper=Parts(parts))
        sim.run()
        assert sim.state.time == 1.0 and sim.state.step == 100
        errors.append(abs(sim.state.position(0)[1] + 0.5 * 9.81))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=1e-6)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=1e-6)


class Explicit(vinci.Stepper):
    """Frictionless contacts of planar bodies with the floor, from the ground up."""

    def step(self, context: vinci.StepContext, state: vinci.State, h: float) -> None:
        model = context.model
        forces = context.forces(state, h)
        mass = np.zeros(model.velocity_count)
        for body in model.bodies:
            if body.freedom == "planar":
                mass[body.velocity] = body.mass, body.mass, body.inertia[2, 2]
        contacts = context.detect(state.poses, 0.01)
        rows = np.zeros((len(contacts), model.velocity_count))
        for row, contact in zip(rows, contacts):
            for sign, index in zip((-1, 1), contact["bodies"]):
                body = model.bodies[index]
                if body.freedom == "planar":
                    arm = contact["point_b"] - state.position(int(index))
                    normal = contact["normal"]
                    row[body.velocity] = sign * np.array(
                        [normal[0], normal[1], arm[0] * normal[1] - arm[1] * normal[0]]
                    )
        problem = vinci.Problem(
            M=np.diag(mass), J=rows, p=mass * state.velocities + h * forces,
            b=contacts["gap"] / h, blocks=[vinci.Block("nonnegative")] * len(contacts),
        )  # fmt: skip
        answer = context.solve(problem)
        state.velocities = answer.u
        for body in model.bodies:
            if body.freedom == "planar":
                state.positions[body.index, :2] += h * answer.u[body.velocity][:2]
        contacts["impulse"][:, 0] = answer.impulse
        context.contacts = contacts


def test_a_stepper_from_the_ground_up_agrees_with_the_built_in_one(tmp_path: Path) -> None:
    drop = {"world": "planar",
            "bodies": {"floor": {"freedom": "fixed", "shapes": [{"half-plane": {}}]},
                       "ball": {"shapes": [{"circle": 0.1}], "mass": 2, "position": [0, 0.3]}},
            "run": {"step": 0.001, "duration": 0.5}}  # fmt: skip
    ours, theirs = vinci.Simulation(drop, stepper=Explicit()), vinci.Simulation(drop)
    ours.run(record=tmp_path / "ours.h5")
    theirs.run()
    assert ours.state.poses == pytest.approx(theirs.state.poses, abs=1e-12)
    assert ours.state.velocities == pytest.approx(theirs.state.velocities, abs=1e-12)
    assert ours.contacts["impulse"][0, 0] == pytest.approx(2 * 9.81 * 0.001)
    recording = vinci.Recording(tmp_path / "ours.h5")
    assert recording.contacts(-1)["impulse"][0, 0] == ours.contacts["impulse"][0, 0]
    assert recording.options["code"] == ["stepper Explicit"]
    assert recording.summary.inexact_steps == 0


def test_a_controller_acts_and_its_memory_belongs_to_the_state(wall: Path, tmp_path: Path) -> None:
    whole = vinci.Simulation(wall, controllers=[Spring()], duration=0.4)
    result = whole.run(record=tmp_path / "whole.h5")
    assert whole.state.controls == pytest.approx([0.4]) and whole.code == ["controller spring"]
    assert result.state_hash != hash_of(wall)
    part = vinci.Simulation(wall, controllers=[Spring()], duration=0.4)
    part.run(until=0.2, record=tmp_path / "part.h5")
    again = vinci.Simulation(wall, controllers=[Spring()], duration=0.4)
    with vinci.Recorder.resume(tmp_path / "part.h5", again) as recorder:
        assert again.state == part.state
        again.run(record=recorder)
    assert again.state.hash == result.state_hash
    assert vinci.Recording(tmp_path / "part.h5").summary.state_hash == result.state_hash
    for other in (vinci.Simulation(wall), vinci.Simulation(wall, controllers=[Whole.step])):
        with pytest.raises(vinci.Error, match="code that a recording does not hold took part"):
            vinci.Recorder.resume(tmp_path / "whole.h5", other)


def test_the_program_refuses_a_run_whose_code_it_does_not_have(
    wall: Path, tmp_path: Path, program: str
) -> None:
    vinci.Simulation(wall, solver=Delegate(), duration=0.01).run(record=tmp_path / "run.h5")
    for command in (["run", "--resume", "run.h5"], ["solve", "run.h5", "--step", "3"]):
        ended = subprocess.run([program, *command], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 2
        assert "code of a calling program took part in the run" in ended.stderr
        assert "solver Delegate" in ended.stderr


class BadSolver(vinci.Solver):
    count = 0

    def solve(self, problem: vinci.Problem, guess: np.ndarray) -> Any:
        self.count += 1
        if self.count > 7:
            raise ZeroDivisionError("the solver broke")
        return vinci.solve(problem, tolerance=1e-11, guess=guess)


class BadStepper(Whole):
    def step(self, context: vinci.StepContext, state: vinci.State, h: float) -> None:
        super().step(context, state, h)
        if state.time > 0.0075:
            raise ZeroDivisionError("the stepper broke")


class BadMotion(Swing):
    def at(self, t: float) -> tuple[float, float, float]:
        if t > 0.0075:
            raise ZeroDivisionError("the motion broke")
        return super().at(t)


@pytest.mark.parametrize(
    "keywords, function",
    [
        ({"solver": BadSolver}, "solve"),
        ({"stepper": BadStepper}, "step"),
        ({"controllers": [Spring(fails_at=7)]}, "act"),
        ({"motions": {("wall", "x"): BadMotion()}}, "at"),
    ],
    ids=["solver", "stepper", "controller", "motion"],
)
def test_an_exception_stops_the_run_with_its_traceback_and_leaves_the_recording(
    wall: Path, tmp_path: Path, keywords: dict, function: str
) -> None:
    sim = vinci.Simulation(wall, **keywords)
    with pytest.raises(ZeroDivisionError, match="broke") as caught:
        sim.run(record=tmp_path / "run.h5")
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].name == function and frames[-1].filename == __file__
    assert sim.state.step == 7 and not sim.finished
    with vinci.Recording(tmp_path / "run.h5") as recording:
        assert recording.finished and len(recording) == 8
        assert recording.state(-1) == sim.state
        assert len(recording.contacts(-1)) == len(sim.contacts) == recording.info(-1).contacts


def test_an_exception_inside_with_closes_the_recording(wall: Path, tmp_path: Path) -> None:
    sim = vinci.Simulation(wall)
    with pytest.raises(KeyError), vinci.Recorder(tmp_path / "run.h5", sim) as recorder:
        for _ in range(5):
            sim.step()
            recorder.after_step()
        raise KeyError("something else")
    assert recorder.closed and len(vinci.Recording(tmp_path / "run.h5")) == 6
    with pytest.raises(vinci.Error, match="recorder: is closed"):
        recorder.after_step()


def test_wrong_answers_are_graded_by_the_judge_not_by_their_solver() -> None:
    class Wrong(vinci.Solver):
        def solve(self, problem: vinci.Problem, guess: np.ndarray) -> np.ndarray:
            return np.full(problem.rows, 3.0)

    answer = vinci.solve(vinci.Problem.lcp([[1.0]], [-1.0]), Wrong)
    assert answer.status == "inaccurate" and answer.residual == 2.0 and answer.solver == "Wrong"


@pytest.mark.parametrize(
    "answer, message",
    [
        (np.zeros(5), "Odd.solve: impulse: has 5 numbers; accepted: 2"),
        ("zero", "Odd.solve: the answer: is not an array of real numbers"),
        (None, "Odd.solve: the answer: "),
        (np.zeros((2, 1)), "Odd.solve: the answer: has 2 dimensions; accepted: one"),
        ((np.zeros(3), np.zeros(2)), "Odd.solve: u: has 3 numbers; accepted: 0"),
    ],
)
def test_answers_of_the_wrong_form_are_errors(answer: Any, message: str) -> None:
    class Odd(vinci.Solver):
        def solve(self, problem: vinci.Problem, guess: np.ndarray) -> Any:
            return answer

    with pytest.raises(vinci.Error, match=message):
        vinci.solve(vinci.Problem.lcp(np.eye(2), [-1, -1]), Odd())


def test_a_solver_may_refuse_a_problem() -> None:
    class Choosy(vinci.Solver):
        def why_not(self, problem: vinci.Problem) -> str | None:
            return f"{problem.rows} rows are too many"

    answer = vinci.solve(vinci.Problem.lcp(np.eye(2), [-1, -1]), Choosy())
    assert (answer.status, answer.note) == ("refused", "2 rows are too many")


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"motions": {("wall", "x"): lambda t: 1.0}}, r"wall.x: the motion gave 1.0; accepted"),
        ({"motions": {("wall", "x"): lambda t: ("a", 0, 0)}}, "accepted: three real numbers"),
        ({"motions": {("wall", "x"): lambda t: (math.nan, 0, 0)}}, "wall.x: the motion gave .* nan"),
        ({"motions": {("wall", "x"): 5}}, "has no method 'at' and cannot be called"),
        ({"motions": {("block", "x"): Swing()}}, "block.x: the scene does not prescribe"),
        ({"motions": {("wal", "x"): Swing()}}, "did you mean 'wall'"),
        ({"controllers": [5]}, "has no method 'act' and cannot be called"),
        ({"solver": 5}, "has no method 'solve'"),
        ({"stepper": 5}, "has no method 'step'"),
    ],
)
def test_code_of_the_wrong_form_is_refused(wall: Path, keywords: dict, message: str) -> None:
    with pytest.raises(vinci.Error, match=message):
        vinci.Simulation(wall, **keywords)


def test_forces_that_are_no_numbers_are_errors(wall: Path) -> None:
    def spoil(model: Any, state: Any, h: float, forces: np.ndarray, memory: np.ndarray) -> None:
        forces[model.body("block").velocity.start] = math.inf

    sim = vinci.Simulation(wall, controllers=[spoil])
    with pytest.raises(vinci.Error, match="spoil: the controller gave the force inf on block.x"):
        sim.step()
    assert sim.state.step == 0


def test_methods_that_are_missing_say_what_to_write(wall: Path) -> None:
    for keywords in ({"solver": vinci.Solver}, {"stepper": vinci.Stepper},
                     {"controllers": [vinci.Controller]},
                     {"motions": {("wall", "x"): vinci.Motion}}):  # fmt: skip
        with pytest.raises(NotImplementedError):
            vinci.Simulation(wall, **keywords).step()


def test_a_simulation_that_is_stepping_cannot_be_asked_or_stepped(wall: Path) -> None:
    def recurse(*_: Any) -> None:
        sim.step()

    def look(*_: Any) -> None:
        sim.contacts

    for meddle in (recurse, look):
        sim = vinci.Simulation(wall, controllers=[meddle])
        with pytest.raises(vinci.Error, match="simulation: is in the middle of a step"):
            sim.step()
        assert sim.state.step == 0


def test_what_code_keeps_stays_harmless(wall: Path) -> None:
    kept: list[Any] = []

    class Keeper(vinci.Stepper):
        def step(self, context: vinci.StepContext, state: vinci.State, h: float) -> None:
            context.advance(state, h)
            kept.extend((context, state))

    def keep(*things: Any) -> None:
        kept.extend(things)

    sim = vinci.Simulation(wall, controllers=[keep], stepper=Keeper)
    sim.step(3)
    del sim
    gc.collect()
    with pytest.raises(vinci.Error, match="context: the step that this belongs to is over"):
        next(thing for thing in kept if isinstance(thing, vinci.StepContext)).model
    states = [thing for thing in kept if isinstance(thing, vinci.State)]
    assert [state.step for state in states] == [0, 0, 1, 1, 2, 2]
    assert all(np.isfinite(state.velocities).all() for state in states)
    models = [thing for thing in kept if isinstance(thing, vinci.Model)]
    assert len({model.title for model in models}) == 1


def test_a_simulation_and_its_code_go_away_together(wall: Path) -> None:
    spring = Spring()
    gone = weakref.ref(spring)
    sim = vinci.Simulation(wall, controllers=[spring])
    del spring
    sim.step()
    assert gone() is not None
    del sim
    gc.collect()
    assert gone() is None


def test_controllers_of_one_name_are_told_apart(wall: Path) -> None:
    sim = vinci.Simulation(wall, controllers=[Spring(), Spring(), Spring])
    assert sim.code == ["controller spring", "controller spring-2", "controller spring-3"]
    assert sim.state.controls.shape == (3,)


def test_a_name_that_exists_is_refused(wall: Path) -> None:
    class Lemke(Delegate):
        name = "lemke"

    with pytest.raises(vinci.Error, match="lemke: a solver of this name exists already"):
        vinci.Simulation(wall, solver=Lemke())
