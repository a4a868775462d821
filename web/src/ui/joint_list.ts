// SPDX-License-Identifier: Apache-2.0
// All joints with their coordinates and motor efforts at the present time; and the sliders that pose
// them. Only the rows in sight are in the document.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { isTurning, jointLayout, jointNumbers, rateCount } from '../data/joints';
import type { JointJson, ModelJson } from '../data/types';
import type { Posing } from '../scene/posing';
import { coordinatesOf } from '../scene/joint_motion';
import { count, quantity } from './format';
import { icons } from './icons';
import { coordinateText } from './joint_words';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const spare = 4; // rows kept beyond the sight

interface Row {
  joint: number;
  freedom: number; // -1: the joint has none
}

// Of a number in a range, in percent.
const share = (value: number, lower: number, upper: number): number =>
    upper > lower ? Math.min(100, Math.max(0, (100 * (value - lower)) / (upper - lower))) : 50;

@customElement('vinci-joint-list')
export class JointList extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @state() private scrolled = 0; // px
  @state() private height = 300; // px of the list in sight
  @state() private copied = '';
  @query('.rows') private rows?: HTMLElement;
  private readonly resized = new ResizeObserver(() => (this.height = this.rows?.clientHeight ?? 300));
  private known: { model: ModelJson; rows: Row[]; prefix: number } | null = null;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'time']);
  }

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    header { display: flex; align-items: center; gap: 0.3rem; padding: 0.5rem 0.5rem 0.3rem 0.8rem; }
    header h2 { flex: 1; }
    header button { min-height: 1.8rem; }
    header svg.icon { width: 1.1rem; height: 1.1rem; }
    .rows { overflow-y: auto; flex: 1 1 auto; position: relative; }
    .space { position: relative; }
    .row { position: absolute; left: 0; right: 0; height: 2.9rem; padding: 0.25rem 0.8rem 0; }
    .row:hover, .row:focus-within { background: var(--hover); }
    .row.chosen { background: var(--accent-soft); }
    .line { display: flex; gap: 0.6rem; align-items: baseline; }
    .line button { flex: 1 1 auto; min-width: 0; min-height: 1.4rem; padding: 0; justify-content: flex-start; }
    .line button:hover { background: none; }
    .value { flex: none; }
    .effort { flex: none; color: var(--muted); font-size: 0.88rem; }
    .bar { position: relative; height: 0.3rem; margin-top: 0.35rem; border-radius: 0.15rem; background: var(--line); }
    .bar.open { background: linear-gradient(90deg, transparent, var(--line) 15%, var(--line) 85%, transparent); }
    .bar i { position: absolute; top: -0.2rem; width: 0.25rem; height: 0.7rem; margin-left: -0.125rem;
      border-radius: 0.125rem; background: var(--accent); }
    .follows .bar i { background: var(--muted); }
    .stopped .bar i { background: var(--bad); } .stopped .value { color: var(--bad); }
    input[type='range'] { width: 100%; margin: 0.15rem 0 0; height: 0.9rem; accent-color: var(--accent); cursor: pointer; }
    .tools { display: flex; gap: 0.4rem; padding: 0.1rem 0.8rem 0.5rem; }
    .tools button { flex: 1; min-height: 1.9rem; padding: 0 0.4rem; }
    .tools svg.icon { width: 1.05rem; height: 1.05rem; }
    p { margin: 0; padding: 0 0.8rem 0.45rem; color: var(--muted); font-size: 0.9rem; }
    p.warn { color: var(--warn); }
  `];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.updateComplete.then(() => this.rows && this.resized.observe(this.rows));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  private list(model: ModelJson): Row[] {
    if (this.known?.model !== model) {
      const rows = (model.joints ?? []).flatMap(({ kind }, joint): Row[] => {
        const n = rateCount(kind);
        return n === 0 ? [{ joint, freedom: -1 }] : Array.from({ length: n }, (_, freedom) => ({ joint, freedom }));
      });
      this.known = { model, rows, prefix: sharedPrefix((model.joints ?? []).map(({ name }) => name)) };
    }
    return this.known.rows;
  }

  private name({ freedom }: Row, { name, kind }: JointJson): string {
    const short = name.slice(this.known?.prefix ?? 0);
    return rateCount(kind) > 1 ? `${short} [${freedom}]` : short;
  }

  private row(row: Row, place: number, model: ModelJson, numbers: Float32Array | null, posing: Posing | null) {
    const { viewer } = this;
    const joint = model.joints![row.joint];
    const { selected } = viewer;
    const chosen = selected?.kind === 'joint' && selected.joint === row.joint;
    const pick = () => viewer.select(chosen ? null : { run: viewer.active, kind: 'joint', joint: row.joint });
    const name = this.name(row, joint);
    const style = `top:${place * rowHeight()}px`;
    const title = html`<button class="name" title=${`${joint.name} (${joint.kind})`} aria-pressed=${chosen} @click=${pick}>
      <span class="clip">${name}</span></button>`;
    if (row.freedom < 0)
      return html`<div class="row ${chosen ? 'chosen' : ''}" role="listitem" style=${style}><div class="line">
        ${title}<span class="effort">fixed</span></div></div>`;
    const columns = jointLayout(model).joints[row.joint];
    const index = posing?.coordinates.findIndex((one) =>
        one.joint === row.joint && one.freedom === row.freedom) ?? -1;
    const value = posing ? posing.values[index]
      : numbers ? coordinatesOf(joint.kind, numbers.subarray(columns.position))[row.freedom] : NaN;
    const freedom = joint.freedoms[row.freedom];
    const turning = isTurning(joint.kind, row.freedom);
    const stopped = (freedom.lower !== null && value <= freedom.lower + 1e-6) ||
        (freedom.upper !== null && value >= freedom.upper - 1e-6);
    const follows = posing !== null && !posing.coordinates[index].free;
    const effort = follows ? 'follows' : posing || !numbers || freedom.motor === 'none' ? ''
      : quantity(numbers[columns.motor + row.freedom], turning ? 'N m' : 'N', 3);
    return html`<div class="row ${chosen ? 'chosen' : ''} ${stopped ? 'stopped' : ''} ${follows ? 'follows' : ''}"
        role="listitem" style=${style}>
      <div class="line">${title}
        ${effort ? html`<span class="effort number" title=${follows ? 'It follows from the others' : 'Effort of the motor'}>${effort}</span>` : nothing}
        <span class="value number">${coordinateText(value, turning)}</span></div>
      ${posing && !follows ? this.slider(posing, index, name) : this.bar(value, row, joint, posing, index)}
    </div>`;
  }

  private slider(posing: Posing, index: number, name: string) {
    const { lower, upper } = posing.coordinates[index];
    return html`<input type="range" aria-label=${`Pose ${name}`} min=${lower} max=${upper} step="any"
      .value=${String(posing.values[index])}
      @input=${(event: Event) => {
        const slider = event.target as HTMLInputElement;
        this.viewer.pose.move(index, Number(slider.value));
        slider.value = String(posing.values[index]); // where it got to
      }}>`;
  }

  private bar(value: number, { freedom }: Row, joint: JointJson, posing: Posing | null, index: number) {
    const { lower, upper } = joint.freedoms[freedom];
    const turning = isTurning(joint.kind, freedom);
    const middle = turning ? 2 * Math.PI * Math.round(value / (2 * Math.PI)) : 0;
    const reach = turning ? Math.PI : Math.max(0.5, 2 * Math.abs(value));
    const range = posing?.coordinates[index];
    const at = share(value, range?.lower ?? lower ?? middle - reach, range?.upper ?? upper ?? middle + reach);
    return html`<div class="bar ${lower === null || upper === null ? 'open' : ''}"><i style=${`left:${at}%`}></i></div>`;
  }

  private async copy(): Promise<void> {
    const text = this.viewer.pose.yaml();
    try {
      await navigator.clipboard.writeText(text);
      this.copied = 'Copied: paste it into a scene.';
    } catch {
      this.copied = copyByHand(text) ? 'Copied: paste it into a scene.' : 'The browser does not let this page copy.';
    }
  }

  private tools(posing: Posing) {
    const { pose } = this.viewer;
    const act = (action: () => void) => () => {
      this.copied = '';
      action();
    };
    return html`<div class="tools">
        <button class="plain" @click=${act(() => pose.reset())}>Reset</button>
        <button class="plain" title="As YAML for a scene" @click=${act(() => void this.copy())}>${icons.copy}Copy pose</button>
      </div>
      <p class=${posing.note ? 'warn' : ''} role="status">${posing.note || this.copied || this.words(posing)}</p>`;
  }

  // What the sliders do.
  private words(posing: Posing): string {
    const following = posing.coordinates.filter(({ free }) => !free).length;
    const moves = 'The drawing moves, not the recording.';
    if (following === 0) return moves;
    return `${count(posing.freeCount, 'coordinate')} free, ${following} ` +
        `${following === 1 ? 'follows' : 'follow'}${posing.closing.length > 0 ? ' to keep loops closed' : ''}. ${moves}`;
  }

  override render() {
    const { viewer } = this;
    const { model, frame, pose } = viewer;
    if (!model || !frame) return nothing;
    const list = this.list(model);
    const { posing } = pose;
    const numbers = jointNumbers(frame, model);
    const first = Math.max(0, Math.floor(this.scrolled / rowHeight()) - spare);
    const last = Math.min(list.length, Math.ceil((this.scrolled + this.height) / rowHeight()) + spare);
    return html`
      <header><h2>${count(model.joints!.length, 'joint')}</h2>
        <button aria-pressed=${posing !== null} title="Pose by hand: one slider per free coordinate"
          @click=${() => { this.copied = ''; pose.toggle(); }}>${icons.pose}Pose</button></header>
      ${posing ? this.tools(posing) : nothing}
      <div class="rows" @scroll=${(event: Event) => (this.scrolled = (event.target as HTMLElement).scrollTop)}>
        <div class="space" role="list" style=${`height:${list.length * rowHeight()}px`}>
          ${repeat(list.slice(first, last), (row) => `${row.joint} ${row.freedom}`, (row, i) =>
              this.row(row, first + i, model, numbers, posing))}
        </div></div>`;
  }
}

function rowHeight(): number {
  return 2.9 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

// Letters of the robot's name and its dot, where all joints are of one robot.
function sharedPrefix(names: string[]): number {
  const end = (names[0] ?? '').indexOf('.') + 1;
  return end > 1 && names.every((name) => name.startsWith(names[0].slice(0, end))) ? end : 0;
}

// Where there is no clipboard for pages opened from disk.
function copyByHand(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
