// SPDX-License-Identifier: Apache-2.0
// Curves for the plots: at most a couple of thousand points of a run, of its scalars, of one body, or
// of one contact.
import type { Overview, OverviewColumn } from './overview';
import type { RunSource } from './source';
import { partsOf, type JointColumns } from './joints';
import type { ContactKey, Contacts, JointJson } from './types';

export const seriesPoints = 2000;

export interface Series {
  time: number[]; // s, ascending
  values: (number | null)[][]; // one list per curve; null: no value there
}

// The smallest stride with which `frames` frames give no more than `points`.
export function strideFor(frames: number, points = seriesPoints): number {
  return Math.max(1, Math.ceil(frames / points));
}

// Columns of the overview in buckets: of each bucket the lowest and the highest value of each curve
// stay, so that a single bad step is seen in a long run.
export function overviewSeries(
    overview: Overview, curves: ((column: (name: OverviewColumn) => Float64Array) => Float64Array)[],
    points = seriesPoints): Series {
  const time = overview.column('time');
  const columns = curves.map((curve) => curve((name) => overview.column(name)));
  if (time.length <= points)
    return { time: Array.from(time), values: columns.map((c) => Array.from(c, finiteOrNull)) };
  const bucket = Math.ceil((2 * time.length) / points);
  const series: Series = { time: [], values: columns.map(() => []) };
  for (let begin = 0; begin < time.length; begin += bucket) {
    const end = Math.min(time.length, begin + bucket);
    series.time.push(time[begin], time[end - 1]);
    columns.forEach((column, c) => series.values[c].push(...extremes(column, begin, end)));
  }
  return series;
}

// Lowest and highest finite value of a stretch, in the order in which they come.
function extremes(column: Float64Array, begin: number, end: number): [number | null, number | null] {
  let low = -1, high = -1;
  for (let i = begin; i < end; ++i) {
    if (!Number.isFinite(column[i])) continue;
    if (low < 0 || column[i] < column[low]) low = i;
    if (high < 0 || column[i] > column[high]) high = i;
  }
  if (low < 0) return [null, null];
  return low <= high ? [column[low], column[high]] : [column[high], column[low]];
}

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

export interface BodySeries {
  position: Series; // x, y, z
  velocity: Series; // the packed entries of the body
}

export async function bodySeries(
    source: RunSource, body: number, signal?: AbortSignal): Promise<BodySeries> {
  const frames = source.description.frames;
  const stride = strideFor(frames);
  const moves = source.description.bodies[body].velocity_size > 0;
  const block = await source.frames(
      { first: 0, count: Math.ceil(frames / stride), stride, poses: body,
        velocities: moves ? body : 'none', contacts: 'none', joints: 'none' }, signal);
  const time = Array.from(block.time);
  const curve = (data: Float32Array, width: number, entry: number) =>
      time.map((_, i) => finiteOrNull(data[i * width + entry]));
  return {
    position: { time, values: [0, 1, 2].map((i) => curve(block.poses, 7, i)) },
    velocity: {
      time,
      values: Array.from({ length: block.entries }, (_, i) => curve(block.velocities, block.entries, i)),
    },
  };
}

export interface ContactSeries {
  gap: Series;
  impulse: Series; // normal, length of the tangential part
  usage: Series; // |tangential| / (mu normal): 1 at the edge of the cone
}

export async function contactSeries(
    source: RunSource, key: ContactKey, signal?: AbortSignal): Promise<ContactSeries> {
  const frames = source.description.frames;
  const stride = strideFor(frames);
  const block = await source.frames(
      { first: 0, count: Math.ceil(frames / stride), stride, poses: 'none', velocities: 'none',
        contacts: key, joints: 'none' }, signal);
  const time = Array.from(block.time);
  const { contacts, contactStart } = block;
  const curve = (value: (row: number) => number) => time.map((_, i) =>
      contactStart[i] < contactStart[i + 1] ? finiteOrNull(value(contactStart[i])) : null);
  const normal = (row: number) => contacts.impulse[row * 3];
  const tangential = (row: number) =>
      Math.hypot(contacts.impulse[row * 3 + 1], contacts.impulse[row * 3 + 2]);
  return {
    gap: { time, values: [curve((row) => contacts.gap[row])] },
    impulse: { time, values: [curve(normal), curve(tangential)] },
    usage: {
      time, values: [curve((row) => coneUsage(contacts, row))],
    },
  };
}

export interface JointSeries {
  position: Series; // one curve per coordinate
  rate: Series;
  motor: Series; // one curve per freedom
  friction: Series;
  limit: Series;
  force: Series; // x, y, z
  moment: Series;
}

export async function jointSeries(source: RunSource, columns: JointColumns, joint: JointJson,
                                  signal?: AbortSignal): Promise<JointSeries> {
  const frames = source.description.frames;
  const stride = strideFor(frames);
  const parts = partsOf(columns, joint);
  const all = Object.values(parts).flat().sort((a, b) => a - b);
  const block = await source.frames(
      { first: 0, count: Math.ceil(frames / stride), stride, poses: 'none', velocities: 'none',
        contacts: 'none', joints: all }, signal);
  const time = Array.from(block.time);
  const series = (part: number[]): Series => ({
    time,
    values: part.map((column) => {
      const at = all.indexOf(column);
      return time.map((_, i) => finiteOrNull(block.joints[i * all.length + at]));
    }),
  });
  return Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, series(part)])) as unknown as JointSeries;
}

// Some of the description's signals, ascending.
export async function signalSeries(source: RunSource, columns: number[], signal?: AbortSignal): Promise<Series> {
  const frames = source.description.frames;
  const stride = strideFor(frames);
  const block = await source.frames(
      { first: 0, count: Math.ceil(frames / stride), stride, poses: 'none', velocities: 'none',
        contacts: 'none', joints: 'none', signals: columns }, signal);
  const time = Array.from(block.time);
  return { time, values: columns.map((_, c) =>
      time.map((__, i) => finiteOrNull(block.signals[i * columns.length + c]))) };
}

// How much of its cone of friction, a circle or an ellipse, a contact uses. NaN without an impulse
// or without friction.
export function coneUsage(contacts: Contacts, row: number): number {
  const { impulse, friction, friction2 } = contacts;
  const normal = impulse[3 * row];
  if (!(normal > 0 && (friction[row] > 0 || friction2[row] > 0))) return NaN;
  const share = (force: number, mu: number) => (force === 0 ? 0 : force / (mu * normal));
  const first = share(impulse[3 * row + 1], friction[row]);
  const second = share(impulse[3 * row + 2], friction2[row]);
  return Math.sqrt(first * first + second * second);
}
