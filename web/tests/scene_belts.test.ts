// SPDX-License-Identifier: Apache-2.0
import { type Mesh, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import type { ModelJson, ShapeJson } from '../src/data/types';
import { BeltDrawing } from '../src/scene/belt_drawing';
import { beltFaces, beltMarks, markSpacing, runningAt } from '../src/scene/belts';
import type { ElementStyle } from '../src/scene/element_drawing';
import { bodyTransforms } from '../src/scene/instance_matrices';
import { pixelUniforms } from '../src/scene/materials';

const style: ElementStyle = { theme: 'light', ghost: false, hidden: new Set(), solo: null };
const offset = { position: [0, 0, 0], rotation: [1, 0, 0, 0] };
const steady = (...velocity: number[]): object => ({ step: 1, points: [[0, 0, 0], velocity] });

function belt(kind: object, way: unknown = steady(2, 0, 0)): ShapeJson {
  return { body: 0, material: 0, offset, surface_way: way, ...kind } as unknown as ShapeJson;
}

const box = { kind: 'box', half_extents: [1, 0.5, 0.25] };
const square = {
  kind: 'polygon',
  vertices: [
    [-1, -0.5],
    [1, -0.5],
    [1, 0.5],
    [-1, 0.5],
  ],
};

describe('a surface that runs', () => {
  it('has gone v t if it is steady, however long', () => {
    expect(runningAt(belt(box), 7.5)).toEqual({ way: [15, 0, 0], velocity: [2, 0, 0] });
  });

  it('goes from point to point, and on beyond the last', () => {
    const way = {
      step: 0.5,
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [1, 2, 0],
      ],
    };
    expect(runningAt(belt(box, way), 0.25)).toEqual({ way: [0.5, 0, 0], velocity: [2, 0, 0] });
    expect(runningAt(belt(box, way), 0.75)).toEqual({ way: [1, 1, 0], velocity: [0, 4, 0] });
    expect(runningAt(belt(box, way), 1.5)).toEqual({ way: [1, 4, 0], velocity: [0, 4, 0] });
  });

  it.each([
    [null],
    [{ step: 1, points: [[0, 0, 0]] }],
    [{ step: 0, points: [[0, 0, 0], [1, 0, 0]] }],
    [{ step: 1, points: [[0, 0, 0], [1, null, 0]] }],
    [{ step: 1, points: [[0, 0, 0], [1e300, 0, 0]] }],
    ['fast'],
  ])('is none where it is not recorded or damaged: %j', (way) => {
    expect(runningAt(belt(box, way), 1)).toBeNull();
  });
});

describe('the faces of a belt', () => {
  const shapes: [string, object, number][] = [
    ['box', box, 6],
    ['polygon', square, 4],
    ['circle', { kind: 'circle', radius: 1 }, 32],
    ['half-plane', { kind: 'half-plane' }, 1],
    ['half-space', { kind: 'half-space' }, 1],
    ['sphere', { kind: 'sphere', radius: 1 }, 12 * 32],
    ['cylinder', { kind: 'cylinder', radius: 1, half_height: 2 }, 2 + 32],
  ];
  it.each(shapes)('of a %s point outwards', (_, shape, count) => {
    const faces = beltFaces(belt(shape), 5);
    expect(faces).toHaveLength(count);
    for (const { corners, normal } of faces) {
      expect(Math.hypot(...normal)).toBeCloseTo(1, 12);
      const middle = [0, 1, 2].map((k) => corners.reduce((sum, p) => sum + p[k], 0) / corners.length);
      const out = middle.reduce((sum, x, k) => sum + x * normal[k], 0);
      expect(out).toBeGreaterThanOrEqual(count === 1 ? 0 : 1e-9);
    }
  });
});

describe('the marks of a face', () => {
  const faces = beltFaces(belt(box), 5);
  const top = faces.find(({ normal }) => normal[2] > 0)!;
  const front = faces.find(({ normal }) => normal[0] > 0)!;

  it('lie on it and point the way it runs', () => {
    const marks = beltMarks(top, { way: [0, 0, 0], velocity: [2, 0, 0] }, 0.2, false);
    expect(marks.length).toBeGreaterThan(10);
    for (const [left, tip, right] of marks) {
      for (const [x, y, z] of [left, tip, right]) {
        expect(z).toBeCloseTo(0.25, 12);
        expect(Math.abs(y)).toBeLessThanOrEqual(0.5);
        expect(Math.abs(x)).toBeLessThanOrEqual(1);
      }
      expect(tip[0]).toBeGreaterThan(left[0]);
      expect(tip[0]).toBeGreaterThan(right[0]);
    }
  });

  it('move with it, and one follows the other', () => {
    const tips = (gone: number): number[] =>
      beltMarks(top, { way: [gone, 0, 0], velocity: [2, 0, 0] }, 0.21, false).map(([, tip]) => tip[0]);
    expect(tips(0.05)[0] - tips(0)[0]).toBeCloseTo(0.05, 12);
    expect(tips(0.21)).toHaveLength(tips(0).length);
    tips(0.21).forEach((x, i) => expect(x).toBeCloseTo(tips(0)[i], 12));
  });

  it('are none where the surface runs across the face, or stands', () => {
    expect(beltMarks(front, { way: [0, 0, 0], velocity: [2, 0, 0] }, 0.2, false)).toEqual([]);
    expect(beltMarks(top, { way: [1, 0, 0], velocity: [0, 0, 0] }, 0.2, false)).toEqual([]);
  });

  it('are within the body in the plane', () => {
    const edges = beltFaces(belt(square), 5);
    const marks = edges.flatMap((edge) =>
      beltMarks(edge, { way: [0.03, 0, 0], velocity: [2, 0, 0] }, markSpacing(edges), true),
    );
    expect(marks.length).toBeGreaterThan(15); // on the long edges alone
    for (const mark of marks)
      for (const [, y] of mark) {
        expect(Math.abs(y)).toBeLessThan(0.5);
        expect(Math.abs(y)).toBeGreaterThan(0.3);
      }
  });
});

describe('the marks of a thin belt', () => {
  it('do not stand out of it', () => {
    const thin = { kind: 'polygon', vertices: [[-1, 0], [1, 0], [1, 0.02], [-1, 0.02]] };
    const edges = beltFaces(belt(thin), 5);
    for (const edge of edges)
      for (const mark of beltMarks(edge, { way: [0, 0, 0], velocity: [1, 0, 0] }, 0.2, true))
        for (const [, y] of mark) {
          expect(y).toBeGreaterThan(0);
          expect(y).toBeLessThan(0.02);
        }
  });
});

describe('the drawing of belts', () => {
  function model(shapes: ShapeJson[]): ModelJson {
    return { shapes, bodies: [], elements: [] } as unknown as ModelJson;
  }

  // Body 0 stands at (3, 0, 0), turned by a quarter about z.
  function drawn(shapes: ShapeJson[], time: number, changes: Partial<ElementStyle> = {}): Vector3[] {
    const half = Math.SQRT1_2;
    const transforms = new Float64Array(12);
    bodyTransforms(Float32Array.of(3, 0, 0, half, 0, 0, half), 1, transforms);
    const drawing = new BeltDrawing(model(shapes), 5, false, 0, pixelUniforms());
    drawing.update(transforms, time, { ...style, ...changes });
    const [mesh] = drawing.group.children.flatMap((child) => child.children) as Mesh[];
    const { geometry } = mesh;
    const count = (geometry as unknown as { instanceCount: number }).instanceCount;
    return Array.from({ length: count }, (_, i) =>
      new Vector3().fromBufferAttribute(geometry.getAttribute('end') as never, i),
    );
  }

  it('places the marks with the body and its shape', () => {
    const tips = drawn([belt(box)], 0).filter((_, i) => i % 2 === 0);
    expect(tips.length).toBeGreaterThan(10);
    for (const tip of tips) {
      expect(Math.abs(tip.x - 3)).toBeLessThan(0.51); // y of the shape
      expect(Math.abs(tip.y)).toBeLessThan(1.01);
    }
    const later = drawn([belt(box)], 0.01).filter((_, i) => i % 2 === 0);
    expect(later[0].y - tips[0].y).toBeCloseTo(0.02, 5);
  });

  it('leaves out what is hidden, and has nothing to do without belts', () => {
    expect(drawn([belt(box)], 0, { hidden: new Set([0]) })).toHaveLength(0);
    expect(new BeltDrawing(model([belt(box, null)]), 5, false, 0, pixelUniforms()).empty).toBe(true);
  });
});
