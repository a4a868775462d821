# SPDX-License-Identifier: Apache-2.0
"""The viewer on a recording of 2,000 bodies and 10,000 steps: pictures a second, and memory.

viewer.py PROGRAM [--quick]: PROGRAM is build/vinci. Makes the recording (2,000 balls that bounce,
every step recorded), serves it with `vinci view`, and plays it in headless Chromium (viewer.mjs):
once as it is, and once with the draw calls of WebGL left out, because without a graphics processor
they are done by the main processor. --quick: 500 balls and 2,000 steps.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import tempfile

import vinci

HERE = pathlib.Path(__file__).resolve().parent


def scene(balls: int, steps: int) -> str:
    """Columns of their own, at heights of their own, so that some touch the floor at any time."""
    bodies = "\n".join(
        f"  ball-{i}: {{shapes: [{{circle: 0.1, material: rubber}}], "
        f"position: [{0.25 * (i % 100):.2f}, {0.5 + 0.5 * (i * 7 % 13) / 13 + 30 * (i // 100):.3f}], "
        f"spin: {i % 5}}}" for i in range(balls))
    floors = "\n".join(
        f"  floor-{k}: {{freedom: fixed, shapes: [{{box: [26, 0.2], material: rubber}}], "
        f"position: [12.4, {30 * k - 0.1:.1f}]}}" for k in range((balls + 99) // 100))
    return f"""title: {balls} balls
world: planar
materials: {{rubber: {{restitution: 0.95, friction: 0.2}}}}
bodies:
{floors}
{bodies}
run: {{step: 1 ms, duration: {steps / 1000} s}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true")
    flags = parser.parse_args()
    balls, steps = (500, 2000) if flags.quick else (2000, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "balls.h5")
        result = vinci.Simulation(vinci.Scene.parse(scene(balls, steps))).run(record=file)
        megabytes = file.stat().st_size / 1e6
        print(f"{balls} bodies, {steps} steps: {megabytes:.0f} MB, computed and recorded in "
              f"{result.wall_seconds:.0f} s")
        server = subprocess.Popen([flags.program, "view", str(file), "--no-browser", "--json"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout
            address = json.loads(server.stdout.readline())["address"]
            subprocess.run(["node", str(HERE / "viewer.mjs"), address], check=True)
            status = pathlib.Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
            peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            print(f"server: at most {int(peak.split()[1]) / 1024:.0f} MB")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


if __name__ == "__main__":
    main()
