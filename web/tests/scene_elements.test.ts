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

// Springs here lie along x.
function extent({ pieces }: Drawn): { from: Vector3; to: Vector3 } {
  const points = pieces.flat();
  return {
    from: points.reduce((least, point) => least.min(point), points[0].clone()),
    to: points.reduce((most, point) => most.max(point), points[0].clone()),
  };
}

const spring = (length: number, numbers: Record<string, number>): ElementJson =>
  element('spring', world(0, 0, 0), world(length, 0, 0), numbers);
const soft = { stiffness: 50, damping: 0, length: 0.5 };

// Places along x where the line crosses the axis.
function crossings({ pieces }: Drawn): number[] {
  return pieces.flatMap(([a, b]) =>
    a.y * b.y < 0 ? [a.x + ((b.x - a.x) * a.y) / (a.y - b.y)] : []);
}

describe.each([true, false])('a spring (in the plane: %s)', (planar) => {
  it('is one line from anchor to anchor', () => {
    const { pieces, dots } = drawn([spring(0.7, soft)], planar);
    expectPoint(pieces[0][0], 0, 0, 0);
    expectPoint(pieces.at(-1)![1], 0.7, 0, 0);
    for (let i = 1; i < pieces.length; ++i)
      expect(pieces[i][0].distanceTo(pieces[i - 1][1])).toBeLessThan(1e-6);
    expect(dots).toHaveLength(2);
  });

  it('keeps its windings and its width while their distance grows with it', () => {
    const lengths = [0.3, 0.5, 0.8];
    const springs = lengths.map((length) => drawn([spring(length, soft)], planar));
    const counts = springs.map(({ pieces }) => pieces.length);
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
    const widths = springs.map((one) => extent(one).to.sub(extent(one).from).y);
    for (const width of widths) expect(width).toBeCloseTo(widths[0], 6);
    expect(widths[0]).toBeGreaterThan(0.05);
    const pitches = springs.map((one) => crossings(one)).map((at) => (at.at(-1)! - at[0]) / at.length);
    expect(pitches[1]).toBeGreaterThan(1.4 * pitches[0]);
    expect(pitches[2]).toBeGreaterThan(1.4 * pitches[1]);
    expect(crossings(springs[0]).length).toBeGreaterThanOrEqual(7);
  });

  it('has straight ends', () => {
    for (const length of [0.1, 0.5, 2]) {
      const { pieces } = drawn([spring(length, soft)], planar);
      expect(pieces[0][1].x).toBeCloseTo(Math.min(0.05, 0.2 * length), 6);
      for (const piece of [pieces[0], pieces.at(-1)!])
        for (const point of piece) expect(Math.hypot(point.y, point.z)).toBeLessThan(1e-6);
    }
  });

  it('is not thicker than the bodies it holds, and not a hair either', () => {
    const between = element('spring', on(0, 0, 0, 0), on(1, 0, 0, 0), { ...soft, length: 2 });
    const { from, to } = extent(drawn([between], planar));
    expect(to.y - from.y).toBeLessThanOrEqual(2 * 0.1 + 1e-6);
    expect(to.y - from.y).toBeGreaterThan(0.05);
  });

  it('without stiffness is a damper, whose piston stays in its cup', () => {
    const damper = { stiffness: 0, damping: 3, length: 0.5 };
    for (const length of [0.05, 0.5, 5]) {
      const { pieces } = drawn([spring(length, damper)], planar);
      expectPoint(pieces[0][0], 0, 0, 0);
      const [rod] = pieces.filter(([a]) => Math.abs(a.x - length) < 1e-6);
      const walls = pieces.filter(([a, b]) => a.y > 0.01 && Math.abs(a.y - b.y) < 1e-6);
      const along = walls.flat().map(({ x }) => x);
      expect(rod[1].x).toBeGreaterThan(Math.min(...along));
      expect(rod[1].x).toBeLessThan(Math.max(...along));
    }
  });

  it('with damping has coil and damper', () => {
    const both = drawn([spring(0.5, { ...soft, damping: 3 })], planar);
    const coil = drawn([spring(0.5, soft)], planar);
    const damper = drawn([spring(0.5, { ...soft, stiffness: 0, damping: 3 })], planar);
    expect(both.pieces.length).toBeGreaterThanOrEqual(coil.pieces.length + damper.pieces.length);
  });

  it.each([
    ['without length', 0, soft],
    ['whose length without force is zero', 0.4, { ...soft, length: 0 }],
    ['of which both is true', 0, { stiffness: 1, damping: 1, length: 0 }],
    ['of a kilometre on a speck', 0.001, { stiffness: 1, damping: 1, length: 1000 }],
    ['without numbers', 0.4, {}],
    ['with senseless numbers', 0.4, { stiffness: -1, damping: -1, length: -1 }],
  ])('%s is drawn as well as it can be', (_what, length, numbers) => {
    const { pieces } = drawn([spring(length, numbers)], planar);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.length).toBeLessThan(1000);
    for (const point of pieces.flat()) expect(Number.isFinite(point.x + point.y + point.z)).toBe(true);
  });
});

describe('a spring in space', () => {
  it('is round: its windings are as far from its axis in every direction', () => {
    const { from, to } = extent(drawn([spring(0.5, soft)], false));
    const size = to.sub(from);
    expect(size.z / size.y).toBeGreaterThan(0.9);
    expect(size.z / size.y).toBeLessThan(1.1);
  });

  it('does not spin where it swings through the vertical', () => {
    const at = (x: number): Vector3[] => {
      const list = [element('spring', world(0, 0, 0), world(x, 0, -0.5), soft)];
      return drawn(list, false).pieces.flat();
    };
    const [left, right] = [at(-1e-3), at(1e-3)];
    left.forEach((point, i) => expect(point.distanceTo(right[i])).toBeLessThan(5e-3));
  });
});

describe('a spring in the plane', () => {
  it('stays in the plane', () => {
    const { from, to } = extent(drawn([spring(0.5, { ...soft, damping: 1 })], true));
    expect([from.z, to.z]).toEqual([0, 0]);
  });
});
