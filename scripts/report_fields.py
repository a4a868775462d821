#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what is said of reports and summaries elsewhere from the tables of the program.

report_fields.py [--check]: python/vinci/_reports.pyi, the types of reports for editors and type
checkers, and the two tables of docs/recording.md. With --check it writes nothing and ends with 1
where a file is not as it would be written. The package `vinci` must be found (PYTHONPATH).
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from vinci import _core

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python" / "vinci" / "_reports.pyi"
PAGE = ROOT / "docs" / "recording.md"

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


def rows(columns: list[tuple[str, dict[str, object]]]) -> str:
    """A table of Markdown: column, unit, what it is."""
    lines = ["| column | unit | what |", "|---|---|---|"]
    lines += [f"| `{name}` | {field['unit']} | {field['text']} |" for name, field in columns]
    return "\n".join(lines)


def page(text: str, tables: dict[str, Fields]) -> str:
    """The page with its tables between their marks."""
    columns = {
        "frames": [(str(field["column"]), field) for field in tables["frame"]],
        "summary": [(name, field) for field in tables["summary"]
                    for name in field["columns"]],  # type: ignore[attr-defined]
    }  # fmt: skip
    for name, wanted in columns.items():
        begin, end = f"<!-- columns of {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, mark, after = rest.partition(end)
        if not mark:
            raise SystemExit(f"{PAGE}: has no marks for the columns of {name}")
        text = f"{before}{begin}\n{rows(wanted)}\n\n{end}{after}"
    return text


def main() -> int:
    tables = _core._report_fields()
    wanted = {STUB: stub(tables), PAGE: page(PAGE.read_text(encoding="utf-8"), tables)}
    stale = [path for path, text in wanted.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]  # fmt: skip
    for path in stale:
        if "--check" not in sys.argv[1:]:
            path.write_text(wanted[path], encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'stale' if '--check' in sys.argv[1:] else 'written'}")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
