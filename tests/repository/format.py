#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""format.py ROOT: clang-format would change none of our C++ files (`make format` does it)."""

import pathlib
import shutil
import subprocess
import sys

FOLDERS = ("vinci", "apps", "tests", "examples", "benchmarks", "python")


def main():
    root = pathlib.Path(sys.argv[1])
    # Other versions break lines elsewhere.
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if program is None:
        print("there is no clang-format: scripts/install_packages.sh format")
        return 1
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    files = [str(path) for folder in FOLDERS for ending in ("h", "cpp")
             for path in sorted((root / folder).rglob(f"*.{ending}"))]
    if not files:
        print("there are no C++ files")
        return 1
    done = subprocess.run([program, "--dry-run", "-Werror", *files], capture_output=True, text=True)
    print(done.stderr + f"{len(files)} files, {version.strip()}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
