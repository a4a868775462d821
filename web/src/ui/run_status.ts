// SPDX-License-Identifier: Apache-2.0
// What is to be known of a run: how it was computed, how well it was solved, and calm words where
// something is not as one would wish.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Description, ElementJson } from '../data/types';
import { elementWords } from './describe';
import { count, plainNumber, withPowers } from './format';
import { controls } from './styles';
import { isComplete, isLive, type Viewer } from './viewer';
import { Watch } from './watch';

// Sentences; none if all is well.
export function warnings(description: Description, live: boolean): string[] {
  const { summary } = description;
  const found: string[] = [];
  if (summary.diverged)
    found.push(`The run diverged${summary.diverged_body ? ` at body “${summary.diverged_body}”` : ''}` +
        ` after ${count(summary.steps, 'step')}.`);
  if (summary.ending) found.push(`The run ended in step ${summary.steps.toLocaleString('en')}: ${summary.ending}.`);
  if (summary.uncertified_steps > 0)
    found.push(`${count(summary.uncertified_steps, 'step')} of ${summary.steps.toLocaleString('en')} ` +
        `${summary.uncertified_steps === 1 ? 'is' : 'are'} not certified.`);
  if (summary.several_steps > 0)
    found.push(`${count(summary.several_steps, 'step')} ` +
        `${summary.several_steps === 1 ? 'allows' : 'allow'} more than one motion, the first is step ` +
        `${summary.first_several.toLocaleString('en')}: the run follows one of them.`);
  if (summary.steps === 0 && description.finished && description.frames === 1)
    found.push('This is how the scene begins: it has not been run.');
  else if (!isComplete(description) && !(live && description.has_writer))
    found.push(`The run stopped before its end: ${summary.steps.toLocaleString('en')} of ` +
        `${description.total_steps.toLocaleString('en')} steps are recorded.`);
  if (description.stride && description.stride > 1)
    found.push(`This page is thinned: it holds one of every ${description.stride} recorded frames.`);
  return found;
}

const fewElements = 6; // up to so many are in sight at once
const mostElements = 200;

const shownOptions = ['motion', 'stepper', 'cone', 'solver', 'detector', 'seed'];

@customElement('vinci-run-status')
export class RunStatus extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  private model = 0; // whose parameters are shown: a change of parameters begins another one

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'data']);
    new Watch(this, () => this.viewer, ['time'], () => {
      if (this.viewer.frame && this.viewer.frame.model !== this.model) this.requestUpdate();
    });
  }

  static override styles = [controls, css`
    :host { display: block; padding: 0.7rem 0.8rem; overflow-y: auto; }
    h2 { margin-bottom: 0.4rem; }
    p { margin: 0 0 0.5rem; padding: 0.35rem 0.55rem; border-left: 3px solid var(--warn);
      background: var(--warn-soft); font-size: 0.92rem; }
    dl + h2, p + dl { margin-top: 0.6rem; }
    h2:not(:first-of-type) { margin-top: 0.8rem; }
    summary { cursor: pointer; color: var(--muted); margin-top: 0.6rem; }
    details dl { margin-top: 0.4rem; }
    .lines { display: block; }
    .lines + dl { margin-top: 0.6rem; }
    .lines dd { margin-bottom: 0.3rem; }
  `];

  private elements(list: readonly ElementJson[], description: Description) {
    if (list.length === 0) return nothing;
    return html`<details class="elements" ?open=${list.length <= fewElements}>
      <summary>${count(list.length, 'element')}</summary>
      <dl>${list.slice(0, mostElements).map((element) => html`
        <dt>${element.kind}</dt><dd>${elementWords(element, description)}</dd>`)}
        ${list.length > mostElements
          ? html`<dt></dt><dd>${count(list.length - mostElements, 'more', 'more')}</dd>` : nothing}
      </dl></details>`;
  }

  override render() {
    const store = this.viewer.store;
    const description = store?.source.description;
    if (!store || !description) return nothing;
    const run = description.options.run ?? {};
    this.model = this.viewer.frame?.model ?? 0;
    const recorded = description.options.parameters ?? {};
    const model = this.viewer.frame ? store.model(this.model) : null;
    const now = model?.parameters ?? recorded;
    const parameters = Object.entries(now);
    const row = (name: string, value: unknown) =>
        value === undefined || value === null || value === '' ? nothing
          : html`<dt>${name}</dt><dd>${value}</dd>`;
    return html`
      <h2>Run</h2>
      ${warnings(description, isLive(store.source)).map((text) => html`<p role="note">${text}</p>`)}
      <dl class="lines">
        ${description.lines.map(([name, words]) => row(name, withPowers(words)))}
      </dl>
      <dl>
        ${row('frames', description.frames.toLocaleString('en'))}
        ${shownOptions.map((name) => row(name, run[name]))}
      </dl>
      ${parameters.length > 0 ? html`<h2>${description.models > 1 ? 'Parameters at this time' : 'Parameters'}</h2>
        <dl>${parameters.map(([name, value]) =>
          row(name, typeof value === 'number' ? plainNumber(value) : String(value)))}</dl>` : nothing}
      ${this.elements(model?.elements ?? [], description)}
      <details><summary>Provenance</summary><dl>
        ${row('file', description.name)}
        ${row('created', description.created)}
        ${row('version', description.version)}
        ${Object.entries(run).filter(([name]) => !shownOptions.includes(name))
          .map(([name, value]) => row(name, typeof value === 'object' ? JSON.stringify(value) : String(value)))}
      </dl></details>`;
  }
}
