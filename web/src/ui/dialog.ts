// SPDX-License-Identifier: Apache-2.0
// What lies over the page: help, and export. Both use the browser's own dialog, which keeps the focus
// inside and gives it back.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { icons } from './icons';
import { keyList } from './keys';
import { controls } from './styles';

export const dialogStyle = css`
  dialog { border: 1px solid var(--line-strong); border-radius: 0.6rem; padding: 0; color: var(--text);
    background: var(--raised); box-shadow: var(--shadow); max-width: min(46rem, 94vw); max-height: 92vh; }
  dialog::backdrop { background: rgb(10 15 20 / 35%); }
  header { display: flex; align-items: center; gap: 1rem; padding: 0.7rem 0.7rem 0.4rem 1.2rem; }
  header h1 { font-size: 1.15rem; margin: 0; flex: 1; font-weight: 600; }
  .content { padding: 0.3rem 1.2rem 1.2rem; overflow-y: auto; }
`;

@customElement('vinci-help')
export class Help extends LitElement {
  @property({ type: Boolean }) open = false;
  @query('dialog') private dialog!: HTMLDialogElement;

  static override styles = [controls, dialogStyle, css`
    .columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2.4rem; }
    .columns dl { align-content: start; align-items: center; gap: 0.28rem 0.9rem; }
    kbd { font: inherit; font-size: 0.9rem; display: inline-block; min-width: 1.8rem; text-align: center;
      padding: 0 0.4rem; border: 1px solid var(--line-strong); border-bottom-width: 2px;
      border-radius: 0.3rem; color: var(--text); }
    h2 { margin: 1rem 0 0.3rem; }
    p { margin: 0 0 0.3rem; }
    i { font-style: normal; font-weight: 600; }
    .sticking { color: var(--good); } .sliding { color: #d2571f; }
  `];

  override updated(): void {
    if (this.open && !this.dialog.open) this.dialog.showModal();
    else if (!this.open && this.dialog.open) this.dialog.close();
  }

  private closed(): void {
    this.dispatchEvent(new CustomEvent('dialog-closed', { bubbles: true, composed: true }));
  }

  override render() {
    return html`<dialog aria-label="Help" @close=${this.closed}>${this.open ? this.content() : nothing}</dialog>`;
  }

  private content() {
    const half = Math.ceil(keyList.length / 2);
    const list = (keys: typeof keyList) => html`<dl>${keys.map((key) => html`
      <dt><kbd>${key.shown}</kbd></dt><dd>${key.text}</dd>`)}</dl>`;
    return html`
      <header><h1>Keys</h1>
        <button aria-label="Close" @click=${() => this.dialog.close()}>${icons.close}</button></header>
      <div class="content">
        <div class="columns">${list(keyList.slice(0, half))}${list(keyList.slice(half))}</div>
        <h2>Pointer</h2>
        <p>In space: drag turns, right drag or Shift drag moves, wheel zooms. In the plane: drag moves, wheel
          zooms. Point at a body or contact to read it, click to keep it. In a plot a click moves
          the time, a drag enlarges, a double click shows all.</p>
        <h2>Contacts</h2>
        <p><i class="sticking">Green</i> contacts stick, <i class="sliding">orange</i> ones slide,
          grey ones are open. The lighter arrow is the normal impulse, the darker one friction; an arrow
          around an axis is a moment.</p>
      </div>`;
  }
}
