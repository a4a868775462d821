# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, interrupted, continued: nothing that was flushed is ever lost."""
import json
import os
import random
import resource
import signal
import subprocess

import h5py
import numpy
import pytest

from conftest import BLOCK, PATIENCE, stack, wait_for

KILLS = 50
STEPS = 8000
NAME = "tower.yaml"
TIMELESS = ("steps", "inexact_steps", "worst_residual", "worst_residual_step", "worst_penetration",
            "contacts_max", "contacts_sum", "iterations_sum", "energy_first", "energy_last")


@pytest.fixture(scope="module")
def whole(shared):
    """The undisturbed run: its result, and state hash and statistics after each of its steps."""
    shared.scene(stack(duration=STEPS / 1000), NAME)
    before = children_seconds()
    result = shared.json("run", NAME, "-o", "whole.h5", "--flush-interval", "0.01")
    result["seconds"] = children_seconds() - before
    with h5py.File(shared.folder / "whole.h5") as file:
        result["hashes"] = file["frames"]["state_hash"][:]
        result["statistics"] = file["summary"][:]
    return result


def open_with_h5py(path):
    """Opened as any program would, without a repair; every row of every complete frame is read."""
    with h5py.File(path, "r") as file:
        frames = int(file["progress"]["frames"])
        rows = file["frames"][:frames]
        poses = file["poses"][:frames]
        assert len(rows) == frames >= 1
        assert numpy.all(numpy.diff(rows["step"]) == 1) and rows["step"][0] == 0
        assert numpy.all(numpy.isfinite(poses))
        quaternions = numpy.linalg.norm(poses[:, :, 3:], axis=2)
        assert numpy.all(abs(quaternions - 1) < 1e-12)
        end = int(rows["contact_offset"][-1] + rows["contact_rows"][-1])
        assert len(file["contacts"][:end]) == end
        return frames


def children_seconds():
    """Processor time of the programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def used_seconds(process):
    """Processor time of a program that runs."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def killed_after(shared, seconds, *arguments):
    """Runs the program until it has had so much processor time: then a signal ends it that it does
    not catch, wherever it is. A busy machine makes it later, not another moment."""
    process = shared.start(*arguments, "--flush-interval", "0.01", "--quiet",
                           preexec_fn=lambda: signal.setitimer(signal.ITIMER_PROF, seconds))
    assert process.wait(timeout=PATIENCE) in (0, -signal.SIGPROF)


def check_continuation(shared, whole, path, step):
    """Continued to `step`, the run is where the undisturbed one was, and has met the same things."""
    done = shared.json("run", "--resume", path, "--duration", step / 1000)
    assert done["state_hash"] == f"{whole['hashes'][step]:016x}"
    assert open_with_h5py(path) == step + 1
    with h5py.File(path) as file:
        assert numpy.array_equal(file["frames"]["state_hash"], whole["hashes"][:step + 1])
        for name in TIMELESS:
            assert file["summary"][-1][name] == whole["statistics"][step][name], name


def test_killed_at_50_random_moments_opens_and_resumes_to_the_same_hash(shared, whole):
    randomness = random.Random(20240501)
    seen = set()
    for trial in range(KILLS):
        path = shared.folder / f"killed-{trial}.h5"
        moment = whole["seconds"] * randomness.uniform(0.01, 0.5)
        killed_after(shared, moment, "run", NAME, "-o", path)
        if not path.exists():
            continue  # killed before there was anything to keep
        frames = open_with_h5py(path)
        with h5py.File(path, "r", swmr=True) as file:
            assert int(file["progress"]["frames"]) == frames
        info = shared.json("info", path)
        assert info["frames"] == frames and info["step"] == frames - 1
        seen.add(frames)
        to_the_end = trial % 10 == 0
        check_continuation(shared, whole, path, STEPS if to_the_end else min(frames + 99, STEPS))
        path.unlink()
    assert len(seen) > KILLS // 4, "the moments must differ"


def test_killed_again_and_again_ends_at_the_same_hash(shared, whole):
    randomness = random.Random(7)
    path = shared.folder / "often.h5"
    moment = 0.01 * whole["seconds"]
    while not path.exists():
        killed_after(shared, moment, "run", NAME, "-o", path)
        moment *= 1.5
    for _ in range(10):
        moment = whole["seconds"] * randomness.uniform(0.01, 0.12)
        killed_after(shared, moment, "run", "--resume", path)
        frames = open_with_h5py(path)
    check_continuation(shared, whole, path, min(frames + 99, STEPS))


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_cleanly_and_the_run_continues(vinci, kind):
    vinci.scene(stack(duration=500))
    path = vinci.folder / "stopped.h5"
    process = vinci.start("run", "scene.yaml", "-o", path, "--flush-interval", "0.01",
                          stderr=subprocess.PIPE, text=True)
    vinci.wait_for_frames(path, 10)
    process.send_signal(kind)
    message = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 128 + kind
    assert "continue with: vinci run --resume" in message
    info = vinci.json("info", path)
    assert info["finished"] and not info["complete"] and info["step"] > 0
    assert info["standing"].startswith("stopped before its end")
    duration = (info["step"] + 50) / 1000
    resumed = vinci.json("run", "--resume", path, "--duration", duration)
    direct = vinci.json("run", "scene.yaml", "-o", "direct.h5", "--duration", duration)
    assert resumed["state_hash"] == direct["state_hash"]


# A ball that is caught between two walls, which it hits hundreds of thousands of times in a step.
STORM = """\
world: planar
gravity: [0, 0]
bodies:
  ball: {shapes: [{circle: 0.1}], mass: 1, position: [-25, 0], velocity: [10, 0]}
constraints:
  right: {at-least-zero: 1e-5 - ball.x, restitution: 1, time-scale: 1e-6}
  left: {at-least-zero: ball.x + 1e-5, restitution: 1, time-scale: 1e-6, machine: gate, in: shut}
machines:
  gate: {states: [open, shut], final: shut, transitions: [{from: open, to: shut, rises: ball.x}]}
run: {stepper: {name: event-driven, most-events: 1000000000}, step: 1 s, duration: 100 s}
"""


def swinging():
    """A row of stiff springs that is hit at 2.5 s: a step without events, of many small ones."""
    lines = ["world: planar", "gravity: [0, 0]", "bodies:",
             "  ball: {shapes: [{circle: 0.1}], mass: 1, position: [-2.7, 0], velocity: [1, 0]}"]
    lines += [f"  b{i}: {{shapes: [{{circle: 0.1}}], mass: 1, position: [{i}, 0]}}"
              for i in range(12)]
    lines += ["exclude: [[b0, b1]]", "springs:"]
    lines += [f"  s{i}: {{between: [b{i}, b{i + 1}], stiffness: 1e9, length: 1}}"
              for i in range(11)]
    lines.append("run: {stepper: event-driven, step: 1 s, duration: 100 s}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("scene", [STORM, swinging()], ids=["storm", "swinging"])
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_long_step(vinci, scene, kind):
    vinci.scene(scene)
    process = vinci.start("run", "scene.yaml", "-o", "stopped.h5", "--flush-interval", "0",
                          stderr=subprocess.PIPE, text=True)
    vinci.wait_for_frames("stopped.h5", 3)
    cpu = used_seconds(process)
    wait_for(lambda: process.poll() is not None or used_seconds(process) > cpu + 1.0)
    before = children_seconds()
    at_signal = used_seconds(process)
    process.send_signal(kind)
    message = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 128 + kind, message
    # The step would go on for a minute and more.
    assert children_seconds() - before - at_signal < 1.0
    assert "stopped in step 2 of 100; continue with: vinci run --resume" in message
    info = vinci.json("info", "stopped.h5")
    assert info["finished"] and not info["complete"] and info["step"] == 2
    direct = vinci.json("run", "scene.yaml", "-o", "direct.h5", "--duration", "2")
    assert vinci.json("info", "stopped.h5")["state_hash"] == direct["state_hash"]


def test_a_live_run_can_be_read_but_not_written_by_others(vinci):
    vinci.scene(stack(duration=500))
    process = vinci.start("run", "scene.yaml", "-o", "live.h5", "--flush-interval", "0.02",
                          "--output-interval", "0.01")
    path = vinci.folder / "live.h5"
    try:
        vinci.wait_for_frames(path, 2)
        first = vinci.json("info", path)
        assert first["has_writer"] and first["standing"] == "still running"
        vinci.wait_for_frames(path, first["frames"] + 1)
        assert "another run" in vinci("run", "--resume", path, code=2).stderr
        refused = vinci("run", "scene.yaml", "-o", path, "--overwrite", code=1)
        assert "being written by another run" in refused.stderr
        with pytest.raises(OSError):
            h5py.File(path, "r+")
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 130
    assert vinci.json("info", path)["finished"]


def test_resume_extends_the_duration_bit_for_bit(vinci):
    vinci.scene(stack(duration=0.2))
    vinci("run", "scene.yaml", "-o", "short.h5")
    extended = vinci.json("run", "--resume", "short.h5", "--duration", "0.4")
    direct = vinci.json("run", "scene.yaml", "-o", "direct.h5", "--duration", "0.4")
    assert extended["state_hash"] == direct["state_hash"]
    assert extended["total_steps"] == 400 and extended["complete"]


def test_resume_takes_over_parameters_options_and_changes(vinci):
    vinci.scene(BLOCK + "changes: [{at: 0.05, set: {mu: 0.1}}]\n")
    choices = ["--set", "mu=0.6", "--step", "0.5 ms", "--solver", "lemke", "--option",
               "solver.tolerance=1e-11", "--cone", "pyramid"]
    whole = vinci.json("run", "scene.yaml", "-o", "whole.h5", *choices)
    vinci("run", "scene.yaml", "-o", "part.h5", *choices, "--duration", "0.1")
    done = vinci.json("run", "--resume", "part.h5", "--duration", "0.2")
    assert done["state_hash"] == whole["state_hash"]
    options = vinci.json("info", "part.h5")["options"]
    assert options["parameters"]["mu"] == 0.6 and options["run"]["solver"] == "lemke"
    assert options["plugins"]["solver"]["tolerance"] == 1e-11


def test_resume_lets_parameters_follow_those_they_depend_on(vinci):
    scene = BLOCK.replace("mu: 0.5,", "mu: grip/2, grip: 1.0,")
    vinci.scene(scene + "changes: [{at: 0.02, set: {grip: 0.8}}, {at: 0.06, set: {grip: 0.2}}]\n")
    whole = vinci.json("run", "scene.yaml", "-o", "whole.h5", "--set", "grip=1.2")
    vinci("run", "scene.yaml", "-o", "part.h5", "--set", "grip=1.2", "--duration", "0.04")
    done = vinci.json("run", "--resume", "part.h5", "--duration", "0.2")
    assert done["state_hash"] == whole["state_hash"]


def test_resume_takes_over_what_a_run_took_from_parameters(vinci):
    scene = BLOCK.replace("mu: 0.5,", "mu: 0.5, h: 1 ms,").replace("step: 1 ms", "step: h")
    vinci.scene(scene)
    for more in ([], ["--step", "1 ms"]):
        choices = ["--set", "h=0.0005", *more, "--overwrite"]
        whole = vinci.json("run", "scene.yaml", "-o", "whole.h5", *choices)
        assert whole["total_steps"] == (200 if more else 400)
        vinci("run", "scene.yaml", "-o", "part.h5", *choices, "--duration", "0.1")
        done = vinci.json("run", "--resume", "part.h5", "--duration", "0.2")
        assert done["state_hash"] == whole["state_hash"]


def test_resume_refuses_another_scene_or_step_and_says_which(vinci):
    vinci.scene(BLOCK)
    vinci("run", "scene.yaml", "-o", "run.h5", "--duration", "0.05")
    before = (vinci.folder / "run.h5").read_bytes()
    refused = vinci("run", "--resume", "run.h5", "--step", "2 ms", code=2)
    assert "option 'step' is 0.001 in the recording and 0.002 now" in refused.stderr
    refused = vinci("run", "--resume", "run.h5", "--set", "mu=0.1", code=2)
    assert "parameter 'mu' is 0.5 in the recording and 0.1 now" in refused.stderr
    refused = vinci("run", "--resume", "run.h5", "--solver", "lemke", code=2)
    assert "option 'solver'" in refused.stderr
    other = vinci.scene(BLOCK.replace("0.05]", "0.06]"), "other.yaml")
    refused = vinci("run", other, "--resume", "run.h5", code=2)
    assert "the scene is another one" in refused.stderr
    assert (vinci.folder / "run.h5").read_bytes() == before
    vinci("run", "scene.yaml", "--resume", "run.h5", "--duration", "0.1")


def test_a_finished_run_resumes_to_itself(vinci):
    vinci.scene(BLOCK)
    first = vinci.json("run", "scene.yaml", "-o", "run.h5")
    again = vinci.json("run", "--resume", "run.h5")
    assert (again["state_hash"], again["frames"]) == (first["state_hash"], first["frames"])


def test_resume_knows_a_change_within_the_last_step_from_one_made_by_code(vinci):
    vinci.scene(BLOCK + "changes: [{at: 0.1, set: {mu: 0.3}}, {at: 0.1003, set: {mu: 0.1}}]\n")
    whole = vinci.json("run", "scene.yaml", "-o", "whole.h5")
    for duration in ("0.1", "0.101", "0.102"):
        vinci("run", "scene.yaml", "-o", "part.h5", "--duration", duration, "--overwrite")
        done = vinci.json("run", "--resume", "part.h5", "--duration", "0.2")
        assert done["state_hash"] == whole["state_hash"]


@pytest.mark.parametrize("flag", ["--quiet", "--json"])
def test_a_signal_names_the_scenes_that_did_not_begin(vinci, flag):
    for name in ("one", "two", "three"):
        vinci.scene(stack(duration=500), name + ".yaml")
    process = vinci.start("run", "one.yaml", "two.yaml", "three.yaml", "-o", "out", flag,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for((vinci.folder / "out" / "one.h5").exists)
    process.send_signal(signal.SIGINT)
    answer, message = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    if flag == "--json":
        result = json.loads(answer)
        assert not result["ok"] and result["not_begun"] == ["two", "three"]
        assert [run["interrupted"] for run in result["runs"]] == [True]
    else:
        assert message.endswith("stopped before these scenes began: two, three\n")
    assert not (vinci.folder / "out" / "two.h5").exists()
