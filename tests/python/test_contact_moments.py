# SPDX-License-Identifier: Apache-2.0
"""Moments at contacts from Python: surfaces, contacts, memory, and blocks of problems."""
import pickle

import numpy as np
import pytest

import vinci

SCENE = """
world: spatial
materials: {clay: {friction: 0.4, rolling-friction: 0.002, torsional-friction: 0.001}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: clay}]}
  ball: {shapes: [{sphere: 0.1, material: clay}], position: [0, 0, 0.1], velocity: [0.1, 0, 0], spin: [0, 1, 2]}
run: {step: 2 ms, duration: 0.2}
"""


def test_a_surface_says_its_moments():
    model = vinci.Scene.parse(SCENE).compile()
    assert model.surface("clay", "clay") == {
        "friction": 0.4, "restitution": 0.0, "rolling_friction": 0.002,
        "torsional_friction": 0.001, "patch_arm": 0.0}


def test_contacts_have_moments_within_their_limits():
    simulation = vinci.Simulation(vinci.Scene.parse(SCENE))
    for _ in range(10):
        simulation.step()
        contact = simulation.contacts[0]
        load = contact["impulse"][0]
        assert np.isclose(abs(contact["moment"][0]), 0.001 * load)
        assert np.isclose(np.linalg.norm(contact["moment"][1:]), 0.002 * load)
        assert np.all(contact["moment"] * contact["turning"] <= 1e-15)  # they only take energy
    memory = simulation.state.impulses
    assert np.array_equal(memory["moment"][0], simulation.contacts["moment"][0])
    again = pickle.loads(pickle.dumps(simulation.state))
    assert np.array_equal(again.impulses["moment"], memory["moment"])


def test_a_block_with_moments_is_solved():
    W = np.diag([1.0, 2.0, 2.0, 3.0, 3.0, 3.0])
    q = np.array([-1.0, 0.5, 0.0, 0.1, 2.0, 2.0])
    block = vinci.Block("moments", 6, friction=0.5, rolling=0.1, torsion=0.2, tangents=2, spins=1)
    assert (block.torsion, block.tangents, block.spins) == (0.2, 2, 1)
    problem = vinci.Problem(C=W, b=q, blocks=[block])
    impulse = vinci.solve(problem).impulse
    assert np.isclose(impulse[0], 1.0)
    assert np.allclose(impulse[1:3], [-0.25, 0.0])  # sticks
    assert np.isclose(np.linalg.norm(impulse[3:5]), 0.1)  # rolls
    assert np.isclose(impulse[5], -0.2)  # spins


def test_the_name_of_before_is_understood():
    block = vinci.Block("rolling", 5, friction=0.5, rolling=0.1)
    assert block.law == "moments"
    with pytest.raises(vinci.Error):
        vinci.Block("moments", 4, tangents=5)
