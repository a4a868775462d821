# SPDX-License-Identifier: Apache-2.0
"""What a step costs from Python over the same step from C++: one box and 500 boxes at rest.

step.py PROGRAM [--quick]: PROGRAM is benchmark-python-step. The three ways take turns in short
blocks: a loop in Python that calls step(), step(n) from Python (the loop is in C++) on the same
simulation, so that memory lies the same, and the C++ program with its own. The figure is
the median of the differences of neighbouring blocks, with the middle half of them. CPU time, so that
other work on the machine counts little.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import vinci

BOX = "{{shapes: [{{box: [0.1, 0.1], material: wood}}], position: [{x:.2f}, 0.05]}}"


def scene(boxes: int) -> str:
    bodies = "\n".join(f"  box-{i}: " + BOX.format(x=0.2 * i) for i in range(boxes))
    return f"""world: planar
materials: {{wood: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: wood}}]}}
{bodies}
run: {{step: 1 ms, duration: 1000000 s}}
"""


class Program:
    """The C++ side, which takes steps when it is told to."""

    def __init__(self, program: str, file: pathlib.Path) -> None:
        self.process = subprocess.Popen([program, str(file)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    def __call__(self, steps: int) -> float:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{steps}\n")
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def loop(simulation: vinci.Simulation, steps: int) -> float:
    step = simulation.step
    start = time.process_time()
    for _ in range(steps):
        report = step()
    seconds = time.process_time() - start
    assert report.status == "solved"
    return seconds


def at_once(simulation: vinci.Simulation, steps: int) -> float:
    start = time.process_time()
    simulation.step(steps)
    return time.process_time() - start


def quartiles(values: list[float]) -> tuple[float, float, float]:
    low, middle, high = statistics.quantiles(values, n=4)
    return low, middle, high


def measure(boxes: int, program: str, steps: int, blocks: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "boxes.yaml")
        file.write_text(scene(boxes), encoding="utf-8")
        cpp = Program(program, file)
        simulation = vinci.Simulation(file)
        ways = (lambda: loop(simulation, steps), lambda: at_once(simulation, steps),
                lambda: cpp(steps))
        for way in ways:
            way()  # settles
        rows = []
        for block in range(blocks):  # in turning order, so that none is always after the same one
            taken = [0.0, 0.0, 0.0]
            for index in (block % 3, (block + 1) % 3, (block + 2) % 3):
                taken[index] = ways[index]()
            rows.append(taken)
        cpp.close()
    micro = 1e6 / steps
    in_python, in_cpp = (statistics.median(row[i] for row in rows) * micro for i in (0, 2))
    for name, index in (("over step(n), the loop in C++", 1), ("over the C++ program", 2)):
        low, middle, high = quartiles([(row[0] - row[index]) * micro for row in rows])
        print(f"{boxes:5} boxes  {in_python:9.2f} us a step from Python, {in_cpp:9.2f} us from C++;"
              f"  {name}: {middle:+7.2f} us (middle half {low:+.2f} .. {high:+.2f}),"
              f" ratio {in_python / in_cpp:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true")
    flags = parser.parse_args()
    blocks = 20 if flags.quick else 100
    measure(1, flags.program, 2000, blocks)
    measure(500, flags.program, 50, blocks)


if __name__ == "__main__":
    main()
