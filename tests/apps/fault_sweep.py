# SPDX-License-Identifier: Apache-2.0
"""The whole sweep of which test_faults.py runs a part: every call of every kind, from the first to the
300th, fails in every way, once and from then on, in a new run and in one that resumes. From the
folder of the sources, some 20 minutes of processor time:
    VINCI_PROGRAM=build/vinci VINCI_TEST_FAULTS=build/tests/apps/libtest-faults.so \\
      /usr/bin/python3 tests/apps/fault_sweep.py
It prints the ends of the runs and what is there afterwards; exit code 1 if one end is wrong."""
import collections
import itertools
import os
import pathlib
import sys
import tempfile

for name in ("VINCI_PROGRAM", "VINCI_TEST_FAULTS"):
    os.environ[name] = os.path.abspath(os.environ[name])

from conftest import Vinci  # noqa: E402: they read these paths
from test_faults import CALLS, Disk  # noqa: E402

# Torn and then nothing more is left out: nobody can put the block back.
KINDS = {"write": ("space", "io", "short", "torn"), "reserve": ("space", "io"),
         "sync": ("space", "io"), "rename": ("space", "io"), "close": ("space", "io")}


def end_of(disk, operation, at, **how):
    """In words; None if there were not so many calls."""
    try:
        if not disk.fails(operation, at, **how):
            return None
    except (AssertionError, OSError) as error:
        print("wrong:", operation, at, how, error, flush=True)
        return "wrong"
    end = "message and exit code 1" if disk.code == 1 else "made good, exit code 0"
    return end + (", a file that continues" if disk.path.exists() else ", no file")


def main():
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Vinci(pathlib.Path(folder)))
        wrong = 0
        for operation, kinds in KINDS.items():
            for kind, lasts in itertools.product(kinds, (False, True)):
                if kind == "torn" and lasts:
                    continue
                ends = collections.Counter()
                for resumed in (False, True):
                    for at in range(1, CALLS + 1):
                        end = end_of(disk, operation, at, kind=kind, lasts=lasts, resumed=resumed)
                        if end is None:
                            break
                        ends[end] += 1
                wrong += ends["wrong"]
                told = "; ".join(f"{count} {end}" for end, count in sorted(ends.items()))
                print(f"{operation} {kind}{' lasting' if lasts else ''}: {told or 'no such call'}",
                      flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
