// SPDX-License-Identifier: Apache-2.0
// Sparse matrices as the groups that FCLib writes: m, n, nz, p, i, x.
#pragma once

#include <string>

#include "vinci/linear/sparse_rows.h"
#include "vinci/storage/hdf5_file.h"

namespace vinci {

// Compressed columns (nz = −1), compressed rows (−2) or triplets (nz >= 0, p rows, i columns;
// repeated entries add up). Throws Error naming file and dataset where they are not such a matrix
// of this size.
SparseRows read_matrix(const Hdf5File& file, const std::string& group, int rows, int cols);
void write_matrix_columns(Hdf5File& file, const std::string& group, const SparseRows& matrix);
void write_matrix_rows(Hdf5File& file, const std::string& group, const SparseRows& matrix);

}  // namespace vinci
