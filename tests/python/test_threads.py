# SPDX-License-Identifier: Apache-2.0
"""Long work leaves the interpreter to other threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import numpy as np
import pytest

import vinci


def counted(work: Callable[[], object]) -> tuple[int, float]:
    """How often a thread of Python gets its turn while the work is done in another, and how long
    that takes."""
    done = threading.Event()

    def run() -> None:
        try:
            work()
        finally:
            done.set()

    thread = threading.Thread(target=run)
    start, turns = time.perf_counter(), 0
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        turns += 1
    thread.join()
    return turns, time.perf_counter() - start


def hard() -> vinci.Problem:
    random = np.random.default_rng(1)
    rows = random.standard_normal((300, 100))
    return vinci.Problem.friction(rows @ rows.T, random.standard_normal(300), 0.7)


@pytest.mark.parametrize("what", ["step", "run", "solve"])
def test_the_lock_is_free_during_long_work(what: str, scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "tumbling_parts.yaml", duration=1e3)
    problem = hard()
    work = {
        "step": lambda: sim.step(100),
        "run": lambda: sim.run(until=0.1),
        "solve": lambda: vinci.solve(problem, "gauss-seidel", tolerance=0, time_limit=0.3,
                                     max_iterations=10**7),
    }[what]  # fmt: skip
    turns, seconds = counted(work)
    # Held all the time it would be one turn.
    assert turns > 5 or seconds < 0.02


def test_simulations_in_threads_give_what_they_give_alone(scenes: Path, tmp_path: Path) -> None:
    def job(i: int) -> str:
        sim = vinci.Simulation(scenes / "cup_on_pegs.yaml", duration=0.1)
        return sim.run(record=tmp_path / f"{i}.h5").state_hash

    alone = job(-1)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(job, range(8))) == {alone}
    for i in range(8):
        with vinci.Recording(tmp_path / f"{i}.h5") as recording:
            assert recording.summary.state_hash == alone


def test_a_simulation_steps_while_another_one_does(scenes: Path) -> None:
    long, short = (vinci.Simulation(scenes / "stack.yaml", duration=1e6) for _ in range(2))
    thread = threading.Thread(target=lambda: long.step(20000))  # seconds, in one call
    thread.start()
    short.step(100)
    assert thread.is_alive()
    thread.join()
    assert long.state.step == 20000 and short.state.step == 100


def test_one_simulation_is_not_stepped_by_two_threads(scenes: Path) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        inside.set()
        go_on.wait(30)

    sim = vinci.Simulation(scenes / "stack.yaml", controllers=[wait])
    other = vinci.Simulation(scenes / "stack.yaml")
    thread = threading.Thread(target=sim.step)
    thread.start()
    assert inside.wait(30)
    for ask in (sim.step, lambda: sim.contacts, lambda: sim.model, lambda: sim.finished,
                lambda: sim.set_state(other.state)):  # fmt: skip
        with pytest.raises(vinci.Error, match="is in the middle of a step"):
            ask()
    go_on.set()
    thread.join()
    assert sim.state.step == 1 and len(sim.contacts) == 20


def test_exceptions_in_threads_reach_their_callers(scenes: Path) -> None:
    def fail(*_: object) -> None:
        raise LookupError("lost")

    def job(_: int) -> None:
        vinci.Simulation(scenes / "stack.yaml", controllers=[fail]).run()

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(job, i) for i in range(8)]:
            with pytest.raises(LookupError, match="lost"):
                future.result()
