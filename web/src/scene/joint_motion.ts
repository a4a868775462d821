// SPDX-License-Identifier: Apache-2.0
// How joints let bodies stand: from coordinates to poses and back, and what is left over where bodies
// do not stand as their joint wants. Frame B against frame A as in vinci/model/joint.h; the rotation of
// a ball joint is a vector along its axis, as long as its angle.
import { Quaternion, Vector3 } from 'three';

import { rateCount } from '../data/joints';
import type { JointJson, JointKind, PoseJson } from '../data/types';

export interface Place {
  p: Vector3; // m
  r: Quaternion;
}

export function placeOf({ position, rotation: [w, x, y, z] }: PoseJson): Place {
  return { p: new Vector3(...position), r: new Quaternion(x, y, z, w).normalize() };
}

export function origin(): Place {
  return { p: new Vector3(), r: new Quaternion() };
}

export function composed(a: Place, b: Place): Place {
  return { p: b.p.clone().applyQuaternion(a.r).add(a.p), r: a.r.clone().multiply(b.r).normalize() };
}

export function inverted({ p, r }: Place): Place {
  const back = r.clone().conjugate();
  return { p: p.clone().negate().applyQuaternion(back), r: back };
}

function about(x: number, y: number, z: number): Quaternion {
  const angle = Math.hypot(x, y, z);
  const size = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  return new Quaternion(size * x, size * y, size * z, Math.cos(angle / 2));
}

// The rotation as a vector, of an angle up to half a turn.
export function rotationVector({ x, y, z, w }: Quaternion): [number, number, number] {
  const sign = w < 0 ? -1 : 1;
  const sine = Math.hypot(x, y, z);
  const size = sine > 1e-12 ? (sign * 2 * Math.atan2(sine, Math.abs(w))) / sine : 2 * sign;
  return [size * x, size * y, size * z];
}

// Frame B against A; q has one number per freedom.
export function jointPlace({ kind, pitch }: JointJson, q: ArrayLike<number>): Place {
  const place = origin();
  switch (kind) {
    case 'fixed': return place;
    case 'revolute': place.r = about(0, 0, q[0]); return place;
    case 'prismatic': place.p.z = q[0]; return place;
    case 'screw': place.p.z = pitch * q[0]; place.r = about(0, 0, q[0]); return place;
    case 'cylindrical': place.p.z = q[1]; place.r = about(0, 0, q[0]); return place;
    case 'universal': place.r = about(0, 0, q[0]).multiply(about(q[1], 0, 0)); return place;
    case 'ball': place.r = about(q[0], q[1], q[2]); return place;
    case 'planar': place.p.set(q[0], q[1], 0); place.r = about(0, 0, q[2]); return place;
  }
}

// The angle that differs by whole turns and is nearest to `before`.
function unwrapped(angle: number, before: number): number {
  return angle + 2 * Math.PI * Math.round((before - angle) / (2 * Math.PI));
}

const aboutZ = (r: Quaternion, before: number): number => unwrapped(2 * Math.atan2(r.z, r.w), before);

// Coordinates of B against A, next to those before.
export function readCoordinates(kind: JointKind, { p, r }: Place, before: ArrayLike<number>): number[] {
  switch (kind) {
    case 'fixed': return [];
    case 'revolute': case 'screw': return [aboutZ(r, before[0])];
    case 'prismatic': return [p.z];
    case 'cylindrical': return [aboutZ(r, before[0]), p.z];
    case 'universal': {
      const x = new Vector3(1, 0, 0).applyQuaternion(r);
      const z = new Vector3(0, 0, 1).applyQuaternion(r.clone().conjugate());
      return [unwrapped(Math.atan2(x.y, x.x), before[0]), unwrapped(Math.atan2(z.y, z.z), before[1])];
    }
    case 'ball': return rotationVector(r);
    case 'planar': return [p.x, p.y, aboutZ(r, before[2])];
  }
}

// What of B against A its joint forbids, m and rad: all zero where the bodies stand as it wants.
export function openings({ kind, pitch }: JointJson, { p, r }: Place, angle: number): number[] {
  const z = new Vector3(0, 0, 1).applyQuaternion(r);
  const sign = r.w < 0 ? -2 : 2;
  const turned = [sign * r.x, sign * r.y, sign * r.z];
  switch (kind) {
    case 'fixed': return [p.x, p.y, p.z, ...turned];
    case 'revolute': return [p.x, p.y, p.z, z.x, z.y];
    case 'prismatic': return [p.x, p.y, ...turned];
    case 'screw': return [p.x, p.y, z.x, z.y, p.z - pitch * aboutZ(r, angle)];
    case 'cylindrical': return [p.x, p.y, z.x, z.y];
    case 'universal': return [p.x, p.y, p.z, new Vector3(1, 0, 0).applyQuaternion(r).z];
    case 'ball': return [p.x, p.y, p.z];
    case 'planar': return [p.z, z.x, z.y];
  }
}

// One number per freedom of those that recordings keep: of a ball its quaternion becomes a vector.
export function coordinatesOf(kind: JointKind, recorded: ArrayLike<number>): number[] {
  if (kind !== 'ball') return Array.from({ length: rateCount(kind) }, (_, k) => recorded[k]);
  const [w, x, y, z] = Array.from({ length: 4 }, (_, k) => recorded[k]);
  return rotationVector(new Quaternion(x, y, z, w).normalize());
}
