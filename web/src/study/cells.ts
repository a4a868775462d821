// SPDX-License-Identifier: Apache-2.0
// Cells over one or two columns: how many cases lie in each, and what became of them.
import { failure, success, type CaseTable } from './table';

const mostValues = 64; // a column with no more of them has a cell for each

// One direction of a map: either the values that there are, or ranges of equal width.
export interface CellAxis {
  column: number;
  values: number[] | null; // ascending
  from: number; // of the ranges; of values the first and the last one
  to: number;
  count: number;
  place(value: number): number; // -1 where there is no such cell
  label(cell: number): [number, number]; // from, to; equal for a value
}

export function cellAxis(table: CaseTable, column: number, ranges: number): CellAxis {
  const numbers = table.columns[column];
  const found = new Set<number>();
  let from = Infinity, to = -Infinity;
  for (let i = 0; i < table.rows; ++i) {
    const value = numbers[i];
    if (!Number.isFinite(value)) continue;
    if (found.size <= mostValues) found.add(value);
    if (value < from) from = value;
    if (value > to) to = value;
  }
  if (found.size <= mostValues) {
    const values = [...found].sort((a, b) => a - b);
    const places = new Map(values.map((value, i) => [value, i]));
    return { column, values, from, to, count: values.length, place: (value) => places.get(value) ?? -1,
             label: (cell) => [values[cell], values[cell]] };
  }
  const width = (to - from) / ranges;
  return {
    column, values: null, from, to, count: ranges,
    place: (value) => Number.isFinite(value) ? Math.min(ranges - 1, Math.max(0, Math.floor((value - from) / width))) : -1,
    label: (cell) => [from + cell * width, from + (cell + 1) * width],
  };
}

export interface Cells {
  x: CellAxis;
  y: CellAxis | null;
  width: number;
  height: number;
  cases: Uint32Array; // cell x + width · y; those with an unknown verdict included
  successes: Uint32Array;
  failures: Uint32Array;
  designs: Uint32Array; // of the first case
  mixed: Uint8Array; // 1: not draws of one design, so that no interval holds
  means: Float64Array | null; // of the measure, where it is a number
}

// `shown`: rows that count, all of them without it. `isDraw`: whether the verdict of a row is one of
// its own, and not that of its whole design.
export function countCells(table: CaseTable, x: CellAxis, y: CellAxis | null, measure: number | null,
                           shown: Uint8Array | null, isDraw: (row: number) => boolean): Cells {
  const width = x.count, height = y ? y.count : 1, size = width * height;
  const cases = new Uint32Array(size), successes = new Uint32Array(size), failures = new Uint32Array(size);
  const mixed = new Uint8Array(size), designs = new Uint32Array(size);
  const sums = new Float64Array(size), measured = new Uint32Array(size);
  for (let i = 0; i < table.rows; ++i) {
    if (shown && shown[i] === 0) continue;
    const cell = cellOf(table, x, y, i);
    if (cell < 0) continue;
    if (cases[cell] === 0) designs[cell] = table.designs[i];
    if (table.designs[i] !== designs[cell] || !isDraw(i)) mixed[cell] = 1;
    ++cases[cell];
    if (table.verdicts[i] === success) ++successes[cell];
    else if (table.verdicts[i] === failure) ++failures[cell];
    if (measure === null) continue;
    const value = table.columns[measure][i];
    if (!Number.isFinite(value)) continue;
    sums[cell] += value;
    ++measured[cell];
  }
  const means = measure === null ? null : sums.map((sum, i) => sum / measured[i]);
  return { x, y, width, height, cases, successes, failures, designs, mixed, means };
}

// -1 where the row lies in none.
export function cellOf(table: CaseTable, x: CellAxis, y: CellAxis | null, row: number): number {
  const across = x.place(table.columns[x.column][row]);
  const up = y ? y.place(table.columns[y.column][row]) : 0;
  return across < 0 || up < 0 ? -1 : across + x.count * up;
}

// Rows of a cell, failures first: they are what one wants to see.
export function rowsOfCell(table: CaseTable, cells: Cells, cell: number, most: number): number[] {
  const failed: number[] = [], others: number[] = [];
  for (let i = 0; i < table.rows; ++i) {
    if (cellOf(table, cells.x, cells.y, i) !== cell) continue;
    (table.verdicts[i] === failure ? failed : others).push(i);
  }
  return [...failed, ...others].slice(0, most);
}

// Where a field over the centres of cells passes a level: pieces of straight lines, in cells. Values
// that are not numbers have no boundary.
export function boundary(field: ArrayLike<number>, width: number, height: number,
                         level: number): [number, number, number, number][] {
  const lines: [number, number, number, number][] = [];
  const at = (x: number, y: number) => field[x + width * y];
  for (let y = 0; y + 1 < height; ++y)
    for (let x = 0; x + 1 < width; ++x) {
      const corners: [number, number, number][] = [
        [x, y, at(x, y)], [x + 1, y, at(x + 1, y)], [x + 1, y + 1, at(x + 1, y + 1)], [x, y + 1, at(x, y + 1)]];
      if (corners.some(([, , value]) => !Number.isFinite(value))) continue;
      const crossings: [number, number][] = [];
      corners.forEach(([ax, ay, a], i) => {
        const [bx, by, b] = corners[(i + 1) % 4];
        if (a >= level === b >= level) return;
        const share = (level - a) / (b - a);
        crossings.push([ax + share * (bx - ax), ay + share * (by - ay)]);
      });
      for (let i = 0; i + 1 < crossings.length; i += 2)
        lines.push([...crossings[i], ...crossings[i + 1]]);
    }
  return lines;
}
