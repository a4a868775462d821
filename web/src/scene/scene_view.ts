// SPDX-License-Identifier: Apache-2.0
// The scene: draws runs at their present frames, with their contacts, in one canvas. Nothing is
// computed twice: setFrames and setOptions note what changed, draw and pick bring it up to date.
import { DirectionalLight, HemisphereLight, Scene, Vector3, WebGLRenderer } from 'three';

import type { GraspAnswer } from '../data/grasp';
import type { ContactKey, Frame, Run } from '../data/types';
import type { Theme } from '../palette';
import { ghostTint, themeColours } from './appearance';
import { ViewCamera, type Viewport } from './cameras';
import { ContactDrawing, type ContactStyle } from './contact_drawing';
import { type Extents, radiusOf, sceneExtents } from './extents';
import { GraspDrawing } from './grasp_drawing';
import { Labels } from './labels';
import { pixelUniforms } from './materials';
import { Overlay, type OverlayState } from './overlay';
import { pickBody, pickContact, pickJoint, type Pointer } from './picking';
import { GridPlane, type ViewExtent } from './planes';
import { RunDrawing } from './run_drawing';
import { ForceReference } from './scales';
import { type Layout, type RunViewport, Viewports } from './viewports';

export interface SceneOptions {
  layout: Layout;
  contacts: boolean;
  cones: boolean;
  arrowScale: number; // 1: automatic
  theme: Theme;
  hidden: ReadonlySet<number>; // bodies
  solo: number | null; // body
  follow: number | null; // body
  labels: boolean;
  selected: Pick | null;
  grid: boolean;
  joints: boolean;
  grasp: ShownGrasp | null;
}

// A body of the first run whose grasp is shown, and what is known of it.
export interface ShownGrasp {
  body: number;
  answer: GraspAnswer | null;
}

export type Pick =
  | { run: number; kind: 'body'; body: number }
  | { run: number; kind: 'joint'; joint: number }
  | { run: number; kind: 'contact'; contact: number /* row in the frame */; key: ContactKey };

export interface Statistics {
  drawCalls: number;
  milliseconds: number; // of processor time
}

const units = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
// Options that change the look of bodies.
const styling: readonly (keyof SceneOptions)[] = [
  'layout',
  'theme',
  'hidden',
  'solo',
  'selected',
  'grid',
  'joints',
];
const zFrame = new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
const unitExtents: Extents = { lower: [-1, -1, -1], upper: [1, 1, 1] };
const noContext = 'This browser does not offer WebGL 2: the scene cannot be drawn here.';
const lostContext =
  'The graphics driver stopped the drawing. It comes back by itself, or when the page is reloaded.';

export class SceneView {
  readonly canvas: HTMLCanvasElement;
  problems: string[] = []; // each said once
  onProblem: (() => void) | null = null;

  private readonly renderer: WebGLRenderer | null;
  private readonly scene = new Scene();
  private readonly pixels = pixelUniforms();
  private readonly view: ViewCamera;
  private readonly overlay = new Overlay();
  private readonly viewports = new Viewports();
  private readonly grid = new GridPlane(false);
  private readonly forces = new ForceReference();
  private readonly weakest = new GraspDrawing(this.pixels);
  private readonly observer: ResizeObserver;
  private readonly listening = new AbortController();
  private runs: RunDrawing[] = [];
  private contacts: ContactDrawing[] = [];
  private observedFrames: number[] = [];
  private options: SceneOptions = {
    layout: 'single',
    contacts: true,
    cones: false,
    arrowScale: 1,
    theme: 'light',
    hidden: new Set(),
    solo: null,
    follow: null,
    labels: false,
    selected: null,
    grid: true,
    joints: true,
    grasp: null,
  };

  private width = 1; // CSS pixels
  private height = 1;
  private pixelRatio = 1;
  private fixedSize = false;
  private fitDue = true;
  private touched = false; // somebody has moved the camera
  private styleDue = true;
  private contactsDue = true;
  private drawDue = false;
  private sceneRadius = 1; // m
  private arrowReference = 0; // m: length of an arrow of the reference force
  private followed: number | null = null;
  private last: Statistics = { drawCalls: 0, milliseconds: 0 };

  private readonly followedAt = new Vector3();
  private readonly scratch = new Vector3();
  private readonly axes = [new Vector3(), new Vector3(), new Vector3()];
  private readonly labels = new Labels();
  private readonly contactStyle: ContactStyle = {
    theme: 'light',
    cones: false,
    planar: true,
    stepSize: 1,
    metresPerNewton: 0,
    reference: 0,
    hidden: new Set(),
    solo: null,
    selected: null,
    object: null,
  };

  private readonly viewExtent: ViewExtent = {
    x: 0,
    y: 0,
    z: 0,
    reach: 1,
    unitsPerPixel: 1,
    sceneRadius: 1,
  };
  private readonly overlayState: OverlayState = {
    width: 1,
    height: 1,
    pixelRatio: 1,
    colours: themeColours.light,
    scale: true,
    unitsPerPixel: 1,
    planar: true,
    axes: this.axes,
    viewports: [],
    captions: [],
  };

  constructor(private readonly container: HTMLElement) {
    this.canvas = document.createElement('canvas');
    this.canvas.style.cssText =
      'display:block;width:100%;height:100%;touch-action:none;outline:none';
    container.appendChild(this.canvas);
    this.renderer = this.makeRenderer();
    this.view = new ViewCamera(this.canvas, (x) => this.viewports.at(x, this.canvas));
    this.scene.add(new HemisphereLight('#ffffff', '#c2c7ce', 2.3));
    const sun = new DirectionalLight('#ffffff', 1.3);
    sun.position.set(-0.5, -0.9, 1.3);
    this.scene.add(sun, this.grid.mesh, this.weakest.group);
    this.listen();
    this.observer = new ResizeObserver(() => this.containerResized());
    this.observer.observe(container);
    this.resize();
  }

  private makeRenderer(): WebGLRenderer | null {
    try {
      const renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true });
      renderer.autoClear = false;
      renderer.info.autoReset = false;
      return renderer;
    } catch {
      this.report(noContext);
      return null;
    }
  }

  private listen(): void {
    const { signal } = this.listening;
    const moved = (event: PointerEvent): void => {
      if (event.buttons === 0) return;
      this.touched = true;
      this.requestDraw();
    };
    const wheel = (): void => {
      this.touched = true;
      this.requestDraw();
    };
    this.canvas.addEventListener('pointermove', moved, { signal });
    this.canvas.addEventListener('wheel', wheel, { signal, passive: true });
    this.canvas.addEventListener('webglcontextlost', () => this.report(lostContext), { signal });
    const restored = (): void => {
      this.problems = this.problems.filter((text) => text !== lostContext);
      this.onProblem?.();
      this.requestDraw();
    };
    this.canvas.addEventListener('webglcontextrestored', restored, { signal });
  }

  private report(problem: string): void {
    if (this.problems.includes(problem)) return;
    this.problems.push(problem);
    this.onProblem?.();
  }

  // Draws with the next picture of the screen, unless draw() is called before.
  private requestDraw(): void {
    if (this.drawDue) return;
    this.drawDue = true;
    requestAnimationFrame(() => {
      if (this.drawDue) this.draw();
    });
  }

  // Runs that are the same as before keep their drawing: only their description may have grown. The
  // camera stays where somebody has put it as long as one of the runs stays.
  setRuns(runs: Run[]): void {
    const before = this.runs;
    const kept = runs.map((run, i) =>
      before[i] && isSameRun(run, before[i].run) ? before[i] : null,
    );
    runs.forEach((run, i) => kept[i] && (kept[i].run = run));
    if (runs.length === before.length && kept.every((drawing) => drawing)) return;
    before.filter((drawing) => !kept.includes(drawing)).forEach((drawing) => drawing.dispose());
    for (const drawing of this.contacts) drawing.dispose();
    const report = (text: string): void => this.report(text);
    this.runs = runs.map((run, i) => kept[i] ?? new RunDrawing(run, i, this.pixels, report));
    this.contacts = runs.map(() => new ContactDrawing(this.pixels));
    this.observedFrames = kept.map((drawing) => drawing?.frame?.index ?? -1);
    for (const { group } of [...this.runs, ...this.contacts]) this.scene.add(group);
    if (!kept.some((drawing) => drawing)) this.forget();
    if (!this.touched) this.fitDue = true;
    this.view.planar = this.runs.every(({ planar }) => planar);
    this.styleDue = this.contactsDue = true;
  }

  // What was learnt of other runs.
  private forget(): void {
    const problems = this.problems.length;
    this.problems = this.problems.filter((text) => text === lostContext || text === noContext);
    if (this.problems.length < problems) this.onProblem?.();
    this.forces.clear();
    this.arrowReference = 0;
    this.followed = null;
    this.touched = false;
  }

  setFrames(frames: (Frame | null)[]): void {
    this.runs.forEach((drawing, i) => {
      const frame = frames[i] ?? null;
      if (!frame || frame === drawing.frame) return;
      drawing.setFrame(frame);
      if (!drawing.frame) return;
      if (frame.index !== this.observedFrames[i]) this.observeForces(drawing, frame);
      this.observedFrames[i] = frame.index;
      this.contactsDue = true;
    });
  }

  // Frames of a run that are not drawn now but count for fit() and for the scale of arrows, some
  // twenty over all of it. Until somebody moves the camera, it shows where bodies come to.
  survey(run: number, frames: readonly Frame[]): void {
    const drawing = this.runs[run];
    if (!drawing?.frame || drawing.surveyed) return;
    for (const frame of frames) {
      drawing.survey(frame);
      this.observeForces(drawing, frame);
    }
    this.contactsDue = true;
    if (!this.touched) this.fitDue = true;
    this.requestDraw();
  }

  private observeForces({ run }: RunDrawing, { contacts }: Frame): void {
    const step = run.description.step_size;
    if (!(step !== null && step > 0)) return;
    this.forces.beginFrame();
    for (let row = 0; row < contacts.count; ++row)
      this.forces.add(contacts.impulse[3 * row] / step);
    this.forces.endFrame();
  }

  setOptions(options: Partial<SceneOptions>): void {
    const before = { ...this.options };
    Object.assign(this.options, options);
    this.contactsDue = true;
    if (styling.some((name) => before[name] !== this.options[name])) this.styleDue = true;
    if (before.layout !== this.options.layout && !this.touched) this.fitDue = true;
  }

  // Brings the drawings up to date with frames and options.
  private update(): void {
    if (this.styleDue) this.updateStyle();
    if (this.fitDue && this.runs.some(({ frame }) => frame)) this.fit();
    if (this.contactsDue) this.updateContacts();
    this.styleDue = this.contactsDue = false;
    this.followBody();
  }

  private updateStyle(): void {
    const { layout, selected } = this.options;
    this.runs.forEach((drawing, i) => {
      const own = selected?.run === i ? selected : null;
      drawing.setStyle({
        ...this.options,
        ghost: layout === 'ghost' && i > 0,
        selected: own?.kind === 'body' ? own.body : null,
        selectedJoint: own?.kind === 'joint' ? own.joint : null,
      });
    });
    this.overlayState.captions = this.captions();
    this.viewports.arrange(layout, this.runs.length);
  }

  private updateContacts(): void {
    const { contacts, arrowScale, selected, grasp } = this.options;
    this.weakest.update(grasp?.answer ?? null, this.arrowReference * arrowScale, this.options.theme);
    if (!contacts) return;
    const style = this.contactStyle;
    style.theme = this.options.theme;
    style.cones = this.options.cones;
    style.hidden = this.options.hidden;
    style.solo = this.options.solo;
    style.reference = this.arrowReference * arrowScale;
    style.metresPerNewton = this.forces.force > 0 ? style.reference / this.forces.force : 0;
    this.contacts.forEach((drawing, i) => {
      const { frame, run, planar } = this.runs[i];
      if (!frame) return;
      style.planar = planar;
      style.stepSize = run.description.step_size || 1;
      style.object = i === 0 ? (grasp?.body ?? null) : null;
      style.selected = selected?.kind === 'contact' && selected.run === i ? selected.key : null;
      drawing.update(frame.contacts, style);
    });
  }

  private followBody(): void {
    const body = this.options.follow;
    const drawing = this.runs[0];
    if (body === null || !drawing?.frame || body >= drawing.bodies) {
      this.followed = null;
      return;
    }
    this.scratch.fromArray(drawing.transforms, 12 * body + 9);
    if (this.followed !== body) this.followedAt.copy(this.view.target);
    this.followed = body;
    this.view.shift(this.followedAt.subVectors(this.scratch, this.followedAt));
    this.followedAt.copy(this.scratch);
  }

  // Shows everything bounded; unbounded shapes and what is far from all others do not count.
  fit(): void {
    if (this.styleDue) this.updateStyle();
    this.styleDue = false;
    if (this.width <= 1 || this.height <= 1) {
      this.fitDue = true;
      return;
    }
    const balls = this.runs.map((drawing) => drawing.balls());
    const all = {
      free: balls.flatMap(({ free }) => free),
      fixed: balls.flatMap(({ fixed }) => fixed),
      seen: balls.flatMap(({ seen }) => seen),
      grounds: balls.flatMap(({ grounds }) => grounds),
      anchors: balls.flatMap(({ anchors }) => anchors),
    };
    const extents = sceneExtents(all) ?? unitExtents;
    this.sceneRadius = Math.max(radiusOf(extents), 1e-9);
    this.view.setScene(extents);
    this.view.fit(this.viewports.list[0]);
    this.fitDue = false;
    this.followed = null;
    const typical = Math.max(0, ...this.runs.map((drawing) => drawing.typicalRadius()));
    this.arrowReference = Math.min(
      Math.max(1.1 * typical, 0.12 * this.sceneRadius),
      0.3 * this.sceneRadius,
    );
    this.contactsDue = true;
  }

  setCamera(position: readonly number[], target: readonly number[]): void {
    this.fit();
    const [x, y, z] = target;
    this.view.set(this.scratch.set(position[0], position[1], position[2]), new Vector3(x, y, z));
    this.fitDue = false;
    this.touched = true;
    this.requestDraw();
  }

  pick(clientX: number, clientY: number): Pick | null {
    this.update();
    const viewport = this.viewports.at(clientX, this.canvas);
    if (!(viewport.width > 0 && viewport.height > 0)) return null;
    this.view.apply(viewport);
    const pointer: Pointer = {
      x: (2 * (clientX - viewport.left)) / viewport.width - 1,
      y: 1 - (2 * (clientY - viewport.top)) / viewport.height,
      viewport,
      camera: this.view.camera,
    };
    if (Math.abs(pointer.x) > 1 || Math.abs(pointer.y) > 1) return null;
    const shown = viewport.runs;
    const run = shown[0];
    const frame = this.runs[run]?.frame;
    const contact = frame && this.options.contacts ? pickContact(this.contacts[run], pointer) : -1;
    if (frame && contact >= 0) {
      const key = [...frame.contacts.key.subarray(4 * contact, 4 * contact + 4)] as ContactKey;
      return { run, kind: 'contact', contact, key };
    }
    const joint = frame && this.options.joints ? pickJoint(this.runs[run], pointer) : -1;
    if (joint >= 0) return { run, kind: 'joint', joint };
    return this.bodyUnder(pointer, shown);
  }

  // Where a point of the world is seen, in CSS pixels of the window; null if it is out of the view or
  // the run is not shown.
  place([x, y, z]: readonly number[], run = 0): { x: number; y: number } | null {
    this.update();
    const at = this.viewports.list.findIndex(({ runs }) => runs.includes(run));
    if (at < 0) return null;
    const bounds = this.canvas.getBoundingClientRect();
    const middle = bounds.left + ((at + 0.5) * bounds.width) / this.viewports.list.length;
    const viewport = this.viewports.at(middle, this.canvas);
    this.view.apply(viewport);
    const seen = new Vector3(x, y, z).project(this.view.camera);
    if (![seen.x, seen.y, seen.z].every((part) => Math.abs(part) <= 1)) return null;
    return {
      x: viewport.left + 0.5 * (1 + seen.x) * viewport.width,
      y: viewport.top + 0.5 * (1 - seen.y) * viewport.height,
    };
  }

  // A solid body before a ghost.
  private bodyUnder(pointer: Pointer, shown: number[]): Pick | null {
    for (const run of shown) {
      const hit = this.runs[run].frame ? pickBody(this.runs[run], pointer) : null;
      if (hit) return { run, kind: 'body', body: hit.body };
    }
    return null;
  }

  draw(): void {
    const started = performance.now();
    this.drawDue = false;
    const { renderer } = this;
    if (!renderer || renderer.getContext().isContextLost()) return;
    this.update();
    renderer.info.reset();
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, this.width, this.height);
    renderer.setClearColor(themeColours[this.options.theme].background, 1);
    renderer.clear();
    this.labels.clear();
    for (const viewport of this.viewports.list) this.drawViewport(renderer, viewport);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, this.width, this.height);
    this.drawOverlay(renderer);
    this.last = {
      drawCalls: renderer.info.render.calls,
      milliseconds: performance.now() - started,
    };
  }

  private drawViewport(renderer: WebGLRenderer, viewport: RunViewport): void {
    const shown = viewport.runs;
    this.view.apply(viewport);
    this.pixels.viewport.value.set(
      viewport.width * this.pixelRatio,
      viewport.height * this.pixelRatio,
    );
    this.pixels.pixelRatio.value = this.pixelRatio;
    this.updateExtent(viewport);
    this.runs.forEach((drawing, i) => {
      drawing.group.visible = drawing.frame !== null && shown.includes(i);
      this.contacts[i].group.visible =
        drawing.group.visible && this.options.contacts && i === shown[0];
      const ghost = this.options.layout === 'ghost' && i > 0;
      if (drawing.group.visible)
        drawing.placeUnbounded(this.viewExtent, ghost ? this.runs[0] : null);
    });
    this.weakest.group.visible = shown[0] === 0 && this.options.grasp?.answer != null;
    this.placeGrid(shown);
    renderer.setScissorTest(true);
    renderer.setViewport(viewport.x, 0, viewport.width, viewport.height);
    renderer.setScissor(viewport.x, 0, viewport.width, viewport.height);
    renderer.render(this.scene, this.view.camera);
    if (shown.length === 0) return;
    const { labels, selected } = this.options;
    const body = selected?.kind === 'body' && selected.run === shown[0] ? selected.body : -1;
    this.labels.collect(this.runs[shown[0]], this.view, viewport, labels, body);
  }

  private updateExtent(viewport: Viewport): void {
    const { target } = this.view;
    const extent = this.viewExtent;
    extent.x = target.x;
    extent.y = target.y;
    extent.z = target.z;
    extent.reach = this.view.reach(viewport);
    extent.unitsPerPixel = this.view.unitsPerPixel(viewport);
    extent.sceneRadius = this.sceneRadius;
  }

  // Behind a planar scene; in space on z = 0 when the scene has no floor of its own.
  private placeGrid(shown: number[]): void {
    const { planar } = this.view;
    const floor = shown.some((i) => this.runs[i].hasFloor);
    this.grid.mesh.visible = this.options.grid && (planar || !floor);
    if (!this.grid.mesh.visible) return;
    this.grid.paint(themeColours[this.options.theme], true, 0);
    const size = planar ? 1.05 * this.viewExtent.reach : 6 * this.viewExtent.reach;
    this.grid.place(zFrame, this.viewExtent, size, !planar);
  }

  private drawOverlay(renderer: WebGLRenderer): void {
    const { camera } = this.view;
    this.axes.forEach((axis, i) =>
      axis.copy(units[i]).transformDirection(camera.matrixWorldInverse),
    );
    const state = this.overlayState;
    state.width = this.width;
    state.height = this.height;
    state.pixelRatio = this.pixelRatio;
    state.colours = themeColours[this.options.theme];
    state.scale = this.options.grid;
    state.unitsPerPixel = this.view.unitsPerPixel(this.viewports.list[0]);
    state.planar = this.view.planar;
    state.viewports = this.viewports.list;
    this.overlay.draw(renderer, state, this.labels.list, this.labels.count);
  }

  // Names of the runs, when more than one is shown.
  private captions(): { text: string; ink: string }[] {
    const { layout, theme } = this.options;
    if (this.runs.length < 2 || layout === 'single') return [];
    const { text } = themeColours[theme];
    const ink = (i: number): string =>
      layout === 'ghost' && i > 0 ? `#${ghostTint(i, theme).getHexString()}` : text;
    return this.runs.map(({ run }, i) => ({ text: run.description.name, ink: ink(i) }));
  }

  // Without arguments: as large as the container, and following it from then on.
  resize(width?: number, height?: number, pixelRatio?: number): void {
    this.fixedSize = width !== undefined && height !== undefined;
    this.width = Math.max(1, width ?? this.container.clientWidth);
    this.height = Math.max(1, height ?? this.container.clientHeight);
    this.pixelRatio = pixelRatio ?? (this.fixedSize ? 1 : window.devicePixelRatio || 1);
    this.viewports.resize(this.width, this.height);
    this.renderer?.setPixelRatio(this.pixelRatio);
    this.renderer?.setSize(this.width, this.height, false);
    if (!this.touched) this.fitDue = true;
  }

  private containerResized(): void {
    if (this.fixedSize) return;
    this.resize();
    this.draw(); // at once: setting the size has cleared the canvas
  }

  statistics(): Statistics {
    return this.last;
  }

  dispose(): void {
    this.observer.disconnect();
    this.listening.abort();
    for (const drawing of [...this.runs, ...this.contacts]) drawing.dispose();
    this.grid.dispose();
    this.weakest.dispose();
    this.overlay.dispose();
    this.view.dispose();
    this.renderer?.dispose();
    this.canvas.remove();
  }
}

function isSameRun(a: Run, b: Run): boolean {
  const [x, y] = [a.description, b.description];
  return (
    x.name === y.name &&
    x.created === y.created &&
    x.world === y.world &&
    x.bodies.length === y.bodies.length
  );
}
