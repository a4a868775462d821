# SPDX-License-Identifier: Apache-2.0
"""Recordings from Python."""

from __future__ import annotations

import csv
import gc
from pathlib import Path

import h5py
import numpy as np
import pytest

import vinci


@pytest.fixture
def run(tmp_path: Path, scenes: Path) -> vinci.Recording:
    sim = vinci.Simulation(scenes / "stack.yaml", duration=0.05)
    sim.parameters["mu"] = 0.4
    sim.run(record=tmp_path / "run.h5")
    return vinci.Recording(tmp_path / "run.h5")


def test_arrays_are_those_in_the_file(run: vinci.Recording) -> None:
    with h5py.File(run.path, locking=False) as file:
        assert (run.poses() == file["poses"][:]).all()
        assert (run.velocities() == file["velocities"][:]).all()
        assert (run.times == file["frames"]["time"]).all()
        rows, numbers = run.contacts_between()
        assert (np.bincount(numbers) == file["frames"]["contact_rows"]).all()
        assert (np.diff(numbers) >= 0).all()
        assert not rows["kind"].any()  # contacts alone, whose keys are stored as they are
        for name in set(rows.dtype.names) - {"kind"}:
            assert (rows[name] == file["contacts"][name]).all(), name
        frames = run.frames
        assert (frames["residual"] == file["frames"]["relative_residual"]).all()
        for name in set(frames.dtype.names) - {"residual"}:
            assert (frames[name] == file["frames"][name]).all(), name


def test_ranges_and_bodies_are_slices_of_all(run: vinci.Recording) -> None:
    poses, velocities = run.poses(), run.velocities()
    assert len(run) == 51 == len(poses)
    assert (run.poses(5, 40, 7) == poses[5:40:7]).all()
    assert (run.poses(-3) == poses[-3:]).all()
    assert run.poses(40, 10).shape == (0, 11, 7)
    assert (run.poses(stride=10, body="box-04") == poses[::10, 4]).all()
    assert (run.velocities(2, 30, body=3) == velocities[2:30, 6:9]).all()
    assert run.velocities(body="floor").shape == (51, 0)
    rows, numbers = run.contacts_between(10, 20, 5)
    assert set(numbers) == {10, 15} and len(numbers) == len(rows)
    assert (rows[numbers == 15]["impulse"] == run.contacts(15)["impulse"]).all()
    assert (run.infos(3, 9, 2)["step"] == [3, 5, 7]).all()


def test_a_body_over_time(run: vinci.Recording) -> None:
    track = run.body("box-02")
    assert track.name == "box-02" and track.freedom == "planar" and track.index == 2
    assert (track.position == run.poses()[:, 2, :3]).all() and track.rotation.shape == (51, 4)
    assert track.velocity.shape == track.spin.shape == (51, 3)
    assert (track.spin[:, :2] == 0).all() and (track.velocity[:, 2] == 0).all()
    assert track.angle == pytest.approx(np.zeros(51), abs=1e-9)
    assert (run.body("floor").velocity == 0).all()
    assert [body.name for body in run.bodies] == run.body_names


def test_angles_are_without_jumps(tmp_path: Path) -> None:
    spin = {"world": "planar", "gravity": [0, 0],
            "bodies": {"top": {"shapes": [{"circle": 0.1}], "spin": 30}},
            "run": {"step": 0.01, "duration": 1}}  # fmt: skip
    try:
        sim = vinci.Simulation(spin)
    except vinci.SceneError:
        sim = vinci.Simulation({**spin, "bodies": {"top": {"shapes": [{"circle": 0.1}],
                                                           "motion": {"angle": "30*t"}}}})  # fmt: skip
    sim.run(record=tmp_path / "top.h5")
    assert vinci.Recording(tmp_path / "top.h5").body("top").angle == pytest.approx(
        30 * np.linspace(0, 1, 101), abs=1e-9)  # fmt: skip


def test_states_infos_models_and_texts(run: vinci.Recording, scenes: Path) -> None:
    assert run.state(-1).hash == run.summary.state_hash and run.state(0).step == 0
    info = run.info(50)
    assert info.step == 50 and info.status == 0 and len(info.seconds) == 4
    assert run.state(3).position("box-02") == pytest.approx([0, 0.15, 0])
    assert run.model(run.info(0).model)["parameters"]["mu"] == 0.4
    assert run.scene.to_yaml() == vinci.Scene.load(scenes / "stack.yaml").to_yaml()
    assert run.options["run"]["duration"] == 0.05 and run.models >= 1
    assert run.finished and not run.has_writer and run.total_steps == 50
    assert run.freedoms[0] == "fixed" and run.title == "stack of ten boxes"
    assert "51 frames, complete" in repr(run)
    # It continues bit for bit.
    sim = vinci.Simulation(run.scene, duration=0.05, parameters={"mu": 0.4})
    sim.set_state(run.state(20))
    assert sim.run().state_hash == run.summary.state_hash


def test_a_closed_recording_keeps_what_was_read(run: vinci.Recording) -> None:
    with run:
        rows = run.contacts(3)
        poses = run.poses()
    assert run.closed and repr(run) == "<vinci.Recording, closed>"
    del run
    gc.collect()
    assert len(rows) == 20 and np.isfinite(poses).all()


def test_a_run_can_be_followed(tmp_path: Path, scenes: Path) -> None:
    sim = vinci.Simulation(scenes / "stack.yaml")
    with vinci.Recorder(tmp_path / "live.h5", sim) as recorder:
        run = vinci.Recording(tmp_path / "live.h5")
        assert run.has_writer and not run.finished and len(run) == 1
        track = run.body("box-01")
        assert len(track.position) == 1
        for _ in range(5):
            sim.step()
            recorder.after_step()
        recorder.flush()
        assert len(run) == 1
        run.refresh()
        assert len(run) == 6 and len(track.position) == 6 and "being written" in repr(run)
        with pytest.raises(vinci.Error, match="live.h5"):
            vinci.Recorder(tmp_path / "live.h5", sim)


def test_tables_are_exported(run: vinci.Recording, tmp_path: Path) -> None:
    run.to_csv(tmp_path / "tables")
    with open(tmp_path / "tables" / "steps.csv", newline="") as file:
        assert len(list(csv.reader(file))) == 52


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda r: r.state(51), "has no frame 51; its frames are 0 to 50"),
        (lambda r: r.info(-52), "has no frame -52"),
        (lambda r: r.body("box"), "has no body 'box'; it has floor, box-01"),
        (lambda r: r.poses(body=11), "has no body 11; it has 11"),
        (lambda r: r.poses(stride=0), "stride: is 0; accepted: at least 1"),
        (lambda r: r.model(9), "has no model 9"),
        (lambda r: (r.close(), len(r)), "recording: is closed"),
    ],
)
def test_mistakes_are_told(run: vinci.Recording, ask: object, message: str) -> None:
    with pytest.raises(vinci.Error, match=message):
        ask(run)


def test_files_that_are_none_are_told(tmp_path: Path, scenes: Path) -> None:
    (tmp_path / "text.h5").write_text("no")
    for name, message in (("text.h5", "is not a recording"), ("none.h5", "No such file")):
        with pytest.raises(vinci.Error, match=message):
            vinci.Recording(tmp_path / name)
    sim = vinci.Simulation(scenes / "stack.yaml", duration=0.01)
    with pytest.raises(vinci.Error, match="text.h5: exists already"):
        sim.run(record=tmp_path / "text.h5")
    assert sim.state.step == 0
    with pytest.raises(vinci.Error, match="text.h5: is not a recording"):
        sim.run(record=tmp_path / "text.h5", overwrite=True)
    assert (tmp_path / "text.h5").read_text() == "no"
    with pytest.raises(vinci.Error, match="flush_interval: is -1"):
        vinci.Recorder(tmp_path / "other.h5", sim, flush_interval=-1)
    other = vinci.Simulation(scenes / "stack.yaml")
    with vinci.Recorder(tmp_path / "third.h5", other) as recorder:
        with pytest.raises(vinci.Error, match="record: belongs to another simulation"):
            sim.run(record=recorder)
