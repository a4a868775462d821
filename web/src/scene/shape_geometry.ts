// SPDX-License-Identifier: Apache-2.0
// Vertices of shapes: triangles to fill, segments to outline, no graphics calls. Solids that differ
// only by scale share one unit geometry; the scale is part of the instance matrix. `tones` darken
// parts of round surfaces, so that one sees them turn.
import { ShapeUtils, Vector2 } from 'three';

export interface ShapeGeometry {
  positions: Float32Array; // 3 a vertex
  normals: Float32Array; // 3 a vertex, outward unit
  tones: Float32Array; // 1 a vertex: factor on the body's colour
  indices: Uint32Array; // 3 a triangle, counter-clockwise seen from outside
  edges: Float32Array; // 6 a segment
}

export type Point = readonly [number, number, number];

const darkTone = 0.78;

// Collects triangles with a normal and a tone for each vertex.
class Builder {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly tones: number[] = [];
  private readonly indices: number[] = [];
  private readonly edges: number[] = [];

  vertex(position: Point, normal: Point, tone = 1): number {
    this.positions.push(...position);
    this.normals.push(...normal);
    this.tones.push(tone);
    return this.tones.length - 1;
  }

  triangle(a: number, b: number, c: number): void {
    this.indices.push(a, b, c);
  }

  edge(a: Point, b: Point): void {
    this.edges.push(...a, ...b);
  }

  // A loop of segments through `points`.
  loop(points: readonly Point[]): void {
    points.forEach((point, i) => this.edge(point, points[(i + 1) % points.length]));
  }

  // A convex flat face, counter-clockwise about its normal.
  face(points: readonly Point[], normal: Point, tone = 1): void {
    const first = points.map((point) => this.vertex(point, normal, tone))[0];
    for (let i = 1; i + 1 < points.length; ++i) this.triangle(first, first + i, first + i + 1);
  }

  finish(): ShapeGeometry {
    return {
      positions: new Float32Array(this.positions),
      normals: new Float32Array(this.normals),
      tones: new Float32Array(this.tones),
      indices: new Uint32Array(this.indices),
      edges: new Float32Array(this.edges),
    };
  }
}

const up: Point = [0, 0, 1];
const down: Point = [0, 0, -1];

function onCircle(angle: number, radius = 1, z = 0): Point {
  return [radius * Math.cos(angle), radius * Math.sin(angle), z];
}

function circlePoints(sides: number, z = 0): Point[] {
  return Array.from({ length: sides }, (_, i) => onCircle((2 * Math.PI * i) / sides, 1, z));
}

// Quarters of a turn alternate in tone.
function quarterTone(turn: number): number {
  return Math.floor(4 * turn) % 2 === 0 ? 1 : darkTone;
}

// Unit disk in z = 0 with its outline and, to see it turn, one spoke along x.
export function diskGeometry(sides: number, spoke = true): ShapeGeometry {
  const builder = new Builder();
  const rim = circlePoints(sides);
  builder.face(rim, up);
  builder.loop(rim);
  if (spoke) builder.edge([0, 0, 0], rim[0]);
  return builder.finish();
}

// A flat arrow three quarters around z along a circle of radius 1, by the right hand.
export function arcGeometry(sides: number): ShapeGeometry {
  const builder = new Builder();
  const end = 1.5 * Math.PI;
  const at = (radius: number, angle: number): Point =>
    [radius * Math.cos(angle), radius * Math.sin(angle), 0];
  const [inner, outer] = [0.9, 1.1];
  for (let i = 0; i < sides; ++i) {
    const [from, to] = [(end * i) / sides, (end * (i + 1)) / sides];
    builder.face([at(inner, from), at(outer, from), at(outer, to), at(inner, to)], up);
    builder.edge(at(inner, from), at(inner, to));
    builder.edge(at(outer, from), at(outer, to));
  }
  builder.edge(at(inner, 0), at(outer, 0));
  const head = [at(0.7, end), at(1.3, end), at(1, end + 0.5)];
  builder.face(head, up);
  builder.loop(head);
  return builder.finish();
}

// Simple polygon in z = 0, counter-clockwise or not, convex or not.
export function polygonGeometry(vertices: readonly (readonly [number, number])[]): ShapeGeometry {
  const builder = new Builder();
  const contour = vertices.map(([x, y]) => new Vector2(x, y));
  if (ShapeUtils.isClockWise(contour)) contour.reverse();
  for (const { x, y } of contour) builder.vertex([x, y, 0], up);
  for (const [a, b, c] of ShapeUtils.triangulateShape(contour, [])) builder.triangle(a, b, c);
  builder.loop(contour.map(({ x, y }): Point => [x, y, 0]));
  return builder.finish();
}

// Points within 1 of the segment from (−half, 0) to (half, 0), in z = 0.
export function stadiumGeometry(half: number, sides: number): ShapeGeometry {
  const builder = new Builder();
  const outline: Point[] = [];
  for (const side of [1, -1])
    for (let i = 0; i <= sides / 2; ++i) {
      const angle = (side > 0 ? -0.5 : 0.5) * Math.PI + (2 * Math.PI * i) / sides;
      outline.push([side * half + Math.cos(angle), Math.sin(angle), 0]);
    }
  builder.face(outline, up);
  builder.loop(outline);
  builder.edge([0, 0, 0], [half, 0, 0]);
  return builder.finish();
}

// The cube from −1 to 1.
export function boxGeometry(): ShapeGeometry {
  const corner = (i: number): Point => [i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1];
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  return polyhedronGeometry(
    Array.from({ length: 8 }, (_, i) => corner(i)),
    faces,
  );
}

function subtract(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

// Newell's normal: right for any flat loop; zero length for a degenerate one.
export function faceNormal(points: readonly Point[]): Point {
  const sum = [0, 0, 0];
  points.forEach((a, i) => {
    const b = points[(i + 1) % points.length];
    sum[0] += (a[1] - b[1]) * (a[2] + b[2]);
    sum[1] += (a[2] - b[2]) * (a[0] + b[0]);
    sum[2] += (a[0] - b[0]) * (a[1] + b[1]);
  });
  const length = Math.hypot(sum[0], sum[1], sum[2]);
  return length > 0 ? [sum[0] / length, sum[1] / length, sum[2] / length] : [0, 0, 0];
}

// Convex polyhedron. A face that winds the wrong way round is turned.
export function polyhedronGeometry(
  vertices: readonly Point[],
  faces: readonly (readonly number[])[],
): ShapeGeometry {
  const builder = new Builder();
  const centre = [0, 1, 2].map((k) => vertices.reduce((sum, v) => sum + v[k], 0) / vertices.length);
  const drawn = new Set<string>();
  for (const face of faces) {
    let points = face.map((i) => vertices[i]);
    let normal = faceNormal(points);
    const away = subtract(points[0], centre as unknown as Point);
    if (normal[0] * away[0] + normal[1] * away[1] + normal[2] * away[2] < 0) {
      points = points.slice().reverse();
      normal = [-normal[0], -normal[1], -normal[2]];
    }
    builder.face(points, normal);
    face.forEach((tail, i) => {
      const head = face[(i + 1) % face.length];
      const name = tail < head ? `${tail} ${head}` : `${head} ${tail}`;
      if (drawn.has(name)) return;
      drawn.add(name);
      builder.edge(vertices[tail], vertices[head]);
    });
  }
  return builder.finish();
}

// Any surface of triangles, each with its own normal. Lines are drawn where it bends by more than
// 20° and at borders: the inner edges of faces and fine round parts stay quiet.
const bendCosine = Math.cos((20 * Math.PI) / 180);

export function meshGeometry(
  vertices: readonly Point[],
  triangles: readonly (readonly number[])[],
): ShapeGeometry {
  const builder = new Builder();
  const waiting = new Map<string, { normal: Point; tail: number; head: number }>();
  for (const triangle of triangles) {
    const points = triangle.map((i) => vertices[i]);
    const normal = faceNormal(points);
    builder.face(points, normal);
    triangle.forEach((tail, i) => {
      const head = triangle[(i + 1) % triangle.length];
      const name = tail < head ? `${tail} ${head}` : `${head} ${tail}`;
      const other = waiting.get(name);
      if (!other) {
        waiting.set(name, { normal, tail, head });
        return;
      }
      waiting.delete(name);
      const m = other.normal;
      if (normal[0] * m[0] + normal[1] * m[1] + normal[2] * m[2] < bendCosine)
        builder.edge(vertices[tail], vertices[head]);
    });
  }
  for (const { tail, head } of waiting.values()) builder.edge(vertices[tail], vertices[head]);
  return builder.finish();
}

// A strip of a surface of revolution about z, between two rings: quads with a tone by quarter turn.
interface Ring {
  radius: number;
  z: number;
  normal: readonly [radial: number, axial: number];
}

function revolve(builder: Builder, lower: Ring, upper: Ring, sides: number, shift: number): void {
  for (let i = 0; i < sides; ++i) {
    const tone = quarterTone((i + 0.5) / sides + shift);
    const corners = [
      [lower, i],
      [lower, i + 1],
      [upper, i + 1],
      [upper, i],
    ] as const;
    const [a, b, c, d] = corners.map(([ring, k]) => {
      const angle = (2 * Math.PI * k) / sides;
      return builder.vertex(
        onCircle(angle, ring.radius, ring.z),
        onCircle(angle, ring.normal[0], ring.normal[1]),
        tone,
      );
    });
    if (lower.radius > 0) builder.triangle(a, b, c);
    if (upper.radius > 0) builder.triangle(a, c, d);
  }
}

function sphereRing(latitude: number, centre = 0): Ring {
  const pole = Math.abs(Math.abs(latitude) - Math.PI / 2) < 1e-9;
  const radial = pole ? 0 : Math.cos(latitude);
  return {
    radius: radial,
    z: centre + Math.sin(latitude),
    normal: [radial, Math.sin(latitude)],
  };
}

// Unit sphere whose octants alternate in tone. `sides` is a multiple of 4.
export function sphereGeometry(sides: number): ShapeGeometry {
  const builder = new Builder();
  const bands = sides / 2;
  for (let i = 0; i < bands; ++i) {
    const from = sphereRing(Math.PI * (i / bands - 0.5));
    const to = sphereRing(Math.PI * ((i + 1) / bands - 0.5));
    revolve(builder, from, to, sides, i < bands / 2 ? 0 : 0.25);
  }
  return builder.finish();
}

function signedPower(base: number, power: number): number {
  return Math.abs(base) < 1e-9 ? 0 : Math.sign(base) * Math.abs(base) ** power;
}

// (|x|^(2/e2) + |y|^(2/e2))^(e2/e1) + |z|^(2/e1) <= 1, its octants alternate in tone. `sides` is a
// multiple of 4. Steps of the angles crowd where the surface bends.
export function superquadricGeometry(e1: number, e2: number, sides: number): ShapeGeometry {
  const builder = new Builder();
  const bands = sides / 2;
  const on = (i: number, j: number, p1: number, p2: number): Point => {
    const up = Math.PI * (i / bands - 0.5);
    const around = (2 * Math.PI * j) / sides;
    const ring = signedPower(Math.cos(up), p1);
    return [
      ring * signedPower(Math.cos(around), p2),
      ring * signedPower(Math.sin(around), p2),
      signedPower(Math.sin(up), p1),
    ];
  };
  for (let i = 0; i < bands; ++i)
    for (let j = 0; j < sides; ++j) {
      const tone = quarterTone((j + 0.5) / sides + (i < bands / 2 ? 0 : 0.25));
      const quad = [
        [i, j],
        [i, j + 1],
        [i + 1, j + 1],
        [i + 1, j],
      ];
      const flat = faceNormal(quad.map(([k, l]) => on(k, l, e1, e2)));
      const [a, b, c, d] = quad.map(([k, l]) => {
        // A normal of the surface; where it has none, that of the patch.
        const normal = on(k, l, 2 - e1, 2 - e2);
        const size = Math.hypot(...normal);
        const unit = normal.map((x) => x / size) as never as Point;
        return builder.vertex(on(k, l, e1, e2), size > 0 && e1 < 2 && e2 < 2 ? unit : flat, tone);
      });
      if (i > 0) builder.triangle(a, b, c);
      if (i + 1 < bands) builder.triangle(a, c, d);
    }
  return builder.finish();
}

// Cylinder of radius 1 from z = −1 to 1; rims and a spoke on each end are outlined.
export function cylinderGeometry(sides: number): ShapeGeometry {
  const builder = new Builder();
  revolve(
    builder,
    { radius: 1, z: -1, normal: [1, 0] },
    { radius: 1, z: 1, normal: [1, 0] },
    sides,
    0,
  );
  for (const end of [1, -1]) {
    const rim = circlePoints(sides, end);
    builder.face(end > 0 ? rim : rim.slice().reverse(), end > 0 ? up : down);
    builder.loop(rim);
    builder.edge([0, 0, end], rim[0]);
  }
  return builder.finish();
}

// Points within 1 of the segment from z = −half to half. The axis is a segment too: it is hidden
// inside, and keeps a capsule visible that is thinner than a pixel.
export function capsuleGeometry(half: number, sides: number): ShapeGeometry {
  const builder = new Builder();
  const bands = sides / 4;
  for (let i = 0; i < bands; ++i) {
    const low = -0.5 * Math.PI + (0.5 * Math.PI * i) / bands;
    const step = (0.5 * Math.PI) / bands;
    revolve(builder, sphereRing(low, -half), sphereRing(low + step, -half), sides, 0);
    revolve(builder, sphereRing(-low - step, half), sphereRing(-low, half), sides, 0);
  }
  revolve(builder, sphereRing(0, -half), sphereRing(0, half), sides, 0);
  builder.edge([0, 0, -half], [0, 0, half]);
  return builder.finish();
}

// The axes of a frame from −1 to 1, an arrow head on x; no area.
export function crossGeometry(): ShapeGeometry {
  const builder = new Builder();
  builder.edge([-1, 0, 0], [1, 0, 0]);
  builder.edge([0, -1, 0], [0, 1, 0]);
  builder.edge([0, 0, -1], [0, 0, 1]);
  builder.edge([0.8, 0.12, 0], [1, 0, 0]);
  builder.edge([0.8, -0.12, 0], [1, 0, 0]);
  return builder.finish();
}

// Friction cone: apex in the origin, base of radius 1 in z = 1; rim and four sides outlined.
export function coneGeometry(sides: number): ShapeGeometry {
  const builder = new Builder();
  revolve(
    builder,
    { radius: 0, z: 0, normal: [Math.SQRT1_2, -Math.SQRT1_2] },
    { radius: 1, z: 1, normal: [Math.SQRT1_2, -Math.SQRT1_2] },
    sides,
    0,
  );
  builder.loop(circlePoints(sides, 1));
  for (let i = 0; i < 4; ++i) builder.edge([0, 0, 0], onCircle((Math.PI * i) / 2, 1, 1));
  return builder.finish();
}

// The same in the plane: a triangle in x-z, its sides outlined.
export function wedgeGeometry(): ShapeGeometry {
  const builder = new Builder();
  builder.face(
    [
      [0, 0, 0],
      [1, 0, 1],
      [-1, 0, 1],
    ],
    [0, -1, 0],
  );
  builder.edge([0, 0, 0], [1, 0, 1]);
  builder.edge([0, 0, 0], [-1, 0, 1]);
  return builder.finish();
}
