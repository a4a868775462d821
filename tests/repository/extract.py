#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the examples out of a Markdown page, so that the tests run what the reader reads.

extract.py PAGE FOLDER: every fenced block right after a line `<!-- file: NAME -->` becomes
FOLDER/NAME. A file keeps its time stamp if its text did not change.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^<!-- file: ([\w.-]+) -->\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    if len(blocks) != text.count("<!-- file:"):
        print(f"{page}: a '<!-- file: NAME -->' line without its fenced block", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in blocks:
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != content:
            file.write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
