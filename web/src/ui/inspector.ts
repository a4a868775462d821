// SPDX-License-Identifier: Apache-2.0
// The chosen body or contact at the present time, and the box beside the pointer for the hovered one.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Pick } from '../scene/scene_view';
import { facts, type Facts } from './describe';
import { icons } from './icons';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const factStyle = css`
  .heading { display: flex; align-items: center; gap: 0.5rem; min-width: 0; }
  .heading b { font-weight: 600; }
  .state { flex: none; padding: 0 0.45rem; border-radius: 1rem; font-size: 0.85rem; color: #fff; }
  .sticking { background: #0f7a61; } .sliding { background: #b8481a; } .open { background: #66707b; }
  dl { margin-top: 0.35rem; }
`;

function factList(found: Facts, end: unknown = nothing) {
  return html`
    <div class="heading"><b class="clip" title=${found.title}>${found.title}</b>
      ${found.state ? html`<span class="state ${found.state}">${found.state}</span>` : nothing}${end}</div>
    <dl>${found.rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

@customElement('vinci-inspector')
export class Inspector extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'time']);
  }

  static override styles = [controls, factStyle, css`
    :host { display: block; padding: 0.7rem 0.8rem; border-bottom: 1px solid var(--line); }
    .tools { display: flex; gap: 0.1rem; margin-left: auto; }
    .tools button { min-height: 1.7rem; min-width: 1.7rem; padding: 0; }
    .tools svg.icon { width: 1.1rem; height: 1.1rem; }
    p { margin: 0.4rem 0 0; color: var(--muted); }
    p.empty { margin: 0; }
    h2 { margin-bottom: 0.3rem; }
  `];

  private tools(selected: Pick) {
    const { viewer } = this;
    const body = selected.kind === 'body' ? selected.body : null;
    const following = body !== null && viewer.options.follow === body;
    const grasped = body !== null && viewer.grasp.body === body;
    const known = body !== null && viewer.grasp.isPossible(body);
    return html`<span class="tools">
      ${body !== null && (known || grasped) ? html`<button aria-label="Grasp"
        title="Is it held? Cones, closure and the weakest direction" aria-pressed=${grasped}
        @click=${() => viewer.grasp.show(grasped ? null : body)}>${icons.grasp}</button>` : nothing}
      ${body !== null ? html`<button aria-label="Follow" title="Follow (F)" aria-pressed=${following}
        @click=${() => viewer.set({ follow: following ? null : body })}>${icons.follow}</button>` : nothing}
      <button aria-label="Let go of the selection" title="Let go (Esc)"
        @click=${() => viewer.select(null)}>${icons.close}</button></span>`;
  }

  private words(): string {
    const { frame, description } = this.viewer;
    if (!description || !frame) return 'Nothing is shown yet.';
    if (description.bodies.length === 0) return 'This scene has no bodies.';
    const joint = this.viewer.pose.possible ? ', a joint' : '';
    if (frame.contacts.count === 0) return `No contacts at this time. Click a body${joint.replace(',', ' or')} to inspect it.`;
    return `Click a body${joint} or a contact to inspect it.`;
  }

  override render() {
    const { selected } = this.viewer;
    const found = selected ? facts(this.viewer, selected) : null;
    if (!selected || !found) return html`<h2>Inspector</h2><p class="empty">${this.words()}</p>`;
    return html`<h2>${{ body: 'Body', contact: 'Contact', joint: 'Joint' }[selected.kind]}</h2>
      ${factList(found, this.tools(selected))}
      ${found.note ? html`<p>${found.note}</p>` : nothing}`;
  }
}

@customElement('vinci-tooltip')
export class Tooltip extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @property({ attribute: false }) place: { x: number; y: number } = { x: 0, y: 0 };

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'time']);
  }

  static override styles = [controls, factStyle, css`
    :host { position: absolute; z-index: 4; pointer-events: none; left: 0; top: 0; }
    div.box { position: absolute; min-width: 12rem; width: max-content; max-width: 22rem;
      padding: 0.45rem 0.65rem;
      background: var(--raised); border: 1px solid var(--line-strong); border-radius: 0.4rem;
      box-shadow: var(--shadow); font-size: 0.93rem; }
  `];

  override render() {
    const { hovered } = this.viewer;
    const found = hovered ? facts(this.viewer, hovered) : null;
    if (!found) return nothing;
    const area = (this.parentNode instanceof HTMLElement ? this.parentNode : document.body);
    const right = this.place.x > area.clientWidth / 2;
    const below = this.place.y > area.clientHeight / 2;
    const style = `${right ? 'right' : 'left'}:${right ? 12 - this.place.x : this.place.x + 14}px;` +
        `${below ? 'bottom' : 'top'}:${below ? 12 - this.place.y : this.place.y + 14}px`;
    return html`<div class="box" role="tooltip" style=${style}>${factList(found)}</div>`;
  }
}
