// SPDX-License-Identifier: Apache-2.0
// Lengths that read well, and the scale of force arrows.

// The largest of ..., 1, 2, 5, 10, 20, 50, ... that is not beyond `limit` (> 0).
export function niceLength(limit: number): number {
  const decade = 10 ** Math.floor(Math.log10(limit));
  const step = [5, 2, 1].find((factor) => factor * decade <= limit * (1 + 1e-12)) ?? 1;
  return Number((step * decade).toPrecision(1));
}

const units: readonly [least: number, size: number, name: string][] = [
  [1e3, 1e3, 'km'],
  [1, 1, 'm'],
  [1e-2, 1e-2, 'cm'],
  [1e-3, 1e-3, 'mm'],
  [1e-6, 1e-6, 'µm'],
  [0, 1e-9, 'nm'],
];

// "5 cm" for 0.05 (m).
export function lengthText(metres: number): string {
  const [, size, name] = units.find(([least]) => metres >= least * (1 - 1e-9))!;
  return `${Number((metres / size).toPrecision(3))} ${name}`;
}

// Counts positive numbers by size, a quarter of an octave a bin, and knows their quantiles to that.
export class LogHistogram {
  private static readonly perOctave = 4;
  private static readonly bins = 960; // from 2^-120 to 2^120
  private readonly counts = new Uint32Array(LogHistogram.bins);
  private total = 0;

  get count(): number {
    return this.total;
  }

  clear(): void {
    if (this.total > 0) this.counts.fill(0);
    this.total = 0;
  }

  add(value: number): void {
    if (!(value > 0 && value < Infinity)) return;
    const bin = Math.round(LogHistogram.perOctave * Math.log2(value)) + LogHistogram.bins / 2;
    this.counts[Math.min(Math.max(bin, 0), LogHistogram.bins - 1)] += 1;
    this.total += 1;
  }

  // 0 when nothing was added.
  quantile(share: number): number {
    if (this.total === 0) return 0;
    const wanted = Math.max(1, Math.ceil(share * this.total));
    let bin = 0;
    for (let sum = this.counts[0]; sum < wanted; sum += this.counts[bin]) ++bin;
    return 2 ** ((bin - LogHistogram.bins / 2) / LogHistogram.perOctave);
  }
}

// The force that is drawn at the reference length. It is a robust maximum: of a frame the force
// that 95 of 100 contacts stay below, of all frames seen the value that three of four stay below, so
// that impacts do not shrink all other arrows. It moves a little with each new frame, the less the
// more were seen, and not while the same frame is drawn again.
export class ForceReference {
  private readonly frame = new LogHistogram();
  private readonly frames = new LogHistogram();
  private reference = 0; // N; 0: no force seen yet

  clear(): void {
    this.frames.clear();
    this.reference = 0;
  }

  beginFrame(): void {
    this.frame.clear();
  }

  add(force: number): void {
    this.frame.add(force);
  }

  endFrame(): void {
    this.frames.add(this.frame.quantile(0.95));
    const target = this.frames.quantile(0.75);
    if (!(target > 0)) return;
    if (!(this.reference > 0)) this.reference = target;
    const step = (target / this.reference) ** Math.max(0.08, 1 / this.frames.count);
    const largest = 1 + 10 / this.frames.count + 0.1;
    this.reference *= Math.min(Math.max(step, 1 / largest), largest);
  }

  get force(): number {
    return this.reference;
  }
}

// Arrows keep in proportion up to this many reference lengths; longer ones are cut, and marked so.
export const longestArrow = 3;
