// SPDX-License-Identifier: Apache-2.0
// Never trusts a size or an index that it has not compared with what the file holds.
#include "vinci/complementarity/stored_matrix.h"

#include <algorithm>

#include <fmt/format.h>

namespace vinci {
namespace {

// A group as it lies in the file.
struct Stored {
  int m = 0, n = 0, nz = 0;
  std::vector<int> p, i;
  VectorX x;

  bool is_triplets() const { return nz >= 0; }
  bool is_columns() const { return nz == -1; }
  int majors() const { return is_columns() ? n : m; }
};

// The entries of a group whose lists are long enough for them.
std::size_t checked_count(const Hdf5File& file, const std::string& group, const Stored& stored) {
  const auto expect = [&](const char* list, std::size_t found, std::size_t expected) {
    if (found < expected)
      file.fail(group + list, fmt::format("{} numbers, expected {}", found, expected));
  };
  std::size_t count = static_cast<std::size_t>(std::max(stored.nz, 0));
  if (stored.is_triplets()) {
    expect("/p", stored.p.size(), count);
  } else {
    const auto majors = static_cast<std::size_t>(stored.majors());
    expect("/p", stored.p.size(), majors + 1);
    for (std::size_t k = 0; k < majors; ++k)
      if (stored.p[k] < 0 || stored.p[k + 1] < stored.p[k] || (k == 0 && stored.p[0] != 0))
        file.fail(group + "/p", fmt::format("does not ascend from 0 at entry {}", k + 1));
    count = static_cast<std::size_t>(stored.p[majors]);
  }
  expect("/i", stored.i.size(), count);
  expect("/x", static_cast<std::size_t>(stored.x.size()), count);
  return count;
}

void write_group(Hdf5File& file, const std::string& group, const SparseRows& shape, int nz,
                 const SparseRows& majors) {
  file.write_integer(group + "/m", shape.rows);
  file.write_integer(group + "/n", shape.cols);
  file.write_integer(group + "/nz", nz);
  file.write_integer(group + "/nzmax", static_cast<int>(majors.indices.size()));
  file.write_integers(group + "/p", majors.starts);
  file.write_integers(group + "/i", majors.indices);
  file.write_reals(group + "/x",
                   Eigen::Map<const VectorX>(majors.values.data(), std::ssize(majors.values)));
}

}  // namespace

SparseRows read_matrix(const Hdf5File& file, const std::string& group, int rows, int cols) {
  Stored stored{file.integer(group + "/m"),
                file.integer(group + "/n"),
                file.integer(group + "/nz"),
                {},
                {},
                {}};
  if (stored.m != rows || stored.n != cols)
    file.fail(group, fmt::format("is {} x {}, expected {} x {}", stored.m, stored.n, rows, cols));
  if (stored.nz < -2)
    file.fail(group + "/nz", fmt::format("{}, expected -2, -1 or a count", stored.nz));
  stored.p = file.integers(group + "/p");
  stored.i = file.integers(group + "/i");
  stored.x = file.reals(group + "/x");
  const std::size_t count = checked_count(file, group, stored);
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(count);
  const auto add = [&](int row, int col, std::size_t k) {
    if (row < 0 || row >= rows || col < 0 || col >= cols)
      file.fail(group,
                fmt::format("entry {} lies at ({}, {}), outside {} x {}", k, row, col, rows, cols));
    entries.emplace_back(row, col, stored.x[static_cast<Eigen::Index>(k)]);
  };
  if (stored.is_triplets())
    for (std::size_t k = 0; k < count; ++k) add(stored.p[k], stored.i[k], k);
  else
    for (int major = 0; major < stored.majors(); ++major)
      for (std::size_t k = stored.p[major]; k < static_cast<std::size_t>(stored.p[major + 1]); ++k)
        stored.is_columns() ? add(stored.i[k], major, k) : add(major, stored.i[k], k);
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return SparseRows::from(matrix);
}

void write_matrix_rows(Hdf5File& file, const std::string& group, const SparseRows& matrix) {
  write_group(file, group, matrix, -2, matrix);
}

void write_matrix_columns(Hdf5File& file, const std::string& group, const SparseRows& matrix) {
  // The rows of the transposed matrix are the columns of this one.
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> transposed = matrix.view().transpose();
  write_group(file, group, matrix, -1, SparseRows::from(transposed));
}

}  // namespace vinci
