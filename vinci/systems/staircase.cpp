// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/staircase.h"

#include <cmath>

#include <Eigen/SVD>

namespace vinci {

namespace {

// An orthogonal Q whose first `rank` columns span the range of a matrix.
struct Range {
  MatrixX turn;
  int rank = 0;
};

Range range_of(const MatrixX& matrix, double least) {
  Range range;
  if (matrix.rows() == 0 || matrix.cols() == 0) {
    range.turn = MatrixX::Identity(matrix.rows(), matrix.rows());
    return range;
  }
  const Eigen::JacobiSVD<MatrixX> svd(matrix, Eigen::ComputeFullU);
  const VectorX& values = svd.singularValues();
  while (range.rank < values.size() && values[range.rank] > least) ++range.rank;
  range.turn = svd.matrixU();
  return range;
}

// The size that inputs and outputs are brought to before ranks are decided: that of A.
double size_of(const MatrixX& a) {
  const double size = a.size() > 0 ? a.norm() : 0.0;
  return size > 0.0 ? size : 1.0;
}

// Powers of two that bring the columns of [top; bottom] to about that size.
VectorX column_scales(const MatrixX& top, const MatrixX& bottom, double size) {
  VectorX scales = VectorX::Ones(top.cols());
  for (Eigen::Index i = 0; i < top.cols(); ++i) {
    const double norm = std::hypot(top.col(i).norm(), bottom.col(i).norm());
    if (!(norm > 0.0)) continue;
    int power = 0;
    std::frexp(size / norm, &power);
    scales[i] = std::ldexp(1.0, power);
  }
  return scales;
}

// One half of the reduction: outputs are turned so that D has full row rank, and states that the
// other outputs fix at zero are taken out, until nothing is left to do.
void take_out_fixed_states(PlainPart& part, double least) {
  while (true) {
    const Range range = range_of(part.d, least);
    const Eigen::Index outputs = part.d.rows() - range.rank;
    const MatrixX c = range.turn.transpose() * part.c;
    const MatrixX d = (range.turn.transpose() * part.d).topRows(range.rank);
    const Range fixed = range_of(c.bottomRows(outputs).transpose(), least);
    if (fixed.rank == 0) {
      part.c = c.topRows(range.rank);
      part.d = d;
      return;
    }
    // States as seen along the fixed directions first, then the others.
    const Eigen::Index rest = part.a.rows() - fixed.rank;
    const MatrixX gone = fixed.turn.leftCols(fixed.rank), kept = fixed.turn.rightCols(rest);
    MatrixX new_c(range.rank + fixed.rank, rest), new_d(range.rank + fixed.rank, part.d.cols());
    new_c << c.topRows(range.rank) * kept, gone.transpose() * part.a * kept;
    new_d << d, gone.transpose() * part.b;
    part.a = kept.transpose() * part.a * kept;
    part.b = kept.transpose() * part.b;
    part.c = new_c;
    part.d = new_d;
  }
}

void transpose(PlainPart& part) {
  const MatrixX b = part.b.transpose(), d = part.d.transpose();
  part.a.transposeInPlace();
  part.b = part.c.transpose();
  part.c = b;
  part.d = d;
}

}  // namespace

int to_staircase(LinearSystem& system, double tolerance) {
  const int n = system.state_count();
  const double size = size_of(system.a), least = tolerance * size;
  int reached = 0;
  // The directions into which the last ones lead, among the states that are not reached yet.
  MatrixX into = system.b * column_scales(system.b, MatrixX(0, system.b.cols()), size).asDiagonal();
  while (reached < n && into.cols() > 0) {
    const Range range = range_of(into, least);
    if (range.rank == 0) break;
    const int rest = n - reached;
    const MatrixX& turn = range.turn;
    system.a.bottomRows(rest) = (turn.transpose() * system.a.bottomRows(rest)).eval();
    system.a.rightCols(rest) = (system.a.rightCols(rest) * turn).eval();
    system.b.bottomRows(rest) = (turn.transpose() * system.b.bottomRows(rest)).eval();
    system.c.rightCols(rest) = (system.c.rightCols(rest) * turn).eval();
    const int before = reached;
    reached += range.rank;
    into = system.a.block(reached, before, n - reached, range.rank);
  }
  return reached;
}

LinearSystem leading(const LinearSystem& system, int states) {
  return {system.a.topLeftCorner(states, states), system.b.topRows(states),
          system.c.leftCols(states), system.d, system.sample};
}

LinearSystem transposed(const LinearSystem& system) {
  return {system.a.transpose(), system.c.transpose(), system.b.transpose(), system.d.transpose(),
          system.sample};
}

PlainPart plain_part(const LinearSystem& system, double tolerance) {
  // Scales of inputs and outputs move no zero.
  const double size = size_of(system.a), least = tolerance * size;
  PlainPart part = {system.a, system.b, system.c, system.d};
  const VectorX inputs = column_scales(part.b, part.d, size);
  part.b *= inputs.asDiagonal();
  part.d *= inputs.asDiagonal();
  const VectorX outputs = column_scales(part.c.transpose(), part.d.transpose(), size);
  part.c = outputs.asDiagonal() * part.c;
  part.d = outputs.asDiagonal() * part.d;
  take_out_fixed_states(part, least);
  transpose(part);
  take_out_fixed_states(part, least);
  transpose(part);
  part.normal_rank = static_cast<int>(part.d.rows());
  return part;
}

}  // namespace vinci
