# SPDX-License-Identifier: Apache-2.0
"""The whole of which test_study_trouble.py runs a part, with the program itself. From the folder of
the sources, some half an hour of processor time:
    VINCI_PROGRAM=build/vinci VINCI_TEST_FAULTS=build/tests/apps/libtest-faults.so \\
      /usr/bin/python3 tests/apps/study_sweep.py [faults | kills]
faults: each of the first 300 calls that write, and all others, fails in every way, once and from
then on, in a new run and in one that resumes. kills: of a study of 20,000 cases workers are killed
200 times, the program 50 times, all of them 20 times. Exit code 1 if one end is wrong."""
import collections
import itertools
import os
import pathlib
import sys
import tempfile

for name in ("VINCI_PROGRAM", "VINCI_TEST_FAULTS"):
    os.environ[name] = os.path.abspath(os.environ[name])

from conftest import Vinci  # noqa: E402: they read these paths
from study_helpers import SCENE, slide, table, write  # noqa: E402
from test_study_trouble import Kills, StudyDisk  # noqa: E402

CALLS = 300
KINDS = {"write": ("space", "io", "short"), "reserve": ("space", "io"), "sync": ("space", "io"),
         "rename": ("space", "io"), "close": ("space", "io")}


def faults(vinci):
    disk = StudyDisk(vinci)
    wrong = 0
    for operation, kinds in KINDS.items():
        for kind, lasts in itertools.product(kinds, (False, True)):
            ends = collections.Counter()
            for resumed in (False, True):
                for at in range(1, CALLS + 1):
                    try:
                        if not disk.fails(operation, at, kind, lasts, resumed):
                            break
                        ends["exit code %d" % disk.code] += 1
                    except (AssertionError, OSError) as error:
                        print("wrong:", operation, at, kind, lasts, resumed, error, flush=True)
                        ends["wrong"] += 1
            wrong += ends["wrong"]
            told = "; ".join(f"{count} {end}" for end, count in sorted(ends.items()))
            print(f"{operation} {kind}{' lasting' if lasts else ''}: {told or 'no such call'}",
                  flush=True)
    return wrong


def kills(vinci):
    write(vinci, slide(20_000), scene=SCENE.replace("0.02 s}", "1.5 s}"))
    vinci("study", "run", "slide.yaml", "-o", "whole", "--quiet")
    sequence = Kills(vinci, seed=1, longest=0.5)
    done = sequence.run(["worker"] * 200 + ["program"] * 50 + ["all"] * 20)
    same = table(vinci) == table(vinci, "whole")
    rows = table(vinci).count(b"\n") - 1
    print(f"{done} kills, {sequence.starts} starts, {rows} rows, "
          f"{'the same bytes' if same else 'OTHER BYTES'}", flush=True)
    return 0 if same and done == 270 else 1


def main():
    wanted = sys.argv[1:] or ["faults", "kills"]
    wrong = 0
    for what in wanted:
        with tempfile.TemporaryDirectory() as folder:
            wrong += {"faults": faults, "kills": kills}[what](Vinci(pathlib.Path(folder)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
