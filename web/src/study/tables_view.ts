// SPDX-License-Identifier: Apache-2.0
// Tables below the drawings: what each level cost and said, the measures, what the strategy of the
// study found, and the cases that did not go well.
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { count, number } from '../ui/format';
import { controls } from '../ui/styles';
import type { LevelJson } from './description';
import { Follow } from './follow';
import type { StudyModel } from './model';
import { percent, percentRange } from './paint';
import { panel } from './styles';
import { duration } from './summary_view';

type Row = Record<string, unknown>;
const mostTroubled = 12;

@customElement('study-tables')
export class TablesView extends LitElement {
  @property({ attribute: false }) model!: StudyModel;

  constructor() {
    super();
    new Follow(this, () => this.model);
  }

  static override styles = [controls, panel, css`
    :host { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); align-items: start;
      gap: 0.8rem; background: none; border: none; border-radius: 0; }
    section { background: var(--panel); border: 1px solid var(--line); border-radius: 0.6rem; padding-bottom: 0.3rem; min-width: 0; }
    section > h2 { padding: 0.55rem 0.8rem 0.3rem; color: var(--text); font-size: 0.98rem; }
    td button { min-height: 1.6rem; color: var(--accent); }
    td.message { white-space: normal; text-align: left; }
  `];

  private rows(key: string): Row[] {
    const list = this.model.report?.[key];
    return Array.isArray(list) ? list as Row[] : [];
  }

  private levels(levels: LevelJson[]) {
    const total = levels.reduce((sum, level) => sum + level.cpu_seconds, 0);
    const line = (level: LevelJson) => {
      const asked = level.unknown + level.successes + level.failures;
      const does = [level.rejects && 'rejects', level.confirms && 'confirms', level.per_design && 'once a design'].filter(Boolean);
      return html`<tr><td title=${does.join(', ')}>${level.name}</td><td>${asked.toLocaleString('en')}</td>
        <td>${level.successes.toLocaleString('en')}</td><td>${level.failures.toLocaleString('en')}</td>
        <td>${level.unknown.toLocaleString('en')}</td><td>${level.steps.toLocaleString('en')}</td>
        <td>${level.timed > 0 ? duration0(level.cpu_seconds / level.timed) : '–'}</td>
        <td>${level.timed > 0 ? duration0(level.cpu_seconds) : '–'}</td>
        <td>${total > 0 ? percent(level.cpu_seconds / total) : '–'}</td></tr>`;
    };
    return html`<section><h2>Levels and their cost</h2><div class="wide"><table>
      <tr><th>level</th><th>asked</th><th>success</th><th>failure</th><th>unknown</th><th>steps</th>
        <th title="Time of the processor">a case</th><th>in all</th><th>share</th></tr>
      ${levels.map(line)}</table></div>
      ${this.rows('levels_apart').map((it) => html`<div class="note">${levelsApart(it)}</div>`)}</section>`;
  }

  private measures() {
    const rows = this.rows('measures').filter((row) => Number(row.count) > 0);
    if (rows.length === 0) return nothing;
    const quantile = (row: Row, share: number) =>
      (row.quantiles as { share: number; value: number }[] | undefined)?.find((it) => it.share === share)?.value;
    const several = (this.model.description?.levels.length ?? 0) > 1;
    return section('Measures', ['measure', 'cases', 'mean', 'deviation', 'least', 'median', 'greatest'], rows.map((row) => [
      several ? `${row.name} (${row.level})` : String(row.name), Number(row.count).toLocaleString('en'), value(row.mean), value(row.deviation), value(row.least),
      value(quantile(row, 0.5)), value(row.greatest)]));
  }

  private sensitivity() {
    const rows = this.rows('sensitivity');
    if (rows.length === 0) return nothing;
    const range = (row: Row, key: string) => row[key] === undefined ? '–'
      : `${value(row[key], 3)} (${value(row[`${key}_lower`], 3)} to ${value(row[`${key}_upper`], 3)})`;
    return 'effect' in rows[0]
      ? section('Sensitivity (Morris)', ['measure', 'parameter', 'effect', 'deviation'],
          rows.map((row) => [String(row.measure), String(row.parameter), range(row, 'effect'), value(row.deviation, 3)]))
      : section('Sensitivity (Sobol)', ['measure', 'parameter', 'first order', 'total'],
          rows.map((row) => [String(row.measure), String(row.parameter), range(row, 'first'), range(row, 'total')]));
  }

  private found() {
    const rows = this.rows('found').slice(0, 10);
    if (rows.length === 0) return nothing;
    const names = Object.keys(rows[0].values as Row);
    return section('Best designs', ['design', ...names, 'objective', 'success'], rows.map((row) => {
      const it = row.probability as { value: number | null; lower: number | null; upper: number | null };
      return [String(row.design), ...names.map((name) => value((row.values as Row)[name])), value(row.objective),
              it.lower === null || it.upper === null ? percent(it.value)
                : `${percent(it.value)} (${percentRange(it.lower, it.upper)})`];
    }));
  }

  private rare() {
    const it = this.model.report?.rare as Row | undefined;
    if (!it) return nothing;
    return section('Probability of failure', ['estimate', 'from', 'to', 'variation', 'rounds'],
      [[value(it.probability), value(it.lower), value(it.upper), value(it.variation, 3), String(it.rounds)]]);
  }

  private troubled() {
    const rows = this.rows('troubled');
    if (rows.length === 0) return nothing;
    const replays = this.model.source.canReplay;
    return html`<section><h2>Cases in trouble</h2><div class="wide"><table>
      <tr><th>case</th><th>status</th><th style="text-align: left">what it says</th></tr>
      ${rows.slice(0, mostTroubled).map((row) => html`<tr><td>${replays
        ? html`<button @click=${() => this.model.replay(Number(row.number))}>${String(row.number)}</button>` : String(row.number)}</td>
        <td>${String(row.status).replace('_', ' ')}</td><td class="message">${String(row.message ?? '')}</td></tr>`)}
      </table></div>${rows.length > mostTroubled
        ? html`<div class="note">and ${count(rows.length - mostTroubled, 'more', 'more')}</div>` : nothing}</section>`;
  }

  override render() {
    const { description } = this.model;
    if (!description) return nothing;
    return html`${this.rare()}${this.found()}${this.sensitivity()}${this.levels(description.levels)}${this.measures()}${this.troubled()}`;
  }
}

function levelsApart(row: Row): string {
  const [first, second] = row.levels as string[];
  return `${first} and ${second} contradict each other in ${Number(row.first_only) + Number(row.second_only)} of ${row.cases} cases: ` +
      `${row.first_only} succeed by ${first} alone, ${row.second_only} by ${second}.`;
}

function section(title: string, head: string[], rows: string[][]): TemplateResult {
  return html`<section><h2>${title}</h2><div class="wide"><table><tr>${head.map((name) => html`<th>${name}</th>`)}</tr>
    ${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</table></div></section>`;
}

function value(json: unknown, digits = 4): string {
  return typeof json === 'number' ? number(json, digits) : '–';
}

// Of the processor: short ones in parts of a second.
function duration0(seconds: number): string {
  if (seconds >= 90) return duration(seconds);
  if (seconds >= 1 || seconds === 0) return `${number(seconds, 3)} s`;
  return seconds >= 1e-3 ? `${number(1e3 * seconds, 3)} ms` : `${number(1e6 * seconds, 3)} µs`;
}
