// SPDX-License-Identifier: Apache-2.0
// How far the study is and what it shows so far: progress, probability with its interval, statuses.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { count, number, plainNumber } from '../ui/format';
import { controls } from '../ui/styles';
import type { StudyDescription } from './description';
import { Follow } from './follow';
import type { StudyModel } from './model';
import { percent, percentRange, verdictColours } from './paint';
import { panel } from './styles';
import { statuses } from './table';

const statusNames: Record<string, string> = { timed_out: 'timed out' };

@customElement('study-summary')
export class SummaryView extends LitElement {
  @property({ attribute: false }) model!: StudyModel;

  constructor() {
    super();
    new Follow(this, () => this.model);
  }

  static override styles = [controls, panel, css`
    :host { display: grid; grid-template-columns: minmax(15rem, 1fr) minmax(20rem, 1.5fr) minmax(15rem, 1fr);
      background: none; border: none; gap: 0.8rem; border-radius: 0; }
    section { background: var(--panel); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.6rem 0.9rem; min-width: 0; }
    .large { font-size: 1.65rem; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums; }
    .bar { position: relative; height: 0.5rem; border-radius: 0.25rem; background: var(--line); margin: 0.45rem 0; overflow: hidden; }
    .bar i { position: absolute; top: 0; bottom: 0; }
    .interval { position: relative; height: 1.5rem; margin: 0.3rem 0 0; }
    .interval .axis { position: absolute; left: 0; right: 0; top: 0.55rem; height: 2px; background: var(--line-strong); }
    .interval .range { position: absolute; top: 0.3rem; height: 0.55rem; border-radius: 0.28rem; background: var(--accent); opacity: 0.45; min-width: 3px; }
    .interval .bounds { position: absolute; top: 0.5rem; height: 0.15rem; background: var(--muted); }
    .interval .point { position: absolute; top: 0.1rem; width: 3px; margin-left: -1.5px; height: 0.95rem; background: var(--accent); }
    .chips { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; margin-top: 0.3rem; }
    .chips span b { font-variant-numeric: tabular-nums; font-weight: 600; }
    .trouble b { color: var(--bad); }
    @media (max-width: 1000px) { :host { grid-template-columns: minmax(0, 1fr); } }
  `];

  private progress(it: StudyDescription) {
    const { rate } = this.model;
    const expected = it.complete ? it.cases : it.expected;
    const left = expected !== null && rate !== null && rate > 0 ? (expected - it.cases) / rate : null;
    const share = expected ? it.cases / expected : it.complete ? 1 : 0;
    const words = it.complete ? [`in ${count(it.rounds, 'round')}`]
      : [expected === null ? 'as many as it takes' : `of ${it.kind === 'sample' ? '' : 'at most '}${expected.toLocaleString('en')}`];
    if (it.thinned) words.push(`${it.rows.toLocaleString('en')} of them, drawn at random, are in this page's map and plots; counts and tables are of all`);
    if (!it.complete && rate !== null) words.push(`${number(rate, 3)} a second`);
    if (!it.complete && left !== null && left > 0) words.push(`${duration(left)} left`);
    return html`<section><h2>Progress</h2>
      <div class="large">${it.cases.toLocaleString('en')} <span class="muted" style="font-size: 1rem; font-weight: 400">${it.cases === 1 ? 'case' : 'cases'}</span></div>
      <div class="bar" role="progressbar" aria-valuenow=${Math.round(100 * share)} aria-valuemin="0" aria-valuemax="100">
        <i style=${`left: 0; width: ${100 * share}%; background: var(--accent)`}></i></div>
      <div class="muted number">${words.join(' · ')}</div></section>`;
  }

  private estimate(it: StudyDescription) {
    const level = `${plainNumber(100 * it.confidence)}\u202f%`;
    if (!it.probability || it.probability.value === null) {
      const known = it.successes + it.failures;
      return html`<section><h2>Success</h2><div class="muted" style="margin-top: 0.4rem">${
        it.success === null ? 'This study asks for measures only.' : it.withheld ? `No probability over all cases: ${it.withheld}.`
          : known === 0 ? 'No case has a verdict yet.' : 'No probability: a level that sees the design alone may have decided, and that is one answer.'}</div>
        ${this.counts(it)}</section>`;
    }
    const { value, lower, upper, least, most } = it.probability;
    const at = (share: number) => `${100 * share}%`;
    return html`<section><h2>Probability of success</h2>
      <div class="large">${percent(value, upper - lower < 0.02 ? 2 : 1)}
        <span class="muted" style="font-size: 1rem; font-weight: 400">${percentRange(lower, upper)} (${it.exact ? 'exact' : 'Wilson’s'} ${level} interval)</span></div>
      <div class="interval"><div class="axis"></div>
        ${it.unknown > 0 ? html`<div class="bounds" style=${`left: ${at(least)}; right: ${at(1 - most)}`}></div>` : nothing}
        <div class="range" style=${`left: ${at(lower)}; width: ${at(upper - lower)}`}></div>
        <div class="point" style=${`left: ${at(value)}`}></div></div>
      ${this.counts(it)}
      ${it.unknown > 0 ? html`<div class="muted">Whatever the unknown ones would have been: ${percentRange(least, most)}.</div>` : nothing}
      </section>`;
  }

  private counts(it: StudyDescription) {
    const colours = verdictColours[this.model.options.theme];
    if (it.success === null) return nothing;
    return html`<div class="chips">${([['succeed', it.successes, 1], ['fail', it.failures, 2], ['unknown', it.unknown, 0]] as const)
      .map(([name, amount, verdict]) => html`<span><b style=${`color: ${colours[verdict]}`}>${amount.toLocaleString('en')}</b> ${name}</span>`)}</div>`;
  }

  private statuses(it: StudyDescription) {
    const trouble = statuses.slice(2).reduce((sum, name) => sum + it.statuses[name], 0);
    const bar = statuses.map((name, i) => ({ name, share: it.cases > 0 ? it.statuses[name] / it.cases : 0,
      colour: i === 0 ? 'var(--good)' : i === 1 ? 'var(--accent)' : i === 2 ? 'var(--warn)' : 'var(--bad)' }));
    let left = 0;
    return html`<section><h2>How the cases went</h2>
      <div class="large">${trouble === 0 ? 'no trouble' : html`${trouble.toLocaleString('en')} <span class="muted" style="font-size: 1rem; font-weight: 400">in trouble</span>`}</div>
      <div class="bar">${bar.map(({ share, colour }) => {
        const place = left;
        left += 100 * share;
        return share > 0 ? html`<i style=${`left: ${place}%; width: max(2px, ${100 * share}%); background: ${colour}`}></i>` : nothing;
      })}</div>
      <div class="chips">${statuses.filter((name, i) => i === 0 || it.statuses[name] > 0).map((name, i) => html`
        <span class=${i > 0 && name !== 'ended' ? 'trouble' : ''}><b>${it.statuses[name].toLocaleString('en')}</b> ${statusNames[name] ?? name}</span>`)}</div></section>`;
  }

  override render() {
    const { description } = this.model;
    if (!description) return nothing;
    return html`${this.progress(description)}${this.estimate(description)}${this.statuses(description)}`;
  }
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`;
  if (seconds < 172_800) return `${number(seconds / 3600, 2)} h`;
  return `${number(seconds / 86_400, 2)} days`;
}
