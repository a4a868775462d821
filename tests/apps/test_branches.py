# SPDX-License-Identifier: Apache-2.0
"""`vinci run --branches`: the answers, the recordings and the page."""
from conftest import BLOCK, SOURCE

ROD = SOURCE / "scenes" / "lifting_rod.yaml"
ONE_STEP = ["run", ROD, "--branches", "8", "--duration", "0.1ms"]


def test_a_rod_with_three_motions_is_indeterminate_and_says_where_they_part(vinci):
    said = vinci(*ONE_STEP, "--quantity", "rod.vy", code=0).stdout
    assert "Indeterminate" in said and "step 1" in said
    found = vinci.json(*ONE_STEP, "--quantity", "rod.vy")
    assert found["verdict"] == "indeterminate"
    assert [one["end"] for one in found["branches"]] == ["leaf"] * 3
    assert found["branches"][1]["points"][0]["alternatives"] == 3


def test_a_block_is_robust(vinci):
    vinci.scene(BLOCK)
    found = vinci.json("run", "scene.yaml", "--branches", "4", "--duration", "20ms")
    assert found["verdict"] == "robust" and found["leaves"] == 1


def test_leaves_are_recorded_and_shown_and_nothing_is_replaced_unasked(vinci):
    found = vinci.json(*ONE_STEP, "-o", "leaves", "--html", "tree.html")
    assert len(found["recordings"]) == 3
    for branch, recording in zip(found["branches"], found["recordings"]):
        assert vinci.json("info", recording)["ok"]
        assert branch["outcome"] is not None
    page = (vinci.folder / "tree.html").read_text(encoding="utf-8")
    assert "<svg" in page and "tree-runs.html" in page
    assert (vinci.folder / "tree-runs.html").exists()
    vinci(*ONE_STEP, "--html", "tree.html", code=2)


def test_what_does_not_go_together_is_refused(vinci):
    assert "--branches" in vinci(*ONE_STEP, "--view", code=2).stderr
    assert "--branches" in vinci("run", ROD, "--quantity", "rod.y", code=2).stderr
    assert "--tolerance" in vinci(*ONE_STEP, "--tolerance", "-1", code=2).stderr
    assert "stick" in vinci(*ONE_STEP, "--quantity", "stick.y", code=2).stderr
