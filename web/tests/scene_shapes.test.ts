// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import type { ModelJson } from '../src/data/types';
import * as geometry from '../src/scene/shape_geometry';
import type { ShapeGeometry } from '../src/scene/shape_geometry';
import { type PlacedShape, readShapes } from '../src/scene/shapes';

const identity = { position: [0, 0, 0], rotation: [1, 0, 0, 0] };

function model(shapes: unknown[], world: 'planar' | 'spatial' = 'spatial', bodies = 1): ModelJson {
  const body = {
    name: 'b',
    freedom: world,
    mass: 1,
    center: [0, 0, 0],
    velocity_offset: 0,
    velocity_size: 6,
  };
  return {
    world,
    gravity: [0, 0, 0],
    bodies: Array(bodies).fill(body),
    shapes,
  } as unknown as ModelJson;
}

function place(json: object, world: 'planar' | 'spatial' = 'spatial'): PlacedShape {
  const { shapes, problems } = readShapes(
    model([{ body: 0, material: 0, offset: identity, ...json }], world),
  );
  expect(problems).toEqual([]);
  return shapes[0];
}

// Vertices in the body frame.
function vertices({ local, make }: PlacedShape, sides = 48): number[][] {
  const { positions } = make(sides);
  return Array.from({ length: positions.length / 3 }, (_, i) =>
    [0, 1, 2].map(
      (row) =>
        local[row] * positions[3 * i] +
        local[3 + row] * positions[3 * i + 1] +
        local[6 + row] * positions[3 * i + 2] +
        local[9 + row],
    ),
  );
}

type Point = number[];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

// Triangles of an L: two boxes' worth of volume, which no hull of its corners has.
function prism(): { vertices: Point[]; triangles: number[][] } {
  const outline = [
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ];
  const points = [0, 1].flatMap((z) => outline.map(([x, y]) => [x, y, z]));
  const cap = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 5],
  ];
  const list = cap.flatMap(([a, b, c]) => [
    [a, c, b],
    [a + 6, b + 6, c + 6],
  ]);
  for (let i = 0; i < 6; ++i) {
    const j = (i + 1) % 6;
    list.push([i, j, j + 6], [i, j + 6, i + 6]);
  }
  return { vertices: points, triangles: list };
}

function triangles(shape: PlacedShape, sides = 48): Point[][] {
  const points = vertices(shape, sides);
  const { indices } = shape.make(sides);
  return Array.from({ length: indices.length / 3 }, (_, i) =>
    [0, 1, 2].map((k) => points[indices[3 * i + k]]),
  );
}

function area(shape: PlacedShape): number {
  return triangles(shape).reduce(
    (sum, [a, b, c]) => sum + 0.5 * cross(minus(b, a), minus(c, a))[2],
    0,
  );
}

// By the divergence theorem: right only if the surface is closed and every triangle faces outward.
function volume(shape: PlacedShape, sides = 48): number {
  return triangles(shape, sides).reduce((sum, [a, b, c]) => sum + dot(a, cross(b, c)) / 6, 0);
}

function extent(points: Point[], axis: number): [number, number] {
  const values = points.map((point) => point[axis]);
  return [Math.min(...values), Math.max(...values)];
}

// What a regular polygon with 48 sides lacks of a circle.
const roundShare = (48 / (2 * Math.PI)) * Math.sin((2 * Math.PI) / 48);

describe('planar shapes', () => {
  it('have the area of their numbers', () => {
    expect(area(place({ kind: 'circle', radius: 0.3 }, 'planar'))).toBeCloseTo(
      Math.PI * 0.09 * roundShare,
      7,
    );
    const capsule = place({ kind: 'capsule', half_axis: [0.3, 0.4, 0], radius: 0.1 }, 'planar');
    expect(area(capsule)).toBeCloseTo(Math.PI * 0.01 * roundShare + 0.2 * 1, 7);
  });

  it('are filled right when they are concave', () => {
    const cup = [
      [-3, -3],
      [-2, -3],
      [-2, 2],
      [2, 2],
      [2, -3],
      [3, -3],
      [3, 3],
      [-3, 3],
    ];
    const shape = place({ kind: 'polygon', vertices: cup }, 'planar');
    expect(area(shape)).toBeCloseTo(36 - 4 * 5, 6);
    for (const [a, b, c] of triangles(shape))
      expect(cross(minus(b, a), minus(c, a))[2]).toBeGreaterThan(0);
  });

  it('are filled the same way when they are written clockwise', () => {
    const { indices, positions } = geometry.polygonGeometry([
      [0, 0],
      [0, 2],
      [3, 2],
      [4, 1],
      [3, 0],
    ]);
    const at = (i: number): Point => [...positions.subarray(3 * i, 3 * i + 3)];
    let sum = 0;
    for (let t = 0; t < indices.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => at(indices[t + k]));
      sum += 0.5 * cross(minus(b, a), minus(c, a))[2];
    }
    expect(sum).toBeCloseTo(7, 6);
  });

  it('share one square when they are rectangles, one triangle when they are triangles', () => {
    const rectangle = (w: number, h: number): object => ({
      kind: 'polygon',
      vertices: [
        [-w, -h],
        [w, -h],
        [w, h],
        [-w, h],
      ],
    });
    const first = place(rectangle(0.1, 0.05), 'planar');
    const second = place(rectangle(2, 3), 'planar');
    expect(second.key).toBe(first.key);
    expect(area(first)).toBeCloseTo(0.02, 9);
    expect(area(second)).toBeCloseTo(24, 5);
    expect(extent(vertices(second), 0)).toEqual([-2, 2]);
    const triangle = place(
      {
        kind: 'polygon',
        vertices: [
          [1, 1],
          [4, 1],
          [1, 3],
        ],
      },
      'planar',
    );
    expect(area(triangle)).toBeCloseTo(3, 6);
    expect(extent(vertices(triangle), 1)).toEqual([1, 3]);
  });

  it('are outlined all round, and a circle has a spoke', () => {
    expect(geometry.diskGeometry(48).edges.length / 6).toBe(49);
    expect(
      geometry.polygonGeometry([
        [0, 0],
        [1, 0],
        [1, 2],
        [0.5, 0.5],
        [0, 1],
      ]).edges.length / 6,
    ).toBe(5);
  });
});

describe('solids', () => {
  it('have the volume of their numbers and face outward', () => {
    expect(volume(place({ kind: 'box', half_extents: [0.1, 0.2, 0.3] }))).toBeCloseTo(0.048, 9);
    const cylinder = place({ kind: 'cylinder', radius: 0.2, half_height: 0.5 });
    expect(volume(cylinder)).toBeCloseTo(Math.PI * 0.04 * roundShare, 7);
    const octahedron = place({
      kind: 'polyhedron',
      vertices: [
        [1, 0, 0],
        [-1, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
      ],
      faces: [
        [0, 2, 4],
        [0, 3, 5],
        [0, 4, 3],
        [0, 5, 2],
        [1, 2, 5],
        [1, 3, 4],
        [1, 4, 2],
        [1, 5, 3],
      ],
    });
    expect(volume(octahedron)).toBeCloseTo(4 / 3, 6);
    const pointed = place({ kind: 'superquadric', axes: [1, 1, 1], e1: 2, e2: 2 });
    expect(volume(pointed)).toBeCloseTo(4 / 3, 6);
    const block = place({ kind: 'superquadric', axes: [0.1, 0.2, 0.3], e1: 0.002, e2: 0.002 });
    expect(volume(block) / 0.048).toBeCloseTo(1, 1);
    expect(octahedron.make(8).edges.length / 6).toBe(12);
  });

  // Inscribed surfaces: the error goes with the square of the side.
  it.each([
    ['sphere', { kind: 'sphere', radius: 0.2 }, (4 / 3) * Math.PI * 0.008],
    [
      'capsule',
      { kind: 'capsule', half_axis: [0, 0.3, 0.4], radius: 0.2 },
      Math.PI * (0.04 + (4 / 3) * 0.008),
    ],
    [
      'ellipsoid',
      { kind: 'superquadric', axes: [0.1, 0.2, 0.3], e1: 1, e2: 1 },
      (4 / 3) * Math.PI * 0.006,
    ],
    [
      'superquadric',
      { kind: 'superquadric', axes: [0.1, 0.2, 0.3], e1: 0.5, e2: 0.5 },
      (8 * 0.006 * 0.9064024770554771 ** 3) / 0.9190625268488832, // Γ(5/4) and Γ(7/4)
    ],
  ])('converge to the %s as sides are added', (_, json, exact) => {
    const errors = [12, 24, 48].map((sides) => 1 - volume(place(json), sides) / exact);
    expect(errors[0] / errors[1]).toBeGreaterThan(3.5);
    expect(errors[1] / errors[2]).toBeGreaterThan(3.5);
    expect(errors[2]).toBeLessThan(0.01);
  });

  it('reach as far as their numbers say', () => {
    const capsule = place({ kind: 'capsule', half_axis: [0.5, 0, 0], radius: 0.1 });
    expect(extent(vertices(capsule), 0)[1]).toBeCloseTo(0.6, 6);
    expect(extent(vertices(capsule), 2)[1]).toBeCloseTo(0.1, 6);
    expect(capsule.radius).toBeCloseTo(0.6, 9);
    expect(place({ kind: 'box', half_extents: [1, 2, 2] }).radius).toBe(3);
  });

  it('stand where their offset puts them', () => {
    const half = Math.SQRT1_2; // a quarter turn about z: x goes to y
    const offset = { position: [1, 2, 3], rotation: [half, 0, 0, half] };
    const box = place({ kind: 'box', half_extents: [0.5, 0.1, 0.2], offset });
    const points = vertices(box);
    expect(extent(points, 0)[0]).toBeCloseTo(0.9, 9);
    expect(extent(points, 1)[1]).toBeCloseTo(2.5, 9);
    expect(extent(points, 2)[1]).toBeCloseTo(3.2, 9);
  });

  it('have unit normals that point outward', () => {
    const check = ({ positions, normals }: ShapeGeometry): void => {
      for (let i = 0; i < positions.length; i += 3) {
        const n = [...normals.subarray(i, i + 3)];
        expect(Math.hypot(...n)).toBeCloseTo(1, 5);
        expect(dot(n, [...positions.subarray(i, i + 3)])).toBeGreaterThan(0);
      }
    };
    check(geometry.sphereGeometry(16));
    check(geometry.boxGeometry());
    check(geometry.capsuleGeometry(2, 16));
    check(geometry.cylinderGeometry(16));
    for (const e of [0.002, 0.3, 1, 1.7, 2]) check(geometry.superquadricGeometry(e, e, 16));
  });

  it('that are round have two tones, so that one sees them turn', () => {
    for (const { tones } of [
      geometry.sphereGeometry(16),
      geometry.cylinderGeometry(16),
      geometry.capsuleGeometry(1, 16),
      geometry.superquadricGeometry(0.5, 1, 16),
    ])
      expect(new Set(tones).size).toBe(2);
  });
});

describe('a mesh', () => {
  const shape = { kind: 'mesh', body: 0, offset: identity, mesh: 0 };
  const named = (extra: object): ModelJson =>
    ({ ...model([{ ...shape, ...extra }]), meshes: [prism()] }) as unknown as ModelJson;

  it('is drawn by the triangles that its shape names, also where it is not convex', () => {
    const { shapes, problems } = readShapes(named({}));
    expect(problems).toEqual([]);
    const volume = triangles(shapes[0]).reduce((sum, [a, b, c]) => sum + dot(a, cross(b, c)) / 6, 0);
    expect(volume).toBeCloseTo(3, 12);
    expect(shapes[0].radius).toBeCloseTo(Math.hypot(2, 1, 1), 12);
  });

  it('has lines at its edges and none within its faces', () => {
    const { edges } = geometry.meshGeometry(prism().vertices as never, prism().triangles);
    expect(edges.length / 6).toBe(18);
  });

  it('shows the border of an open one', () => {
    const { vertices, triangles: list } = prism();
    const { edges } = geometry.meshGeometry(vertices as never, list.slice(0, 1));
    expect(edges.length / 6).toBe(3);
  });

  it('that is not there is told', () => {
    expect(readShapes(named({ mesh: 3 })).problems).toHaveLength(1);
  });
});

describe('damaged shapes', () => {
  const good = { kind: 'sphere', body: 0, offset: identity, radius: 1 };
  const bad: [string, unknown][] = [
    ['of an unknown kind', { ...good, kind: 'teapot' }],
    ['named like a property of every object', { ...good, kind: 'constructor' }],
    ['with a radius that is no number', { ...good, radius: null }],
    ['with a huge radius', { ...good, radius: 1e300 }],
    ['with a negative radius', { ...good, radius: -1 }],
    ['of no body', { ...good, body: 7 }],
    ['without an offset', { ...good, offset: undefined }],
    [
      'with an offset that does not turn',
      { ...good, offset: { position: [0, 0, 0], rotation: [0, 0, 0, 0] } },
    ],
    [
      'with a polygon of two vertices',
      {
        ...good,
        kind: 'polygon',
        vertices: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    [
      'with a face of vertices that are not there',
      {
        ...good,
        kind: 'polyhedron',
        vertices: [
          [0, 0, 0],
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        faces: [[0, 1, 9]],
      },
    ],
    ['that are null', null],
  ];

  it.each(bad)('%s are left out and told, others stay', (_, json) => {
    const { shapes, problems } = readShapes(model([good, json, good]));
    expect(shapes.map(({ index }) => index)).toEqual([0, 2]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^Shape 1 \(.*\) is not drawn: .+\.$/);
  });

  it('do not keep a model without a list of shapes from being read', () => {
    expect(readShapes({ ...model([]), shapes: undefined } as never).problems).toHaveLength(1);
  });
});
