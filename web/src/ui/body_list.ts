// SPDX-License-Identifier: Apache-2.0
// All bodies, with search, hide, solo and follow. Only the rows in sight are in the document, so that
// thousands of bodies cost no more than a few.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { BodyDescription } from '../data/types';
import { bodyColour } from '../palette';
import { count } from './format';
import { icons } from './icons';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const spare = 6; // rows kept beyond the sight

@customElement('vinci-body-list')
export class BodyList extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @state() private search = '';
  @state() private scrolled = 0; // px
  @state() private height = 400; // px of the list in sight
  @query('.rows') private rows?: HTMLElement;
  private readonly resized = new ResizeObserver(() => (this.height = this.rows?.clientHeight ?? 400));
  private revealed: number | null = null; // body that was last brought into sight
  private found: { bodies: BodyDescription[]; search: string; indices: number[] } | null = null;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change']);
  }

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    header { display: flex; align-items: center; gap: 0.5rem; padding: 0.6rem 0.8rem 0.4rem; }
    header h2 { flex: 1; }
    .search { margin: 0 0.8rem 0.5rem; }
    .search input { width: 100%; }
    .rows { overflow-y: auto; flex: 1; position: relative; min-height: 4rem; --row: 2rem; }
    .space { position: relative; }
    .row { position: absolute; left: 0; right: 0; height: var(--row); display: flex; align-items: center;
      gap: 0.1rem; padding: 0 0.35rem 0 0.8rem; }
    .row:hover, .row:focus-within { background: var(--hover); }
    .row.chosen { background: var(--accent-soft); }
    .row button { min-height: 1.7rem; min-width: 1.7rem; padding: 0; }
    .row svg.icon { width: 1.05rem; height: 1.05rem; }
    .row .name { flex: 1; justify-content: flex-start; gap: 0.5rem; padding: 0 0.2rem; overflow: hidden; }
    .row .name:hover { background: none; }
    .row .tool { opacity: 0; color: var(--muted); }
    .row:hover .tool, .row:focus-within .tool, .tool[aria-pressed='true'] { opacity: 1; }
    .tool[aria-pressed='true'] { color: var(--accent); background: none; }
    .row.hidden .name { color: var(--muted); text-decoration: line-through; }
    .swatch { width: 0.8rem; height: 0.8rem; border-radius: 0.2rem; flex: none; }
    .none { padding: 0.4rem 0.8rem; margin: 0; color: var(--muted); }
    .clear { min-height: 1.6rem; padding: 0 0.5rem; color: var(--accent); font-size: 0.9rem; }
  `];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.updateComplete.then(() => this.rows && this.resized.observe(this.rows));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  private matching(): number[] {
    const bodies = this.viewer.description?.bodies ?? [];
    if (this.found?.bodies !== bodies || this.found.search !== this.search) {
      const wanted = this.search.trim().toLowerCase();
      const indices = bodies.flatMap((body, i) =>
          body.name.toLowerCase().includes(wanted) ? [i] : []);
      this.found = { bodies, search: this.search, indices };
    }
    return this.found.indices;
  }

  // A body that was chosen elsewhere is brought into sight.
  override updated(): void {
    const { selected } = this.viewer;
    const body = selected?.kind === 'body' ? selected.body : null;
    if (body === this.revealed) return;
    this.revealed = body;
    const place = body === null ? -1 : this.matching().indexOf(body);
    if (place < 0 || !this.rows) return;
    const top = place * rowHeight();
    const inSight = top >= this.rows.scrollTop && top + rowHeight() <= this.rows.scrollTop + this.rows.clientHeight;
    if (!inSight) this.rows.scrollTop = top - this.rows.clientHeight / 2;
  }

  private toggleHidden(body: number): void {
    const hidden = new Set(this.viewer.options.hidden);
    if (!hidden.delete(body)) hidden.add(body);
    this.viewer.set({ hidden });
  }

  private row(body: number, place: number) {
    const { viewer } = this;
    const { options, selected } = viewer;
    const { name, freedom } = viewer.description!.bodies[body];
    const hidden = options.hidden.has(body) || (options.solo !== null && options.solo !== body);
    const chosen = selected?.kind === 'body' && selected.body === body;
    const tool = (label: string, on: boolean, icon: unknown, action: () => void) => html`
      <button class="tool" aria-label=${`${label} ${name}`} title=${label} aria-pressed=${on}
        @click=${action}>${icon}</button>`;
    return html`
      <div class="row ${chosen ? 'chosen' : ''} ${hidden ? 'hidden' : ''}" role="listitem"
        style=${`top:${place * rowHeight()}px`}>
        <button class="name" title=${`${name} (${freedom})`} aria-pressed=${chosen}
          @click=${() => viewer.select(chosen ? null : { run: viewer.active, kind: 'body', body })}>
          <span class="swatch" style=${`background:${bodyColour(body, freedom, options.theme)}`}></span>
          <span class="clip">${name}</span></button>
        ${tool('Follow', options.follow === body, icons.follow, () =>
            viewer.set({ follow: options.follow === body ? null : body }))}
        ${tool('Show only', options.solo === body, icons.solo, () =>
            viewer.set({ solo: options.solo === body ? null : body }))}
        ${tool('Hide', options.hidden.has(body), options.hidden.has(body) ? icons.eyeOff : icons.eye, () =>
            this.toggleHidden(body))}
      </div>`;
  }

  override render() {
    const { viewer } = this;
    const bodies = viewer.description?.bodies ?? [];
    const matches = this.matching();
    const height = rowHeight();
    const first = Math.max(0, Math.floor(this.scrolled / height) - spare);
    const last = Math.min(matches.length, Math.ceil((this.scrolled + this.height) / height) + spare);
    const changed = viewer.options.hidden.size > 0 || viewer.options.solo !== null;
    return html`
      <header><h2>${bodies.length === 0 ? 'Bodies' : count(bodies.length, 'body', 'bodies')}</h2>
        ${changed ? html`<button class="clear"
          @click=${() => viewer.set({ hidden: new Set(), solo: null })}>Show all</button>` : nothing}</header>
      ${bodies.length > 8 ? html`<div class="search"><input type="search" placeholder="Search"
        aria-label="Search bodies" .value=${this.search}
        @input=${(event: Event) => {
          this.search = (event.target as HTMLInputElement).value;
          this.rows?.scrollTo(0, 0);
        }}></div>` : nothing}
      <div class="rows" role="list" aria-label="Bodies"
        @scroll=${() => (this.scrolled = this.rows?.scrollTop ?? 0)}>
        ${bodies.length === 0 ? html`<p class="none">This scene has no bodies.</p>`
          : matches.length === 0 ? html`<p class="none">No body has “${this.search}” in its name.</p>` : nothing}
        <div class="space" style=${`height:${matches.length * height}px`}>
          ${repeat(matches.slice(first, last), (body) => body, (body, i) => this.row(body, first + i))}
        </div>
      </div>`;
  }
}

// px, two lines of text
function rowHeight(): number {
  return 2 * parseFloat(getComputedStyle(document.documentElement).fontSize);
}
