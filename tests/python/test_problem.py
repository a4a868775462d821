# SPDX-License-Identifier: Apache-2.0
"""Problems built from NumPy and SciPy, and their solutions."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import vinci

FORMS = [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix,
         scipy.sparse.csr_array, lambda a: np.asfortranarray(a).tolist()]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_any_kind_of_matrix_is_the_same_problem(form: Any) -> None:
    W = np.array([[2.0, 0.5, 0.0], [0.5, 2.0, 0.0], [0.0, 0.0, 1.0]])
    problem = vinci.Problem.friction(form(W), [-1.0, 0.3, 0.1], 0.4)
    assert (problem.C.toarray() == W).all() and problem.C.nnz == 5
    assert problem.kind == "fc3d" and problem.blocks[0].friction == 0.4
    assert vinci.solve(problem).solved


def test_sums_of_entries_and_unsorted_rows_are_put_in_order() -> None:
    W = scipy.sparse.coo_matrix(([1.0, 1.0, 3.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert vinci.Problem.lcp(W, [1, 1]).C.toarray().tolist() == [[2, 0], [0, 3]]
    messy = scipy.sparse.csr_matrix(([5.0, 4.0, 3.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert vinci.Problem.lcp(messy, [1, 1]).C.toarray().tolist() == [[4, 5], [0, 3]]
    assert not messy.has_sorted_indices  # the caller's is left alone


def test_matrices_are_views_that_keep_their_problem(problems: Path) -> None:
    problem = vinci.Problem.load(problems / "stack_spatial.h5")
    J = problem.J
    assert isinstance(J, scipy.sparse.csr_matrix) and not J.data.flags.writeable
    assert J.data.__array_interface__["data"] == problem.J.data.__array_interface__["data"]
    del problem
    assert np.isfinite((J @ J.T).data).all()


def test_velocities_and_impulses_satisfy_the_equations(problems: Path) -> None:
    for file in sorted(problems.glob("*.h5")):
        problem = vinci.Problem.load(file)
        answer = vinci.solve(problem, tolerance=1e-9)
        if not answer.solved:
            assert answer.status == "no solution" and answer.certificate is not None, file
            continue
        M, J, C = problem.M, problem.J, problem.C
        scale = 1 + abs(problem.p).max(initial=0)
        assert M @ answer.u - J.T @ answer.impulse == pytest.approx(problem.p, abs=1e-9 * scale)
        w = J @ answer.u + C @ answer.impulse + problem.b
        assert answer.w == pytest.approx(w, abs=1e-9 * (1 + abs(w).max(initial=0)))
        assert answer.residual == float(vinci.residual(problem, answer.impulse))
        built = vinci.Problem(M=M, J=J, C=C, p=problem.p, b=problem.b, blocks=problem.blocks)
        again = vinci.solve(built, tolerance=1e-9)
        assert again.impulse.tobytes() == answer.impulse.tobytes(), file


def test_answers_are_those_of_the_program(problems: Path, program: str) -> None:
    files = sorted(problems.glob("*.h5"))
    for solver in ("auto", "lemke"):
        printed = subprocess.run([program, "solve", *files, "--solver", solver, "--json"],
                                 capture_output=True, text=True).stdout  # fmt: skip
        for file, line in zip(files, printed.splitlines()):
            theirs = json.loads(line)
            ours = vinci.solve(vinci.Problem.load(file), solver)
            assert ours.status == theirs["status"], file
            assert ours.iterations == theirs["iterations"], file
            if theirs["residual"] is not None:
                assert ours.residual == theirs["residual"], file


def test_files_read_back_the_same_in_the_exchange_format(tmp_path: Path, problems: Path) -> None:
    for file in problems.glob("*.h5"):
        problem = vinci.Problem.load(file)
        problem.save(tmp_path / "copy.h5", title="a copy")
        copies = [vinci.Problem.load(tmp_path / "copy.h5"), pickle.loads(pickle.dumps(problem))]
        for copy in copies:
            assert copy.kind == problem.kind
            assert (copy.J != problem.J).nnz == 0 and (copy.b == problem.b).all()
    with pytest.raises(vinci.Error, match="nothing.h5"):
        vinci.Problem.load("nothing.h5")


def test_scalar_problems_have_their_known_answers() -> None:
    assert vinci.solve(vinci.Problem.lcp([[2, 1], [1, 2]], [-5, -6])).impulse == pytest.approx(
        [4 / 3, 7 / 3])  # fmt: skip
    inf = np.inf
    mixed = vinci.Problem.mixed_lcp(np.eye(3), [-3, 2, -3], [-inf, 0, 0], [inf, inf, 1])
    assert [block.law for block in mixed.blocks] == ["equality", "nonnegative", "box"]
    assert vinci.solve(mixed).impulse.tolist() == [3, 0, 1]
    assert vinci.solve(vinci.Problem.relay(np.eye(2), [5, -0.5])).impulse.tolist() == [-1, 0.5]


def test_a_guess_and_options_are_used() -> None:
    problem = vinci.Problem.friction(np.eye(6) * 2, [-1, 0.5, 0, -2, 0, 0.1], [0.2, 0.4])
    answer = vinci.solve(problem, "gauss-seidel", tolerance=1e-12)
    for guess in (answer, answer.impulse, (answer.u, answer.impulse)):
        assert vinci.solve(problem, "gauss-seidel", guess=guess).iterations == 0
    limited = vinci.solve(problem, "gauss-seidel", max_iterations=0, polish=False)
    assert limited.status == "limit" and limited.iterations == 0


def test_an_lcp_without_solution_comes_with_its_proof() -> None:
    answer = vinci.solve(vinci.Problem.lcp([[0.0]], [-1.0]))
    assert answer.status == "no solution" and not answer.solved
    assert answer.certificate is not None and answer.certificate[0] > 0
    assert answer.note == "certificate checked" and answer.attempts


def test_all_solutions_of_a_small_problem_are_found() -> None:
    found = vinci.all_solutions(vinci.Problem.lcp(-np.eye(3), np.ones(3)))
    assert len(found) == 8 and found.complete and found.note == ""
    assert {tuple(one.impulse) for one in found} == set(np.ndindex(2, 2, 2))
    assert {one.dimension for one in found} == {0}
    with pytest.raises(vinci.Error, match="rows"):
        vinci.all_solutions(vinci.Problem.lcp(np.eye(99), np.ones(99)))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: vinci.Problem.lcp([[1, 2]], [1]), "M: is 1 x 2; accepted: 1 x 1"),
        (lambda: vinci.Problem.lcp([1.0], [1]), "M: has 1 dimensions; accepted: two"),
        (lambda: vinci.Problem.lcp([["a"]], [1]), "M: is not a matrix of real numbers"),
        (lambda: vinci.Problem.lcp(np.eye(1) * 1j, [1]), "M: is not a matrix of real numbers"),
        (lambda: vinci.Problem.lcp([[1], [2, 3]], [1]), "M: has rows of different lengths"),
        (lambda: vinci.Problem.lcp([[1]], [1j]), "q: is not an array of real numbers"),
        (lambda: vinci.Problem.lcp([[np.nan]], [1]), "problem: .*nan"),
        (lambda: vinci.Problem.lcp([[1]], [[1]]), "q: has 2 dimensions; accepted: one"),
        (lambda: vinci.Problem.friction(np.eye(4), np.ones(4), 0.1), "q: has 4 numbers; accepted"),
        (lambda: vinci.Problem.friction(np.eye(3), np.ones(3), -1), "problem: "),
        (lambda: vinci.Problem.friction(np.eye(3), np.ones(3), 1, 7), "dimension: is 7"),
        (lambda: vinci.Problem.mixed_lcp([[1]], [1], [0, 0], 1), "lower: has 2 numbers"),
        (lambda: vinci.Problem(b=[1], blocks=[]), "blocks: they cover 0 rows; b has 1"),
        (lambda: vinci.Problem(J=[[1]], b=[1], blocks=[vinci.Block("nonnegative")]), "J: is 1 x 1"),
        (lambda: vinci.Block("friction"), "law: unknown law 'friction'; accepted: equality"),
        (lambda: vinci.Block("coulomb", 0), "size: is 0"),
        (lambda: vinci.solve(vinci.Problem.lcp([[1]], [1]), "lemk"), "did you mean 'lemke'"),
        (lambda: vinci.solve(vinci.Problem.lcp([[1]], [1]), tolerance=-1), "tolerance: is -1"),
        (lambda: vinci.solve(vinci.Problem.lcp([[1]], [1]), time_limit=0), "time_limit: is 0"),
        (lambda: vinci.solve(vinci.Problem.lcp([[1]], [1]), guess=[1, 2]), "guess: has 2 impulses"),
        (lambda: vinci.solve(vinci.Problem.lcp([[1]], [1]), speed=3), "speed"),
        (lambda: vinci.residual(vinci.Problem.lcp([[1]], [1]), [1, 2]), "there are 2 impulses"),
    ],
)
def test_mistakes_are_told(make: Any, message: str) -> None:
    with pytest.raises(vinci.Error, match=message):
        make()
