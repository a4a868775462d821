// SPDX-License-Identifier: Apache-2.0
// What acts now, and all events: a click leads to an event. Only the rows in sight are in the document.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { EventList, RunEvent } from '../data/events';
import type { ModelJson } from '../data/types';
import { count, number } from './format';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const spare = 4; // rows kept beyond the sight
const mostStates = 100; // subjects shown

// Colours of kinds of events, in the list and on the time line.
export const eventColours: Record<string, string> = {
  touch: '--event-touch', release: '--event-part', parting: '--event-part', slide: '--event-slide',
  stick: '--event-stick', transition: '--event-transition', other: '--muted',
};

// "ball on floor: free → sliding".
export function eventWords(list: EventList, event: RunEvent): string {
  return `${list.name(event)}: ${event.from} → ${event.to}`;
}

// Digits that tell events apart.
export const eventTime = (time: number): string => time.toFixed(6).replace('-', '−');

@customElement('vinci-event-list')
export class EventListPanel extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @state() private scrolled = 0; // px
  @state() private height = 200; // px of the list in sight
  @query('.rows') private rows?: HTMLElement;
  private readonly resized = new ResizeObserver(() => (this.height = this.rows?.clientHeight ?? 200));
  private current = -1; // the last event up to now

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'time']);
  }

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    h2 { padding: 0.5rem 0.8rem 0.2rem; }
    dl { padding: 0 0.8rem; max-height: 9rem; overflow-y: auto; flex: none; }
    dt { color: var(--text); }
    dd { text-align: right; }
    dd.idle { color: var(--muted); }
    .rows { overflow-y: auto; flex: 1 1 8rem; min-height: 6rem; position: relative; }
    .space { position: relative; }
    button.row { position: absolute; left: 0; right: 0; width: 100%; height: 2.7rem; min-height: 0; border-radius: 0;
      padding: 0 0.8rem; display: grid; grid-template: auto auto / auto minmax(0, 1fr) auto; gap: 0 0.5rem;
      align-content: center; justify-items: start; text-align: left; font-size: 0.9rem; line-height: 1.2; }
    button.row.past { color: var(--muted); }
    button.row.now { background: var(--accent-soft); color: var(--text); }
    i { grid-row: 1 / 3; width: 0.25rem; height: 2rem; border-radius: 0.125rem; background: var(--kind); }
    .change { grid-column: 2 / 4; max-width: 100%; }
    p { margin: 0; padding: 0.1rem 0.8rem 0.5rem; color: var(--muted); font-size: 0.9rem; }
  `];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.updateComplete.then(() => this.rows && this.resized.observe(this.rows));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  // Keeps the present event in sight.
  override updated(): void {
    const { list } = this.viewer.events;
    if (!list || !this.rows) return;
    const current = list.countUntil(this.viewer.player.time) - 1;
    if (current === this.current) return;
    this.current = current;
    const top = current * rowHeight();
    if (top < this.rows.scrollTop || top + rowHeight() > this.rows.scrollTop + this.rows.clientHeight)
      this.rows.scrollTop = top - this.rows.clientHeight / 2;
  }

  // Machines, constraints of the scene, and contacts that act.
  private states(list: EventList, model: ModelJson | null) {
    const { time } = this.viewer.player;
    const all = list.subjects.map((subject, index) => ({ subject, now: list.stateAt(index, time) }));
    const own = (kind: string) => kind === 'machine' || kind === 'constraint' || kind === 'link';
    // Those of the scene of which there was no event are there, too.
    const written = [
      ...(model?.machines ?? []).map(({ name }) => ({ name, kind: 'machine' })),
      ...(model?.constraints ?? []).map(({ name, kind }) => ({ name, kind: kind === 'link' ? 'link' : 'constraint' })),
    ];
    const rows = [
      ...written.map(({ name, kind }) => ({
        name, title: meaning(name, kind, model),
        now: all.find(({ subject }) => subject.kind === kind && subject.name === name)?.now ?? null,
      })),
      ...all.filter(({ subject, now }) => !own(subject.kind) && now !== null && now !== 'free' && now !== 'off')
          .map(({ subject, now }) => ({ name: subject.name, title: subject.kind, now })),
    ];
    if (rows.length === 0) return html`<p>Nothing touches at this time.</p>`;
    return html`<dl data-test="states">${rows.slice(0, mostStates).map(({ name, title, now }) => html`
      <dt class="clip" title=${title}>${name}</dt>
      <dd class=${now === null || now === 'free' || now === 'off' ? 'idle' : ''}>${now ?? '–'}</dd>`)}</dl>
      ${rows.length > mostStates ? html`<p>and ${rows.length - mostStates} more</p>` : nothing}`;
  }

  private row(list: EventList, event: RunEvent, place: number, reached: number) {
    const kind = `--kind:var(${eventColours[event.kind] ?? '--muted'})`;
    const force = Math.hypot(...event.force);
    const title = `${event.kind}, gap ${number(event.gap)}, rate ${number(event.gapRate)}` +
        (force > 0 ? `, force ${number(force)}\u202fN` : '');
    const when = place === reached - 1 ? 'now' : place < reached ? 'past' : '';
    return html`<button class="row ${when}" style=${`top:${place * rowHeight()}px;${kind}`} title=${title}
      @click=${() => this.viewer.events.show(event)}>
      <i></i><span class="clip subject">${list.name(event)}</span>
      <span class="number">${eventTime(event.time)}</span>
      <span class="clip change">${event.from} → ${event.to}</span></button>`;
  }

  override render() {
    const { viewer } = this;
    const { list } = viewer.events;
    if (!list) return nothing;
    const { events } = list;
    const reached = list.countUntil(viewer.player.time);
    const first = Math.max(0, Math.floor(this.scrolled / rowHeight()) - spare);
    const last = Math.min(events.length, Math.ceil((this.scrolled + this.height) / rowHeight()) + spare);
    const more = list.total - events.length;
    return html`
      <h2>Acts now</h2>
      ${this.states(list, viewer.model)}
      <h2>${count(list.total, 'event')}</h2>
      ${more > 0 ? html`<p>The first ${events.length.toLocaleString('en')} are shown.</p>` : nothing}
      <div class="rows" @scroll=${(event: Event) => (this.scrolled = (event.target as HTMLElement).scrollTop)}>
        <div class="space" role="list" style=${`height:${events.length * rowHeight()}px`}>
          ${repeat(events.slice(first, last), (_, i) => first + i, (event, i) =>
              this.row(list, event, first + i, reached))}
        </div></div>`;
  }
}

// What it says, as the scene has it.
function meaning(name: string, kind: string, model: ModelJson | null): string {
  const found = kind === 'machine' ? undefined : model?.constraints?.find((one) => one.name === name);
  if (!found) return kind;
  return `${found.text} ${found.kind === 'link' ? '=' : '≥'} 0`;
}

function rowHeight(): number {
  return 2.7 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
