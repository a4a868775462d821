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
from conftest import PATIENCE


def turns_during(work: Callable[[], object]) -> int:
    """How often a thread of Python gets its turn while the work is done in another."""
    done = threading.Event()

    def run() -> None:
        try:
            work()
        finally:
            done.set()

    thread = threading.Thread(target=run)
    turns = 0
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        turns += 1
    thread.join()
    return turns


def hard() -> vinci.Problem:
    random = np.random.default_rng(1)
    rows = random.standard_normal((300, 100))
    return vinci.Problem.friction(rows @ rows.T, random.standard_normal(300), 0.7)


@pytest.mark.parametrize("what", ["step", "run", "solve"])
def test_the_lock_is_free_during_long_work(what: str, scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "tumbling_parts.yaml", duration=1e3)
    problem = hard()
    work = {
        "step": lambda amount: sim.step(amount),
        "run": lambda amount: sim.run(until=sim.state.time + 1e-3 * amount),
        "solve": lambda amount: vinci.solve(problem, "gauss-seidel", tolerance=0,
                                            max_iterations=amount, polish=False),
    }[what]  # fmt: skip
    # Held all the time, it would be a turn or two before the work begins, however long it is. Free,
    # the turns grow with the work.
    amounts = (100 * 2**k for k in range(8))
    assert any(turns_during(lambda: work(amount)) > 5 for amount in amounts)


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
    inside, go_on = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        inside.set()
        assert go_on.wait(PATIENCE)

    long = vinci.Simulation(scenes / "stack.yaml", controllers=[wait])
    short = vinci.Simulation(scenes / "stack.yaml")
    thread = threading.Thread(target=lambda: long.step(20))
    thread.start()
    assert inside.wait(PATIENCE)
    short.step(100)  # the other one is in its first step
    with pytest.raises(vinci.Error, match="is in the middle of a step"):
        long.step()
    go_on.set()
    thread.join()
    assert long.state.step == 20 and short.state.step == 100


def test_one_simulation_is_not_stepped_by_two_threads(scenes: Path) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        inside.set()
        go_on.wait(PATIENCE)

    sim = vinci.Simulation(scenes / "stack.yaml", controllers=[wait])
    other = vinci.Simulation(scenes / "stack.yaml")
    thread = threading.Thread(target=sim.step)
    thread.start()
    assert inside.wait(PATIENCE)
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
