# SPDX-License-Identifier: Apache-2.0
"""Events of event-driven runs as arrays, of a ball whose bounces have a closed form."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

import vinci
import vinci.plot

SCENE = {
    "world": "planar",
    "materials": {"rubber": {}},
    "bodies": {
        "floor": {"freedom": "fixed", "shapes": [{"half-plane": {}, "material": "rubber"}]},
        "ball": {"shapes": [{"circle": 0.1, "material": "rubber"}], "mass": 2, "position": [0, 0.6]},
    },
}


def touches(count: int) -> list[float]:
    """When the ball touches the floor: each throw has a share of the speed, each share 0.9 of the
    one before (tests/support/event_stepper.h)."""
    time = math.sqrt(2.0 * 0.5 / 9.81)
    speed, share, found = 9.81 * time, 0.8, []
    for _ in range(count):
        found.append(time)
        speed *= share
        share *= 0.9
        time += 2.0 * speed / 9.81
    return found


def simulation(stepper: str = "bouncer") -> vinci.Simulation:
    return vinci.Simulation(SCENE, stepper=stepper, step=0.01, duration=2.0, output_interval=0.05,
                            plugins=[os.environ["VINCI_TEST_BOUNCER"]])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("events") / "ball.h5"
    simulation().run(record=path)
    return path


def test_every_event_is_there_with_its_time_and_words(recorded: Path) -> None:
    with vinci.Recording(recorded) as run:
        assert run.is_event_driven
        events = run.events()
        assert len(events) == 9 and run.summary.events == 9
        assert events["kind"].tolist() == ["touch", "parting"] * 4 + ["touch"]
        assert set(events["subject"]) == {"ball on floor"}
        assert events["from"].tolist()[:3] == ["free", "contact", "free"]
        assert events["to"].tolist()[:3] == ["contact", "free", "contact"]
        np.testing.assert_allclose(events["time"][::2], touches(5), rtol=0, atol=1e-12)
        # A throw changes the momentum by m (1 + share) v.
        speeds = -events["gap_rate"][::2]
        np.testing.assert_allclose(events["force"][0, 0], 2 * 1.8 * speeds[0], rtol=1e-12)


def test_events_of_frames_are_those_since_the_frame_before(recorded: Path) -> None:
    with vinci.Recording(recorded) as run:
        times = run.times
        parts = [run.events(frame, frame + 1) for frame in range(len(run))]
        assert sum(map(len, parts)) == 9
        for frame, part in enumerate(parts):
            assert (part["time"] <= times[frame]).all()
            assert frame == 0 or (part["time"] > times[frame - 1]).all()
        assert len(run.events(-1)) == len(parts[-1])


def test_modes_have_a_row_per_frame_and_subject(recorded: Path) -> None:
    with vinci.Recording(recorded) as run:
        modes = run.modes()
        assert modes["frame"].tolist() == list(range(len(run)))
        assert (modes["time"] == run.times).all()
        height = run.body("ball").position[:, 1]
        np.testing.assert_allclose(modes["gap"], height - 0.1, atol=1e-15)
        assert modes["mode"][0] == "free" and modes["mode"][-1] == "contact"
        assert modes["force"][-1, 0] == 2 * 9.81
        assert run.modes(1, None, 10)["frame"].tolist() == [1, 11, 21, 31]


def test_a_simulation_shows_those_of_its_last_step() -> None:
    sim = simulation()
    found = []
    while not sim.finished:
        sim.step()
        found += sim.events["time"].tolist()
        assert len(sim.modes) == 1 and sim.modes["time"][0] == sim.state.time
    np.testing.assert_allclose(found[::2], touches(5), rtol=0, atol=1e-12)
    assert sim.modes["subject"].tolist() == ["ball on floor"]


def test_other_runs_have_none(tmp_path: Path) -> None:
    simulation("stewart-trinkle").run(record=tmp_path / "other.h5")
    with vinci.Recording(tmp_path / "other.h5") as run:
        assert not run.is_event_driven
        assert len(run.events()) == 0 and len(run.modes()) == 0
        assert run.events().dtype.names[:4] == ("time", "step", "subject", "kind")


def test_plots_show_them_as_lines_and_strips(recorded: Path) -> None:
    axes = vinci.plot.events(recorded, ["touch"])
    (lines,) = axes.collections
    np.testing.assert_allclose([s[0, 0] for s in lines.get_segments()], touches(5), atol=1e-12)
    strips = vinci.plot.modes(recorded)
    assert [label.get_text() for label in strips.get_yticklabels()] == ["ball on floor"]
    with pytest.raises(vinci.Error, match="accepted: touch"):
        vinci.plot.events(recorded, ["bang"])
    with pytest.raises(vinci.Error, match="accepted: ball on floor"):
        vinci.plot.modes(recorded, ["moon"])


def test_tables_name_them(recorded: Path, tmp_path: Path) -> None:
    with vinci.Recording(recorded) as run:
        assert run.to_csv(tmp_path) == ["steps.csv", "states.csv", "contacts.csv", "events.csv",
                                        "modes.csv"]
        rows = (tmp_path / "events.csv").read_text().splitlines()
        assert rows[1].split(",")[2:6] == ["ball on floor", "touch", "free", "contact"]
        assert [float(row.split(",")[1]) for row in rows[1:]] == run.events()["time"].tolist()
        assert len((tmp_path / "modes.csv").read_text().splitlines()) == 1 + len(run)
