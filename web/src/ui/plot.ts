// SPDX-License-Identifier: Apache-2.0
// One plot over time: curves, a cursor at the present time, the values there. A click moves the time,
// a drag enlarges a stretch, a double click shows all again.
import { LitElement, css, html, unsafeCSS } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import UPlot from 'uplot';
import plotStyle from 'uplot/dist/uPlot.min.css?inline';
import { lastAtOrBefore } from '../data/overview';
import { number, plainNumber } from './format';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

export interface Curve {
  label: string;
  colour: number; // into the colours of the theme
  dashed: boolean; // of another run than the chosen one
  time: number[];
  values: (number | null)[];
}

const colours = {
  light: ['#2f6db3', '#c8602a', '#2f8f5b', '#7d5bb0', '#a8803b', '#b0487f', '#4f9fb8', '#6b7580'],
  dark: ['#7fb2ea', '#ec9d6d', '#76c79a', '#b79ce4', '#d9bb7c', '#e08fb9', '#8fcfe2', '#aab4be'],
};

@customElement('vinci-plot')
export class Plot extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @property({ attribute: false }) curves: Curve[] = [];
  @property({ type: Boolean }) logarithmic = false;
  @property({ attribute: false }) include: [number, number] | null = null; // values always in sight
  @state() private hoverTime: number | null = null;
  @query('.area') private area?: HTMLElement;
  @query('.now') private now?: HTMLElement;
  private plot: UPlot | null = null;
  private drawn: { curves: Curve[]; theme: string } | null = null;
  private readonly resized = new ResizeObserver(() => this.fitSize());

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['time', 'change']);
  }

  static override styles = [controls, unsafeCSS(plotStyle), css`
    :host { display: block; }
    .area { position: relative; height: clamp(7.5rem, 15vh, 14rem); overflow: hidden; }
    .now { position: absolute; top: 0; left: -0.5px; width: 1px; background: var(--text);
      opacity: 0.65; pointer-events: none; z-index: 1; }
    .legend { display: flex; flex-wrap: wrap; gap: 0 0.9rem; font-size: 0.88rem; padding: 0 0.2rem 0.1rem 0.8rem; }
    .legend span.entry { display: inline-flex; align-items: center; gap: 0.35rem; white-space: nowrap; }
    .legend svg { width: 1.3rem; height: 0.6rem; flex: none; }
    .legend b { font-weight: 500; font-variant-numeric: tabular-nums; min-width: 4rem; }
    .legend b.dashed { text-decoration: underline dashed 1px; text-underline-offset: 3px; }
    .u-over { cursor: crosshair; }
    .u-cursor-x { border-right: 1px dashed var(--muted); }
    .u-cursor-y { display: none; }
    .u-select { background: var(--accent); opacity: 0.15; }
    .u-cursor-pt { display: none; }
  `];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
    this.dispose();
  }

  private dispose(): void {
    this.plot?.destroy();
    this.plot = null;
    this.drawn = null;
  }

  private get theme(): 'light' | 'dark' {
    return this.viewer.options.theme;
  }

  private get empty(): boolean {
    return !this.curves.some((curve) => curve.values.some((value) => this.drawable(value)));
  }

  private drawable(value: number | null): boolean {
    return value !== null && (!this.logarithmic || value > 0);
  }

  private aligned(): UPlot.AlignedData {
    const tables = this.curves.map((curve) => [
      curve.time, curve.values.map((value) => (this.drawable(value) ? value : null)),
    ] as UPlot.AlignedData);
    return UPlot.join(tables);
  }

  private create(area: HTMLElement): void {
    const style = getComputedStyle(this);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const size = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const font = `${0.82 * size}px ${getComputedStyle(document.body).fontFamily}`;
    const axis: UPlot.Axis = {
      stroke: colour('--muted'), font, grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false }, gap: 3,
    };
    const values = (_plot: UPlot, splits: (number | null)[]) => // null: a tick without a word
        splits.map((value) => (value === null ? '' : shortNumber(value)));
    this.plot = new UPlot({
      width: area.clientWidth, height: area.clientHeight,
      scales: {
        x: { time: false },
        y: this.logarithmic ? { distr: 3, log: 10 }
          : { range: (_plot, low, high) => paddedRange(low, high, this.include) },
      },
      padding: [0.6 * size, 0.9 * size, 0, 0],
      axes: [
        { ...axis, size: 1.7 * size, values },
        {
          ...axis, size: 4 * size, values, space: 2.2 * size,
          ...(this.logarithmic ? { splits: powersOfTen, filter: allSplits } : {}),
        },
      ],
      series: [{}, ...this.curves.map((curve) => ({
        stroke: colours[this.theme][curve.colour % colours.light.length], width: 1.4, points: { show: false },
        pxAlign: 0, // gentle slopes have no stairs
        dash: curve.dashed ? [5, 4] : undefined, spanGaps: false,
      }))],
      legend: { show: false },
      cursor: { sync: { key: 'vinci' }, drag: { x: true, y: false, dist: 5 }, focus: { prox: -1 } },
      hooks: {
        setCursor: [(plot) => this.setHover(plot)],
        draw: [() => this.placeNow()],
        ready: [(plot) => plot.over.addEventListener('click', (event) => {
          if (plot.select.width < 1) this.viewer.seek(plot.posToVal(event.offsetX, 'x'));
        })],
      },
    }, this.aligned(), area);
    this.drawn = { curves: this.curves, theme: this.theme };
  }

  private setHover(plot: UPlot): void {
    const { left, idx } = plot.cursor;
    this.hoverTime = left !== undefined && left >= 0 && idx !== null ? plot.posToVal(left, 'x') : null;
  }

  private fitSize(): void {
    const area = this.area;
    if (!area || !this.plot || area.clientWidth < 10) return;
    if (area.clientWidth !== this.plot.width || area.clientHeight !== this.plot.height)
      this.plot.setSize({ width: area.clientWidth, height: area.clientHeight });
  }

  private placeNow(): void {
    const { plot, now } = this;
    if (!plot || !now) return;
    const ratio = window.devicePixelRatio; // of bbox, which spares the browser a layout
    const { left, top, width, height } = plot.bbox;
    const x = plot.valToPos(this.viewer.player.time, 'x');
    now.style.display = x >= -0.5 && x <= width / ratio + 0.5 ? '' : 'none';
    now.style.transform = `translateX(${left / ratio + x}px)`;
    now.style.top = `${top / ratio}px`;
    now.style.height = `${height / ratio}px`;
  }

  override updated(): void {
    const { area } = this;
    if (!area) return this.dispose();
    this.resized.observe(area);
    const sameForm = this.plot && this.drawn && this.drawn.theme === this.theme &&
        this.drawn.curves.length === this.curves.length &&
        this.drawn.curves.every((curve, i) => curve.label === this.curves[i].label &&
            curve.dashed === this.curves[i].dashed);
    if (!sameForm) {
      this.dispose();
      this.create(area);
    } else if (this.drawn!.curves !== this.curves) {
      this.drawn!.curves = this.curves;
      this.plot!.setData(this.aligned());
    }
    this.placeNow();
  }

  private valueAt(curve: Curve, time: number): number | null {
    if (curve.time.length === 0) return null;
    return curve.values[lastAtOrBefore(curve.time, curve.time.length, time)];
  }

  // A quantity, with its value in each run.
  private legendEntry(curves: Curve[], time: number) {
    return html`<span class="entry">
      <svg viewBox="0 0 20 8" aria-hidden="true"><path d="M0 4h20" fill="none" stroke-width="2.4"
        stroke=${colours[this.theme][curves[0].colour % colours.light.length]}></path></svg>
      <span class="muted">${curves[0].label}</span>
      ${curves.map((curve) => html`
        <b class=${curve.dashed ? 'dashed' : ''}>${number(this.valueAt(curve, time))}</b>`)}
    </span>`;
  }

  override render() {
    if (this.empty)
      return html`<div class="legend muted">${this.curves.length === 0 ? 'Loading…'
        : this.logarithmic ? 'Zero throughout.' : 'No values in this run.'}</div>`;
    const time = this.hoverTime ?? this.viewer.player.time;
    return html`
      <div class="legend">${[...new Set(this.curves.map((curve) => curve.label))].map((label) =>
        this.legendEntry(this.curves.filter((curve) => curve.label === label), time))}
      </div>
      <div class="area"><div class="now"></div></div>`;
  }
}

// A constant curve gets a range around it as well.
function paddedRange(least: number, most: number, include: [number, number] | null): [number, number] {
  if (!Number.isFinite(least) || !Number.isFinite(most)) return include ?? [0, 1];
  const low = Math.min(least, include?.[0] ?? least), high = Math.max(most, include?.[1] ?? most);
  const span = high - low;
  const pad = span > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? 0.08 * span
    : Math.max(0.1 * Math.abs(low), 1e-3);
  return [low - pad, high + pad];
}

// Ticks of a logarithmic axis: powers of ten, no more than five.
function powersOfTen(_plot: UPlot, _axis: number, low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / 4));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += every) ticks.push(10 ** power);
  return ticks;
}

const allSplits = (_plot: UPlot, splits: number[]) => splits;

// Ticks are round numbers: ten digits remove what rounding adds to them.
function shortNumber(value: number): string {
  return plainNumber(Number(value.toPrecision(10)));
}
