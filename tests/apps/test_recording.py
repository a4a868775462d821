# SPDX-License-Identifier: Apache-2.0
"""info and export on good recordings, and on files that are none or not any more."""
import csv
import json
import random
import shutil

import h5py
import numpy
import pytest

from conftest import BLOCK, PATIENCE, stack


@pytest.fixture(scope="module")
def recorded(shared):
    """A finished recording, and the same tower as a small one."""
    shared.scene(stack(boxes=3, duration=0.2))
    shared("run", "scene.yaml", "-o", "run.h5")
    return shared


def test_h5py_finds_the_documented_layout(recorded):
    with h5py.File(recorded.folder / "run.h5", "r") as file:
        assert file.attrs["format"] == b"vinci-recording"
        assert tuple(file["progress"][()]) == (201, 1, 200)
        assert file["poses"].shape == (201, 4, 7) and file["velocities"].shape == (201, 9)
        assert file["frames"].dtype.names[:2] == ("step", "time")
        assert list(file["bodies/name"]) == [b"floor", b"box-0", b"box-1", b"box-2"]
        assert file["provenance/scene"][()].decode().count("box-") >= 3
        options = json.loads(file["provenance/options"][()])
        assert options["run"]["step"] == 1e-3
        start, length, _ = file["models/index"][0]
        model = json.loads(bytes(file["models/text"][start:start + length]))
        assert [shape["kind"] for shape in model["shapes"]] == ["half-plane"] + ["polygon"] * 3
        for name in ("frames", "poses", "velocities", "contacts", "memory"):
            assert file[name].compression == "gzip" and file[name].chunks


def test_recorded_contacts_carry_the_weight(recorded):
    with h5py.File(recorded.folder / "run.h5", "r") as file:
        frame = file["frames"][100]
        start = frame["contact_offset"]
        rows = file["contacts"][start:start + frame["contact_rows"]]
    floor = rows[rows["bodies"][:, 0] == 0]
    # Three boxes of 1 kg stand on the floor: their weight times the step.
    assert floor["impulse"][:, 0].sum() == pytest.approx(3 * 9.81 * 1e-3, rel=1e-9)
    assert numpy.all(abs(floor["normal"] - [0, 1, 0]) < 1e-12)


def test_info_tells_the_same_as_the_run(recorded):
    info = recorded.json("info", "run.h5")
    assert info["finished"] and info["complete"] and info["standing"] == "complete"
    assert info["frames"] == 201 and info["options"]["run"]["solver"] == "auto"
    assert [body["name"] for body in info["bodies"]] == ["floor", "box-0", "box-1", "box-2"]
    text = recorded("info", "run.h5").stdout
    for word in ("tower", "200 of 200", "complete", info["state_hash"], "box-2"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80


def test_export_gives_the_same_bits_as_the_recording(recorded):
    recorded("export", "run.h5", "--csv", "tables")
    tables = {name: list(csv.DictReader(open(recorded.folder / "tables" / f"{name}.csv")))
              for name in ("steps", "states", "contacts")}
    with h5py.File(recorded.folder / "run.h5", "r") as file:
        assert len(tables["steps"]) == 201 and len(tables["states"]) == 201 * 4
        assert len(tables["contacts"]) == len(file["contacts"])
        times = [float(row["time [s]"]) for row in tables["steps"]]
        assert numpy.array_equal(times, file["frames"]["time"])
        heights = [float(row["y [m]"]) for row in tables["states"] if row["body"] == "box-2"]
        assert numpy.array_equal(heights, file["poses"][:, 3, 1])
        spins = [float(row["wz [rad/s]"]) for row in tables["states"] if row["body"] == "box-2"]
        assert numpy.array_equal(spins, file["velocities"][:, 8])
        pushes = [float(row["impulse normal [N s]"]) for row in tables["contacts"]]
        assert numpy.array_equal(pushes, file["contacts"]["impulse"][:, 0])
    assert not list((recorded.folder / "tables").glob("*partial*"))


def test_export_to_an_impossible_folder_is_a_failure(recorded):
    message = recorded("export", "run.h5", "--csv", "run.h5/tables", code=1).stderr
    assert message.startswith("run.h5/tables: cannot be created: ")


def test_files_that_are_no_recordings_are_told_apart(vinci):
    (vinci.folder / "empty.h5").write_bytes(b"")
    (vinci.folder / "text.h5").write_text("frames: 3\n" * 100)
    (vinci.folder / "noise.h5").write_bytes(random.Random(1).randbytes(100_000))
    (vinci.folder / "folder.h5").mkdir()
    with h5py.File(vinci.folder / "other.h5", "w", libver="latest") as file:
        file["x"] = [1, 2, 3]
    with h5py.File(vinci.folder / "old.h5", "w", libver="earliest") as file:
        file.attrs["format"] = "vinci-recording"
    expected = {"absent": "No such file", "empty": "not a recording (it is empty)",
                "text": "not a recording", "noise": "not a recording", "folder": "is not a file",
                "other": "is an HDF5 file, but not a recording", "old": "not a recording"}
    for name, words in expected.items():
        for command in (["info", f"{name}.h5"], ["export", f"{name}.h5", "--csv", "out"],
                        ["run", "--resume", f"{name}.h5"]):
            message = vinci(*command, code=2).stderr
            assert message.startswith(f"{name}.h5: ") and words in message, message
    assert vinci.json("info", "text.h5", code=2)["errors"][0]["where"] == "text.h5"


def tried(vinci, path):
    """info and export end in order, whatever the file: in an answer, or in one line about it."""
    for arguments in (["info", path], ["export", path, "--csv", "out"]):
        done = vinci.start(*arguments, stderr=-1, text=True, errors="replace")
        message = done.communicate(timeout=PATIENCE)[1]
        assert done.returncode in (0, 2), (path, done.returncode, message)
        if done.returncode == 2:
            assert message.startswith(f"{path}: ") and message.count("\n") == 1, message


def test_truncated_recordings_are_errors_not_crashes(recorded):
    whole = (recorded.folder / "run.h5").read_bytes()
    randomness = random.Random(3)
    for size in [0, 1, 47, 48, 100, len(whole) - 1] + [randomness.randrange(len(whole))
                                                       for _ in range(24)]:
        (recorded.folder / "cut.h5").write_bytes(whole[:size])
        message = recorded("info", "cut.h5", code=2).stderr
        assert message.startswith("cut.h5: ") and message.count("\n") == 1
        recorded("run", "--resume", "cut.h5", code=2)


def test_flipped_bits_and_overwritten_parts_are_never_a_crash(recorded):
    whole = (recorded.folder / "run.h5").read_bytes()
    randomness = random.Random(4)
    for trial in range(60):
        damaged = bytearray(whole)
        if trial % 3 == 2:
            at = randomness.randrange(len(whole) - 64)
            damaged[at:at + 64] = randomness.randbytes(64)
        else:
            for _ in range(1 + trial % 4):
                damaged[randomness.randrange(len(whole))] ^= 1 << randomness.randrange(8)
        (recorded.folder / "damaged.h5").write_bytes(damaged)
        tried(recorded, "damaged.h5")


@pytest.mark.parametrize("change", ["frames", "offset", "rows", "model", "body", "hash", "shape",
                                    "group", "options", "version", "huge"])
def test_well_formed_lies_are_found_out(recorded, change):
    path = recorded.folder / "lie.h5"
    shutil.copy(recorded.folder / "run.h5", path)
    with h5py.File(path, "r+", libver="latest") as file:
        def alter(table, column, value):
            rows = file[table][:]
            rows[column][-1] = value
            file[table][:] = rows
        if change == "frames":
            file["progress"][()] = numpy.array((10**9, 0, 200), file["progress"].dtype)
        elif change == "offset":
            alter("frames", "contact_offset", 2**63)
        elif change == "rows":
            alter("frames", "memory_rows", 2**62)
        elif change == "model":
            alter("frames", "model", -5)
        elif change == "body":
            alter("contacts", "bodies", [7, 99])
        elif change == "hash":
            file["poses"][-1, 1, 0] = 1.0
        elif change == "shape":
            del file["poses"]
            file["poses"] = numpy.zeros((201, 3, 7))
        elif change == "group":
            del file["frames"]
            file.create_group("frames")
        elif change == "options":
            del file["provenance/options"]
            file["provenance/options"] = numpy.bytes_(b"{'not json")
        elif change == "version":
            file.attrs["format_version"] = numpy.bytes_(b"999")
        elif change == "huge":
            file["contacts"].resize((2**40,))
            alter("frames", "contact_rows", 2**39)
    tried(recorded, "lie.h5")
    if change not in ("body", "options"):
        recorded("info", "lie.h5", code=2)
    if change in ("body", "huge"):
        recorded("export", "lie.h5", "--csv", "out", code=2)
    if change == "options":
        assert "options" in recorded("run", "--resume", "lie.h5", code=2).stderr


def test_a_read_only_recording_opens(vinci):
    vinci.scene(BLOCK)
    vinci("run", "scene.yaml", "-o", "run.h5")
    (vinci.folder / "run.h5").chmod(0o400)
    assert vinci.json("info", "run.h5")["complete"]
