# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, in processes of their own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vinci
from conftest import PATIENCE

# From the signal to its end a process takes about as much processor time as it took to start: a
# twentieth of that is the wait for the next look, the rest the closing of a file. Runs that are not
# stopped take minutes: five times as much leaves room for a crowded machine. With sanitizers our code
# takes some ten times as long, and Python, which takes most of the start, as long as ever.
SHARE = 20.0 if os.environ.get("VINCI_SANITIZED") else 5.0


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """Processor time that a running process has had."""
    stat = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8")
    user, system = stat.rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    """Processor time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def interrupted(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs the code, sends SIGINT when it has worked on for a while after it printed "ready"."""
    before = children_seconds()
    child = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout and child.stdout.readline() == "ready\n", child.communicate()
    start = cpu_seconds(child)
    while cpu_seconds(child) < start + 0.5:
        time.sleep(0.01)
        assert child.poll() is None, child.communicate()
    at_signal = cpu_seconds(child)
    child.send_signal(signal.SIGINT)
    printed, errors = child.communicate(timeout=PATIENCE)
    taken = children_seconds() - before - at_signal
    assert taken < SHARE * start, f"{taken} s, {start} s to start\n{errors}"
    return subprocess.CompletedProcess(child.args, child.returncode, printed, errors)


RUN = """
import sys, vinci
sim = vinci.Simulation(sys.argv[1], duration=1e6, step=1e-3)
print("ready", flush=True)
try:
    sim.run(record=sys.argv[2], {more})
except KeyboardInterrupt:
    print(sim.state.step, sim.state.hash)
    raise
"""


@pytest.mark.parametrize("more", ["", "progress=True", "callback=lambda sim: None"])
def test_a_run_ends_at_a_whole_step_and_its_recording_opens(
    more: str, scenes: Path, tmp_path: Path
) -> None:
    ended = interrupted(RUN.format(more=more), scenes / "stack.yaml", tmp_path / "run.h5")
    assert ended.returncode == -signal.SIGINT or ended.returncode == 130
    assert "KeyboardInterrupt" in ended.stderr
    step, state_hash = ended.stdout.split()
    with vinci.Recording(tmp_path / "run.h5") as recording:
        assert recording.finished and int(step) > 10
        assert recording.info(-1).step == int(step)
        assert recording.summary.state_hash == state_hash


def test_many_steps_at_once_end(scenes: Path) -> None:
    code = (
        "import sys, vinci\n"
        "sim = vinci.Simulation(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "sim.step(10**9)\n"
    )
    ended = interrupted(code, scenes / "stack.yaml")
    assert ended.returncode != 0 and "KeyboardInterrupt" in ended.stderr


HARD = """
import sys, numpy as np, vinci
random = np.random.default_rng(1)
n = 300
J = random.standard_normal((3 * n, 200))
W = J @ J.T
problem = vinci.Problem.friction(W, random.standard_normal(3 * n), 0.7)
print("ready", flush=True)
"""


@pytest.mark.parametrize("solver", ["auto", "gauss-seidel", "admm"])
def test_a_solve_ends(solver: str) -> None:
    code = HARD + (
        f"while True: vinci.solve(problem, '{solver}', tolerance=0, max_iterations=10**8)\n"
    )
    ended = interrupted(code)
    assert ended.returncode != 0 and "KeyboardInterrupt" in ended.stderr


def test_a_long_solve_inside_of_a_step_ends_and_the_step_is_not_done() -> None:
    code = """
import vinci
bodies = {"floor": {"freedom": "fixed", "shapes": [{"half-plane": {}, "material": "m"}]}}
for i in range(20):
    for j in range(20):
        bodies[f"box-{i}-{j}"] = {"shapes": [{"box": [0.1, 0.1], "material": "m"}],
                                  "position": [0.1 * i + 0.05 * (j % 2), 0.05 + 0.1 * j]}
wall = {"world": "planar", "materials": {"m": {"friction": 0.5}}, "bodies": bodies}
sim = vinci.Simulation(wall, solver="gauss-seidel",
                       options={"solver.tolerance": 0, "solver.max-iterations": 10**8,
                                "solver.polish": False})
start = sim.state.copy()
print("ready", flush=True)
try:
    sim.step()
except KeyboardInterrupt:
    print(sim.state == start)
    raise
"""
    ended = interrupted(code)
    assert "KeyboardInterrupt" in ended.stderr and ended.stdout.strip() == "True"


def test_a_long_step_from_event_to_event_ends_and_is_not_done() -> None:
    code = """
import vinci
walls = {"restitution": 1, "time-scale": 1e-6}
sim = vinci.Simulation({
    "world": "planar", "gravity": [0, 0],
    "bodies": {"ball": {"shapes": [{"circle": 0.1}], "mass": 1, "velocity": [10, 0]}},
    "constraints": {"right": {"at-least-zero": "1e-5 - ball.x", **walls},
                    "left": {"at-least-zero": "ball.x + 1e-5", **walls}},
}, stepper="event-driven", step=10, options={"stepper.most-events": 10**9})
start = sim.state.copy()
print("ready", flush=True)
try:
    sim.run(10)
except KeyboardInterrupt:
    print(sim.state == start)
    raise
"""
    ended = interrupted(code)
    assert "KeyboardInterrupt" in ended.stderr and ended.stdout.strip() == "True"


def test_a_search_for_all_solutions_ends() -> None:
    code = (
        "import numpy as np, vinci\n"
        "print('ready', flush=True)\n"
        "vinci.all_solutions(vinci.Problem.lcp(-np.eye(20), np.ones(20)))\n"
    )
    ended = interrupted(code)
    assert ended.returncode != 0 and "KeyboardInterrupt" in ended.stderr


def test_code_written_in_python_ends_too(scenes: Path) -> None:
    code = """
import sys, vinci
class Slow(vinci.Controller):
    def act(self, model, state, h, forces, memory):
        sum(range(1000))
sim = vinci.Simulation(sys.argv[1], controllers=[Slow()], duration=1e6)
print("ready", flush=True)
sim.run()
"""
    ended = interrupted(code, scenes / "stack.yaml")
    assert ended.returncode != 0 and "KeyboardInterrupt" in ended.stderr
