// SPDX-License-Identifier: Apache-2.0
// What lies under the pointer: contacts first, then bodies, then edges and lines close by. All in
// CSS pixels of one viewport; done on the processor, nothing is drawn.
import { type Camera, Matrix4, Ray, Raycaster, Vector2, Vector3 } from 'three';

import type { BodyBatch } from './batch';
import type { Viewport } from './cameras';
import type { ContactDrawing } from './contact_drawing';
import type { RunDrawing } from './run_drawing';
import type { ShapeGeometry } from './shape_geometry';

export interface Pointer {
  x: number; // from −1 to 1 across the viewport
  y: number;
  viewport: Viewport;
  camera: Camera;
}

const pointTolerance = 8; // pixels
const edgeTolerance = 4;
const hatchDepth = 12; // pixels below a half-plane's line

const viewProjection = new Matrix4();
const instance = new Matrix4();
const projected = new Vector3();
const other = new Vector3();
const raycaster = new Raycaster();
const pointerAt = new Vector2();
const inverse = new Matrix4();
const ray = new Ray();
const corners = [new Vector3(), new Vector3(), new Vector3()] as const;
const hit = new Vector3();

function prepare({ camera }: Pointer): void {
  viewProjection.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
}

// Pixels between the pointer and a point that is already projected.
function pixelsTo({ x, y, viewport }: Pointer, point: Vector3): number {
  return Math.hypot(0.5 * viewport.width * (point.x - x), 0.5 * viewport.height * (point.y - y));
}

// Row in the frame of the closest drawn contact, or −1.
export function pickContact(contacts: ContactDrawing, pointer: Pointer): number {
  const found = closestPoint(contacts.points, contacts.count, pointer);
  return found < 0 ? -1 : contacts.rows[found];
}

// The closest joint that is drawn, or −1.
export function pickJoint({ joints }: RunDrawing, pointer: Pointer): number {
  return joints ? closestPoint(joints.points, joints.points.length / 3, pointer) : -1;
}

function closestPoint(points: Float32Array, count: number, pointer: Pointer): number {
  prepare(pointer);
  let best = pointTolerance;
  let found = -1;
  for (let i = 0; i < count; ++i) {
    projected.fromArray(points, 3 * i).applyMatrix4(viewProjection);
    const distance = Math.abs(projected.z) <= 1 ? pixelsTo(pointer, projected) : Infinity;
    if (!(distance < best)) continue;
    best = distance;
    found = i;
  }
  return found;
}

export interface BodyHit {
  body: number;
  distance: number; // along the ray, m
}

interface Search {
  pointer: Pointer;
  direct: BodyHit | null; // the ray meets it
  close: { body: number; pixels: number } | null; // an edge is near
}

// The body under the pointer, or one whose edge is close, or whose half-plane's line is.
export function pickBody(drawing: RunDrawing, pointer: Pointer): BodyHit | null {
  prepare(pointer);
  raycaster.setFromCamera(pointerAt.set(pointer.x, pointer.y), pointer.camera);
  const search: Search = { pointer, direct: null, close: null };
  for (const batch of drawing.batches)
    for (let i = 0; i < batch.instances.count; ++i)
      if (drawing.visible[batch.instances.bodies[i]]) searchInstance(batch, i, search);
  if (search.direct) return search.direct;
  if (search.close) return { body: search.close.body, distance: Infinity };
  return pickHalfPlane(drawing, pointer);
}

function searchInstance(batch: BodyBatch, i: number, search: Search): void {
  const { pointer } = search;
  instance.fromArray(batch.matrices, 16 * i);
  projected.setFromMatrixPosition(instance);
  const radius = batch.radiusOf(i) * instance.getMaxScaleOnAxis();
  const limit = radiusInPixels(projected, radius, pointer) + edgeTolerance;
  projected.applyMatrix4(viewProjection);
  if (!(pixelsTo(pointer, projected) <= limit)) return;
  const body = batch.instances.bodies[i];
  const distance = rayDistance(batch.geometryOf(i));
  if (distance < (search.direct?.distance ?? Infinity)) search.direct = { body, distance };
  if (search.direct) return;
  const pixels = edgePixels(batch.geometryOf(i).edges, pointer);
  if (pixels < (search.close?.pixels ?? edgeTolerance)) search.close = { body, pixels };
}

// Generous: a ball that reaches the viewer is everywhere.
function radiusInPixels(centre: Vector3, radius: number, { camera, viewport }: Pointer): number {
  other.copy(centre).applyMatrix4(camera.matrixWorldInverse);
  const perspective = camera.projectionMatrix.elements[11] !== 0;
  const depth = perspective ? -other.z - radius : 1;
  if (depth <= 0) return Infinity;
  return (0.5 * viewport.height * camera.projectionMatrix.elements[5] * radius) / depth;
}

// Along the ray to the closest triangle of the present instance, m.
function rayDistance({ positions, indices }: ShapeGeometry): number {
  ray.copy(raycaster.ray).applyMatrix4(inverse.copy(instance).invert());
  let least = Infinity;
  for (let t = 0; t < indices.length; t += 3) {
    for (let k = 0; k < 3; ++k) corners[k].fromArray(positions, 3 * indices[t + k]);
    if (!ray.intersectTriangle(...corners, false, hit)) continue;
    least = Math.min(least, hit.applyMatrix4(instance).distanceTo(raycaster.ray.origin));
  }
  return least;
}

function edgePixels(segments: Float32Array, pointer: Pointer): number {
  instance.premultiply(viewProjection);
  let least = Infinity;
  for (let s = 0; s < segments.length; s += 6) {
    projected.fromArray(segments, s).applyMatrix4(instance);
    other.fromArray(segments, s + 3).applyMatrix4(instance);
    if (Math.abs(projected.z) <= 1 && Math.abs(other.z) <= 1)
      least = Math.min(least, pixelsToSegment(pointer, projected, other));
  }
  return least;
}

function pixelsToSegment({ x, y, viewport }: Pointer, a: Vector3, b: Vector3): number {
  const w = 0.5 * viewport.width;
  const h = 0.5 * viewport.height;
  const [ux, uy] = [w * (b.x - a.x), h * (b.y - a.y)];
  const [px, py] = [w * (x - a.x), h * (y - a.y)];
  const size = ux * ux + uy * uy;
  const share = size > 0 ? Math.min(1, Math.max(0, (px * ux + py * uy) / size)) : 0;
  return Math.hypot(px - share * ux, py - share * uy);
}

function pickHalfPlane(drawing: RunDrawing, pointer: Pointer): BodyHit | null {
  if (!drawing.planar) return null;
  const unitsPerPixel = 2 / (pointer.camera.projectionMatrix.elements[5] * pointer.viewport.height);
  const { x, y } = raycaster.ray.origin;
  for (const { body, frame } of drawing.halfPlanes()) {
    const above = (frame[3] * (x - frame[9]) + frame[4] * (y - frame[10])) / unitsPerPixel;
    if (above <= edgeTolerance && above >= -hatchDepth) return { body, distance: Infinity };
  }
  return null;
}
