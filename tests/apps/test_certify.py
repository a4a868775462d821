# SPDX-License-Identifier: Apache-2.0
"""`vinci certify`: verdicts, proofs, exit codes and messages."""

import pytest

from conftest import SOURCE

FENCE = SOURCE / "experiments" / "fence"


def test_frictionless_particle_is_not_unique_and_its_free_motions_are_returned(vinci):
    answer = vinci.json("certify", FENCE / "fence.yaml", "--set", "mu_floor=0", "--set",
                        "mu_fence=0", code=1)
    assert not answer["ok"] and answer["exit_code"] == 1
    assert answer["exists"] == "yes" and answer["motion"] == "several"
    assert answer["proposition_1"] is False
    free = [one["bodies"]["particle"]["velocity"] for one in answer["free_motions"]]
    assert sorted(free) == [[0, 1, 0], [1, 0, 0]] and all(
        one["both_ways"] for one in answer["free_motions"])
    assert len(answer["others"]) == 2, "each free motion is shown by another solution"


def test_with_friction_it_is_unique_and_the_exit_code_says_so(vinci):
    answer = vinci.json("certify", FENCE / "fence.yaml")
    assert answer["ok"] and answer["certain"] and answer["motion"] == "unique"
    assert answer["step"] == 1 and answer["time"] == 0 and answer["step_size"] == 0.01
    printed = vinci("certify", FENCE / "fence.yaml").stdout
    assert "motion          unique" in printed and "proposition 1   holds" in printed


def test_at_runs_up_to_a_time(vinci):
    answer = vinci.json("certify", FENCE / "fence.yaml", "--at", "700 ms", code=1)
    assert answer["step"] == 71 and answer["time"] == pytest.approx(0.7)
    assert answer["motion"] == "locally unique", "sliding in space is not searched completely"
    assert {one["a"] for one in answer["contacts"]} | {one["b"] for one in answer["contacts"]} == {
        "floor", "fence", "particle"}
    # The fence's x' = 0.4 cos t carries it along.
    assert answer["solution"]["bodies"]["particle"]["velocity"][0] == pytest.approx(0.303, abs=5e-3)


def test_a_body_in_the_air_has_no_equilibrium_and_lacks_its_weight(vinci):
    (vinci.folder / "air.yaml").write_text(
        "world: planar\nbodies: {ball: {shapes: [{circle: 0.1}], mass: 2}}\n"
        "run: {motion: quasi-static, step: 1 ms, duration: 1}\n")
    answer = vinci.json("certify", "air.yaml", code=1)
    assert answer["exists"] == "none" and answer["motion"] == "unknown"
    [missing] = answer["missing"]
    assert missing["body"] == "ball" and missing["force"] == pytest.approx([0, 2 * 9.81, 0])
    printed = vinci("certify", "air.yaml", code=1).stdout
    assert "missing         on ball: a force of (0, 19.62, 0) N" in printed


def test_closing_jaws_contradict_each_other(vinci):
    (vinci.folder / "jaws.yaml").write_text("""\
world: planar
gravity: [0, 0]
bodies:
  left: {shapes: [{half-plane: {normal: [1, 0]}}], motion: {x: -0.1 + 0.1*t, y: 0, angle: 0}}
  right: {shapes: [{half-plane: {normal: [-1, 0]}}], motion: {x: 0.1 - 0.1*t, y: 0, angle: 0}}
  part: {shapes: [{circle: 0.1}], mass: 1}
exclude: [[left, right]]
run: {motion: quasi-static, step: 1 ms, duration: 1}
""")
    answer = vinci.json("certify", "jaws.yaml", code=1)
    assert answer["exists"] == "none" and "contradict" in answer["exists_because"]
    assert [one["share_of_proof"] for one in answer["contacts"]] == pytest.approx([0.5, 0.5])


def test_a_run_that_ends_before_is_certified_where_it_ended(vinci):
    (vinci.folder / "pulled.yaml").write_text("""\
world: planar
materials: {m: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  block: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, pose: {on: floor, at: 0}, force: {x: 100*t}}
run: {motion: quasi-static, step: 10 ms, duration: 1}
""")
    answer = vinci.json("certify", "pulled.yaml", "--at", "0.5", code=1)
    assert not answer["reached"] and answer["exists"] == "none"
    assert answer["time"] == pytest.approx(0.05)  # 100 t > 0.5 * 9.81
    assert "before the time asked for" in vinci("certify", "pulled.yaml", "--at", "0.5", code=1).stdout


def test_dynamic_steps_are_certified_too(vinci):
    answer = vinci.json("certify", SOURCE / "scenes" / "bouncing_ball.yaml")
    assert answer["motion"] == "unique" and answer["proposition_1"] is None
    answer = vinci.json("certify", SOURCE / "scenes" / "stack.yaml", code=1)
    assert answer["motion"] == "locally unique" and answer["loads"] == "several"


@pytest.mark.parametrize("at", ["-1", "nan", "a lot"])
def test_times_that_are_none_are_refused(vinci, at):
    done = vinci("certify", FENCE / "fence.yaml", f"--at={at}", code=2)
    assert "--at" in done.stderr
