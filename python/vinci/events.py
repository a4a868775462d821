# SPDX-License-Identifier: Apache-2.0
"""Events and modes of event-driven runs as structured arrays with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

_NUMBERS = ("key", "point", "gap", "gap_rate", "force")


def _table(rows: np.ndarray, first: dict[str, np.ndarray], words: Mapping[str, Sequence[str]],
           numbers: tuple[str, ...]) -> np.ndarray:
    """Columns `first`, then the words, then those of the numbers of the rows that are named."""
    texts = {name: np.array(list(values), dtype=str) if values else np.empty(0, "U1")
             for name, values in words.items()}
    fields = [*((name, values.dtype) for name, values in first.items()),
              *((name, values.dtype) for name, values in texts.items()),
              *((name, rows.dtype[name]) for name in numbers)]
    table = np.empty(len(rows), dtype=fields)
    for name, values in {**first, **texts}.items():
        table[name] = values
    for name in numbers:
        table[name] = rows[name]
    return table


def event_table(
    found: tuple[np.ndarray, list[str], list[str], list[str], list[str]],
) -> np.ndarray:
    """Of events: `time` (s), `step`, `subject`, `kind`, `from` and `to` in words, then numbers."""
    rows, subjects, kinds, before, after = found
    words = {"subject": subjects, "kind": kinds, "from": before, "to": after}
    return _table(rows, {"time": rows["time"], "step": rows["step"]}, words,
                  ("state_before", "state", *_NUMBERS))


def mode_table(
    found: tuple[np.ndarray, list[str], list[str]], when: dict[str, np.ndarray]
) -> np.ndarray:
    """Of modes: when, `subject` and `mode` in words, then numbers."""
    rows, subjects, states = found
    return _table(rows, when, {"subject": subjects, "mode": states}, ("state", *_NUMBERS))
