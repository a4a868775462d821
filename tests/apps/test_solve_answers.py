# SPDX-License-Identifier: Apache-2.0
"""Answers of `vinci solve --solution`, judged again from the files alone."""
import json

import h5py
import numpy as np
import pytest

from conftest import SOURCE
from problem_residual import impulses, read_problem, residual

CORPUS = sorted((SOURCE / "problems").glob("*.h5"))


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def write_matrix(group, dense):
    rows, columns = np.nonzero(dense.T)  # by columns
    for name, value in (("m", dense.shape[0]), ("n", dense.shape[1]), ("nz", -1),
                        ("nzmax", len(rows))):
        group[name] = np.array([value], dtype=np.int32)
    group["p"] = np.concatenate([[0], np.cumsum(np.count_nonzero(dense, axis=0))]).astype(np.int32)
    group["i"] = columns.astype(np.int32)
    group["x"] = dense.T[rows, columns]


def write_scalar_problem(path, W, q, bounds=None, equalities=0):
    root = "lcp" if bounds is None else "mlcp"
    with h5py.File(path, "w") as file:
        write_matrix(file.create_group(root + "/M"), W)
        file[root + "/q"] = q
        if bounds is None:
            return
        file["mlcp/lb"], file["mlcp/ub"] = bounds
        file["mlcp/n_eq"] = np.array([equalities], dtype=np.int32)
        file["mlcp/n_comp"] = np.array([len(q) - equalities], dtype=np.int32)


def write_contact_problem(path, W, q, friction, size):
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local")
        write_matrix(group.create_group("W"), W)
        group["vectors/q"], group["vectors/mu"] = q, friction
        group["spacedim"] = np.array([size], dtype=np.int32)


def generated(folder):
    """One problem of each class without u, seeded."""
    random = np.random.default_rng(3)
    A = random.normal(size=(30, 20))
    W, q = A @ A.T, A @ random.normal(size=20) + random.uniform(0.0, 1.0, 30)
    infinite = np.full(30, np.inf)
    lower = np.zeros(30)
    lower[:8] = -np.inf
    write_scalar_problem(folder / "lcp.h5", W, q)
    write_scalar_problem(folder / "mlcp.h5", W + np.eye(30), q, (lower, infinite), 8)
    write_scalar_problem(folder / "relay.h5", W, q, (np.full(30, -0.5), np.full(30, 0.7)))
    free = A @ random.normal(size=20)
    write_contact_problem(folder / "fc2d.h5", W, free, np.full(15, 0.4), 2)
    write_contact_problem(folder / "fc3d.h5", W, free, random.uniform(0.0, 0.9, 10), 3)
    return [folder / f"{name}.h5" for name in ("lcp", "mlcp", "relay", "fc2d", "fc3d")]


def check(problem_file, answer_file, report):
    problem = read_problem(problem_file)
    with h5py.File(answer_file) as answer:
        x = impulses(answer)
        measured, v, w = residual(problem, x)
        assert answer.attrs["status"] == report["status"] == "solved"
        assert answer.attrs["solver"] == report["solver"]
        assert answer.attrs["source"] == str(problem_file)
        assert answer.attrs["tolerance"] == 1e-8
        assert answer.attrs["residual"] == report["residual"]
        assert measured <= 1e-8
        # The same number up to the rounding of w.
        assert measured == pytest.approx(report["residual"], rel=1e-3, abs=1e-11)
        near = {"rtol": 1e-7, "atol": 1e-9 * max(1.0, np.abs(w).max())}
        name = "u" if "r" in answer else "w"
        np.testing.assert_allclose(answer[name][:], w[:len(answer[name])], **near)
        if len(v):
            np.testing.assert_allclose(answer["v"][:], v, **near)


def test_the_corpus_has_answers_that_anyone_can_check(vinci):
    reports = lines(vinci("solve", *CORPUS, "--solution", "answers", "--json"))
    for report, file in zip(reports, CORPUS, strict=True):
        check(file, vinci.folder / "answers" / file.name, report)


def test_every_class_has_answers_that_anyone_can_check(vinci):
    files = generated(vinci.folder)
    reports = lines(vinci("solve", *files, "--solution", "answers", "--json"))
    assert [report["class"] for report in reports] == [file.stem for file in files]
    for report, file in zip(reports, files, strict=True):
        check(file, vinci.folder / "answers" / file.name, report)
    with h5py.File(vinci.folder / "answers/lcp.h5") as answer:
        assert set(answer) == {"z", "w"}
    with h5py.File(vinci.folder / "answers/fc3d.h5") as answer:
        assert set(answer) == {"r", "u"}


def test_all_solvers_store_an_answer_each(vinci):
    files = generated(vinci.folder)
    done = vinci("solve", files[0], "--solver", "all", "--solution", "answers", "--json")
    for report in lines(done):
        path = vinci.folder / f"answers/lcp.{report['solver']}.h5"
        assert path.exists() == (report["status"] != "refused")
        if report["status"] == "solved":
            check(files[0], path, report)


@pytest.mark.parametrize("solver", ["auto", "lemke"])
def test_a_problem_without_solution_has_a_certificate(vinci, solver):
    # w = (z1 - z2, z2 - z1) + (-1, -1): the sum of the two rows is -2.
    write_scalar_problem(vinci.folder / "none.h5", np.array([[1.0, -1.0], [-1.0, 1.0]]),
                         np.array([-1.0, -1.0]))
    report = lines(vinci("solve", "none.h5", "--solver", solver, "--solution", "answers", "--json",
                         code=1))[0]
    assert report["status"] == "no solution" and report["note"] == "certificate checked"
    W, q = read_problem(vinci.folder / "none.h5")[2], np.array([-1.0, -1.0])
    with h5py.File(vinci.folder / "answers/none.h5") as answer:
        y = answer["certificate"][:]
        assert answer.attrs["status"] == "no solution" and "z" not in answer
    assert (y >= 0).all() and (W.T @ y <= 1e-12).all() and q @ y < 0


def test_all_solutions_of_a_small_problem(vinci):
    # 0 <= z complementary to w = -z_2 + 1, -z_1 + 1 >= 0: (0, 0) and (1, 1) are the two solutions.
    write_scalar_problem(vinci.folder / "two.h5", np.array([[0.0, -1.0], [-1.0, 0.0]]), np.ones(2))
    report = lines(vinci("solve", "two.h5", "--all-solutions", "--solution", "answers", "--json"))[0]
    assert report["status"] == "solved" and report["complete"]
    assert sorted(one["lambda"] for one in report["solutions"]) == [[0.0, 0.0], [1.0, 1.0]]
    assert all(one["dimension"] == 0 for one in report["solutions"])
    for number in (1, 2):
        with h5py.File(vinci.folder / f"answers/two.{number}.h5") as answer:
            problem = read_problem(vinci.folder / "two.h5")
            assert residual(problem, answer["z"][:])[0] <= 1e-12
    assert vinci("solve", "two.h5", "--all-solutions").stdout.count("isolated") == 2
    write_scalar_problem(vinci.folder / "none.h5", np.zeros((1, 1)), -np.ones(1))
    report = lines(vinci("solve", "none.h5", "--all-solutions", "--json", code=1))[0]
    assert report["status"] == "no solution" and report["complete"] and not report["solutions"]
    done = vinci("solve", "two.h5", "--all-solutions", "--solver", "lemke", code=2)
    assert "--all-solutions" in done.stderr


def test_too_large_for_all_solutions_is_refused_in_words(vinci):
    write_scalar_problem(vinci.folder / "large.h5", np.eye(100), -np.ones(100))
    report = lines(vinci("solve", "large.h5", "--all-solutions", "--json", code=1))[0]
    assert report["status"] == "refused" and "100" in report["note"]


def test_two_inputs_of_one_name_are_refused(vinci):
    for name in ("a", "b"):
        (vinci.folder / name).mkdir()
        write_scalar_problem(vinci.folder / name / "p.h5", np.eye(2), np.ones(2))
    done = vinci("solve", "a/p.h5", "b/p.h5", "--solution", "answers", code=2)
    assert "a/p.h5" in done.stderr and "b/p.h5" in done.stderr and "same name" in done.stderr


def test_an_answer_replaces_answers_only(vinci):
    write_scalar_problem(vinci.folder / "p.h5", np.eye(2), np.ones(2))
    before = (vinci.folder / "p.h5").read_bytes()
    assert "no answer" in vinci("solve", "p.h5", "--solution", ".", code=2).stderr
    assert (vinci.folder / "p.h5").read_bytes() == before
    for _ in range(2):
        vinci("solve", "p.h5", "--solution", "answers")
    assert [path.name for path in (vinci.folder / "answers").iterdir()] == ["p.h5"]


def test_a_folder_that_cannot_be_made_is_told(vinci):
    write_scalar_problem(vinci.folder / "p.h5", np.eye(2), np.ones(2))
    (vinci.folder / "file").write_text("")
    assert "file" in vinci("solve", "p.h5", "--solution", "file", code=2).stderr
