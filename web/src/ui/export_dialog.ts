// SPDX-License-Identifier: Apache-2.0
// Asks what video to make, and shows how far it is.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { message } from '../data/source';
import { speedName, speeds } from '../player';
import { dialogStyle } from './dialog';
import { canEncodeVideo, download, exportName, pictureTimes, recordVideo, type Progress, type VideoRequest }
    from './export';
import { bytes, count } from './format';
import { icons } from './icons';
import { controls } from './styles';
import type { Viewer } from './viewer';

const sizes: [number, number][] = [[640, 360], [1280, 720], [1920, 1080], [1080, 1080]];
const mostPictures = 20_000;

@customElement('vinci-export')
export class ExportDialog extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @property({ type: Boolean }) open = false;
  @state() private request: VideoRequest =
      { format: 'webm', from: 0, to: 0, speed: 1, pictureRate: 30, width: 1280, height: 720 };
  @state() private progress: Progress | null = null;
  @state() private said = '';
  @query('dialog') private dialog!: HTMLDialogElement;
  private work: AbortController | null = null;

  static override styles = [controls, dialogStyle, css`
    .form { display: grid; grid-template-columns: max-content minmax(14rem, 1fr); gap: 0.55rem 1.2rem;
      align-items: center; }
    .content { min-width: min(25rem, 88vw); }
    .range { display: flex; gap: 0.5rem; align-items: center; }
    .range input { width: 6.5rem; }
    .actions { display: flex; gap: 0.6rem; align-items: center; margin-top: 1.1rem; }
    .actions .words { flex: 1; }
    progress { width: 100%; accent-color: var(--accent); margin-top: 0.8rem; }
    [role='alert'] { color: var(--bad); }
  `];

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has('open') || !this.open) return;
    const { player } = this.viewer;
    this.said = '';
    this.request = { ...this.request, from: player.start, to: player.end, speed: player.speed,
                     format: canEncodeVideo() ? this.request.format : 'gif' };
  }

  override updated(): void {
    if (this.open && !this.dialog.open) this.dialog.showModal();
    else if (!this.open && this.dialog.open) this.dialog.close();
  }

  private change(part: Partial<VideoRequest>): void {
    this.request = { ...this.request, ...part };
  }

  // What is wrong with the request; empty if it can be made.
  private complaint(): string {
    const { from, to } = this.request;
    const { start, end } = this.viewer.player;
    if (!Number.isFinite(from) || !Number.isFinite(to)) return 'Give both ends of the range.';
    if (from > to) return 'The range ends before it begins.';
    if (to < start || from > end) return 'The range lies outside the run.';
    const pictures = this.pictures();
    return pictures > mostPictures
      ? `That would be ${count(pictures, 'picture')}; choose a shorter range or a higher speed.` : '';
  }

  private pictures(): number {
    const { from, to, speed, pictureRate } = this.request;
    const most = ((to - from) * pictureRate) / speed;
    return most > mostPictures ? Math.ceil(most) : pictureTimes(this.request).length;
  }

  private async make(): Promise<void> {
    const { player } = this.viewer;
    const request = { ...this.request, from: Math.max(player.start, this.request.from),
                      to: Math.min(player.end, this.request.to) };
    this.work = new AbortController();
    this.said = '';
    this.progress = { done: 0, total: pictureTimes(request).length };
    player.pause();
    try {
      const blob = await recordVideo(this.viewer, request, this.work.signal, (now) => (this.progress = now));
      const name = exportName(this.viewer, request.format);
      download(blob, name);
      this.said = `Saved ${name} (${bytes(blob.size)}).`;
    } catch (error) {
      this.said = this.work.signal.aborted ? 'Cancelled.' : `Not exported: ${message(error)}`;
    } finally {
      this.progress = null;
      this.work = null;
    }
  }

  private closed(): void {
    this.work?.abort();
    this.dispatchEvent(new CustomEvent('dialog-closed', { bubbles: true, composed: true }));
  }

  private form() {
    const { request } = this;
    const value = (event: Event) => (event.target as HTMLInputElement | HTMLSelectElement).value;
    const choice = (label: string, options: [string, string][], chosen: string,
                    change: (value: string) => void) => html`
      <label for=${label}>${label}</label>
      <select id=${label} @change=${(event: Event) => change(value(event))}>
        ${options.map(([key, text]) => html`<option value=${key} .selected=${key === chosen}>${text}</option>`)}
      </select>`;
    const formats: [string, string][] = [...(canEncodeVideo() ? [['webm', 'WebM video'] as [string, string]] : []),
                                         ['gif', 'Animated GIF']];
    return html`<div class="form">
      ${choice('Format', formats, request.format, (format) => this.change(
          { format: format as VideoRequest['format'], pictureRate: format === 'gif' ? 20 : 30 }))}
      ${choice('Size', sizes.map(([w, h]) => [`${w}x${h}`, `${w} × ${h}`]), `${request.width}x${request.height}`,
          (text) => {
            const [width, height] = text.split('x').map(Number);
            this.change({ width, height });
          })}
      <label for="from">Range</label>
      <div class="range">
        <input id="from" type="number" step="any" aria-label="From, in seconds" .value=${String(request.from)}
          @input=${(event: Event) => this.change({ from: (event.target as HTMLInputElement).valueAsNumber })}>
        to <input type="number" step="any" aria-label="To, in seconds" .value=${String(request.to)}
          @input=${(event: Event) => this.change({ to: (event.target as HTMLInputElement).valueAsNumber })}> s</div>
      ${choice('Speed', speeds.map((speed) => [String(speed), speedName(speed)]), String(request.speed),
          (speed) => this.change({ speed: Number(speed) }))}
      ${choice('Pictures per second', ['10', '20', '25', '30', '50', '60'].map((rate) => [rate, rate]),
          String(request.pictureRate), (rate) => this.change({ pictureRate: Number(rate) }))}
    </div>`;
  }

  override render() {
    return html`<dialog aria-label="Export a video" @close=${this.closed}>
      ${this.open ? this.content() : nothing}</dialog>`;
  }

  private content() {
    const complaint = this.complaint();
    const { progress } = this;
    return html`
      <header><h1>Export a video</h1>
        <button aria-label="Close" @click=${() => this.dialog.close()}>${icons.close}</button></header>
      <div class="content">
        ${progress ? html`
          <div role="status">Picture ${progress.done} of ${progress.total}</div>
          <progress max=${progress.total} value=${progress.done}></progress>` : this.form()}
        <div class="actions">
          <span class="words muted">${complaint && !progress ? html`<span role="alert">${complaint}</span>`
            : this.said ? html`<span role="status">${this.said}</span>`
            : progress ? nothing : count(this.pictures(), 'picture')}</span>
          ${progress ? html`<button class="plain" @click=${() => this.work?.abort()}>Cancel</button>`
            : html`<button class="primary" ?disabled=${complaint !== ''} @click=${() => void this.make()}>
                Export</button>`}
        </div>
      </div>`;
  }
}
