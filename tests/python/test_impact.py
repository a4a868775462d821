# SPDX-License-Identifier: Apache-2.0
"""Times of impact and impact laws from Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinci

ROW: dict[str, Any] = {
    "world": "planar",
    "gravity": [0, 0],
    "materials": {"m": {"restitution": 0.5, "friction": 0.2}},
    "bodies": {
        "one": {"shapes": [{"circle": 0.5, "material": "m"}], "mass": 1, "position": [-1.2, 0],
                "velocity": [1, 0]},
        "two": {"shapes": [{"circle": 0.5, "material": "m"}], "mass": 2},
    },
    "run": {"step": "10 ms", "duration": 0.4, "impact-time": "bisect"},
}  # fmt: skip


class Newton(vinci.ImpactLaw):
    """The built-in law, written down."""

    def __init__(self) -> None:
        self.seen: list[vinci.Impact] = []

    def apply(self, impact: vinci.Impact) -> vinci.Answer:
        self.seen.append(impact)
        given = impact.problem
        b = given.b.copy()
        b[impact.rows] += impact.restitution * np.minimum(0.0, impact.velocity[:, 0])
        return impact.solve(
            vinci.Problem(M=given.M, J=given.J, C=given.C, p=given.p, b=b, blocks=given.blocks)
        )


def velocity(simulation: vinci.Simulation, body: str) -> float:
    return float(simulation.state.velocity(body)[0])


def test_a_law_in_python_gives_what_the_built_in_one_gives() -> None:
    law = Newton()
    own = vinci.Simulation(ROW, impact_law=law)
    built_in = vinci.Simulation(ROW, impact_law="newton")
    assert own.run().worst_residual < 1e-10 and built_in.run().finished
    assert own.state.hash == built_in.state.hash
    assert own.code == ["impact-law Newton"]
    # Two masses m and 2m with e = 1/2: v1 = 0, v2 = 1/2.
    assert velocity(own, "one") == pytest.approx(0.0, abs=1e-9)
    assert velocity(own, "two") == pytest.approx(0.5, abs=1e-9)


def test_an_impact_says_what_a_law_needs() -> None:
    law = Newton()
    vinci.Simulation(ROW, impact_law=law).run()
    (impact,) = law.seen
    assert impact.rows.tolist() == [0] and impact.sizes.tolist() == [2]
    assert impact.restitution.tolist() == [0.5] and impact.friction.tolist() == [0.2]
    assert impact.velocity[0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-12)
    assert impact.u == pytest.approx([1, 0, 0, 0, 0, 0]) and not impact.pyramid
    with pytest.raises(vinci.Error, match="over"):
        impact.solve(impact.problem)


def test_impacts_are_counted_in_reports_and_recordings(tmp_path: Path) -> None:
    simulation = vinci.Simulation(ROW)
    simulation.run(record=tmp_path / "row.h5")
    with vinci.Recording(tmp_path / "row.h5") as recording:
        frames = recording.infos()
        assert recording.summary.impacts == 1 == frames["impacts"].sum()
        struck = int(frames["impacts"].argmax())
        # They were 0.2 m apart at 1 m/s.
        assert frames["time"][struck] == pytest.approx(0.2, abs=0.011)
        assert recording.info(struck).impacts == 1 and recording.info(struck).substeps == 2


@pytest.mark.parametrize("search", ["bisect", "gap-rate"])
def test_a_ball_lands_when_it_should(search: str, scenes: Path) -> None:
    simulation = vinci.Simulation(scenes / "bouncing_ball.yaml", impact_time=search, step=0.01)
    while simulation.step().impacts == 0:
        pass
    height = float(simulation.state.positions[1, 1]) - 0.05
    rising = float(simulation.state.velocity("ball")[1])
    flown = (-rising + math.sqrt(rising**2 + 2 * 9.81 * height)) / 9.81
    assert simulation.state.time - flown == pytest.approx(math.sqrt(2 * 0.5 / 9.81), abs=1e-10)


def test_what_a_law_may_not_do_is_measured() -> None:
    class Nothing(vinci.ImpactLaw):
        def apply(self, impact: vinci.Impact) -> np.ndarray:
            return np.zeros(impact.problem.rows)

    result = vinci.Simulation(ROW, impact_law=Nothing, duration=0.25).run()
    assert result.worst_residual > 0.1 and result.inexact_steps > 0


def test_mistakes_of_a_law_have_a_name() -> None:
    class Short(vinci.ImpactLaw):
        def apply(self, impact: vinci.Impact) -> list[float]:
            return [1.0]

    class Broken(vinci.ImpactLaw):
        def apply(self, impact: vinci.Impact) -> Any:
            raise ZeroDivisionError("no such law")

    with pytest.raises(vinci.Error, match=r"Short.apply: impulses.*accepted: 2"):
        vinci.Simulation(ROW, impact_law=Short).run()
    simulation = vinci.Simulation(ROW, impact_law=Broken)
    with pytest.raises(ZeroDivisionError, match="no such law"):
        simulation.run()
    assert simulation.state.time == pytest.approx(0.2, abs=0.011)
    with pytest.raises(vinci.Error, match="unknown impact-law 'newtn'"):
        vinci.Simulation(ROW, impact_law="newtn")
    with pytest.raises(vinci.Error, match="impact-time"):
        vinci.Simulation(ROW, impact_law=Newton, impact_time="none")
