// SPDX-License-Identifier: Apache-2.0
// One run in the scene: the bodies of its present model, placed by its present frame.
import { Color, Group } from 'three';

import type { Frame, ModelJson, Run } from '../data/types';
import type { Theme } from '../palette';
import { edgeColour, fillColour, ghostTint, themeColours, type BodyStyle } from './appearance';
import { Batch, type BodyBatch } from './batch';
import { BeltDrawing } from './belt_drawing';
import { ElementDrawing } from './element_drawing';
import { JointDrawing } from './joint_drawing';
import { type Ball, type Plane, type SceneBalls, SeenPlaces } from './extents';
import { bodyTransforms } from './instance_matrices';
import type { PixelUniforms } from './materials';
import { MergedBatch } from './merged_batch';
import { GridPlane, HatchedHalfPlane, type ViewExtent } from './planes';
import { crossGeometry } from './shape_geometry';
import { type PlacedShape, readShapes, type UnboundedShape } from './shapes';

export interface RunStyle {
  theme: Theme;
  ghost: boolean;
  grid: boolean;
  hidden: ReadonlySet<number>;
  solo: number | null;
  selected: number | null; // body
  joints: boolean;
  selectedJoint: number | null;
}

interface Unbounded {
  shape: UnboundedShape;
  drawing: GridPlane | HatchedHalfPlane;
  frame: Float64Array; // 12, in the world
}

// Round shapes get fewer sides when there are very many of them.
function sidesFor(shapes: number): number {
  if (shapes > 3000) return 12;
  if (shapes > 800) return 16;
  if (shapes > 200) return 24;
  return shapes > 40 ? 48 : 96;
}

// Beyond so many, those that few shapes have are merged into one mesh.
const fewGeometries = 16;

const empty: ModelJson = {
  title: '',
  world: 'planar',
  gravity: [0, 0, 0],
  parameters: {},
  bodies: [],
  materials: [],
  surfaces: [],
  shapes: [],
  elements: [],
};

export class RunDrawing {
  readonly group = new Group();
  readonly batches: BodyBatch[] = [];
  transforms = new Float64Array(0); // 12 a body: columns of the rotation, position
  visible = new Uint8Array(0); // a body
  radii = new Float64Array(0); // a body, m; 0: nothing bounded to draw
  model: ModelJson = empty;
  frame: Frame | null = null;
  surveyed = false;
  private modelNumber = -1;
  private unbounded: Unbounded[] = [];
  private elements: ElementDrawing | null = null;
  private belts: BeltDrawing | null = null;
  joints: JointDrawing | null = null;
  private readonly efforts = { turning: 0, shifting: 0 };
  private layers: Float32Array | null = null;
  private style: RunStyle | null = null;
  private readonly seen = new SeenPlaces();
  private readonly seenFrame = { index: -1 };

  constructor(
    public run: Run,
    readonly index: number,
    private readonly pixels: PixelUniforms,
    private readonly report: (problem: string) => void,
  ) {}

  get bodies(): number {
    return this.radii.length;
  }

  get planar(): boolean {
    return this.run.description.world === 'planar';
  }

  // Places the bodies. Null keeps the last frame: the new one is still on its way.
  setFrame(frame: Frame | null): void {
    if (!frame) return;
    this.frame = frame;
    if (frame.model !== this.modelNumber) this.build(frame);
    if (frame.poses.length < 7 * this.bodies) {
      this.report(`Frame ${frame.index} of ${this.run.description.name} has too few poses.`);
      this.frame = null;
      return;
    }
    const damaged = bodyTransforms(frame.poses, this.bodies, this.transforms);
    if (damaged > 0)
      this.report(`${this.run.description.name}: bodies whose pose is damaged are not drawn.`);
    this.joints?.observe(frame);
    this.place();
    if (frame.index !== this.seenFrame.index) this.seen.observe(frame.index, this.transforms);
    this.seenFrame.index = frame.index;
  }

  // A frame that is not drawn but tells where bodies come to.
  survey(frame: Frame): void {
    if (frame.poses.length < 7 * this.bodies || this.bodies === 0) return;
    const transforms = new Float64Array(12 * this.bodies);
    bodyTransforms(frame.poses, this.bodies, transforms);
    this.seen.observe(frame.index, transforms);
    this.joints?.observe(frame);
    this.surveyed = true;
  }

  private place(): void {
    for (const batch of this.batches) batch.place(this.transforms, this.visible, this.layers);
    if (!this.style) return;
    this.elements?.update(this.transforms, this.style);
    this.belts?.update(this.transforms, this.frame?.time ?? 0, this.style);
    if (this.frame) this.joints?.update(this.transforms, this.frame, this.style);
  }

  setStyle(style: RunStyle): void {
    const ghostChanged = this.style?.ghost !== style.ghost;
    this.style = style;
    if (ghostChanged) for (const batch of this.batches) batch.useMaterials(style.ghost);
    this.paint();
    if (this.frame) this.place();
  }

  private bodyStyle(body: number, style: RunStyle): BodyStyle {
    const freedom = this.model.bodies[body]?.freedom ?? 'fixed';
    const run = style.ghost ? this.index : 0;
    return { freedom, theme: style.theme, run, selected: style.selected === body };
  }

  private paint(): void {
    const style = this.style;
    if (!style) return;
    for (let body = 0; body < this.bodies; ++body)
      this.visible[body] =
        style.solo === null ? Number(!style.hidden.has(body)) : Number(style.solo === body);
    const fill = new Color();
    const edge = new Color();
    for (const batch of this.batches)
      for (let i = 0; i < batch.instances.count; ++i) {
        const body = batch.instances.bodies[i];
        const look = this.bodyStyle(body, style);
        fillColour(body, look, fill);
        if (look.selected && !batch.outlined) fill.lerp(themeColours[style.theme].accent, 0.4);
        edgeColour(body, look, edge);
        batch.paint(i, fill, edge, look.selected ? 3 : 1.3);
      }
    this.paintUnbounded(style);
  }

  private paintUnbounded(style: RunStyle): void {
    const colours = themeColours[style.theme];
    for (const { drawing, shape } of this.unbounded) {
      const selected = style.selected === shape.body;
      if (drawing instanceof GridPlane) {
        drawing.paint(colours, style.grid, style.ghost ? 0.3 : 1);
        continue;
      }
      const line = selected
        ? colours.accent
        : style.ghost
          ? ghostTint(this.index, style.theme)
          : colours.line;
      drawing.paint(colours.ground, line, !style.ghost);
    }
  }

  // Unbounded shapes follow the view. Those of a ghost that lie where the first run has one, too,
  // are left out.
  placeUnbounded(view: ViewExtent, first: RunDrawing | null): void {
    for (const plane of this.unbounded) {
      const { shape, drawing, frame } = plane;
      composeFrame(this.transforms, shape, frame);
      const shown = this.frame !== null && this.visible[shape.body] === 1;
      drawing.mesh.visible = shown;
      if (!shown) continue;
      if (first?.hasPlane(frame, 1e-4 * view.reach)) drawing.mesh.visible = false;
      else if (drawing instanceof HatchedHalfPlane) drawing.place(frame, view);
      else {
        const floor = Math.abs(frame[8]) > 0.7;
        drawing.place(frame, view, floor ? 6 * view.reach : 2.2 * view.sceneRadius, true);
      }
    }
  }

  private hasPlane(frame: Float64Array, tolerance: number): boolean {
    return this.unbounded.some(({ frame: own }) =>
      own.every((x, k) => Math.abs(x - frame[k]) <= (k < 9 ? 1e-4 : tolerance)),
    );
  }

  get hasFloor(): boolean {
    return this.unbounded.some(({ shape }) => shape.kind === 'half-space');
  }

  // The world point of a half-plane's line under the pointer, for picking; see picking.ts.
  halfPlanes(): readonly { body: number; frame: Float64Array }[] {
    return this.unbounded
      .filter(({ shape }) => shape.kind === 'half-plane' && this.visible[shape.body] === 1)
      .map(({ shape, frame }) => ({ body: shape.body, frame }));
  }

  private build(frame: Frame): void {
    this.clear();
    this.modelNumber = frame.model;
    try {
      this.model = this.run.models(frame.model) ?? empty;
    } catch {
      this.report(
        `${this.run.description.name}: model ${frame.model} is missing; its bodies are not drawn.`,
      );
      this.model = empty;
    }
    const bodies = Array.isArray(this.model.bodies) ? this.model.bodies.length : 0;
    const { shapes, unbounded, problems } = readShapes(this.model);
    problems.slice(0, 3).forEach((text) => this.report(text));
    if (problems.length > 3) this.report(`${problems.length - 3} further shapes are not drawn.`);
    shapes.push(...crossesFor(bodies, shapes, unbounded, frame.poses));
    this.transforms = new Float64Array(12 * bodies);
    this.visible = new Uint8Array(bodies).fill(1);
    this.radii = new Float64Array(bodies);
    for (const shape of shapes)
      this.radii[shape.body] = Math.max(this.radii[shape.body], shape.radius);
    this.layers = this.planar ? this.planarLayers(bodies) : null;
    this.makeBatches(shapes);
    this.makeUnbounded(unbounded);
    this.makeElements();
    this.makeBelts();
    this.makeJoints();
    const free = this.freeBodies();
    this.seen.reset(
      free,
      free.map((body) => this.radii[body]),
    );
    this.seenFrame.index = -1;
    this.paint();
  }

  // In the plane later bodies lie over earlier ones, free ones over fixed ones, ghosts over all.
  private planarLayers(bodies: number): Float32Array {
    return Float32Array.from({ length: bodies }, (_, body) => {
      const fixed = this.model.bodies[body]?.freedom === 'fixed';
      return (body + 1) / (bodies + 1) + (fixed ? 0 : 1) + 2 * this.index;
    });
  }

  private makeBatches(shapes: readonly PlacedShape[]): void {
    const groups = new Map<string, PlacedShape[]>();
    for (const shape of shapes) {
      const group = groups.get(shape.key);
      if (group) group.push(shape);
      else groups.set(shape.key, [shape]);
    }
    const sides = sidesFor(shapes.length);
    const rare =
      groups.size > fewGeometries ? [...groups.values()].filter((group) => group.length < 8) : [];
    for (const group of rare) groups.delete(group[0].key);
    for (const group of groups.values()) this.batches.push(new Batch(group, sides, this.pixels));
    for (const flat of [true, false]) {
      const group = rare.flat().filter((shape) => shape.flat === flat);
      if (group.length > 0) this.batches.push(new MergedBatch(group, sides, this.pixels));
    }
    for (const batch of this.batches) {
      if (this.style?.ghost) batch.useMaterials(true);
      this.group.add(...batch.meshes);
    }
  }

  private makeUnbounded(unbounded: readonly UnboundedShape[]): void {
    this.unbounded = unbounded.map((shape) => ({
      shape,
      drawing:
        shape.kind === 'half-plane' ? new HatchedHalfPlane(this.pixels) : new GridPlane(true),
      frame: new Float64Array(12),
    }));
    for (const { drawing } of this.unbounded) this.group.add(drawing.mesh);
  }

  private makeElements(): void {
    const { elements } = this.model;
    if (elements.length === 0) return;
    this.elements = new ElementDrawing(elements, this.radii, this.planar, this.index, this.pixels);
    this.group.add(this.elements.group);
  }

  private makeBelts(): void {
    const largest = this.radii.reduce((most, radius) => Math.max(most, radius), 0);
    const belts = new BeltDrawing(
      this.model,
      10 * (largest > 0 ? largest : 0.1),
      this.planar,
      this.index,
      this.pixels,
    );
    if (belts.empty) return belts.dispose();
    this.belts = belts;
    this.group.add(belts.group);
  }

  private makeJoints(): void {
    if (!this.model.joints?.length) return;
    this.joints = new JointDrawing(this.model, this.radii, this.planar, this.pixels, this.efforts);
    this.group.add(this.joints.group);
  }

  private freeBodies(): number[] {
    return this.model.bodies.map((_, body) => body).filter((body) => this.isFree(body));
  }

  private isFree(body: number): boolean {
    return this.model.bodies[body].freedom !== 'fixed' && this.radii[body] > 0;
  }

  private ball(body: number): Ball {
    const t = this.transforms;
    const centre: [number, number, number] = [
      t[12 * body + 9],
      t[12 * body + 10],
      t[12 * body + 11],
    ];
    return { centre, radius: this.radii[body] };
  }

  balls(): SceneBalls {
    if (!this.frame) return { free: [], fixed: [], seen: [], grounds: [], anchors: [] };
    const all = this.model.bodies.map((_, body) => body).filter((body) => this.radii[body] > 0);
    const whole = all.filter((body) => !this.isDamaged(body));
    return {
      free: whole.filter((body) => this.isFree(body)).map((body) => this.ball(body)),
      fixed: whole.filter((body) => !this.isFree(body)).map((body) => this.ball(body)),
      seen: this.seen.balls(),
      grounds: this.grounds(),
      anchors: this.elements?.anchors(this.transforms) ?? [],
    };
  }

  // A damaged pose has no rotation.
  private isDamaged(body: number): boolean {
    return this.transforms.subarray(12 * body, 12 * body + 9).every((x) => x === 0);
  }

  // Half-planes and half-spaces that things fall on.
  private grounds(): Plane[] {
    const [gx, gy, gz] = Array.isArray(this.model.gravity) ? this.model.gravity : [0, 0, 0];
    const size = Math.hypot(gx, gy, gz);
    return this.unbounded
      .map(({ shape, frame }) => {
        composeFrame(this.transforms, shape, frame);
        const n = shape.kind === 'half-plane' ? 3 : 6;
        const normal: [number, number, number] = [frame[n], frame[n + 1], frame[n + 2]];
        return { point: [frame[9], frame[10], frame[11]] as [number, number, number], normal };
      })
      .filter(
        ({ normal }) => size > 0 && normal[0] * gx + normal[1] * gy + normal[2] * gz < -0.5 * size,
      );
  }

  // A typical radius of the bodies that move, m; 0 when there are none.
  typicalRadius(): number {
    const free = this.freeBodies().map((body) => this.radii[body]);
    return free.sort((a, b) => a - b)[Math.floor(free.length / 2)] ?? 0;
  }

  private clear(): void {
    for (const batch of this.batches.splice(0)) batch.dispose();
    for (const { drawing } of this.unbounded) drawing.dispose();
    this.unbounded = [];
    this.elements?.dispose();
    this.elements = null;
    this.belts?.dispose();
    this.belts = null;
    this.joints?.dispose();
    this.joints = null;
  }

  dispose(): void {
    this.clear();
    this.group.removeFromParent();
  }
}

// body ∘ local, both rotations with a translation.
function composeFrame(transforms: Float64Array, shape: UnboundedShape, out: Float64Array): void {
  const t = 12 * shape.body;
  for (let column = 0; column < 4; ++column)
    for (let row = 0; row < 3; ++row)
      out[3 * column + row] =
        transforms[t + row] * shape.local[3 * column] +
        transforms[t + 3 + row] * shape.local[3 * column + 1] +
        transforms[t + 6 + row] * shape.local[3 * column + 2] +
        (column === 3 ? transforms[t + 9 + row] : 0);
}

// A body without any shape is drawn as a cross of its axes: as large as the typical shape, or as
// the bodies are apart, or of 10 cm.
function crossesFor(
  bodies: number,
  shapes: readonly PlacedShape[],
  unbounded: readonly UnboundedShape[],
  poses: Float32Array,
): PlacedShape[] {
  const shaped = new Set([...shapes, ...unbounded].map((shape) => shape.body));
  const bare = Array.from({ length: bodies }, (_, body) => body).filter(
    (body) => !shaped.has(body),
  );
  if (bare.length === 0) return [];
  const radii = shapes.map((shape) => shape.radius).sort((a, b) => a - b);
  let spread = 0;
  for (const body of bare)
    for (let k = 0; k < 3; ++k)
      spread = Math.max(spread, Math.abs(poses[7 * body + k] - poses[7 * bare[0] + k]));
  const apart = Number.isFinite(spread) && spread > 0 ? (0.3 * spread) / bare.length : 0.1;
  const radius = radii[Math.floor(radii.length / 2)] ?? apart;
  return bare.map((body) => ({
    index: -1,
    body,
    key: 'cross',
    flat: true,
    make: crossGeometry,
    local: new Float64Array([radius, 0, 0, 0, radius, 0, 0, 0, radius, 0, 0, 0]),
    radius,
  }));
}
