#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long the compilation takes, in processor seconds (user and system), without a compiler cache.

measure.py [FOLDER] [--unity OFF] configures FOLDER afresh (build-measure) and prints one line per
step: what `make demo` compiles, what `make test` adds, what the tests compile that build by
themselves, and rebuilds after one source and one header were touched. Half of the processor seconds
is the time on two quiet cores; unlike the time on the clock, it hardly depends on what else runs.
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOUCHED = ["vinci/newton/interior_point.cpp", "vinci/base/math.h", "vinci/complementarity/problem.h"]


def measure(what, *command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "CCACHE_DISABLE": "1"})
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what:48}{seconds:8.0f} s of processors, {end - start:6.0f} s on the clock", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build-measure")
    parser.add_argument("--unity", default="ON", choices=["ON", "OFF"], help="join sources [ON]")
    parser.add_argument("--quick", action="store_true", help="only what make demo compiles")
    given = parser.parse_args()
    folder = str(given.folder)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    measure("configure", "cmake", "-S", str(ROOT), "-B", folder, "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_UNITY_BUILD={given.unity}")
    ninja = ["ninja", "-C", folder]
    measure("make demo: program, page and Python package", *ninja, "vinci", "vinci-python")
    if not given.quick:
        measure("make test: the rest", *ninja)
        measure("determinism: without optimisation", *ninja, "test-determinism")
        measure("fuzz", str(ROOT / "tests/fuzz/run.sh"), folder, "build")
        measure("asan", str(ROOT / "tests/asan/run.sh"), folder, "c++")
    for name in TOUCHED:
        (ROOT / name).touch()
        measure(f"after a change of {name}", *ninja, "vinci", "vinci-python")


if __name__ == "__main__":
    main()
