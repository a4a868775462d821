# SPDX-License-Identifier: Apache-2.0
"""`vinci grasp`: answers of files and recordings, exit codes, messages."""

import json
import re

import pytest

from conftest import SOURCE

CASE = json.loads((SOURCE / "tests/data/reference/case25_spatial_grasps.json").read_text())


def write(folder, name):
    expected = CASE["expected"][name]
    contacts = [{"position": c["point"], "normal": c["inward_normal"], "tangent": c["tangent_t"],
                 "friction": expected["mu"]} for c in expected["contacts"]]
    file = folder / "contacts.json"
    file.write_text(json.dumps({"center": expected["com"], "length": CASE["parameters"]["rho"],
                                "wrench": CASE["parameters"]["external_wrench"],
                                "contacts": contacts}))
    return file


@pytest.mark.parametrize("name", list(CASE["expected"]))
def test_files_of_the_reference(vinci, name, tmp_path):
    expected = CASE["expected"][name]
    answer = vinci.json("grasp", write(tmp_path, name), code=0 if expected["force_closure"] else 1)
    assert answer["ok"] == answer["closed"] == expected["force_closure"] and answer["proved"]
    assert answer["margin"] == pytest.approx(expected["cone_margin"], abs=1e-10)
    assert answer["hull"]["radius"] == pytest.approx(expected["epsilon_16"], rel=1e-12)
    assert answer["hull"]["volume"] == pytest.approx(expected["hull_volume_16"], rel=1e-11)
    assert answer["hull_outside"]["volume"] > answer["hull"]["volume"]
    if answer["closed"]:
        forces = [load["force"] for load in answer["least_squares"]["loads"]]
        for ours, theirs in zip(forces, expected["hold"]["least_squares_forces"]):
            assert ours == pytest.approx(theirs, abs=1e-10)
        quality = answer["quality_sum"]
        assert quality["lower"] <= quality["upper"] == pytest.approx(expected["dual_margin"],
                                                                     abs=1e-7)
    else:
        assert answer["least_sum"]["status"] == "impossible" and answer["unresisted"]


def test_a_table_for_people(vinci, tmp_path):
    result = vinci("grasp", write(tmp_path, "sphere_equator_120"))
    assert "force closure   yes, proved" in result.stdout and "0.16667" in result.stdout
    assert "normal forces 5.9189 N in all" in result.stdout
    result = vinci("grasp", write(tmp_path, "sphere_upper_half"), code=1)
    assert "nothing pushes along force (0, 0, 1) N" in result.stdout


def test_a_planar_file(vinci, tmp_path):
    file = tmp_path / "jaws.yaml"
    file.write_text("world: planar\ncontacts:\n- {position: [-1, 0], normal: [1, 0], friction: 0.3}"
                    "\n- {position: [1, 0], normal: [-1, 0], friction: 0.3}\n")
    answer = vinci.json("grasp", file, "--wrench", "0,-3,0")
    assert answer["closed"] and answer["rank"] == 3
    assert answer["least_sum"]["value"] == pytest.approx(10.0)


@pytest.mark.parametrize("text, flags, message", [
    ("contacts: 3", [], "contacts: accepted: a list of contacts"),
    ("- 1", [], ":1: the file is no map"),
    ("contacts: []\nlenth: 1", [], ":2: lenth: is no key here; accepted: world, center"),
    ("contacts:\n- {position: [0, 0, 0]}", [], ":2: contacts[0]: has no `normal`"),
    ("contacts:\n- {position: [0, 0], normal: [0, 0, 1]}", [], "contacts[0].position: accepted: 3"),
    ("contacts:\n- {position: [0, 0, .nan], normal: [0, 0, 1]}", [], "position[2]: accepted: a fin"),
    ("contacts:\n- {position: [0, 0, 0], normal: [0, 0, 0]}", [], "contacts[0].normal: accepted"),
    ("contacts:\n- {position: [0, 0, 0], normal: [0, 0, 1], friction: -1}", [],
     ":2: contacts[0].friction: accepted: 0 or more"),
    ("world: round\ncontacts: []", [], ":1: world: accepted: planar, spatial"),
    ("length: -1\ncontacts: []", [], "length: accepted: more than 0 m"),
    ("contacts: []", ["--at", "1"], "--at: is for recordings"),
    ("contacts: []", ["--wrench", "1,2"], "--wrench: has 2 numbers; accepted: 6"),
    ("contacts: []", ["--length", "0"], "--length: accepted: more than 0 m"),
    ("contacts: []", ["--directions", "1"], "--directions: 1 directions; accepted: 3"),
    ("contacts: []", ["--tolerance", "2"], "--tolerance: accepted: between 0 and 1"),
])
def test_bad_input(vinci, text, flags, message, tmp_path):
    file = tmp_path / "contacts.yaml"
    file.write_text(text)
    result = vinci("grasp", file, *flags, code=2)
    assert message in result.stderr, result.stderr


def test_no_contacts_are_an_open_grasp(vinci, tmp_path):
    file = tmp_path / "contacts.yaml"
    file.write_text("contacts: []")
    assert "cannot be held" in vinci("grasp", file, "--wrench", "0,0,-1,0,0,0", code=1).stdout


def test_a_recorded_box_on_the_floor(vinci, tmp_path):
    scene = tmp_path / "box.yaml"
    scene.write_text("""\
world: spatial
materials: {wood: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
  box: {shapes: [{box: [0.2, 0.2, 0.1], material: wood}], mass: 2, position: [0, 0, 0.05]}
run: {step: 1 ms, duration: 0.05 s}
""")
    vinci("run", scene, "-o", tmp_path / "box.h5")
    answer = vinci.json("grasp", tmp_path / "box.h5", "--object", "box", "--at", "0.03", code=1)
    assert answer["time"] == pytest.approx(0.03) and {c["by"] for c in answer["contacts"]} == {"floor"}
    assert answer["least_sum"]["value"] == pytest.approx(2 * 9.81)  # it carries the weight
    assert answer["unresisted"][2] < 0  # and pulls nothing down
    for flags, message in (
            ([], "--object: is missing; accepted: the body that is held, of floor, box"),
            (["--object", "bax"], "--object: there is no body 'bax'; accepted: floor, box"),
            (["--object", "box", "--at", "1"], "--at: 1 s is not in the recording; accepted: 0 to"),
            (["--object", "box", "--by", "box"], "--by: is the object itself"),
            (["--object", "box", "--by", "x"], "--by: there is no body 'x'")):
        assert message in vinci("grasp", tmp_path / "box.h5", *flags, code=2).stderr


def test_a_page_holds_the_answer_and_its_frame(vinci, tmp_path):
    """However the page is thinned: the frame asked about is among those that are kept."""
    if "without the viewer" in vinci("view", "x.h5", "--html", tmp_path / "x.html", code=2).stderr:
        pytest.skip("the program is built without the viewer's page")
    scene = tmp_path / "box.yaml"
    scene.write_text("""\
world: spatial
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}}]}
  box: {shapes: [{box: [0.2, 0.2, 0.1]}], mass: 2, position: [0, 0, 0.05]}
run: {step: 1 ms, duration: 0.05 s}
""")
    vinci("run", scene, "-o", tmp_path / "box.h5")
    page = tmp_path / "page.html"
    told = vinci.json("grasp", tmp_path / "box.h5", "--object", "box", "--at", "0.03",
                      "--html", page, code=1)
    assert told["html"] == str(page)
    kept = re.search(r'class="vinci-grasp" data-run="0" data-frame="(\d+)">(.*?)</script>',
                     page.read_text())
    answer = json.loads(kept.group(2))
    assert int(kept.group(1)) == told["frame"] == answer["frame"] == 30
    assert answer["contacts"] == told["contacts"]
    assert "exists" in vinci("grasp", tmp_path / "box.h5", "--object", "box", "--html", page,
                             code=2).stderr
    for flags, message in ((["--overwrite"], "--overwrite: is for --html"),
                           (["--html", page / "x"], "cannot")):
        assert message in vinci("grasp", tmp_path / "box.h5", "--object", "box", *flags,
                                code=None).stderr
    assert "--html: is for recordings" in vinci(
        "grasp", write(tmp_path, "sphere_equator_120"), "--html", page, code=2).stderr
