// SPDX-License-Identifier: Apache-2.0
// Cases of a study as columns of numbers, in the order in which they were found.

export const statuses = ['good', 'ended', 'inexact', 'diverged', 'failed', 'timed_out', 'crashed'] as const;
export const verdicts = ['unknown', 'success', 'failure'] as const;
export const unknown = 0, success = 1, failure = 2; // places in that list

const magic = 0x31534e56; // "VNS1"
const headerBytes = 32;

export interface CaseBlock {
  generation: number; // another one: the study was begun anew
  first: number;
  rows: number;
  numbers: Uint32Array;
  designs: Uint32Array;
  columns: Float32Array[];
  statuses: Uint8Array;
  verdicts: Uint8Array;
  levels: Uint8Array;
}

// Every count is compared with the bytes that are there.
export function decodeCaseBlock(buffer: ArrayBuffer, columns: number): CaseBlock {
  if (buffer.byteLength < headerBytes) throw new Error('a block of cases is cut off');
  const [sign, version, generation, first, rows, wide] = new Uint32Array(buffer, 0, 8);
  if (sign !== magic || version !== 1) throw new Error('a block of cases cannot be read');
  if (wide !== columns) throw new Error('a block of cases has other columns than the study');
  if (buffer.byteLength !== headerBytes + rows * (11 + 4 * columns))
    throw new Error('a block of cases is damaged');
  let at = headerBytes;
  const next = <T>(make: (offset: number) => T, bytes: number): T => {
    const part = make(at);
    at += bytes;
    return part;
  };
  const words = () => next((offset) => new Uint32Array(buffer, offset, rows), 4 * rows);
  const bytes = () => next((offset) => new Uint8Array(buffer, offset, rows), rows);
  const numbers = words(), designs = words();
  const values = Array.from({ length: columns },
                            () => next((offset) => new Float32Array(buffer, offset, rows), 4 * rows));
  const block = { generation, first, rows, numbers, designs, columns: values,
                  statuses: bytes(), verdicts: bytes(), levels: bytes() };
  if (block.verdicts.some((verdict) => verdict >= verdicts.length) ||
      block.statuses.some((status) => status >= statuses.length))
    throw new Error('a block of cases is damaged');
  return block;
}

type Numbers = Uint32Array | Float32Array | Uint8Array;

function grown<T extends Numbers>(array: T, size: number): T {
  const larger = new (array.constructor as new (length: number) => T)(size);
  larger.set(array);
  return larger;
}

// The arrays may be longer than there are rows.
export class CaseTable {
  rows = 0;
  numbers = new Uint32Array(0);
  designs = new Uint32Array(0);
  columns: Float32Array[];
  statuses = new Uint8Array(0);
  verdicts = new Uint8Array(0);
  levels = new Uint8Array(0);
  private readonly places = new Map<number, number>(); // of case numbers

  constructor(columns: number) {
    this.columns = Array.from({ length: columns }, () => new Float32Array(0));
  }

  add(block: CaseBlock): void {
    if (block.first !== this.rows) throw new Error('blocks of cases came out of their order');
    this.reserve(this.rows + block.rows);
    this.numbers.set(block.numbers, this.rows);
    this.designs.set(block.designs, this.rows);
    this.columns.forEach((column, i) => column.set(block.columns[i], this.rows));
    this.statuses.set(block.statuses, this.rows);
    this.verdicts.set(block.verdicts, this.rows);
    this.levels.set(block.levels, this.rows);
    for (let i = 0; i < block.rows; ++i) this.places.set(block.numbers[i], this.rows + i);
    this.rows += block.rows;
  }

  // The row of a case; undefined where it is not there.
  rowOf(number: number): number | undefined {
    return this.places.get(number);
  }

  private reserve(rows: number): void {
    if (rows <= this.numbers.length) return;
    const size = Math.max(rows, 2 * this.numbers.length);
    this.numbers = grown(this.numbers, size);
    this.designs = grown(this.designs, size);
    this.columns = this.columns.map((column) => grown(column, size));
    this.statuses = grown(this.statuses, size);
    this.verdicts = grown(this.verdicts, size);
    this.levels = grown(this.levels, size);
  }
}
