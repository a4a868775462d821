#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what is said of reports and summaries elsewhere from the tables of the program.

report_fields.py [--check]: python/vinci/_reports.pyi, the types of reports for editors and type
checkers, and the tables of docs/recording.md and docs/json.md. With --check it writes nothing and
ends with 1 if a file is not as it would be written. The package `vinci` must be found (PYTHONPATH).
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from vinci import _core

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python" / "vinci" / "_reports.pyi"
RECORDING = ROOT / "docs" / "recording.md"
JSON = ROOT / "docs" / "json.md"

Fields = list[dict[str, object]]


def comment(field: dict[str, object]) -> str:
    return str(field["text"]) + (f" {field['unit']}." if field["unit"] else "")


def stub(tables: dict[str, Fields]) -> str:
    """Classes with the fields of the tables."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by scripts/report_fields.py from the tables of the program; not to be edited.",
        "from dataclasses import dataclass",
        "",
        "class StepReport:",
    ]
    for field in tables["step"]:
        lines += ["    @property", f"    def {field['name']}(self) -> {field['type']}: ..."]
    for name, table in (("FrameInfo", "frame"), ("RunSummary", "summary")):
        lines += ["", "@dataclass(frozen=True)", f"class {name}:"]
        for field in tables[table]:
            lines += textwrap.wrap(comment(field), 92, initial_indent="    #: ",
                                   subsequent_indent="    #: ")
            lines.append(f"    {field['name']}: {field['type']}")
    return "\n".join(lines) + "\n"


def rows(head: str, named: list[tuple[str, dict[str, object]]]) -> str:
    """A table of Markdown."""
    lines = [f"| {head} | unit | what |", "|---|---|---|"]
    lines += [f"| `{name}` | {field['unit']} | {field['text']} |" for name, field in named]
    return "\n".join(lines)


def with_table(path: Path, mark: str, table: str) -> str:
    """A page with a table between its marks."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark.split()[-1]} -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{path}: has no place for the {mark}")
    return f"{before}{begin}\n{table}\n\n{end}{after}"


def update(check: bool) -> list[str]:
    """Names of the files that are not as the tables have it; unless `check`, written anew."""
    tables = _core._report_fields()
    frames = [(str(field["column"]), field) for field in tables["frame"]]
    summary = [(name, field) for field in tables["summary"] for name in field["columns"]]
    keys = [(str(field["name"]), field) for field in tables["summary"]]
    stale = []
    for path, make in (
        (STUB, lambda: stub(tables)),
        (RECORDING, lambda: with_table(RECORDING, "columns of frames", rows("column", frames))),
        (RECORDING, lambda: with_table(RECORDING, "columns of summary", rows("column", summary))),
        (JSON, lambda: with_table(JSON, "keys of summary", rows("key", keys))),
    ):
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(text, encoding="utf-8")
    return stale


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = update(check)
    for name in stale:
        print(f"{name}: {'not as the tables have it' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
