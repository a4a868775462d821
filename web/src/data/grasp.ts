// SPDX-License-Identifier: Apache-2.0
// What `vinci grasp` tells of a body in a frame (docs/json.md), as far as the page shows it. Wrenches
// are force (N) and torque about the centre (N m) in world axes, six numbers, in the plane too.
import type { Vector3 } from './types';

export type Wrench = [number, number, number, number, number, number];

export interface QualityInterval {
  lower: number; // N
  upper: number;
  settled: boolean; // as narrow as asked for
  weakest: Wrench; // the contacts give the least along it
}

export interface GraspAnswer {
  object: string;
  time: number; // s
  center: Vector3; // m
  length: number; // m, what torques are divided by
  contacts: number;
  by: string[]; // the bodies that hold it
  closed: boolean;
  proved: boolean;
  margin: number | null;
  unresisted: Wrench | null; // of an open grasp: no contact pushes along it
  frictionRequired: number | null; // null: no friction closes it
  sum: QualityInterval;
  each: QualityInterval;
  weight: { status: string; sum: number | null } | null; // held with the least sum of normal forces
}

type Fields = Record<string, unknown>;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const numberOr = (value: unknown, other: number | null): number | null => (isNumber(value) ? value : other);

export function parseGrasp(value: unknown): GraspAnswer {
  const damaged = new Error('the answer about the grasp cannot be read');
  if (typeof value !== 'object' || value === null) throw damaged;
  const json = value as Fields;
  const { center, contacts, object, time, length } = json;
  if (!Array.isArray(center) || center.length !== 3 || !center.every(isNumber) || !Array.isArray(contacts) ||
      typeof object !== 'string' || !isNumber(time) || typeof json.closed !== 'boolean')
    throw damaged;
  const quality = (found: unknown): QualityInterval => {
    const { lower, upper, settled, weakest } = (found ?? {}) as Fields;
    return { lower: numberOr(lower, 0)!, upper: numberOr(upper, 0)!, settled: settled === true,
             weakest: wrench(weakest) ?? [0, 0, 0, 0, 0, 0] };
  };
  const names = (contacts as Fields[]).map(({ by }) => (typeof by === 'string' ? by : ''));
  const least = json.least_sum as Fields | undefined;
  return {
    object, time, center: center as Vector3, length: numberOr(length, 0)!, contacts: contacts.length,
    by: [...new Set(names.filter((name) => name !== ''))], closed: json.closed, proved: json.proved === true,
    margin: numberOr(json.margin, null), unresisted: wrench(json.unresisted),
    frictionRequired: numberOr(json.friction_required, null),
    sum: quality(json.quality_sum), each: quality(json.quality_each),
    weight: least ? { status: String(least.status), sum: numberOr(least.value, null) } : null,
  };
}

// Of three numbers in the plane: force, and the torque about z.
function wrench(value: unknown): Wrench | null {
  if (!Array.isArray(value) || !value.every(isNumber)) return null;
  if (value.length === 6) return value as Wrench;
  return value.length === 3 ? [value[0], value[1], 0, 0, 0, value[2]] : null;
}
