// SPDX-License-Identifier: Apache-2.0
// Every case as a point over two columns, in the colour of its verdict. Points are written into the
// picture pixel by pixel: a hundred thousand take a few milliseconds.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { number } from '../ui/format';
import { controls } from '../ui/styles';
import { columnChoice } from './columns';
import { Follow } from './follow';
import type { StudyModel } from './model';
import { Resized, drawAxes, extent, ink, rgb, sheetOf, tickText, ticks, verdictColours, type Frame, type Sheet } from './paint';
import { panel, tipPlace } from './styles';
import { verdicts } from './table';

const reach = 8; // px around the pointer

@customElement('study-scatter')
export class ScatterView extends LitElement {
  @property({ attribute: false }) model!: StudyModel;
  @state() private x: number | null = null;
  @state() private y: number | null = null;
  @state() private pointed: { x: number; y: number; row: number } | null = null;
  @query('canvas') private canvas!: HTMLCanvasElement;
  private begun = '';
  private frame: Frame = { left: 0, top: 0, right: 0, bottom: 0 };
  private size = { width: 0, height: 0 };
  private ends: [[number, number], [number, number]] = [[0, 1], [0, 1]];
  private picture: { key: string; points: ImageData } | null = null;

  constructor() {
    super();
    new Follow(this, () => this.model);
    new Resized(this);
  }

  static override styles = [controls, panel, css`
    canvas { cursor: crosshair; }
    .key { display: inline-flex; gap: 0.8rem; font-size: 0.86rem; color: var(--muted); }
    .key i { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 50%; margin-right: 0.3rem; }
  `];

  // An uncertain parameter against a measure says most.
  private begin(): void {
    const { description } = this.model;
    if (!description || this.begun === description.hash) return;
    this.begun = description.hash;
    const { columns } = description;
    const of = (kind: string) => columns.flatMap((column, i) => column.kind === kind ? [i] : []);
    const parameters = [...of('uncertain'), ...of('design')];
    this.x = parameters[0] ?? 0;
    this.y = of('measure')[0] ?? parameters[1] ?? this.x;
  }

  override willUpdate(): void {
    this.begin();
  }

  override updated(): void {
    const sheet = sheetOf(this.canvas);
    const { table } = this.model;
    if (!sheet || this.x === null || this.y === null || table.rows === 0) return;
    this.size = { width: sheet.width, height: sheet.height };
    const frame = this.frame = { left: 66, top: 10, right: sheet.width - 14, bottom: sheet.height - 44 };
    this.ends = [widened(extent(table.columns[this.x], table.rows)), widened(extent(table.columns[this.y], table.rows))];
    const colours = ink();
    this.drawPoints(sheet);
    const [[x0, x1], [y0, y1]] = this.ends;
    drawAxes(sheet, frame,
             ticks(x0, x1, sheet.width / 90).map((value) => ({ at: this.place(value, 0), text: tickText(value, x1 - x0) })),
             ticks(y0, y1, sheet.height / 45).map((value) => ({ at: this.place(value, 1), text: tickText(value, y1 - y0) })),
             [this.model.columns[this.x].name, this.model.columns[this.y].name], colours);
    if (this.pointed) {
      const { row } = this.pointed;
      sheet.pen.strokeStyle = colours.text;
      sheet.pen.lineWidth = 2;
      sheet.pen.beginPath();
      sheet.pen.arc(this.place(table.columns[this.x][row], 0), this.place(table.columns[this.y][row], 1), 6, 0, 2 * Math.PI);
      sheet.pen.stroke();
    }
  }

  // px of a value along an axis.
  private place(value: number, axis: 0 | 1): number {
    const [from, to] = this.ends[axis], share = (value - from) / (to - from);
    return axis === 0 ? this.frame.left + share * (this.frame.right - this.frame.left)
      : this.frame.bottom - share * (this.frame.bottom - this.frame.top);
  }

  private drawPoints({ pen, ratio }: Sheet): void {
    const { table, chosen, chosenCount, options } = this.model;
    const { left, top, right, bottom } = this.frame;
    const width = Math.round((right - left) * ratio), height = Math.round((bottom - top) * ratio);
    if (width < 2 || height < 2) return;
    const brushes = JSON.stringify([...this.model.brushes]);
    const key = [table.rows, this.x, this.y, width, height, options.theme, chosenCount, brushes].join(' ');
    if (this.picture?.key !== key) {
      const points = pen.createImageData(width, height);
      this.paint(points, ratio, chosen);
      this.picture = { key, points };
    }
    pen.putImageData(this.picture.points, Math.round(left * ratio), Math.round(top * ratio));
  }

  private paint({ data, width, height }: ImageData, ratio: number, chosen: Uint8Array | null): void {
    const { table, options } = this.model;
    const colours = verdictColours[options.theme].map(rgb);
    const [[x0, x1], [y0, y1]] = this.ends;
    const xs = table.columns[this.x!], ys = table.columns[this.y!];
    const crowd = table.rows > 20_000;
    const size = Math.max(2, Math.round((crowd ? 1.6 : table.rows > 3000 ? 2.6 : 4) * ratio)), half = size >> 1;
    const strong = crowd ? 0.45 : 0.75, faint = 0.05;
    for (let i = 0; i < table.rows; ++i) {
      const column = Math.round(((xs[i] - x0) / (x1 - x0)) * (width - 1)) - half;
      const row = Math.round((1 - (ys[i] - y0) / (y1 - y0)) * (height - 1)) - half;
      if (!(column > -size && column < width && row > -size && row < height)) continue;
      const colour = colours[table.verdicts[i]], part = chosen && chosen[i] === 0 ? faint : strong;
      for (let y = Math.max(0, row); y < Math.min(height, row + size); ++y)
        for (let x = Math.max(0, column); x < Math.min(width, column + size); ++x) {
          const at = 4 * (x + width * y), below = data[at + 3] / 255;
          const over = part + below * (1 - part);
          for (let k = 0; k < 3; ++k)
            data[at + k] = (colour[k] * part + data[at + k] * below * (1 - part)) / over;
          data[at + 3] = 255 * over;
        }
    }
  }

  private nearest(event: PointerEvent | MouseEvent): { x: number; y: number; row: number } | null {
    const { table, chosen } = this.model;
    if (this.x === null || this.y === null) return null;
    const x = event.offsetX, y = event.offsetY;
    const [[x0, x1], [y0, y1]] = this.ends, { left, right, top, bottom } = this.frame;
    const across = (right - left) / (x1 - x0), up = (bottom - top) / (y1 - y0);
    const xs = table.columns[this.x], ys = table.columns[this.y];
    let best = reach * reach, row = -1;
    for (let i = 0; i < table.rows; ++i) {
      if (chosen && chosen[i] === 0) continue;
      const dx = left + (xs[i] - x0) * across - x, dy = bottom - (ys[i] - y0) * up - y;
      const distance = dx * dx + dy * dy;
      if (distance < best) {
        best = distance;
        row = i;
      }
    }
    return row < 0 ? null : { x, y, row };
  }

  private clicked(event: MouseEvent): void {
    const found = this.nearest(event);
    if (found) this.model.replay(this.model.table.numbers[found.row]);
  }

  private tip() {
    if (!this.pointed || this.x === null || this.y === null) return nothing;
    const { table, columns } = this.model;
    const { x, y, row } = this.pointed;
    return html`<div class="tip" style=${tipPlace(x, y, this.size.width, this.size.height)}>
      <div><b>Case ${table.numbers[row]}</b>: ${verdicts[table.verdicts[row]]}</div>
      ${[this.x, this.y].map((column) => html`<div>${columns[column].name} ${number(table.columns[column][row])}</div>`)}
      <div class="muted">click: replay</div>
    </div>`;
  }

  override render() {
    const { columns, options } = this.model;
    const colours = verdictColours[options.theme];
    return html`
      <header><h2>Cases</h2>
        <span class="key">${[1, 2, 0].map((verdict) => html`<span><i style=${`background: ${colours[verdict]}`}></i>${verdicts[verdict]}</span>`)}</span>
        ${columnChoice('x', columns, this.x, (column) => { this.x = column; this.pointed = null; })}
        ${columnChoice('y', columns, this.y, (column) => { this.y = column; this.pointed = null; })}
      </header>
      <div class="drawing"><canvas role="img" aria-label="Cases as points"
        @pointermove=${(event: PointerEvent) => { this.pointed = this.nearest(event); }}
        @pointerleave=${() => { this.pointed = null; }} @click=${(event: MouseEvent) => this.clicked(event)}></canvas>
        ${this.tip()}</div>`;
  }
}

// With some room around the outermost points.
function widened([from, to]: [number, number]): [number, number] {
  const room = 0.02 * (to - from);
  return [from - room, to + room];
}
