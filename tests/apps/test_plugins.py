# SPDX-License-Identifier: Apache-2.0
"""Shared libraries loaded at run time: a good one, and each way to be a bad one."""
import os

import pytest

from conftest import BLOCK, SOURCE

LIBRARIES = dict(part.split("=", 1) for part in os.environ["VINCI_TEST_PLUGINS"].split(":"))


def test_the_example_solver_is_listed_with_its_options(vinci):
    solvers = vinci.json("list", "solvers", "--plugin", LIBRARIES["jacobi"])["solvers"]
    (jacobi,) = [solver for solver in solvers if solver["name"] == "jacobi"]
    assert [option["name"] for option in jacobi["options"]] == ["tolerance", "relaxation",
                                                               "max-iterations"]
    assert "jacobi" not in vinci("list", "solvers").stdout


def test_the_example_solver_agrees_with_the_built_in_one(vinci):
    vinci.scene(BLOCK)
    own = vinci.json("run", "scene.yaml", "-o", "own.h5", "--plugin", LIBRARIES["jacobi"],
                     "--solver", "jacobi", "--option", "solver.relaxation=0.25")
    built_in = vinci.json("run", "scene.yaml", "-o", "built-in.h5")
    assert own["inexact_steps"] == 0 and own["worst_residual"] <= 1e-10
    # The block slides v²/(2 μ g) = 25.5 mm; both solve every step to 1e-10.
    ends = [vinci.json("info", name)["bodies"][1]["position"][0]
            for name in ("own.h5", "built-in.h5")]
    assert abs(ends[0] - ends[1]) < 1e-8
    assert own["iterations_mean"] > built_in["iterations_mean"]


def test_the_example_impact_law_hands_the_impact_on(vinci):
    laws = vinci.json("list", "impact-laws", "--plugin", LIBRARIES["sequential"])["impact-laws"]
    assert [law["name"] for law in laws] == ["newton", "poisson", "sequential"]
    scene = SOURCE / "scenes" / "row_of_balls.yaml"
    own = vinci.json("run", scene, "-o", "own.h5", "--plugin", LIBRARIES["sequential"],
                     "--impact-law", "sequential")
    assert own["impacts"] == 1 and own["inexact_steps"] == 0
    # The striker arrives at 0.2 s, the fourth ball flies off with its speed for 0.3 s.
    ends = [body["position"][0] for body in vinci.json("info", "own.h5")["bodies"]]
    assert ends == pytest.approx([-0.1, 0.0, 0.1, 0.2, 0.3 + 0.3], abs=1e-5)
    # In one instant the striker gets -3/5 of it, and the others 2/5.
    vinci("run", scene, "-o", "shared.h5", "--impact-law", "poisson")
    ends = [body["position"][0] for body in vinci.json("info", "shared.h5")["bodies"]]
    assert ends == pytest.approx([-0.1 - 0.18, 0.12, 0.22, 0.32, 0.42], abs=1e-8)


def test_a_solver_of_a_missing_plugin_is_an_unknown_solver(vinci):
    vinci.scene(BLOCK)
    message = vinci("run", "scene.yaml", "--solver", "jacobi", code=2).stderr
    assert "--solver: unknown solver 'jacobi'" in message and "accepted: " in message


def test_the_plugins_options_are_checked(vinci):
    vinci.scene(BLOCK)
    message = vinci("check", "scene.yaml", "--plugin", LIBRARIES["jacobi"], "--solver", "jacobi",
                    "--option", "solver.relaxation=7", code=2).stderr
    assert "relaxation" in message and "from 0.001 to 1" in message


@pytest.mark.parametrize("name, words", [
    ("wrong_version", "interface version 999; this program has version"),
    ("throws", "its entry failed: no licence found"),
    ("same_name", "its entry failed: the solver 'lemke' exists already"),
    ("no_entry", "is not a Vinci plugin: it has no entry"),
])
def test_a_broken_library_is_a_clear_error(vinci, name, words):
    message = vinci("list", "--plugin", LIBRARIES[name], code=2).stderr
    assert LIBRARIES[name] in message and words in message
    assert len(message.splitlines()) == 1


def test_what_is_no_library_is_a_clear_error(vinci):
    assert "no such library" in vinci("list", "--plugin", "absent.so", code=2).stderr
    (vinci.folder / "text.so").write_text("not a library at all\n" * 20)
    (vinci.folder / "empty.so").write_text("")
    (vinci.folder / "folder.so").mkdir()
    for name in ("text.so", "empty.so", "folder.so"):
        message = vinci("list", "--plugin", name, code=2).stderr
        assert message.startswith(f"{name}: cannot be loaded: ")


def test_a_truncated_library_is_a_clear_error(vinci):
    with open(LIBRARIES["no_entry"], "rb") as file:
        (vinci.folder / "half.so").write_bytes(file.read()[:600])
    assert "half.so: " in vinci("list", "--plugin", "half.so", code=2).stderr
