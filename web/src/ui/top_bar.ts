// SPDX-License-Identifier: Apache-2.0
// The bar at the top: what is shown, how it is shown, and the way to export and help.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { SceneOptions } from '../scene/scene_view';
import { icons } from './icons';
import { warnings } from './run_status';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

type Layout = SceneOptions['layout'];
const layouts: [Layout, string, string][] = [
  ['single', 'One', 'Show the chosen run alone'],
  ['side-by-side', 'Side by side', 'Show the runs beside each other'],
  ['ghost', 'Ghost', 'Overlay the other runs as ghosts'],
];

@customElement('vinci-top-bar')
export class TopBar extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @property({ attribute: false }) left = true; // panels that are open
  @property({ attribute: false }) right = true;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change']);
  }

  static override styles = [controls, css`
    :host { display: flex; align-items: center; gap: 0.6rem; padding: 0.35rem 0.5rem; min-width: 0;
      border-bottom: 1px solid var(--line); background: var(--panel); }
    .title { flex: 1 1 8rem; min-width: 4rem; display: flex; align-items: baseline; gap: 0.6rem; }
    .title b { font-weight: 600; font-size: 1.08rem; }
    .badge { flex: none; font-size: 0.85rem; padding: 0.05rem 0.5rem; border-radius: 1rem;
      border: 1px solid currentcolor; align-self: center; }
    .live { color: var(--good); display: inline-flex; align-items: center; gap: 0.35rem; }
    .live::before { content: ''; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: currentcolor; }
    button.badge { min-height: 0; color: var(--warn); background: var(--warn-soft); }
    .badge svg.icon { width: 1rem; height: 1rem; }
    .group { display: flex; gap: 0.1rem; flex: none; }
    .segments { border: 1px solid var(--line-strong); border-radius: 0.45rem; }
    .segments button { border-radius: 0; min-height: 1.95rem; }
    .divider { width: 1px; align-self: stretch; margin: 0.25rem 0; background: var(--line); flex: none; }
    select { max-width: 14rem; }
    @media (max-width: 1250px) {
      .title .file { display: none; }
      :host { gap: 0.35rem; }
      select { max-width: 9rem; }
    }
  `];

  private send(name: string): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true }));
  }

  private toggle(name: 'contacts' | 'cones' | 'labels' | 'grid' | 'joints', label: string, hint: string) {
    const on = this.viewer.options[name];
    return html`<button aria-pressed=${on} aria-label=${label} title=${`${label}${hint}`}
      @click=${() => this.viewer.toggle(name)}>${icons[name]}</button>`;
  }

  private runChoice() {
    const { viewer } = this;
    if (viewer.stores.length < 2) return nothing;
    return html`
      <select aria-label="Run that the panels show" title="Run that the panels show"
        @change=${(event: Event) => viewer.setActive((event.target as HTMLSelectElement).selectedIndex)}>
        ${viewer.stores.map((_, i) => html`<option .selected=${i === viewer.active}>${viewer.runLabel(i)}</option>`)}
      </select>
      <div class="group segments" role="group" aria-label="Layout of the runs">
        ${layouts.map(([layout, name, hint]) => html`<button title=${hint}
          aria-pressed=${viewer.options.layout === layout}
          @click=${() => viewer.set({ layout })}>${name}</button>`)}
      </div>`;
  }

  override render() {
    const { viewer } = this;
    const description = viewer.description;
    const dark = viewer.options.theme === 'dark';
    const found = description ? warnings(description, viewer.live) : [];
    return html`
      <button aria-label="Bodies and run" title="Bodies and run" aria-pressed=${this.left}
        @click=${() => this.send('toggle-left')}>${icons.panelLeft}</button>
      <div class="title">
        <b class="clip" title=${description?.title ?? ''}>${description?.title || description?.name || 'Vinci'}</b>
        ${description?.title && viewer.stores.length < 2
          ? html`<span class="muted clip file">${description.name}</span>` : nothing}
        ${viewer.live ? html`<span class="badge live" role="status">live</span>` : nothing}
        ${found.length > 0 ? html`<button class="badge" title=${found.join('\n')}
          @click=${() => this.send('show-status')}>${icons.warn} ${found.length}
          ${found.length === 1 ? 'note' : 'notes'}</button>` : nothing}
      </div>
      ${this.runChoice()}
      <div class="group">
        ${this.toggle('contacts', 'Contact forces', ' (C)')}
        ${this.toggle('cones', 'Friction cones', ' (K)')}
        ${(viewer.model?.joints?.length ?? 0) > 0 ? this.toggle('joints', 'Joints', ' (J)') : nothing}
        ${this.toggle('labels', 'Names of bodies', '')}
        ${this.toggle('grid', 'Grid', '')}
        <button aria-label="Fit to view" title="Fit to view" @click=${() => viewer.fit()}>
          ${icons.fit}</button>
      </div>
      <span class="divider"></span>
      <div class="group">
        <button aria-label="Save a picture" title="Save a picture (P)" @click=${() => this.send('screenshot')}>
          ${icons.camera}</button>
        <button aria-label="Export a video" title="Export a video" @click=${() => this.send('export')}>
          ${icons.film}</button>
        <button aria-label=${dark ? 'Light colours' : 'Dark colours'} title="Light or dark (D)"
          @click=${() => this.send('toggle-theme')}>${dark ? icons.sun : icons.moon}</button>
        <button aria-label="Help" title="Keys and help (?)" @click=${() => this.send('help')}>${icons.help}</button>
        <button aria-label="Inspector and plots" title="Inspector and plots" aria-pressed=${this.right}
          @click=${() => this.send('toggle-right')}>${icons.panelRight}</button>
      </div>`;
  }
}
