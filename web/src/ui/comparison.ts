// SPDX-License-Identifier: Apache-2.0
// The comparison below the scene: the answer in words, a table of the runs, the distance from the
// reference over time, and what contacts do when, one strip per run.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { ComparedVariant, Comparison, ModeInterval } from '../data/comparison';
import { number, quantity } from './format';
import { icons } from './icons';
import type { Curve } from './plot';
import './plot';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const mostStrips = 6; // pairs of bodies whose strips are shown at first

@customElement('vinci-comparison')
export class ComparisonPanel extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @state() private open = true;
  @state() private allPairs = false;
  private curves: { active: number; list: Curve[] } | null = null;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change']);
    new Watch(this, () => this.viewer, ['time'], () => this.placeNow());
  }

  static override styles = [controls, css`
    :host { display: block; background: var(--panel); border-top: 1px solid var(--line); min-width: 0; }
    button.heading { width: 100%; justify-content: flex-start; border-radius: 0; min-height: 1.9rem;
      font-weight: 600; padding: 0 0.8rem 0 0.5rem; }
    button.heading[aria-expanded='false'] svg.icon { transform: rotate(-90deg); }
    .body { display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 10fr); gap: 0 1rem;
      height: clamp(13rem, 36vh, 30rem); overflow-y: auto; padding: 0 0.8rem 0.6rem; }
    @media (max-width: 900px) { .body { grid-template-columns: minmax(0, 1fr); } }
    h2 { margin: 0.5rem 0 0.25rem; }
    p { margin: 0 0 0.4rem; overflow-wrap: anywhere; }
    .table { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
    th { text-align: right; font-weight: 500; color: var(--muted); padding: 0.1rem 0.5rem; vertical-align: bottom; }
    td { text-align: right; padding: 0.12rem 0.5rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
    th:first-child, td:first-child { text-align: left; }
    tbody tr { border-top: 1px solid var(--line); cursor: pointer; }
    tbody tr:hover { background: var(--hover); }
    tbody tr.active { background: var(--accent-soft); }
    td button { min-height: 1.7rem; padding: 0 0.3rem; text-align: left; }
    .mark { font-size: 0.82rem; color: var(--good); margin-left: 0.4rem; }
    .bad { color: var(--bad); }
    .strips { display: grid; grid-template-columns: minmax(5rem, max-content) minmax(0, 1fr); gap: 0.15rem 0.6rem;
      align-items: center; font-size: 0.9rem; }
    .strips .pair { grid-column: 1 / -1; color: var(--muted); margin-top: 0.3rem; }
    .strips .name { max-width: 14rem; }
    .strip { position: relative; height: 1.25rem; background: var(--hover); border-radius: 0.2rem; overflow: hidden; }
    .strip span { position: absolute; top: 0; bottom: 0; padding: 0 0.25rem; font-size: 0.8rem; line-height: 1.25rem;
      white-space: nowrap; overflow: hidden; border-left: 1px solid var(--panel); }
    .strip .now { padding: 0; width: 1px; border: 0; background: var(--text); }
    .open { color: var(--muted); }
    .stick { background: #159f7f; color: #04231b; }
    .slide { background: #e2622d; color: #2b0f03; }
    .slide-left { background: #e2622d; color: #2b0f03; }
    .slide-right { background: #f0b429; color: #2b1d00; }
    .mixed { background: #8f7cc0; color: #150c2b; }
  `];

  private get comparison(): Comparison | null {
    return this.viewer.comparison;
  }

  private row(run: number) {
    const { cases, variants } = this.comparison!;
    const variant = variants[run];
    const { cost, difference } = variant;
    const { reference, finest, cheapest } = cases[variant.case];
    const role = run === reference ? (finest ? 'finest' : 'reference') : '';
    const different = difference?.contacts.filter((contact) => !contact.same_modes).length ?? 0;
    return html`<tr class=${run === this.viewer.active ? 'active' : ''} @click=${() => this.viewer.setActive(run)}>
      <td><button aria-pressed=${run === this.viewer.active}>${variant.name}</button>
        ${role ? html`<span class="mark">${role}</span>` : nothing}
        ${run === cheapest ? html`<span class="mark">cheapest that agrees</span>` : nothing}</td>
      <td class=${variant.agrees ? '' : 'bad'}>${difference === null ? '' : this.until(variant)}</td>
      <td title=${difference?.largest_body ? `${difference.largest_body} at ${number(difference.largest_time)} s` : ''}>
        ${difference === null ? '' : length(difference.largest)}</td>
      <td>${difference === null ? '' : different === 0 ? 'same' : `${different} differ`}</td>
      <td>${cost.steps.toLocaleString('en')}</td>
      <td>${number(cost.worst_residual, 2)}</td>
      <td>${quantity(1e3 * cost.cpu_per_second, 'ms', 3)}</td></tr>`;
  }

  private until({ agrees, difference, cost }: ComparedVariant): string {
    if (difference!.first_above !== null) return `until ${quantity(difference!.first_above, 's', 3)}`;
    if (agrees) return 'to the end';
    return cost.diverged_body ? `diverged at ${quantity(difference!.until, 's')}`
      : `ended at ${quantity(difference!.until, 's')}`;
  }

  private table() {
    const { cases, skipped } = this.comparison!;
    return html`
      <div class="table"><table>
        <thead><tr><th>run</th><th>agrees</th><th>largest distance</th><th>contact modes</th><th>steps</th>
          <th>worst residual</th><th>CPU time per second</th></tr></thead>
        <tbody>${cases.flatMap((one) => one.variants.map((run) => this.row(run)))}</tbody>
      </table></div>
      ${skipped.length > 0 ? html`<h2>Not run</h2>
        ${skipped.map(({ name, reason }) => html`<p class="muted">${name}: ${reason}</p>`)}` : nothing}`;
  }

  // The runs of the case that is shown.
  private get shown(): number[] {
    const { cases, variants } = this.comparison!;
    return cases[variants[this.viewer.active].case].variants;
  }

  // Distances of the case's runs from its reference, and the tolerance.
  private distances(): Curve[] {
    if (this.curves?.active === this.viewer.active) return this.curves.list;
    const { variants, times, tolerance } = this.comparison!;
    const list: Curve[] = this.shown.filter((run) => variants[run].difference !== null)
        .map((run, i) => ({
          label: variants[run].name, colour: i, dashed: false,
          time: times.slice(0, variants[run].difference!.distance.length),
          values: variants[run].difference!.distance,
        }));
    list.push({ label: 'tolerance', colour: list.length, dashed: true, time: times,
                values: times.map(() => tolerance) });
    this.curves = { active: this.viewer.active, list };
    return list;
  }

  private strip(modes: ModeInterval[]) {
    const { duration } = this.comparison!;
    const percent = (time: number) => `${Math.min(100, (100 * time) / duration)}%`;
    return html`<div class="strip">${modes.map(({ mode, begin, end }) => html`
      <span class=${mode.replace(' ', '-')} title=${`${mode}, ${number(begin)} to ${number(end)} s`}
        style="left: ${percent(begin)}; width: ${percent(end - begin)}">${mode}</span>`)}
      <span class="now"></span></div>`;
  }

  // The present time in the strips; all else stays as it is while the runs play.
  private placeNow(): void {
    const { comparison } = this;
    if (!comparison) return;
    const left = `${Math.min(100, (100 * this.viewer.player.time) / comparison.duration)}%`;
    for (const line of this.renderRoot.querySelectorAll<HTMLElement>('.strip .now')) line.style.left = left;
  }

  override updated(): void {
    this.placeNow();
  }

  private strips() {
    const { variants } = this.comparison!;
    const keys = new Map<string, [string, string]>();
    for (const run of this.shown)
      for (const { a, b } of variants[run].contacts) keys.set(JSON.stringify([a, b]), [a, b]);
    const pairs = [...keys.values()];
    const some = this.allPairs ? pairs : pairs.slice(0, mostStrips);
    return html`<div class="strips">${some.map(([a, b]) => html`
        <div class="pair">${a} – ${b}</div>
        ${this.shown.map((run) => {
          const contact = variants[run].contacts.find((one) => one.a === a && one.b === b);
          return html`<div class="name clip" title=${variants[run].name}>${variants[run].name}</div>
            ${this.strip(contact?.modes ?? [])}`;
        })}`)}</div>
      ${pairs.length > some.length ? html`<button class="plain" @click=${() => (this.allPairs = true)}>
        Show all ${pairs.length} pairs</button>` : nothing}`;
  }

  override render() {
    const { comparison } = this;
    if (!comparison) return nothing;
    return html`
      <button class="heading" aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>
        ${icons.down}Comparison</button>
      ${this.open ? html`<div class="body">
        <section aria-label="Runs"><h2>Runs</h2>${this.table()}
          <h2>In words</h2>${comparison.answer.map((sentence) => html`<p>${sentence}</p>`)}</section>
        <section aria-label="Differences"><h2>Distance from the reference, m</h2>
          <vinci-plot data-plot="distance" .viewer=${this.viewer} .curves=${this.distances()} logarithmic></vinci-plot>
          <h2>Contact modes</h2>${this.strips()}</section>
      </div>` : nothing}`;
  }
}

function length(metres: number): string {
  if (metres !== 0 && Math.abs(metres) < 1e-6) return quantity(metres, 'm', 3);
  if (Math.abs(metres) < 1e-3) return quantity(1e6 * metres, 'µm', 3);
  return Math.abs(metres) < 1 ? quantity(1e3 * metres, 'mm', 3) : quantity(metres, 'm', 3);
}
