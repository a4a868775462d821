# SPDX-License-Identifier: Apache-2.0
"""check, list, schema, and the program's manners: help, usage, exit codes."""
import json
import re

import jsonschema
import pytest
import yaml

from conftest import BLOCK, SOURCE

SUBCOMMANDS = ["check", "run", "info", "export", "solve", "list", "schema", "compare", "converge",
               "plan", "view", "render"]


def test_good_scenes_get_one_line_each(vinci):
    scenes = sorted((SOURCE / "scenes").glob("*.yaml"))
    lines = vinci("check", *scenes).stdout.splitlines()
    assert len(lines) == len(scenes) > 0
    for scene, line in zip(scenes, lines):
        assert line.startswith(f"{scene}: OK: ") and "steps of" in line


def test_all_mistakes_of_all_scenes_are_reported_in_one_pass(vinci):
    vinci.scene(BLOCK.replace("world: planar", "wrld: planar").replace("mu: 0.5", "mu: 0.5 +"),
                "bad.yaml")
    vinci.scene(BLOCK, "good.yaml")
    done = vinci("check", "bad.yaml", "good.yaml", "absent.yaml", code=2)
    assert "good.yaml: OK: planar, 2 bodies (1 moving), 2 shapes" in done.stdout
    lines = done.stderr.splitlines()
    assert any(line.startswith("bad.yaml:2: wrld: ") and "world" in line for line in lines)
    assert any(line.startswith("bad.yaml:3: parameters.mu: ") for line in lines)
    assert any(line.startswith("absent.yaml") for line in lines)


# A ball that falls on a floor that it may leave for good.
GATE = """\
title: gate
world: planar
parameters: {damping: 0}
bodies:
  ball: {shapes: [{circle: 0.1}], position: [0, 1]}
constraints:
  floor: {at-least-zero: ball.y - 0.1, damping: damping, stiffness: 25, machine: gate, in: shut}
  wall: {zero: ball.x, time-scale: 10 ms}
  again: {zero: 2*ball.x}
machines:
  gate:
    states: [shut, open]
    transitions: [{from: shut, to: open, rises: t - 1 + 0*ball.y}]
run: {stepper: event-driven, step: 10 ms, duration: 0.1 s}
"""


def test_constraints_and_machines_are_counted_and_what_is_odd_is_told(vinci):
    vinci.scene(GATE, "gate.yaml")
    lines = vinci("check", "gate.yaml").stdout.splitlines()
    assert ", 3 constraints, 1 machine, 10 steps of 0.01 s" in lines[0]
    assert lines[1].startswith("gate.yaml: warning: constraint 'floor': an impact at ")
    assert "gains 1.92 J per kg" in lines[1]
    assert lines[2].startswith("gate.yaml:9: constraints.again: says the same as 'wall' (line 8)")
    assert lines[3].startswith("gate.yaml:12: machines.gate.states[1]: no transition leaves")
    assert len(lines) == 4
    good = vinci.json("check", "gate.yaml")["scenes"][0]
    assert [one["name"] for one in good["constraints"]] == ["floor", "wall", "again"]
    assert good["constraints"][0]["in"] == ["shut"]
    assert good["constraints"][0]["stabilisation"] == {"damping": 0.0, "stiffness": [25.0]}
    assert good["machines"][0]["transitions"] == [
        {"from": "shut", "to": "open", "rises": "t - 1 + 0*ball.y"}]
    assert good["energy_gains"][0]["gain"] == pytest.approx(9.81**2 / 50, rel=1e-5)
    assert vinci.json("check", "gate.yaml", "--set", "damping=10")["scenes"][0]["energy_gains"] == []


def test_time_stepping_refuses_constraints_by_name(vinci):
    vinci.scene(GATE, "gate.yaml")
    said = vinci("check", "gate.yaml", "--stepper", "stewart-trinkle", code=2).stderr
    assert "constraint 'floor' of the scene" in said and "'stepper: event-driven'" in said


def test_check_answers_in_json(vinci):
    vinci.scene(BLOCK.replace("box:", "bx:"), "bad.yaml")
    vinci.scene(BLOCK, "good.yaml")
    answer = vinci.json("check", "good.yaml", "bad.yaml", code=2)
    good, bad = answer["scenes"]
    assert not answer["ok"] and good["ok"] and good["bodies"] == 2 and good["steps"] == 200
    assert bad["errors"][0]["file"] == "bad.yaml" and bad["errors"][0]["line"] == 9
    assert {"key", "message"} <= bad["errors"][0].keys()


@pytest.mark.parametrize("arguments, words", [
    (["--solver", "lemk"], "unknown solver 'lemk' (did you mean 'lemke'?)"),
    (["--step", "0"], "--step: "),
    (["--cone", "round"], "--cone: unknown value 'round'"),
    (["--option", "solver.tolerence=1"], "did you mean 'tolerance'?"),
    (["--option", "solver"], "--option: 'solver' is not an assignment"),
    (["--option", "tolerance=1"], "--option: 'tolerance=1' names no option of a plugin"),
    (["--option", "motor.speed=1"], "unknown plugin kind 'motor'"),
    (["--set", "mu"], "--set: 'mu' is not an assignment"),
    (["--set", "mu=blue"], "--set mu: "),
    (["--set", "mue=0.1"], "mue"),
    (["--set", "mu=1/0"], "not finite"),
    (["--set", "mu=-1"], "friction"),
])
def test_bad_choices_name_the_flag_or_the_key(vinci, arguments, words):
    vinci.scene(BLOCK)
    for command in ("check", "run"):
        done = vinci(command, "scene.yaml", *arguments, code=2)
        assert words in done.stderr, done.stderr
    assert not (vinci.folder / "runs").exists()


def test_choices_change_what_is_checked(vinci):
    vinci.scene(BLOCK)
    assert "400 steps of 0.0005 s" in vinci("check", "scene.yaml", "--step", "0.5 ms").stdout


def test_list_shows_everything_with_defaults(vinci):
    everything = vinci.json("list")
    assert set(everything) == {"detectors", "steppers", "solvers", "impact-laws", "options"}
    assert "stewart-trinkle" in [entry["name"] for entry in everything["steppers"]]
    for kind in ("detectors", "steppers", "solvers"):
        for entry in everything[kind]:
            assert entry["text"]
            for option in entry["options"]:
                assert {"name", "type", "text", "default", "unit"} <= option.keys()
    step = next(option for option in everything["options"] if option["name"] == "step")
    assert step["unit"] == "s" and step["default"] == 1e-3 and step["lower"] > 0
    text = vinci("list", "solvers").stdout
    assert text.startswith("Solvers\n") and "Detectors" not in text
    assert max(map(len, vinci("list").stdout.splitlines())) <= 80


class Yaml12(yaml.SafeLoader):
    """PyYAML follows YAML 1.1, where `on` is a truth value; in YAML 1.2 only true and false are."""


Yaml12.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Yaml12.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def test_the_schema_accepts_the_scenes_and_refuses_a_wrong_one(vinci):
    schema = json.loads(vinci("schema").stdout)
    for scene in sorted((SOURCE / "scenes").glob("*.yaml")):
        jsonschema.validate(yaml.load(scene.read_text(), Yaml12), schema)
    wrong = yaml.load(BLOCK.replace("box:", "bx:"), Yaml12)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


def test_every_command_has_help_that_fits_80_columns(vinci):
    overview = vinci("--help").stdout
    for name in SUBCOMMANDS:
        assert f"\n  {name}" in overview
        page = vinci(name, "--help").stdout
        assert f"vinci {name}" in page and max(map(len, page.splitlines())) <= 80
    assert vinci("--version").stdout.startswith("vinci ")


@pytest.mark.parametrize("arguments", [[], ["walk"], ["run", "--fast", "scene.yaml"], ["info"],
                                       ["list", "wheels"], ["export", "run.h5"], ["check"]])
def test_wrong_usage_exits_with_2_and_speaks_on_stderr(vinci, arguments):
    done = vinci(*arguments, code=2)
    assert done.stderr and not done.stdout


def test_plugins_and_their_options_are_checked_in_the_same_pass(vinci):
    text = BLOCK.replace("run: {", "run: {solver: {name: lemke, tolerence: 1}, stepper: stewart, cone: round, ")
    errors = vinci("check", vinci.scene(text.replace("density: 10", "density: -10")), code=2).stderr
    for word in ("did you mean 'tolerance'", "unknown stepper 'stewart'", "'round'", "density"):
        assert word in errors, errors
    assert errors.count("scene.yaml:") == 4


def test_bodies_that_begin_inside_each_other_are_named_with_their_depth(vinci):
    assert "note" not in vinci("check", vinci.scene(BLOCK)).stdout
    sunk = vinci.scene(BLOCK.replace("position: [0, 0.05]", "position: [0, 0.045]"))
    assert "'floor' and 'block' begin 0.005 m inside each other" in vinci("check", sunk).stdout
    scene = vinci.json("check", sunk)["scenes"][0]
    assert abs(scene["overlaps"][0]["depth"] - 0.005) < 1e-12


def test_shapes_whose_contacts_events_do_not_know_are_noted_and_the_run_goes_on(vinci):
    scene = """
world: spatial
bodies:
  can: {freedom: fixed, shapes: [{cylinder: {radius: 0.1, height: 0.2}}]}
  ball: {shapes: [{sphere: 0.1}], mass: 1, position: [2, 0, 0]}
EXCLUDED
run: {stepper: event-driven, step: 10 ms, duration: 50 ms}
"""
    far = vinci.scene(scene.replace("EXCLUDED", ""))
    assert "`exclude: [[can, ball]]` says that the two never meet" in vinci("check", far).stdout
    vinci("run", far)
    assert "note" not in vinci("check", vinci.scene(scene.replace("EXCLUDED", "exclude: [[can, ball]]"))).stdout


def test_a_change_that_a_parameter_makes_impossible_is_found_before_the_run(vinci):
    vinci.scene("world: planar\nparameters: {a: 0.2, b: 0.1}\nbodies:\n"
                "  ball: {shapes: [{circle: a-b}]}\nchanges: [{at: 0.05, set: {a: 0.15}}]\n")
    vinci("check", "scene.yaml")
    for command in ("check", "run"):
        message = vinci(command, "scene.yaml", "--set", "b=0.18", code=2).stderr
        assert message.startswith("scene.yaml:4: bodies.ball.shapes[0].circle: ")
        assert message.endswith("(after the change at 0.05 s)\n")
