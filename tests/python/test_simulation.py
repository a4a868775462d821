# SPDX-License-Identifier: Apache-2.0
"""Stepping and looking at simulations from Python."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vinci


@pytest.fixture
def stack(scenes: Path) -> vinci.Simulation:
    return vinci.Simulation(scenes / "stack.yaml", duration=0.2)


def test_a_run_gives_the_hash_of_the_program(
    stack: vinci.Simulation, scenes: Path, program: str, tmp_path: Path
) -> None:
    subprocess.run([program, "run", scenes / "stack.yaml", "--duration", "0.2", "--quiet", "-o",
                    tmp_path / "c.h5"], check=True)  # fmt: skip
    result = stack.run(record=tmp_path / "p.h5")
    assert result.state_hash == vinci.Recording(tmp_path / "c.h5").summary.state_hash
    assert result.steps == 200 and result.finished and result.diverged is None
    summary = vinci.Recording(tmp_path / "p.h5").summary
    assert result.worst_residual == summary.worst_residual > 0
    assert result.inexact_steps == 0 and result.recording == tmp_path / "p.h5"


def test_steps_one_by_one_and_many_at_once_are_the_same(scenes: Path) -> None:
    a, b = (vinci.Simulation(scenes / "bouncing_ball.yaml") for _ in range(2))
    for _ in range(50):
        a.step()
    report = b.step(50)
    assert a.state == b.state and a.state.hash == b.state.hash
    assert report.status == b.report.status and report.seconds.keys() == {
        "detect", "formulate", "solve", "advance"}  # fmt: skip
    with pytest.raises(vinci.Error, match="count: is 0; accepted: at least 1"):
        b.step(0)


def test_run_stops_where_it_is_told(stack: vinci.Simulation) -> None:
    assert stack.run(until=0.05).time == 0.05
    seen: list[int] = []
    stack.run(callback=lambda sim: seen.append(sim.state.step) or sim.state.step == 60)
    assert seen == list(range(51, 61))
    assert stack.run(until=0.01).steps == 0  # that time is over
    with pytest.raises(vinci.Error, match="until: is nan"):
        stack.run(until=float("nan"))
    assert stack.run(until=0.5).time == 0.5  # beyond the duration, if asked to


def test_every_option_of_a_run_is_a_keyword(scenes: Path) -> None:
    keywords = {name.replace("-", "_") for name in vinci.run_options()}
    assert keywords <= set(vinci.Simulation.__init__.__kwdefaults__)
    sim = vinci.Simulation(scenes / "sliding_box.yaml", cone="pyramid", directions=16, step=2e-3,
                           solver="lemke", output_interval=0.01, accept=1e-6, seed=3,
                           options={"solver.tolerance": 1e-9})  # fmt: skip
    chosen = sim.options
    assert chosen["cone"] == "pyramid" and chosen["directions"] == 16 and chosen["seed"] == 3
    assert chosen["step"] == 2e-3 and chosen["solver.tolerance"] == 1e-9
    assert sim.step_size == 2e-3 and sim.output_every == 5


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"step": -1}, "step: -1 .*accepted"),
        ({"solver": "lemk"}, "solver: unknown solver 'lemk' .did you mean 'lemke'"),
        ({"cone": "round"}, "cone: .*quadratic"),
        ({"options": {"solver.tolerence": 1}}, "no option 'tolerence' .did you mean 'tolerance'"),
        ({"options": {"sorcery.x": 1}}, "unknown plugin kind 'sorcery'"),
        ({"parameters": {"nu": 1}}, "parameters.nu: there is no such parameter"),
        ({"plugins": ["none.so"]}, "none.so: no such library"),
        ({"motions": {"wall": 1}}, "motions: has the key 'wall'; accepted: .body, coordinate"),
    ],
)
def test_mistakes_in_options_are_told(scenes: Path, keywords: dict, message: str) -> None:
    with pytest.raises(vinci.Error, match=message):
        vinci.Simulation(scenes / "stack.yaml", **keywords)


def test_what_is_no_scene_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="a int is no scene; accepted: Scene, path or dict"):
        vinci.Simulation(3)


def test_contacts_need_no_copy_and_stay_what_they_were(stack: vinci.Simulation) -> None:
    stack.step()
    first = stack.contacts
    assert first.dtype.names == ("kind", "key", "bodies", "point_a", "point_b", "normal",
                                 "tangent_1", "tangent_2", "impulse", "velocity", "gap", "friction",
                                 "friction_2", "patch_point", "moment", "turning")  # fmt: skip
    assert first.shape == (20,) and not first.flags.writeable and not first.flags.owndata
    again = stack.contacts
    assert first.__array_interface__["data"] == again.__array_interface__["data"]
    weight = 0.01 * 9.81 * 1e-3 * np.arange(10, 0, -1)  # of the boxes above, 0.1 x 0.1 m, 1 kg/m^2
    pairs = first["impulse"][:, 0].reshape(10, 2).sum(axis=1)
    assert pairs == pytest.approx(pairs[0] * np.arange(10, 0, -1) / 10) and len(weight) == 10
    kept, bits = first.copy(), first.tobytes()
    stack.step(20)
    assert first.tobytes() == bits and (first["impulse"] == kept["impulse"]).all()
    assert stack.contacts.tobytes() != bits
    assert (stack.contacts["key"] == kept["key"]).all()


def test_arrays_outlive_their_simulation(scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "stack.yaml")
    sim.step()
    contacts, state = sim.contacts, sim.state
    views = [state.velocities, state.positions, state.controls]
    expected = [contacts.tobytes(), *(view.tobytes() for view in views)]
    older = contacts
    sim.step()
    newer = sim.contacts
    problem = sim.problem
    matrix, vector = problem.J, problem.b
    del sim, state, problem
    gc.collect()
    rubbish = [bytearray(1 << 16) for _ in range(200)]  # whoever wrote there would be seen
    assert older.tobytes() == expected[0] and len(newer) == 20
    assert matrix.shape == (40, 30) and np.isfinite(vector).all()
    assert np.isfinite(views[0]).all() and len(rubbish) == 200


def test_contacts_survive_a_step_that_fails(scenes: Path) -> None:
    def fail(model: object, state: vinci.State, *_: object) -> None:
        if state.step == 5:
            raise RuntimeError("enough")

    sim = vinci.Simulation(scenes / "stack.yaml", controllers=[fail])
    sim.step(5)
    contacts = sim.contacts
    with pytest.raises(RuntimeError, match="enough"):
        sim.step()
    assert sim.state.step == 5 and sim.contacts.tobytes() == contacts.tobytes()
    assert len(contacts) == 20


def test_the_state_follows_the_run_and_a_copy_does_not(stack: vinci.Simulation) -> None:
    state, kept = stack.state, stack.state.copy()
    stack.step(3)
    assert state.step == 3 and kept.step == 0 and kept.writable and not state.writable
    assert state != kept and copy.copy(kept) == kept and copy.deepcopy(kept) == kept
    with pytest.raises(ValueError, match="read-only"):
        state.velocities[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        state.positions[0] = 1
    with pytest.raises(vinci.Error, match="belongs to a simulation and is read-only"):
        state.velocities = np.zeros(30)
    with pytest.raises(ValueError, match="read-only"):
        kept.poses[0, 0] = 1  # a copy, that is
    assert (state == 3) is False
    with pytest.raises(TypeError):
        hash(state)


def test_a_changed_state_continues_the_run(scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "bouncing_ball.yaml")
    ball = sim.model.body("ball")
    state = sim.state.copy()
    state.positions[ball.index, 1] += 1.0
    state.velocities[ball.velocity] = [0.5, 0.0, 0.0]
    poses = state.poses.copy()
    poses[ball.index, 0] = 3.0
    state.poses = poses
    sim.set_state(state)
    sim.step()
    assert sim.state.position(ball.index)[0] == pytest.approx(3.0 + 0.5 * sim.step_size)
    assert sim.state.rotation("ball")[0] == pytest.approx(1.0)
    assert sim.state.velocity(ball).tolist() == sim.state.velocities[ball.velocity].tolist()
    with pytest.raises(vinci.Error, match="bal: there is no such body .did you mean 'ball'"):
        sim.state.position("bal")
    with pytest.raises(vinci.Error, match="there is no body 2; accepted: 0 to 1"):
        sim.state.position(2)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda s: setattr(s, "time", 7.0), "belongs to another step size"),
        (lambda s: s.velocities.fill(np.nan), "not finite"),
        (lambda s: setattr(s, "poses", s.poses * 2), "not a unit quaternion"),
        (lambda s: setattr(s, "poses", np.zeros((2, 7))), "poses: accepted: an array of 11 x 7"),
        (lambda s: setattr(s, "velocities", [1.0]), "velocities: has 1 numbers; accepted: 30"),
        (lambda s: setattr(s, "controls", [1.0]), "controls: has 1 numbers; accepted: 0"),
        (lambda s: setattr(s, "velocities", "fast"), "velocities: is not an array"),
    ],
)
def test_impossible_states_are_refused(
    stack: vinci.Simulation, change: object, message: str
) -> None:
    state = stack.state.copy()
    with pytest.raises(vinci.Error, match=message):
        change(state)
        stack.set_state(state)
    assert stack.state.step == 0


def test_a_state_is_pickled_bit_for_bit_across_processes(
    stack: vinci.Simulation, tmp_path: Path
) -> None:
    stack.step(30)
    file = tmp_path / "state.pickle"
    file.write_bytes(pickle.dumps((stack.state, stack.scene, stack.problem)))
    code = (
        "import pickle, sys, vinci\n"
        "state, scene, problem = pickle.load(open(sys.argv[1], 'rb'))\n"
        "sim = vinci.Simulation(scene, duration=0.2)\n"
        "sim.set_state(state)\n"
        "print(state.hash, sim.run().state_hash, problem.rows)\n"
    )
    printed = subprocess.run([sys.executable, "-c", code, file], check=True, capture_output=True,
                             text=True).stdout.split()  # fmt: skip
    assert printed[0] == stack.state.hash and int(printed[2]) == 40
    assert printed[1] == stack.run().state_hash
    with pytest.raises(vinci.Error, match="another version"):
        vinci.State.__setstate__(vinci.State.__new__(vinci.State), (0, 1))


def test_contact_memory_can_be_read_and_written(stack: vinci.Simulation) -> None:
    stack.step(2)
    state = stack.state.copy()
    memory = state.impulses
    assert memory.dtype.names == ("kind", "key", "point", "impulse", "sliding", "moment")
    assert len(memory) == 20
    assert len(state.rebounds) == 0 and len(state.layers) == 0
    memory["impulse"] *= 0.5
    state.impulses = memory
    assert state != stack.state and (state.impulses["impulse"] == memory["impulse"]).all()
    stack.set_state(state)
    assert stack.step().status == "solved"  # another guess, the same problem


def test_parameters_are_set_between_steps(scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "sliding_block.yaml")
    sim.step()
    before = sim.contacts["friction"].max()
    sim.parameters["mu"] = 0.5 * before
    assert sim.parameters["mu"] == 0.5 * before and len(sim.parameters) == len(dict(sim.parameters))
    sim.step()
    assert sim.contacts["friction"].max() == 0.5 * before
    sim.parameters = {"mu": 0.1}
    assert sim.model.parameters["mu"] == 0.1
    with pytest.raises(vinci.SceneError, match="parameters.nu"):
        sim.parameters.update(mu=0.2, nu=1.0)
    assert sim.parameters["mu"] == 0.1
    with pytest.raises(KeyError):
        sim.parameters["nu"]
    with pytest.raises(vinci.Error, match="cannot be removed"):
        del sim.parameters["mu"]


def test_a_run_that_diverges_says_which_body() -> None:
    sim = vinci.Simulation({
        "world": "planar", "gravity": [0, 0],
        "bodies": {"mad": {"shapes": [{"circle": 0.1}], "force": {"x": "1e308*(1 + t*1e3)"}}},
        "run": {"step": 1, "duration": 100},
    })  # fmt: skip
    result = sim.run()
    assert result.diverged == "mad" == sim.diverged and not result.finished and sim.finished


def test_energy_and_solution_are_there(stack: vinci.Simulation) -> None:
    stack.step()
    u, impulse = stack.solution
    assert u.shape == (30,) and impulse.shape == (40,)
    kinetic, potential = stack.energy
    assert kinetic == pytest.approx(0.0, abs=1e-20) and potential > 0
    assert stack.model.energy(stack.state) == stack.energy


def test_a_bar_is_drawn_only_where_somebody_sees_it(
    stack: vinci.Simulation, capfd: pytest.CaptureFixture[str]
) -> None:
    stack.run(until=0.05, progress=True)
    assert capfd.readouterr().err == ""
    stack.run(until=0.1, progress="always", callback=lambda sim: None)
    drawn = capfd.readouterr().err
    assert "stack of ten boxes" in drawn and "steps/s" in drawn and drawn.endswith("\r")


def test_representations_help(stack: vinci.Simulation) -> None:
    assert repr(stack) == "<vinci.Simulation 'stack of ten boxes': step 0 of 200, 0 s>"
    assert repr(stack.model) == (
        "<vinci.Model 'stack of ten boxes': planar, 11 bodies, 30 velocities>"
    )
    assert repr(stack.step()).startswith("<vinci.StepReport solved, residual ")
    assert "step 1, 0.001 s, 11 bodies" in repr(stack.state)
    assert repr(stack.problem) == "<vinci.Problem gfc2d: 40 rows in 20 blocks, 30 unknowns>"


def test_layers_in_space_have_turns_and_a_normal(scenes):
    simulation = vinci.Simulation(scenes / "rubber_feet.yaml", duration=0.02)
    simulation.run()
    layers = simulation.state.layers
    assert len(layers) == 16
    assert np.allclose(layers["normal"], [0, 0, 1])
    # Each record says the whole plate.
    assert np.all(np.ptp(layers["turn_b"], axis=0) < 1e-9)
    assert np.any(layers["turn_b"] != 0)
    again = vinci.Simulation(scenes / "rubber_feet.yaml", duration=0.02)
    again.set_state(simulation.state.copy())
    assert again.state.hash == simulation.state.hash


def test_soft_contacts_keep_their_deformations_in_the_state(scenes: Path) -> None:
    simulation = vinci.Simulation(scenes / "micro_slip.yaml", duration=0.05)
    layer = simulation.model.layer("rubber")
    assert layer is not None and layer["stiffness"] == 2e5 and layer["tangential_damping"] == 100
    assert simulation.model.layer("steel") is None
    simulation.step(20)
    assert simulation.report.substeps > 1 and not simulation.report.coarse
    memory = simulation.state.layers
    # Every point of the patch is there; the middle of the roller, side b, is pressed in most.
    assert list(simulation.state.impulses["point"]) == list(range(15))
    deepest = memory[memory["deformation_b"][:, 0].argmax()]
    assert deepest["point"] == 7 and not memory["deformation_a"].any()
    kept = pickle.loads(pickle.dumps(simulation.state.copy()))
    simulation.run()
    again = vinci.Simulation(scenes / "micro_slip.yaml", duration=0.05)
    again.set_state(kept)
    again.run()
    assert again.state == simulation.state


def test_a_rigid_scene_is_told_what_song_pang_kumar_needs(scenes: Path) -> None:
    with pytest.raises(vinci.Error, match="`stiffness` in N/m"):
        vinci.Simulation(scenes / "rolling_disk.yaml", stepper="song-pang-kumar")


def test_a_run_without_balance_says_which_body_lacks_which_force() -> None:
    scene = vinci.Scene.parse(
        """
world: planar
table: {gravity: 10, friction: 0.5}
bodies:
  part: {shapes: [{circle: 0.1}], mass: 1, motion: {angle: 0}, supports: [[0, 0]], force: {x: 5.25}}
run: {step: 1 ms, duration: 0.01, motion: quasi-static}
"""
    )
    simulation = vinci.Simulation(scene)
    result = simulation.run()
    assert result.ending == simulation.ending
    assert result.ending.startswith("no equilibrium: 'part' needs 0.25 N more along (-1, 0, 0)")
    report = simulation.report
    assert report.unbalanced_body == 0 and abs(report.missing_force - 0.25) < 1e-12
