// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: an axis for each column, a line for each case. Dragging along an axis keeps
// the cases that pass there, in all drawings of the page. Of many cases a part is drawn, of each
// verdict as many as of the others, so that rare failures are seen.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { count } from '../ui/format';
import { controls } from '../ui/styles';
import { Follow } from './follow';
import type { StudyModel } from './model';
import { Resized, extent, ink, percent, percentRange, sheetOf, tickText, ticks, verdictColours, type Sheet } from './paint';
import { panel } from './styles';
import { failure, success, unknown } from './table';

const mostLines = 1500; // of a verdict
const linesAtOnce = 750; // of one picture: the page stays fluid while the rest follows
const mostAxes = 12;
const grip = 14; // px beside an axis

@customElement('study-parallel')
export class ParallelView extends LitElement {
  @property({ attribute: false }) model!: StudyModel;
  @state() private drawn = 0;
  @query('canvas') private canvas!: HTMLCanvasElement;
  private ends: [number, number][] = [];
  private dragged: { axis: number; from: number } | null = null;
  private sheet: Sheet | null = null;
  private turn = 0; // of the drawing that goes on
  private key = '';

  constructor() {
    super();
    new Follow(this, () => this.model);
    new Resized(this);
  }

  static override styles = [controls, panel, css`
    canvas { cursor: row-resize; }
    .chosen { font-size: 0.9rem; }
  `];

  private get axes(): number[] {
    return this.model.columns.map((_, i) => i).slice(0, mostAxes);
  }

  override updated(): void {
    const { table, options } = this.model;
    const key = [table.rows, options.theme, JSON.stringify([...this.model.brushes]), this.canvas.clientWidth,
                 this.canvas.clientHeight, window.devicePixelRatio].join(' ');
    if (key === this.key) return;
    this.key = key;
    this.sheet = sheetOf(this.canvas);
    ++this.turn;
    if (!this.sheet || table.rows === 0) return;
    this.ends = this.axes.map((column) => extent(table.columns[column], table.rows));
    this.drawPart(this.lines(), 0, this.turn);
  }

  // Rows to draw, mixed, so that none lies over the others for what it is.
  private lines(): number[] {
    const { table, chosen } = this.model;
    const rows: number[][] = [[], [], []];
    for (let i = 0; i < table.rows; ++i)
      if (!chosen || chosen[i] === 1) rows[table.verdicts[i]].push(i);
    const kept = [unknown, success, failure].flatMap((verdict) => {
      const all = rows[verdict], stride = Math.max(1, all.length / mostLines);
      return Array.from({ length: Math.min(all.length, mostLines) }, (_, i) => all[Math.floor(i * stride)]);
    });
    return kept.map((row) => [(row * 2654435761) % 4294967296, row]).sort((a, b) => a[0] - b[0]).map(([, row]) => row);
  }

  private drawPart(rows: number[], first: number, turn: number): void {
    if (!this.sheet || turn !== this.turn) return;
    const { pen } = this.sheet;
    const { table, options } = this.model;
    const colours = verdictColours[options.theme];
    pen.globalAlpha = Math.min(0.8, Math.max(0.08, 60 / rows.length));
    pen.lineWidth = 1.1;
    const end = Math.min(rows.length, first + linesAtOnce);
    for (let i = first; i < end; ++i) {
      const row = rows[i];
      pen.strokeStyle = colours[table.verdicts[row]];
      pen.beginPath();
      let broken = true;
      this.axes.forEach((column, axis) => {
        const value = table.columns[column][row];
        if (!Number.isFinite(value)) return void (broken = true);
        if (broken) pen.moveTo(this.across(axis), this.up(axis, value));
        else pen.lineTo(this.across(axis), this.up(axis, value));
        broken = false;
      });
      pen.stroke();
    }
    pen.globalAlpha = 1;
    if (end < rows.length) requestAnimationFrame(() => this.drawPart(rows, end, turn));
    else this.drawn = rows.length;
    this.drawFrame(first === 0);
  }

  private across(axis: number): number {
    const { width } = this.sheet!;
    return 60 + (axis * (width - 120)) / Math.max(1, this.axes.length - 1);
  }

  private get top(): number {
    return 40;
  }

  private get bottom(): number {
    return this.sheet!.height - 14;
  }

  private up(axis: number, value: number): number {
    const [from, to] = this.ends[axis];
    return this.bottom - ((value - from) / (to - from)) * (this.bottom - this.top);
  }

  // Axes over the lines, with what is chosen on them.
  private drawFrame(named: boolean): void {
    const { pen, width } = this.sheet!;
    const colours = ink();
    const room = (width - 120) / Math.max(1, this.axes.length - 1) - 10;
    this.axes.forEach((column, axis) => {
      const x = this.across(axis), [from, to] = this.ends[axis];
      pen.strokeStyle = colours.text;
      pen.lineWidth = 1.2;
      pen.beginPath();
      pen.moveTo(x, this.top);
      pen.lineTo(x, this.bottom);
      pen.stroke();
      pen.textAlign = 'center';
      pen.textBaseline = 'bottom';
      pen.fillStyle = colours.text;
      if (named) pen.fillText(fitted(pen, this.model.columns[column].name, Math.max(40, room)), x, this.top - 10);
      pen.textBaseline = 'middle';
      pen.textAlign = 'left';
      for (const value of ticks(from, to, 4)) {
        const y = this.up(axis, value), text = tickText(value, to - from);
        pen.fillStyle = colours.panel;
        pen.globalAlpha = 0.75;
        pen.fillRect(x + 4, y - 8, pen.measureText(text).width + 6, 16);
        pen.globalAlpha = 1;
        pen.fillStyle = colours.muted;
        pen.fillText(text, x + 7, y);
        pen.fillRect(x - 3, y - 0.5, 6, 1);
      }
      const brush = this.model.brushes.get(column);
      if (!brush) return;
      const high = Math.max(this.top, this.up(axis, brush.to)), low = Math.min(this.bottom, this.up(axis, brush.from));
      pen.globalAlpha = 0.3;
      pen.fillStyle = colours.accent;
      pen.fillRect(x - 8, high, 16, low - high);
      pen.globalAlpha = 1;
      pen.strokeStyle = colours.accent;
      pen.strokeRect(x - 8, high, 16, low - high);
    });
  }

  private valueAt(axis: number, y: number): number {
    const [from, to] = this.ends[axis];
    const share = (this.bottom - y) / (this.bottom - this.top);
    return from + Math.min(1, Math.max(0, share)) * (to - from);
  }

  private pressed(event: PointerEvent): void {
    if (!this.sheet) return;
    const axis = this.axes.findIndex((_, i) => Math.abs(event.offsetX - this.across(i)) <= grip);
    if (axis < 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.dragged = { axis, from: this.valueAt(axis, event.offsetY) };
  }

  private moved(event: PointerEvent): void {
    if (!this.dragged) return;
    const { axis, from } = this.dragged, to = this.valueAt(axis, event.offsetY);
    if (Math.abs(this.up(axis, from) - this.up(axis, to)) < 3) return;
    this.model.setBrush(this.axes[axis], { from: Math.min(from, to), to: Math.max(from, to) });
  }

  // A click without a way takes the choice of an axis away.
  private released(event: PointerEvent): void {
    if (!this.dragged) return;
    const { axis, from } = this.dragged;
    this.dragged = null;
    if (Math.abs(this.up(axis, from) - event.offsetY) < 3) this.model.setBrush(this.axes[axis], null);
  }

  private summary() {
    const { table, chosen, chosenCount, brushes } = this.model;
    if (!chosen || brushes.size === 0) return nothing;
    let successes = 0, known = 0, design = -1, draws = true;
    for (let i = 0; i < table.rows; ++i) {
      if (chosen[i] === 0 || table.verdicts[i] === unknown) continue;
      ++known;
      if (design < 0) design = table.designs[i];
      draws &&= table.designs[i] === design && this.model.isDraw(i);
      if (table.verdicts[i] === success) ++successes;
    }
    const { value, lower, upper } = this.model.cellInterval(successes, known - successes, chosenCount - known);
    return html`<span class="chosen" role="status">${count(chosenCount, 'case')} chosen${known > 0
      ? html`: <b>${successes} of ${known}</b> succeed, ${percent(value)}${draws ? ` (${percentRange(lower, upper)})` : ''}` : nothing}</span>
      <button class="plain" @click=${() => this.model.clearBrushes()}>Show all</button>`;
  }

  override render() {
    const { chosenCount, columns } = this.model;
    const part = this.drawn > 0 && this.drawn < chosenCount;
    return html`<header><h2>Parallel coordinates</h2>${this.summary()}</header>
      <div class="drawing"><canvas role="img" aria-label="Parallel coordinates"
        @pointerdown=${(event: PointerEvent) => this.pressed(event)}
        @pointermove=${(event: PointerEvent) => this.moved(event)}
        @pointerup=${(event: PointerEvent) => this.released(event)}></canvas></div>
      <div class="note">Drag along an axis to choose cases; a click on it takes the choice away.
        ${part ? ` Lines: ${this.drawn.toLocaleString('en')} of ${chosenCount.toLocaleString('en')}, at most ${mostLines.toLocaleString('en')} of each verdict.` : nothing}
        ${columns.length > mostAxes ? ` The first ${mostAxes} of ${columns.length} columns.` : nothing}</div>`;
  }
}

function fitted(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  let kept = text;
  while (kept.length > 1 && pen.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}
