# SPDX-License-Identifier: Apache-2.0
"""compare and converge: what they print, write, and how they fail."""
import os
import signal
import xml.etree.ElementTree

import pytest

from conftest import BLOCK, PATIENCE, SOURCE, wait_for

COMPARISON = {"ok", "exit_code", "title", "duration", "tolerance", "tolerance_given", "size",
              "reference_given", "brief", "axes", "bodies", "times", "variants", "cases", "skipped",
              "answer", "page"}
VARIANT = {"name", "values", "case", "step_size", "end", "state_hash", "agrees", "by_choice", "cost",
           "final", "contacts", "difference", "recording"}
COST = {"certified", "complete", "steps", "substeps", "simulated_seconds", "cpu_seconds",
        "cpu_per_second", "worst_residual", "uncertified_steps", "inexact_steps",
        "worst_penetration", "frame_iterations", "worst_frame_error",
        "unsettled_frames", "fallback_steps", "free_steps", "unique_steps", "several_steps",
        "unknown_steps", "first_several", "ending", "diverged_body"}
DIFFERENCE = {"until", "largest", "largest_time", "largest_body", "first_above", "first_body",
              "final", "final_body", "distance", "bodies", "contacts"}
CONTACT = {"a", "b", "same_modes", "modes_differ_for", "largest_shift", "first_different_mode",
           "impulse", "impulse_time", "final_impulse", "peak_force", "reference_peak_force"}
CONVERGENCE = {"ok", "exit_code", "title", "duration", "time", "over", "reference", "axes", "steps",
               "curves", "skipped", "notes", "plot"}
CURVE = {"quantity", "variant", "reference", "reference_step", "fit", "points", "answer"}


def test_the_json_of_a_comparison_has_the_documented_keys(vinci):
    vinci.scene(BLOCK)
    found = vinci.json("compare", "scene.yaml", "--across", "motion=dynamic,quasi-static",
                       "mu=0.5,0.6")
    assert found.keys() == COMPARISON and found["ok"]
    assert [axis["kind"] for axis in found["axes"]] == ["run option", "parameter"]
    assert all(variant.keys() == VARIANT for variant in found["variants"])
    assert all(variant["cost"].keys() == COST for variant in found["variants"])
    assert found["variants"][0]["difference"] is None
    difference = found["variants"][2]["difference"]
    assert difference.keys() == DIFFERENCE and difference["contacts"][0].keys() == CONTACT
    assert len(difference["distance"]) == len(found["times"]) == 201
    assert difference["largest_body"] == difference["first_body"] == "block"
    # v²/(2 μ g), and backward Euler stops within v h.
    assert abs(difference["largest"] - 0.25 / (2 * 0.5 * 9.81)) < 5e-4
    assert [case["name"] for case in found["cases"]] == ["mu=0.5", "mu=0.6"]
    assert found["variants"][2]["contacts"][0]["modes"][0]["mode"] == "stick"


def test_the_report_fits_80_columns_and_ends_in_words(vinci):
    vinci.scene(BLOCK)
    done = vinci("compare", "scene.yaml", "--across", "motion=dynamic,quasi-static",
                 "step=1e-3,5e-4", "stepper=stewart-trinkle,anitescu-potra", "--tolerance", "1 mm")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1] == "8 runs of 0.2 s; tolerance 1 mm"
    text = " ".join(done.stdout.split())
    assert "until t = 0.003 s; then 'block' leaves it, by up to 25" in text
    assert "The cheapest that agrees with 'dynamic, step=5e-4, stewart-trinkle' is" in text
    assert not done.stderr


def test_combinations_without_meaning_are_told_and_do_not_stop_the_others(vinci):
    found = vinci.json("compare", SOURCE / "scenes/sliding_box.yaml", "--duration", "10 ms",
                       "--across", "solver=auto,lemke", "cone=quadratic,pyramid")
    assert [variant["name"] for variant in found["variants"]] == \
        ["auto, quadratic", "auto, pyramid", "lemke, pyramid"]
    assert found["skipped"][0]["name"] == "lemke, quadratic" and found["skipped"][0]["reason"]


@pytest.mark.parametrize("axes, message", [
    (["motoin=dynamic"], "--across: there is no axis 'motoin' (did you mean 'motion'?); accepted:"),
    (["motion=dynamic,slow"], "--across motion: unknown value 'slow'; accepted:"),
    (["motion="], "--across motion: has no values"),
    (["mu=" + ",".join(str(i / 100) for i in range(1, 41)),
      "speed=" + ",".join(str(i) for i in range(1, 41))],
     "1600 combinations; accepted: at most 1000"),
    (["motion=dynamic"], "--across: a comparison needs two runs, and one alone can run"),
    (["motion=dynamic,first-order", "--reference", "quasi-static"],
     "--reference: 'quasi-static' is no"),
    (["motion=dynamic,first-order", "--motion", "dynamic"],
     "is an axis, and set to one value as well"),
    (["motion=dynamic,first-order", "--tolerance", "0"],
     "--tolerance: accepted: a length above 0"),
    (["motion=dynamic,first-order", "--step", "fast"], "step: "),
])
def test_bad_input_is_refused_with_what_is_accepted(vinci, axes, message):
    vinci.scene(BLOCK)
    done = vinci("compare", "scene.yaml", "--across", *axes, code=2)
    assert message in done.stderr and not done.stdout
    assert os.listdir(vinci.folder) == ["scene.yaml"]


def test_recordings_and_page_are_kept_and_not_replaced_unasked(vinci):
    vinci.scene(BLOCK)
    arguments = ["compare", "scene.yaml", "--across", "motion=dynamic,quasi-static", "mu=0.5",
                 "-o", "out"]
    found = vinci.json(*arguments)
    names = ["dynamic_mu=0.5.h5", "quasi-static_mu=0.5.h5"]
    assert sorted(os.listdir(vinci.folder / "out")) == names
    for variant in found["variants"]:
        info = vinci.json("info", variant["recording"])
        assert info["state_hash"] == variant["state_hash"] and info["complete"]
    assert "exists already" in vinci(*arguments, code=2).stderr
    vinci(*arguments, "--overwrite")


def test_the_page_holds_all_runs_and_the_comparison(vinci):
    vinci.scene(BLOCK)
    arguments = ["compare", "scene.yaml", "--across", "motion=dynamic,quasi-static",
                 "--html", "a.html"]
    done = vinci(*arguments, code=None)
    if "without the viewer" in done.stderr:
        pytest.skip("the program is built without the viewer's page")
    assert done.returncode == 0
    text = (vinci.folder / "a.html").read_text()
    assert 'id="vinci-comparison"' in text and '"quasi-static.h5"' in text
    assert sorted(os.listdir(vinci.folder)) == ["a.html", "scene.yaml"]
    assert "exists already; give --overwrite" in vinci(*arguments, code=2).stderr


def test_ctrl_c_ends_all_runs_and_leaves_readable_recordings(vinci):
    vinci.scene(BLOCK)
    process = vinci.start("compare", "scene.yaml", "--across", "motion=dynamic,first-order",
                          "--duration", "1000", "-o", "out", "--jobs", "2")
    files = [vinci.folder / "out" / f"{name}.h5" for name in ("dynamic", "first-order")]
    wait_for(lambda: all(file.exists() for file in files))
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    for file in files:
        assert vinci.json("info", file)["steps"] >= 0


def test_a_fall_converges_with_the_first_order(vinci):
    vinci.scene("world: planar\nbodies: {stone: {mass: 1, inertia: 1}}\nrun: {duration: 0.2 s}\n")
    found = vinci.json("converge", "scene.yaml", "--quantity", "stone.y", "--from", "8 ms", "--to",
                       "1 ms", "--reference", "-9.81*0.02", "--plot", "plot.svg")
    assert found.keys() == CONVERGENCE and found["curves"][0].keys() == CURVE
    assert found["steps"] == [0.008, 0.004, 0.002, 0.001] and found["over"] == "end"
    fit = found["curves"][0]["fit"]
    # Backward Euler: the error is g t h/2.
    assert abs(fit["order"] - 1) < 1e-6 and abs(fit["constant"] - 0.981) < 1e-4
    drawing = xml.etree.ElementTree.parse(vinci.folder / "plot.svg").getroot()
    assert drawing.tag.endswith("svg")
    assert "exists already" in vinci("converge", "scene.yaml", "--plot", "plot.svg", code=2).stderr


def test_a_study_without_values_fails_and_says_why(vinci):
    arguments = ["converge", SOURCE / "scenes/bouncing_ball.yaml", "--motion", "quasi-static",
                 "--quantity", "ball.y"]
    done = vinci(*arguments, code=1)
    assert "no run reached t = " in done.stdout and "same value" not in done.stdout
    found = vinci.json(*arguments, code=1)
    assert not found["ok"] and found["exit_code"] == 1 and found["curves"][0]["fit"] is None


def test_the_report_of_orders_fits_80_columns(vinci):
    vinci.scene(BLOCK)
    done = vinci("converge", "scene.yaml", "--at", "0.08", "--quantity", "block.x", "--quantity",
                 "2*block.x + t", "--across", "stepper=stewart-trinkle,anitescu-potra")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.count(": order 1.0") == 4 and not done.stderr


@pytest.mark.parametrize("arguments, message", [
    (["--quantity", "blok.x"], "blok.x: there is no body 'blok' (did you mean 'block'?)"),
    (["--steps", "1e-3,1e-4"], "--steps: an order needs three steps or more"),
    (["--steps", "1e-3,x"], "--steps: 'x'"),
    (["--from", "1e-2"], "--from, to: one needs the other"),
    (["--over", "sum"], "--over: unknown value 'sum'; accepted: end, max, min, mean"),
    (["--plot", "plot.png"], "--plot: plots are written as SVG"),
    (["--across", "step=1,2"], "--across step: the step varies in any case"),
    (["--step", "1e-3"], "--step: the step varies; give the steps"),
    (["--at", "3"], "--at: accepted: 0 to the duration, 0.2 s"),
])
def test_bad_wishes_of_converge_are_refused(vinci, arguments, message):
    vinci.scene(BLOCK)
    done = vinci("converge", "scene.yaml", *arguments, code=2)
    assert message in done.stderr and not done.stdout
