# SPDX-License-Identifier: Apache-2.0
"""`vinci solve` on the corpus, on problems dumped by a run, and on files that are none."""
import json

from conftest import BLOCK, SOURCE

CORPUS = sorted((SOURCE / "problems").glob("*.h5"))


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_auto_solves_the_corpus_with_one_object_a_line(vinci):
    answers = lines(vinci("solve", *CORPUS, "--tol", "1e-10", "--json"))
    assert [answer["file"] for answer in answers] == [str(file) for file in CORPUS]
    for answer in answers:
        assert answer["status"] == "solved" and answer["residual"] <= 1e-10, answer
        assert answer["solver"] == "auto" and answer["by"] and answer["cpu_seconds"] > 0


def test_all_solvers_stand_side_by_side_and_refuse_in_words(vinci):
    pyramid = SOURCE / "problems" / "slide_pyramid_4.h5"
    answers = {a["solver"]: a for a in lines(vinci("solve", pyramid, "--solver", "all", "--json"))}
    assert answers["lemke"]["status"] == "solved"
    assert answers["gauss-seidel"]["status"] == "refused"
    assert "lemke" in answers["gauss-seidel"]["note"]


def test_a_problem_dumped_by_a_run_is_solved_again(vinci):
    vinci("run", vinci.scene(BLOCK), "-o", "run.h5", "--dump-problems", "step 5", "--dump-dir", "dump")
    dumped = list((vinci.folder / "dump").glob("*.h5"))
    assert len(dumped) == 1
    assert "solved" in vinci("solve", dumped[0]).stdout


def test_a_problem_that_stays_unsolved_is_a_failure(vinci):
    pyramid = SOURCE / "problems" / "slide_pyramid_4.h5"
    assert "refused" in vinci("solve", pyramid, "--solver", "gauss-seidel", code=1).stdout


def test_files_that_are_no_problems_and_unknown_solvers_are_bad_input(vinci):
    assert "scene.yaml" in vinci("solve", vinci.scene(BLOCK), code=2).stderr
    assert "did you mean 'lemke'" in vinci("solve", CORPUS[0], "--solver", "lemk", code=2).stderr
