#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every `ctest ... -R` command of docs/claims.md names tests that exist.

claims.py PAGE CTEST BUILD
"""

import pathlib
import re
import subprocess
import sys

COMMAND = re.compile(r"`ctest --test-dir build -R ('[^']+'|[^`]+)`")


def main():
    page, ctest, build = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    # A bar within a table is written with a backslash.
    names = [name.strip("'").replace("\\|", "|")
             for name in COMMAND.findall(page.read_text(encoding="utf-8"))]
    empty = []
    for name in (part for name in names for part in name.split("|")):
        listed = subprocess.run([ctest, "--test-dir", build, "-N", "-R", name], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        if "Total Tests: 0" in listed:
            empty.append(name)
    for name in empty:
        print(f"{page.name}: no test is called {name}")
    print(f"{page.name}: {len(names)} commands")
    return 1 if empty or not names else 0


if __name__ == "__main__":
    sys.exit(main())
