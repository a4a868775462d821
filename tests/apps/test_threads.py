# SPDX-License-Identifier: Apache-2.0
"""What goes on at the same time: the runs of a comparison, requests to the viewer while a run writes.
`make tsan` runs this file under the thread sanitizer, which ends the program where threads race."""
import concurrent.futures

from conftest import PATIENCE, stack
from view_helpers import serving


def compared(vinci, jobs):
    found = vinci.json("compare", "scene.yaml", "--across", "solver=auto,semismooth-newton,lemke",
                       "stepper=stewart-trinkle,anitescu-potra", "step=1e-3,2e-3",
                       "--duration", "0.05", "--jobs", jobs, "-o", f"runs-{jobs}")
    return [(variant["name"], variant["end"], variant["state_hash"])
            for variant in found["variants"]]


def test_runs_side_by_side_end_as_they_do_one_by_one(vinci):
    vinci.scene(stack(boxes=3))
    alone = compared(vinci, 1)
    assert len(alone) == 12 and len({state for _, _, state in alone}) > 1
    assert compared(vinci, 4) == alone


def test_parallel_requests_are_answered_while_the_run_goes_on(vinci):
    vinci.scene(stack(boxes=3, duration=1e5))
    run = vinci.start("run", "scene.yaml", "-o", "live.h5", "--flush-interval", "0.02")
    try:
        vinci.wait_for_frames("live.h5", 2)
        with serving(vinci.folder, "live.h5") as server:
            def ask(i):
                if i % 2:
                    return server.json("api/runs/0")["frames"]
                return server.frames("first=0&count=5")[0][2]

            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(ask, range(80)))
            assert min(answers) >= 2
            assert server.stop() == 0
        assert run.poll() is None, "the run must last as long as the requests"
    finally:
        run.terminate()
        assert run.wait(PATIENCE) == 143
