#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""labels.py CTEST BUILD SLOW: every test has one of the labels quick and slow and a limit of time
that is a net, not a measure; every line of the file SLOW names a test."""

import fnmatch
import json
import pathlib
import subprocess
import sys

LABELS = {"quick", "slow"}
LEAST_TIMEOUT = 1800  # s


def mistakes(tests, slow):
    """`tests` as CTest lists them, the patterns of the slow ones."""
    for test in tests:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        labels = LABELS.intersection(properties.get("LABELS", []))
        if len(labels) != 1:
            yield f"{test['name']}: has {len(labels)} of the labels quick and slow; accepted: one"
        if properties.get("TIMEOUT", 0) < LEAST_TIMEOUT:
            yield f"{test['name']}: its limit of time is below {LEAST_TIMEOUT} s"
    names = [test["name"] for test in tests]
    for pattern in slow:
        if not fnmatch.filter(names, pattern):
            yield f"slow.txt: {pattern} is no test"
    if not tests:
        yield "there are no tests"


def main():
    ctest, build, slow_file = sys.argv[1:]
    listed = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    tests = json.loads(listed[listed.index("{"):])["tests"]
    lines = pathlib.Path(slow_file).read_text(encoding="utf-8").split("\n")
    slow = [line.split()[0] for line in lines if line and not line.startswith("#")]
    found = list(mistakes(tests, slow))
    print("\n".join(found + [f"{len(tests)} tests, {len(found)} mistakes"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
