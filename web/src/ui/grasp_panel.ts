// SPDX-License-Identifier: Apache-2.0
// What is told of a grasp in the shown frame: closure, quality, the wrench that it resists least.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { GraspAnswer, QualityInterval, Wrench } from '../data/grasp';
import { weakestWrench, wrenchShares } from '../scene/grasp_drawing';
import { bodyName } from './describe';
import { clock, number, quantity } from './format';
import { icons } from './icons';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

@customElement('vinci-grasp')
export class GraspPanel extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change']);
  }

  static override styles = [controls, css`
    :host { display: block; padding: 0.7rem 0.8rem; border-bottom: 1px solid var(--line); }
    .heading { display: flex; align-items: center; gap: 0.5rem; min-width: 0; }
    .heading b { font-weight: 600; }
    .state { flex: none; padding: 0 0.45rem; border-radius: 1rem; font-size: 0.85rem; color: #fff; background: #66707b; }
    .closed { background: #0f7a61; } .open { background: #b3261e; }
    .heading button { min-height: 1.7rem; min-width: 1.7rem; padding: 0; margin-left: auto; }
    .heading svg.icon { width: 1.1rem; height: 1.1rem; }
    dl { margin-top: 0.35rem; }
    h2 { margin-bottom: 0.3rem; }
    p { margin: 0.35rem 0 0; color: var(--muted); }
    .times { display: flex; flex-wrap: wrap; gap: 0.3rem; margin-top: 0.3rem; }
    .times button { min-height: 1.8rem; }
  `];

  private content(answer: GraspAnswer) {
    const wrench = weakestWrench(answer);
    const { closed, sum, each, weight } = answer;
    const needed = answer.frictionRequired;
    return html`<dl>
      <dt>force closure</dt><dd>${closureWords(answer)}</dd>
      <dt>contacts</dt><dd>${answer.contacts === 0 ? 'none is loaded'
        : `${answer.contacts} loaded, of ${answer.by.join(', ')}`}</dd>
      <dt>friction needed</dt><dd>${needed === null ? 'no friction closes it' : number(needed, 3)}</dd>
      ${closed ? html`
        <dt title="Normal forces of 1 N in all">quality, sum</dt><dd>${interval(sum)}</dd>
        <dt title="1 N at each contact">quality, each</dt><dd>${interval(each)}</dd>` : nothing}
      ${wrench ? html`<dt>${closed ? 'weakest against' : 'nothing resists'}</dt>
        <dd>${wrenchWords(wrench, answer.length)}</dd>` : nothing}
      ${weight ? html`<dt>its weight</dt><dd>${weight.status === 'held' && weight.sum !== null
        ? `takes normal forces of ${quantity(weight.sum, 'N', 3)} in all`
        : weight.status === 'impossible' ? 'cannot be held' : 'undecided'}</dd>` : nothing}
    </dl>`;
  }

  // Other times of which a page knows an answer.
  private elsewhere(body: number) {
    const { viewer } = this;
    const frames = viewer.grasp.framesOf(body) ?? [];
    if (frames.length === 0) return html`<p>This page holds no answer about this body.</p>`;
    const store = viewer.store!;
    return html`<p>This page tells of this grasp at:</p><div class="times">${frames.map((frame) => html`
      <button class="plain" @click=${() => viewer.seek(store.timeOf(frame))}>
        ${clock(store.timeOf(frame), viewer.interval(store))}\u202fs</button>`)}</div>`;
  }

  override render() {
    const { viewer } = this;
    const { body, answer, failure, isCurrent } = viewer.grasp;
    if (body === null || !viewer.description) return nothing;
    const state = !answer ? '' : answer.closed ? 'closed' : answer.proved ? 'open' : 'undecided';
    return html`<h2>Grasp</h2>
      <div class="heading"><b class="clip">${bodyName(viewer.description, body)}</b>
        ${state ? html`<span class="state ${state}">${state}</span>` : nothing}
        <button aria-label="Hide the grasp" title="Hide" @click=${() => viewer.grasp.show(null)}>${icons.close}</button></div>
      ${viewer.pose.posing ? html`<p>A posed robot holds nothing: no contact is known.</p>`
        : answer ? this.content(answer)
        : failure ? html`<p role="alert">${failure}</p>`
        : isCurrent ? this.elsewhere(body) : html`<p>Looking at the grasp…</p>`}`;
  }
}

function closureWords({ closed, proved, margin, contacts }: GraspAnswer): string {
  if (closed) return `yes, proved; margin ${number(margin, 3)}\u202fN per N`;
  if (contacts === 0) return 'no: nothing touches it with a force';
  return proved ? 'no, proved' : 'undecided, which counts as open: too near to the boundary';
}

const interval = ({ lower, upper, settled }: QualityInterval): string =>
    `${number(lower)} to ${number(upper)}\u202fN${settled ? '' : ' (wide)'}`;

// Of unit size; parts that are small against it count as none.
function wrenchWords(wrench: Wrench, length: number): string {
  const { force, torque } = wrenchShares(wrench, length);
  const list = (values: number[]) => values.map((value) => number(Math.abs(value) < 1e-6 ? 0 : value, 3)).join(', ');
  const parts = [];
  if (Math.hypot(...force) > 1e-6) parts.push(`force (${list(force)})\u202fN`);
  if (Math.hypot(...torque) > 1e-6) parts.push(`torque (${list(torque.map((value) => value * length))})\u202fN m`);
  return parts.join(', ');
}
