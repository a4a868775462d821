// SPDX-License-Identifier: Apache-2.0
// The bar at the bottom: buttons of the player, a slider over all time, speed and loop.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { speedName, speeds } from '../player';
import { eventColours, eventTime, eventWords } from './event_list';
import { clock } from './format';
import { icons } from './icons';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const severalMotions = 3; // of Frame.uniqueness

@customElement('vinci-timeline')
export class Timeline extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @state() private hoverPart: number | null = null; // of the track, 0 to 1
  @query('.track') private track!: HTMLElement;
  @query('canvas.steps') private marks?: HTMLCanvasElement;
  @query('canvas.events') private ticks?: HTMLCanvasElement;
  private readonly resized = new ResizeObserver(() => this.drawMarks());
  private resume = false; // it played when dragging began

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'time']);
    new Watch(this, () => this.viewer, ['data', 'change'], () => this.drawMarks());
  }

  static override styles = [controls, css`
    :host { display: flex; align-items: center; gap: 0.6rem; padding: 0.35rem 0.6rem;
      border-top: 1px solid var(--line); background: var(--panel); min-width: 0; }
    .group { display: flex; gap: 0.1rem; flex: none; }
    .play { background: var(--accent); color: var(--background); border-radius: 50%; padding: 0;
      width: 2.4rem; height: 2.4rem; margin: 0 0.15rem; }
    .play:hover:not(:disabled) { background: var(--accent); filter: brightness(1.12); }
    .track { position: relative; flex: 1 1 6rem; height: 2.4rem; cursor: pointer; touch-action: none; }
    .rail { position: absolute; inset: calc(50% - 2px) 0 auto; height: 4px; border-radius: 2px;
      background: var(--line-strong); }
    .fill { position: absolute; inset: 0 auto 0 0; background: var(--accent); border-radius: 2px; }
    canvas { position: absolute; left: 0; top: 4px; width: 100%; height: 8px; pointer-events: none; }
    canvas.events { top: auto; bottom: 2px; height: 9px; }
    .thumb { position: absolute; top: 50%; width: 14px; height: 14px; margin: -7px; border-radius: 50%;
      background: var(--accent); border: 2px solid var(--panel); box-shadow: 0 0 0 1px var(--accent); }
    .hover { position: absolute; bottom: calc(100% - 4px); transform: translateX(-50%); z-index: 3;
      background: var(--raised); border: 1px solid var(--line-strong); border-radius: 0.3rem;
      padding: 0.1rem 0.4rem; pointer-events: none; white-space: nowrap; box-shadow: var(--shadow); }
    .time { flex: none; text-align: right; min-width: 10.5rem; }
    .time b { font-weight: 600; font-size: 1.1rem; }
    .frame { font-size: 0.85rem; }
    select { flex: none; }
    .late { width: 1.1rem; height: 1.1rem; border-radius: 50%; border: 2px solid var(--line-strong);
      border-top-color: var(--accent); animation: turn 0.9s linear infinite; flex: none; }
    @keyframes turn { to { transform: rotate(1turn); } }
    @media (prefers-reduced-motion: reduce) { .late { animation-duration: 4s; } }
  `];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.updateComplete.then(() => this.resized.observe(this.track));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  private partAt(clientX: number): number {
    const box = this.track.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - box.left) / Math.max(1, box.width)));
  }

  private timeOf(part: number): number {
    const { start, end } = this.viewer.player;
    return start + part * (end - start);
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.track.setPointerCapture(event.pointerId);
    this.resume = this.viewer.player.playing;
    this.viewer.player.pause();
    this.viewer.seek(this.timeOf(this.partAt(event.clientX)));
  }

  private move(event: PointerEvent): void {
    this.hoverPart = this.partAt(event.clientX);
    if (this.track.hasPointerCapture(event.pointerId)) this.viewer.seek(this.timeOf(this.hoverPart));
  }

  private release(): void {
    if (this.resume) this.viewer.player.play();
    this.resume = false;
    this.viewer.announce('change');
  }

  private drawMarks(): void {
    this.drawSteps();
    this.drawEvents();
  }

  // A clean canvas as large as it is shown.
  private fresh(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    canvas.width = Math.round(canvas.clientWidth * window.devicePixelRatio);
    canvas.height = Math.round(canvas.clientHeight * window.devicePixelRatio);
    return canvas.getContext('2d');
  }

  // A tick at every event, below the rail. Of those that share a pixel the last one is seen.
  private drawEvents(): void {
    const canvas = this.ticks;
    if (!canvas) return;
    const pen = this.fresh(canvas);
    const { start, end } = this.viewer.player;
    const list = this.viewer.events.list;
    canvas.dataset.events = String(list?.events.length ?? 0);
    if (!pen || !list || end <= start) return;
    const style = getComputedStyle(this);
    const width = 1.5 * window.devicePixelRatio;
    for (const event of list.events) {
      pen.fillStyle = style.getPropertyValue(eventColours[event.kind] ?? '--muted');
      pen.fillRect(((event.time - start) / (end - start)) * canvas.width - width / 2, 0, width, canvas.height);
    }
  }

  // Short ticks where a step was not solved as asked.
  private drawSteps(): void {
    const canvas = this.marks;
    const store = this.viewer.store;
    if (!canvas || !store) return;
    const ratio = window.devicePixelRatio;
    const pen = this.fresh(canvas);
    const { start, end } = this.viewer.player;
    if (!pen || end <= start) return;
    const style = getComputedStyle(this);
    const time = store.overview.column('time');
    const mark = (i: number, colour: string, top: number, height: number) => {
      pen.fillStyle = style.getPropertyValue(colour);
      pen.fillRect(((time[i] - start) / (end - start)) * canvas.width - ratio / 2, top * canvas.height,
                   1.5 * ratio, height * canvas.height);
    };
    const status = store.overview.column('status');
    const uniqueness = store.overview.column('uniqueness');
    let several = 0;
    for (let i = 0; i < time.length; ++i) {
      if (status[i] > 0) mark(i, '--warn', 0, 1);
      if (uniqueness[i] !== severalMotions) continue;
      mark(i, '--accent', 0.4, 0.6); // below a warning of the same step
      ++several;
    }
    canvas.dataset.several = String(several);
  }

  private interval(): number {
    const { store } = this.viewer;
    return store ? this.viewer.interval(store) : 0;
  }

  private slider() {
    const { player } = this.viewer;
    const span = player.end - player.start;
    const part = span > 0 ? (player.time - player.start) / span : 0;
    const interval = this.interval();
    return html`
      <div class="track" role="slider" tabindex="0" aria-label="Time" aria-valuemin=${player.start}
        aria-valuemax=${player.end} aria-valuenow=${player.time}
        aria-valuetext=${`${clock(player.time, interval)} seconds`} aria-disabled=${span <= 0}
        @pointerdown=${this.press} @pointermove=${this.move} @pointerup=${this.release}
        @pointercancel=${this.release} @pointerleave=${() => (this.hoverPart = null)}>
        <canvas class="steps"></canvas><canvas class="events"></canvas>
        <div class="rail"><div class="fill" style=${`width:${part * 100}%`}></div></div>
        <div class="thumb" style=${`left:${part * 100}%`}></div>
        ${this.hoverPart !== null && span > 0 ? html`<div class="hover number"
          style=${`left:clamp(2.2rem, ${this.hoverPart * 100}%, calc(100% - 2.2rem))`}>
          ${this.hoverWords(this.timeOf(this.hoverPart), interval)}</div>` : nothing}
      </div>`;
  }

  // Of the event under the pointer, or the time.
  private hoverWords(time: number, interval: number): string {
    const { player, events: { list } } = this.viewer;
    const reach = (3 / Math.max(1, this.track.clientWidth)) * (player.end - player.start); // 3 px
    const event = list?.near(time, reach);
    return list && event ? `${eventTime(event.time)}\u202fs  ${eventWords(list, event)}`
      : `${clock(time, interval)}\u202fs`;
  }

  override render() {
    const { viewer } = this;
    const { player } = viewer;
    const still = player.end <= player.start;
    const frames = viewer.description?.frames ?? 0;
    const index = viewer.frame?.index ?? 0;
    const button = (label: string, key: string, icon: unknown, action: () => void) => html`
      <button aria-label=${label} title=${`${label} (${key})`} ?disabled=${still} @click=${action}>${icon}</button>`;
    return html`
      <div class="group">
        ${button('To the start', 'Home', icons.toStart, () => viewer.seek(player.start))}
        ${button('One frame back', '←', icons.stepBack, () => viewer.step(-1))}
        <button class="play" aria-label=${player.playing ? 'Pause' : 'Play'} ?disabled=${still}
          title=${`${player.playing ? 'Pause' : 'Play'} (space)`} @click=${() => viewer.togglePlay()}>
          ${player.playing ? icons.pause : icons.play}</button>
        ${button('One frame on', '→', icons.stepForward, () => viewer.step(1))}
        ${button('To the end', 'End', icons.toEnd, () => viewer.seek(player.end))}
        ${viewer.events.list ? html`
          ${button('Event before', ',', icons.eventBack, () => viewer.events.step(-1))}
          ${button('Next event', '.', icons.eventForward, () => viewer.events.step(1))}` : nothing}
      </div>
      ${this.slider()}
      ${viewer.late ? html`<span class="late" role="status" aria-label="Loading frames"></span>` : nothing}
      <div class="time number" data-test="time">
        <b>${clock(player.time, this.interval())}</b><span class="muted">
          / ${clock(player.end, this.interval())}\u202fs</span>
        <div class="muted frame">${frames === 0 ? 'no frames'
          : `frame ${(index + 1).toLocaleString('en')} of ${frames.toLocaleString('en')}`}</div>
      </div>
      <select aria-label="Speed" title="Simulated over real time (↑ ↓)"
        @change=${(event: Event) => {
          player.speed = Number((event.target as HTMLSelectElement).value);
          viewer.announce('change');
        }}>
        ${speeds.map((speed) => html`<option value=${speed} ?selected=${speed === player.speed}
          .selected=${speed === player.speed}>${speedName(speed)}</option>`)}
      </select>
      <button aria-label="Loop" title="Loop (L)" aria-pressed=${player.loop}
        @click=${() => { player.loop = !player.loop; viewer.announce('change'); }}>${icons.loop}</button>`;
  }
}
