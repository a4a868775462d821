// SPDX-License-Identifier: Apache-2.0
// The page of a study: a bar, what is known so far, drawings and tables.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { icons } from '../ui/icons';
import { controls } from '../ui/styles';
import { toggleTheme } from '../ui/theme';
import './case_panel';
import { Follow } from './follow';
import './map_view';
import type { StudyModel } from './model';
import './parallel_view';
import './scatter_view';
import './summary_view';
import './tables_view';

@customElement('vinci-study')
export class StudyApp extends LitElement {
  @property({ attribute: false }) model!: StudyModel;

  constructor() {
    super();
    new Follow(this, () => this.model);
  }

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 100vh; background: var(--background); }
    .bar { position: sticky; top: 0; z-index: 10; display: flex; align-items: center; gap: 0.8rem; padding: 0.35rem 0.5rem 0.35rem 1rem;
      border-bottom: 1px solid var(--line); background: var(--panel); }
    .bar b { font-weight: 600; font-size: 1.08rem; }
    .bar .success { flex: 1; }
    .badge { flex: none; font-size: 0.85rem; padding: 0.05rem 0.6rem; border-radius: 1rem; border: 1px solid currentcolor; }
    .running { color: var(--good); }
    .complete { color: var(--muted); }
    .stopped { color: var(--warn); }
    main { display: grid; gap: 0.8rem; padding: 0.8rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
    study-summary, study-tables, study-parallel { grid-column: 1 / -1; }
    study-map, study-scatter { height: clamp(22rem, 56vh, 44rem); }
    study-parallel { height: clamp(18rem, 40vh, 30rem); }
    .problem { margin: 0.8rem 0.8rem 0; padding: 0.45rem 0.9rem; background: var(--bad-soft); border: 1px solid var(--bad); border-radius: 0.4rem; }
    .offline { margin: 0.8rem 0.8rem 0; color: var(--muted); }
    @media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr); } }
  `];

  override firstUpdated(): void {
    window.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.model.closeReplay();
      else if (event.key === 'd' && !event.ctrlKey && !event.metaKey && !event.altKey && !this.isTyping(event))
        toggleTheme(this.model);
    });
  }

  private isTyping(event: KeyboardEvent): boolean {
    const target = event.composedPath()[0];
    return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  }

  override render() {
    const { description, problem, options, source } = this.model;
    const dark = options.theme === 'dark';
    const state = !description ? '' : description.complete ? 'complete' : description.running ? 'running' : 'stopped';
    return html`
      <div class="bar"><b class="clip">${description?.title || description?.name || 'Vinci'}</b>
        ${state ? html`<span class=${`badge ${state}`} role="status">${state === 'stopped' ? 'not complete' : state}</span>` : nothing}
        <span class="success muted clip">${description?.success ? `success: ${description.success}` : ''}</span>
        <button aria-label=${dark ? 'Light colours' : 'Dark colours'} title="Light or dark (D)"
          @click=${() => toggleTheme(this.model)}>${dark ? icons.sun : icons.moon}</button></div>
      ${problem ? html`<div class="problem" role="alert">${problem}</div>` : nothing}
      ${source.canReplay ? nothing : html`<div class="offline">This page holds the results of the study. It replays no cases: ‘vinci view’ of the study's folder does.</div>`}
      ${description ? html`<main>
        <study-summary .model=${this.model}></study-summary>
        ${description.columns.length > 0 ? html`
          <study-map .model=${this.model}></study-map>
          <study-scatter .model=${this.model}></study-scatter>
          <study-parallel .model=${this.model}></study-parallel>` : nothing}
        <study-tables .model=${this.model}></study-tables>
      </main>` : nothing}
      <study-case .model=${this.model} hidden></study-case>`;
  }
}
