// SPDX-License-Identifier: Apache-2.0
// Marks on the surfaces of a run that run over their shapes, as those of belts do: arrow heads that
// move with them. In the plane they lie over the bodies, in space bodies hide them.
import { Color, Group } from 'three';

import type { ModelJson, ShapeJson, Vector3 as Triple } from '../data/types';
import { ghostTint, themeColours } from './appearance';
import { beltFaces, beltMarks, type Face, markSpacing, runningAt } from './belts';
import type { ElementStyle } from './element_drawing';
import { FigureBatch } from './figure_batch';
import { lineFigure } from './line_figure';
import type { PixelUniforms } from './materials';

// Over the bodies, below elements and contacts; the ghosts first.
const order = { solid: 5, ghost: 2 };
const lineWidth = { solid: 1.6, ghost: 1.2 }; // pixels

interface Belt {
  shape: ShapeJson;
  faces: Face[];
  spacing: number; // m
}

// Into the world, by a body's transform (12 numbers) and the offset of its shape.
function placed(p: Triple, shape: ShapeJson, t: Float64Array, turned = false): Triple {
  const [w, x, y, z] = shape.offset.rotation;
  const [a, b, c] = p;
  const u = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  const own = [
    a + 2 * (y * u[2] - z * u[1]),
    b + 2 * (z * u[0] - x * u[2]),
    c + 2 * (x * u[1] - y * u[0]),
  ].map((value, k) => value + (turned ? 0 : shape.offset.position[k]));
  return [0, 1, 2].map(
    (k) => t[k] * own[0] + t[3 + k] * own[1] + t[6 + k] * own[2] + (turned ? 0 : t[9 + k]),
  ) as Triple;
}

export class BeltDrawing {
  readonly group = new Group();
  private readonly belts: Belt[];
  private readonly lines: FigureBatch;
  private readonly colour = new Color();
  private count = 0;

  // `reach`: how far surfaces without an end are marked, m.
  constructor(
    model: ModelJson,
    reach: number,
    private readonly planar: boolean,
    private readonly run: number,
    pixels: PixelUniforms,
  ) {
    this.belts = model.shapes.flatMap((shape) => {
      if (!runningAt(shape, 0)) return [];
      const faces = beltFaces(shape, reach);
      return faces.length > 0 ? [{ shape, faces, spacing: markSpacing(faces) }] : [];
    });
    this.lines = new FigureBatch(lineFigure, pixels, run === 0 ? order.solid : order.ghost);
    this.group.add(this.lines.group);
  }

  get empty(): boolean {
    return this.belts.length === 0;
  }

  update(transforms: Float64Array, time: number, style: ElementStyle): void {
    const { theme, ghost } = style;
    const { background, element: ink } = themeColours[theme];
    this.colour.copy(ghost ? ghostTint(this.run, theme) : ink);
    this.draw(transforms, time, style);
    if (this.count > this.lines.columns.width.length) {
      this.lines.reserve(this.count);
      this.draw(transforms, time, style);
    }
    this.lines.finish(this.count);
    const spacing = this.belts.reduce((least, belt) => Math.min(least, belt.spacing), Infinity);
    this.lines.paint(background, this.planar ? null : 0.1 * spacing);
  }

  private draw(transforms: Float64Array, time: number, style: ElementStyle): void {
    this.count = 0;
    for (const { shape, faces, spacing } of this.belts) {
      const { body } = shape;
      if (style.solo === null ? style.hidden.has(body) : style.solo !== body) continue;
      const t = transforms.subarray(12 * body, 12 * body + 12);
      const running = runningAt(shape, time);
      if (!running || t.every((number) => number === 0)) continue;
      for (const face of faces) {
        const outward: Triple = this.planar ? [0, 0, 0] : placed(face.normal, shape, t, true);
        for (const mark of beltMarks(face, running, spacing, this.planar)) {
          const [a, b, c] = mark.map((p) => placed(p, shape, t));
          this.line(a, b, outward, style.ghost);
          this.line(b, c, outward, style.ghost);
        }
      }
    }
  }

  private line(from: Triple, to: Triple, outward: Triple, ghost: boolean): void {
    const { start, end, outward: away, colour, width } = this.lines.columns;
    const i = this.count++;
    if (i >= width.length) return;
    start.set(from, 3 * i);
    end.set(to, 3 * i);
    away.set(outward, 3 * i);
    this.colour.toArray(colour, 3 * i);
    width[i] = ghost ? lineWidth.ghost : lineWidth.solid;
  }

  dispose(): void {
    this.lines.dispose();
    this.group.removeFromParent();
  }
}
