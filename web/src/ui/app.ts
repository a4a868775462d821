// SPDX-License-Identifier: Apache-2.0
// The page: bars, panels and the scene between them; pointer and keys; messages.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { message } from '../data/source';
import { SceneView } from '../scene/scene_view';
import './body_list';
import './comparison';
import './dialog';
import './event_list';
import { download, exportName, screenshot } from './export';
import './export_dialog';
import './grasp_panel';
import './inspector';
import './joint_list';
import { handleKeys, type PageActions } from './keys';
import './plots';
import './run_status';
import { controls } from './styles';
import { toggleTheme } from './theme';
import './timeline';
import './top_bar';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const narrow = 1100; // px: below, the panel of bodies starts closed
const clickReach = 5; // px that the pointer may move in a click

@customElement('vinci-app')
export class App extends LitElement implements PageActions {
  @property({ attribute: false }) viewer!: Viewer;
  @property({ type: Boolean, reflect: true }) bare = false; // only the scene, for pictures
  @state() private left = window.innerWidth >= narrow;
  @state() private right = window.innerWidth >= 760;
  @state() private dialog: 'help' | 'export' | null = null;
  @state() private place = { x: 0, y: 0 };
  @query('.scene') private scene!: HTMLElement;
  private pressed: { x: number; y: number } | null = null;
  private looked = ''; // where and at which picture, last
  private pointed: { x: number; y: number } | null = null;

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change']);
  }

  static override styles = [controls, css`
    :host { display: grid; height: 100vh; height: 100dvh; overflow: hidden; background: var(--background);
      grid-template: auto minmax(0, 1fr) auto auto / auto minmax(0, 1fr) auto; }
    vinci-top-bar, vinci-timeline, vinci-comparison { grid-column: 1 / -1; }
    .panel { display: flex; flex-direction: column; min-height: 0; background: var(--panel); overflow: hidden; }
    .left { width: clamp(15rem, 17vw, 22rem); border-right: 1px solid var(--line); }
    .right { width: clamp(19rem, 26vw, 38rem); border-left: 1px solid var(--line); grid-column: 3; }
    .left vinci-body-list { flex: 1 1 55%; }
    .left vinci-run-status { flex: 0 1 auto; max-height: 55%; border-top: 1px solid var(--line); }
    .right vinci-inspector { flex: none; max-height: 45%; overflow-y: auto; }
    .left vinci-event-list { flex: 3 1 40%; border-top: 1px solid var(--line); }
    .left vinci-joint-list { flex: 0 0 auto; max-height: 50%; border-top: 1px solid var(--line); }
    .left.jointed vinci-body-list { flex: 1 1 9rem; min-height: 7rem; }
    .left.jointed vinci-run-status { max-height: 35%; min-height: 5rem; }
    .left.eventful vinci-body-list { flex: 1 1 7rem; min-height: 6rem; }
    .left.eventful vinci-run-status { max-height: 30%; min-height: 5rem; }
    .right vinci-grasp { flex: none; max-height: 45%; overflow-y: auto; }
    .right vinci-plots { flex: 1; }
    .stage { position: relative; grid-column: 2; grid-row: 2; min-width: 0; min-height: 0; overflow: hidden; }
    .scene { position: absolute; inset: 0; }
    .scene canvas { object-fit: contain; } /* while pictures of another size are made */
    .words { position: absolute; inset: 0; display: grid; place-content: center; text-align: center;
      padding: 2rem; color: var(--muted); pointer-events: none; font-size: 1.1rem; }
    .messages { position: absolute; left: 50%; top: 0.7rem; transform: translateX(-50%); z-index: 5;
      display: grid; gap: 0.4rem; width: min(46rem, calc(100% - 1.4rem)); }
    .message { display: flex; gap: 0.8rem; align-items: center; padding: 0.35rem 0.4rem 0.35rem 0.9rem;
      background: var(--bad-soft); border: 1px solid var(--bad); border-radius: 0.4rem; box-shadow: var(--shadow); }
    .message span { flex: 1; overflow-wrap: anywhere; }
    :host([bare]) { grid-template: minmax(0, 1fr) / minmax(0, 1fr); }
    :host([bare]) .stage { grid-area: 1 / 1; }
  `];

  override firstUpdated(): void {
    this.viewer.attach(new SceneView(this.scene));
    handleKeys(this.viewer, this, () => this.dialog !== null || this.bare);
    this.viewer.start();
    requestAnimationFrame(() => this.lookUnderPointer());
  }

  toggleTheme(): void {
    toggleTheme(this.viewer);
  }

  screenshot(): void {
    screenshot(this.viewer)
        .then((blob) => download(blob, exportName(this.viewer, 'png')))
        .catch((error: unknown) => this.viewer.report({ key: 'picture', text: message(error) }));
  }

  toggleHelp(): void {
    this.dialog = this.dialog === 'help' ? null : 'help';
  }

  closeTop(): void {
    if (this.dialog) this.dialog = null;
    else if (this.viewer.selected) this.viewer.select(null);
    else this.viewer.set({ follow: null });
  }

  private pointerMoved(event: PointerEvent): void {
    this.pointed = event.buttons === 0 ? { x: event.clientX, y: event.clientY } : null;
    if (event.buttons !== 0) this.viewer.hover(null);
  }

  // Once a picture at most: what lies under the pointer also changes while the run plays.
  private lookUnderPointer(): void {
    requestAnimationFrame(() => this.lookUnderPointer());
    if (!this.pointed || this.dialog || this.bare) return;
    const { x, y } = this.pointed;
    const looked = `${x} ${y} ${this.viewer.pictures}`;
    if (looked === this.looked) return;
    this.looked = looked;
    const box = this.scene.getBoundingClientRect();
    const pick = this.viewer.pick(x, y);
    if (pick) this.place = { x: x - box.left, y: y - box.top };
    this.viewer.hover(pick);
  }

  private pointerUp(event: PointerEvent): void {
    const from = this.pressed;
    this.pressed = null;
    if (!from || event.button !== 0) return;
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > clickReach) return;
    this.viewer.select(this.viewer.pick(event.clientX, event.clientY));
  }

  // Words in the place of a scene that is empty.
  private words(): string {
    const { viewer } = this;
    if (viewer.loading) return 'Opening the run…';
    if (viewer.stores.length === 0 && viewer.waiting) return 'Waiting for the run to begin…';
    if (viewer.stores.length === 0) return viewer.problems.length > 0 ? '' : 'There is no run to show.';
    const { description } = viewer;
    if (description?.frames === 0) return 'The run has no frames yet.';
    return description?.bodies.length === 0 ? 'This scene has no bodies.' : '';
  }

  private dismiss(text: string): void {
    for (const problem of this.viewer.problems) if (problem.text === text) this.viewer.resolve(problem.key);
  }

  private messages() {
    // The same cause may stop several things; one message is enough, best one with a way out.
    const problems = [...this.viewer.problems].sort((a, b) => Number(!a.retry) - Number(!b.retry));
    const different = problems.filter((one, i) => problems.findIndex(({ text }) => text === one.text) === i);
    return html`<div class="messages" role="alert">${different.map((problem) => html`
      <div class="message"><span>${problem.text}</span>
        ${problem.retry ? html`<button class="plain" @click=${problem.retry}>Try again</button>` : nothing}
        <button @click=${() => this.dismiss(problem.text)}>Dismiss</button></div>`)}</div>`;
  }

  private stage() {
    const words = this.words();
    return html`
      <main class="stage" aria-label="Scene">
        <div class="scene" @pointermove=${this.pointerMoved} @pointerup=${this.pointerUp}
          @pointerdown=${(event: PointerEvent) => (this.pressed = { x: event.clientX, y: event.clientY })}
          @pointerleave=${() => { this.pointed = null; this.viewer.hover(null); }}></div>
        ${this.bare ? nothing : html`
          ${words ? html`<div class="words">${words}</div>` : nothing}
          ${this.viewer.problems.length > 0 ? this.messages() : nothing}
          ${this.viewer.hovered
            ? html`<vinci-tooltip .viewer=${this.viewer} .place=${this.place}></vinci-tooltip>` : nothing}`}
      </main>`;
  }

  override render() {
    const { viewer } = this;
    if (this.bare) return this.stage();
    return html`
      <vinci-top-bar .viewer=${viewer} .left=${this.left} .right=${this.right}
        @toggle-left=${() => (this.left = !this.left)} @toggle-right=${() => (this.right = !this.right)}
        @show-status=${() => (this.left = true)} @toggle-theme=${this.toggleTheme}
        @screenshot=${this.screenshot} @help=${this.toggleHelp}
        @export=${() => (this.dialog = 'export')}></vinci-top-bar>
      ${this.left ? html`<aside class="panel left ${viewer.pose.possible ? 'jointed' : ''} ${
          viewer.events.list ? 'eventful' : ''}" aria-label="Bodies and run">
        <vinci-body-list .viewer=${viewer}></vinci-body-list>
        ${viewer.pose.possible ? html`<vinci-joint-list .viewer=${viewer}></vinci-joint-list>` : nothing}
        ${viewer.events.list ? html`<vinci-event-list .viewer=${viewer}></vinci-event-list>` : nothing}
        <vinci-run-status .viewer=${viewer}></vinci-run-status></aside>` : nothing}
      ${this.stage()}
      ${this.right ? html`<aside class="panel right" aria-label="Inspector and plots">
        <vinci-inspector .viewer=${viewer}></vinci-inspector>
        ${viewer.grasp.body !== null ? html`<vinci-grasp .viewer=${viewer}></vinci-grasp>` : nothing}
        <vinci-plots .viewer=${viewer}></vinci-plots></aside>` : nothing}
      ${viewer.comparison ? html`<vinci-comparison .viewer=${viewer}></vinci-comparison>` : nothing}
      <vinci-timeline .viewer=${viewer}></vinci-timeline>
      <vinci-help ?open=${this.dialog === 'help'} @dialog-closed=${() => (this.dialog = null)}></vinci-help>
      <vinci-export .viewer=${viewer} ?open=${this.dialog === 'export'}
        @dialog-closed=${() => (this.dialog = null)}></vinci-export>`;
  }
}
