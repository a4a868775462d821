// SPDX-License-Identifier: Apache-2.0
// The elements of a run's frame: lines between their anchors as their kind is drawn (elements.ts),
// and a dot at each anchor. In the plane they lie over the bodies, in space bodies hide them.
import { Group, Vector3 } from 'three';

import type { Anchor, ElementJson } from '../data/types';
import type { Theme } from '../palette';
import { ghostTint, themeColours } from './appearance';
import { markFigure, markFigures } from './contact_materials';
import { type ElementForm, type ElementLook, elementLook } from './elements';
import { FigureBatch } from './figure_batch';
import { lineFigure } from './line_figure';
import { LinePen } from './line_pen';
import type { PixelUniforms } from './materials';
import { largestLength } from './shapes';

export interface ElementStyle {
  theme: Theme;
  ghost: boolean;
  hidden: ReadonlySet<number>; // bodies
  solo: number | null; // body
}

// Over the bodies, below the contacts; the ghosts first.
const order = { solid: 6, ghost: 3 };
const lineWidth = { solid: 1.8, ghost: 1.4 }; // pixels
const dotRadius = { solid: 3, ghost: 2.4 };

// Round things get fewer sides when there are very many of them.
function sidesFor(elements: number): number {
  if (elements > 1000) return 6;
  return elements > 200 ? 10 : 20;
}

// Where the anchor is in the world; false where its body's pose is damaged. `transforms`: 12 a body.
export function anchorPoint(anchor: Anchor, transforms: Float64Array, out: Vector3): boolean {
  const [x, y, z] = anchor.point;
  out.set(x, y, z);
  if (anchor.body >= 0) {
    const t = transforms.subarray(12 * anchor.body, 12 * anchor.body + 12);
    out.set(
      t[0] * x + t[3] * y + t[6] * z + t[9],
      t[1] * x + t[4] * y + t[7] * z + t[10],
      t[2] * x + t[5] * y + t[8] * z + t[11],
    );
    if (t.every((number) => number === 0)) return false;
  }
  return Math.abs(out.x) + Math.abs(out.y) + Math.abs(out.z) < largestLength;
}

// The direction of y beside an axis: in space the reference's after the shortest turn that takes its
// axis to this one. It is steady but for axes opposite to the reference, which none is likely to be.
const referenceAxis = new Vector3(0.48, 0.6, 0.64);
const referenceSide = new Vector3(0.6, -0.48, 0).normalize();

function sideOf(axis: Vector3, planar: boolean, out: Vector3): Vector3 {
  if (planar) return out.set(-axis.y, axis.x, 0);
  const towards = 1 + axis.dot(referenceAxis);
  out.addVectors(referenceAxis, axis);
  if (towards < 1e-9) return out.copy(referenceSide);
  return out.multiplyScalar(-axis.dot(referenceSide) / towards).add(referenceSide);
}

interface Entry {
  element: ElementJson;
  look: ElementLook;
  form: ElementForm;
}

export class ElementDrawing {
  readonly group = new Group();
  private readonly entries: Entry[];
  private readonly lines: FigureBatch;
  private readonly dots: FigureBatch;
  private readonly pen: LinePen;
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private readonly lift: number; // m: so far a dot on a body's face is before the face
  private dotCount = 0;

  // `radii`: of the bodies, m; 0 of those without bounded shapes.
  constructor(
    elements: readonly ElementJson[],
    radii: Float64Array,
    private readonly planar: boolean,
    private readonly run: number,
    pixels: PixelUniforms,
  ) {
    this.pen = new LinePen(!planar);
    const sides = sidesFor(elements.length);
    this.entries = elements.map((element) => {
      const sizes = element.anchors.map(({ body }) => radii[body]).filter((radius) => radius > 0);
      const girth = sizes.length > 0 ? Math.min(...sizes) : 0;
      const form = { length: 0, numbers: element.numbers, planar, girth, sides };
      return { element, look: elementLook(element.kind), form };
    });
    const girths = this.entries.map(({ form }) => form.girth).filter((girth) => girth > 0);
    this.lift = 0.1 * girths.reduce((least, girth) => Math.min(least, girth), girths[0] ?? 0);
    const first = run === 0 ? order.solid : order.ghost;
    this.lines = new FigureBatch(lineFigure, pixels, first);
    this.dots = new FigureBatch(markFigure, pixels, first + 2);
    this.dots.reserve(2 * elements.length);
    this.group.add(this.lines.group, this.dots.group);
  }

  update(transforms: Float64Array, style: ElementStyle): void {
    const { theme, ghost } = style;
    const { background, element: ink } = themeColours[theme];
    const { pen, lines } = this;
    pen.colour.copy(ghost ? ghostTint(this.run, theme) : ink);
    pen.width = ghost ? lineWidth.ghost : lineWidth.solid;
    this.draw(transforms, style);
    if (pen.count > pen.room) {
      lines.reserve(pen.count);
      this.draw(transforms, style);
    }
    lines.finish(pen.count);
    this.dots.finish(this.dotCount);
    lines.paint(background, this.planar ? null : 0);
    this.dots.paint(background, this.planar ? null : this.lift);
  }

  private draw(transforms: Float64Array, style: ElementStyle): void {
    const { pen, from, to } = this;
    pen.begin(this.lines.columns);
    this.dotCount = 0;
    for (const { element, look, form } of this.entries) {
      const [a, b] = element.anchors;
      if (!isShown(a.body, b.body, style)) continue;
      if (!anchorPoint(a, transforms, from) || !anchorPoint(b, transforms, to)) continue;
      form.length = this.takeFrame();
      look.draw(pen, form);
      this.dot(from, style.ghost);
      this.dot(to, style.ghost);
    }
  }

  // The frame of the element from `from` to `to`; returns their distance. Where they coincide, x
  // stands for the direction.
  private takeFrame(): number {
    const { origin, axis, side, up } = this.pen;
    origin.copy(this.from);
    axis.subVectors(this.to, this.from);
    const length = axis.length();
    if (length > 0) axis.divideScalar(length);
    else axis.set(1, 0, 0);
    sideOf(axis, this.planar, side);
    up.crossVectors(axis, side);
    return length;
  }

  private dot(point: Vector3, ghost: boolean): void {
    const i = this.dotCount++;
    const { origin, colour, look } = this.dots.columns;
    point.toArray(origin, 3 * i);
    this.pen.colour.toArray(colour, 3 * i);
    look[2 * i] = markFigures.sticking;
    look[2 * i + 1] = ghost ? dotRadius.ghost : dotRadius.solid;
  }

  // Of all elements, m.
  anchors(transforms: Float64Array): [number, number, number][] {
    const at = this.from;
    return this.entries
      .flatMap(({ element }) => element.anchors)
      .flatMap((anchor) => (anchorPoint(anchor, transforms, at) ? [[at.x, at.y, at.z]] : []));
  }

  dispose(): void {
    this.lines.dispose();
    this.dots.dispose();
    this.group.removeFromParent();
  }
}

// As contacts are: without a hidden body, and with the one that is shown alone.
export function isShown(a: number, b: number, { hidden, solo }: ElementStyle): boolean {
  return solo === null ? !hidden.has(a) && !hidden.has(b) : solo === a || solo === b;
}
