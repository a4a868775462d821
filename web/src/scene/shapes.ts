// SPDX-License-Identifier: Apache-2.0
// Reads the shapes of a recorded model: checks every number, and says which geometry draws a shape
// and by which affine map of the body frame. A shape that cannot be drawn is a message, no error.
import type { MeshJson, ModelJson } from '../data/types';
import * as geometry from './shape_geometry';
import type { Point, ShapeGeometry } from './shape_geometry';

// Beyond it a length is damage, not a size; squares of it still are float32 numbers.
export const largestLength = 1e15; // m

export interface PlacedShape {
  index: number; // in the model, as contact keys number shapes
  body: number;
  key: string; // shapes with the same key share their vertices
  flat: boolean; // in the plane z = 0 of its own frame
  make: (sides: number) => ShapeGeometry; // sides of round shapes
  local: Float64Array; // 12: columns of the 3x3 part, then the translation, into the body frame
  radius: number; // m: all of it is this close to the origin of the body frame
}

export interface UnboundedShape {
  index: number;
  body: number;
  kind: 'half-plane' | 'half-space';
  local: Float64Array; // 12, a rotation and a translation
}

export interface ModelShapes {
  shapes: PlacedShape[];
  unbounded: UnboundedShape[];
  problems: string[];
}

// Bounded shapes in their own frame, before the offset.
interface Solid {
  key: string;
  flat: boolean;
  make: (sides: number) => ShapeGeometry;
  linear: number[]; // columns of a 3x3 matrix, on the unit geometry
  shift: Point;
  radius: number; // about the shape's own origin
}

type Json = Record<string, unknown>;

function fail(text: string): never {
  throw new Error(text);
}

function length(json: Json, name: string): number {
  const value = json[name];
  if (typeof value !== 'number' || !(value >= 0 && value <= largestLength))
    fail(`${name} is not a length`);
  return value;
}

function point(value: unknown, size: number, name: string): number[] {
  if (!Array.isArray(value) || value.length !== size) fail(`${name} is not a point`);
  for (const x of value)
    if (typeof x !== 'number' || !(Math.abs(x) <= largestLength)) fail(`${name} is not finite`);
  return value as number[];
}

function points(json: Json, size: number, least: number): number[][] {
  const list = json['vertices'];
  if (!Array.isArray(list) || list.length < least) fail('vertices are missing');
  return list.map((value) => point(value, size, 'a vertex'));
}

function faces(json: Json, vertices: number): number[][] {
  const list = json['faces'];
  if (!Array.isArray(list) || list.length === 0) fail('faces are missing');
  for (const face of list) {
    if (!Array.isArray(face) || face.length < 3) fail('a face has fewer than three vertices');
    for (const i of face)
      if (!Number.isInteger(i) || i < 0 || i >= vertices) fail('a face names no vertex');
  }
  return list as number[][];
}

const scaling = (x: number, y: number, z: number): number[] => [x, 0, 0, 0, y, 0, 0, 0, z];
const origin: Point = [0, 0, 0];
const farthest = (list: number[][]): number =>
  list.reduce((far, v) => Math.max(far, Math.hypot(...v)), 0);

function circle(json: Json): Solid {
  const radius = length(json, 'radius');
  const linear = scaling(radius, radius, 1);
  return {
    key: 'disk',
    flat: true,
    make: (sides) => geometry.diskGeometry(sides),
    linear,
    shift: origin,
    radius,
  };
}

// Rectangles along the axes share one square, triangles one triangle: they are affine images.
function polygon(json: Json): Solid {
  const vertices = points(json, 2, 3) as [number, number][];
  const radius = farthest(vertices);
  const affine = affineKey(vertices);
  const [a, b, d] = affine ? [vertices[0], vertices[1], vertices[vertices.length - 1]] : [];
  if (!affine || !a || !b || !d) {
    const make = (): ShapeGeometry => geometry.polygonGeometry(vertices);
    const key = `polygon ${JSON.stringify(vertices)}`;
    return { key, flat: true, make, linear: scaling(1, 1, 1), shift: origin, radius };
  }
  const unit: [number, number][] = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ];
  if (affine === 'triangle') unit.splice(2, 1);
  const linear = [b[0] - a[0], b[1] - a[1], 0, d[0] - a[0], d[1] - a[1], 0, 0, 0, 1];
  const make = (): ShapeGeometry => geometry.polygonGeometry(unit);
  return { key: affine, flat: true, make, linear, shift: [a[0], a[1], 0], radius };
}

function affineKey(vertices: [number, number][]): 'triangle' | 'parallelogram' | null {
  if (vertices.length === 3) return 'triangle';
  if (vertices.length !== 4) return null;
  const [a, b, c, d] = vertices;
  const miss = Math.hypot(a[0] + c[0] - b[0] - d[0], a[1] + c[1] - b[1] - d[1]);
  return miss <= 1e-9 * Math.hypot(c[0] - a[0], c[1] - a[1]) ? 'parallelogram' : null;
}

// The unit vector `w` completed to a right-handed frame, w as its third axis.
function frameAbout(w: Point): { u: Point; v: Point } {
  const least = Math.abs(w[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const dot = least[0] * w[0] + least[1] * w[1];
  const raw = [least[0] - dot * w[0], least[1] - dot * w[1], -dot * w[2]];
  const size = Math.hypot(...raw);
  const u: Point = [raw[0] / size, raw[1] / size, raw[2] / size];
  const v: Point = [
    w[1] * u[2] - w[2] * u[1],
    w[2] * u[0] - w[0] * u[2],
    w[0] * u[1] - w[1] * u[0],
  ];
  return { u, v };
}

function capsule(json: Json, planar: boolean): Solid {
  const axis = point(json['half_axis'], 3, 'half_axis');
  const half = Math.hypot(...axis);
  const radius = Math.max(length(json, 'radius'), 1e-9 * half);
  const w = (half > 0
    ? axis.map((x) => x / half)
    : planar
      ? [1, 0, 0]
      : [0, 0, 1]) as never as Point;
  const ratio = radius > 0 ? half / radius : 0;
  const flat = planar && axis[2] === 0;
  const common = { flat, shift: origin, radius: half + radius };
  if (flat) {
    const linear = [w[0], w[1], 0, -w[1], w[0], 0, 0, 0, 1].map((x) => x * radius);
    const make = (sides: number): ShapeGeometry => geometry.stadiumGeometry(ratio, sides);
    return { ...common, key: `stadium ${ratio}`, make, linear };
  }
  const { u, v } = frameAbout(w);
  const linear = [...u, ...v, ...w].map((x) => x * radius);
  const make = (sides: number): ShapeGeometry => geometry.capsuleGeometry(ratio, sides);
  return { ...common, key: `capsule ${ratio}`, make, linear };
}

function sphere(json: Json): Solid {
  const radius = length(json, 'radius');
  const linear = scaling(radius, radius, radius);
  const make = geometry.sphereGeometry;
  return { key: 'sphere', flat: false, make, linear, shift: origin, radius };
}

function box(json: Json): Solid {
  const half = point(json['half_extents'], 3, 'half_extents');
  const linear = scaling(half[0], half[1], half[2]);
  const radius = Math.hypot(...half);
  return { key: 'box', flat: false, make: geometry.boxGeometry, linear, shift: origin, radius };
}

function cylinder(json: Json): Solid {
  const r = length(json, 'radius');
  const half = length(json, 'half_height');
  const linear = scaling(r, r, half);
  const make = geometry.cylinderGeometry;
  return { key: 'cylinder', flat: false, make, linear, shift: origin, radius: Math.hypot(r, half) };
}

function exponent(json: Json, name: string): number {
  const value = json[name];
  if (typeof value !== 'number' || !(value > 0 && value <= 2)) fail(`${name} is not an exponent`);
  return value;
}

function superquadric(json: Json): Solid {
  const axes = point(json['axes'], 3, 'axes');
  const e1 = exponent(json, 'e1');
  const e2 = exponent(json, 'e2');
  const make = (sides: number): ShapeGeometry => geometry.superquadricGeometry(e1, e2, sides);
  const linear = scaling(axes[0], axes[1], axes[2]);
  const key = `superquadric ${e1} ${e2}`;
  return { key, flat: false, make, linear, shift: origin, radius: Math.hypot(...axes) };
}

function polyhedron(json: Json): Solid {
  const vertices = points(json, 3, 4) as never as Point[];
  const sides = faces(json, vertices.length);
  const make = (): ShapeGeometry => geometry.polyhedronGeometry(vertices, sides);
  const key = `polyhedron ${JSON.stringify([vertices, sides])}`;
  const radius = farthest(vertices as never as number[][]);
  return { key, flat: false, make, linear: scaling(1, 1, 1), shift: origin, radius };
}

// `vertices` and `triangles` are those of the mesh that the shape names.
function mesh(json: Json): Solid {
  const vertices = points(json, 3, 3) as never as Point[];
  const sides = faces({ faces: json['triangles'] }, vertices.length);
  const make = (): ShapeGeometry => geometry.meshGeometry(vertices, sides);
  const radius = farthest(vertices as never as number[][]);
  // A number for the whole mesh rather than all of its text: meshes are long.
  const sum = vertices.reduce((s, v, i) => s + (i + 1) * (v[0] + 2 * v[1] + 3 * v[2]), 0);
  const key = `mesh ${vertices.length} ${sides.length} ${sum}`;
  return { key, flat: false, make, linear: scaling(1, 1, 1), shift: origin, radius };
}

const readers: Record<string, (json: Json, planar: boolean) => Solid> = {
  circle,
  polygon,
  superellipse: polygon, // by its outline
  implicit: polygon,
  capsule,
  sphere,
  box,
  cylinder,
  superquadric,
  polyhedron,
  mesh,
  'height-field': mesh,
};

// 12 numbers of a pose: columns of its rotation, then its position.
function readOffset(json: unknown): Float64Array {
  const pose = (json ?? {}) as Json;
  const position = point(pose['position'], 3, 'offset');
  const rotation = point(pose['rotation'], 4, 'offset');
  const size = Math.hypot(...rotation);
  if (!(size > 0)) fail('offset has no rotation');
  const [w, x, y, z] = rotation.map((value) => value / size);
  const columns = [
    1 - 2 * (y * y + z * z),
    2 * (x * y + w * z),
    2 * (x * z - w * y),
    2 * (x * y - w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z + w * x),
    2 * (x * z + w * y),
    2 * (y * z - w * x),
    1 - 2 * (x * x + y * y),
  ];
  return new Float64Array([...columns, ...position]);
}

// The map of the unit geometry into the body frame: offset ∘ (linear, shift).
function compose(offset: Float64Array, linear: number[], shift: Point): Float64Array {
  const out = new Float64Array(12);
  const columns = [...linear, ...shift];
  for (let column = 0; column < 4; ++column)
    for (let row = 0; row < 3; ++row)
      out[3 * column + row] =
        offset[row] * columns[3 * column] +
        offset[3 + row] * columns[3 * column + 1] +
        offset[6 + row] * columns[3 * column + 2] +
        (column === 3 ? offset[9 + row] : 0);
  return out;
}

function readShape(
  json: Json,
  index: number,
  planar: boolean,
  bodies: number,
  into: ModelShapes,
): void {
  const body = json['body'] as number;
  if (!Number.isInteger(body) || body < 0 || body >= bodies) fail('it belongs to no body');
  const kind = String(json['kind']);
  const offset = readOffset(json['offset']);
  if (kind === 'half-plane' || kind === 'half-space') {
    into.unbounded.push({ index, body, kind, local: offset });
    return;
  }
  if (!Object.hasOwn(readers, kind)) fail('this kind is not known here');
  const solid = readers[kind](json, planar);
  into.shapes.push({
    index,
    body,
    key: solid.key,
    flat: solid.flat,
    make: solid.make,
    local: compose(offset, solid.linear, solid.shift),
    radius: Math.hypot(offset[9], offset[10], offset[11]) + solid.radius,
  });
}

// A shape that names a mesh, with the triangles of it.
function withMesh(json: Json, meshes: readonly MeshJson[] | undefined): Json {
  if (!('mesh' in json)) return json;
  const named = Array.isArray(meshes) ? meshes[json['mesh'] as number] : undefined;
  if (!named) fail('it names no mesh');
  return { ...json, vertices: named.vertices, triangles: named.triangles };
}

export function readShapes(model: ModelJson): ModelShapes {
  const result: ModelShapes = { shapes: [], unbounded: [], problems: [] };
  const list: unknown = model.shapes;
  const bodies = Array.isArray(model.bodies) ? model.bodies.length : 0;
  if (!Array.isArray(list)) return { ...result, problems: ['The model has no list of shapes.'] };
  list.forEach((json: unknown, index) => {
    try {
      const shape = withMesh((json ?? {}) as Json, model.meshes);
      readShape(shape, index, model.world === 'planar', bodies, result);
    } catch (error) {
      const kind = String((json as Json | null)?.['kind']).slice(0, 40);
      const why = (error as Error).message;
      result.problems.push(`Shape ${index} (${kind}) is not drawn: ${why}.`);
    }
  });
  return result;
}
