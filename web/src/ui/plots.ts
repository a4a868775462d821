// SPDX-License-Identifier: Apache-2.0
// The plots beside the scene: of the chosen body or contact, and of the run. Curves of the chosen run
// are solid, those of the runs it is compared with dashed.
import { LitElement, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { FrameStore } from '../data/frame_store';
import { isTurning, jointLayout } from '../data/joints';
import { bodySeries, contactSeries, jointSeries, overviewSeries, signalSeries, type Series } from '../data/series';
import { groupedSignals } from '../data/signals';
import { message } from '../data/source';
import type { Pick } from '../scene/scene_view';
import { bodyName } from './describe';
import { icons } from './icons';
import type { Curve } from './plot';
import './plot';
import { controls } from './styles';
import type { Viewer } from './viewer';
import { Watch } from './watch';

const livePeriod = 2000; // ms between new curves of a run that grows

interface PlotContent {
  id: string;
  title: string;
  unit: string;
  curves: Curve[];
}

// Plots of what is chosen, in their order.
const titles: Record<Pick['kind'], Record<string, string>> = {
  body: { position: 'Position', velocity: 'Velocity', turning: 'Angular velocity' },
  contact: { gap: 'Gap', impulse: 'Impulse', usage: 'Friction cone used' },
  joint: { position: 'Coordinate', rate: 'Rate', effort: 'Effort', force: 'Joint force', moment: 'Joint moment' },
};

// Curves of one run by plot.
type RunCurves = Record<string, { unit: string; labels: string[]; series: Series }>;

@customElement('vinci-plots')
export class Plots extends LitElement {
  @property({ attribute: false }) viewer!: Viewer;
  @state() private closed = new Set<string>(['turning']);
  @state() private chosen: PlotContent[] = [];
  @state() private general: PlotContent[] = [];
  @state() private signals: PlotContent[] = []; // that are open
  @state() private open = new Set<string>(); // of the groups of signals
  @state() private failure = '';
  private wanted = '';
  private wantedSignals = '';
  private signalLoader: AbortController | null = null;
  private loader: AbortController | null = null;
  private loadedAt = 0;
  private later = 0; // timer of curves that are due

  constructor() {
    super();
    new Watch(this, () => this.viewer, ['change', 'data'], (event) => this.look(event));
  }

  static override styles = [controls, css`
    :host { display: block; overflow-y: auto; min-height: 0; padding-bottom: 0.5rem; }
    button.heading { width: 100%; justify-content: flex-start; padding: 0 0.8rem 0 0.5rem; border-radius: 0;
      min-height: 1.9rem; font-size: 0.92rem; font-weight: 600; margin-top: 0.2rem; }
    button.heading svg.icon { width: 1rem; height: 1rem; color: var(--muted); }
    button.heading[aria-expanded='false'] svg.icon { transform: rotate(-90deg); }
    .runs { display: flex; flex-wrap: wrap; gap: 0 1rem; }
    .runs span::before { content: ''; display: inline-block; width: 1.6rem; margin-right: 0.4rem;
      vertical-align: middle; border-top: 2px solid var(--text); }
    .runs span.dashed::before { border-top-style: dashed; }
    .unit { font-weight: 400; color: var(--muted); }
    p { margin: 0.4rem 0.8rem; color: var(--muted); }
  `];

  override connectedCallback(): void {
    super.connectedCallback();
    this.look('data');
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.later);
    this.loader?.abort();
    this.signalLoader?.abort();
  }

  private get runs(): number[] {
    const { viewer } = this;
    if (viewer.stores.length === 0) return [];
    return [viewer.active, ...viewer.shown.filter((index) => index !== viewer.active)];
  }

  private look(event: string): void {
    const { selected, active, options } = this.viewer;
    const pick = selected ? [selected.kind, 'body' in selected ? selected.body
      : 'joint' in selected ? selected.joint : selected.key] : [];
    const wanted = JSON.stringify([pick, active, options.layout]);
    const isNew = wanted !== this.wanted;
    if (isNew || event === 'data') this.general = this.generalPlots();
    void this.loadSignals(event);
    if (!isNew && event !== 'data') return;
    const wait = isNew ? 0 : this.loadedAt + livePeriod - performance.now();
    clearTimeout(this.later);
    if (wait > 0) {
      this.later = window.setTimeout(() => this.look('data'), wait);
      return;
    }
    this.wanted = wanted;
    void this.loadChosen(selected);
  }

  private generalPlots(): PlotContent[] {
    return this.gathered(this.runs.map((run) => {
      const { overview } = this.viewer.stores[run];
      const energy = overviewSeries(overview, [
        (column) => column('kinetic'), (column) => column('potential'),
        (column) => column('kinetic').map((kinetic, i) => kinetic + column('potential')[i]),
      ]);
      const residual = overviewSeries(overview, [(column) => column('residual')]);
      return {
        energy: { unit: 'J', labels: ['kinetic', 'potential', 'total'], series: energy },
        residual: { unit: 'relative', labels: ['residual'], series: residual },
      };
    }), { energy: 'Energy', residual: 'Residual' });
  }

  private gathered(runs: RunCurves[], titles: Record<string, string>): PlotContent[] {
    return Object.entries(titles).flatMap(([id, title]) => {
      const parts = runs.map((run) => run[id]);
      const first = parts.find((part) => part !== undefined);
      if (!first) return [];
      const curves = parts.flatMap((part, place) => (part?.labels ?? []).map((label, i) => ({
        label, colour: i, dashed: place > 0, time: part.series.time, values: part.series.values[i],
      })));
      return [{ id, title, unit: first.unit, curves }];
    });
  }

  // Loads the curves of the selection from all runs; a newer selection ends an older load.
  private async loadChosen(selected: Pick | null): Promise<void> {
    this.loader?.abort();
    const loader = (this.loader = new AbortController());
    this.loadedAt = performance.now();
    if (!selected) {
      this.chosen = [];
      this.failure = '';
      return;
    }
    try {
      const stores = this.runs.map((run) => this.viewer.stores[run]);
      const own = this.viewer.stores[selected.run];
      const runs = await Promise.all(stores.map((store) => curvesOf(store, own, selected, loader.signal)));
      if (loader.signal.aborted) return;
      this.chosen = this.gathered(runs, titles[selected.kind]);
      this.failure = '';
    } catch (error) {
      if (loader.signal.aborted) return;
      this.chosen = [];
      this.failure = `The curves could not be loaded: ${message(error)}`;
    }
  }

  // Curves of the groups of signals that are open; groups of other runs are those of the same name.
  private async loadSignals(event: string): Promise<void> {
    const runs = this.runs;
    const wanted = JSON.stringify([runs, [...this.open]]);
    const grown = event === 'data' && performance.now() > this.loadedAt + livePeriod;
    if (wanted === this.wantedSignals && !grown) return;
    this.wantedSignals = wanted;
    this.signalLoader?.abort();
    const loader = (this.signalLoader = new AbortController());
    try {
      const curves = await Promise.all(runs.map(async (run): Promise<RunCurves> => {
        const { source } = this.viewer.stores[run];
        const groups = groupedSignals(source.description.signals).filter(({ id }) => this.open.has(id));
        const series = await Promise.all(groups.map(({ columns }) => signalSeries(source, columns, loader.signal)));
        return Object.fromEntries(groups.map(({ id, unit, labels }, i) => [id, { unit, labels, series: series[i] }]));
      }));
      if (loader.signal.aborted) return;
      this.signals = this.gathered(curves, Object.fromEntries([...this.open].map((id) => [id, id])));
    } catch (error) {
      if (!loader.signal.aborted) this.failure = `The signals could not be loaded: ${message(error)}`;
    }
  }

  private toggleSignals(id: string): void {
    const open = new Set(this.open);
    if (!open.delete(id)) open.add(id);
    this.open = open;
    void this.loadSignals('change');
  }

  private signalSections() {
    const groups = groupedSignals(this.viewer.description?.signals ?? []);
    return groups.map(({ id, title, unit }) => {
      const content = this.open.has(id) ? this.signals.find((one) => one.id === id) : undefined;
      return html`
        <button class="heading" aria-expanded=${this.open.has(id)} @click=${() => this.toggleSignals(id)}>
          ${icons.down}${title}<span class="unit">${unit}</span></button>
        ${content ? html`<vinci-plot data-plot=${`signal ${id}`} .viewer=${this.viewer} .curves=${content.curves}></vinci-plot>`
          : nothing}`;
    });
  }

  private toggle(id: string): void {
    const closed = new Set(this.closed);
    if (!closed.delete(id)) closed.add(id);
    this.closed = closed;
  }

  private section(content: PlotContent) {
    const open = !this.closed.has(content.id);
    const included = content.id === 'usage' ? [0, 1] : null;
    return html`
      <button class="heading" aria-expanded=${open} @click=${() => this.toggle(content.id)}>
        ${icons.down}${content.title}<span class="unit">${content.unit}</span></button>
      ${open ? html`<vinci-plot data-plot=${content.id} .viewer=${this.viewer} .curves=${content.curves}
        .logarithmic=${content.id === 'residual'} .include=${included}></vinci-plot>` : nothing}`;
  }

  override render() {
    const frames = this.viewer.description?.frames ?? 0;
    if (frames < 2)
      return html`<p>${frames === 0 ? 'There are no frames to plot.'
        : 'The run has one frame; there is nothing to plot over time.'}</p>`;
    return html`
      ${this.runs.length > 1 ? html`<p class="runs">${this.runs.map((run, place) => html`
        <span class="clip ${place > 0 ? 'dashed' : 'solid'}">${this.viewer.runLabel(run)}</span>`)}
      </p>` : nothing}
      ${this.failure ? html`<p role="alert">${this.failure}</p>` : nothing}
      ${this.chosen.map((content) => this.section(content))}
      ${this.general.map((content) => this.section(content))}
      ${this.signalSections()}`;
  }
}

// Curves of the selection in one run; of another run those of the body of the same name.
async function curvesOf(store: FrameStore, own: FrameStore, selected: Pick,
                        signal: AbortSignal): Promise<RunCurves> {
  if (selected.kind === 'contact') {
    const { gap, impulse, usage } = await contactSeries(store.source, selected.key, signal);
    return {
      gap: { unit: 'm', labels: ['gap'], series: gap },
      impulse: { unit: 'N s', labels: ['normal', 'friction'], series: impulse },
      usage: { unit: '1 = sliding', labels: ['|t| / μn'], series: usage },
    };
  }
  if (selected.kind === 'joint') {
    const { name } = own.model(0).joints?.[selected.joint] ?? {};
    const index = store.model(0).joints?.findIndex((joint) => joint.name === name) ?? -1;
    return index < 0 ? {} : jointCurves(store, index, signal);
  }
  const name = bodyName(own.source.description, selected.body);
  const body = store.source.description.bodies.findIndex((candidate) => candidate.name === name);
  if (body < 0) return {};
  const { position, velocity } = await bodySeries(store.source, body, signal);
  const planar = store.source.description.bodies[body].freedom === 'planar';
  const part = (series: Series, begin: number, end: number): Series =>
      ({ time: series.time, values: series.values.slice(begin, end) });
  const curves: RunCurves = {
    position: {
      unit: 'm', labels: store.source.description.world === 'planar' ? ['x', 'y'] : ['x', 'y', 'z'],
      series: position,
    },
  };
  if (velocity.values.length === 0) return curves;
  const linear = planar ? 2 : 3;
  curves.velocity = { unit: 'm/s', labels: ['x', 'y', 'z'].slice(0, linear), series: part(velocity, 0, linear) };
  curves.turning = {
    unit: 'rad/s', labels: planar ? ['ω'] : ['x', 'y', 'z'],
    series: part(velocity, linear, velocity.values.length),
  };
  return curves;
}

async function jointCurves(store: FrameStore, index: number, signal: AbortSignal): Promise<RunCurves> {
  const model = store.model(0);
  const joint = model.joints![index];
  const found = await jointSeries(store.source, jointLayout(model).joints[index], joint, signal);
  const turning = joint.freedoms.map((_, k) => isTurning(joint.kind, k));
  const unit = (turned: string, shifted: string): string =>
      turning.every((one) => one) ? turned : turning.some((one) => one) ? `${turned}, ${shifted}` : shifted;
  const labels = (name: string, series: Series): string[] =>
      series.values.map((_, k) => (series.values.length > 1 ? `${name} ${k}` : name));
  const vector = (series: Series) => ({ labels: ['x', 'y', 'z'], series });
  const curves: RunCurves = {};
  if (joint.freedoms.length > 0) {
    const efforts = (['motor', 'friction', 'limit'] as const).filter((part) =>
        found[part].values.some((values) => values.some((value) => value !== null && value !== 0)));
    curves.position = { unit: joint.kind === 'ball' ? '1' : unit('rad', 'm'),
                        labels: labels('q', found.position), series: found.position };
    curves.rate = { unit: unit('rad/s', 'm/s'), labels: labels('u', found.rate), series: found.rate };
    if (efforts.length > 0)
      curves.effort = {
        unit: unit('N m', 'N'), labels: efforts.flatMap((part) => labels(part, found[part])),
        series: { time: found.motor.time, values: efforts.flatMap((part) => found[part].values) },
      };
  }
  curves.force = { unit: 'N', ...vector(found.force) };
  curves.moment = { unit: 'N m', ...vector(found.moment) };
  return curves;
}
