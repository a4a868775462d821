# SPDX-License-Identifier: Apache-2.0
"""Places that the tests of the Python package share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# s: a net under what would never end. Nothing is measured by it: a busy machine must not come near.
PATIENCE = 600


@pytest.fixture
def scenes() -> Path:
    return ROOT / "scenes"


@pytest.fixture
def problems() -> Path:
    return ROOT / "problems"


@pytest.fixture
def program() -> str:
    """The program `vinci`."""
    return os.environ["VINCI_PROGRAM"]
