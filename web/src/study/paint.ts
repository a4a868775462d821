// SPDX-License-Identifier: Apache-2.0
// What the drawings of a study share: colours, axes, and canvases that are as sharp as the screen.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Theme } from '../palette';
import { number } from '../ui/format';

// Of unknown, success, failure: told apart by colour-blind people, too.
export const verdictColours: Record<Theme, readonly [string, string, string]> = {
  light: ['#8b939c', '#1f77b4', '#d1572a'],
  dark: ['#8b95a1', '#6db3f2', '#f08a5d'],
};

// From dark blue over green to yellow: lightness rises evenly, so that it reads in grey as well.
const scale = [[68, 1, 84], [70, 50, 127], [54, 92, 141], [39, 127, 142], [31, 161, 135],
               [74, 194, 109], [159, 218, 58], [253, 231, 37]];

export function shade(share: number): string {
  const place = Math.min(1, Math.max(0, share)) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(place)), part = place - low;
  return `rgb(${scale[low].map((value, i) => Math.round(value + part * (scale[low + 1][i] - value))).join(' ')})`;
}

export function rgb(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export interface Ink {
  text: string;
  muted: string;
  line: string;
  strong: string;
  panel: string;
  accent: string;
}

export function ink(): Ink {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return { text: of('--text'), muted: of('--muted'), line: of('--line'), strong: of('--line-strong'),
           panel: of('--raised'), accent: of('--accent') };
}

export interface Sheet {
  pen: CanvasRenderingContext2D;
  width: number; // CSS pixels
  height: number;
  ratio: number; // device pixels each
}

// The canvas, cleared, with lengths in CSS pixels. Null while it has no size.
export function sheetOf(canvas: HTMLCanvasElement): Sheet | null {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const pen = canvas.getContext('2d');
  if (!pen || width < 20 || height < 20) return null;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0]) canvas.width = size[0];
  if (canvas.height !== size[1]) canvas.height = size[1];
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  pen.font = `${0.86 * parseFloat(style.fontSize)}px ${style.fontFamily}`;
  return { pen, width, height, ratio };
}

// Draws anew when the size of the host changes.
export class Resized implements ReactiveController {
  private readonly observer: ResizeObserver;

  constructor(private readonly host: ReactiveControllerHost & Element) {
    this.observer = new ResizeObserver(() => host.requestUpdate());
    host.addController(this);
  }

  hostConnected(): void {
    this.observer.observe(this.host);
  }

  hostDisconnected(): void {
    this.observer.disconnect();
  }
}

// Round numbers between two ends, about so many.
export function ticks(from: number, to: number, wanted: number): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return Number.isFinite(from) ? [from] : [];
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((it) => it >= raw) ?? 10 * power;
  const found: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * span; ++i) found.push(i * step);
  return found;
}

export function tickText(value: number, span: number): string {
  return number(Math.abs(value) < 1e-9 * span ? 0 : value, 6).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

// The place of a drawing within its axes.
export interface Frame {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Ticks {
  at: number; // px
  text: string;
}

// Lines around a drawing, ticks below and left of it, and the names of both directions.
export function drawAxes({ pen }: Sheet, frame: Frame, x: Ticks[], y: Ticks[], names: [string, string],
                         colours: Ink): void {
  pen.strokeStyle = colours.strong;
  pen.lineWidth = 1;
  pen.strokeRect(frame.left - 0.5, frame.top - 0.5, frame.right - frame.left + 1, frame.bottom - frame.top + 1);
  pen.fillStyle = colours.muted;
  pen.textBaseline = 'top';
  pen.textAlign = 'center';
  let free = -Infinity;
  for (const { at, text } of x) {
    const half = pen.measureText(text).width / 2;
    if (at - half < free) continue;
    pen.fillText(text, at, frame.bottom + 5);
    free = at + half + 8;
  }
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  let above = Infinity;
  for (const { at, text } of [...y].sort((a, b) => b.at - a.at)) {
    if (at + 7 > above) continue;
    pen.fillText(text, frame.left - 6, at);
    above = at - 9;
  }
  pen.fillStyle = colours.text;
  pen.textAlign = 'center';
  pen.textBaseline = 'bottom';
  pen.fillText(names[0], (frame.left + frame.right) / 2, frame.bottom + 36);
  pen.save();
  pen.translate(13, (frame.top + frame.bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.textBaseline = 'middle';
  pen.fillText(names[1], 0, 0);
  pen.restore();
}

// The least and the greatest number of a column, a little apart where they are equal.
export function extent(values: Float32Array, rows: number): [number, number] {
  let from = Infinity, to = -Infinity;
  for (let i = 0; i < rows; ++i) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    if (value < from) from = value;
    if (value > to) to = value;
  }
  if (from > to) return [0, 1];
  if (from === to) return [from - (Math.abs(from) || 1) * 0.5, to + (Math.abs(to) || 1) * 0.5];
  return [from, to];
}

export function percent(value: number | null, digits = 1): string {
  return value === null || !Number.isFinite(value) ? '–' : `${(100 * value).toFixed(digits)}\u202f%`;
}

// As many decimals as an interval needs to be told from a point.
export function percentRange(lower: number, upper: number): string {
  const digits = upper - lower < 2e-3 ? 3 : upper - lower < 0.02 ? 2 : 1;
  return `${(100 * lower).toFixed(digits)} to ${percent(upper, digits)}`;
}
