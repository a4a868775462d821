// SPDX-License-Identifier: Apache-2.0
// Surfaces that run over their shapes: which way they have gone at a time, on which faces, and where
// the marks are that move along with them.
import type { ShapeJson, Vector3 as Triple } from '../data/types';
import { largestLength } from './shapes';

export interface Running {
  way: Triple; // gone since 0 s, in the shape's axes, m
  velocity: Triple; // m/s
}

// A flat piece of a surface, in the shape's axes. In the plane it has two corners.
export interface Face {
  corners: Triple[];
  normal: Triple; // outwards, of length 1
  depth?: number; // m, in the plane: of the body behind it
}

// A mark: an arrow head that points the way the surface runs. Three points, the middle one in front.
export type Mark = [Triple, Triple, Triple];

const add = (a: Triple, b: Triple, s = 1): Triple => [
  a[0] + s * b[0],
  a[1] + s * b[1],
  a[2] + s * b[2],
];
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const scaled = (a: Triple, s: number): Triple => [s * a[0], s * a[1], s * a[2]];

function isTriple(value: unknown): value is Triple {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    value.every((x) => typeof x === 'number' && Math.abs(x) <= largestLength)
  );
}

// Null where nothing runs, or what is recorded of it is damaged.
export function runningAt(shape: ShapeJson, time: number): Running | null {
  const way = shape.surface_way as unknown as { step?: unknown; points?: unknown } | undefined;
  if (!way || !Array.isArray(way.points) || way.points.length < 2) return null;
  const { step, points } = way as { step: unknown; points: unknown[] };
  if (typeof step !== 'number' || !(step > 0) || !Number.isFinite(time)) return null;
  const last = points.length - 2;
  const i = Math.min(Math.max(Math.floor(time / step), 0), last);
  const [from, to] = [points[i], points[i + 1]];
  if (!isTriple(from) || !isTriple(to)) return null;
  const velocity = scaled(add(to, from, -1), 1 / step);
  return { way: add(from, velocity, time - i * step), velocity };
}

// The corners of a closed line in the plane, in either sense.
function edges(corners: readonly (readonly [number, number])[]): Face[] {
  const n = corners.length;
  const area = corners.reduce((sum, [x, y], i) => {
    const [u, v] = corners[(i + 1) % n];
    return sum + x * v - y * u;
  }, 0);
  return corners.flatMap(([x, y], i) => {
    const [u, v] = corners[(i + 1) % n];
    const size = Math.hypot(u - x, v - y);
    if (!(size > 0)) return [];
    const side = area < 0 ? -1 : 1;
    const normal: Triple = [(side * (v - y)) / size, (-side * (u - x)) / size, 0];
    const behind = corners.map(([p, q]) => (x - p) * normal[0] + (y - q) * normal[1]);
    const depth = behind.reduce((most, one) => Math.max(most, one), 0);
    return [{ corners: [[x, y, 0] as Triple, [u, v, 0] as Triple], normal, depth }];
  });
}

const roundSides = 32;
const turn = (i: number, n: number): [number, number] => [
  Math.cos((2 * Math.PI * i) / n),
  Math.sin((2 * Math.PI * i) / n),
];
const round = (radius: number): [number, number][] =>
  Array.from({ length: roundSides }, (_, i) => {
    const [c, s] = turn(i, roundSides);
    return [radius * c, radius * s];
  });

function flatFace(corners: Triple[]): Face | null {
  const raw = cross(add(corners[1], corners[0], -1), add(corners[2], corners[0], -1));
  const size = Math.hypot(...raw);
  return size > 0 ? { corners, normal: scaled(raw, 1 / size) } : null;
}

function boxFaces([a, b, c]: Triple): Face[] {
  const sizes = [a, b, c];
  return [0, 1, 2].flatMap((axis) =>
    [-1, 1].map((side) => {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const corners = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ].map(([p, q]) => {
        const corner: Triple = [0, 0, 0];
        corner[axis] = side * sizes[axis];
        corner[u] = p * sizes[u];
        corner[v] = q * sizes[v];
        return corner;
      });
      const normal: Triple = [0, 0, 0];
      normal[axis] = side;
      return { corners, normal };
    }),
  );
}

// Bands about z between (radius, height) pairs from below to above.
function bands(profile: readonly [number, number][]): Face[] {
  const faces: Face[] = [];
  for (let k = 0; k + 1 < profile.length; ++k)
    for (let i = 0; i < roundSides; ++i) {
      const at = ([radius, height]: readonly [number, number], j: number): Triple => {
        const [c, s] = turn(j, roundSides);
        return [radius * c, radius * s, height];
      };
      const corners = [
        at(profile[k], i),
        at(profile[k], i + 1),
        at(profile[k + 1], i + 1),
        at(profile[k + 1], i),
      ].filter((p, j, all) => Math.hypot(...add(p, all[(j + 1) % all.length], -1)) > 1e-12);
      const face = corners.length >= 3 ? flatFace(corners) : null;
      if (face) faces.push(face);
    }
  return faces;
}

// `reach`: how far what has no end is marked about its origin, m.
export function beltFaces(shape: ShapeJson, reach: number): Face[] {
  switch (shape.kind) {
    case 'circle':
      return edges(round(shape.radius));
    case 'polygon':
    case 'superellipse':
    case 'implicit':
      return edges(shape.vertices);
    case 'half-plane':
      return [
        {
          corners: [
            [-reach, 0, 0],
            [reach, 0, 0],
          ],
          normal: [0, 1, 0],
        },
      ];
    case 'half-space':
      return [{ corners: boxFaces([reach, reach, 0])[5].corners, normal: [0, 0, 1] }];
    case 'box':
      return boxFaces(shape.half_extents);
    case 'cylinder': {
      const { radius, half_height: h } = shape;
      const rim = round(radius);
      const cap = (side: number): Face => ({
        corners: rim.map(([x, y]): Triple => [x, y, side * h]),
        normal: [0, 0, side],
      });
      return [
        cap(-1),
        cap(1),
        ...bands([
          [radius, -h],
          [radius, h],
        ]),
      ];
    }
    case 'sphere':
      return bands(
        Array.from({ length: 13 }, (_, i): [number, number] => {
          const [c, s] = turn(i - 6, 24);
          return [i % 12 === 0 ? 0 : shape.radius * c, shape.radius * s];
        }),
      );
    case 'polyhedron':
      return shape.faces.flatMap((face) => {
        const flat = flatFace(face.map((i) => shape.vertices[i]));
        return flat ? [flat] : [];
      });
    default:
      return [];
  }
}

// How far the corners of a face go along a direction.
function span(face: Face, d: Triple): [number, number] {
  const at = face.corners.map((p) => dot(p, d));
  return [Math.min(...at), Math.max(...at)];
}

// Where the face crosses the plane p·d = at, along c.
function crossing(face: Face, d: Triple, at: number, c: Triple): [number, number] | null {
  const { corners } = face;
  let low = Infinity;
  let high = -Infinity;
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % corners.length];
    const [a, b] = [dot(p, d) - at, dot(q, d) - at];
    if (a * b > 0 || a === b) return;
    const place = dot(add(p, add(q, p, -1), a / (a - b)), c);
    low = Math.min(low, place);
    high = Math.max(high, place);
  });
  return low <= high ? [low, high] : null;
}

// The marks of a face, `spacing` m apart along the way; they are where the way has carried those
// that were at the multiples of it at 0 s.
export function beltMarks(face: Face, running: Running, spacing: number, planar: boolean): Mark[] {
  const { normal } = face;
  const along = add(running.velocity, normal, -dot(running.velocity, normal));
  const speed = Math.hypot(...along);
  if (!(speed > 1e-9 * Math.hypot(...running.velocity))) return [];
  const ahead = scaled(along, 1 / speed);
  const aside = planar ? normal : cross(normal, ahead);
  const [low, high] = span(face, ahead);
  const gone = dot(running.way, ahead);
  const marks: Mark[] = [];
  const head = (middle: Triple, size: number): void => {
    const back = add(middle, ahead, -size);
    marks.push([add(back, aside, size), middle, add(back, aside, -size)]);
  };
  const first = Math.ceil((low + 0.25 * spacing - gone) / spacing); // none begins before the face
  for (let k = first; gone + k * spacing <= high; ++k) {
    const at = gone + k * spacing;
    if (planar) {
      // Within the body, beside its edge.
      const size = 0.2 * Math.min(spacing, face.depth ?? spacing);
      const foot = add(face.corners[0], ahead, at - dot(face.corners[0], ahead));
      head(add(foot, normal, -1.5 * size), size);
      continue;
    }
    const range = crossing(face, ahead, at, aside);
    if (!range) continue;
    const width = range[1] - range[0];
    const count = Math.max(1, Math.floor(width / (1.5 * spacing)));
    const size = Math.min(0.25 * spacing, (0.4 * width) / count);
    if (size < 0.02 * spacing) continue;
    for (let i = 0; i < count; ++i) {
      const place = range[0] + ((i + 0.5) * width) / count;
      const height = dot(face.corners[0], normal);
      head(add(add(scaled(ahead, at), aside, place), normal, height), size);
    }
  }
  return marks;
}

// m between marks: some ten along the box about all faces.
export function markSpacing(faces: readonly Face[]): number {
  const low: Triple = [Infinity, Infinity, Infinity];
  const high: Triple = [-Infinity, -Infinity, -Infinity];
  for (const { corners } of faces)
    for (const p of corners)
      for (const k of [0, 1, 2]) {
        low[k] = Math.min(low[k], p[k]);
        high[k] = Math.max(high[k], p[k]);
      }
  return Math.max(...add(high, low, -1)) / 10;
}
