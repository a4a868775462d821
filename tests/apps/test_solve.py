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


KEYS = ["file", "class", "size", "solver", "status", "residual", "iterations", "cpu_seconds", "tried",
        "by", "note"]


def test_every_line_has_the_same_keys_and_says_what_was_tried(vinci):
    for answer in lines(vinci("solve", *CORPUS, "--solver", "all", "--json", code=None)):
        assert list(answer) == KEYS
        for attempt in answer["tried"]:
            assert list(attempt) == ["solver", "status", "residual", "iterations", "seconds"]
        if answer["status"] == "refused":
            assert answer["residual"] is None and answer["tried"] == [] and answer["note"]
        elif answer["solver"] != "auto":
            assert [attempt["solver"] for attempt in answer["tried"]] == [answer["by"]]
        else:
            assert answer["by"] in [attempt["solver"] for attempt in answer["tried"]]


def test_solved_means_at_most_the_tolerance(vinci):
    for tolerance in ("1e-4", "1e-14"):
        done = vinci("solve", *CORPUS, "--solver", "all", "--tol", tolerance, "--json", code=None)
        for answer in lines(done):
            if answer["status"] == "solved":
                assert answer["residual"] <= float(tolerance), answer
            else:
                assert answer["status"] == "refused" or answer["residual"] > float(tolerance)


def test_one_bad_file_does_not_lose_the_others(vinci):
    (vinci.folder / "bad.h5").write_text("no HDF5")
    done = vinci("solve", CORPUS[0], "bad.h5", "missing.h5", CORPUS[1], "--json", code=2)
    answers = lines(done)
    assert [answer["status"] for answer in answers] == ["solved", "unreadable", "unreadable",
                                                        "solved"]
    assert all(list(answer) == KEYS for answer in answers)
    assert "bad.h5" in answers[1]["note"] and "missing.h5" in answers[2]["note"]
    done = vinci("solve", CORPUS[0], "bad.h5", CORPUS[1], code=2)
    assert "bad.h5" in done.stderr and done.stdout.count("solved") >= 2


def test_a_limit_of_time_ends_every_solver(vinci):
    limit = 1e-6  # s: passed before any solver is done
    answers = lines(vinci("solve", SOURCE / "problems" / "parts_rest.h5", "--solver", "all",
                          "--time-limit", limit, "--json", code=None))
    for answer in answers:
        assert answer["status"] in ("limit", "refused") or answer["status"] == "solved", answer
    assert "limit" in {answer["status"] for answer in answers}
    for bad in ("0", "-1", "soon"):
        assert "--time-limit" in vinci("solve", CORPUS[0], "--time-limit", bad, code=2).stderr


def test_the_table_shows_what_auto_tried(vinci):
    done = vinci("solve", SOURCE / "problems" / "stack_spatial.h5", "-v")
    head, answer, *tried = done.stdout.splitlines()
    assert head.split() == ["file", "class", "rows", "solver", "status", "residual", "iterations",
                            "cpu", "ms"]
    assert "auto" in answer and "solved" in answer and tried
    assert head.index("status") == answer.index("solved")
    assert all(line.startswith(" ") and len(line) > head.index("status") for line in tried)


def test_files_that_are_no_problems_and_unknown_solvers_are_bad_input(vinci):
    assert "scene.yaml" in vinci("solve", vinci.scene(BLOCK), code=2).stderr
    assert "did you mean 'lemke'" in vinci("solve", CORPUS[0], "--solver", "lemk", code=2).stderr
