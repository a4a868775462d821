// SPDX-License-Identifier: Apache-2.0
// Small linear equations, given by columns.

// Columns that depend on none before them: greedily the first ones, whatever their size. The others
// are returned: so many freedoms the equations leave, if the first columns are to follow.
export function freeColumns(columns: readonly (readonly number[])[]): number[] {
  const basis: number[][] = []; // orthonormal
  const free: number[] = [];
  columns.forEach((column, index) => {
    const rest = [...column];
    for (let twice = 0; twice < 2; ++twice)
      for (const one of basis) {
        const share = dot(one, rest);
        rest.forEach((_, i) => (rest[i] -= share * one[i]));
      }
    const [size, left] = [Math.sqrt(dot(column, column)), Math.sqrt(dot(rest, rest))];
    if (left > 1e-6 * size && left > 1e-9) basis.push(rest.map((value) => value / left));
    else free.push(index);
  });
  return free;
}

// x of the smallest Σ (A x − b)², the shortest of them: (AᵀA + ε) x = Aᵀb. A step of Newton's method,
// good to about 1e-6: the next one mends it.
export function leastSquares(columns: readonly (readonly number[])[], b: readonly number[]): number[] {
  const n = columns.length;
  const matrix = columns.map((column) => columns.map((other) => dot(column, other)));
  const right = columns.map((column) => dot(column, b));
  const trace = matrix.reduce((sum, row, i) => sum + row[i], 0);
  for (let i = 0; i < n; ++i) matrix[i][i] += 1e-10 * trace + Number.MIN_VALUE;
  // Cholesky's factors, then both substitutions.
  for (let j = 0; j < n; ++j) {
    for (let k = 0; k < j; ++k)
      for (let i = j; i < n; ++i) matrix[i][j] -= matrix[i][k] * matrix[j][k];
    const root = Math.sqrt(Math.max(matrix[j][j], Number.MIN_VALUE));
    for (let i = j; i < n; ++i) matrix[i][j] /= root;
  }
  for (let i = 0; i < n; ++i) {
    for (let k = 0; k < i; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let k = i + 1; k < n; ++k) right[i] -= matrix[k][i] * right[k];
    right[i] /= matrix[i][i];
  }
  return right;
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; ++i) sum += a[i] * b[i];
  return sum;
}
