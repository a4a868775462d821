# SPDX-License-Identifier: Apache-2.0
"""Matrices of any kind as compressed sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import Error


def rows(matrix: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """Starts, column indices (ascending in a row), values, rows and columns; exact zeros dropped
    from a dense matrix."""
    if hasattr(matrix, "tocsr"):
        if matrix.dtype.kind not in "biuf":
            raise Error("is not a matrix of real numbers", name)
        sparse = matrix.tocsr().astype(float).copy()
        sparse.sum_duplicates()
        starts, indices, values = sparse.indptr, sparse.indices, sparse.data
        height, width = sparse.shape
    else:
        try:
            dense = np.asarray(matrix)
        except ValueError:
            raise Error("has rows of different lengths", name) from None
        if dense.dtype.kind not in "biuf":
            raise Error("is not a matrix of real numbers", name)
        dense = dense.astype(float)
        if dense.ndim != 2:
            raise Error(f"has {dense.ndim} dimensions; accepted: two", name)
        height, width = dense.shape
        row, indices = np.nonzero(dense)
        values = dense[row, indices]
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=height))])
    most = np.iinfo(np.int32).max
    if max(height, width, len(values)) > most:
        raise Error(f"has more than {most} rows, columns or entries", name)
    return starts.astype(np.int32), indices.astype(np.int32), values, height, width
