# SPDX-License-Identifier: Apache-2.0
"""vinci.compare and vinci.converge: objects, arrays, plots, and bad input."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
import vinci

BLOCK = {
    "world": "planar",
    "parameters": {"mu": 0.5, "speed": 0.5},
    "materials": {"wood": {"friction": "mu"}},
    "bodies": {
        "floor": {"freedom": "fixed", "shapes": [{"half-plane": {}, "material": "wood"}]},
        "block": {
            "shapes": [{"box": [0.2, 0.1], "material": "wood", "density": 10}],
            "position": [0, 0.05],
            "velocity": ["speed", 0],
        },
    },
    "run": {"step": "1 ms", "duration": "0.2 s"},
}


def test_a_comparison_gives_arrays_and_words():
    found = vinci.compare(BLOCK, {"motion": ["dynamic", "quasi-static"], "speed": [1e-3, 0.5]})
    assert [run.name for run in found.runs] == [
        "dynamic, speed=0.001", "dynamic, speed=0.5",
        "quasi-static, speed=0.001", "quasi-static, speed=0.5",
    ]  # fmt: skip
    fast = found["quasi-static, speed=0.5"]
    assert fast.case == "speed=0.5" and not fast.agrees and not fast.is_reference
    assert fast.distance.shape == found.times.shape == (201,)
    assert fast.bodies["block"].max() == fast.largest == fast.distance.max()
    # Backward Euler stops within v h of v²/(2 μ g).
    assert abs(fast.largest - 0.25 / (2 * 0.5 * 9.81)) < 5e-4
    assert fast.distance[np.searchsorted(found.times, fast.first_above)] > found.tolerance
    slow = found["quasi-static, speed=0.001"]
    assert slow.agrees and np.isnan(slow.first_above)
    assert str(found).endswith("'quasi-static' agrees at speed=0.001; not at speed=0.5.")
    assert "2 runs" not in repr(found) and "4 runs" in repr(found)


def test_a_comparison_plots_records_and_writes_a_page(tmp_path):
    found = vinci.compare(
        BLOCK, {"motion": ["dynamic", "quasi-static"]}, tolerance=1e-3, jobs=1,
        record=tmp_path / "runs", reference={"motion": "quasi-static"}, duration=0.1,
    )  # fmt: skip
    assert found.tolerance == 1e-3 and found["quasi-static"].is_reference
    run = vinci.Recording(found["dynamic"].recording)
    assert run.times[-1] == pytest.approx(0.1) and len(run) == 101
    axes = found.plot()
    assert axes.get_legend_handles_labels()[1] == ["dynamic", "tolerance"]
    with pytest.raises(vinci.Error, match="exists already"):
        vinci.compare(BLOCK, {"motion": ["dynamic", "quasi-static"]}, record=tmp_path / "runs")
    try:
        vinci.compare(BLOCK, {"mu": [0.4, 0.5]}, page=tmp_path / "page.html", duration=0.05)
    except vinci.Error as error:
        if "without the viewer" not in str(error):
            raise
    else:
        assert 'id="vinci-comparison"' in (tmp_path / "page.html").read_text()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "runs"]


def test_converge_fits_the_order_of_each_curve():
    study = vinci.converge(
        BLOCK, ["block.x", "energy"], [4e-3, 2e-3, 1e-3, 5e-4], at=0.08,
        across={"stepper": ["stewart-trinkle", "anitescu-potra"]},
    )  # fmt: skip
    assert [curve.quantity for curve in study.curves] == ["block.x", "energy"] * 2
    first = study.curves[0]
    assert first.steps.tolist() == [4e-3, 2e-3, 1e-3, 5e-4]
    assert np.isnan(first.errors[-1]) and first.fitted.tolist() == [True, True, True, False]
    # x = v t − μ g t (t + h)/2 while it slides.
    assert study.order == pytest.approx(1.0, abs=1e-5)
    assert first.constant == pytest.approx(0.5 * 0.5 * 9.81 * 0.08, rel=1e-4)
    labels = study.plot().get_legend_handles_labels()[1]
    assert labels[0] == "block.x, stewart-trinkle, order 1.00"
    assert study.plot(cost=True).get_xlabel() == "CPU time (s)"
    assert study.svg.startswith("<svg") and "order 1.00" in str(study)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: vinci.compare(BLOCK, {"motoin": ["dynamic"]}), "there is no axis 'motoin'"),
        (lambda: vinci.compare(BLOCK, {"motion": "dynamic"}), "across motion: is 'dynamic'"),
        (lambda: vinci.compare(BLOCK, {"motion": ["dynamic"]}), "a comparison needs two runs"),
        (lambda: vinci.compare(BLOCK, {"mu": [1, 2]}, durationn=3), "durationn"),
        (lambda: vinci.compare(BLOCK, {"mu": [1, 2]}, jobs=-1), "jobs: accepted"),
        (lambda: vinci.converge(BLOCK, "blok.x"), "there is no body 'blok'"),
        (lambda: vinci.converge(BLOCK, over="sum"), "over: accepted: end, max, min, mean"),
        (lambda: vinci.converge(BLOCK, reference="best"), "reference: accepted: 'finest'"),
        (lambda: vinci.compare(BLOCK, {"mu": [0.1, 0.2]})["mu=3"], "there is no run 'mu=3'"),
    ],
)
def test_bad_input_is_an_error_that_says_what_is_accepted(call, message):
    with pytest.raises(vinci.Error, match=message):
        call()


def test_what_a_callback_of_the_bar_sees_does_not_disturb(capfd):
    found = vinci.compare(BLOCK, {"mu": [0.4, 0.5]}, progress=True)
    assert len(found.runs) == 2 and capfd.readouterr().err == ""  # no terminal, no bar
