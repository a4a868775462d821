// SPDX-License-Identifier: Apache-2.0
// How joints look, one freedom at a time, in the frame of a pen whose x is the axis. A coordinate is a
// hand on a dial or a slide on a bar; limits end the dial or the bar.
import type { JointFreedom } from '../data/types';
import type { Pen } from './elements';

export interface Ink {
  pen: Pen;
  use(part: 'axis' | 'range' | 'hand' | 'stop' | 'effort'): void; // chooses colour and width
  size: number; // m: radius of dials
  sides: number; // of a whole turn
  planar: boolean;
}

const fullTurn = 2 * Math.PI;

function arc({ pen, sides }: Ink, x: number, radius: number, from: number, to: number): void {
  const steps = Math.max(2, Math.ceil((sides * Math.abs(to - from)) / fullTurn));
  pen.move(x, radius * Math.cos(from), radius * Math.sin(from));
  for (let i = 1; i <= steps; ++i) {
    const angle = from + ((to - from) * i) / steps;
    pen.line(x, radius * Math.cos(angle), radius * Math.sin(angle));
  }
}

function spoke({ pen }: Ink, x: number, angle: number, from: number, to: number): void {
  pen.move(x, from * Math.cos(angle), from * Math.sin(angle));
  pen.line(x, to * Math.cos(angle), to * Math.sin(angle));
}

// Whether a coordinate is at one of its limits, to what can be seen.
export function isAtLimit(q: number, { lower, upper }: JointFreedom, reach: number): boolean {
  return (lower !== null && q - lower < 1e-3 * reach) || (upper !== null && upper - q < 1e-3 * reach);
}

export function drawAxis({ pen, use, size, planar }: Ink, x = 0): void {
  if (planar) return;
  use('axis');
  pen.move(x - size, 0, 0);
  pen.line(x + size, 0, 0);
}

// `x`: where on the axis.
export function drawDial(ink: Ink, x: number, q: number, freedom: JointFreedom): void {
  const { use, size } = ink;
  const { lower, upper } = freedom;
  use('range');
  const whole = lower === null || upper === null || upper - lower >= fullTurn;
  if (whole) arc(ink, x, size, 0, fullTurn);
  else arc(ink, x, size, lower, upper);
  const stopped = isAtLimit(q, freedom, 1);
  use(stopped ? 'stop' : 'range');
  for (const limit of [lower, upper])
    if (limit !== null && !whole) spoke(ink, x, limit, 0.75 * size, 1.15 * size);
  use(stopped ? 'stop' : 'hand');
  spoke(ink, x, q, 0, size);
}

export function drawBar(ink: Ink, q: number, freedom: JointFreedom): void {
  const { pen, use, size } = ink;
  const { lower, upper } = freedom;
  const [begin, end] = [lower ?? Math.min(q, upper ?? q) - 2 * size, upper ?? Math.max(q, lower ?? q) + 2 * size];
  const stopped = isAtLimit(q, freedom, Math.max(end - begin, size));
  use('range');
  pen.move(begin, 0, 0);
  pen.line(end, 0, 0);
  use(stopped ? 'stop' : 'range');
  for (const [x, limit, inwards] of [[begin, lower, 1], [end, upper, -1]] as const) {
    pen.move(x + (limit === null ? 0.3 * inwards * size : 0), -0.3 * size, 0);
    pen.line(x, 0, 0);
    pen.line(x + (limit === null ? 0.3 * inwards * size : 0), 0.3 * size, 0);
  }
  use(stopped ? 'stop' : 'hand');
  const [a, b] = [0.18 * size, 0.3 * size];
  pen.move(q - a, -b, 0);
  for (const [x, y] of [[a, -b], [a, b], [-a, b], [-a, -b]]) pen.line(q + x, y, 0);
}

// An arrow around the axis, all the way round at the largest effort.
export function drawTurningEffort(ink: Ink, x: number, share: number): void {
  const { pen, use, size } = ink;
  const sweep = 1.7 * Math.PI * Math.max(-1, Math.min(1, share));
  if (Math.abs(sweep) < 0.02) return;
  use('effort');
  const radius = 1.35 * size;
  const start = Math.PI / 2 - sweep / 2;
  arc(ink, x, radius, start, start + sweep);
  const tip = start + sweep;
  const back = tip - Math.sign(sweep) * Math.min(0.3, 0.6 * Math.abs(sweep));
  for (const away of [0.8, 1.2]) {
    pen.move(x, radius * Math.cos(tip), radius * Math.sin(tip));
    pen.line(x, away * radius * Math.cos(back), away * radius * Math.sin(back));
  }
}

export function drawShiftingEffort({ pen, use, size }: Ink, q: number, share: number): void {
  const length = 2.5 * size * Math.max(-1, Math.min(1, share));
  if (Math.abs(length) < 0.02 * size) return;
  use('effort');
  const [y, tip] = [0.55 * size, q + length];
  pen.move(q, y, 0);
  pen.line(tip, y, 0);
  const back = tip - Math.sign(length) * Math.min(0.35 * size, 0.6 * Math.abs(length));
  for (const side of [1, -1]) {
    pen.move(tip, y, 0);
    pen.line(back, y + 0.2 * side * size, 0);
  }
}

// Two windings about the axis.
export function drawThread({ pen, use, size, sides }: Ink): void {
  use('range');
  const turns = 3;
  for (let i = 0; i <= turns * sides; ++i) {
    const angle = (fullTurn * i) / sides;
    const x = size * ((2 * i) / (turns * sides) - 1);
    const [y, z] = [0.3 * size * Math.cos(angle), 0.3 * size * Math.sin(angle)];
    if (i === 0) pen.move(x, y, z);
    else pen.line(x, y, z);
  }
}

export function drawRing(ink: Ink, radius: number): void {
  ink.use('range');
  arc(ink, 0, radius, 0, fullTurn);
}

// Across the axis.
export function drawSquare({ pen, use, size }: Ink): void {
  use('range');
  const half = 0.8 * size;
  pen.move(0, -half, -half);
  for (const [y, z] of [[half, -half], [half, half], [-half, half], [-half, -half]]) pen.line(0, y, z);
}
