# SPDX-License-Identifier: Apache-2.0
"""`vinci linearize`: what it prints, its JSON, the maze of the reference, mistakes."""
import json
import math
import re

import pytest
from test_json_page import keys_of, named

from conftest import SOURCE

REFERENCE = json.loads((SOURCE / "tests/data/reference/case12_ball_maze.json").read_text())

# The ball on the outermost ring, rolling; q = (maze.angle, ball.x, ball.y, ball.angle).
MAZE = """\
world: planar
bodies:
  maze: {{mass: 1, inertia: {Jm}, motion: {{x: 0, y: 0}}}}
  ball: {{mass: {mb}, inertia: {Jb}, position: [0, {start}]}}
constraints:
  ring: {{at-least-zero: "ball.x^2 + ball.y^2 - ({rm} + {rb})^2", damping: 10, stiffness: 25}}
  roll: {{zero: "{rb}*ball.angle + {rm}*maze.angle + ({c})*atan2(ball.x, ball.y)", with: ring,
         damping: 10, stiffness: 25}}
run: {{stepper: event-driven, step: 1 ms, duration: 1 s}}
"""

PENDULUM = """\
world: planar
bodies:
  rod: {mass: 2, inertia: 0.1}
joints:
  pin: {revolute: [world, rod], at: [[0, 0], [0, 0.5]], damping: 0.3, position: 0.2}
run: {step: 1 ms, duration: 1 s}
"""

BLOCK = """\
world: planar
materials: {wood: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block: {shapes: [{box: [0.25, 0.125], material: wood}], mass: 1, inertia: 0.01, position: [0, 0.0625]}
run: {step: 1 ms, duration: 1 s}
"""


def sets():
    return [(name, one) for name, one in REFERENCE["expected"].items()
            if isinstance(one, dict) and "rolling_constraint" in one]


def test_there_are_four_sets_of_parameters():
    assert len(sets()) == 4


@pytest.mark.parametrize("name, expected", sets(), ids=[name for name, _ in sets()])
def test_the_maze_is_that_of_the_reference(vinci, name, expected):
    p = expected["parameters"]
    kinematic = "r_m+r_b" in expected["rolling_constraint"]
    total = p["rm"] + p["rb"]
    vinci.scene(MAZE.format(**p, start=1.05 * total, c=total if kinematic else p["rm"]))
    answer = vinci.json("linearize", "scene.yaml", "--equilibrium", "--inputs", "maze.torque",
                        "--outputs", "ball.x,maze.angle", "--mode", "ring=contact")
    assert answer["equilibrium"]["found"] and answer["of"] == "model"
    system = answer["system"]
    size = max(abs(x) for row in expected["A"] for x in row)
    for row, wanted in zip(system["A"], expected["A"]):
        assert row == pytest.approx(wanted, abs=1e-10 * size)
    push = max(map(abs, expected["B"]))
    assert [row[0] for row in system["B"]] == pytest.approx(expected["B"], abs=1e-10 * push)
    poles = [complex(*one["value"]) for one in system["poles"]]
    unstable = expected["pole_p"]
    assert min(abs(pole - unstable) for pole in poles) < 1e-8 * max(1.0, unstable)
    assert sum(abs(pole + 5) < 1e-3 for pole in poles) == 4
    angle = next(one for one in system["channels"] if one["output"] == "maze.angle [rad]")
    zeros = sorted(one[0] for one in angle["zeros"])
    assert zeros == pytest.approx([-expected["zero_z_u_to_q1"], expected["zero_z_u_to_q1"]],
                                  rel=1e-8)
    force = next(one for one in answer["mode"] if one["name"] == "ring")
    assert force["force"] == pytest.approx(expected["lambda_equilibrium"][0], rel=1e-9)
    assert force["state"] == "contact" and force["named"]


def test_the_page_names_the_keys(vinci):
    vinci.scene(BLOCK)
    free = ["coordinates", "rates", "accelerations", "further_states", "inputs", "outputs"]
    for arguments in (["--of", "model", "--equilibrium"], []):
        printed = keys_of(vinci.json("linearize", "scene.yaml", *arguments), free)
        assert printed <= named("vinci linearize"), sorted(printed - named("vinci linearize"))


def test_a_pendulum_is_printed_with_its_poles(vinci):
    vinci.scene(PENDULUM)
    text = vinci("linearize", "scene.yaml", "--equilibrium", "--of", "model", "--bode",
                 "--step-response", "--impulse-response", "--root-locus", "0,1,10").stdout
    # m g l / (J + m l²) and d / (J + m l²)
    frequency = (2 * 9.81 * 0.5 / (0.1 + 2 * 0.25)) ** 0.5
    assert re.search(rf"{frequency:.6g} +{0.3 / 0.6 / (2 * frequency):.5g}", text)
    for words in ("equilibrium", "mode: nothing touches", "pin.effort [N m] to pin.position [rad]",
                  "frequency response", "unit step of pin.effort", "unit impulse of pin.effort",
                  "root locus"):
        assert words in text
    assert vinci.json("linearize", "scene.yaml", "--of", "model")["equilibrium"]["found"] is False


def test_tables_are_part_of_the_json(vinci):
    vinci.scene(PENDULUM)
    plain = ["linearize", "scene.yaml", "--equilibrium", "--of", "model"]
    assert not {"bode", "step_response"} & set(vinci.json(*plain))
    answer = vinci.json(*plain, "--bode", "--step-response", "--impulse-response", "--root-locus", "0,1,10")
    inertia, damping, weight = 0.6, 0.3, 2 * 9.81 * 0.5
    bode = answer["bode"]
    for frequency, value in zip(bode["frequencies"], bode["values"]):
        wanted = 1 / (weight - inertia * frequency**2 + 1j * damping * frequency)
        assert complex(*value[0][0]) == pytest.approx(wanted, rel=1e-9)
    for key in ("step_response", "impulse_response"):
        one = answer[key][0]
        assert one["input"] == "pin.effort [N m]" and len(one["times"]) == len(one["values"])
        swing = 2 * math.pi / (weight / inertia) ** 0.5
        assert one["times"][1] < swing / 10
    assert answer["step_response"][0]["values"][-1][0] == pytest.approx(1 / weight, rel=0.05)
    locus = answer["root_locus"]
    assert {0, 1, 10} <= set(locus["gains"]) and len(locus["poles"]) == len(locus["gains"])
    assert set(answer) - {"bode"} <= named("vinci linearize") and "bode" in named("vinci linearize")


CHAIN_LINK = """\
  b{i}: {{mass: {mass}, inertia: 1}}
"""


def test_a_chain_has_the_zeros_of_its_dampers(vinci):
    """Joint coordinates fill A with rounding; a zero per link and r = n + 1 come out all the same."""
    count = 6
    bodies = "".join(CHAIN_LINK.format(i=i, mass=1 + 0.1 * i) for i in range(count))
    joints = "".join(
        f"  j{i}: {{prismatic: [{'world' if i == 0 else f'b{i - 1}'}, b{i}], axis: [1, 0], "
        f"stiffness: {100 * (i + 1)}, damping: 0.5}}\n" for i in range(count))
    vinci.scene(f"world: planar\ngravity: [0, 0]\nbodies:\n{bodies}joints:\n{joints}"
                "run: {step: 1 ms, duration: 2 s, stepper: event-driven}\n")
    system = vinci.json("linearize", "scene.yaml", "--of", "model", "--inputs", "j0.effort",
                        "--outputs", f"b{count - 1}.x")["system"]
    channel = system["channels"][0]
    zeros = sorted(-one[0] for one in channel["zeros"])
    assert zeros == pytest.approx([200 * (i + 1) for i in range(1, count)], rel=1e-4)
    gain = 1.0
    for i in range(count):
        gain *= (0.5 if i else 1.0) / (1 + 0.1 * i)
    assert channel["gain"] == pytest.approx(gain, rel=1e-6) and channel["miss"] < 1e-6
    assert sum(row[0] != 0 for row in system["B"]) == 2, "rounding is no way of the input"


def test_an_undamped_swing_is_on_the_border(vinci):
    vinci.scene(PENDULUM.replace(", damping: 0.3", ""))
    plain = ["linearize", "scene.yaml", "--equilibrium", "--of", "model"]
    system = vinci.json(*plain)["system"]
    assert system["stability"] == "marginal" and not system["stable"]
    assert "marginal: rounding decides" in vinci(*plain).stdout


RESTING = """\
world: planar
materials: {w: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: w}]}
  box: {mass: 2, shapes: [{box: [0.4, 0.2], material: w}], pose: {on: floor, at: 0}}
run: {step: 1 ms, duration: 2 s, stepper: event-driven}
"""


def test_a_box_that_sticks_is_not_moved_by_rounding(vinci):
    vinci.scene(RESTING)
    answer = vinci.json("linearize", "scene.yaml", "--equilibrium", "--inputs", "box.force_x",
                        "--outputs", "box.x")
    assert answer["system"]["channels"][0]["gain"] == 0
    assert all(row == [0] for row in answer["system"]["B"])


def test_controllers_of_the_scene_close_the_loop(vinci):
    """J q'' + m g l q = 40 (r − q) − 3 q' + f, with the filter f' = −5 f + 2 q besides."""
    vinci.scene(PENDULUM.replace(", damping: 0.3", "").replace("run:", """signals:
  r: {input: 0}
  law: {expression: 40*(r - pin.position) - 3*pin.rate, drives: pin.effort}
  slow: {transfer-function: {numerator: [2], denominator: [1, 5]}, in: pin.position, drives: pin.effort}
run:"""))
    arguments = ["--equilibrium", "--of", "model", "--outputs", "pin.position,law"]
    closed = vinci.json("linearize", "scene.yaml", *arguments)
    system = closed["system"]
    assert system["inputs"] == ["r [1]"] and len(system["states"]) == 3
    inertia, weight = 0.6, 2 * 9.81 * 0.5
    # (J s² + 3 s + 40 + m g l)(s + 5) − 2
    wanted = [inertia, 3 + 5 * inertia, 40 + weight + 15, 5 * (40 + weight) - 2]
    place, law = system["channels"]
    assert place["denominator"] == pytest.approx([one / inertia for one in wanted], rel=1e-9)
    assert place["numerator"] == pytest.approx([40 / inertia, 5 * 40 / inertia], rel=1e-9)
    assert system["D"] == [[0], [40]], "the law sees its reference at once"
    assert law["gain"] == pytest.approx(40)
    opened = vinci.json("linearize", "scene.yaml", "--open-loop", "--inputs", "pin.effort", *arguments[:3],
                        "--outputs", "pin.position")
    assert len(opened["system"]["states"]) == 2 and "stay as they are" in opened["notes"][0]
    poles = [complex(*one["value"]) for one in opened["system"]["poles"]]
    held = closed["point"]["coordinates"]["pin.position [rad]"]
    assert held == pytest.approx(0, abs=1e-9)
    # What the law gives at 0.2 rad is held, so that the rod rests aslant.
    aslant = opened["point"]["coordinates"]["pin.position [rad]"]
    assert weight * math.sin(aslant) == pytest.approx(-8, rel=1e-9)
    assert abs(poles[0].imag) == pytest.approx((weight * math.cos(aslant) / inertia) ** 0.5)


def test_a_block_at_rest_has_a_step_with_two_sides(vinci):
    vinci.scene(BLOCK)
    answer = vinci.json("linearize", "scene.yaml", "--equilibrium")
    assert answer["of"] == "step" and answer["system"]["sample"] == 1e-3
    assert not answer["smooth"] and answer["other_side"]["A"] != answer["system"]["A"]
    text = vinci("linearize", "scene.yaml", "--equilibrium").stdout
    assert "not smooth" in text and "the other side" in text
    smooth = "run: {step: 1 ms, duration: 1 s, stepper: {name: stewart-trinkle, overlap: velocities}}"
    vinci.scene(BLOCK.replace("run: {step: 1 ms, duration: 1 s}", smooth))
    assert vinci.json("linearize", "scene.yaml")["smooth"]


@pytest.mark.parametrize("arguments, message", [
    (["--inputs", "pin.efort"], "--inputs: nothing is called 'pin.efort' (did you mean 'pin.effort'?)"),
    (["--outputs", "rod.a"], "--outputs: nothing is called 'rod.a'"),
    (["--mode", "rod-floor=contact"], "--mode: no constraint is called 'rod-floor'; accepted: nothing"),
    (["--mode", "pin"], "--mode: 'pin' says no state of a constraint"),
    (["--at", "-1"], "--at: -1 s is not a time of the run; accepted: 0 to 1 s"),
    (["--of", "everything"], "--of: unknown value 'everything'; accepted: model, step"),
    (["--of", "step"], "--of: the step has no map that is known: bodies hang on joints"),
    (["--root-locus", "0,x"], "--root-locus"),
    (["--root-locus", ""], "--root-locus: has an empty name"),
    (["--inputs", ""], "--inputs: has an empty name"),
    (["--outputs", "rod.x,,"], "--outputs: has an empty name"),
    (["--inputs", "pin.effort,pin.effort=1"], "--inputs: 'pin.effort' is named twice"),
])  # fmt: skip
def test_mistakes_are_named(vinci, arguments, message):
    vinci.scene(PENDULUM)
    if "--of" not in arguments:
        arguments = [*arguments, "--of", "model"]
    assert message in vinci("linearize", "scene.yaml", *arguments, code=2).stderr


def test_a_falling_body_has_no_equilibrium(vinci):
    vinci.scene("world: planar\nbodies: {stone: {mass: 1, inertia: 1}}\n"
                "run: {step: 1 ms, duration: 1 s}\n")
    answer = vinci("linearize", "scene.yaml", "--equilibrium", "--of", "model", code=1)
    assert "the balance of stone.y [m] lacks 9.81" in answer.stderr
    held = vinci.json("linearize", "scene.yaml", "--equilibrium", "--of", "model", "--inputs",
                      "stone.force_y=9.81")
    assert held["equilibrium"]["found"]
