// SPDX-License-Identifier: Apache-2.0
// The map: what became of the cases in cells over one or two columns, with intervals and the boundary
// of success. Over one column it is a curve with its band.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { number } from '../ui/format';
import { controls } from '../ui/styles';
import { boundary, cellAxis, countCells, rowsOfCell, type CellAxis, type Cells } from './cells';
import { columnChoice } from './columns';
import { Follow } from './follow';
import type { StudyModel } from './model';
import { Resized, drawAxes, extent, ink, percent, percentRange, shade, sheetOf, tickText, ticks,
  verdictColours, type Frame, type Ink, type Sheet, type Ticks } from './paint';
import { panel, tipPlace } from './styles';

type Shown = 'value' | 'lower' | 'upper' | 'width' | 'cases' | number; // a number is a measure
const shownNames: [Shown, string][] = [
  ['value', 'Share that succeeds'], ['lower', 'Lower end of the interval'], ['upper', 'Upper end of the interval'],
  ['width', 'Width of the interval'], ['cases', 'Number of cases'],
];
const mostOthers = 60; // cases of a cell that are offered beside the first one
const boundaryColour = '#e8372c';

@customElement('study-map')
export class MapView extends LitElement {
  @property({ attribute: false }) model!: StudyModel;
  @state() private x: number | null = null;
  @state() private y: number | null = null;
  @state() private shown: Shown = 'value';
  @state() private threshold = 0.5;
  @state() private ranges = 20;
  @state() private pointed: { x: number; y: number; cell: number } | null = null;
  @query('canvas') private canvas!: HTMLCanvasElement;
  private begun = '';
  private cells: Cells | null = null;
  private field: Float64Array = new Float64Array(0);
  private frame: Frame = { left: 0, top: 0, right: 0, bottom: 0 };
  private size = { width: 0, height: 0 };

  constructor() {
    super();
    new Follow(this, () => this.model);
    new Resized(this);
  }

  static override styles = [controls, panel, css`
    canvas { cursor: crosshair; }
    select[aria-label='What the map shows'] { max-width: 15rem; }
  `];

  // What the study itself asks for is shown first.
  private begin(): void {
    const { description } = this.model;
    if (!description || this.begun === description.hash) return;
    this.begun = description.hash;
    const { columns, map } = description;
    const named = (map?.over ?? []).map((name) => columns.findIndex((column) => column.name === name));
    const parameters = columns.flatMap((column, i) => column.kind === 'measure' ? [] : [i]);
    const [x, y] = named.length > 0 ? named : parameters;
    this.x = x ?? 0;
    this.y = y ?? null;
    this.threshold = map?.threshold ?? 0.5;
    const measure = columns.findIndex((column) => column.kind === 'measure');
    this.shown = description.success !== null || measure < 0 ? 'value' : measure;
  }

  override willUpdate(): void {
    this.begin();
    const { table, description } = this.model;
    this.cells = null;
    if (!description || this.x === null || table.rows === 0) return;
    const x = cellAxis(table, this.x, this.ranges);
    const y = this.y === null ? null : cellAxis(table, this.y, this.ranges);
    if (x.count === 0 || y?.count === 0) return;
    this.cells = countCells(table, x, y, typeof this.shown === 'number' ? this.shown : null, this.model.chosen,
                            (row) => this.model.isDraw(row));
    this.field = this.fieldOf(this.cells);
  }

  private interval(cells: Cells, cell: number) {
    const successes = cells.successes[cell], failures = cells.failures[cell];
    const unknown = cells.cases[cell] - successes - failures;
    const found = this.model.cellInterval(successes, failures, unknown);
    if (cells.mixed[cell]) return { ...found, lower: NaN, upper: NaN };
    return this.model.designInterval(cells.designs[cell], successes, failures, unknown) ?? found;
  }

  private fieldOf(cells: Cells): Float64Array {
    const { shown } = this;
    return Float64Array.from(cells.cases, (count, cell) => {
      if (count === 0) return NaN;
      if (shown === 'cases') return count;
      if (typeof shown === 'number') return cells.means![cell];
      const { value, lower, upper } = this.interval(cells, cell);
      if (!Number.isFinite(value)) return NaN;
      return shown === 'value' ? value : shown === 'lower' ? lower : shown === 'upper' ? upper : upper - lower;
    });
  }

  // The colours' ends.
  private ends(): [number, number] {
    if (typeof this.shown === 'number') return extent(Float32Array.from(this.field), this.field.length);
    if (this.shown !== 'cases') return [0, 1];
    return [0, this.field.reduce((most, value) => Number.isFinite(value) ? Math.max(most, value) : most, 1)];
  }

  private isShare(): boolean {
    return this.shown === 'value' || this.shown === 'lower' || this.shown === 'upper';
  }

  override updated(): void {
    const sheet = sheetOf(this.canvas);
    if (!sheet || !this.cells) return;
    this.size = { width: sheet.width, height: sheet.height };
    if (this.cells.y) this.drawMap(sheet, this.cells, this.cells.y, ink());
    else this.drawCurve(sheet, this.cells, ink());
  }

  private drawMap(sheet: Sheet, cells: Cells, y: CellAxis, colours: Ink): void {
    const { pen } = sheet;
    const frame = this.frame = { left: 66, top: 10, right: sheet.width - 92, bottom: sheet.height - 44 };
    const wide = (frame.right - frame.left) / cells.width, high = (frame.bottom - frame.top) / cells.height;
    const [from, to] = this.ends();
    for (let cell = 0; cell < this.field.length; ++cell) {
      const left = Math.round(frame.left + (cell % cells.width) * wide);
      const right = Math.round(frame.left + ((cell % cells.width) + 1) * wide);
      const row = Math.floor(cell / cells.width);
      const top = Math.round(frame.bottom - (row + 1) * high), bottom = Math.round(frame.bottom - row * high);
      const value = this.field[cell];
      if (Number.isFinite(value)) {
        pen.fillStyle = shade((value - from) / (to - from || 1));
        pen.fillRect(left, top, right - left, bottom - top);
      } else if (cells.cases[cell] > 0) {
        pen.fillStyle = verdictColours[this.model.options.theme][0]; // cases, all of them unknown
        pen.fillRect(left, top, right - left, bottom - top);
      }
    }
    if (this.isShare()) {
      this.drawUndecided(pen, cells, wide, high);
      this.drawBoundary(pen, cells, wide, high);
    }
    if (this.pointed) this.drawPointed(pen, cells, wide, high, colours);
    drawAxes(sheet, frame, axisTicks(cells.x, frame.left, frame.right, sheet.width / 90),
             axisTicks(y, frame.bottom, frame.top, sheet.height / 45),
             [this.model.columns[cells.x.column].name, this.model.columns[y.column].name], colours);
    this.drawLegend(sheet, from, to, colours);
  }

  // A dot where the interval holds the threshold: more runs are needed to say on which side it is.
  private drawUndecided(pen: CanvasRenderingContext2D, cells: Cells, wide: number, high: number): void {
    const radius = Math.max(1.2, Math.min(3.2, Math.min(wide, high) / 9));
    for (let cell = 0; cell < this.field.length; ++cell) {
      const { value, lower, upper } = this.interval(cells, cell);
      if (!Number.isFinite(value) || Number.isNaN(lower) || lower > this.threshold || upper < this.threshold) continue;
      const [x, y] = this.centre(cell % cells.width, Math.floor(cell / cells.width), wide, high);
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.fillStyle = this.field[cell] > 0.6 ? 'rgb(0 0 0 / 65%)' : 'rgb(255 255 255 / 80%)';
      pen.fill();
    }
  }

  private drawBoundary(pen: CanvasRenderingContext2D, cells: Cells, wide: number, high: number): void {
    const trace = () => {
      pen.beginPath();
      for (const [ax, ay, bx, by] of boundary(this.field, cells.width, cells.height, this.threshold)) {
        pen.moveTo(...this.centre(ax, ay, wide, high));
        pen.lineTo(...this.centre(bx, by, wide, high));
      }
    };
    pen.lineCap = 'round';
    pen.lineJoin = 'round';
    for (const [colour, width] of [['rgb(255 255 255 / 85%)', 4.5], [boundaryColour, 2.2]] as const) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      trace();
      pen.stroke();
    }
  }

  private drawPointed(pen: CanvasRenderingContext2D, cells: Cells, wide: number, high: number, colours: Ink): void {
    const { cell } = this.pointed!;
    const [x, y] = this.centre(cell % cells.width, Math.floor(cell / cells.width), wide, high);
    pen.strokeStyle = colours.panel;
    pen.lineWidth = 4;
    pen.strokeRect(x - wide / 2, y - high / 2, wide, high);
    pen.strokeStyle = colours.text;
    pen.lineWidth = 2;
    pen.strokeRect(x - wide / 2, y - high / 2, wide, high);
  }

  private centre(x: number, y: number, wide: number, high: number): [number, number] {
    return [this.frame.left + (x + 0.5) * wide, this.frame.bottom - (y + 0.5) * high];
  }

  private drawLegend(sheet: Sheet, from: number, to: number, colours: Ink): void {
    const { pen } = sheet;
    const left = this.frame.right + 18, width = 16, { top, bottom } = this.frame;
    for (let y = top; y < bottom; ++y) {
      pen.fillStyle = shade((bottom - y) / (bottom - top));
      pen.fillRect(left, y, width, 1);
    }
    pen.strokeStyle = colours.strong;
    pen.lineWidth = 1;
    pen.strokeRect(left - 0.5, top - 0.5, width + 1, bottom - top + 1);
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    const place = (value: number) => bottom - ((value - from) / (to - from || 1)) * (bottom - top);
    pen.fillStyle = colours.muted;
    for (const tick of ticks(from, to, 5))
      pen.fillText(this.valueText(tick, to - from), left + width + 6, place(tick));
    if (!this.isShare()) return;
    pen.strokeStyle = boundaryColour;
    pen.lineWidth = 2.2;
    pen.beginPath();
    pen.moveTo(left - 4, place(this.threshold));
    pen.lineTo(left + width + 3, place(this.threshold));
    pen.stroke();
  }

  private valueText(value: number, span: number): string {
    const share = this.isShare() || this.shown === 'width';
    return share ? `${Math.round(100 * value)}\u202f%` : tickText(value, span);
  }

  private drawCurve(sheet: Sheet, cells: Cells, colours: Ink): void {
    const { pen } = sheet;
    const frame = this.frame = { left: 66, top: 12, right: sheet.width - 16, bottom: sheet.height - 44 };
    const [from, to] = this.ends();
    const wide = (frame.right - frame.left) / cells.width;
    const x = (cell: number) => frame.left + (cell + 0.5) * wide;
    const y = (value: number) => frame.bottom - ((value - from) / (to - from || 1)) * (frame.bottom - frame.top);
    const share = this.isShare();
    const known = Array.from(this.field.keys()).filter((cell) => Number.isFinite(this.field[cell]));
    if (share) {
      pen.strokeStyle = boundaryColour;
      pen.setLineDash([6, 4]);
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(frame.left, y(this.threshold));
      pen.lineTo(frame.right, y(this.threshold));
      pen.stroke();
      pen.setLineDash([]);
      pen.globalAlpha = 0.2;
      pen.fillStyle = colours.accent;
      pen.beginPath();
      const banded = known.filter((cell) => !cells.mixed[cell]);
      for (const cell of banded) pen.lineTo(x(cell), y(this.interval(cells, cell).upper));
      for (const cell of [...banded].reverse()) pen.lineTo(x(cell), y(this.interval(cells, cell).lower));
      pen.fill();
      pen.globalAlpha = 1;
    }
    pen.strokeStyle = pen.fillStyle = colours.accent;
    pen.lineWidth = 2;
    pen.beginPath();
    for (const cell of known) pen.lineTo(x(cell), y(this.field[cell]));
    pen.stroke();
    for (const cell of known) {
      pen.beginPath();
      pen.arc(x(cell), y(this.field[cell]), this.pointed?.cell === cell ? 5.5 : 3.2, 0, 2 * Math.PI);
      pen.fill();
    }
    drawAxes(sheet, frame, axisTicks(cells.x, frame.left, frame.right, sheet.width / 90),
             ticks(from, to, 5).map((value) => ({ at: y(value), text: this.valueText(value, to - from) })),
             [this.model.columns[cells.x.column].name, this.shownName()], colours);
  }

  private shownName(): string {
    return typeof this.shown === 'number' ? `mean of ${this.model.columns[this.shown].name}`
      : shownNames.find(([key]) => key === this.shown)![1];
  }

  private cellAt(event: PointerEvent | MouseEvent): { x: number; y: number; cell: number } | null {
    if (!this.cells) return null;
    const { left, right, top, bottom } = this.frame;
    const x = event.offsetX, y = event.offsetY;
    if (x < left || x >= right || y < top || y >= bottom) return null;
    const across = Math.floor(((x - left) / (right - left)) * this.cells.width);
    const up = Math.floor(((bottom - y) / (bottom - top)) * this.cells.height);
    const cell = across + this.cells.width * Math.min(this.cells.height - 1, up);
    return this.cells.cases[cell] > 0 ? { x, y, cell } : null;
  }

  private clicked(event: MouseEvent): void {
    const found = this.cellAt(event);
    if (!found || !this.cells) return;
    const { table } = this.model;
    const rows = rowsOfCell(table, this.cells, found.cell, mostOthers);
    const numbers = rows.map((row) => table.numbers[row]);
    if (numbers.length > 0) this.model.replay(numbers[0], numbers);
  }

  private tip() {
    if (!this.pointed || !this.cells || this.pointed.cell >= this.cells.cases.length) return nothing;
    const { x, y, cell } = this.pointed;
    const cells = this.cells;
    const known = cells.successes[cell] + cells.failures[cell], unknown = cells.cases[cell] - known;
    const { value, lower, upper } = this.interval(cells, cell);
    const place = (axis: CellAxis, at: number) => {
      const [from, to] = axis.label(at);
      return `${this.model.columns[axis.column].name} ${from === to ? number(from) : `${number(from)} to ${number(to)}`}`;
    };
    return html`<div class="tip" style=${tipPlace(x, y, this.size.width, this.size.height)}>
      <div>${place(cells.x, cell % cells.width)}</div>
      ${cells.y ? html`<div>${place(cells.y, Math.floor(cell / cells.width))}</div>` : nothing}
      ${known > 0 ? html`<div><b>${cells.successes[cell]} of ${known}</b> succeed: ${percent(value)}</div>
        <div>${cells.mixed[cell] ? 'no interval: not draws of one design' : percentRange(lower, upper)}</div>` : nothing}
      ${unknown > 0 ? html`<div>${unknown} unknown</div>` : nothing}
      ${cells.means ? html`<div>${this.shownName()}: ${number(cells.means[cell])}</div>` : nothing}
      <div class="muted">click: replay</div>
    </div>`;
  }

  override render() {
    const { columns } = this.model;
    const share = this.isShare();
    const measures = columns.flatMap((column, i) => column.kind === 'measure' ? [i] : []);
    return html`
      <header><h2>Map</h2>
        ${columnChoice('x', columns, this.x, (column) => { this.x = column; })}
        ${columnChoice('y', columns, this.y, (column) => { this.y = column; }, '–')}
        <label><span class="muted">shows</span><select aria-label="What the map shows" @change=${(event: Event) => {
          const { value } = event.target as HTMLSelectElement;
          this.shown = /^\d+$/.test(value) ? Number(value) : value as Shown;
        }}>
          ${shownNames.map(([key, name]) => html`<option value=${key} .selected=${this.shown === key}>${name}</option>`)}
          ${measures.map((i) => html`<option value=${i} .selected=${this.shown === i}>Mean of ${columns[i].name}</option>`)}
        </select></label>
        ${share ? html`<label><span class="muted">boundary</span><input type="number" aria-label="Boundary of success"
          min="0" max="1" step="0.05" .value=${String(this.threshold)} @change=${(event: Event) => {
            const value = (event.target as HTMLInputElement).valueAsNumber;
            if (value >= 0 && value <= 1) this.threshold = value;
          }}></label>` : nothing}
        ${this.cells && (!this.cells.x.values || (this.cells.y && !this.cells.y.values)) ? html`
          <label><span class="muted">ranges</span><select aria-label="Ranges of an axis" @change=${(event: Event) => {
            this.ranges = Number((event.target as HTMLSelectElement).value);
          }}>${[10, 20, 40, 80].map((count) => html`<option .selected=${count === this.ranges}>${count}</option>`)}
          </select></label>` : nothing}
      </header>
      <div class="drawing"><canvas role="img" aria-label="Map of the study"
        @pointermove=${(event: PointerEvent) => { this.pointed = this.cellAt(event); }}
        @pointerleave=${() => { this.pointed = null; }} @click=${(event: MouseEvent) => this.clicked(event)}></canvas>
        ${this.tip()}</div>
      <div class="note">${share ? html`The red line is where ${this.shown === 'value' ? 'the share that succeeds' : 'this end'}
        passes ${percent(this.threshold, 0)}${this.y === null ? '.'
          : '; a dot marks a cell whose interval holds it.'}` : 'Point at a cell for its numbers.'}</div>`;
  }
}

// Ends of ranges, and values that are evenly spaced, have round numbers beside them; others stand
// themselves in the middles of their cells.
function axisTicks(axis: CellAxis, from: number, to: number, wanted: number): Ticks[] {
  const size = (to - from) / axis.count, span = axis.to - axis.from;
  const { values } = axis;
  if (values && (values.length < 8 || !isEven(values)))
    return values.map((value, i) => ({ at: from + (i + 0.5) * size, text: tickText(Number(value.toPrecision(4)), span) }));
  const room = values ? size / 2 : 0; // values lie in the middles of their cells
  return ticks(axis.from, axis.to, wanted).map((value) => ({
    at: from + room + ((value - axis.from) / span) * (to - from - 2 * room), text: tickText(value, span) }));
}

function isEven(values: number[]): boolean {
  const step = (values[values.length - 1] - values[0]) / (values.length - 1);
  return values.every((value, i) => Math.abs(value - values[0] - i * step) < 1e-3 * step);
}
