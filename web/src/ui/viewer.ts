// SPDX-License-Identifier: Apache-2.0
// The state of the page and its loop: runs, clock, options, selection. Panels read it, call its
// methods, and listen to its events: `change` (anything but time), `time` (clock or frames), `data`
// (the overviews of the runs grew).
import { BlockCache } from '../data/block_cache';
import type { Comparison } from '../data/comparison';
import { FrameStore } from '../data/frame_store';
import { message, type RunSource } from '../data/source';
import type { ContactKey, Description, Frame, FrameBlock, ModelJson, Run } from '../data/types';
import { Player } from '../player';
import type { Theme } from '../palette';
import type { Pick, SceneOptions, SceneView } from '../scene/scene_view';
import { surveyFrames } from '../scene/survey';
import { EventControl } from './event_control';
import { GraspControl } from './grasp_control';
import { PoseControl } from './pose_control';

const cacheBytes = 256 << 20;
const lateAfter = 250; // ms without the frame that is due before the page says so

export interface Problem {
  key: string; // one message a key
  text: string;
  retry?: () => void;
}

export type ViewerEvent = 'change' | 'time' | 'data';

export class Viewer extends EventTarget {
  readonly player = new Player();
  stores: FrameStore[] = [];
  active = 0; // the run that panels and single steps are about
  frames: (Frame | null)[] = []; // shown now, one per run
  selected: Pick | null = null; // `run` counts stores
  hovered: Pick | null = null;
  problems: Problem[] = [];
  loading = true; // before the first frame
  waiting = false; // for a run that has not begun
  late = false;
  pictures = 0; // drawn so far
  options: SceneOptions = {
    layout: 'single', contacts: true, cones: false, arrowScale: 1, theme: 'light', hidden: new Set(),
    solo: null, follow: null, labels: false, selected: null, grid: true, joints: true, grasp: null,
  };
  view: SceneView | null = null;
  comparison: Comparison | null = null; // of all runs
  readonly pose = new PoseControl(this);
  readonly grasp = new GraspControl(this);
  readonly events = new EventControl(this);
  readonly cache = new BlockCache<FrameBlock>(cacheBytes);
  private dirty = true;
  private lastTick = 0;
  private missingSince = 0;
  private direction = 1;
  private announced = new Set<ViewerEvent>();
  private suspended = 0;
  private readonly surveys = new Map<FrameStore, Promise<Frame[]>>();

  // The run of panels.
  get store(): FrameStore | undefined {
    return this.stores[this.active];
  }

  get description(): Description | undefined {
    return this.store?.source.description;
  }

  get frame(): Frame | null {
    return this.frames[this.active] ?? null;
  }

  // Of the shown frame.
  get model(): ModelJson | null {
    return this.frame ? this.store?.model(this.frame.model) ?? null : null;
  }

  // Some run is being written now.
  get live(): boolean {
    return this.stores.some((store) => isLive(store.source));
  }

  // Stores in the order in which the scene gets them; the first one is drawn solid. Runs of other
  // parameters than the active one's are compared among themselves.
  get shown(): number[] {
    const all = this.stores.map((_, index) => index);
    if (this.options.layout === 'single') return this.stores.length > 0 ? [this.active] : [];
    const own = this.comparison?.variants[this.active]?.case;
    const together = this.comparison ? all.filter((index) => this.comparison!.variants[index].case === own) : all;
    if (this.options.layout === 'ghost')
      return [this.active, ...together.filter((index) => index !== this.active)];
    return together;
  }

  // The name of a run, with its number where names repeat.
  runLabel(index: number): string {
    if (this.comparison) return this.comparison.variants[index].name;
    const { name } = this.stores[index].source.description;
    const same = this.stores.filter((store) => store.source.description.name === name).length > 1;
    return same ? `${index + 1}: ${name}` : name;
  }

  announce(event: ViewerEvent): void {
    if (this.announced.size === 0) queueMicrotask(() => this.dispatchAnnounced());
    this.announced.add(event);
  }

  private dispatchAnnounced(): void {
    const events = this.announced;
    this.announced = new Set();
    for (const event of events) this.dispatchEvent(new Event(event));
  }

  report(problem: Problem): void {
    const known = this.problems.find((other) => other.key === problem.key);
    if (known?.text === problem.text) return;
    this.problems = [...this.problems.filter((other) => other !== known), problem];
    this.announce('change');
  }

  resolve(key: string): void {
    if (!this.problems.some((problem) => problem.key === key)) return;
    this.problems = this.problems.filter((problem) => problem.key !== key);
    this.announce('change');
  }

  // Takes the runs, in the place of those before, and loads what the first picture needs.
  // `over`: they lie over each other from the beginning.
  async open(sources: RunSource[], comparison: Comparison | null = null, over = false): Promise<void> {
    this.pose.end();
    this.cache.clear();
    this.problems = [];
    this.selected = this.hovered = null;
    this.active = comparison?.cases[0].reference ?? 0;
    this.comparison = comparison;
    this.stores = sources.map((source, index) =>
        new FrameStore(source, String(index), this.cache, () => this.blockArrived()));
    this.frames = this.stores.map(() => null);
    const layout = sources.length < 2 && !comparison ? 'single' : comparison || over ? 'ghost' : 'side-by-side';
    this.options = { ...this.options, layout, hidden: new Set(), solo: null, follow: null };
    await Promise.all(this.stores.map((store, index) => this.openRun(store, index)));
    this.loading = false;
    this.updateRange();
    this.player.seek(this.live ? this.player.end : this.player.start);
    await Promise.all(this.stores.map((_, index) => this.loadNow(index)));
    this.passRuns();
    this.grasp.opened();
    this.announce('change');
    this.announce('data');
    this.announce('time');
  }

  private async openRun(store: FrameStore, index: number): Promise<void> {
    const key = `open ${index}`;
    try {
      await store.loadModel(0);
      await store.overview.extend(store.source);
      this.resolve(key);
    } catch (error) {
      const retry = () => void this.openRun(store, index).then(() => this.overviewGrew());
      this.report({ key, text: `${this.runLabel(index)}: ${message(error)}`, retry });
    }
  }

  private async loadNow(index: number): Promise<void> {
    const store = this.stores[index];
    if (store.frames === 0 || store.overview.length === 0) return;
    try {
      this.frames[index] = await store.load(store.indexAt(this.player.time));
    } catch {
      this.blockArrived(); // which reports what the store knows
    }
  }

  // After a live run's description or overview changed.
  overviewGrew(): void {
    this.updateRange();
    this.passRuns();
    this.announce('data');
    this.announce('change');
    this.announce('time');
  }

  private updateRange(): void {
    const known = this.stores.filter((store) => store.overview.length > 0);
    const start = Math.min(...known.map((store) => store.overview.startTime));
    const end = Math.max(...known.map((store) => store.overview.endTime));
    if (known.length > 0) this.player.setRange(start, end, true);
  }

  private blockArrived(): void {
    this.dirty = true;
    this.stores.forEach((store, index) => {
      const key = `frames ${index}`;
      if (store.error) {
        const retry = () => {
          store.retry();
          this.resolve(key);
        };
        this.report({ key, text: `${this.runLabel(index)}: ${store.error}`, retry });
      } else this.resolve(key);
    });
    this.announce('time');
  }

  attach(view: SceneView): void {
    this.view = view;
    view.onProblem = () => this.sceneProblems();
    this.sceneProblems();
    this.passRuns();
  }

  private sceneProblems(): void {
    const texts = this.view?.problems ?? [];
    if (texts.length === 0) this.resolve('scene');
    else this.report({ key: 'scene', text: texts.join(' ') });
  }

  private passRuns(): void {
    const runs: Run[] = this.shown
        .filter((index) => this.isDrawable(index))
        .map((index) => ({
          description: { ...this.stores[index].source.description, name: this.runLabel(index) },
          models: (version: number) => this.stores[index].model(version),
        }));
    this.view?.setRuns(runs);
    this.view?.setOptions(this.sceneOptions());
    this.passFrames();
    this.surveyRuns();
  }

  // Lets the scene know early where bodies come to and how large forces are. A help only: what cannot
  // be read is reported when it is to be shown.
  private surveyRuns(): void {
    for (const index of this.shown.filter((drawn) => this.isDrawable(drawn))) {
      const store = this.stores[index];
      const frames = this.surveys.get(store) ?? surveyFrames(store.source).catch(() => []);
      this.surveys.set(store, frames);
      void frames.then((list) => {
        const run = this.shown.filter((drawn) => this.isDrawable(drawn)).indexOf(index);
        if (run < 0 || this.stores[index] !== store) return;
        this.view?.survey(run, list);
        this.dirty = true;
      });
    }
  }

  private isDrawable(index: number): boolean {
    return this.frames[index] !== null;
  }

  // Another frame in the place of the one that is shown.
  setFrame(index: number, frame: Frame): void {
    this.frames[index] = frame;
    this.passFrames();
    this.announce('time');
  }

  private passFrames(): void {
    const frames = this.shown.filter((index) => this.isDrawable(index)).map((i) => this.frames[i]);
    this.view?.setFrames(frames);
    this.dirty = true;
  }

  // Options as the scene takes them: its runs are counted in the order shown.
  private sceneOptions(): SceneOptions {
    const drawn = this.shown.filter((index) => this.isDrawable(index));
    const selected = this.selected;
    const run = selected ? drawn.indexOf(selected.run) : -1;
    return { ...this.options, selected: selected && run >= 0 ? { ...selected, run } : null };
  }

  set(options: Partial<SceneOptions>): void {
    const layoutChanges = options.layout !== undefined && options.layout !== this.options.layout;
    this.options = { ...this.options, ...options };
    this.view?.setOptions(this.sceneOptions());
    if (layoutChanges) this.passRuns();
    this.dirty = true;
    this.announce('change');
  }

  // Cones belong to contacts: they bring them along.
  toggle(name: 'contacts' | 'cones' | 'labels' | 'grid' | 'joints'): void {
    const on = !this.options[name];
    this.set(name === 'cones' && on ? { cones: on, contacts: on } : { [name]: on });
  }

  setTheme(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    this.set({ theme });
  }

  setActive(index: number): void {
    if (!this.stores[index] || index === this.active) return;
    this.active = index;
    this.selected = this.counterpart(this.selected, index);
    this.passRuns();
    this.announce('change');
    this.announce('time');
  }

  // The same in another run: the body of the same name, the contact of the same key.
  private counterpart(pick: Pick | null, run: number): Pick | null {
    if (pick?.kind === 'joint') {
      const { name } = this.stores[pick.run].model(0).joints?.[pick.joint] ?? {};
      const joint = this.stores[run].model(0).joints?.findIndex((other) => other.name === name) ?? -1;
      return joint < 0 ? null : { ...pick, run, joint };
    }
    if (pick?.kind !== 'body') return pick && { ...pick, run };
    const name = this.stores[pick.run].source.description.bodies[pick.body].name;
    const body = this.stores[run].source.description.bodies.findIndex((other) => other.name === name);
    return body < 0 ? null : { ...pick, run, body };
  }

  // A chosen ghost stays a ghost; beside each other, its run becomes the one of the panels.
  select(pick: Pick | null): void {
    this.selected = pick;
    if (pick && this.options.layout !== 'ghost') this.active = pick.run;
    this.set({});
    this.announce('time');
  }

  hover(pick: Pick | null): void {
    if (JSON.stringify(pick) === JSON.stringify(this.hovered)) return;
    this.hovered = pick;
    this.announce('change');
  }

  // What lies under a point of the window, with `run` counting stores.
  pick(clientX: number, clientY: number): Pick | null {
    const drawn = this.shown.filter((index) => this.isDrawable(index));
    const pick = this.view?.pick(clientX, clientY) ?? null;
    return pick && drawn[pick.run] !== undefined ? { ...pick, run: drawn[pick.run] } : null;
  }

  seek(time: number): void {
    this.direction = time < this.player.time ? -1 : 1;
    this.player.seek(time);
    this.announce('time');
  }

  // Single steps: through the frames of the active run.
  step(frames: number): void {
    const store = this.store;
    if (!store || store.frames === 0) return;
    this.player.pause();
    const index = store.indexAt(this.player.time) + frames;
    this.seek(store.timeOf(Math.min(store.frames - 1, Math.max(0, index))));
    this.announce('change');
  }

  togglePlay(): void {
    this.player.toggle();
    this.direction = 1;
    this.announce('change');
  }

  // Moves the camera to see everything.
  fit(): void {
    this.view?.fit();
    this.dirty = true;
  }

  // While pictures are made for export the loop stands still.
  suspend(): void {
    ++this.suspended;
  }

  resume(): void {
    --this.suspended;
    this.dirty = true;
    this.lastTick = 0;
  }

  // Draws the picture of a time now, with every frame loaded.
  async drawAt(time: number): Promise<void> {
    await Promise.all(this.shown.map(async (index) => {
      const store = this.stores[index];
      if (store.frames === 0) return;
      let frame = await store.load(store.indexAt(time));
      const exact = store.indexAt(time); // the block's own times may correct the guess
      if (exact !== frame.index) frame = await store.load(exact);
      this.frames[index] = frame;
    }));
    this.passFrames();
    await this.grasp.settle();
    await Promise.all(this.surveys.values()); // the camera does not move between pictures
    this.view?.draw();
  }

  start(): void {
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      if (this.suspended === 0) this.tick(now);
    };
    requestAnimationFrame(tick);
  }

  private tick(now: number): void {
    const elapsed = this.lastTick > 0 ? Math.min(0.25, (now - this.lastTick) / 1000) : 0;
    this.lastTick = now;
    const before = this.player.time;
    const wasPlaying = this.player.playing;
    if (!this.late && this.missingSince === 0) this.player.advance(elapsed, this.live);
    if (this.player.time !== before) this.announce('time');
    if (this.player.playing !== wasPlaying) this.announce('change');
    this.updateFrames(now);
    if (this.view && this.dirty) {
      this.dirty = false;
      this.view.draw();
      ++this.pictures;
    }
  }

  private updateFrames(now: number): void {
    let missing = false;
    let changed = false;
    let appeared = false;
    const shown = new Set(this.shown);
    for (let index = 0; index < this.stores.length; ++index) {
      const store = this.stores[index];
      if (store.overview.length === 0) continue;
      const due = store.indexAt(this.player.time);
      const stride = this.player.playing ? store.strideFor(this.player.speed / this.interval(store)) : 1;
      const known = this.frames[index];
      const frame = known?.index === due ? known : store.frame(due, stride);
      if (frame) store.readAhead(due, this.direction, stride);
      if (!frame) missing ||= shown.has(index) && store.frames > 0 && !store.error;
      else if (frame.index !== known?.index) {
        appeared ||= known === null;
        this.frames[index] = frame;
        changed = true;
      }
    }
    if (appeared) this.passRuns();
    else if (changed) this.passFrames();
    if (changed) this.announce('time');
    this.noteMissing(missing, now);
  }

  // Seconds between frames, on the average.
  interval(store: FrameStore): number {
    const { startTime, endTime } = store.overview;
    return store.frames > 1 ? (endTime - startTime) / (store.frames - 1) : 0;
  }

  private noteMissing(missing: boolean, now: number): void {
    if (!missing) this.missingSince = 0;
    else if (this.missingSince === 0) this.missingSince = now;
    const late = missing && now - this.missingSince > lateAfter;
    if (late !== this.late) {
      this.late = late;
      this.announce('change');
    }
  }
}

export function isLive(source: RunSource): boolean {
  return source.mayGrow && source.description.has_writer && !source.description.finished;
}

// Nothing more will come of itself: every step is there, or the run broke off. A run that was stopped
// may be continued.
export function isComplete({ finished, total_steps, summary }: Description): boolean {
  return finished && (summary.steps >= total_steps || summary.diverged || Boolean(summary.ending));
}

// The row of the contact with this key in a frame; -1 if it is not there.
export function contactRow(frame: Frame, key: ContactKey): number {
  const { contacts } = frame;
  for (let row = 0; row < contacts.count; ++row)
    if (key.every((part, i) => contacts.key[row * 4 + i] === part)) return row;
  return -1;
}
