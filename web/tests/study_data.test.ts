// SPDX-License-Identifier: Apache-2.0
// What the page of a study computes: blocks of cases, intervals, cells, the boundary of success.
import { describe, expect, it } from 'vitest';
import { boundary, cellAxis, countCells, rowsOfCell } from '../src/study/cells';
import { designsOf } from '../src/study/designs';
import { isAnswerOfDesign, parseStudy, type LevelJson } from '../src/study/description';
import { intervalRule } from '../src/study/interval';
import { CaseTable, decodeCaseBlock } from '../src/study/table';

// A block as the server makes it (docs/viewer.md).
function encoded(first: number, rows: { values: number[]; verdict: number }[]): ArrayBuffer {
  const columns = rows[0].values.length;
  const buffer = new ArrayBuffer(32 + rows.length * (11 + 4 * columns));
  const view = new DataView(buffer);
  [0x31534e56, 1, 7, first, rows.length, columns].forEach((word, i) => view.setUint32(4 * i, word, true));
  let at = 32;
  rows.forEach((_, i) => view.setUint32(at + 4 * i, first + i, true));
  at += 8 * rows.length;
  for (let column = 0; column < columns; ++column, at += 4 * rows.length)
    rows.forEach((row, i) => view.setFloat32(at + 4 * i, row.values[column], true));
  at += rows.length;
  rows.forEach((row, i) => view.setUint8(at + i, row.verdict));
  return buffer;
}

function table(rows: { values: number[]; verdict: number }[]): CaseTable {
  const made = new CaseTable(rows[0].values.length);
  made.add(decodeCaseBlock(encoded(0, rows), rows[0].values.length));
  return made;
}

describe('blocks of cases', () => {
  it('fill a table in their order', () => {
    const made = new CaseTable(2);
    made.add(decodeCaseBlock(encoded(0, [{ values: [1, 2], verdict: 1 }, { values: [3, NaN], verdict: 2 }]), 2));
    made.add(decodeCaseBlock(encoded(2, [{ values: [5, 6], verdict: 0 }]), 2));
    expect([made.rows, [...made.columns[0].subarray(0, 3)], made.columns[1][1]]).toEqual([3, [1, 3, 5], NaN]);
    expect([made.rowOf(2), made.rowOf(9), made.verdicts[1]]).toEqual([2, undefined, 2]);
    expect(() => made.add(decodeCaseBlock(encoded(7, [{ values: [0, 0], verdict: 0 }]), 2))).toThrow(/order/);
  });

  it('are refused where bytes are missing or say what cannot be', () => {
    const good = encoded(0, [{ values: [1, 2], verdict: 1 }]);
    expect(() => decodeCaseBlock(good.slice(0, 40), 2)).toThrow(/damaged/);
    expect(() => decodeCaseBlock(good, 3)).toThrow(/columns/);
    expect(() => decodeCaseBlock(encoded(0, [{ values: [1, 2], verdict: 9 }]), 2)).toThrow(/damaged/);
    expect(() => decodeCaseBlock(new ArrayBuffer(4), 2)).toThrow(/cut off/);
  });
});

describe('intervals', () => {
  it('are Wilson’s and Clopper and Pearson’s, as tables have them', () => {
    const wilson = intervalRule(0.95, false)(8, 10), exact = intervalRule(0.95, true)(8, 10);
    expect(wilson.lower).toBeCloseTo(0.49016, 5);
    expect(wilson.upper).toBeCloseTo(0.94332, 5);
    expect(exact.lower).toBeCloseTo(0.44390, 5);
    expect(exact.upper).toBeCloseTo(0.97479, 5);
  });

  it('reach 0 and 1 where no case, or every case, succeeds', () => {
    for (const exact of [false, true]) {
      const none = intervalRule(0.9, exact)(0, 20), all = intervalRule(0.9, exact)(20, 20);
      expect([none.lower, all.upper]).toEqual([0, 1]);
      expect(none.upper).toBeCloseTo(1 - all.lower, 10);
    }
    expect(intervalRule(0.95, true)(0, 20).upper).toBeCloseTo(1 - 0.025 ** (1 / 20), 10);
  });

  it('say nothing without cases', () => {
    expect(intervalRule(0.95, false)(0, 0)).toEqual({ value: NaN, lower: 0, upper: 1 });
  });
});

describe('cells', () => {
  const rows = [0, 0, 1, 1, 1].map((x, i) => ({ values: [x, i % 2, i], verdict: i === 4 ? 0 : i % 2 === 0 ? 1 : 2 }));

  it('stand for the values that there are, and count what became of their cases', () => {
    const made = table(rows);
    const x = cellAxis(made, 0, 20), y = cellAxis(made, 1, 20);
    const cells = countCells(made, x, y, 2, null, () => true);
    expect([cells.width, cells.height]).toEqual([2, 2]);
    expect([...cells.cases]).toEqual([1, 2, 1, 1]);
    expect([...cells.successes]).toEqual([1, 1, 0, 0]);
    expect([...cells.failures]).toEqual([0, 0, 1, 1]);
    expect([...cells.means!]).toEqual([0, 3, 1, 3]);
    expect(rowsOfCell(made, cells, 1, 9)).toEqual([2, 4]);
  });

  it('are ranges where there are many values, the last one closed', () => {
    const made = table(Array.from({ length: 101 }, (_, i) => ({ values: [i / 100], verdict: 1 })));
    const axis = cellAxis(made, 0, 10);
    expect([axis.values, axis.count, axis.place(0), axis.place(1), axis.place(NaN)]).toEqual([null, 10, 0, 9, -1]);
    expect(axis.label(3)[0]).toBeCloseTo(0.3, 6);
  });

  it('count the chosen cases alone', () => {
    const made = table(rows);
    const cells = countCells(made, cellAxis(made, 0, 20), null, null, Uint8Array.from([1, 0, 0, 1, 0]), () => true);
    expect([...cells.cases]).toEqual([1, 1]);
  });
});

describe('the report’s designs', () => {
  it('are those that have a probability', () => {
    const verdicts = { successes: 1, failures: 19, unknown: 0 };
    const probability = { value: 0.05, lower: 0.001, upper: 0.2 };
    const designs = designsOf({ designs: [{ design: 4, verdicts, probability }, { design: 5, verdicts, probability: null }, {}] });
    expect([...designs.keys()]).toEqual([4]);
    expect(designs.get(4)).toEqual({ verdicts, probability });
    expect(designsOf({}).size).toBe(0);
  });
});

describe('intervals of cells', () => {
  const level = (per_design: boolean, rejects = true): LevelJson =>
    ({ name: '', rejects, confirms: true, per_design, unknown: 0, successes: 0, failures: 0, steps: 0, timed: 0, cpu_seconds: 0 });

  it('are of draws of one design, not of several', () => {
    const made = table([0, 0, 1].map((x) => ({ values: [x], verdict: 1 })));
    made.designs.set([0, 1, 1]);
    const cells = countCells(made, cellAxis(made, 0, 20), null, null, null, () => true);
    expect([...cells.mixed]).toEqual([1, 0]);
    expect([...countCells(made, cellAxis(made, 0, 20), null, null, null, (row) => row < 2).mixed]).toEqual([1, 1]);
  });

  it('are none where a level that sees the design alone has answered for all', () => {
    const levels = [level(true), level(false)];
    expect(isAnswerOfDesign(levels, 0, 2)).toBe(true);
    expect(isAnswerOfDesign(levels, 1, 2)).toBe(false);
    expect(isAnswerOfDesign(levels, 1, 1)).toBe(false);
    expect(isAnswerOfDesign([level(false), level(true)], 1, 2)).toBe(true);
    expect(isAnswerOfDesign([level(true)], 0, 1)).toBe(true);
  });

  it('of all cases are withheld with a reason', () => {
    const found = parseStudy({ generation: 1, cases: 3, rows: 3, rounds: 1, confidence: 0.95, cell_confidence: 0.95, successes: 1, failures: 2,
      unknown: 0, probability: null, withheld: 'there are 3 designs, each with its own', draws: true,
      parameters: [], measures: [], levels: [] });
    expect([found.probability, found.withheld, found.draws]).toEqual([null, 'there are 3 designs, each with its own', true]);
  });
});

describe('the boundary', () => {
  it('passes where a plane has the level', () => {
    const field = Float64Array.from({ length: 20 }, (_, i) => (i % 5) / 4); // 5 wide, rises with x
    const lines = boundary(field, 5, 4, 0.625);
    expect(lines.length).toBe(3);
    for (const [ax, , bx] of lines) expect([ax, bx]).toEqual([2.5, 2.5]);
  });

  it('leaves out cells without cases', () => {
    const field = [0, 1, NaN, 1];
    expect(boundary(field, 2, 2, 0.5)).toEqual([]);
  });
});
