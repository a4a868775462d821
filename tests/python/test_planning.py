# SPDX-License-Identifier: Apache-2.0
"""vinci.plan: the geometric model from Python."""

from pathlib import Path

import numpy as np
import pytest

import vinci
from conftest import ROOT

SLOT = ROOT / "scenes" / "slot.yaml"


def test_a_path_is_an_array_of_poses(tmp_path: Path) -> None:
    passage = vinci.plan(SLOT, "square", {"y": (None, -0.1), "angle": 0.5},
                         start={"angle": 0.0}, record=tmp_path / "path.h5")  # fmt: skip
    assert passage.found and passage.recording == tmp_path / "path.h5"
    assert passage.path.shape[1] == 3
    np.testing.assert_allclose(passage.path[0], [0.1, 0.15, 0.0], atol=1e-15)
    assert passage.path[-1, 1] <= -0.1 and passage.path[-1, 2] == pytest.approx(0.5, abs=1e-12)
    run = vinci.Recording(tmp_path / "path.h5")
    np.testing.assert_allclose(run.body("square").position[-1, :2], passage.path[-1, :2], atol=1e-15)


def test_same_seed_same_path_another_seed_another_one() -> None:
    paths = [vinci.plan(SLOT, "square", {"y": (None, -0.1)}, seed=seed).path for seed in (1, 1, 2)]
    assert np.array_equal(paths[0], paths[1])
    assert not np.array_equal(paths[0], paths[2])


def test_parameters_decide() -> None:
    passage = vinci.plan(SLOT, "square", {"y": (None, -0.1)}, parameters={"slot": 0.05})
    assert passage.status == "impossible" and not passage.found
    assert passage.path.size == 0 and passage.recording is None


@pytest.mark.parametrize("arguments, message", [
    ({"body": "circle", "goal": {"y": 0}}, "body: there is no body 'circle'"),
    ({"body": "wall", "goal": {"y": 0}}, "body: 'wall' is fixed"),
    ({"body": "square", "goal": {}}, "goal: has no condition"),
    ({"body": "square", "goal": {"y": (0, 1, 2)}}, "goal y: is (0, 1, 2); accepted"),
    ({"body": "square", "goal": {"y": 0}, "start": {"z": 1}}, "start: 'z' is not a coordinate"),
    ({"body": "square", "goal": {"y": 0}, "clearance": float("nan")}, "clearance: is nan"),
    ({"body": "square", "goal": {"y": 0}, "effort": 0}, "effort: is 0"),
])  # fmt: skip
def test_mistakes_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(vinci.Error) as caught:
        vinci.plan(SLOT, **arguments)
    assert message in str(caught.value)
