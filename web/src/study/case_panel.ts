// SPDX-License-Identifier: Apache-2.0
// One case: what went into it, what came out, and the case itself, simulated again and played. A page
// without a server says how to get it.
import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { message } from '../data/source';
import { number } from '../ui/format';
import { icons } from '../ui/icons';
import { controls } from '../ui/styles';
import { Follow } from './follow';
import type { StudyModel } from './model';
import { verdictColours } from './paint';
import type { ReplayState } from './source';
import { statuses, verdicts } from './table';

const statePeriod = 400; // ms

@customElement('study-case')
export class CasePanel extends LitElement {
  @property({ attribute: false }) model!: StudyModel;
  @state() private replay: ReplayState | null = null;
  private asked: number | null = null;

  constructor() {
    super();
    new Follow(this, () => this.model, ['change']);
  }

  static override styles = [controls, css`
    :host { position: fixed; inset: 0; z-index: 20; display: grid; place-items: center; background: rgb(10 15 20 / 45%); }
    :host([hidden]) { display: none; }
    .box { display: grid; grid-template: auto minmax(0, 1fr) / minmax(13rem, 19rem) minmax(0, 1fr); background: var(--background);
      width: calc(100vw - 3rem); height: calc(100vh - 3rem); border: 1px solid var(--line-strong); border-radius: 0.7rem;
      overflow: hidden; box-shadow: var(--shadow); }
    .box.small { width: min(30rem, calc(100vw - 3rem)); height: auto; max-height: calc(100vh - 3rem); grid-template-columns: minmax(0, 1fr); }
    header { grid-column: 1 / -1; display: flex; align-items: center; gap: 0.8rem; padding: 0.4rem 0.6rem 0.4rem 1rem;
      border-bottom: 1px solid var(--line); background: var(--panel); }
    header b { font-weight: 600; font-size: 1.08rem; }
    header .say { flex: 1; }
    a { color: var(--accent); }
    aside { overflow-y: auto; padding: 0.8rem 1rem; border-right: 1px solid var(--line); background: var(--panel); display: grid;
      gap: 0.8rem; align-content: start; }
    iframe { width: 100%; height: 100%; border: 0; background: var(--background); }
    .others { display: flex; flex-wrap: wrap; gap: 0.25rem; }
    .others button { min-height: 1.6rem; min-width: 2.4rem; padding: 0 0.35rem; font-size: 0.85rem; border: 1px solid var(--line-strong); }
    .others button[aria-pressed='true'] { outline: 2px solid var(--accent); }
    .words { display: grid; place-content: center; padding: 2rem; color: var(--muted); text-align: center; }
    code { font-size: 0.88rem; overflow-wrap: anywhere; user-select: all; }
    .dot { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 50%; margin-right: 0.4rem; }
  `];

  override willUpdate(_changed: PropertyValues): void {
    const number = this.model.replayed?.number ?? null;
    this.hidden = number === null;
    if (number === this.asked) return;
    this.asked = number;
    this.replay = null;
    if (number !== null && this.model.source.canReplay) void this.follow(number);
  }

  private async follow(number: number): Promise<void> {
    while (this.asked === number) {
      try {
        this.replay = await this.model.source.replay(number);
      } catch (error) {
        this.replay = { state: 'failed', error: message(error) };
      }
      if (this.replay.state !== 'running') return;
      await new Promise((resolve) => setTimeout(resolve, statePeriod));
    }
  }

  private words(): string {
    const { replay } = this;
    if (!this.model.source.canReplay) return '';
    if (!replay) return 'is simulated again …';
    if (replay.state === 'running') return 'is simulated again, and shown meanwhile …';
    if (replay.state === 'failed') return `cannot be simulated: ${replay.error ?? ''}`;
    return replay.same === true ? 'simulated again: the same as in the study, bit for bit'
      : replay.same === false ? 'simulated again: the study has another result' : 'simulated again';
  }

  private facts(row: number | undefined) {
    const { table, columns, options } = this.model;
    if (row === undefined) return nothing;
    const verdict = table.verdicts[row];
    const list = (measures: boolean) => html`<dl>${columns.map((column, i) => (column.kind === 'measure') === measures
      ? html`<dt>${column.name}</dt><dd>${number(table.columns[i][row], 6)}</dd>` : nothing)}</dl>`;
    return html`
      <div><span class="dot" style=${`background: ${verdictColours[options.theme][verdict]}`}></span><b>${verdicts[verdict]}</b>
        <span class="muted">· ${statuses[table.statuses[row]].replace('_', ' ')} · ${this.model.description?.levels[table.levels[row]]?.name ?? ''}</span></div>
      <div><h2>Parameters</h2>${list(false)}</div>
      ${columns.some((column) => column.kind === 'measure') ? html`<div><h2>Measures</h2>${list(true)}</div>` : nothing}`;
  }

  private others() {
    const { replayed, table, options } = this.model;
    if (!replayed || replayed.others.length < 2) return nothing;
    return html`<div><h2>Cases of this cell, failures first</h2><div class="others" style="margin-top: 0.4rem">
      ${replayed.others.map((number) => html`<button aria-pressed=${number === replayed.number}
        style=${`color: ${verdictColours[options.theme][table.verdicts[table.rowOf(number) ?? 0]]}`}
        @click=${() => this.model.replay(number, replayed.others)}>${number}</button>`)}</div></div>`;
  }

  override render() {
    const { replayed, table, source, description } = this.model;
    if (!replayed) return nothing;
    const { number } = replayed;
    const command = `${description?.repeat.before ?? ''}${number}${description?.repeat.after ?? ''}`;
    const failed = this.replay?.state === 'failed';
    return html`<div class=${source.canReplay ? 'box' : 'box small'} role="dialog" aria-modal="true" aria-label=${`Case ${number}`}>
      <header><b>Case ${number}</b><span class="say muted clip" role="status" title=${this.words()}>${this.words()}</span>
        ${source.canReplay && !failed ? html`<a href=${`cases/${number}/`} target="_blank" rel="noopener">In a tab of its own</a>` : nothing}
        <button aria-label="Close" title="Close (Esc)" @click=${() => this.model.closeReplay()}>${icons.close}</button></header>
      <aside>${this.facts(table.rowOf(number))}${this.others()}
        <div><h2>To repeat it</h2><code>${command}</code></div>
        ${source.canReplay ? nothing : html`<div class="muted">This page holds results only: it cannot replay cases. ‘vinci view’ of the study's folder can.</div>`}
      </aside>
      ${source.canReplay ? failed ? html`<div class="words">${this.words()}</div>`
        : html`<iframe title=${`Case ${number} in the player`} src=${`cases/${number}/`}></iframe>` : nothing}
    </div>`;
  }
}
