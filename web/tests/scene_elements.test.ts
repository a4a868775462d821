// SPDX-License-Identifier: Apache-2.0
import { type Mesh, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import type { Anchor, ElementJson } from '../src/data/types';
import { themeColours } from '../src/scene/appearance';
import { anchorPoint, ElementDrawing, type ElementStyle } from '../src/scene/element_drawing';
import { bodyTransforms } from '../src/scene/instance_matrices';
import { pixelUniforms } from '../src/scene/materials';

const style: ElementStyle = { theme: 'light', ghost: false, hidden: new Set(), solo: null };

function element(kind: string, a: Anchor, b: Anchor, numbers = {}): ElementJson {
  return { name: 'link', kind, anchors: [a, b], numbers, columns: [] };
}

const world = (...point: [number, number, number]): Anchor => ({ body: -1, point });
const on = (body: number, ...point: [number, number, number]): Anchor => ({ body, point });

// Body 0 stands at the origin, body 1 at (2, 0, 0), turned by a quarter about z.
function transforms(): Float64Array {
  const half = Math.SQRT1_2;
  const poses = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, half, 0, 0, half);
  const out = new Float64Array(24);
  expect(bodyTransforms(poses, 2, out)).toBe(0);
  return out;
}

interface Drawn {
  pieces: [Vector3, Vector3][];
  dots: Vector3[];
  colour: number[]; // of the first piece
}

// What the graphics card gets.
function drawn(list: ElementJson[], planar = true, changes: Partial<ElementStyle> = {},
               places = transforms(), run = 0): Drawn {
  const drawing = new ElementDrawing(list, Float64Array.of(0.1, 0.1), planar, run, pixelUniforms());
  drawing.update(places, { ...style, ...changes });
  const meshes = drawing.group.children.flatMap((child) => child.children) as Mesh[];
  const columns = (mark: string): { count: number; at: (name: string, i: number) => Vector3 } => {
    const { geometry } = meshes.find((mesh) => mesh.geometry.getAttribute(mark))!;
    return {
      count: (geometry as unknown as { instanceCount: number }).instanceCount,
      at: (name, i) => new Vector3().fromBufferAttribute(geometry.getAttribute(name) as never, i),
    };
  };
  const lines = columns('outward');
  const dots = columns('look');
  return {
    pieces: Array.from({ length: lines.count }, (_, i) => [lines.at('start', i), lines.at('end', i)]),
    dots: Array.from({ length: dots.count }, (_, i) => dots.at('origin', i)),
    colour: lines.count > 0 ? lines.at('colour', 0).toArray() : [],
  };
}

function expectPoint(point: Vector3, x: number, y: number, z: number): void {
  expect(point.distanceTo(new Vector3(x, y, z))).toBeLessThan(1e-6);
}

describe('an anchor', () => {
  it('is in the frame of its body, or of the world', () => {
    const place = new Vector3();
    expect(anchorPoint(on(1, 0.5, 0, 3), transforms(), place)).toBe(true);
    expectPoint(place, 2, 0.5, 3);
    expect(anchorPoint(world(0.5, 0, 3), transforms(), place)).toBe(true);
    expectPoint(place, 0.5, 0, 3);
  });

  it('is nowhere on a body whose pose is damaged, or beyond all bounds', () => {
    expect(anchorPoint(on(1, 0, 0, 0), new Float64Array(24), new Vector3())).toBe(false);
    expect(anchorPoint(world(1e30, 0, 0), transforms(), new Vector3())).toBe(false);
  });
});

describe('an element of an unknown kind', () => {
  const link = element('constructor', world(0, 1, 0), on(1, 0.5, 0, 0));

  it.each([true, false])('is a straight line between two dots (in the plane: %s)', (planar) => {
    const { pieces, dots } = drawn([link], planar);
    expect(pieces).toHaveLength(1);
    expectPoint(pieces[0][0], 0, 1, 0);
    expectPoint(pieces[0][1], 2, 0.5, 0);
    expectPoint(dots[0], 0, 1, 0);
    expectPoint(dots[1], 2, 0.5, 0);
  });

  it('has the colour of the theme, as a ghost the tint of its run', () => {
    for (const theme of ['light', 'dark'] as const)
      drawn([link], true, { theme }).colour.forEach((part, i) =>
        expect(part).toBeCloseTo(themeColours[theme].element.toArray()[i], 6));
    const tints = [1, 2].map((run) => drawn([link], true, { ghost: true }, transforms(), run).colour);
    expect(tints[0]).not.toEqual(tints[1]);
  });

  it('is not drawn at a damaged pose, and the others are', () => {
    const places = transforms().fill(0, 12);
    const { pieces, dots } = drawn([link, element('?', world(0, 0, 0), on(0, 1, 0, 0))], true, {}, places);
    expect([pieces.length, dots.length]).toEqual([1, 2]);
  });

  it('goes with hidden bodies, and stays with the body shown alone', () => {
    const list = [link, element('?', on(0, 0, 0, 0), on(1, 0, 0, 0))];
    expect(drawn(list, true, { hidden: new Set([0]) }).pieces).toHaveLength(1);
    expect(drawn(list, true, { hidden: new Set([1]) }).pieces).toHaveLength(0);
    expect(drawn(list, true, { solo: 0 }).pieces).toHaveLength(1);
    expect(drawn(list, true, { solo: 1 }).pieces).toHaveLength(2);
  });

  it('is drawn a thousand times, too', () => {
    const { pieces, dots } = drawn(Array.from({ length: 1000 }, () => link));
    expect([pieces.length, dots.length]).toEqual([1000, 2000]);
    expectPoint(pieces[999][1], 2, 0.5, 0);
  });
});
