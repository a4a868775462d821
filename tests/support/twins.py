#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program and its Python twin, each in a folder of its own; both must print the same.

twins.py PROGRAM SCRIPT
"""

import difflib
import subprocess
import sys
import tempfile


def printed(command):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=folder, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()


def main():
    program, script = sys.argv[1:]
    ours, twins = printed([program]), printed([sys.executable, "-B", script])
    for line in difflib.unified_diff(ours, twins, program, script, lineterm=""):
        print(line)
    return 0 if ours and ours == twins else 1


if __name__ == "__main__":
    sys.exit(main())
