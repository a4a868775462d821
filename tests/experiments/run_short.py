# SPDX-License-Identifier: Apache-2.0
"""run_short.py SCRIPT FOLDER: the short form of an experiment ends well, and leaves a table whose
rows are filled and a figure that is a picture. What its numbers must be, the script itself asserts.
"""

import json
import pathlib
import shutil
import subprocess
import sys

script, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
subprocess.run([sys.executable, "-B", str(script), "--short", "--jobs", "1", "--output",
                str(folder)], check=True)
table = json.loads((folder / "table.json").read_text(encoding="utf-8"))
assert table["short"] and table["experiment"] == script.stem, table
assert table["rows"], "the table is empty"
for row in table["rows"]:
    assert row["quantity"] and row["paper"] and row["ours"], row
figure = (folder / f"{script.stem}.png").read_bytes()
assert figure.startswith(b"\x89PNG") and len(figure) > 10000, "the figure is no picture"
