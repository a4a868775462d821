# SPDX-License-Identifier: Apache-2.0
"""run: what it computes, prints, writes, and how it fails."""
import json
import math
import os
import pty
import resource
import select
import signal
import subprocess

import h5py
import numpy
import pytest

from conftest import BLOCK, PATIENCE, PROGRAM, SOURCE, stack

SUMMARY_KEYS = {"ok", "exit_code", "scene", "title", "recording", "frames", "step", "total_steps",
                "time", "step_size", "accept", "complete", "interrupted", "real_time_factor",
                "steps", "inexact_steps", "worst_residual", "worst_residual_step",
                "worst_penetration", "contacts_max", "contacts_mean", "iterations_mean",
                "energy_first", "energy_last", "wall_seconds", "stage_seconds", "diverged",
                "state_hash"}


def test_the_block_slides_v2_over_2_mu_g(vinci):
    vinci.scene(BLOCK)
    result = vinci.json("run", "scene.yaml")
    assert SUMMARY_KEYS <= result.keys()
    assert result["ok"] and result["complete"] and result["steps"] == 200
    assert result["inexact_steps"] == 0 and result["contacts_max"] == 2
    assert result["recording"] == "runs/scene.h5"
    block = vinci.json("info", "runs/scene.h5")["bodies"][1]
    # Backward Euler stops within v h = 0.5 mm of v²/(2 μ g).
    assert abs(block["position"][0] - 0.25 / (2 * 0.5 * 9.81)) < 5e-4
    # All kinetic energy, m v²/2 with m = 0.2 kg, has gone.
    assert abs(result["energy_first"] - result["energy_last"] - 0.025) < 1e-12


def test_two_runs_have_the_same_hash_and_a_parameter_changes_it(vinci):
    vinci.scene(BLOCK)
    hashes = [vinci.json("run", "scene.yaml", "-o", f"{i}.h5")["state_hash"] for i in range(2)]
    assert hashes[0] == hashes[1]
    other = vinci.json("run", "scene.yaml", "-o", "other.h5", "--set", "mu=0.4")
    assert other["state_hash"] != hashes[0]


def test_an_existing_recording_is_kept_unless_told(vinci):
    vinci.scene(BLOCK)
    vinci("run", "scene.yaml")
    before = (vinci.folder / "runs/scene.h5").read_bytes()
    refused = vinci("run", "scene.yaml", code=2)
    assert "runs/scene.h5: exists already; give --overwrite" in refused.stderr
    assert (vinci.folder / "runs/scene.h5").read_bytes() == before
    vinci("run", "scene.yaml", "--overwrite", "--set", "mu=0.4")
    assert vinci.json("info", "runs/scene.h5")["options"]["parameters"]["mu"] == 0.4
    assert sorted(os.listdir(vinci.folder / "runs")) == ["scene.h5"]


def test_output_interval_thins_the_frames_not_the_statistics(vinci):
    vinci.scene(BLOCK)
    every = vinci.json("run", "scene.yaml", "-o", "every.h5")
    some = vinci.json("run", "scene.yaml", "-o", "some.h5", "--output-interval", "30 ms")
    assert some["frames"] == 8  # steps 0, 30, ..., 180 and the last one
    for key in ("steps", "worst_residual", "worst_residual_step", "contacts_mean", "state_hash",
                "iterations_mean"):
        assert some[key] == every[key]
    with h5py.File(vinci.folder / "some.h5") as file:
        assert list(file["frames"]["step"]) == [0, 30, 60, 90, 120, 150, 180, 200]


def test_several_scenes_close_with_one_table(vinci):
    scenes = [SOURCE / "scenes" / f"{name}.yaml" for name in ("sliding_block", "sphere_rolling")]
    done = vinci("run", *scenes, "--table", "--output", "out", "--overwrite")
    assert not done.stderr
    lines = done.stdout.splitlines()
    assert lines[1].split()[:2] == ["scene", "steps"] and max(map(len, lines)) <= 80
    assert lines[2].startswith("sliding_block") and lines[3].startswith("sphere_rolling")
    assert sorted(os.listdir(vinci.folder / "out")) == ["sliding_block.h5", "sphere_rolling.h5"]
    answer = vinci.json("run", *scenes, "--output", "out", "--overwrite")
    assert [run["scene"] for run in answer["runs"]] == ["sliding_block", "sphere_rolling"]


def test_one_bad_scene_stops_all_before_they_start(vinci):
    vinci.scene(BLOCK, "good.yaml")
    vinci.scene(BLOCK.replace("box:", "bx:"), "bad.yaml")
    assert "bad.yaml:9: " in vinci("run", "good.yaml", "bad.yaml", code=2).stderr
    assert vinci.json("run", "good.yaml", "bad.yaml", code=2)["errors"][0]["line"] == 9
    assert not list(vinci.folder.glob("runs/*"))


def test_profile_adds_up(vinci):
    vinci.scene(BLOCK)
    rows = [line.split() for line in vinci("run", "scene.yaml", "--profile").stdout.splitlines()]
    table = {row[0]: row for row in rows if row and row[-1].endswith("%")}
    assert list(table) == ["detect", "formulate", "solve", "advance", "recording", "all"]
    parts = sum(float(table[name][1]) for name in list(table)[:-1])
    assert parts == pytest.approx(float(table["all"][1]), abs=1e-5)


@pytest.mark.parametrize("rule, steps", [("every 50", [50, 100, 150, 200]), ("step 12, 40", [12, 40]),
                                         ("worst", None)])
def test_problems_are_dumped_by_rule(vinci, rule, steps):
    vinci.scene(BLOCK)
    result = vinci.json("run", "scene.yaml", "--dump-problems", rule, "--dump-dir", "problems")
    steps = steps or [result["worst_residual_step"]]
    names = [f"scene-step-{step:06}.h5" for step in steps]
    assert sorted(os.listdir(vinci.folder / "problems")) == names
    for name in names:
        with h5py.File(vinci.folder / "problems" / name) as file:
            assert len(file) > 0


@pytest.mark.parametrize("rule", ["often", "every", "every 0", "every x", "step", "step 1,,2",
                                  "step -3", "worst 3"])
def test_a_dump_rule_that_is_none_is_refused(vinci, rule):
    vinci.scene(BLOCK)
    message = vinci("run", "scene.yaml", "--dump-problems", rule, code=2).stderr
    assert message.startswith("--dump-problems: ")


def test_quiet_is_quiet_and_pipes_get_no_bar(vinci):
    vinci.scene(BLOCK)
    done = vinci("run", "scene.yaml", "--quiet")
    assert not done.stdout and not done.stderr
    vinci.scene(stack(duration=2.0), "tower.yaml")
    done = vinci("run", "tower.yaml")
    assert not done.stderr and "\r" not in done.stdout and "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_terminal_gets_a_bar_that_is_wiped_at_the_end(vinci):
    vinci.scene(stack(duration=1000), "tower.yaml")
    ours, theirs = pty.openpty()
    process = vinci.start("run", "tower.yaml", "--output-interval", "1", stderr=theirs,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    os.close(theirs)
    shown = b""
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        try:
            shown += os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if shown.count(b"\r") == 4:
            process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    text = shown.decode()
    for word in ("tower", "%", "/1000000 steps", " s, ", "/s, ", " left", "\u2500"):
        assert word in text
    bar, rest = text.rsplit("\r\x1b[K", 1)
    assert rest.startswith("stopped in step ")
    assert all(len(line) <= 80 + len("\x1b[K") for line in bar.split("\r"))


def test_a_diverging_run_fails_with_its_step_and_body(vinci):
    vinci.scene(BLOCK.replace("    velocity: [speed, 0]", "    force: {x: exp(1000*t*t*t*1e6)}"))
    done = vinci("run", "scene.yaml", code=1)
    assert "the run diverged in step" in done.stderr and "body 'block'" in done.stderr
    info = vinci.json("info", "runs/scene.h5")
    assert info["diverged"] and info["diverged_body"] == "block"
    assert "diverged" in vinci("run", "--resume", "runs/scene.h5", code=2).stderr


@pytest.mark.parametrize("force", ["exp(1000*t*t*t*1e6)", "sqrt(0.05-t)", "1e300", "1/(0.1-t)^200"])
def test_the_recording_of_a_run_that_diverged_holds_no_number_that_is_not_finite(vinci, force):
    """With 1e300 N all numbers are finite, but not the energy."""
    vinci.scene(BLOCK.replace("    velocity: [speed, 0]", f"    force: {{x: {force}}}"))
    assert "the run diverged in step" in vinci("run", "scene.yaml", "-o", "run.h5", code=1).stderr
    assert vinci.json("info", "run.h5")["diverged_body"] == "block"
    with h5py.File(vinci.folder / "run.h5") as file:
        for name in ("poses", "velocities", "contacts", "memory", "frames"):
            rows = file[name][:]
            for column in rows.dtype.names or [None]:
                numbers = rows[column] if column else rows
                if numbers.dtype.kind == "f":
                    assert numpy.all(numpy.isfinite(numbers)), (name, column)


WEDGED = """\
world: planar
bodies:
  left: {freedom: fixed, shapes: [{half-plane: {point: [-0.1, 0], normal: [1, 0]}}]}
  right: {freedom: fixed, shapes: [{half-plane: {point: [0.0999, 0], normal: [-1, 0]}}]}
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  box: {shapes: [{box: [0.2, 0.2]}], position: [0, 0.1]}
run: {step: 1 ms, duration: 10 ms, stepper: {name: stewart-trinkle, overlap: velocities}}
"""


def test_steps_without_a_solution_are_counted(vinci):
    vinci.scene(WEDGED)
    result = vinci.json("run", "scene.yaml")
    assert result["fallback_steps"] == 10 and result["inexact_steps"] == 0
    assert "fallback        10 steps had no solution" in vinci(
        "run", "scene.yaml", "--overwrite").stdout
    with h5py.File(vinci.folder / "runs/scene.h5") as run:
        assert list(run["frames"]["fell_back"]) == [0] + 10 * [1]


def test_a_run_without_equilibrium_ends_with_words(vinci):
    vinci.scene(BLOCK.replace("velocity: [speed, 0]", "force: {x: 20}"))
    failed = vinci("run", "scene.yaml", "--motion", "quasi-static", code=1)
    assert "scene: the run ended in step 1: no equilibrium: 'block' needs " in failed.stderr
    assert "ended in step 1" in vinci("info", "runs/scene.h5").stdout
    refused = vinci("run", "--resume", "runs/scene.h5", code=None)
    assert refused.returncode != 0 and "the run ended in step 1" in refused.stderr


SLOPE = """\
world: planar
gravity: [0, -9.81]
parameters: {mu: 0.45, excess: 1.003}
materials: {w: {friction: mu}}
bodies:
  slope: {freedom: fixed, shapes: [{half-plane: {angle: atan(excess*mu)}, material: w}]}
  block: {shapes: [{box: [0.2, 0.1], material: w}], mass: 2, pose: {on: slope, at: 0}}
run: {step: 1 ms, duration: 0.2 s, motion: quasi-static}
"""


def test_a_block_past_its_friction_angle_slid_2285_km_in_silence(vinci):
    vinci.scene(SLOPE)
    # The least force that would hold it: m g sin of the angle beyond that of friction.
    missing = 2 * 9.81 * math.sin(math.atan(1.003 * 0.45) - math.atan(0.45))
    words = f"no equilibrium: 'block' needs {missing:.4g} N more along (1, 0.0011"
    failed = vinci("run", "scene.yaml", code=1)
    assert f"scene: the run ended in step 1: {words}" in failed.stderr
    assert words in vinci("info", "runs/scene.h5").stdout.replace("\n", " ")
    told = json.loads(vinci("run", "scene.yaml", "--overwrite", "--json", code=1).stdout)
    assert told["unbalanced_body"] == "block" and told["ending"].startswith(words)
    assert abs(told["missing_force"] - missing) < 1e-9 and told["missing_torque"] < 1e-9
    held = vinci.json("run", "scene.yaml", "--overwrite", "--set", "excess=0.998")
    assert held["complete"] and held["ending"] == "" and held["unbalanced_body"] == ""
    assert held["energy_first"] == held["energy_last"] and held["free_steps"] == 0


def test_a_motion_that_is_not_unique_is_the_least_one_and_said(vinci):
    vinci.scene("""\
world: planar
gravity: [0, 0]
bodies:
  fence: {shapes: [{half-plane: {normal: [1, 0]}}], motion: {x: 0.1*t, y: 0, angle: 0}}
  puck: {shapes: [{circle: 0.125}], position: [0.125, 0]}
run: {motion: quasi-static, step: 10 ms, duration: 0.1}
""")
    result = vinci.json("run", "scene.yaml")
    assert result["free_steps"] == 10 and result["free_body"] == "puck"
    assert "not unique      the motion of 10 steps: nothing holds 'puck'" in vinci(
        "run", "scene.yaml", "--overwrite").stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_a_failure_with_its_path(vinci):
    vinci.scene(BLOCK)
    locked = vinci.folder / "locked"
    locked.mkdir(mode=0o500)
    message = vinci("run", "scene.yaml", "-o", "locked/run.h5", code=1).stderr
    assert message.startswith("locked/run.h5: cannot be created: ")


def test_a_path_that_cannot_be_is_a_failure_with_its_name(vinci):
    vinci.scene(BLOCK)
    (vinci.folder / "file").write_text("")
    message = vinci("run", "scene.yaml", "-o", "file/run.h5", code=1).stderr
    assert message.startswith("file: cannot be created: ")
    message = vinci("run", "scene.yaml", "-o", "/proc/run.h5", code=1).stderr
    assert message.startswith("/proc/run.h5: cannot be created: ")


@pytest.mark.parametrize("limit", [2_000, 40_000, 1_500_000])
def test_a_full_disk_is_a_failure_and_what_was_flushed_stays(vinci, limit):
    """The limit on the size of files stands for the end of the disk."""
    vinci.scene(stack(duration=20))
    done = subprocess.run(
        [PROGRAM, "run", "scene.yaml", "-o", "run.h5", "--flush-interval", "0.02"],
        cwd=vinci.folder, capture_output=True, text=True, timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.returncode == 1, done
    assert done.stderr.startswith("run.h5: cannot "), done.stderr
    assert not list(vinci.folder.glob("*.partial*"))
    if (vinci.folder / "run.h5").exists():
        info = vinci.json("info", "run.h5")
        with h5py.File(vinci.folder / "run.h5", "r") as file:
            assert int(file["progress"]["frames"]) == info["frames"]
        duration = info["time"] + 0.01
        resumed = vinci.json("run", "--resume", "run.h5", "--duration", duration)
        direct = vinci.json("run", "scene.yaml", "-o", "direct.h5", "--duration", duration)
        assert resumed["state_hash"] == direct["state_hash"]
    else:
        assert limit < 1_000_000


def test_a_recording_is_not_continued_to_an_earlier_end(vinci):
    vinci("run", vinci.scene(BLOCK), "-o", "run.h5")
    errors = vinci("run", "--resume", "run.h5", "--duration", "0.1", code=2).stderr
    assert "--duration" in errors and "200 steps already" in errors
